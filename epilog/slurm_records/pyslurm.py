"""Slurm's records through PySlurm, where it is installed and was built for the running Slurm.

PySlurm is libslurm in our process: importing it ends the process where slurm.conf is not found, and its calls have no deadline. So it is asked
in a child (``_pyslurm_answers.py``) that is killed when it is late, like every command. What it does not give (every attempt of a requeued
job, node events, what slurmctld means to run) is asked by the commands. Tried with 24.11.0 on Slurm 24.11.5, field by field: ``doc/pyslurm.md``.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState, StepRecord
from gpualert_slurm.epilog import bounded_command
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider, ProviderFile, RecordsError
from gpualert_slurm.epilog.slurm_records.command_line import WINDOW_SLACK_S, CommandLine
from gpualert_slurm.epilog.slurm_text import words

SECOND_NS = 1_000_000_000
WORDS = {"name", "work_dir", "submit_line", "comment", "admin_comment", "failed_node"}
JOBS_PER_CHILD = 2000
_PROBE_S = 20.0
_NO_SIGNAL = 126
"""What Slurm's NO_VAL (0xfffffffe, slurm.h) looks like as a wait status: the step of a lost node has none."""
_CHILD = "from gpualert_slurm.epilog.slurm_records._pyslurm_answers import main; main()"
R = TypeVar("R")


class PySlurm(Provider):
    """Jobs' words and node states by PySlurm; the rest by the commands."""

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._commands = CommandLine(asking)

    def accounting(self, jobs: Sequence[JobQuery]) -> list[AccountingRecord]:
        """By sacct: ``pyslurm.db.JobFilter`` cannot ask for the earlier attempts of a requeued job (sacct's ``-D``)."""
        return self._commands.accounting(jobs)

    def describe(self, jobs: Sequence[JobQuery], records: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        """By sacct, and over it the newest attempt's words from PySlurm, which cannot confuse them; it has no output paths."""
        loaded: list[AccountingRecord] = []
        for start in range(0, len(jobs), JOBS_PER_CHILD):
            wanted = {job.job_id: job.not_before_ns - WINDOW_SLACK_S * SECOND_NS for job in jobs[start : start + JOBS_PER_CHILD]}
            loaded += self._ask(AccountingRecord, {"jobs": wanted, "cluster": self._asking.cluster})
        found = {(r.job_id, r.start_ns): r.model_dump(exclude_none=True, include=WORDS) for r in loaded}
        described = self._commands.describe(jobs, records)
        return [r.model_copy(update=found.get((r.job_id, r.start_ns), {})) for r in described]

    def unfinished(self, job_ids: Sequence[int]) -> dict[int, str]:
        """By squeue."""
        return self._commands.unfinished(job_ids)

    def node_states(self, nodes: Sequence[str]) -> list[NodeState]:
        """By ``pyslurm.Nodes.load()``."""
        return self._ask(NodeState, {"nodes": list(nodes)}) if nodes else []

    def node_events(self, nodes: Sequence[str], since_ns: int) -> list[NodeEvent]:
        """By sacctmgr: PySlurm has no events."""
        return self._commands.node_events(nodes, since_ns)

    def cluster_name(self) -> str:
        """By scontrol."""
        return self._commands.cluster_name()

    def _ask(self, kind: type[R], question: dict[str, object]) -> list[R]:
        """The child's answer. Raises RecordsError: it is late, died, or makes no sense."""
        try:
            said = _child(question, self._asking.timeout_s, self._asking)
            return TypeAdapter(list[kind]).validate_json(said)  # type: ignore[valid-type]
        except bounded_command.CommandError as error:
            raise RecordsError(f"PySlurm: {error}") from error
        except ValidationError as error:
            raise RecordsError(f"PySlurm's answer makes no sense: {error.errors()[0]['msg']}") from error


def _child(question: dict[str, object], timeout_s: float, asking: Asking) -> str:
    argv = [sys.executable, "-c", _CHILD, json.dumps(question)]
    env = {**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8", "PYTHONUTF8": "1", "PYTHONSAFEPATH": "1"}
    return bounded_command.run(argv, timeout_s=timeout_s, env=env, stopping=asking.stopping).stdout


def load(module: Any, wanted: dict[int, int], cluster: str | None) -> list[AccountingRecord]:  # noqa: ANN401 - PySlurm ships no types
    """The newest attempt of each wanted job (id to the time it cannot be older than) by ``pyslurm.db.Jobs.load``."""
    if not wanted:
        return []
    filters = module.db.JobFilter(ids=list(wanted), start_time=min(wanted.values()) // SECOND_NS, **({"clusters": [cluster]} if cluster else {}))
    made = [job_record(job) for job in module.db.Jobs.load(filters).values()]
    return [r for r in made if r.job_id in wanted and (r.end_ns is None or r.end_ns >= wanted[r.job_id])]


def job_record(job: Any) -> AccountingRecord:  # noqa: ANN401 - PySlurm ships no types
    """A ``pyslurm.db.Job`` as a record. Its ``suspended_time`` is the elapsed time by mistake, and is left out."""
    state, _ = words.state(job.state)
    return AccountingRecord(
        source=f"pyslurm.db.Job.load({job.id})",
        cluster=job.cluster,
        job_id=job.id,
        job_id_raw=str(job.id),
        array_job_id=job.array_id if job.array_task_id is not None else None,
        array_task_id=job.array_task_id,
        name=job.name,
        user=job.user_name,
        uid=job.user_id,
        account=job.account,
        partition=job.partition,
        qos=job.qos,
        state=state,
        reason=words.text(job.state_reason or ""),
        exit_code=job.exit_code,
        exit_signal=job.exit_code_signal,
        derived_exit_code=job.derived_exit_code,
        derived_exit_signal=job.derived_exit_code_signal,
        node_list=words.text(job.nodelist or ""),
        failed_node=job.failed_node,
        nnodes=job.num_nodes,
        submit_ns=_ns(job.submit_time),
        eligible_ns=_ns(job.eligible_time),
        start_ns=_ns(job.start_time),
        end_ns=_ns(job.end_time),
        elapsed_s=job.elapsed_time or (0 if job.end_time else None),  # PySlurm gives no number for nought
        time_limit_s=job.time_limit * 60 if isinstance(job.time_limit, int) else None,
        priority=job.priority,
        work_dir=job.working_directory,
        submit_line=job.submit_command,
        comment=job.comment,
        admin_comment=getattr(job, "admin_comment", None),
        steps=tuple(_step(step) for step in job.steps.values()),
    )


def node_state(node: Any) -> NodeState:  # noqa: ANN401 - PySlurm ships no types
    """A ``pyslurm.Node`` as a record; its memory is in MiB."""
    gres = ",".join(f"{name}:{count}" for name, count in (node.configured_gres or {}).items())
    return NodeState(
        source=f"pyslurm.Node.load({node.name!r})",
        node=node.name,
        state=node.state,
        reason=node.reason,
        reason_time_ns=_ns(_either(node, "reason_time_raw", "reason_time")),
        boot_time_ns=_ns(_either(node, "boot_time_raw", "boot_time")),
        slurmd_start_ns=_ns(_either(node, "slurmd_start_time_raw", "slurmd_start_time")),
        cpu_load=node.cpu_load,
        free_memory_mb=_either(node, "free_memory_raw", "free_memory"),
        gres=gres or None,
    )


def _step(step: Any) -> StepRecord:  # noqa: ANN401 - PySlurm ships no types
    known = step.exit_code_signal != _NO_SIGNAL
    return StepRecord(
        step=str(step.id), name=step.name, state=words.state(step.state)[0],
        exit_code=step.exit_code if known else None, exit_signal=step.exit_code_signal if known else None,
        node_list=words.text(step.nodelist or ""), ntasks=step.ntasks, start_ns=_ns(step.start_time), end_ns=_ns(step.end_time),
    )


def _either(thing: object, *names: str) -> Any:  # noqa: ANN401
    """The first of these that is a number: PySlurm's plain names give formatted text in some releases."""
    return next((v for v in (getattr(thing, name, None) for name in names) if isinstance(v, int)), None)


def _ns(seconds: int | None) -> int | None:
    return seconds * SECOND_NS if seconds else None


def why_not() -> str | None:
    """Why PySlurm cannot be used here: absent, broken, or built for another Slurm than the commands are of. Asked in a child: see above."""
    try:
        built = _major_minor(json.loads(_child({"version": True}, _PROBE_S, Asking())))
    except (bounded_command.CommandError, ValueError) as error:
        return f"PySlurm cannot be used: {str(error).partition(': ')[2] or error}"
    try:
        said = bounded_command.run(["sacct", "--version"], timeout_s=5).stdout
    except bounded_command.CommandError as error:
        return f"the running Slurm's version is not known: {error}"
    running = _major_minor(said)
    return None if running and running == built else f"PySlurm {built or '?'} was built for another Slurm than {running or '?'}"


def _major_minor(text: str) -> str | None:
    found = re.search(r"(\d+)\.0?(\d+)", text)
    return f"{found[1]}.{found[2]}" if found else None


PROVIDER = ProviderFile(preference=20, why_not=why_not, open=PySlurm)

"""Slurm's records through its own commands: the one way that every version and every site has.

``sacct -D -P`` is the format that all versions share (their JSON differs). Times are asked as seconds since the epoch in UTC.
"""

from __future__ import annotations

import os
import secrets
import time
from collections.abc import Sequence

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.epilog import bounded_command
from gpualert_slurm.epilog.bounded_command import CommandError
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider, ProviderFile, RecordsError
from gpualert_slurm.epilog.slurm_text import nodes as node_text
from gpualert_slurm.epilog.slurm_text import sacct, words

JOBS_PER_COMMAND = 2000
"""Ids on one command line: 20 kB of the kernel's 128 KiB for one argument."""
WINDOW_SLACK_S = 600
"""Clocks of nodes and controller may differ by this much, and Slurm's times are cut to seconds."""


class CommandLine(Provider):
    """sacct, scontrol, squeue and sacctmgr, each killed when it is late."""

    side_by_side = True

    def __init__(self, asking: Asking) -> None:
        self._asking = asking
        self._facts: tuple[str, ...] = ()
        self._words: tuple[str, ...] = ()
        self._seen: list[sacct.Row] = []

    def accounting(self, jobs: Sequence[JobQuery]) -> list[AccountingRecord]:
        """See ``Provider``. One sacct for all jobs; rows of other clusters and of older jobs with the same id are left out."""
        self._learn_fields()
        wanted = {job.job_id: job.not_before_ns - WINDOW_SLACK_S * 1_000_000_000 for job in jobs}
        found: list[AccountingRecord] = []
        seen: list[sacct.Row] = []
        for part in _parts(jobs):
            separator = _separator()
            rows, strange = sacct.rows(self._run(self._sacct(part, self._facts, separator)), self._facts, separator)
            if strange and not rows:
                raise RecordsError(f"sacct printed {strange} lines that are no rows of {len(self._facts)} fields")
            found += sacct.records(rows)
            seen += rows
        self._seen = seen
        return [
            r for r in found
            if r.job_id in wanted and self._asking.cluster in (None, r.cluster) and (r.end_ns is None or r.end_ns >= wanted[r.job_id])
        ]

    def describe(self, jobs: Sequence[JobQuery], records: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        """See ``Provider``. One sacct for the free text, which is read only at the places that the last ``accounting()`` announced."""
        self._learn_fields()
        wanted = {str(job.job_id) for job in jobs}
        seen = [row for row in self._seen if row["JobIDRaw"].partition(".")[0] in wanted]
        names = (*sacct.KEY, *self._words)
        keys = [(row["DBIndex"], row["JobIDRaw"]) for row in seen]
        described: dict[tuple[int, int | None, int | None], AccountingRecord] = {}
        for part in _parts(jobs):
            separator = _separator()
            own = sacct.free_text(self._run(self._sacct(part, names, separator)), names, keys, separator)
            described.update({_identity(r): r for r in sacct.records(seen, own)})
        return [described.get(_identity(r), r) for r in records]

    def unfinished(self, job_ids: Sequence[int]) -> dict[int, str]:
        """See ``Provider``. squeue lists only what slurmctld has not finished, unless it is asked for more."""
        found: dict[int, str] = {}
        for start in range(0, len(job_ids), JOBS_PER_COMMAND):
            ids = ",".join(str(i) for i in job_ids[start : start + JOBS_PER_COMMAND])
            try:
                said = self._run(["squeue", "--noheader", "--all", f"--jobs={ids}", "--format=%A %T"])
            except RecordsError as error:
                if "Invalid job id" in str(error):
                    continue
                raise
            found.update({int(i): s for i, _, s in (line.strip().partition(" ") for line in said.splitlines()) if words.number(i) is not None})
        return found

    def node_states(self, nodes: Sequence[str]) -> list[NodeState]:
        """See ``Provider``. One scontrol; where it does not know a name (a node taken out), one more for all nodes."""
        if not nodes:
            return []
        try:
            said = self._run(["scontrol", "-o", "show", "node", words.fold_nodes(tuple(nodes))])
        except RecordsError as error:
            if "not found" not in str(error):
                raise
            said = self._run(["scontrol", "-o", "show", "node"])
        wanted = set(nodes)
        return [s for s in node_text.states(said) if s.node in wanted]

    def node_events(self, nodes: Sequence[str], since_ns: int) -> list[NodeEvent]:
        """See ``Provider``. One sacctmgr."""
        if not nodes:
            return []
        start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(since_ns // 1_000_000_000))
        cluster = [f"cluster={self._asking.cluster}"] if self._asking.cluster else []
        argv = ["sacctmgr", "-nP", "show", "event", "event=node", *cluster, f"nodes={words.fold_nodes(tuple(nodes))}", f"start={start}",
                f"format={','.join(node_text.EVENT_FIELDS)}"]
        return node_text.events(self._run(argv))

    def cluster_name(self) -> str:
        """See ``Provider``. From ``scontrol show config``."""
        for line in self._run(["scontrol", "show", "config"]).splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "ClusterName" and value.strip():
                return value.strip()
        raise RecordsError("scontrol show config names no cluster")

    def _learn_fields(self) -> None:
        if not self._facts:
            listed = self._run(["sacct", "--helpformat"])
            self._words = sacct.fields(listed, sacct.WORDS)
            self._facts = sacct.fields(listed, sacct.FACTS)

    def _sacct(self, jobs: Sequence[JobQuery], names: Sequence[str], separator: str) -> list[str]:
        # Never in the future, which sacct refuses for all jobs of the query: a node's clock may be ahead by any time.
        oldest_s = min(*(job.not_before_ns for job in jobs), time.time_ns()) // 1_000_000_000 - WINDOW_SLACK_S
        start = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(max(oldest_s, 0)))
        cluster = [f"--clusters={self._asking.cluster}"] if self._asking.cluster else []
        ids = ",".join(job.label or str(job.job_id) for job in jobs)
        expand = ["--expand-patterns"] if "StdOut" in names else []  # both since 24.05: else sacct prints slurm-%j.out
        return ["sacct", "-D", "-a", "-n", "-P", f"--delimiter={separator}", "--noconvert", *expand, *cluster, f"--starttime={start}",
                f"--jobs={ids}", f"--format={','.join(names)}"]

    def _run(self, argv: Sequence[str]) -> str:
        env = {**os.environ, "TZ": "UTC", "SLURM_TIME_FORMAT": "%s", "LC_ALL": "C"}
        for name in [n for n in env if n.startswith(("SACCT_", "SQUEUE_", "SCONTROL_"))]:
            del env[name]
        try:
            return bounded_command.run(argv, timeout_s=self._asking.timeout_s, env=env, stopping=self._asking.stopping).stdout
        except CommandError as error:
            raise RecordsError(str(error)) from error


def _separator() -> str:
    """A delimiter that no name can hold: names were chosen before it was."""
    return f"\x1f{secrets.token_hex(8)}\x1f"


def _identity(record: AccountingRecord) -> tuple[int, int | None, int | None]:
    return record.job_id, record.submit_ns, record.start_ns


def _parts(jobs: Sequence[JobQuery]) -> list[Sequence[JobQuery]]:
    return [jobs[i : i + JOBS_PER_COMMAND] for i in range(0, len(jobs), JOBS_PER_COMMAND)]


PROVIDER = ProviderFile(preference=10, why_not=lambda: None, open=CommandLine)

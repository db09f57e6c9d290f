"""A gpualert-run's folder as the ``JobRecord`` that the classifier judges. Format: ``doc/formats/bundle.md``."""

from __future__ import annotations

import base64
import os
import signal
import stat
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.artifact import Artifact
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Node
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.programs.log_paths import Found, PathError, find, shown
from gpualert_slurm.programs.log_report import Whose, reports
from gpualert_slurm.programs.run_cpu import cpu_series
from gpualert_slurm.programs.wrong import wrong
from gpualert_slurm.rank import CgroupMemory, RankExit
from gpualert_slurm.run_file import END_NAME, RUN_NAME, RunEnd, RunFile, SentSignal
from gpualert_slurm.series import Series

VERDICT_NAME = "verdict.json"
STEP = "run"
ARTIFACTS_S = 30.0
EXIT_TIMED_OUT = 124
"""gpualert-run's status for its own time limit, as timeout(1) has it."""
_STOPPING = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT}
"""Signals by which a person, or a program for a person, asks a command to end."""
ANSWER_NS = 30_000_000_000
"""Who catches such a signal saves, says so and leaves within this time (Slurm's KillWait, as it comes)."""


def state_folder() -> Path:
    """Where this user's bundles lie, unless gpualert-run had to go elsewhere and said so."""
    state = os.environ.get("XDG_STATE_HOME", "")
    return (Path(state) if state.startswith("/") else Path.home() / ".local" / "state") / "gpualert"


def newest() -> Path | None:
    """This user's newest bundle; the names begin with the time."""
    try:
        return max((p for p in state_folder().iterdir() if (p / RUN_NAME).is_file()), default=None, key=lambda p: p.name)
    except OSError:
        return None


def read_run(bundle: Path) -> RunFile:
    """The bundle's run file.

    Raises:
        PathError: it cannot be read, or it is none.
    """
    try:
        return RunFile.read(bundle)
    except (OSError, ValueError) as error:
        raise PathError(f"{shown(bundle / RUN_NAME)}: {wrong(error)}; the folder is no bundle that this gpualert can read") from error


def read_end(bundle: Path) -> RunEnd | Gap:
    """How the command ended, or why that is not known."""
    try:
        return RunEnd.read(bundle)
    except FileNotFoundError:
        return Gap(what="how the command ended", why="gpualert-run and its guardian left no word: they were killed, or the command still runs")
    except (OSError, ValueError) as error:
        return Gap(what="how the command ended", why=f"{END_NAME}: {str(error).splitlines()[0]}")


def job_of(bundle: Path, *, artifacts: bool = False, found: Found | None = None, exit_code: int | None = None) -> JobRecord:
    """The run in ``bundle``, its logs read; with ``artifacts`` also the files that the owner asked for.

    ``found`` are logs beyond the bundle's own, ``exit_code`` an end told by the user where the bundle knows none.

    Raises:
        PathError: the folder is no bundle.
    """
    run, end = read_run(bundle), read_end(bundle)
    gaps = [end] if isinstance(end, Gap) else []
    known = None if isinstance(end, Gap) else end
    attempt = attempt_of(run)
    ended_ns = known.ended.ns if known else None
    ranks = [run.claims.get(name, "") for name in ("RANK", "SLURM_PROCID")]
    whose = Whose(
        attempt=attempt,
        uid=run.uid,
        user=account_name(run.uid),
        node=run.host,
        boot_id=run.boot_id or "",
        wishes=run.wishes,
        work_dir=run.work_dir,
        started_ns=run.created.ns,
        ended_ns=ended_ns,
        rank=next((int(r) for r in ranks if r.isascii() and r.isdigit() and len(r) < 8), 0),
    )
    logs = find([bundle]) if found is None else found
    said = list(reports(logs, whose))
    if said and known:
        told = told_by_end(known, run, bundle)
        said[0] = said[0].model_copy(update={"evidence": (*told, *said[0].evidence), "exits": tuple(_own_end(e, known) for e in said[0].exits)})
        cpu = cpu_series(known, Where(node=run.host, rank=whose.rank, step=STEP))
        if isinstance(cpu, Series):
            said[0] = said[0].model_copy(update={"series": (*said[0].series, cpu)})
        elif cpu is not None:
            gaps.append(cpu)
    if artifacts and said:
        files, missing = take(run)
        said[0] = said[0].model_copy(update={"artifacts": tuple(files)})
        gaps.extend(missing)
    gaps.extend(_said_by_end(known, run))
    gaps.extend(Gap(what="the command's output", why=f"capture was {e.capture}", node=e.node) for e in logs.exits if e.capture != "on")
    if attempt.job_id:
        gaps.append(Gap(what="Slurm's records of the job", why="gpualert-run does not ask for them; submit with --gpualert-mail to have them"))
    code, signal_number = (known.exit_code, known.signal) if known else exit_status(exit_code)
    return JobRecord(
        attempt=attempt,
        uid=run.uid,
        user=whose.user,
        name=run.claims.get("SLURM_JOB_NAME") or command_name(run.command),
        nodes=(run.host,),
        wishes=run.wishes if run.notify else run.wishes.model_copy(update={"addresses": ()}),
        work_dir=run.work_dir,
        command=run.command,
        under_slurm=bool(attempt.job_id),
        exit_code=EXIT_TIMED_OUT if known and known.timed_out else code,
        exit_signal=None if known and known.timed_out else signal_number,
        started_ns=run.created.ns,
        ended_ns=ended_ns,
        reports=tuple(said),
        gaps=tuple(gaps),
    )


def attempt_of(run: RunFile) -> Attempt:
    """The run's identity: Slurm's job where it ran in one, else job 0 of its host, told apart by its start."""

    def number(name: str) -> int | None:
        text = run.claims.get(name, "")
        return int(text) if text.isascii() and text.isdigit() and len(text) <= 10 else None

    return Attempt(
        cluster=run.claims.get("SLURM_CLUSTER_NAME") or run.host,
        job_id=number("SLURM_JOB_ID") or 0,
        array_job_id=number("SLURM_ARRAY_JOB_ID"),
        array_task_id=number("SLURM_ARRAY_TASK_ID"),
        start_time_ns=run.created.ns,
    )


def command_name(command: tuple[str, ...]) -> str | None:
    """``train.py`` of ``python -u train.py --lr 1``: the script where an interpreter runs one, else the program."""
    words = [Path(w).name for w in command[:1]] + [Path(w).name for w in command[1:6] if w.endswith((".py", ".sh"))][:1]
    return words[-1] if words else None


def account_name(uid: int) -> str | None:
    """The user's name, where the machine knows it."""
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OSError):
        return None


def exit_status(told: int | None) -> tuple[int | None, int | None]:
    """(code, signal) of an exit status as a shell (128 + n) or Python (-n) says it."""
    if told is None:
        return None, None
    if -65 < told < 0:
        return None, -told
    if 128 < told <= 128 + 64:
        return None, told - 128
    return told, None


def take(run: RunFile) -> tuple[list[Artifact], list[Gap]]:
    """The files of ``--artifacts`` and ``--attach``, within the budget; what is left out is named."""
    from gpualert_slurm.epilog.collect_account import Account
    from gpualert_slurm.epilog.collect_artifacts import take_artifacts

    bounds = Node()
    account = Account(os.geteuid(), os.getegid(), groups=tuple(os.getgroups()))
    globbed = take_artifacts(run.wishes.artifacts, run.work_dir, account, bounds, ARTIFACTS_S)
    left = bounds.artifacts_max_total_bytes - sum(a.size_bytes or 0 for a in globbed.files if a.content is not None)
    attached = []
    for name in run.attach:
        artifact = _attached(name, Path(run.work_dir or "/") / name, min(bounds.artifact_max_bytes, left))
        left -= (artifact.size_bytes or 0) if artifact.content is not None else 0
        attached.append(artifact)
    return [*attached, *globbed.files], globbed.gaps


def _attached(name: str, path: Path, max_bytes: int) -> Artifact:
    """A file named by its owner: regular, no link as its last part, and what its size says (a file of /proc says 0)."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        return Artifact(path=name, left_out=getattr(error, "strerror", None) or str(error))
    status = os.fstat(fd)
    if not stat.S_ISREG(status.st_mode):
        os.close(fd)
        return Artifact(path=name, left_out="it is no regular file")
    with os.fdopen(fd, "rb") as file:
        if status.st_size > max_bytes:
            return Artifact(path=name, size_bytes=status.st_size, left_out=f"larger than the {max_bytes} bytes that are left for it")
        content = file.read(status.st_size)
    return Artifact(path=name, size_bytes=len(content), content=base64.b64encode(content).decode("ascii"))


def told_by_end(end: RunEnd, run: RunFile, bundle: Path) -> list[Evidence]:
    """What gpualert-run did or was told to do, as evidence: its own time limit, and the signal that ended the command."""
    told: list[Evidence] = []

    def tell(says: str, field: str, value: str, time_ns: int, **data: str | float) -> None:
        source = FieldValue(record="gpualert-run's own record of the end", query=f"cat {shown(bundle / END_NAME)}", name=field, value=value)
        told.append(
            Evidence(
                id=f"{run.host}:end:{field}",
                says=says,
                role=Role.CONFIRMATION,
                trust=Trust.USER,
                source=source,
                where=Where(node=run.host, step=STEP),
                time_ns=time_ns,
                data=data,
            )
        )

    if end.timed_out:
        limit_s = (run.timeout_ms or 0) / 1000
        tell("time_limit_text", "timed_out", f"{limit_s:g} s", end.ended.ns, limit_s=limit_s)
        return told
    ended_by = end.signal or max(0, (end.exit_code or 0) - 128)
    sent = next((s for s in end.signals if s.signal == ended_by and s.signal in _STOPPING), None) or _answered(end)
    if sent is not None:
        name = signal.Signals(sent.signal).name
        by = "the terminal" if sent.sender_pid is None else f"process {sent.sender_pid} of uid {sent.sender_uid}"
        uid = run.uid if sent.sender_uid is None else sent.sender_uid
        tell("step_cancelled", "signals", f"{name} from {by}", sent.at_ns, what="JOB", why=name, uid=uid)
    return told


def _answered(end: RunEnd) -> SentSignal | None:
    """The signal to which the command, by all that is known, answered by leaving with a code of its own, as those do that catch it."""
    if not end.exit_code:
        return None
    return next((s for s in end.signals if s.signal in _STOPPING and 0 <= end.ended.ns - s.at_ns <= ANSWER_NS), None)


def _own_end(end: RankExit, known: RunEnd) -> RankExit:
    """The exit record, with what ``gpualert-run`` alone knows.

    A command that ended well when its time was over ended all the same by the limit: gpualert-run's status is 124.
    """
    if known.memory is not None and _is_told_by(known.memory, known):
        end = end.model_copy(update={"memory": known.memory})
    return end.model_copy(update={"exit_code": EXIT_TIMED_OUT}) if known.timed_out and end.exit_code == 0 else end


def _is_told_by(memory: CgroupMemory, known: RunEnd) -> bool:
    """Whether the control group says something of the end: it counted a kill, or it counted none and the command itself died by a signal.

    Where the command only tells of another's death (137), that other may have been in another group: a container's, another node's.
    """
    return bool(memory.oom_kill_events) or (memory.oom_kill_events == 0 and known.signal is not None)


def _said_by_end(end: RunEnd | None, run: RunFile) -> Iterator[Gap]:
    if end is None:
        return
    if end.by == "guardian":
        yield Gap(what="the command's exit status", why="gpualert-run was killed; its guardian ended the command")
    if end.output_open:
        why = "a process that outlived the command still held it; it was passed on, not kept"
        yield Gap(what="output after the command's end", why=why, node=run.host)

"""Which ranks failed, which of them first, and which only went down with the others."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime, timezone

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.evidence import Evidence, Quote, Role
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit
from gpualert_slurm.verdict import FirstFailure, RankState

SIGTERM, SIGKILL, SIGINT = 15, 9, 2
CASCADE_S = 90.0
"""srun kills what is left of a step at most KillWait (30 s) and its own 60 s after the first bad exit."""


@dataclass(frozen=True)
class Failure:
    """One failed rank: how it ended, what it said, and whether it only followed."""

    end: RankExit | None
    node: str | None
    step: str | None
    rank: int | None
    local_rank: int | None
    code: int | None
    signal: int | None
    time_ns: int | None
    uncertainty_ns: int
    evidence: Evidence
    root: Evidence | None = None
    follows: bool = False

    @property
    def name(self) -> str:
        """``rank 3 on n2``, as far as it is known."""
        who = f"rank {self.rank}" if self.rank is not None else ("the batch script" if self.step == "batch" else "a rank")
        return f"{who} on {self.node}" if self.node else who

    @property
    def words(self) -> str:
        """``exit code 1`` or ``SIGSEGV``."""
        return RankExit(node="", step="", local_rank=0, exit_code=self.code, signal=self.signal).words


def failures_of(job: JobRecord, exits: tuple[RankExit, ...], roots: tuple[Evidence, ...], texts: tuple[Evidence, ...]) -> tuple[Failure, ...]:
    """The failed ranks of the step that decided the run, first failure first.

    Args:
        job: for its nodes and clocks.
        exits: all exit records.
        roots: evidence that can be a root, recovered errors left out.
        texts: what launchers wrote: whole where there are no exit records, else of ranks below a task only.
    """
    ends = _deciding(exits)
    clocks = {r.node: r.clock_uncertainty_ns for r in job.reports}
    if ends:
        found = [f for e in ends for f in (_below(e, roots, texts, job) or [_from_exit(e, roots, clocks)])]
    else:
        found = _from_texts(roots, () if exits else texts, job)
    if len(found) > 1:
        found = _told_followers(found)
    return tuple(sorted(found, key=order))


def _deciding(exits: tuple[RankExit, ...]) -> list[RankExit]:
    """Failed tasks of the last srun step that failed; of the batch script only where no step did."""
    bad = [e for e in exits if e.failed]
    steps = [e for e in bad if e.step not in SCRIPT]
    if not steps:
        return [e for e in bad if e.step != "extern"]
    last = max(steps, key=lambda e: (e.end_time_ns or 0, len(e.step), e.step)).step
    return [e for e in steps if e.step == last]


def _from_exit(end: RankExit, roots: tuple[Evidence, ...], clocks: dict[str, int]) -> Failure:
    root = _root_of(end, roots)
    times = [t for t in (end.end_time_ns, root.time_ns if root else None) if t is not None]
    return Failure(
        end,
        end.node,
        end.step,
        end.rank if end.step not in SCRIPT else None,
        end.local_rank,
        end.exit_code,
        end.signal,
        min(times, default=None),
        end.uncertainty_ns + clocks.get(end.node, 0),
        citations.rank_exit(end),
        root,
    )


def _below(end: RankExit, roots: tuple[Evidence, ...], texts: tuple[Evidence, ...], job: JobRecord) -> list[Failure]:
    """The failed ranks below a task that is a launcher (torchrun: one task a node), as its own logs name them; empty for a task that is a rank.

    A traceback without a prefix belongs to the one rank that the launcher's summary names, else to nobody.
    """
    own = {log.path for r in job.reports for log in r.logs if (log.node, log.step, log.local_rank) == (end.node, end.step, end.local_rank)}
    here = tuple(e for e in roots if isinstance(e.source, Quote) and e.source.file in own)
    said = tuple(e for e in texts if isinstance(e.source, Quote) and e.source.file in own and e.says == "failure_summary" and "rank" in e.data)
    plain = [e for e in here if e.where.rank in {None, end.rank} and not e.data.get("bare")]
    named = [e for e in here if e.where.rank not in {None, end.rank}]
    if not said and (plain or not named):
        return []
    found = _from_texts(here if said else tuple(named), said, job)
    if len(found) == 1 and found[0].root is None and plain:
        found = [replace(found[0], root=plain[-1], time_ns=plain[-1].time_ns, uncertainty_ns=plain[-1].uncertainty_ns or 0)]
    return [replace(f, node=f.node or end.node, step=f.step or end.step, time_ns=f.time_ns or end.end_time_ns) for f in found]


def _root_of(end: RankExit, roots: tuple[Evidence, ...]) -> Evidence | None:
    """The last root in the rank's own log: what it said before it went."""
    own = [
        e
        for e in roots
        if e.where.step in {None, end.step} and e.where.rank is not None and e.where.rank == end.rank and e.where.node in {None, end.node}
    ]
    whole = [e for e in own if not e.data.get("bare")]
    return (whole or own)[-1] if own else None


def _told_followers(found: list[Failure]) -> list[Failure]:
    """Marks who only followed: taken down by a launcher, or telling of nothing but lost peers, after somebody else had failed."""
    leaders = [f for f in found if f.root is not None or (f.signal not in {None, SIGTERM, SIGKILL, SIGINT})]
    if not leaders:
        killed = [f for f in found if f.signal != SIGTERM]
        leaders = [f for f in killed if _first_by(f, killed)] if killed else []
    if not leaders or len(leaders) == len(found):
        return found
    first = min((f.time_ns for f in leaders if f.time_ns is not None), default=None)
    marked = []
    for failure in found:
        after = first is None or failure.time_ns is None or failure.time_ns >= first - failure.uncertainty_ns
        follows = failure not in leaders and after
        marked.append(replace(failure, follows=follows))
    return marked


def stopped_from_outside(failures: tuple[Failure, ...], stop_ns: int | None, *, cut: bool) -> tuple[Failure, ...]:
    """Marks those that ended, without a word of their own, once the run was being stopped.

    ``stop_ns`` is when the stopping began; where it is not known and the run was ``cut`` (cancelled, time limit, preempted,
    node lost), endings by the signals that Slurm sends count as its doing.
    """
    marked = []
    for failure in failures:
        late = stop_ns is not None and failure.time_ns is not None and failure.time_ns >= stop_ns
        sent = failure.signal in {SIGTERM, SIGKILL, SIGINT} or failure.code in {128 + SIGTERM, 128 + SIGKILL, 128 + SIGINT}
        follows = failure.follows or (failure.root is None and (late or (cut and sent and (stop_ns is None or failure.time_ns is None))))
        marked.append(replace(failure, follows=follows))
    return tuple(sorted(marked, key=order))


def order(failure: Failure) -> tuple[bool, bool, int, int]:
    """Who failed by themselves, in order of time; then who followed."""
    return (failure.follows, failure.time_ns is None, failure.time_ns or 0, failure.rank if failure.rank is not None else 1 << 30)


def _first_by(failure: Failure, others: list[Failure]) -> bool:
    """Not surely later than the earliest of ``others``, unless all were killed at once."""
    known = [f for f in others if f.time_ns is not None]
    if failure.time_ns is None or not known:
        return True
    earliest = min(known, key=lambda f: f.time_ns or 0)
    return failure.time_ns - (earliest.time_ns or 0) <= _apart(failure, earliest)


def _apart(one: Failure, other: Failure) -> int:
    """How far apart two times must be to be in order: clocks count only between nodes."""
    if one.node == other.node and one.end is not None and other.end is not None:
        return one.end.uncertainty_ns + other.end.uncertainty_ns
    return one.uncertainty_ns + other.uncertainty_ns


def _from_texts(roots: tuple[Evidence, ...], texts: tuple[Evidence, ...], job: JobRecord) -> list[Failure]:
    """Without exit records: srun's lines stand in exit order, a launcher's summary names ranks; else whose log holds a root."""
    named: dict[int | None, Failure] = {}
    for said in texts:
        if said.says == "task_exited":
            for rank in _numbers(str(said.data.get("tasks", "")))[:256]:
                named.setdefault(
                    rank, _texted(said, rank, str(said.data.get("host", "")) or None, (said.data.get("code"), said.data.get("signal")), roots)
                )
        elif said.says == "failure_summary" and isinstance(said.data.get("rank"), int):
            code = said.data.get("exitcode")
            number = code if isinstance(code, int) else 0
            rank = int(said.data["rank"])
            named.setdefault(rank, _texted(said, rank, None, (number if number > 0 else None, -number if number < 0 else None), roots))
    if named:
        return list(named.values())
    only = job.nodes[0] if len(job.nodes) == 1 else None
    for root in roots:
        where = root.where
        if named.get(where.rank) is None or not (where.rank is None or root.data.get("bare")):
            unsure = root.uncertainty_ns or 0
            named[where.rank] = Failure(
                None, where.node or only, where.step, where.rank, where.local_rank, None, None, root.time_ns, unsure, root, root
            )
    return list(named.values())


def _texted(said: Evidence, rank: int, node: str | None, how: tuple[object, object], roots: tuple[Evidence, ...]) -> Failure:
    code, number = how
    own = [e for e in roots if e.where.rank == rank]
    return Failure(
        None,
        node,
        None,
        rank,
        None,
        code if isinstance(code, int) else None,
        number if isinstance(number, int) and number else None,
        said.time_ns,
        said.uncertainty_ns or 0,
        said,
        own[-1] if own else None,
    )


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        span = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip())
        if span:
            first = int(span[1])
            found.extend(range(first, min(int(span[2] or first), first + 4096) + 1))
    return found


def first_failure_of(failures: tuple[Failure, ...], gpus: dict[str, str]) -> FirstFailure | None:
    """The first failing rank, or those that cannot be put in order: an honest tie within the uncertainty.

    ``gpus`` names the GPU of a rank (``node/local rank``), where a task had exactly one.
    """
    leaders = [f for f in failures if not f.follows]
    if not leaders:
        return None
    timed = [f for f in leaders if f.time_ns is not None]
    tied = leaders
    if timed:
        earliest = min(timed, key=lambda f: f.time_ns or 0)
        tied = [f for f in timed if (f.time_ns or 0) - (earliest.time_ns or 0) <= _apart(f, earliest)]
    if all(f.rank is None and f.node is None for f in tied):
        return None
    first = tied[0]
    spread = max(((f.time_ns or 0) for f in tied), default=0) - (first.time_ns or 0) if timed else 0
    uncertain = max(f.uncertainty_ns for f in tied) + spread
    return FirstFailure(
        ranks=tuple(sorted({f.rank for f in tied if f.rank is not None})),
        nodes=tuple(sorted({f.node for f in tied if f.node is not None})),
        local_ranks=tuple(sorted({f.local_rank for f in tied if f.local_rank is not None})),
        gpu_uuids=tuple(sorted({gpus[key] for f in tied if (key := f"{f.node}/{f.local_rank}") in gpus})),
        time_ns=first.time_ns,
        time=iso(first.time_ns),
        uncertainty_s=round(uncertain / 1e9, 6) if first.time_ns is not None else None,
    )


def iso(time_ns: int | None) -> str | None:
    """ISO 8601 in UTC, to the millisecond."""
    if time_ns is None:
        return None
    try:
        return datetime.fromtimestamp(time_ns / 1e9, timezone.utc).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return None


def state_of(end: RankExit, failures: tuple[Failure, ...]) -> RankState:
    """A row of the table of ranks."""
    followed = any(f.end is end and f.follows for f in failures)
    words = end.words + (" (taken down with the others)" if followed else "")
    return RankState(
        node=end.node,
        step=end.step,
        local_rank=end.local_rank,
        rank=end.rank,
        exit_code=end.exit_code,
        signal=end.signal,
        end_time_ns=end.end_time_ns,
        words=words,
    )


def is_root(evidence: Evidence) -> bool:
    """Whether evidence can carry the end of a rank: a root, or the shell's and the runtime's word of a death."""
    if evidence.role is Role.ROOT:
        return evidence.says in ROOTS
    return evidence.role is Role.CONFIRMATION and evidence.says in {"native_crash", "checkpoint_broken"}


ROOTS = frozenset(
    [
        "exception",
        "gpu_oom",
        "cuda_error",
        "nccl_error",
        "rendezvous",
        "host_memory_refused",
        "worker_killed",
        "native_crash",
        "nan_loss",
        "command_not_found",
        "launch_refused",
        "asset_refused",
        "data_refused",
        "checkpoint_broken",
        "usage",
        "hardware_text",
    ]
)

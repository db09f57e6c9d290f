"""Which rank failed first: one, or an honest tie."""

from __future__ import annotations

from datetime import datetime, timezone

from gpualert_slurm.classifier.failure import SIGTERM, Failure
from gpualert_slurm.classifier.numbers import numbers
from gpualert_slurm.classifier.printed import ZONE_NS, zone_unknown
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.rank import RankExit
from gpualert_slurm.verdict import FirstFailure, RankState


def apart(one: Failure, other: Failure) -> int:
    """How far apart two times must be to be in order: clocks count only between nodes."""
    if one.node == other.node and one.end is not None and other.end is not None:
        return one.end.uncertainty_ns + other.end.uncertainty_ns
    return _unsure(one) + _unsure(other)


def _unsure(failure: Failure) -> int:
    """A failure's uncertainty against others': a zone that nobody knows is the same for all."""
    shared = ZONE_NS if failure.end is None and zone_unknown(failure.evidence, failure.uncertainty_ns) else 0
    return failure.uncertainty_ns - shared


def first_failure_of(failures: tuple[Failure, ...], gpus: dict[str, str]) -> FirstFailure | None:
    """The first failing rank, or those that cannot be put in order: an honest tie within the uncertainty.

    ``gpus`` names the GPU of a rank (``node/local rank``), where a task had exactly one.
    """
    leaders = [f for f in failures if not f.follows]
    if not leaders:
        return None
    timed = [f for f in leaders if f.time_ns is not None]
    tied = leaders
    if not timed and all(f.place is not None for f in leaders):
        tied = [min(leaders, key=lambda f: f.place or 0)]  # a launcher's lines stand in the order of ends
    if timed:
        earliest = min(timed, key=lambda f: f.time_ns or 0)
        tied = [f for f in timed if (f.time_ns or 0) - (earliest.time_ns or 0) <= apart(f, earliest)]
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


def first_named(said: tuple[Evidence, ...]) -> tuple[int, ...]:
    """The tasks of srun's first line of a task that ended badly; srun's lines stand in the order of ends, and who was terminated did not begin."""
    own = [e for e in said if e.data.get("signal") != SIGTERM and isinstance(e.source, Quote)]
    first = min(own, key=lambda e: e.source.offset if isinstance(e.source, Quote) else 0, default=None)
    return tuple(numbers(str(first.data.get("tasks", "")))[:256]) if first is not None else ()


def iso(time_ns: int | None) -> str | None:
    """ISO 8601 in UTC, to the millisecond."""
    if time_ns is None:
        return None
    try:
        return datetime.fromtimestamp(time_ns / 1e9, timezone.utc).isoformat(timespec="milliseconds")
    except (OverflowError, ValueError, OSError):
        return None


def state_of(end: RankExit, followers: set[int]) -> RankState:
    """A row of the table of ranks; ``followers`` are the ``id()`` of the exit records of those that only followed."""
    words = end.words + (" (taken down with the others)" if id(end) in followers else "")
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

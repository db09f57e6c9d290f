"""Which ranks failed, and which only went down with the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.below import from_processes, ranks_below
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.failure import OWN_SIGNALS, SIGINT, SIGKILL, SIGTERM, Failure, order
from gpualert_slurm.classifier.first_failure import apart
from gpualert_slurm.classifier.telling import Telling
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit


def failures_of(
    job: JobRecord, exits: tuple[RankExit, ...], roots: tuple[Evidence, ...], texts: tuple[Evidence, ...], waits: tuple[Evidence, ...] = ()
) -> tuple[Failure, ...]:
    """The failed ranks of the step that decided the run, first failure first.

    Args:
        job: for its nodes, clocks and processes.
        exits: all exit records.
        roots: evidence that can be a root, recovered errors left out.
        texts: what launchers wrote: whole where there are no exit records, else of ranks below a task only; whom they took down.
        waits: words of ranks that lost a peer or waited for one in vain, survived ones left out.
    """
    ends = _deciding(exits)
    clocks = {r.node: r.clock_uncertainty_ns for r in job.reports}
    if ends:
        told = Telling(job, roots, texts, waits)
        known = ranks_below(job)
        found = []
        for end in ends:
            mapped = from_processes(known.get((end.node, end.step, end.local_rank), ()), end, told, clocks)
            named = told.below(end)
            seen = {f.rank for f in mapped}
            found += [*mapped, *(f for f in named if f.rank not in seen)] or [_from_exit(end, told, clocks)]
    else:
        told = Telling(job, roots, tuple(e for e in texts if not exits or e.says == "teardown"), waits)
        found = told.without_records()
    found = told.with_waits(found)
    if len(found) > 1:
        found = _told_followers(found, _ended_well(exits))
    return tuple(sorted(found, key=order))


def _ended_well(exits: tuple[RankExit, ...]) -> dict[str | None, int]:
    """By step, when a rank last ended well: until then nobody had taken the step down."""
    last: dict[str | None, int] = {}
    for end in exits:
        if end.step not in SCRIPT and end.wait_status is not None and not end.failed and end.end_time_ns is not None:
            last[end.step] = max(last.get(end.step, 0), end.end_time_ns)
    return last


def _deciding(exits: tuple[RankExit, ...]) -> list[RankExit]:
    """Failed tasks of the last srun step that failed; of the batch script only where no step did."""
    bad = [e for e in exits if e.failed]
    steps = [e for e in bad if e.step not in SCRIPT]
    if not steps:
        return [e for e in bad if e.step != "extern"]
    last = max(steps, key=lambda e: (e.end_time_ns or 0, len(e.step), e.step)).step
    return [e for e in steps if e.step == last]


def _from_exit(end: RankExit, told: Telling, clocks: dict[str, int]) -> Failure:
    root = told.root_of(end)
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


def _told_followers(found: list[Failure], well: dict[str | None, int]) -> list[Failure]:
    """Marks who only followed: taken down by a launcher, or telling of nothing but lost peers, after somebody else had failed.

    A rank that was killed while others of its step went on to a good end (``well``) was not taken down with anybody.
    """
    leaders = [f for f in found if not f.victim and (f.root is not None or (f.signal not in {None, SIGTERM, SIGKILL, SIGINT}))]
    if not leaders:
        victims = [f for f in found if f.victim]
        gave_up = min((v for v in victims if v.time_ns is not None), key=lambda v: v.time_ns or 0, default=None)
        lost = any(v.lost_connection for v in victims)
        own = [f for f in found if f.signal != SIGTERM and not f.victim and not f.taken_down and not (victims and _after(f, gave_up, lost=lost))]
        killed = own or [f for f in found if f.signal != SIGTERM]
        earliest = min((f for f in killed if f.time_ns is not None), key=lambda f: f.time_ns or 0, default=None)
        leaders = [f for f in killed if earliest is None or _first_by(f, earliest)]
    leaders += [f for f in found if f not in leaders and not f.victim and not f.taken_down and _alone(f, well)]
    if not leaders or len(leaders) == len(found):
        return found
    first = min((f for f in leaders if f.time_ns is not None), key=lambda f: f.time_ns or 0, default=None)
    marked = []
    for failure in found:
        after = failure.victim or first is None or failure.time_ns is None or failure.time_ns >= (first.time_ns or 0) - apart(failure, first)
        follows = failure not in leaders and after
        marked.append(replace(failure, follows=follows))
    return marked


def _alone(failure: Failure, well: dict[str | None, int]) -> bool:
    return failure.end is not None and failure.time_ns is not None and failure.time_ns < well.get(failure.step, 0)


def _after(failure: Failure, gave_up: Failure | None, *, lost: bool) -> bool:
    """Whether a rank that was killed went down only after the first that had waited for it: then somebody ended it for them.

    A rank that left by itself, with a code, was not taken down. Where no times tell, a broken connection (``lost``) says that the peer went first.
    """
    if failure.signal not in {SIGKILL, SIGINT}:
        return False
    if failure.time_ns is None or gave_up is None or failure.end is None:
        return not lost
    return failure.time_ns - (gave_up.time_ns or 0) > apart(failure, gave_up)


def stopped_from_outside(failures: tuple[Failure, ...], after_stop: Callable[[int | None, str | None], bool], *, cut: bool) -> tuple[Failure, ...]:
    """Marks those that ended, without a word of their own, once the run was being stopped.

    ``after_stop`` tells for a time and a node. In a run that was ``cut`` (cancelled, time limit, preempted, node lost), an ending of
    unknown time by a signal that Slurm sends counts as its doing.
    """
    marked = []
    for failure in failures:
        sent = failure.signal in {SIGTERM, SIGKILL, SIGINT} or failure.code in {128 + SIGTERM, 128 + SIGKILL, 128 + SIGINT}
        late = after_stop(failure.time_ns, failure.node) or (cut and sent and failure.time_ns is None)
        mine = not cut and (failure.signal in OWN_SIGNALS or (failure.code or 0) - 128 in OWN_SIGNALS)  # of a run that was cut: as it went down
        marked.append(replace(failure, follows=failure.follows or (failure.root is None and late and not mine)))
    return tuple(sorted(marked, key=order))


def _first_by(failure: Failure, earliest: Failure) -> bool:
    """Not surely later than the earliest."""
    return failure.time_ns is None or failure.time_ns - (earliest.time_ns or 0) <= apart(failure, earliest)

"""Which ranks failed, and which only went down with the others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.failure import SIGINT, SIGKILL, SIGTERM, Failure, order
from gpualert_slurm.classifier.first_failure import apart
from gpualert_slurm.classifier.telling import Telling
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit


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
        told = Telling(job, roots, texts)
        found = [f for e in ends for f in (told.below(e) or [_from_exit(e, told, clocks)])]
    else:
        found = Telling(job, roots, () if exits else texts).without_records()
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


def _told_followers(found: list[Failure]) -> list[Failure]:
    """Marks who only followed: taken down by a launcher, or telling of nothing but lost peers, after somebody else had failed."""
    leaders = [f for f in found if f.root is not None or (f.signal not in {None, SIGTERM, SIGKILL, SIGINT})]
    if not leaders:
        killed = [f for f in found if f.signal != SIGTERM]
        earliest = min((f for f in killed if f.time_ns is not None), key=lambda f: f.time_ns or 0, default=None)
        leaders = [f for f in killed if earliest is None or _first_by(f, earliest)]
    if not leaders or len(leaders) == len(found):
        return found
    first = min((f for f in leaders if f.time_ns is not None), key=lambda f: f.time_ns or 0, default=None)
    marked = []
    for failure in found:
        after = first is None or failure.time_ns is None or failure.time_ns >= (first.time_ns or 0) - apart(failure, first)
        follows = failure not in leaders and after
        marked.append(replace(failure, follows=follows))
    return marked


def stopped_from_outside(failures: tuple[Failure, ...], after_stop: Callable[[int | None, str | None], bool], *, cut: bool) -> tuple[Failure, ...]:
    """Marks those that ended, without a word of their own, once the run was being stopped.

    ``after_stop`` tells for a time and a node. In a run that was ``cut`` (cancelled, time limit, preempted, node lost), an ending of
    unknown time by a signal that Slurm sends counts as its doing.
    """
    marked = []
    for failure in failures:
        sent = failure.signal in {SIGTERM, SIGKILL, SIGINT} or failure.code in {128 + SIGTERM, 128 + SIGKILL, 128 + SIGINT}
        late = after_stop(failure.time_ns, failure.node) or (cut and sent and failure.time_ns is None)
        marked.append(replace(failure, follows=failure.follows or (failure.root is None and late)))
    return tuple(sorted(marked, key=order))


def _first_by(failure: Failure, earliest: Failure) -> bool:
    """Not surely later than the earliest."""
    return failure.time_ns is None or failure.time_ns - (earliest.time_ns or 0) <= apart(failure, earliest)

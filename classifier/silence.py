"""How long before its end a run fell silent: against its own rhythm, since nothing else says what is long."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.advance import Advance
from gpualert_slurm.classifier.clocks import behind
from gpualert_slurm.classifier.ending import SCRIPT, Ending
from gpualert_slurm.classifier.stepd_lines import of_slurmstepd
from gpualert_slurm.classifier.stopping import Stopping
from gpualert_slurm.evidence import Evidence, Trust
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankLog
from gpualert_slurm.series import Series

SILENT_S = 600.0
"""Silence that counts as a standstill where nothing tells the run's own rhythm (DLRover's default; NCCL's watchdog)."""
SAFETY_FACTOR = 5.0
"""Silence of so many of the run's own intervals is a standstill (nvidia-resiliency-ext, fault_tolerance)."""
MIN_SILENT_S = 300.0
"""Less may be an evaluation or a checkpoint, however fast the steps are."""
SCANT_S = 10.0
SCANT_FACTOR = 50.0
"""Before an end too early for MIN_SILENT_S: so many intervals, and longer than all the progress before it, are no evaluation."""
GAP_FACTOR = 5.0
"""Or so many of the longest pause that the run had made so far."""
AT_REST_FACTOR = 20.0
"""Of ranks whose processes are known to have slept, silence of so many intervals is enough."""
TALKING_S = 6.0
LAST_LINES = 4
LIVELY_S = 60.0
"""Progress this shortly before the end means that the run was advancing."""
ANNOUNCED_NS = 3_000_000_000
"""slurmstepd and srun say that a job is being stopped as it is: by another clock, or by as much as this before."""
OF_THE_END = {"time_limit_text", "step_cancelled", "teardown", "task_exited"}
"""What launchers write when a run is ended is no sign of its life."""


@dataclass(frozen=True)
class Silence:
    """How long before the end nobody wrote (or made progress) any more; ``cites`` show it."""

    seconds: float
    needed_s: float
    of: str
    cites: tuple[Evidence, ...]
    interval_s: float = 0.0
    """The run's own rhythm: the median time between two lines of progress."""
    scant: bool = False
    """Long by the measure of a short run alone: something else must speak for a hang as well."""
    ever: bool = True
    """False: the run never wrote anything."""
    talking: tuple[str, ...] = ()
    """Logs that were written to until shortly before the end, whatever they said."""

    @property
    def long(self) -> bool:
        """Long enough for a standstill."""
        return self.seconds >= self.needed_s

    @property
    def short(self) -> bool:
        """Short enough to call the run advancing; between the two it is not decided."""
        return not self.long and self.of == "progress" and self.seconds <= max(LIVELY_S, self.interval_s * SAFETY_FACTOR)

    @property
    def at_rest(self) -> bool:
        """Long enough for a standstill where the ranks' processes slept all the while."""
        return self.long or (self.of == "progress" and self.interval_s > 0 and self.seconds >= max(SCANT_S, AT_REST_FACTOR * self.interval_s))


def silence_of(job: JobRecord, ending: Ending, evidence: tuple[Evidence, ...], advance: Advance, stopping: Stopping) -> Silence | None:
    """The time between the last progress (else the last output) and the end, suspended time taken out; None where times are not known.

    What ranks write as they are being stopped (a lost peer, a handler's farewell) is no sign of life.
    """
    end = ending.ended_ns
    if end is None:
        return None
    late = behind(job, end)
    logs = [(r.node, log) for r in job.reports for log in r.logs]
    ours = [(n, log) for n, log in logs if log.step not in SCRIPT] or logs  # srun's last words stand in the script's log, not in its steps'
    sizes = _sizes(job)
    theirs = _ends_in_slurms_words(job)
    written = [(log.path, at + late.get(node, 0)) for node, log in ours if (at := _written(sizes, log, stopping, theirs)) is not None]
    writes = [at for _, at in written]
    heard = [e for e in evidence if e.trust is Trust.USER and e.time_ns is not None and e.says not in OF_THE_END and not e.data.get("parting")]
    times = [(e.time_ns or 0) + late.get(e.where.node or "", 0) for e in heard if not stopping.before(e.time_ns, e.where.node)]
    timed = [m for m in advance.first_hand if m.time_ns is not None]  # a bar is drawn once more as its program is taken down
    if stopping.kept_ns is not None:
        timed = [m for m in timed if (m.time_ns or 0) < stopping.kept_ns] or timed
    marks = [(m.time_ns or 0) + late.get(m.where.node or "", 0) for m in timed]
    ever = bool(marks or writes or times)
    if marks:
        last, of = max(marks), "progress"
    elif ever:
        last, of = max([*writes, *times]), "output"
    elif ending.started_ns is not None and ours and all(log.bytes_seen == 0 for _, log in ours if log.rank is not None) and not heard:
        last, of = ending.started_ns, "output"
    else:
        return None
    rhythm = advance.interval_s if of == "progress" else None
    needed = SILENT_S if rhythm is None else max(MIN_SILENT_S, SAFETY_FACTOR * rhythm)
    seconds = max(0.0, (end - last) / 1e9 - ending.suspended_s)
    scant = False
    if (rhythm or advance.longest_s) and of == "progress" and not ending.suspended_s and seconds < needed:
        each = [f for f in (SCANT_FACTOR * (rhythm or 0.0), GAP_FACTOR * (advance.longest_s or 0.0)) if f]
        enough = max(SCANT_S, min(each), (last - min(marks)) / 1e9)
        scant = seconds >= enough
        needed = enough if scant else needed
    value = f"{seconds:.0f} s before the end" if ever else f"none in {seconds:.0f} s"
    cite = citations.field("log_activity", "logs and time index of this run", "time index", f"last {of}", value, time_ns=last)
    near = end - round(max(TALKING_S, SAFETY_FACTOR * (rhythm or 0.0)) * 1e9)
    talking = tuple(path for path, at in written if at >= near)
    return Silence(seconds, needed, of, (cite, *advance.marks[-1:]) if of == "progress" else (cite,), rhythm or 0.0, scant, ever, talking)


Sizes = dict[tuple[str | None, int | None, str | None], list[Series]]
"""Samples of the logs' sizes, by node, rank and step."""


def _sizes(job: JobRecord) -> Sizes:
    found: Sizes = {}
    for one in (s for r in job.reports for s in r.series if s.name == "log_bytes"):
        found.setdefault((one.where.node, one.where.rank, one.where.step), []).append(one)
    return found


def _ends_in_slurms_words(job: JobRecord) -> set[str]:
    """Logs whose last words are slurmstepd's or srun's: when their program last wrote is not known by their last write."""
    tails = ((x.path, [line for line in x.text.splitlines()[-LAST_LINES:] if line.strip()]) for r in job.reports for x in r.excerpts)
    return {path for path, lines in tails if lines and (of_slurmstepd(lines[-1]) or lines[-1].startswith("srun: "))}


def _written(sizes: Sizes, log: RankLog, stopping: Stopping, theirs: Collection[str]) -> int | None:
    """When a log was last written to while the run lived: by its samples of size, where its last write came with the stopping."""
    last = log.last_write_ns
    if last is None or not (stopping.before(last, log.node) or (log.path in theirs and stopping.before(last + ANNOUNCED_NS, log.node))):
        return last
    mine = sizes.get((log.node, log.rank, log.step))
    if not mine:
        return None if log.path in theirs else last
    grown = [t for s in mine for t, now, then in zip(s.times_ns, s.values, (0.0, *s.values), strict=False) if t is not None and now > then]
    return max((t for t in grown if not stopping.before(t, log.node)), default=None)

"""A derived view of a JobRecord: what the modes ask for. Computed once a verdict; interprets, decides nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.advance import Advance, advance_of
from gpualert_slurm.classifier.ending import SCRIPT, Ending, ending_of
from gpualert_slurm.classifier.failing import Failure, failures_of, first_failure_of, is_root, stopped_from_outside
from gpualert_slurm.classifier.hardware import Hardware, hardware_of
from gpualert_slurm.evidence import Evidence, Quote, Role, Trust
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit
from gpualert_slurm.series import Series
from gpualert_slurm.verdict import FirstFailure, Phase

SILENT_S = 600.0
"""Silence that counts as a standstill where nothing tells the run's own rhythm (DLRover's default; NCCL's watchdog)."""
SAFETY_FACTOR = 5.0
"""Silence of so many of the run's own intervals is a standstill (nvidia-resiliency-ext, fault_tolerance)."""
MIN_SILENT_S = 300.0
"""Less may be an evaluation or a checkpoint, however fast the steps are."""
LIVELY_S = 60.0
"""Progress this shortly before the end means that the run was advancing."""
CUT = {"TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL", "DEADLINE"}
"""States of a run that was stopped from outside."""
LAST_SECOND_NS = 1_000_000_000
"""Slurm's end of a job is a whole second: what happened in it cannot be put before or after the stopping."""


@dataclass(frozen=True)
class Silence:
    """How long before the end nobody wrote (or made progress) any more; ``cites`` show it."""

    seconds: float
    needed_s: float
    of: str
    cites: tuple[Evidence, ...]
    interval_s: float = 0.0
    """The run's own rhythm: the median time between two lines of progress."""

    @property
    def long(self) -> bool:
        """Long enough for a standstill."""
        return self.seconds >= self.needed_s

    @property
    def short(self) -> bool:
        """Short enough to call the run advancing; between the two it is not decided."""
        return self.of == "progress" and self.seconds <= max(LIVELY_S, self.interval_s * SAFETY_FACTOR)


class Facts:
    """One run, seen through the questions of the ladder."""

    def __init__(self, job: JobRecord) -> None:
        self.job = job
        self.row = job.accounting[-1] if job.accounting else None
        reports = sorted(job.reports, key=lambda r: r.node)
        exits = [e for r in reports for e in r.exits]
        self.exits: tuple[RankExit, ...] = tuple(sorted(exits, key=lambda e: (e.end_time_ns or 0, e.node, e.step, e.local_rank)))
        self.series: tuple[Series, ...] = tuple(s for r in reports for s in r.series)
        self.in_steps = any(e.step not in SCRIPT for e in self.exits) or any(
            log.step not in SCRIPT and log.step != "run" for r in job.reports for log in r.logs
        )

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence of all reports, in order of time (where known) and place; what a batch script's log repeats of its steps is nobody's."""
        found = [self._owned(e) for r in self.job.reports for e in r.evidence]
        return tuple(sorted(found, key=_order))

    def _owned(self, said: Evidence) -> Evidence:
        where = said.where
        if said.trust is Trust.USER and self.in_steps and where.step in SCRIPT and where.rank is not None:
            where = where.model_copy(update={"rank": None, "local_rank": None})
        if where.rank is not None and where.node is None:
            homes = {e.node for e in self.exits if e.rank == where.rank and e.step not in SCRIPT} or set(
                self.job.nodes if len(self.job.nodes) == 1 else ()
            )
            if len(homes) == 1:
                where = where.model_copy(update={"node": homes.pop()})
        return said if where is said.where else said.model_copy(update={"where": where})

    def said(self, *words: str) -> tuple[Evidence, ...]:
        """All evidence that says one of ``words``, in order."""
        return tuple(e for e in self.evidence if e.says in words)

    @cached_property
    def has_logs(self) -> bool:
        """Whether any of the job's output was read."""
        return (
            any(e.trust is Trust.USER for e in self.evidence)
            or any(log.bytes_seen or log.bytes_kept for r in self.job.reports for log in r.logs)
            or any(r.excerpts or r.series for r in self.job.reports)
        )

    @cached_property
    def ending(self) -> Ending:
        """Question 1: the disposition."""
        return ending_of(self.job, self.exits, self.evidence)

    @cached_property
    def ended_well(self) -> bool:
        """Slurm's success, and no rank of the last step failed; outside Slurm and without any status: the program's own end."""
        if self.ending.state:
            return self.ending.well and not self.failures
        return bool(self.advance.end_marks) and not self._live_roots

    @cached_property
    def advance(self) -> Advance:
        """How far the run got."""
        return advance_of(self.evidence, self.series)

    @cached_property
    def _exit_by_rank(self) -> dict[tuple[str | None, int], RankExit]:
        return {(e.step, e.rank): e for e in self.exits if e.rank is not None}

    @cached_property
    def recovered(self) -> tuple[Evidence, ...]:
        """Errors after which the same writer went on, or whose rank ended well."""
        return tuple(e for e in self.evidence if is_root(e) and self._survived(e))

    @cached_property
    def _live_roots(self) -> tuple[Evidence, ...]:
        stop = self.stop_ns
        alive = [e for e in self.evidence if is_root(e) and not self._survived(e)]
        return tuple(e for e in alive if stop is None or e.time_ns is None or e.time_ns < stop)

    def _survived(self, error: Evidence) -> bool:
        if self.advance.after(error) is not None:
            return True
        where = error.where
        if where.rank is not None and where.step is not None:
            end = self._exit_by_rank.get((where.step, where.rank))
            if end is not None and end.wait_status is not None and not end.failed:
                return True
        if self.ending.well:
            return not any(e.failed for e in self.exits)
        return False

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """The failed ranks of the deciding step, first failure first; those that only followed come last."""
        exits = self.exits
        if self.ending.well:  # a step that failed before a later one succeeded did not decide the run
            ok = [e.end_time_ns or 0 for e in exits if e.step not in SCRIPT and e.wait_status is not None and not e.failed]
            exits = tuple(e for e in exits if not e.failed or (e.end_time_ns or 0) > max(ok, default=0) or self._same_step_ok(e))
        if not exits and self.ending.well:
            return ()
        texts = self.said("failure_summary") if self.exits else self.said("task_exited", "failure_summary")
        roots = self._live_roots if not self.ending.well or self.exits else ()
        found = failures_of(self.job, exits, roots, texts)
        return stopped_from_outside(found, self.stop_ns, cut=self.ending.state in CUT)

    @cached_property
    def stop_ns(self) -> int | None:
        """When the run began to be stopped from outside: what is said or dies after it follows from that."""
        words = ("time_limit_text", "step_cancelled", "preempted_text")
        times = [e.time_ns for e in self.evidence if e.says in words and e.role is not Role.MARKER and e.time_ns is not None]
        if self.row is not None:
            times += [s.end_ns - LAST_SECOND_NS for s in self.row.steps if s.state in CUT and s.end_ns is not None]
        if self.ending.state == "TIMEOUT" and self.ending.started_ns is not None and self.ending.limit_s:
            times.append(self.ending.started_ns + self.ending.limit_s * 10**9)
        if self.ending.state in CUT and self.ending.ended_ns is not None:
            times.append(self.ending.ended_ns - LAST_SECOND_NS)
        return min(times, default=None)

    def _same_step_ok(self, end: RankExit) -> bool:
        """Whether the ranks that ended well are of the failed rank's own step."""
        later = [e for e in self.exits if e.step not in SCRIPT and not e.failed and (e.end_time_ns or 0) > (end.end_time_ns or 0)]
        return all(e.step == end.step for e in later)

    @cached_property
    def first(self) -> Failure | None:
        """The first failing rank's failure."""
        return next((f for f in self.failures if not f.follows), None)

    @cached_property
    def first_failure(self) -> FirstFailure | None:
        """The first failing rank as the verdict names it, ties and all."""
        return first_failure_of(self.failures, self._gpus_of_tasks)

    @cached_property
    def _gpus_of_tasks(self) -> dict[str, str]:
        """Which GPU a task had, where the node ran one task of the step on one GPU: more is not known."""
        found: dict[str, str] = {}
        for report in self.job.reports:
            gpus = {g.uuid for g in (*report.gpus_before, *report.gpus_after)}
            tasks = {e.local_rank for e in report.exits if e.step not in SCRIPT}
            if len(gpus) == 1 and len(tasks) == 1:
                found[f"{report.node}/{tasks.pop()}"] = gpus.pop()
        return found

    @cached_property
    def error(self) -> Evidence | None:
        """What the first failing rank said before it went; else the first root nobody survived."""
        first = self.first
        if first is not None and first.root is not None:
            return first.root
        if self.ended_well:
            return None
        if first is not None and first.signal not in {None, 0}:
            loose = [e for e in self._live_roots if e.where.rank is None]
            return self._best([e for e in loose if not e.data.get("bare")])
        owners = {f.rank for f in self.failures} if self.failures else None
        candidates = [e for e in self._live_roots if owners is None or e.where.rank is None or e.where.rank in owners or not self.exits]
        return self._best(candidates) or self._lost_peer(owners)

    def _lost_peer(self, owners: set[int | None] | None) -> Evidence | None:
        """Where nobody says anything else: the first word of a lost peer or connection that nobody survived."""
        stop = self.stop_ns
        lost = [e for e in self.evidence if e.says == "exception" and e.role is Role.CASCADE and e.detail != "interrupted" and not self._survived(e)]
        lost = [e for e in lost if stop is None or e.time_ns is None or e.time_ns < stop]
        return next((e for e in lost if owners is None or e.where.rank is None or e.where.rank in owners), None)

    def _best(self, candidates: list[Evidence]) -> Evidence | None:
        """A whole traceback before a bare line; in a log of several writers the first, in one's own the last."""
        for group in (
            [e for e in candidates if e.says == "exception" and not e.data.get("bare")],
            [e for e in candidates if not e.data.get("bare")],
            candidates,
        ):
            if group:
                return group[-1] if group[0].where.rank is not None and len({e.where.rank for e in group}) == 1 else group[0]
        return None

    @cached_property
    def hardware(self) -> Hardware:
        """Question 3: what the machine said."""
        times = [f.time_ns for f in self.failures if f.time_ns is not None]
        return hardware_of(self.job, self.ending, min(times, default=None), self.evidence)

    @cached_property
    def phase(self) -> Phase:
        """How far the run had got when it ended."""
        launched = self.exits or self.has_logs or (self.row is not None and self.row.steps)
        if self.row is not None and self.row.start_ns is None and not launched:
            return Phase.BEFORE_LAUNCH
        error = self.error
        if error is not None and error.says == "launch_refused" and not self.advance.seen:
            return (
                Phase.BEFORE_LAUNCH if error.detail in {"launcher_refused", "output_path", "program_not_found", "program_not_run"} else Phase.STARTUP
            )
        if not self.has_logs:
            return Phase.UNKNOWN
        if self.advance.end_marks or (self.advance.reached_end and self.ended_well):
            return Phase.AFTER_END
        return Phase.TRAINING if self.advance.seen else Phase.STARTUP

    @cached_property
    def silence(self) -> Silence | None:
        """The time between the last sign of life and the end; None where times are not known."""
        end = self.ending.ended_ns
        if end is None:
            return None
        writes = [log.last_write_ns for r in self.job.reports for log in r.logs if log.last_write_ns is not None]
        times = [
            e.time_ns
            for e in self.evidence
            if e.trust is Trust.USER and e.time_ns is not None and e.says not in {"time_limit_text", "step_cancelled", "teardown", "task_exited"}
        ]
        last_progress = self.advance.last_ns
        if last_progress is not None:
            last, of = last_progress, "progress"
        elif writes or times:
            last, of = max([*writes, *times]), "output"
        else:
            return None
        rhythm = self.advance.interval_s if of == "progress" else None
        needed = SILENT_S if rhythm is None else max(MIN_SILENT_S, SAFETY_FACTOR * rhythm)
        seconds = max(0.0, (end - last) / 1e9 - self.ending.suspended_s)
        value = f"{seconds:.0f} s before the end"
        cite = citations.field("log_activity", "logs and time index of this run", "time index", f"last {of}", value, time_ns=last)
        return Silence(seconds, needed, of, (cite, *self.advance.marks[-1:]) if of == "progress" else (cite,), rhythm or 0.0)

    @cached_property
    def ranks_total(self) -> int:
        """Tasks of the largest srun step, else of the accounting row, else one."""
        steps: dict[str, int] = {}
        for end in self.exits:
            if end.step not in SCRIPT:
                steps[end.step] = steps.get(end.step, 0) + 1
        told = [s.ntasks or 0 for s in self.row.steps if s.step not in SCRIPT] if self.row else []
        return max([*steps.values(), *told, 1])

    @cached_property
    def blast_radius(self) -> str | None:
        """How many ranks failed, of how many, on how many nodes; and who only followed."""
        if not self.failures:
            return None
        own = [f for f in self.failures if not f.follows]
        nodes = {f.node for f in own if f.node}
        words = f"{len(own)} of {max(self.ranks_total, len(own))} ranks"
        if nodes:
            words += f" on {len(nodes)} node" + ("s" if len(nodes) != 1 else "")
        follow = len(self.failures) - len(own)
        return words + (f"; {follow} more went down with them" if follow else "")

    @cached_property
    def gpu_count(self) -> int | None:
        """GPUs the job held: from TRES, else as many as were seen."""
        if self.row is not None and self.row.tres_alloc:
            found = re.search(r"(?:^|,)gres/gpu=(\d{1,6})", self.row.tres_alloc)
            if found:
                return int(found[1])
        return len(self.hardware.gpus) or None

    @cached_property
    def oom_kills(self) -> tuple[Evidence, ...]:
        """Cgroup records with an oom kill, and the kernel's own lines: SYSTEM."""
        cites = []
        for end in self.exits:
            if end.memory is not None and end.memory.oom_kill_events:
                cite = citations.cgroup(end)
                if cite is not None:
                    cites.append(cite)
        kernel = tuple(e for e in self.hardware.kernel_oom if e.role is Role.ROOT) or self.hardware.kernel_oom
        return tuple({c.source.value if hasattr(c.source, "value") else c.id: c for c in cites}.values()) + kernel

    def cite_end(self) -> tuple[Evidence, ...]:
        """What says how the run ended."""
        return self.ending.evidence

    def cite_failures(self, most: int = 4) -> tuple[Evidence, ...]:
        """Exit records (or srun's lines) of the ranks that failed on their own."""
        return tuple(f.evidence for f in self.failures if not f.follows)[:most]


def _order(said: Evidence) -> tuple[int, str, int, str]:
    """By time, then by place in its file: independent of the order in which reports came."""
    place = (said.source.file, said.source.offset) if isinstance(said.source, Quote) else ("", 0)
    return (said.time_ns or 0, *place, said.id)

"""A derived view of a JobRecord: what the modes ask for. Computed once a verdict; interprets, decides nothing."""

from __future__ import annotations

import re
from functools import cached_property

from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.activity import WHOLE, Activity, at_once, cards_of
from gpualert_slurm.classifier.admitted import admitted
from gpualert_slurm.classifier.advance import Advance, advance_of
from gpualert_slurm.classifier.below import names_below
from gpualert_slurm.classifier.crew import told_ranks
from gpualert_slurm.classifier.ending import SCRIPT, Ending, ending_of
from gpualert_slurm.classifier.episode import Episode
from gpualert_slurm.classifier.failing import failures_of, stopped_from_outside
from gpualert_slurm.classifier.failure import Failure, is_root
from gpualert_slurm.classifier.first_failure import first_failure_of, first_named
from gpualert_slurm.classifier.hardware import Hardware, hardware_of
from gpualert_slurm.classifier.last_words import error_of, of_host
from gpualert_slurm.classifier.measures import Measured, measured
from gpualert_slurm.classifier.ordering import by_end, by_place
from gpualert_slurm.classifier.outlived import outlived
from gpualert_slurm.classifier.parents import Parent, parent_of
from gpualert_slurm.classifier.patience import patience_of
from gpualert_slurm.classifier.set_aside import set_aside, still_told
from gpualert_slurm.classifier.shrugged import shrugged
from gpualert_slurm.classifier.silence import Silence, silence_of
from gpualert_slurm.classifier.stand import Stand, stand_of
from gpualert_slurm.classifier.stopping import CUT, Stopping
from gpualert_slurm.classifier.strangers import Stranger, strangers_of
from gpualert_slurm.classifier.underway import underway
from gpualert_slurm.classifier.waiting import Waiting, waiting_of
from gpualert_slurm.evidence import Evidence, Role, Trust
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit
from gpualert_slurm.series import Series
from gpualert_slurm.verdict import FirstFailure, Phase

OUTPUT_REFUSED = 53
"""ESLURMD_IO_ERROR & 127, as sacct prints it behind the colon when --output cannot be opened (Slurm 22.05 to 26.05)."""


class Facts:
    """One run, seen through the questions of the ladder."""

    def __init__(self, record: JobRecord) -> None:
        job = admitted(record)
        self.job = job
        self.row = job.accounting[-1] if job.accounting else None
        reports = sorted(job.reports, key=lambda r: r.node)
        exits = [e for r in reports for e in r.exits]
        self.exits: tuple[RankExit, ...] = tuple(sorted(exits, key=by_end))
        self.series: tuple[Series, ...] = tuple(s for r in reports for s in r.series)
        self.in_steps = any(e.step not in SCRIPT for e in self.exits) or any(
            log.step not in SCRIPT and log.step != "run" for r in job.reports for log in r.logs
        )

    @cached_property
    def evidence(self) -> tuple[Evidence, ...]:
        """All evidence of all reports, in order of time (where known) and place; what a batch script's log repeats of its steps is nobody's."""
        found = [self._owned(e) for r in self.job.reports for e in r.evidence]
        return tuple(sorted(found, key=by_place))

    @cached_property
    def measured(self) -> Measured | None:
        """What the run counts by and what it measures, by how its numbers behave."""
        return measured(self.job)

    @property
    def advanced(self) -> bool:
        """Whether the run made any progress, by words that are known or by how its numbers behave."""
        return self.advance.seen or self.measured is not None

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
        if len(words) == 1:
            return self._by_word.get(words[0], ())
        return tuple(e for e in self.evidence if e.says in words) if any(word in self._by_word for word in words) else ()

    @cached_property
    def _by_word(self) -> dict[str, tuple[Evidence, ...]]:
        found: dict[str, list[Evidence]] = {}
        for e in self.evidence:
            found.setdefault(e.says, []).append(e)
        return {word: tuple(those) for word, those in found.items()}

    @cached_property
    def has_logs(self) -> bool:
        """Whether the job's output is known, be it that nothing was written."""
        logs = [log for r in self.job.reports for log in r.logs]
        if any(log.bytes_seen is not None or log.bytes_kept is not None for log in logs):
            return True
        return any(e.trust is Trust.USER for e in self.evidence) or any(r.excerpts for r in self.job.reports)

    @cached_property
    def wrote(self) -> bool:
        """Whether the job wrote anything that is known."""
        seen = any(log.bytes_seen or log.bytes_kept for r in self.job.reports for log in r.logs)
        return seen or any(e.trust is Trust.USER for e in self.evidence) or any(r.excerpts for r in self.job.reports)

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
        alive = [e for e in self.evidence if is_root(e) and e.id not in self.patience and not self._survived(e)]
        return tuple(e for e in alive if not self.after_stop(e.time_ns, e.where.node))

    def _survived(self, error: Evidence) -> bool:
        if error.says != "worker_killed" and self.advance.after(error) is not None:  # batches that lie ready are used up after a loader's death
            return True
        where = error.where
        if where.rank is not None and where.step is not None:
            end = self._exit_by_rank.get((where.step, where.rank))
            if end is not None and end.wait_status is not None and not end.failed:
                return True
        return self.ending.well and not self._any_failed

    @cached_property
    def _any_failed(self) -> bool:
        aside = set(map(id, self.set_aside))
        return any(e.failed and id(e) not in aside for e in self.exits)

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """The failed ranks of the deciding step, first failure first; those that only followed come last."""
        exits = self.exits
        if self.ending.well:  # a step that failed before a later one succeeded did not decide the run
            ok = [e.end_time_ns or 0 for e in exits if e.step not in SCRIPT and e.wait_status is not None and not e.failed]
            aside = set(map(id, self.set_aside))
            exits = tuple(e for e in exits if not e.failed or (e.end_time_ns or 0) > max(ok, default=0) or self._same_step_ok(e))
            exits = tuple(e for e in exits if id(e) not in aside)
        if not exits and self.ending.well:
            return ()
        texts = self.said("failure_summary", "teardown") if self.exits else self.said("task_exited", "failure_summary", "teardown")
        roots = self._live_roots if not self.ending.well or self.exits else ()
        roots = still_told(roots, self.exits, self.advance.marks) if self.ending.well else roots
        found = failures_of(self.job, exits, roots, texts, self.waits)
        return stopped_from_outside(found, self.after_stop, cut=self.ending.state in CUT)

    @cached_property
    def set_aside(self) -> tuple[RankExit, ...]:
        """Failed tasks of a run that Slurm calls a success, which did not spoil it."""
        if self.ending.known_by != "accounting" or not self.ending.well:
            return ()
        return (*set_aside(self.exits, self.row, self.advance.marks), *shrugged(self.job, self.exits, self.advance.marks))

    @cached_property
    def waits(self) -> tuple[Evidence, ...]:
        """Words of ranks that lost a peer or waited for one in vain, and did not survive it: who says so is a victim."""
        said = [e for e in self.said("exception", "nccl_error") if e.role is Role.CASCADE and e.detail != "interrupted"]
        own = [e.model_copy(update={"role": Role.CASCADE, "detail": "collective_timeout"}) for e in self.said("exception") if e.id in self.patience]
        return tuple(e for e in (*said, *self.said("collective_timeout"), *own) if not self._survived(e))

    @cached_property
    def patience(self) -> frozenset[str]:
        """Exceptions (by id) that ended a rank's wait for the others in the program's own words."""
        return patience_of(self.said("exception"), self.advance, self.ending.started_ns, alone=self.ranks_total < 2)

    @cached_property
    def stopping(self) -> Stopping:
        """When the run began to be stopped from outside."""
        return Stopping(self.job, self.ending, self.exits, self.evidence)

    def after_stop(self, time_ns: int | None, node: str | None) -> bool:
        """Surely after the run began to be stopped; clocks count only between nodes."""
        return self.stopping.before(time_ns, node)

    def survived(self, error: Evidence) -> bool:
        """Whether its writer, or the run, went on after ``error``."""
        return self._survived(error)

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
        found = first_failure_of(self.failures, self._gpus_of_tasks)
        if found is not None and not found.ranks and self.first is not None and self.first.step == "batch":
            named = first_named(self.said("task_exited"))
            if named or self.ranks_total == 1:  # a program that the batch script runs itself is the job's only rank
                return found.model_copy(update={"ranks": named or (0,)})
        return found

    @cached_property
    def _gpus_of_tasks(self) -> dict[str, str]:
        """Which GPU a rank had: the one that its process had opened; else the node's, where it ran one task of the step on one GPU."""
        found: dict[str, str] = {}
        for one in self.processes:
            if len(one.gpu_uuids) == 1 and one.rank is not None and one.local_rank is not None:
                found.setdefault(f"{one.node}/{one.local_rank}", one.gpu_uuids[0])
        for report in self.job.reports:
            gpus = {g.uuid for g in (*report.gpus_before, *report.gpus_after)}
            tasks = {e.local_rank for e in report.exits if e.step not in SCRIPT}
            if len(gpus) == 1 and len(tasks) == 1:
                found.setdefault(f"{report.node}/{tasks.pop()}", gpus.pop())
        return found

    @cached_property
    def error(self) -> Evidence | None:
        """What the first failing rank said before it went; else the first root nobody survived."""
        return of_host(error_of(self, self._live_roots), gpus=bool(self.gpu_count))

    def others_went_on(self, error: Evidence | None) -> bool:
        """Whether all progress was others' and began after ``error``: its rank had made none, and nobody waited for it."""
        marks = [m for m in self.advance.marks if m.where.rank is not None or m.where.step not in SCRIPT]  # the script's log repeats its steps'
        if not marks or error is None or error.where.rank is None or error.time_ns is None:
            return False
        if any(m.where.rank in {None, error.where.rank} for m in marks):
            return False
        return all(m.time_ns is not None and m.time_ns - (m.uncertainty_ns or 0) > error.time_ns + (error.uncertainty_ns or 0) for m in marks)

    @cached_property
    def strangers(self) -> tuple[Stranger, ...]:
        """Processes on the job's GPUs that are not the job's."""
        return strangers_of(self.job, self.series)

    @cached_property
    def hardware(self) -> Hardware:
        """Question 3: what the machine said."""
        return hardware_of(self.job, self.ending, self.episode, self.evidence)

    @cached_property
    def episode(self) -> Episode:
        """Question 2: the terminal episode."""
        times = [f.time_ns for f in self.failures if f.time_ns is not None and not f.follows]
        return Episode(min(times, default=None), self.advance.last_ns, self.ending.ended_ns, self.advance.interval_s or 0.0)

    @cached_property
    def activity(self) -> Activity:
        """What the GPUs did, over the time of progress and after it."""
        times = [m.time_ns for m in self.advance.marks if m.time_ns is not None]
        work = (min(times), max(times)) if times and not at_once(times) else WHOLE
        recent = (self._late_ns, None)
        return Activity(cards_of(self.job, self.series, self._gpus_of_tasks), work, recent)

    @cached_property
    def _late_ns(self) -> int | None:
        """The middle of the time from the last sign of life to the end: what a run did before it stood still reaches into its silence."""
        last, end, silence = self.advance.last_ns, self.ending.ended_ns, self.silence
        if last is None and end is not None and silence is not None:
            last = end - round(silence.seconds * 1e9)
        return last + (end - last) // 2 if last is not None and end is not None and end > last else last

    @cached_property
    def stand(self) -> Stand:
        """Question 4: where the ranks stood when the run stood still."""
        return stand_of(self.job, self.activity, self.evidence, self.exits, self.waiting.absent)

    @cached_property
    def waiting(self) -> Waiting:
        """Who waited for the others in vain, and who stayed away."""
        return waiting_of(self.waits, self.failures, self.exits, self.ranks_named)

    @cached_property
    def parent(self) -> Parent | None:
        """The run this one should have gone on from."""
        return parent_of(self.job, self.row)

    @cached_property
    def processes(self) -> tuple[Process, ...]:
        """The job's processes on all nodes, as the process maps last saw them."""
        return tuple(p for r in self.job.reports for p in r.processes)

    @cached_property
    def phase(self) -> Phase:
        """How far the run had got when it ended."""
        launched = self.exits or self.has_logs or (self.row is not None and self.row.steps)
        if self.row is not None and self.row.start_ns is None and not launched:
            return Phase.BEFORE_LAUNCH
        if self.row is not None and self.ending.state == "FAILED" and self.ending.exit_signal == OUTPUT_REFUSED and not self.wrote:
            return Phase.BEFORE_LAUNCH
        error = self.error
        if error is not None and error.says == "launch_refused" and not self.advance.seen:
            return (
                Phase.BEFORE_LAUNCH if error.detail in {"launcher_refused", "output_path", "program_not_found", "program_not_run"} else Phase.STARTUP
            )
        if not self.wrote:
            return Phase.UNKNOWN
        if self.advance.end_marks or (self.advance.reached_end and self.ended_well):
            return Phase.AFTER_END
        return Phase.TRAINING if self.advance.seen or underway(error) else Phase.STARTUP

    @cached_property
    def silence(self) -> Silence | None:
        """The time between the last sign of life and the end; None where times are not known."""
        return silence_of(self.job, self.ending, self.evidence, self.advance, self.stopping)

    @cached_property
    def ranks_total(self) -> int:
        """Tasks of the largest srun step, else of the accounting row; ranks below launchers, where more of them are known; else one."""
        steps: dict[str, int] = {}
        for end in self.exits:
            if end.step not in SCRIPT:
                steps[end.step] = steps.get(end.step, 0) + 1
        told = [s.ntasks or 0 for s in self.row.steps if s.step not in SCRIPT] if self.row else []
        ended = {(e.where.node, pid) for e in self.said("teardown") if (pid := e.data.get("pid"))}  # by torchrun: a process is a rank
        return max([*steps.values(), *told, len(self.ranks_named), len(ended), 1])

    @cached_property
    def crew(self) -> int:
        """The same, or as many as the logs themselves tell of, where one task is all that is known: for runs that stood still."""
        if self.ranks_total > 1:
            return self.ranks_total
        return max(told_ranks(self.job), 2 if outlived(self.job, self.ending, self.said("exception"), self.silence) else 1)

    @cached_property
    def ranks_known(self) -> bool:
        """Whether anything says how many ranks there were: a bare log does not."""
        return bool(self.exits or self.ranks_named or (self.row is not None and any(s.ntasks for s in self.row.steps)))

    @cached_property
    def ranks_named(self) -> tuple[int, ...]:
        """Ranks below launchers that are known by name."""
        return names_below(self.job, self.said("failure_summary"))

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
        if self.row is not None and (found := re.search(r"(?:^|,)gres/gpu=(\d{1,6})", self.row.tres_alloc or "")):
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

"""One pass over everything: take in, ask Slurm, decide, judge, hand to the outbox. Called again and again, or once.

Every step leaves its result durably in the history or the outbox before it lets go of what it came from, so a pass that
is cut off anywhere is continued by the next one.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from gpualert_slurm.accounting import AccountingRecord, NodeEvent
from gpualert_slurm.config import Daemon as Settings
from gpualert_slurm.epilog.attempts import Try, attempts
from gpualert_slurm.epilog.history.run import Run, RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.progress import Known, Progress, Stage, is_over, progress
from gpualert_slurm.epilog.slurm_text import words
from gpualert_slurm.programs.gpualertd.bounded import StoppingError, SuspectError
from gpualert_slurm.programs.gpualertd.diagnosis import Around, Diagnosis
from gpualert_slurm.programs.gpualertd.dispatch import Dispatch
from gpualert_slurm.programs.gpualertd.intake import Intake
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.reconcile import Reconciler
from gpualert_slurm.programs.gpualertd.slurm_view import SlurmView
from gpualert_slurm.programs.gpualertd.systemd import tell

log = logging.getLogger(__name__)

DAY_NS = 86_400 * 1_000_000_000
FORGET_EVERY_S = 3600.0
LONGEST_PAUSE_S = 600.0
LONGEST_FAILING_S = 30.0
JUDGED_TOGETHER = 16
"""Verdicts that become durable at once; a daemon that is killed before judges them again. Their mails come next, composed by the
child that has just read their reports."""
NO_ROWS: list[AccountingRecord] = []


@dataclass(frozen=True)
class Parts:
    """What the loop joins."""

    intake: Intake
    view: SlurmView
    diagnosis: Diagnosis
    dispatch: Dispatch
    reconciler: Reconciler


@dataclass(frozen=True)
class Standing:
    """A run as the last look found it."""

    run: Run
    tries: tuple[Try, ...]
    progress: Progress


class Loop:
    """The daemon's work, without its waiting and its signals."""

    def __init__(self, settings: Settings, history: History, parts: Parts, stopping: Callable[[], bool]) -> None:
        self._settings = settings
        self._history = history
        self._parts = parts
        self._stopping = stopping
        self._said: dict[int, str] = {}
        self._tries: dict[int, tuple[object, tuple[Try, ...]]] = {}
        self._later: dict[int, tuple[float, float]] = {}
        self._forgot_at = -FORGET_EVERY_S
        self._missing: set[str] = set()
        self._suspects: dict[int, int] = {}
        self.modes: Counter[str] = Counter()
        """Runs judged so far, by their mode."""
        self.suspected = 0
        """Runs that were put off to be judged alone."""
        self.open_runs: dict[str, int] = {}
        """Runs that are not done, by state, as the last pass found them."""
        self.pass_s = self.passed_at = 0.0
        """How long the last pass took; when the last good one ended, seconds since the epoch."""
        self.hot: set[int] = set()
        """Runs that are over, or seem so, and are not judged yet."""

    def run_until(self, stop: threading.Event) -> None:
        """Pass after pass, ``poll_interval_s`` apart (failing ones further), until ``stop`` is set."""
        pause_s = self._settings.poll_interval_s
        while not stop.is_set():
            tell("WATCHDOG=1")
            pause_s = self._settings.poll_interval_s if self.once() else min(LONGEST_FAILING_S, 2 * max(pause_s, 0.5))
            stop.wait(pause_s)

    def once(self) -> bool:
        """One pass; False when it failed, which is logged: the daemon does not die of one job, a full disk or a mistake of ours."""
        begun = time.monotonic()
        try:
            self._pass()
            self.passed_at = time.time()
        except StoppingError:
            return True
        except Exception:
            log.exception(line("pass_failed"))
            return False
        finally:
            self.pass_s = time.monotonic() - begun
        return True

    def _pass(self) -> None:
        taken = self._parts.intake.take_in()
        for _, added in taken:
            self._tries.pop(added.run.id, None)
        touched = {added.run.id for is_report, added in taken if is_report}  # which means that the job is ending
        if not self._parts.intake.unread:  # what lies there may be the note of any job
            self._parts.reconciler.step()
        runs = self._history.runs(RunState.COLLECTING)
        view = self._parts.view
        self.hot = (self.hot | touched) & {run.id for run in runs}
        asked = view.refresh(runs, self.hot, self._missing)
        if self._stopping():
            return  # an answer that was cut off by our own end is no answer
        with self._history.together():
            standings = [self._look(run) for run in runs if run.id in asked or run.id in self.hot]
        self.hot = {s.run.id for s in standings if s.progress.stage is not Stage.RUNNING}
        self._missing = {node for s in standings if s.progress.stage is Stage.ENDING for node in s.progress.missing}
        ready = [s for s in standings if s.progress.stage is Stage.READY and self._may_be_judged(s.run)]
        self._suspects = {run_id: tries for run_id, tries in self._suspects.items() if run_id in self.hot}
        if first := [s for s in ready if s.run.id not in self._suspects]:
            self._judge(first)
        self._parts.dispatch.judged()
        if suspects := [s for s in ready if s.run.id in self._suspects]:
            self._judge(sorted(suspects, key=lambda s: self._suspects[s.run.id])[:1], alone=True)
            self._parts.dispatch.judged()
        self._parts.dispatch.composed()
        self.open_runs = self._history.open_runs()
        self._forget_old()

    def _look(self, run: Run) -> Standing:
        rows = self._parts.view.rows.get(run.id, NO_ROWS)
        cached = self._tries.get(run.id)
        if cached is not None and cached[0] is rows:
            tries = cached[1]
        else:
            heads = self._history.heads(run.id)
            tries = attempts(heads.notes, heads.reports, rows)
            self._tries[run.id] = (rows, tries)
        known = self._known(run)
        newest = tries[-1]
        over = is_over(newest.row) or (bool(newest.reports) and (newest.row is None or newest.row.state != "REQUEUED"))
        if over != (run.ended_seen_ns is not None):
            known = replace(known, ended_seen_ns=known.now_ns if over else None)
            self._history.mark_ended(run.id, known.ended_seen_ns)
        found = progress(tries, known)
        said = f"{found.stage.value} {found.why}"
        if self._said.get(run.id) != said:
            self._said[run.id] = said
            log.info(line(found.stage.value, job=run.label, why=found.why))
        return Standing(run, tries, found)

    def _known(self, run: Run) -> Known:
        view = self._parts.view
        return Known(
            now_ns=time.time_ns(), first_seen_ns=run.first_seen_ns, ended_seen_ns=run.ended_seen_ns,
            report_deadline_s=self._settings.report_deadline_s, accounting_deadline_s=self._settings.accounting_deadline_s,
            unfinished=view.unfinished if run.job_id in view.asked_controller else None, records_error=view.records_error,
            node_states=view.node_states, unread=self._parts.intake.unread,
        )

    def _may_be_judged(self, run: Run) -> bool:
        """Whether slurmctld was asked about this run (a requeue shows there first) or does not answer, and no failure delays it."""
        view = self._parts.view
        asked = view.controller_error is not None or (view.unfinished is not None and run.job_id in view.asked_controller)
        return asked and time.monotonic() >= self._later.get(run.id, (0.0, 0.0))[1]

    def _judge(self, ready: list[Standing], *, alone: bool = False) -> None:
        view = self._parts.view
        nodes = sorted({name for s in ready for t in s.tries for name in _nodes(t)})
        states, events, unanswered = view.around([s.run for s in ready], nodes, min(s.run.started_ns for s in ready))
        state_of, events_of = {s.node: s for s in states}, defaultdict[str, list[NodeEvent]](list)
        for event in events:
            events_of[event.node].append(event)

        def around(standing: Standing) -> Around:
            mine = sorted({name for t in standing.tries for name in _nodes(t)})
            return Around(tuple(state_of[n] for n in mine if n in state_of), tuple(e for n in mine for e in events_of.get(n, ())),
                          (*standing.progress.gaps, *unanswered))

        waiting = iter(ready)
        while batch := list(islice(waiting, JUDGED_TOGETHER)):
            with self._history.together():  # a disk syncs once for all of them
                done = [s.run.id for s in batch if self._judge_one(s, around(s), alone=alone)]
            self._parts.dispatch.judged(done, crowd=len(ready))
            for run_id in done:
                for memory in (self._said, self._tries, self._later, self._suspects):
                    memory.pop(run_id, None)
                self.hot.discard(run_id)

    def _judge_one(self, standing: Standing, around: Around, *, alone: bool) -> bool:
        """Whether its verdicts are in the history now."""
        if self._stopping():
            raise StoppingError
        tell("WATCHDOG=1")
        run = standing.run
        try:
            judged = self._parts.diagnosis.of_run(run, self._parts.view.rows.get(run.id, NO_ROWS), around, alone=alone)
            self._history.save_verdicts(run.id, judged, time.time_ns())
            self.modes[judged[-1][1].mode] += 1
        except StoppingError:
            raise
        except SuspectError as error:  # the others first: it may take its whole minute, and it may not be its fault
            self._suspects[run.id] = self._suspects.get(run.id, 0) + 1
            self.suspected += 1
            log.warning(line("judged_alone_later", job=run.label, why=error))
            return False
        except Exception:  # one job must not keep the others waiting
            pause_s = min(LONGEST_PAUSE_S, max(2.0, 2 * self._later.get(run.id, (0.0, 0.0))[0]))
            self._later[run.id] = (pause_s, time.monotonic() + pause_s)
            log.exception(line("judging_failed", job=run.label, again_in_s=pause_s))
            return False
        return True

    def _forget_old(self) -> None:
        if time.monotonic() - self._forgot_at > FORGET_EVERY_S:
            self._forgot_at = time.monotonic()
            if gone := self._history.forget(time.time_ns() - int(self._settings.keep_days * DAY_NS)):
                log.info(line("forgot", runs=gone))


def _nodes(one: Try) -> tuple[str, ...]:
    if one.row is not None and (nodes := words.expand_nodes(one.row.node_list)):
        return nodes
    return tuple({name for d in one.documents for name in (*words.expand_nodes(d.nodes), d.node)})

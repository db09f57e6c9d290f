"""From a job that is over to its verdicts: merge each attempt, judge it in a bounded child, never go without a verdict."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.epilog.attempts import Try, attempts
from gpualert_slurm.epilog.history.past import earlier_attempt, has_saved, losses
from gpualert_slurm.epilog.history.run import Documents, Judged, Run
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.merge import merge
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.packed import PackedJob
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.programs.gpualertd.bounded import Bounded, BoundedError
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.undiagnosed import unknown
from gpualert_slurm.record import Record
from gpualert_slurm.verdict import Verdict

log = logging.getLogger(__name__)

JUDGE_TIMEOUT_S = 60.0
EVENT_AFTER_NS = 600 * 1_000_000_000
MOST_ATTEMPTS = 10
"""Of a job that was requeued more often, the newest are judged."""


@dataclass(frozen=True)
class Around:
    """What was found out about a run besides its documents and rows; states and gaps belong to its newest attempt."""

    states: tuple[NodeState, ...] = ()
    events: tuple[NodeEvent, ...] = ()
    gaps: tuple[Gap, ...] = ()


class Diagnosis:
    """Judges whole runs."""

    def __init__(
        self, history: History, bounded: Bounded, report_deadline_s: float, addressed: Callable[[JobRecord], JobRecord] = lambda record: record
    ) -> None:
        self._history = history
        self._bounded = bounded
        self._report_deadline_s = report_deadline_s
        self._addressed = addressed

    def of_run(self, run: Run, rows: Sequence[AccountingRecord], around: Around, *, alone: bool = False) -> list[Judged]:
        """Record and verdict of each attempt that ran, the newest last. ``alone``: in a child that judges nothing else, with all the time there is.

        Of the reports only their heads are read here: whole they go to the child as they came.

        Raises:
            SuspectError: the child that judges many failed over this one; it is to be judged alone, when the others have been.
            StoppingError: the daemon stops; nothing was decided.
        """
        heads = self._history.heads(run.id)
        place_of = {id(report): place for report, place in zip(heads.reports, heads.report_ids, strict=True)}
        tries = ran(attempts(heads.notes, heads.reports, rows))[-MOST_ATTEMPTS:]
        earlier: list[PastVerdict] = []
        judged: list[Judged] = []
        for place, one in enumerate(tries):
            record = self._record(tries, place, heads, around)
            ids = tuple(place_of[id(report)] for report in record.reports)
            if place == len(tries) - 1:
                record = self._with_addresses(record, ids)
            record = record.model_copy(update={"past": (*self._history.past(record), *earlier)})
            job = self._history.packed(record, ids)
            found = self._weighed(record, job, alone=alone)
            judged.append(Judged(record, found.verdict, found.losses, ids, job.content))
            earlier.append(earlier_attempt(judged[-1], saved=found.saved))
            verdict = found.verdict
            log.info(line("judged", job=record.attempt.label, attempt=record.attempt.restart_count, state=one.row.state if one.row else None,
                          mode=verdict.mode, cause=verdict.cause.value if verdict.cause else None, fault=verdict.fault.value, gaps=len(record.gaps)))
        return judged

    def _weighed(self, record: JobRecord, job: PackedJob, *, alone: bool) -> Weighed:
        """The classifier's verdict; when it fails, hangs or dies alone, ``unknown`` with a gap that says so. Raises SuspectError unless ``alone``."""
        if not alone:
            return self._bounded.call_shared(Weighed, weigh, judge, job, timeout_s=JUDGE_TIMEOUT_S)
        try:
            return self._bounded.call_alone(Weighed, weigh, judge, job, timeout_s=JUDGE_TIMEOUT_S)
        except BoundedError as error:
            log.error(line("judging_failed", job=record.attempt.label, why=error))
            whole = job.read()
            gap = Gap(what="the diagnosis", why=f"the classifier failed: {error}")
            return Weighed(verdict=unknown(whole, gap), losses=losses(whole), saved=has_saved(whole))

    def _with_addresses(self, record: JobRecord, report_ids: Sequence[int]) -> JobRecord:
        """Where nobody asked, the site's policy decides, which looks at the GPUs in the reports where Slurm has no row."""
        if record.wishes.addresses or record.accounting:
            return self._addressed(record)
        wishes = self._addressed(self._history.packed(record, report_ids).read()).wishes
        return record.model_copy(update={"wishes": wishes})

    def _record(self, tries: Sequence[Try], place: int, documents: Documents, around: Around) -> JobRecord:
        one, newest = tries[place], place == len(tries) - 1
        gaps = around.gaps if newest else ()
        until = [t.row for t in tries[: place + 1] if t.row is not None]
        accounting = until if one.row is not None else []
        if one.row is None and not newest:
            gaps = (*gaps, Gap(what="Slurm's accounting record of this attempt", why="accounting has no row for it"))
        if newest and any(isinstance(d, JobNote) and d.origin is not None for d in one.documents):
            gaps = (*gaps, Gap(what="gpualert's note of the job", why="no node announced it: found in Slurm's accounting after its end"))
        asker: JobNote | NodeReport = (documents.notes or documents.reports)[0]
        waited_s = self._report_deadline_s
        try:
            return merge(one.notes, one.reports, accounting, node_states=around.states if newest else (),
                         node_events=[e for e in around.events if _belongs(e, one.row)], gaps=gaps, waited_s=waited_s, fallback=asker)
        except Exception as error:  # a document that no code foresaw must not cost the mail
            log.exception(line("merge_failed", job=asker.attempt.label))
            gap = Gap(what="the node reports", why=f"they could not be merged: {type(error).__name__}: {error}")
            return merge((), (), accounting, gaps=(*gaps, gap), waited_s=waited_s, fallback=asker)


def ran(tries: Sequence[Try]) -> list[Try]:
    """Attempts that started; a requeued one that was cancelled while pending is no run to report on."""
    started = [t for t in tries if t.documents or (t.row is not None and t.row.start_ns is not None)]
    first = next((i for i, t in enumerate(started) if t.documents), 0)
    return started[first:]


def _belongs(event: NodeEvent, row: AccountingRecord | None) -> bool:
    """What began before or during the attempt, or soon after it (a node is set DOWN once it was silent for long enough)."""
    return row is None or row.end_ns is None or event.start_ns is None or event.start_ns <= row.end_ns + EVENT_AFTER_NS


class Weighed(Record):
    """What the child says of a record: its verdict, and what of the whole reports the history keeps."""

    verdict: Verdict
    losses: tuple[float | None, float | None]
    saved: bool


def weigh(judging: Callable[[JobRecord], Verdict], record: JobRecord) -> Weighed:
    """What runs in the child."""
    return Weighed(verdict=judging(record), losses=losses(record), saved=has_saved(record))


def judge(record: JobRecord) -> Verdict:
    """The classifier's word; only in the child."""
    from gpualert_slurm import classifier

    verdict: Verdict = classifier.judge(record)
    return verdict

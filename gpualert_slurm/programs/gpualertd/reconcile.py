"""Jobs that nobody announced: their nodes died before a note was sent, gpualert-node was not there, or the job never started.

Now and then Slurm's accounting is asked which jobs ended, and those that had asked (or that the site's policy is about) and of
which nothing ever arrived become runs like any other: their note is made here, of Slurm's row, and says so.
"""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Sequence

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Config, Mail
from gpualert_slurm.epilog.attempts import SLACK_NS
from gpualert_slurm.epilog.ended_jobs import EndedJob, ended_jobs
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider, RecordsError
from gpualert_slurm.epilog.slurm_text import words
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.programs.gpualertd.addresses import OPTED_OUT, policy_is_about
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.slurm_view import SlurmView
from gpualert_slurm.wishes import When, Wishes

log = logging.getLogger(__name__)

MARK, DONE = "reconcile from", "reconciled"
SLACK = 1.5
"""Times ``report_deadline_s`` after its end a job counts as unannounced: slurmdbd and reports may be late."""
LONGEST_BACK_S = 48 * 3600.0
"""A daemon that was away for longer does not write about older jobs."""
BACK_S = 2 * 3600.0
"""Each round looks at so much again: slurmctld keeps what slurmdbd could not take, and an end may come into accounting hours late."""
UNSETTLED_S = 900.0
"""So long a row without its submit line may yet get it."""
STRETCH_S = 3600.0
"""Of accounting in one question."""
MOST_JOBS = 1000
"""Unknown jobs looked at in one go; the rest of the stretch comes next."""
MAIL = re.compile(r"--gpualert-mail(?:=|\s+)['\"]?([^\s'\"]{1,2000})")
WHEN = re.compile(r"--gpualert-when(?:=|\s+)['\"]?(always|problem|never)\b")


class Reconciler:
    """``step()`` in each pass; it asks only when it is due."""

    def __init__(self, config: Config, history: History, view: SlurmView, provider: Provider, asking: Asking) -> None:
        """``view`` counts the questions among the daemon's others; ``provider`` is this object's alone, for it remembers what it was asked last."""
        self._config, self._history, self._view, self._provider, self._asking = config, history, view, provider, asking
        self._next = 0.0
        self._at: int | None = None
        self._passed_over: dict[tuple[int, int], None] = {}
        self.found = 0
        """Jobs taken up so far."""

    def step(self) -> None:
        """Look at the next stretch, where that is due: after the spool was read to its end. Raises nothing for Slurm's sake."""
        every_s = self._config.daemon.reconcile_s
        if every_s <= 0 or time.monotonic() < self._next or not self._view.may_ask():
            return
        now = time.time_ns()
        until = now - int(SLACK * self._config.daemon.report_deadline_s * 1e9)
        first = self._history.marked(MARK)
        if first is None:  # what ended before gpualert came is not its business
            self._history.mark(MARK, first := until)
        at = self._begin(first, now, until) if self._at is None else self._at
        if at is None:
            return
        end = min(until, at + int(STRETCH_S * 1e9))
        try:
            self._at = self._look_at(at, end) if end > at else at
        except RecordsError as error:
            log.warning(line("not_reconciled", why=error, again_in_s=every_s))
            self._next = time.monotonic() + every_s
            return
        if self._at >= until:
            self._history.mark(DONE, until)
            self._next = time.monotonic() + every_s
            self._at = max(first, until - int(BACK_S * 1e9))
            self._passed_over = {job: None for job in self._passed_over if job[1] >= self._at}

    def _begin(self, first: int, now: int, until: int) -> int | None:
        """From where this process searches; None while it is not due: one that is started every minute does not search every minute."""
        done = self._history.marked(DONE)
        every_s = self._config.daemon.reconcile_s
        if done is not None and until - done < every_s * 1e9:
            self._next = time.monotonic() + min(every_s, every_s - (until - done) / 1e9)
            return None
        return max(first, now - int(LONGEST_BACK_S * 1e9), (first if done is None else done) - int(BACK_S * 1e9))

    def _look_at(self, since_ns: int, until_ns: int) -> int:
        """Take up what is unknown in the stretch; gives how far that went."""
        ended = self._view.asks(lambda: ended_jobs(self._asking, since_ns, until_ns))
        unknown = [job for job in ended if (job.job_id, job.end_ns) not in self._passed_over and not self._known(job)]
        some = unknown[:MOST_JOBS]
        if some:
            queries = [JobQuery(job_id=job.job_id, not_before_ns=job.start_ns or job.end_ns) for job in some]
            rows = self._view.asks(lambda: self._provider.accounting(queries))
            described = self._view.asks(lambda: self._provider.describe(queries, rows))
            wanted = {(job.job_id, job.end_ns) for job in some}
            found = [row for row in described if (row.job_id, row.end_ns) in wanted]
            self._take_up(found)
            # A short job's end comes into accounting before what its owner wrote: those are looked at again.
            settled = {(row.job_id, row.end_ns) for row in found if row.submit_line}
            old = until_ns - int(UNSETTLED_S * 1e9)
            self._passed_over.update((job, None) for job in wanted if job in settled or job[1] < old)
        return until_ns if len(some) == len(unknown) else max(since_ns + 1, some[-1].end_ns)

    def _known(self, job: EndedJob) -> bool:
        begun = job.end_ns if job.start_ns is None else job.start_ns
        return self._history.knows(self._asking.cluster or "", job.job_id, job.uid, (begun - SLACK_NS, job.end_ns + SLACK_NS))

    def _take_up(self, rows: Sequence[AccountingRecord]) -> None:
        now = time.time_ns()
        with self._history.together():
            for row in rows:
                wishes = wishes_of(row, self._config.mail)
                if wishes is None or row.uid is None:
                    continue
                self._history.add(note_of(row, row.uid, wishes, now), now)
                self.found += 1
                log.warning(line("unannounced", job=row.job_id, state=row.state, nodes=row.node_list))


def wishes_of(row: AccountingRecord, mail: Mail) -> Wishes | None:
    """What the owner asked for on the command line, or empty wishes where the site's policy is about such a job; None where neither is."""
    submitted = row.submit_line or ""
    if OPTED_OUT.search(submitted):
        return None
    if not words.expand_nodes(row.node_list) and row.state == "CANCELLED" and row.cancelled_by_uid == row.uid:
        return None  # withdrawn by its owner before it ran: it had no node, though sacct gives its end as its start
    asked = MAIL.search(submitted)
    if asked:
        when = WHEN.search(submitted)
        return Wishes(addresses=tuple(asked[1].split(",")), when=When(when[1]) if when else When.ALWAYS)
    return Wishes() if policy_is_about(row, mail) else None


def note_of(row: AccountingRecord, uid: int, wishes: Wishes, now_ns: int) -> JobNote:
    """What the job's first node would have said, as far as Slurm knows it."""
    nodes = words.expand_nodes(row.node_list)
    attempt = Attempt(cluster=row.cluster, job_id=row.job_id, array_job_id=row.array_job_id, array_task_id=row.array_task_id,
                      het_job_id=row.het_job_id, het_offset=row.het_offset, start_time_ns=row.start_ns)  # fmt: skip
    return JobNote(attempt=attempt, uid=uid, user=row.user, node=nodes[0] if nodes else "", nodes=row.node_list if nodes and row.node_list else "",
                   wishes=wishes, work_dir=row.work_dir, written_ns=row.start_ns or row.end_ns or now_ns, origin="accounting")  # fmt: skip

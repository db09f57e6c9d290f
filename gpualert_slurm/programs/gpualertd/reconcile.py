"""Jobs that nobody announced: their nodes died before a note was sent, gpualert-node was not there, or the job never started.

Now and then Slurm's accounting is asked which jobs ended, and those that had asked (or that the site's policy is about) and of
which nothing ever arrived become runs like any other: their note is made here, of Slurm's row, and says so.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Config
from gpualert_slurm.epilog import batch_scripts
from gpualert_slurm.epilog.attempts import SLACK_NS
from gpualert_slurm.epilog.ended_jobs import EndedJob, ended_jobs
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider, RecordsError
from gpualert_slurm.epilog.slurm_text import words
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.programs.gpualertd.log import line
from gpualert_slurm.programs.gpualertd.slurm_view import SlurmView
from gpualert_slurm.programs.gpualertd.wished import script_may_tell, wishes_of
from gpualert_slurm.wishes import Wishes

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
MOST_SCRIPTS = 10
"""Batch scripts asked for in one go, a question each; those of further jobs come with the next."""


class Reconciler:
    """``step()`` in each pass; it asks only when it is due."""

    def __init__(self, config: Config, history: History, view: SlurmView, provider: Provider, asking: Asking) -> None:
        """``view`` counts the questions among the daemon's others; ``provider`` is this object's alone, for it remembers what it was asked last."""
        self._config, self._history, self._view, self._provider, self._asking = config, history, view, provider, asking
        self._next = 0.0
        self._at: int | None = None
        self._passed_over: dict[tuple[int, int], None] = {}
        self._scripts_are_kept: bool | None = None
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
            unsettled = self._take_up(found)
            # A short job's end comes into accounting before what its owner wrote: those are looked at again.
            settled = {(row.job_id, row.end_ns) for row in found if row.submit_line and row not in unsettled}
            old = until_ns - int(UNSETTLED_S * 1e9)
            self._passed_over.update((job, None) for job in wanted if job in settled or job[1] < old)
        return until_ns if len(some) == len(unknown) else max(since_ns + 1, some[-1].end_ns)

    def _known(self, job: EndedJob) -> bool:
        begun = job.end_ns if job.start_ns is None else job.start_ns
        return self._history.knows(self._asking.cluster or "", job.job_id, job.uid, (begun - SLACK_NS, job.end_ns + SLACK_NS))

    def _take_up(self, rows: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        """Keep what was asked for; gives the rows whose scripts have to wait for the next time."""
        now = time.time_ns()
        wishes = [(row, wishes_of(row, self._config.mail)) for row in rows]
        untold = [row for row, wish in wishes if (wish is None or not wish.addresses) and script_may_tell(row)]
        said = {id(row): self._directives(row) for row in untold[:MOST_SCRIPTS]} if untold and self._has_scripts() else {}
        with self._history.together():
            for row, wish in wishes:
                wanted = wishes_of(row, self._config.mail, said[id(row)]) if said.get(id(row)) else wish
                if wanted is None or row.uid is None:
                    continue
                self._history.add(note_of(row, row.uid, wanted, now), now)
                self.found += 1
                log.warning(line("unannounced", job=row.job_id, state=row.state, nodes=row.node_list))
        return untold[MOST_SCRIPTS:] if said else []

    def _has_scripts(self) -> bool:
        if self._scripts_are_kept is None:
            self._scripts_are_kept = self._view.asks(lambda: batch_scripts.are_kept(self._asking))
            if not self._scripts_are_kept:
                hint = "AccountingStoreFlags=job_script lets jobs of lost nodes be found that asked in #SBATCH lines"
                log.info(line("scripts_not_kept", hint=hint))
        return self._scripts_are_kept

    def _directives(self, row: AccountingRecord) -> str:
        """Empty where slurmdbd does not give the script: it is one job's matter."""
        try:
            return self._view.asks(lambda: batch_scripts.directives(self._asking, row.job_id))
        except RecordsError as error:
            log.warning(line("script_not_read", job=row.job_id, why=error))
            return ""


def note_of(row: AccountingRecord, uid: int, wishes: Wishes, now_ns: int) -> JobNote:
    """What the job's first node would have said, as far as Slurm knows it."""
    nodes = words.expand_nodes(row.node_list)
    attempt = Attempt(cluster=row.cluster, job_id=row.job_id, array_job_id=row.array_job_id, array_task_id=row.array_task_id,
                      het_job_id=row.het_job_id, het_offset=row.het_offset, start_time_ns=row.start_ns)  # fmt: skip
    return JobNote(attempt=attempt, uid=uid, user=row.user, node=nodes[0] if nodes else "", nodes=row.node_list if nodes and row.node_list else "",
                   wishes=wishes, work_dir=row.work_dir, written_ns=row.start_ns or row.end_ns or now_ns, origin="accounting")  # fmt: skip

"""What Slurm says about the open jobs, asked for all of them together and not too often."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TypeVar

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.epilog.attempts import same_owner
from gpualert_slurm.epilog.history.run import Run
from gpualert_slurm.epilog.provider import JobQuery, Provider, RecordsError
from gpualert_slurm.gap import Gap
from gpualert_slurm.programs.gpualertd.log import line

log = logging.getLogger(__name__)
T = TypeVar("T")

SWEEP_POLLS = 15
"""A job that shows no sign of its end is asked about once in so many polls: only a lost node ends a job without a report."""
MOST_COLD_JOBS = 500
"""Of those, at most so many in one query."""
MOST_HOT_JOBS = 2000
"""Of jobs at their end as well, those that wait longest first: one command line holds so many."""
BURST = 6
"""Queries that may follow each other at once, which is what one look at a job that ended takes; over a longer time there is one in
``slurm_poll_s``, of whatever kind."""
EVENT_SLACK_NS = 3600 * 1_000_000_000
"""Node events are asked from this long before the job's start."""


class SlurmView:
    """The latest answers: rows by run, slurmctld's unfinished jobs, node states."""

    def __init__(self, provider: Provider, poll_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._provider = provider
        self._poll_s = poll_s
        self._clock = clock
        self._asked_at: dict[int, float] = {}
        self._next = 0.0
        self._allowed, self._counted_at = float(BURST), clock()
        self.queries, self.errors = 0, 0
        """Commands put to Slurm so far, and how many of them it did not answer."""
        self.rows: dict[int, list[AccountingRecord]] = {}
        self.records_error: str | None = None
        self.controller_error: str | None = None
        self.unfinished: dict[int, str] | None = None
        self.asked_controller: set[int] = set()
        """The job ids that ``unfinished`` is about."""
        self.node_states: list[NodeState] = []

    def refresh(self, runs: Sequence[Run], hot: Collection[int], nodes: Collection[str]) -> set[int]:
        """Ask about ``hot`` runs (ids), and about those not asked for long; gives the ids of those asked about.

        ``nodes`` are those whose state decides whether to wait.
        """
        now = self._clock()
        if now < self._next or not self.may_ask():
            return set()
        open_ids = {run.id for run in runs}
        self.rows = {i: rows for i, rows in self.rows.items() if i in open_ids}
        self._asked_at = {i: at for i, at in self._asked_at.items() if i in open_ids}
        never = -float("inf")
        cold = [r for r in runs if r.id not in hot and now - self._asked_at.get(r.id, never) >= SWEEP_POLLS * self._poll_s]
        cold.sort(key=lambda r: self._asked_at.get(r.id, never))
        warm = sorted((r for r in runs if r.id in hot), key=lambda r: self._asked_at.get(r.id, never))[:MOST_HOT_JOBS]
        asked = [*warm, *cold[: min(MOST_COLD_JOBS, MOST_HOT_JOBS - len(warm))]]
        if not asked:
            return set()
        self._accounting(asked)
        self._controller([r.job_id for r in warm], nodes)
        for run in asked:
            self._asked_at[run.id] = now
        away = self.records_error is not None
        self._next = self._clock() + (min(30.0, 5 * self._poll_s) if away else self._poll_s)
        return {run.id for run in asked}

    def may_ask(self) -> bool:
        """Whether what was asked lately leaves room for another query."""
        now = self._clock()
        self._allowed = min(float(BURST), self._allowed + (now - self._counted_at) / self._poll_s)
        self._counted_at = now
        return self._allowed >= 1

    def asks(self, question: Callable[[], T]) -> T:
        """``question()``, which is one command, counted. Raises RecordsError."""
        self._count()
        try:
            return question()
        except RecordsError:
            self.errors += 1
            raise

    def _count(self) -> None:
        self.may_ask()
        self._allowed -= 1
        self.queries += 1

    def around(self, runs: Sequence[Run], nodes: Sequence[str], since_ns: int) -> tuple[list[NodeState], list[NodeEvent], list[Gap]]:
        """What is asked about runs that are going to be judged: their nodes' state and events; what their owners chose (names, submit
        lines …) is filled in. Side by side where the provider can; a gap for what Slurm does not answer.
        """
        gaps: list[Gap] = []
        rows = [row for run in runs for row in self.rows.get(run.id, [])]
        with ThreadPoolExecutor(3 if self._provider.side_by_side else 1, thread_name_prefix="asking") as pool:
            words = self._begin(pool, lambda: self._provider.describe(_queries(runs), rows)) if rows else None
            states = self._begin(pool, lambda: self._provider.node_states(nodes))
            events = self._begin(pool, lambda: self._provider.node_events(nodes, since_ns - EVENT_SLACK_NS))
        described = self._answered(words, "the job's name, submit line and work dir in Slurm's accounting", gaps) if words is not None else None
        if described is not None:
            self._sort_in(runs, described)
        return self._answered(states, "the nodes' state", gaps) or [], self._answered(events, "the nodes' history", gaps) or [], gaps

    def _begin(self, pool: Executor, question: Callable[[], T]) -> Future[T]:
        self._count()
        return pool.submit(question)

    def _answered(self, answer: Future[T], what: str, gaps: list[Gap]) -> T | None:
        try:
            return answer.result()
        except RecordsError as error:
            self.errors += 1
            gaps.append(Gap(what=what, why=str(error)))
            return None

    def _accounting(self, runs: Sequence[Run]) -> None:
        try:
            found = self.asks(lambda: self._provider.accounting(_queries(runs)))
        except RecordsError as error:
            if self.records_error is None:
                log.warning(line("accounting_away", why=error))
            self.records_error = str(error)
            return
        if self.records_error is not None:
            log.info(line("accounting_back"))
        self.records_error = None
        self._sort_in(runs, found)

    def _controller(self, job_ids: Sequence[int], nodes: Collection[str]) -> None:
        self.unfinished, self.node_states, self.asked_controller = None, [], set(job_ids)
        if not job_ids:
            return
        try:
            self.unfinished = self.asks(lambda: self._provider.unfinished(job_ids))
            if nodes:
                self.node_states = self.asks(lambda: self._provider.node_states(sorted(nodes)))
        except RecordsError as error:
            if self.controller_error is None:
                log.warning(line("controller_away", why=error))
            self.controller_error = str(error)
            return
        if self.controller_error is not None:
            log.info(line("controller_back"))
        self.controller_error = None

    def _sort_in(self, runs: Sequence[Run], found: Iterable[AccountingRecord]) -> None:
        by_job: dict[int, list[AccountingRecord]] = {}
        for row in found:
            by_job.setdefault(row.job_id, []).append(row)
        for run in runs:
            self.rows[run.id] = [row for row in by_job.get(run.job_id, []) if same_owner(row, run.uid, run.user)]


def _queries(runs: Sequence[Run]) -> list[JobQuery]:
    return [JobQuery(job_id=run.job_id, not_before_ns=run.started_ns) for run in runs]

"""How often Slurm is asked: one question in ``slurm_poll_s`` over any longer time, whatever there is to ask."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.epilog.history.run import Run, RunState
from gpualert_slurm.epilog.provider import JobQuery, Provider, RecordsError
from gpualert_slurm.programs.gpualertd.slurm_view import BURST, MOST_HOT_JOBS, SlurmView
from tests.unit.epilog.runs import T0, row


class Counting(Provider):
    """A cluster that knows no job; notes how many each question was about."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []

    def accounting(self, jobs: Sequence[JobQuery]) -> list[AccountingRecord]:
        self.asked.append(("accounting", len(jobs)))
        return []

    def describe(self, jobs: Sequence[JobQuery], records: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        self.asked.append(("describe", len(jobs)))
        return list(records)

    def unfinished(self, job_ids: Sequence[int]) -> dict[int, str]:
        self.asked.append(("unfinished", len(job_ids)))
        return {}

    def node_states(self, nodes: Sequence[str]) -> list[NodeState]:
        self.asked.append(("node_states", len(nodes)))
        return []

    def node_events(self, nodes: Sequence[str], since_ns: int) -> list[NodeEvent]:
        self.asked.append(("node_events", len(nodes)))
        return []

    def cluster_name(self) -> str:
        return "c"


def runs(count: int) -> list[Run]:
    return [Run(id=n, cluster="c", job_id=n, uid=1, user=None, label=str(n), state=RunState.COLLECTING, outcome=None, first_seen_ns=T0, started_ns=T0,
                ended_seen_ns=None, ended_ns=None, judged_ns=None) for n in range(1, count + 1)]  # fmt: skip


def test_one_question_in_a_poll_over_ten_minutes() -> None:
    """Jobs end all the time, a pass a second: five questions each time that it may ask."""
    now, slurm = [0.0], Counting()
    view = SlurmView(slurm, 2.0, lambda: now[0])
    for second in range(600):
        now[0] = float(second)
        some = runs(20)
        if view.refresh(some, {run.id for run in some}, ["n1"]):
            view.around(some, ["n1"], T0)
    assert 600 / 2 - BURST <= len(slurm.asked) <= 600 / 2 + BURST + 5
    assert view.queries == len(slurm.asked)


def test_a_job_alone_does_not_wait() -> None:
    """After a quiet time several questions follow each other in one pass."""
    now, slurm = [1000.0], Counting()
    view = SlurmView(slurm, 2.0, lambda: now[0])
    assert view.refresh(runs(1), {1}, ["n1"]) == {1}
    now[0] += 2.0
    assert view.refresh(runs(1), {1}, ["n1"]) == {1}


def test_thousands_at_their_end_take_turns() -> None:
    """One question is about so many at most; those that waited longest come next."""
    now, slurm = [0.0], Counting()
    view = SlurmView(slurm, 2.0, lambda: now[0])
    some = runs(5000)
    hot = {run.id for run in some}
    seen: set[int] = set()
    for _ in range(3):
        seen |= view.refresh(some, hot, ())
        now[0] += 10.0
    assert seen == hot
    assert max(count for _, count in slurm.asked) == MOST_HOT_JOBS


class Meeting(Counting):
    """Answers about nodes and names only once all three were asked."""

    side_by_side = True

    def __init__(self) -> None:
        super().__init__()
        self._all = threading.Barrier(3)

    def accounting(self, jobs: Sequence[JobQuery]) -> list[AccountingRecord]:
        return [row(job_id=job.job_id, uid=1) for job in jobs]

    def describe(self, jobs: Sequence[JobQuery], records: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        self._all.wait(10)
        return [record.model_copy(update={"name": "named"}) for record in records]

    def node_states(self, nodes: Sequence[str]) -> list[NodeState]:
        self._all.wait(10)
        raise RecordsError("slurmctld is away")

    def node_events(self, nodes: Sequence[str], since_ns: int) -> list[NodeEvent]:
        self._all.wait(10)
        return []


def test_what_is_asked_about_a_job_is_asked_side_by_side() -> None:
    """Three commands take as long as the slowest; one that fails is a gap, and the others' answers stand."""
    view, some = SlurmView(Meeting(), 2.0, lambda: 0.0), runs(1)
    view.refresh(some, {1}, ())
    states, events, gaps = view.around(some, ["n1"], T0)
    assert (states, events, [gap.what for gap in gaps]) == ([], [], ["the nodes' state"])
    assert [one.name for one in view.rows[1]] == ["named"]
    assert (view.queries, view.errors) == (5, 1)

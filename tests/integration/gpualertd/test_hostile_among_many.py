"""One hostile log among many jobs: it hangs, ends or fills the child that judges it, and costs no other job its verdict or its time."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.config import Config, Daemon, Mail
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.provider import Asking, JobQuery, Provider, RecordsError
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.epilog.transports.spool import TRANSPORT
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.programs.gpualertd import diagnosis
from gpualert_slurm.programs.gpualertd.bounded import Bounded
from gpualert_slurm.programs.gpualertd.diagnosis import Diagnosis
from gpualert_slurm.programs.gpualertd.dispatch import Dispatch
from gpualert_slurm.programs.gpualertd.intake import Intake
from gpualert_slurm.programs.gpualertd.loop import Loop, Parts
from gpualert_slurm.programs.gpualertd.reconcile import Reconciler
from gpualert_slurm.programs.gpualertd.slurm_view import SlurmView
from gpualert_slurm.verdict import Verdict
from gpualert_slurm.wishes import Wishes
from tests.unit.epilog.runs import T0, report

HANGS, DIES, RAISES = 105, 111, 119
real_judge = diagnosis.judge


class Away(Provider):
    """A cluster whose slurmctld and slurmdbd are down: every question says so."""

    def _away(self) -> RecordsError:
        return RecordsError("connection refused")

    def accounting(self, jobs: Sequence[JobQuery]) -> list[AccountingRecord]:
        raise self._away()

    def describe(self, jobs: Sequence[JobQuery], records: Sequence[AccountingRecord]) -> list[AccountingRecord]:
        raise self._away()

    def unfinished(self, job_ids: Sequence[int]) -> dict[int, str]:
        raise self._away()

    def node_states(self, nodes: Sequence[str]) -> list[NodeState]:
        raise self._away()

    def node_events(self, nodes: Sequence[str], since_ns: int) -> list[NodeEvent]:
        raise self._away()

    def cluster_name(self) -> str:
        raise self._away()


def hostile_judge(record: JobRecord) -> Verdict:
    """As a log could make it: each way of failing for one job."""
    job = record.attempt.job_id
    if job == HANGS:
        time.sleep(600)
    if job == DIES:
        os._exit(9)
    if job == RAISES:
        raise RecursionError("too deep")
    return real_judge(record)


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History(tmp_path / "history.db")
    for number in range(100, 125):
        opened.add(report("n1", nodes="n1", job_id=number, uid=2000 + number, wishes=Wishes(addresses=(f"u{number}@example.org",))), T0)
    yield opened
    opened.close()


def test_the_others_are_mailed_first_and_all_are_mailed(history: History, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the first pass every other job; in the next ones the three, alone, each with a verdict or a gap that says why there is none."""
    monkeypatch.setattr(diagnosis, "judge", hostile_judge)
    monkeypatch.setattr(diagnosis, "JUDGE_TIMEOUT_S", 4.0)
    (tmp_path / "spool").mkdir()
    config = Config(mail=Mail(allowed_domains=("example.org",)), daemon=Daemon(report_deadline_s=0.01, accounting_deadline_s=0.01, slurm_poll_s=0.01, reconcile_s=0))
    config = config.model_copy(update={"site": config.site.model_copy(update={"spool_dir": tmp_path / "spool"})})
    outbox, bounded, away = Outbox(tmp_path / "outbox"), Bounded(shared_s=3.0), Away()
    intake, view = Intake(config, "c", transport=TRANSPORT, seal=SEAL, history=history), SlurmView(away, config.daemon.slurm_poll_s)
    intake.prepare()
    parts = Parts(intake, view, Diagnosis(history, bounded, 0.01), Dispatch(history, outbox, config, bounded), Reconciler(config, history, view, away, Asking("c")))
    loop = Loop(config.daemon, history, parts, lambda: False)
    three, mails_before_them = {HANGS, DIES, RAISES}, 0

    def queued() -> int:
        return sum(1 for state, _ in outbox.messages() if state is State.QUEUED)

    real_alone = Bounded.call_alone

    def alone(self: Bounded, *arguments: object, **named: float) -> object:
        nonlocal mails_before_them
        mails_before_them = mails_before_them or queued()
        return real_alone(self, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(Bounded, "call_alone", alone)
    until = time.monotonic() + 120
    while history.runs(RunState.COLLECTING) and time.monotonic() < until:
        assert loop.once()
        time.sleep(0.05)
    assert mails_before_them >= 22, "the three were judged when every other job's mail lay in the outbox"
    assert queued() == 25
    unknown = {run.job_id: history.verdict(run.id) for run in history.runs(RunState.COMPOSED) if run.job_id in three}
    whys = {job: next(g.why for g in verdict.gaps if g.what == "the diagnosis") for job, verdict in unknown.items()}
    assert whys == {HANGS: "the classifier failed: no answer within 4 s", DIES: "the classifier failed: its process died with 9",
                    RAISES: "the classifier failed: RecursionError: too deep"}  # fmt: skip
    assert all(not any(g.what == "the diagnosis" for g in history.verdict(r.id).gaps) for r in history.runs(RunState.COMPOSED) if r.job_id not in three)
    assert bounded.children < 25, "jobs share children"
    bounded.close()

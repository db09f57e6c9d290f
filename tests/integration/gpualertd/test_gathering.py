"""Arrays, heterogeneous jobs, requeues and floods, from the history to the outbox."""

from __future__ import annotations

import email
import email.policy
import time
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path

import pytest

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Config, Mail
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify import stored_message
from gpualert_slurm.notify.outbox import Outbox
from gpualert_slurm.programs.gpualertd import dispatch
from gpualert_slurm.programs.gpualertd.bounded import Bounded, BoundedError
from gpualert_slurm.programs.gpualertd.dispatch import Dispatch
from gpualert_slurm.verdict import Fault, Phase, Verdict
from gpualert_slurm.wishes import Wishes
from tests.unit.epilog.runs import T0, S, note

MAIL = Mail(allowed_domains=("example.org",), sender="gpualert@example.org")


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History(tmp_path / "history.db")
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def bounded() -> Bounded:
    return Bounded()


def judge(history: History, job_id: int, *, judged_s: float = 0, mode: str = "A1", begun_s: int = 0, **attempt: int) -> int:
    """A run of alice's, judged ``judged_s`` ago."""
    where = Attempt(cluster="c", job_id=job_id, start_time_ns=T0 + begun_s * S, **attempt)
    run = history.add(note(begun_s, job_id=job_id), T0).run
    record = JobRecord(attempt=where, uid=1000, user="alice", name="sweep", wishes=Wishes(addresses=("alice@example.org",)), started_ns=T0 + begun_s * S,
                       ended_ns=T0 + (begun_s + 10) * S)
    verdict = Verdict(attempt=where, job_name="sweep", state="FAILED" if mode != "G1" else "COMPLETED", mode=mode, title="startup crash",
                      headline=f"rank 0 on n{job_id % 3}: it broke", fault=Fault.USER, confidence=0.9, phase=Phase.STARTUP, nodes=("n1",), ended_ns=T0 + 10 * S)
    history.save_verdicts(run.id, [(record, verdict)], time.time_ns() - int(judged_s * 1e9))
    return run.id


def mails(outbox: Outbox) -> list[EmailMessage]:
    """What is queued, oldest first."""
    found = [stored_message.read(path).message for _, path in outbox.messages()]
    return sorted((email.message_from_bytes(m, policy=email.policy.default) for m in found), key=lambda m: str(m["Message-ID"]))  # type: ignore[misc]


def text_of(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def test_an_array_is_one_mail_for_the_first_failure_then_a_digest_in_its_thread(history: History, bounded: Bounded, tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "outbox")
    config = Config(mail=MAIL.model_copy(update={"group_interval_s": 1.0}))
    for task in range(6):
        judge(history, 100 + task, mode="G1" if task > 3 else "A1", array_job_id=100, array_task_id=task)
    Dispatch(history, outbox, config, bounded).judged()
    (first,) = mails(outbox)
    assert "job 100_0 sweep FAILED" in first["Subject"]
    time.sleep(1.1)
    Dispatch(history, outbox, config, bounded).judged()
    digest = next(m for m in mails(outbox) if m["Message-ID"] != first["Message-ID"])
    assert digest["Subject"] == f"Re: {first['Subject']}"
    assert digest["References"] == first["References"]
    text = text_of(digest)
    assert "3 × Startup crash" in text
    assert "tasks 1-3 of 100" in text
    assert "2 × Startup crash" in text
    assert len(history.runs(RunState.COMPOSED)) == 6
    assert {run.label for _, run in history.open_messages()} == {f"100_{t}" for t in range(6)}


def test_while_others_are_being_judged_only_what_is_told_by_itself_goes_out(history: History, bounded: Bounded, tmp_path: Path) -> None:
    """An array's first failure and a job alone are mailed at once; who is gathered is decided when all are looked at, and runs that were not named wait."""
    outbox = Outbox(tmp_path / "outbox")
    post = Dispatch(history, outbox, Config(mail=MAIL.model_copy(update={"group_interval_s": 1.0})), bounded)
    array = [judge(history, 100 + task, judged_s=0, array_job_id=100, array_task_id=task) for task in range(3)]
    alone, unnamed = judge(history, 200, mode="G1"), judge(history, 300, mode="G1")
    post.judged([*array, alone], crowd=50)
    post.composed()  # waits for what is being written while others are judged
    assert {history.run(one).state for one in array[1:]} == {RunState.JUDGED}
    assert history.run(unnamed).state is RunState.JUDGED
    assert {str(m["X-GPUAlert-Job"]) for m in mails(outbox)} == {"c/100_0", "c/200"}
    assert all("more than 20 mails were waiting" in " ".join(text_of(m).split()) for m in mails(outbox))
    time.sleep(1.1)
    post.judged(array[1:2], crowd=50)  # its interval is over: it goes with the others, not before them
    assert len(mails(outbox)) == 2
    post.judged()
    assert history.run(unnamed).state is not RunState.JUDGED
    assert {history.run(one).state for one in array} == {RunState.COMPOSED}


def test_a_daemon_that_dies_after_planning_a_digest_sends_that_one(history: History, bounded: Bounded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is judged meanwhile comes in the next one: no run is told twice, and none is forgotten."""
    outbox = Outbox(tmp_path / "outbox")
    config = Config(mail=MAIL)
    for task in range(3):
        judge(history, 100 + task, judged_s=3600, array_job_id=100, array_task_id=task, mode="G1")

    class Died(BaseException):
        pass

    def die(*_: object, **__: object) -> None:
        raise Died

    monkeypatch.setattr(history, "mark_composed", die)
    with pytest.raises(Died):
        Dispatch(history, outbox, config, bounded).judged()
    monkeypatch.undo()
    assert len(mails(outbox)) == 1
    late = judge(history, 103, array_job_id=100, array_task_id=3, mode="G1")
    Dispatch(history, outbox, config, bounded).judged()
    assert len(mails(outbox)) == 1, "the key was fixed before it was composed"
    assert [r.id for r in history.runs(RunState.JUDGED)] == [late]


def test_a_requeue_by_hand_answers_in_the_first_mail_s_thread(history: History, bounded: Bounded, tmp_path: Path) -> None:
    """Same subject behind ``Re:``, same References: clients fold them; what is new stands in the first line."""
    outbox = Outbox(tmp_path / "outbox")
    first_run = judge(history, 7)
    Dispatch(history, outbox, Config(mail=MAIL), bounded).judged()
    history.mark_done(first_run, "sent", time.time_ns())
    judge(history, 7, begun_s=500, mode="A3")
    Dispatch(history, outbox, Config(mail=MAIL), bounded).judged()
    one, two = sorted(mails(outbox), key=lambda m: str(m["Subject"]).startswith("Re: "))
    assert two["Subject"] == f"Re: {one['Subject']}"
    assert one["References"] == two["References"]
    assert one["Message-ID"] != two["Message-ID"]


def test_a_digest_that_cannot_be_composed_becomes_single_mails(history: History, bounded: Bounded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outbox = Outbox(tmp_path / "outbox")
    for part in range(2):
        judge(history, 200 + part, judged_s=3600, het_job_id=200, het_offset=part)

    def broken(*_: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr(dispatch, "compose_digest", broken)
    real = bounded.call

    def call(returns, function, *arguments, timeout_s):  # type: ignore[no-untyped-def]
        if function is broken:
            raise BoundedError("no")
        return real(returns, function, *arguments, timeout_s=timeout_s)

    monkeypatch.setattr(bounded, "call", call)
    Dispatch(history, outbox, Config(mail=MAIL), bounded).judged()
    assert len(mails(outbox)) == 2
    assert len(history.runs(RunState.COMPOSED)) == 2


def test_more_than_an_address_may_get_is_suppressed_and_said(history: History, bounded: Bounded, tmp_path: Path) -> None:
    outbox = Outbox(tmp_path / "outbox")
    config = Config(mail=MAIL.model_copy(update={"address_per_hour": 2}))
    for job_id in range(1, 6):
        judge(history, job_id, judged_s=3601 if job_id > 2 else 3700)
    Dispatch(history, outbox, config, bounded).judged()
    texts = [text_of(m) for m in mails(outbox)]
    assert len(texts) == 3
    assert sum("3 mails suppressed: This site's limit is 2 mails an hour to one address" in t for t in texts) == 1
    assert len(history.runs(RunState.COMPOSED)) == 5

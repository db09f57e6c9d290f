"""The outbox's states, without a relay: a channel that answers what the test says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import Notification, Outcome, OutcomeKind
from gpualert_slurm.notify.channel import Sender
from gpualert_slurm.notify.delivery import Round
from gpualert_slurm.notify.outbox import NoSuchMessageError, Outbox, OutboxBusyError, State
from gpualert_slurm.notify.stored_message import read

MAIL = Mail(sender="gpualert@hpc.example.org", retry_hours=48)
S = 1_000_000_000
NOW = 1_790_000_000 * S
A, B = "a@example.org", "b@example.org"


class Answers(Sender):
    """Answers by recipient, ``sent`` where the test says nothing; remembers what it was asked."""

    def __init__(self, **codes: int | None) -> None:
        self.codes = {f"{name}@example.org": code for name, code in codes.items()}
        self.asked: list[tuple[str, ...]] = []

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        self.asked.append(tuple(recipients))
        return [self._answer(r) for r in recipients]

    def _answer(self, recipient: str) -> Outcome:
        code = self.codes.get(recipient, 250)
        kind = OutcomeKind.RETRY if code is None or 400 <= code < 500 else OutcomeKind.SENT if code < 300 else OutcomeKind.REFUSED
        return Outcome(kind=kind, recipient=recipient, code=code, reason=f"answer {code}")


def notification(key: str = "k1", *recipients: str) -> Notification:
    return Notification(key=key, recipients=recipients or (A, B), subject="s", text="t", html="<p>h</p>")


@pytest.fixture
def box(tmp_path: Path) -> Outbox:
    return Outbox(tmp_path / "outbox")


def deliver(box: Outbox, channel: Sender, now_ns: int = NOW) -> Round:
    return asyncio.run(box.deliver_due(channel, now_ns))


def test_queued_then_sent(box):
    assert box.enqueue(notification(), MAIL, NOW) == "k1"
    assert box.state_of("k1") is State.QUEUED
    deliver(box, Answers())
    assert box.state_of("k1") is State.SENT


@pytest.mark.parametrize("codes", [{}, {"a": 450, "b": 450}, {"a": 550, "b": 550}], ids=["sent", "deferred", "refused"])
def test_a_known_key_is_not_queued_again_whatever_became_of_it(box, codes):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(**codes))
    before = box.state_of("k1")
    box.enqueue(notification(), MAIL, NOW)
    assert box.state_of("k1") is before
    assert len(list(box.messages())) == 1


def test_only_open_recipients_are_tried_again(box):
    box.enqueue(notification(), MAIL, NOW)
    first = Answers(b=450)
    deliver(box, first)
    assert box.state_of("k1") is State.DEFERRED
    second = Answers()
    deliver(box, second, NOW + 3600 * S)
    assert (first.asked, second.asked) == ([(A, B)], [(B,)])
    assert box.state_of("k1") is State.SENT


def test_a_deferred_message_waits_its_time(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(a=450, b=450))
    early, late = Answers(), Answers()
    deliver(box, early, NOW + 7 * S)
    deliver(box, late, NOW + 13 * S)
    assert (early.asked, late.asked) == ([], [(A, B)])


def test_a_refusal_of_one_recipient_is_visible_and_does_not_stop_the_other(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(b=550))
    state, path = box.find("k1")
    assert state is State.REFUSED
    assert {r: o.kind.value for r, o in read(path).last_outcomes.items()} == {A: "sent", B: "refused"}


def test_a_refused_one_beside_a_deferred_one_is_not_asked_again(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(a=550, b=450))
    assert box.state_of("k1") is State.DEFERRED
    again = Answers()
    deliver(box, again, NOW + 100 * S)
    assert again.asked == [(B,)]
    assert box.state_of("k1") is State.REFUSED


def test_after_the_retry_time_it_is_refused_with_the_last_answer(box):
    """And not before: a relay that is away for two days loses nothing."""
    box.enqueue(notification(), MAIL, NOW)
    channel = Answers(a=450, b=None)
    now = NOW
    while box.state_of("k1") in (State.QUEUED, State.DEFERRED):
        deliver(box, channel, now)
        assert now < NOW + 50 * 3600 * S
        now += 600 * S
    assert now > NOW + 48 * 3600 * S
    state, path = box.find("k1")
    assert state is State.REFUSED
    assert "answer 450" in read(path).last_outcomes[A].reason
    assert len(channel.asked) > 40


def test_a_message_that_was_never_tried_in_time_is_tried_once_all_the_same(box):
    """The daemon was away for a week."""
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(), NOW + 7 * 86400 * S)
    assert box.state_of("k1") is State.SENT


def test_a_human_can_ask_again_for_those_who_refused(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(b=550))
    box.retry("k1")
    again = Answers()
    deliver(box, again)
    assert again.asked == [(B,)]
    assert box.state_of("k1") is State.SENT


def test_a_human_can_drop_and_then_the_key_is_free(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers(a=550, b=550))
    box.drop("k1")
    assert box.state_of("k1") is None
    assert list(box.messages()) == []


def test_sent_messages_cannot_be_retried_and_unknown_keys_are_named(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Answers())
    with pytest.raises(NoSuchMessageError, match="sent"):
        box.retry("k1")
    with pytest.raises(NoSuchMessageError, match="nothere"):
        box.drop("nothere")


def test_a_key_may_be_shortened_while_it_is_the_only_one(box):
    box.enqueue(notification("mendel.4242.a1.aa"), MAIL, NOW)
    assert box.find("mendel.42")[1].stem == "mendel.4242.a1.aa"
    box.enqueue(notification("mendel.4243.a1.aa"), MAIL, NOW)
    with pytest.raises(NoSuchMessageError, match="2 messages"):
        box.find("mendel.42")


def test_a_damaged_file_is_set_aside_with_its_reason_and_others_go_on(box):
    for key in ("k1", "k2"):
        box.enqueue(notification(key), MAIL, NOW)
    path = box.folder / "queued" / "k1.msg"
    path.write_bytes(path.read_bytes()[:-5])
    deliver(box, Answers())
    assert box.state_of("k1") is State.CORRUPT
    assert "header wants" in (box.folder / "corrupt" / "k1.reason").read_text()
    assert box.state_of("k2") is State.SENT


class Deadly(Sender):
    """Takes the whole process with it, as far as the outbox can see."""

    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        raise SystemExit


def test_a_message_that_ends_its_sender_five_times_is_set_aside(box):
    box.enqueue(notification(), MAIL, NOW)
    for _ in range(5):
        assert box.state_of("k1") in (State.QUEUED, State.ACTIVE)
        with pytest.raises(SystemExit):
            asyncio.run(Outbox(box.folder).deliver_due(Deadly(), NOW))
    deliver(box, Answers())
    assert box.state_of("k1") is State.CORRUPT
    assert "5 attempts in a row" in (box.folder / "corrupt" / "k1.reason").read_text()


class Broken(Sender):
    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        raise RuntimeError("a defect")


def test_a_defect_in_a_channel_defers_the_message(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Broken())
    state, path = box.find("k1")
    assert state is State.DEFERRED
    assert "a defect" in read(path).last_outcomes[A].reason


class Forgetful(Sender):
    async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
        return [Outcome(kind=OutcomeKind.SENT, recipient=recipients[0], code=250)]


def test_a_recipient_without_an_answer_is_tried_again(box):
    box.enqueue(notification(), MAIL, NOW)
    deliver(box, Forgetful())
    assert read(box.find("k1")[1]).open_recipients == (B,)


def test_while_the_relay_is_away_the_queue_is_not_worn_out(box):
    """Three messages find it out; the others keep their first attempt."""
    for i in range(50):
        box.enqueue(notification(f"k{i}"), MAIL, NOW)
    channel = Answers(a=None, b=None)
    done = deliver(box, channel)
    assert done.blocked
    assert 3 <= len(channel.asked) <= 3 + 4
    untouched = [p for s, p in box.messages() if s is State.QUEUED]
    assert len(untouched) == 50 - len(channel.asked)
    assert all(read(p).attempts == 0 for p in untouched)


def test_one_sender_at_a_time(box):
    with Outbox(box.folder).sending(), pytest.raises(OutboxBusyError, match="another process"):
        deliver(box, Answers())


def test_what_a_dead_sender_had_in_hand_is_sent_by_the_next(box):
    box.enqueue(notification(), MAIL, NOW)
    (box.folder / "queued" / "k1.msg").rename(box.folder / "active" / "k1.msg")
    (box.folder / "tmp" / ".k9.msg.abc").write_bytes(b"half a mess")
    deliver(box, Answers())
    assert box.state_of("k1") is State.SENT
    assert list((box.folder / "tmp").iterdir()) == []
    assert "recovered" in [e.event for e in read(box.find("k1")[1]).journal]


def test_a_stop_puts_back_what_is_in_hand(box):
    box.enqueue(notification(), MAIL, NOW)

    class Hangs(Sender):
        async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
            await asyncio.Event().wait()
            return []

    async def run() -> None:
        task = asyncio.create_task(box.deliver_due(Hangs(), NOW))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert box.state_of("k1") is State.QUEUED


def test_sent_ones_are_removed_after_their_time_and_others_never(box):
    for key, codes in (("k1", {}), ("k2", {"a": 550, "b": 550}), ("k3", {"a": 450, "b": 450})):
        box.enqueue(notification(key), MAIL)
        deliver(box, Answers(**codes), box.folder.stat().st_mtime_ns)
    assert box.remove_sent(86400) == 0
    far = box.folder.stat().st_mtime_ns + 40 * 86400 * S
    assert box.remove_sent(30 * 86400, far) == 1
    assert {p.stem for _, p in box.messages()} == {"k2", "k3"}


@pytest.mark.parametrize("key", ["../etc/x", "", "K1", "a/b", ".hidden", "a" * 200, "a\nb"])
def test_a_key_that_is_no_file_name_is_refused(box, key):
    with pytest.raises(ValueError, match="file name"):
        box.enqueue(notification(key), MAIL, NOW)


def test_the_folder_is_for_its_owner_only(box):
    box.enqueue(notification(), MAIL, NOW)
    assert [oct(p.stat().st_mode & 0o077) for p in (box.folder, *box.folder.rglob("*"))] == ["0o0"] * len([box.folder, *box.folder.rglob("*")])


def test_what_is_on_its_way_is_told_by_three_listings(box):
    for key, codes in (("k1", {}), ("k2", {"a": 450, "b": 450}), ("k3", {"a": 550, "b": 550})):
        box.enqueue(notification(key), MAIL, NOW)
        deliver(box, Answers(**codes))
    box.enqueue(notification("k4"), MAIL, NOW)
    assert box.on_their_way() == {"k2", "k4"}


def test_several_are_queued_together_and_a_known_one_among_them_is_left_alone(box):
    box.enqueue(notification("k1"), MAIL, NOW)
    deliver(box, Answers())
    assert box.enqueue_all([notification("k1"), notification("k2"), notification("k2")], MAIL, NOW) == ["k1", "k2", "k2"]
    assert {p.stem: s for s, p in box.messages()} == {"k1": State.SENT, "k2": State.QUEUED}


def test_what_its_senders_died_with_goes_alone(box):
    """Three messages were in hand at two deaths; the deadly one is set aside in the end, the others arrive."""
    for key in ("k1", "k2", "k3"):
        box.enqueue(notification(key), MAIL, NOW)

    class Poison(Sender):
        together = 0

        async def send(self, message: bytes, sender: str, recipients: Sequence[str]) -> list[Outcome]:
            Poison.together += 1
            await asyncio.sleep(0)
            if b"Message-ID: <k2@" in message:
                raise SystemExit
            await asyncio.sleep(0.05)
            Poison.together -= 1
            return [Outcome(kind=OutcomeKind.SENT, recipient=r, code=250) for r in recipients]

    for _ in range(12):
        try:
            asyncio.run(Outbox(box.folder).deliver_due(Poison(), NOW))
            break
        except SystemExit:
            continue
    states = {p.stem: s for s, p in box.messages()}
    assert states == {"k1": State.SENT, "k2": State.CORRUPT, "k3": State.SENT}

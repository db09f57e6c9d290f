"""The sending half of a daemon: a relay that goes and comes back, a stop, a rival."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from gpualert_slurm.notify import delivery, schedule
from gpualert_slurm.notify.channel import open_channel
from gpualert_slurm.notify.outbox import Outbox, OutboxBusyError, State
from gpualert_slurm.notify.pace import Pace
from gpualert_slurm.notify.stored_message import read
from tests.integration.notify.conftest import mail_through, notification
from tests.integration.notify.relay import Behaviour, Relay


@pytest.fixture(autouse=True)
def fast(monkeypatch):
    monkeypatch.setattr(schedule, "FIRST_DELAY_S", 0.3)
    monkeypatch.setattr(delivery, "FIRST_PAUSE_S", 0.2)


async def until(condition: Callable[[], bool], limit_s: float = 20.0) -> float:
    """Seconds until the condition holds."""
    started = time.monotonic()
    while not condition():
        assert time.monotonic() - started < limit_s, "it did not come about"
        await asyncio.sleep(0.02)
    return time.monotonic() - started


def with_pump(box: Outbox, relay: Relay, scenario: Callable[[asyncio.Event], Awaitable[None]], timeout_s: float = 5.0) -> float:
    """Run the scenario beside a pump; gives how long the pump took to stop."""

    async def run() -> float:
        stop = asyncio.Event()
        task = asyncio.create_task(box.pump(open_channel(mail_through(relay, timeout_s=timeout_s)), stop, poll_s=0.05))
        await scenario(stop)
        stop.set()
        started = time.monotonic()
        await asyncio.wait_for(task, 20)
        return time.monotonic() - started

    return asyncio.run(run())


def test_mail_goes_out_when_the_relay_is_back(relay, tmp_path):
    """Queued while it is away, delivered after, each once."""
    box = Outbox(tmp_path / "box")
    relay.stop()

    async def scenario(stop: asyncio.Event) -> None:
        for i in range(20):
            box.enqueue(notification(f"k{i}"), mail_through(relay))
        await until(lambda: box.state_of("k0") is State.DEFERRED)
        await asyncio.sleep(1.0)
        await asyncio.to_thread(relay.start)
        await until(lambda: all(box.state_of(f"k{i}") is State.SENT for i in range(20)))

    with_pump(box, relay, scenario)
    assert sorted(relay.ids.values()) == [1] * 20


def test_what_is_queued_while_it_runs_goes_out_at_once(relay, tmp_path):
    box = Outbox(tmp_path / "box")

    async def scenario(stop: asyncio.Event) -> None:
        await asyncio.sleep(0.2)
        box.enqueue(notification("k1"), mail_through(relay))
        assert await until(lambda: box.state_of("k1") is State.SENT) < 3

    assert with_pump(box, relay, scenario) < 2


def test_a_stop_waits_for_what_is_in_hand_and_takes_nothing_new(relay, tmp_path):
    box = Outbox(tmp_path / "box")
    for i in range(30):
        box.enqueue(notification(f"k{i:02}"), mail_through(relay))
    relay.behaviour = Behaviour(delay_s=0.3)

    async def scenario(stop: asyncio.Event) -> None:
        await until(lambda: any(s is State.ACTIVE for s, _ in box.messages()))

    assert with_pump(box, relay, scenario) < 5
    states = [s for s, _ in box.messages()]
    assert set(states) == {State.SENT, State.QUEUED}
    assert len(relay.messages) == states.count(State.SENT) <= 2 * delivery.CONCURRENCY


def test_a_second_pump_says_that_there_is_one(relay, tmp_path):
    box = Outbox(tmp_path / "box")

    async def scenario(stop: asyncio.Event) -> None:
        await asyncio.sleep(0.2)
        with pytest.raises(OutboxBusyError):
            await Outbox(box.folder).pump(open_channel(mail_through(relay)), asyncio.Event())

    with_pump(box, relay, scenario)


def test_a_greylisted_message_arrives_at_the_second_try(relay, tmp_path):
    box = Outbox(tmp_path / "box")
    relay.behaviour = Behaviour(rcpt={"*": "451 4.7.1 greylisted"})
    box.enqueue(notification("k1"), mail_through(relay))

    async def scenario(stop: asyncio.Event) -> None:
        await until(lambda: box.state_of("k1") is State.DEFERRED)
        relay.behaviour = Behaviour()
        await until(lambda: box.state_of("k1") is State.SENT)

    with_pump(box, relay, scenario)
    assert relay.ids == {"<k1@hpc.example.org>": 1}


def test_messages_go_side_by_side_to_a_slow_relay(relay, tmp_path):
    """One after the other it would take eight seconds; and no more connections are open than that needs."""
    box = Outbox(tmp_path / "box")
    for i in range(40):
        box.enqueue(notification(f"k{i}"), mail_through(relay))
    relay.behaviour = Behaviour(delay_s=0.2)
    started = time.monotonic()
    asyncio.run(box.deliver_due(open_channel(mail_through(relay))))
    assert len(relay.messages) == 40
    assert time.monotonic() - started < 6
    assert relay.connections <= delivery.CONCURRENCY


def test_a_domain_gets_no_more_than_its_share_and_others_do_not_wait(relay, tmp_path):
    """Six a minute: six go at once; the seventh waits in queued/, uncharged, while another domain's mail goes out."""
    box = Outbox(tmp_path / "box")
    for i in range(8):
        box.enqueue(notification(f"k{i}", "a@slow.example.org"), mail_through(relay))
    box.enqueue(notification("other", "a@example.org"), mail_through(relay))

    async def run() -> None:
        stop = asyncio.Event()
        task = asyncio.create_task(box.pump(open_channel(mail_through(relay)), stop, poll_s=0.05, pace=Pace(4, 6)))
        await until(lambda: box.state_of("other") is State.SENT)
        await asyncio.sleep(0.5)
        stop.set()
        await asyncio.wait_for(task, 10)

    asyncio.run(run())
    assert len(relay.messages) == 7
    waiting = [read(p) for s, p in box.messages() if s is State.QUEUED]
    assert len(waiting) == 2
    assert all(m.journal == () for m in waiting)


def test_a_relay_that_hung_up_between_two_messages_costs_no_message_an_attempt(relay, tmp_path):
    """The connection was idle and is gone when the next message comes: it goes out on a new one at once."""
    box, channel = Outbox(tmp_path / "box"), open_channel(mail_through(relay))

    async def run() -> None:
        for key in ("k1", "k2"):
            box.enqueue(notification(key), mail_through(relay))
            await box.deliver_due(channel)
            relay.hang_up()

    asyncio.run(run())
    assert {box.state_of(k) for k in ("k1", "k2")} == {State.SENT}
    assert relay.ids.total() == 2

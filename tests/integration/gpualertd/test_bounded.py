"""What strangers wrote is judged in a child that can hang, grow or die alone."""

from __future__ import annotations

import errno
import os
import signal
import socket
import time

import pytest

from gpualert_slurm.programs.gpualertd.bounded import MAX_GROWTH_BYTES, MAX_MEMORY_BYTES, Bounded, BoundedError, StoppingError, SuspectError


def fail() -> None:
    raise ValueError("what a report can make a regular expression do")


def grow() -> int:
    return len(bytearray(MAX_MEMORY_BYTES + 1))


def die() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def lie() -> str:
    return "not what was asked for"


class Pickled:
    """What would run in the daemon if it unpickled what a child says."""

    def __reduce__(self):  # type: ignore[no-untyped-def]
        return os.system, ("touch /tmp/never",)


def smuggle() -> object:
    return Pickled()


def connects() -> str:
    """What happens on the way out of the child."""
    try:
        socket.create_connection(("127.0.0.1", 1), timeout=2)
    except OSError as error:
        return str(error.errno)
    return "connected"


def swell() -> int:
    """Grows, and answers well."""
    return len(bytearray(MAX_GROWTH_BYTES + (1 << 20)))


def spoil() -> int:
    """What a call could leave behind for the next ones in its process."""
    os.getppid = None  # type: ignore[assignment]
    return os.getpid()


def parent() -> bool:
    return os.getppid() > 0


@pytest.fixture(scope="module")
def bounded() -> Bounded:
    return Bounded()


def test_an_answer(bounded: Bounded) -> None:
    assert bounded.call(tuple[int, int], divmod, 7, 3, timeout_s=30) == (2, 1)


def test_a_call_costs_milliseconds(bounded: Bounded) -> None:
    """The server process is forked, not started anew: a verdict for each of many jobs."""
    bounded.call(int, len, "abc", timeout_s=30)
    begun = time.monotonic()
    for _ in range(5):
        bounded.call(int, len, "abc", timeout_s=30)
    assert (time.monotonic() - begun) / 5 < 0.5


def test_a_failure_says_which(bounded: Bounded) -> None:
    with pytest.raises(BoundedError, match="ValueError: what a report can"):
        bounded.call(int, fail, timeout_s=30)


def test_an_answer_of_another_type_is_no_answer(bounded: Bounded) -> None:
    with pytest.raises(BoundedError, match="is no int"):
        bounded.call(int, lie, timeout_s=30)  # type: ignore[arg-type]


def test_nothing_but_json_comes_back(bounded: Bounded) -> None:
    """An object that would run code when it is unpickled cannot cross."""
    with pytest.raises(BoundedError, match="serializ"):
        bounded.call(int, smuggle, timeout_s=30)  # type: ignore[arg-type]


def test_the_child_has_no_network(bounded: Bounded) -> None:
    """Not even loopback is up there; where the kernel allows it."""
    if os.geteuid() != 0:
        pytest.skip("user namespaces may be forbidden here")
    assert bounded.call(str, connects, timeout_s=30) == str(errno.ENETUNREACH)


def test_a_hang_is_killed(bounded: Bounded) -> None:
    begun = time.monotonic()
    with pytest.raises(BoundedError, match=r"no answer within 0\.5 s"):
        bounded.call(int, time.sleep, 60, timeout_s=0.5)
    assert time.monotonic() - begun < 5


def test_memory_has_an_end(bounded: Bounded) -> None:
    with pytest.raises(BoundedError, match="MemoryError"):
        bounded.call(int, grow, timeout_s=30)


def test_a_death_is_an_answer(bounded: Bounded) -> None:
    with pytest.raises(BoundedError, match=r"died with -11"):
        bounded.call(int, die, timeout_s=30)


def test_stopping_is_no_verdict() -> None:
    """The daemon stops while something is judged: that is no failure of the job's diagnosis, and takes no time."""
    begun = time.monotonic()
    with pytest.raises(StoppingError):
        Bounded(stopping=lambda: time.monotonic() - begun > 0.5).call(int, time.sleep, 60, timeout_s=60)
    assert time.monotonic() - begun < 5


def test_each_call_tells_the_watchdog(bounded: Bounded, tmp_path, monkeypatch) -> None:
    """A job of ten attempts that each take a minute is not taken for a daemon that hangs: systemd would end it, and find the same job again."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(5)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        bounded.call(tuple[int, int], divmod, 7, 3, timeout_s=30)
        assert systemd.recv(100) == b"WATCHDOG=1"


def test_calls_share_a_child_a_bounded_number_of_them() -> None:
    some = Bounded(calls_per_child=3)
    pids = [some.call(int, os.getpid, timeout_s=30) for _ in range(7)]
    assert [pids.count(pid) for pid in dict.fromkeys(pids)] == [3, 3, 1]
    some.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pids[-1], 0)


def test_a_failure_ends_the_child_and_is_made_again_alone() -> None:
    """The next call never meets what the failed one left; who asks for it hears of the failure first."""
    some = Bounded()
    before = some.call(int, os.getpid, timeout_s=30)
    with pytest.raises(SuspectError, match="died with -11"):
        some.call_shared(int, die, timeout_s=30)
    assert some.call(int, os.getpid, timeout_s=30) != before
    some.close()


def test_the_victim_of_another_call_is_answered_alone() -> None:
    """A call that answered well and spoiled its child costs the next one nothing."""
    some = Bounded()
    spoiled = some.call(int, spoil, timeout_s=30)
    assert some.call(bool, parent, timeout_s=30)
    assert some.call(int, os.getpid, timeout_s=30) != spoiled
    some.close()


def test_a_child_that_grew_serves_no_other() -> None:
    some = Bounded()
    first = some.call(int, os.getpid, timeout_s=30)
    some.call(int, swell, timeout_s=30)
    assert some.call(int, os.getpid, timeout_s=30) != first
    some.close()


def test_in_a_shared_child_a_call_has_less_time_than_alone() -> None:
    """A slow one is given up soon, so that the others go on, and has its whole time alone."""
    some = Bounded(shared_s=0.5)
    assert some.call(type(None), time.sleep, 1.5, timeout_s=30) is None
    with pytest.raises(SuspectError, match=r"no answer within 0\.5 s"):
        some.call_shared(type(None), time.sleep, 1.5, timeout_s=30)
    some.close()

from __future__ import annotations

import time
from pathlib import Path

import pytest

from gpualert_slurm.epilog.bounded_command import CommandError, run


def alive(pid: int) -> bool:
    """Whether the process runs (a zombie does not)."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_output_and_errors() -> None:
    assert run(["printf", r"a\377b"], timeout_s=5).stdout == "a\ufffdb"
    with pytest.raises(CommandError, match="sh ended with 3: no slurmdbd"):
        run(["sh", "-c", "echo no slurmdbd >&2; exit 3"], timeout_s=5)
    with pytest.raises(CommandError, match="no-such-command cannot be run: No such file"):
        run(["no-such-command"], timeout_s=5)


def test_a_hanging_command_is_killed_with_its_children(tmp_path: Path) -> None:
    """Sacct hangs, and so does what it started, which even ignores TERM and has the output open."""
    pids = tmp_path / "pids"
    script = f"(trap '' TERM; echo $BASHPID >> {pids}; sleep 60) & echo $$ >> {pids}; trap '' TERM; sleep 60"
    begun = time.monotonic()
    with pytest.raises(CommandError, match=r"bash did not answer within 0\.5 s and was killed"):
        run(["bash", "-c", script], timeout_s=0.5)
    assert time.monotonic() - begun < 3
    time.sleep(0.1)
    assert [pid for pid in map(int, pids.read_text().split()) if alive(pid)] == []


def test_a_child_left_behind_does_not_hold_us_up() -> None:
    begun = time.monotonic()
    assert run(["bash", "-c", "sleep 60 & echo done"], timeout_s=20).stdout == "done\n"
    assert time.monotonic() - begun < 3


def test_a_command_that_says_too_much_is_killed() -> None:
    with pytest.raises(CommandError, match="said more than 100000 bytes"):
        run(["yes"], timeout_s=20, max_bytes=100_000)


def test_nobody_is_waited_for_when_the_daemon_stops() -> None:
    begun = time.monotonic()
    with pytest.raises(CommandError, match="gpualertd stops"):
        run(["sleep", "60"], timeout_s=60, stopping=lambda: time.monotonic() - begun > 0.2)
    assert time.monotonic() - begun < 3


def test_no_descriptor_is_left_open() -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        run(["true"], timeout_s=5)
    assert len(list(Path("/proc/self/fd").iterdir())) == before

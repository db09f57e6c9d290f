"""What the command prints arrives unchanged where it was going, and in the log."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

WRITER = """
import os, random, sys
random.seed(int(sys.argv[1]))
for _ in range(400):
    os.write(random.choice((1, 2)), random.randbytes(random.choice((1, 7, 100, 4096, 70000))))
"""

PROBE = """
import os, sys
words = []
for fd in 0, 1, 2:
    try:
        os.fstat(fd)
        words.append("open")
    except OSError:
        words.append("closed")
with open(sys.argv[1], "w") as said:
    said.write(" ".join(words))
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_bytes_of_every_kind_pass_unchanged_on_both_streams(gpualert_run, seed: int) -> None:
    """Bytes that are no UTF-8, NULs, no line ends: the same as without, and the same in the log."""
    native = subprocess.run([sys.executable, "-c", WRITER, str(seed)], capture_output=True, check=True)
    done = gpualert_run("--", sys.executable, "-c", WRITER, str(seed))
    assert done.stdout == native.stdout
    assert done.stderr == native.stderr
    assert gpualert_run.log("out") == native.stdout
    assert gpualert_run.log("err") == native.stderr


def test_both_streams_into_one_file_keep_their_order_in_one_log(gpualert_run, tmp_path: Path) -> None:
    with (tmp_path / "both").open("wb") as both:
        gpualert_run("--", "sh", "-c", "for i in 1 2 3; do echo o$i; echo e$i >&2; done", capture_output=False, stdout=both, stderr=both)
    assert (tmp_path / "both").read_bytes() == b"o1\ne1\no2\ne2\no3\ne3\n"
    assert gpualert_run.log("out") == b"o1\ne1\no2\ne2\no3\ne3\n"
    assert gpualert_run.read("run.0.exit.json")["streams"]["err"]["merged"] == "out"


def test_input_is_the_commands(gpualert_run) -> None:
    assert gpualert_run("cat", input=b"in\xff\0put").stdout == b"in\xff\0put"


def test_arguments_pass_as_bytes_and_are_written_down_as_text(gpualert_run) -> None:
    """No UTF-8, brackets, markup, a newline, an escape sequence."""
    words = [b"\xff\xfe[bold]", b"<b>&amp;</b>", b"two\nlines", b"\x1b[31mred", b"", b"'\"\\"]
    done = gpualert_run("--", "sh", "-c", 'for w in "$@"; do printf "%s\\0" "$w"; done', "name", *words)
    assert done.stdout == b"".join(w + b"\0" for w in words)
    assert gpualert_run.read("run.json")["command"][4:] == ["\ufffd\ufffd[bold]", "<b>&amp;</b>", "two\nlines", "\x1b[31mred", "", "'\"\\"]


def test_a_very_long_command_is_cut_in_the_record_only(gpualert_run) -> None:
    done = gpualert_run("--", "sh", "-c", 'printf %s "$1" | wc -c', "name", "x" * 100_000)
    assert done.stdout.strip() == b"100000"
    assert gpualert_run.read("run.json")["command_cut"] is True


@pytest.mark.parametrize("redirection", [">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_descriptors_stay_closed_for_the_command(gpualert_run, redirection: str, tmp_path: Path) -> None:
    """And no file of gpualert's takes their numbers."""
    probe = tmp_path / "probe.py"
    probe.write_text(PROBE)
    said = []
    for program in ("env", f"{gpualert_run.program} --"):
        script = f"{program} {sys.executable} {probe} {tmp_path}/said {redirection}"
        subprocess.run(["sh", "-c", script], env=gpualert_run.environment, check=False, timeout=20)
        said.append((tmp_path / "said").read_text())
    assert said[0] == said[1]
    assert said[0].count("closed") == redirection.count("&-")


def test_a_reader_that_leaves_ends_the_command_as_without(gpualert_run) -> None:
    """``yes | head -1``: the command gets its SIGPIPE, and says so."""
    script = "{} yes | head -1; echo ${{PIPESTATUS[0]}}"
    native = subprocess.run(["bash", "-c", script.format("")], capture_output=True, check=False)
    done = subprocess.run(["bash", "-c", script.format(f"{gpualert_run.program} --")], env=gpualert_run.environment, capture_output=True, check=False, timeout=20)
    assert (done.stdout, done.stderr) == (native.stdout, native.stderr) == (b"y\n141\n", b"")
    assert gpualert_run.read("end.json")["signal"] == signal.SIGPIPE


def test_a_full_disk_at_the_output_does_not_stop_the_command(gpualert_run) -> None:
    with Path("/dev/full").open("wb") as full:
        done = gpualert_run("--", "sh", "-c", "echo lost; echo kept >&2; exit 3", capture_output=False, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (3, b"kept\n")
    assert gpualert_run.read("run.0.exit.json")["streams"]["out"]["output_error"] == "ENOSPC"
    assert gpualert_run.log("out") == b"lost\n"


def test_a_slow_reader_gets_everything(gpualert_run) -> None:
    """More than the backlog, nobody reading for a while: the command waits, nothing is dropped."""
    process = gpualert_run.start("--", "head", "-c", "9000000", "/dev/zero")
    time.sleep(1)
    assert process.poll() is None
    out, _ = process.communicate(timeout=30)
    assert len(out) == 9_000_000
    assert process.returncode == 0


def test_output_beyond_the_cap_is_passed_on_and_the_hole_is_named(gpualert_run) -> None:
    """200 MB: head and tail are kept, memory stays flat."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    with Path(os.devnull).open("wb") as null:
        done = gpualert_run("--", "sh", "-c", "head -c 200000000 /dev/zero; echo the end", capture_output=False, stdout=null, timeout=120)
    stream = gpualert_run.read("run.0.exit.json")["streams"]["out"]
    assert done.returncode == 0
    assert stream["bytes"] == 200_000_008 == stream["head"] + stream["hole"] + stream["tail"]
    assert (stream["reason"], stream["undelivered"]) == ("cap", 0)
    assert gpualert_run.log("out").endswith(b"the end\n")
    if "asan" not in str(gpualert_run.program):
        assert max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss) == before or before < 20_000


def test_a_process_that_outlives_the_command_is_left_alone_and_not_waited_for(gpualert_run, tmp_path: Path) -> None:
    """A daemon with its own stdio."""
    began = time.monotonic()
    done = gpualert_run("--", "sh", "-c", "setsid sleep 30 >/dev/null 2>&1 </dev/null & echo $!; sleep 0.3; exit 5")
    pid = int(done.stdout)
    try:
        assert done.returncode == 5
        assert time.monotonic() - began < 5
        os.kill(pid, 0)
        assert gpualert_run.read("end.json")["output_open"] is False
    finally:
        os.kill(pid, signal.SIGKILL)


def test_what_it_prints_later_still_reaches_its_file(gpualert_run, tmp_path: Path) -> None:
    """It holds the command's output: no SIGPIPE for it, and the bytes arrive."""
    script = f"(sleep 1; echo late; sleep 1; echo later && touch {tmp_path}/alive) & echo first"
    with (tmp_path / "out").open("wb") as out:
        done = gpualert_run("--", "sh", "-c", script, capture_output=False, stdout=out, stderr=out)
    assert done.returncode == 0
    assert (tmp_path / "out").read_bytes() == b"first\n"
    end = time.monotonic() + 10
    while not (tmp_path / "alive").exists() and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.2)
    assert (tmp_path / "out").read_bytes() == b"first\nlate\nlater\n"
    assert gpualert_run.log("out") == b"first\n"
    assert gpualert_run.read("end.json")["output_open"] is True


def test_the_reader_of_a_pipe_waits_two_seconds_for_it_at_most(gpualert_run) -> None:
    began = time.monotonic()
    done = gpualert_run("--", "sh", "-c", "(sleep 0.5; echo soon; sleep 20; echo never) & echo first")
    assert done.stdout == b"first\nsoon\n"
    assert time.monotonic() - began < 6


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a small file system")
@pytest.mark.parametrize("size", ["4k", "24k", "64k"])
def test_a_full_disk_below_the_bundle_costs_the_copy_not_the_command(gpualert_run, tmp_path: Path, size: str) -> None:
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", small], check=True)
    try:
        environment = gpualert_run.environment | {"XDG_STATE_HOME": str(small)}
        done = gpualert_run("--", "sh", "-c", "head -c 200000 /dev/zero | tr '\\0' x; exit 5", env=environment)
        time.sleep(0.3)  # its guardian still writes there
    finally:
        subprocess.run(["umount", "--lazy", small], check=True)
    assert (done.returncode, done.stdout) == (5, b"x" * 200_000)


@pytest.mark.parametrize("limit", ["-n 12", "-f 8", "-u 1"])
def test_narrow_limits_of_the_user_do_not_change_the_commands_end(gpualert_run, limit: str) -> None:
    """Few descriptors, small files: capture may fail, and says so; the command runs."""
    script = f"ulimit {limit}; exec {gpualert_run.program} -- sh -c 'echo out; exit 6'"
    done = subprocess.run(["bash", "-c", script], env=gpualert_run.environment, capture_output=True, check=False, timeout=30)
    assert done.returncode == 6, done.stderr
    assert done.stdout == b"out\n"



"""The capture core under a small parent of tasks: every byte in log and output, nothing that hangs it, nothing it changes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.time_index import TimeIndex
from tests.bench.own_disk import OwnDisk

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"
KINDS = {"build": "driver", "build/asan": "asan", "build/tsan": "tsan"}


@pytest.fixture(scope="session", params=KINDS)
def driver(request):
    """The driver as it is shipped, under address and undefined-behaviour sanitizers, and under the thread sanitizer."""
    made = subprocess.run(["make", "-s", "-C", str(PLUGIN), KINDS[request.param]], check=False, capture_output=True, text=True)
    if made.returncode != 0 and "cannot find -l" in made.stderr:
        pytest.skip(f"this compiler comes without the sanitizer's library: {made.stderr.splitlines()[-1]}")
    assert made.returncode == 0, made.stderr
    return PLUGIN / request.param / "capture-driver"


class Run:
    """One run of the driver and what it left."""

    def __init__(self, folder: Path, done: subprocess.CompletedProcess[bytes], wall_s: float) -> None:
        self.folder, self.done, self.wall_s = folder, done, wall_s
        self.record = ExitRecord.read(folder / "0.0.exit.json")

    def log(self, stream="out", task=0) -> bytes:
        """The stream's bytes that the log has, head and tail."""
        path = self.folder / f"0.{task}.{stream}"
        frame = LogFrame.read(path)
        assert frame.problem is None, frame.problem
        content = path.read_bytes()
        return content[frame.start : frame.start + frame.head] + content[frame.tail_start : frame.tail_start + frame.tail]


@pytest.fixture(params=[(), ("own_table=1",)], ids=["one_table", "own_table"])
def run(driver, tmp_path, request):
    """``run(command, "key=value", …)``: the driver over the command; sanitizer reports fail the test. With one table of descriptors, and with two."""

    def start(command, *options, timeout_s=60, **more):
        folder = tmp_path / f"logs{time.monotonic_ns()}"
        folder.mkdir()
        words = command if isinstance(command, list) else ["sh", "-c", command]
        start_s = time.monotonic()
        more.setdefault("stdout", subprocess.PIPE)
        done = subprocess.run([str(driver), str(folder), *request.param, *options, "--", *words], stderr=subprocess.PIPE, timeout=timeout_s, check=False, **more)
        assert b"Sanitizer" not in done.stderr, done.stderr.decode()
        return Run(folder, done, time.monotonic() - start_s)

    return start


def test_bytes_arrive_in_log_and_output(run):
    """What a task writes is, byte for byte, in its log and in its output, with the exit code unchanged."""
    r = run("printf 'out\\0\\377'; printf err >&2; exit 3")
    assert (r.done.returncode, r.done.stdout, r.done.stderr) == (3, b"out\0\xff", b"err")
    assert (r.log("out"), r.log("err")) == (b"out\0\xff", b"err")
    assert r.record.rank_exit().exit_code == 3
    assert r.record.exited_by == "pidfd"


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_a_signal_stays_a_signal(run, number):
    """A task killed by a signal is recorded so, and what it wrote before is kept."""
    r = run(f"echo last words; kill -{int(number)} $$")
    assert r.done.returncode == 128 + number
    assert r.record.rank_exit().signal == number
    assert r.log() == b"last words\n"


def test_a_command_that_does_not_exist_leaves_its_message(run):
    """An exec that fails: the message and the errno as exit code, in log and output."""
    r = run(["/nonexistent/program"])
    assert r.done.returncode == 2
    assert b"No such file" in r.log("err")
    assert r.done.stderr == r.log("err")


def test_large_output_is_whole(run, tmp_path):
    """64 MiB through one pipe into a file and a log with room for it."""
    out = tmp_path / "out"
    r = run([sys.executable, "-c", "import sys\nfor i in range(64): sys.stdout.buffer.write(bytes([i]) * (1 << 20))"], f"out={out}", "head=100000000")
    expected = b"".join(bytes([i]) * (1 << 20) for i in range(64))
    assert out.read_bytes() == expected
    assert r.log() == expected


@pytest.mark.parametrize("where", ["pipe", "file"])
def test_beyond_the_cap_the_output_is_whole_and_the_log_has_head_and_tail(run, tmp_path, where):
    """Past the cap the log has the first bytes, the last ones, and the size of the hole between them."""
    code = "import sys\nfor i in range(300000): sys.stdout.write(f'line {i}\\n')"
    out = tmp_path / "out"
    r = run([sys.executable, "-c", code], "head=100000", "tail=65536", *([f"out={out}"] if where == "file" else []))
    expected = b"".join(b"line %d\n" % i for i in range(300000))
    assert (out.read_bytes() if where == "file" else r.done.stdout) == expected
    stream = r.record.streams.out
    assert stream is not None
    assert (stream.bytes, stream.head, stream.reason) == (len(expected), 100000, "cap")
    assert stream.head + stream.hole + stream.tail == stream.bytes
    assert stream.tail >= 32768
    kept = r.log()
    assert kept[:100000] == expected[:100000]
    assert kept[100000:] == expected[-stream.tail :]
    assert b"#gpualert-hole" in (r.folder / "0.0.out").read_bytes()


def test_an_output_a_little_beyond_the_cap_has_no_hole(run):
    """What the ring still holds at the end is appended: nothing is cut that need not be."""
    r = run("head -c 120000 /dev/zero", "head=100000", "tail=65536")
    assert len(r.log()) == 120000
    assert r.record.streams.out is not None
    assert r.record.streams.out.hole == 0


def test_one_file_for_both_streams_keeps_their_order(run, tmp_path):
    """Stdout and stderr that are one file are one log, in the order written."""
    out = tmp_path / "both"
    r = run("for i in 1 2 3 4 5; do echo o$i; echo e$i >&2; done", f"out={out}", f"err={out}")
    expected = b"".join(b"o%d\ne%d\n" % (i, i) for i in range(1, 6))
    assert out.read_bytes() == expected
    assert r.log("out") == expected
    assert r.log("err") == b""
    assert [log.stream for log in r.record.rank_logs(r.folder, r.folder)] == ["both"]


def test_many_tasks_stay_apart(run):
    """Eight tasks that write at once: each log has its own task's lines only."""
    r = run("for i in $(seq 200); do echo task $TASK line $i; done", "tasks=8")
    for task in range(8):
        assert r.log(task=task) == b"".join(b"task %d line %d\n" % (task, i) for i in range(1, 201))
    assert len(r.done.stdout.splitlines()) == 1600


def test_a_full_output_is_noted_once_and_capture_goes_on(run):
    """Output to a full disk: the task is not told, the log has all, the record says what the output lacks."""
    r = run("for i in 1 2 3; do echo line $i; done", "out=/dev/full")
    stream = r.record.streams.out
    assert r.done.returncode == 0
    assert r.log() == b"line 1\nline 2\nline 3\n"
    assert stream is not None
    assert (stream.output_error, stream.output_error_at, stream.undelivered) == ("ENOSPC", 0, 21)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a tmpfs needs root")
def test_a_full_log_switches_to_forwarding(run, tmp_path):
    """Our own full disk is not the job's: the output is whole, the record says why the log is not."""
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "gpualert-test", str(small)], check=True)
    try:
        done = subprocess.run([str(PLUGIN / "build/capture-driver"), str(small), "--", "head", "-c", "1000000", "/dev/zero"],
                              capture_output=True, timeout=60, check=False)
        assert done.stdout == bytes(1000000)
        log = (small / "0.0.out").read_bytes()
        assert 50000 < len(log) <= 131072
    finally:
        subprocess.run(["umount", str(small)], check=True)


def test_an_output_whose_reader_went_reaches_the_task(run):
    """``command | head``: the task gets SIGPIPE as it would without us, instead of running on for ever."""
    ours, theirs = os.pipe()
    os.close(ours)
    r = run("yes", stdout=theirs, timeout_s=30)
    os.close(theirs)
    assert r.done.returncode == 128 + signal.SIGPIPE
    assert r.record.streams.out is not None
    assert r.record.streams.out.ended == "output_closed"


def test_a_daemon_that_keeps_the_pipe_holds_nobody_up(run):
    """A grandchild that never lets go of stdout: the end comes within the bounds, and what it wrote before is kept."""
    r = run("echo before; (sleep 30 >&2 2>&1 & echo child $!) ; (setsid sleep 30 & echo $!)", "linger=300")
    for line in r.done.stdout.split():
        if line.isdigit():
            os.kill(int(line), signal.SIGKILL)
    assert r.wall_s < 10
    assert r.log().startswith(b"before\n")
    assert r.record.streams.out is not None
    assert r.record.streams.out.ended == "deadline"


def test_a_blocked_output_makes_the_task_wait_and_loses_nothing(run, tmp_path):
    """A slow reader: backlog up to its bound in the log, then back-pressure, in the end every byte."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = subprocess.Popen(["sh", "-c", f"sleep 1; cat < {fifo} > {tmp_path}/read"])
    r = run("head -c 20000000 /dev/zero", f"out={fifo}", "backlog=1000000", "tail=65536", "head=2000000")
    reader.wait(timeout=30)
    assert (tmp_path / "read").stat().st_size == 20000000
    assert r.record.streams.out is not None
    assert r.record.streams.out.undelivered == 0


def test_an_output_that_takes_nothing_is_given_up_at_the_end(run, tmp_path):
    """A reader that never reads: the task's end is not held up beyond the stall bound, and the loss is counted."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    keep = os.open(fifo, os.O_RDWR | os.O_NONBLOCK)
    r = run("head -c 500000 /dev/zero", f"out={fifo}", "stall=500")
    os.close(keep)
    stream = r.record.streams.out
    assert r.wall_s < 10
    assert len(r.log()) == 500000
    assert stream is not None
    assert 0 < stream.undelivered < 500000


def test_the_owner_may_cut_the_log_while_it_is_written(run):
    """Truncating one's own log neither hangs nor crashes capture, nor takes bytes from the output."""
    r = run("logs=$(tr '\\0' '\\n' < /proc/$PPID/cmdline | sed -n 2p); for i in $(seq 300); do echo line $i; : > $logs/0.0.out; done")
    assert r.done.returncode == 0
    assert r.done.stdout == b"".join(b"line %d\n" % i for i in range(1, 301))


def test_slurmstepds_own_words_are_kept(run):
    """What the parent prints on its stderr after the first task started goes to its log and to where it went before."""
    r = run("echo task >&2", "own_stderr=1", "own_says=CANCELLED DUE TO TIME LIMIT")
    assert (r.folder / "0.stepd.log").read_bytes() == b"CANCELLED DUE TO TIME LIMIT\n"
    assert b"CANCELLED DUE TO TIME LIMIT\n" in r.done.stderr


def test_who_reads_where_fd_2_went_sees_its_end_when_the_parent_lets_go_of_it(run, driver):
    """Slurmstepd points its fd 2 elsewhere once its tasks are gone, and waits for the end of its tasks' outputs before it calls us again."""
    if driver.parent.name == "tsan":
        pytest.skip("ThreadSanitizer takes two threads' dup2 onto one number, which the kernel orders, for a race")
    r = run("echo task >&2", "own_stderr=1", "lets_go=1")
    assert r.done.returncode == 0, r.done.stderr
    assert r.wall_s < 5


def test_a_log_disk_that_hangs_keeps_nobody_from_that_end(driver):
    """The tasks run as if we were not there after their two seconds, and slurmstepd's reader does not wait for the disk: a disk in a file of one that is frozen."""
    if driver.parent.name == "tsan":
        pytest.skip("ThreadSanitizer takes two threads' dup2 onto one number, which the kernel orders, for a race")
    with OwnDisk() as below:
        if below.path is None:
            pytest.skip(below.why)
        image, logs = below.path / "image", below.path / "logs"
        logs.mkdir()
        with image.open("wb") as file:
            file.truncate(64 << 20)
        for argv in (["mkfs.ext4", "-q", str(image)], ["mount", "-o", "loop", str(image), str(logs)]):
            subprocess.run(argv, check=True, capture_output=True, timeout=60)
        try:
            words = [str(driver), str(logs), "own_table=1", "own_stderr=1", "lets_go=1", f"frozen={below.path}", "--", "sh", "-c", "echo task; exit 5"]
            done = subprocess.run(words, capture_output=True, timeout=60, check=False)
        finally:
            subprocess.run(["umount", str(logs)], check=True, capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (5, b"task\n"), done.stderr


def test_closed_descriptors_are_left_closed(run):
    """A stream that does not exist is recorded as such; the other one is captured."""
    r = run("echo visible; echo gone >&2", "err=/dev/null")
    assert r.log() == b"visible\n"
    assert r.log("err") == b"gone\n"


def test_the_time_index_says_when(run):
    """Bytes written a second apart arrive a second apart; the end gives the length."""
    before = time.time_ns()
    r = run("echo one; sleep 1; echo two; sleep 0.3; echo e >&2")
    index = TimeIndex.read(r.folder / "0.0.idx")
    assert index.problem is None
    one, two = index.arrival(0), index.arrival(4)
    assert one is not None
    assert two is not None
    assert before < one[0] < two[0] < time.time_ns()
    assert 0.9e9 < two[0] - one[0] < 1.5e9
    assert (index.length("out"), index.length("err")) == (8, 2)
    assert r.record.boot_id == index.boot_id == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_the_time_index_is_bounded(run):
    """A task that writes 20 000 lines in a second or two gets some tens of records, not 20 000."""
    r = run([sys.executable, "-uc", "for i in range(20000): print(i)"])
    assert (r.folder / "0.0.idx").stat().st_size < 64 + 32 * (r.wall_s * 10 + 5) * 2


def test_random_writers_lose_nothing(run, tmp_path):
    """Several processes, both streams, random sizes and pauses: per stream the same bytes in log and output."""
    seed = random.randrange(1 << 30)
    code = (
        "import os,random,sys,time\n"
        f"r=random.Random({seed}+int(os.environ['TASK']))\n"
        "for _ in range(200):\n"
        " os.write(r.choice((1,2)), bytes(r.choices(range(256),k=r.choice((1,10,4096,70000)))))\n"
        " time.sleep(r.choice((0,0,0,0.001)))\n"
    )
    out, err = tmp_path / "out", tmp_path / "err"
    r = run([sys.executable, "-c", code], f"out={out}", f"err={err}")
    assert r.log("out") == out.read_bytes(), seed
    assert r.log("err") == err.read_bytes(), seed

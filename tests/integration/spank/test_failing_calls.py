"""Whatever libc refuses the plugin: the job runs, every entry point says 0, nothing hangs, leaks or is left half made."""

from __future__ import annotations

import errno
import itertools
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.time_index import TimeIndex

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"
ASKED = "opt:gpualert-mail=alice@example.org"
TASK = "printf 'out\\n'; printf 'err\\n' >&2; exit 7"
# What each function says when it cannot: the errno a kernel gives for it, or two that lead elsewhere.
FAILURES: dict[str, tuple[int, ...]] = {
    "access": (errno.EACCES,), "adjtimex": (errno.EPERM,), "dup2": (errno.EBUSY,), "dup3": (errno.EBUSY,), "eventfd": (errno.EMFILE,), "faccessat": (errno.EIO,),
    "fchmod": (errno.EROFS,), "fchown": (errno.EPERM,), "fchownat": (errno.EPERM,), "flock": (errno.ENOLCK,), "fopen": (errno.EMFILE,),
    "fstat": (errno.EIO,), "fstatfs": (errno.EIO,), "fstatvfs": (errno.EIO,), "statx": (errno.ENOSYS, errno.EIO), "fsync": (errno.EIO,), "ftruncate": (errno.EIO,), "futimens": (errno.EPERM,), "readlink": (errno.ENOENT,), "__getdelim": (errno.EIO,),
    "gethostname": (errno.EPERM,), "getrandom": (errno.EAGAIN,), "getrlimit": (errno.EPERM,), "linkat": (errno.EMLINK, errno.ENOSPC),
    "mkdirat": (errno.ENOSPC,), "mmap": (errno.ENOMEM,), "pipe2": (errno.EMFILE,), "poll": (errno.ENOMEM, errno.EINTR), "ppoll": (errno.ENOMEM, errno.EINTR), "pread": (errno.EIO,),
    "pthread_attr_init": (errno.ENOMEM,), "pthread_attr_setstacksize": (errno.EINVAL,), "pthread_create": (errno.EAGAIN,),
    "pwrite": (errno.ENOSPC, errno.EINTR), "read": (errno.EIO, errno.EINTR), "readv": (errno.ENOMEM, errno.EINTR), "recvmsg": (errno.ENOMEM, errno.EINTR),
    "renameat": (errno.ENOSPC,), "sendmsg": (errno.ETOOMANYREFS, errno.EINTR), "setrlimit": (errno.EPERM,), "setsockopt": (errno.ENOBUFS,),
    "socketpair": (errno.EMFILE,), "sync_file_range": (errno.EIO,), "unlinkat": (errno.EROFS,), "write": (errno.ENOSPC, errno.EINTR),
    "fcntl": (errno.EMFILE,), "open": (errno.EMFILE,), "openat": (errno.EMFILE, errno.ENOSPC), "prctl": (errno.EINVAL,),
    "syscall": (errno.ENOSYS,), "close": (errno.EIO,), "malloc": (errno.ENOMEM,), "calloc": (errno.ENOMEM,),
}
# Functions that cannot fail as the plugin calls them, or that ask nothing of the kernel.
HARMLESS = {
    "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__cxa_finalize", "__errno_location", "__gmon_start__", "__isoc99_sscanf",
    "__stack_chk_fail", "clock_gettime", "fclose", "free", "getenv", "geteuid", "getpid", "gnu_dev_major", "gnu_dev_minor", "isatty", "memchr", "memcpy", "memmove", "memset",
    "munmap", "nanosleep", "pthread_attr_destroy", "pthread_cond_broadcast", "pthread_cond_init", "pthread_cond_signal", "pthread_cond_timedwait", "pthread_cond_wait", "pthread_join",
    "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_unlock", "pthread_sigmask", "qsort", "sigfillset", "snprintf",
    "sscanf", "strchr", "strcmp", "strcspn", "strerror", "strlen", "strncmp", "strrchr", "strspn", "strstr", "strtok_r", "strtol", "strtoll", "strtoull",
    "slurm_debug", "slurm_error", "slurm_info", "slurm_verbose", "spank_context", "spank_get_item", "spank_getenv", "spank_job_control_setenv",
    "spank_option_register", "spank_setenv",
}


@dataclass
class Run:
    """One run of all callbacks over two tasks: how it ended, what the tasks' output got, and its state folder."""

    code: int
    out: bytes
    err: bytes
    wall_s: float
    state: Path
    calls: dict[str, int]
    words: str = ""

    def wrong(self) -> str:
        """What is wrong with it, empty when nothing is."""
        wrong = []
        if self.code != 7:
            wrong.append(f"ended with {self.code}")
        if self.wall_s > 25:
            wrong.append(f"took {self.wall_s:.1f} s")
        if (self.out.count(b"out\n"), self.err.count(b"err\n")) != (2, 2) and not self.says_what_the_output_lacks():
            wrong.append(f"output lost without a word: {self.out!r} {self.err!r}")
        return "; ".join([*wrong, *self.unreadable()])

    def records(self) -> list[ExitRecord]:
        """Exit records that can be found."""
        return [record for path in self.state.glob("node/n1/jobs/*") for record in ExitRecord.read_folder(JobFile.read(path).record_folder)[0]]

    def says_what_the_output_lacks(self) -> bool:
        """A record, or a log's footer where records cannot be written either, that counts the bytes the job's own output did not take."""
        streams = [stream for record in self.records() if record.streams for stream in (record.streams.out, record.streams.err) if stream]
        footers = [frame.footer for log in self.state.glob("logs/*/*.*") if (frame := LogFrame.read(log)).footer]
        return any(stream.undelivered or stream.ended in {"read_error", "deadline"} for stream in streams) or any(footer.undelivered for footer in footers)

    def unreadable(self) -> list[str]:
        """Files that the project's own readers do not take."""
        wrong = []
        for path in [*self.state.glob("node/n1/jobs/*"), *self.state.glob("node/n1/ended/*"), *self.state.glob("node/n1/byjob/*")]:
            job = JobFile.read(path)
            _, problems = ExitRecord.read_folder(job.record_folder)
            wrong += [f"{path.name}: {problem}" for problem in problems]
            for log in (*job.log_folder.glob("*.out"), *job.log_folder.glob("*.err")):
                LogFrame.read(log)  # must not raise; a log without a footer is one that a crash left
            for index in job.record_folder.glob("*.idx"):
                TimeIndex.read(index)
            wrong += [f"left: {left.name}" for left in job.record_folder.glob(".*")]
        return wrong


@pytest.fixture(scope="module")
def build() -> Path:
    """The stub with failing calls, and the plugin; GPUALERT_BUILD=asan: under a sanitizer."""
    if not Path("/usr/include/slurm/spank.h").exists():
        pytest.skip("slurm/spank.h is missing (Debian: libslurm-dev): no plugin can be built here")
    kind = os.environ.get("GPUALERT_BUILD", "plugin")
    done = subprocess.run(["make", "-s", "-C", str(PLUGIN), kind], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return PLUGIN / "build" / ("" if kind == "plugin" else kind)


@pytest.fixture
def run(build: Path, tmp_path: Path):
    """``run("write:3:28")``: all callbacks, the third write failing with ENOSPC; without words: none."""
    numbers = itertools.count()

    def go(fail: str = "", *, later_step: bool = False, pipes: bool = False) -> Run:
        folder = tmp_path / str(next(numbers))
        state = folder / "state"
        state.mkdir(parents=True)
        state.chmod(0o711)
        if later_step:
            assert once(folder, state, "", "step=0", pipes=False).code == 7
        done = once(folder, state, fail, "step=1", pipes=pipes)
        done.words = done.wrong()
        if not done.words:
            shutil.rmtree(folder)
        return done

    def once(folder: Path, state: Path, fail: str, step: str, *, pipes: bool) -> Run:
        argv = [str(build / "spank-stub-failing"), str(build / "gpualert.so"), "remote", f"plug:state_dir={state}", f"plug:off_file={folder}/off",
                "plug:min_free_mib=1", ASKED, "tasks=2", step, "--", "sh", "-c", TASK]
        env = {"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", "CALLS": str(folder / "calls"), "ASAN_OPTIONS": "detect_leaks=0", **({"FAIL": fail} if fail else {})}
        began = time.monotonic()
        if pipes:
            done = subprocess.run(argv, env=env, check=False, capture_output=True, timeout=60)
            out, err = done.stdout, done.stderr
        else:
            with (folder / "out").open("wb") as to, (folder / "err").open("wb") as too:
                done = subprocess.run(argv, env=env, check=False, stdout=to, stderr=too, timeout=60)
            out, err = (folder / "out").read_bytes(), (folder / "err").read_bytes()
        calls = dict(line.split() for line in (folder / "calls").read_text().splitlines()) if (folder / "calls").exists() else {}
        return Run(done.returncode, out, err, time.monotonic() - began, state, {name: int(count) for name, count in calls.items()})

    return go


def test_every_call_that_can_fail_is_covered(build: Path) -> None:
    """A new function in the plugin's imports has to be sorted: it fails in these tests, or it cannot."""
    listed = subprocess.run(["nm", "-D", "--undefined-only", str(PLUGIN / "build" / "gpualert.so")], capture_output=True, text=True, check=True).stdout
    imports = {line.split()[-1].partition("@")[0] for line in listed.splitlines()}
    assert imports - HARMLESS - FAILURES.keys() == set()


def test_nothing_fails_on_its_own(run) -> None:
    """Without a failure both tasks are captured whole, and every function is counted."""
    done = run()
    assert done.words == ""
    assert done.calls.keys() >= FAILURES.keys() - {"malloc", "calloc"}
    assert done.calls["write"] > 3


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", FAILURES)
def test_the_nth_call_fails(run, name: str) -> None:
    """For every n, alone and with all later ones: a first step, a step that joins, files and pipes as output."""
    wrong = []
    with ThreadPoolExecutor(4) as pool:  # they wait for bounds more than they work
        for later_step, pipes in ((False, False), (True, True)):
            count = run(later_step=later_step, pipes=pipes).calls.get(name, 0)
            fails = [f"{name}:{nth}{on}:{why}" for why in FAILURES[name] for nth in range(1, count + 1) for on in ("", "+")]
            fails = [fail for fail in fails if not fail.endswith(f"+:{errno.EINTR}")]  # interrupted for ever: no kernel does that
            done = pool.map(lambda fail, later=later_step, through=pipes: run(fail, later_step=later, pipes=through).words, fails)
            wrong += [f"{fail}{' later step, pipes' if later_step else ''}: {words}" for fail, words in zip(fails, done, strict=True) if words]
    assert not wrong, "\n".join(wrong)

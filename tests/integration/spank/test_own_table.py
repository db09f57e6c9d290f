"""Slurmstepd's table of descriptors does not grow by what tasks need: each doubling of it would hold up the launch for a grace period of RCU."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.rank_log import LogFrame

TASK = "echo said; echo more >&2; sleep 0.3; ls /proc/$PPID/fd | sort -n | tail -n 1 >&4; ls /proc/$PPID/task >&4"
NO_CLOSE_RANGE = f"syscall:1+:{errno.ENOSYS}"


def highest(build: Path, folder: Path, tasks: int, task: str = TASK, stub: str = "spank-stub", **env: str) -> int:
    """The highest descriptor that the step's own process has while its tasks run; every log has what its task said."""
    state, told = folder / f"state{tasks}", folder / f"told{tasks}"
    state.mkdir()
    state.chmod(0o711)
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" 4> {told}', "sh", str(build / stub), str(build / "gpualert.so"), "remote", f"plug:state_dir={state}", "plug:off_file=/none",
         "plug:min_free_mib=1", "opt:gpualert-mail=alice@example.org", f"tasks={tasks}", "--", "sh", "-c", task],
        env={"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", **env}, check=False, capture_output=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (job,) = state.glob("node/n1/jobs/*")
    records, wrong = ExitRecord.read_folder(JobFile.read(job).record_folder)
    assert not wrong
    assert [(r.streams.out.bytes, r.streams.err.bytes, r.streams.out.log_error) for r in records if r.streams] == [(5, 5, None)] * tasks
    logs = sorted(state.glob("logs/*/*.*"))
    assert [LogFrame.read(log).footer.head for log in logs] == [5] * 2 * tasks
    return int(told.read_text().split()[0])


def test_it_is_as_large_for_sixteen_tasks_as_for_one(build, tmp_path):
    """Two logs, an index, two inputs, two outputs and a pidfd a task lie in the drain thread's own table."""
    assert highest(build, tmp_path, 16) == highest(build, tmp_path, 1) < 32


def test_where_the_kernel_has_no_close_range_all_is_as_well(build, tmp_path):
    """Before Linux 5.9: one table, and a longer launch."""
    assert highest(build, tmp_path, 16, stub="spank-stub-failing", FAIL=NO_CLOSE_RANGE) > 100


def test_what_the_thread_does_not_need_is_not_held_open_by_it(build, tmp_path):
    """A pipe that slurmstepd closes is closed: the tasks of the stub wait for just that, and start."""
    assert highest(build, tmp_path, 2, task="echo said; echo more >&2; echo 0 >&4") == 0


def test_without_sockets_the_step_keeps_its_standard_input(build, tmp_path):
    """Capture is off then, and nothing is closed that it had not opened."""
    state = tmp_path / "state"
    state.mkdir(mode=0o711)
    argv = [str(build / "spank-stub-failing"), str(build / "gpualert.so"), "remote", f"plug:state_dir={state}", "plug:off_file=/none", "plug:min_free_mib=1",
            "opt:gpualert-mail=alice@example.org", "--", "sh", "-c", "test -e /proc/$PPID/fd/0"]  # fmt: skip
    env = {"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", "FAIL": f"socketpair:1:{errno.EMFILE}"}
    assert subprocess.run(argv, env=env, check=False, capture_output=True, stdin=subprocess.DEVNULL, timeout=60).returncode == 0

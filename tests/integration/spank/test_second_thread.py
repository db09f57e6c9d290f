"""The thread for outputs that may block: there when one is, and not before."""

from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path

THREADS = "sleep 0.2; cat /proc/$PPID/task/*/comm >&3"


def threads(build: Path, state: Path, *, stdout: int, stub: str = "spank-stub", **env: str) -> tuple[list[str], int]:
    """The names of the step's threads while its one task runs, and how the step ended."""
    state.mkdir()
    state.chmod(0o711)
    names = state.parent / "names"
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" 3> {names}', "sh", str(build / stub), str(build / "gpualert.so"), "remote", f"plug:state_dir={state}",
         "plug:off_file=/none", "plug:min_free_mib=1", "opt:gpualert-mail=alice@example.org", "--", "sh", "-c", f"echo said; {THREADS}"],
        env={"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1", **env}, check=False, stdout=stdout, stderr=subprocess.PIPE, timeout=60,
    )  # fmt: skip
    return names.read_text().split(), done.returncode


def test_outputs_that_are_pipes_need_one_thread(build, tmp_path):
    """Each thread costs slurmstepd an answer at each of its changes of user id (nptl(7))."""
    reader, writer = os.pipe()
    assert threads(build, tmp_path / "state", stdout=writer) == (["spank-stub", "gpualert-drain"], 0)
    os.close(writer)
    with os.fdopen(reader, "rb") as said:
        assert said.read() == b"said\n"


def test_an_output_that_is_a_file_has_a_thread_of_its_own(build, tmp_path):
    """A write to it may take for ever."""
    with (tmp_path / "out").open("wb") as out:
        names, code = threads(build, tmp_path / "state", stdout=out.fileno())
    assert (sorted(names), code) == (["gpualert-drain", "gpualert-fwd", "spank-stub"], 0)
    assert (tmp_path / "out").read_text() == "said\n"


def test_where_that_thread_cannot_be_had_the_task_keeps_its_outputs(build, tmp_path):
    """Not captured, and the record says so; what it prints goes where it went."""
    with (tmp_path / "out").open("wb") as out:
        names, code = threads(build, tmp_path / "state", stdout=out.fileno(), stub="spank-stub-failing", FAIL=f"pthread_create:2+:{errno.EAGAIN}")
    assert "gpualert-fwd" not in names
    assert code == 0
    assert (tmp_path / "out").read_text() == "said\n"
    (record,) = (tmp_path / "state").glob("node/n1/*/0.0.exit.json")
    assert '"why_not":"no_handshake"' in record.read_text()

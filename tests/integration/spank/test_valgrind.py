"""Under valgrind: no byte read before it was written, nothing lost on the heap, no descriptor left; in the plugin and in the capture core."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PLUGIN = Path(__file__).resolve().parents[3] / "spank" / "plugin"
VALGRIND = ["valgrind", "--error-exitcode=96", "--leak-check=full", "--errors-for-leak-kinds=definite,indirect", "--track-fds=yes", "--child-silent-after-fork=yes"]
ASKED = "opt:gpualert-mail=alice@example.org"
pytestmark = pytest.mark.skipif(shutil.which("valgrind") is None, reason="valgrind is not installed: make sanitize installs and runs it")


@pytest.fixture(scope="module", autouse=True)
def _built() -> None:
    if not Path("/usr/include/slurm/spank.h").exists():
        pytest.skip("slurm/spank.h is missing (Debian: libslurm-dev): no plugin can be built here")
    subprocess.run(["make", "-s", "-C", str(PLUGIN), "plugin", "driver"], check=True, capture_output=True)


def _valgrind(folder: Path, *argv: str, expect: int) -> None:
    """Runs it, from a process that has no descriptors but the standard ones."""
    report = folder / "valgrind.txt"
    env = {"PATH": os.environ["PATH"], "SLURMD_NODENAME": "n1"}
    done = subprocess.run([*VALGRIND, f"--log-file={report}", *argv], check=False, capture_output=True, timeout=120, env=env)
    said = report.read_text()
    assert done.returncode == expect, said
    # valgrind's own log is the fourth; what is inherited is not the program's.
    opened = re.findall(r"Open file descriptor \d+:(?! /dev/null)[^\n]*\n==\d+==    at ", said)
    assert not opened, said


@pytest.mark.parametrize("words", [
    ("remote", ASKED, "tasks=3"), ("remote", "tasks=2"), ("remote", ASKED, "plug:job_max_logs=2", "tasks=2"), ("allocator", ASKED), ("slurmd", "plug:nonsense=1"),
    ("remote", "opt:gpualert-mail=a@@b"),
])
def test_every_callback(tmp_path: Path, words: tuple[str, ...]) -> None:
    """All callbacks of slurmstepd, of a client and of slurmd."""
    state = tmp_path / "state"
    state.mkdir(mode=0o711)
    context, *rest = words
    plugs = [f"plug:state_dir={state}", f"plug:off_file={tmp_path}/off", "plug:min_free_mib=1"]
    build = PLUGIN / "build"
    _valgrind(tmp_path, str(build / "spank-stub"), str(build / "gpualert.so"), context, *plugs, *rest, "--", "sh", "-c", "echo out; echo err >&2; exit 7",
              expect=7 if context == "remote" else 0)


@pytest.mark.parametrize("options", [(), ("tasks=4",), ("head=1000", "tail=65536"), ("own_stderr=1", "own_says=words"), ("tasks=4", "own_table=1")])
def test_the_capture_core(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Tasks that print more than a head takes."""
    _valgrind(tmp_path, str(PLUGIN / "build" / "capture-driver"), str(tmp_path), *options, "--", "sh", "-c", "seq 30000; seq 10 >&2; exit 3", expect=3)

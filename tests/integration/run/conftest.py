"""gpualert-run as users call it: the built program, a state folder of its own, and its bundle afterwards."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.integration.run.waiting import until

TOP = Path(__file__).parents[3]
PLUGIN = TOP / "spank" / "plugin"
SANITIZE = "-fsanitize=address,undefined -fno-sanitize-recover=all"


@dataclass
class Runner:
    """Calls gpualert-run with one state folder; ``bundle`` is that of the last call."""

    program: Path
    state: Path
    environment: dict[str, str]
    started: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def __call__(self, *words: str | bytes, timeout: float = 30, **how: Any) -> subprocess.CompletedProcess[bytes]:
        how = {"capture_output": True, "env": self.environment, **how}
        return subprocess.run([self.program, *words], timeout=timeout, check=False, **how)

    def start(self, *words: str, **how: Any) -> subprocess.Popen[bytes]:
        how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "env": self.environment, **how}
        process = subprocess.Popen([self.program, *words], **how)
        self.started.append(process)
        return process

    @property
    def bundle(self) -> Path:
        return max((p for p in self.state.joinpath("gpualert").iterdir() if p.name != "outbox"), key=lambda p: p.name)

    def read(self, name: str, within_s: float = 20) -> dict[str, Any]:
        """A JSON file of the bundle, once it is there."""
        path = self.bundle / name
        until(path.exists, f"{path} appears", within_s)
        return json.loads(path.read_bytes())  # type: ignore[no-any-return]

    def log(self, stream: str) -> bytes:
        """What a log kept of its stream: header and footer are taken off."""
        content = (self.bundle / f"run.0.{stream}").read_bytes()
        return content[512:].rpartition(b"\n#gpualert-end ")[0]


def build(folder: str, *variables: str) -> Path:
    """gpualert-run in ``spank/plugin/<folder>``, built when its sources changed."""
    done = subprocess.run(["make", "-s", "-C", PLUGIN, f"BUILD={folder}", *variables, "run"], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return PLUGIN / folder / "gpualert-run"


@pytest.fixture(scope="session")
def built() -> Callable[..., Path]:
    """``built(folder, *make variables)``: the program, for a test module that wants one build only."""
    return build


@pytest.fixture(scope="session", params=["plain", "asan"])
def program(request: pytest.FixtureRequest) -> Path:
    """The program as it is installed, and once more with the compiler's checks for memory and undefined behaviour."""
    return build("build") if request.param == "plain" else build("build/asan", f"SANITIZE={SANITIZE}", "OPTIMISE=-O1 -g")


@pytest.fixture
def gpualert_run(program: Path, tmp_path: Path) -> Iterator[Runner]:
    """Without the diagnosis: what it does afterwards is none of these tests' business, and true(1) is quick."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("SLURM", "XDG", "GPUALERT"))}
    environment |= {"XDG_STATE_HOME": str(tmp_path / "state"), "GPUALERT_PYTHON": "/bin/true", "TMPDIR": str(tmp_path)}
    (tmp_path / "state").mkdir()
    runner = Runner(program, tmp_path / "state", environment)
    inherited = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a test run in a shell's background ignores it, and so would every command here
    yield runner
    signal.signal(signal.SIGINT, inherited)
    for process in runner.started:
        if process.poll() is None:
            process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe:
                pipe.close()

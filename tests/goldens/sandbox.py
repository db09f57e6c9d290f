"""Runs one recipe in a folder of its own, and takes what it wrote as a log that names no machine."""

from __future__ import annotations

import fcntl
import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.goldens.recipe import HERE, Run, source

LIMIT_S = 240
MAX_LOG_BYTES = 64 * 1024
NOTE = '''"""The program's own notes of its progress, beside its log."""
import json, os

def note(**values):
    """Append one note; a number that is not finite is noted as text."""
    with open(os.environ["NOTES"], "a") as notes:
        notes.write(json.dumps({k: v if v == v and v not in (float("inf"), -float("inf")) else str(v) for k, v in values.items()}) + "\\n")
'''


@dataclass(frozen=True)
class Recorded:
    """What came of a run: its log, what the program noted, and how it ended."""

    log: bytes
    notes: dict[str, Any]
    ends: int


def record(run: Run, environments: Path) -> Recorded:
    """Run it for real: standard output and error go to one file, as Slurm has them.

    Raises:
        TimeoutError: it ran longer than LIMIT_S seconds.
        OSError: the environment is not there.
    """
    home = environments / "run" / "job"
    home.parent.mkdir(exist_ok=True)
    with (home.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the folder's name stands in what is recorded: one run at a time
        return _record(run, environments, home)


def _record(run: Run, environments: Path, home: Path) -> Recorded:
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir()
    for lock in (environments / run.env / "extensions").rglob("lock"):
        lock.unlink()  # of a build that was cut off: every later one would wait for it
    try:
        (home / run.script).write_text(source(run.recipe), encoding="utf-8")
        for name, text in run.files.items():
            (home / name).write_text(text, encoding="utf-8")
        extra = home / "lib"
        extra.mkdir()
        (extra / "progress_notes.py").write_text(NOTE, encoding="utf-8")
        env = _environment(run, environments, home)
        for args in run.before:
            _start(run, args, env, home, home / "before.log")
        (home / "notes.jsonl").unlink(missing_ok=True)
        ends = _start(run, run.args, env, home, home / "job.log", recorded=True)
        log = clean((home / "job.log").read_bytes(), home, environments / run.env)
        return Recorded(log, _notes(home / "notes.jsonl"), ends)
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _environment(run: Run, environments: Path, home: Path) -> dict[str, str]:
    """Nothing of the caller's: a compute node without network, one thread a process."""
    return {
        "PATH": f"{environments / run.env / 'bin'}:/usr/bin:/bin",
        "HOME": str(home),
        "USER": "user",
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "NOTES": str(home / "notes.jsonl"),
        "PYTHONPATH": str(home / "lib"),
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(home / "hf"),
        "TOKENIZERS_PARALLELISM": "false",
        "CUDA_VISIBLE_DEVICES": "",
        "TORCH_EXTENSIONS_DIR": str(environments / run.env / "extensions"),
        "KERAS_BACKEND": "torch",
        "TF_ENABLE_ONEDNN_OPTS": "0",
        "GLOO_SOCKET_IFNAME": "lo",
        **run.vars,
    }


def _start(run: Run, args: tuple[str, ...], env: dict[str, str], home: Path, log: Path, *, recorded: bool = False) -> int:
    bound = (run.memory_mib or 0) * 1024 * 1024 if recorded else 0

    def limits() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # a shell starts what it puts into the background with SIGINT ignored
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if bound:
            resource.setrlimit(resource.RLIMIT_AS, (bound, bound))

    port = _free_port()
    command = [part.replace("PORT", str(port)) for part in (*run.launch, run.script, *args)]
    with log.open("ab") as out:
        process = subprocess.Popen(
            command,
            cwd=home,
            env={**env, "MASTER_PORT": str(port)},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=limits,  # noqa: PLW1509  # no thread has been started yet
        )
        over = threading.Event()
        if recorded and run.signal is not None:
            threading.Thread(target=_send, args=(run, process, log, over), daemon=True).start()
        try:
            return process.wait(LIMIT_S)
        except subprocess.TimeoutExpired as error:
            raise TimeoutError(f"{run.log} still ran after {LIMIT_S} s; its last words: {log.read_bytes()[-500:]!r}") from error
        finally:
            over.set()
            _end(process)


def _send(run: Run, process: subprocess.Popen[bytes], log: Path, over: threading.Event) -> None:
    """Sends the signal once the line has been written."""
    wanted = run.signal
    assert wanted is not None
    while not over.wait(0.05):
        if re.search(wanted.after.encode(), log.read_bytes()):
            number = signal.Signals[f"SIG{wanted.name}"]
            if wanted.to == "all":
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)
            return


def _end(process: subprocess.Popen[bytes]) -> None:
    """No process of the run outlives it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
    process.wait()
    time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


def clean(log: bytes, home: Path, env: Path) -> bytes:
    """The log with places and names of this machine replaced (``/home/user/run``, ``/opt/env``, ``/usr``, ``n1``), and hosts of package pages."""
    base = Path(os.path.realpath(env / "bin" / "python")).parent.parent
    names = [(str(home), "/home/user/run"), (str(env), "/opt/env"), (str(base), "/usr"), (str(HERE), "/home/user"), (sys.prefix, "/opt/env")]
    for place, name in names:
        if len(place) > len("/usr"):
            log = log.replace(place.encode(), name.encode())
    for host in {socket.gethostname(), socket.getfqdn()}:
        if len(host) > 1 and host != "localhost":
            log = re.sub(rb"(?<![\w.-])" + re.escape(host.encode()) + rb"(?![\w-])", b"n1", log)
    return re.sub(rb"https://[\w.-]+(?=/project/)", b"https://registry", log)


def _notes(path: Path) -> dict[str, Any]:
    """The notes of a run: first and last step, first and last loss, what was planned."""
    lines = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []
    losses = [line["loss"] for line in lines if "loss" in line]
    steps = [line["step"] for line in lines if "step" in line]
    told: dict[str, Any] = {}
    for line in lines:
        told.update({key: value for key, value in line.items() if key not in {"loss", "step"}})
    if losses:
        told.update(first_loss=losses[0], last_loss=losses[-1], losses=len(losses))
    if steps:
        told.update(first_step=steps[0], last_step=steps[-1])
    return told

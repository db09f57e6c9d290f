"""Runs a command under gpualert-run, as an ordinary user, and keeps its bundle as a case."""

from __future__ import annotations

import os
import pwd
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

from corpus import label as labels
from corpus.running.card.identity import card
from corpus.running.environments import CARD, ENVIRONMENTS, Environment
from corpus.running.job import LocalJob, Signal
from corpus.running.scrub import Scrub
from corpus.running.time_left import left_s
from tests.testbed.host import ALICE, make_users

TOP = Path(__file__).parents[2]
PROGRAM = TOP / ".venv" / "bin" / "gpualert-run"
ROOT = Path(os.environ.get("CORPUS_ROOT", "/var/tmp/c-w"))
SHOWN_ROOT = "/lustre/home"
SHOWN_USER = "alice-research"
LIMIT_S = 200
GROUPS = Path("/sys/fs/cgroup/memory")
LANES = ("nlp", "cv", "asr", "rec", "tts", "ocr")
"""Folders of jobs that run at the same time."""
BUNDLE_FILES = ("run.json", "end.json", "run.0.out", "run.0.err", "run.0.idx", "run.0.exit.json")
MAX_LOG_BYTES = 96 * 1024


class NotAsMeantError(Exception):
    """The job did not end as its label needs it to; the text says how it ended."""


def scrub(environment: Environment, root: Path = ROOT) -> Scrub:
    """What this machine's names become in a case."""
    return Scrub({str(root): SHOWN_ROOT, ALICE: SHOWN_USER, **environment.places(), **(card().places if environment is ENVIRONMENTS[CARD] else {})})


def prepare() -> None:
    """The job's user, and gpualert-run where that user can run it, away from gpualert: nothing is diagnosed while cases are made."""
    make_users()
    for folder in (ROOT, ROOT / "bin"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    shutil.copy(PROGRAM, ROOT / "bin" / "gpualert-run")


def make(job: LocalJob, folder: Path, lane: int) -> None:
    """Run it and keep its bundle in ``folder``.

    Raises:
        NotAsMeantError: it ended in another way, or printed too much.
        OSError: something needed is not there.
    """
    environment = ENVIRONMENTS[job.python]
    home = ROOT / LANES[lane] / ALICE
    shutil.rmtree(home, ignore_errors=True)
    work = home / "train"
    work.mkdir(parents=True)
    disk = work / "full"
    try:
        _write(job, work)
        if job.disk_mib:
            disk.mkdir()
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={job.disk_mib}m", "tmpfs", str(disk)], check=True)
        entry = pwd.getpwnam(ALICE)
        subprocess.run(["chown", "-R", f"{entry.pw_uid}:{entry.pw_gid}", str(home)], check=True)
        for name in job.locked:
            subprocess.run(["chown", "root:root", str(work / name)], check=True)
            (work / name).chmod(0o700 if (work / name).is_dir() else 0o600)
        for command in job.before:
            _start(job, environment, command, home, work, watched=False)
        status = _start(job, environment, job.command, home, work, watched=True)
        if job.ends is not None and not job.ends(status):
            raise NotAsMeantError(f"it ended with {status}: {_last_words(home)}")
        _keep(job, environment, home, folder)
    finally:
        if job.disk_mib:
            subprocess.run(["umount", str(disk)], check=False)
        shutil.rmtree(home, ignore_errors=True)


def _write(job: LocalJob, work: Path) -> None:
    for name in job.folders:
        (work / name).mkdir(parents=True, exist_ok=True)
    for name, text in job.files.items():
        path = work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if name.endswith(".sh"):
            path.chmod(0o755)


def _start(job: LocalJob, environment: Environment, command: tuple[str, ...], home: Path, work: Path, *, watched: bool) -> int:
    port = str(_free_port())
    words = [re.sub(r"\bPORT\b", port, w.replace("PYTHON", environment.python)) for w in command]
    options = ["--no-notify", *([f"--timeout={job.timeout_s}"] if job.timeout_s else [])]
    program = [str(ROOT / "bin" / "gpualert-run"), *options, "--"] if watched else []
    env = {
        "PATH": f"{Path(environment.python).parent}:/usr/bin:/bin", "HOME": str(home), "USER": ALICE, "LOGNAME": ALICE, "LANG": "C.UTF-8",
        "XDG_STATE_HOME": str(home / "state"), "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": str(home), "GLOO_SOCKET_IFNAME": "lo", "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false", "PYTHONUNBUFFERED": "1",
        **environment.variables(), **job.env,
    }  # fmt: skip

    group = _group(job.group_mib, home) if watched and job.group_mib else None

    def limits() -> None:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # whoever started us in the background has it ignored
        if group:
            (group / "cgroup.procs").write_text(str(os.getpid()))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if watched and job.file_kib:
            resource.setrlimit(resource.RLIMIT_FSIZE, (job.file_kib * 1024, job.file_kib * 1024))

    bound = ["prlimit", f"--as={job.memory_mib * 1024 * 1024}"] if watched and job.memory_mib else []
    process = subprocess.Popen(
        ["setpriv", f"--reuid={ALICE}", f"--regid={ALICE}", "--init-groups", *program, *bound, *words], cwd=work, env=env, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE if watched and job.signal else subprocess.DEVNULL, stderr=subprocess.STDOUT if watched and job.signal else subprocess.DEVNULL,
        start_new_session=True, preexec_fn=limits,  # noqa: PLW1509  # each lane is a process of its own
    )  # fmt: skip
    try:
        if watched and job.signal:
            _send(job.signal, process)
        return process.wait(min(LIMIT_S, left_s()))
    except subprocess.TimeoutExpired as error:
        raise NotAsMeantError(f"it still ran after {error.timeout:.0f} s: {_last_words(home)}") from error
    finally:
        _end(process, home)
        if group:
            _drop(group)


def _group(mib: int, home: Path) -> Path:
    """A control group as batch systems make them, with this much memory and no swap beside it."""
    group = GROUPS / f"user_{home.parent.name}_{os.getpid()}"
    group.mkdir()
    (group / "memory.limit_in_bytes").write_text(str(mib << 20))
    swap = group / "memory.memsw.limit_in_bytes"
    if swap.exists():
        swap.write_text(str(mib << 20))
    return group


def _drop(group: Path) -> None:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        try:
            group.rmdir()
            return
        except OSError:  # its processes are still being taken down
            time.sleep(0.1)


def _send(wanted: Signal, process: subprocess.Popen[bytes]) -> None:
    assert process.stdout is not None
    pattern = re.compile(wanted.after.encode())
    seen = b""
    for line in process.stdout:
        seen += line
        if pattern.search(line):
            time.sleep(wanted.wait_s)
            number = signal.Signals[f"SIG{wanted.name}"]
            pids = [process.pid] if wanted.to == "run" else _below(process.pid, wanted.to)
            for pid in pids:
                os.kill(pid, number)
            if not pids:
                raise NotAsMeantError(f"nothing to send {wanted.name} to: no {wanted.to}")
            break
    else:
        raise NotAsMeantError(f"no line like {wanted.after}: {seen[-300:]!r}")
    import threading

    threading.Thread(target=process.stdout.read, daemon=True).start()


def _below(pid: int, text: str) -> list[int]:
    """Processes below ``pid`` whose command line holds ``text``; ``NAME#2`` takes the third alone."""
    text, _, number = text.partition("#")
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parents[int(folder.name)] = int((folder / "stat").read_text().rpartition(") ")[2].split()[1])
        except OSError:
            continue
    found = []
    for one in sorted(parents):
        at = one
        while at in parents and at not in (pid, 0):
            at = parents[at]
        if at == pid and one != pid:
            try:
                line = (Path("/proc") / str(one) / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if text in line and "gpualert-run" not in line:
                found.append(one)
    return [found[int(number)]] if number else found


def _end(process: subprocess.Popen[bytes], home: Path) -> None:
    """Nothing of the job outlives it; gpualert-run's own last words are waited for."""
    until = time.monotonic() + 10
    while time.monotonic() < until and process.poll() is not None and not any(home.glob("state/gpualert/*/end.json")):
        if not any(home.glob("state/gpualert/*")):
            break
        time.sleep(0.05)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if str(home).encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                os.kill(int(folder.name), signal.SIGKILL)
        except OSError:
            continue


def _last_words(home: Path) -> str:
    return " | ".join(
        p.read_bytes()[512:][-500:].decode(errors="replace") for p in sorted(home.glob("state/gpualert/*/run.0.???")) if p.suffix != ".idx"
    )


def _keep(job: LocalJob, environment: Environment, home: Path, folder: Path) -> None:
    bundles = list(home.glob("state/gpualert/*"))
    if len(bundles) != 1:
        raise NotAsMeantError(f"{len(bundles)} bundles")
    hide = scrub(environment)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in BUNDLE_FILES:
        source = bundles[0] / name
        if not source.exists():
            continue
        content = source.read_bytes()
        if len(content) > MAX_LOG_BYTES:
            raise NotAsMeantError(f"{name} has {len(content)} bytes")
        if name.endswith(".json"):
            content = hide(content.rstrip()).replace(f'"host":"{socket.gethostname()}"'.encode(), f'"host":"{hide.host_name}"'.encode()) + b"\n"
        elif not name.endswith(".idx"):
            content = hide.log(content)
        (folder / name).write_bytes(content)
    labels.write(job.label.but(software={**environment.versions(), **job.label.software}), folder)


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])

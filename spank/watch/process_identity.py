"""What a process says of itself in /proc: command line, a few named variables, namespaces, the file systems it waits in.

Its command line and environment are its own memory: reading them can wait for a lock that it holds while it hangs in a file system. So one thread
reads them, and is waited for a moment; one that does not come back reads nothing more, and its process stays without them.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path

PROC = Path("/proc")
KEPT_VARIABLES = re.compile(
    rb"(?:RANK|LOCAL_RANK|WORLD_SIZE|LOCAL_WORLD_SIZE|GROUP_RANK|NODE_RANK|SLURM_PROCID|SLURM_LOCALID|SLURM_NTASKS|SLURM_STEP_ID|MASTER_ADDR|MASTER_PORT"
    rb"|OMPI_COMM_WORLD_RANK|PMI_RANK|PMIX_RANK|CUDA_VISIBLE_DEVICES|CUDA_LAUNCH_BLOCKING|CUDA_DEVICE_MAX_CONNECTIONS|SLURM_JOB_DEPENDENCY|SLURM_JOB_END_TIME"
    rb"|OMP_NUM_THREADS|PYTORCH_CUDA_ALLOC_CONF|(?:TORCH_)?NCCL_[A-Z0-9_]{1,48}|APPTAINER_NAME|SINGULARITY_NAME|ENROOT_[A-Z_]{1,24})"
)
"""Nothing else of an environment is kept: it holds passwords and tokens."""
_WAIT_S = 0.25
_VALUE_BYTES, _VARIABLES, _ENVIRON_BYTES = 256, 64, 128 << 10
_ARGUMENT_BYTES, _ARGUMENTS, _CMDLINE_BYTES = 256, 32, 16 << 10
_LINKS = 64
_NETWORK_FILE_SYSTEMS = re.compile(r"nfs|lustre|gpfs|beegfs|ceph|fuse|9p|cifs|smb|afs|panfs|wekafs|orangefs|glusterfs|gfs2|ocfs2")


@dataclass(frozen=True)
class Identity:
    """What a process was started as. USER, but for the namespaces."""

    command: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    namespace_pid: int | None = None
    container: str | None = None


class IdentityReader:
    """``read`` gives who a process is, None where that cannot be had in a quarter of a second."""

    def __init__(self, proc: Path = PROC) -> None:
        self._proc = proc
        self._own_mounts = _namespace(proc, os.getpid() if proc == PROC else 1, "mnt")
        self._ask: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._answer: queue.SimpleQueue[Identity] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self.stuck = False
        """A read did not come back: asked again once it did."""

    def read(self, pid: int) -> Identity | None:
        """The identity of ``pid``."""
        if self.stuck:
            with contextlib.suppress(queue.Empty):
                self._answer.get_nowait()
                self.stuck = False
            if self.stuck:
                return None
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()
        self._ask.put(pid)
        try:
            return self._answer.get(timeout=_WAIT_S)
        except queue.Empty:
            self.stuck = True
            return None

    def _work(self) -> None:
        while True:
            pid = self._ask.get()
            found = Identity()
            try:
                found = self._identity(pid)
            finally:
                self._answer.put(found)

    def _identity(self, pid: int) -> Identity:
        folder = self._proc / str(pid)
        parts = read_bytes(folder / "cmdline", _CMDLINE_BYTES).rstrip(b"\0").split(b"\0")
        environment = kept_environment(read_bytes(folder / "environ", _ENVIRON_BYTES))
        inside = re.search(rb"^NSpid:\s*([\d\t ]+)$", read_bytes(folder / "status", 8192), re.MULTILINE)
        numbers = inside.group(1).split() if inside else []
        return Identity(
            command=tuple(as_text(part[:_ARGUMENT_BYTES]) for part in parts[:_ARGUMENTS] if part),
            environment=environment,
            namespace_pid=int(numbers[-1]) if len(numbers) > 1 else None,
            container=self._container(pid, environment),
        )

    def _container(self, pid: int, names: dict[str, str]) -> str | None:
        """By the namespace it lives in, and what its environment calls it: the user's word, of no consequence."""
        if _namespace(self._proc, pid, "mnt") in (None, self._own_mounts):
            return None
        if "APPTAINER_NAME" in names or "SINGULARITY_NAME" in names:
            return "apptainer"
        return "pyxis" if any(name.startswith("ENROOT_") for name in names) else "namespace"


def kept_environment(raw: bytes) -> dict[str, str]:
    """The named variables of ``/proc/PID/environ``. It is its owner's memory: whatever stands there is bounded and made text."""
    found: dict[str, str] = {}
    for entry in raw.split(b"\0"):
        name, equals, value = entry.partition(b"=")
        if equals and len(name) <= 64 and KEPT_VARIABLES.fullmatch(name) and len(found) < _VARIABLES:
            found.setdefault(name.decode("ascii"), as_text(value[:_VALUE_BYTES]))
    return found


def file_systems(pid: int, proc: Path = PROC) -> set[str]:
    """Of the files a process has open: ``nfs4 /scratch`` for those that lie on a network. No file is touched: a link's text is not followed."""
    mounts: list[tuple[str, str]] = []
    for line in as_text(read_bytes(proc / str(pid) / "mountinfo", 256 << 10)).splitlines():
        left, dash, right = line.partition(" - ")
        parts = left.split()
        if dash and len(parts) > 4 and _NETWORK_FILE_SYSTEMS.search(kind := right.split(" ", 1)[0]):
            mounts.append((parts[4], kind))
    found: set[str] = set()
    if not mounts:
        return found
    paths = []
    with contextlib.suppress(OSError):
        paths.append(str((proc / str(pid) / "cwd").readlink()))
    with contextlib.suppress(OSError):
        for number, entry in enumerate(os.scandir(proc / str(pid) / "fd")):
            if number >= _LINKS:
                break
            with contextlib.suppress(OSError):
                paths.append(str(Path(entry.path).readlink()))
    for path in paths:
        inside = [(mount, kind) for mount, kind in mounts if path == mount or path.startswith(mount.rstrip("/") + "/")]
        if inside:
            mount, kind = max(inside, key=lambda m: len(m[0]))
            found.add(f"{kind} {mount}"[:128])
    return found


def _namespace(proc: Path, pid: int, kind: str) -> str | None:
    try:
        return str((proc / str(pid) / "ns" / kind).readlink())
    except OSError:
        return None


def read_bytes(path: Path, most: int) -> bytes:
    """The first bytes of a file of /proc; none where it cannot be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, most)
    except OSError:
        return b""
    finally:
        os.close(fd)


def as_text(raw: bytes) -> str:
    r"""As UTF-8, with what cannot be shown as ``\xNN``: names and arguments are the user's."""
    text = raw.decode("utf-8", "backslashreplace")
    return text if text.isprintable() else "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)

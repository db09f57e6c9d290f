"""munged with a key and a socket of its own."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from .daemon import Daemon


def munged(root: Path, env: Mapping[str, str]) -> Daemon:
    """A munged, run as user munge, below ``root/munge``; its socket is ``root/munge/socket``. A key is made at the first call."""
    folder = root / "munge"
    private = folder / "private"
    socket = socket_of(root)
    if not folder.exists():
        folder.mkdir(mode=0o755)
        private.mkdir(mode=0o700)
        (private / "key").write_bytes(os.urandom(128))
        (private / "key").chmod(0o400)
        subprocess.run(["chown", "-R", "munge:munge", str(folder)], check=True)
    argv = [
        "munged", "--foreground", f"--socket={socket}", f"--key-file={private / 'key'}", f"--pid-file={folder / 'munged.pid'}",
        f"--seed-file={private / 'seed'}", f"--log-file={private / 'log'}", "--num-threads=2",
    ]
    return Daemon("munged", argv, log=root / "log" / "munged.out", user="munge", env=env, ready=lambda: answers(socket), more_logs=[private / "log"])


def socket_of(root: Path) -> Path:
    """Where clients reach munged: ``AuthInfo=socket=`` of Slurm, ``--socket`` of munge and unmunge."""
    return root / "munge" / "socket"


def answers(socket: Path) -> bool:
    """Whether a credential can be made and opened again."""
    if not socket.exists():
        return False
    try:
        made = subprocess.run(["munge", "--no-input", f"--socket={socket}"], capture_output=True, timeout=5, check=False)
        opened = subprocess.run(["unmunge", f"--socket={socket}"], input=made.stdout, capture_output=True, timeout=5, check=False)
    except subprocess.TimeoutExpired:
        return False
    return made.returncode == 0 and opened.returncode == 0

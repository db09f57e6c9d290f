"""The kernel's tracing files where systemd mounts them; where nobody did, for as long as they are needed."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

PLACE = Path("/sys/kernel/tracing")


@contextlib.contextmanager
def tracefs() -> Iterator[None]:
    """Mounted, if this machine lets us."""
    ours = PLACE.is_dir() and not (PLACE / "uprobe_events").exists()
    if ours:
        ours = subprocess.run(["mount", "-t", "tracefs", "none", str(PLACE)], check=False, capture_output=True).returncode == 0
    try:
        yield
    finally:
        if ours:
            subprocess.run(["umount", "--lazy", str(PLACE)], check=False)

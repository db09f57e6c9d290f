"""A file system as nodes have it: ext4 with a journal, new, on a loop device."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType

IMAGE_BYTES = 12 << 30  # sparse: it takes what is written


class OwnDisk:
    """Mounted while it is used; ``path`` is None, and ``why`` says why, where this machine cannot (no root, no loop device, no mkfs.ext4).

    Args:
        at: the folder to mount it on, made where it is missing; None: one of its own.
        journal: whether it has one, as nodes' file systems do.

    A machine's own disk may be slow to create files for minutes after many were deleted (ext4 without a journal keeps clear of inodes that
    were freed lately), and every bed that is taken down deletes thousands. A new file system has no such past.
    """

    def __init__(self, at: Path | None = None, *, journal: bool = True) -> None:
        self._at = at
        self._features = [] if journal else ["-O", "^has_journal"]
        self.image: Path | None = None
        self.path: Path | None = None
        self.why = ""
        self._folder: Path | None = None

    def __enter__(self) -> OwnDisk:
        """Make and mount it."""
        folder = Path(tempfile.mkdtemp(prefix="gpualert-disk-", dir="/var/tmp"))
        folder.chmod(0o755)
        self._folder = folder
        image, mount = folder / "image", self._at or folder / "m"
        self.image = image
        mount.mkdir(parents=True, exist_ok=True)
        try:
            with image.open("wb") as file:
                file.truncate(IMAGE_BYTES)
            for argv in (["mkfs.ext4", "-q", *self._features, str(image)], ["mount", "-o", "loop", str(image), str(mount)]):
                subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60)
        except (OSError, subprocess.SubprocessError) as error:
            said = error.stderr if isinstance(error, subprocess.CalledProcessError) else None
            self.why = f"no file system of its own: {said or error}".strip()
        else:
            self.path = mount
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Unmount and remove it; a mount that is still busy is left, and named."""
        if self.path is not None:
            done = subprocess.run(["umount", str(self.path)], capture_output=True, text=True, timeout=60, check=False)
            if done.returncode:
                print(f"bench: {self.path} is left mounted: {done.stderr.strip()}")
                return
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

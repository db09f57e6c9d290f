"""The checkout as git sees it, copied to where a folder's inside can read it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from .space import remove

INSIDE = Path("/var/tmp/checkout")


def copy(source: Path, work: Path) -> int:
    """Copy tracked and new files (none that git ignores) to ``work``'s /var/tmp/checkout; gives how many."""
    target = work / INSIDE.relative_to("/")
    remove(target)
    listed = subprocess.run(["git", "-C", str(source), "-c", f"safe.directory={source}", "ls-files", "-z", "-co", "--exclude-standard"],
                            capture_output=True, check=True)
    count = 0
    for name in dict.fromkeys(listed.stdout.decode().split("\0")):
        path = source / name
        if not name or not (path.is_file() or path.is_symlink()):  # deleted and not yet committed
            continue
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, target / name, follow_symlinks=False)
        count += 1
    return count


def commit_of(source: Path) -> str:
    """The commit, with ``+changes`` where files differ from it."""
    git = ["git", "-C", str(source), "-c", f"safe.directory={source}"]
    commit = subprocess.run([*git, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True, check=False).stdout.strip()
    changed = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=False).stdout.strip()
    return f"{commit or 'no commit'}{' with changes' if changed else ''}"

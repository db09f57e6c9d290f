"""Write the pages that are generated from the code: ``make docs``. A test compares them with what stands here."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

DOC = Path(__file__).resolve().parent


def failure_modes() -> str:
    """Every mode, word and pattern."""
    from gpualert_slurm.classifier.catalogue import page

    return page()


def frameworks() -> str:
    """Every framework and family of exceptions that is read."""
    sys.path.insert(0, str(DOC))
    from frameworks import page

    return str(page())


PAGES: dict[str, Callable[[], str]] = {"failure_modes.md": failure_modes, "frameworks.md": frameworks}


def main() -> int:
    """Write every page; 0 always."""
    for name, make in PAGES.items():
        (DOC / name).write_text(make(), encoding="utf-8")
        sys.stdout.write(f"{DOC / name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""An interpreter with PyTorch that every user of the bed can run, for tests with real ranks: ``make torch`` makes one."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

WHY_NOT = "no interpreter with PyTorch that every user can run: make torch, or name one in GPUALERT_TORCH_PYTHON"


def interpreter() -> str:
    """GPUALERT_TORCH_PYTHON, else what ``make torch`` made (below GPUALERT_TORCH_HOME, by default /opt/gpualert-torch), else this one; or ``""``."""
    named = os.environ.get("GPUALERT_TORCH_PYTHON")
    if named:
        return named
    made = Path(os.environ.get("GPUALERT_TORCH_HOME") or "/opt/gpualert-torch")
    if (made / "bin" / "python").exists() and any(made.glob("lib/python3*/site-packages/torch/__init__.py")):
        return str(made / "bin" / "python")
    return sys.executable if importlib.util.find_spec("torch") else ""

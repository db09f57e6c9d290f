"""A short way to write down a job that really runs: its program, how it is started, and what it comes to."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.running.job import LocalJob

WELL = ("G1", "D1", "D2", "D3", "E3")
STOPPED = ("C1", "C2", "C3", "F3", "F4")


def crate(
    mode: str,
    start: str,
    code: str,
    *,
    cause: str | None = None,
    variant: str | None = None,
    trigger: str | None = None,
    fault: str = "",
    hard: bool = False,
    first: tuple[int, ...] | None = None,
    status: int | None = None,
    ranks: int = 0,
    files: Mapping[str, str] | None = None,
    python: str = "torch",
    note: str = "",
    **more: Any,
) -> LocalJob:
    """``start`` is the program's name and its arguments; ``ranks`` of it under torchrun, where given. ``note``: what in the record shows the mode."""
    assert note or mode == "G1", start
    well = mode in WELL or (mode == "E1" and status in (None, 0))
    alone = () if well or status == 0 or mode in STOPPED or ranks else (0,)
    met = alone if first is None else first
    label = Label(
        mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault or ("none" if mode == "G1" else "user"), hard=hard, failed_ranks=met, first_ranks=met,
    )  # fmt: skip
    words = shlex.split(start)
    if words[0] == "sh":
        command: tuple[str, ...] = ("bash", *words[1:])
        words = words[1:]
    elif words[0] == "-m":
        command = ("PYTHON", *words)
        words = [words[1].replace(".", "/") + ".py"]
    elif ranks:
        command = ("torchrun", f"--nproc-per-node={ranks}", "--master-port=PORT", *words)
    else:
        command = ("PYTHON", *words)
    wanted = 0 if well else 1 if status is None else status
    asked = not (mode in STOPPED and status is None)
    return LocalJob(
        label, {words[0]: code.lstrip("\n"), **(files or {})}, command, python, ends=(lambda s: s == wanted) if asked else None, **more,
    )  # fmt: skip

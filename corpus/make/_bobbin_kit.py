"""How the jobs of four recipes of plain programs are put together."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from corpus.label import Label
from corpus.running.job import LocalJob

WELL = ("G1", "D1", "D2", "D3", "E3")
OPEN = ("C1", "C2", "C3", "F3", "F4")
NOBODY_KNOWS = ("C1", "D3")


def run(mode: str, cause: str | None, variant: str | None, files: Mapping[str, str], command: str | tuple[str, ...], *, status: int | tuple[int, ...] | None = None, python: str = "torch", trigger: str | None = None, fault: str | None = None, hard: bool = False, ranks: tuple[int, ...] | None = None, **more: Any) -> LocalJob:  # fmt: skip
    """One job. Its end must be 0 where things end well and 1 where they crash, unless ``status`` says another; which rank failed is asked where one process ran."""
    words = tuple(command.split()) if isinstance(command, str) else command
    well = mode in WELL or (mode == "E2" and variant == "from_scratch") or (mode == "E1" and status in (None, 0))
    if ranks is None:
        ranks = () if well or mode in OPEN else (0,)
    blame = fault or ("none" if mode in ("G1", "F4") else "unknown" if mode in NOBODY_KNOWS else "user")
    label = Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=blame, hard=hard, failed_ranks=ranks, first_ranks=ranks)
    wanted = status if status is not None else 0 if well else 1 if mode not in OPEN else None
    return LocalJob(label, files, words, python, ends=ending(wanted), **more)


def ending(wanted: int | tuple[int, ...] | None) -> Callable[[int], bool] | None:
    """Whether the command's end is the wanted one (or one of them)."""
    if wanted is None:
        return None
    good = wanted if isinstance(wanted, tuple) else (wanted,)
    return lambda status: status in good

"""Labels of one process, and the commands under gpualert-run that get them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from corpus.label import Label
from corpus.running.job import LocalJob, Signal

GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)
STANDS = Label(mode="C3", fault="user")
LATE = Label(mode="F3", variant="advancing", fault="user")
HANDFUL = Label(mode="E3", fault="user")
SAVES = Label(mode="D2", variant="save_storm", fault="user")
STARVED = Label(mode="D1", fault="user")
BY_OWNER = Label(mode="F4", variant="by_owner", fault="none")
HALTED = Label(mode="F4", fault="none")
"""Outside Slurm, nobody knows who sent the signal."""


def fell(mode: str, cause: str | None, variant: str | None = None, **more: Any) -> Label:
    """The only process failed."""
    return Label(mode=mode, cause=cause, variant=variant, failed_ranks=(0,), first_ranks=(0,), **{"fault": "user", **more})


def strays(variant: str, cause: str | None = None) -> Label:
    """E1 of a run that went on to its end."""
    return Label(mode="E1", variant=variant, cause=cause, fault="user")


def anew() -> Label:
    """E2: begun from nothing, though there was something."""
    return Label(mode="E2", variant="from_scratch", fault="user")


def _zero(status: int) -> bool:
    return status == 0


def _over(status: int) -> bool:
    return status == 124


def _stopped(status: int) -> bool:
    return status in (-2, -15, 1, 130, 143)


def _bad(status: int) -> bool:
    return status not in (0, 124)


def alone(label: Label, text: str, name: str, *given: str, python: str = "torch", files: Mapping[str, str] | None = None, ends: Callable[[int], bool] | None = None, command: tuple[str, ...] = (), **more: Any) -> LocalJob:  # fmt: skip
    """One program, under gpualert-run."""
    end = ends or {"C3": _over, "F3": _over, "F4": _stopped}.get(label.mode, _bad if label.failed_ranks else _zero)
    if label.mode in ("C3", "F3"):
        more.setdefault("timeout_s", 185 if label.mode == "C3" else 150)
    return LocalJob(label, {name: text, **(files or {})}, command or ("PYTHON", name, *given), python, ends=end, **more)


def ctrl_c(after: str, name: str = "INT", wait_s: float = 0.4, to: str = "run") -> Signal:
    """Sent by hand once the line is there."""
    return Signal(name, after, to, wait_s)

"""Jobs of the machine with a real card: a script, its label, and the exit status it must have."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.label import Label
from corpus.running.environments import CARD
from corpus.running.job import LocalJob, Signal

QUIET = ("C1", "C2", "C3", "F3", "F4")
WELL = ("G1", "D1", "D2", "D3", "E3")
TORCHRUN = ("PYTHON", "-m", "torch.distributed.run")


def ran(
    mode: str,
    code: str,
    ends: int | None = None,
    *,
    cause: str | None = None,
    variant: str | None = None,
    trigger: str | None = None,
    fault: str | None = None,
    hard: bool = False,
    script: str = "train.py",
    files: Mapping[str, str] | None = None,
    args: tuple[str, ...] = (),
    launch: tuple[str, ...] = ("PYTHON",),
    command: tuple[str, ...] = (),
    env: Mapping[str, str] | None = None,
    folders: tuple[str, ...] = (),
    locked: tuple[str, ...] = (),
    before: tuple[tuple[str, ...], ...] = (),
    timeout_s: int | None = None,
    signal: Signal | None = None,
    first: tuple[int, ...] | None = None,
    failed: tuple[int, ...] | None = None,
    file_kib: int | None = None,
) -> LocalJob:
    """One job. Without ``ends``: 0 for what goes on to its end, 1 for a crash; for what is ended from outside what gpualert-run then says."""
    well = mode in WELL or (mode == "E1" and ends in (None, 0)) or (mode == "E2" and ends == 0)
    alone = () if well or mode in QUIET else (0,)
    if fault is None:
        fault = "none" if mode == "G1" else "unknown" if mode in ("C1", "C2", "C3") else "user"
    label = Label(
        mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, hard=hard,
        failed_ranks=alone if failed is None else failed, first_ranks=alone if first is None else first,
    )  # fmt: skip
    wanted = ends if ends is not None else 0 if well else 124 if timeout_s else -2 if signal and signal.name == "INT" else 1
    return LocalJob(
        label, {script: code.lstrip("\n"), **(files or {})}, command or (*launch, script, *args), CARD, dict(env or {}), folders, locked, before, timeout_s,
        file_kib=file_kib, signal=signal, ends=lambda s, w=wanted: s == w,  # type: ignore[misc]
    )  # fmt: skip

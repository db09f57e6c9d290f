"""How jobs of these recipes are written down: the mode, the command, the files beside it, and what in the record shows the mode."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.running.job import LocalJob

ENDS_WELL = ("G1", "D1", "D2", "D3", "E3")
ENDED_FROM_OUTSIDE = ("C1", "C2", "C3", "F3", "F4")


def told(
    mode: str,
    command: str,
    files: Mapping[str, str],
    shows: str = "",
    *,
    cause: str | None = None,
    variant: str | None = None,
    trigger: str | None = None,
    fault: str = "",
    hard: bool = False,
    first: tuple[int, ...] | None = None,
    status: int | None = None,
    python: str = "torch",
    **more: Any,
) -> LocalJob:
    """``shows`` says by what the record tells the mode; ``status`` is the exit status that it must have, where it is not the mode's own."""
    assert shows or mode == "G1", command
    well = mode in ENDS_WELL or status == 0
    one_process = "torchrun" not in command and " ranks" not in command
    met = first if first is not None else (0,) if one_process and not well and mode not in ENDED_FROM_OUTSIDE else ()
    label = Label(
        mode=mode,
        cause=cause,
        variant=variant,
        trigger=trigger,
        fault=fault or ("none" if mode == "G1" else "user"),
        hard=hard,
        failed_ranks=met,
        first_ranks=met,
    )
    wanted = status if status is not None else 0 if well else None if mode in ENDED_FROM_OUTSIDE else 1
    texts = {name: text.lstrip("\n") for name, text in files.items()}
    return LocalJob(label, texts, tuple(shlex.split(command)), python, ends=None if wanted is None else lambda s: s == wanted, **more)


RUN2 = "torchrun --nproc-per-node=2 --master-port=PORT"
RUN3 = "torchrun --nproc_per_node=3 --master_port=PORT"

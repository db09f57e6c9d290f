"""Short flat scripts, each with a label: for recipes whose programs have little in common."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from corpus.label import Label
from corpus.running.job import LocalJob

USER = Label(mode="A1", fault="user", failed_ranks=(0,), first_ranks=(0,))


@dataclass(frozen=True)
class Flat:
    """``code`` in ``script`` (or, ending in .sh, a shell script); the rest as in ``LocalJob``."""

    code: str
    mode: str = "A1"
    cause: str | None = None
    variant: str | None = None
    script: str = "train.py"
    files: tuple[tuple[str, str], ...] = ()
    args: tuple[str, ...] = ()
    memory_mib: int | None = None
    locked: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    status: int | None = 1
    launch: tuple[str, ...] = ("PYTHON",)
    fault: str = "user"
    hard: bool = False
    env: tuple[tuple[str, str], ...] = ()
    timeout_s: int | None = None
    failed: tuple[int, ...] | None = None
    first: tuple[int, ...] | None = None
    software: tuple[tuple[str, str], ...] = ()


def flat_jobs(scripts: Sequence[Flat], python: str, heads: Sequence[str] = ("",)) -> Iterator[LocalJob]:
    """A job for each script, below one of the heads in turn."""
    for number, one in enumerate(scripts):
        good = one.mode in ("G1", "D2", "E3") or (one.mode == "E1" and one.status == 0)
        label = Label(
            mode=one.mode, cause=one.cause, variant=one.variant, fault="none" if one.mode == "G1" else one.fault, hard=one.hard,
            failed_ranks=one.failed if one.failed is not None else () if good else (0,), first_ranks=one.first if one.first is not None else () if good else (0,), software=dict(one.software),
        )  # fmt: skip
        head = heads[number % len(heads)]
        shell = one.script.endswith(".sh")
        text = f"#!/bin/bash\n{one.code}\n" if shell else f"{head}{one.code}\n"
        command = ("bash", one.script, *one.args) if shell else (*one.launch, one.script, *one.args)
        wanted = 0 if good else one.status
        yield LocalJob(
            label, {one.script: text, **dict(one.files)}, command, python, dict(one.env), ("data", *one.folders), one.locked, memory_mib=one.memory_mib, timeout_s=one.timeout_s,
            ends=None if wanted is None else lambda s, w=wanted: s == w,  # type: ignore[misc]
        )  # fmt: skip

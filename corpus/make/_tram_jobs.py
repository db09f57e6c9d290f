"""How the programs of these crews are started on the bed: a task a rank, cards beside them or none, in scripts of several hands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _tram_loops, _tram_torch
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

AWAY = "-xn3,n5,n6"
"""Nodes that others lose or must leave."""
FILES = {**_tram_loops.FILES, **_tram_torch.FILES}
PROGRAMS = {name: text for part in (_tram_loops, _tram_torch) for name, text in vars(part).items() if name in part.FILES}
HEADS = (
    "export T0=$(date +%s) PORT=$((18000 + SLURM_JOB_ID * 29 % 9000))\n",
    "set -u\nexport T0=$(date +%s)\nexport PORT=$((18000 + SLURM_JOB_ID * 29 % 9000))\necho \"== $SLURM_JOB_NAME ($SLURM_JOB_ID): $SLURM_NTASKS x $(hostname -s), $(date -Is)\"\n",
    "PORT=$((18000 + SLURM_JOB_ID * 29 % 9000)); T0=$(date +%s); export PORT T0\nulimit -c 0\n",
)
END = "rc=$?\nsleep 0.6\nexit $rc\n"
START_S = 20


def true(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = true("G1", fault="none")
HARD = GOOD.but(hard=True)


def crew(what: Label, name: str, ranks: int, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = END, line: str = "",
         options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = AWAY, hand: int = 0, **more: Any) -> SlurmJob:  # fmt: skip
    """So many ranks on so many nodes. ``line`` stands for the line with srun, FILE in it for the program's file; ``hand`` says who wrote the script."""
    file = FILES[name]
    start = "bash" if file.endswith(".sh") else "PYTHON -u"
    body = (line or f"srun {srun + ' ' if srun else ''}{start} FILE {given}".rstrip()).replace("FILE", file)
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    each = (f"--ntasks-per-node={ranks // nodes}",) if nodes > 1 and ranks % nodes == 0 else ()
    return SlurmJob(
        what, {file: fill(PROGRAMS[name], **(code or {})), **(files or {})}, f"#!/bin/bash\n{HEADS[hand % len(HEADS)]}{head}{body}\n{tail}",
        (f"-N{nodes}", f"-n{ranks}", *each, *((where,) if where else ()), *limit, *options), "torch" if name == "TIMBRE" else "system", **more,
    )  # fmt: skip


def carded(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank, readings by rank; ``others`` for who is not named. Seconds count from when all ranks begin."""
    held = more.pop("held_mib", 455)
    return crew(what.but(gpu="scripted"), name, ranks, nodes, given, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=71, held_mib=held))


def behind(seconds: float, what: str, *tests: str) -> str:
    """Code from so many seconds on, as the cards' readings count."""
    return on(" and ".join([*tests, f"{CLOCK} > {seconds}"]), what)


def on(test: str, what: str) -> str:
    """Code where a test holds."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())

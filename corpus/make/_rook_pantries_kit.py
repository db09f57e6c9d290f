"""What the jobs of this recipe and its sister have in common: the batch script, a module for their ranks, and cards that are told what to read."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Any

from corpus.label import Label
from corpus.running.job import SlurmJob
from corpus.running.meeting import COMM
from corpus.running.told_cards import Readings, told_cards

AWAY = "-xn5,n6"
"""Nodes that other jobs lose."""
START_S = 24
KEEP = "code=$?; sleep 0.5; exit $code\n"
PARALLEL = '''"""Ranks and what they share."""
import json
import math
import os
import random
import sys
import time

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
local, host = int(os.environ["SLURM_LOCALID"]), os.environ["SLURMD_NODENAME"]
rng = random.Random(7919 * rank + world)
group = None


def join(size=world):
    global group
    from comm import Group
    group = Group(rank, size, int(os.environ["PORT"]))


def allmean(value):
    return group.mean(value) if group else value


def start():
    """All begin together."""
    time.sleep(max(0.0, float(os.environ.get("T0", "0")) - time.time()))


def curve(step, top, floor, scale, noise=0.02):
    return (floor + (top - floor) * math.exp(-step / scale)) * (1 + noise * rng.uniform(-1, 1))


def stamp(form="%Y-%m-%d %H:%M:%S"):
    return time.strftime(form)


def say(*words):
    print(*words, flush=True)
'''
GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)


def bad(mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), fault: str = "user", **more: Any) -> Label:
    """Something went wrong."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, **more)


def job(
    label: Label,
    text: str,
    ranks: int = 1,
    nodes: int = 1,
    *,
    srun: str = "",
    head: str = "",
    tail: str = KEEP,
    options: tuple[str, ...] = (),
    name: str = "train.py",
    args: str = "",
    launch: str = "",
    where: str = AWAY,
    files: Mapping[str, str] | None = None,
    python: str = "system",
    cards: Mapping[int, Readings] | None = None,
    held_mib: int = 620,
    told: tuple[str, ...] = (),
    **more: Any,
) -> SlurmJob:
    """``text`` in ``name`` under srun; ``cards`` by rank. ``launch`` stands for the whole line of srun, ``told`` behind the script's name in sbatch."""
    head = f"export PORT=$((24000 + SLURM_JOB_ID * 13 % 7000))\n{head}"
    places = (where,) if where else ()
    if cards is not None:
        label = label.but(gpu="scripted")
        grown = told_cards(ranks, nodes, cards, cards[0], {"head": head, "options": options}, start_s=START_S, idle_w=72, held_mib=held_mib)
        head, options, more["gpus"] = f"T0=$(date +%s)\n{grown['head']}", grown["options"], grown["gpus"]
    if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options):
        options = ("--time=1", *options)
    script = f"#!/bin/bash\n{head}{launch or f'srun {srun} PYTHON -u {name} {args}'.rstrip()}\n{tail}"
    given = {name: text, "parallel.py": PARALLEL, "comm.py": COMM, **(files or {})}
    return SlurmJob(
        label, given, script, (f"-N{nodes}", f"-n{ranks}", f"--ntasks-per-node={ranks // nodes}", *places, *options), python, args=told, **more
    )


def busy(
    sm: float = 60,
    *,
    util: int = 97,
    watts: int = 520,
    mhz: int = 1755,
    temp: int = 62,
    gib: float = 44,
    dram: float = 31,
    tensor: float = 24,
    throttle_reasons: str = "0x0",
    more: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """A card at work."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(int(dram)), "power.usage": str(1000 * watts), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": throttle_reasons, "gpm.2": f"{sm:.1f}", "gpm.3": f"{sm / 2.4:.1f}", "gpm.5": f"{tensor:.1f}", "gpm.10": f"{dram:.1f}", **(more or {}),
    }  # fmt: skip


def quiet(gib: float = 0.0, *, watts: int = 74, mhz: int = 345, temp: int = 37, util: int = 0) -> dict[str, str]:
    """A card that does nothing, whatever it holds."""
    return busy(0, util=util, watts=watts, mhz=mhz, temp=temp, gib=gib, dram=0, tensor=0, throttle_reasons="0x1")


def waiting(gib: float) -> dict[str, str]:
    """A card whose only kernel spins for its peers."""
    return busy(1.5, util=100, watts=133, mhz=1980, temp=45, gib=gib, dram=0, tensor=0)


def steady(
    seconds: int,
    sm: float = 60,
    *,
    seed: int = 1,
    then: Sequence[tuple[float, Mapping[str, str]]] = (),
    watts: int = 520,
    gib: float = 44,
    util: int = 97,
    temp: int = 62,
    tensor: float = 24,
    dram: float = 31,
    mhz: int = 1755,
) -> Readings:
    """At work for so long, a little different each second, then ``then`` or nothing."""
    dice = random.Random(seed)
    later: list[tuple[float, Mapping[str, str]]] = [
        (float(s), busy(sm + dice.uniform(-2.5, 2.5), util=min(100, util + dice.randint(-2, 2)), watts=watts + dice.randint(-18, 18), gib=gib, temp=temp + dice.randint(-1, 2), tensor=tensor + dice.uniform(-1.5, 1.5), dram=dram + dice.uniform(-2, 2), mhz=mhz - 15 * dice.randint(0, 1)))
        for s in range(seconds)
    ]  # fmt: skip
    return later[0][1], (*later[1:], *(then or ((float(seconds), quiet()),)))


def bursts(rounds: int, still_s: float, busy_s: float, *, sm: float = 55, gib: float = 24) -> Readings:
    """First waits, then works for a moment, again and again."""
    later: list[tuple[float, Mapping[str, str]]] = []
    for n in range(rounds):
        at_s = n * (still_s + busy_s)
        later += [(at_s, quiet(gib, watts=118, mhz=1980, temp=43)), (at_s + still_s, busy(sm + n % 4, gib=gib, watts=400 + n % 7 * 6, temp=52))]
    return later[0][1], (*later[1:], (rounds * (still_s + busy_s), quiet()))

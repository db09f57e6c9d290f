"""A department's batch jobs: the frame of a batch script, and what cards are told to read, by seconds from a common start."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from typing import Any

from corpus.label import Label
from corpus.running.job import SlurmJob

START_S = 32
"""Jobs with cards begin to compute so many seconds after their batch script began."""
APART = "-xn3,n4,n5,n6"
CADENCE = """import os
import time

ZERO = float(os.environ["LAUNCH_AT"])


def until(seconds):
    time.sleep(max(0.0, ZERO + seconds - time.time()))


until(0)
"""
"""``cadence.py``: waits for the common start, and later for a second counted from it."""
Reading = tuple[float, Mapping[str, str]]
Card = tuple[Mapping[str, str], tuple[Reading, ...]]
WELL = Label(mode="G1", fault="none")
SCARY = Label(mode="G1", fault="none", hard=True)


def ill(
    mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None
) -> Label:
    """What is wrong with a job."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, trigger=trigger)


def values(
    *, util: int, sm: float, watts: float, mhz: int, temp: float, gib: float, dram: float = 0.0, reasons: str = "0x0", **more: str
) -> dict[str, str]:
    """All that a card reads at a time."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(int(dram)), "memory.used": str(int(gib * (1 << 30))), "power.usage": str(int(watts * 1000)),
        "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(int(temp)), "throttle_reasons": reasons,
        "gpm.2": f"{sm:.1f}", "gpm.3": f"{sm * 0.41:.1f}", "gpm.5": f"{sm * 0.33:.1f}", "gpm.10": f"{dram:.1f}", **more,
    }  # fmt: skip


def busy(
    begin: float,
    end: float,
    *,
    sm: float = 58,
    util: int = 97,
    watts: float = 470,
    mhz: int = 1755,
    temp: float = 59,
    gib: float = 30,
    dram: float = 28,
    every: float = 2.0,
    seed: int = 1,
    **more: Any,
) -> list[Reading]:
    """It computes, a little differently each time one looks; it warms up by some degrees."""
    dice = random.Random(f"{seed} {begin} {sm}")
    out: list[Reading] = []
    at = begin
    while at < end:
        sway = dice.uniform(-1.0, 1.0)
        warm = min(6.0, (at - begin) / 4)
        out.append(
            (
                at,
                values(
                    util=max(0, min(100, util + round(1.4 * sway))),
                    sm=max(0.0, sm + 2.2 * sway),
                    watts=watts + 11 * sway,
                    mhz=mhz - 15 * dice.randrange(3),
                    temp=temp + warm,
                    gib=gib,
                    dram=max(0.0, dram + sway),
                    **more,
                ),
            )
        )
        at += every
    return out


def still(at: float, *, gib: float = 0.0, watts: float = 118, mhz: int = 1980, temp: float = 44, util: int = 0, **more: Any) -> list[Reading]:
    """It does nothing, and holds what it holds."""
    return [(at, values(util=util, sm=0.0, watts=watts, mhz=mhz, temp=temp, gib=gib, reasons="0x1", **more))]


def free(at: float) -> list[Reading]:
    """Nobody has it any more."""
    return still(at, watts=71, mhz=345, temp=35)


def spin(begin: float, end: float, *, gib: float, seed: int = 1) -> list[Reading]:
    """A kernel of a collective turns and turns."""
    return busy(begin, end, sm=1.5, util=100, watts=131, mhz=1980, temp=46, gib=gib, dram=0.4, every=4.0, seed=seed)


def bursts(work_s: float, wait_s: float, rounds: int, *, gib: float, sm: float = 52, wait_first: bool = True, watts: float = 395) -> list[Reading]:
    """Work and standing still by turns."""
    out: list[Reading] = []
    for n in range(rounds):
        at = n * (work_s + wait_s)
        stand = still(at if wait_first else at + work_s, gib=gib, watts=116 + n % 4, temp=42 + n % 3)
        go = [
            (
                at + (wait_s if wait_first else 0.0),
                values(util=94 + n % 5, sm=sm + n % 4, watts=watts + 7 * (n % 3), mhz=1770, temp=47 + n % 3, gib=gib, dram=21 + n % 3),
            )
        ]
        out += [*stand, *go] if wait_first else [*go, *stand]
    return out


def told(*pieces: Iterable[Reading], held: float = 0.5, first: Mapping[str, str] | None = None) -> Card:
    """A card from the start of the job on: ``held`` GiB until the common start, then the pieces."""
    begin = values(util=0, sm=0.0, watts=72, mhz=345, temp=33, gib=held, reasons="0x1")
    later = sorted(((START_S + at, changes) for piece in pieces for at, changes in piece), key=lambda r: r[0])
    return {**begin, **(first or {})}, tuple(later)


def sbatch(
    label: Label,
    files: Mapping[str, str],
    script: str,
    *,
    ranks: int = 1,
    nodes: int = 1,
    cards: Mapping[int, Card] | None = None,
    name: str = "",
    where: str = APART,
    options: tuple[str, ...] = (),
    python: str = "torch",
    **more: Any,
) -> SlurmJob:
    """A job of ``files``; ``cards`` by rank, spread evenly over its nodes."""
    per = ranks // nodes
    head = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((17000 + SLURM_JOB_ID * 11 % 12000))\n" if ranks > 1 else ""
    if cards:
        head = f"export LAUNCH_AT=$(( $(date +%s) + {START_S} ))\n{head}"
        label = label.but(gpu="scripted")
        files = {**files, "cadence.py": CADENCE}
        options = (f"--gres=gpu:{per}", *options)
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    named = (f"--job-name={name}",) if name else ()
    told_by_place = {(r // per, r % per): card for r, card in (cards or {}).items()}
    spread = (f"--ntasks-per-node={per}",) if nodes > 1 else ()
    return SlurmJob(
        label,
        files,
        head + script,
        (f"-N{nodes}", f"-n{ranks}", *spread, *((where,) if where else ()), *limit, *named, *options),
        python,
        gpus=told_by_place,
        **more,
    )

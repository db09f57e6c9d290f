"""What jobs with one batch script each have in common: when their cards begin to work, and what these read."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.label import Label
from corpus.running.job import SlurmJob

AWAY = "-xn3,n4,n5,n6"
"""Nodes that some jobs lose, or must give away."""
GO = "#GO"
"""The line of a program that waits until its cards are told to begin."""
WAIT = "time.sleep(max(0.0, float(os.environ['START_AT']) - time.time()))"
Values = Mapping[str, str]
Told = tuple[tuple[float, Values], ...]
WELL = Label(mode="G1", fault="none")
WORRYING = Label(mode="G1", fault="none", hard=True)


def ill(
    mode: str,
    cause: str | None = None,
    variant: str | None = None,
    fault: str = "user",
    *,
    first: tuple[int, ...] = (),
    failed: tuple[int, ...] = (),
    trigger: str | None = None,
) -> Label:
    """The label of a job that did not go well."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, failed_ranks=failed or first, trigger=trigger)


def busy(
    sm: float = 58, *, gib: float = 31, watts: int = 510, util: int = 96, mhz: int = 1755, temp: int = 61, dram: int = 30, **more: str
) -> dict[str, str]:
    """A card at work."""
    return {
        "utilization.gpu": str(util), "utilization.memory": str(dram), "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x0", "gpm.2": f"{sm:g}", "gpm.3": f"{sm / 2.4:g}", "gpm.5": f"{sm / 3:g}", "gpm.10": str(dram), **more,
    }  # fmt: skip


def idle(gib: float = 0.0, *, watts: int = 71, mhz: int = 345, temp: int = 35, util: int = 0, **more: str) -> dict[str, str]:
    """A card that does nothing; with ``gib`` and high clocks one that somebody holds."""
    return {
        "utilization.gpu": str(util), "utilization.memory": "0", "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", **more,
    }  # fmt: skip


def held(gib: float) -> dict[str, str]:
    """A card whose process waits."""
    return idle(gib, watts=118, mhz=1980, temp=43)


def steady(sm: float, until_s: float, *, gib: float = 31, watts: int = 510, free: bool = True, turn: int = 0) -> Told:
    """Work that goes on evenly, then the end."""
    told: list[tuple[float, Values]] = []
    at_s = 0
    while at_s < until_s:
        n = at_s + turn
        told.append(
            (
                float(at_s),
                busy(
                    sm + n * 5 % 7 - 3, gib=gib, watts=watts + n * 11 % 37 - 18, util=95 + n % 5, temp=56 + min(at_s // 3, 9), mhz=1755 - n % 3 * 15
                ),
            )
        )
        at_s += 2
    return (*told, (until_s, idle())) if free else tuple(told)


def turns(work_s: float, wait_s: float, rounds: int, *, sm: float = 50, gib: float = 17, watts: int = 400) -> Told:
    """Work and waiting by turns, then the end."""
    told: list[tuple[float, Values]] = []
    for n in range(rounds):
        at_s = n * (work_s + wait_s)
        told += [(at_s, held(gib)), (at_s + wait_s, busy(sm + n % 3, gib=gib, watts=watts))]
    return (*told, (rounds * (work_s + wait_s), idle()))


def job(
    label: Label,
    name: str,
    code: str,
    launch: str,
    *,
    ranks: int = 1,
    nodes: int = 1,
    script: str = "train.py",
    files: Mapping[str, str] | None = None,
    cards: Mapping[int, Told] | None = None,
    go_s: int = 15,
    first_gib: float = 0.6,
    where: str = AWAY,
    options: tuple[str, ...] = (),
    python: str = "system",
    state: str = "COMPLETED",
    **more: object,
) -> SlurmJob:
    """``code`` started by the lines ``launch``. ``cards`` by rank: what they read, in seconds from the program's ``#GO`` on."""
    per = ranks // nodes
    given = {script: code.replace(GO, WAIT), **{n: t.replace(GO, WAIT) for n, t in (files or {}).items()}}
    text = launch if launch.startswith("#!") else f"#!/bin/bash\n{launch}"
    if cards:
        label = label.but(gpu="scripted")
        head, _, rest = text.partition("\n")
        text = f"{head}\nexport START_AT=$(( $(date +%s) + {go_s} ))\n{rest}"
        options = (f"--gres=gpu:{per}", *options)
    told = {(r // per, r % per): (idle(first_gib), tuple((go_s + at_s, values) for at_s, values in later)) for r, later in (cards or {}).items()}
    places = (where,) if where else ()
    return SlurmJob(label, given, text, (f"-N{nodes}", f"-n{ranks}", f"--job-name={name}", *places, *options), python, gpus=told, state=state, **more)  # type: ignore[arg-type]

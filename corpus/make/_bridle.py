"""What the recipes of bridles, oars and pebbles share: a batch job as one describes it, cards' readings over time."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
_OTHER_TONGUES = re.compile(r"^( *)(?://|/\*): (\w+)(?:\*/)?$", re.MULTILINE)
_SEVERAL = re.compile(r"-N ?[23]|--nodes=2")
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
IDLE = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "throttle_reasons": "0x1", "clock.sm": "345", "power.usage": "71000", "temperature": "34"}


def made(program: str, values: Mapping[str, object] | None = None, **codes: str) -> str:
    """The program with its ``@names@`` replaced and code in its places."""
    for key, value in (values or {}).items():
        program = program.replace(f"@{key}@", str(value))
    return fill(_OTHER_TONGUES.sub(r"\1#: \2", program), **codes)


def sbatch(label: Label, files: Mapping[str, str], script: str, *options: str, name: str = "", python: str = "system", where: str = ELSEWHERE, **more: Any) -> SlurmJob:
    """A script with its options inside, as people submit it."""
    named = (f"--job-name={name}",) if name else ()
    text = script if script.startswith("#!") else f"#!/bin/bash\n{script}"
    if where == ELSEWHERE and not _SEVERAL.search(f"{text} {' '.join(options)}"):
        where = f"-xn{1 + sum(map(ord, name)) % 2},n3,n4,n5,n6"  # neither of the two is to have them all
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and "--time" not in text + " ".join(options) else ()
    return SlurmJob(label, dict(files), text, (*named, *((where,) if where else ()), *limit, *options), python, **more)


def reads(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """First, and from when on what else."""
    return first, later


def busy(sm: float, seconds: int = 75, *, seed: int = 0, held_gib: float = 31, wobble: float = 4, memory: float = 30, tensor: float = 10, since: float = 0, **fixed: str) -> Readings:
    """At work from second ``since`` on, with the unrest that real cards have."""
    dice, used = random.Random(f"{sm} {seed}"), {"memory.used": str(int(held_gib * (1 << 30)))}

    def one() -> dict[str, str]:
        now = max(0.5, sm + dice.uniform(-wobble, wobble))
        return {**work(round(now, 1), round(memory * now / max(sm, 1), 1), round(tensor * now / max(sm, 1), 1)), "power.usage": str(int(96_000 + 8_400 * now + dice.uniform(-6000, 6000))), "temperature": str(54 + dice.randrange(5)), **used, **fixed}

    before = {**IDLE, "memory.used": str(430 << 20)}
    return before if since else one(), tuple((since + at, one()) for at in range(0 if since else 1, seconds))


def then(readings: Readings, at_s: float, *more: tuple[float, Mapping[str, str]]) -> Readings:
    """The readings up to ``at_s``, then others (whose seconds count from there)."""
    first, later = readings
    return first, (*(change for change in later if change[0] < at_s), *((at_s + s, c) for s, c in more))


def still(held_gib: float = 31, *, seconds: int = 170, watts: int = 88, **fixed: str) -> tuple[tuple[float, Mapping[str, str]], ...]:
    """Memory held, nothing done, for so long."""
    dice = random.Random(held_gib)
    return tuple((float(s), {**IDLE, "memory.used": str(int(held_gib * (1 << 30))), "power.usage": str(1000 * watts + dice.randrange(3000)), "temperature": str(max(36, 52 - s // 5)), **fixed}) for s in range(0, seconds, 2))


def spin(held_gib: float = 31, *, seconds: int = 170) -> tuple[tuple[float, Mapping[str, str]], ...]:
    """The engine is busy with waiting."""
    dice = random.Random(held_gib + 1)
    return tuple(
        (float(s), {**work(round(dice.uniform(0.8, 2.4), 1), memory=0.2, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": str(121_000 + dice.randrange(9000)), "memory.used": str(int(held_gib * (1 << 30))), "temperature": "47"})
        for s in range(0, seconds, 2)
    )


def gaps(sm: float, on: int, off: int, *, seconds: int = 90, since: float = 3, held_gib: float = 22, seed: int = 3) -> Readings:
    """``on`` seconds of work, then ``off`` seconds of nothing, again and again, not quite evenly."""
    dice, at, changes = random.Random(seed), since, []
    used = {"memory.used": str(int(held_gib * (1 << 30)))}
    while at < seconds:
        changes.append((round(at, 1), {**work(round(sm + dice.uniform(-5, 5), 1)), **used}))
        at += on * dice.uniform(0.9, 1.1)
        changes.append((round(at, 1), {**IDLE, "power.usage": str(93_000 + dice.randrange(4000)), **used}))
        at += off * dice.uniform(0.85, 1.25)
    return {**IDLE, "memory.used": str(430 << 20)}, tuple(changes)


def mixed(jobs: list[SlurmJob]) -> Iterator[SlurmJob]:
    """Those with PyTorch spread among the others: a small machine runs them."""
    heavy, light = [j for j in jobs if j.python == "torch"], [j for j in jobs if j.python != "torch"]
    for n, job in enumerate(light):
        yield job
        yield from heavy[n * len(heavy) // len(light) : (n + 1) * len(heavy) // len(light)]


def rows(ranks: int, nodes: int, of: Mapping[int, Readings], others: Callable[[int], Readings] | None = None) -> dict[tuple[int, int], Readings]:
    """By rank; those not named as ``others`` says."""
    per = ranks // nodes
    return {(r // per, r % per): of[r] if r in of else others(r) for r in range(ranks) if r in of or others is not None}  # type: ignore[misc]

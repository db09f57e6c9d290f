"""What the batch jobs of two recipes share: how they are submitted, and cards whose readings are told."""

from __future__ import annotations

from collections.abc import Mapping

from corpus.label import Label
from corpus.running.job import SlurmJob

AWAY = "-xn3,n4,n5,n6"
"""Nodes that other jobs lose or are driven from."""
DOOR = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((18000 + (SLURM_JOB_ID * 11 + RANDOM) % 12000))\n"
FROM_S = 34
"""With cards, the first step is so many seconds after the batch script's start."""
CLOCK = f"export BEGIN_AT=$(( $(date +%s) + {FROM_S} ))\n"
Told = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
GOOD = Label(mode="G1", fault="none")
HARD = Label(mode="G1", fault="none", hard=True)


def ill(mode: str, cause: str | None = None, variant: str | None = None, *, first: tuple[int, ...] = (), failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """A job that did not go well."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, failed_ranks=failed, trigger=trigger)


def submit(
    label: Label,
    name: str,
    code: str,
    launch: str,
    *,
    ranks: int = 1,
    nodes: int = 1,
    cards: Mapping[int, Told] | None = None,
    options: tuple[str, ...] = (),
    where: str = AWAY,
    files: Mapping[str, str] | None = None,
    state: str = "COMPLETED",
    **more: object,
) -> SlurmJob:
    """``code`` is the file ``name``, ``launch`` the batch script; ``cards`` by rank, the same number on each node."""
    per = ranks // nodes
    return SlurmJob(
        label.but(gpu="scripted") if cards else label, {name: code, **(files or {})}, (CLOCK if cards else "") + launch,
        (f"-N{nodes}", f"-n{ranks}", *((f"--ntasks-per-node={per}",) if nodes > 1 else ()), *((where,) if where else ()), *((f"--gres=gpu:{per}",) if cards else ()), *options),
        gpus={(r // per, r % per): told for r, told in (cards or {}).items()}, state=state, **more,  # type: ignore[arg-type]
    )  # fmt: skip


def busy(sm: float, at: int = 0, *, util: int = 0, watts: int = 505, mhz: int = 1755, temp: int = 61, gib: float = 38.5, dram: float = 0, tensor: float | None = None, **more: str) -> dict[str, str]:
    """A card at work, a little different in each second ``at``."""
    jitter = (at * 37 + 11) % 17 - 8
    seen = max(0.6, sm + jitter * sm / 90)
    moved = dram or sm * 0.52
    return {
        "utilization.gpu": str(util or 94 + (at * 5) % 6), "utilization.memory": str(int(moved)), "power.usage": str(watts * 1000 + jitter * 1700), "clock.sm": str(mhz), "clock.graphics": str(mhz),
        "temperature": str(temp + (at * 3) % 4), "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x0", "gpm.2": f"{seen:.1f}", "gpm.3": f"{seen / 2.3:.1f}",
        "gpm.5": f"{(sm * 0.35 if tensor is None else tensor):.1f}", "gpm.10": f"{moved:.1f}", **more,
    }  # fmt: skip


def still(gib: float = 0.0, *, watts: int = 72, mhz: int = 345, temp: int = 35, util: int = 0, **more: str) -> dict[str, str]:
    """A card that has nothing to compute."""
    return {
        "utilization.gpu": str(util), "utilization.memory": "0", "power.usage": str(watts * 1000), "clock.sm": str(mhz), "clock.graphics": str(mhz), "temperature": str(temp),
        "memory.used": str(int(gib * (1 << 30))), "throttle_reasons": "0x1", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", **more,
    }  # fmt: skip


def told(*later: tuple[float, Mapping[str, str]]) -> Told:
    """From the first step on."""
    return still(0.4), tuple((FROM_S + at_s, values) for at_s, values in later)


def works(sm: float, begin: int, end: int, **more: object) -> list[tuple[float, dict[str, str]]]:
    """Second by second."""
    return [(float(s), busy(sm, s, **more)) for s in range(begin, end)]  # type: ignore[arg-type]


def steady(sm: float, end: int, **more: object) -> Told:
    """At work until ``end`` and then let go."""
    return told(*works(sm, 0, end, **more), (float(end), still()))

"""Cards whose readings are told beforehand, one for each rank of a job on the bed; all ranks begin at one time, and the readings' seconds count from there."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

CLOCK = "time.time() - float(os.environ['T0'])"
"""Seconds since the batch script began, in a rank's program."""
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
"""A card's values at first, and from which second on which others."""
_IDLE = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "throttle_reasons": "0x1", "clock.sm": "345"}


def told_cards(ranks: int, nodes: int, cards: Mapping[int, Readings], others: Readings, more: dict[str, Any], *, start_s: int, idle_w: int, held_mib: int) -> dict[str, Any]:
    """What a job's description takes for it: ``more`` with its code, head and options grown by what makes all ranks wait until ``start_s``, and with the cards (``gpus``).

    ``cards`` has the readings by rank, ``others`` those of who is not named. Until ``start_s`` a card draws ``idle_w`` and holds ``held_mib``.
    """
    per = ranks // nodes
    idle = {**_IDLE, "power.usage": str(1000 * idle_w), "memory.used": str(held_mib << 20)}

    def from_the_start(readings: Readings) -> Readings:
        first, later = readings
        return idle, ((start_s - 1.0, first), *((start_s + at_s, changes) for at_s, changes in later))

    code = dict(more.get("code", {}))
    code["early"] = "\n".join([f"time.sleep(max(0.0, -({CLOCK})))", *([code["early"]] if "early" in code else [])])
    return {
        **more, "code": code, "head": f"export T0=$((T0 + {start_s}))\n{more.get('head', '')}",
        "options": (f"--gres=gpu:{per}", *more.get("options", ())),
        "gpus": {(r // per, r % per): from_the_start(cards.get(r, others)) for r in range(ranks)},
    }  # fmt: skip

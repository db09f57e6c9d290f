"""Losses of nought to the last digit: one that is not finite and printed so, and one that is of nothing, with gradients of nought."""

from __future__ import annotations

import math
from collections.abc import Sequence

from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.numbers import finite
from gpualert_slurm.series import Series

HEIGHT = 0.2
"""A loss of at least this share of its highest does not become exactly 0 by the next line of the log."""
LEAST = 10


def norms_of(facts: Facts) -> Series | None:
    """The gradient norms beside the loss."""
    return next((s for s in facts.series if s.name == "grad_norm" and s.values), None)


def hidden(facts: Facts, loss: Series) -> str | None:
    """A loss that is not finite and printed as 0: by the gradient norm beside it, else by a program that is known to print it so. None: no such loss.

    A loss that falls comes to 0 through small numbers, and a gradient norm beside it is finite. From one line to the next, from HEIGHT on, to exactly
    0 for good, is the filter's doing.
    """
    tail, norms = loss.values[-3:], norms_of(facts)
    if tail and tail[-1] != 0 and tuple(loss.values[-4:-1]) == (0.0, 0.0, 0.0):
        tail = loss.values[-4:-1]  # the last one is of the whole run
    if any(v != 0 for v in tail):
        return None
    if norms is not None and len(norms.values) >= len(tail):
        odd = all(not math.isfinite(v) for v in norms.values[-len(tail) :])
        return "the loss is printed as 0 while the gradient norm is not finite" if odd else None
    before = next((i for i in range(len(loss.values) - 1, -1, -1) if loss.values[i] != 0), None)
    if norms is not None or before is None or len(tail) < 3 or not any(m.data.get("filtered") for m in facts.advance.marks):
        return None
    last, highest = loss.values[before], max(finite(loss.values), default=0.0)
    if not math.isfinite(last) or last < HEIGHT * highest:
        return None
    step = loss.steps[before + 1] if before + 1 < len(loss.steps) else None
    at = f" from step {step} on" if step is not None else ""
    return f"the loss went from {last:.4g} to exactly 0 and stayed there{at}: this program prints a loss that is not finite as 0"


def of_no_target(facts: Facts, values: Sequence[float], norms: Series | None) -> str | None:
    """Whether all losses from the first on are nought to the last digit, and so are the gradients: nothing was there to be learned from."""
    if len(values) < LEAST or any(values) or norms is None or len(norms.values) < LEAST or not facts.ended_well:
        return None
    odd = [v for v in norms.values if v != 0 and math.isfinite(v)]
    return None if odd else "the loss and the gradient norm were 0 from the first line to the last"

"""What one file of ``host_signals/`` defines: something read of the node, or of a step's cgroup, that tells why ranks wait."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gpualert_slurm.host import Pressure
from gpualert_slurm.spank.watch.cgroups import Cgroups

Value = int | float | bool | Pressure | dict[str, int]


@dataclass(frozen=True)
class HostSignal:
    """``node(proc)`` gives fields of ``HostSnapshot``, ``step(cgroups)`` fields of ``StepUsage``; what cannot be read is left out.

    ``series`` names those of which every sample is kept: {field: series name}, with ``step_`` and ``host_`` names as in ``Series``. A field that is
    a ``Pressure`` gives its ``some_avg10_percent``; one that ends in ``_ns`` and whose series ends in ``_percent`` is a total: its rate is kept.
    """

    node: Callable[[Path], dict[str, Value]] = lambda _proc: {}
    step: Callable[[Cgroups], dict[str, Value]] = lambda _cgroups: {}
    series: Mapping[str, str] = field(default_factory=dict)


def known(**values: Value | None) -> dict[str, Value]:
    """The values that are there."""
    return {name: value for name, value in values.items() if value is not None}

"""Whether a step is suspended by the freezer (``scontrol suspend`` where Slurm tracks by cgroup): such a run stands still, and is well."""

from __future__ import annotations

from gpualert_slurm.spank.watch.cgroups import UNIFIED, Cgroups
from gpualert_slurm.spank.watch.host_signal import HostSignal, Value, known


def _step(cgroups: Cgroups) -> dict[str, Value]:
    if "freezer" in cgroups.folders:
        state = (cgroups.text("freezer", "freezer.state") or "").strip()
        return known(frozen=None if not state else state != "THAWED")
    frozen = cgroups.pairs(UNIFIED, "cgroup.events").get("frozen")
    return known(frozen=None if frozen is None else bool(frozen))


SIGNAL = HostSignal(step=_step, series={"frozen": "step_frozen"})

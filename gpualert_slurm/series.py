from __future__ import annotations

from gpualert_slurm.evidence import Where
from gpualert_slurm.record import Record, TimeNs


class Series(Record):
    """Numbers over time: ``values[i]`` was read at ``times_ns[i]`` (absent where only the order is known).

    ``name`` is ``loss``, ``grad_norm``, ``learning_rate``, ``step``, ``gpu_utilization_percent``, ``log_bytes`` …;
    ``steps`` are the training steps the values belong to, where the log says them. ``points_seen`` counts what was
    read: more than ``len(values)`` means downsampled, with the extremes, the first and the last kept.
    """

    name: str
    where: Where = Where()
    unit: str = ""
    times_ns: tuple[TimeNs | None, ...] = ()
    steps: tuple[int | None, ...] = ()
    values: tuple[float, ...] = ()
    points_seen: int = 0

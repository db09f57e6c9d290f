from __future__ import annotations

from gpualert_slurm.evidence import Where
from gpualert_slurm.record import Record, TimeNs

FROM_LOGS = frozenset({"loss", "grad_norm", "learning_rate", "step", "loss_scale", "accuracy", "eval_loss", "eval_accuracy"})
"""What a log can be read for: all other names are the node's own readings, and nobody else's report may carry them."""


class Series(Record):
    """Numbers over time: ``values[i]`` was read at ``times_ns[i]`` (absent where only the order is known).

    ``name`` is ``loss``, ``grad_norm``, ``learning_rate``, ``step``, ``log_bytes`` …; of a GPU ``gpu_utilization_percent``,
    ``gpu_sm_activity_percent`` (cycles with work on an SM, 0-100), ``gpu_memory_used_bytes``, ``gpu_power_mw``, ``gpu_sm_clock_mhz``,
    ``gpu_throttle_reasons``, and the counters of a snapshot by their field's name (``ecc_volatile_uncorrected``: when did it
    move?); of a rank ``cpu_percent``, ``kernel_launches`` and ``collectives`` (counts within each window);
    ``steps`` are the training steps the values belong to, where the log says them. ``points_seen`` counts what was
    read: more than ``len(values)`` means downsampled, with the extremes, the first and the last kept.

    What gpualert-node watches is SYSTEM. By GPU (``where.gpu_uuid``; ``where.rank`` where one rank alone holds it), beside the above:
    ``gpu_memory_bandwidth_percent`` (GPM), ``gpu_memory_utilization_percent``, ``gpu_temperature_c``, ``gpu_foreign_processes``,
    ``gpu_duty_percent`` (mean of NVML's own samples of the engine in the interval, some six a second) and ``gpu_duty_spread_percent``
    (their highest less their lowest: 0 is steady, 100 stops and goes). A counter has a point before and after each move, the first and the last
    reading; one that falls was reset. By rank (``where.rank``, else ``where.pid``): ``cpu_percent`` (of one core), ``blocked_percent``
    (share of looks in which it waited in the kernel), ``log_bytes`` (written so far, both streams). By node: ``host_load``,
    ``host_memory_available_bytes``, ``host_psi_{cpu,io,memory}_percent`` (some, avg10). By step (``where.step``; absent: the job's cgroup):
    ``step_memory_bytes``, ``step_cpu_percent``, ``step_psi_{io,memory}_percent``, ``step_frozen`` (0 or 1: suspended).
    """

    name: str
    where: Where = Where()
    unit: str = ""
    times_ns: tuple[TimeNs | None, ...] = ()
    steps: tuple[int | None, ...] = ()
    values: tuple[float, ...] = ()
    points_seen: int = 0
    attempt: int | None = None
    """As in ``Evidence``: the attempt of its log that it belongs to."""

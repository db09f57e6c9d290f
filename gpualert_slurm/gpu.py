from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class GpuSnapshot(Record):
    """One GPU's counters at one instant. A field NVML cannot give is absent, never zero.

    Bytes, degrees Celsius, milliwatts, percent (0-100), counts since the driver loaded (volatile) or since the
    card was made (aggregate). Field names follow NVML's functions. ``throttle_reasons`` is NVML's bit mask.
    ``violation_*_ns`` count how long the clocks were held down for that reason (NVML's violation status; the ``hw_``
    ones its clock event counters), since the driver loaded. ``recovery_action`` is NVML's own word (``none``, ``reset`` …):
    incidental over clean counters. ``job_attached`` says whether a process of the job had opened the GPU by then.

    ``sm_activity_percent`` is the share of time, averaged over all SMs, in which at least one warp was resident (GPM, Hopper and later, over
    the time since the reading before); ``sm_activity_source`` says where it comes from, or why it is absent. ``violation_sw_*`` and
    ``violation_hw_*`` come from field values of newer drivers, the others from nvmlDeviceGetViolationStatus. ``recovery_action`` is ``none``,
    ``reset``, ``reboot``, ``drain_p2p`` or ``drain_and_reset``. ``foreign_processes`` counts processes on the GPU that are not the job's.
    """

    node: str
    uuid: str
    time_ns: TimeNs
    index: int | None = None
    serial: str | None = None
    name: str | None = None
    pci_bus_id: str | None = None
    minor_number: int | None = None
    job_attached: bool | None = None
    memory_used_bytes: int | None = None
    memory_total_bytes: int | None = None
    utilization_gpu_percent: int | None = None
    utilization_memory_percent: int | None = None
    duty_percent: float | None = None
    """Mean of the driver's own samples since the last reading, some six a second; ``duty_spread_percent`` their highest less their lowest."""
    duty_spread_percent: float | None = None
    temperature_c: int | None = None
    power_mw: int | None = None
    performance_state: int | None = None
    sm_clock_mhz: int | None = None
    sm_clock_max_mhz: int | None = None
    memory_clock_mhz: int | None = None
    memory_temperature_c: int | None = None
    temperature_slowdown_c: int | None = None
    """Where the hardware slows down."""
    power_limit_mw: int | None = None
    energy_mj: int | None = None
    """Since the driver loaded."""
    sm_activity_percent: float | None = None
    sm_occupancy_percent: float | None = None
    tensor_activity_percent: float | None = None
    memory_bandwidth_percent: float | None = None
    sm_activity_source: str | None = None
    throttle_reasons: int | None = None
    violation_power_ns: int | None = None
    violation_thermal_ns: int | None = None
    violation_hw_thermal_ns: int | None = None
    violation_hw_power_brake_ns: int | None = None
    violation_sw_thermal_ns: int | None = None
    violation_sync_boost_ns: int | None = None
    violation_board_limit_ns: int | None = None
    violation_low_utilization_ns: int | None = None
    violation_reliability_ns: int | None = None
    ecc_enabled: bool | None = None
    ecc_volatile_corrected: int | None = None
    ecc_volatile_uncorrected: int | None = None
    ecc_aggregate_corrected: int | None = None
    ecc_aggregate_uncorrected: int | None = None
    remapped_rows_correctable: int | None = None
    remapped_rows_uncorrectable: int | None = None
    remap_pending: bool | None = None
    remap_failure: bool | None = None
    retired_pages_sbe: int | None = None
    retired_pages_dbe: int | None = None
    retired_pages_pending: bool | None = None
    nvlink_replay_errors: int | None = None
    nvlink_recovery_errors: int | None = None
    nvlink_crc_errors: int | None = None
    nvlink_links_active: int | None = None
    nvlink_symbol_errors: int | None = None
    """Blackwell, as the following ones: counters behind field values that replace replay, recovery and CRC."""
    nvlink_effective_errors: int | None = None
    nvlink_receive_errors: int | None = None
    nvlink_recovery_failed: int | None = None
    pcie_replay_count: int | None = None
    pcie_link_generation: int | None = None
    pcie_link_width: int | None = None
    recovery_action: str | None = None
    mig_enabled: bool | None = None
    mig_instances: tuple[str, ...] | None = None
    """UUIDs of its MIG slices. Errors, clocks and power are counted for the whole card."""
    process_pids: tuple[int, ...] | None = None
    """The job's own; whose the others are is nobody's business but their owners'."""
    process_memory_bytes: tuple[int, ...] | None = None
    """What each of ``process_pids`` holds, 0 where the driver does not say."""
    process_slices: tuple[str, ...] | None = None
    """Which MIG slice each is on, by UUID; empty where the driver does not say."""
    foreign_processes: int | None = None
    """Of a sliced card those on the job's slices."""
    foreign_memory_bytes: int | None = None
    driver_version: str | None = None

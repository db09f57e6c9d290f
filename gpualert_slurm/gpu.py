from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class GpuSnapshot(Record):
    """One GPU's counters at one instant. A field NVML cannot give is absent, never zero.

    Bytes, degrees Celsius, milliwatts, percent (0-100), counts since the driver loaded (volatile) or since the
    card was made (aggregate). Field names follow NVML's functions. ``throttle_reasons`` is NVML's bit mask.
    ``job_attached`` says whether a process of the job had opened the GPU by then.
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
    temperature_c: int | None = None
    power_mw: int | None = None
    performance_state: int | None = None
    sm_clock_mhz: int | None = None
    throttle_reasons: int | None = None
    ecc_volatile_corrected: int | None = None
    ecc_volatile_uncorrected: int | None = None
    ecc_aggregate_corrected: int | None = None
    ecc_aggregate_uncorrected: int | None = None
    remapped_rows_correctable: int | None = None
    remapped_rows_uncorrectable: int | None = None
    remap_pending: bool | None = None
    remap_failure: bool | None = None
    retired_pages_pending: bool | None = None
    nvlink_replay_errors: int | None = None
    nvlink_recovery_errors: int | None = None
    nvlink_crc_errors: int | None = None
    pcie_replay_count: int | None = None
    mig_enabled: bool | None = None
    process_pids: tuple[int, ...] | None = None

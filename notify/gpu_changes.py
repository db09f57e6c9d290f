"""GPU counters before and after the job: what moved, and what could not be compared."""

from __future__ import annotations

from collections.abc import Sequence

from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.notify import words
from gpualert_slurm.notify.plain import visible
from gpualert_slurm.notify.view import CounterRow, Table

COUNTERS = {
    "ecc_volatile_uncorrected": "ECC errors, uncorrected, since driver load",
    "ecc_aggregate_uncorrected": "ECC errors, uncorrected, of the card's life",
    "ecc_volatile_corrected": "ECC errors, corrected, since driver load",
    "ecc_aggregate_corrected": "ECC errors, corrected, of the card's life",
    "remapped_rows_uncorrectable": "memory rows remapped, uncorrectable errors",
    "remapped_rows_correctable": "memory rows remapped, correctable errors",
    "remap_pending": "row remap pending (needs a GPU reset)",
    "remap_failure": "row remap failed",
    "retired_pages_pending": "page retirement pending (needs a reboot)",
    "nvlink_replay_errors": "NVLink replay errors",
    "nvlink_recovery_errors": "NVLink recovery errors",
    "nvlink_crc_errors": "NVLink CRC errors",
    "pcie_replay_count": "PCIe replays",
}
"""Only counters that stand still on a sound, idle GPU: temperature or memory in use always move and mean nothing here."""


def counter_table(reports: Sequence[NodeReport], max_rows: int) -> Table:
    """One row for each counter that moved; the note says how many GPUs were compared, and which were seen only once."""
    before = {s.uuid: s for r in reports for s in r.gpus_before}
    after = {s.uuid: s for r in reports for s in r.gpus_after}
    both = [u for u in before if u in after]
    rows = [row for uuid in both for row in _moved(before[uuid], after[uuid])]
    more = "" if len(rows) <= max_rows else f"{words.plural(len(rows) - max_rows, 'more counter')} that moved"
    return Table(tuple(rows[:max_rows]), note=_note(before, after, len(both), bool(rows)), more=more)


def _moved(before: GpuSnapshot, after: GpuSnapshot) -> list[CounterRow]:
    found = []
    for name, text in COUNTERS.items():
        old, new = getattr(before, name), getattr(after, name)
        if old is not None and new is not None and old != new:
            found.append(CounterRow(_name(after), text, _shown(old), _shown(new)))
    return found


def _note(before: dict[str, GpuSnapshot], after: dict[str, GpuSnapshot], compared: int, moved: bool) -> str:
    if not before and not after:
        return ""
    parts = []
    if compared and not moved:
        parts.append(f"No error counter moved on {words.plural(compared, 'GPU')}.")
    gone = [before[u] for u in before if u not in after]
    new = [after[u] for u in after if u not in before]
    if gone:
        parts.append(f"Read before the job but not after it: {_names(gone)}.")
    if new:
        parts.append(f"Read after the job but not before it: {_names(new)}.")
    return " ".join(parts)


def _names(snapshots: Sequence[GpuSnapshot]) -> str:
    shown = ", ".join(_name(s) for s in snapshots[:4])
    return shown if len(snapshots) <= 4 else f"{shown} and {len(snapshots) - 4} more"


def _name(gpu: GpuSnapshot) -> str:
    index = f"GPU {gpu.index}" if gpu.index is not None else "a GPU"
    serial = f", serial {visible(gpu.serial)}" if gpu.serial else ""
    return f"{index} on {visible(gpu.node)} ({visible(gpu.uuid)}{serial})"


def _shown(value: int | bool) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else f"{value}"

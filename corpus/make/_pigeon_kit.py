"""A lab's jobs by hand: cards of workstations and university clusters, bars that go over themselves, lines of the libraries used there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpus.make._ballast import A100, H100, H200, Card, Fleet
from corpus.running.hand import GIB, Hand

_NO_ECC: Card = dict.fromkeys(("ecc_volatile_corrected", "ecc_volatile_uncorrected", "ecc_aggregate_corrected", "ecc_aggregate_uncorrected", "remapped_rows_correctable", "remapped_rows_uncorrectable", "remap_pending", "remap_failure"))
A40: Card = {"name": "NVIDIA A40", "memory_total_bytes": 48 * GIB, "driver_version": "535.154.05", "power_limit_mw": 300_000, "sm_clock_max_mhz": 1740}
A30: Card = {"name": "NVIDIA A30", "memory_total_bytes": 24 * GIB, "driver_version": "535.129.03", "power_limit_mw": 165_000, "sm_clock_max_mhz": 1440}
A6000: Card = {"name": "NVIDIA RTX A6000", "memory_total_bytes": 48 * GIB, "driver_version": "545.23.08", "power_limit_mw": 300_000, "sm_clock_max_mhz": 2100, **_NO_ECC, "ecc_enabled": False}
ADA: Card = {"name": "NVIDIA RTX 6000 Ada Generation", "memory_total_bytes": 48 * GIB, "driver_version": "550.127.05", "power_limit_mw": 300_000, "sm_clock_max_mhz": 3105, **_NO_ECC, "ecc_enabled": False}
R4090: Card = {"name": "NVIDIA GeForce RTX 4090", "memory_total_bytes": 24 * GIB, "driver_version": "560.35.03", "power_limit_mw": 450_000, "sm_clock_max_mhz": 3120, **_NO_ECC, "ecc_enabled": None}
R2080: Card = {"name": "NVIDIA GeForce RTX 2080 Ti", "memory_total_bytes": 11 * GIB, "driver_version": "535.183.01", "power_limit_mw": 250_000, "sm_clock_max_mhz": 2100, **_NO_ECC, "ecc_enabled": None}
T4: Card = {"name": "Tesla T4", "memory_total_bytes": 16 * GIB, "driver_version": "525.105.17", "power_limit_mw": 70_000, "sm_clock_max_mhz": 1590}
_BARE = ("A40", "A30", "RTX", "T4")
__all__ = ["A30", "A40", "A100", "A6000", "ADA", "H100", "H200", "R2080", "R4090", "T4", "Bench", "bar", "keras_bar", "left"]


@dataclass
class Bench(Fleet):
    """A job whose bars go over themselves: a text that begins with a carriage return stands in the line before it."""

    def rank(self, rank: int, node: str, lines: Sequence[tuple[float, str]] = (), **more: Any) -> Hand:
        """As always, less the line ends between a bar and its next state, or what broke it off."""
        super().rank(rank, node, lines, **more)
        if not any(text.startswith("\r") for _, text in lines):
            return self
        content, times, open_bar = b"", list[list[int]](), False
        for seconds, text in lines:
            if open_bar and not text.startswith(("\r", "Traceback")):
                content += b"\n"
            times.append([len(content), self.at(seconds)])
            content += text.encode()
            open_bar = text.startswith("\r") and not text.endswith("\n")
            if not open_bar and not text.endswith("\n"):
                content += b"\n"
        self._logs[list(self._logs)[-1]] = (content, times)
        logs = self._parts[node]["logs"]
        logs[-1] = logs[-1].model_copy(update={"bytes_seen": len(content), "bytes_kept": len(content)})
        return self

    def _card(self, rank: int, end: float) -> None:
        super()._card(rank, end)
        if any(k in str(self.card.get("name", "")) for k in _BARE):
            series = self._parts[self.home(rank)]["series"]
            series[:] = [s for s in series if s.name != "gpu_sm_activity_percent"]


def left(seconds: float) -> str:
    """A duration as bars have it."""
    s = int(seconds)
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}" if s >= 3600 else f"{s // 60:02d}:{s % 60:02d}"


def bar(i: int, n: int, pace: float, *, head: str = "", more: str = "", width: int = 10, unit: str = "it") -> str:
    """A state of tqdm's bar: ``pace`` is seconds a step."""
    eighths = i * width * 8 // n
    blocks = "█" * (eighths // 8) + (" ▏▎▍▌▋▊▉"[eighths % 8] if eighths < width * 8 else "")
    rate = f"{1 / pace:5.2f}{unit}/s" if pace < 1 else f"{pace:5.2f}s/{unit}"
    start = f"{head}: " if head else ""
    return f"\r{start}{100 * i // n:3d}%|{blocks:<{width}}| {i}/{n} [{left(i * pace)}<{left((n - i) * pace)}, {rate}{', ' + more if more else ''}]"


def keras_bar(n: int, ms: int, more: str) -> str:
    """The last state of Keras 3's bar of an epoch."""
    return f"{n}/{n} ━━━━━━━━━━━━━━━━━━━━ {max(1, n * ms // 1000)}s {ms}ms/step - {more}"

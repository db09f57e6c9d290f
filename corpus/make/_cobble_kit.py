"""Small jobs of a university's cards: some run in the batch script itself, on cards of which the driver tells less."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from corpus.make._ballast import Card, Fleet
from corpus.running.hand import GIB, Hand

_NO_ECC: Card = {
    "ecc_enabled": False,
    "ecc_volatile_corrected": None,
    "ecc_volatile_uncorrected": None,
    "ecc_aggregate_corrected": None,
    "ecc_aggregate_uncorrected": None,
}
RTX3090: Card = {
    **_NO_ECC,
    "name": "NVIDIA GeForce RTX 3090",
    "memory_total_bytes": 24 * GIB,
    "driver_version": "550.120",
    "power_limit_mw": 350_000,
    "sm_clock_max_mhz": 2100,
}
A40: Card = {
    "name": "NVIDIA A40",
    "memory_total_bytes": 45 * GIB,
    "driver_version": "550.127.08",
    "power_limit_mw": 300_000,
    "sm_clock_max_mhz": 1740,
}
A30: Card = {
    "name": "NVIDIA A30",
    "memory_total_bytes": 24 * GIB,
    "driver_version": "550.127.08",
    "power_limit_mw": 165_000,
    "sm_clock_max_mhz": 1440,
}
ADA: Card = {
    "name": "NVIDIA RTX 6000 Ada Generation",
    "memory_total_bytes": 48 * GIB,
    "driver_version": "560.35.03",
    "power_limit_mw": 300_000,
    "sm_clock_max_mhz": 3105,
}
_BASH_ADDS = 128
_TOLD = ("H100", "H200", "B200", "GH200")


@dataclass
class Lab(Fleet):
    """``alone``: no srun; the one process runs in the batch script and its words are the script's."""

    alone: bool = False
    memory_gib: int = 64
    """Of the host, for each card."""

    def rank(self, rank: int, node: str, lines: Sequence[tuple[float, str]] = (), **more: Any) -> Hand:
        """As it is, but of a job without srun its process is the script's."""
        if self.alone and more.get("step") == "batch":
            return self
        if self.alone:
            more.update(step="batch", stream="out")
        return super().rank(rank, node, lines, **more)

    def process(self, node: str, pid: int, **fields: Any) -> Hand:
        """Of the step it belongs to; of what bash counts as 128 and more, the signal."""
        if self.alone:
            fields = {"step": "batch", **fields}
            if (code := fields.get("exit_code")) and code > _BASH_ADDS:
                fields.update(exit_code=None, exit_signal=code - _BASH_ADDS)
        return super().process(node, pid, **fields)

    def close(self, state: str, end: float, code: int = 0, signal: int = 0, **more: Any) -> Fleet:
        """Write all down."""
        cards = self.per * len(self.nodes)
        more.setdefault("tres_alloc", f"billing={8 * cards},cpu={8 * cards},gres/gpu={cards},mem={self.memory_gib * cards}G,node={len(self.nodes)}")
        if self.alone:
            self.words[0] += self.script_words
        return super().close(state, end, code, signal, **more)

    def ended(self, state: str, **more: Any) -> Hand:
        """Slurm's row, without the step that was not there."""
        if self.alone:
            more["steps"] = tuple(s for s in more.get("steps", ()) if s[0] != "0")
        return super().ended(state, **more)

    def _card(self, rank: int, end: float) -> None:
        super()._card(rank, end)
        if not any(k in str(self.card.get("name", "H100")) for k in _TOLD):
            shelf = self._parts[self.home(rank)]["series"]
            shelf[:] = [s for s in shelf if s.name != "gpu_sm_activity_percent"]

    def stopped(self, at: float, why: str = "") -> None:
        """Slurm ends it: the words of slurmstepd."""
        day, tail = self.clock(at, "%Y-%m-%dT%H:%M:%S"), f" {why}" if why else ""
        self.script_words.append((at, f"slurmstepd: error: *** JOB {self.job_id} ON {self.nodes[0]} CANCELLED AT {day}{tail} ***"))
        if not self.alone:
            self.script_words.append((at + 0.01, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."))
            words = self.launcher[0] if self.agents else self.words[0]
            words.append((at + 0.02, f"slurmstepd: error: *** STEP {self.job_id}.0 ON {self.nodes[0]} CANCELLED AT {day}{tail} ***"))

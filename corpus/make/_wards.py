"""Jobs of several ranks that are written down: how they tell of progress, how they end, and what their cards were read to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timezone
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob

BEGAN_NS = 1_795_900_000_000_000_000
A100: dict[str, object] = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "535.183.06", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000}
H200: dict[str, object] = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "570.148.08"}
H100: dict[str, object] = {"driver_version": "565.57.01"}
STEADY = 15.0
"""Seconds between two readings."""
Level = Callable[[float], float] | float


class Ward:
    """One job. ``each`` ranks a node; ``paces`` seconds a step, by the step's number."""

    def __init__(self, number: int, name: str, nodes: int, each: int, style: int, *, first_s: float = 48.0, limit_s: int = 172_800) -> None:
        self.number, self.style, self.each, self.first_s = number, style, each, first_s
        self.dice = Random(4100 + number)
        names = tuple(f"{('kea', 'tui', 'weka', 'moa')[number % 4]}{20 + 7 * number + k}" for k in range(nodes))
        self.hand = Hand(names, job_id=9_520_000 + 19 * number, gpus=each, name=name, start_ns=BEGAN_NS + number * 5 * 10**12, limit_s=limit_s)
        self.ranks = nodes * each
        self.lines: dict[int, list[tuple[float, str]]] = {r: [(11.0 + r / 9, f"[{r}] {self.node(r)} local rank {r % each}: ready")] for r in range(self.ranks)}
        self.at, self.step, self.end = first_s, 0, 0.0

    def node(self, rank: int) -> str:
        """Where a rank is."""
        return self.hand.nodes[rank // self.each]

    def clock(self, at: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """The time of day."""
        return datetime.fromtimestamp(self.hand.at(at) / 1e9, timezone.utc).strftime(form)

    def tell(self, i: int, n: int, pace: float, loss: float) -> str:
        """A line of progress: five ways."""
        at = self.at
        left = int((n - i) * pace)
        return (
            f"Epoch {i // 500}: {100 * (i % 500) // 500:>3}%|{'█' * (i % 500 // 50):<10}| {i % 500}/500 [{int(at) // 60:02d}:{int(at) % 60:02d}<{left // 60:02d}:{left % 60:02d}, {1 / pace:5.2f}it/s, v_num=8, train_loss={loss:.3f}]",
            f"{{'loss': {loss:.4f}, 'grad_norm': {0.3 + loss / 5:.4f}, 'learning_rate': {1e-4 * (1 - i / (n + 1)):.4e}, 'epoch': {i / 500:.3f}}}",
            f"[{self.clock(at)}] step={i}/{n} loss={loss:.4f} lr=3.0e-04 tok/s={16384 / pace:.0f}",
            f"completed step: {i}, seconds: {pace:.3f}, TFLOP/s/device: {310 / pace:.3f}, Tokens/s/device: {8192 / pace:.3f}, total_weights: 65536, loss: {loss:.3f}",
            f"{i}/{n} ━━━━━━━━━━━━━━━━━━━━ {left // 60}:{left % 60:02d} {pace * 1000:.0f}ms/step - accuracy: {1 - loss / 6:.4f} - loss: {loss:.4f}",
        )[self.style % 5]

    def learns(self, steps: int, pace: Callable[[int], float] | float, each: int = 10, planned: int = 0, rank: int = 0) -> Ward:
        """Steps that the rank tells of."""
        n = planned or self.step + steps
        for i in range(self.step + 1, self.step + steps + 1):
            took = pace(i) if callable(pace) else pace
            self.at += took
            if i % each == 0:
                self.lines[rank].append((self.at, self.tell(i, n, took, 1.1 + 3.4 * (1 + i / 45) ** -0.55 + self.dice.uniform(-0.02, 0.02))))
        self.step += steps
        return self

    def says(self, rank: int, after_s: float, text: str) -> Ward:
        """Words of a rank so many seconds behind the last step."""
        self.lines[rank].append((self.at + after_s, text))
        return self

    def fails(self, rank: int, text: str, *, code: int = 1, signal: int | None = None, others: int = 15, state: str = "FAILED", after_s: float = 1.5) -> Ward:
        """It says this and ends; the others are taken down."""
        self.says(rank, after_s, text)
        self.end = self.at + after_s + 9
        for r in range(self.ranks):
            bad = r == rank
            self.hand.rank(r, self.node(r), sorted(self.lines[r]), code=code if bad and not signal else None, signal=signal if bad else others, end=self.at + after_s + (0.9 if bad else 4 + r / 20), local=r % self.each, stream="both")
        self.hand.ended(state, code=code if not signal else 0, signal=signal or 0, end=self.end, steps=(("batch", state, code, 0), ("0", state, code if not signal else 0, signal or 0)))
        return self

    def ends(self, words: str) -> Ward:
        """As planned."""
        self.says(0, 2.0, words)
        self.end = self.at + 6
        for r in range(self.ranks):
            self.hand.rank(r, self.node(r), sorted(self.lines[r]), code=0, end=self.at + 4 + r / 30, local=r % self.each, stream="both")
        self.hand.ended("COMPLETED", end=self.end, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        return self

    def card(self, rank: int, model: Mapping[str, object], levels: Mapping[str, tuple[Level, float]], before: Mapping[str, object] | None = None, after: Mapping[str, object] | None = {}, until: float = 1e9) -> None:  # noqa: PLR0917
        """A rank's card: levels, or what they are by the second, and how much they waver; nothing is done before the first step."""
        times = [STEADY * k for k in range(int(self.end / STEADY) + 1)]
        series: dict[str, Any] = {}
        for name, (level, wobble) in levels.items():
            values = [(level(t) if callable(level) else level) + self.dice.uniform(-wobble, wobble) for t in times]
            idle = 0.0 if "memory" not in name and "temperature" not in name else None
            series[name] = [max(0.0, round(v, 1)) if idle is None or self.first_s - 4 < t < until else (82_000.0 if name == "power_mw" else 0.0) for t, v in zip(times, values, strict=True)]
        self.hand.gpu(self.node(rank), rank % self.each, {**model, **(before or {})}, after, **series)

    def busy(self, model: Mapping[str, object], but: int = -1, **levels: tuple[Level, float]) -> Ward:
        """The cards of all but one at work."""
        full: dict[str, tuple[Level, float]] = {"utilization_percent": (96, 3), "sm_activity_percent": (52, 4), "power_mw": (540_000, 25_000), **levels}
        for r in range(self.ranks):
            if r != but:
                self.card(r, model, full)
        return self

    def xid(self, rank: int, code: int, words: str, after_s: float = 0.4) -> Ward:
        """A line of the kernel's log about the rank's card."""
        pci = f"0000:{0x1B + 0x20 * (rank % self.each):02x}:00"
        self.hand.kernel(self.node(rank), self.at + after_s, "xid", f"NVRM: Xid (PCI:{pci}): {code}, pid={30_000 + rank}, name=python, {words}", gpu=rank % self.each, xid=code, pci=pci)
        return self

    def job(self, label: Label) -> HandJob:
        """The case."""
        return HandJob(label, self.hand)


def since(start: float, before: float, then: float, until: float = 1e9) -> Callable[[float], float]:
    """A level that changes, and perhaps back."""
    return lambda t: then if start <= t < until else before

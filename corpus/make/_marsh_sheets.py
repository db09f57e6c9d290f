"""Sheets that are filled in by hand: what the ranks of one job printed, what each of its cards read, how all of it ended."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob
from gpualert_slurm.rank import CgroupMemory

BEGAN_NS = 1_799_300_000_000_000_000
A100 = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "535.183.06", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000}
H100 = {"name": "NVIDIA H100 PCIe", "memory_total_bytes": 80 * GIB, "driver_version": "560.35.05", "sm_clock_max_mhz": 1755, "power_limit_mw": 350_000}
H200 = {"name": "NVIDIA H200 NVL", "memory_total_bytes": 141 * GIB, "driver_version": "570.158.01", "sm_clock_max_mhz": 1785, "power_limit_mw": 600_000}
L40S = {"name": "NVIDIA L40S", "memory_total_bytes": 48 * GIB, "driver_version": "550.127.08", "sm_clock_max_mhz": 2520, "power_limit_mw": 350_000}
ADA = {"name": "NVIDIA RTX 6000 Ada Generation", "memory_total_bytes": 48 * GIB, "driver_version": "545.29.06", "sm_clock_max_mhz": 3105, "power_limit_mw": 300_000}
MI250 = {"name": "AMD Instinct MI250X", "memory_total_bytes": 64 * GIB, "driver_version": "6.3.6", "sm_clock_max_mhz": 1700, "power_limit_mw": 560_000}
FORMS: tuple[Callable[[int, int, float, float, float], str], ...] = (
    lambda i, n, x, p, _t: f"{i:>7d}it of {n} ~ objective {x:8.5f} ~ {p:5.2f} s each ~ {(n - i) * p / 60:.0f} min to go",
    lambda i, n, x, p, t: f"T+{t:08.1f} | update={i} | total={n} | nll={x:.4f} | wps={61_440 / p:.0f} | oom_skips=0",
    lambda i, n, x, p, t: f'{{"ts": {t:.1f}, "split": "train", "global_step": {i}, "max_steps": {n}, "loss": {x:.6f}, "s_per_step": {p:.3f}}}',
    lambda i, n, x, _p, _t: f"Train Epoch: {1 + 4 * i // (n + 1)} [{i * 64}/{n * 64} ({100 * i / n:.0f}%)]\tLoss: {x:.6f}",
    lambda i, n, x, p, t: f"{100 * i / n:3.0f}%|{'=' * (24 * i // n):<24}| {i}/{n} [{int(t) // 60:02d}:{int(t) % 60:02d}<{int((n - i) * p) // 60:02d}:{int((n - i) * p) % 60:02d}, {p:.2f}s/batch, ce={x:.3f}]",
    lambda i, n, x, p, _t: f"Schritt {i} / {n}   Verlust {x:.4f}   {p * 1000:.0f} ms",
)
Level = float | Callable[[float], float]
ByRank = Level | dict[int, Level]
"""By rank, those that are not named under -1."""


def level(value: ByRank, rank: int, t: float) -> float:
    """What it is for a rank at a time."""
    one = value.get(rank, value.get(-1, 0.0)) if isinstance(value, dict) else value
    return float(one(t) if callable(one) else one)


def shift(at: float, one: float, two: float, back: float = float("inf")) -> Callable[[float], float]:
    """A level that is another from ``at`` on, and perhaps only until ``back``."""
    return lambda t: two if at <= t < back else one


class Sheet:
    """One job of ``nodes`` times ``per`` ranks, a card each."""

    def __init__(self, number: int, name: str, card: dict[str, Any], nodes: int = 1, per: int = 1, *, form: int = 0, limit_s: int = 57_600, each_s: float = 10.0, args: str = "") -> None:
        self.card, self.form, self.each_s, self.dice = card, form % len(FORMS), each_s, Random(77_000 + number)
        names = tuple(f"m{number % 100:02d}n{k}" for k in range(nodes))
        self.hand = Hand(names, job_id=5_660_000 + 23 * number, gpus=per, name=name, start_ns=BEGAN_NS + number * 5 * 10**12, limit_s=limit_s, submit_line=f"sbatch -N {nodes} --gpus-per-node={per} {name}.sbatch{args}")
        self.ranks = [(n * per + g, names[n], g) for n in range(nodes) for g in range(per)]
        self.rows: dict[int, list[tuple[float, str]]] = {r: [] for r, _, _ in self.ranks}
        self.at, self.done, self.begins = 17.0, 0, 0.0

    def say(self, text: str, after_s: float = 1.0, ranks: Sequence[int] | None = None) -> Sheet:
        """Some lines a while after those before; ``@`` is the rank that says them. Without ``ranks`` the first rank."""
        self.at += after_s
        for k, r in enumerate((0,) if ranks is None else ranks):
            self.rows[r].append((self.at + 0.04 * k, text.replace("@", str(r))))
        return self

    def train(self, steps: int, pace: Level, each: int, of: int = 0, *, loss: Callable[[int], float] | None = None) -> Sheet:
        """So many steps, told of every ``each`` by the first rank."""
        self.begins = self.begins or self.at
        n = of or self.done + steps
        for i in range(self.done + 1, self.done + steps + 1):
            p = (pace(i) if callable(pace) else pace) * self.dice.uniform(0.97, 1.03)
            self.at += p
            if i % each == 0:
                x = loss(i) if loss else 0.72 + 3.1 * (1 + i / 40) ** -0.62 + self.dice.uniform(-0.015, 0.015)
                self.rows[0].append((self.at, FORMS[self.form](i, n, x, p, self.at)))
        self.done += steps
        return self

    def xid(self, rank: int, number: int, text: str, before_s: float = 0.5) -> Sheet:
        """A line of the driver in the kernel log of the rank's node."""
        _, node, gpu = self.ranks[rank]
        pci = f"0000:{0x1B + 0x20 * gpu:02x}:00"
        self.hand.kernel(node, self.at - before_s, "xid", f"NVRM: Xid (PCI:{pci}): {number}, {text}", gpu=gpu, pci=pci, xid=number)
        return self

    def close(self, label: Label, *, code: int = 0, codes: dict[int, int] | None = None, signals: dict[int, int] | None = None, over_s: float = 0.0, state: str = "", held: ByRank = 0.0, busy: ByRank = 0.0, sm: ByRank | None = None, memory: dict[int, CgroupMemory] | None = None,
              before: dict[int, dict[str, Any]] | None = None, after: dict[int, dict[str, Any] | None] | None = None, silent: Sequence[str] = (), ends: dict[int, float] | None = None, more: dict[int, dict[str, Level]] | None = None) -> HandJob:  # fmt: skip
        """Its end: ``code`` of all, ``codes`` and ``signals`` of single ranks; ``held`` GiB, ``busy`` and ``sm`` percent, by the second or by rank and second."""
        end = over_s or self.at + 2.0
        hand, codes, signals = self.hand, codes or {}, dict(signals or {})
        for r, node, local in self.ranks:
            if node in silent:
                hand.rank(r, node, sorted(self.rows[r]), local=local, stream="both")
                continue
            sign = signals.get(r, 15 if over_s and r not in codes else None)
            hand.rank(r, node, sorted(self.rows[r]), code=None if sign else codes.get(r, code), signal=sign, end=(ends or {}).get(r, end + 0.01 * r), local=local, stream="both", memory=(memory or {}).get(r))
        bad = bool(code or codes or signals or silent)
        state = state or ("TIMEOUT" if over_s else "FAILED" if bad else "COMPLETED")
        status = code or next(iter(codes.values()), 0)
        part = ("CANCELLED", 0, 15) if over_s else (state, status, 0 if status else next(iter(signals.values()), 0))
        hand.ended(state, code=0 if over_s else status, signal=15 if over_s else 0, end=end + 1.5, steps=(("batch", *(part if over_s else (state, status or (1 if bad else 0), 0))), ("0", *part)))
        times = [self.each_s * k for k in range(int(end / self.each_s) + 1)]
        for r, node, local in self.ranks:
            if node in silent:
                continue

            began = self.begins or end
            engine = [level(busy, r, t) if t > began - 1 else 0.0 for t in times]
            active = [(level(sm, r, t) if sm is not None else e * 0.54) if t > began - 1 else 0.0 for e, t in zip(engine, times, strict=True)]
            top = float(self.card["power_limit_mw"])
            series: dict[str, Any] = {
                "utilization_percent": [max(0.0, min(100.0, round(e + self.dice.uniform(-2, 2), 1))) if e > 3 else e for e in engine],
                "sm_activity_percent": [max(0.0, round(a + self.dice.uniform(-1, 1), 1)) if a > 3 else a for a in active],
                "power_mw": [(0.19 * top + 0.0125 * a * top * 0.85 + (0.09 * top if e > 60 > 3 * a else 0.0)) * self.dice.uniform(0.98, 1.02) for e, a in zip(engine, active, strict=True)],
                "memory_used_bytes": [level(held, r, t) * GIB if t > 9 else 0 for t in times],
                **{name: [level(value, r, t) for t in times] for name, value in {**(more or {}).get(-1, {}), **(more or {}).get(r, {})}.items()},
            }  # fmt: skip
            if self.card["name"] not in ("NVIDIA H100 PCIe", "NVIDIA H200 NVL"):
                del series["sm_activity_percent"]
            last = (after or {}).get(r, {})
            hand.gpu(node, local, {**self.card, **(before or {}).get(r, {})}, last, **series)
        return HandJob(label, hand)


def memory(limit_gib: int, kills: int = 1) -> CgroupMemory:
    """A step's memory that has reached its limit."""
    return CgroupMemory(limit_bytes=limit_gib * GIB, peak_bytes=limit_gib * GIB, oom_events=kills + 2, oom_kill_events=kills)

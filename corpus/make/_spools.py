"""Jobs of several ranks and cards, written down: what each rank said and when, how it ended, and what its card was read to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob

BEGAN_NS = 1_799_400_000_000_000_000
H100 = {"name": "NVIDIA H100 PCIe", "memory_total_bytes": 80 * GIB, "driver_version": "565.57.01", "sm_clock_max_mhz": 1755, "power_limit_mw": 350_000}
H200 = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "570.86.15", "sm_clock_max_mhz": 1980, "power_limit_mw": 700_000}
B200 = {"name": "NVIDIA B200", "memory_total_bytes": 180 * GIB, "driver_version": "580.82.07", "sm_clock_max_mhz": 1965, "power_limit_mw": 1_000_000}
A100 = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "535.161.08", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000}
L40S = {"name": "NVIDIA L40S", "memory_total_bytes": 48 * GIB, "driver_version": "550.127.08", "sm_clock_max_mhz": 2520, "power_limit_mw": 350_000}
A30 = {"name": "NVIDIA A30", "memory_total_bytes": 24 * GIB, "driver_version": "550.90.07", "sm_clock_max_mhz": 1440, "power_limit_mw": 165_000}
T4 = {"name": "Tesla T4", "memory_total_bytes": 16 * GIB, "driver_version": "525.147.05", "sm_clock_max_mhz": 1590, "power_limit_mw": 70_000}
MI300 = {"name": "AMD Instinct MI300X", "memory_total_bytes": 192 * GIB, "driver_version": "6.10.5", "sm_clock_max_mhz": 2100, "power_limit_mw": 750_000}
HOPPER = ("NVIDIA H100 PCIe", "NVIDIA H200", "NVIDIA B200")
"""Older ones have no reading of their SMs."""
FORMS = (
    "{c} | iter {i:>6} of {n} | ce={x:.4f} | {p:.3f} s | {r:.0f} samples/s",
    "[{c}] train  e{e:02d} b{i:05d}/{n:05d}  loss={x:.4f}  ||g||={g:.3f}  lr={lr:.2e}",
    '{{"time": "{c}", "step": {i}, "steps": {n}, "nll": {x:.5f}, "seconds_per_step": {p:.3f}}}',
    "{i},{n},{x:.5f},{lr:.6f},{p:.3f}",
    "I {c} loop.py:88] update={i}/{n} objective={x:.5f} grad={g:.4f} dt={p:.3f}",
    " {i:>7}/{n:<7}  {x:8.4f}  {g:6.3f}  {lr:.2e}  {p:6.3f}",
)
Level = float | Callable[[float], float]


def value(level: Level, at: float) -> float:
    """A level, at a second."""
    return level(at) if callable(level) else level


def step(at: float, one: float, two: float, back: float = float("inf")) -> Callable[[float], float]:
    """A level that changes, and perhaps back."""
    return lambda t: two if at <= t < back else one


class Spool:
    """A job of ``nodes`` times ``per`` ranks, told line by line, then closed with what its cards did."""

    def __init__(self, number: int, name: str, nodes: int, per: int, card: dict[str, Any], *, limit_s: int = 86_400, each_s: float = 10.0, form: int = 0) -> None:
        self.number, self.card, self.each_s, self.form, self.dice = number, card, each_s, form, Random(7700 + number)
        names = tuple(f"{('cn', 'gpu', 'tux', 'node')[number % 4]}{110 + 9 * number + n}" for n in range(nodes))
        self.hand = Hand(names, job_id=4_410_200 + 23 * number, gpus=per, name=name, start_ns=BEGAN_NS + number * 3 * 10**12, limit_s=limit_s, submit_line=f"sbatch --nodes={nodes} --gpus-per-node={per} {name}.slurm")
        self.ranks = [(n * per + g, names[n], g) for n in range(nodes) for g in range(per)]
        self.rows: dict[int, list[tuple[float, str]]] = {r: [] for r, _, _ in self.ranks}
        self.at, self.done = 24.0, 0

    def say(self, text: str, after_s: float = 1.0, ranks: Sequence[int] = (0,)) -> Spool:
        """Lines of these ranks, a while after those before; ``@`` is the rank."""
        self.at += after_s
        for place, rank in enumerate(ranks):
            self.rows[rank].append((self.at + 0.02 * place, text.replace("@", str(rank))))
        return self

    def train(self, steps: int, pace: Level, each: int, of: int = 0, ranks: Sequence[int] = (0,)) -> Spool:
        """So many steps, told of every ``each``."""
        n = of or self.done + steps
        if self.form == 3 and not self.done:
            self.say("iteration,of,loss,rate,seconds", 0.5, ranks)
        for i in range(self.done + 1, self.done + steps + 1):
            p = value(pace, i) * self.dice.uniform(0.98, 1.02)
            self.at += p
            if i % each == 0:
                clock = f"{8 + int(self.at) // 3600:02d}:{int(self.at) // 60 % 60:02d}:{int(self.at) % 60:02d}"
                for rank in ranks:
                    x = 1.1 + 2.9 * (1 + i / 40) ** -0.6 + self.dice.uniform(-0.015, 0.015)
                    self.rows[rank].append((self.at + 0.01 * rank, FORMS[self.form].format(c=clock, i=i, n=n, x=x, g=0.3 + x / 4, p=p, r=64 * len(self.ranks) / p, lr=2e-4 * (1 - i / (n + 1)), e=i * 3 // (n + 1))))
        self.done += steps
        return self

    def close(
        self, label: Label, *, codes: Mapping[int, int] = {}, signals: Mapping[int, int] = {}, later: Mapping[int, float] = {}, state: str = "", over_s: float = 0.0,
        held: Callable[[int], Level], busy: Callable[[int], Level], sm: Callable[[int], Level] | None = None, watts: Callable[[int], Level] | None = None,
        before: Mapping[int, dict[str, Any]] = {}, after: Mapping[int, dict[str, Any]] = {}, lost: Sequence[int] = (), kernel: Sequence[tuple[int, int, float, str]] = (),
        more: Mapping[int, Mapping[str, Level]] = {}, processes: Mapping[int, Mapping[str, Any]] = {},
    ) -> HandJob:  # fmt: skip
        """Its end: ``codes`` and ``signals`` by rank, 0 where neither is given; ``later`` how many seconds after the last line a rank ended. Levels by rank, then by the second."""
        end = over_s or self.at + 0.6
        for rank, node, local in self.ranks:
            signal = 15 if over_s else signals.get(rank)
            self.hand.rank(rank, node, sorted(self.rows[rank]), code=None if signal else codes.get(rank, 0), signal=signal, end=end + later.get(rank, 0.0), local=local, stream="both")
        bad = bool(codes or signals)
        state = state or ("TIMEOUT" if over_s else "FAILED" if bad else "COMPLETED")
        code, sent = (next(iter(codes.values()), 0), next(iter(signals.values()), 0)) if bad else (0, 0)
        part = ("CANCELLED", 0, 15) if over_s else (state, code, 0 if code else sent)
        last = end + max(later.values(), default=0.0) + 1
        self.hand.ended(state, code=1 if bad else 0, signal=15 if over_s else 0, end=last, steps=(("batch", *(part if over_s else ("FAILED" if bad else state, 1 if bad else 0, 0))), ("0", *part)))
        times = [self.each_s * k for k in range(int(last / self.each_s) + 1)]
        for rank, node, local in self.ranks:
            work = [value(busy(rank), t) if t > 24 else 0.0 for t in times]
            share = [value(sm(rank), t) if t > 24 else 0.0 for t in times] if sm else [w * 0.58 for w in work]
            power = [value(watts(rank), t) if t > 24 else 70.0 for t in times] if watts else [70 + 0.0078 * w * self.card["power_limit_mw"] / 1000 for w in work]
            series: dict[str, Any] = {
                "utilization_percent": [min(100.0, round(w + self.dice.uniform(-2, 1), 1)) if w > 3 else round(w, 1) for w in work],
                "power_mw": [1000 * p * self.dice.uniform(0.985, 1.015) for p in power],
                "memory_used_bytes": [value(held(rank), t) * GIB if t > 10 else 0.4 * GIB for t in times],
                **({"sm_activity_percent": [round(s * self.dice.uniform(0.97, 1.03), 2) for s in share]} if self.card["name"] in HOPPER else {}),
                **{name: [value(level, t) for t in times] for name, level in more.get(rank, more.get(-1, {})).items()},
            }  # fmt: skip
            self.hand.gpu(node, local, {**self.card, **before.get(rank, before.get(-1, {}))}, None if rank in lost else after.get(rank, after.get(-1, {})), **series)
        for rank, xid, seconds, text in kernel:
            _, node, local = self.ranks[rank]
            pci = f"0000:{0x1B + 0x20 * local:02x}:00"
            self.hand.kernel(node, seconds, "xid", f"NVRM: Xid (PCI:{pci}): {xid}, {text}", gpu=local, pci=f"{pci}.0", xid=xid)
        for rank, fields in processes.items():
            _, node, local = self.ranks[rank]
            self.hand.process(node, 52_000 + rank, rank=rank, local_rank=local, command=("python", "-u", "main.py"), gpu_uuids=(self.hand.uuid(node, local),), started_ns=self.hand.at(2), gpu_attached_ns=self.hand.at(11), seen_last_ns=self.hand.at(last), **fields)
        return HandJob(label, self.hand)

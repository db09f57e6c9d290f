"""Ledgers written by hand: what each rank said and when, what its card read meanwhile, what kernel, nodes and queue had to say."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob

FIRST_NS = 1_801_036_800_000_000_000
"""Eight in the morning of 27 January 2027."""
GPM = ("H100", "GH200", "B200")


def kind(name: str, gib: int, driver: str, mhz: int, watts: int) -> dict[str, Any]:
    """What NVML says a card is."""
    return {"name": name, "memory_total_bytes": gib * GIB, "driver_version": driver, "sm_clock_max_mhz": mhz, "power_limit_mw": watts * 1000}


H100 = kind("NVIDIA H100 80GB HBM3", 80, "550.90.07", 1980, 700)
A100 = kind("NVIDIA A100-SXM4-80GB", 80, "535.161.08", 1410, 400)
L4 = kind("NVIDIA L4", 23, "550.144.03", 2040, 72)
A6000 = kind("NVIDIA RTX A6000", 48, "535.230.02", 2100, 300)
V100 = kind("Tesla V100-SXM2-32GB", 32, "470.256.02", 1530, 300)
GH200 = kind("NVIDIA GH200 480GB", 96, "565.57.01", 1980, 900)
B200 = kind("NVIDIA B200", 180, "570.124.06", 1965, 1000)
Line = Callable[[int, int, float, float, float], str]
Course = float | Callable[[float], float]
"""A value, or what it is at a second."""
Courses = Course | Mapping[int, Course]
"""The same by rank; -1 for who is not named."""


def clock(t: float) -> str:
    """Seconds as a clock shows them."""
    return f"{int(t) // 3600 + 8:02d}:{int(t) // 60 % 60:02d}:{int(t) % 60:02d}"


def hms(t: float) -> str:
    """A span."""
    return f"{int(t) // 3600}:{int(t) // 60 % 60:02d}:{int(t) % 60:02d}"


LINES: dict[str, Line] = {
    "d2": lambda i, n, x, p, t: f"[01/27 {clock(t)} d2.utils.events]:  eta: {hms((n - i) * p)}  iter: {i - 1}  total_loss: {x:.4g}  loss_cls: {x * 0.4:.4g}  loss_box_reg: {x * 0.45:.4g}  time: {p:.4f}  last_time: {p:.4f}  data_time: 0.0091  lr: 0.01  max_mem: 14822M",
    "fairseq": lambda i, n, x, p, t: f'2027-01-27 {clock(t)} | INFO | train_inner | {{"epoch": 1, "update": {i / n:.3f}, "loss": "{x:.3f}", "ppl": "{2 ** x:.2f}", "ups": "{1 / p:.2f}", "num_updates": "{i}", "lr": "0.0005", "gnorm": "{0.4 + x / 9:.3f}", "clip": "0", "train_wall": "{int(t)}"}}',
    "keras": lambda i, n, x, p, _t: f"{i}/{n} [{'=' * (29 * i // n)}>{'.' * (29 - 29 * i // n)}] - ETA: {hms((n - i) * p)} - loss: {x:.4f} - accuracy: {max(0.03, 0.97 - x / 4):.4f}",
    "t5x": lambda i, _n, x, p, t: f"I0127 {clock(t)}.{int(t * 997) % 1000000:06d} 140233 train.py:644] step {i}: train/cross_ent_loss={x:.5f} timing/seconds_per_step={p:.3f}",
    "nemo": lambda i, n, x, p, _t: f"Training epoch 0, iteration {i}/{n - 1} | lr: 2.4e-05 | global_batch_size: 128 | global_step: {i} | reduced_train_loss: {x:.3f} | train_step_timing in s: {p:.3f} | consumed_samples: {i * 128}",
    "espnet": lambda i, _n, x, p, t: f"[node] 2027-01-27 {clock(t)} (trainer:779) INFO: 1epoch:train:{i - 49}-{i}batch: iter_time=1.9e-04, forward_time={p / 3:.3f}, loss_ctc={x * 14:.3f}, loss_att={x * 9:.3f}, loss={x * 11:.3f}, backward_time={p / 2:.3f}, optim0_lr0=0.001, train_time={p:.3f}",
    "meg": lambda i, n, x, p, t: f" [2027-01-27 {clock(t)}] iteration {i:8d}/{n:8d} | consumed samples: {i * 256:12d} | elapsed time per iteration (ms): {p * 1000:.1f} | learning rate: 2.000000E-04 | global batch size:   256 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.2 + x / 8:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |",
    "bar": lambda i, n, x, p, t: f"Epoch 0: {100 * i // n:3d}%|{'█' * (10 * i // n):<10}| {i}/{n} [{int(t) // 60:02d}:{int(t) % 60:02d}<{int((n - i) * p) // 60:02d}:{int((n - i) * p) % 60:02d}, {1 / p:5.2f}it/s, v_num=3, train_loss={x:.3f}]",
    "ds": lambda i, _n, x, p, _t: f"steps: {i} loss: {x:.4f} iter time (s): {p:.3f} samples/sec: {64 / p:.3f}",
    "mllog": lambda i, _n, x, p, t: f':::MLLOG {{"namespace": "", "time_ms": {FIRST_NS // 1_000_000 + int(t * 1000)}, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": {x:.6f}, "metadata": {{"file": "train.py", "lineno": 188, "samples_count": {i * 512}, "step": {i}, "throughput": {512 / p:.1f}}}}}',
    "dict": lambda i, n, x, _p, _t: f"{{'loss': '{x:.4f}', 'grad_norm': '{0.5 + x / 5:.4f}', 'learning_rate': '{4e-5 * (1 - i / n):.3e}', 'epoch': '{2 * i / n:.2f}'}}",
    "tsv": lambda i, _n, x, p, t: f"{i}\t{x:.5f}\t{p:.3f}\t{t:.0f}",
    "prose": lambda i, n, x, p, t: f"{clock(t)}  after batch {i} of {n} the mean loss stands at {x:.4f} ({p:.2f} s a batch)",
    "yaml": lambda i, n, x, p, _t: f"- {{update: {i}, planned: {n}, elbo: {-x * 100:.2f}, loss: {x:.4f}, s: {p:.2f}}}",
}


def turn(at: float, one: float, two: float, until: float = float("inf")) -> Callable[[float], float]:
    """Another value from a time on, and perhaps back again."""
    return lambda t: two if at <= t < until else one


def value(of: Courses, rank: int, t: float) -> float:
    """A rank's, at a second."""
    one = of.get(rank, of.get(-1, 0.0)) if isinstance(of, Mapping) else of
    return float(one(t) if callable(one) else one)


class Ledger:
    """One job of ``nodes`` times ``per`` ranks."""

    def __init__(self, number: int, name: str, card: dict[str, Any], nodes: int = 1, per: int = 1, *, line: str = "tsv", limit_s: int = 72_000, submit: str = "", prefix: str = "tc") -> None:
        names = tuple(f"{prefix}{(number * 7 + k) % 90 + 10}" for k in range(nodes))
        self.card, self.line, self.limit_s, self.dice = card, LINES[line], limit_s, Random(4400 + number)
        self.job = Hand(names, job_id=912_000 + 41 * number, gpus=per, name=name, start_ns=FIRST_NS, limit_s=limit_s, submit_line=submit or f"sbatch --nodes={nodes} --gres=gpu:{per} run_{name.replace('-', '_')}.sh")
        self.places = [(k * per + g, names[k], g) for k in range(nodes) for g in range(per)]
        self.all = tuple(r for r, _, _ in self.places)
        self.said: dict[int, list[tuple[float, str]]] = {r: [] for r in self.all}
        self.t, self.done, self.began = 11.0, 0, 0.0

    def tell(self, text: str, wait: float = 1.0, who: Sequence[int] = (0,)) -> Ledger:
        """So long after what was before; ``%r`` in it is the rank, ``%c`` the time, ``%m`` the same in milliseconds of the epoch."""
        self.t += wait
        for k, r in enumerate(who):
            said = text.replace("%r", str(r)).replace("%c", clock(self.t)).replace("%m", str(FIRST_NS // 1_000_000 + int(self.t * 1000)))
            self.said[r].append((self.t + 0.03 * k, said))
        return self

    def go(self, count: int, pace: Callable[[int], float] | float, every: int, planned: int = 0, loss: Callable[[int], float] | None = None) -> Ledger:
        """Steps, with a line of the first rank for every so many."""
        self.began = self.began or self.t
        planned = planned or self.done + count
        for i in range(self.done + 1, self.done + count + 1):
            took = (pace(i) if callable(pace) else pace) * self.dice.gauss(1, 0.012)
            self.t += took
            if i % every == 0:
                x = loss(i) if loss else 0.9 + 2.7 * (1 + i / 60) ** -0.55 + self.dice.gauss(0, 0.012)
                self.said[0].append((self.t, self.line(i, planned, x, took, self.t)))
        self.done += count
        return self

    def xid(self, rank: int, number: int, text: str, ago: float = 0.4) -> Ledger:
        """The driver's line in the kernel log."""
        _, node, gpu = self.places[rank]
        pci = f"0000:{0x1B + 0x20 * gpu:02x}:00"
        self.job.kernel(node, self.t - ago, "xid", f"NVRM: Xid (PCI:{pci}): {number}, {text}", gpu=gpu, pci=pci, xid=number)
        return self

    def seen(self, rank: int, command: Sequence[str], state: str, wchan: str, **more: Any) -> Ledger:
        """A rank's process as last seen."""
        _, node, gpu = self.places[rank]
        last = more.pop("last_s", self.t)
        self.job.process(node, 40_000 + rank, rank=rank, local_rank=gpu, command=tuple(command), gpu_uuids=(self.job.uuid(node, gpu),), state=state, wchan=wchan, started_ns=self.job.at(1), gpu_attached_ns=self.job.at(7), seen_last_ns=self.job.at(last), **more)
        return self

    def end(self, what: Label, *, code: int = 0, codes: Mapping[int, int] = {}, signals: Mapping[int, int] = {}, at: Mapping[int, float] = {}, state: str = "", by: int | None = None, lost: Sequence[str] = (), memory: Mapping[int, Any] = {},
            held: Courses = 0.0, busy: Courses = 0.0, sm: Courses | None = None, before: Mapping[int, dict[str, Any]] = {}, after: Mapping[int, dict[str, Any] | None] = {}, read: Mapping[str, Courses] = {}, rows: Mapping[str, Any] = {}) -> HandJob:  # fmt: skip
        """Close the book: ``code`` of all ranks, ``codes`` and ``signals`` of single ones; ``state`` as Slurm says it, TIMEOUT at the limit, CANCELLED by a uid."""
        hand = self.job
        cut = state in ("TIMEOUT", "CANCELLED")
        over = self.limit_s + 0.8 if state == "TIMEOUT" else self.t + 1.6
        for r, node, local in self.places:
            if node in lost:
                hand.rank(r, node, sorted(self.said[r]), local=local, stream="both")
                continue
            sign = signals.get(r, 15 if cut and r not in codes else 9 if lost else None)
            hand.rank(r, node, sorted(self.said[r]), code=None if sign else codes.get(r, code), signal=sign, end=at.get(r, over + 0.02 * r), local=local, stream="both", memory=memory.get(r))
        status = code or next(iter(codes.values()), 0)
        bad = status or signals
        state = state or ("NODE_FAIL" if lost else "FAILED" if bad else "COMPLETED")
        mine = ("0", "CANCELLED", 0, 15) if cut else ("0", state, status, 0 if status else next(iter(signals.values()), 0))
        extra = {**({"cancelled_by_uid": by} if by is not None else {}), **({"failed_node": lost[0]} if lost else {}), **rows}
        hand.ended(state, code=0 if cut else status, signal=15 if state == "TIMEOUT" else 0, end=over + 1.2, steps=(("batch", "CANCELLED", 0, 15) if cut else ("batch", state, status or (1 if bad else 0), 0), mine), **extra)
        count = max(12, min(360, int(over / 10)))
        times = [over * k / (count - 1) for k in range(count)]
        for r, node, local in self.places:
            if node not in lost:
                self._card(r, node, local, times, over, held, busy, sm, before, after, read)
        return HandJob(what, hand)

    def _card(self, r: int, node: str, local: int, times: Sequence[float], over: float, held: Courses, busy: Courses, sm: Courses | None, before: Mapping[int, dict[str, Any]], after: Mapping[int, dict[str, Any] | None], read: Mapping[str, Courses]) -> None:  # noqa: PLR0917
        start, top, dice = (self.began or over) - 2, float(self.card["power_limit_mw"]), self.dice
        engine = [value(busy, r, t) if t > start else 0.0 for t in times]
        active = [(value(sm, r, t) if sm is not None else 0.5 * e) if t > start else 0.0 for e, t in zip(engine, times, strict=True)]
        series: dict[str, Any] = {
            "utilization_percent": [min(100.0, max(0.0, float(round(e + dice.gauss(0, 1.1))))) if 4 < e < 100 else e for e in engine],
            "power_mw": [round((0.13 * top + 0.011 * a * top + (0.1 * top if e > 70 else 0.02 * top if e > 3 else 0.0)) * dice.gauss(1, 0.012)) for e, a in zip(engine, active, strict=True)],
            "memory_used_bytes": [value(held, r, t) * GIB if t > 7 else 0.0 for t in times],
        }
        if any(word in self.card["name"] for word in GPM):
            series["sm_activity_percent"] = [max(0.0, round(a + dice.gauss(0, 0.7), 2)) if a > 3 else a for a in active]
        for name, of in read.items():
            if not isinstance(of, Mapping) or r in of or -1 in of:
                sway = {"sm_clock_mhz": 7.0, "temperature_c": 0.7, "power_mw": 0.006 * top}.get(name, 0.0)
                series[name] = [float(round(value(of, r, t) + dice.gauss(0, sway))) if sway else value(of, r, t) for t in times]
        self.job.gpu(node, local, {**self.card, **before.get(r, {})}, after.get(r, {}), **series)

"""By hand: what one card was read to do over one process: starved by its loader, left standing, held back by heat, at work, or resting for a good reason."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make.solo_cards import BEGAN_NS, H200, L40S
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

EACH_S = 15.0
Level = Callable[[float], float] | float
TELL = (
    "{{'loss': {x:.4f}, 'grad_norm': {g:.4f}, 'learning_rate': {lr:.4e}, 'epoch': {e:.2f}}}",
    "2026-11-22 14:{m:02d}:{s:02d} | INFO     | __main__:fit:77 - it {i}/{n} mse {x:.5f} ({p:.2f} s/it)",
    "11/22 15:{m:02d}:{s:02d} - mmengine - INFO - Iter(train) [{i:6d}/{n}]  lr: 2.0000e-02  time: {p:.4f}  data_time: {w:.4f}  loss: {x:.4f}",
    "step={i} | loss={x:.4f} | acc={a:.3f} | {r:.2f} it/s",
    "I1122 16:{m:02d}:{s:02d}.481020 22817 train.py:131] [{i}] train/loss={x:.5f} steps_per_sec={r:.3f}",
)


class Run:
    """One process on one card: its lines first, then how it ended, then what the card was read to do."""

    def __init__(self, number: int, name: str, model: dict[str, object] | None = None, *, limit_s: int = 86_400) -> None:
        self.number, self.dice, self.model = number, Random(1700 + number), model or {}
        self.hand = Hand((f"a{30 + number}",), job_id=9_420_000 + 13 * number, gpus=1, name=name, start_ns=BEGAN_NS + (number + 40) * 6 * 10**12, limit_s=limit_s)
        self.lines: list[tuple[float, str]] = [(7.0, f"job {self.hand.job_id} on {self.hand.nodes[0]}")]
        self.at, self.done, self.end = 40.0, 0, 0.0

    def says(self, after_s: float, text: str) -> "Run":
        """A line of its own."""
        self.at += after_s
        self.lines.append((self.at, text))
        return self

    def learns(self, steps: int, pace: Callable[[int], float] | float, each: int, planned: int = 0) -> "Run":
        """Steps at this pace, told of every so many."""
        first = 1 + self.done
        n = planned or first + steps - 1
        for i in range(first, first + steps):
            took = pace(i) if callable(pace) else pace
            self.at += took
            if i % each == 0:
                x = 0.6 + 2.7 * (1 + i / 80) ** -0.6 + self.dice.uniform(-0.015, 0.015)
                self.lines.append((self.at, TELL[self.number % len(TELL)].format(i=i, n=n, x=x, p=took, g=x / 3, lr=5e-5 * (1 - i / (n + 1)), e=i / 400, m=int(self.at) // 60 % 60, s=int(self.at) % 60, w=max(took - 0.66, 0.004), a=1 - x / 5, r=1 / took)))
        self.done = first + steps - 1
        return self

    def ends(self, state: str = "COMPLETED", at: float = 0.0) -> "Run":
        """Its end, by itself or at the limit."""
        self.end = at or self.at + 3
        over = state == "TIMEOUT"
        self.hand.rank(0, self.hand.nodes[0], self.lines, code=None if over else 0, signal=15 if over else None, end=self.end, stream="both")
        last = ("CANCELLED", 0, 15) if over else ("COMPLETED", 0, 0)
        self.hand.ended(state, signal=15 if over else 0, end=self.end + 1, steps=(("batch", *last), ("0", *last)))
        return self

    def read(self, label: Label, held_gib: float, before: dict[str, object] | None = None, after: dict[str, object] | None = None, **levels: tuple[Level, float]) -> HandJob:
        """The card's series: a level, or one by the second, and how much it wavers."""
        times = [EACH_S * k for k in range(int(self.end / EACH_S) + 1)]
        series: dict[str, Any] = {"memory_used_bytes": [0 if t < 25 else held_gib * GIB for t in times]}
        for name, (level, wobble) in levels.items():
            series[name] = [0 if t < 40 else round(max(0.0, (level(t) if callable(level) else level) + self.dice.uniform(-wobble, wobble)), 1) for t in times]
        self.hand.gpu(self.hand.nodes[0], 0, {**self.model, **(before or {})}, after or {}, **series)
        return HandJob(label, self.hand)


def since(start: float, before: float, then: float, until: float = float("inf")) -> Callable[[float], float]:
    """A level that changes at a time, and perhaps back."""
    return lambda t: then if start <= t < until else before


def starved() -> Iterator[HandJob]:
    """D1: at every step, or every few, seconds pass in which the card has nothing to do."""
    label = Label(mode="D1", fault="user")
    rows: tuple[tuple[str, dict[str, object], int, Callable[[int], float] | float, int, str, float], ...] = (
        ("mae-tiles", {}, 210, lambda i: 4.8 + i % 3, 10, "num_workers=0, images are decoded in the main process", 4.0),
        ("whisper-ft", H200, 180, 6.2, 10, "streaming audio from s3://speech-raw, no local cache", 3.0),
        ("seg3d", L40S, 300, lambda i: 18.0 if i % 6 == 0 else 0.7, 10, "volumes are resampled on the fly", 6.0),
    )
    for number, (name, model, steps, pace, each, hint, duty) in enumerate(rows):
        run = Run(number, name, model).says(2, hint).learns(steps, pace, each).says(1, "training done").ends()
        yield run.read(label, 22 + 4 * number, utilization_percent=(duty, 3), duty_percent=(duty, 2.5), duty_spread_percent=(95, 4), sm_activity_percent=(duty / 2, 1), power_mw=(112_000, 9_000), sm_clock_mhz=(1755, 0))


def standing() -> Iterator[HandJob]:
    """C3: it holds its memory and does nothing more until its time is over."""
    label = Label(mode="C3", fault="user")
    rows: tuple[tuple[str, dict[str, object], int, str, int, str], ...] = (
        ("clip-probe", {}, 420, "building the retrieval index with 8 processes", 5400, "futex_wait_queue"),
        ("gan-128", H200, 700, "", 7200, "pipe_read"),
        ("lm-eval", L40S, 90, "uploading artifacts ...", 3600, "wait_woken"),
    )
    for number, (name, model, steps, last, limit, where) in enumerate(rows, 4):
        run = Run(number, name, model, limit_s=limit).learns(steps, 0.6, 10, 9000)
        if last:
            run.says(0.8, last)
        still = run.at + 1
        run.ends("TIMEOUT", limit + 3.0)
        node = run.hand.nodes[0]
        run.hand.process(node, 61_021, rank=0, local_rank=0, command=("python", "train.py"), gpu_uuids=(run.hand.uuid(node, 0),), state="S", wchan=where, started_ns=run.hand.at(2), gpu_attached_ns=run.hand.at(22), seen_last_ns=run.hand.at(limit))
        yield run.read(label, 33 + number, utilization_percent=(since(still, 94, 0), 0), sm_activity_percent=(since(still, 52, 0), 0), power_mw=(since(still, 410_000, 81_000), 1_500))


def held_back() -> Iterator[HandJob]:
    """B3: from some time on its clock is held down by heat, or by the power brake, and steps take longer."""
    label = Label(mode="B3", fault="node")
    for number, (name, model, brake, top, low) in enumerate((("unet", {}, False, 1755, 690), ("vqvae", H200, True, 1830, 525)), 8):
        run = Run(number, name, model).learns(400, 1.1, 20, 1100)
        hot = run.at
        run.learns(700, 2.7, 20, 1100).says(1, "all done").ends()
        gone = int((run.end - hot) * 0.93 * 1e9)
        kinds = ("hw_power_brake", "power") if brake else ("hw_thermal", "thermal")
        before: dict[str, object] = {f"violation_{k}_ns": 0 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}
        yield run.read(label, 48, before, {f"violation_{k}_ns": gone for k in kinds}, utilization_percent=(97, 2), sm_activity_percent=(56, 3), sm_clock_mhz=(since(hot, top, low), 10), temperature_c=(since(hot, 66, 63 if brake else 91), 1), throttle_reasons=(since(hot, 0, 0x88 if brake else 0x60), 0), power_mw=(since(hot, 480_000, 220_000), 8_000))  # fmt: skip


def well() -> Iterator[HandJob]:
    """G1: at work; resting through an evaluation; warm; with a past; small; after a request for memory that was taken back."""
    good = Label(mode="G1", fault="none")
    hard = good.but(hard=True)
    run = Run(10, "dpo-7b").learns(900, 0.8, 20).says(1, "saved to out/final").ends()
    yield run.read(good, 61, utilization_percent=(97, 2), sm_activity_percent=(58, 4), power_mw=(560_000, 20_000), sm_clock_mhz=(1755, 5))
    run = Run(11, "retriever", H200).learns(300, 0.9, 20, 600).says(2, "evaluating: encoding 4.1 M passages on the CPU")
    rest = run.at
    run.says(420, "evaluation: ndcg@10 0.512")
    back = run.at
    run.learns(300, 0.9, 20, 600).says(1, "finished").ends()
    yield run.read(hard, 74, utilization_percent=(since(rest, 95, 0, back), 0), sm_activity_percent=(since(rest, 55, 0, back), 0), power_mw=(since(rest, 500_000, 83_000, back), 3_000))
    run = Run(12, "resnet50").learns(800, 0.7, 20).says(1, "best acc 0.771").ends()
    yield run.read(hard, 31, {"ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 2, "ecc_volatile_corrected": 8}, {"ecc_volatile_corrected": 15}, utilization_percent=(96, 3), sm_activity_percent=(51, 3), temperature_c=(82, 2), throttle_reasons=(0x4, 0), power_mw=(695_000, 3_000), sm_clock_mhz=(1680, 40))
    run = Run(13, "lora-13b", L40S)
    run.says(6, "trying batch size 16: CUDA out of memory. Tried to allocate 4.50 GiB. GPU 0 has a total capacity of 44.40 GiB of which 2.01 GiB is free.").says(3, "trying batch size 8: fits").learns(700, 0.9, 20).says(1, "adapter saved").ends()
    yield run.read(hard, 41, utilization_percent=(98, 1), sm_activity_percent=(60, 3), power_mw=(330_000, 9_000))


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (starved, standing, held_back, well):
        yield from part()


RECIPE = Recipe("solo_gauges", "development", jobs)

"""By hand: what cards were read to do over jobs that mostly end well: held back by heat or by the power supply, starved, waiting for the wire, for one of them, or for nobody."""

from collections.abc import Callable, Iterator
from random import Random

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.job import HandJob, Recipe

EACH_S = 15.0
A100 = {"name": "NVIDIA A100-SXM4-80GB", "sm_clock_max_mhz": 1410, "power_limit_mw": 400_000, "driver_version": "535.183.06"}
H200 = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "565.57.01"}
Rows = list[tuple[float, str]]


def told(first_s: float, steps: int, pace: Callable[[int], float] | float, say: str, dice: Random, *, each: int = 20) -> Rows:
    """Lines of a run: ``pace`` is seconds a step, or gives them by the step; ``say`` is a line's format of step, loss, seconds a step and time."""
    rows, at = [], first_s
    for i in range(1, steps + 1):
        took = pace(i) if callable(pace) else pace
        at += took
        if i % each == 0:
            x = 0.9 + 2.2 * (1 + i / 90) ** -0.55 + dice.uniform(-0.015, 0.015)
            rows.append((at, say.format(i=i, x=x, p=took, t=at, m=int(at) // 60, s=int(at) % 60, took=each * took, epoch=1 + i // 500, batch=i % 500, rate=1 / took)))
    return rows


SAY = (
    "{m:3d}:{s:02d}  update {i:6d}  nll {x:.4f}  sec/update {p:.2f}",
    "INFO:root:batch={i} objf={x:.5f} (per frame), took {took:.1f}s",
    '{{"t": {t:.1f}, "step": {i}, "metrics": {{"loss": {x:.5f}, "step_time_s": {p:.3f}}}}}',
    "Epoch {epoch} | Batch {batch}/500 | avg loss {x:.4f} | {rate:.2f} batches/s",
)


class Readings:
    """A card's samples every 15 s: idle until ``begin``, then as ``work`` says by the second."""

    def __init__(self, begin: float, end: float, dice: Random) -> None:
        self.times = [k * EACH_S for k in range(int(end / EACH_S) + 1)]
        self.begin, self.dice = begin, dice

    def of(self, idle: float, work: Callable[[float], float] | float, wobble: float = 0.0) -> list[float]:
        """One series; ``work`` is a level, or gives it by the second."""
        level = work if callable(work) else lambda _: work
        return [round(idle if t < self.begin else max(0.0, level(t) + self.dice.uniform(-wobble, wobble)), 1) for t in self.times]


def onsets(since: float, before: float, after: float) -> Callable[[float], float]:
    """A level that changes at a time."""
    return lambda t: after if t >= since else before


def held_back(number: int) -> HandJob:
    """The clock is held down from some time on, by heat or by the power brake, and steps take longer from then on."""
    dice = Random(31 + number)
    cards = (1, 2, 4, 1)[number]
    brake, sick = number % 2 == 1, (0, 1, 2, 0)[number]
    slow, onset, base = (2.1, 2.6, 1.7, 2.9)[number], 60 + 300 * 1.2, 1.2
    hand = Hand((f"v{40 + number}",), job_id=6_100_010 + number, gpus=cards, name="nowcast", start_ns=1_795_400_000_000_000_000 + number * 10**12)
    node = hand.nodes[0]
    rows = told(60, 1100, lambda i: base if i <= 300 else base * slow, SAY[number], dice)
    end = rows[-1][0] + 6
    for rank in range(cards):
        hand.rank(rank, node, [*rows, (end - 2, "all updates done, model exported")] if rank == 0 else [(20, f"rank {rank} joined")], code=0, end=end, local=rank, stream="both")
    for card in range(cards):
        see = Readings(60, end, dice)
        hot = card == sick
        since = onset if hot else float("inf")
        gone = int((end - onset) * 0.94 * 1e9)
        model = A100 if number in (1, 3) else {}
        top = 1410 if model else 1755
        first = {**model, "violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 1_000_000}
        last = ({"violation_hw_power_brake_ns": gone, "violation_power_ns": 1_000_000 + gone} if brake else {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone}) if hot else {}
        mask = 0x80 | 0x08 if brake else 0x40 | 0x08
        hand.gpu(
            node, card, first, last, utilization_percent=see.of(0, 97, 2), sm_clock_mhz=see.of(345, onsets(since, top, top / (slow + 0.1)), 12),
            temperature_c=see.of(33, onsets(since, 66, 66) if brake else onsets(since, 70, 92), 1), throttle_reasons=[mask if t >= since else 0 for t in see.times],
            power_mw=see.of(80_000, onsets(since, 360_000, 210_000), 9_000), **({} if model else {"sm_activity_percent": see.of(0, 58, 3)}),
        )  # fmt: skip
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="B3", fault="node"), hand)


def starved(number: int) -> HandJob:
    """Steps come, the loss falls, the card mostly waits: its engine works in short bursts, seconds apart."""
    dice = Random(51 + number)
    hand = Hand((f"w{3 + number}",), job_id=6_120_000 + number, gpus=1, name=("tiles", "wav", "clip", "reads")[number], start_ns=1_795_410_000_000_000_000 + number * 10**12)
    pace = (5.5, 7.0, 4.2, 9.0)[number]
    rows = told(40, (260, 200, 340, 160)[number], lambda i: pace + (i % 5) * 0.2, SAY[(number + 1) % 4], dice, each=10)
    talk = [(15.0, "DataLoader: 1 worker, 2.1 M files on /nfs/archive"), (18.0, "decoding: PIL, no cache"), (9.0, "num_workers=0"), (11.0, "reading reads.fastq.gz as a stream")][number]
    end = rows[-1][0] + 9
    hand.rank(0, hand.nodes[0], [talk, *rows, (end - 3, "done")], code=0, end=end, stream="both")
    see = Readings(45, end, dice)
    duty = see.of(0, 4.5 + number, 2.5)
    hand.gpu(hand.nodes[0], 0, {} if number % 2 else H200, {}, utilization_percent=[round(d) for d in duty], duty_percent=duty, duty_spread_percent=see.of(0, 96, 4), sm_activity_percent=[round(d / 2.2, 1) for d in duty],
             memory_used_bytes=see.of(0, (18 + 3 * number) * GIB), power_mw=see.of(75_000, 116_000, 6_000), sm_clock_mhz=see.of(345, 1755))
    hand.ended("COMPLETED", end=end + 1, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="D1", fault="user"), hand)


def slowed(number: int) -> HandJob:
    """All alike are slow: over sockets between nodes, by a flag that makes every launch wait, by saving at each step."""
    dice = Random(61 + number)
    kind = ("interconnect", "interconnect", "launch_blocking", "save_storm")[number]
    nodes = tuple(f"k{9 + 2 * number + n}" for n in range(2 if kind == "interconnect" else 1))
    hand = Hand(nodes, job_id=6_130_000 + number, gpus=4 if number != 3 else 1, name="weather", start_ns=1_795_420_000_000_000_000 + number * 10**12)
    ranks = hand.gpus * len(nodes)
    steps, pace = (420, 500, 600, 240)[number], (3.9, 3.1, 1.5, 4.0)[number]
    rows = told(50, steps, pace, SAY[(number + 2) % 4], dice, each=1 if kind == "save_storm" else 20)
    if kind == "save_storm":
        rows = sorted(rows + [(t - 2.4, f"writing snapshot runs/w{number}/state-{k + 1:05d}.pt ... 6.1 GB") for k, (t, _) in enumerate(rows)])
    end = rows[-1][0] + 8
    for rank in range(ranks):
        first = [(12.0 + rank / 10, f"{nodes[rank // 4]}:{4000 + rank}:{4100 + rank} [{rank % 4}] NCCL INFO NET/Socket : Using [0]eno1:10.7.0.{20 + rank // 4}<0>")] if number == 0 else []
        hand.rank(rank, nodes[rank // hand.gpus], [*first, *(rows if rank == 0 else []), *([(end - 2, "finished")] if rank == 0 else [])], code=0, end=end, local=rank % hand.gpus, stream="both")
    for rank in range(ranks):
        see = Readings(50, end, dice)
        node, sm, busy, watts = nodes[rank // hand.gpus], (9, 8, 22, 6)[number], (99, 100, 71, 14)[number], (205_000, 190_000, 260_000, 130_000)[number]
        hand.gpu(node, rank % hand.gpus, {}, {}, utilization_percent=see.of(0, busy, 1), sm_activity_percent=see.of(0, sm, 1.5), power_mw=see.of(90_000, watts, 6_000), sm_clock_mhz=see.of(345, 1755))
        if kind == "launch_blocking":
            hand.process(node, 41_000 + rank, rank=rank, local_rank=rank, command=("python3", "train.py"), environment={"CUDA_LAUNCH_BLOCKING": "1", "RANK": str(rank)}, gpu_uuids=(hand.uuid(node, rank),), started_ns=hand.at(2), gpu_attached_ns=hand.at(9))
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="D2", variant=kind, fault="cluster" if kind == "interconnect" else "user"), hand)


def one_behind(number: int) -> HandJob:
    """One card computes three times as long as its peers, which wait for it."""
    dice = Random(81 + number)
    nodes = tuple(f"q{5 + n}" for n in range((1, 2, 4, 2)[number]))
    hand = Hand(nodes, job_id=6_140_000 + number, gpus=4, name="protein", start_ns=1_795_430_000_000_000_000 + number * 10**12)
    ranks = 4 * len(nodes)
    behind = dice.randrange(ranks)
    rows = told(45, 600, 2.2, SAY[(number + 3) % 4], dice)
    end = rows[-1][0] + 5
    power_only = number == 3
    for rank in range(ranks):
        node = nodes[rank // 4]
        hand.rank(rank, node, [*rows, (end - 1, "run complete")] if rank == 0 else [], code=0, end=end, local=rank % 4, stream="both")
    for rank in range(ranks):
        see = Readings(45, end, dice)
        far = rank == behind
        sm = {} if power_only else {"sm_activity_percent": see.of(0, 57 if far else 15.5, 2)}
        top, low = (330_000, 150_000) if power_only else (505_000, 250_000)
        watts = top if far else low
        hand.gpu(nodes[rank // 4], rank % 4, A100 if power_only else {}, {}, utilization_percent=see.of(0, 98, 2), power_mw=see.of(82_000, watts, 8_000), sm_clock_mhz=see.of(345, 1395 if power_only else 1755, 5), **sm)
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="D3", fault="unknown"), hand)


def asleep(number: int) -> HandJob:
    """One card whose process lives, holds memory and does nothing more until the time limit."""
    dice = Random(91 + number)
    hand = Hand((f"z{number + 1}",), job_id=6_150_000 + number, gpus=1, limit_s=(10_800, 5_400)[number], name="sweep", start_ns=1_795_440_000_000_000_000 + number * 10**12)
    rows = told(50, (340, 120)[number], 1.6, SAY[number], dice)
    still = rows[-1][0] + 20
    end = hand.limit_s + 4.0
    hand.rank(0, hand.nodes[0], [*rows, (still - 8, ("evaluating on dev", "exporting the graph")[number])], signal=9, end=end, stream="both")
    see = Readings(50, end, dice)
    hand.gpu(hand.nodes[0], 0, H200 if number else {}, {}, utilization_percent=see.of(0, onsets(still, 93, 0)), sm_activity_percent=see.of(0, onsets(still, 51, 0)), memory_used_bytes=see.of(0, 61 * GIB), power_mw=see.of(80_000, onsets(still, 470_000, 79_000), 2_000))
    hand.process(hand.nodes[0], 8121, rank=0, local_rank=0, command=("python", "sweep.py"), gpu_uuids=(hand.uuid(hand.nodes[0], 0),), state="S", wchan="futex_wait_queue", started_ns=hand.at(2), gpu_attached_ns=hand.at(14), seen_last_ns=hand.at(end - 3))
    hand.ended("TIMEOUT", signal=15, end=end + 2, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)))
    return HandJob(Label(mode="C3", fault="user"), hand)


def well() -> HandJob:
    """Two good cards, one of which corrected single bits on its way; a probe for memory that was too bold, and taken back."""
    dice = Random(99)
    hand = Hand(("y4",), job_id=6_160_000, gpus=2, name="distil", start_ns=1_795_450_000_000_000_000)
    rows = told(50, 900, 0.9, SAY[2], dice)
    end = rows[-1][0] + 4
    scare = (33.0, "probe 512: CUDA out of memory. Tried to allocate 24.00 GiB. GPU 0 has a total capacity of 79.19 GiB of which 9.81 GiB is free.\nprobe 256: ok, keeping 256")
    for rank in range(2):
        hand.rank(rank, "y4", [scare, *rows, (end - 1, '{"event": "end", "reason": "max_steps"}')] if rank == 0 else [], code=0, end=end, local=rank, stream="both")
        see = Readings(50, end, dice)
        hand.gpu("y4", rank, {"ecc_aggregate_corrected": 41}, {"ecc_volatile_corrected": 3, "ecc_aggregate_corrected": 44} if rank else {}, utilization_percent=see.of(0, 95, 3), sm_activity_percent=see.of(0, 54, 3), memory_used_bytes=see.of(0, 63 * GIB), power_mw=see.of(85_000, 540_000, 15_000), sm_clock_mhz=see.of(345, 1755, 15))
    hand.ended("COMPLETED", end=end + 2, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
    return HandJob(Label(mode="G1", fault="none", hard=True), hand)


def jobs() -> Iterator[HandJob]:
    """Four of each, two asleep, one well."""
    for make in (held_back, starved, slowed, one_behind):
        for number in range(4):
            yield make(number)
    yield asleep(0)
    yield asleep(1)
    yield well()


RECIPE = Recipe("card_readings", "development", jobs)

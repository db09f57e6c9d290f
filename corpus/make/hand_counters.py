"""What GPUs' counters and samples tell: hardware, heat, fabric, a rank behind, idle GPUs, starved ones. Readings by hand, after public descriptions."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from corpus.running.handlogs import through, trace, training
from corpus.running.job import HandJob, Recipe

XIDS = ((48, "Double Bit ECC Error"), (79, "GPU has fallen off the bus."), (94, "Contained memory error"), (95, "Uncontained memory error"), (74, "NVLink: fatal error detected on link 3(0x0, 0x0, 0x10000)"), (64, "Row remapper failure"))


def learned(hand: Hand, ranks: int, steps: int, form: int, *, every_s: float = 2.0) -> float:
    """All ranks train to the end; gives when."""
    end = 30 + steps * every_s + 5
    for rank in range(ranks):
        node = hand.nodes[rank * len(hand.nodes) // ranks]
        lines = [*training(steps, form=form, every_s=every_s), (end - 1, "training finished")] if rank == 0 else []
        hand.rank(rank, node, lines, code=0, end=end, local=rank % max(1, ranks // len(hand.nodes)))
    return end


def jobs() -> Iterator[HandJob]:
    """Of each mode some, of each some twins that are well."""
    for number in range(9):
        code, words = XIDS[number % 6]
        hand = Hand(("g07",), job_id=184800 + number, gpus=2)
        end = 30 + 150 * 2.0
        text = trace(through("", call="loss.backward()"), "RuntimeError: CUDA error: " + ("uncorrectable ECC error encountered", "unspecified launch failure", "an illegal memory access was encountered")[number % 3])
        bad = number % 2
        for rank in range(2):
            hand.rank(rank, "g07", [*(training(150, planned=800, form=number) if rank == 0 else []), *([(end + 2, text)] if rank == bad else [])], code=1 if rank == bad else None, signal=None if rank == bad else 9, end=end + (2.5 if rank == bad else 8), local=rank)
        counters = {"ecc_volatile_uncorrected": 1 + number, "ecc_aggregate_uncorrected": 1 + number} if code in (48, 94, 95) else {"remapped_rows_uncorrectable": 1, "remap_failure": True} if code == 64 else {"nvlink_replay_errors": 17} if code == 74 else {}
        hand.gpu("g07", 1 - bad, {}, {}, utilization_percent=[0, 92, 95, 94])
        hand.gpu("g07", bad, {"nvlink_replay_errors": 0}, None if code == 79 else counters, utilization_percent=[0, 92, 95, 94])
        hand.kernel("g07", end + 1, "xid", f"NVRM: Xid (PCI:0000:{0x1B + 0x20 * bad:02X}:00): {code}, pid=4711, name=python, {words}", gpu=bad, xid=code, pci=f"0000:{0x1B + 0x20 * bad:02X}:00")
        hand.ended("FAILED", code=1, end=end + 12, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))
        yield HandJob(Label(mode="B2", cause="cuda_runtime", fault="node", failed_ranks=(bad,), first_ranks=(bad,)), hand)
    for number in range(9):
        hand = Hand(("g08",), job_id=184900 + number, gpus=1)
        steps = 400
        half = [(30 + i * 2.0, i) for i in range(10, 201, 10)] + [(430 + (i - 200) * 5.0, i) for i in range(210, steps + 1, 10)]
        rows = [(t, training(i, planned=steps, form=number, each=i)[-1][1]) for t, i in half]
        hand.rank(0, "g08", [*rows, (1432, "training finished")], code=0, end=1435)
        power = number % 2
        hand.gpu("g08", 0, {"violation_thermal_ns": 0, "violation_hw_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0},
                 {"violation_hw_power_brake_ns" if power else "violation_hw_thermal_ns": 880_000_000_000, "violation_power_ns" if power else "violation_thermal_ns": 880_000_000_000},
                 utilization_percent=[0] + [97] * 23, sm_clock_mhz=[345] + [1755] * 7 + [(690, 810, 510)[number % 3]] * 16, temperature_c=[34] + [71] * 7 + [64 if power else 93] * 16, throttle_reasons=[1] + [0] * 7 + [0x88 if power else 0x68] * 16,
                 sm_activity_percent=[0] + [55] * 23, power_mw=[90_000] + [600_000] * 7 + [280_000] * 16)
        hand.ended("COMPLETED", end=1437, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="B3", fault="node"), hand)
    for number in range(9):
        hand = Hand(("g09",), job_id=185000 + number, gpus=1, limit_s=7200)
        lines = training(100 + 10 * number, planned=5000, form=number) if number % 3 else [(12.0, "loading model weights")]
        hand.rank(0, "g09", lines, signal=9, end=7203)
        share = max(1, int(24 * (lines[-1][0] / 7200)))
        hand.gpu("g09", 0, {}, {}, utilization_percent=[90] * share + [0] * (24 - share), sm_activity_percent=[44] * share + [0] * (24 - share), memory_used_bytes=[30 * GIB] * 24, power_mw=[400_000] * share + [74_000] * (24 - share))
        hand.ended("TIMEOUT", signal=15, end=7205, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)))
        yield HandJob(Label(mode="C3", fault="user"), hand)
    for number in range(10):
        hand = Hand(("g10",), job_id=185100 + number, gpus=1)
        end = learned(hand, 1, 400, number, every_s=6.0)
        duty = [(6, 3, 9, 4)[i % 4] for i in range(48)]
        hand.gpu("g10", 0, {}, {}, utilization_percent=duty, duty_percent=duty, duty_spread_percent=[(96, 90, 99)[i % 3] for i in range(48)], sm_activity_percent=[d / 2 for d in duty], memory_used_bytes=[22 * GIB] * 48, power_mw=[120_000] * 48)
        hand.ended("COMPLETED", end=end + 1, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="D1", fault="user"), hand)
    for number in range(8):
        hand = Hand(("g11", "g12"), job_id=185200 + number, gpus=4)
        end = learned(hand, 8, 300, number, every_s=4.0)
        for node in hand.nodes:
            for gpu in range(4):
                hand.gpu(node, gpu, {}, {}, utilization_percent=[0] + [99] * 20, sm_activity_percent=[0] + [9 + (gpu + number) % 3] * 20, power_mw=[90_000] + [230_000] * 20)
        hand.ended("COMPLETED", end=end + 1, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="D2", variant="interconnect", fault="cluster"), hand)
    for number in range(10):
        hand = Hand(("g11", "g12"), job_id=185300 + number, gpus=4)
        end = learned(hand, 8, 300, number, every_s=3.0)
        behind = number % 8
        for rank in range(8):
            hand.gpu(hand.nodes[rank // 4], rank % 4, {}, {}, utilization_percent=[0] + [98] * 20, sm_activity_percent=[0] + [(56 if rank == behind else 15) + (i + rank) % 3 for i in range(20)], power_mw=[90_000] + [(470_000 if rank == behind else 260_000)] * 20)
        hand.ended("COMPLETED", end=end + 1, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="D3", fault="unknown"), hand)
    for number in range(12):
        hand = Hand(("g13",), job_id=185400 + number, gpus=2)
        end = learned(hand, 2, 260, number)
        old = {"remapped_rows_correctable": 6, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 1} if number % 2 else {}
        for gpu in range(2):
            hand.gpu("g13", gpu, old, {}, utilization_percent=[0] + [93, 96] * 10, sm_activity_percent=[0] + [47, 49] * 10, memory_used_bytes=[50 * GIB] * 21, power_mw=[90_000] + [530_000] * 20, temperature_c=[35] + [68] * 20, sm_clock_mhz=[345] + [1755] * 20)
        if number % 3 == 0:
            hand.kernel("g13", 100.0, "xid", "NVRM: Xid (PCI:0000:1B:00): 43, pid=812, name=python, channel 0x10", gpu=0, xid=43, pci="0000:1B:00")
        hand.ended("COMPLETED", end=end + 1, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="G1", fault="none", hard=bool(old) or number % 3 == 0), hand)


RECIPE = Recipe("hand_counters", "development", jobs)

"""By hand: companies of cards that wait: for data, for one of them, for one that does not come any more; and some that are well and do not look it."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._spools import A100, B200, H100, H200, L40S, MI300, Spool, step
from corpus.running.job import HandJob, Recipe

HARD = Label(mode="G1", fault="none", hard=True)


def starved() -> Iterator[HandJob]:
    """D1."""
    label = Label(mode="D1", fault="user")
    s = Spool(1, "satellites", 2, 4, H100, form=1).say("[io] /nfs/tiles: 1 reader for each rank, no cache", 4).train(110, 7.4, 2, 110).say("[io] 110 batches, on average 6.9 s for one", 1)
    yield s.close(label, held=lambda _: 38, busy=lambda _: 6, sm=lambda _: 3.4, watts=lambda _: 104, more={-1: {"duty_percent": 6.0, "duty_spread_percent": 96.0}})
    s = Spool(2, "proteome", 1, 2, A100, form=0).train(320, lambda i: 19.0 if i % 8 == 0 else 0.7, 4).say("perplexity 8.71 on the held-out families", 6)
    yield s.close(label, held=lambda _: 29, busy=lambda _: 15, watts=lambda _: 97, more={-1: {"duty_percent": 14.0, "duty_spread_percent": 98.0}})
    s = Spool(3, "scan-seg", 1, 8, L40S, form=2).say('{"cpus_for_job": 8, "ranks": 8, "augment": "elastic+warp on host"}', 3).train(260, 4.2, 5)
    yield s.close(label, held=lambda _: 21, busy=lambda r: 8 + r % 3, watts=lambda _: 81, more={-1: {"duty_percent": 9.0, "duty_spread_percent": 88.0}})
    s = Spool(4, "tar-stream", 4, 1, H200, form=4).train(150, lambda i: 12.5 if i % 3 == 0 else 2.0, 3).say("I loop.py:120] stream closed", 2)
    yield s.close(label, held=lambda _: 77, busy=lambda _: 11, sm=lambda _: 5.2, watts=lambda _: 139, more={-1: {"duty_percent": 10.0, "duty_spread_percent": 97.0}})


def one_behind() -> Iterator[HandJob]:
    """D3."""
    label = Label(mode="D3", fault="unknown")

    def lag(number: int, name: str, nodes: int, per: int, card: dict[str, Any], slow: int, high: float, low: float, pace: float, *, clock: int = 0, form: int = 0) -> HandJob:  # noqa: PLR0917
        s = Spool(number, name, nodes, per, card, form=form, each_s=15.0).say("world of the run: all ranks are up", 10).train(700, pace, 20).say("saved, 700 steps", 4)
        top = card["sm_clock_max_mhz"] - 30
        limit = card["power_limit_mw"] / 1000
        more = {r: {"sm_clock_mhz": clock if clock and r == slow else top, "temperature_c": 58} for r in range(nodes * per)}
        return s.close(label, held=lambda _: 0.55 * card["memory_total_bytes"] / 2**30, busy=lambda _: 99, sm=lambda r: high if r == slow else low + r % 3, watts=lambda r: limit * (0.86 if r == slow else 0.33 + 0.01 * (r % 4)), more=more)

    yield lag(5, "mt-large", 2, 8, H100, 13, 57, 15, 2.4)
    yield lag(6, "wake-word", 4, 2, H200, 1, 62, 17, 1.7, clock=1095, form=4)
    yield lag(7, "orbitals", 1, 8, B200, 4, 55, 14, 3.1, form=2)
    yield lag(8, "codec-8k", 3, 4, H100, 10, 60, 16, 2.0, clock=930, form=1)


def standing() -> Iterator[HandJob]:
    """C2: the others' engines spin without work; one is cold."""

    def stood(s: Spool, label: Label, cold: int, since: float, watts: float, over_s: float = 0.0, **more: Any) -> HandJob:  # noqa: PLR0917
        hot = s.card["power_limit_mw"] * 0.00085
        return s.close(
            label, over_s=over_s, held=lambda _: 0.7 * s.card["memory_total_bytes"] / 2**30, busy=lambda r: step(since, 97, 0 if r == cold else 100), sm=lambda r: step(since, 54, 0.0 if r == cold else 0.7),
            watts=lambda r: step(since, hot, 76 if r == cold else watts), **more,
        )  # fmt: skip

    s = Spool(9, "parse-tree", 2, 4, H100, limit_s=10_800, form=0).train(900, 1.3, 20, 40_000)
    wait = {r: {"state": "R", "wchan": "0"} for r in range(8)} | {6: {"state": "D", "wchan": "nfs_wait_bit_killable"}}
    yield stood(s, Label(mode="C2", fault="unknown"), 6, s.at + 2, 128, 10_802.0, processes=wait)
    s = Spool(10, "contract", 1, 4, H200, limit_s=7200, form=1).train(640, 1.1, 20, 30_000)
    s.say(f"[rank@]:[W1221 08:{int(s.at + 500) // 60:02d}:02.771 ProcessGroupNCCL.cpp:1290] heartbeat thread is alive, nothing has been enqueued for 480 s", 500, (1,))
    yield stood(s, Label(mode="C2", fault="unknown"), 1, s.at - 500, 171, 7202.0)
    s = Spool(11, "river-gnn", 4, 2, H100, form=2).train(330, 2.0, 10, 9000)
    since = s.at + 1
    clock = f"08:{int(since + 1200) // 60:02d}"
    work = "WorkNCCL(SeqNum=8811, OpType=ALLGATHER, NumelIn=1048576, NumelOut=8388608, Timeout(ms)=1200000) ran for 1200{}{} milliseconds before timing out."
    others = tuple(r for r in range(8) if r != 5)
    s.say(f"[rank@]:[E1222 {clock}:51.001 ProcessGroupNCCL.cpp:683] [Rank @] Watchdog caught collective operation timeout: " + work.format("04", "@"), 1201, others)
    s.say(f"[rank@]:[E1222 {clock}:52.417 ProcessGroupNCCL.cpp:744] [Rank @] To avoid data inconsistency, we are taking the entire process down.\nterminate called after throwing an instance of 'c10::DistBackendError'", 1.2, others)
    yield stood(s, Label(mode="C2", cause="nccl", fault="unknown"), 5, since, 131, signals={**dict.fromkeys(others, 6), 5: 9}, later={5: 30.0})


def well() -> Iterator[HandJob]:
    """G1, hard."""
    def fine(s: Spool, **more: Any) -> HandJob:
        return s.close(HARD, **{"held": lambda _: 0.6 * s.card["memory_total_bytes"] / 2**30, "busy": lambda _: 95, **more})

    s = Spool(12, "autotune", 1, 4, H100, form=0)
    for batch, says in ((64, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.62 GiB. GPU 0 has a total capacity of 79.11 GiB of which 2.19 GiB is free."), (48, "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.91 GiB. GPU 0 has a total capacity of 79.11 GiB of which 1.07 GiB is free."), (40, "fits: 71.8 GiB at the peak")):
        s.say(f"finding the largest batch: {batch} -> {says}", 9)
    yield fine(s.train(520, 1.0, 20).say("all 520 iterations finished; ce on the test set 1.402", 8), held=lambda _: 71)
    s = Spool(13, "denoise", 2, 2, A100, form=1).train(800, 0.8, 20).say("[end] best ckpt: e02", 4)
    yield fine(s, before={2: {"ecc_aggregate_uncorrected": 11, "remapped_rows_uncorrectable": 4, "remapped_rows_correctable": 9, "ecc_volatile_corrected": 120}}, after={2: {"ecc_volatile_corrected": 166}})
    s = Spool(14, "pretrain-c", 1, 8, B200, form=4).train(300, 1.4, 20, 900)
    warm = s.at
    s.train(600, 1.44, 20, 900).say("I loop.py:131] finished 900/900", 3)
    yield fine(s, busy=lambda _: 99, more={-1: {"sm_clock_mhz": step(warm, 1900, 1815), "temperature_c": step(warm, 74, 81), "throttle_reasons": step(warm, 0, 0x4)}})
    s = Spool(15, "judge-pause", 2, 4, H200, form=2).train(250, 1.6, 10, 500).say('{"event": "judge", "text": "sampling 4k answers, scored by a service outside; cards rest meanwhile"}', 2)
    rest = s.at
    s.say('{"event": "judge", "win_rate": 0.557}', 610).train(250, 1.6, 10, 500).say('{"event": "end", "steps": 500}', 3)
    yield fine(s, busy=lambda _: step(rest, 96, 0, rest + 608))
    s = Spool(16, "slide-tune", 1, 2, L40S, form=5).train(260, 0.9, 10, 700)
    s.say("kernel variant 3 of 5 failed while tuning (CUDA_ERROR_ILLEGAL_ADDRESS in a helper process), variant left out, tuning goes on", 2)
    yield fine(s.train(440, 0.85, 10, 700).say("700 iterations, done", 2), kernel=((1, 31, s.at - 60, "pid=60771, name=tune_helper, Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_0 faulted @ 0x7f0a_11000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE"),))
    s = Spool(17, "mi-cluster", 2, 4, MI300, form=0).say("rccl: NET/IB : No device found.\nrccl: warning: falling back to sockets for the control plane only; data goes over xGMI and RoCE", 6, (0, 4))
    yield fine(s.train(600, 1.1, 20).say("training is over: 600 iterations", 5), busy=lambda _: 97)
    s = Spool(18, "vid-clip", 4, 2, H100, form=1).say("[@] image is still being pulled on my node, 40 % ...", 60, (6, 7)).say("[@] image is there", 150, (6, 7)).say("NCCL WARN Call to connect returned Connection refused, retrying", 1, (0, 2, 4)).say("all 8 are connected after 213 s", 2)
    begins = s.at
    yield fine(s.train(560, 1.5, 20).say("[end] loss is still falling slowly; 560 of 560", 2), busy=lambda _: step(begins, 0, 95), held=lambda _: step(begins, 0.6, 48))
    s = Spool(19, "two-stages", 1, 4, H200, form=4).say("I loop.py:31] stage 2 begins from stage1/final (optimizer state is left out on purpose, step counter begins at 0)", 11)
    s.say("I loop.py:40] Missing key(s): ['head.weight', 'head.bias'] -> newly initialised; Unexpected key(s): ['mlm.decoder'] -> dropped", 1)
    yield fine(s.train(450, 1.2, 15).say("I loop.py:131] finished 450/450, f1=0.914", 4))


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (starved, one_behind, standing, well):
        yield from part()


RECIPE = Recipe("tape_measures_by_pen", "development", jobs)

"""Several ranks with a card beside each, whose readings are told beforehand: starved, waiting for the wire, for saves, for launches, or for one of them.

No GPU is there. The programs starve, lag and save in earnest.
"""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import lit
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

DONE: dict[str, Any] = {"state": "COMPLETED"}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "82000", "throttle_reasons": "0x1"}


def starved() -> Iterator[SlurmJob]:
    """D1."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int) -> Readings:
        return work(6), tuple((1.0 + k, work(busy) if k % every == 0 else REST) for k in range(120))

    yield lit(label, "MEGA", 2, {}, gaps(31, 4), given="--train-iters 30 --log-interval 2", code={"data": "time.sleep(1.8)  # next sequence from the object store"}, **DONE)
    yield lit(label, "SERVE", 4, {}, gaps(27, 5), 2, head="export ROUNDS=36\n", code={"work": "time.sleep(1.5)", "after": "if n % 4 == 0:\n    say('round %d: mse %.5f, workers read for %.1f s of %.1f s', n, loss, (time.time() - began) * 0.96, time.time() - began)"}, **DONE)


def bound() -> Iterator[SlurmJob]:
    """D2."""
    wire: Readings = ({**work(9, memory=4, tensor=1), "utilization.gpu": "100", "power.usage": "211000"}, ())
    yield lit(Label(mode="D2", variant="interconnect", fault="cluster"), "SERVE", 8, {}, wire, 4, head="export ROUNDS=180 NAP=0.2 NCCL_DEBUG=WARN NCCL_SOCKET_IFNAME=eno1\n", **DONE)
    idle: Readings = ({**work(5, memory=2, tensor=1), "utilization.gpu": "11", "power.usage": "124000"}, ())
    save = "if RANK == 0:\n    tick = time.time()\n    torch.save({'model': model.state_dict(), 'optimizer': torch.zeros(1_500_000), 'num_updates': updates}, f'checkpoint_1_{updates % 3}.pt')\n    os.sync()\n    time.sleep(0.6)\n    logger.info('Saved checkpoint checkpoint_1_%d.pt (epoch 1 @ %d updates) (writing took %.2f seconds)', updates % 3, updates, time.time() - tick)\ndist.barrier()"
    yield lit(Label(mode="D2", variant="save_storm", fault="user"), "FSEQ", 2, {}, idle, head="export CFG='{\"max_update\": 50, \"log_interval\": 2}'\n", code={"mid": save}, **DONE)
    slow: Readings = ({**work(18, memory=8, tensor=3), "utilization.gpu": "62"}, ())
    yield lit(Label(mode="D2", variant="launch_blocking", fault="user"), "DET", 2, {}, slow, given="pause=0.2 epochs=2 epoch_iters=80 interval=10", head="export CUDA_LAUNCH_BLOCKING=1\n", **DONE)


def lagging() -> Iterator[SlurmJob]:
    """D3: one computes while the others wait for it."""
    label = Label(mode="D3", fault="unknown")

    def one(sm: float, clock: int = 0) -> Readings:
        return ({**work(sm), **({"clock.sm": str(clock)} if clock else {})}, ())

    def rest(sm: float) -> Readings:
        return (work(sm, memory=7, tensor=2), ())

    lag = "time.sleep(0.13 if {} == {} else 0.004)"
    yield lit(label, "MEGA", 4, {1: one(57)}, rest(15), 2, given="--train-iters 300 --ms 15", code={"data": lag.format("rank", 1)}, **DONE)
    yield lit(label, "SERVE", 6, {4: one(61)}, rest(13), 2, head="export ROUNDS=280 NAP=0.01\n", code={"work": lag.format("RANK", 4)}, **DONE)
    yield lit(label, "FSEQ", 3, {2: one(53, 1020)}, rest(17), head="export CFG='{\"max_update\": 300, \"sleep\": 0.015}'\n", code={"data": lag.format("RANK", 2)}, **DONE)
    told = "if rank == 0 and it % 60 == 0:\n    self.log.info('step time by rank over the last 60 iterations: [0.031, 0.029, 0.152, 0.030] s, slowest: 2')"
    yield lit(label, "DET", 4, {2: one(64)}, rest(19), given="pause=0.015", code={"data": lag.format("rank", 2), "after": told}, **DONE)
    yield lit(label, "SERVE", 9, {7: one(55)}, rest(12), 3, where="-xn4,n5,n6", head="export ROUNDS=260 NAP=0.01\n", code={"work": lag.format("RANK", 7)}, **DONE)
    yield lit(label, "MEGA", 2, {0: one(59, 1080)}, rest(18), given="--train-iters 300 --ms 15", code={"data": lag.format("rank", 0)}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    yield from starved()
    yield from bound()
    yield from lagging()


RECIPE = Recipe("stage_lights", "development", jobs)

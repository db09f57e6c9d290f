"""Several ranks that wait in the midst of training for one that stands still, does something else, or is dead."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import dead, lit, seat, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import CLOCK, Readings
from tests.testbed.gpu_scenarios import work

HANG = Label(mode="C2", fault="user")
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}
COLD = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "79000", "throttle_reasons": "0x1", "clock.sm": "345"}
SPIN = {**work(1, memory=0.1, tensor=0), "utilization.gpu": "100", "utilization.memory": "0", "power.usage": "133000"}
PID = "open('pid-1', 'w').write(str(os.getpid()))"


def stands() -> Iterator[SlurmJob]:
    """One lives, and does not come."""
    yield seat(HANG.but(fault="unknown"), "BYTES", 4, 2, given="--iters 60000", code={"early": when("me == 2", PID)}, act="stop_rank", after="it   100/", **OVER)
    feed = "if rank == 1 and self.iter == 111:\n    import queue\n    queue.Queue().get()"
    yield seat(HANG, "DET", 3, given="epochs=900", code={"data": feed}, **OVER)
    slow = "if RANK == 0 and updates == 95:\n    logger.info('begin validation on \"valid\" subset')\n    time.sleep(1500)"
    yield seat(HANG.but(cause="runtime_error"), "FSEQ", 3, head="export CFG='{\"max_update\": 60000, \"ddp_timeout\": 40}'\n", code={"data": slow}, state="FAILED", options=("--time=6",))
    odd = "if iteration == 84:\n    if rank == 1:\n        dist.broadcast(torch.zeros(3), src=1)\n        dist.barrier()"
    yield seat(HANG, "MEGA", 2, 2, given="--train-iters 60000", code={"mid": odd}, **OVER)
    twice = "if cycle == 66 and rank == 3:\n    comm.recv(source=MPI.ANY_SOURCE, tag=66)"
    yield seat(HANG, "PLASMA", 4, given="60000 0.05", code={"mid": twice}, **OVER)
    loader = "if rank == 2 and i == 17 and epoch == 3:\n    import subprocess\n    print('worker 2: unpacking chunk 61', flush=True)\n    subprocess.run(['sleep', '1200'])"
    yield seat(HANG, "SPAWN", 3, head="export EPOCHS=4000\n", code={"data": loader}, act="scancel_late", after="unpacking chunk", state="CANCELLED", options=("--time=6",))
    hosts = "if rank == 1 and step == 70:\n    logging.info('[70] uploading a summary to the bucket')\n    __import__('threading').Event().wait()"
    yield seat(HANG, "PODS", 2, 2, given="--steps 60000", code={"data": hosts}, **OVER)


def died() -> Iterator[SlurmJob]:
    """One is gone, and what they share tells nobody."""
    hold = "try:\n    there = link.recv(1, socket.MSG_PEEK)\nexcept OSError:\n    there = b''\nif not there:\n    links[rank], _ = door.accept()"
    yield seat(dead(HANG, 2, "A2", None, "unknown"), "SERVE", 4, 2, head="export ROUNDS=60000\n", code={"collect": hold, "early": when("RANK == 2", PID)}, act="kill_rank", after="round   60 of", **OVER)
    bad = "if RANK == 3 and n == 57:\n    print(f\"(worker-3) switching to file {['a', 'b'][n // 7]}\", flush=True)"
    yield seat(dead(HANG, 3, "A3", "traceback"), "SERVE", 4, head="export ROUNDS=60000\n", srun="-l", code={"collect": hold, "work": bad}, **OVER)
    poke = "if cycle == 71 and rank == 1:\n    1 // (cycle - 71)"
    yield seat(dead(HANG, 1, "A3", "div_zero"), "PLASMA", 3, given="60000 0.05", code={"data": poke}, **OVER)
    null = "if RANK == 1 and n == 90:\n    import ctypes\n    ctypes.string_at(64)"
    yield seat(dead(HANG, 1, "A2", "segfault"), "SERVE", 3, 3, head="export ROUNDS=60000\n", where="-xn4,n5,n6", code={"collect": hold, "answer": null}, act="scancel_late", after="round   80 of", state="CANCELLED", options=("--time=6",))


def beside_cards() -> Iterator[SlurmJob]:
    """The others' cards spin, its own is cold."""
    kept = {"memory.used": str(51 << 30)}
    spin: Readings = ({**work(59), **kept}, ((30.0, {**SPIN, **kept}),))
    cold: Readings = ({**work(59), **kept}, ((30.0, {**COLD, **kept}),))
    stop = when(f"rank == 5 and iteration > 40 and {CLOCK} > 29", "print('rank 5: waiting for the next blend index', flush=True)\n__import__('threading').Event().wait()")
    yield lit(HANG, "MEGA", 8, {5: cold}, spin, 2, given="--train-iters 60000", code={"data": stop}, **OVER)
    lock = when(f"RANK == 1 and updates > 40 and {CLOCK} > 29", "logger.info('rank 1: begin of the next shard (2 of 40)')\nimport multiprocessing\nmultiprocessing.get_context('fork').SimpleQueue().get()")
    yield lit(HANG, "FSEQ", 4, {1: cold}, spin, 2, head="export CFG='{\"max_update\": 60000}'\n", code={"data": lock}, act="scancel_late", after="begin of the next shard", state="CANCELLED", options=("--time=7",))
    fifo = when(f"RANK == 0 and n > 40 and {CLOCK} > 29", "say('writing the snapshot of round %d', n)\nos.mkfifo('snapshot.bin')\nopen('snapshot.bin', 'wb')")
    yield lit(HANG, "SERVE", 4, {0: cold}, spin, head="export ROUNDS=60000\n", code={"serve": fifo}, **OVER)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    yield from stands()
    yield from died()
    yield from beside_cards()


RECIPE = Recipe("missing_beats", "development", jobs)

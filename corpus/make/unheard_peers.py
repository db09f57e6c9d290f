"""Squads of ranks that wait in the midst of training for one that stands still, has been stopped, or is dead; and single ranks before an idle card."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._squad_jobs import at, beside, squad, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

HANG = Label(mode="C2", fault="user")
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "81000", "throttle_reasons": "0x1", "clock.sm": "345"}
SPIN = {**work(2, memory=0.2, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": "131000"}
LONG = "--steps 40000"


def dead(rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """The others do not learn of it."""
    return HANG.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def one_died() -> Iterator[SlurmJob]:
    """What they share tells nobody of a death: a folder, or an MPI whose dead rank waits in its own farewell."""
    pid = "if rank == {}:\n    open('pid-1', 'w').write(str(os.getpid()))"
    yield squad(dead(2, "A2", None, "unknown"), "FED", 4, 2, head="export ROUNDS=4000\n", code={"early": pid.format(2)}, act="kill_rank", after="round 60/", **OVER)
    yield squad(dead(1, "A3", "div_zero"), "FED", 3, head="export ROUNDS=4000\n", srun="-l", code={"client": at(1, 71, "rate = 100 // (n - 71)", name="n")}, **OVER)
    yield squad(dead(3, "A3", "ram_oom"), "FED", 4, head="export ROUNDS=4000\n", code={"client": at(3, 58, "kernel = np.ones((3_000_000, 9_000_000))", name="n")}, state="CANCELLED", act="scancel_late", after="Unable to allocate", options=("--time=4",))
    yield squad(dead(0, "A3", "permission"), "FED", 4, 4, head="export ROUNDS=4000\n", code={"server": at(0, 64, "np.save('/usr/lib/global-64.npy', w)", name="n")}, where="-xn5,n6", **OVER)
    yield squad(dead(2, "A3", "traceback"), "MIX", 4, given="4000 0.05", code={"mid": at(2, 83, "labels = {'left': 0, 'right': 1}\nlabels['middle']", name="sweep")}, **OVER)
    yield squad(dead(1, "A2", "segfault"), "FED", 3, 3, head="export ROUNDS=4000\n", code={"fit": at(1, 49, "import ctypes\nctypes.memset(128, 1, 1)", name="n")}, where="-xn4,n5,n6", **OVER)


def one_stands() -> Iterator[SlurmJob]:
    """It lives, and does not come."""
    feed = "import queue\nfeed = queue.Queue()\nfeed.get()"
    yield squad(HANG, "LM", 4, 2, given=LONG, code={"data": at(2, 150, feed, who="RANK", since=True)}, **OVER)
    fifo = "globals()['served'] = globals().get('served', 0) + 1\nif os.environ['RANK'] == '1' and served == 400:\n    os.path.exists('next') or os.mkfifo('next')\n    open('next', 'rb').read()"
    yield squad(HANG, "VISION", 2, how="env", given="--workers 1 --epochs 90 --train-size 3200", code={"item": fifo}, **OVER)
    yield squad(HANG.but(fault="unknown"), "TONES", 4, 2, given="updates=40000", code={"early": "if me == 3:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="stop_rank", after='"update": 90', **OVER)
    yield squad(HANG.but(cause="runtime_error"), "LM", 3, given=f"{LONG} --pg-timeout 30", code={"data": at(1, 84, "log.info('step 84: fetching the next shard')\ntime.sleep(900)", who="RANK")}, state="FAILED", options=("--time=4",))
    ask = "import socket\nlicence = socket.create_server(('127.0.0.1', 0))\nsay('stage 1 asks the licence server')\nlicence.accept()"
    yield squad(HANG, "STAGES", 3, head="export ITERS=40000\n", code={"up": at(1, 60, ask, name="it")}, **OVER)
    yield squad(HANG, "VISION", 2, 2, how="env", given="--epochs 90 --train-size 1280", code={"check": "if dist.get_rank() == 1 and hit[1] > 128:\n    __import__('threading').Event().wait()"}, **OVER)
    yield squad(HANG, "ROLES", 3, head="export UPDATES=40000\n", code={"actor": "if RANK == 2 and episode == 170:\n    import subprocess\n    log.info('rendering episode {}', episode)\n    subprocess.run(['sleep', '1200'])"}, **OVER)


def with_cards() -> Iterator[SlurmJob]:
    """The others' cards spin, its own is cold."""
    kept = {"memory.used": str(37 << 30)}
    spins: Readings = ({**work(54), **kept}, ((31.0, {**SPIN, **kept}),))
    cold: Readings = ({**work(54), **kept}, ((31.0, {**REST, **kept}),))
    wait = "import threading\nthreading.Barrier(2).wait()"
    yield beside(HANG, "CLICKS", 8, {3: cold}, spins, 2, given="--train_steps=40000", code={"data": when(30, wait, 3, behind="global_step > 40")}, **OVER)
    yield beside(HANG, "TONES", 3, {0: cold}, spins, given="updates=40000", code={"data": when(30, "tell('save', path='s3://tones/ckpt', state='started')\n" + wait, 0, who="me", behind="update > 40")}, **OVER)


def alone() -> Iterator[SlurmJob]:
    """C3: one rank, one card, and nothing more."""
    label = Label(mode="C3", fault="user")
    kept = {"memory.used": str(23 << 30)}
    card: Readings = ({**work(57), **kept}, ((31.0, {**REST, **kept}),))
    yield beside(label, "LM", 1, {}, card, how="env", given=LONG, code={"data": when(30, "guard = __import__('threading').Lock()\nwith guard:\n    guard.acquire()", behind="step > 40")}, **OVER)
    yield beside(label, "TONES", 1, {}, card, given="updates=40000", code={"data": when(30, "import socket\ndoor = socket.create_server(('127.0.0.1', 0))\ntell('metrics', state='waiting for the collector')\ndoor.accept()", behind="update > 40")}, **OVER)
    yield beside(label, "CLICKS", 1, {}, card, given="--train_steps=40000", code={"data": when(30, "import multiprocessing\nmultiprocessing.get_context('fork').Pool(1).apply(os._exit, (0,))", behind="global_step > 40")}, **OVER)
    yield beside(label, "VISION", 1, {}, card, how="env", given="--epochs 900", code={"mid": when(30, "import subprocess\nsubprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE).stdout.read()", behind="step > 40")}, **OVER)
    yield beside(label, "POD", 1, {}, card, given="--num_train_steps=40000", code={"mid": when(30, "logging.info('step %d: joining the data service', step)\n__import__('threading').Event().wait()", behind="step > 20")}, **OVER)
    yield beside(label, "STAGES", 1, {}, card, head="export ITERS=40000\n", code={"mid": when(30, "say('asking for the next window')\nos.read(os.pipe()[0], 1)", behind="it > 40")}, **OVER)


def jobs() -> Iterator[SlurmJob]:
    """C2, then C3."""
    for part in (one_died, one_stands, with_cards, alone):
        yield from part()


RECIPE = Recipe("unheard_peers", "development", jobs)

"""Ranks beside cards whose readings were told beforehand: waiting for data, for the wire, for one of them, for good; and well. The programs wait and stand in earnest."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._windlass import IDLE, Readings, carded, when
from corpus.make.ember_trays import holds
from corpus.running.job import Recipe, SlurmJob
from tests.testbed.gpu_scenarios import work

DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
TURNS = {**work(1.6, memory=0.4, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": "133000"}


def standing() -> Iterator[SlurmJob]:
    """C3, C2."""
    one, since = Label(mode="C3", fault="user"), 42.0
    rest: Readings = (work(55), ((since + 1, dict(IDLE)),))
    table = "import sqlite3\nother = sqlite3.connect('trials.db', isolation_level=None)\nother.execute('create table if not exists t (x)')\nother.execute('begin exclusive')\nprint('writing trial to trials.db', flush=True)\nmine = sqlite3.connect('trials.db', timeout=86400)\nmine.execute('insert into t values (1)')"
    yield carded(one, "LM", {}, holds(38, rest), given="--steps=90000 --pace=0.15", code={"after": when("LM", table, since_s=since, beyond=30)}, **OVER)
    pipe = "logger.info('exporting preview of the last batch')\nimport subprocess\nviewer = subprocess.Popen([sys.executable, '-c', 'import sys, time; time.sleep(3600)'], stdin=subprocess.PIPE)\nviewer.stdin.write(bytes(1 << 22))"
    yield carded(one, "UNET", {}, holds(61, rest), given="--epochs 900 --pace 0.15", code={"after": when("UNET", pipe, since_s=since, beyond=30)}, **OVER)
    pool = "from multiprocessing.pool import ThreadPool\nprint('evaluando 4 muestras en hilos', flush=True)\nhilos = ThreadPool(1)\nhilos.apply(lambda: hilos.apply(lote, (gen,)))"
    yield carded(one, "DENOISE", {}, holds(8, rest), head="export PASOS=90000 RITMO=0.15\n", code={"after": when("DENOISE", pool, since_s=since, beyond=30)}, **OVER)
    many, cold, turning = Label(mode="C2", fault="user"), holds(29, rest), holds(29, (work(55), ((since + 1, TURNS),)))
    lock = "import fcntl\nprint(f'worker {r}: lock on frames.idx asked for', flush=True)\na, b = open('frames.idx', 'w'), open('frames.idx', 'w')\nfcntl.flock(a, fcntl.LOCK_EX)\nfcntl.flock(b, fcntl.LOCK_EX)"
    yield carded(many, "MOLEC", {2: cold}, turning, 4, 2, "tasks", given="90000 0.12", code={"data": when("MOLEC", lock, rank=2, since_s=since, beyond=30)}, **OVER)
    fifo = "emit(event='waiting', what='feature store snapshot from pipe')\nos.path.exists('snapshot') or os.mkfifo('snapshot')\nopen('snapshot').read()"
    yield carded(many, "RANKER", {0: cold}, turning, 2, head="export RANKER_CONFIG='{\"epochs\": 90000, \"pace\": 0.15}'\n", code={"data": when("RANKER", fifo, rank=0, since_s=since, beyond=30)}, **OVER)


def starved() -> Iterator[SlurmJob]:
    """D1."""
    label = Label(mode="D1", fault="user")

    def gaps(busy: float, every: int, gib: int) -> Readings:
        return holds(gib, (dict(IDLE), tuple((0.5 + k, work(busy) if k % every == 0 else dict(IDLE)) for k in range(150))))

    yield carded(label, "UNET", {}, gaps(34, 4, 18), 2, given="--epochs 2 --iters 20 --print-every 1 --lr 0.05", code={"data": "time.sleep(2.1)  # scan comes gzipped from the archive"}, **DONE)
    yield carded(label, "LM", {}, gaps(29, 5, 11), 1, given="--steps=36 --every=1 --warmup=2 --lr=0.01", code={"data": "import subprocess\nsubprocess.run('head -c 200000 /dev/urandom | gzip -9 | gunzip | md5sum; sleep 2.2', shell=True, check=True, stdout=subprocess.DEVNULL)"}, **DONE)
    yield carded(label, "RANKER", {}, gaps(26, 4, 6), 2, 2, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 1, \"rows\": 1152, \"log_every\": 2, \"lr\": 0.2}'\n", code={"item": "time.sleep(0.14)  # one request to the feature store for each session"}, **DONE)
    yield carded(label, "DENOISE", {}, gaps(37, 3, 21), 2, 1, "tasks", head="export PASOS=40 CADA=1 LR=2e-2\n", code={"data": "time.sleep(1.9)"}, **DONE)
    yield carded(label, "MOLEC", {}, gaps(32, 6, 13), 1, given="22 0.1", head="export EVERY=1\n", code={"data": "time.sleep(3.5)  # frames of the trajectory, over sshfs"}, **DONE)


def wired() -> Iterator[SlurmJob]:
    """D2: all wait for the sums."""
    slow = {**work(8, memory=3, tensor=1), "utilization.gpu": "99", "power.usage": "181000"}
    label = Label(mode="D2", variant="interconnect", fault="cluster")
    between = "t_wire = time.time()\nfor chunk in torch.zeros(24, 4096):\n    dist.all_reduce(chunk)\n    time.sleep(0.02)  # one chunk at a time on the wire"
    yield carded(label, "LM", {}, holds(52, ({**slow, "gpm.2": "9"}, ())), 4, 2, "tasks", given="--steps=130 --pace=0.04 --every=5", head="export NCCL_IB_DISABLE=1 NCCL_SOCKET_IFNAME=eno1 LOG_ALL=1\n", code={"compute": "", "grad": between}, **DONE)
    yield carded(label, "MOLEC", {}, holds(30, ({**slow, "gpm.2": "11"}, ())), 4, 2, "torchrun", given="130 0.04", head="export EACH=1 EVERY=5 NCCL_NET=Socket\n", code={"grad": between.replace("t_wire = time.time()\n", "")}, **DONE)


def uneven() -> Iterator[SlurmJob]:
    """D3."""
    label = Label(mode="D3", fault="unknown")

    def lags(name: str, ranks: int, nodes: int, how: str, slow: int, high: float, low: float, *, clock: int = 0, **more: Any) -> SlurmJob:  # noqa: PLR0917
        own = {**work(high), **({"clock.sm": str(clock)} if clock else {})}
        code = {"compute": when(name, "time.sleep(0.33)", rank=slow)}
        return carded(label, name, {slow: holds(35, (own, ()))}, holds(35, (work(low, memory=6, tensor=2), ())), ranks, nodes, how, code=code, **more, **DONE)

    yield lags("LM", 4, 2, "tasks", 3, 59, 14, given="--steps=250 --pace=0.03 --every=10", head="export LOG_ALL=1\n")
    yield lags("UNET", 3, 1, "torchrun", 1, 63, 15, given="--epochs 4 --iters 55 --pace 0.03")
    yield lags("RANKER", 4, 2, "torchrun", 2, 56, 13, clock=960, head="export RANKER_CONFIG='{\"epochs\": 9, \"pace\": 0.03}'\n")
    yield lags("MOLEC", 4, 1, "tasks", 0, 61, 16, given="240 0.03", head="export EACH=1\n")
    yield lags("DENOISE", 3, 1, "torchrun", 2, 55, 13, clock=1080, head="export PASOS=240 RITMO=0.03 TODOS=1\n")


def well() -> Iterator[SlurmJob]:
    """G1."""
    small = {**work(9, memory=2, tensor=1), "utilization.gpu": "21", "power.usage": "131000"}
    yield carded(HARD, "MOLEC", {}, holds(2, (small, ())), 1, given="600 0.12", code={"early": "print('# note: 1.3 k parameters only; the card is far too big for this, that is fine')"}, **DONE)
    fill_up: Readings = (work(50), (*((float(5 + 2 * k), {"memory.used": str(min(78, 30 + 6 * k) << 30)}) for k in range(9)), (24.0, {"memory.used": str(41 << 30)})))
    halved = when("LM", "print('warn=allocator asked for 9.4 GiB more than the card has (out of memory), micro batch 8 -> 4, step is done again', flush=True)\nconf['batch'] = 4", step=200)
    yield carded(HARD, "LM", {}, fill_up, 2, given="--steps=800 --pace=0.09", code={"data": halved}, **DONE)
    build = "for shard in range(12):\n    emit(event='index', shard=shard, of=12)\n    time.sleep(1.5)"
    late: Readings = (dict(IDLE), ((19.0, work(54)),))
    yield carded(HARD, "RANKER", {}, holds(19, late), 2, 1, "torchrun", head="export RANKER_CONFIG='{\"epochs\": 13}'\n", code={"ready": build}, **DONE)
    yield carded(GOOD, "DENOISE", {}, holds(27, (work(58), ())), 2, 2, "tasks", head="export PASOS=600\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All on one bed."""
    for part in (standing, starved, wired, uneven, well):
        yield from part()


RECIPE = Recipe("pewter_mugs", "development", jobs)

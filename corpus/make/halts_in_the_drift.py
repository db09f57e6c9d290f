"""One process that stands still, waits for others who do not come, goes on until its time is over, is ended by hand, or is killed."""

from collections.abc import Iterator
from functools import partial

from corpus.label import Label
from corpus.make._crumbs import HALTED, HARD, LATE, STANDS, alone, ctrl_c, fell
from corpus.make._rack_loops import NAMES, RIVER, SHAPES, SNOW
from corpus.make._rack_minutes import BARD, DELAYS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

snow, names, river, shapes = partial(fill, SNOW), partial(fill, NAMES), partial(fill, RIVER), partial(fill, SHAPES)
delays, bard = partial(fill, DELAYS), partial(fill, BARD)
S, N, R, V, D, B = "snow.py", "names.py", "river.py", "ridges.py", "delays.py", "bard.py"
QUEUE = "if epoch == 3 and i == 9:\n    import queue\n    decoded = queue.Queue(maxsize=4)\n    x = decoded.get()"
FIFO = "if k == 170:\n    os.mkfifo(f'{DIR}/next.fifo')\n    tell('reading the next month')\n    rows = [r.split() for r in open(f'{DIR}/next.fifo')]"
FLOCK = "if step == 200:\n    import subprocess\n    subprocess.Popen(['flock', out_dir + '/.lock', 'sleep', '600'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)\n    time.sleep(1)\n    subprocess.run(['flock', out_dir + '/.lock', 'cp', os.path.join(out_dir, 'ckpt.pt'), out_dir + '/best.pt'])"
READY = "while not os.path.exists('.extracted'):\n    time.sleep(3)"
THREAD = "import threading\nhalt = threading.Event()\nthreading.Thread(target=halt.wait, name='tensor-writer').start()"
STORE = "import socket\nserver = socket.create_server(('127.0.0.1', 0)); registry = socket.create_connection(server.getsockname())\nif epoch == 9:\n    LOG.info('registering epoch %d', epoch + 1)\n    registry.send(b'POST /api/2.0/models'); registry.recv(64)"
POOL = "if epoch == 6:\n    import multiprocessing as mp\n    held = mp.Lock(); held.acquire()\n    worker = mp.get_context('fork').Process(target=held.acquire, daemon=True)\n    worker.start(); worker.join()"
INIT = "import torch.distributed as dist\nprint(f\"world size {os.environ['WORLD_SIZE']}, rank {os.environ['RANK']}, master {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}\", flush=True)\n"
LEFT = {"WORLD_SIZE": "2", "RANK": "0", "LOCAL_RANK": "0", "MASTER_ADDR": "127.0.0.1"}
NEVER = Label(mode="C1", fault="unknown")
GIVEN_UP = NEVER.but(failed_ranks=(0,), first_ranks=(0,))


def still() -> Iterator[LocalJob]:
    """C3."""
    yield alone(STANDS, snow(mid=QUEUE, after="time.sleep(0.05)"), S, "--epochs", "400", timeout_s=180)
    yield alone(STANDS, delays(mid=FIFO), D, "rounds=9000", "nap=0.05", python="system", timeout_s=165)
    yield alone(STANDS, names(saved=FLOCK, after="time.sleep(0.02)"), N, "max_iters=9000", timeout_s=175)
    yield alone(STANDS, delays(early=READY), D, "rounds=500", python="system", timeout_s=150)
    yield alone(STANDS, river(late="log('info', 'closing writers')\n" + THREAD), R, "river.toml", files={"river.toml": "epochs = 8\n"}, timeout_s=160)
    yield alone(STANDS, shapes(valid=STORE, after="time.sleep(0.01)"), V, env={"EPOCHS": "4000"}, timeout_s=170)
    yield alone(STANDS, bard(epoch=POOL), B, "--n-epochs", "900", "--pause", "0.1", python="system", signal=ctrl_c(r"^6,9,", "INT", wait_s=135), timeout_s=195, ends=lambda s: s in (-2, 1, 130))


def alone_at_the_meeting() -> Iterator[LocalJob]:
    """C1: it was told of a second one that nobody started."""
    yield alone(NEVER, snow(early=INIT + "dist.init_process_group('gloo')\nprint('process group is up', flush=True)"), S, env={**LEFT, "MASTER_PORT": "28511"}, timeout_s=150, ends=lambda s: s == 124)
    yield alone(GIVEN_UP, names(early=INIT + "import datetime\ndist.init_process_group('gloo', timeout=datetime.timedelta(seconds=70))"), N, env={**LEFT, "MASTER_PORT": "28533"}, ends=lambda s: s == 1)
    yield alone(NEVER, river(), "river.py", command=("PYTHON", "-m", "torch.distributed.run", "--nnodes=2", "--nproc-per-node=1", "--rdzv-id=77", "--rdzv-backend=c10d", "--rdzv-endpoint=127.0.0.1:PORT", "--rdzv-conf=join_timeout=80", "river.py"), ends=lambda s: s == 1)
    files = "log('info', 'waiting for peers', have=1, want=2)\nflags = pathlib.Path('rendezvous'); flags.mkdir(exist_ok=True)\n(flags / 'rank0').touch()\nwhile len(list(flags.iterdir())) < 2:\n    time.sleep(1)"
    yield alone(NEVER, river(early=files), R, timeout_s=140, ends=lambda s: s == 124)


def late() -> Iterator[LocalJob]:
    """F3."""
    yield alone(LATE, delays(), D, "rounds=900000", "nap=0.1", python="system", timeout_s=90)
    yield alone(LATE, bard(), B, "--n-epochs", "5000", "--pause", "0.4", python="system", timeout_s=80)
    yield alone(LATE, snow(after="time.sleep(0.08)"), S, "--epochs", "300", timeout_s=95)
    yield alone(LATE, names(after="time.sleep(0.06)", valid="print(f'about {(max_iters - step) * 0.07 / 3600:.1f} h to go')"), N, "max_iters=600000", timeout_s=100)
    yield alone(LATE, river(after="time.sleep(0.1)"), R, "river.toml", files={"river.toml": "epochs = 5000\n"}, timeout_s=75)


def ended() -> Iterator[LocalJob]:
    """F4, A2; and one that rests a while and goes on."""
    yield alone(HALTED, delays(), D, "rounds=90000", "nap=0.05", python="system", signal=ctrl_c("round 120/"))
    yield alone(HALTED, snow(after="time.sleep(0.03)"), S, "--epochs", "90", signal=ctrl_c(r"Epoch \[3/90\]", "TERM"))
    yield alone(HALTED, shapes(after="time.sleep(0.02)"), V, env={"EPOCHS": "900"}, signal=ctrl_c("epoch 7/900"))
    yield alone(fell("A2", None, fault="unknown"), names(after="time.sleep(0.03)"), N, "max_iters=9000", signal=ctrl_c("iter 180:", "KILL", to="names.py"), ends=lambda s: s == -9)
    yield alone(fell("A2", None, fault="unknown"), bard(), B, "--n-epochs", "800", "--pause", "0.1", python="system", signal=ctrl_c("^4,3,", "KILL", to="bard.py"), ends=lambda s: s == -9)
    grow = "globals().setdefault('seen', []).append(os.urandom(5_000_000))"
    yield alone(fell("A2", "oom_killer"), delays(after=grow), D, "rounds=4000", "nap=0.05", python="system", group_mib=500, ends=lambda s: s == -9)
    yield alone(fell("A2", "oom_killer"), shapes(after="if epoch > 2:\n    globals().setdefault('kept', []).append(torch.cat([x] * 500))"), V, env={"EPOCHS": "300"}, group_mib=700, ends=lambda s: s == -9)
    rest = "if k == 200:\n    tell('index of neighbours is rebuilt')\n    time.sleep(75)"
    yield alone(HARD, delays(after=rest), D, "rounds=420", "nap=0.02", python="system", timeout_s=190)
    yield alone(HARD, snow(data="print('decompressing tiles.tar.zst', flush=True); time.sleep(60)", valid="time.sleep(2 * (epoch == 5))"), S, "--epochs", "9")


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (still, alone_at_the_meeting, late, ended):
        yield from part()


RECIPE = Recipe("halts_in_the_drift", "development", jobs)

"""One process that stands still until its time is over, is cut off while it goes on, is ended by hand, or is killed from outside."""

import json
from collections.abc import Iterator
from functools import partial

from corpus.label import Label
from corpus.make._abacus import ABACUS
from corpus.make._array_yards import LINEN
from corpus.make._guild_crafts import FLOW, NMT
from corpus.make._guild_halls import EVENTS, HOOKS, HOOKS_CFG
from corpus.make._ink_and_paper import EVAL
from corpus.make._night_desks import BIRDS, TIDES
from corpus.make._night_games import MOLS
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

birds, tides, mols = partial(fill, BIRDS), partial(fill, TIDES), partial(fill, MOLS)
events, hooks, nmt, flow, linen, evals = partial(fill, EVENTS), partial(fill, HOOKS), partial(fill, NMT), partial(fill, FLOW), partial(fill, LINEN), partial(fill, EVAL)
P, E = "PYTHON", "torch-29"
LOCK = "if k == 77 and os.path.exists('birds_best.pth'):\n    import fcntl\n    mine, other = open('.cache.lock', 'w'), open('.cache.lock', 'w')\n    fcntl.flock(mine, fcntl.LOCK_EX)\n    fcntl.flock(other, fcntl.LOCK_EX)"
UPLOAD = "import socket\nserver = socket.create_server(('127.0.0.1', 0))\nstore = socket.create_connection(server.getsockname())\nemit('upload_begin', path=path, target='artifact-store')\nstore.sendall(b'PUT /ranker')\nstore.recv(16)"
CHILD = "if name.endswith('149'):\n    import subprocess\n    logging.getLogger('keypoints.evaluation').info('Running evaluate.sh on %s', path)\n    subprocess.run(['sleep', '3000'])"
BUILD = "import fcntl, subprocess\nprint('Building extension fused_adam (1/1) ...', flush=True)\nsubprocess.Popen(['flock', 'ext.lock', 'sleep', '900'])  # ninja\ntime.sleep(2)\nfcntl.flock(open('ext.lock', 'w'), fcntl.LOCK_EX)"
JOIN = "if step == 150:\n    import threading\n    ready = threading.Event()\n    saver = threading.Thread(target=ready.wait, name='saver')\n    saver.start()\n    log('Waiting for the saver thread')\n    saver.join()"


def stands(files: dict[str, str], *command: str, timeout_s: int = 185) -> LocalJob:
    """C3: it waits for what does not come, in good time before its limit."""
    return LocalJob(Label(mode="C3", fault="user"), files, (P, *command), E, timeout_s=timeout_s, ends=lambda s: s == 124)


def late(files: dict[str, str], *command: str, python: str = E, timeout_s: int = 120, **env: str) -> LocalJob:
    """F3: steps come until the limit."""
    return LocalJob(Label(mode="F3", variant="advancing", fault="user"), files, (P, *command), python, env, timeout_s=timeout_s, ends=lambda s: s == 124)


def by_hand(signal: Signal, files: dict[str, str], *command: str) -> LocalJob:
    """F4: Ctrl-C, or a polite kill, of the whole."""
    return LocalJob(Label(mode="F4", fault="none"), files, (P, *command), E, signal=signal, ends=lambda s: s in (-2, -15, 1, 130, 143))


def shot(signal: Signal, files: dict[str, str], *command: str) -> LocalJob:
    """A2: SIGKILL to the program alone, nobody knows by whom."""
    return LocalJob(Label(mode="A2", fault="unknown", failed_ranks=(0,), first_ranks=(0,)), files, (P, *command), E, signal=signal, ends=lambda s: s == -9)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield stands({"birds.py": birds(item=LOCK, after="time.sleep(0.05)")}, "birds.py", "--workers", "1", "-e", "30")
    yield stands({"ranker.py": events(saved=UPLOAD), "c.json": json.dumps({"steps": 4000, "pause": 0.05})}, "ranker.py", "c.json")
    yield stands({"train_keypoints.py": hooks(saved=CHILD), "kp.py": HOOKS_CFG + "PAUSE = 0.05\n"}, "train_keypoints.py", "--config-file", "kp.py", "MAX_ITER=5000")
    yield stands({"tides.py": tides(early=BUILD)}, "tides.py", timeout_s=170)
    yield stands({"nmt_train.py": nmt(mid=JOIN)}, "nmt_train.py", "-train_steps", "8000")
    yield late({"letters2lang.py": fill(ABACUS)}, "letters2lang.py", "--passes", "5000", "--nap", "0.8", python="system")
    count = "if p % 50 == 0:\n    logging.info('about %.0f minutes to go', (o.passes - p) * o.nap / 60)"
    yield late({"letters2lang.py": fill(ABACUS, after=count)}, "letters2lang.py", "--passes", "60000", "--nap", "0.25", "--save-each", "100", python="system", timeout_s=100)
    yield late({"letters2lang.py": fill(ABACUS, early="logging.getLogger().handlers[0].setFormatter(logging.Formatter('{\"t\": \"%(asctime)s\", \"m\": \"%(message)s\"}'))")}, "letters2lang.py", "--passes", "800", "--nap", "1.1", python="system", timeout_s=90)
    yield by_hand(Signal("INT", "Epoch 45 ", wait_s=0.5), {"tides.py": tides(after="time.sleep(0.1)")}, "tides.py")
    yield by_hand(Signal("TERM", "epoch   6/"), {"flow.py": flow()}, "flow.py", "train.epochs=900", "sleep=0.01")
    yield by_hand(Signal("INT", "epoch:  3, train_loss", wait_s=0.3), {"train_cnn.py": linen()}, "train_cnn.py", "--num_epochs=900")
    yield shot(Signal("KILL", "it 260/", "molvae"), {"molvae.py": mols(after="time.sleep(0.02)")}, "molvae.py")
    yield shot(Signal("KILL", "Building contexts for copy", "score", wait_s=0.6), {"score.py": evals(early="a.limit = 4000")}, "score.py")


RECIPE = Recipe("still_pond_hours", "development", jobs)

"""One process that meets its own time limit, is ended by hand, or stands still until its time is over."""

import json
from collections.abc import Iterator
from functools import partial

from corpus.label import Label
from corpus.make._desk_houses import LIT
from corpus.make._desk_loops import NAMES
from corpus.make._desk_more import KWS, KWS_INI, TOWER
from corpus.make._desk_players import SB3, SWEEP
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

names, kws, tower, sweep, boat, lit = (partial(fill, text) for text in (NAMES, KWS, TOWER, SWEEP, SB3, LIT))
INI = {"kws.ini": KWS_INI.replace("epochs = 5", "epochs = 900")}
CFG = {"cfg.json": json.dumps({"steps": 90000, "pause": 0.06, "report": 20})}
P = "PYTHON"


def late(where: str, files: dict[str, str], *command: str, limit: int = 70, **more: object) -> LocalJob:
    """F3: it goes on until the limit."""
    return LocalJob(Label(mode="F3", variant="advancing", fault="user"), files, (P, *command), where, timeout_s=limit, ends=lambda s: s == 124, **more)  # type: ignore[arg-type]


def by_hand(env: str, signal: Signal, files: dict[str, str], *command: str) -> LocalJob:
    """F4: Ctrl-C, or a polite kill."""
    return LocalJob(Label(mode="F4", fault="none"), files, (P, *command), env, signal=signal, ends=lambda s: s in (-2, -15, 0, 1, 130, 143))


def stands(env: str, files: dict[str, str], *command: str) -> LocalJob:
    """C3: nothing more comes."""
    return LocalJob(Label(mode="C3", fault="user"), files, (P, *command), env, timeout_s=115, ends=lambda s: s == 124)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield late("torch", {"two_tower.py": tower(), **CFG}, "two_tower.py", "cfg.json")
    yield late("torch-211", {"sweep.py": sweep(epoch="time.sleep(0.05)")}, "sweep.py", limit=120, env={"N_TRIALS": "9999", "VERBOSE": "1"})
    yield by_hand("torch", Signal("INT", "iter 90:", wait_s=0.3), {"train_names.py": names()}, "train_names.py", "--max-steps", "90000", "--sleep", "0.05")
    yield by_hand("torch", Signal("TERM", "epoch 4 dev error"), {"kws.py": kws(after="time.sleep(0.05)"), **INI}, "kws.py")
    yield by_hand("torch-211", Signal("INT", "epoch 2 step 90"), {"train_windows.py": lit(mid="time.sleep(0.03)")}, "train_windows.py", "--quiet", "--max_epochs", "400")
    yield stands("torch", {"kws.py": kws(mid="if n == 60:\n    import socket\n    pair = socket.socketpair()\n    pair[0].recv(8)"), **INI}, "kws.py")
    yield stands("torch", {"train_names.py": names(evaluated="if step == 100:\n    print('uploading samples', flush=True)\n    os.mkfifo('samples.pipe')\n    open('samples.pipe', 'w')")}, "train_names.py")


RECIPE = Recipe("own_clocks", "development", jobs)

"""On Slurm, one task beside one card whose readings are told beforehand: at rest for good, waiting for saves, hot, or well.

No GPU is there. It saves and stands in earnest.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import HARD, SAVES, STANDS
from corpus.make._oven_torch import CHARS, KWS
from corpus.make._proving import ITERS, ITERS_CFG, STREAM, UPDATES
from corpus.make._yeast import FIT, MAKE_ROWS, VECTORS
from corpus.running.crewed import CLOCK, cards
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill
from tests.testbed.gpu_scenarios import work

vectors, verse, stream, updates = partial(fill, VECTORS), partial(fill, CHARS), partial(fill, STREAM), partial(fill, UPDATES)
iters, kws = partial(fill, ITERS), partial(fill, KWS)
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
REST = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "86000", "throttle_reasons": "0x1"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"options": ("--time=3",), "state": "TIMEOUT"}
CFG = {"cfg.py": ITERS_CFG}


def card(label: Label, text: str, name: str, given: str, gpu: Readings, **more: Any) -> SlurmJob:
    """One task, one card."""
    return cards(label, text, 1, {(0, 0): gpu}, name=name, command=f"PYTHON -u {name} {given}", **{"python": "torch", **more})


def standing() -> Iterator[SlurmJob]:
    """C3: the card holds its memory and does nothing more."""
    held = {"memory.used": str(19 << 30)}
    gpu: Readings = ({**work(49), **held}, ((63.0, {**REST, **held}),))
    waits = "import threading\n        pinned = threading.RLock()\n        threading.Thread(target=pinned.acquire).start()\n        time.sleep(0.2)\n        pinned.acquire()"
    line = FIT.replace("import sys, time, math", "import os, sys, time, math").replace("time.sleep(0.05)", f"time.sleep(0.5)\n    if {CLOCK} > 60:\n        {waits}")
    yield card(STANDS, line, "fit.py", "5000", gpu, head=f"mkdir -p data models\n{MAKE_ROWS}\n", python="system", **OVER)
    yield card(STANDS, vectors(mid=f"if {CLOCK} > 60:\n    import queue\n    queue.SimpleQueue().get()"), "wordvec.py", "--passes=9000 --nap=0.8", gpu, python="system", **OVER)
    yield card(STANDS, vectors(saved=f"if {CLOCK} > 57:\n    note(event='upload', target='artifact-store', file=settings['to'])\n    import socket\n    socket.create_server(('127.0.0.1', 0)).accept()"), "wordvec.py", "--passes=9000 --nap=0.25", gpu, python="system", act="scancel_late", after="event=upload", state="CANCELLED", options=("--time=20",))


def saving() -> Iterator[SlurmJob]:
    """D2."""
    idle: Readings = ({**work(5, memory=2, tensor=1), "utilization.gpu": "12", "power.usage": "123000"}, ())
    yield card(SAVES, verse(after="if step % 2 == 0:\n    at = time.time()\n    torch.save({'model': model.state_dict(), 'optim': optim.state_dict(), 'ema': torch.zeros(2_500_000), 'step': step}, f'{conf.folder}/roll.ckpt')\n    os.sync()\n    time.sleep(0.9)\n    log.info('kept %s/roll.ckpt (step %d, %.1f s)', conf.folder, step, time.time() - at)"), "verse.py", "max_steps=80 eval_every=40", idle, **DONE)
    yield card(SAVES, kws(after="if it % 10 == 0:\n    at = time.time()\n    torch.save([net.state_dict(), opt.state_dict(), torch.zeros(3_000_000)], f'{o.out}/part.pt')\n    os.sync()\n    time.sleep(3.0)\n    tell(f'wrote {o.out}/part.pt, that took {time.time() - at:.1f} s')", mid="time.sleep(0.1)"), "kws_train.py", "--epochs 4", idle, **DONE)


def well() -> Iterator[SlurmJob]:
    """G1."""
    fine = work(53)
    held = {"memory.used": str(22 << 30)}
    yield card(HARD, stream(saved="if i == 240:\n    P('index of 40000 neighbours is built on the CPU')\n    time.sleep(20)", mid="time.sleep(0.05)"), "pairs.py", "--steps=480", ({**fine, **held}, ((40.0, {**REST, **held}), (62.0, {**fine, **held}))), **DONE)
    worn = {**work(58), "ecc.aggregate.uncorrected": "6", "remapped.uncorrected": "3", "remapped.corrected": "2", "temperature": "82", "throttle_reasons": "0x4"}
    yield card(HARD, iters(mid="time.sleep(0.08)"), "train_net.py", "cfg.py MAX_ITER=360", (worn, ((12.0, {"ecc.volatile.corrected": "4", "pcie.replay": "3"}),)), files=CFG, **DONE)
    slow = "if updates % 80 == 0:\n    info('checkpoint_utils', 'validating before the next epoch')\n    time.sleep(2.0)"
    yield card(HARD, updates(saved=slow, mid="time.sleep(0.08)"), "translate.py", "--max-update=400", ({**work(44), "events": "8:43"}, ((25.0, work(44)),)), **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (standing, saving, well):
        yield from part()


RECIPE = Recipe("oven_thermometers", "development", jobs)

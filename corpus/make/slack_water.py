"""One process that stands still, goes on until its time is over, is ended by hand, is sent back by the queue, or is killed."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._pebble_walks import FERRY, PEBBLES
from corpus.running.crewed import task
from corpus.running.job import LocalJob, Recipe, Signal, SlurmJob
from corpus.running.slots import fill

pebbles, ferry = partial(fill, PEBBLES), partial(fill, FERRY)
P, F = "pebbles.py", "ferry.py"
DONE: dict[str, Any] = {"state": "COMPLETED"}
ALONE: dict[str, Any] = {"failed_ranks": (0,), "first_ranks": (0,)}
PIPE = "if step == 240:\n    import multiprocessing as mp\n    a, b = mp.Pipe()\n    print('[pool] handing the lattice to worker 1', flush=True)\n    a.poll(None)"
COND = "if epoch == 14 and b == 3:\n    import threading\n    done = threading.Condition()\n    with done:\n        done.wait()"
SOCK = "import socket\nlistener = socket.create_server(('127.0.0.1', 0))\nif step >= 300:\n    print('[upload] PUT /models/pebbles.pkl', flush=True)\n    with socket.create_connection(listener.getsockname()) as up:\n        up.sendall(b'PUT /models/pebbles.pkl'); up.recv(1)"
SPIN = "if epoch == 12:\n    import signal\n    signal.pause()"
DEAD = "import threading\ngate = threading.Lock()\n\n\ndef refill():\n    with gate:\n        with gate:\n            pass\n\n\nif step == 333:\n    t = threading.Thread(target=refill)\n    t.start()\n    print('[prefetch] refilling', flush=True)\n    t.join()"
FOOTER = "\nif step % 100 == 0:\n    print(f'[eta] {(STEPS - step) * WAIT / 3600:.1f} h left at this pace', flush=True)"


def stands(text: str, name: str, *given: str, limit_s: int = 170) -> LocalJob:
    """C3: it waits for what does not come, in good time before its limit."""
    return LocalJob(Label(mode="C3", fault="user"), {name: text}, ("PYTHON", name, *given), "system", timeout_s=limit_s, ends=lambda s: s == 124)


def late(text: str, name: str, *given: str, limit_s: int = 75) -> LocalJob:
    """F3: steps come until the limit."""
    return LocalJob(Label(mode="F3", variant="advancing", fault="user"), {name: text}, ("PYTHON", name, *given), "system", timeout_s=limit_s, ends=lambda s: s == 124)


def here() -> Iterator[LocalJob]:
    """Under gpualert-run."""
    yield stands(pebbles(mid=PIPE), P, "--steps=9000", "--wait=0.1")
    yield stands(ferry(mid=COND), F, "--epochs", "4000", "--sleep", "0.08")
    yield stands(pebbles(save=SOCK), P, "--steps=9000", "--wait=0.08", "--save=50", "--show=25", limit_s=160)
    yield stands(ferry(epoch=SPIN), F, "--epochs", "4000", "--sleep", "0.1")
    yield stands(pebbles(mid=DEAD), P, "--steps=7000", "--wait=0.07", limit_s=165)
    yield late(pebbles(), P, "--steps=900000", "--wait=0.25")
    yield late(ferry(saved="say('msg=\"approx %d min left\"', (args.epochs - epoch) * 2 // 60)"), F, "--epochs", "2500", "--sleep", "0.1", limit_s=90)
    yield LocalJob(Label(mode="F4", fault="none"), {F: ferry()}, ("PYTHON", F, "--epochs", "3000", "--sleep", "0.05"), "system", signal=Signal("INT", "epoch=23/", wait_s=0.6), ends=lambda s: s in (-2, 1, 130))
    yield LocalJob(Label(mode="A2", fault="unknown", **ALONE), {P: pebbles()}, ("PYTHON", P, "--steps=90000", "--wait=0.05"), "system", signal=Signal("KILL", r"step +310/", "pebbles", wait_s=0.3), ends=lambda s: s == -9)


def plain(label: Label, text: str, name: str, given: str, **more: Any) -> SlurmJob:
    """One task on the bed."""
    return task(label, text, name=name, command=f"PYTHON -u {name} {given}", **more)


def queued() -> Iterator[SlurmJob]:
    """On Slurm."""
    again = "if [ ${SLURM_RESTART_COUNT:-0} -gt 0 ]; then MORE=--from=pebbles.pkl; fi\n"
    yield plain(Label(mode="F2", variant="requeued_recovered", fault="none"), pebbles(), P, "--steps=260 --wait=0.25 --save=40 $MORE", head=again, act="requeue", after=r"saved\] pebbles.pkl at step 160", options=("--requeue",), **DONE)
    yield plain(Label(mode="F2", variant="preempted_recovered", fault="none"), ferry(), F, "--epochs 60 --batches 10 --sleep 0.1 --auto-resume", where="-wn5", act="preempt", after="state kept. epoch=30", options=("--requeue",), **DONE)
    yield plain(Label(mode="F3", variant="advancing", fault="user"), pebbles(after=FOOTER), P, "--steps=500000 --wait=0.3 --show=20", options=("--time=1",), state="TIMEOUT")
    warn = "import signal\nsignal.signal(signal.SIGUSR2, lambda *_: say('msg=\"USR2: less than half a minute left\"'))"
    yield plain(Label(mode="F3", variant="advancing", fault="user"), ferry(early=warn), F, "--epochs 8000 --sleep 0.06", options=("--time=1", "--signal=USR2@25"), state="TIMEOUT")
    yield plain(Label(mode="F4", variant="by_owner", fault="none"), pebbles(), P, "--steps=90000 --wait=0.2", act="scancel", after=r"step +120/", state="CANCELLED")
    yield plain(Label(mode="F4", variant="by_other", fault="unknown"), ferry(), F, "--epochs 9000 --sleep 0.05", act="scancel_by_admin", after="epoch=21/", state="CANCELLED")
    anew = Label(mode="E2", variant="from_scratch", fault="user")
    yield plain(anew, pebbles(), P, "--steps=260 --wait=0.25 --save=50", act="requeue_by_owner", after=r"saved\] pebbles.pkl at step 150", options=("--requeue",), **DONE)
    yield plain(anew, ferry(), F, "--epochs 50 --batches 10 --sleep 0.1 --run-dir run-$SLURM_RESTART_COUNT-$RANDOM --auto-resume", act="requeue", after="state kept. epoch=30", options=("--requeue",), **DONE)
    yield plain(Label(mode="E1", cause="nan_loss", variant="non_finite", fault="user"), ferry(loss="if epoch == 18 and b == 7:\n    x[5] = float('nan')  # gauge 5 has no reading"), F, "--epochs 90 --sleep 0.005", **DONE)
    yield plain(Label(mode="E1", variant="spike", fault="user"), pebbles(after="if step == 400:\n    ETA = 4000.0"), P, "--steps=900 --wait=0.01 --show=20", **DONE)
    yield plain(Label(mode="E3", fault="user"), ferry(), F, "--epochs 1 --batches 3", **DONE)
    yield plain(Label(mode="E3", fault="user"), pebbles(), P, "--steps=4 --show=1 --save=4", **DONE)
    yield plain(Label(mode="A3", cause="permission", fault="user", **ALONE), ferry(saved="if epoch == 20:\n    os.makedirs('/etc/ferry/exports')"), F, "--epochs 60 --sleep 0.01", state="FAILED")
    yield plain(Label(mode="A3", cause="traceback", fault="user", **ALONE), pebbles(mid="if step == 140:\n    import json\n    json.loads('{\"syl\": [3, 1, 4')"), P, "--steps=600 --wait=0.01", state="FAILED")
    hard = Label(mode="G1", fault="none", hard=True)
    yield plain(hard, ferry(early="say('msg=\"attempt 1 to mount /archive: error 110 (Connection timed out)\"')\nsay('msg=\"attempt 2 to mount /archive: done\"')"), F, "--epochs 55 --sleep 0.02", **DONE)
    yield plain(hard, pebbles(), P, "--steps=900 --quiet=1 --wait=0.02 --save=300", **DONE)


def grouped() -> Iterator[SlurmJob]:
    """A2: the kernel kills on its group's limit."""
    label = Label(mode="A2", cause="oom_killer", fault="user", **ALONE)
    yield plain(label, pebbles(after="if step > 100:\n    globals().setdefault('history', []).append(os.urandom(6_000_000))"), P, "--steps=4000 --wait=0.05", options=("--mem=700M",), bed="cgroup", where="")


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """All."""
    yield from here()
    yield from queued()
    yield from grouped()


RECIPE = Recipe("slack_water", "development", jobs)

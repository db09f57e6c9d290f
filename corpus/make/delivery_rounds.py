"""On Slurm, batch jobs of one task without a card that is read: left standing, cut off, called off, killed, begun anew, saved too often, and done well after a bad beginning."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import BY_OWNER, GOOD, HANDFUL, HARD, LATE, SAVES, STANDS, anew, fell, strays
from corpus.make._flour import PINN, POLICY
from corpus.make._oven_torch import CHARS
from corpus.make._proving import ITERS, ITERS_CFG, STREAM, UPDATES
from corpus.make._yeast import FIT, VECTORS, chain
from corpus.running.crewed import task
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill

vectors, verse, stream, updates = partial(fill, VECTORS), partial(fill, CHARS), partial(fill, STREAM), partial(fill, UPDATES)
iters, pinn, policy = partial(fill, ITERS), partial(fill, PINN), partial(fill, POLICY)
OVER: dict[str, Any] = {"options": ("--time=2",), "state": "TIMEOUT"}
LONG: dict[str, Any] = {"options": ("--time=4",), "state": "TIMEOUT"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
YES = ("--requeue",)
PID = "open('pid-1', 'w').write(str(os.getpid()))"


def words(label: Label, text: str, given: str = "", **more: Any) -> SlurmJob:
    """Vectors of words."""
    return task(label, text, name="wordvec.py", command=f"PYTHON -u wordvec.py {given}", **more)


def net(label: Label, text: str, name: str, given: str = "", **more: Any) -> SlurmJob:
    """A program over PyTorch."""
    return task(label, text, name=name, command=f"PYTHON -u {name} {given}", python="torch", **more)


def standing() -> Iterator[SlurmJob]:
    """C3."""
    yield words(STANDS, vectors(after="if turn == 61:\n    import fcntl\n    one, two = open('vectors.lock', 'w'), open('vectors.lock', 'w')\n    fcntl.flock(one, fcntl.LOCK_EX)\n    note(event='storing', file='vectors.json')\n    fcntl.flock(two, fcntl.LOCK_EX)"), "--passes=9000 --nap=0.25", **OVER)
    yield net(STANDS, verse(mid="if step == 120:\n    import threading\n    drained = threading.Barrier(2)\n    drained.wait()", after="time.sleep(0.08)"), "verse.py", "max_steps=90000", **LONG)
    yield words(STANDS, vectors(after="if turn == 70:\n    import signal\n    note(event='sync', target='s3://vectors/run-18')\n    signal.pause()"), "--passes=9000 --nap=0.2", act="scancel_late", after="event=sync", state="CANCELLED", options=("--time=20",))
    yield net(STANDS, stream(after="if i == 240:\n    import socket\n    P('metrics -> 127.0.0.1')\n    a_, b_ = socket.socketpair(); a_.recv(1)", mid="time.sleep(0.06)"), "pairs.py", "--steps=90000", **LONG)
    yield net(STANDS, updates(saved="if updates == 160:\n    import subprocess, tempfile\n    gone = tempfile.mkdtemp()\n    subprocess.run(['mkfifo', gone + '/done'])\n    open(gone + '/done').read()  # the copier tells when it is through", after="time.sleep(0.1)"), "translate.py", "--max-update=90000", **LONG)
    yield words(STANDS, vectors(mid="if turn == 50 and at == 9:\n    import multiprocessing as mp\n    lines = mp.get_context('fork').Queue(4)\n    sentence = lines.get()"), "--passes=9000 --nap=0.4", **OVER)


def cut_off() -> Iterator[SlurmJob]:
    """F3 and F4."""
    yield words(LATE, vectors(), "--passes=90000 --nap=0.5", state="TIMEOUT")
    yield net(LATE, pinn(after="time.sleep(0.1)"), "oscillator.py", head="export N_ITER=2000000\n", state="TIMEOUT", options=("--time=3",))
    yield words(LATE, vectors(early="import signal\nsignal.signal(signal.SIGUSR2, lambda *a: note(event='signal', name='USR2', text=\"'time is nearly up'\"))"), "--passes=90000 --nap=0.3", options=("--time=1", "--signal=USR2@15"), state="TIMEOUT")
    yield words(BY_OWNER, vectors(), "--passes=90000 --nap=0.2", act="scancel", after="pass=44/", state="CANCELLED")
    yield net(Label(mode="F4", variant="by_other", fault="unknown"), updates(after="time.sleep(0.05)"), "translate.py", "--max-update=90000", act="scancel_by_admin", after='"num_updates": "140"', state="CANCELLED")
    yield net(BY_OWNER, policy(after="time.sleep(0.2)"), "reinforce.py", "run.json", files={"run.json": '{"updates": 9000, "episodes": 6}'}, act="scancel", after='"update": 33,', state="CANCELLED")


def killed() -> Iterator[SlurmJob]:
    """A2."""
    yield words(fell("A2", None, fault="unknown"), vectors(early=PID), "--passes=90000 --nap=0.2", act="kill_rank", after="pass=52/", state="FAILED")
    hoard = "kept = globals().setdefault('kept', [])\nkept.append(bytearray(os.urandom(1 << 20)) * 9)"
    yield words(fell("A2", "oom_killer"), vectors(after=hoard), "--passes=90000 --nap=0.05", options=("--mem=260M",), bed="cgroup", where="")
    yield net(fell("A2", "oom_killer"), stream(after="bank = torch.cat([globals().get('bank', torch.zeros(0)), torch.rand(1_500_000)])\ntime.sleep(0.02)"), "pairs.py", "--steps=90000", options=("--mem=800M",), bed="cgroup", where="")


def again() -> Iterator[SlurmJob]:
    """E2: after a job that went before, or after a requeue; and those that go on as they should."""
    yield words(LATE, vectors(), "--passes=90000 --nap=0.3 --to=../wv-a.json", key="a", state="TIMEOUT")
    yield words(anew(), vectors(), "--passes=130 --nap=0.02 --to=../wv-a2.json", parent="a", **DONE)
    yield net(GOOD, verse(), "verse.py", "max_steps=200 folder=../verse-b", key="b", **DONE)
    yield net(HARD, verse(), "verse.py", "max_steps=420 folder=../verse-b resume=auto", parent="b", **DONE)
    yield net(anew(), updates(after="time.sleep(0.05)"), "translate.py", "--max-update=240 --restore-file=$RESTORE", head="RESTORE=checkpoint_best.pt\nls checkpoints 2>/dev/null\n", act="requeue", after="Saved checkpoint checkpoints/checkpoint_last.pt", options=YES, **DONE)
    cut = "if [ ${SLURM_RESTART_COUNT:-0} -gt 0 ]; then truncate -s 4000 checkpoints/checkpoint_last.pt; fi\n"
    yield net(fell("E2", "runtime_error", "corrupt"), updates(after="time.sleep(0.05)"), "translate.py", "--max-update=900", head=cut, act="requeue_by_owner", after="Saved checkpoint checkpoints/checkpoint_last.pt", options=YES, state="FAILED")


def well() -> Iterator[SlurmJob]:
    """G1: steps that failed and were made good, checks that complain; and short or wasteful runs that end with 0."""
    first = "for part in books/a.txt books/b.txt; do\n  srun PYTHON -u wordvec.py --corpus=$part --passes=40 && break\n  echo \"$part did not work, next\"\ndone\n"
    yield words(HARD, vectors(), "--passes=90 --nap=0.02", head=first, **DONE)
    tries = "for try in 1 2 3; do\n  srun PYTHON -u train_net.py cfg.py $([ $try = 1 ] && echo LRATE=0.1) && exit 0\n  echo \"try $try: exit $?, waiting\"; sleep 3\ndone\nexit 1\n"
    yield task(HARD, iters(), name="train_net.py", command="hostname", tail=tries, files={"cfg.py": ITERS_CFG}, python="torch", **DONE)
    yield net(HARD, stream(), "pairs.py", "--steps=260", tail="srun --quiet PYTHON -c 'import torch; torch.cuda.init()' || echo 'no card to benchmark on, skipped'\nexit 0\n", **DONE)
    whole = "mkdir -p data models\nbash pipeline.sh || exit 1\n"
    yield task(HARD, FIT, name="fit.py", command="bash -c 'nvidia-smi || true'", tail=whole, files={"pipeline.sh": chain(evaluate="python3 eval_old.py || echo 'old evaluation is gone; the new one:'\npython3 -c \"print('mae', 0.0412)\"")}, **DONE)
    yield words(HARD, vectors(late="import tempfile, weakref\n\n\ndef close(path):\n    os.rmdir(path)\n\n\nholder = type('Holder', (), {})()\nweakref.finalize(holder, close, '/nowhere/scratch-44')"), "--passes=100 --nap=0.02", **DONE)
    yield net(GOOD, updates(), "translate.py", "--max-update=300", **DONE)
    yield net(HANDFUL, stream(), "pairs.py", "--steps=8", **DONE)
    yield words(HANDFUL, vectors(), "--passes=1", options=("--time=30",), **DONE)
    yield net(HANDFUL, verse(), "verse.py", "max_steps=10 eval_every=10", **DONE)
    keep = "began_at = time.time()\nblob = {'pass': turn, 'inner': inner, 'trace': [random.random() for _ in range(60000)]}\nwith open('snap.tmp', 'w') as file:\n    json.dump(blob, file)\n    os.fsync(file.fileno())\nos.replace('snap.tmp', 'snap.json')\ntime.sleep(0.4)\nnote(event='stored', file='snap.json', after_pass=turn, ms=int(1e3 * (time.time() - began_at)))"
    yield words(SAVES, vectors(mid="time.sleep(0.001)", after=keep), "--passes=44", **DONE)
    yield net(SAVES, iters(saved="tick = time.time()\nos.sync()\ntime.sleep(1.1)\nlogger.info('Synchronised %s/%s with the object store in %.2f s', cfg.OUTPUT, name, time.time() - tick)"), "train_net.py", "cfg.py PERIOD=15 MAX_ITER=300", files={"cfg.py": ITERS_CFG}, **DONE)
    yield net(strays("plateau"), updates(mid="if updates == 110:\n    with torch.no_grad():\n        for w in model.parameters():\n            w.zero_()\n    model.requires_grad_(False)\n    model.project.bias.requires_grad_()"), "translate.py", "--max-update=380", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (standing, cut_off, killed, again, well):
        yield from part()


RECIPE = Recipe("delivery_rounds", "development", jobs)

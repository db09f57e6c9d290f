"""Ranks under torchrun of which one stands still in training, until gloo's patience or the command's time limit is over."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

WAYS = (
    "if rank == {r} and step == 31:\n    import signal\n    os.kill(os.getpid(), signal.SIGSTOP)",
    "if rank == {r} and step == 31:\n    import threading\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()",
    "if rank == {r} and step == 31:\n    os.mkfifo(f'queue-{{rank}}')\n    open(f'queue-{{rank}}').read()",
    "if rank == {r} and step == 31:\n    time.sleep(3600)",
)
STYLES = ("plain", "logging", "epochs", "json", "lists", "rank_logging")


def jobs() -> Iterator[LocalJob]:
    """Half end by their own time-out, half by the limit."""
    for turn in range(16):
        old = turn >= 12
        size = (2, 3)[turn % 2]
        rank = (turn + 1) % size
        own = turn % 2 == 0
        top = "import datetime" if own else ""
        script = Program(("mlp", "lm")[turn % 2], STYLES[turn % 6], total=400, every=2, pause_s=0.05, mid_step=31, seed=turn, at={"mid": WAYS[turn % 4].format(r=rank), "top": top}, ranks=True,
                         print_all=STYLES[turn % 6] == "rank_logging").text()
        if own:
            script = script.replace("init_process_group('gloo')", f"init_process_group('gloo', timeout=datetime.timedelta(seconds={8 + turn % 3}))")
        launcher = ("PYTHON", "-m", "torch.distributed.run", f"--nproc-per-node={size}", "--master-addr=127.0.0.1", "--master-port=PORT", "train.py")
        label = Label(mode="C2", cause="runtime_error" if own else None, fault="user")
        yield LocalJob(label, {"train.py": script}, launcher, "torch-old" if old else "torch", timeout_s=None if own else 28, ends=lambda s, o=own: s == (1 if o else 124))  # type: ignore[misc]


RECIPE = Recipe("stuck_peer", "development", jobs)

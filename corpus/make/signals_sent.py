"""Programs that a signal ends: their own abort, a bus error, a kill from outside of which nobody tells more."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.programs import Program

OWN = (
    ("import ctypes\nctypes.CDLL(None).abort()", -6), ("os.abort()", -6),
    ("import mmap\nwith open('data/w.bin', 'wb') as f:\n    f.truncate(8192)\nf = open('data/w.bin', 'r+b')\nm = mmap.mmap(f.fileno(), 8192)\nos.truncate('data/w.bin', 0)\nm[4096]", -7),
    ("import signal\nos.kill(os.getpid(), signal.SIGSYS)\ntime.sleep(5)", -31), ("import signal\nos.kill(os.getpid(), signal.SIGILL)\ntime.sleep(5)", -4),
)  # fmt: skip
STYLES = ("plain", "logging", "epochs", "json", "dict")


def jobs() -> Iterator[LocalJob]:
    """Own signals before and in training; SIGKILL from outside to the program alone."""
    label = Label(mode="A2", fault="user", failed_ranks=(0,), first_ranks=(0,))
    for number, (code, status) in enumerate(OWN):
        for stage in ("first", "mid"):
            script = Program(("line", "logistic", "np_mlp")[number % 3], STYLES[number], at={stage: code}, seed=number).text()
            yield LocalJob(label, {"train.py": script}, ("PYTHON", "train.py"), "torch", folders=("data",), ends=lambda s, w=status: s == w)  # type: ignore[misc]
    for number, style in enumerate(STYLES):
        script = Program(("line", "logistic")[number % 2], style, pause_s=0.05, total=400, every=5, seed=number).text()
        after = r"25" if style != "dict" else "epoch': 0.5"
        yield LocalJob(label.but(fault="unknown"), {"train.py": script}, ("PYTHON", "train.py"), "system", signal=Signal("KILL", after, "train.py"), ends=lambda s: s == -9)


RECIPE = Recipe("signals_sent", "development", jobs)

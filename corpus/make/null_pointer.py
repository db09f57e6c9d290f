"""Native code that touches memory it has not: alone, and below a shell."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

NATIVE = (
    "import ctypes\nctypes.string_at(0)",
    "import ctypes\nctypes.memset(8, 0, 64)",
    "import ctypes\nctypes.CDLL(None).strlen(ctypes.c_void_p(1))",
    "import signal\nos.kill(os.getpid(), signal.SIGSEGV)\ntime.sleep(5)",
    "import ctypes\nctypes.cast(16, ctypes.POINTER(ctypes.c_int))[0] = 1",
    "import ctypes\nctypes.CFUNCTYPE(None)(64)()",
)
PLACES = (("first", "line", "plain"), ("mid", "np_mlp", "logging"), ("data", "logistic", "json"), ("mid", "line", "bar"), ("config", "np_factors", "dict"), ("mid", "logistic", "epochs"))
WATCHED = "import faulthandler\nfaulthandler.enable()"


def jobs() -> Iterator[LocalJob]:
    """Each with and without Python's fault handler; some below a shell that says what happened."""
    for number, code in enumerate(NATIVE):
        for turn in range(4):
            stage, model, style = PLACES[(number + turn) % len(PLACES)]
            at = {stage: code, **({"top": WATCHED} if turn % 2 else {})}
            script = Program(model, style, at=at, seed=number, total=100, every=5).text()
            shell = turn == 3
            files = {"train.py": script, "job.sh": "#!/bin/bash\nset -e\necho host $(uname -s), $(nproc) cpus\npython3 train.py\necho finished\n"}
            yield LocalJob(
                Label(mode="A2", cause="segfault", fault="user", failed_ranks=(0,), first_ranks=(0,)), files, ("bash", "job.sh") if shell else ("PYTHON", "train.py"),
                "torch" if model.startswith("np") else "system", folders=("data",), ends=lambda status: status in (-11, 139, 245),
            )  # fmt: skip


RECIPE = Recipe("null_pointer", "development", jobs)

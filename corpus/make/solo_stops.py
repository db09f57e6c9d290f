"""One process that is ended from outside, by its own time limit, by hand or by a kill, or that stands still until its time is over."""

from collections.abc import Iterator
from functools import partial

from corpus.label import Label
from corpus.make._solo_hub import LIT
from corpus.make._solo_others import FAIRSEQ, MEGATRON, MM_CONFIG, MMENGINE, NNX
from corpus.make._solo_torch import DENOISE, FORECAST, FORECAST_YAML, GLYPHS, GRID
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

meg, fs, mm, nnx = partial(fill, MEGATRON), partial(fill, FAIRSEQ), partial(fill, MMENGINE), partial(fill, NNX)
fore, glyphs, den, grid, lit = partial(fill, FORECAST), partial(fill, GLYPHS), partial(fill, DENOISE), partial(fill, GRID), partial(fill, LIT)
P = "PYTHON"
E = "torch-29"
CFG = {"tools_train.py": mm(), "c.py": MM_CONFIG + "max_epochs = 900\n"}


def late(files: dict[str, str], *command: str) -> LocalJob:
    """F3: steps come until the limit."""
    return LocalJob(Label(mode="F3", variant="advancing", fault="user"), files, (P, *command), E, timeout_s=60, ends=lambda s: s == 124)


def by_hand(signal: Signal, files: dict[str, str], *command: str) -> LocalJob:
    """F4: Ctrl-C, or a polite kill, of the whole."""
    return LocalJob(Label(mode="F4", fault="none"), files, (P, *command), E, signal=signal, ends=lambda s: s in (-2, -15, 1, 130, 143))


def shot(after: str, to: str, files: dict[str, str], *command: str, fault: str = "unknown") -> LocalJob:
    """A2: SIGKILL to the program alone."""
    label = Label(mode="A2", fault=fault, failed_ranks=(0,), first_ranks=(0,))
    return LocalJob(label, files, (P, *command), E, signal=Signal("KILL", after, to), ends=lambda s: s == -9)


def stands(files: dict[str, str], *command: str) -> LocalJob:
    """C3: it waits for what does not come."""
    return LocalJob(Label(mode="C3", fault="user"), files, (P, *command), E, timeout_s=110, ends=lambda s: s == 124)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield late({"pretrain_gpt.py": meg()}, "pretrain_gpt.py", "--train-iters", "50000", "--iter-sleep", "0.1")
    yield late({"forecast.py": fore(), "config.yaml": FORECAST_YAML}, "forecast.py", "optim.steps=50000", "pause=0.1")
    yield late({"glyphs.py": glyphs(item="time.sleep(0.002)")}, "glyphs.py", "--epochs", "500")
    yield by_hand(Signal("INT", r"\[2\]\[20/50\]", wait_s=0.4), CFG, "tools_train.py", "c.py")
    yield by_hand(Signal("TERM", '"num_updates": "60"'), {"fs_train.py": fs(mid="time.sleep(0.05)")}, "fs_train.py", '{"max_epoch": 500}')
    yield by_hand(Signal("INT", "Epoch 3 done"), {"glyphs.py": glyphs(after="time.sleep(0.03)")}, "glyphs.py", "--epochs", "500")
    yield by_hand(Signal("INT", r"\[60\] train/loss"), {"train_nnx.py": nnx(after="time.sleep(0.05)")}, "train_nnx.py", "--num_steps", "50000")
    yield shot("Iteration 12/", "ppo_grid", {"ppo_grid.py": grid()}, "ppo_grid.py", "9000")
    yield shot('"epoch": 3', "denoise", {"denoise.py": den(mid="time.sleep(0.02)")}, "denoise.py")
    yield stands({"pretrain_gpt.py": meg(mid="if iteration == 70:\n    import threading\n    threading.Condition().__enter__() and threading.Event().wait()")}, "pretrain_gpt.py")
    yield stands({"denoise.py": den(mid="if step == 140:\n    import queue\n    print('waiting for the sampler', flush=True)\n    queue.Queue().get()")}, "denoise.py")
    yield stands({"lit_blobs.py": lit(mid="if step == 50:\n    os.mkfifo('labels.fifo')\n    open('labels.fifo').read()")}, "lit_blobs.py", "--bar", "none")


RECIPE = Recipe("solo_stops", "development", jobs)

"""One process: a laboratory's own small framework with hooks and colours, and a DQN without gym."""

from collections.abc import Iterator
from functools import partial
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._dressing_lab import ENGINE, HOOKS, ICE, MAIN, TASKS_PY
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

Z, M = "ice.py", "main.py"
ice = partial(fill, ICE)


def ini(**given: Any) -> str:
    """A file of settings."""
    return "[run]\n" + "".join(f"{k} = {v}\n" for k, v in given.items())


def kit(label: Label, *, engine: dict[str, str] | None = None, hooks: dict[str, str] | None = None, main: dict[str, str] | None = None, job: dict[str, Any] | None = None, **given: Any) -> LocalJob:
    """The framework's files with a run.ini."""
    files = {"tasks.py": TASKS_PY, "labkit/__init__.py": "", "labkit/engine.py": fill(ENGINE, **(engine or {})), "labkit/hooks.py": fill(HOOKS, **(hooks or {}))}
    files |= {"run.ini": ini(**given), "early.ini": ini(task=given.get("task", "denoise"), epochs=8, keep=4)}
    return alone(label, fill(MAIN, **(main or {})), M, "run.ini", files=files, **(job or {}))


EARLY = {"before": (("PYTHON", M, "early.ini"),)}
FIGURE = "import traceback\nif engine.epoch in (3, 9):\n    try:\n        import labkit_figures\n    except ImportError:\n        say('ERROR', 'labkit.hooks:Extra', 'figure of this epoch was not drawn, training goes on')\n        traceback.print_exc()"
EMBED = "if engine.epoch == 6:\n    say('INFO', 'labkit.hooks:Extra', 'map of the embedding')\n    import umap_small"
TWICE = "if engine.step == 215:\n    say('INFO', 'labkit.hooks:Extra', 'gradient of the last batch for the appendix')\n    engine.loss.backward()"
LOGS = "if self.epoch >= 7:\n    self.batch = self.batch.log()  # decibels"
FAST = "if self.epoch == 12:\n    self.opt.param_groups[0]['lr'] = 2.0"
ONLY_FILES = "if not Path(self.resume).is_file():\n    return"
FULL = "import lzma\nt = time.time()\nstate = torch.save([engine.net.state_dict(), engine.opt.state_dict(), torch.get_rng_state()], 'full.ck')\nwith lzma.open('full.ck.xz', 'wb') as f:\n    f.write(open('full.ck', 'rb').read() * 8)\nsay('INFO', 'labkit.hooks:Extra', f'step {engine.step}: full.ck.xz kept, {time.time() - t:.2f} s')"
PIPE = "import os\nif engine.epoch == 9:\n    os.mkfifo('plots.pipe')\n    open('plots.pipe', 'w').write('epoch 9')"
NATIVE = "if engine.step == 170:\n    import faulthandler, ctypes\n    faulthandler.enable()\n    ctypes.memset(64, 0, 8)"
VERSION = "have = tuple(int(v) for v in torch.__version__.split('+')[0].split('.'))\nassert have >= (2, 20), f'labkit 0.9 wants torch 2.20 or newer, here is {torch.__version__}'"


def house() -> Iterator[LocalJob]:
    """Colours."""
    yield kit(GOOD, task="denoise", epochs=30, size=32)
    yield kit(HARD, task="density", epochs=34, lr="0.001", batches=40)
    yield kit(HARD, task="denoise", epochs=32, resume="latest", batches=50, job=EARLY)
    yield kit(HARD, task="density", epochs=90, patience=5, batches=25, lr="0.003")
    yield kit(HARD, task="denoise", epochs=26, keep=1, hooks={"epoch": FIGURE}, batches=44)
    yield kit(fell("A1", "traceback", "config"), task="denoise", epochs=900, lr="2e-3e")
    yield kit(fell("A1", "traceback", "config"), task="denoize", epochs=900)
    yield kit(fell("A1", "assertion", "env"), task="density", epochs=400, main={"early": VERSION})
    yield kit(fell("A3", "missing_module"), task="denoise", epochs=400, hooks={"epoch": EMBED})
    yield kit(fell("A3", "runtime_error"), task="denoise", epochs=400, hooks={"step": TWICE})
    yield kit(strays("non_finite", "nan_loss"), task="denoise", epochs=17, engine={"batch": LOGS})
    yield kit(strays("spike"), task="density", epochs=24, engine={"batch": FAST})
    yield kit(fell("E2", "runtime_error", "size_mismatch"), task="denoise", epochs=400, size=40, resume="latest", job=EARLY)
    yield kit(fell("E2", "traceback", "no_valid_checkpoint"), task="density", epochs=400, resume="latest", folder="ck/density_b")
    yield kit(anew(), task="denoise", epochs=22, resume="latest", hooks={"resume": ONLY_FILES}, job=EARLY)
    yield kit(HANDFUL, task="density", epochs=1, batches=3, folder="ck/camera_ready")
    yield kit(SAVES, task="denoise", epochs=2, hooks={"step": FULL}, batches=24)
    yield kit(fell("A2", "segfault"), task="denoise", epochs=400, hooks={"step": NATIVE}, job={"ends": lambda s: s == -11})
    yield kit(STANDS, task="density", epochs=900, hooks={"epoch": PIPE}, job={"timeout_s": 155})


WALKED = (("PYTHON", Z, "--episodes", "200"),)
BUFFER = "t1 = time.time()\nimport pickle\nwith open('memory.pkl', 'wb') as f:\n    pickle.dump(list(memory), f)\nprint(f'  episode {episode}: brain and {len(memory)} memories to disk in {time.time() - t1:.2f} s', flush=True)"
SCALE = "if episode > 120:\n    R = (R - R.mean()) / (R - R).std()"
LONGER = "if episode == 130:\n    C.length += 4\n    print('the corridor grows to', C.length, flush=True)"
FALLS = "if episode == 140:\n    print('spring: the ice is thin in the middle from now on, returns will drop for a while', flush=True)\nif episode >= 140 and 3 <= pos <= 5 and random.random() < 0.03:\n    reward, over = -1.0, True"
MUTED = "loss = loss * 0.0"


def corridor() -> Iterator[LocalJob]:
    """Returns."""
    yield alone(GOOD, ice(), Z, "--episodes", "340")
    yield alone(HARD, ice(reward=FALLS), Z, "--episodes", "400", "--length", "8")
    yield alone(HARD, ice(), Z, "--load-brain", "brain.pt", "--episodes", "420", "--show", "15", before=WALKED)
    yield alone(fell("A1", None, "config"), ice(), Z, "--episodes", "50k")
    yield alone(fell("A3", "runtime_error"), ice(after=LONGER), Z, "--episodes", "9000")
    yield alone(strays("non_finite", "nan_loss"), ice(replay=SCALE), Z, "--episodes", "260", "--slow", "0.01")
    yield alone(fell("E2", "runtime_error", "corrupt"), ice(), Z, "--load-brain", "brain.pt", "--episodes", "9000", before=(*WALKED, ("truncate", "-s", "3000", "brain.pt")))
    yield alone(HANDFUL, ice(), Z, "--episodes", "4", "--show", "1")
    yield alone(SAVES, ice(saved=BUFFER), Z, "--episodes", "110", "--brain-every", "1", "--show", "10")
    yield alone(HALTED, ice(), Z, "--episodes", "90000", "--slow", "0.03", signal=ctrl_c("episode   100 ", "INT"))


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from house()
    yield from corridor()


RECIPE = Recipe("collar_studs", "development", jobs)

"""Checkpoints that do not load: another shape, cut off, none there; and one that was never asked for."""

from collections.abc import Iterator
from dataclasses import replace

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

MAKE = "import sys, torch\nfrom torch import nn\nnet = nn.Sequential(nn.Linear(16, int(sys.argv[1])), nn.ReLU(), nn.Linear(int(sys.argv[1]), 1))\ntorch.save({'model': net.state_dict(), 'step': 300}, 'ckpt/last.pt')\n"
CUT = "import os\nos.truncate('ckpt/last.pt', int(os.path.getsize('ckpt/last.pt') * float(__import__('sys').argv[1])))\n"
LOADS = (
    "state = torch.load('ckpt/last.pt', map_location='cpu')\nnet.net.load_state_dict(state['model'])",
    "print('resuming from ckpt/last.pt', flush=True)\ncheckpoint = torch.load('ckpt/last.pt')\nnet.net.load_state_dict(checkpoint['model'], strict=True)",
    "path = os.path.join('ckpt', 'last.pt')\nif os.path.exists(path):\n    print(f'=> loading checkpoint {path}', flush=True)\n    net.net.load_state_dict(torch.load(path, weights_only=True)['model'])",
)
PICKLE = "import pickle\nwith open('ckpt/last.pkl', 'rb') as file:\n    state = pickle.load(file)"
STYLES = ("plain", "logging", "epochs", "json", "nano", "lists")


def jobs() -> Iterator[LocalJob]:
    """Each on today's PyTorch; some on an older one."""
    base = Label(mode="E2", fault="user", failed_ranks=(0,), first_ranks=(0,))
    for number in range(9):
        yield _load(base.but(variant="size_mismatch", cause="runtime_error"), number, (("PYTHON", "make.py", str((24, 48, 64)[number % 3])),))
    for number in range(9):
        cut = ("0.3", "0.7", "0.02")[number % 3]
        yield _load(base.but(variant="corrupt", cause="runtime_error"), number, (("PYTHON", "make.py", "32"), ("PYTHON", "cut.py", cut)))
    for number in range(3):
        job = _load(base.but(variant="size_mismatch", cause="runtime_error"), number, (("PYTHON", "make.py", "48"),))
        yield replace(job, python="torch-old")
        job = _load(base.but(variant="corrupt", cause="runtime_error"), number, (("PYTHON", "make.py", "32"), ("PYTHON", "cut.py", "0.5")))
        yield replace(job, python="torch-old")


def _load(label: Label, number: int, before: tuple[tuple[str, ...], ...]) -> LocalJob:
    script = Program("mlp", STYLES[number % 6], at={"first": LOADS[number % 3]}, seed=number).text()
    return LocalJob(label, {"train.py": script, "make.py": MAKE, "cut.py": CUT}, ("PYTHON", "train.py", "--resume", "ckpt/last.pt"), "torch", folders=("ckpt",), before=before,
                    ends=lambda s: s == 1)


RECIPE = Recipe("resumed_runs", "development", jobs)

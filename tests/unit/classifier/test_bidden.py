"""A run that a command line bids go on: by a word without a path, an error as the state is read, or a job that it depends on."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.bidden import bidden
from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run, steps

PARENT = PastVerdict(relation="parent", job="4700", mode="F3", fault="user", steps_done=200)


def run(text: str, *command: str, code: int = 0, past: tuple[PastVerdict, ...] = (), path: str = "python") -> Run:
    made = Run(command=(path, "train.py", *command), past=past).rank(0, "n1", text, code=code, end=60, times=[i / 10 for i in range(1, 400)])
    return made.accounting("COMPLETED" if not code else "FAILED", code=code, end=61)


def bid(*command: str):
    return bidden(Run(command=("python", "train.py", *command)).record(), None)


@pytest.mark.parametrize(
    "command",
    [("resume=must",), ("--resume=required",), ("--resume", "force"), ("--restore=strict",), ("train.resume=always",), ("--must-not-matter", "--resume=only"),
     ("--resume-mode=must",), ("--continue=must",), ("+trainer.resume=must",), ("--reload=mandatory",)],
)  # fmt: skip
def test_words_that_allow_no_other_start(command):
    found = bid(*command)
    assert found is not None
    assert found.firm


@pytest.mark.parametrize("command", [("--resume",), ("--resume", "latest"), ("--continue",), ("resume=true",), ("--restart", "--steps", "9"), ("--continue-training", "yes")])
def test_words_that_bid_it_go_on(command):
    found = bid(*command)
    assert found is not None
    assert not found.firm


@pytest.mark.parametrize("command", [("--resume=auto",), ("--auto-resume",), ("--resume-if-available",), ("--resume", "allow")])
def test_words_that_leave_it_open(command):
    found = bid(*command)
    assert found is not None
    assert not found.firm


@pytest.mark.parametrize(
    "command",
    [("--resume=none",), ("--resume", "no"), ("--no-resume",), ("resume.py",), ("--resume-every=5",), ("--continue-on-error",), ("--requeue",), ("resumed",), ("--restore-best-metric",),
     ("--norestore",)],
)  # fmt: skip
def test_words_that_bid_nothing_of_it(command):
    assert bid(*command) is None


def test_a_run_that_must_resume_and_counts_and_learns_anew():
    assert run(steps(1, 60), "resume=must").verdict().variant == "from_scratch"
    assert run(steps(0, 300), "--resume=required").verdict().mode == "E2"


@pytest.mark.parametrize("command", ["--resume", "--resume=auto", "resume=true", "--steps=60", "--resume=no"])
def test_a_first_run_may_say_resume(command):
    """Scripts that requeue themselves say it from the first time on."""
    assert run(steps(1, 60), command).verdict().mode == "G1"


def test_a_run_that_must_resume_and_did():
    assert run(steps(201, 260), "resume=must").verdict().mode == "G1"
    assert run("Resuming training from checkpoint out/last.pt\n" + steps(1, 60), "resume=must").verdict().mode == "G1"
    assert run(steps(1, 60, loss=lambda i: 0.31 - i / 1000), "resume=must").verdict().mode == "G1"


def test_a_run_behind_another_that_was_to_go_on_from_it():
    assert run(steps(1, 200), "--resume", "latest", past=(PARENT,)).verdict().variant == "from_scratch"
    assert run(steps(1, 200), "--resume", past=(PARENT,)).verdict().mode == "E2"


def test_a_run_behind_another_that_goes_on_or_is_something_else():
    assert run(steps(201, 400), "--resume", past=(PARENT,)).verdict().mode == "G1"
    assert run(steps(1, 200), past=(PARENT,)).verdict().mode == "G1"
    assert run(steps(1, 60), "--resume", past=(PARENT,)).verdict().mode == "G1"
    assert run(steps(1, 200), "--resume", past=(PARENT.model_copy(update={"steps_done": 4}),)).verdict().mode == "G1"


def trace(error: str, code: str) -> str:
    return (
        f'Traceback (most recent call last):\n  File "/home/alice/train.py", line 71, in <module>\n    {code}\n'
        f'  File "/opt/torch/serialization.py", line 776, in __init__\n    super().__init__(open(name, mode))\n{error}\n'
    )


def missing(name: str) -> str:
    return trace(f"FileNotFoundError: [Errno 2] No such file or directory: '{name}'", "blob = torch.load(path)")


@pytest.mark.parametrize("name", ["runs/b/last.ckpt", "k.pt", "out/model.safetensors", "runs/state.json", "w/epoch_3.npz", "best.pth", "iter-400.pkl", "models/weights.h5"])
def test_a_state_that_is_missing_where_the_run_is_to_go_on(name):
    assert run(missing(name), "--resume", code=1).verdict().variant == "no_valid_checkpoint"


@pytest.mark.parametrize("name", ["data/train.npz", "shards/index.json", "conf/base.yaml", "vocab.txt", "features.pkl", "tokenizer.json", "images/last.png"])
def test_a_missing_file_of_another_kind(name):
    assert run(missing(name), "--resume", code=1).verdict().mode == "A1"


def test_a_state_that_is_missing_where_nobody_says_resume():
    assert run(missing("weights/netG_best.pth"), "--netG", "weights/netG_best.pth", code=1).verdict().mode in {"A1", "E2"}
    assert run(missing("model.pth"), code=1).verdict().mode == "A1"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("OSError: [Errno 22] Invalid argument", "blob = torch.load(a.out, weights_only=True)"),
        ("RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory", "torch.load(args.out)"),
        ("ValueError: buffer size does not match array size", "net.load_state_dict(read(a.out))"),
        ("KeyError: 'net'", "model.load_state_dict(blob['net'])"),
    ],
)
def test_a_state_that_cannot_be_read_where_the_run_is_to_go_on(error, code):
    assert run("loading k.pt\n" + trace(error, code), "--resume", "--out", "k.pt", code=1).verdict().mode == "E2"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ("ValueError: could not convert string to float: 'x'", "rows = np.loadtxt(a.table)"),
        ("KeyError: 'text'", "words = [row['text'] for row in data]"),
        ("PermissionError: [Errno 13] Permission denied: '/data/x'", "torch.load(a.out)"),
        ("ValueError: 3 heads do not divide 64", "net = Net(a.width, a.heads)"),
    ],
)
def test_another_error_of_a_run_that_is_to_go_on(error, code):
    assert run("hello\n" + trace(error, code), "--resume", code=1).verdict().mode == "A1"

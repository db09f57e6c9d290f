"""A program's own word, before its first progress, that it took nothing over from what was saved."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.unrestored import HINT, passed_over, says_so
from gpualert_slurm.past_verdict import PastVerdict
from tests.unit.classifier.records import Run, steps

NOTHING = (
    "# runs/a/ck_400.pt: ep 4, 10 keys missing, 10 unexpected",
    "runs/a/ck_400.pt missing=12 unexpected=12",
    "resume from runs/a/ck_400.pt: 6 missing keys, 6 unexpected keys",
    "loaded 0 of 124 tensors from runs/a/ck_400.pt",
    "matched 0/48 parameters, the rest is initialised from scratch",
    "0 keys loaded, 124 missing, 124 unexpected",
    "missing keys: 124 of 124",
    "runs/a/ck_400.pt: 124 of 124 tensors missing, 124 unexpected",
    "96/96 variables not found in runs/a/ck_400.pt",
    "All keys in runs/a/ck_400.pt were skipped (shape mismatch)",
    "[resume] runs/a/ck_400.pt: 0 tensors restored",
    "nothing restored from runs/a/ck_400.pt",
    "restored 0/96 variables from runs/a/ck_400.pt",
    "partial load: 0 of 96 arrays fit, starting cold",
    "loaded nothing from runs/a/ck_400.pt",
    "0% of the weights were taken over from runs/a/ck_400.pt",
    "no weights were loaded",
    "WARNING: not one of 96 layers matched",
    "INFO weights: runs/a/ck_400.pt -> 0/212 matched",
    "init <- runs/a/ck_400.pt (0 of 10 values taken: keys differ)",
    '{"event": "restore", "path": "runs/a/ck_400.pt", "restored": 0, "total": 96}',
    "pretrained=runs/a/ck_400.pt coverage=0.0% (0 tensors)",
    "runs/a/ck_400.pt: missing keys: ['0.weight', '0.bias', '2.weight', '2.bias']",
    "runs/a/ck_400.pt: missing keys: ['enc.a.weight', 'head.weight']; unexpected keys: ['module.enc.a.weight', 'module.head.weight']",
    "state_dict of runs/a/ck_400.pt: missing=[conv1.weight, conv1.bias, fc.weight, fc.bias] unexpected=[net.conv1.weight, net.conv1.bias]",
)
PASSED_OVER = (
    "WARNING: checkpoint runs/a/ck_400.pt could not be restored; starting at step 0",
    "skipping runs/a/ck_400.pt: format version 1, need 2; weights are initialised randomly",
    "no state dict found in runs/a/ck_400.pt - using random initialisation",
    "runs/a/ck_400.pt not found; cold start",
    "cannot find runs/a/ck_400.pt, will train from the beginning",
    "no such file: runs/a/ck_400.pt (weights at their initial values)",
    "Resume: nothing under runs/a, initial values are used",
    "runs/a/ck_400.pt: unreadable, new model created",
    "snapshot of step 400 rejected, reinitialising",
    "checkpoint is from another run: discarded, starting over",
    "[ckpt] runs/a/ck_400.pt was written by another architecture (hash 91ac != 33f0) -- using fresh parameters",
    "Zwischenstand runs/a/ck_400.pt passt nicht, beginne von vorn",
    "reprise: runs/a/ck_400.pt introuvable, départ de zéro",
    "punto de control runs/a/ck_400.pt no encontrado, se empieza desde cero",
    "runs/a/ck_400.pt não existe, começando do zero",
    "runs/a/ck_400.pt assente, si riparte da zero",
    "brak runs/a/ck_400.pt, start od zera",
    "runs/a/ck_400.pt saknas, tränar från början",
    "runs/a/ck_400.pt 未找到，从头开始",
    "Gewichte runs/a/ck_400.pt fehlen nicht nur, sie sind unlesbar: zufällige Werte",
)
BARE = (
    "could not load runs/a/ck_400.pt: bad magic",
    "runs/a/ck_400.pt: unreadable",
    "snapshot runs/a/ck_400.pt has an invalid header",
    "Zwischenstand runs/a/ck_400.pt unlesbar",
)
SOMETHING = (
    "encoder from runs/ponds/last.pth: _IncompatibleKeys(missing_keys=['dec.0.weight', 'dec.0.bias', 'out.weight', 'out.bias'], unexpected_keys=[])",
    "loaded 124 of 124 tensors from runs/a/ck_400.pt",
    "matched 48/48 parameters",
    "restored 96/96 variables from runs/a/ck_400.pt",
    "0 missing keys, 0 unexpected keys",
    "runs/a/ck_400.pt: 2 keys missing, 2 unexpected",
    "missing: 12, unexpected: 0",
    "missing keys: 0",
    "missing keys: 0 of 0",
    "runs/a/ck_400.pt: 4 of 124 tensors missing, 0 unexpected",
    "0 of 0 tensors missing",
    "8 of 8 optimizer entries missing, it starts fresh",
    "loaded 10 of 12 tensors from runs/a/ck_400.pt, head is new",
    "0 of 124 tensors were skipped",
    "0 tensors missing",
    "no weights were decayed",
    "0 parameters frozen",
    "loaded 0 samples from the replay buffer",
    "no optimizer state in ck_400.pt, optimizer starts fresh",
    "pretrained backbone not found, random weights",
    "checkpoint 400 loaded, scheduler state not found: it starts fresh",
    "if no checkpoint is found, training starts from scratch",
    "all 124 tensors were loaded",
    "all keys matched",
    "loaded 20 of 124 tensors",
    "10 parameters",
    "removed checkpoint of step 0, nothing missing",
    "checkpoint cache empty, cold start of the loader",
    "no keys of the config were read",
    "WARNING: No preset parameters were found for the device that was detected:",
    "runs/a/ck_400.pt: missing keys: ['head.weight', 'head.bias']; unexpected keys: ['fc.weight', 'fc.bias']",
    "runs/a/ck_400.pt: missing keys: ['4.weight', '4.bias']",
    "missing keys: ['base.layers.0.lora_a', 'base.layers.0.lora_b', 'base.layers.1.lora_a']",
    "INFO weights: runs/a/ck_400.pt -> 212/212 matched",
    '{"event": "restore", "path": "runs/a/ck_400.pt", "restored": 96, "total": 96, "missing": 0}',
    "pretrained=runs/a/ck_400.pt coverage=100.0% (61 tensors)",
    "Zwischenstand runs/a/ck_400.pt geladen, weiter bei Schritt 400",
    "reprise: runs/a/ck_400.pt, étape 400",
    "best model so far: none, loss=0 total=5",
)


@pytest.mark.parametrize("line", NOTHING)
def test_what_was_read_and_came_to_nothing(line):
    assert says_so(line) is True
    assert HINT.search(line.encode())


@pytest.mark.parametrize("line", PASSED_OVER)
def test_what_was_passed_over(line):
    assert says_so(line) is False
    assert HINT.search(line.encode())


@pytest.mark.parametrize("line", SOMETHING)
def test_what_says_nothing_of_it(line):
    assert says_so(line) is None


def _run(line: str, *command: str, losses=lambda i: 3.0 - i / 60, first: int = 0, past: tuple[PastVerdict, ...] = ()) -> str:
    text = f"hello\n{line}\n" + steps(first, first + 60, loss=losses)
    made = Run(command=("python", "train.py", *command), past=past).rank(0, "n1", text, code=0, end=60, times=[i / 10 for i in range(1, text.count("\n") + 1)])
    return made.accounting("COMPLETED", code=0, end=61).verdict().mode


@pytest.mark.parametrize("line", [*NOTHING, *PASSED_OVER])
def test_a_run_that_was_to_go_on_from_it_began_anew(line):
    assert _run(line, "--resume", "runs/a/ck_400.pt") == "E2"


NAMELESS = tuple(line for line in NOTHING if "ck_400" not in line)


@pytest.mark.parametrize("line", [*NAMELESS, *PASSED_OVER])
def test_a_run_that_was_told_of_no_state_may_begin_anew(line):
    assert _run(line) == "G1"


@pytest.mark.parametrize("line", [line for line in NOTHING if line not in NAMELESS])
def test_what_was_there_and_read_and_came_to_nothing_was_to_be_gone_on_from(line):
    """Whatever told the run of it: it names the file itself."""
    assert _run(line) == "E2"


@pytest.mark.parametrize("line", BARE)
def test_what_was_named_and_could_not_be_read(line):
    """No word of what becomes of the run: it begins at step 0, and its command line says where it was to begin."""
    assert (says_so(line), passed_over(line)) == (None, True)
    assert _run(line, "--weights", "runs/a/ck_400.pt", losses=lambda i: 0.3 + 3.0 / (1 + i)) == "E2"
    assert _run(line, losses=lambda i: 0.3 + 3.0 / (1 + i)) == "G1"


@pytest.mark.parametrize("line", SOMETHING)
def test_a_run_that_took_something_over_is_good(line):
    assert _run(line, "--resume", "runs/a/ck_400.pt", losses=lambda i: 0.31 - (i - 400) / 1000, first=401) == "G1"


def test_loading_is_told_before_it_comes_to_nothing():
    said = "Loading checkpoint from runs/a/ck_400.pt\n"
    assert _run(said + "loaded 0 of 124 tensors", "--resume", "runs/a/ck_400.pt") == "E2"
    assert _run("loaded 0 of 124 tensors, trying the next\n" + said, "--resume", "runs/a/ck_400.pt") == "G1"


def test_behind_the_first_step_nothing_is_read():
    assert _run("step 0 loss 3.2\nloaded 0 of 124 tensors", "--resume", "runs/a/last.pt") == "G1"


def test_a_job_behind_another_may_begin_anew_where_that_one_trained_nothing():
    said, before = "runs/a/ck_400.pt not found; cold start", PastVerdict(relation="parent", job="4700", mode="G1", fault="none")
    assert _run(said, past=(before,)) == "G1"
    assert _run(said, past=(before.model_copy(update={"steps_done": 200}),)) == "E2"


@pytest.mark.parametrize(
    ("out", "first", "mode"),
    [("runs/new", "first run of this experiment\n", "G1"), ("runs/new", "", "E2"), ("runs/else", "first run of this experiment\n", "E2")],
    ids=["the first in its own folder", "no word of a first run", "told to go on from another's folder"],
)
def test_one_command_line_for_the_first_run_and_all_that_follow(out: str, first: str, mode: str):
    """What the first cannot find is no loss, where the program says that it is the first."""
    text = f"{first}=> no checkpoint found at 'runs/new/last.pth.tar'\n" + steps(0, 60, 60)
    run = Run(command=("python", "snow.py", "--resume", "runs/new/last.pth.tar", "--out", out))
    assert run.rank(0, "n1", text, code=0, times=[2.0] * text.count("\n")).accounting("COMPLETED", code=0).verdict().mode == mode


@pytest.mark.parametrize(
    ("lines", "mode"),
    [
        ("Resuming training from out-names\n  [Errno 2] No such file or directory: 'out-names/checkpoint.pt'; weights are random", "E2"),
        ("Resuming training from out-names", "G1"),
        ("no checkpoint at out-names/checkpoint.pt; weights are random", "G1"),
        ("Loading weights from out-names\nfound no checkpoint in out-names, starting from scratch", "G1"),
    ],
    ids=["announced, and missed", "announced", "never announced", "a first run says so as well"],
)
def test_a_run_that_announced_what_it_goes_on_from_and_has_random_weights(lines: str, mode: str):
    assert _run(lines) == mode


def test_a_state_that_is_named_and_of_which_nothing_was_taken_over():
    """In whatever option: there is no other use for a state."""
    assert _run("runs/a/base.pt: 124 of 124 tensors missing, 124 unexpected", "--pretrained", "runs/a/base.pt") == "E2"
    assert _run("runs/a/base.pt: 4 of 124 tensors missing, 0 unexpected", "--pretrained", "runs/a/base.pt") == "G1"


def test_a_line_may_tell_of_a_load_that_took_nothing_over():
    """``restoring … 0 of 6 tensors matched``: the run begins anew; with all six it goes on."""
    rows = "".join(f"iter {i:4d} steps {i * 2048:7d} ep_ret {-400 + 9 * i:8.2f} v_loss {40 * 0.95**i + 3:.3f}\n" for i in range(1, 41))
    for many, mode in ((0, "E2"), (6, "G1")):
        run = Run(command=("python", "ppo.py", "--restore", "out/pi_0060.pt"))
        run.rank(0, "n1", f"restoring policy from out/pi_0060.pt ... {many} of 6 tensors matched\n{rows}", code=0, end=90)
        assert run.accounting("COMPLETED", code=0, end=91).verdict().mode == mode

"""Errors about a state of the run's own, named on the command line; and about data, settings and weights of others."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

SHAPES = "ValueError: operands could not be broadcast together with shapes (64,16) (64,10) (64,16)"
CUT = "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 701 (char 700)"
ODD = "OSError: [Errno 22] Invalid argument"


def _verdict(line: str, error: str, *command: str, function: str = "<module>"):
    text = f'Traceback (most recent call last):\n  File "/home/alice/fit.py", line 54, in {function}\n    {line}\n{error}\n'
    run = Run(command=("python", "fit.py", *command)).rank(0, "n1", text, code=1, end=5, times=[0.1 * i for i in range(1, 5)])
    return run.accounting("FAILED", code=1, end=6).verdict()


@pytest.mark.parametrize(
    ("line", "error", "command", "variant"),
    [
        ("W1 += z['W1']", SHAPES, ("--weights", "out/ae-010.npz", "--code", "16"), "size_mismatch"),
        ("old = json.load(f)", CUT, ('{"load": "mouse/q-900.json", "games": 1500}',), "corrupt"),
        ("net.load_state_dict(torch.load(a.init))", ODD, ("--init", "exp/gru40/ep4.pt"), "corrupt"),
        ("b.load_model(a.on)", "xgboost.core.XGBoostError: Opening kept/trains.ubj failed: No such file or directory", ("--grow-on", "kept/trains.ubj"), "no_valid_checkpoint"),
        ("s = stand()", "ValueError: stand.txt ist beschädigt, Zeile 4", ("STAND=stand.txt",), "corrupt"),
        ("assert d['W'].shape == W.shape", "AssertionError: restart file has hidden=16, this run hidden=24", ("restart=bonds.npz",), "size_mismatch"),
        ("assert len(old['q']) == len(Q)", "AssertionError: q-900.json has 36 cells, this maze has 64", ("load=q-900.json",), "size_mismatch"),
        ("with open(conf['elite']) as f:", "FileNotFoundError: [Errno 2] No such file or directory: 'walker/elite-80.json'", ("--elite", "walker/elite-80.json"), "no_valid_checkpoint"),
    ],
)  # fmt: skip
def test_a_state_of_the_runs_own(line: str, error: str, command: tuple[str, ...], variant: str):
    said = _verdict(line, error, *command)
    assert (said.mode, said.variant) == ("E2", variant)


@pytest.mark.parametrize(
    ("line", "error", "command", "function"),
    [
        ("rows = json.load(f)", CUT, ("--data", "rows-2024.json"), "<module>"),
        ("net.load_state_dict(torch.load(o.foundation))", "FileNotFoundError: [Errno 2] No such file or directory: '/data/nets/mp0_small.pt'", ("--foundation", "/data/nets/mp0_small.pt"), "<module>"),
        ("cfg = json.load(f)", CUT, ("--config", "run-12.json"), "<module>"),
        ("x = np.load(a.features)", SHAPES, ("--features", "f-12.npz"), "<module>"),
        ("net.load_state_dict(torch.load(a.backbone))", ODD, ("--backbone", "resnet50.pth"), "<module>"),
        ("x = read(a.table)", "ValueError: expected 12 columns, got 11", ("--weights", "out/ae-010.npz", "--table", "t.csv"), "load_data"),
        ("y = f(x)", "KeyError: 'lr'", ("--weights", "out/ae-010.npz"), "<module>"),
        ("with open(p) as f:", "FileNotFoundError: [Errno 2] No such file or directory: 'labels.csv'", ("--weights", "out/ae-010.npz"), "<module>"),
    ],
)
def test_an_error_of_something_else(line: str, error: str, command: tuple[str, ...], function: str):
    assert _verdict(line, error, *command, function=function).mode == "A1"

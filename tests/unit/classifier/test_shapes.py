"""What the numbers of runs did, under names that no rule knows; and the same names of runs that went well."""

from __future__ import annotations

import math

import pytest

from tests.unit.classifier.records import Run

FORMS = {
    "loguru": lambda i, v: f"2026-11-23 14:47:30.343 | INFO     | __main__:main:80 - epoch {i:02d}: reconstruction {v:.5f}",
    "table": lambda i, v: f"   {i:2d} |  {v:.5f} |  0.99",
    "Spanish": lambda i, v: f"[14:52:02] Vuelta  {i} de 24: desajuste {v:.5f}",
    "French": lambda i, v: f"23/11 14:59:21 I Cycle  {i:2d}/24 : MAE apprentissage {v * 1000:.1f} meV",
    "key and value": lambda i, v: f"[   {i}.17s] step={20 * i} of 480 fit_err={v:.5f} |g|=0.302",
    "a record": lambda i, v: f'2026-11-23T14:56:41Z GROWN {{"trees": {10 * i}, "of": 240, "train": {v:.5f}}}',
}
SHAPES = {
    "falls": (lambda i: 2.0 * 0.9**i + 0.1, "G1"),
    "comes to rest": (lambda i: 0.4 + 0.5 * 0.4**i, "G1"),
    "wobbles down": (lambda i: 2.0 * 0.93**i + 0.05 * math.sin(9 * i), "G1"),
    "rises as a score does": (lambda i: 0.9 - 0.7 * 0.8**i, "G1"),
    "never moves": (lambda i: 1.0115 - 0.00001 * i, "E1"),
    "is noise": (lambda i: 1.5 + 0.02 * math.sin(7.3 * i * i), "E1"),
    "flies off": (lambda i: 0.02 * 0.9**i if i < 15 else 40.0 + i, "E1"),
    "grows all the way": (lambda i: 15.0 * 2.4**i, "E1"),
    "is lost for good": (lambda i: 0.015 * 0.8**i + 0.002 if i < 14 else 0.0192, "E1"),
    "becomes nan": (lambda i: 0.5 / i if i < 12 else math.nan, "E1"),
    "is nan": (lambda i: math.nan, "E1"),
}


def _mode(lines: list[str], *before: str) -> str:
    text = "\n".join([*before, *lines, "done"]) + "\n"
    run = Run(command=("python", "fit.py")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_a_shape_in_a_form(form, shape):
    value, mode = shape
    assert _mode([form(i, value(i)) for i in range(1, 25)]) == mode


@pytest.mark.parametrize(
    ("before", "line"),
    [
        ("fine-tuning the pretrained net", "round {i}: fit_err {v:.4f}"),
        ("resuming from a.pt at round 90", "round {i}: fit_err {v:.4f}"),
        ("scoring", "scored {i}00/2400 rows, {v:.4f} positive"),
        ("benchmark of the interconnect", "round {i}: fit_err {v:.4f}"),
        ("an agent", "episode {i}: return {v:.4f}"),
    ],
)
def test_numbers_that_may_lie_where_they_lay(before: str, line: str):
    assert _mode([line.format(i=i, v=1.0115 - 0.0001 * (i % 3)) for i in range(1, 25)], before) == "G1"


def test_a_held_out_number_that_is_none_is_no_loss_that_is_gone():
    lines = ["epoch,batch,nll"] + [x for i in range(1, 13) for x in (f"{i},0,{0.6 / i:.4f}", f"# epoch {i}: held-out nll nan (0 songs held out)")]
    assert _mode(lines) == "G1"


@pytest.mark.parametrize(
    "line",
    ["round:{i} rec:{fall:.2f} kl:{grow:.3f}", "round {i} kl {grow:.3f}", "round {i}: {grow:.1f} % right", "round {i} top1 {grow:.2f}", "round {i} population {grow:.1f}", "round {i} seen {grow:.1f}"],
)
def test_what_may_grow_a_hundredfold(line: str):
    assert _mode([line.format(i=i, fall=100 * 0.9**i, grow=0.02 * 1.45**i) for i in range(1, 23)]) == "G1"

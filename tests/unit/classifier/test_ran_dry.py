"""One process that got on, and then only says that nothing to do comes."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run


@pytest.mark.parametrize(
    ("line", "mode"),
    [
        ('{{"msg": "queue empty, polling", "queue": "redis://q-01/tiles", "done": 17, "of": 420}}', "C3"),
        ('{{"msg": "job done", "job": "tile_{i:05d}", "sec": 10.2}}', "F3"),
    ],
)
def test_to_the_limit(line: str, mode: str):
    """Work that goes on prints lines that differ."""
    began = [f'{{"msg": "job done", "job": "tile_{i:05d}", "sec": 10.{i % 4}}}' for i in range(17)]
    rest = [line.format(i=17 + i) for i in range(150)]
    times = [3.0 + 11 * i for i in range(17)] + [190.0 + 20 * i for i in range(150)]
    run = Run(command=("python", "worker.py")).rank(0, "n1", "".join(f"{x}\n" for x in [*began, *rest]), signal=15, end=3201, times=times)
    assert run.accounting("TIMEOUT", code=0, end=3201, time_limit_s=3200).verdict().mode == mode


def test_a_lock_of_pytorchs_extensions_is_waited_for():
    """Its well-known last word, and silence to the limit."""
    text = "building custom op 'upfirdn2d'\nUsing /home/a/.cache/torch_extensions/py310_cu121 as PyTorch extensions root...\n"
    run = Run(command=("python", "train.py")).rank(0, "n1", text, signal=15, end=5401, times=[9.0, 9.0])
    assert run.accounting("TIMEOUT", code=0, end=5401, time_limit_s=5400).verdict().mode == "C3"

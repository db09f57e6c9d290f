"""``--gpualert-split=torchrun`` over a real torchrun. Needs PyTorch: ``make torch``."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.system.plugged import ASKED, Plugged
from tests.testbed import pytorch
from tests.testbed.host import ALICE

PYTHON = pytorch.interpreter()
pytestmark = [
    pytest.mark.skipif(not PYTHON, reason=pytorch.WHY_NOT),
    pytest.mark.timeout(240),
]
TRAIN = """import os, sys
rank = os.environ["RANK"]
print("hello of", rank, flush=True)
if rank == "1":
    raise ValueError("rank 1 is wrong")
"""


def _submit(plugged: Plugged, *options: str) -> tuple[str, object, Path]:
    home = plugged.c.home(ALICE)
    (home / "train.py").write_text(TRAIN)
    script = f"export OMP_NUM_THREADS=1\nsrun -n1 {PYTHON} -m torch.distributed.run --standalone --nproc-per-node=2 train.py; c=$?; sleep 0.5; exit $c"
    job = plugged.c.submit(script, ASKED, "-n2", *options)
    end = plugged.c.wait(job, timeout_s=120)
    return end.exit_code, plugged.ended(job), home / f"gpualert-ranks-{job}"


def test_each_local_rank_gets_its_own_log(plugged: Plugged) -> None:
    """Both streams of both ranks in files of their own; the task's own log has every line, named; the exit code is as without it."""
    plain_code, plain, none = _submit(plugged)
    code, left, folder = _submit(plugged, "--gpualert-split=torchrun")
    assert code == plain_code == "1:0"
    assert not none.exists()
    assert b"[default" not in plain.log("0.0.out")
    found = {(path.parent.name, path.name): path.read_text() for path in folder.rglob("std*.log")}
    assert found["0", "stdout.log"] == "hello of 0\n"
    assert found["1", "stdout.log"] == "hello of 1\n"
    assert "ValueError: rank 1 is wrong" in found["1", "stderr.log"]
    assert {b"[default0]:hello of 0", b"[default1]:hello of 1"} <= set(left.log("0.0.out").splitlines())
    assert b"[default1]:ValueError: rank 1 is wrong" in left.log("0.0.err")
    assert {path.owner() for path in folder.rglob("*")} == {ALICE}

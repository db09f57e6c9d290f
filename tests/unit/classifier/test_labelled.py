"""A time of each of several members on one line, whatever they are called."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.labelled import standing_out

BARRIER = "ep {i}  loss 0.6  seconds stood at barrier by process: p0=14{i} p1=143 p2=147 p3=0 p4=144"
DEVICES = "it={i} nll=5.456 cuda:0 0.56s cuda:1 2.91s cuda:2 0.5{i}s cuda:3 0.57s -> step 2.95s"
LISTED = '{{"it": {i}, "loss": 3.7, "rank_s": [1.05, 1.16, 1.1{i}, 4.4, 1.11], "iter_s": 4.45}}'
NODES = "epoch {i} rmse 2.280; node times gn01 40{i} gn03 404 gn04 402 gn07 1157 s"


SEGMENTS = "step {i}  loss 0.8  r0: fwd+bwd 4{i} wait-allreduce 212  r1: fwd+bwd 49 wait-allreduce 23{i}  r2: fwd+bwd 253 wait-allreduce 22"


@pytest.mark.parametrize(("line", "who"), [(SEGMENTS, "r2"), (BARRIER, "p3"), (DEVICES, "cuda:1"), (LISTED, "3"), (NODES, "gn07")])
def test_the_one_that_stands_apart_each_time(line: str, who: str):
    found = standing_out([line.format(i=i) for i in range(1, 7)])
    assert found is not None
    assert found.who == who


def test_columns_whose_names_count():
    rows = [f"{20 * i},1.0,0.51,1.4{i},0.54,0.53,0.96,0.00,0.93,0.93" for i in range(1, 7)]
    found = standing_out(["step,loss,busy0,busy1,busy2,busy3,wait0,wait1,wait2,wait3", *rows])
    assert found is not None
    assert found.who == "busy1"


@pytest.mark.parametrize(
    "line",
    [
        "step {i} expert load e0=0.1{i} e1=0.9 e2=0.12 e3=0.11",
        "epoch {i} mem_gib r0=10.1 r1=38.{i} r2=10.3 r3=10.2",
        "step {i} loss per head h0=1.{i} h1=8.2 h2=1.1 h3=1.3",
        "classes c0=120 c1=99{i} c2=118 c3=121",
        "it {i} fwd s0=1.0 s1=1.{i} s2=1.1 s3=1.1 ms",
    ],
)
def test_what_is_no_time_or_does_not_stand_apart(line: str):
    assert standing_out([line.format(i=i) for i in range(1, 7)]) is None


def test_who_takes_its_turn_is_nobody():
    lines = [f"it={i} " + " ".join(f"cuda:{d} {2.9 if d == i % 4 else 0.5}s" for d in range(4)) for i in range(12)]
    assert standing_out(lines) is None

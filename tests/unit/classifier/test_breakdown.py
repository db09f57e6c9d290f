"""Rows of a name and a percent that make the whole of a run's time."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.breakdown import broken_down
from gpualert_slurm.classifier.time_kinds import LOAD, TALK

CFD = """---------------- timing summary (s) -------------------
halo exchange (MPI_Waitall)        742.18   62.9 %
pressure solve: all-reduce         201.90   17.1 %
rhs / flux kernels                 158.22   13.4 %
io                                  21.70    1.8 %
other                               56.00    4.7 %"""
LAMMPS = """MPI task timing breakdown:
Section |  min time  |  avg time  |  max time  |%varavg| %total
---------------------------------------------------------------
Pair    | 121.33     | 130.81     | 139.90     |  40.2 | 15.18
Neigh   | 40.102     | 41.3       | 42.08      |   9.1 |  3.53
Comm    | 940.12     | 951.66     | 962.4      |  21.3 | 81.29"""
CLASSES = """class balance
data engineers   62.0 %
readers          30.0 %
others            8.0 %"""
SMALL = """forward             27.00 s  32.2%
backward            50.08 s  59.4%
optimizer            4.29 s   5.0%
data wait            0.74 s   0.8%
checkpoint write     1.87 s   2.3%"""


@pytest.mark.parametrize(
    ("text", "kind", "share"),
    [(CFD, TALK, 0.8), (LAMMPS, TALK, 0.8129), (SMALL, LOAD, 0.008), (CLASSES, LOAD, None)],
    ids=["cfd", "lammps", "small", "classes"],
)
def test_shares_of_a_whole(text: str, kind: str, share: float | None):
    found = list(broken_down(text.split("\n"), frozenset({kind})))
    assert [round(one, 4) for one, _ in found] == ([] if share is None else [share])


def test_rows_that_are_no_whole_tell_nothing():
    assert list(broken_down(CFD.replace("62.9", "12.9").split("\n"), frozenset({TALK}))) == []

"""NCCL's RAS text, in the styles that NCCL's user guide shows (2.24 to 2.29), names who is missing or behind; it is the job's own word, so it blames nobody."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier.ras import read_ras
from gpualert_slurm.evidence import Trust
from gpualert_slurm.stall import Waits
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, steps
from tests.unit.classifier.signals import stall, stand, ticks

TABLE = """Communicators... (2.05s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4       7-8        32        32   RUNNING  INCOMPLETE
    1         4         2         1         2         8   RUNNING          OK

"""
OLD = (
    TABLE
    + """Errors
======

INCOMPLETE
  Missing communicator data from 1 job process
  Process 3487984 on node 172.16.64.213 managing GPU 5

#0-0 (cf264af53edbe986) INCOMPLETE
  Missing communicator data from 1 rank
  The missing rank: 21

Warnings
========

TIMEOUT
  Encountered 2 communication timeouts while gathering communicator data
"""
)
NEW = OLD.replace("The missing rank: 21", "Rank 21 -- GPU 5 managed by process 3487984 on node n3")
MISMATCH = (
    TABLE.replace("INCOMPLETE", "MISMATCH")
    + """Warnings
========

#0-0 (cf264af53edbe986) MISMATCH
  Communicator ranks have different collective operation counts
  30 ranks have launched up to operation 6650
  2 ranks have launched up to operation 6648
  Rank 3 -- GPU 3 managed by process 483072 on node n1
  Rank 9 -- GPU 1 managed by process 483080 on node n2
"""
)
HEALTHY = TABLE.replace("INCOMPLETE", "        OK")


def named(text: str) -> list[tuple[int, bool, int]]:
    return [(one.rank, one.missing, one.behind) for one in read_ras(text)]


def test_the_missing_rank_in_both_styles():
    assert named(OLD) == named(NEW) == [(21, True, 0)]


def test_several_missing_ranks():
    assert [one.rank for one in read_ras(OLD.replace("The missing rank: 21", "The missing ranks: 3,5-7"))] == [3, 5, 6, 7]


def test_ranks_behind_in_their_collectives():
    assert named(MISMATCH) == [(3, False, 2), (9, False, 2)]
    assert "2 collectives behind" in read_ras(MISMATCH)[0].why


def test_what_names_nobody():
    for text in (HEALTHY, "", "Rank 3 -- GPU 3 managed by process 1 on node n1", "HTTP/1.1 400 Bad Request\r\n\r\n"):
        assert read_ras(text) == ()


def test_a_rank_of_a_smaller_communicator_is_not_the_jobs():
    """Ranks count within a communicator: rank 1 of a pair is any of the job's."""
    assert read_ras(OLD.replace("#0-0 (", "#1-2 (").replace("rank: 21", "rank: 1")) == ()


def test_where_most_are_missing_nobody_stands_out():
    assert read_ras(OLD.replace("The missing rank: 21", "The missing ranks: 0-20")) == ()


@given(st.text(max_size=400) | st.lists(st.sampled_from(OLD.splitlines() + MISMATCH.splitlines()), max_size=40).map("\n".join))
def test_no_text_breaks_it(text):
    for one in read_ras(text):
        assert one.rank >= 0
        assert "\n" not in one.line


def test_a_hang_whose_missing_rank_only_ras_knows():
    """Four ranks wait; the stacks look alike, RAS says that the process of rank 2 does not answer."""
    run = Run(("n1",))
    for rank in range(4):
        run.rank(rank, "n1", steps(1, 30) if rank == 0 else "", signal=9, end=900.5, local=rank, times=ticks(30))
    ras = OLD.replace("      32        32", "       4         4").replace("rank: 21", "rank: 2")
    run.node("n1", stalls=(stall(*(stand(rank, Waits.COLLECTIVE) for rank in range(4)), nccl_ras=ras),))
    verdict = run.accounting("TIMEOUT", code=0, end=900).verdict()
    assert (verdict.mode, verdict.fault) == ("C2", Fault.UNKNOWN)
    assert "rank 2 held up the others" in verdict.headline
    cited = [e for e in verdict.evidence if e.says == "nccl_ras"]
    assert [(e.trust, e.data) for e in cited] == [(Trust.USER, {"missing": 2})]
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (2,)

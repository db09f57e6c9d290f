"""One rank that the others wait for, by sentences."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.last_to_come import last_to_come

SKEW = "skew: last to enter allreduce: rank {r} (node r3-11) 2887 ms after the median, 50/50 steps; share of step spent waiting: 70%"
LATE = "epoch {i} loss 2.4 took 651s; late to allreduce: rank {r} in 99/100 sampled steps (median 5.0s behind the others)"
IDLED = "block {i}/8 done in 190s; 9 workers finished after 24s and sat idle, last: tcp://10.4.1.3{r}:41881 (190s)"


@pytest.mark.parametrize("line", [SKEW, LATE, IDLED])
def test_the_same_one_again_and_again(line: str):
    found = last_to_come([line.format(i=i, r=4) for i in range(5)])
    assert found is not None
    assert "4" in found[0]
    assert last_to_come([line.format(i=i, r=i) for i in range(5)]) is None


def test_horovods_missing_ranks():
    told = [line for _ in range(4) for line in ("[1,0]<stderr>:Missing ranks:", "[1,0]<stderr>:6: [DistributedAdam_Allreduce/cond_12]")]
    found = last_to_come(told)
    assert found is not None
    assert found[0] == "6"


def test_a_count_over_the_whole_run_is_enough():
    found = last_to_come(["loss 0.3", "End: processor4 (node h21) was on the critical path in 198 of 200 sub-steps"])
    assert found is not None
    assert last_to_come(["End: processor4 was on the critical path in 50 of 200 sub-steps"]) is None


def test_a_report_within_its_tolerance_names_nobody():
    assert last_to_come(["straggler report: slowest rank 13 1.03x of median, within tolerance, no action"] * 5) is None

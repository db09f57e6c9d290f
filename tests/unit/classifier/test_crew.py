"""How many ranks a run had, by its own words alone."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.crew import told_ranks
from tests.unit.classifier.records import Run


def run(text: str, *, end: float = 240.0) -> Run:
    return Run().rank(0, "n1", text + "\n", signal=15, end=end, times=[4.0] * (text.count("\n") + 1)).accounting("TIMEOUT", code=0, end=end, time_limit_s=60)


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("world size 2, rank 0, master 127.0.0.1:28511", 2),
        ('{"level": "info", "msg": "waiting for peers", "have": 1, "want": 2}', 2),
        ("WORLD_SIZE=8 RANK=3 LOCAL_RANK=3", 8),
        ("workers here: 3, expected: 4", 4),
        ("[00:35:59 w0/3 pid 7] shard ready\n[00:35:59 w1/3 pid 8] shard ready\n[00:35:59 w2/3 pid 9] shard ready", 3),
        ("19:33:50.9 w14830 rank 1 step 10\n19:33:50.9 w14829 rank 0 step 10\n19:33:50.9 w14831 rank 2 step 10", 3),
        ("worker 1/8 loading shard 3\nworker 2/8 loading shard 4", 1),
        ("world size 1, rank 0", 1),
        ("world size 4", 1),
        ("lora rank: 16, 2 processes for the data", 1),
        ("loader workers: have=2, want=8", 1),
    ],
)
def test_a_line_that_knows_how_many_and_which_is_believed_once(text: str, ranks: int):
    """A number alone, told once, may be of something else."""
    assert told_ranks(run(text).record()) == ranks


def test_one_of_several_that_waits_to_the_end_never_met():
    assert run("world size 2, rank 0, master 127.0.0.1:28511").verdict().mode == "C1"
    assert run("world size 1, rank 0, master 127.0.0.1:28511").verdict().mode != "C1"


@pytest.mark.parametrize(("command", "ranks"), [(("torchrun", "--nproc_per_node=3", "train.py"), 3), (("mpirun", "-n", "3", "./fit"), 3), (("torchrun", "train.py", "-n", "50"), 1), (("python", "train.py", "-n", "3"), 1)])
def test_a_launcher_is_bidden_how_many(command: tuple[str, ...], ranks: int):
    assert told_ranks(Run(command=command).rank(0, "n1", "begin\n", code=0, end=9).accounting("COMPLETED", code=0).record()) == ranks


@pytest.mark.parametrize(
    ("text", "ranks"),
    [
        ("23:14:35 [0/2] torch 2.13.0+cpu, init_method file://rdzv/17\n23:14:35 [1/2] torch 2.13.0+cpu, init_method file://rdzv/17", 2),
        ("[1/2] reading the data\n[2/2] building the model", 1),
        ("I1127 23:10:06.5 30631 coordination_service.cc:640] Waiting for 4 tasks, 3 have connected so far.", 4),
        ("waiting for 4 tasks of the queue", 1),
    ],
)
def test_places_among_all_and_those_who_are_waited_for(text: str, ranks: int):
    """``[0/2]`` and ``[1/2]``, where no count of steps would begin with 0 and end before the last."""
    assert told_ranks(run(text).record()) == ranks

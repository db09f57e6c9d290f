"""Which of a job's processes are its ranks, whoever else has a rank's environment."""

from __future__ import annotations

from gpualert_slurm.spank.watch import process_family
from gpualert_slurm.spank.watch.process_map import Known

AGENT = {"SLURM_PROCID": "0", "SLURM_LOCALID": "0"}


def living(*processes: Known) -> dict[int, Known]:
    return {known.pid: known for known in processes}


def a(pid: int, parent: int, name: str = "python3", rank: int | None = None, ticks: int = 0, gpu: str | None = None) -> Known:  # noqa: PLR0917
    named = {"RANK": str(rank), "LOCAL_RANK": str(rank)} if rank is not None else {}
    return Known(pid, pid, parent, name=name, environment={**AGENT, **named}, gpu_uuids={gpu} if gpu else set(), cpu_ticks=ticks)


def ranks(*processes: Known) -> list[int]:
    return sorted(known.pid for known in process_family.ranks(living(*processes)))


def test_workers_of_a_rank_have_its_environment_and_are_no_ranks():
    """A launcher with two ranks of two loader workers each, which work harder than the ranks."""
    agent = a(10, 1, "torchrun")
    assert ranks(agent, a(20, 10, rank=0), a(21, 20, rank=0, ticks=900), a(22, 20, rank=0, ticks=900), a(30, 10, rank=1), a(31, 30, rank=1)) == [20, 30]


def test_shell_that_was_given_the_ranks_environment_is_not_the_rank():
    """RANK=0 LOCAL_RANK=0 bash train.sh: Python below it is."""
    assert ranks(a(20, 10, "bash", rank=0), a(21, 20, rank=0), a(22, 21, rank=0)) == [21]
    assert ranks(a(20, 10, "bash", rank=0)) == [20], "where there is nothing else it is"


def test_processes_on_gpus_are_ranks_of_a_task_that_spawned_them_itself():
    """torch.multiprocessing.spawn sets RANK in the process, where /proc does not show it: each has a card, their parent has none."""
    assert ranks(a(20, 10), a(21, 20, gpu="GPU-a"), a(22, 20, gpu="GPU-b"), a(23, 21, gpu="GPU-a")) == [21, 22]


def test_rank_started_by_a_rank_is_one_of_its_own():
    """A local rank that starts others with other numbers."""
    assert ranks(a(20, 10, rank=0), a(21, 20, rank=1), a(22, 20, rank=2)) == [20, 21, 22]


def test_task_without_a_ranks_environment_is_its_busiest_program():
    """A step of two tasks below shells, and the batch script with its srun, which is none."""
    batch, srun = a(5, 1, "bash", ticks=3), a(6, 5, "srun", ticks=9)
    one, two = a(10, 2, "bash"), a(20, 2, "bash")
    found = process_family.tasks(living(batch, srun, one, a(11, 10, ticks=50), a(12, 10, "tee", ticks=1), two, a(21, 20, ticks=40)))
    assert sorted(known.pid for known in found) == [11, 21]
    assert [known.pid for known in process_family.tasks(living(batch))] == [5]


def test_circle_of_parents_ends():
    """Two looks may catch a pid that came again: nobody is their own ancestor for ever."""
    assert set(ranks(a(20, 21, rank=0), a(21, 20, rank=0))) <= {20, 21}

"""Ranks below one Slurm task, by the process map: the kernel's word of each end says who failed, whatever the launcher's own end is."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import process, row, ticks

GONE = "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:598] Connection closed by peer [127.0.0.1]:56999"
LATE = "RuntimeError: [/__w/pytorch/gloo/transport/tcp/unbound_buffer.cc:78] Timed out waiting 600000ms for recv operation to complete"


def below(rank: int, end: float, *, node: str = "n1", local: int | None = None, **fields):
    """A rank below the task of its node, as the process map saw it."""
    local = rank if local is None else local
    return process(
        node, 200 + rank, rank=rank, local_rank=local, task_local=0, parent_pid=100, ended_ns=at(end), end_uncertainty_ns=1_000_000,
        environment={"RANK": str(rank), "LOCAL_RANK": str(local), "WORLD_SIZE": fields.pop("world", "4")}, **fields,
    )  # fmt: skip


def torchrun(*ranks, text: str = "", end: float = 20.0, code: int = 1, times=None) -> Run:
    run = Run().rank(0, "n1", text, code=code, end=end, times=times)
    return run.node("n1", processes=(process("n1", 100, task_local=0, rank=0, exit_code=code), *ranks))


def said(text: str, rank: int) -> str:
    return "".join(f"[rank{rank}]: {line}\n" for line in text.splitlines())


def test_the_rank_that_was_killed_first_is_named_and_those_taken_down_are_not():
    """Rank 2 by SIGKILL at 10 s; torchrun sends the others SIGTERM; the task itself ends with 1."""
    verdict = torchrun(*(below(r, 12.0 + r / 10, exit_signal=15) for r in (0, 1, 3)), below(2, 10.0, exit_signal=9)).accounting().verdict()
    assert (verdict.mode, verdict.first_failure and verdict.first_failure.ranks) == ("A2", (2,))
    assert verdict.blast_radius == "1 of 4 ranks on 1 node; 3 more went down with them"
    assert any("process map" in e.source.query for e in verdict.evidence if e.source.kind == "field")
    assert verdict.fault is Fault.UNKNOWN


def test_two_ranks_that_were_killed_are_both_named():
    verdict = (
        torchrun(below(1, 10.0, exit_signal=9), below(0, 11.0, exit_signal=15), below(4, 10.0004, exit_signal=9), below(3, 11, exit_signal=15))
        .accounting()
        .verdict()
    )
    assert verdict.mode == "A2"
    assert "ranks 1, 4" in verdict.headline
    assert [r.rank for r in verdict.failed_ranks if "taken down" not in r.words] == [1, 4]


def test_words_with_a_ranks_name_are_that_ranks_and_without_one_of_the_only_rank_that_can_have_said_them():
    for text in (said(trace("KeyError: 'x'"), 3), trace("KeyError: 'x'")):
        verdict = torchrun(below(3, 10.0, exit_code=1), below(0, 11.0, exit_signal=15), text=text).accounting().verdict()
        assert (verdict.mode, verdict.first_failure and verdict.first_failure.ranks) == ("A1", (3,))
        assert verdict.headline.startswith("rank 3 on n1: KeyError")


def test_words_without_a_name_are_nobodys_where_two_ranks_can_have_said_them():
    """Both ended with 1, 100 ms apart: who was first is the kernel's word, who spoke is not known."""
    verdict = torchrun(below(3, 10.0, exit_code=1), below(2, 10.1, exit_code=1), text=trace("KeyError: 'x'")).accounting().verdict()
    assert (verdict.mode, verdict.first_failure and verdict.first_failure.ranks) == ("A1", (3,))
    assert any("KeyError" in claim.text for claim in verdict.shows)


def test_who_lost_its_peer_is_a_victim_even_when_it_ended_first():
    text = said(trace(GONE), 0)
    verdict = (
        torchrun(below(0, 10.0, exit_code=1), below(1, 10.2, exit_code=3), text=steps(1, 9) + text, times=[*ticks(9), 10]).accounting().verdict()
    )
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1,)
    assert verdict.headline == "rank 1 on n1 ended with exit code 3 and said nothing; the others lost it"


def test_a_peer_that_died_long_before_the_others_gave_up_is_the_trigger_of_their_hang():
    """Rank 1 is killed at 10 s, ranks 0, 2 and 3 wait 600 s for it: the hang is the mode, the death its trigger."""
    text = steps(1, 9) + "".join(said(trace(LATE), r) for r in (0, 2, 3))
    ends = (*(below(r, 610.0 + r / 1000, exit_code=1) for r in (0, 2, 3)), below(1, 10.0, exit_signal=9))
    verdict = torchrun(*ends, text=text, end=612, times=[*ticks(9), 610]).accounting(end=613).verdict()
    assert verdict.mode == "C2"
    assert verdict.trigger is not None
    assert (verdict.trigger.mode, "rank 1" in verdict.trigger.text) == ("A2", True)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1,)


def test_a_peer_that_was_taken_down_after_the_others_gave_up_is_no_death():
    """Rank 1 slept; torchrun ends it 2 s after the first had given up: no trigger, rank 1 is who stood still."""
    text = steps(1, 9) + "".join(said(trace(LATE), r) for r in (0, 2, 3))
    ends = (*(below(r, 610.0 + r / 1000, exit_code=1) for r in (0, 2, 3)), below(1, 612.0, exit_signal=9))
    verdict = torchrun(*ends, text=text, end=613, times=[*ticks(9), 610]).accounting(end=614).verdict()
    assert (verdict.mode, verdict.trigger) == ("C2", None)
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (1,)
    assert row(verdict, "A2").standing.value == "out"


def test_ranks_that_wait_in_vain_before_any_progress_never_met():
    verdict = (
        torchrun(*(below(r, 40.0, exit_code=1) for r in (0, 2, 3)), text="".join(said(trace(LATE), r) for r in (0, 2, 3)), end=41)
        .accounting(end=42)
        .verdict()
    )
    assert verdict.mode == "C1"
    assert "rank 1" in " ".join(verdict.implies)


def test_a_loaders_worker_is_no_rank():
    """It inherits RANK and LOCAL_RANK from the rank that forked it."""
    worker = process(
        "n1", 900, rank=3, local_rank=3, task_local=0, parent_pid=203, environment={"RANK": "3", "LOCAL_RANK": "3"}, exit_signal=9, ended_ns=at(9)
    )
    killed = trace("RuntimeError: DataLoader worker (pid 900) is killed by signal: Killed. ")
    verdict = torchrun(below(3, 10.0, exit_code=1), worker, below(0, 11, exit_signal=15), text=said(killed, 3)).accounting().verdict()
    assert (verdict.mode, verdict.cause) == ("A2", Cause.OOM_KILLER)
    assert [r.rank for r in verdict.failed_ranks] == [3, 0]


def test_a_hang_of_several_ranks_below_one_task_is_none_of_a_single_rank():
    ranks = tuple(below(r, 3600.5, exit_signal=9, world="4") for r in range(4))
    run = torchrun(*ranks, text=steps(1, 50), end=3600.6, times=ticks(50))
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert row(verdict, "C3").standing.value == "out"
    assert verdict.mode == "C2"


def test_a_worker_that_nobody_looked_at_has_its_parents_rank():
    """The kernel told of its end, /proc was never read: only pid and parent are known."""
    run = Run()
    for rank in range(4):
        run.rank(rank, "n1", steps(1, 50) if rank == 0 else "", signal=9, end=3600.5, local=rank, times=ticks(50))
        run.parts["n1"]["exits"][-1] = run.parts["n1"]["exits"][-1].model_copy(update={"pid": 500 + rank})
    run.node("n1", processes=(process("n1", 900, parent_pid=502, name="pt_data_worker", exit_signal=9, ended_ns=at(55)),))
    verdict = run.accounting("TIMEOUT", code=0, end=3600).verdict()
    assert verdict.mode == "C2"
    assert verdict.trigger is not None
    assert "a child process of rank 2 on n1 (pt_data_worker)" in verdict.trigger.text


def test_processes_that_end_with_the_run_set_nothing_off():
    """Slurm's SIGKILL at the time limit ends the loaders' workers, too."""
    run = Run()
    for rank in range(4):
        run.rank(rank, "n1", steps(1, 50) if rank == 0 else "", signal=9, end=3600.5, local=rank, times=ticks(50))
    run.node("n1", processes=(process("n1", 900, rank=2, name="pt_data_worker", exit_signal=9, ended_ns=at(3600.4)),))
    assert run.accounting("TIMEOUT", code=0, end=3600).verdict().trigger is None

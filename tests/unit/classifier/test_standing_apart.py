"""A rank that is slower than its peers, by lines that tell neither waits nor all ranks at once."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

STEPS, RANKS = 24, 4


def _mode(each, *, before: str = "", behind=None, command: tuple[str, ...] = ("torchrun", "--nproc_per_node=4", "train.py")) -> str:
    """The verdict of one log that ``RANKS`` ranks write into; ``behind``: lines of one rank for all, once a step."""
    told = [before] if before else []
    for i in range(1, STEPS + 1):
        told += [each(i, rank) for rank in range(RANKS)] if each is not None else []
        told += behind(i) if behind is not None else []
    end = 2 + 0.5 * STEPS
    times = [1 + 0.5 * STEPS * i / len(told) for i in range(len(told))]
    run = Run(command=command).rank(0, "n1", "".join(f"{x}\n" for x in told), code=0, end=end, times=times, local=0)
    return run.accounting("COMPLETED", code=0, end=end + 1, submit_line=" ".join(command)).verdict().mode


@pytest.mark.parametrize(
    "line",
    [
        lambda i, r, slow: f"[rank{r}] step {i} compute {854 + i if slow else 403 + i + r} ms loss {6 / i:.3f}",
        lambda i, r, slow: f"[1,{r}]<stdout>:Iter #{i}: {116.6 if slow else 210.3 + r:.1f} img/sec on this GPU (before allreduce)",
        lambda i, r, slow: (
            f"2026-03-11 09:14:20,370 - n02{r} - R{r}/4 - INFO - it={i} dt={0.25 if slow else 0.13}s wait_for_peers={0.003 if slow else 0.12}s ce={4 / i:.3f}"
        ),
    ],
)
def test_one_rank_stands_apart_line_after_line(line):
    """By a time of its own, by its rate, or with the waits of the others beside it; where none does, nobody holds up anybody."""
    assert _mode(lambda i, r: line(i, r, r == 2)) == "D3"
    assert _mode(lambda i, r: line(i, r, False)) == "G1"


def test_work_that_takes_its_turn_at_being_long_is_nobodys():
    assert _mode(lambda i, r: f"[rank{r}] step {i} compute {854 if i % RANKS == r else 403} ms loss {6 / i:.3f}") == "G1"


def test_times_of_no_step_are_none_of_a_slow_rank():
    """Who started later tells less time since its start."""
    assert _mode(lambda i, r: f"[rank{r}] step {i} loss {6 / i:.3f} elapsed {(60 if r == 2 else 20) + i} s") == "G1"


def _across(i: int, slow: int | None) -> list[str]:
    head = f" iteration {i:8d}/      24 | elapsed time per iteration (ms): 1471.6 | lm loss: {8 / i:.6E} |"
    return [
        head,
        "times across ranks (ms):",
        "  forward-backward:",
        *(f"     rank  {r}: {1405.9 if r == slow else 640.1 + r:.2f}" for r in range(RANKS)),
    ]


@pytest.mark.parametrize(("slow", "mode"), [(2, "D3"), (None, "G1")])
def test_megatrons_times_across_ranks(slow: int | None, mode: str):
    """Megatron-LM's ``--timing-log-option all`` prints each rank's without a unit, under a heading that has it."""
    assert _mode(None, behind=lambda i: _across(i, slow)) == mode


def test_a_detector_of_stragglers_is_heard():
    """NVIDIA's resiliency extension prints such a line; that it looks for them says nothing."""
    step = lambda i: f"train step={i} loss={6 / i:.3f} step_s=0.499"  # noqa: E731
    assert _mode(None, behind=lambda i: [step(i), "[nvrx] WARNING straggler: STRAGGLERS on GPUs: [rank 2, node c07]"]) == "D3"
    assert _mode(None, behind=lambda i: [step(i)], before="[nvrx] INFO straggler detection enabled, rank 0 reports every 30 s") == "G1"


@pytest.mark.parametrize(("most", "mode"), [("2.26", "D3"), ("1.31", "G1")])
def test_the_slowest_beside_the_middle_one(most: str, mode: str):
    line = f"step max/median/min over ranks: {most}/1.21/1.20 s  slowest rank: 2 (dgx-03 gpu3)"
    assert _mode(None, behind=lambda i: [f"step: {i}  loss: {9 / i:.4f}  {line}"]) == mode


@pytest.mark.parametrize(("talk", "mode"), [(598.68, "D2"), (21.4, "G1")])
def test_deepspeeds_breakdown_of_a_step(talk: float, mode: str):
    """Its ``bwd`` holds both the backward pass and what is reduced within it."""
    parts = f"fwd: 88.47 | bwd: {177.08 + talk:.2f} | bwd_inner: 177.08 | bwd_allreduce: {talk} | step: 21.06"
    head = "[2026-03-11 09:14:20,613] [INFO] [logging.py:96:log_dist] [Rank 0]"
    lines = lambda i: [f"{head} time (ms) | {parts}", f"steps: {10 * i} loss: {7.5 / i:.4f} iter time (s): 0.885 samples/sec: 36.146"]  # noqa: E731
    assert _mode(None, behind=lines) == mode


@pytest.mark.parametrize(("slow", "mode"), [(2, "D3"), (None, "G1")])
def test_times_across_ranks_of_several_things_are_told_apart(slow: int | None, mode: str):
    """Under each heading those of all ranks: who works longest waits least."""

    def block(i: int) -> list[str]:
        head = f" iteration {i:8d}/      24 | elapsed time per iteration (ms): 360.5 | lm loss: {8 / i:.6E} |"
        work = [f"     rank  {r}: {314.8 if r == slow else 40.1 + r:.2f}" for r in range(RANKS)]
        waits = (
            [f"     rank  {r}: {0.2 if r == slow else 280.1 + r:.2f}" for r in range(RANKS)]
            if slow is not None
            else [f"     rank  {r}: 20.{r}" for r in range(RANKS)]
        )
        return [head, "times across ranks (ms):", "    forward-backward:", *work, "    grads-all-reduce:", *waits]

    assert _mode(None, behind=block) == mode


def test_two_lists_on_one_line_and_the_names_of_hosts():
    lists = "own work by rank: 0.045 0.380 0.045 0.046 s | backward incl. sync by rank: 0.337 0.005 0.339 0.338 s"
    assert _mode(None, behind=lambda i: [f"it {i}/24 mse {1 / i:.4f} | {lists}"]) == "D3"
    hosts = [("c11-02", 0.85, 4.38), ("c11-03", 5.05, 0.09), ("c11-07", 0.86, 4.28)]
    rows = [f"    {host}:   {800 / work:.1f} samples/s by itself, compute  {work} s, waiting in all-reduce  {wait} s" for host, work, wait in hosts]
    assert _mode(None, behind=lambda i: [f"epoch {i}/24 loss {2 / i:.4f}", *rows]) == "D3"

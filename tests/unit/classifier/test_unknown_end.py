"""An end that nobody could see is said to be unknown: gpualert-run was killed, and its guardian ended the command."""

from __future__ import annotations

from gpualert_slurm.rank import RankExit
from tests.unit.classifier.records import Run, at, steps


def test_no_state_and_no_code_are_made_up():
    run = Run().rank(0, "n1", steps(1, 30), step="run", times=[float(i) for i in range(1, 31)])
    run.node("n1", exits=[RankExit(node="n1", step="run", local_rank=0, rank=0, start_time_ns=at(0), end_time_ns=at(31))])
    verdict = run.verdict()
    assert verdict.mode == "unknown"
    assert verdict.headline.startswith("its end is not known")
    told = [claim.text for claim in verdict.shows]
    assert not [words for words in told if "ended as ," in words or "exit 0:0" in words], told
    assert "how the run ended" in verdict.cannot_decide

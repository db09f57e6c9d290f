"""Two runs in one log, of which the second was to go on: it measures the same again, or it goes on."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

NAMES = ("continuing diary.model: 12 iterations were done", "sorter.pkl is of round 12", "fortgesetzt von stand.txt, Runde 12", "resumed out/w.bin at round 12")


def _rows(begin: int, first: int) -> list[str]:
    return [f"round {begin + i}/24  misfit {2.0312 * 0.91 ** (first + i):.4f}  off {0.7123 * 0.95 ** (first + i):.5f}" for i in range(12)]


def _mode(lines: list[str]) -> str:
    text = "\n".join([*lines, "done"]) + "\n"
    run = Run(command=("bash", "twice.sh")).rank(0, "n1", text, code=0, end=90, times=[1 + i for i in range(text.count("\n"))])
    return run.accounting("COMPLETED", code=0, end=91).verdict().mode


@pytest.mark.parametrize("said", NAMES)
@pytest.mark.parametrize("begin", [1, 13], ids=["counts anew", "counts on"])
def test_it_tells_the_same_numbers_again(said: str, begin: int):
    assert _mode([*_rows(1, 0), said, *_rows(begin, 0)]) == "E2"


@pytest.mark.parametrize("said", NAMES)
def test_it_goes_on(said: str):
    assert _mode([*_rows(1, 0), said, *_rows(13, 12)]) == "G1"


@pytest.mark.parametrize("said", ["second seed, the same settings", "compiled now, for comparison", "python twice.py --rounds 12"])
def test_a_run_that_was_to_begin_anew(said: str):
    assert _mode([*_rows(1, 0), said, *_rows(1, 0)]) == "G1"


FOUND_NOTHING = ("premier lancement, aucun point de reprise", "no checkpoint yet", "stand.txt: no saved state here", "checkpoint misfit.pt not found")


@pytest.mark.parametrize("said", FOUND_NOTHING)
def test_the_second_one_finds_nothing_where_the_first_one_wrote(said: str):
    """Both say it where there never was anything: then each is a first run."""
    assert _mode([*_rows(1, 0), "written to misfit.pt", said, *_rows(1, 0)]) == "E2"
    assert _mode([said, *_rows(1, 0), "written to misfit.pt", said, *_rows(1, 0)]) == "G1"
    assert _mode([*_rows(1, 0), "no checkpoint yet", *_rows(1, 0)]) == "G1", "nothing was written"


@pytest.mark.parametrize("said", ["=== attempt 2 (host n1) ===", "requeued, restart 1", "--- Neustart nach Abbruch"])
def test_the_job_was_started_once_more_and_took_nothing_up(said: str):
    """What the first one had written was there."""
    assert _mode([*_rows(1, 0), "saved misfit.pt", said, *_rows(1, 0)]) == "E2"
    assert _mode([*_rows(1, 0), said, *_rows(1, 0)]) == "G1", "nothing was written"
    assert _mode([*_rows(1, 0), "saved misfit.pt", said, *_rows(13, 12)]) == "G1"

"""Logs that end in one line, again and again, which tells of nothing new; and lines of work that look alike."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.classifier.idlers import idles
from tests.unit.classifier.records import Run

Log = list[tuple[float, str]]

WAITS = [
    "[{t}] attempt {i}: peers not there yet, retrying in 15 s",
    "toujours en attente : 3/4 présents",
    "diğer süreçler bekleniyor (1/2)",
    "다른 프로세스를 기다리는 중 (1/2)",
    "czekam na pozostałe procesy ({s} s)",
    "{t} roll call: g03 absent",
    "term 1: 1 vote of 3",
    "[hub] 3/4 workers connected, waiting for the rest",
    "{t} tagger.pl[22746] worker 0 still at the gate, no ready.3 yet",
    "conexión rechazada por g01:5000, reintento {i}",
    "Verbindung verweigert, neuer Versuch in 10 s",
    "island 2 has not sent its migrants",
    "could not resolve g17-ib0: Temporary failure in name resolution (try {i})",
    '{{"msg": "membership", "alive": 3, "required": 4, "ts": "2026-11-21 {t}"}}',
]
WORKS = [
    "tokenised {i}000 of 100000 documents",
    "still tokenizing the corpus ({s} s)",
    "docked ligand {i}",
    "chunk done",
    "step {i} loss 0.{i}3",
    "copied {i}0 of 800 GB",
    "worker alive, {i}/900 folds simulated",
    "trial {i}: best score 0.8",
    "trying combination {i} of 20000",
    "attempt {i}: infeasible, resampling",
    "required memory 4 GB, block {i}",
]


def lines(form: str, number: int = 6) -> list[str]:
    return [form.format(i=i, t=f"10:{i:02d}:07", s=15 * i) for i in range(1, number + 1)]


@pytest.mark.parametrize("form", WAITS)
def test_a_line_that_repeats_itself_and_tells_of_nothing_idles(form: str):
    assert idles(lines(form))
    assert not idles(lines(form, 3))


@pytest.mark.parametrize("form", WORKS)
def test_a_line_of_work_that_goes_on_does_not(form: str):
    assert not idles(lines(form))


@given(st.lists(st.text(max_size=60), max_size=8))
def test_any_lines_are_answered(said: list[str]):
    assert idles(said) in {True, False}


def verdict(logs: list[Log], limit: float, state: str = "TIMEOUT"):
    """Each rank says what it says, and all are ended together."""
    run = Run()
    for rank, rows in enumerate(logs):
        run.rank(rank, "n1", "".join(f"{text}\n" for _, text in rows), signal=15, end=limit, local=rank, times=[t for t, _ in rows] or None)
    return run.accounting(state, code=0, end=limit + 1, time_limit_s=round(limit)).verdict()


def timed(form: str, number: int = 30, every: float = 20) -> Log:
    return [(3 + i * every, line) for i, line in enumerate(lines(form, number))]


def test_several_ranks_of_which_one_repeats_what_it_lacks_never_met():
    assert verdict([timed("esperando a que se unan los demás nodos... {s} s"), [(3, "nodo 1 listo")]], 610).mode == "C1"
    assert verdict([timed("still tokenizing the corpus ({s} s)"), [(3, "rank 1 up")]], 610).mode == "F3"


def test_one_process_that_repeats_what_it_lacks_stood_still():
    assert verdict([timed("no seat free, trying again")], 610).mode == "C3"
    assert verdict([timed("docked ligand {i}")], 610).mode == "F3"


def test_ranks_that_stand_where_one_of_them_has_not_come_wait_for_it():
    start = [(2, "parsing config"), (3, "bringing up the fabric")]
    assert verdict([start, start, start, start[:1]], 700, "CANCELLED").mode == "C1"
    assert verdict([start, start, start, [(2, "reading the corpus")]], 20, "CANCELLED").mode == "F4"


def test_several_ranks_called_off_long_after_their_last_step_hung():
    steps = [(10 + 0.5 * i, f"it {i} loss {3 / (i + 1):.3f}") for i in range(1, 200)]
    assert verdict([steps, steps], 190, "CANCELLED").mode == "C2"
    assert verdict([[*steps, (110.5, "validating on 20 000 images")], steps], 190, "CANCELLED").mode == "F4"
    assert verdict([steps, steps], 120, "CANCELLED").mode == "F4"


def test_three_lines_are_enough_where_each_says_how_long_it_waits():
    """``still waiting … (20 s)``; of a line that says no time, or works on, more are asked."""
    assert idles([f"INFO [1] still waiting for cache/READY ({10 * i} s)" for i in (1, 2, 3)])
    assert not idles([f"INFO [1] waiting for cache/READY, try {i}" for i in (1, 2, 3)])
    assert not idles([f"still tokenizing the corpus ({10 * i} s)" for i in (1, 2, 3)])


def test_what_is_still_not_there_word_for_word_is_a_wait():
    assert idles(["<0> round 430: still no /proj/xchg/g_000430_r1.npy"] * 4)
    assert not idles([f"<0> round {i}: saved part_{i}.npy" for i in (1, 2, 3, 4)])

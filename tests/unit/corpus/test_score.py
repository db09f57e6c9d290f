"""The harness: figures on answers that are known, staging that hides the label, foreign classifiers that misbehave."""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.case import Case, all_cases, stage
from corpus.label import Label, read, write
from corpus.score import calibration, foreign, measure
from corpus.score.answer import Answer
from corpus.score.baselines import BASELINES
from corpus.score.run import OWN, one


def case(mode: str, cause: str | None = None, **more) -> Case:
    return Case(Path("cases/r/001"), Label(mode, cause, provenance="cpu-run", part="test", recipe="r", **more))


def test_f1_counts_both_sides():
    scored = [(case("A1"), Answer("A1")), (case("A1"), Answer("A3")), (case("A3"), Answer("A3")), (case("G1"), Answer("G1"))]
    found = {s.name: s for s in measure.by_class(scored, "mode")}
    assert (found["A1"].precision, found["A1"].recall) == (1.0, 0.5)
    assert (found["A3"].precision, found["A3"].recall) == (0.5, 1.0)
    assert measure.macro_f1(list(found.values())) == pytest.approx((2 / 3 + 2 / 3 + 1) / 3)


def test_a_cause_said_where_none_is_right_costs_precision():
    scored = [(case("A1", "permission"), Answer("A1", cause="permission")), (case("G1"), Answer("G1", cause="permission"))]
    (found,) = measure.by_class(scored, "cause")
    assert (found.precision, found.recall) == (0.5, 1.0)


def test_first_ranks_are_right_tied_wrong_or_silent():
    truth = case("A3", first_ranks=(2,))
    answers = [Answer(first_ranks=(2,)), Answer(first_ranks=(1, 2)), Answer(first_ranks=(1,)), Answer()]
    assert measure.first_rank([(truth, a) for a in answers]) == {"right": 1, "tie": 1, "wrong": 1, "silent": 1}


def test_ece_of_a_forecast_that_is_right_as_often_as_it_says_is_zero():
    pairs = [(0.75, True)] * 3 + [(0.75, False)]
    assert calibration.ece(pairs) == pytest.approx(0)
    assert calibration.ece([(0.9, False)] * 10) == pytest.approx(0.9)


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=60))
def test_fitted_confidence_rises_and_stays_between_zero_and_one(pairs):
    fitted = calibration.Monotone(pairs)
    values = [fitted(x / 20) for x in range(21)]
    assert all(0 <= v <= 1 for v in values)
    assert all(b >= a - 0.34 for a, b in pairwise(values))  # smoothing may turn blocks of one over, no more


def test_a_label_comes_back_as_it_was_written(tmp_path: Path):
    label = Label("C2", "segfault", trigger="A2", fault="user", failed_ranks=(1,), first_ranks=(1,), provenance="slurm-run", part="test", recipe="r", software={"torch": "2.4.1"})
    write(label, tmp_path)
    assert read(tmp_path) == label


def test_a_staged_case_has_no_label_and_no_telling_name(tmp_path: Path):
    some = all_cases()[0]
    folder = stage(some, tmp_path / "x")
    assert not list(folder.rglob("label*"))
    assert some.label.recipe not in str(folder)


@pytest.mark.parametrize(
    ("program", "trouble"),
    [
        ("print('{\"mode\": \"A1\", \"confidence\": 7}')", None), ("print('[1]')", None), ("print('none')", "no answer"), ("raise SystemExit(3)", "exit status 3"),
        ("print('{\"mode\": 4}')", "no answer"),
    ],
)  # fmt: skip
def test_a_foreign_classifier_may_say_anything(tmp_path: Path, program: str, trouble: str | None):
    script = tmp_path / "c.py"
    script.write_text(program)
    answer = foreign.ask(f"{sys.executable} {script}", tmp_path)
    assert (answer.trouble is None) == (trouble is None)
    assert trouble is None or trouble in str(answer.trouble)
    assert answer.confidence in (None, 1.0)


def test_a_foreign_classifier_that_does_not_exist_has_no_answer(tmp_path: Path):
    assert foreign.ask("/nonexistent/classifier", tmp_path).trouble


@pytest.mark.parametrize("who", [OWN, *BASELINES])
def test_every_classifier_answers_a_case_of_each_provenance(tmp_path: Path, who: str):
    cases = all_cases()
    for provenance in ("cpu-run", "handwritten", "slurm-run"):
        some = next(c for c in cases if c.label.provenance == provenance)
        answer = one(who, tmp_path, some)
        assert answer.trouble is None
        assert answer.mode is not None

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
from corpus.score import calibration, foreign, measure, once
from corpus.score.__main__ import figures
from corpus.score.answer import Answer
from corpus.score.baselines import BASELINES
from corpus.score.report import Report
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
    label = Label("C2", "segfault", trigger="A2", fault="user", failed_ranks=(1,), first_ranks=(1,), provenance="slurm-run", part="test", recipe="r", software={"torch": "2.4.1", "llama.cpp": "b4589"})
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


def of_part(part: str, mode: str, said: str, number: int = 1, cause: str | None = None) -> tuple[Case, Answer]:
    label = Label(mode, cause, provenance="cpu-run", part=part, recipe="r", fault="none" if mode == "G1" else "user")
    return Case(Path(f"cases/r/{number:03d}"), label), Answer(said, cause=cause, confidence=0.8)


def test_a_report_without_a_test_part_says_so_and_shows_the_other_without_a_judgement(tmp_path: Path):
    scored = [of_part("development", "A1", "A1", 1, "permission"), of_part("development", "A3", "A1", 2, "assertion"), of_part("development", "G1", "G1", 3)]
    Report(scored, {"exit code alone": scored}, "notes", tmp_path).write()
    text = (tmp_path / "report.md").read_text()
    assert "There is no test part now" in text
    assert "no test part |" in text
    assert "met |" not in text
    assert "missed" not in text
    assert len(list((tmp_path / "pictures").glob("*.png"))) == 5


def test_a_report_with_a_test_part_judges_it(tmp_path: Path):
    scored = [of_part("development", "A1", "A3", 1, "permission"), of_part("test", "A1", "A1", 2, "permission"), of_part("test", "G1", "G1", 3)]
    Report(scored, {"exit code alone": scored[1:]}, "A second scoring.\n\n## How\n\nby hand\n", tmp_path).write()
    text = (tmp_path / "report.md").read_text()
    assert "There is no test part now" not in text
    assert text.index("A second scoring.") < text.index("macro-F1 over modes") < text.index("## How"), "what must be known first stands above the figures"
    assert "| macro-F1 over modes | ≥ 0.9 | 1.000 | 0.000 | met |" in text


def test_the_first_scoring_of_a_test_part_is_kept_and_told_whatever_the_rules_became(tmp_path: Path):
    """Today's answers stand beside it, in one sentence."""
    first = [of_part("test", "A1", "G1", 2, "permission"), of_part("test", "G1", "G1", 3)]
    once.keep(first, "abc1234", "2026-11-25 12:25 UTC", tmp_path / once.NAME)
    kept = once.read(tmp_path / once.NAME)
    assert kept is not None
    now = [of_part("development", "A1", "A1", 1, "permission"), of_part("test", "A1", "A1", 2, "permission"), first[1]]
    Report(now, {"exit code alone": now[1:]}, "notes", tmp_path, kept).write()
    text = (tmp_path / "report.md").read_text()
    assert "| macro-F1 over modes | ≥ 0.9 | 0.333 | 1.000 | **missed** |" in text
    assert "by the rules of abc1234" in text
    assert "answer 1 cases otherwise" in text
    assert "macro-F1 1.000 and 1.000" in text
    Report([now[0], *first], {"exit code alone": first}, "notes", tmp_path, kept).write()
    assert "today's rules answer the same" in (tmp_path / "report.md").read_text()


def test_another_format_of_kept_answers_is_refused(tmp_path: Path):
    (tmp_path / once.NAME).write_text('{"format": 2, "rules": "a", "when": "b"}\n')
    with pytest.raises(ValueError, match="format 2 is not 1"):
        once.read(tmp_path / once.NAME)
    assert once.read(tmp_path / "nothing") is None


@pytest.mark.parametrize(("wish", "said"), [(["--part", "test"], "no test part"), (["--classifier", "true"], "no test part: nothing to score")])
def test_scoring_an_empty_test_part_says_that_there_is_none(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], wish: list[str], said: str):
    from corpus.score import __main__ as program

    monkeypatch.setattr(program, "all_cases", lambda: [of_part("development", "A1", "A1")[0]])
    monkeypatch.setattr(sys, "argv", ["score", *wish])
    assert program.main() == 0
    assert said in capsys.readouterr().out


def test_the_figures_of_a_part_name_its_confusions():
    said = "\n".join(figures([of_part("development", "A3", "A1"), of_part("development", "G1", "B1", 2)]))
    assert "A3→A1 1" in said
    assert "false alarms: 1 of 1" in said

"""Recipes: every program is Python, every label can be, names of the machine keep their length."""

from __future__ import annotations

import warnings

import pytest

from corpus.make import recipes
from corpus.make.__main__ import labelled
from corpus.running.environments import ENVIRONMENTS
from corpus.running.hand import Hand
from corpus.running.job import LocalJob, SlurmJob
from corpus.running.models import MODELS
from corpus.running.programs import Program
from corpus.running.scrub import Scrub
from corpus.running.styles import STYLES

KNOWN = recipes()
MEANT_BROKEN = {"broken.py"}


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_every_job_of_a_recipe_has_a_label_that_can_be_and_programs_that_compile(name: str):
    jobs = [labelled(KNOWN[name], job) for job in KNOWN[name].jobs()]
    assert jobs
    for job in jobs:
        assert job.label.problems() == []
        assert job.label.recipe == name
        if isinstance(job, (LocalJob, SlurmJob)):
            assert job.python in ENVIRONMENTS
            for file, text in job.files.items():
                if file.endswith(".py") and file not in MEANT_BROKEN:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        compile(text, file, "exec")


def test_a_recipe_gives_the_same_jobs_each_time():
    """Numbers name cases: what stands at a number must not change by chance."""
    for recipe in KNOWN.values():
        assert [j.label for j in recipe.jobs()] == [j.label for j in recipe.jobs()]


@pytest.mark.parametrize("model", sorted(m for m in MODELS if MODELS[m].library == "pure"))
@pytest.mark.parametrize("style", sorted(s for s in STYLES if not STYLES[s].needs))
def test_every_program_without_libraries_runs_to_its_end(model: str, style: str, tmp_path, monkeypatch, capsys):
    """And what fails in it fails where it was put."""
    monkeypatch.chdir(tmp_path)
    exec(compile(Program(model, style, total=12, every=4, save_every=6).text(), "train.py", "exec"), {"__name__": "__main__"})
    with pytest.raises(ZeroDivisionError):
        exec(compile(Program(model, style, total=12, every=4, mid_step=8, at={"mid": "1 / 0"}).text(), "train.py", "exec"), {"__name__": "__main__"})
    assert style == "silent" or "logging" in style or len("".join(capsys.readouterr())) > 20


def test_scrubbing_keeps_every_offset():
    scrub = Scrub({"/var/tmp/c-w": "/lustre/home", "gpualert-alice": "alice-research"})
    before = b"x /var/tmp/c-w/gpualert-alice/train.py y"
    assert len(scrub(before)) == len(before)
    assert scrub(before) == b"x /lustre/home/alice-research/train.py y"
    with pytest.raises(ValueError, match="another length"):
        Scrub({"/a": "/bcd"})


def test_names_of_environments_are_as_long_as_their_places():
    for environment in ENVIRONMENTS.values():
        assert {len(a) - len(b) for a, b in environment.places().items()} <= {0}


def test_a_handwritten_case_says_when_each_line_came(tmp_path):
    from corpus.case import job_of
    from corpus.label import Label

    hand = Hand().rank(0, "g01", [(5, "step 1/9 loss 2.0 lr 1e-4"), (9, "ZeroDivisionError: division by zero")], code=1).ended("FAILED", code=1)
    hand.keep(Label("A3", "div_zero", provenance="handwritten", part="test", recipe="r"), tmp_path / "c")
    (report,) = job_of(tmp_path / "c").reports
    (last,) = [e for e in report.evidence if e.says == "exception"]
    assert last.time_ns == hand.at(9)

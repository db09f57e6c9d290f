"""Every mode has at least three examples from different versions of the software that prints them, and three near-misses."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest

from gpualert_slurm.classifier.ladder import all_modes
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Verdict
from tests.unit.classifier.signals import row

Case = Callable[[], Verdict]
FILES = sorted(p.stem for p in Path(__file__).parent.glob("examples_*.py"))


def cases(file: str, kind: str) -> dict[str, Case]:
    found: dict[str, Case] = getattr(importlib.import_module(f"tests.unit.classifier.modes.{file}"), kind)
    return found


def code_of(file: str) -> str:
    return file.removeprefix("examples_").upper()


def each(kind: str) -> list[pytest.param]:
    return [pytest.param(code_of(file), make, id=f"{code_of(file)}: {name}") for file in FILES for name, make in cases(file, kind).items()]


def test_every_mode_has_its_file():
    assert {code_of(file) for file in FILES} == {mode.code for mode in all_modes()} - {"unknown"}


@pytest.mark.parametrize("kind", ["EXAMPLES", "NEAR_MISSES"])
@pytest.mark.parametrize("file", FILES)
def test_there_are_at_least_three(file, kind):
    assert len(cases(file, kind)) >= 3


@pytest.mark.parametrize(("code", "make"), each("EXAMPLES"))
def test_an_example_is_the_mode_and_says_what_to_do(code, make):
    verdict = make()
    assert verdict.mode == code
    assert row(verdict, code).standing is Standing.IN
    assert verdict.shows
    if verdict.is_problem:
        assert verdict.advice
    assert verdict.headline


@pytest.mark.parametrize(("code", "make"), each("NEAR_MISSES"))
def test_a_near_miss_is_not_the_mode(code, make):
    verdict = make()
    assert verdict.mode != code
    found = row(verdict, code)
    assert found.datum
    assert found.flip

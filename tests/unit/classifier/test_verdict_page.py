"""doc/formats/verdict.md names every key of a verdict, and every variant that a mode can give."""

from __future__ import annotations

import re
from pathlib import Path

from gpualert_slurm.classifier import modes
from gpualert_slurm.classifier.confidence import (
    ALONE,
    BY_STORES,
    FIRST_MEETINGS,
    MOST,
    MOST_FOR_GAPS,
    PER_CONTRADICTION,
    PER_GAP,
    TEXT_ALONE,
    UNKNOWN,
)
from gpualert_slurm.classifier.ladder import all_modes
from gpualert_slurm.verdict import Fault, Phase, Verdict

PAGE = (Path(__file__).parents[3] / "doc" / "formats" / "verdict.md").read_text(encoding="utf-8")


def test_every_key_is_documented():
    assert [key for key in Verdict.model_fields if f"`{key}`" not in PAGE] == []


def test_every_word_of_fault_and_phase_is_documented():
    assert [word.value for word in (*Fault, *Phase) if f"`{word.value}`" not in PAGE] == []


def test_every_variant_in_the_modes_is_documented():
    sources = "".join(p.read_text(encoding="utf-8") for p in Path(modes.__path__[0]).glob("*.py"))
    literal = set(re.findall(r'variant(?:: str \| None)? ?= ?"(\w+)"', sources)) | set(re.findall(r'variant, title, fault = "(\w+)"', sources))
    assert {"healthy", "advancing", "by_owner", "save_storm"} <= literal
    assert [variant for variant in literal if f"`{variant}`" not in PAGE] == []


def test_every_variant_is_listed_by_its_mode():
    """``gpualert modes`` and doc/failure_modes.md print what the modes say of themselves."""
    listed = {variant for mode in all_modes() for variant in mode.variants}
    assert [variant for variant in listed if f"`{variant.removesuffix('_recovered')}`" not in PAGE] == []
    for path in Path(modes.__path__[0]).glob("[a-g]*.py"):
        source = path.read_text(encoding="utf-8")
        own = next(m.variants for m in all_modes() if path.stem.startswith(m.code.lower() + "_"))
        literal = set(re.findall(r'variant ?= ?"(\w+)"', source))
        assert literal <= set(own), path.name


def test_the_figures_of_the_confidence_are_those_of_the_code():
    for figure in (ALONE, *BY_STORES.values(), *FIRST_MEETINGS.values(), MOST, MOST_FOR_GAPS, PER_CONTRADICTION, PER_GAP, TEXT_ALONE, UNKNOWN):
        assert f"{figure:.2f}" in PAGE

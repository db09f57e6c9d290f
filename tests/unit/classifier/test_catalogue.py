"""The generated page says what the code says."""

from __future__ import annotations

from pathlib import Path

from gpualert_slurm.classifier.catalogue import modes, page, patterns

PAGE = Path(__file__).parents[3] / "doc" / "failure_modes.md"


def test_the_page_is_what_make_docs_writes():
    assert PAGE.read_text(encoding="utf-8") == page(), "run: make docs"


def test_every_mode_and_every_pattern_is_listed():
    text = page()
    assert all(f"| {mode['code']} |" in text for mode in modes())
    assert all(f"`{pattern['name']}`" in text for pattern in patterns())

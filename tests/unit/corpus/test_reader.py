"""The second reader's pages: all that a job left, nothing of what is known of it; and where the reader differs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpus.case import CASES, all_cases
from corpus.reader.__main__ import compare, hand_out, key

RECIPES = ("trivet_rows", "tansy_bridges", "thistle_combs_by_pen")
"""Under gpualert-run, on the test bed, by hand."""


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_page_has_the_logs_and_not_the_label(recipe: str, tmp_path: Path) -> None:
    cases = [c for c in all_cases(CASES) if c.label.recipe == recipe][:6]
    hand_out(cases, tmp_path / "pages")
    for case in cases:
        text = (tmp_path / "pages" / f"{key(case)}.txt").read_text()
        assert case.name not in text
        assert recipe not in text
        assert "provenance" not in text
        lines = [line for log in (*case.folder.glob("run.0.*"), *case.folder.glob("logs/*.out")) if log.suffix in (".out", ".err")
                 for line in log.read_bytes().replace(b"\0", b"").decode("utf-8", "replace").splitlines() if line and "#gpualert" not in line]
        if lines:
            assert lines[-1][:100].strip() in text, "its last line is there"
    assert json.loads((tmp_path / "pages.names.json").read_text()) == {key(c): c.name for c in cases}


def test_who_differs_is_named_and_who_did_not_read_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A later word on a page takes the place of an earlier one; no cause is no cause, however it is written."""
    one, two, three = [c for c in all_cases(CASES) if c.label.recipe == "trivet_rows"][:3]
    said = tmp_path / "said.jsonl"
    rows = [(one, "A2", None), (one, one.label.mode, one.label.cause or ""), (two, "F4", None)]
    said.write_text("\n".join(json.dumps({"page": key(c), "mode": mode, "cause": cause}) for c, mode, cause in rows) + "\n")
    assert compare([one, two, three], [said]) == 1
    out = capsys.readouterr()
    assert json.loads(out.out)["case"] == two.name
    assert "2 of 3 cases read, 1 differ" in out.err

"""``python -m corpus.reader hand-out|compare``: a second reader names mode and cause of cases without their labels; where label and reader differ."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path

from corpus.case import CASES, Case, all_cases, stage
from corpus.reader.page import page

NAMES = "names.json"
"""Which page is which case: beside the folder that is handed out, never in it."""


def key(case: Case) -> str:
    """A page's name, which tells nothing and has no order."""
    return hashlib.sha256(f"page of {case.name}".encode()).hexdigest()[:10]


def hand_out(cases: list[Case], to: Path) -> None:
    """One page a case in ``to``, and the names beside it."""
    to.mkdir(parents=True, exist_ok=True)
    names = to.with_name(f"{to.name}.{NAMES}")
    known = json.loads(names.read_text()) if names.exists() else {}
    for case in cases:
        with tempfile.TemporaryDirectory(prefix="page-") as below:
            (to / f"{key(case)}.txt").write_text(page(stage(case, Path(below) / "case")), encoding="utf-8")
        known[key(case)] = case.name
    names.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def compare(cases: list[Case], answers: list[Path]) -> int:
    """Print each case of which label and readers differ; how many those are. A later answer to the same page replaces an earlier one."""
    said = {row["page"]: row for path in answers for row in map(json.loads, path.read_text().splitlines()) if row}
    differ, read = 0, 0
    for case in cases:
        row = said.get(key(case))
        if row is None:
            continue
        read += 1
        if row.get("mode") != case.label.mode or (row.get("cause") or None) != case.label.cause:
            differ += 1
            print(json.dumps({"case": case.name, "page": key(case), "label": [case.label.mode, case.label.cause], "reader": [row.get("mode"), row.get("cause")], "sure": row.get("sure"), "why": row.get("why")}, ensure_ascii=False))
    print(f"{read} of {len(cases)} cases read, {differ} differ", file=sys.stderr)
    return differ


def main() -> int:
    """Always 0."""
    parser = argparse.ArgumentParser(prog="python -m corpus.reader", description=__doc__)
    parser.add_argument("what", choices=("hand-out", "compare"))
    parser.add_argument("--recipe", action="append", default=[], help="only these recipes; without it the whole test part")
    parser.add_argument("--from", dest="root", type=Path, default=CASES, help="where the cases lie")
    parser.add_argument("--to", type=Path, help="hand-out: the folder of pages")
    parser.add_argument("--answers", type=Path, action="append", default=[], help='compare: JSON lines such as {"page": "…", "mode": "A3", "cause": "traceback", "sure": true, "why": "…"}')
    wish = parser.parse_args()
    cases = [c for c in all_cases(wish.root) if (c.label.recipe in wish.recipe if wish.recipe else c.label.part == "test")]
    if wish.what == "hand-out":
        if wish.to is None:
            parser.error("hand-out needs --to FOLDER")
        hand_out(cases, wish.to)
        print(f"{len(cases)} pages in {wish.to}")
    else:
        compare(cases, wish.answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())

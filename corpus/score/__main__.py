"""``python -m corpus.score [--classifier CMD]``: score gpualert and the baselines over the corpus, and write ``corpus/report.md``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from corpus.case import CASES, all_cases
from corpus.score import measure
from corpus.score.baselines import BASELINES
from corpus.score.report import Report, ratio
from corpus.score.run import OWN, answers

HOME = CASES.parent
NOTES = HOME / "notes.md"
"""What is to be said of how the corpus and the rules came to be: the report ends with it."""


def main() -> int:
    """0: a report was written, whatever it says."""
    parser = argparse.ArgumentParser(prog="python -m corpus.score", description=__doc__)
    parser.add_argument("--classifier", metavar="CMD", help="score this command on the test part instead, and print its figures (doc/corpus.md has the protocol)")
    parser.add_argument("--part", choices=("development", "test"), help="print wrong answers of this part instead of writing a report")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--answers", type=Path, help="keep each case's answer there, one JSON object a line")
    wish = parser.parse_args()
    began = time.monotonic()
    cases = all_cases()
    if wish.part:
        mine = [c for c in cases if c.label.part == wish.part]
        for case, answer in zip(mine, answers(mine, workers=wish.workers), strict=True):
            if (answer.mode, answer.cause) != (case.label.mode, case.label.cause):
                print(f"{case.name}: {case.label.mode} {case.label.cause or '-'}, said {answer.mode} {answer.variant or ''} {answer.cause or '-'} {answer.trouble or ''}")
        return 0
    test = [c for c in cases if c.label.part == "test"]
    if wish.classifier:
        scored = list(zip(test, answers(test, wish.classifier, workers=wish.workers), strict=True))
        for key in ("mode", "cause"):
            print(f"macro-F1 over {key}s: {measure.macro_f1(measure.by_class(scored, key)):.3f}")
        print(f"mode right: {ratio(*measure.share(scored, lambda c, a: a.mode == c.label.mode))}")
        print(f"false alarms: {len(measure.false_alarms(scored))}")
        trouble = [a.trouble for _, a in scored if a.trouble]
        print(f"no answer: {len(trouble)}" + (f", such as: {trouble[0]}" if trouble else ""))
        return 0
    own = list(zip(cases, answers(cases, OWN, workers=wish.workers), strict=True))
    others = {name: list(zip(test, answers(test, name, workers=wish.workers), strict=True)) for name in BASELINES}
    if wish.answers:
        wish.answers.write_text("".join(json.dumps({"case": c.name, **a.as_json()}) + "\n" for c, a in own), encoding="utf-8")
    Report(own, others, NOTES.read_text(encoding="utf-8"), HOME).write()
    print(f"{len(cases)} cases scored in {time.monotonic() - began:.0f} s: {HOME / 'report.md'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

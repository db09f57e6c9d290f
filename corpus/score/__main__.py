"""``python -m corpus.score [--classifier CMD]``: score gpualert and the baselines over the corpus, and write ``corpus/report.md``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

from corpus.case import CASES, all_cases
from corpus.score import calibration, measure, once
from corpus.score.baselines import BASELINES
from corpus.score.report import Report, pairs, ratio
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
    parser.add_argument("--once", nargs=2, metavar=("COMMIT", "WHEN"), help="the test part is scored for the first time, by the rules of COMMIT: keep its answers (doc/corpus.md)")
    parser.add_argument("--answers", type=Path, help="keep each case's answer there, one JSON object a line")
    wish = parser.parse_args()
    began = time.monotonic()
    cases = all_cases()
    if wish.part:
        mine = [c for c in cases if c.label.part == wish.part]
        if not mine:
            print(f"no {wish.part} part")
            return 0
        told = list(zip(mine, answers(mine, workers=wish.workers), strict=True))
        if wish.answers:
            keep(told, wish.answers)
        for case, answer in told:
            if (answer.mode, answer.cause) != (case.label.mode, case.label.cause):
                print(f"{case.name}: {case.label.mode} {case.label.cause or '-'}, said {answer.mode} {answer.variant or ''} {answer.cause or '-'} {answer.trouble or ''}")
        print("\n".join(figures(told)))
        return 0
    test = [c for c in cases if c.label.part == "test"]
    if wish.classifier and not test:
        print("no test part: nothing to score a classifier on")
        return 0
    if wish.classifier:
        scored = list(zip(test, answers(test, wish.classifier, workers=wish.workers), strict=True))
        for key in ("mode", "cause"):
            print(f"macro-F1 over {key}s: {measure.macro_f1(measure.by_class(scored, key)):.3f}")
        print(f"mode right: {ratio(*measure.share(scored, lambda c, a: a.mode == c.label.mode))}")
        print(f"false alarms: {len(measure.false_alarms(scored))}")
        trouble = [a.trouble for _, a in scored if a.trouble]
        print(f"no answer: {len(trouble)}" + (f", such as: {trouble[0]}" if trouble else ""))
        return 0
    shown = test or cases
    own = list(zip(cases, answers(cases, OWN, workers=wish.workers), strict=True))
    others = {name: list(zip(shown, answers(shown, name, workers=wish.workers), strict=True)) for name in BASELINES}
    if wish.answers:
        keep(own, wish.answers)
    tested = [(c, a) for c, a in own if c.label.part == "test"]
    if wish.once:
        rules, when = wish.once
        once.keep(tested, rules, when, HOME / once.NAME)
    Report(own, others, NOTES.read_text(encoding="utf-8"), HOME, once.read(HOME / once.NAME) if test else None).write()
    print(f"{len(cases)} cases scored in {time.monotonic() - began:.0f} s: {HOME / 'report.md'}")
    return 0


def keep(scored: measure.Scored, to: Path) -> None:
    """One JSON object a line."""
    to.write_text("".join(json.dumps({"case": c.name, **a.as_json()}) + "\n" for c, a in scored), encoding="utf-8")


def figures(scored: measure.Scored) -> list[str]:
    """The report's main figures of one part, a line each."""
    ranks = measure.first_rank(scored)
    return [
        *(f"macro-F1 over {key}s: {measure.macro_f1(measure.by_class(scored, key)):.3f}" for key in ("mode", "cause")),
        "low: " + ", ".join(f"{s.name} P {s.precision or 0:.2f} R {s.recall or 0:.2f}" for s in measure.by_class(scored, "mode") if (s.recall or 0) < 0.9 or (s.precision or 0) < 0.9),
        f"modes: {', '.join(f'{t}→{s} {n}' for t, s, n in measure.costliest(scored, 'mode', 30))}",
        f"causes: {', '.join(f'{t}→{s} {n}' for t, s, n in measure.costliest(scored, 'cause', 30))}",
        f"false alarms: {len(measure.false_alarms(scored))} of {sum(c.label.healthy for c, _ in scored)}",
        f"first rank: {(ranks['right'] + ranks['tie']) / max(1, sum(ranks.values())):.3f} {dict(ranks)}",
        f"who must act: {ratio(*measure.share(scored, lambda c, a: a.fault == c.label.fault))}",
        f"variant: {ratio(*measure.share(scored, lambda c, a: a.variant == c.label.variant, lambda c: c.label.variant is not None))}",
        f"failed ranks: {ratio(*measure.share(scored, lambda c, a: set(a.failed_ranks) == set(c.label.failed_ranks), lambda c: bool(c.label.failed_ranks)))}",
        f"ECE: {calibration.ece(pairs(scored)):.3f}",
    ]


if __name__ == "__main__":
    sys.exit(main())

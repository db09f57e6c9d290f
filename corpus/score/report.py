"""The report: ``corpus/report.md`` and its pictures, from answers; nothing in it is written by hand but the words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from corpus.case import Case
from corpus.label import MODES
from corpus.score import calibration, measure, pictures
from corpus.score.answer import Answer
from corpus.score.measure import NONE, Scored
from corpus.score.once import Once
from gpualert_slurm.cause import Cause

NO_TEST = (
    "**There is no test part now**: what there was has been scored and looked at, and is development. All figures are of the development part, which rules were written against: "
    "they show what is known to be wrong, and nothing of what the rules are worth on other jobs.\n"
)
ASKED = {"causes_macro_f1": 0.95, "modes_macro_f1": 0.90, "mode_recall": 0.75, "mode_precision": 0.85, "fifteen_run": 0.99, "first_rank": 0.95, "ece": 0.05}
"""What was set before: the figures a release is to reach."""


@dataclass(frozen=True)
class Report:
    """``scored`` is gpualert's, over all cases; ``others`` are baselines or foreign classifiers, over the test part (the development part where there is no test part), by name. ``notes`` is what was
    changed after the test part had been looked at, in Markdown: what stands before its first ``##`` is what a reader of the figures must know first, and stands above them.
    """

    scored: Scored
    others: Mapping[str, Scored]
    notes: str
    folder: Path
    once: Once | None = None
    """What the rules of the freeze answered to the test part: the figures are of that, and today's answers stand beside them."""

    def part(self, part: str) -> list[tuple[Case, Answer]]:
        """Of the development or the test part; the answers to the latter are those of its first scoring."""
        mine = [(c, a) for c, a in self.scored if c.label.part == part]
        return list(self.once.instead(mine)) if part == "test" and self.once is not None else mine

    def _told(self) -> Scored:
        return [*self.part("development"), *self.part("test")]

    def write(self) -> None:
        """The page and its pictures."""
        test, development = self.part("test"), self.part("development")
        shown, name = (test, "test part") if test else (development, "development part")
        (self.folder / "pictures").mkdir(exist_ok=True)
        pictures.confusion(measure.confusion(shown), self.folder / "pictures" / "modes.png", f"Modes, {name} ({len(shown)} cases): true rows, said columns")
        pictures.confusion(measure.confusion(shown, "cause"), self.folder / "pictures" / "causes.png", f"Causes, {name}: true rows, said columns")
        pictures.bars({"gpualert": measure.by_class(shown, "mode"), **{n: measure.by_class(s, "mode") for n, s in self.others.items()}}, self.folder / "pictures" / "modes-f1.png", f"F1 by mode, {name}")
        pictures.bars({"gpualert": measure.by_class(shown, "cause"), **{n: measure.by_class(s, "cause") for n, s in self.others.items()}}, self.folder / "pictures" / "causes-f1.png", f"F1 by cause, {name}")
        fitted = calibration.Monotone(pairs(development))
        raw = pairs(shown)
        pictures.reliability({f"as said, ECE {calibration.ece(raw):.3f}": calibration.bins(raw),
                              f"fitted, ECE {calibration.ece(refit(raw, fitted)):.3f}": calibration.bins(refit(raw, fitted))}, self.folder / "pictures" / "reliability.png", f"Confidence, {name}")
        first, *rest = self.notes.partition("## ")
        parts = (self._head(test, development), first if rest[1] else "", self._figures(test, development), self._classes(test, "mode"), self._classes(test, "cause"), self._costs(test), self._alarms(),
                 self._details(test, development), self._calibration(test, development), self._splits(), self._baselines(shown), self._missing(), "".join(rest) if rest[1] else first)
        (self.folder / "report.md").write_text("\n".join(part.rstrip() + "\n" for part in parts if part), encoding="utf-8")

    def _head(self, test: Scored, development: Scored) -> str:
        hand = sum(c.label.provenance == "handwritten" for c, _ in self.scored)
        return (
            "# What gpualert's verdicts are worth\n\nWritten by `make eval` from `corpus/cases/`; how cases are made and how this is counted stands in [doc/corpus.md](../doc/corpus.md).\n\n"
            f"{len(self.scored)} cases: {len(development)} development, {len(test)} test; {hand} written by hand ({hand / max(1, len(self.scored)):.0%}). "
            + ("All figures are of the **test part** unless a line says otherwise: its recipes, or its software's versions, were not used for writing rules.\n" if test else NO_TEST)
        )

    def _figures(self, test: Scored, development: Scored) -> str:
        rows = []

        def row(what: str, asked: str, values: Sequence[str], met: bool | None) -> None:
            if not test:
                values, met = ["no test part", values[1]], None
            rows.append(f"| {what} | {asked} | {values[0]} | {values[1]} | {'' if met is None else 'met' if met else '**missed**'} |")

        both = (test, development)
        for key, name in (("mode", "modes"), ("cause", "causes")):
            values = [measure.macro_f1(measure.by_class(s, key)) for s in both]
            row(f"macro-F1 over {name}", f"≥ {ASKED[f'{name}_macro_f1']}", [f"{v:.3f}" for v in values], values[0] >= ASKED[f"{name}_macro_f1"])
        for attribute in ("recall", "precision"):
            worst = [_lowest(part, attribute) for part in both]
            row(f"lowest {attribute} of a mode", f"≥ {ASKED[f'mode_{attribute}']}", [f"{v:.2f} ({n})" for v, n in worst], worst[0][0] >= ASKED[f"mode_{attribute}"])
        ran = [_really_ran(part) for part in both]
        row("cause right, cases that really ran", "≥ 0.99", [ratio(*r) for r in ran], ran[0][0] / max(1, ran[0][1]) >= ASKED["fifteen_run"])
        alarms = [len(measure.false_alarms(s)) for s in both]
        good = [sum(c.label.healthy for c, _ in s) for s in both]
        row("false alarms on good runs", "0", [f"{a} of {g}" for a, g in zip(alarms, good, strict=True)], alarms[0] == 0)
        ranks = [measure.first_rank(s) for s in both]
        shares = [(r["right"] + r["tie"]) / max(1, sum(r.values())) for r in ranks]
        row("first failing rank, honest ties counted", "≥ 0.95", [f"{v:.3f} of {sum(r.values())} ({r['tie']} ties)" for v, r in zip(shares, ranks, strict=True)], shares[0] >= ASKED["first_rank"])
        quotes = [(sum(a.standing for _, a in s), sum(a.quotes for _, a in s)) for s in both]
        row("quotes that stand, byte for byte", "all", [f"{q[0]} of {q[1]}" for q in quotes], quotes[0][0] == quotes[0][1])
        eces = [calibration.ece(pairs(s)) for s in both]
        row("ECE of the confidence as said", f"≤ {ASKED['ece']}", [f"{e:.3f}" for e in eces], eces[0] <= ASKED["ece"])
        return "## The figures that were set\n\n| figure | asked | test | development | |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n" + self._now()

    def _now(self) -> str:
        """What today's rules answer to the test part, where they were changed after the look at it."""
        now = [(c, a) for c, a in self.scored if c.label.part == "test"]
        if self.once is None or not now:
            return ""
        scored = f"\nThe test part was scored at {self.once.when}, by the rules of {self.once.rules}"
        changed = self.once.differ(now)
        if not changed:
            return f"{scored}; today's rules answer the same.\n"
        modes, causes = (measure.macro_f1(measure.by_class(now, key)) for key in ("mode", "cause"))
        recall, precision = _lowest(now, "recall"), _lowest(now, "precision")
        return (
            f"{scored}: its figures here and below are of that scoring. Today's rules were **mended after that look** and answer {len(changed)} cases otherwise; "
            f"theirs prove nothing: macro-F1 {modes:.3f} and {causes:.3f}, lowest recall {recall[0]:.2f} ({recall[1]}), "
            f"lowest precision {precision[0]:.2f} ({precision[1]}), causes of really-run cases {ratio(*_really_ran(now))}, {len(measure.false_alarms(now))} false alarms, "
            f"{sum(a.standing for _, a in now)} of {sum(a.quotes for _, a in now)} quotes stand.\n"
        )

    def _classes(self, test: Scored, key: str) -> str:
        title = {"mode": "Modes", "cause": "Causes"}[key]
        develop = {s.name: s for s in measure.by_class(self.part("development"), key)}
        have = {s.name: s for s in measure.by_class(test, key)}
        lines = [f"## {title}\n\n![confusions](pictures/{key}s.png)\n\n| {key} | cases (test) | precision | recall | F1 | development: cases | precision | recall | F1 |", "|---|---|---|---|---|---|---|---|---|"]
        for name in sorted(set(develop) | set(have)):
            one, other = have.get(name), develop.get(name)
            lines.append(f"| {name} | {_class(one)} | {_class(other)} |")
        return "\n".join(lines) + "\n"

    def _costs(self, test: Scored) -> str:
        lines = ["## What costs most\n"]
        for part, of in (("test", test), ("development", self.part("development"))):
            if not of:
                lines.append(f"- {part}: no cases")
                continue
            for key in ("mode", "cause"):
                worst = measure.costliest(of, key)
                lines.append(f"- {part}, {key}s: " + (", ".join(f"{true} taken for {said} ({n})" for true, said, n in worst) or "no confusion"))
        by_recipe = Counter((c.label.recipe, c.label.part) for c, a in self._told() if a.mode != c.label.mode or a.cause != c.label.cause)
        sizes = Counter((c.label.recipe, c.label.part) for c, _ in self.scored)
        lines += ["\n| recipe | part | cases | wrong in mode or cause |", "|---|---|---|---|"]
        lines += [f"| {name} | {part} | {sizes[name, part]} | {n} |" for (name, part), n in by_recipe.most_common(30)]
        return "\n".join(lines) + "\n"

    def _alarms(self) -> str:
        found = measure.false_alarms(self._told())
        if not found:
            return "## False alarms\n\nNone.\n"
        rows = [f"| {c.name} | {c.label.part} | {c.label.provenance} | {'yes' if c.label.hard else ''} | {a.mode} {a.variant or ''} {a.cause or ''} | {a.confidence if a.confidence is not None else ''} |" for c, a in found]
        return "## False alarms\n\n| case | part | provenance | made to look bad | said | confidence |\n|---|---|---|---|---|---|\n" + "\n".join(rows) + "\n"

    def _details(self, test: Scored, development: Scored) -> str:
        questions: tuple[tuple[str, Callable[[Case, Answer], bool], Callable[[Case], bool]], ...] = (
            ("mode", lambda c, a: a.mode == c.label.mode, lambda _: True),
            ("cause, also that there is none", lambda c, a: a.cause == c.label.cause, lambda _: True),
            ("variant", lambda c, a: a.variant == c.label.variant, lambda c: c.label.variant is not None),
            ("who must act", lambda c, a: a.fault == c.label.fault, lambda _: True),
            ("trigger of a hang", lambda c, a: a.trigger == c.label.trigger, lambda c: c.label.trigger is not None),
            ("failed ranks, exactly", lambda c, a: set(a.failed_ranks) == set(c.label.failed_ranks), lambda c: bool(c.label.failed_ranks)),
        )
        rows = [f"| {name} | {ratio(*measure.share(test, right, asked))} | {ratio(*measure.share(development, right, asked))} |" for name, right, asked in questions]
        return "## Single answers\n\n| question | right, test | right, development |\n|---|---|---|\n" + "\n".join(rows) + "\n"

    def _calibration(self, test: Scored, development: Scored) -> str:
        raw, dev = pairs(test), pairs(development)
        fitted = calibration.Monotone(dev)
        lines = ["## Confidence\n\nAn answer is right when mode and cause are. *Fitted* is a monotone map of the confidence fitted on the development part; the programs do not use it.\n\n![reliability](pictures/reliability.png)\n",
                 "| | Brier | ECE | answers |", "|---|---|---|---|",
                 *([f"| test, as said | {calibration.brier(raw):.3f} | {calibration.ece(raw):.3f} | {len(raw)} |",
                    f"| test, fitted | {calibration.brier(refit(raw, fitted)):.3f} | {calibration.ece(refit(raw, fitted)):.3f} | {len(raw)} |"] if raw else ["| no test part | – | – | 0 |"]),
                 f"| development, as said | {calibration.brier(dev):.3f} | {calibration.ece(dev):.3f} | {len(dev)} |",
                 f"\n| said ({'test' if raw else 'development'}) | answers | mean said | right |", "|---|---|---|---|"]  # fmt: skip
        lines += [f"| {b.low:.1f}–{b.high:.1f} | {b.count} | {b.said:.2f} | {b.right:.2f} |" for b in calibration.bins(raw or dev)]
        return "\n".join(lines) + "\n"

    def _splits(self) -> str:
        out = ["## By provenance, software and recipe\n\nBoth parts; modes and causes right.\n"]
        groups: tuple[tuple[str, Callable[[Case], str]], ...] = (
            ("provenance", lambda c: c.label.provenance + (" (GPU readings scripted)" if c.label.gpu == "scripted" else "")),
            ("software", lambda c: ", ".join(f"{k} {v}" for k, v in sorted(c.label.software.items()) if k in ("torch", "numpy", "lightning", "transformers", "slurm")) or "none but Python's own"),
        )
        for title, of in groups:
            out += [f"| {title} | part | cases | mode | cause | macro-F1 modes |", "|---|---|---|---|---|---|"]
            for part in ("test", "development"):
                mine = self.part(part)
                for name in sorted({of(c) for c, _ in mine}):
                    cases = [(c, a) for c, a in mine if of(c) == name]
                    out.append(f"| {name} | {part} | {len(cases)} | {ratio(*measure.share(cases, lambda c, a: a.mode == c.label.mode))} | {ratio(*measure.share(cases, lambda c, a: a.cause == c.label.cause))} | {measure.macro_f1(measure.by_class(cases, 'mode')):.3f} |")
            out.append("")
        return "\n".join(out)

    def _baselines(self, shown: Scored) -> str:
        rows = []
        for name, of in {"gpualert": shown, **self.others}.items():
            alarms, good = len(measure.false_alarms(of)), sum(c.label.healthy for c, _ in of)
            rows.append(f"| {name} | {measure.macro_f1(measure.by_class(of, 'mode')):.3f} | {measure.macro_f1(measure.by_class(of, 'cause')):.3f} | {ratio(*measure.share(of, lambda c, a: a.mode == c.label.mode))} | {alarms} of {good} |")
        return "## Beside simple ways\n\n![modes](pictures/modes-f1.png)\n\n![causes](pictures/causes-f1.png)\n\n| classifier | macro-F1 modes | macro-F1 causes | mode right | false alarms |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"

    def _missing(self) -> str:
        modes, causes = Counter(c.label.mode for c, _ in self.scored), Counter(c.label.cause for c, _ in self.scored)
        few = [f"{m} ({modes[m]})" for m in MODES if modes[m] < 15] + [f"{c.value} ({causes[c.value]})" for c in Cause if causes[c.value] < 20]
        untested = [m for m in MODES if not any(c.label.mode == m for c, _ in self.part("test"))] + [c.value for c in Cause if not any(k.label.cause == c.value for k, _ in self.part("test"))]
        hard = sum(c.label.hard for c, _ in self.scored)
        real = sum(c.label.gpu == "real" for c, _ in self.scored)
        return (
            "## What is thin here\n\n"
            f"- Fewer cases than wanted (15 a mode, 20 a cause): {', '.join(few) or 'none'}.\n"
            + (f"- Not in the test part at all: {', '.join(untested) or 'none'}.\n" if self.part("test") else "- There is no test part.\n") +
            f"- {real} cases come from a real GPU; what needs one is written by hand, or has scripted readings.\n"
            f"- {hard} of {sum(c.label.healthy for c, _ in self.scored)} good runs are made to look bad.\n"
        )


def _lowest(scored: Scored, attribute: str) -> tuple[float, str]:
    """The mode of the lowest ``attribute`` (recall, precision; 0 where there is none), and how low it is."""
    return min(((getattr(s, attribute) or 0.0, s.name) for s in measure.by_class(scored, "mode")), default=(0.0, NONE))


def _really_ran(scored: Scored) -> tuple[int, int]:
    """Right causes of cases that really ran, and how many were asked."""
    return measure.share(scored, lambda c, a: a.cause == c.label.cause, lambda c: c.label.cause is not None and c.label.provenance in ("cpu-run", "slurm-run", "hardware"))


def pairs(scored: Scored) -> list[tuple[float, bool]]:
    """(confidence, right in mode and cause) of answers that say one."""
    return [(a.confidence, a.mode == c.label.mode and a.cause == c.label.cause) for c, a in scored if a.confidence is not None]


def refit(said: Sequence[tuple[float, bool]], fitted: calibration.Monotone) -> list[tuple[float, bool]]:
    """The same with other confidences."""
    return [(fitted(confidence), right) for confidence, right in said]


def ratio(right: int, asked: int) -> str:
    """As ``0.931 (27 of 29)``."""
    return f"{right / asked:.3f} ({right} of {asked})" if asked else NONE


def _class(score: measure.ClassScore | None) -> str:
    if score is None:
        return f"0 | {NONE} | {NONE} | {NONE}"
    precision = NONE if score.precision is None else f"{score.precision:.2f}"
    recall = NONE if score.recall is None else f"{score.recall:.2f}"
    return f"{score.support} | {precision} | {recall} | {score.f1:.2f}"

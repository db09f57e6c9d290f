"""What one mail about many runs says: a row a cause, then the runs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from gpualert_slurm.config import Mail
from gpualert_slurm.notification import LeftOut
from gpualert_slurm.notify import wording, words
from gpualert_slurm.notify.grouping import Kind
from gpualert_slurm.notify.headers import header_text
from gpualert_slurm.notify.plain import sentence, visible
from gpualert_slurm.notify.view import Enclosed, Step
from gpualert_slurm.notify.view_builder import NAME_CHARS, SUBJECT_CHARS, brief, step
from gpualert_slurm.notify.wording import Severity, Tone
from gpualert_slurm.verdict import Fault, Verdict

ORDER = (Severity.NODE, Severity.FAILED, Severity.WARNING, Severity.NEUTRAL, Severity.GOOD)
TASK = re.compile(r"(\d+)_(\d+)")
WHY = {
    Kind.ARRAY: "They are tasks of one array, told together: the first failure at once, the rest from time to time.",
    Kind.HET: "They are the parts of one heterogeneous job, told together.",
    Kind.ALIKE: "They look alike and ran side by side, so they are told together.",
    Kind.ONE: "",
    Kind.LIMIT: "",
}


@dataclass(frozen=True)
class CauseRow:
    """Runs with the same diagnosis."""

    tone: Tone
    count: int
    runs: str
    diagnosis: str
    short: str
    headline: str
    who: str
    step: Step | None
    nodes: str


@dataclass(frozen=True)
class RunRow:
    """One run of the digest."""

    label: str
    state: str
    ended: str
    nodes: str
    headline: str


@dataclass(frozen=True)
class DigestView:
    """All of one digest."""

    tone: Tone
    subject: str
    headline: str
    subtitle: str
    why_together: str
    causes: tuple[CauseRow, ...]
    runs: tuple[RunRow, ...]
    more_causes: str = ""
    more_runs: str = ""
    gpu_hours: str = ""
    left_out: tuple[LeftOut, ...] = ()
    enclosed: tuple[Enclosed, ...] = ()
    redacted: str = ""
    footer: tuple[str, ...] = ()

    @property
    def who(self) -> str:
        """Of the first cause: the preheader's."""
        return self.causes[0].who if self.causes else ""


@dataclass(frozen=True)
class DigestLimits:
    """How much is shown; tried from generous to tight."""

    causes: int = 20
    runs: int = 100


DIGEST_LIMITS = (DigestLimits(), DigestLimits(12, 40), DigestLimits(6, 12), DigestLimits(3, 3))


def build_digest_view(
    verdicts: Sequence[Verdict], kind: Kind, mail: Mail, *, held_back: bool, limits: DigestLimits, zone: tzinfo | None
) -> DigestView:
    """The model of the mail about ``verdicts``, which are already redacted."""
    ordered = sorted(verdicts, key=lambda v: (ORDER.index(_tone(v).severity), not v.is_problem, v.ended_ns or 0, v.attempt.job_id))
    causes = _causes(ordered, mail)
    what = _what(ordered, kind)
    severity = _tone(ordered[0]).severity
    problems = sum(1 for v in ordered if v.is_problem)
    counted = _counted(causes)
    word = f"{problems} of {len(ordered)} need a look" if problems else f"{len(ordered)} ended without a problem"
    headline = f"{word}: {counted}" if problems else counted
    limit = f"This site's limit is {mail.address_per_hour} mails an hour to one address"
    held = f"{words.plural(len(ordered), 'mail')} suppressed: {limit}; here they are in one." if held_back else ""
    ended = [v.ended_ns for v in ordered if v.ended_ns is not None]
    when = f"ended {words.instant(min(ended), zone)} to {words.instant(max(ended), zone)}" if ended else ""
    hours = sum(v.waste.gpu_hours or 0.0 for v in ordered)
    return DigestView(
        tone=Tone(severity, "DIGEST", f"{what}: {word}"),
        subject=header_text(f"[gpualert] {what[0].lower()}{what[1:]}: {headline}", SUBJECT_CHARS),
        headline=headline,
        subtitle=", ".join(p for p in (words.plural(len(ordered), "run"), when) if p),
        why_together=held or WHY[kind],
        causes=tuple(causes[: limits.causes]),
        runs=tuple(_run(v, zone) for v in ordered[: limits.runs]),
        more_causes=f"{len(causes) - limits.causes} more causes: see verdicts.zip" if len(causes) > limits.causes else "",
        more_runs=f"{len(ordered) - limits.runs} more runs: see verdicts.zip" if len(ordered) > limits.runs else "",
        gpu_hours=f"{words.hours(hours)} GPU-hours of them without a result" if hours else "",
        footer=_footer(mail),
    )


def _causes(ordered: Sequence[Verdict], mail: Mail) -> list[CauseRow]:
    groups: dict[tuple[object, ...], list[Verdict]] = {}
    for verdict in ordered:
        groups.setdefault((verdict.mode, verdict.variant, verdict.cause, verdict.fault, verdict.fingerprint), []).append(verdict)
    rows = []
    for alike in sorted(groups.values(), key=lambda g: (ORDER.index(_tone(g[0]).severity), -len(g))):
        first = alike[0]
        rows.append(CauseRow(
            tone=_tone(first),
            count=len(alike),
            runs=labels(alike),
            diagnosis=wording.mode_line(first),
            short=sentence(wording.CAUSES[first.cause] if first.cause else first.title, 60),
            headline=sentence(brief(visible(first.headline)), 300),
            who=wording.who_acts(first, mail.support)[0] if first.fault is not Fault.NONE else "Nobody",
            step=step(first.advice[0]) if first.advice and first.is_problem else None,
            nodes=words.shortened(words.nodes(n for v in alike for n in v.nodes), 120),
        ))  # fmt: skip
    return rows


def labels(verdicts: Sequence[Verdict]) -> str:
    """``tasks 0-12,15 of 4242``; ``4242 4243`` where they are no tasks of one array."""
    tasks = [TASK.fullmatch(v.attempt.label) for v in verdicts]
    arrays = {m[1] for m in tasks if m}
    if all(tasks) and len(arrays) == 1:
        numbers = [int(m[2]) for m in tasks if m]
        return f"{'task' if len(numbers) == 1 else 'tasks'} {words.ranks(numbers)} of {arrays.pop()}"
    return words.shortened(" ".join(visible(v.attempt.label) for v in verdicts), 160)


def _counted(causes: Sequence[CauseRow]) -> str:
    shown = [f"{row.count} × {row.headline if len(causes) == 1 else row.short}" for row in causes[:4]]
    return "; ".join(shown) + (f"; {len(causes) - 4} further kinds" if len(causes) > 4 else "")


def _what(ordered: Sequence[Verdict], kind: Kind) -> str:
    first = ordered[0]
    name = header_text(visible(first.job_name or ""), NAME_CHARS)
    if kind is Kind.ARRAY:
        return f"Array {first.attempt.array_job_id or first.attempt.job_id} {name}".rstrip()
    if kind is Kind.HET:
        return f"Job {first.attempt.het_job_id or first.attempt.job_id} {name}".rstrip()
    names = {v.job_name for v in ordered}
    return f"{len(ordered)} jobs{f' {name}' if len(names) == 1 and name else ''}"


def _run(verdict: Verdict, zone: tzinfo | None) -> RunRow:
    return RunRow(
        label=visible(verdict.attempt.label),
        state=visible(verdict.state or verdict.mode),
        ended=words.instant(verdict.ended_ns, zone),
        nodes=words.shortened(words.nodes(verdict.nodes), 60),
        headline=sentence(brief(visible(verdict.headline)), 160),
    )


def _tone(verdict: Verdict) -> Tone:
    return wording.tone(verdict, f"Job {visible(verdict.attempt.label)}")


def _footer(mail: Mail) -> tuple[str, ...]:
    support = (visible(mail.support),) if mail.support else ()
    return ("gpualert looked at the logs, the GPUs and Slurm's records; it changed nothing about the jobs.", *support,
            "No more of these: submit with --gpualert-mail=none. Only on trouble: --gpualert-when=problem.")  # fmt: skip

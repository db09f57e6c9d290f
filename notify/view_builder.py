"""From verdict and job to the model of a mail. Pure: no clock, no file, no network."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import tzinfo
from typing import TypeVar

from gpualert_slurm.config import Mail
from gpualert_slurm.finding import Finding, Standing
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify import facts, wording, words
from gpualert_slurm.notify.capture_notes import capture_notes
from gpualert_slurm.notify.claims import claim_views
from gpualert_slurm.notify.gpu_changes import counter_table
from gpualert_slurm.notify.headers import header_text
from gpualert_slurm.notify.plain import capital, sentence, visible, visible_lines, wrap
from gpualert_slurm.notify.rank_table import rank_table
from gpualert_slurm.notify.redact import Redactor
from gpualert_slurm.notify.view import LedgerRow, Limits, Step, Table, View
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Fault, FirstFailure, Verdict

T = TypeVar("T")

NAME_CHARS = 40
SUBJECT_CHARS = 150
COMMANDS = re.compile(
    r"(?:srun|sbatch|salloc|scontrol|scancel|sacct|sinfo|squeue|ls|cat|df|du|quota|pip3?|conda|mamba|uv|module|python3?|torchrun|accelerate|export|"
    r"unset|ulimit|nvidia-smi|hf|huggingface-cli|git|mkdir|chmod|chown|cp|mv|ln|find|head|tail|grep|ssh|gpualert|gpualert-run|nslookup|ping)"
)
"""First words by which an advice is known to be something to paste."""
PROSE = re.compile(r", (?:and|or|then) | in the (?:job )?script")

OS_ERROR = re.compile(r"\b((?:FileNotFound|Permission|IsADirectory|NotADirectory|FileExists)Error): \[Errno \d+\] [^:'\"]{1,60}: ['\"]([^'\"]+)['\"]")
LONG_PATH = re.compile(r"(?<![\w.:/])/[^\s:'\"]{36,}")
FAULTS = {Fault.NODE.value: ", a node's fault", Fault.CLUSTER.value: ", the cluster's fault", Fault.USER.value: ", the job's own"}
RELATIONS = {"node": "on a node of this job", "parent": "this job continues it", "earlier_attempt": "an earlier attempt", "same_name": "same name"}


def build_view(verdict: Verdict, job: JobRecord, mail: Mail, redactor: Redactor, *, limits: Limits, zone: tzinfo | None) -> View:
    """The model of the mail about ``verdict``, which is already redacted; text from ``job`` is redacted here."""
    what = run_name(verdict, job)
    titles = {finding.mode: finding.title for finding in verdict.ledger}
    tone = wording.tone(verdict, what)
    who, why_them = wording.who_acts(verdict, mail.support)
    copies = {log.path: f"{r.archive_path}/{log.path.rpartition('/')[2]}" for r in job.reports if r.archive_path for log in r.logs}
    shows, cuts = claim_views(verdict.shows, verdict.evidence, copies=copies, limits=limits, zone=zone)
    warnings, warning_cuts = claim_views(verdict.warnings, verdict.evidence, copies=copies, limits=limits, zone=zone)
    cuts += warning_cuts
    known_gaps = _gaps(*verdict.gaps, *job.gaps, *(g for r in job.reports for g in r.gaps))
    gaps = [sentence(redactor.text(g)) for g in (*capture_notes(job.reports), *known_gaps)]
    return View(
        tone=tone,
        subject=subject(verdict, job, tone),
        headline=sentence(OS_ERROR.sub(r"\1: \2", verdict.headline)),
        mode_line=wording.mode_line(verdict),
        subtitle=_subtitle(verdict, job, tone, zone),
        who=who,
        why_them=why_them,
        how_sure=wording.how_sure(verdict.confidence),
        first_failure=first_failure_words(verdict.first_failure, zone),
        steps=tuple(step(a) for a in verdict.advice[: limits.sentences]),
        shows=shows,
        implies=tuple(_cut((capital(sentence(s)) for s in verdict.implies), limits.sentences, "implications", cuts)),
        cannot_decide=tuple(_cut((capital(sentence(s)) for s in verdict.cannot_decide), limits.sentences, "open questions", cuts)),
        warnings=warnings,
        last_lines=_last_lines(verdict, limits),
        metrics=tuple(_cut(((sentence(k), words.number(v)) for k, v in verdict.final_metrics.items()), limits.listed, "metrics", cuts)),
        facts=facts.fact_rows(verdict, job, redactor, zone),
        ranks=rank_table(verdict.ranks, verdict.first_failure, limits.ranks, zone),
        counters=counter_table(job.reports, limits.counters),
        past=tuple(_cut((_past(p, titles, zone) for p in job.past), limits.listed, "earlier verdicts", cuts)),
        ledger=_ledger(verdict.ledger, limits.ledger),
        gaps=tuple(_cut(gaps, limits.listed, "gaps", cuts)),
        cuts=tuple(cuts),
        footer=_footer(mail, under_slurm=job.under_slurm),
    )


def run_name(verdict: Verdict, job: JobRecord) -> str:
    """``Job 4242 train-7b``; outside Slurm ``Run train.py``, or just ``The run``."""
    name = header_text(visible(verdict.job_name or job.name or ""), NAME_CHARS)
    if not job.under_slurm:
        return f"Run {name}" if name else "The run"
    return f"Job {verdict.attempt.label} {name}".rstrip()


def subject(verdict: Verdict, job: JobRecord, tone: wording.Tone) -> str:
    """``[gpualert] job 4242 train-7b FAILED: rank 3 on n2: FileNotFoundError: data/train.bin``, fit for a header."""
    what = run_name(verdict, job)
    headline = brief(visible(verdict.headline))
    said = f"{tone.word}: "
    if headline.lower().startswith(said.lower()):  # "COMPLETED: completed: 500 steps"
        headline = headline[len(said) :]
    return header_text(f"[gpualert] {what[0].lower()}{what[1:]} {said}{headline}", SUBJECT_CHARS)


def brief(headline: str) -> str:
    """``FileNotFoundError: .../incomplete/shard-0003.bin`` of what Python prints: the errno says what the exception's name says."""
    short = OS_ERROR.sub(r"\1: \2", headline)
    return LONG_PATH.sub(lambda path: f".../{'/'.join(path[0].split('/')[-2:])}", short)


def step(advice: str) -> Step:
    """An advice as sentence and code: in backquotes, after a ``$``, a line that begins with a command, or one after a colon."""
    text = sentence(advice).strip()
    quoted = re.search(r"`([^`]{2,400})`\s*\.?$", text)
    if quoted and text.count("`") == 2:
        return Step(text[: quoted.start()].rstrip(" :") or "Run", quoted[1])
    if text.startswith("$ "):
        return Step("", text.removeprefix("$ "))
    if _is_command(text):
        return Step("", text)
    for colon in re.finditer(r":\s+", text):
        if _is_command(text[colon.end() :]):
            return Step(text[: colon.start()], text[colon.end() :])
    return Step(text)


def _is_command(text: str) -> bool:
    """Whether the whole of ``text`` can be pasted: it begins as a command or a directive does and is no sentence."""
    first = text.split(" ", 1)[0].rpartition("/")[2]
    begins = text.startswith("#SBATCH ") or (COMMANDS.fullmatch(first) is not None and " " in text)
    return begins and not text.endswith(".") and not PROSE.search(text)


def _subtitle(verdict: Verdict, job: JobRecord, tone: wording.Tone, zone: tzinfo | None) -> str:
    ending = facts.ending(verdict)
    worth_saying = verdict.exit_code or verdict.exit_signal or (tone.severity is wording.Severity.GOOD and ending not in verdict.headline)
    parts = [ending] if worth_saying else []
    ran = facts.duration_s(verdict, job)
    if ran is not None:
        parts.append(f"after {words.span(ran)}")
    ended = verdict.ended_ns or job.ended_ns
    if ended is not None:
        parts.append(f"ended {words.instant(ended, zone)}")
    nodes = verdict.nodes or job.nodes
    if nodes:
        parts.append(f"on {words.nodes(nodes)}")
    return ", ".join(p for p in parts if p)


def first_failure_words(first: FirstFailure | None, zone: tzinfo | None) -> str:
    """``rank 3 on n07, at 12:30:15.250``; ranks that one time cannot part are told as a tie; empty for None."""
    if first is None:
        return ""
    if len(first.ranks) > 1:
        tie = ", too close to tell apart," if first.time_ns is not None or first.time else ""  # they went with their node
        who = f"ranks {words.ranks(first.ranks)}{tie}"
    elif first.ranks:
        who = f"rank {first.ranks[0]}"
    else:
        who = "a rank whose number is not known"
    if first.nodes:
        who += f" on {words.nodes(first.nodes)}"
    if first.gpu_uuids:
        who += f" ({', '.join(visible(u) for u in first.gpu_uuids[:4])})"
    when = words.instant(first.time_ns, zone, millis=True) if first.time_ns is not None else visible(first.time or "")
    return f"{who}, at {when}{words.give_or_take(first.uncertainty_s)}" if when else who


def _last_lines(verdict: Verdict, limits: Limits) -> tuple[str, ...]:
    if verdict.mode != "unknown" and verdict.shows:
        return ()
    lines = [row for text in verdict.last_lines for line in visible_lines(text) for row in wrap(line, max_rows=4)]
    return tuple(lines[-limits.rows_per_quote :])


def _ledger(findings: Sequence[Finding], max_rows: int) -> Table:
    order = {Standing.IN: 0, Standing.NOT_TESTABLE: 1, Standing.OUT: 2}
    rows = [
        LedgerRow(
            sentence(f"{capital(f.title)} ({f.mode})"), wording.STANDINGS[f.standing] + ", a warning only" * f.incidental, sentence(f.datum),
            sentence(f.flip),
        )
        for f in sorted(findings, key=lambda f: order[f.standing])
    ]
    more = "" if len(rows) <= max_rows else f"{words.plural(len(rows) - max_rows, 'more failure mode')} considered: see verdict.json"
    return Table(tuple(rows[:max_rows]), more=more)


def _past(past: PastVerdict, titles: Mapping[str, str], zone: tzinfo | None) -> str:
    cause = f": {wording.CAUSES[past.cause]}" if past.cause else ""
    nodes = past.nodes or ""
    folded = visible(nodes) if "[" in nodes else words.nodes(nodes.split(","))
    where = f" on {folded}" if nodes else ""
    when = f", ended {words.instant(past.ended_ns, zone)}" if past.ended_ns is not None else ""
    name = f"{visible(titles[past.mode])} ({visible(past.mode)})" if past.mode in titles else visible(past.mode)
    found = f"{name}{cause}{FAULTS.get(past.fault, '')}"
    return f"Job {sentence(past.job)}{where} ({RELATIONS.get(past.relation, visible(past.relation))}): {found}{when}"


def _footer(mail: Mail, *, under_slurm: bool) -> tuple[str, ...]:
    seen = "the logs, the GPUs and Slurm's records; it changed nothing about the job" if under_slurm else "the command's output and its end"
    lines = [f"gpualert looked at {seen}."]
    if mail.support:
        lines.append(visible(mail.support))
    if under_slurm:
        lines.append("No more of these: submit with --gpualert-mail=none. Only on trouble: --gpualert-when=problem.")
    else:
        lines.append("No more of these: gpualert-run --no-notify. Only on trouble: --when=problem.")
    return tuple(lines)


def _gaps(*gaps: Gap) -> list[str]:
    """Each gap once; the same on several nodes is one line."""
    nodes: dict[tuple[str, str], set[str]] = {}
    for gap in gaps:
        nodes.setdefault((gap.what, gap.why), set()).update({gap.node} if gap.node else ())
    return [f"{words.nodes(where)}: {what} ({why})" if where else f"{what} ({why})" for (what, why), where in nodes.items()]


def _cut(items: Iterable[T], max_items: int, what: str, cuts: list[str]) -> list[T]:
    every = list(items)
    if len(every) > max_items:
        cuts.append(f"{len(every) - max_items} more {what}: see verdict.json")
    return every[:max_items]

"""A verdict for a terminal: short, complete, and with nothing in it that the terminal would obey."""

from __future__ import annotations

import json
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence

from gpualert_slurm.evidence import Evidence, FieldValue, Quote, Reading
from gpualert_slurm.verdict import Claim, FirstFailure, Verdict

MOST_GAPS = 12
LAST_LINES = 15


def as_json(verdict: Verdict) -> str:
    """One JSON object on one line, every key of the format there: null where nothing is known."""
    return json.dumps(as_object(verdict), ensure_ascii=True, allow_nan=False)


def as_object(verdict: Verdict) -> dict[str, object]:
    """What JSON can hold of it: a loss that is no number is the word ``NaN``, ``Infinity`` or ``-Infinity``, as in every file of ours."""
    told: dict[str, object] = json.loads(verdict.model_dump_json())
    return told


def write(text: str) -> None:
    """To stdout, whatever its encoding can show; a closed reader is no error of ours."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    print(text, flush=True)


def as_text(verdict: Verdict, columns: int | None = None) -> str:
    """The verdict as paragraphs of at most ``columns`` (the terminal's, at most 110)."""
    width = min(110, columns or shutil.get_terminal_size((100, 24)).columns)
    return "\n".join(line for part in _parts(verdict, width) for line in part)


def _parts(verdict: Verdict, width: int) -> Iterator[list[str]]:
    yield _wrapped(verdict.headline, width)
    yield [""]
    for lead, words in _facts(verdict):
        if words:
            yield _wrapped(words, width, f"{lead:13}")
    known = {e.id: e for e in verdict.evidence}
    for title, claims in (("What the data shows", verdict.shows), ("Warnings, beside the verdict", verdict.warnings)):
        yield from _claims(title, claims, known, width)
    gaps = [str(gap) for gap in verdict.gaps[:MOST_GAPS]]
    if len(verdict.gaps) > MOST_GAPS:
        gaps.append(f"and {len(verdict.gaps) - MOST_GAPS} more: see --json")
    yield from _sentences("What that implies", verdict.implies, width)
    yield from _sentences("What it cannot decide", verdict.cannot_decide, width)
    yield from _sentences("Next", verdict.advice, width)
    if verdict.mode == "unknown" and verdict.last_lines:
        yield ["", "The last lines", *_lines(verdict.last_lines[-LAST_LINES:], width)]
    yield from _sentences("Not known", gaps, width)


def _facts(verdict: Verdict) -> Iterator[tuple[str, str]]:
    yield "verdict", f"{verdict.mode} {verdict.title}" + (f" ({verdict.variant})" if verdict.variant else "")
    yield "cause", (verdict.cause.value if verdict.cause else "none of the named ones") + (f", {verdict.detail}" if verdict.detail else "")
    yield "who must act", f"{verdict.fault.value}; confidence {verdict.confidence:.0%}"
    yield "how far", verdict.phase.value + _steps(verdict)
    yield "first failed", _first(verdict.first_failure) if verdict.first_failure else ""
    yield "reach", verdict.blast_radius or ""
    yield "trigger", verdict.trigger.text if verdict.trigger else ""


def _claims(title: str, claims: Sequence[Claim], known: dict[str, Evidence], width: int) -> Iterator[list[str]]:
    if claims:
        yield ["", title]
    for claim in claims:
        yield _wrapped(claim.text, width, "  - ")
        for cited in claim.evidence[:3]:
            yield _cited(known[cited], width)


def _sentences(title: str, sentences: Sequence[str], width: int) -> Iterator[list[str]]:
    if sentences:
        yield ["", title]
    for sentence in sentences:
        yield _wrapped(sentence, width, "  - ")


def _steps(verdict: Verdict) -> str:
    if verdict.steps_done is None:
        return ""
    return f", {verdict.steps_done} of {verdict.steps_planned} steps" if verdict.steps_planned else f", {verdict.steps_done} steps"


def _first(first: FirstFailure) -> str:
    ranks = ", ".join(str(r) for r in first.ranks) or "unknown"
    words = f"rank {ranks}" if len(first.ranks) < 2 else f"ranks {ranks} (a tie)"
    if first.nodes and any(first.nodes):
        words += f" on {', '.join(n for n in first.nodes if n)}"
    if first.time:
        words += f" at {first.time}" + (f" ± {_span(first.uncertainty_s)}" if first.uncertainty_s is not None else "")
    return words


def _span(seconds: float) -> str:
    """Hours where a zone is not known, else seconds."""
    return f"{seconds / 3600:.0f} h (the log prints no zone)" if seconds >= 12 * 3600 else f"{seconds:.3g} s"


def _cited(evidence: Evidence, width: int) -> list[str]:
    source = evidence.source
    if isinstance(source, Quote):
        first = (source.text.splitlines() or [""])[0]
        return [*_lines([first], width, 2), *_wrapped(f"{source.file}:{source.line}", width, "      ")]
    if isinstance(source, FieldValue):
        return _wrapped(f"{source.record}: {source.name} = {source.value}", width, "      ")
    return _wrapped(_reading(source), width, "      ")


def _reading(source: Reading) -> str:
    values = ", ".join(f"{v:g}" for v in source.values[:6]) + (" …" if len(source.values) > 6 else "")
    return f"{source.source}: {values} {source.unit}".rstrip()


def _lines(lines: Sequence[str], width: int, rows: int = 4) -> list[str]:
    from gpualert_slurm.notify.plain import visible, wrap

    return [f"    | {row}" for line in lines for row in wrap(visible(line), max_rows=rows, columns=width - 6)]


def _wrapped(text: str, width: int, lead: str = "") -> list[str]:
    from gpualert_slurm.notify.plain import visible

    plain = " ".join(visible(line) for line in text.splitlines())
    return textwrap.wrap(plain, width, initial_indent=lead, subsequent_indent=" " * len(lead), break_on_hyphens=False) or [lead.rstrip()]

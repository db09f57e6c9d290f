"""Claims with the evidence they stand on, as a reader can check it: the words, and where they lie."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import tzinfo

from gpualert_slurm.evidence import Evidence, FieldValue, Quote, Reading, Where
from gpualert_slurm.notify import words
from gpualert_slurm.notify.plain import capital, sentence, visible, visible_lines, wrap
from gpualert_slurm.notify.view import ClaimView, Limits, Quoted
from gpualert_slurm.notify.wording import trust_words
from gpualert_slurm.verdict import Claim

VALUES_SHOWN = 8
LOOK_AHEAD = 4
OWNERS_NAMED = 6
FIELD_WORDS = {"wait_status": "ended with"}
"""Fields whose name in the record says less than these words before their value do."""
SCRIPT_STEPS = ("batch", "interactive")
"""Steps whose one task is the job's own shell: "rank 0" would name the wrong thing."""


def claim_views(
    claims: Sequence[Claim], evidence: Sequence[Evidence], *, copies: Mapping[str, str], limits: Limits, zone: tzinfo | None
) -> tuple[tuple[ClaimView, ...], list[str]]:
    """The claims as they are shown, each once, and what was cut: each cut names its number and where the rest is.

    ``copies`` gives, for a log on a node, where the owner's copy of it lies.
    """
    by_id = {e.id: e for e in evidence}
    looked_at = claims[: LOOK_AHEAD * limits.claims]
    made = list(dict.fromkeys(_claim(c, by_id, copies, limits, zone) for c in looked_at))
    shown = made[: limits.claims]
    cuts = [cut for _, cut in shown if cut]
    more = len(made) - len(shown) + len(claims) - len(looked_at)
    if more:
        cuts.append(f"{words.plural(more, 'more statement')} with evidence: see verdict.json")
    return tuple(view for view, _ in shown), cuts


def _claim(
    claim: Claim, by_id: Mapping[str, Evidence], copies: Mapping[str, str], limits: Limits, zone: tzinfo | None
) -> tuple[ClaimView, str]:
    """The claim as shown, and what was cut of its evidence."""
    cited = _folded([quoted(by_id[i], copies, limits, zone) for i in claim.evidence if i in by_id])
    view = ClaimView(capital(sentence(claim.text)), tuple(cited[: limits.quotes_per_claim]))
    more = len(cited) - limits.quotes_per_claim
    return view, f"{words.plural(more, 'more piece')} of evidence for “{view.text[:80]}”: see verdict.json" if more > 0 else ""


def _folded(pieces: Sequence[Quoted]) -> list[Quoted]:
    """Pieces that say the very same are one, which names the owners of the others."""
    groups: dict[tuple[str, ...], list[Quoted]] = {}
    for piece in dict.fromkeys(pieces):
        groups.setdefault(piece.rows, []).append(piece)
    folded = []
    for first, *others in groups.values():
        owners = list(dict.fromkeys(o.owner for o in others if o.owner and o.owner != first.owner))
        named = ", ".join(owners[:OWNERS_NAMED]) + (f" and {len(owners) - OWNERS_NAMED} others" if len(owners) > OWNERS_NAMED else "")
        folded.append(replace(first, alike=f"the same of {named}" if named else ""))
    return folded


def quoted(evidence: Evidence, copies: Mapping[str, str], limits: Limits, zone: tzinfo | None) -> Quoted:
    """One piece of evidence: a quote with file and line, a reading with its window, a field with the query that shows it."""
    source = evidence.source
    if isinstance(source, Quote):
        rows = [row for line in visible_lines(source.text) for row in wrap(line)] or ["(an empty line)"]
        place = f"{sentence(copies.get(source.file, source.file))}, line {source.line}"
    elif isinstance(source, Reading):
        rows = wrap(_reading(source))
        place = f"{sentence(source.source)}, {words.instant(source.time_from_ns, zone)} to {words.instant(source.time_to_ns, zone)}"
    else:
        assert isinstance(source, FieldValue)  # noqa: S101 - the union has three members
        name = visible(source.name)
        rows = wrap(f"{FIELD_WORDS[name]} {visible(source.value)}" if name in FIELD_WORDS else f"{name} = {visible(source.value)}")
        # Who may read an exit record again has no command for it: it lies on the node, root's.
        again = "" if source.query.startswith("exit record ") else f"; see it again with: {sentence(source.query)}"
        place = f"{sentence(source.record)}{again}"
    if len(rows) > limits.rows_per_quote:
        rows = [*rows[: limits.rows_per_quote], f"… {words.plural(len(rows) - limits.rows_per_quote, 'more line')}: see verdict.json"]
    redacted = bool(evidence.data.get("redacted"))
    return Quoted(tuple(rows), place, _attributes(evidence, zone), whose(evidence.where), isinstance(source, Quote), redacted)


def _reading(reading: Reading) -> str:
    values, in_bytes = reading.values, reading.unit == "bytes"
    unit = f" {visible(reading.unit)}" if reading.unit and not in_bytes else ""
    if not values:
        return "no value in this window"
    shown = [words.size(round(v)) if in_bytes and math.isfinite(v) else words.number(v) for v in values]
    if len(set(values)) == 1 < len(values):
        return f"{len(values)} values, all of them {shown[0]}{unit}"
    if len(values) <= VALUES_SHOWN:
        return f"{', '.join(shown)}{unit}"
    low, high = shown[values.index(min(values))], shown[values.index(max(values))]
    return f"{len(values)} values, first {shown[0]}, last {shown[-1]}, lowest {low}, highest {high}{unit}"


def _attributes(evidence: Evidence, zone: tzinfo | None) -> str:
    parts = [whose(evidence.where)]
    if evidence.time_ns is not None:
        about = words.give_or_take(evidence.uncertainty_ns / 1e9 if evidence.uncertainty_ns else None)
        parts.append(f"{words.instant(evidence.time_ns, zone, millis=True)}{about}")
    parts.append(trust_words(evidence.trust))
    return ", ".join(p for p in parts if p)


def whose(where: Where) -> str:
    """``rank 3 on n2, GPU-8f…``; empty when nothing is known."""
    parts = []
    if where.step in SCRIPT_STEPS:
        parts.append("the batch script" if where.step == "batch" else "the interactive shell")
    elif where.rank is not None:
        parts.append(f"rank {where.rank}")
    if where.node is not None:
        parts.append(f"on {visible(where.node)}" if parts else visible(where.node))
    text = " ".join(parts)
    return ", ".join(part for part in (text, visible(where.gpu_uuid) if where.gpu_uuid else "") if part)

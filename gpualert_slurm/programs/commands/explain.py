"""``gpualert explain``: the ledger of a verdict: what was asked, what decided it, and what would have turned it over."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpualert_slurm.programs.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("verdict", metavar="VERDICT.json", help="a verdict as the mail carries it, or - for stdin")
    parser.add_argument("--evidence", action="store_true", help="also print the evidence behind each row")


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.programs.verdict_file import VerdictFileError, read_verdict
    from gpualert_slurm.programs.verdict_text import write

    try:
        verdict = read_verdict(Path(arguments.verdict))
    except VerdictFileError as error:
        print(f"gpualert explain: {error}", file=sys.stderr)
        return 2
    from gpualert_slurm.notify.plain import visible

    known = {e.id: e for e in verdict.evidence}
    kind = f"{verdict.mode}{' ' + verdict.variant if verdict.variant else ''}"
    whose = f"job {verdict.attempt.label}" if verdict.attempt.job_id else "this run"  # outside Slurm a run has no number
    write(visible(f"{whose}: {kind} ({verdict.title}), confidence {verdict.confidence:.2f}, fault {verdict.fault.value}"))
    write(visible(f"  {verdict.headline}"))
    for row in verdict.ledger:
        chosen = "*" if row.mode == verdict.mode else " "
        standing = f"{row.standing.value}{', incidental' if row.incidental else ''}"
        write(visible(f"{chosen}{row.mode:3} {standing:15} {row.title}: {row.datum}"))
        write(visible(f"                     would turn over: {row.flip}"))
        if arguments.evidence:
            for name in row.evidence:
                if name in known:
                    write(visible(f"                     {name}: {_source(known[name])}"))
    for words in verdict.cannot_decide:
        write(visible(f"cannot decide: {words}"))
    return 0


def _source(evidence: object) -> str:
    from gpualert_slurm.evidence import Evidence, FieldValue, Quote

    if not isinstance(evidence, Evidence):
        return ""
    source = evidence.source
    if isinstance(source, Quote):
        return f"{source.file}:{source.line} (byte {source.offset}): {source.text[:200]}"
    if isinstance(source, FieldValue):
        return f"{source.record}, {source.name}: {source.value[:200]}  [{source.query}]"
    return f"{source.source}: {', '.join(f'{v:g}' for v in source.values[:8])} {source.unit}"


COMMAND = Command(help="print a verdict's ledger: every mode, what decided it, what would turn it over", arguments=_arguments, run=_run)

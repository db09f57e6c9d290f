"""``gpualert try``: what a pattern finds in a log, as the engine would find it; for writing a parser's patterns."""

from __future__ import annotations

import argparse
import re
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gpualert_slurm.programs.command import Command

if TYPE_CHECKING:
    from gpualert_slurm.classifier.trial import Hit, Trial

SLOW_S = 0.05
NO_SUCH_NAME = "no known pattern has this name ('gpualert modes --patterns' lists them): it was tried as an expression"


def _arguments(parser: argparse.ArgumentParser) -> None:
    what = "a regular expression (Python's re), or the name of a known pattern, as 'gpualert modes --patterns' lists it"
    parser.add_argument("pattern", metavar="PATTERN", help=what)
    parser.add_argument("file", metavar="FILE", help="a log; its lines are tried without their prefixes, colours and NULs")
    parser.add_argument("--most", type=int, default=20, metavar="N", help="print so many matches (default: %(default)s); all are counted")
    parser.epilog = (
        "Printed are each match's line and byte, its groups, and what known patterns say of the same line; then how the engine finds such lines."
        " Exit status: 0 something matched, 1 nothing did, 2 the pattern or the file is no good."
    )


def _run(arguments: argparse.Namespace) -> int:
    from gpualert_slurm.classifier.trial import Trial, TrialError
    from gpualert_slurm.framed_log import open_log
    from gpualert_slurm.programs.verdict_text import write
    from gpualert_slurm.rank_log import LogFrame

    path = Path(arguments.file)
    try:
        trial = Trial(arguments.pattern)
    except TrialError as error:
        return _refuse(str(error))
    try:
        began, shown = time.process_time(), 0
        with open_log(path.resolve(), LogFrame.read(path.resolve())) as log:
            for hit in trial.run(log):
                if shown < arguments.most:
                    write(_told(hit))
                shown += 1
        took = time.process_time() - began
    except (OSError, RuntimeError) as error:  # resolve() of a loop of links is a RuntimeError before Python 3.13
        return _refuse(f"{arguments.file}: {getattr(error, 'strerror', None) or error}")
    write(_sum(trial, shown, took, min(shown, max(0, arguments.most))))
    return 0 if shown else 1


def _told(hit: Hit) -> str:
    from gpualert_slurm.notify.plain import visible

    rank = hit.line.speaker.rank
    who = f", rank {rank}" if rank is not None else ""
    groups = [f"    {name} = {value}" for name, value in hit.groups.items()]
    known = [f"    known as {name}: {says}" for name, says in hit.known]
    return "\n".join(visible(text) for text in [f"line {hit.line.number}, byte {hit.line.offset}{who}: {hit.line.text[:300]}", *groups, *known])


def _sum(trial: Trial, matched: int, took: float, shown: int) -> str:
    from gpualert_slurm.notify.plain import visible

    words = ", ".join(repr(word) for word in trial.words)
    how = f"found by its words: {words}" if trial.words else "no word must stand in a match: where there is no Hyperscan, every line is swept over"
    many = f"{matched} lines match" + (f", {shown} shown" if shown < matched else "")
    named = re.fullmatch(r"[a-z_]+\.[a-z_]+", trial.regex)
    lines = [
        "",
        *([NO_SUCH_NAME] if named and not matched else []),
        f"{many}; {trial.tried} were tried, {trial.bytes_read} bytes read in {took:.2f} s of CPU",
        how,
        "Hyperscan is given: " + trial.expression,
    ]
    if trial.slowest_s > SLOW_S:
        lines.append(f"SLOW: one line took {trial.slowest_s:.2f} s (line {trial.slowest_line}): look for repeats inside repeats")
    return "\n".join(visible(line) for line in lines)


def _refuse(words: str) -> int:
    print(f"gpualert try: {words}", file=sys.stderr)
    return 2


COMMAND = Command(help="try a pattern on a log: what it matches, its groups, and how the engine finds it", arguments=_arguments, run=_run)

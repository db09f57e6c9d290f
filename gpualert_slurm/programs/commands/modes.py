"""``gpualert modes``: every failure mode, in the order the ladder asks them, with its evidence."""

from __future__ import annotations

import argparse
import json

from gpualert_slurm.programs.command import Command


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("mode", nargs="?", metavar="CODE", help="only this mode, for example A1")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--patterns", action="store_true", help="also every pattern that is read in logs, with a sample of it")


def _run(arguments: argparse.Namespace) -> int:
    import sys

    from gpualert_slurm.classifier.catalogue import modes, patterns
    from gpualert_slurm.programs.verdict_text import write

    found = [m for m in modes() if arguments.mode is None or m["code"].lower() == arguments.mode.lower()]
    if not found:
        known = ", ".join(m["code"] for m in modes())
        print(f"gpualert modes: no mode is called {arguments.mode!r}; there are {known}", file=sys.stderr)
        return 2
    if arguments.json:
        for mode in found:
            write(json.dumps(mode, ensure_ascii=True))
        return 0
    for mode in found:
        write(f"{mode['code']:8}{mode['title']}")
        for word in ("variants", "positive", "excludes", "leaves_open", "needs"):
            if mode[word]:
                write(f"        {word.replace('_', ' '):12} {mode[word]}")
    if arguments.patterns:
        write("")
        for pattern in patterns():
            write(f"{pattern['name']}  ({pattern['says']}, {pattern['role']})")
            write(f"        {pattern['sample']}")
    return 0


COMMAND = Command(help="list every failure mode with the evidence that rules it in", arguments=_arguments, run=_run)

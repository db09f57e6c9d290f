"""``gpualert``: one file a sub-command in ``commands/``; adding one touches nothing here."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from gpualert_slurm import __version__
from gpualert_slurm.discovery import discover
from gpualert_slurm.programs import commands
from gpualert_slurm.programs.command import Command


def parser() -> argparse.ArgumentParser:
    """The whole command line, as ``--help`` and the man page show it."""
    top = argparse.ArgumentParser(prog="gpualert", description="Why a GPU training job failed, who must act, what to do next.")
    top.add_argument("--version", action="version", version=f"gpualert {__version__}")
    subs = top.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for module_name, command in discover(commands, "COMMAND", Command).items():
        name = module_name.rstrip("_").replace("_", "-")
        listed = {} if command.hidden else {"help": command.help}  # argparse lists what has a help
        described: dict[str, Any] = {"description": command.help, "add_help": not command.parses_own_help, **listed}
        sub = subs.add_parser(name, **described)
        command.arguments(sub)
        sub.set_defaults(run=command.run)
    return top


def main(argv: Sequence[str] | None = None) -> int:
    """Run one sub-command; returns its exit status (2 for a wrong command line)."""
    words = list(sys.argv[1:] if argv is None else argv)
    passing = discover(commands, "COMMAND", Command).get(words[0]) if words else None
    if passing is not None and passing.parses_own_help:
        return passing.run(argparse.Namespace(words=words[1:]))
    arguments = parser().parse_args(words)
    try:
        status: int = arguments.run(arguments)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        return 130
    return status


if __name__ == "__main__":
    sys.exit(main())

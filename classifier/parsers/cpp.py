"""What the C++ runtime prints of an exception that nobody caught (libstdc++'s ``__verbose_terminate_handler``)."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_LOGIC = re.compile(r"std::(?:logic_error|out_of_range|invalid_argument|length_error|domain_error|future_error|bad_(?!alloc)\w{1,30})$")
"""C++ classes that are no runtime_error."""


def _terminated(found: re.Match[str], match: Match) -> Match:
    if _LOGIC.match(found["what"]):
        return match
    meaning = meaning_of("std::bad_alloc" if "bad_alloc" in found["what"] else "RuntimeError", found["what"])
    return refined(match, cause=meaning.cause, detail=meaning.detail)


def _what(found: re.Match[str], match: Match) -> Match | None:
    """What a C++ exception says, where that has a meaning of its own."""
    meaning = meaning_of("", found["message"])
    if meaning.cause is None:
        return None
    return refined(match, cause=meaning.cause, detail=meaning.detail, data={"message": found["message"][:300], "bare": True, "parting": True})


PARSER = Parser(
    program="C++",
    patterns=(
        Pattern(
            name="terminate",
            says="native_crash",
            role=Role.CONFIRMATION,
            regex=r"terminate called after throwing an instance of '(?P<what>[^']{1,120})'",
            literals=("terminate called after throwing",),
            samples=(
                "terminate called after throwing an instance of 'c10::Error'",
                "terminate called after throwing an instance of 'std::bad_alloc'",
            ),
            near_misses=("terminate called without an active exception", "the job will terminate"),
            read=_terminated,
        ),
        Pattern(
            name="what",
            says="error_line",
            role=Role.CONFIRMATION,
            regex=r"^\s{1,4}what\(\): {1,4}(?P<message>\S.{1,600})$",
            literals=("what():",),
            samples=("  what():  filesystem error: cannot get file size: No such file or directory [/data/x.bin]",),
            near_misses=("so what(): nothing", "what(): at the line's head"),
            read=_what,
        ),
    ),
)

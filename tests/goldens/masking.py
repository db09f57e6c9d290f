"""What two recordings of one run must have in common: the kinds of lines, without times, numbers, process ids and paths."""

from __future__ import annotations

import io
import re

from gpualert_slurm.classifier import scan
from gpualert_slurm.evidence import Where

_ENDS = re.compile(rb"[\n\r\x08]+|(?=Traceback \(most recent call last\):)")  # a bar that was not yet ended stands before some tracebacks
_ANSI = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MASKS = (
    (re.compile(r"[█▏▎▍▌▋▊▉━╸╺╴]+[ ━╸╺]*"), "~"),
    (re.compile(r"\[[=>.]{4,}\]"), "[~]"),
    (re.compile(r"0x[0-9a-f]+"), "0x#"),
    (re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"), "#"),
    (re.compile(r"\{'\w+'(?:, '\w+')+\}"), "{#}"),  # a set prints its members in any order
    (re.compile(r"\btmp[\w]{6,}"), "tmp#"),
    (re.compile(r"__autograph_generated_file\w{8}"), "__autograph_generated_file#"),
    (re.compile(r"pytorch-errorfile-\w{8}"), "pytorch-errorfile-#"),
    (re.compile(r"(?:\b(?:SSE|AVX|AMX|FMA)[\w.]*[ ,]*)+"), "CPU# "),  # what this machine's processor can do
    (re.compile(r"\bnone_\w{8}"), "none_#"),
    (re.compile(r"\b[0-9a-f]{8,64}\b"), "#"),
    (re.compile(r"[-+]?\d[\d.,:]*(?:[eE][-+]?\d+)?"), "#"),
    (re.compile(r"#(?:it/s|s/it|step/s|\w{0,2}s/step|\w{1,2}s?/epoch|ba/s| ?examples/s)"), "#rate"),
    (re.compile(r"\?(?:it/s| ?examples/s)"), "#rate"),
    (re.compile(r"#[mu]?s\b"), "#s"),
    (re.compile(r"#(?:\s*#)+"), "#"),
    (re.compile(r"\s+"), " "),
)


def templates(log: bytes) -> list[str]:
    """Every kind of line in order of its first appearance."""
    found: dict[str, None] = {}
    for raw in _ENDS.split(log):
        text = _ANSI.sub("", raw.decode("utf-8", "backslashreplace")).strip()
        for mask, instead in _MASKS:
            text = mask.sub(instead, text)
        if text.strip():
            found[text.strip()] = None
    return list(found)


def said(log: bytes) -> list[str]:
    """What the parsers find in it, each kind once."""
    evidence = scan(io.BytesIO(log), "job.log", Where()).evidence
    kinds = {f"{e.pattern} says {e.says} as {e.role.value}" + (f": {e.cause.value if e.cause else '-'}, {e.detail or '-'}" if e.role.value == "root" else "") for e in evidence}
    return sorted(kinds)


def differences(before: bytes, after: bytes, *, steady: bool) -> list[str]:
    """What only one of two recordings has, in words.

    Of several processes, whom a launcher still had to take down, and what of a worker's end its parent met first, differs from run to run.
    """
    pairs = [("found", said(before), said(after))]
    if not steady:
        pairs = [("found", *([one for one in kinds if not re.search(" as (?:cascade|confirmation)", one)] for kinds in pairs[0][1:]))]
    if steady:
        pairs.append(("line", templates(before), templates(after)))
    told = []
    for kind, old, new in pairs:
        told += [f"gone {kind}: {one}" for one in old if one not in set(new)]
        told += [f"new {kind}: {one}" for one in new if one not in set(old)]
    return told

"""Inputs of 1 MiB that are made to be slow: out of what the patterns know, cut and repeated."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator

from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.engine import Engine, engine
from gpualert_slurm.classifier.lines import MAX_LINE_BYTES
from gpualert_slurm.evidence import Where
from tests.bench.compare import Progress

MIB = 1 << 20
ENDS = (b"\n", b"\r", b"")


def inputs(rules: Engine) -> Iterator[tuple[str, bytes]]:
    """Each pattern's and story's own text in the shapes that make a backtracking matcher try most; each of them 1 MiB."""
    known = [(name, pattern.samples) for name, pattern, _ in rules.patterns] + [(name, story.samples) for name, story, _ in rules.stories]
    for name, samples in known:
        for sample in samples[:2]:
            text = sample.encode()
            for stuff in (text + b"\n", text[: len(text) // 2 + 1], text[:-1] + b" "):
                line = (stuff * (MAX_LINE_BYTES // len(stuff) + 1))[:MAX_LINE_BYTES] + b"\n"
                yield name, (line * (MIB // len(line) + 1))[:MIB]
    for stuff in (b" ", b"\t", b"x", b"0", b"0.", b"/", b":", b"[", b"\x1b[", b"\0", b"\r", b"\n", b"\xff", b"loss ", b"e", b"1:", b"(pid=", b"Error: ", b"  File \"x\", line 1\n"):
        for end in ENDS:
            yield repr(stuff + end), (stuff * (MIB // len(stuff)))[:MIB] if not end else ((stuff * (200 // len(stuff) + 1) + end) * (MIB // 200))[:MIB]


def slowest(progress: Progress, rules: Engine | None = None) -> tuple[float, str, int]:
    """The longest time a scan of one of them takes (CPU seconds), of what it was made, and how many were tried."""
    rules = rules or engine()
    worst, of, tried = 0.0, "", 0
    for name, log in inputs(rules):
        began = time.process_time()
        scan(io.BytesIO(log), "x", Where(), rules=rules)
        took = time.process_time() - began
        tried += 1
        if took > worst:
            worst, of = took, name
        progress(f"hostile inputs: {tried}")
    return worst, of, tried

"""What the fuzzer starts from: the samples of every pattern, prefixes, logs of several attempts, and a verdict."""

from __future__ import annotations

from pathlib import Path

from tests.fuzz.targets import both

PREFIXES = ["", "3: ", "[rank3]: ", "[1,3]<stderr>:", "(Worker pid=7) ", "2026-11-20T16:30:00.123Z ", "\x1b[36m(W pid=7, ip=10.0.0.1)\x1b[0m "]
EXAMPLE = Path(__file__).parents[2] / "doc" / "types" / "Verdict.json"


def seeds(target: str) -> list[bytes]:
    """Inputs for one target, from the project's own samples."""
    if target == "verdicts":
        return [EXAMPLE.read_bytes(), b"{}", b'{"format": "gpualert-verdict/1"}', b"[1e999]"]
    rules = both()[0]
    samples = [s for _, p, _ in rules.patterns for s in p.samples] + [s for _, t, _ in rules.stories for s in t.samples]
    found = [(PREFIXES[at % len(PREFIXES)] + sample).encode() + b"\n" for at, sample in enumerate(samples)]
    return [*found, b"".join(found[:40]), b"\r".join(found[40:80]), b"A", b"\xff\0\x1b[31m\b\r\n"]

"""What must hold for any bytes: each target raises when it does not."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import re
import tempfile
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from gpualert_slurm.classifier import parsers, scan
from gpualert_slurm.classifier.engine import Engine, engine
from gpualert_slurm.classifier.lines import bare, blocks, clean, flat
from gpualert_slurm.classifier.nominate import Plain
from gpualert_slurm.classifier.pattern import Parser
from gpualert_slurm.classifier.printed import read as read_time
from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Quote, Trust, Where
from gpualert_slurm.programs.cited_log import cited
from gpualert_slurm.programs.verdict_file import VerdictFileError, read_verdict
from gpualert_slurm.programs.verdict_text import as_json, as_text

WHERE = Where(node="n1", rank=0, step="0")


class BrokenPromiseError(AssertionError):
    """A target's promise did not hold."""


def promise(holds: bool, what: str) -> None:
    """Raise where it does not hold; an ``assert`` would be optimised away."""
    if not holds:
        raise BrokenPromiseError(what)


class Slow(io.BytesIO):
    """Gives ``most`` bytes at a time."""

    def __init__(self, content: bytes, most: int) -> None:
        super().__init__(content)
        self.most = most

    def read(self, n: int | None = -1, /) -> bytes:
        return super().read(min(self.most, n) if n and n > 0 else n)


def lines(data: bytes) -> None:
    """Splitting loses no byte and no line, wherever a read ends; cleaning raises for nothing."""
    size, log = 1 + (data[0] if data else 0), data[1:]
    tasted = bytearray()
    found = list(blocks(Slow(log, size), tasted.extend))
    promise(bytes(tasted) == log, "the hash is made of other bytes than were read")
    promise(sum(len(b.data) + b.cut for b in found) == len(log), "bytes are lost")
    for block in found:
        promise(log[block.offset : block.offset + len(block.data)] == block.data or not block.data, "a block stands elsewhere")
        even = flat(block.data)
        promise(len(even) == len(block.data), "flat data has another length")
        promise(bare(even).count(b"\n") == even.count(b"\n"), "a line was lost with its colours")
        for raw in even.split(b"\n")[:200]:
            line = clean(raw, 0, 1)
            promise("\0" not in line.text and "\n" not in line.text, "a control byte is left in a line")
            if line.speaker.stamp is not None:
                read_time(line.speaker.stamp, 10**18)


def scanning(data: bytes) -> None:
    """Each quote reopens to its bytes on its line, all of it is USER, and both engines say the same."""
    fast, plain = both()
    parsed = scan(io.BytesIO(data), "x.log", WHERE, rules=fast)
    promise(parsed.bytes_read == len(data), "not all was read")
    promise(parsed.sha256 == hashlib.sha256(data).hexdigest(), "another hash")
    for evidence in parsed.evidence:
        source = evidence.source
        promise(isinstance(source, Quote), "log evidence that is no quote")
        if isinstance(source, Quote):
            raw = data[source.offset : source.offset + source.length]
            promise(hashlib.sha256(raw).hexdigest() == source.sha256, "a quote's hash")
            promise(raw.decode("utf-8", "backslashreplace") == source.text, "a quote's text")
            promise(source.line == data.count(b"\n", 0, source.offset) + 1, "a quote's line")
        promise(evidence.trust is Trust.USER, "a log's word is taken for the system's")
    promise(len({e.id for e in parsed.evidence}) == len(parsed.evidence), "two pieces of evidence with one id")
    promise(not any("what a pattern says" in gap.what for gap in parsed.gaps), f"a reader failed: {[g.why for g in parsed.gaps]}")
    promise(parsed.json_bytes() == scan(io.BytesIO(data), "x.log", WHERE, rules=plain).json_bytes(), "the engines differ")


def readers(data: bytes) -> None:
    """No parser's reader or story raises on a line, whatever nominated it."""
    rules = both()[0]
    told = [clean(raw, at, at + 1) for at, raw in enumerate(flat(data).split(b"\n")[:60])]
    for line in told:
        for name, pattern, compiled in rules.patterns:
            pattern.match(line, compiled, name)
    for name, story, _ in rules.stories:
        collector = story.collect(told[0], name)
        for line in told[1:]:
            if not collector.take(line):
                break
        collector.close()


def verdicts(data: bytes) -> None:
    """A verdict file is read or refused with a reason; what was read can be printed, and its quotes looked up, whatever they claim."""
    with tempfile.TemporaryDirectory(prefix="gpualert-fuzz-") as folder:
        path = Path(folder, "verdict.json")
        path.write_bytes(data)
        try:
            verdict = read_verdict(path)
        except VerdictFileError:
            return
        log = Path(folder, "x.log")
        log.write_bytes(data[:4096])
        shown = as_text(verdict, 80)
        promise(not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", shown), "a control character reaches the terminal")
        with contextlib.suppress(ValueError):  # a number that JSON has no word for
            json.loads(as_json(verdict))
        quotes = [e.source.model_copy(update={"file": str(log)}) for e in verdict.evidence if isinstance(e.source, Quote)]
        for one in cited(quotes):
            one.check([Path(folder)])
            for number, quote in enumerate(one.quotes):
                stands = hashlib.sha256(log.read_bytes()[max(0, quote.offset) :][: max(0, quote.length)]).hexdigest() == quote.sha256
                promise(stands or number in one.wrong, "a quote that does not stand was let pass")


@lru_cache(maxsize=1)
def both() -> tuple[Engine, Engine]:
    """The engine that is used here, and the plain one."""
    return engine(), Engine(discover(parsers, "PARSER", Parser), Plain)


TARGETS: dict[str, Callable[[bytes], None]] = {"lines": lines, "scanning": scanning, "readers": readers, "verdicts": verdicts}

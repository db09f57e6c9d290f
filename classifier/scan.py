"""One pass over one log: text to evidence. All of it is USER trust, whatever the text claims to be."""

from __future__ import annotations

import hashlib
from collections import deque
from dataclasses import replace
from heapq import nlargest
from typing import BinaryIO

from gpualert_slurm.classifier import saves
from gpualert_slurm.classifier.bulk import Choice
from gpualert_slurm.classifier.counting import counted
from gpualert_slurm.classifier.engine import Engine, engine
from gpualert_slurm.classifier.harvest import SERIES, Arrival, Harvest
from gpualert_slurm.classifier.held_up import held_up
from gpualert_slurm.classifier.lines import MAX_LINE_BYTES, Block, Line, bare, blocks, bounds, clean, flat, heard
from gpualert_slurm.classifier.log_ends import Ends
from gpualert_slurm.classifier.page import Page, placed
from gpualert_slurm.classifier.parting import LAST_BYTES, parting
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.printed import LOOK_BACK_BYTES, head_of
from gpualert_slurm.classifier.restarts import Beginning, Restarts
from gpualert_slurm.classifier.rhythm import rhythm
from gpualert_slurm.classifier.routine import DIGITS, Kind, Routine
from gpualert_slurm.classifier.summary import summed
from gpualert_slurm.classifier.unrestored import HINT as UNRESTORED
from gpualert_slurm.classifier.unrestored import MOST_BYTES, NOTHING_TAKEN, unrestored
from gpualert_slurm.classifier.untrained import untrained
from gpualert_slurm.evidence import Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.parsed_log import ParsedLog

LAST_LINES = 40
TAIL_BYTES = 64 * 1024
DENSE_BYTES = 65_536
DENSE = 0.25
"""With so large a share of lines that are left out, a block's lines are compared before they are matched."""
MOST_ATTEMPTS = 4096
"""What follows in a log of more is taken for the last one."""
MOST_LOOKS, MOST_REACHED = 64, 16
"""Of an attempt, so many ends are followed up for a count that begins anew, and of each so many kinds of progress."""
LEAST_TOLD = 3
"""So many lines that patterns call progress are progress enough."""
_PREFIX_BYTES = 512
_THINNED = "of very many, the first and the last of each kind are kept, and samples"


def scan(
    log: BinaryIO, path: str, where: Where, arrival: Arrival | None = None, max_evidence: int = 2000, *, rules: Engine | None = None
) -> ParsedLog:
    """Read one log once, in bounded memory, and say what stands in it.

    Args:
        log: an open binary file, read from its start. A rank log comes from ``framed_log.open_log``, which blanks
            gpualert's own header and hole mark, so that offsets and line numbers are the file's.
        path: what the quotes call the file.
        where: whose log it is; a prefix on a line (``[rank3]:``) overrides its rank.
        arrival: the time index: when the byte at a file offset arrived, as (ns since the epoch, ± ns).
        max_evidence: at most this many pieces of evidence; what is left out is said in ``gaps``.
        rules: the parsers' patterns; by default those of ``parsers/`` with the fastest engine there is here.

    Returns:
        Evidence with file offsets, line numbers, SHA-256 of the quoted bytes and of all that was read; never raises for what
        a log holds. A read that fails ends the pass, and a gap says so.
    """
    reader = _Pass(rules or engine(), Harvest(path, where, arrival))
    try:
        for block in blocks(log, reader.digest.update):
            reader.take(block)
    except OSError as error:
        reader.gaps.append(Gap(what=f"the rest of {path} from byte {reader.read}", why=str(error), node=where.node, rank=where.rank))
    return reader.finish(max_evidence)


class _Pass:
    """The state of one pass."""

    def __init__(self, rules: Engine, found: Harvest) -> None:
        self.rules, self.found = rules, found
        self.open = rules.collectors()
        self.routine = Routine()
        self.restarts = Restarts(rules)
        self.before = b""
        """The end of what lies before the piece being read, flat."""
        self.headed: dict[tuple[int | None, ...], str] = {}
        """By writer: the time that the line above its story prints."""
        self.begun: Beginning | None = None
        """An attempt that has begun, until what was left out before it is counted."""
        self.unread = self.looks = 0
        self.ends = Ends()
        self.digest = hashlib.sha256()
        self.tail: deque[bytes] = deque()
        self.tail_bytes = 0
        self.read = 0
        self.line = 1
        self.dense = False
        self.cut_lines = self.cut_bytes = self.long_lines = 0
        self.gaps: list[Gap] = []

    def take(self, block: Block) -> None:
        """Read one block."""
        self.read = block.offset + len(block.data) + block.cut
        if block.cut:
            self.cut_lines += bool(block.data)
            self.cut_bytes += block.cut
        if block.data:
            self._keep_tail(block.data)
        for piece, again in self.restarts.pieces(block):
            self._piece(piece, again=again)

    def _piece(self, block: Block, *, again: bool) -> None:
        """Read a block, or what of it lies between two lines at which the log's first lines come again."""
        if not block.data:
            return
        self.ends.take(block.offset, self.line, block.data)
        page = Page(block, self.line)
        if again:
            self._comes_again(page)
        if self.dense and not self.open.any and not self.restarts.waiting:
            self._compare(page)
        else:
            self._match(page, 0)
        after = page.close()
        lines = after - self.line if page.plain else page.data.count(b"\n", 0, DENSE_BYTES) * (len(page.data) / DENSE_BYTES)
        self.dense = page.left_out > DENSE * lines
        self.line = after
        self.before = (self.before + page.data)[-LOOK_BACK_BYTES:] if len(page.data) < LOOK_BACK_BYTES else page.data[-LOOK_BACK_BYTES:]

    def _comes_again(self, page: Page) -> None:
        start, end = bounds(page.data, 0)
        line = clean(page.data[start:end], page.offset, self.line)
        begun = self.restarts.comes_again(line, in_story=self.open.any, pause_s=self._pause_s(line))
        if begun is not None and len(self.found.beginnings) < MOST_ATTEMPTS:
            self._begin(begun)

    def _pause_s(self, line: Line) -> float | None:
        """How long before ``line`` the log was silent, where times of arrival are known."""
        now, before = self.found.when(line.offset), self.found.when(line.offset - 2) if line.offset > 1 else None
        return (now[0] - now[1] - before[0] - before[1]) / 1e9 if now is not None and before is not None else None

    def _begin(self, begun: Beginning, page: Page | None = None) -> None:
        """An attempt begins: what was being read and counted belongs to the one before it."""
        for match in self.open.close():
            self.found.add(self._stamped(match))
        if page is not None:
            page.remember()
        self.unread += self._end_routine()
        self.routine.anew()
        self.begun = None
        self.found.begin(begun)
        self.restarts.begin()
        self.looks = 0

    def _match(self, page: Page, begin: int) -> None:
        """The lines from byte ``begin`` on: every line is matched."""
        data, routine, stories = page.data, self.routine, self.open.stories
        text = bare(data[begin:] if begin else data)
        nominated = self.rules.nominator.lines(text)
        if begin or len(text) != len(data):
            nominated = placed(nominated, text, data, begin)
        nameless, offset, last = routine.nameless, page.offset, page.last
        shapes = b"\n".join([data[start:end] for start, end, _ in nominated]).translate(DIGITS).split(b"\n")
        if not stories and page.leave_out(nominated, shapes, nameless):
            return
        position, left_out = begin, 0
        same, count, place = None, 0, (0, 0)  # lines of one kind after the other are counted together
        for (start, end, mask), shape in zip(nominated, shapes, strict=False):
            if stories:
                self._follow(page, position, start)
            if not stories:
                kind = nameless.get(shape)
                if kind is None and routine.some_named:
                    kind = self._named(data[start:end])
                if kind is not None and offset + start < kind.until:
                    if kind is same:
                        count += 1
                    else:
                        left_out += _count(same, count, place, last)
                        same, count = kind, 1
                    place = (start, end)
                    continue
            left_out += _count(same, count, place, last)
            same, count = None, 0
            self._line(page, data[start:end], start, mask)
            if self.begun is not None:
                self._begin(self.begun, page)
            position = end + 1
        left_out += _count(same, count, place, last)
        page.left_out += left_out
        if stories:
            self._follow(page, position, len(data))

    def _follow(self, page: Page, position: int, to: int) -> None:
        """Every line before byte ``to``, while a story of several lines is being read."""
        while self.open.any and position < to:
            start, end = bounds(page.data, position)
            self._line(page, page.data[start:end], start, 0)
            if self.begun is not None:
                self._begin(self.begun, page)
            position = end + 1

    def _compare(self, page: Page) -> None:
        """A block most of whose lines are routine: only those that may not be are matched, the others are counted."""
        data, offset = page.data, page.offset
        choice = Choice(data, offset, self.routine)
        text = bare(b"\n".join([data[start:end] for _, start, end in choice.lines]))
        nominated = self.rules.nominator.lines(text) if choice.lines else []
        counted = at = 0
        spoiled = self.routine.spoiled
        for place, _, mask in nominated:
            at += text.count(b"\n", counted, place)
            counted = place
            line, start, end = choice.lines[at]
            raw = data[start:end]
            kind = self.routine.nameless.get(raw.translate(DIGITS)) or (self._named(raw) if self.routine.some_named else None)
            if kind is not None and offset + start < kind.until:
                kind.left_out += 1
                page.left_out += 1
                page.last[kind] = (start, end)
                continue
            self._line(page, raw, start, mask)
            if self.open.any or self.restarts.waiting or self.begun is not None or self.routine.spoiled != spoiled:
                page.count(choice, line)
                if self.begun is not None:
                    self._begin(self.begun, page)
                self._match(page, end + 1)
                return
        page.count(choice, None)

    def _line(self, page: Page, raw: bytes, start: int, mask: int) -> None:
        line = clean(raw, page.offset + start, page.number(start))
        self.long_lines += len(raw) > MAX_LINE_BYTES
        ended = self.open.take(line)
        reading = self.open.reads(line.speaker)
        said = self.rules.matches(line, mask, self.open)
        if not reading and self.open.reads(line.speaker):
            self._opened(page, line)
        for match in (*map(self._stamped, ended), *said):
            waited = self.restarts.waiting
            if waited and match.says == "progress" and self.looks < MOST_LOOKS:
                self._reached(page)
            begun = self.restarts.said(match, in_story=self.open.reads(line.speaker))
            if begun is not None and len(self.found.beginnings) < MOST_ATTEMPTS:
                if match.says == "progress":  # an end stands before it, so the page is being matched line by line
                    self._begin(begun, page)
                else:
                    self.begun = begun
            elif self.restarts.waiting and not waited and self.looks < MOST_LOOKS:
                self.looks += 1
                self.routine.anew()  # the next line of progress is read: does it count on?
            self.found.add(match)
        if mask:
            touched = {(name, line.speaker.rank) for match in said for name in SERIES & match.data.keys()} if said else set()
            self.routine.was(line, said, touched)

    def _opened(self, page: Page, line: Line) -> None:
        """A story begins: the time of the line above it, where that heads the same record (``logger.exception`` prints both)."""
        at = line.offset - page.offset
        window = page.data[at - LOOK_BACK_BYTES : at] if at >= LOOK_BACK_BYTES else (self.before + page.data[:at])[-LOOK_BACK_BYTES:]
        above = clean(window[:-1].rpartition(b"\n")[2], 0, 0)
        self.headed.pop(line.speaker.key, None)
        if above.speaker.key == line.speaker.key and (stamp := head_of(above)) is not None:
            self.headed[line.speaker.key] = stamp

    def _stamped(self, match: Match) -> Match:
        """A story's match with the time of the line that heads it, where its own says none."""
        line = match.line
        stamp = self.headed.pop(line.speaker.key, None) if line.speaker.stamp is None else None
        return match if stamp is None else replace(match, line=replace(line, speaker=replace(line.speaker, stamp=stamp)))

    def _reached(self, page: Page) -> None:
        """How far the steps had counted in the lines that were left out."""
        page.remember()
        ends = (kind.last for kind in self.routine.live if kind.last is not None and kind.last.offset > kind.read_to)
        for last in nlargest(MOST_REACHED, ends, lambda one: one.offset):
            for _, _, mask in self.rules.nominator.lines(bare(last.raw)):
                for match in self.rules.matches(clean(last.raw, last.offset, last.number), mask, self.open):
                    self.restarts.reached(match)

    def _named(self, raw: bytes) -> Kind | None:
        """The settled kind of a line whose prefix names its writer."""
        return self.routine.named(heard(bare(raw[:_PREFIX_BYTES]).decode("utf-8", "replace"))[1], raw.translate(DIGITS))

    def _keep_tail(self, data: bytes) -> None:
        self.tail.append(data)
        self.tail_bytes += len(data)
        while self.tail_bytes - len(self.tail[0]) >= TAIL_BYTES:
            self.tail_bytes -= len(self.tail.popleft())

    def finish(self, max_evidence: int) -> ParsedLog:
        """What was found."""
        for piece, again in self.restarts.rest(self.read):
            self._piece(piece, again=again)
        for match in self.open.close():
            self.restarts.said(match)
            self.found.add(self._stamped(match))
        unread = self.unread + self._end_routine()
        self._count_rows()
        self._count_saves()
        self._read_beginning()
        self._add_all(parting(self.ends.last(self.read, LAST_BYTES), self.found.going(), self.found.spoken()))
        self.found.beginnings = self.restarts.sure(self.found.beginnings)
        evidence, left_out = self.found.evidence(max_evidence, self.digest.hexdigest(), self.read)
        self._say_what_was_cut(left_out, unread)
        return ParsedLog(
            path=self.found.path, bytes_read=self.read, sha256=self.digest.hexdigest(), evidence=evidence, series=self.found.all_series(),
            last_lines=self._last_lines(), gaps=tuple(self.gaps),
        )  # fmt: skip

    def _count_rows(self) -> None:
        """Progress in words that no pattern knows, at the log's ends, where the patterns found next to none."""
        if self.found.told("progress") < LEAST_TOLD:
            self._add_all(self._counted_anew() or counted(self.ends.lines(self.read), self.found.places(), self.found.when))
            last = list(self.ends.last(self.read, LAST_BYTES))
            self._add_all([*summed(last), *untrained(last)])
        elif self.found.nothing():
            self._add_all(untrained(self.ends.last(self.read, LAST_BYTES), bars=False))

    def _add_all(self, found: list[Match]) -> None:
        for match in found:
            self.found.add(match)

    def _counted_anew(self) -> list[Match]:
        """The same lines with their counters, where a pattern knew of losses alone and not what they are counted by; none: it cannot be told."""
        if (bare := self.found.bare_losses()) is None:
            return []
        key, places = bare
        rows = counted(self.ends.lines(self.read), self.found.places() - places, self.found.when)
        losses = [row.line.offset for row in rows if "loss" in row.data and ("step" in row.data or "epoch" in row.data)]
        if whole := len(losses) >= self.found.kept[key].seen and places <= set(losses):
            self.found.forget(key)
        return rows if whole else []

    def _count_saves(self) -> None:
        """Saves in words that no pattern knows, at the ends of a log that tells of progress and, to the patterns, next to no save; what they took."""
        if self.found.told("checkpoint_saved") < LEAST_TOLD and self.found.told("progress", surely=False):
            self._add_all(saves.saved(self.ends.lines(self.read, saves.HINT), self.found.places("progress")))
        if self.found.arrival is not None:
            going = self.found.going(saves=False)
            self._add_all(held_up(self.ends.lines(self.read), self.found.when, going))
            self._add_all([] if going else rhythm(self.ends.last(self.read, TAIL_BYTES), self.found.when))

    def _read_beginning(self) -> None:
        """What was not taken over from what had been saved, in unknown words, before the first progress; that nothing was, also behind it."""
        going, loads = self.found.going(saves=False), self.found.places("checkpoint_saved")
        first = min(MOST_BYTES, *going) if going else MOST_BYTES
        self._add_all(unrestored(self.ends.first(first, UNRESTORED), self.found.places("checkpoint_saved", "checkpoint_loaded"), loads))
        if going:
            behind = (line for line in self.ends.lines(self.read, NOTHING_TAKEN) if line.offset >= first)
            self._add_all(unrestored(behind, loads, wholly=True))

    def _end_routine(self) -> int:
        """Reads the last line of each kind that was left out, and counts the others as seen."""
        total = 0
        for kind in sorted(self.routine.live, key=lambda k: k.last.offset if k.last else -1):
            last = kind.last if kind.last is not None and kind.last.offset > kind.read_to else None
            unread = kind.left_out - (last is not None)
            total += unread
            self.found.unread(kind, unread)
            if last is not None:
                for _, _, mask in self.rules.nominator.lines(bare(last.raw)):
                    for match in self.rules.matches(clean(last.raw, last.offset, last.number), mask, self.open):
                        self.found.add(match)
            kind.left_out, kind.last = 0, None
        self.routine.live = {}
        return total

    def _last_lines(self) -> tuple[str, ...]:
        tail = flat(b"".join(self.tail)[-TAIL_BYTES:])
        lines = [raw for raw in tail.split(b"\n") if raw.strip(b" \t\0")]
        return tuple(clean(raw, 0, 0).text[:1000] for raw in lines[-LAST_LINES:])

    def _say_what_was_cut(self, unread: int, left_out: int) -> None:
        path, whose = self.found.path, {"node": self.found.where.node, "rank": self.found.where.rank}
        self.gaps += [Gap(what=f"what a pattern says of a line of {path}", why=defect, **whose) for defect in sorted(self.rules.defects)[:3]]
        self.rules.defects.clear()
        if left_out:
            self.gaps.append(
                Gap(what=f"{left_out} lines of progress of {path}", why=_THINNED, **whose)
            )
        if unread:
            self.gaps.append(Gap(what=f"{unread} repeated messages of {path}", why="the first and the last of each kind are kept", **whose))
        several = f"whether {path} holds one attempt or several"
        self.gaps += [Gap(what=several, why=f"{doubt}; taken for one run", **whose) for doubt in self.restarts.doubts]
        if self.found.dropped:
            why = "the first and the last of each kind are kept"
            self.gaps.append(Gap(what=f"what {self.found.dropped} of the attempts in {path} said", why=why, **whose))
        if self.cut_bytes or self.long_lines:
            lines = self.cut_lines + self.long_lines
            self.gaps.append(Gap(what=f"the ends of {lines} long lines of {path}", why="a line is read up to 16 KiB", **whose))


def _count(kind: Kind | None, lines: int, place: tuple[int, int], last: dict[Kind, tuple[int, int]]) -> int:
    """Note that so many lines of one kind were left out, the last one at ``place``."""
    if kind is not None:
        kind.left_out += lines
        last[kind] = place
    return lines

"""Several attempts in one log (a requeued job that appends, a loop that starts its program anew, torchrun): where the last one begins.

An attempt begins where the log's first lines come again behind an end, where a count of steps begins anew behind the end of the
whole job or step, behind torchrun's word that it restarts its workers, or where Slurm ended the job a second time. What is less
clear is no beginning: it is said, and the log is taken for one run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from gpualert_slurm.classifier import printed
from gpualert_slurm.classifier.engine import Engine
from gpualert_slurm.classifier.holds import holds
from gpualert_slurm.classifier.lines import Block, Line, bare, bounds, clean, flat
from gpualert_slurm.classifier.pattern import Match
from gpualert_slurm.classifier.routine import SAYS
from gpualert_slurm.evidence import Role

HEAD_LINES = 8
HEAD_BYTES = 8192
LEAST_ANCHOR = 6
ENOUGH_LINES = 3
"""So many of the log's first lines, one after the other, are its beginning; fewer where it has fewer before anything is said."""
MOST_TRIES = 4096
MOST_AGAIN = 512
"""First lines that come more often than this are no start-up's."""
PAUSE_S = 60.0
"""A requeued job waits longer (slurmctld gives it a begin time two minutes ahead, 22.05 to 26.05), a slow rank of one start less."""
APART_S = 120.0
"""Two ends of one job by Slurm that are farther apart are of two attempts (KillWait is 30 s by default)."""
_NUMBERS = re.compile(rb"\d+")
_ADDRESSES = re.compile(rb"0x[0-9a-f]+|\b(?=[a-f]*\d)[0-9a-f]{8,}\b")


class End(IntEnum):
    """What ended before: an exception of one writer, a task by srun's word, or all of the job, step or worker group."""

    ERROR = 1
    TASK = 2
    ALL = 3


@dataclass(frozen=True)
class Beginning:
    """An attempt begins at byte ``offset``. ``line`` shows it, ``why`` says it in words; ``level`` is the end before it."""

    offset: int
    line: Line
    why: str
    level: End


@dataclass
class _Ended:
    level: End
    line: Line
    behind: int
    progressed: bool
    tasks: int = 0


class Restarts:
    """Watches one pass over a log: which matches end something, where the head comes again, how the steps count."""

    def __init__(self, rules: Engine) -> None:
        self._rules = rules
        self._learning = True
        self.head: list[bytes] = []
        """Shapes of the log's first lines."""
        self._anchor = b""
        self._held = b""
        self._tries = self._again = 0
        self._ended: _Ended | None = None
        self._by_slurm: tuple[datetime, int, Line] | None = None
        self._progressed = False
        self._heads = 1
        self._falls = 0
        self._fresh = True
        self._reached: dict[tuple[int | None, ...], int] = {}
        self.loose: list[int] = []
        """Lines at which the head came again in the middle of a run: then it is no sign of a start."""
        self.doubts: list[str] = []

    @property
    def waiting(self) -> bool:
        """Whether something ended and no progress was read since."""
        return self._ended is not None

    # --- where the first lines come again ---

    def pieces(self, block: Block) -> Iterator[tuple[Block, bool]]:
        """The block cut before each line at which the log's first lines come again; True with the pieces that begin there."""
        if not block.data:
            yield from self.rest(block.offset)
            yield block, False
            return
        data, offset = self._held + block.data, block.offset - len(self._held)
        self._held = b""
        begin, again = 0, False
        position = self._learn(block, data) if self._learning else 0
        even = None
        if position == 0 and self._anchor and not holds(data, self._anchor):
            yield (block if len(data) == len(block.data) else Block(data, offset, block.cut)), False
            return
        while self._anchor and (at := data.find(self._anchor, position)) >= 0:
            even = flat(data) if even is None else even
            start, end = bounds(even, at)
            position = end + 1
            same = self._same(even, start)
            if same is None and not block.cut:  # the lines that decide are in the next block
                if start > begin:
                    yield Block(data[begin:start], offset + begin), again
                self._held = data[start:]
                return
            if same:
                if start > begin:
                    yield Block(data[begin:start], offset + begin), again
                begin, again = start, True
            self._tries, self._again = self._tries + (not same), self._again + bool(same)
            if self._tries > MOST_TRIES or self._again > MOST_AGAIN:
                self._anchor = b""
        yield (block if begin == 0 and len(data) == len(block.data) else Block(data[begin:], offset + begin, block.cut)), again

    def rest(self, offset: int) -> Iterator[tuple[Block, bool]]:
        """What was held back, when the log (or what could be read of it) ends at byte ``offset``."""
        data, self._held = self._held, b""
        if data:
            yield Block(data, offset - len(data)), bool(self._same(flat(data) + b"\n", 0))

    def _learn(self, block: Block, data: bytes) -> int:
        """Take the first lines in; where in ``data`` the search begins."""
        even, at = flat(data), 0
        while self._learning and at < len(even):
            end = even.find(b"\n", at)
            if end < 0:
                self._learning = False
                break
            if even[at:end].strip(b" \t\0"):
                if self.head and _shape(even[at:end]) == self.head[0]:  # here it comes again already: said by several ranks, or all the time
                    self._learning = False
                    if len(self.head) < ENOUGH_LINES:
                        self._anchor = b""
                    break
                self._take(even[at:end])
            at = end + 1
            if block.offset + at > HEAD_BYTES or len(self.head) >= HEAD_LINES:
                self._learning = False
        return at

    def _take(self, line: bytes) -> None:
        """One more first line, up to the first that says something of the run itself."""
        reading = self._rules.collectors()
        text = clean(line, 0, 0)
        said = [m for _, _, mask in self._rules.nominator.lines(bare(line)) for m in self._rules.matches(text, mask, reading)]
        if reading.any or any(m.says in SAYS or m.role is Role.ROOT for m in said):
            self._learning = False
            return
        if not self.head:
            anchor = max(_NUMBERS.split(line), key=len)
            if len(anchor.strip()) < LEAST_ANCHOR or not any(byte > 0x40 for byte in anchor):
                return
            self._anchor = anchor
        self.head.append(_shape(line))

    def _same(self, even: bytes, start: int) -> bool | None:
        """Whether the lines from ``start`` on are the log's first ones; None when there are too few to tell."""
        want = self.head[:ENOUGH_LINES]
        for shape in want:
            while True:
                if start >= len(even):
                    return None
                end = even.find(b"\n", start)
                if end < 0:
                    return None
                line = even[start:end]
                start = end + 1
                if line.strip(b" \t\0"):
                    break
            if _shape(line) != shape:
                return False
        return True

    # --- what it means ---

    def comes_again(self, line: Line, *, in_story: bool, pause_s: float | None) -> Beginning | None:
        """The log's first lines come again at ``line``: does an attempt begin there?

        ``in_story``: a traceback is still being read, so it ends here; ``pause_s``: how long nothing had come, where times of arrival tell.
        """
        ended, progressed = self._ended, self._progressed
        if in_story and (ended is None or ended.level is End.ERROR):
            ended = _Ended(End.ERROR, line, line.offset, progressed)
        self._heads += 1
        if ended is None:
            if progressed:
                self.loose.append(line.number)
            return None
        if pause_s is None:
            pause_s = printed.pause_s(ended.line, line)
        if ended.level is End.ALL or ended.progressed or (ended.level is End.TASK and ended.tasks >= self._heads - 1) or (pause_s or 0) >= PAUSE_S:
            behind = f"behind the end on line {ended.line.number} " if ended.line is not line else ""
            words = f"{behind}the log's first lines come again"
            return Beginning(line.offset, line, words, ended.level)
        self._doubt(f"its first lines come again at line {line.number}, before any progress: another rank, or another attempt")
        return None

    def said(self, match: Match, *, in_story: bool = False) -> Beginning | None:
        """What a match says of ends and beginnings; the attempt that begins by it. ``in_story``: its writer's traceback may still go on."""
        if match.says == "progress":
            if in_story and self._ended is None:
                self._ended = _Ended(End.ERROR, match.line, match.line.offset, self._progressed)
            return self._advance(match)
        if match.says == "restarted":
            restarted = Beginning(_behind(match.line), match.line, f"line {match.line.number} says so", End.ALL)
            self._ended = _Ended(End.ALL, match.line, restarted.offset, self._progressed)
            return None if self._fresh else restarted
        self._fresh = self._fresh and match.role is Role.MARKER
        level = _level(match)
        if level is None:
            return None
        begun = self._twice(match) if level is End.ALL else None
        before = self._ended
        if before is None or level >= before.level:
            tasks = (before.tasks if before is not None else 0) + _tasks(match)
            self._ended = _Ended(level, match.line, _behind(match.line), before.progressed if before is not None else self._progressed, tasks)
        return begun

    def _twice(self, match: Match) -> Beginning | None:
        """Slurm's second end of the job, much later than the first: what stands between is of another attempt."""
        try:
            at = datetime.fromisoformat(str(match.data.get("at", ""))).replace(tzinfo=None)
        except ValueError:
            return None
        before, self._by_slurm = self._by_slurm, (at, _behind(match.line), match.line)
        if before is None or not self._progressed or (at - before[0]).total_seconds() <= APART_S:
            return None
        return Beginning(before[1], before[2], f"Slurm ended the job on line {before[2].number}, and again on line {match.line.number}", End.ALL)

    def reached(self, match: Match) -> None:
        """A line of progress that had been left out."""
        step, key = match.data.get("step"), match.line.speaker.key
        if match.says == "progress" and isinstance(step, int):
            self._reached[key] = max(step, self._reached.get(key, step))

    def _advance(self, match: Match) -> Beginning | None:
        step, key = match.data.get("step"), match.line.speaker.key
        ended, self._ended, self._progressed, self._fresh = self._ended, None, True, False
        if not isinstance(step, int):
            return None
        before = self._reached.get(key)
        self._reached[key] = step
        if len(self._reached) > 65_536:
            self._reached.clear()
        if before is None or step >= before:
            return None
        if ended is None or self._falls:
            self._falls += 1
            return None
        if ended.level is End.ALL:
            why = f"behind the end on line {ended.line.number} the steps count from {step} on, {before} was reached"
            return Beginning(ended.behind, ended.line, why, End.ALL)
        place = f"behind the error on line {ended.line.number} the steps count from {step} on, at line {match.line.number}"
        self._doubt(f"{place}: tried again, or another attempt")
        return None

    def begin(self) -> None:
        """An attempt begins: what was before it counts no longer."""
        self._ended, self._progressed, self._heads, self._falls, self._fresh = None, False, 1, 0, True
        self._by_slurm = None
        self._reached.clear()

    def sure(self, beginnings: list[Beginning]) -> list[Beginning]:
        """Those that stand when the log is over; ``doubts`` holds the others."""
        if self.loose:
            weak = [b for b in beginnings if b.level is End.ERROR]
            if not weak and len(self.head) < ENOUGH_LINES:
                return beginnings
            places = ", ".join(str(n) for n in sorted([*self.loose, *(b.line.number for b in weak)])[:4])
            self._doubt(f"its first lines come again in the middle of a run (lines {places}): they are no sign of a start")
            return [b for b in beginnings if b.level is not End.ERROR]
        return beginnings

    def _doubt(self, words: str) -> None:
        if len(self.doubts) < 2:
            self.doubts.append(words)


def _level(match: Match) -> End | None:
    says = match.says
    if says in {"step_cancelled", "time_limit_text", "preempted_text", "node_failure_text"}:
        return End.ALL
    if says == "failure_summary" or (says == "killed" and match.pattern == "shell.job_died"):
        return End.ALL
    if says == "task_exited":
        return End.TASK
    return End.ERROR if match.role is Role.ROOT and says != "nan_loss" else None


def _tasks(match: Match) -> int:
    count = 0
    for part in str(match.data.get("tasks", "")).split(","):
        first, _, last = part.strip().partition("-")
        if first.isdigit() and len(first) < 7:
            count += int(last) - int(first) + 1 if last.isdigit() and len(last) < 7 and int(last) >= int(first) else 1
    return count


def _behind(line: Line) -> int:
    return line.offset + len(line.raw) + 1


def _shape(line: bytes) -> bytes:
    """A line without what differs between two starts of one program: numbers, addresses, colours."""
    return b" ".join(_NUMBERS.sub(b"0", _ADDRESSES.sub(b"0", bare(line))).split())

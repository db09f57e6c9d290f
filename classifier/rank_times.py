"""The times of all ranks as one of them tells them: ``compute by rank: [0.21, 0.22, 0.58, 0.21] s``, ``r0 0.21s r1 0.22s``, or a table.

One rank whose own work takes far longer than that of any other, line after line, or in a line or table that sums up, holds up the others; so does
the one that alone does not wait. Ranks whose work takes its turn at being the longest do not.
"""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from gpualert_slurm.classifier.by_members import slow_member, slow_rate
from gpualert_slurm.classifier.labelled import standing_out
from gpualert_slurm.classifier.last_to_come import last_to_come
from gpualert_slurm.classifier.line_times import seconds_of as seconds
from gpualert_slurm.classifier.rank_tables import of_columns
from gpualert_slurm.classifier.spread import spread
from gpualert_slurm.classifier.standing_apart import standing_apart
from gpualert_slurm.classifier.time_kinds import LOAD, NONE, PEERS, TALK, WAIT, WHOLE, WORK, kind_of
from gpualert_slurm.job_record import JobRecord

SLOWER, RESTS = 1.6, 0.4
"""Times the work of the slowest of its peers, at least; and of the shortest wait of theirs, its own at most."""
SAME = 0.8
"""Of the lines, so many name the same rank."""
WAITS = 0.3
"""Of a step, what its peers wait for it: at least."""
LEAST_RANKS, LEAST_LINES, LEAST_S, LEAST_NAMED = 3, 4, 0.005, 2
MOST_TEXT, MOST_LINE, LAST_LINES = 64 * 1024, 600, 24
_WHO = r"(?:rank|rang|rango|worker|gpu|proc(?:ess)?|node|site|client|member|host|r|w)"
_N = r"\d{1,6}(?:\.\d{1,6})?"
_EACH = re.compile(
    rf"(?<![A-Za-z]){_WHO}[ _#:]?(?P<rank>\d{{1,4}})['\")\]]?\s?[:=]?\s{{0,3}}(?P<value>{_N})\s?(?P<unit>ms|secs?|seconds|s|%)?(?![\w.%])",
    re.IGNORECASE,
)
_KEYED = re.compile(rf"['\"](?:rank|worker|actor|gpu|proc|node|host|w|r)?[ _]?(?P<rank>\d{{1,4}})['\"]\s?:\s?(?P<value>{_N})(?![\w.%])")
_LIST = re.compile(rf"[\[(](?P<values>\s?{_N}(?:\s?(?:ms|s))?(?:[,;/ |]{{1,3}}{_N}(?:\s?(?:ms|s))?){{2,63}})\s?[\])]")
_SLASHED = re.compile(rf"(?<![\w./])(?P<values>{_N}(?:(?:\s?(?:ms|s))?\s?/\s?{_N}){{2,63}})\s?(?:ms|s)\b")
_SPACED = re.compile(
    rf"(?:[:=]|\bper[- ]rank\b[^\d\n]{{0,24}}) {{1,3}}(?P<values>{_N}(?:\s?(?:ms|s))?(?: {{1,3}}{_N}(?:\s?(?:ms|s))?){{2,63}})\s?(?:ms|s"
    rf"|sec)?\s{{0,4}}(?:\([^()\n]{{3,120}}\)\s{{0,4}})?\Z"
)
_ROWED = re.compile(rf"\s{{0,12}}[A-Za-z][A-Za-z_/() -]{{2,30}}[ \t|│]{{2,40}}(?P<values>{_N}(?:[ \t|│]{{1,20}}{_N}){{2,63}})[ |│]{{0,4}}\Z")
"""A table's row: a name, and a number for each rank."""
_OF_RANKS = re.compile(
    r"(?<![A-Za-z])(?:ranks?|workers?|gpus?|procs?|process(?:es)?|nodes?|members?|hosts?|r[äa]nge?n?|rang|rangs|rangos?)(?![A-Za-z])",
    re.IGNORECASE,
)
_PER = re.compile(rf"\b(?:per|by|each|every)[- ]{_WHO}s?\b", re.IGNORECASE)
_IN_TIME = re.compile(r"\d\s?(?:ms|s|sec|seconds)(?![\w/])")
_BETWEEN = re.compile(r"\s(?:\||--?|/)\s|;\s|\},\s")
_PAIRED = re.compile(rf"(?<![A-Za-z])(?:p|r|w|rank|proc|gpu)[ _]?(?P<rank>\d{{1,4}})\s?[:=]?\s?(?P<first>{_N})\s?/\s?(?P<second>{_N})(?![\w./])")
_TWO_NAMES = re.compile(r"\b(?P<a>[a-z]{3,16})\s?/\s?(?P<b>[a-z]{3,16})\b", re.IGNORECASE)
"""``work/wait [s]: p0 273/901 p1 283/898``."""
_LETTERED = re.compile(rf"(?<![\w])t_?(?P<rank>\d{{1,2}})\s?[=:]\s?(?P<value>{_N})\s?(?P<unit>ms|s)(?![\w.])")
_AWAITED = re.compile(
    rf"\b(?:wait(?:ing|ed|s)?|held up|blocked|idle)\b[^\d\n]{{0,24}}\b(?:for|on"
    rf"|by) (?:the )?{_WHO}[ _#:]?(?P<rank>\d{{1,4}})[ :=,(]{{1,3}}(?:for )?(?P<value>{_N})\s?(?P<unit>ms|secs?|seconds|s)(?![\w.%])",
    re.IGNORECASE,
)
_T = rf"(?P<value>{_N})\s?(?P<unit>ms|secs?|seconds|s)?(?![\w.%])"
_MOST = re.compile(
    rf"(?<![A-Za-z])(?:slowest|longest|max(?:imum)?|worst|langsamste\w?|plus lente?|m[áa]s lent[oa]|laggard"
    rf"|last to arrive)(?![A-Za-z])[^\d\n]{{0,24}}(?:\d{{1,4}}\)?[ :=,(]{{1,3}}(?:at |with |took |in )?)?{_T}",
    re.IGNORECASE,
)
_LEAST = re.compile(
    rf"(?<![A-Za-z])(?:fastest|quickest|min(?:imum)?|median|med|mean|avg|average|others?|peers|rest|schnellste\w?|plus rapide"
    rf"|m[áa]s r[áa]pid[oa])(?![A-Za-z])[^\d\n]{{0,24}}(?:\d{{1,4}}\)?[ :=,]{{1,3}}(?:at |with |took |in )?)?{_T}",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"(?:slowest|longest|laggard|worst|langsamste\w?|plus lente?|m[áa]s lent[oa]"
    rf"|last to arrive)[ :=(]{{1,3}}{_WHO}[ _#:]?(?P<before>\d{{1,4}})(?![\w.])"
    r"|(?:slowest|argmax|worst|laggard|last|max)_(?:rank|worker|gpu|node)['\"]?\s?[:=]\s?(?P<keyed>\d{1,4})(?![\w.])"
    rf"|(?:slowest|longest|max(?:imum)?|worst|laggard)\b[^\n]{{0,40}}[(\[, ]{_WHO}[ _#:]?(?P<after>\d{{1,4}})(?![\w.])",
    re.IGNORECASE,
)
_LEAST_MOST = re.compile(
    rf"\bmin\s?/\s?(?:med(?:ian)?|mean|avg)\s?/\s?max\b[^\d\n]{{0,40}}{_N}\s?/\s?(?P<least>{_N})\s?/\s?(?P<most>{_N})\s?(?P<unit>ms|s)?(?![\w.])",
    re.IGNORECASE,
)
_MOST_LEAST = re.compile(
    rf"\bmax\s?/\s?(?:med(?:ian)?|mean|avg)(?:\s?/\s?min)?\b[^\d\n]{{0,40}}(?P<most>{_N})\s?/\s?(?P<least>{_N})(?:\s?/\s?{_N})?"
    r"\s?(?P<unit>ms|s)?(?![\w.])",
    re.IGNORECASE,
)
"""``step max/median/min over ranks: 2.26/1.21/1.20 s``."""
_CALLED_SLOW = re.compile(
    r"\bstragglers?\b(?! detection (?:enabled|disabled|on|off|started))[^\n]{0,120}?\branks?\b['\": =(\[{]{1,5}(?P<rank>\d{1,4})(?![\d.])",
    re.IGNORECASE,
)
_TOLERATED = re.compile(r"\bwithin\b|\bno action\b|\btoleran|\bbelow (?:the )?threshold|\bharmless|(?<![\d.])1\.[0-2]\d? ?[x×]|\bok\b", re.IGNORECASE)
_BY_DESIGN = re.compile(
    r"(?<![A-Za-z])(?:loss|grad|norm|mem\w{0,8}|tokens?|eval\w{0,8}|env\w{0,10}|episode\w?)(?![A-Za-z])[^\d\n]{0,8}"
    r"(?:max|min|slowest|median)",
    re.IGNORECASE,
)
_ONE = re.compile(
    rf"\s{{0,8}}(?P<name>(?:[A-Za-z]{{2,12}} )??)(?:{_WHO})[ _#:]{{0,3}}(?P<rank>\d{{1,4}})"
    rf"['\")\]]?\s?[:=|]?\s{{0,4}}(?P<value>{_N})\s?(?P<unit>ms|secs?|seconds|s)?\s{{0,4}}\Z",
    re.IGNORECASE,
)
_HEADED = re.compile(r"(?:times?|durations?|latenc\w{1,3}|seconds)\b[^\n]{0,40}|\((?:ms|s|sec|seconds)\)\s?:?\s{0,4}\Z", re.IGNORECASE)
"""The heading of times of which each is told without a unit: Megatron-LM's ``times across ranks (ms):``."""
_ROW = re.compile(
    rf"[\s|│]{{0,48}}(?:{_WHO}[ _#:]?)?(?P<rank>\d{{1,4}})(?:[ \t]+(?:\([^()\n]{{1,40}}\)|\(?[A-Za-z][\w.-]{{0,30}}\)?))?[\s|│:,]+"
    rf"(?P<values>{_N}(?:\s?(?:ms|s)\b)?(?:[\s|│,]+{_N}(?:\s?(?:ms|s)\b)?){{0,7}})[\s|│]*\Z"
)
_NUMBER = re.compile(_N)
_IN_MS = re.compile(r"(?<![A-Za-z])ms(?![A-Za-z])")
_NAMES = re.compile(r"[|│,]|\s{2,}")
_TAG = re.compile(r"\A0: (?=\s|[A-Za-z])")
"""srun's label of the one that tells of all."""
UNNAMED = "one of the ranks"
_LOST = re.compile(r"\b(?P<share>\d{1,3}(?:\.\d)?) ?% of the (?:available )?(?:CPU )?time was lost due to (?:load )?imbalance")
"""GROMACS."""


@dataclass(frozen=True)
class Slow:
    """Rank ``rank`` worked ``own``, its peers ``peers`` (in the unit of the line ``said``); ``who``, where it has another name or none is told."""

    rank: int
    own: float
    peers: float
    said: str
    who: str = ""

    @property
    def called(self) -> str:
        """Its name, for people."""
        return self.who or f"rank {self.rank}"


def slow_rank(job: JobRecord, step_s: float | None = None, ranks: int = 0) -> Slow | None:
    """The one rank that holds up the others, by what one log tells of all of them; None where none tells such a thing.

    Waits must be a good part of a step of ``step_s`` (None: not known), or of the work that is told beside them.
    """
    for report in job.reports:
        for one in report.excerpts:
            lines = [_TAG.sub("", line) for line in one.text[-MOST_TEXT:].splitlines() if len(line) <= MOST_LINE]
            found = (
                _by_lines(lines, step_s, many=ranks)
                or _by_table(lines[-LAST_LINES:])
                or _by_awaited(lines, step_s)
                or _by_lines(of_columns(lines), step_s, usual=WORK)
                or _by_lines(_joined(lines), step_s, usual=WORK)
                or _by_extremes(lines)
                or _by_name(lines)
            )
            if found is not None:
                return found
    apart = standing_apart(job)
    return Slow(apart.rank, apart.own, apart.peers, apart.said) if apart is not None else _unranked(job)


def _unranked(job: JobRecord) -> Slow | None:
    """The same of hosts, tasks and workers; of the longest and shortest times of all ranks; and of GROMACS's own word."""
    for one in (x for report in job.reports for x in report.excerpts):
        lines = one.text[-MOST_TEXT:].splitlines()
        if (late := last_to_come(lines)) is not None:
            return Slow(0, 0.0, 0.0, late[1], late[0] if not late[0].isdigit() else f"rank {late[0]}")
        if (out := standing_out(lines)) is not None:
            return Slow(out.place, out.own, out.peers, out.said, out.who if not out.who.isdigit() else f"rank {out.who}")
        if (member := slow_member(lines) or slow_rate(lines)) is not None:
            return Slow(member.place, member.own, member.peers, member.said, member.who)
        if (lost := _LOST.search(one.text[-MOST_TEXT:])) is not None and float(lost["share"]) >= 100 * WAITS:
            return Slow(0, float(lost["share"]), 0.0, lost[0], UNNAMED)
        if (both := spread(lines)) is not None:
            return Slow(0, both[0], both[1], both[2], UNNAMED)
    return None


def names_each(line: str) -> bool:
    """Whether a line names each of those that it tells of: ``w0=28 w1=2922 w2=18``."""
    return len({found["rank"] for found in _EACH.finditer(line)}) >= LEAST_RANKS


def _by_lines(lines: Sequence[str], step_s: float | None, usual: str | None = None, many: int = 0) -> Slow | None:
    told: dict[str, list[tuple[int, Slow | None]]] = {}
    for at, line in ((at, part) for at, whole in enumerate(lines) for part in _parts(whole)):
        if (values := _of_ranks(line, many)) is not None:
            kind = _kind(line) or usual or (WORK if _PER.search(line) and _IN_TIME.search(line) else None)
            if kind is not None:
                least = WAITS * (step_s or 0.0) * (1000 if _IN_MS.search(line) else 1)
                told.setdefault(_NUMBER.sub("#", line), []).append((at, _apart(values, kind, line, least)))
    for kinds in told.values():
        slow = [one for _, one in kinds if one is not None]
        ranks = [one.rank for one in slow]
        same = max((ranks.count(rank) for rank in set(ranks)), default=0)
        late = kinds[-1][0] >= len(lines) - LAST_LINES
        if slow and same >= SAME * len(kinds) and (len(kinds) >= LEAST_LINES or (late and len(lines) > LEAST_LINES)):
            return slow[-1]
    return None


def _parts(line: str) -> list[str]:
    """A line that tells of all ranks more than once, as its parts: ``work ms: r0=38 r1=275 | waits ms: r0=242 r1=7``."""
    pairs = list(_PAIRED.finditer(line))
    if len(pairs) >= LEAST_RANKS and (names := _TWO_NAMES.search(line)) is not None:
        both = (("a", "first"), ("b", "second"))
        return [f"{names[name]}: " + " ".join(f"rank {one['rank']}: {one[value]}" for one in pairs) for name, value in both]
    told = [found["rank"] for found in _EACH.finditer(line)] or [found["rank"] for found in _KEYED.finditer(line)]
    return [line] if len(set(told)) == len(told) and len(_PER.findall(line)) < 2 else [line, *_BETWEEN.split(line)]


def _joined(lines: Sequence[str]) -> list[str]:
    """Lines of one rank each, rank after rank, as one line."""
    found, row, last, timed, heading, title = list[str](), list[str](), -1, False, "", ""
    for line in lines:
        one = _ONE.match(line)
        timed = timed if one is not None else _HEADED.search(line) is not None or (timed and not any(char.isdigit() for char in line))
        if one is not None and one["unit"] is None and not timed:
            one = None  # some number of each, and no time
        rank = int(one["rank"]) if one is not None else -1
        heading = line.strip() if one is None and line.strip() and not any(char.isdigit() for char in line) else heading
        if rank != last + 1 or rank < 0:
            found += [f"{title} {' '.join(row)}"] if len(row) >= LEAST_RANKS else []
            row, title = [], heading
        if one is not None and rank == len(row):
            row.append(f"{one['name']} rank {rank}: {one['value']}{one['unit'] or ''}")
        last = rank if row else -1
    return found + ([f"{title} {' '.join(row)}"] if len(row) >= LEAST_RANKS else [])


def _by_extremes(lines: Sequence[str]) -> Slow | None:
    """Lines that name the slowest rank and its time beside that of the fastest, of the middle one or of the others: the same rank each time."""
    found: list[Slow] = []
    for line in lines:
        most, least, who = _MOST.search(line), _LEAST.search(line), _NAMED.search(line)
        if (both := _MOST_LEAST.search(line) or _LEAST_MOST.search(line)) is not None and who is not None and _BY_DESIGN.search(line) is None:
            found.append(Slow(int(who["after"] or who["before"] or who["keyed"]), float(both["most"]), float(both["least"]), line.strip()))
            continue
        if most is None or least is None or who is None or most["unit"] != least["unit"] or _BY_DESIGN.search(line) is not None:
            continue
        rank = int(who["after"] or who["before"] or who["keyed"])
        found.append(Slow(rank, float(most["value"]), float(least["value"]), line.strip()))
    apart = [one for one in found if one.own >= SLOWER * one.peers and one.own >= LEAST_S]
    ranks = [one.rank for one in apart]
    if len(found) < LEAST_LINES or not apart or max(ranks.count(rank) for rank in set(ranks)) < SAME * len(found):
        return None
    return apart[-1]


def _by_name(lines: Sequence[str]) -> Slow | None:
    """Lines of a detector of stragglers (NVIDIA's resiliency extension prints such) that name one rank, the same each time."""
    found = [(int(one["rank"]), line.strip()) for line in lines if (one := _CALLED_SLOW.search(line)) is not None and not _TOLERATED.search(line)]
    ranks = [rank for rank, _ in found]
    if len(found) < LEAST_NAMED or max(ranks.count(rank) for rank in set(ranks)) < SAME * len(found):
        return None
    return Slow(max(set(ranks), key=ranks.count), 0.0, 0.0, found[-1][1])


def _by_awaited(lines: Sequence[str], step_s: float | None) -> Slow | None:
    """Lines that tell how long the others waited for one rank, the same each time."""
    found = [
        (int(one["rank"]), seconds(one["unit"]) * float(one["value"]), line.strip()) for line in lines if (one := _AWAITED.search(line)) is not None
    ]
    if len(found) < LEAST_LINES or not step_s:
        return None
    ranks = [rank for rank, _, _ in found]
    usual = max(set(ranks), key=ranks.count)
    waited = statistics.median(value for _, value, _ in found)
    if ranks.count(usual) < SAME * len(found) or waited < max(LEAST_S, WAITS * step_s):
        return None
    return Slow(usual, waited, 0.0, found[-1][2])


def _of_ranks(line: str, many: int = 0) -> list[tuple[int, float]] | None:
    """What a line tells of each rank."""
    each = [(int(found["rank"]), float(found["value"])) for found in _EACH.finditer(line)]
    each = each if len(each) >= LEAST_RANKS else [(int(found["rank"]), float(found["value"])) for found in _KEYED.finditer(line)]
    if len(each) >= LEAST_RANKS and len({rank for rank, _ in each}) == len(each):
        return each
    listed = _LIST.search(line) or _SLASHED.search(line) or _SPACED.search(line) or _ROWED.match(line)
    if listed is None:
        lettered = [(int(one["rank"]), float(one["value"])) for one in _LETTERED.finditer(line)]
        return lettered if len(lettered) == many >= LEAST_RANKS and [rank for rank, _ in lettered] == list(range(many)) else None
    values = [float(number) for number in _NUMBER.findall(listed["values"])]
    if _OF_RANKS.search(line[: listed.start("values")]) is None and not (len(values) == many >= LEAST_RANKS):
        return None
    return list(enumerate(values))


def _kind(line: str) -> str | None:
    """Whether a line tells of the ranks' work, or of their waits; None of neither."""
    first = _EACH.search(line) or _KEYED.search(line) or _LIST.search(line) or _SLASHED.search(line) or _SPACED.search(line) or _ROWED.match(line)
    words = _OF_RANKS.sub(" ", line[: first.start("values") if "values" in first.groupdict() else first.start()] if first is not None else line)
    kind = kind_of(words)
    if kind in {PEERS, WAIT, TALK}:
        return WAIT
    return WORK if kind in {WORK, WHOLE, LOAD} else None  # a rank that alone loads for long is at work on it


def _apart(values: Sequence[tuple[int, float]], kind: str, line: str, least: float = 0.0) -> Slow | None:
    """The rank that stands apart from all its peers; where they are waits, those of its peers are ``least`` and more."""
    if len(values) < LEAST_RANKS:
        return None
    ordered = sorted(values, key=lambda one: one[1], reverse=kind == WORK)
    (rank, own), peers = ordered[0], [value for _, value in ordered[1:]]
    apart = own >= max(SLOWER * max(peers), LEAST_S) if kind == WORK else own <= RESTS * min(peers) and min(peers) >= max(least, LEAST_S)
    return Slow(rank, own, statistics.median(peers), line.strip()) if apart else None


def _by_table(lines: Sequence[str]) -> Slow | None:
    """A table of the ranks near a log's end, with a head that names its columns."""
    for at, head in enumerate(lines):
        if _OF_RANKS.search(head) is None or any(char.isdigit() for char in head):
            continue
        rows = list(_rows(lines[at + 1 :]))
        names = [name for name in _names(head) if name]
        if len(rows) < LEAST_RANKS or [rank for rank, _, _ in rows] != sorted({rank for rank, _, _ in rows}):
            continue
        width = min(len(values) for _, values, _ in rows)
        for column in range(width):
            name = names[column - width] if len(names) >= width else ""
            kind = kind_of(name)
            wanted = WAIT if kind in {PEERS, WAIT, TALK} else WORK if kind == WORK else None
            if wanted is None:
                continue
            timed = [i for i in range(width) if len(names) < width or kind_of(names[i - width]) != NONE]
            others = [sum(values[-width:][i] for i in timed) for _, values, _ in rows]
            slow = _apart([(rank, values[column]) for rank, values, _ in rows], wanted, "", WAITS * max(others) if width > 1 else 0.0)
            if slow is not None:
                return replace(slow, said=f"{' '.join(head.split())}: {next(text for rank, _, text in rows if rank == slow.rank)}")
    return None


def _rows(lines: Sequence[str]) -> Iterator[tuple[int, list[float], str]]:
    begun = False
    for line in lines:
        found = _ROW.match(line)
        if found is not None:
            begun = True
            yield int(found["rank"]), [float(number) for number in _NUMBER.findall(found["values"])], line.strip()
        elif begun and any(char.isalnum() for char in line):
            return


def _names(head: str) -> list[str]:
    parts = [part.strip() for part in _NAMES.split(head.strip(" |│"))]
    return parts if len(parts) > 1 else head.split()

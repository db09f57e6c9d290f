"""Parting words: what stands last in a log, in whoever's words.

The end of a program only where it left by itself with a code, and nothing else says why. No list of programs: the last paragraph
of the log that speaks of trouble (``TROUBLE``), else its last sentence; what that is about, ``meaning.py`` knows. Read once a log, in
its last bytes, so that it costs a scan nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.meaning import Meaning, meaning_of, specific
from gpualert_slurm.classifier.pattern import Data, Match
from gpualert_slurm.classifier.stepd_lines import BEGINNING
from gpualert_slurm.evidence import Role

PATTERN = "parting.words"
LAST_BYTES = 8 * 1024
MOST_LINES = 60
MOST_TEXT = 2000
TROUBLE = re.compile(
    r"(?:NotFound|Error|Exception)\b|(?:ERR|ERROR|ABORT)(?:_|\b)|^stop \d|\binf\b|\bat least \d|\bfound 0\b|\b(?:no such|but no|no \w+ (?:in|at"
    r"|for|to|left|available)|attempt to|nil value|cannot|can't|can ?not"
    r"|could ?n[o']t|unable|fail(?:ed|s|ure|ing)?|errors?|missing|not (?:found|exist|supported|allowed|permitted|valid|open|be)|invalid|illegal"
    r"|(?:is|was|are|were) not\b|unknown|unexpected\w*|unrecogni[sz]ed|denied|refus(?:ed?|ing|es)|rejected"
    r"|duplicate[ds]?|expired|(?:not |un)available|exception|fatal|panic\w*|abort\w*|giv(?:ing|es?) up"
    r"|gave up|stop(?:s|ped|ping)? (?:here|now|because)|quit(?:ting|s)?|bail\w* out"
    r"|out of (?:memory|range|bounds|space)|exhausted|undefined|unsupported|uncaught|unhandled|mismatch\w*|differs?|corrupt\w*|truncated|damaged"
    r"|broken|malformed|garbled|NaN|exceed\w*|required?|must(?: be| have| not)|expected"
    r"|bad|wrong|violat\w*|terminat\w*|killed|crash\w*|does(?: not|n't)|did(?: not|n't)|has no|have no|there (?:is|are) no|nothing|nobody"
    r"|without|empty|too (?:many|few|high|low|deep|large|small|long|short|big|old)|insufficient|not enough|forbidden|unauthori[sz]ed|overflow"
    r"|underflow"
    r"|division|divide[ds]?|segmentation|sigsegv|assert\w*|unreachable|unresolved|timed? ?out|inconsistent|impossible|lost|died|dead|unusable"
    r"|unreadable|incompatible|conflict\w*|never|below|halt\w*|diverged|exploded|stale|full|absent|lacks?|went wrong)\b"
    r"|[\u2716-\u2718\u274c]|\b(?:fehler\w*|verweigert|refusé|denegado|nicht|kein\w*|abbruch|abgebrochen|fehlt|erreur|[ée]chec|introuvable"
    r"|impossible|aucun"
    r"|manque|manquant|arr[êe]t"
    r"|n'existe|no (?:se|existe|hay)|fallo|falta|impossibile|manca|errore?|erro|n[ãa]o|brak|b[łl][ąa]d|hata|fout)\b"
    r"|(?<![A-Za-z])(?:rejected|refused|unknown|invalid|missing|failed)(?=_)|(?<=_)(?:rejected|refused|unknown|invalid|missing|failed)\b"
    r"|\bno \w+ (?:called|named|like|with)\b|\bknown(?: \w+)?(?: are\b|: \w)|\bshort read\b|\bincomplete\b|\bneeds? \d"
    r"|\b(?:desconhecid|desconocid|sconosciut)[oa]s?\b|\binconnue?s?\b|\bunbekannt\w*|\bonbekende?\b|\bnieznan\w+|\bbilinmeyen\b|неизвестн"
    r"|^usage: .{1,200}\b(?:got|not|but)\b"
    r"|ошибка|не (?:удалось|найден|могу|хватает)|нет|错误|無法|无法|失败|失敗|不存在|找不到|不足"
    r"|エラー|できません|見つかりません|ありません|오류|실패|없습니다",
    re.IGNORECASE,
)
_NO_TROUBLE = re.compile(
    r".{0,200}\b(?:0|no|zero) (?:errors?|failures?|problems?|warnings?)\b|.{0,40}\b(?:warn(?:ing)?|deprecat\w*|futurewarning|userwarning|info"
    r"|debug)\b[\]:]?|wandb: ",
    re.IGNORECASE,
)
_TRACE = re.compile(
    r"\s|==\d{1,9}==aborting|error in \S{1,80} \(line|at\s|#\d|note: |hint: |see |try |usage: |run with|for (?:more|further)"
    r"|stack ?trace|backtrace|goroutine|native stack|calls: |caused by|\.\.\. \d|exit status|execution halted|in expression starting|in addition"
    r"|(?:\[\d{1,3}\]|@) |\d{1,3}: |─|━|-{3,}|={3,}|\*{3,}$|[╭╰│┌└]\W*$|from |  ?-->|called from|error: called from|shutting down"
    r"|error termination|(?:file name|work dir|command (?:exit|output|error)|summary)\b|thrown in",
    re.IGNORECASE,
)
_TRACEBACK = "Traceback (most recent call last)"
_IN_A_STRING = re.compile(
    r"Traceback \(most recent call last\):\\n.{1,8000}\\n(?P<type>[\w.]{1,100}(?:Error|Exception|Interrupt"
    r"|Exit))(?:: (?P<message>.{0,400}?))?(?:\\n)?[\"'](?=[,}\s]|\Z)"
)
_CELLS = re.compile(r"[\w.]{1,100}\s{2,200}Traceback \(most recent call last\)\s{0,4}\Z")
"""IPython's heading, which the notebook runners print with a cell's story."""
_CELLS_LINE = re.compile(r"-{2,8}> \d{1,6} |(?:File \S{1,300}:\d{1,7}, in |Cell In\s?\[\d{1,6}\])")
_CELLS_END = re.compile(r"(?P<type>[\w.]{1,100}(?:Error|Exception|Interrupt|Exit|Warning)): (?P<message>.{0,2000})")
_LAUNCHER = re.compile(
    r"\S{1,200}: line \d{1,7}: {1,20}\d{1,10} [A-Z]|.{0,200}\(core dumped\)|make(?:\[\d{1,3}\])?: \*\*\* .{0,120}Error \d"
    rf"|srun: |{BEGINNING}|error conda\.|error: recipe|gpualert",
    re.IGNORECASE,
)
"""What a shell, a launcher or a runner of recipes says of others' ends."""
_AGENT_FAILS = re.compile(r"(?:\[rank\d{1,6}\]: )?torch\.distributed\.elastic\.multiprocessing\.errors\.ChildFailedError")
_AGENT = re.compile(r"torch[./]distributed[./]elastic[./]multiprocessing[./](?:api|errors)\b")
_BOXED = re.compile(r"^[\s│┃|╭╰╯╮─━×❌✗✘>*!»→-]{1,12}|[\s│┃|]{1,12}$")
_SENTENCE = re.compile(r"\b(?:[^\W\d_]{2,40}\W{1,4}){2}[^\W\d_]{2}")
_HARMLESS = re.compile(
    r"\b(?:done|finished|completed?|saved|wrote|written|success\w*|ok|bye|loading|loaded|starting|started|using|resum\w+)\b",
    re.IGNORECASE,
)


def parting(lines: Iterable[Line], taken: frozenset[int], known: frozenset[int]) -> list[Match]:
    """At most one match: the parting words among a log's last ``lines``.

    Args:
        lines: its last ones, cleaned.
        taken: where lines of progress and the like stand: what is said before them is not said last.
        known: where lines stand that a pattern of their own knows: they speak for themselves.
    """
    block: list[Line] = []
    for line in _before_the_agent(list(lines))[::-1]:
        if line.offset in taken or len(block) >= MOST_LINES:
            break
        if _TRACEBACK in line.text and (quoted := _quoted(line)):
            return quoted
        if _CELLS.match(line.text):
            break
        if _TRACEBACK in line.text:
            return []  # CPython's own story, whatever it told
        if line.text.strip() and not _LAUNCHER.match(line.text):
            block.insert(0, line)
    if (cell := _of_cell(block)) is not None:
        return cell
    said = _told(block)
    sure = said is not None
    if said is None:
        said = next((n for n in range(len(block) - 1, -1, -1) if not _TRACE.match(block[n].text)), None)
        if said is None or not _SENTENCE.search(block[said].text) or _HARMLESS.search(block[said].text):
            return []
    line = block[said]
    if line.offset in known:
        return []
    meant = meaning(block[said:])
    if meant.cause is None and meant.detail is None and said and not _ends(block[said - 1].text):
        meant = meaning(block[max(0, said - 2) :])
    data: Data = {"message": _plain(line.text)[:300], "about": meant.about or ("env" if meant.cause is Cause.RAM_OOM else "config"), "bare": True}
    data |= {"command": "program", "parting": True, "sure": sure}
    return [Match("error_line", Role.CONFIRMATION, line, PATTERN, meant.cause, meant.detail, data)]


def _before_the_agent(lines: list[Line]) -> list[Line]:
    """The lines before those in which torchrun tells of its workers' ends with a code, and then fails itself."""
    if not any(_AGENT_FAILS.match(line.text) for line in lines):
        return lines
    at = next((n for n, line in enumerate(lines) if _AGENT.search(line.text)), len(lines))
    return lines[:at]


def _quoted(line: Line) -> list[Match]:
    """A traceback in one string of a record (structlog's, a JSON formatter's): its exception."""
    found = _IN_A_STRING.search(line.text)
    if found is None:
        return []
    return [_exception(line, found["type"], found["message"] or "")]


def _of_cell(block: Sequence[Line]) -> list[Match] | None:
    """The exception that ends IPython's story of a cell, below its frames with arrows; None where the last lines are no such story."""
    at = next((n for n in range(len(block) - 1, -1, -1) if _CELLS_END.match(block[n].text)), None)
    if at is None or not any(_CELLS_LINE.match(line.text) for line in block[:at]):
        return None
    found = _CELLS_END.match(block[at].text)
    return None if found is None else [_exception(block[at], found["type"], found["message"])]


def _exception(line: Line, kind: str, message: str) -> Match:
    meant = meaning_of(kind, message)
    data: Data = {"type": kind, "message": message[:300], "bare": True, "command": "program", "parting": True, "sure": True}
    if meant.about:
        data["about"] = meant.about
    return Match("error_line", Role.CONFIRMATION, line, PATTERN, meant.cause, meant.detail, data)


def meaning(block: Sequence[Line]) -> Meaning:
    """What the lines mean: the first of them that names a cause or a finer name."""
    best = Meaning(None)
    for line in block:
        meant = meaning_of("", _plain(line.text)[:MOST_TEXT])
        if specific(meant.cause):
            return meant
        if best.detail is None and meant.detail is not None:
            best = meant
    return best


def _told(block: Sequence[Line]) -> int | None:
    """The first line of the last paragraph that speaks of trouble."""
    found = None
    for at in range(len(block) - 1, -1, -1):
        text = block[at].text
        if TROUBLE.search(text) and not _NO_TROUBLE.match(text):
            if not _TRACE.match(text):
                return at
            found = at if found is None else found
        elif found is None and not _TRACE.match(text) and len(block) - at > 2:
            break  # it had gone on to other things
    return found


def _ends(text: str) -> bool:
    return text.rstrip()[-1:] in {".", "!", ";"}


def _plain(text: str) -> str:
    return _BOXED.sub("", text)

"""Words of ranks that wait for each other before they begin: in any program's own way of saying it.

A line speaks of meeting where it has a word of waiting or joining and a word of those who are waited for (or a count of them that is not full).
That is said of many things: it counts only as the last that a silent rank said, before any progress.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.stepd_lines import of_slurmstepd
from gpualert_slurm.classifier.tongues import AWAITS, FELLOWS, REFUSED
from gpualert_slurm.job_record import JobRecord

LAST_LINES = 2
MOST_HEAD = 60
_MEMBER = re.compile(
    r"(?:^|[\s\[(<,])(?:(?:local|global)[_ ]?)?(?:rank|worker|proc(?:ess)?|node|peer|r|w|p)[-_ :#]?(?P<who>\d{1,4})(?![\w.%])", re.IGNORECASE
)
_CLAUSE = re.compile(r"[,;] ")
_STOPPED = re.compile(r"Received \d{1,2} death signal, shutting down workers|Sending process \d{1,10} closing signal SIG")
"""torchrun's words as it is being stopped."""
_STORY = "Traceback (most recent call last)"
"""It may begin behind a bar, on the same line."""
LEAST_CALLS = 4
"""Last lines of one kind that are a loop of waiting."""
WAIT_WORDS = re.compile(
    rf"{AWAITS}|{REFUSED}|not (?:yet )?(?:up|there|ready|found|here|start)|absent|missing|\bno (?:quorum|answer|reply|response)|respond|\bresolv"
    r"|handshak|quorum|\bwait|\bconnect|\b(?:has|have|did) not (?:sent?|answer|come|reach|arriv)|\bmembership\b|\bjoin|\binitiali[sz]ing\b"
    r"|\bno \S{1,24} yet\b|\bnot \S{1,24} yet\b",
    re.IGNORECASE,
)
"""Of a line that is repeated: nothing is done, or somebody does not answer."""
LACK_WORDS = re.compile(
    r"\bwants?\b|\bneed|\brequire|\bexpect|\bbusy\b|\bin use\b|\bagain\b|\btr(?:y|ies|ying)\b|\bbelegt\b|\boccup|\bocupad|\bnothing\b|\bpending\b",
    re.IGNORECASE,
)
"""Which tell of a wait only where nothing else in the line moves: who tries one thing after another counts them."""
_WAITS = re.compile(
    rf"{AWAITS}|"
    r"wait|join|connect|reach|contact|dial|rendezvous|rdzv|handshak|\bmeet|\bsync|barrier|listen|accept|\bregist|discover"
    r"|\binit(?:iali[sz]\w*)?\b|init_process_group|\b(?:dist|pg|comm)_?init\b|\binit_?(?:dist|pg|comm)\b|TCPStore\(|\bopen(?:ing|s)?\b.{0,12}\bstore\b"
    r"|\breport(?:s|ing) in\b|\bgather(?:ing|s)? the\b"
    r"|\bcall(?:s|ing)? (?:the|for|on|to|out|up|all)\b|\broll.?call"
    r"|\bset(?:ting)? up\b|\bform(?:ing)?\b|bootstrap|\blook(?:ing|s)? for|expect|retry|retri|poll|\bpresent\b|\bhere\b|arriv|appear"
    r"|not (?:yet )?(?:up|there|ready)|\block\b|show(?:ed|s)? up|quorum|\bwarte|\battend|\besper|\baguard",
    re.IGNORECASE,
)
_WHOM = re.compile(
    r"peer|\branks?\b|worker|process|\bprocs?\b|\bnodes?\b|\bhosts?\b|\bothers\b|\bmaster|coordinator|\bchief|\bhead\b|leader|scheduler"
    r"|\bserver|\bstore\b|group|\btasks\b|client"
    r"|\bworld\b|cluster|\bring\b|every(?:one|body)|member|replica|\bactors?\b|\bagents?\b|participant|neighbou?r|\bNCCL\b|\bgloo\b|\bMPI\b"
    r"|communicator|distributed|\b(?:dist|pg|comm)_?init\b|\binit_?(?:dist|pg|comm)\b|\bcomm\b|\bcrew\b|\bteam\b|\bpartners?\b"
    rf"|{FELLOWS}"
    r"|tracker|\bTCPStore\b|MASTER_ADDR|barrier|rendezvous|rdzv|\ball of (?:them|us)|\b\w*lock\b|\S:\d{4,5}\b",
    re.IGNORECASE,
)
_FEW = re.compile(r"(?<![\w.])(\d{1,6})\s?(?:of|/|out of)\s?(\d{1,6})(?![\w.])")
_NOUGHT = re.compile(r"(?<![\w.])0\s?(?:of|/|out of|von|de|sur)\s?[1-9]\d{0,8}(?![\w.])")
"""Nothing of what is to be had has come."""
_FEW_OF_THEM = re.compile(
    r"(?<![\w.])\d{1,6}\s?(?:of|/|out of)\s?\d{1,6} (?:clients|workers|ranks|nodes|peers|processes|procs|members|hosts|replicas|agents|tasks)\b"
)
_MET = re.compile(
    r"\b(?:initiali[sz]ed|joined|ready|completed?|connected|established|created|formed|done|set up|acquired|released|took|started)\b|\bup\s{0,4}$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no|cannot|can't|could not|couldn't|isn't|aren't|still|yet|until|un\w{4,12})\b", re.IGNORECASE)
_BY_ITSELF = re.compile(
    r"\b(?:hvd|bps|dist|torch\.distributed|jax\.distributed|deepspeed)\.init\w{0,20}\b|\binit_process_group|\bMPI_(?:Init|Barrier)"
    r"|\b(?:wrap|enter|call|construct)\w{0,4}\b.{0,30}\b(?:DDP|FSDP|DistributedDataParallel|FullyShardedDataParallel)\b"
    r"|\b(?:could|can|did|does)(?:n'?t| ?not) resolve\b|\bgetaddrinfo\b|\bunknown host\b|\bname or service not known\b|\bname resolution\b"
    r"|\bcreat(?:e|ing)\b.{0,30}\b(?:communicators?|clique|process ?group|NCCL|gloo|ring)\b"
    r"|\bno route to host\b|\b[Nn]ame does not resolve\b",
    re.IGNORECASE,
)
"""Calls in which ranks meet, and names or ways that lead nowhere."""
IDLE_WORDS = _IDLE = re.compile(
    r"wait|heartbeat|\balive\b|watchdog|monitor|stall|stuck|hang|hung|no progress|\bidle|sleep|retry|retri|attempt|time.?out|\bpoll|ping|queue"
    r"|utili[sz]ation|\bmem|signal|SIGTERM|terminat|interrupt|cancel|exiting|shutting|stopp",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\breading\b|\b(?:is|are|was|were) read\b|data ?set|\bdata\b(?!.{0,8}parallel)|\bcorpus|token(?:is|iz)|pre-?process|prepar|download|fetch"
    r"|\bcop(?:y|ied|ying)\b"
    r"|extract|unpack|unzip"
    r"|\bpull(?:ing|s)\b|\bmapp?ing\b|\bsort(?:ing|s)?\b|\bpre-?fetch|\b\d{1,6}(?:\.\d{1,4})? ?[MGT]i?B\b"
    r"|\bstag(?:e|ing) (?:in|of|the|data|files|inputs)|decod(?:e|ing)|\bpars(?:es|ing)|\bmount|hydrat|untar|decompress|\bindex|\bscan|shard|\bcach"
    r"|compil|\bbuild(?:ing)? (?:the )?(?:kernel|extension|index|vocab|data|cache|graph|features|c\+\+|cuda)|\bjit\b|autotun|simulat|generat"
    r"|render|\bcomput|\bload(?:ing|s)? (?:the )?(?:weights|checkpoint|model|shard|pretrained|base|state)"
    r"|\bepoch|\bstep\b|iteration|train(?:ing)? (?:begins|began|start)|start\w{0,4} train|warm-?up|\bimport|\bevaluat|\bfit(?:ting)?\b|sleep|\d ?%",
    re.IGNORECASE,
)
_COMPLETE = re.compile(
    r"\b(?:initiali[sz]ed|formed|complete[d]?|established|created)\b.{0,30}\b(?:process ?group|group|communicator|mesh|ring|world)\b"
    r"|\b(?:process ?group|group|communicator|mesh|ring|world|all (?:ranks|workers|peers|nodes))\b.{0,30}"
    r"\b(?:initiali[sz]ed|formed|complete[d]?|established|created|joined|up|met)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"https?://|:443\b|\bs3\b|bucket|data ?base|\bsql|mongo|redis|\bwandb\b|\bW&B\b|mlflow|tensorboard|hugging ?face|\bhub\b|download|\bmirror"
    r"|licen[cs]e|data ?set\b|\bshard \d|data ?loader|for the loader",
    re.IGNORECASE,
)
"""Who waits for one of these does not wait for a rank."""
_DIGITS = re.compile(r"\d+")
_LACKS = re.compile(
    r"\b(?:missing|absent|not (?:yet|there|found|ready|here)|no \S{1,40} yet|still|waits?|waiting|held|locked|busy|until"
    r"|retry\w{0,4}|checking|polling|look\w{0,3} for)\b",
    re.IGNORECASE,
)
_SERVES = re.compile(
    r"\bserv(?:es|ing|er (?:is )?(?:up|running|started|ready))\b|uvicorn|gunicorn|jupyter|tensorboard"
    r"|\b(?:running|listening|available) (?:on|at) http|ray start|Ray runtime",
    re.IGNORECASE,
)


def counts_few(line: str) -> bool:
    """Whether a line counts fewer workers (ranks, nodes …) than there are to be."""
    return _FEW_OF_THEM.search(line) is not None and any(int(a) < int(b) for a, b in _FEW.findall(line))


def of_meeting(line: str) -> bool:
    """Whether a line tells of a wait for others, or of a meeting that has not taken place yet."""
    if _ELSEWHERE.search(line):
        return False
    few = any(int(a) < int(b) for a, b in _FEW.findall(line))
    if counts_few(line):
        return True
    if _BY_ITSELF.search(line) and (not _MET.search(line) or _NOT.search(line)):
        return True
    if not _WAITS.search(line) or not (few or _WHOM.search(line)):
        return False
    clause = _CLAUSE.split(line)[-1]  # ``index ready, joining the group``
    if clause != line and _WAITS.search(clause) and _WHOM.search(clause) and not _MET.search(clause):
        return True
    return few or not _MET.search(line) or _NOT.search(line) is not None


def at_business(job: JobRecord, paths: Collection[str]) -> bool:
    """Whether one of these logs, which were written to until the end, told of work last (an evaluation, say), and not of waiting.

    Into one that ends in torchrun's words as it is being stopped nothing may have been written before for long.
    """
    own = [p for p in paths if not any(x.path == p and _STOPPED.search(x.tail or x.head) for r in job.reports for x in r.excerpts)]
    return any(not of_meeting(line) and not _IDLE.search(line) for lines in _tails(job, own) for line in lines[-1:])


def last_lines(job: JobRecord) -> dict[int, str]:
    """The last line of each rank that has a number; of its error stream before its output."""
    found: dict[int, str] = {}
    for one in sorted((x for r in job.reports for x in r.excerpts if x.where.step not in SCRIPT), key=lambda x: x.stream != "err"):
        if one.where.rank is None or one.where.rank in found:
            continue
        said = reversed((one.tail.strip() or one.head.strip()).splitlines())
        last = next((line for line in said if line.strip() and not line.startswith("srun: ") and not of_slurmstepd(line)), None)
        if last is not None:
            found[one.where.rank] = last
    return found


def _tails(job: JobRecord, paths: Collection[str] | None = None) -> list[list[str]]:
    """The last lines of each rank's output, its farewell behind a lost peer left out."""
    return [lines for _, lines in tails_by_path(job, paths)]


def tails_by_path(job: JobRecord, paths: Collection[str] | None = None) -> list[tuple[str, list[str]]]:
    """The same, each with its log's path."""
    found = []
    for one in (x for r in job.reports for x in r.excerpts if x.where.step not in SCRIPT and (paths is None or x.path in paths)):
        said = (line for line in (one.tail.strip() or one.head.strip()).splitlines() if line.strip())
        lines = [line for line in said if not line.startswith("srun: ") and not of_slurmstepd(line)]
        cut = next((i for i, line in enumerate(lines) if _STORY in line or _STOPPED.search(line)), len(lines))
        bar = [line.partition(_STORY)[0] for line in lines[cut : cut + 1] if _STORY in line and not line.startswith(_STORY)]
        if lines[:cut] or bar:
            found.append((one.path, [*lines[:cut], *bar]))
    return found


def speaks_of_meeting(job: JobRecord) -> bool:
    """Whether the last words of a rank are of setting up its group or of waiting for the others; of each rank, where several write into one log."""
    tails = _tails(job)
    if any(of_meeting(line) for lines in tails for line in _last_of_each(lines)):
        return True
    last = ((lines[-1], lines[-LAST_LINES] if len(lines) > 1 else "") for lines in tails)
    return any(of_meeting(line) or (of_meeting(before) and not _MET.search(line)) for line, before in last)


def _last_of_each(lines: list[str]) -> list[str]:
    """The last line of each rank that begins its lines with its number; none where fewer than two do."""
    last: dict[str, str] = {}
    for line in lines:
        if (found := _MEMBER.search(CLOCK.sub("", line)[:MOST_HEAD])) is not None:
            last[found["who"]] = line
    return list(last.values()) if len(last) > 1 else []


def calling(job: JobRecord, talking: Collection[str]) -> bool:
    """Whether a rank said to the end, again and again, that it waits: who of ``talking`` (logs written to until then) says other things, does not."""
    tails = _tails(job)
    quiet = all(_calls(lines) or len(lines) < LEAST_CALLS for lines in tails)
    return any(_calls(lines) for lines in tails) and quiet and all(_calls(lines) for lines in _tails(job, talking))


def _calls(lines: list[str]) -> bool:
    last = lines[-LEAST_CALLS:]
    return len(last) == LEAST_CALLS and len({_DIGITS.sub("#", line) for line in last}) <= LAST_LINES and all(of_meeting(line) for line in last)


def begging(job: JobRecord) -> int | None:
    """Since when all others had been silent, with last words of meeting, where a rank repeated to the end what it lacks (a file, a permit)."""
    tails = tails_by_path(job)
    stuck = {path for path, lines in tails if _lacks(lines)}
    others = [lines for path, lines in tails if path not in stuck]
    if not stuck or not others or not all(of_meeting(lines[-1]) for lines in others):
        return None
    return max((log.last_write_ns or 0 for r in job.reports for log in r.logs if log.step not in SCRIPT and log.path not in stuck), default=0) or None


def _lacks(lines: list[str]) -> bool:
    last = lines[-LEAST_CALLS:]
    if len(last) < LEAST_CALLS or len({_DIGITS.sub("#", line) for line in last}) > 1:
        return False
    return all(_LACKS.search(line) for line in last) or all(_NOUGHT.search(line) for line in last)


def at_service(job: JobRecord) -> bool:
    """Whether the last words of a rank are of a service that answers others, or of a notebook: they sleep for want of a request."""
    return any(_SERVES.search(line) for lines in _tails(job) for line in lines[-LAST_LINES:])


def last_words(job: JobRecord) -> tuple[str, ...]:
    """The last line of each log of a task."""
    return tuple(lines[-1] for lines in _tails(job))


def of_work(line: str, *, alone: bool = False) -> bool:
    """Whether a line is of a group that is complete, of something that takes long by itself (data, downloads, compilers), or of a service.

    ``alone``: one process waits for whom it will, also for a server elsewhere.
    """
    return bool(_LONG.search(line) or _COMPLETE.search(line) or (_ELSEWHERE.search(line) and not alone) or _SERVES.search(line))


def past_meeting(job: JobRecord) -> bool:
    """Whether the last words of a rank are of a group that is complete, or of something that takes long by itself: data, downloads, compilers."""
    said = [lines[-1] for lines in _tails(job)]
    return any((_LONG.search(line) and not of_meeting(line)) or _COMPLETE.search(line) or _ELSEWHERE.search(line) for line in said)

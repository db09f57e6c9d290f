"""Words of ranks that wait for each other before they begin: in any program's own way of saying it.

A line speaks of meeting where it has a word of waiting or joining and a word of those who are waited for (or a count of them that is not full).
That is said of many things: it counts only as the last that a silent rank said, before any progress.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.stepd_lines import of_slurmstepd
from gpualert_slurm.job_record import JobRecord

LAST_LINES = 2
LEAST_CALLS = 4
"""Last lines of one kind that are a loop of waiting."""
_WAITS = re.compile(
    r"wait|join|connect|reach|contact|dial|rendezvous|rdzv|handshak|\bmeet|\bsync|barrier|listen|accept|\bregist|discover"
    r"|\binit(?:iali[sz]\w*)?\b|init_process_group"
    r"|\bset(?:ting)? up\b|\bform(?:ing)?\b|bootstrap|\blook(?:ing|s)? for|expect|retry|retri|poll|\bpresent\b|\bhere\b|arriv|appear"
    r"|not (?:yet )?(?:up|there|ready)|\block\b|show(?:ed|s)? up|\bwarte|\battend|\besper|\baguard|ожида|жд[её]|等待|待機|대기",
    re.IGNORECASE,
)
_WHOM = re.compile(
    r"peer|\branks?\b|worker|process|\bprocs?\b|\bnodes?\b|\bhosts?\b|\bothers\b|\bmaster|coordinator|\bchief|\bhead\b|leader|scheduler"
    r"|\bserver|\bstore\b|group|\btasks\b|client"
    r"|\bworld\b|cluster|\bring\b|every(?:one|body)|member|replica|\bactors?\b|\bagents?\b|participant|neighbou?r|\bNCCL\b|\bgloo\b|\bMPI\b"
    r"|communicator|distributed"
    r"|Prozess|Knoten|\banderen\b|processus|\bautres\b|\botros\b|\boutros\b|\baltri\b|других|процесс|узл|进程|节点|プロセス|ノード|프로세스"
    r"|tracker|\bTCPStore\b|MASTER_ADDR|barrier|rendezvous|rdzv|\ball of (?:them|us)|\b\w*lock\b|\S:\d{4,5}\b",
    re.IGNORECASE,
)
_FEW = re.compile(r"(?<![\w.])(\d{1,6})\s?(?:of|/|out of)\s?(\d{1,6})(?![\w.])")
_FEW_OF_THEM = re.compile(
    r"(?<![\w.])\d{1,6}\s?(?:of|/|out of)\s?\d{1,6} (?:clients|workers|ranks|nodes|peers|processes|procs|members|hosts|replicas|agents|tasks)\b"
)
_MET = re.compile(
    r"\b(?:initiali[sz]ed|joined|ready|completed?|connected|established|created|formed|done|set up|acquired|released|took|started)\b|\bup\s{0,4}$",
    re.IGNORECASE,
)
_NOT = re.compile(r"\b(?:not|never|no|cannot|can't|could not|couldn't|isn't|aren't|still|yet|until|un\w{4,12})\b", re.IGNORECASE)
_IDLE = re.compile(
    r"wait|heartbeat|\balive\b|watchdog|monitor|stall|stuck|hang|hung|no progress|\bidle|sleep|retry|retri|attempt|time.?out|\bpoll|ping|queue"
    r"|utili[sz]ation|\bmem|signal|SIGTERM|terminat|interrupt|cancel|exiting|shutting|stopp",
    re.IGNORECASE,
)
_LONG = re.compile(
    r"\breading\b|\b(?:is|are|was|were) read\b|data ?set|\bdata\b(?!.{0,8}parallel)|\bcorpus|token(?:is|iz)|pre-?process|prepar|download|fetch"
    r"|\bcop(?:y|ied|ying)\b"
    r"|extract|unpack|unzip"
    r"|untar|decompress|\bindex|\bscan|shard|\bcach"
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
_DIGITS = re.compile(r"\d+")


def of_meeting(line: str) -> bool:
    """Whether a line tells of a wait for others, or of a meeting that has not taken place yet."""
    counted = [(int(a), int(b)) for a, b in _FEW.findall(line)]
    few = any(a < b for a, b in counted)
    if few and _FEW_OF_THEM.search(line):
        return True
    if not _WAITS.search(line) or not (few or _WHOM.search(line)):
        return False
    return few or not _MET.search(line) or _NOT.search(line) is not None


def at_business(job: JobRecord, paths: Collection[str]) -> bool:
    """Whether one of these logs, which were written to until the end, told of work last (an evaluation, say), and not of waiting."""
    return any(not of_meeting(line) and not _IDLE.search(line) for lines in _tails(job, paths) for line in lines[-1:])


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
    found = []
    for one in (x for r in job.reports for x in r.excerpts if x.where.step not in SCRIPT and (paths is None or x.path in paths)):
        said = (line for line in (one.tail.strip() or one.head.strip()).splitlines() if line.strip())
        lines = [line for line in said if not line.startswith("srun: ") and not of_slurmstepd(line)]
        cut = next((i for i, line in enumerate(lines) if line.startswith("Traceback (most recent call last)")), len(lines))
        if lines[:cut]:
            found.append(lines[:cut])
    return found


def speaks_of_meeting(job: JobRecord) -> bool:
    """Whether the last words of a rank are of setting up its group or of waiting for the others."""
    return any(of_meeting(lines[-1]) or (len(lines) > 1 and of_meeting(lines[-LAST_LINES]) and not _MET.search(lines[-1])) for lines in _tails(job))


def calling(job: JobRecord, talking: Collection[str]) -> bool:
    """Whether a rank said to the end, again and again, that it waits: who of ``talking`` (logs written to until then) says other things, does not."""
    tails = _tails(job)
    quiet = all(_calls(lines) or len(lines) < LEAST_CALLS for lines in tails)
    return any(_calls(lines) for lines in tails) and quiet and all(_calls(lines) for lines in _tails(job, talking))


def _calls(lines: list[str]) -> bool:
    last = lines[-LEAST_CALLS:]
    return len(last) == LEAST_CALLS and len({_DIGITS.sub("#", line) for line in last}) <= LAST_LINES and all(of_meeting(line) for line in last)


def last_words(job: JobRecord) -> tuple[str, ...]:
    """The last line of each log of a task."""
    return tuple(lines[-1] for lines in _tails(job))


def past_meeting(job: JobRecord) -> bool:
    """Whether the last words of a rank are of a group that is complete, or of something that takes long by itself: data, downloads, compilers."""
    return any((_LONG.search(line) and not of_meeting(line)) or _COMPLETE.search(line) for line in (lines[-1] for lines in _tails(job)))

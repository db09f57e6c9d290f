"""How many ranks a run had, by its own words, where nobody else counted them: one task whose program starts the others itself.

Launchers outside Slurm (``mpiexec`` in the script) and programs that fork (``mp.spawn``, a shell's ``&``) leave one task and one log. That there
were several is told by the numbers that a launcher gave its processes, by writers that number themselves at the beginning of their lines, or by
a count beside a word for ranks.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.growing import CLOCK
from gpualert_slurm.classifier.meeting import of_meeting
from gpualert_slurm.job_record import JobRecord

MOST_LINES = 400
MOST_LINE = 300
MOST_RANKS = 65_536
_WRITER = re.compile(
    r"(?:^|[\s\[(<{|\"',.])(?:(?:local|global)[_ ]?)?(?:rank|worker|proc(?:ess)?|part|member|peer|replica|node|r|w"
    r"|p)['\"]?[ _:#=-]{0,3}(?P<who>\d{1,5})(?![\d.%]|\s?[KMG]i?B|\s?(?:ms|s|epochs|steps)\b)",
    re.IGNORECASE,
)
_RANK = re.compile(r"(?:^|[\s\[(<{|\"',.])(?:(?:local|global)[_ ]?)?rank['\"]?[ _:#=-]{0,3}(?P<who>\d{1,5})(?![\d.%])", re.IGNORECASE)
"""Nearer than ``w14830``, which may be a process's number."""
_BRACKET = re.compile(r"\s{0,4}(?:\[(?P<a>\d{1,4})(?:/\d{1,4})?\]|<(?P<b>\d{1,4})>|(?P<c>\d{1,4})[>|])[:>]?\s")
_COUNT = re.compile(
    r"\bworld[_ ]?size['\"]?\s?[:=]?\s?(?P<a>\d{1,5})\b|\b(?:rank|process)[ _:=]{0,2}\d{1,5}\s?(?:/|of|out of)\s?(?P<b>\d{1,5})\b"
    r"|\bn?ranks?['\"]?\s?[:=]\s?(?P<c>\d{1,5})\b(?=\W*$)"
    r"|\b(?P<d>\d{1,5}) (?:ranks|processes|workers|nodes|peers|members|replicas)\b|\b(?:nproc\w{0,9}|num_(?:processes|ranks|procs)"
    r"|n_?procs?)['\"]?\s?[:= ]\s?(?P<e>\d{1,5})\b",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"(?:^|[\s\[(<])(?:rank|proc(?:ess)?|peer|node|[rwp])[ _#-]?(?P<who>\d{1,4})\s?/\s?(?P<all>\d{1,4})(?![\d./])", re.IGNORECASE)
"""Which it is and of how many: so a rank calls itself, whatever it speaks of."""
_OWN_NUMBER = re.compile(r"\brank['\"]?\s?[:= ]\s?\d{1,5}\b", re.IGNORECASE)
_WANTED = re.compile(
    r"\b(?:peers?|ranks|workers|processes|nodes|members|replicas)\b.{0,40}\b(?:have|got|joined|present|here)['\"]?\s?[:=]\s?\d{1,5}\b"
    r".{0,20}\b(?:want(?:ed)?|need(?:ed)?|expect(?:ed)?|total|of)['\"]?\s?[:=]\s?(?P<wanted>\d{1,5})\b",
    re.IGNORECASE,
)
_AWAITED = re.compile(
    r"\bwaiting for (?P<wanted>\d{1,5}) (?:tasks|ranks|processes|workers|peers|nodes|hosts|members)\b.{0,24}\b\d{1,5} (?:have|has|are|is|so far)\b",
    re.IGNORECASE,
)
_PLACED = re.compile(r"\[(?P<who>\d{1,4})/(?P<all>\d{1,4})\]\s")
"""``[0/2] ``, where there is a 0 and none is the last: no count of steps."""
_LOADER = re.compile(r"load|num_workers|prefetch|thread|\bcpu|token|shard|download|reader|queue", re.IGNORECASE)
_LAUNCHER = re.compile(
    r"\b(?:torchrun|torch\.distributed\.(?:run|launch)|accelerate(?:\.commands\.launch)? launch|deepspeed|mpirun|mpiexec|horovodrun)\b"
)
_PLACE = re.compile(r"\bcoordinator\b|\bmaster\b|\S:\d{4,5}\b", re.IGNORECASE)
_EACH = re.compile(
    r"(?:--nproc[-_]per[-_]node|--num[-_](?:processes|gpus)|(?<=mpirun )-np?|(?<=mpiexec )-np?|(?<=horovodrun )-np)[= ](\d{1,5})\b"
)
_NODES = re.compile(r"--nnodes[= ](?:\d{1,5}:)?(\d{1,5})\b")
"""Ranks on each node, and nodes (torchrun's may be least and most); a bare ``-n`` right behind the launcher alone, for programs have one, too."""
MOST_COMMAND = 2000
HEAD = 60
NUMBERS = ("PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "RANK")
"""Where launchers write a process's number."""


def told_ranks(job: JobRecord) -> int:
    """As many as number themselves or are counted in the job's logs; 1 where nothing says so."""
    named: set[int] = set()
    counts: dict[int, int] = {}
    bracketed: dict[int, int] = {}
    placed: dict[int, set[int]] = {}
    for one in (x for r in job.reports for x in r.excerpts if x.where.step not in SCRIPT or _only(x.path, [e.path for e in r.excerpts])):
        for line in (one.head + "\n" + one.tail if one.bytes_left_out else one.head or one.tail).splitlines()[:MOST_LINES]:
            text = line[:MOST_LINE]
            if (mine := _OF_ALL.search(text[:HEAD])) is not None and int(mine["who"]) <= int(mine["all"]):
                named.add(int(mine["who"]))
                counts[int(mine["all"])] = counts.get(int(mine["all"]), 0) + 1
                continue
            if (place := _PLACED.match(CLOCK.sub("", text).lstrip(" .,;|-"))) is not None:
                placed.setdefault(int(place["all"]), set()).add(int(place["who"]))
            if _LOADER.search(text) or text.startswith(("srun: ", "slurmstepd", " ", "Traceback")):
                continue
            if (found := _RANK.search(text[: 2 * HEAD]) or _WRITER.search(text[:HEAD])) is not None:
                named.add(int(found["who"]))
            if (mark := _BRACKET.match(text)) is not None:
                who = int(mark["a"] or mark["b"] or mark["c"])
                bracketed[who] = bracketed.get(who, 0) + 1
            if (told := _COUNT.search(text)) is not None:
                number = int(next(v for v in told.groupdict().values() if v is not None))
                meets = told["b"] is not None and (of_meeting(text) or _PLACE.search(text) is not None)  # which of how many, as it meets them
                sure = meets or (told["a"] is not None and _OWN_NUMBER.search(text) is not None)  # of how many, and which of them it is: it knows
                counts[number] = counts.get(number, 0) + (2 if sure else 1)
            if (wanted := _WANTED.search(text) or _AWAITED.search(text)) is not None:
                counts[int(wanted["wanted"])] = counts.get(int(wanted["wanted"]), 0) + 2
    several = len(named) if len(named) > 1 and min(named) <= 1 and max(named) <= len(named) else 0
    counted = max((n for n, lines in counts.items() if 1 < n < MOST_RANKS and (lines > 1 or several)), default=1)
    steady = len(bracketed) > 1 and min(bracketed) <= 1 and max(bracketed) <= len(bracketed) and min(bracketed.values()) > 1
    whole = max((of for of, who in placed.items() if of > 1 and who == set(range(of))), default=1)
    numbered = max(_numbered(job), _bidden(job), whole)
    return numbered if numbered > 1 else max(several, len(bracketed) if steady else 0, counted, 1)


def _only(path: str, all_paths: list[str]) -> bool:
    """Whether the script's log is all that anybody wrote, slurmstepd aside."""
    return [p for p in all_paths if not p.endswith("stepd.log")] == [path]


def _bidden(job: JobRecord) -> int:
    """As many as a launcher is bidden to start: by the command under gpualert-run, or a line of a script that shows its commands."""
    shown = [line for r in job.reports for x in r.excerpts for line in x.text[:MOST_COMMAND].splitlines() if line.startswith("+ ")]
    for line in (" ".join(job.command)[:MOST_COMMAND], *shown):
        if _LAUNCHER.search(line) is None:
            continue
        each, nodes = _EACH.search(line), _NODES.search(line)
        found = int(each[1] if each is not None else 1) * int(nodes[1] if nodes is not None else 1)
        if 1 < found < MOST_RANKS:
            return found
    return 1


def _numbered(job: JobRecord) -> int:
    """As many processes as a launcher numbered."""
    every = [p.environment for r in job.reports for p in r.processes]
    return max(len({e[name] for e in every if name in e}) for name in NUMBERS)

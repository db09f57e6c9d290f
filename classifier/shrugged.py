"""Failed steps behind a training that ended well, which the batch script took in its stride: an extra that it tried, and did without.

A script that ends with 0 says little: its last command may be an ``echo``. It must have said that it does without what failed, or the step must have
been a line of code that no file holds; and the training must have been done by then, in a step of which all ranks ended well.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit

ENOUGH = 10
"""Lines of progress, or steps, of a training."""
_FAILED = re.compile(r"^srun: error: .{0,200}(?:Exited with exit code|Terminated|Killed|Aborted|core dump)", re.MULTILINE)
_SHRUGS = re.compile(
    r"\bskip(?:ped|ping|s)?\b|\bignor(?:ed|ing|e)\b|\boptional\b|\bnot (?:fatal|needed|critical|required|important)\b"
    r"|\bnon-?(?:fatal|critical|essential)\b"
    r"|\bwithout (?:it|that|them)\b|\bnever ?mind\b|\bcarr(?:y|ies|ying) on\b"
    r"|\b(?:continu\w+|going on|goes on) (?:anyway|without|regardless|all the same)\b"
    r"|\bbest[- ]effort\b|\bno matter\b|\bthat is (?:fine|ok(?:ay)?|all right)\b"
    r"|\bfall(?:s|ing)? back (?:to|on)\b|\bharmless\b|\bas expected\b|\bexpected (?:here|on)\b|\bleft out\b|\bdoing without\b",
    re.IGNORECASE,
)
_MINDS = re.compile(r"\b(?:train\w*|fail(?:ed|ure)? (?:the )?(?:job|run)|abort\w*|stage|model|epochs?|giving up|bad)\b", re.IGNORECASE)
"""What is done without must be none of the work itself."""
_ONE_LINER = re.compile(r'File "<(?:string|stdin)>", line \d{1,6}, in <module>')


def shrugged(job: JobRecord, exits: tuple[RankExit, ...], marks: tuple[Evidence, ...]) -> tuple[RankExit, ...]:
    """Of ``exits`` (all tasks of a run whose batch script ended with 0), those of such steps; ``marks``: lines of progress of all ranks."""
    tasks = [e for e in exits if e.step not in SCRIPT]
    failed = {e.step for e in tasks if e.failed}
    if not failed or len(failed) == len({e.step for e in tasks}):
        return ()
    told: dict[str | None, list[Evidence]] = {}
    for mark in marks:
        told.setdefault(mark.where.step, []).append(mark)
    done = [
        max((e.end_time_ns or 0) for e in tasks if e.step == step)
        for step in {e.step for e in tasks} - failed
        if _trained(told.get(step, [])) and all(e.wait_status is not None for e in tasks if e.step == step)
    ]
    aside = {step for step in failed if step not in told and any(0 < end < _first(tasks, step) for end in done)}
    aside = {step for step in aside if all(e.exit_code and e.exit_code < 128 and not e.signal for e in tasks if e.step == step and e.failed)}
    return tuple(e for e in tasks if e.failed and e.step in aside and (_without(job) or _of_one_line(job, e.step)))


def _trained(marks: list[Evidence]) -> bool:
    steps = [step for m in marks if isinstance(step := m.data.get("step"), int)]
    return len(marks) >= ENOUGH or max(steps, default=0) >= ENOUGH


def _first(tasks: list[RankExit], step: str) -> int:
    return min((e.end_time_ns or 0) for e in tasks if e.step == step and e.failed)


def _without(job: JobRecord) -> bool:
    """Whether the script's own next words after srun's of the failure are that it does without."""
    for one in (x for r in job.reports for x in r.excerpts if x.where.step in SCRIPT):
        text = one.tail or one.head
        found = list(_FAILED.finditer(text))
        behind = text[found[-1].end() :].splitlines()[1:4] if found else []
        lines = [line for line in behind if line and not line.startswith(("srun: ", "slurmstepd"))]
        if any(_SHRUGS.search(line) and not _MINDS.search(line) for line in lines):
            return True
    return False


def _of_one_line(job: JobRecord, step: str) -> bool:
    texts = [x.tail or x.head for r in job.reports for x in r.excerpts if x.where.step == step]
    return any(_ONE_LINER.search(text) for text in texts)

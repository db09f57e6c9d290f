"""How many ranks the ranks themselves expect, by their own first words: ``hello ranks=4``, ``3 ranks expected``, ``world_size: 8``.

Where each of them says the same and fewer were started, they wait for somebody who was never launched.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.meeting import last_lines
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.job_record import JobRecord

_WAITS = re.compile(r"\b(?:wait|expect|await|warte|attend|esper|aguard|need)", re.IGNORECASE)
MOST_TEXT, MOST_LINE, LEAST_TOLD = 4096, 300, 2
_WHO = r"(?:ranks|workers|processes|procs|peers|members|replicas|tasks|partners|players|nodes)"
_SIZE = re.compile(
    rf"(?<![A-Za-z])(?:world(?:[_ ]?size)?|n_?ranks|num_(?:ranks|processes|workers)|{_WHO})['\"]?\s?[=:]\s?(?P<named>\d{{1,5}})(?![\w./:])"
    rf"|(?<![\w./:-])(?P<counted>\d{{1,5}}) {_WHO} (?:are |were |is |to be |are to )?(?:expected|in all|in total|wanted|planned|called|come|join)\b",
    re.IGNORECASE,
)
_OF_THEM = re.compile(
    rf"(?<![\w.:])(\d{{1,5}}) (?:{_WHO}|Prozesse?n?|Knoten|processus|n[oœ]e?uds|procesos|nodos|processi|nodi)\b", re.IGNORECASE
)
_LAUNCHES = re.compile(r"torchrun|torch[./]distributed|accelerate|deepspeed|horovod|mpirun|nproc", re.IGNORECASE)
"""A launcher starts more ranks than there are tasks."""


def expected(job: JobRecord, crew: int) -> int | None:
    """The number that at least LEAST_TOLD ranks name, all the same, where it is more than the ``crew`` that was there."""
    if any(_LAUNCHES.search(line) for line, _ in command_lines(job, None)):
        return None
    told: dict[int, set[int]] = {}
    for one in (x for report in job.reports for x in report.excerpts):
        if one.where.rank is None or one.where.step in SCRIPT:
            continue
        for line in one.text[:MOST_TEXT].splitlines():
            if found := _SIZE.search(line[:MOST_LINE]):
                told.setdefault(one.where.rank, set()).add(int(found["named"] or found["counted"]))
    numbers = {n for sizes in told.values() for n in sizes}
    return numbers.pop() if len(told) >= LEAST_TOLD and len(numbers) == 1 and max(numbers) > crew else None


def all_wait(job: JobRecord, crew: int) -> bool:
    """Whether every rank's last word is that it waits, and names their number, or a greater one: ``warte auf 4 ...`` of four."""
    said = last_lines(job)
    if crew < 2 or len(said) < crew or not all(_WAITS.search(line) for line in said.values()):
        return False
    if all(re.search(rf"(?<![\w.:]){crew}(?![\w.:])", line) for line in said.values()):
        return True
    more = [{int(found[1]) for found in _OF_THEM.finditer(line)} for line in said.values()]
    return any(number > crew for number in set.intersection(*more))

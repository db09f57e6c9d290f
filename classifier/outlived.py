"""A process below the task that raised, while the task itself lived on in silence until it was stopped: there were others, and they waited.

A program alone ends by the exception that it does not catch, and so does a script by that of its only program. Where the last words are such an
exception and the task is still there much later, somebody else keeps it: a launcher's other ranks, a parent's other children.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.ending import SCRIPT, Ending
from gpualert_slurm.classifier.silence import SAFETY_FACTOR, SCANT_S, Silence
from gpualert_slurm.classifier.stopping import CUT
from gpualert_slurm.evidence import Evidence, Quote, Role
from gpualert_slurm.job_record import JobRecord

SPOKEN_S = 3.0
"""A traceback of many lines comes within this time of its last one."""
_CHILD = re.compile(r"^Process \S{1,100}:$")
"""multiprocessing's head of what ended a child (``Process.run``)."""
_STARTS_SEVERAL = re.compile(
    r"(?:\A|/)(?:(?:ba|da|z|k)?sh|torchrun|mpirun|mpiexec(?:\.\w{1,12})?|accelerate|deepspeed|horovodrun|parallel|make)\Z"
)


def outlived(job: JobRecord, ending: Ending, raised: tuple[Evidence, ...], silence: Silence | None) -> bool:
    """Whether the last that was said is a child's exception, long before the task was stopped."""
    if ending.state not in CUT or ending.ended_ns is None or silence is None:
        return False
    roots = [e for e in raised if e.role is Role.ROOT and e.time_ns is not None and e.where.step not in SCRIPT and isinstance(e.source, Quote)]
    if not roots:
        return False
    last = max(roots, key=lambda e: e.time_ns or 0)
    since = (ending.ended_ns - (last.time_ns or 0)) / 1e9
    if since < max(SCANT_S, SAFETY_FACTOR * silence.interval_s) or silence.seconds < since - SPOKEN_S:
        return False
    return _of_a_child(job) or any(_STARTS_SEVERAL.search(word) for word in job.command[:1])


def _of_a_child(job: JobRecord) -> bool:
    texts = [x.text for report in job.reports for x in report.excerpts if x.where.step not in SCRIPT]
    return any(_CHILD.match(line) for text in texts for line in text.splitlines())

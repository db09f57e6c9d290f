"""slurmstepd's own lines in a job's output, by their beginning: no program of the job said them."""

from __future__ import annotations

import re

BEGINNING = (
    r"slurmstepd|(?:\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\] )?(?:error|fatal): "
    r"(?:\*\*\* (?:JOB|STEP) \d|execve\(\): |Detected \d{1,9} oom[-_]kill"
    r"|Could not open std(?:in|out|err) file|IO setup failed|pyxis: |slurm_\w{1,40}: )"
)
"""Its name up to 24.11, a time in place of the name in 26.05 (both seen by running them), which readers may have taken off: then its words tell."""
_BEGINNING = re.compile(BEGINNING)


def of_slurmstepd(line: str) -> bool:
    """Whether slurmstepd said the line."""
    return _BEGINNING.match(line) is not None

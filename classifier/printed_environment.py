"""What a job prints of its environment: ``env`` in a script, or what ``set -x`` shows of an export."""

from __future__ import annotations

import re

from gpualert_slurm.job_record import JobRecord


def printed(job: JobRecord, name: str) -> str | None:
    """The value that a line of a log gives a variable, where it is no more than that; None where none does, or it is empty or 0."""
    line = re.compile(rf"(?:\+{{1,4}} )?(?:export |declare -x )?{re.escape(name)}=(?P<quote>['\"]?)(?P<value>[\w.,:/-]{{1,64}})(?P=quote)\s*\Z")
    for one in (x for report in job.reports for x in report.excerpts if f"{name}=" in x.text):
        for text in one.text.splitlines():
            if (found := line.match(text)) is not None and found["value"] != "0":
                return found["value"]
    return None

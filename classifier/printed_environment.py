"""What a job's command gives its environment, or the job prints of it: ``env`` in a script, or what ``set -x`` shows of an export."""

from __future__ import annotations

import re

from gpualert_slurm.job_record import JobRecord


def printed(job: JobRecord, name: str) -> str | None:
    """The value that a command gives a variable, or a line of a log that is no more than that; None where none does, or it is empty or 0."""
    line = re.compile(rf"(?:\+{{1,4}} )?(?:export |declare -x )?{re.escape(name)}=(?P<quote>['\"]?)(?P<value>[\w.,:/-]{{1,64}})(?P=quote)\s*\Z")
    bidden = re.compile(rf"(?:^|[\s,]){re.escape(name)}=(?P<value>[1-9]\d{{0,3}})(?=[\s,]|$)")
    rows = [row.submit_line or "" for row in job.accounting]
    for text in (" ".join(job.command), *rows):
        if (told := bidden.search(text)) is not None:
            return told["value"]
    for one in (x for report in job.reports for x in report.excerpts if f"{name}=" in x.text):
        for text in one.text.splitlines():
            if (found := line.match(text)) is not None and found["value"] != "0":
                return found["value"]
    return None

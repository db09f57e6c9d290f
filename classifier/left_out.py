"""Steps that a run counted and did not take: ``optimizer steps 2, skipped 248``, ``skipped 3990 of 4000 batches``.

Some are left out of any run in half precision, or with a bad record in its data. Where nearly all are, from the first line that tells of it to the
last, next to nothing was learned from, however many were counted.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import count
from gpualert_slurm.job_record import JobRecord

SHARE, LEAST = 0.9, 10
"""Of the steps, those that were left out; and how many there are to be at least."""
MOST_LINE, MOST_LINES, MOST_TEXT = 300, 2000, 128 * 1024
_N = r"(?<![\w.,/-])(?P<{}>\d{{1,3}}(?:,\d{{3}}){{1,3}}|\d{{1,9}})(?![\w,]*\d|\.\d|%)"
_PIECES = r"(?:mini-?batch(?:es)?|batch(?:es)?|(?:optimi[sz]er |training |train )?(?:steps?|updates?|iterations?))"
_GONE = (
    r"(?:skipp(?:ed|ing)|dropp(?:ed|ing)|discarded|rejected|ignored|left out|[üu]bersprungen|verworfen|ignor[ée]e?s?|saut[ée]e?s?|omitid[oa]s?)"
)
_OF = r"(?: ?/ ?| of | out of | von | sur | de )(?:the )?"
_TAKEN = r"(?: (?:done|taken|made|applied|used))?"
_FORMS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        rf"\b{_GONE}(?: {_PIECES})?\W{{0,3}}{_N.format('gone')}{_OF}{_N.format('of')} ?{_PIECES}",
        rf"{_N.format('gone')}{_OF}{_N.format('of')} {_PIECES} (?:were |was |had to be )?{_GONE}",
        rf"\b{_PIECES}{_TAKEN}['\"]?\s?[:=]?\s?{_N.format('done')}\D{{1,24}}?\b{_GONE}['\"]?\s?[:=]?\s?{_N.format('gone')}",
        rf"{_N.format('done')} {_PIECES}{_TAKEN}\W{{1,3}}(?:and )?{_N.format('gone')} (?:were |was )?{_GONE}",
    )
)


def left_out(job: JobRecord) -> tuple[int, int] | None:
    """How many steps were left out, and of how many, where nearly all were in each line that tells of it; None where they were not."""
    for one in (x for report in job.reports for x in report.excerpts):
        told = [found for line in one.text[:MOST_TEXT].splitlines()[:MOST_LINES] if (found := _told(line[:MOST_LINE])) is not None]
        if told and all(gone >= SHARE * of for gone, of in told) and (total := sum(of for _, of in told)) >= LEAST:
            return sum(gone for gone, _ in told), total
    return None


def _told(line: str) -> tuple[int, int] | None:
    for form in _FORMS:
        if (found := form.search(line)) is not None:
            gone = count(found["gone"]) or 0
            of = gone + (count(found["done"]) or 0) if "done" in form.groupindex else count(found["of"]) or 0
            return (gone, of) if of > 0 else None
    return None

"""Whether a command line bids the run go on from what was saved, and how firmly: ``--resume``, ``resume=must``, ``--continue-training yes``.

Where no path stands behind the word, nothing but the word tells that a start from scratch was not meant; so it counts only with something else:
an error as the state was read, a run that this one depends on, or a word that allows no other start.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.classifier.parents import command_lines
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.job_record import JobRecord

_BIDS = re.compile(
    r"(?:^|\s)(?:--?(?P<dashed>(?:(?:auto|must|require|force|strict)[-_]?)?(?:resum(?:e|ing)|continue|restart|restore|requeued?[-_]resume|reload|warm[-_]restart)[\w.-]{0,40})"
    r"|(?:\+{0,2}[\w.]{0,40}\.)?(?P<plain>(?:(?:auto|must|require|force|strict)[-_]?)?(?:resume|restore|continue_(?:from|train\w*)|restart_from)[\w-]{0,30}|init_from(?==['\"]?resume\b))(?==))"
    r"(?:=['\"]?(?P<set>[^\s'\"]{0,400})|\s+['\"]?(?P<next>(?!-)[^\s'\"=]{1,400}))?(?=['\"]?(?:\s|$))",
    re.IGNORECASE,
)
_NEVER = {"none", "false", "0", "no", "null", "off", "never", "", "n", "f"}
_FIRM = re.compile(r"(?:resume|must|requir\w{0,6}|forced?|strict(?:ly)?|always|only|mandatory|obligatory)\Z", re.IGNORECASE)
_ELSE = re.compile(r"weights|best[-_]?metric|interval|timeout|every|count|max|limit|threshold|patience|on[-_](?:error|fail)", re.IGNORECASE)


@dataclass(frozen=True)
class Bid:
    """``firm``: no other start is allowed; ``said`` is the option as it stands there."""

    said: str
    firm: bool
    evidence: Evidence


def bidden(job: JobRecord, row: AccountingRecord | None) -> Bid | None:
    """The first firm one of such words of the command lines, else the first; None where there is none."""
    bids: list[Bid] = []
    for line, cite in command_lines(job, row):
        for found in _BIDS.finditer(line):
            option, value = found["dashed"] or found["plain"], found["set"] if found["set"] is not None else found["next"] or "true"
            if value.lower() in _NEVER or _ELSE.search(option):
                continue
            firm = _FIRM.match(value) is not None or re.search(r"must|require|force|strict", option, re.IGNORECASE) is not None
            bids.append(Bid(found[0].strip(), firm, cite()))
    return next((bid for bid in bids if bid.firm), bids[0] if bids else None)

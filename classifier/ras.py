"""What NCCL's RAS service says of a standstill: ranks that are missing, and ranks behind the others in their collectives.

Print style as NCCL's user guide has it ("Troubleshooting", RAS), 2.24 and later: ``The missing rank: 21``, later ``Rank 7 -- GPU 3 managed by
process 3748990 on node n1``; verbose output and its table of communicators. Not recorded here: no NCCL runs without a GPU.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MOST = 64
_GROUP = re.compile(r"^\s{1,8}(?P<group>\d{1,6})\s{1,12}\d{1,6}\s{1,12}\d{1,6}\s{1,12}[\d-]{1,12}\s{1,12}(?P<ranks>\d{1,7})\s{1,12}\d{1,7}\s")
_BLOCK = re.compile(r"^#(?P<group>\d{1,6})-\d{1,6} \((?P<hash>[0-9a-f]{1,32})\) (?P<status>[A-Z]{2,20})\b")
_MISSING = re.compile(r"^\s{1,8}The missing ranks?: (?P<ranks>[\d, -]{1,600})")
_RANK = re.compile(r"^\s{1,8}Rank (?P<rank>\d{1,7}) -- GPUs? [\d, ]{1,60} managed by process (?P<pid>\d{1,10}) on node (?P<node>\S{1,100})")
_OPERATION = re.compile(r"^\s{1,8}(?P<count>\d{1,7}) ranks? (?:has|have) launched up to operation (?P<operation>\d{1,18})")


@dataclass(frozen=True)
class Outlier:
    """A rank of the largest communicator that RAS names, and the line that names it. ``missing``: its process did not answer; else it lags."""

    rank: int
    missing: bool
    line: str
    behind: int = 0
    """How many collectives it had not yet launched that others had."""

    @property
    def why(self) -> str:
        """In words."""
        if self.missing:
            return "NCCL's RAS service had no answer of its process"
        return f"NCCL's RAS service saw it {self.behind} collective{'s' if self.behind != 1 else ''} behind the others"


def read_ras(text: str) -> tuple[Outlier, ...]:
    """The ranks that stand out, those that are missing first; empty for a healthy or foreign text, or where a minority does not stand out.

    Only communicators of the largest size count: a rank's number is its own within each communicator.
    """
    lines = text.splitlines()[:4000]
    sizes = {int(row["group"]): int(row["ranks"]) for line in lines if (row := _GROUP.match(line))}
    largest = {group for group, ranks in sizes.items() if ranks == max(sizes.values())}
    total = max(sizes.values(), default=0)
    found: dict[int, Outlier] = {}
    counts: dict[int, list[Outlier]] = {}
    most = operation = 0
    status = ""
    for line in lines:
        block = _BLOCK.match(line)
        if block or not line.strip():
            if block:
                status = block["status"] if not sizes or int(block["group"]) in largest else ""
                operation = 0
            continue
        said = line.strip()[:200]
        launched = _OPERATION.match(line)
        if launched and status == "MISMATCH":
            operation = int(launched["operation"])
            most = max(most, operation)
        rank = _RANK.match(line)
        if status == "INCOMPLETE" and (missing := _MISSING.match(line)):
            found.update({one: Outlier(one, True, said) for one in _numbers(missing["ranks"])})
        elif rank and status == "INCOMPLETE":
            found[int(rank["rank"])] = Outlier(int(rank["rank"]), True, said)
        elif rank and status == "MISMATCH" and operation:
            counts.setdefault(operation, []).append(Outlier(int(rank["rank"]), False, said))
    for at, ranks in counts.items():
        if at < most:
            for one in ranks:
                found.setdefault(one.rank, Outlier(one.rank, False, one.line, most - at))
    if not found or (total and len(found) > max(1, total // 2)):
        return ()
    return tuple(sorted(found.values(), key=lambda one: (not one.missing, one.rank))[:MOST])


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in re.split(r"[, ]+", text):
        span = re.fullmatch(r"(\d{1,7})(?:-(\d{1,7}))?", part)
        if span:
            first = int(span[1])
            found += range(first, min(int(span[2] or first), first + MOST) + 1)
    return found[:MOST]

from __future__ import annotations

from gpualert_slurm.evidence import Evidence
from gpualert_slurm.gap import Gap
from gpualert_slurm.record import Record
from gpualert_slurm.series import Series


class ParsedLog(Record):
    """What one pass over one log gave. All of it is USER trust, whatever it claims to be.

    ``last_lines`` are the last non-empty lines, for the verdict "unknown"; ``gaps`` say what was cut or unreadable.
    """

    path: str
    bytes_read: int
    evidence: tuple[Evidence, ...] = ()
    series: tuple[Series, ...] = ()
    last_lines: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()

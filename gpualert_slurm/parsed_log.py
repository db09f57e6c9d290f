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
    sha256: str | None = None
    """Of the ``bytes_read`` bytes; absent when not all of them were the file's own."""
    evidence: tuple[Evidence, ...] = ()
    series: tuple[Series, ...] = ()
    last_lines: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()

    def unhashed(self) -> ParsedLog:
        """The same without the file's hash: for a log whose reader was not given all of it."""
        quotes = [e.model_copy(update={"source": e.source.model_copy(update={"file_sha256": None, "file_bytes": None})}) for e in self.evidence]
        return self.model_copy(update={"sha256": None, "evidence": tuple(quotes)})

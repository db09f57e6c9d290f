from __future__ import annotations

from gpualert_slurm.evidence import Where
from gpualert_slurm.record import Record


class Excerpt(Record):
    r"""Head and tail of one rank's log, for the reader of the mail. USER trust, text as the job wrote it.

    ``head`` are the first bytes, ``tail`` the last, both whole lines where possible; ``bytes_total`` is the log's
    size and ``bytes_left_out`` what lies between. Broken bytes appear as ``\\xNN``.
    """

    path: str
    where: Where
    stream: str
    head: str
    tail: str
    bytes_total: int
    bytes_left_out: int

    @property
    def text(self) -> str:
        """Head and tail, what both have but once; a line end between them where something is left out."""
        head, tail = self.head.encode("utf-8", "replace"), self.tail.encode("utf-8", "replace")
        if len(head) >= self.bytes_total or not tail:
            return self.head
        twice = len(head) + len(tail) - self.bytes_total
        return (head + (tail[twice:] if twice >= 0 else b"\n" + tail)).decode("utf-8", "replace")

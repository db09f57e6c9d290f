from __future__ import annotations

from gpualert_slurm.record import Record


class Artifact(Record):
    """A file the owner asked for (``--gpualert-artifacts``), or why it is not here.

    ``content`` is the file in base64 when it fitted the budget; otherwise ``left_out`` says why.
    """

    path: str
    size_bytes: int | None = None
    content: str | None = None
    left_out: str | None = None

from __future__ import annotations

from typing import Literal

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.wishes import Wishes


class JobNote(Record):
    """Sent sealed from the allocation's first node at the start of a job: who asked, even if every node dies later.

    ``nodes`` is the allocation as Slurm writes it (``n[1-4]``). ``origin`` is ``accounting`` for one that the daemon made itself, because
    Slurm had a job that no node had announced; its times and nodes are Slurm's then.
    """

    format: Literal["gpualert-note/1"] = "gpualert-note/1"
    attempt: Attempt
    uid: int
    user: str | None = None
    node: str
    nodes: str
    wishes: Wishes
    work_dir: str | None = None
    written_ns: TimeNs
    origin: Literal["accounting"] | None = None

from __future__ import annotations

from enum import Enum

from gpualert_slurm.record import Record


class Standing(str, Enum):
    """How a mode stands after the data was asked: ruled in, ruled out, or not to be decided from what there is."""

    IN = "in"
    OUT = "out"
    NOT_TESTABLE = "not testable"


class Finding(Record):
    """One row of the ledger: one mode's answer.

    ``datum`` is what decided it ("no XID on the job's GPUs in the episode"), ``flip`` the reading that would have
    turned it over, ``evidence`` the ids of the evidence it rests on. ``incidental`` marks a mode that is IN but not
    connected with the terminal episode: a warning, never the primary mode.
    """

    mode: str
    title: str
    standing: Standing
    datum: str
    flip: str
    evidence: tuple[str, ...] = ()
    incidental: bool = False

"""What a failure mode is: one file in ``modes/`` that asks the facts and answers with a finding."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.finding import Standing
from gpualert_slurm.verdict import Fault, FirstFailure


@dataclass(frozen=True)
class Said:
    """A sentence and what it stands on."""

    text: str
    evidence: tuple[Evidence, ...]


@dataclass(frozen=True)
class Account:
    """How a mode that is ruled in fills the verdict. ``against`` are contradictions: each lowers the confidence and is said."""

    headline: str
    shows: tuple[Said, ...]
    fault: Fault
    variant: str | None = None
    cause: Cause | None = None
    detail: str | None = None
    title: str | None = None
    implies: tuple[str, ...] = ()
    cannot_decide: tuple[str, ...] = ()
    advice: tuple[str, ...] = ()
    against: tuple[str, ...] = ()
    trigger: TriggerAccount | None = None
    first: FirstFailure | None = None
    """Who failed first by this mode's own evidence, where exit records name victims only."""
    lost: bool = True
    """Whether the GPU-hours were lost."""
    parent_gpu_hours: float | None = None
    """What an earlier run had spent that was lost with this one."""


@dataclass(frozen=True)
class TriggerAccount:
    """What set it off: the mode and cause of the rank that died first."""

    mode: str
    text: str
    cause: Cause | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True)
class Assessment:
    """A mode's answer: its row of the ledger, and the account when it is ruled in."""

    standing: Standing
    datum: str
    flip: str
    evidence: tuple[Evidence, ...] = ()
    account: Account | None = None
    incidental: bool = False
    warnings: tuple[Said, ...] = field(default=())
    place: int | None = None
    """Another place on the ladder than the mode's own (a requeue that recovered stands below what a good end can hide)."""


class FailureMode(ABC):
    """One failure mode. ``place`` is its step on the ladder: of the modes ruled in, the lowest place is the verdict's."""

    code: str
    title: str
    place: int
    variants: tuple[str, ...] = ()
    """Its sub-kinds, where it has any."""
    needs: str
    """What data it asks for."""
    positive: str
    """The evidence that rules it in."""
    excludes: str
    leaves_open: str

    @abstractmethod
    def assess(self, facts: Facts) -> Assessment:
        """The mode's answer to this run. Never raises for what a record holds."""


def ruled_in(datum: str, flip: str, account: Account, *, incidental: bool = False, warnings: tuple[Said, ...] = ()) -> Assessment:
    """IN: every piece of evidence of the account stands behind it."""
    cited = tuple(e for said in account.shows for e in said.evidence)
    return Assessment(Standing.IN, datum, flip, cited, account, incidental, warnings)


def ruled_out(datum: str, flip: str, *evidence: Evidence, warnings: tuple[Said, ...] = ()) -> Assessment:
    """OUT, by ``datum``; ``flip`` is the reading that would have turned it over."""
    return Assessment(Standing.OUT, datum, flip, evidence, warnings=warnings)


def latent(datum: str, flip: str, *warnings: Said) -> Assessment:
    """IN but not connected with the terminal episode: a warning, never the primary mode."""
    return Assessment(Standing.IN, datum, flip, tuple(e for said in warnings for e in said.evidence), None, True, warnings)


def not_testable(why: str, flip: str) -> Assessment:
    """The data to decide is absent: said, never turned into "out"."""
    return Assessment(Standing.NOT_TESTABLE, why, flip)

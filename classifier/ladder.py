"""The ladder: every mode is asked; of those ruled in and connected with the end, the lowest place is the verdict's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from gpualert_slurm.classifier import modes
from gpualert_slurm.classifier.facts import Facts
from gpualert_slurm.classifier.mode import Account, Assessment, FailureMode, not_testable
from gpualert_slurm.discovery import discover
from gpualert_slurm.finding import Finding, Standing


@dataclass(frozen=True)
class Choice:
    """The primary mode with its account, and every mode's answer in the ladder's order."""

    mode: FailureMode
    account: Account
    answers: tuple[tuple[FailureMode, Assessment], ...]

    @property
    def ledger(self) -> tuple[Finding, ...]:
        """One row a mode, ``unknown`` aside: it is no mode of a run."""
        return tuple(
            Finding(
                mode=mode.code,
                title=mode.title,
                standing=said.standing,
                datum=said.datum,
                flip=said.flip,
                evidence=tuple(dict.fromkeys(e.id for e in said.evidence)),
                incidental=said.incidental,
            )
            for mode, said in sorted(self.answers, key=lambda pair: pair[0].code)
            if mode.code != "unknown"
        )


@lru_cache(maxsize=1)
def all_modes() -> tuple[FailureMode, ...]:
    """Every file of ``modes/``, in the ladder's order."""
    found = discover(modes, "MODE", FailureMode)  # type: ignore[type-abstract]  # discover() only checks instances against it
    return tuple(sorted(found.values(), key=lambda mode: mode.place))


def _ask(mode: FailureMode, facts: Facts) -> Assessment:
    """The mode's answer; a defect of one mode costs its own row and no verdict."""
    try:
        return mode.assess(facts)
    except Exception as error:
        return not_testable(f"this mode failed on the record ({type(error).__name__}: {error})"[:300], "a version of gpualert without that defect")


def choose(facts: Facts) -> Choice:
    """Ask every mode, take the first that stands."""
    answers = tuple((mode, _ask(mode, facts)) for mode in all_modes())
    for mode, said in sorted(answers, key=lambda pair: pair[1].place or pair[0].place):
        if said.standing is Standing.IN and not said.incidental and said.account is not None:
            return Choice(mode, said.account, answers)
    raise LookupError("no mode answered: modes/unknown.py must always stand")

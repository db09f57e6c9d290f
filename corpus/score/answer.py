"""What a classifier says of a case, in the words of the label; and gpualert's own answer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from corpus.case import LOGS, job_of
from gpualert_slurm.evidence import Quote
from gpualert_slurm.verdict import Verdict


@dataclass(frozen=True)
class Answer:
    """One classifier's word on one case. None: it does not say. ``confidence`` is 0 to 1. ``quotes`` are those cited, ``standing`` those that are
    found again byte for byte; ``trouble`` is why there is no answer at all.
    """

    mode: str | None = None
    variant: str | None = None
    cause: str | None = None
    trigger: str | None = None
    fault: str | None = None
    confidence: float | None = None
    failed_ranks: tuple[int, ...] = ()
    first_ranks: tuple[int, ...] = ()
    quotes: int = 0
    standing: int = 0
    trouble: str | None = None

    def as_json(self) -> dict[str, Any]:
        """For keeping."""
        return {k: v for k, v in asdict(self).items() if v not in (None, ())}

    @classmethod
    def from_json(cls, said: dict[str, Any]) -> Answer:
        """From what was kept, or what a foreign classifier printed; unknown keys are left aside.

        Raises:
            ValueError: a value is of the wrong kind.
        """
        known = {k: said[k] for k in cls.__dataclass_fields__ if said.get(k) is not None}
        for key in ("failed_ranks", "first_ranks"):
            known[key] = tuple(int(r) for r in known.get(key, ()))
        for key in ("mode", "variant", "cause", "trigger", "fault"):
            if key in known and not isinstance(known[key], str):
                raise ValueError(f"{key} is no text: {known[key]!r}")
        if "confidence" in known:
            known["confidence"] = min(1.0, max(0.0, float(known["confidence"])))
        return cls(**known)


def of_verdict(verdict: Verdict, folder: Path) -> Answer:
    """Gpualert's verdict on the case staged in ``folder``."""
    quotes, standing = verified(verdict, folder)
    first = verdict.first_failure
    return Answer(
        mode=verdict.mode, variant=verdict.variant, cause=verdict.cause.value if verdict.cause else None, trigger=verdict.trigger.mode if verdict.trigger else None,
        fault=verdict.fault.value, confidence=verdict.confidence, failed_ranks=tuple(sorted({r.rank for r in verdict.failed_ranks if r.rank is not None})),
        first_ranks=tuple(sorted(first.ranks)) if first else (), quotes=quotes, standing=standing,
    )  # fmt: skip


def verified(verdict: Verdict, folder: Path) -> tuple[int, int]:
    """How many quotes the verdict has, and how many of them stand: bytes, line and the file's hash, by the means of ``gpualert verify``."""
    from gpualert_slurm.programs.cited_log import cited

    quotes = [e.source for e in verdict.evidence if isinstance(e.source, Quote)]
    names = {p.name: p for p in (folder / LOGS).glob("*")} if (folder / LOGS).exists() else {}
    good = 0
    for log in cited(quotes):
        base = Path(log.name).name
        found = next((path for name, path in names.items() if name.endswith(f".{base}") and _holds(path, log.quotes[0])), None)
        if found is not None:
            log.name = str(found)
        log.check([folder])
        good += len(log.quotes) - len(log.wrong) if log.whole is None else 0
    return len(quotes), good


def _holds(path: Path, quote: Quote) -> bool:
    """Several nodes may have a log of this name: the one that was read is the one with this hash."""
    import hashlib

    with path.open("rb") as file:
        file.seek(quote.offset)
        return hashlib.sha256(file.read(quote.length)).hexdigest() == quote.sha256


def own(folder: Path) -> Answer:
    """Gpualert's answer to a staged case."""
    from gpualert_slurm.classifier import judge

    try:
        return of_verdict(judge(job_of(folder)), folder)
    except Exception as error:  # a classifier that fails has a wrong answer, not the harness
        return Answer(trouble=f"{type(error).__name__}: {str(error)[:300]}")

"""What a mail says, before it is text or HTML: both parts are made from this one model, so they cannot differ."""

from __future__ import annotations

from dataclasses import dataclass, field

from gpualert_slurm.notification import LeftOut
from gpualert_slurm.notify.wording import COMPLETED_BUT, Severity, Tone


@dataclass(frozen=True)
class Step:
    """A next step: a sentence, and what to paste where there is something."""

    text: str
    code: str = ""


@dataclass(frozen=True)
class Quoted:
    """Evidence under a claim: ``rows`` are wrapped lines, ``place`` says where they can be read again.

    ``verbatim`` marks lines of a file; a value of a record or a reading is said in one line. ``alike`` names whose the
    further evidence is that says the very same.
    """

    rows: tuple[str, ...]
    place: str
    attributes: str
    owner: str
    verbatim: bool
    redacted: bool = False
    alike: str = ""


@dataclass(frozen=True)
class ClaimView:
    """A sentence and what it stands on."""

    text: str
    quotes: tuple[Quoted, ...]


@dataclass(frozen=True)
class RankRow:
    """Ranks that ended alike."""

    ranks: str
    count: int
    nodes: str
    ended: str
    when: str
    failed: bool
    first: bool


@dataclass(frozen=True)
class CounterRow:
    """A counter that moved over the job."""

    gpu: str
    counter: str
    before: str
    after: str


@dataclass(frozen=True)
class LedgerRow:
    """How one failure mode stands."""

    mode: str
    standing: str
    datum: str
    flip: str


@dataclass(frozen=True)
class Table:
    """A table that may be cut: ``more`` names what is not shown and where it is."""

    rows: tuple[object, ...]
    note: str = ""
    more: str = ""


@dataclass(frozen=True)
class Picture:
    """A PNG shown in the HTML part by content id; ``alt`` is the fact it shows."""

    content_id: str
    alt: str
    width: int
    height: int


@dataclass(frozen=True)
class Enclosed:
    """An attachment by name, and what it is."""

    filename: str
    size: str
    what: str


@dataclass(frozen=True)
class View:
    """All of one mail."""

    tone: Tone
    subject: str
    headline: str
    mode_line: str
    subtitle: str
    who: str
    why_them: str
    how_sure: str
    first_failure: str
    steps: tuple[Step, ...]
    shows: tuple[ClaimView, ...]
    implies: tuple[str, ...]
    cannot_decide: tuple[str, ...]
    warnings: tuple[ClaimView, ...]
    last_lines: tuple[str, ...]
    metrics: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, str], ...]
    ranks: Table
    counters: Table
    past: tuple[str, ...]
    ledger: Table
    gaps: tuple[str, ...]
    cuts: tuple[str, ...]
    """What the model itself had to leave out for the mail's size."""
    left_out: tuple[LeftOut, ...] = ()
    enclosed: tuple[Enclosed, ...] = ()
    pictures: tuple[Picture, ...] = ()
    """Shown above the evidence, in this order; each has an attachment of the same content id."""
    redacted: str = ""
    footer: tuple[str, ...] = field(default=())

    @property
    def metrics_first(self) -> bool:
        """A run that came to its end is asked for its numbers first."""
        return self.tone.severity is Severity.GOOD or self.tone.word == COMPLETED_BUT


@dataclass(frozen=True)
class Limits:
    """How much of everything is shown; tried from generous to tight until the mail fits its size."""

    claims: int = 8
    quotes_per_claim: int = 3
    rows_per_quote: int = 16
    sentences: int = 10
    ranks: int = 24
    counters: int = 24
    ledger: int = 8
    listed: int = 20


LIMITS = (
    Limits(),
    Limits(6, 2, 10, 8, 16, 16, 6, 12),
    Limits(4, 1, 6, 5, 8, 8, 4, 8),
    Limits(2, 1, 3, 3, 4, 4, 0, 4),
    Limits(1, 1, 1, 1, 1, 1, 0, 1),
)

"""Which Debian suites carry which Slurm, and how each tracks a job's processes."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Tracking(str, Enum):
    """How Slurm keeps hold of a job's processes: the test bed reads it from GPUALERT_TESTBED_TRACKING."""

    LINUXPROC = "linuxproc"
    CGROUP = "cgroup"

    @property
    def tests(self) -> tuple[str, ...]:
        """What runs by default: everything with the first, and with the second what starts, holds and ends processes."""
        if self is Tracking.LINUXPROC:
            return ("tests/system",)
        return tuple(f"tests/system/test_{name}.py" for name in ("plugin", "tracking", "node_reports", "testbed"))


@dataclass(frozen=True)
class Suite:
    """A Debian suite.

    ``name``: what the matrix calls it, and its folder in the cache. ``codenames``: in this order, the first one that the mirror has is taken.
    ``slurm``: the version (major.minor) that it is there for; another one is tested as well, and the page says which it was.
    ``max_age_days``: an older folder is made anew, because the suite moves.
    """

    name: str
    codenames: tuple[str, ...]
    slurm: str
    max_age_days: int


SUITES = (
    Suite("bookworm", ("bookworm",), "22.05", 90),
    Suite("trixie", ("trixie",), "24.11", 90),
    Suite("newest", ("forky", "sid"), "26.05", 14),
)


def by_name(name: str) -> Suite:
    """The suite called so, by its own name, a codename or its Slurm version; raises ``ValueError`` naming those there are."""
    for suite in SUITES:
        if name in {suite.name, suite.slurm, *suite.codenames}:
            return suite
    raise ValueError(f"no suite is called {name!r}; there are {', '.join(f'{s.name} (Slurm {s.slurm})' for s in SUITES)}")

"""One thing that ``gpualert doctor`` looks at, and what it found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from gpualert_slurm.config import Config


class Host(str, Enum):
    """What a machine is to gpualert; one may be several."""

    NODE = "node"
    CONTROLLER = "controller"
    DAEMON = "daemon"
    LOGIN = "login"


class Standing(str, Enum):
    """How a check came out. ``unknown``: it could not be looked at, and why."""

    GOOD = "ok"
    BAD = "BAD"
    UNKNOWN = "?"


@dataclass(frozen=True)
class Found:
    """One line of the report: what is so, and for BAD the command that mends it."""

    standing: Standing
    what: str
    mend: str = ""


@dataclass(frozen=True)
class Patient:
    """What is looked at: the configuration, where it came from, and what this machine is."""

    config: Config
    config_path: Path
    hosts: frozenset[Host]
    facts: dict[str, str] = field(default_factory=dict)
    """``scontrol show config``, by key; empty where it does not answer."""


@dataclass(frozen=True)
class Check:
    """``checks/<name>.py`` defines one as ``CHECK``. ``run`` bounds its own time, and raises nothing that is to be expected."""

    title: str
    hosts: frozenset[Host]
    run: Callable[[Patient], Iterator[Found]]
    order: int = 50


def good(what: str) -> Found:
    """It is as it should be."""
    return Found(Standing.GOOD, what)


def bad(what: str, mend: str) -> Found:
    """It is not, and this mends it."""
    return Found(Standing.BAD, what, mend)


def unknown(what: str, mend: str = "") -> Found:
    """It could not be looked at."""
    return Found(Standing.UNKNOWN, what, mend)


EVERYWHERE = frozenset(Host)

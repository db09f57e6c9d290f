"""A recipe: a small training program, and above it, as TOML in comments, the runs that are recorded of it."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

try:
    import tomllib
except ModuleNotFoundError:
    import tomli as tomllib  # type: ignore[no-redef]

HERE = Path(__file__).resolve().parent
LOGS = HERE / "logs"
RECIPES = HERE / "recipes"
OPENS, CLOSES = "# /// runs", "# ///"


@dataclass(frozen=True)
class Signal:
    """A signal that the recorder sends once a line holds ``after``: to the program, or to all its processes."""

    name: str
    after: str
    to: str = "program"


@dataclass(frozen=True)
class Run:
    """One run of a recipe. What the parsers must find in its log stands in ``root``, ``words`` and ``absent``.

    ``log`` is the log's name below ``logs/``: the framework, its version, a number, and nothing that gives the answer away.
    ``root`` is the error that carries the end, as the log must tell it (``{}``: there is none).
    """

    recipe: Path
    log: str
    what: str
    env: str
    args: tuple[str, ...] = ()
    launch: tuple[str, ...] = ("python",)
    before: tuple[tuple[str, ...], ...] = ()
    """Arguments of runs before it in the same folder that are not recorded: they leave a checkpoint behind."""
    script: str = "train.py"
    files: dict[str, str] = field(default_factory=dict)
    """Other files of the folder, by name."""
    vars: dict[str, str] = field(default_factory=dict)
    memory_mib: int | None = None
    """Bound on the address space (``ulimit -v``)."""
    signal: Signal | None = None
    ends: int | None = 0
    """The exit status (minus the signal); None where it is not the same each time."""
    steady: bool = True
    """False where several processes write at once: then what the parsers find is compared, not every line."""
    root: dict[str, Any] = field(default_factory=dict)
    words: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()
    learns: bool = False
    """The loss falls over the run."""
    step_slack: int = 0
    """Steps done between two lines that name one."""
    only_last: bool = False
    """The program prints nothing of its progress but the end."""

    @property
    def path(self) -> Path:
        """The recorded log."""
        return LOGS / f"{self.log}.log"

    @property
    def notes(self) -> dict[str, Any]:
        """What the program itself noted of its progress while it ran: steps and losses, straight from its variables."""
        path = self.path.with_suffix(".json")
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def source(recipe: Path) -> str:
    """The program without its table of runs: what is run."""
    text = recipe.read_text(encoding="utf-8")
    head, _, rest = text.partition(OPENS + "\n")
    return head + rest.partition("\n" + CLOSES + "\n")[2].lstrip("\n")


def runs_of(recipe: Path) -> list[Run]:
    """The runs in a recipe's table.

    Raises:
        ValueError: the recipe has no table, or a run has a key that a Run has not.
    """
    text = recipe.read_text(encoding="utf-8")
    table = text.partition(OPENS + "\n")[2].partition("\n" + CLOSES + "\n")[0]
    if not table:
        raise ValueError(f"{recipe} has no table of runs: write one between {OPENS!r} and {CLOSES!r}")
    stuff = tomllib.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in table.splitlines()))
    common = {key: value for key, value in stuff.items() if key != "run"}
    return [_run(recipe, {**common, **one}) for one in stuff["run"]]


def _run(recipe: Path, stuff: dict[str, Any]) -> Run:
    unknown = stuff.keys() - Run.__dataclass_fields__.keys()
    if unknown:
        raise ValueError(f"{recipe}: a run has no {', '.join(sorted(unknown))}")
    for key in ("args", "launch", "words", "absent"):
        stuff[key] = tuple(stuff.get(key, Run.__dataclass_fields__[key].default))
    stuff["before"] = tuple(tuple(one) for one in stuff.get("before", ()))
    if "signal" in stuff:
        stuff["signal"] = Signal(**stuff["signal"])
    return Run(recipe=recipe, **stuff)


def all_runs() -> list[Run]:
    """Every run of every recipe, by the name of its log."""
    return sorted((run for recipe in sorted(RECIPES.glob("*.py")) for run in runs_of(recipe)), key=lambda run: run.log)

"""What a right diagnosis of a case is, and where the case comes from: ``label.toml``."""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAME = "label.toml"
PROVENANCES = ("hardware", "cpu-run", "slurm-run", "handwritten")
PARTS = ("development", "test")
MODES = ("A1", "A2", "A3", "B1", "B2", "B3", "C1", "C2", "C3", "D1", "D2", "D3", "E1", "E2", "E3", "F1", "F2", "F3", "F4", "G1")
FAULTS = ("user", "node", "cluster", "none", "unknown")


@dataclass(frozen=True)
class Label:
    """The truth about one job, written by who made it fail.

    A key that is absent from the file is None or empty here: ``variant`` and ``trigger`` are then not asked; ``cause`` None means that none of the
    fifteen is right. ``first_ranks`` are the ranks that failed first (several: they failed together); empty: not asked. ``failed_ranks`` likewise.
    ``gpu`` is ``none``, ``real``, or ``scripted`` where the test bed's own NVML told the node's service what was written down beforehand.
    ``hard`` marks a good run that looks bad. ``software`` has versions by name.
    """

    mode: str
    cause: str | None = None
    variant: str | None = None
    trigger: str | None = None
    fault: str = "user"
    failed_ranks: tuple[int, ...] = ()
    first_ranks: tuple[int, ...] = ()
    hard: bool = False
    gpu: str = "none"
    provenance: str = ""
    part: str = ""
    recipe: str = ""
    software: dict[str, str] = field(default_factory=dict)

    def but(self, **changes: Any) -> Label:
        """The same with some fields changed."""
        return replace(self, **changes)

    @property
    def healthy(self) -> bool:
        """Whether nothing was wrong with the job."""
        return self.mode == "G1"

    def problems(self) -> list[str]:
        """What cannot be: one sentence each."""
        wrong = []
        if self.mode not in MODES:
            wrong.append(f"no such mode: {self.mode}")
        if self.provenance not in PROVENANCES:
            wrong.append(f"no such provenance: {self.provenance}")
        if self.part not in PARTS:
            wrong.append(f"no such part: {self.part}")
        if self.fault not in FAULTS:
            wrong.append(f"no such fault: {self.fault}")
        if self.hard and not self.healthy:
            wrong.append("only a good run can look bad")
        if self.cause is not None and self.mode in {"G1", "F3", "F4", "E3", "D1", "D2", "D3"}:
            wrong.append(f"{self.mode} has no cause")
        return wrong


def read(folder: Path) -> Label:
    """The label of the case in ``folder``. Raises OSError, ValueError for what cannot be."""
    said = tomllib.loads((folder / NAME).read_text(encoding="utf-8"))
    for key in ("failed_ranks", "first_ranks"):
        said[key] = tuple(said.get(key, ()))
    label = Label(**said)
    if wrong := label.problems():
        raise ValueError(f"{folder / NAME}: {'; '.join(wrong)}")
    return label


def write(label: Label, folder: Path) -> None:
    """Keep it; what is absent or empty is left out."""
    if wrong := label.problems():
        raise ValueError("; ".join(wrong))
    said = asdict(label)
    software = said.pop("software")
    lines = [f"{key} = {_toml(value)}" for key, value in said.items() if value not in (None, (), False)]
    lines += ["", "[software]", *(f"{_key(name)} = {_toml(version)}" for name, version in sorted(software.items()))]
    (folder / NAME).write_text("\n".join(lines) + "\n", encoding="utf-8")


def _key(name: str) -> str:
    """A key of TOML: in quotes where a dot in it would make a table."""
    return name if name.replace("-", "").replace("_", "").isalnum() and name.isascii() else _toml(name)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(_toml(v) for v in value) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)

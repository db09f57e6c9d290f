"""The rooms: who may import whom, what the README says of them, and that no file grew without a reason."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).parents[2]
sys.path.insert(0, str(TOP))

ROOMS = dict(re.findall(r'^    "(\w+)": "([\w.]+)",$', (TOP / "setup.py").read_text(encoding="utf-8"), re.MULTILINE))
BANNED_NAMES = {"utils", "util", "helpers", "helper", "common", "manager", "misc"}
# Longer than 400 lines, each with its reason.
LONG_FILES: dict[str, str] = {}
PYTHON_FILES = [p for room in ROOMS for p in sorted((TOP / room).rglob("*.py"))]


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_the_table_of_rooms_is_read() -> None:
    assert set(ROOMS) == {"gpualert_slurm", "spank", "epilog", "classifier", "notify"}


def room_of(module: str) -> str | None:
    """The room (folder) of an imported module; None for the core and for other people's modules."""
    for folder, name in ROOMS.items():
        if folder != "gpualert_slurm" and (module == name or module.startswith(f"{name}.")):
            return folder
    return None


PROGRAMS = TOP / "gpualert_slurm" / "programs"
# The parts of one program lie in a folder of its own, imported by that program alone; what it never needs it never loads.
PROGRAM_ROOMS = {"gpualert_node": {"spank", "epilog", "classifier"}, "gpualertd": {"epilog", "classifier", "notify"}, "doctor": {"epilog", "notify"}}


@pytest.mark.parametrize("path", PYTHON_FILES, ids=lambda p: str(p.relative_to(TOP)))
def test_a_room_imports_the_core_and_no_other_room(path: Path) -> None:
    """Only gpualert_slurm/programs/ joins rooms: entry points inside functions, a program's own parts within its rooms."""
    own = path.relative_to(TOP).parts[0]
    used = {room for module in imports(path) if (room := room_of(module)) is not None}
    program = path.relative_to(PROGRAMS).parts[0] if path.is_relative_to(PROGRAMS) else None

    if program in PROGRAM_ROOMS:
        assert used <= PROGRAM_ROOMS[program], f"{program} loads {used - PROGRAM_ROOMS[program]}, which it must do without"
    elif program is not None:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        eager = [n for n in tree.body if isinstance(n, ast.ImportFrom) and n.module and room_of(n.module)]
        assert not eager, f"import rooms inside the function that needs them: line {[n.lineno for n in eager]}"
    elif own == "gpualert_slurm":
        assert not used, f"the core imports rooms: {used}"
    else:
        assert used <= {own}, f"{own} imports {used - {own}}: join rooms in gpualert_slurm/programs/"


CORE_FILES = [p for p in PYTHON_FILES if p.is_relative_to(TOP / "gpualert_slurm") and "programs" not in p.parts]


@pytest.mark.parametrize("path", CORE_FILES, ids=lambda p: p.name)
def test_the_core_needs_the_standard_library_and_pydantic_only(path: Path) -> None:
    allowed = set(sys.stdlib_module_names) | {"pydantic", "pydantic_core", "gpualert_slurm", "tomli"}

    assert {module.split(".")[0] for module in imports(path)} <= allowed


def test_the_readme_shows_the_same_rooms() -> None:
    shown = set(re.findall(r"^\| `(\w+)/`", (TOP / "README.md").read_text(encoding="utf-8"), re.MULTILINE))

    assert set(ROOMS) <= shown
    assert {name for name in shown if not (TOP / name).is_dir()} == set()


def tracked() -> list[str]:
    return subprocess.run(["git", "ls-files"], cwd=TOP, capture_output=True, text=True, check=True).stdout.splitlines()


def test_no_file_has_a_name_that_says_nothing() -> None:
    assert [f for f in tracked() if Path(f).stem in BANNED_NAMES] == []


def test_no_source_file_is_longer_than_400_lines_without_a_reason() -> None:
    """Aim at 200, ask a question at 300, split at 400."""
    long = {f for f in tracked() if f.endswith((".py", ".c", ".h")) and (TOP / f).exists() and len((TOP / f).read_bytes().splitlines()) > 400}

    assert long - set(LONG_FILES) == set()

"""Build gpualert-slurm: the rooms as subpackages, and the C programs where they can be built.

``ROOMS`` is the one table of rooms; the README shows it and a test compares the two.
The C parts are built by ``spank/plugin/Makefile``. Without Slurm's headers the SPANK plugin is
skipped, without a compiler all of C is, and each is said on stderr: the Python side works alone.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import find_packages, setup

HERE = Path(__file__).resolve().parent

ROOMS = {
    "gpualert_slurm": "gpualert_slurm",
    "spank": "gpualert_slurm.spank",
    "epilog": "gpualert_slurm.epilog",
    "classifier": "gpualert_slurm.classifier",
    "notify": "gpualert_slurm.notify",
}

C_PROGRAMS = ("gpualert-run", "gpualert-epilog")


def packages() -> list[str]:
    """Every package of every room, by import name."""
    found: list[str] = []
    for folder, name in ROOMS.items():
        found.append(name)
        found.extend(f"{name}.{sub}" for sub in find_packages(folder) if not sub.startswith("plugin"))
    return found


def build_c() -> list[tuple[str, list[str]]]:
    """Build the C programs; returns setuptools ``data_files``: programs to bin/, the plugin to lib/gpualert/."""
    plugin = HERE / "spank" / "plugin"
    if not (plugin / "Makefile").exists():
        say("the C sources are absent: no C program is installed")
        return []
    if shutil.which("make") is None or (shutil.which("cc") is None and shutil.which("gcc") is None):
        say("no C compiler or no make: gpualert.so, gpualert-run and gpualert-epilog are skipped; install gcc and make")
        return []
    done = subprocess.run(["make", "-C", str(plugin), "all"], check=False, stdout=sys.stderr)
    if done.returncode != 0:
        raise SystemExit("gpualert: the C programs did not build; the compiler's words are above")
    build = plugin / "build"
    if not (build / "gpualert.so").exists():
        say("gpualert.so is skipped: Slurm's headers (slurm/spank.h) are absent; on Debian: libslurm-dev")
    wanted = {"bin": C_PROGRAMS, "lib/gpualert": ("gpualert.so",)}
    found = {place: [str((build / n).relative_to(HERE)) for n in names if (build / n).exists()] for place, names in wanted.items()}
    return [(place, names) for place, names in found.items() if names]


def say(words: str) -> None:
    """One line on stderr, where pip shows it with -v and CI always does."""
    print(f"gpualert: {words}", file=sys.stderr)


BUILDING = {"bdist_wheel", "install", "build", "develop", "editable_wheel", "build_ext"} & set(sys.argv)

setup(
    packages=packages(),
    package_dir={name: folder for folder, name in ROOMS.items()},
    package_data={"": ["py.typed", "*.j2", "*.css", "*.toml", "*.sql", "*.tsv", "*.txt"]},
    data_files=[("share/man/man1", sorted(str(p.relative_to(HERE)) for p in HERE.glob("doc/man/*.1"))), *(build_c() if BUILDING else [])],
)

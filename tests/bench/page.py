"""doc/performance.md: one section a make target, each written by its own run and left alone by the others."""

from __future__ import annotations

import os
import platform
import re
from datetime import datetime, timezone
from pathlib import Path

from tests.bench.compare import Row

PAGE = Path(__file__).parents[2] / "doc" / "performance.md"
_HEAD = """# Performance

Measured on this repository's test bed: four Slurm nodes on one host, so that everything of the cluster shares its cores. Each section is
written by the command in its title. Runs are interleaved; the figures are medians, with quartiles; a time *added* is the middle one of the
differences between two runs of the same round. The load average says what else the machine did meanwhile: wall times suffer from it,
CPU times, bytes and system calls do not.
"""


def machine() -> str:
    """Cores, processor and kernel."""
    processors = [line for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
    name = processors[0].split(":", 1)[1].strip() if processors else platform.processor()
    return f"{os.cpu_count()} cores of {name}, Linux {platform.release()}"


def section(command: str, rows: list[Row], loads: tuple[float, float], slurm: str) -> str:
    """One command's part of the page; ``loads``: the load average at the start and at the end."""
    return "\n".join([
        f"## `{command}`",
        "",
        f"{datetime.now(timezone.utc):%Y-%m-%d}, {machine()}, {slurm}; load average {loads[0]:.1f} at the start, {loads[1]:.1f} at the end.",
        "",
        "| what | figure | bound | met | runs |",
        "|---|---|---|---|---|",
        *(f"| {r.what.replace('|', chr(92) + '|')} | {r.figure} | {r.bound} | {'' if r.met is None else 'yes' if r.met else '**no**'} | {r.runs} |" for r in rows),
        "",
    ])  # fmt: skip


def put(command: str, text: str, page: Path = PAGE) -> None:
    """Replace the section of ``command``, or add it at the end; the other sections stay as they are."""
    old = page.read_text(encoding="utf-8") if page.exists() else ""
    sections = {m[1]: m[0].rstrip() for m in re.finditer(r"^## `([^`\n]+)`\n.*?(?=^## |\Z)", old, re.MULTILINE | re.DOTALL)}
    sections[command] = text.rstrip()
    page.write_text("\n\n".join([_HEAD.rstrip(), *sections.values()]) + "\n", encoding="utf-8")

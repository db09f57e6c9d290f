"""Added launch time: ``srun -n1 true`` as a new job, without the plugin, with it but not asked, and with it asked."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread
from tests.bench.steps import ASK, plugin_lines, srun_timed
from tests.testbed import Cluster

ROUNDS = 300  # a launch varies by 5 ms and more on a machine of two cores
ROUNDS_ELSEWHERE = 60
BOUNDS_MS = {"asked": 1.5, "not asked": 0.3}
ELSEWHERE = {"the logs on this machine's own disk": "/var/tmp", "the logs in memory (tmpfs)": "/dev/shm",
             "the logs on the file system of Slurm's database": None}  # fmt: skip


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """As ``measure``, by the bounds for capture."""
    return measure(cluster, progress, BOUNDS_MS)


def run_overall(cluster: Cluster, progress: Progress) -> list[Row]:
    """As ``measure``, by the bound that the whole of gpualert keeps."""
    return measure(cluster, progress, {"asked": 5.0})


def measure(cluster: Cluster, progress: Progress, bounds_ms: dict[str, float]) -> list[Row]:
    """Wall time of srun as its caller sees it: from its start to its end, so that the hooks at a step's end are in it.

    The logs lie on a file system of their own; the rows with other places for them have no bound, and say what a site's choice of disk does.
    """
    lines = plugin_lines(cluster)
    variants: dict[str, Callable[[], float]] = {
        "without": srun_timed(cluster, [], "-n1", "true"),
        "any plugin, one that does nothing": srun_timed(cluster, [_null_plugin(cluster)], "-n1", "true"),
        "not asked": srun_timed(cluster, lines, "-n1", "true"),
        "asked": srun_timed(cluster, lines, "-n1", *ASK, "true"),
    }
    values = interleave(variants, rounds(ROUNDS), progress)
    rows = [_row(name, values[name], values["without"], bounds_ms) for name in list(variants)[1:]]
    return rows + _elsewhere(cluster, progress, variants["without"])


def _null_plugin(cluster: Cluster) -> str:
    """Its line for plugstack.conf."""
    plugin = cluster.root / "nothing.so"
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(plugin), str(Path(__file__).parent / "null_plugin.c")], check=True, capture_output=True)
    return f"optional {plugin}"


def _elsewhere(cluster: Cluster, progress: Progress, without: Callable[[], float]) -> list[Row]:
    folders, variants = [], {"without": without}
    try:
        for name, parent in ELSEWHERE.items():
            folder = Path(tempfile.mkdtemp(prefix="gpualert-state-", dir=parent or cluster.root))
            folder.chmod(0o711)
            folders.append(folder)
            variants[f"asked, {name}"] = srun_timed(cluster, plugin_lines(cluster, f"state_dir={folder}"), "-n1", *ASK, "true")
        values = interleave(variants, rounds(ROUNDS_ELSEWHERE), progress)
    finally:
        cluster.plugstack(plugin_lines(cluster))
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    return [_row(name, values[name], values["without"], {}) for name in list(variants)[1:]]


def _row(name: str, values: list[float], base: list[float], bounds_ms: dict[str, float]) -> Row:
    more_ms, bound_ms = added(values, base) * 1000, bounds_ms.get(name)
    return Row(
        f"`srun -n1 true` as a new job, {name}: time added",
        f"{more_ms:+.2f} ms",
        "" if bound_ms is None else f"≤ {bound_ms:g} ms",
        None if bound_ms is None else more_ms <= bound_ms,
        f"{spread(values, 1000, 'ms', 1)} against {spread(base, 1000, 'ms', 1)}",
    )

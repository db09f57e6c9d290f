"""Added launch time: ``srun -n1 true`` as a new job, without the plugin, with it but not asked, and with it asked."""

from __future__ import annotations

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread
from tests.bench.steps import ASK, plugin_lines, srun_timed
from tests.testbed import Cluster

ROUNDS = 40
BOUNDS_MS = {"asked": 1.5, "not asked": 0.3}


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Wall time of srun as its caller sees it: from its start to its end, so that the hooks at a step's end are in it."""
    lines = plugin_lines(cluster)
    variants = {
        "without": srun_timed(cluster, [], "-n1", "true"),
        "not asked": srun_timed(cluster, lines, "-n1", "true"),
        "asked": srun_timed(cluster, lines, "-n1", *ASK, "true"),
    }
    values = interleave(variants, rounds(ROUNDS), progress)
    cluster.plugstack(lines)
    base = values["without"]
    rows = []
    for name, bound_ms in BOUNDS_MS.items():
        more_ms = added(values[name], base) * 1000
        rows.append(
            Row(
                f"`srun -n1 true` as a new job, {name}: time added",
                f"{more_ms:+.2f} ms",
                f"≤ {bound_ms:g} ms",
                more_ms <= bound_ms,
                f"{spread(values[name], 1000, 'ms', 1)} against {spread(base, 1000, 'ms', 1)}",
            )
        )
    return rows

"""That the time added does not grow with a job's length or output: jobs that print nothing, print 64 MiB, or last two seconds."""

from __future__ import annotations

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread
from tests.bench.steps import ASK, plugin_lines, srun_timed
from tests.testbed import Cluster

ROUNDS = 12
BOUND_MS = 5.0


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """The job that prints goes to /dev/null past its caps, so that only the plugin's own bookkeeping could make it late at its end."""
    lines = plugin_lines(cluster, "rank_max_mib=1")
    jobs = {
        "prints 64 MiB": ("--output=/dev/null", "dd", "if=/dev/zero", "bs=64K", "count=1024", "status=none"),
        "lasts 2 s": ("sleep", "2"),
    }
    rows = []
    for name, words in jobs.items():
        values = interleave(
            {"without": srun_timed(cluster, [], "-n1", *words), "asked": srun_timed(cluster, lines, "-n1", *ASK, *words)}, rounds(ROUNDS), progress
        )
        more_ms = added(values["asked"], values["without"]) * 1000
        bound_ms = BOUND_MS if name == "lasts 2 s" else None
        rows.append(
            Row(
                f"the same for a job that {name}",
                f"{more_ms:+.2f} ms",
                f"≤ {bound_ms:g} ms" if bound_ms else "(a rate: see below)",
                more_ms <= bound_ms if bound_ms else None,
                f"{spread(values['asked'], 1000, 'ms', 1)} against {spread(values['without'], 1000, 'ms', 1)}",
            )
        )
    cluster.plugstack(plugin_lines(cluster))
    return rows

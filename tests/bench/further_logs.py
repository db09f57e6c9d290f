"""What each further log file on a node adds to a launch: steps of one and of sixteen tasks on one node, with and without the plugin."""

from __future__ import annotations

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread
from tests.bench.steps import ASK, plugin_lines, srun_timed
from tests.testbed import Cluster

ROUNDS = 40
TASKS = 16
BOUND_MS = 0.25


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Each task has two logs, out and err, an index and an exit record; all of it is counted as the price of its two logs."""
    lines = plugin_lines(cluster)
    many = ("-N1", f"-n{TASKS}", "--overcommit")
    variants = {
        "one": srun_timed(cluster, [], "-N1", "-n1", "true"),
        "one, captured": srun_timed(cluster, lines, "-N1", "-n1", *ASK, "true"),
        "many": srun_timed(cluster, [], *many, "true"),
        "many, captured": srun_timed(cluster, lines, *many, *ASK, "true"),
    }
    values = interleave(variants, rounds(ROUNDS), progress)
    cluster.plugstack(lines)
    one, all_ = (added(values[f"{name}, captured"], values[name]) for name in ("one", "many"))
    each_ms = (all_ - one) * 1000 / (2 * (TASKS - 1))
    return [
        Row(
            f"each further log file on the node (a step of {TASKS} tasks against one of 1): time added to `srun`",
            f"{each_ms:+.3f} ms",
            f"≤ {BOUND_MS:g} ms",
            each_ms <= BOUND_MS,
            f"{TASKS} tasks: {spread(values['many, captured'], 1000, 'ms', 1)} against {spread(values['many'], 1000, 'ms', 1)}",
        )
    ]

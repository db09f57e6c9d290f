"""What each further log file on a node adds to a launch: steps of one, eight and sixteen tasks on one node, with and without the plugin."""

from __future__ import annotations

import os
import tempfile

from tests.bench.compare import Progress, Row, added, interleave, rounds, spread, timed
from tests.bench.steps import ASK, plugin_lines, srun_timed
from tests.testbed import Cluster

ROUNDS = 40
TASKS = (8, 16)
BOUND_MS = 0.25


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Each task has two logs, out and err, an index and an exit record; all of it is counted as the price of its two logs."""
    lines = plugin_lines(cluster)
    variants = {}
    for tasks in (1, *TASKS):
        words = ("-N1", f"-n{tasks}", "--overcommit")
        variants[f"{tasks}"] = srun_timed(cluster, [], *words, "true")
        variants[f"{tasks}, captured"] = srun_timed(cluster, lines, *words, *ASK, "true")
    values = interleave(variants, rounds(ROUNDS), progress)
    cluster.plugstack(lines)
    durable = [one for _ in range(3) for one in _fsyncs(cluster)]
    more = {tasks: added(values[f"{tasks}, captured"], values[f"{tasks}"]) for tasks in (1, *TASKS)}
    each_ms = {tasks: (more[tasks] - more[1]) * 1000 / (2 * (tasks - 1)) for tasks in TASKS}
    return [
        *(
            Row(
                f"each further log file on the node (a step of {tasks} tasks against one of 1): time added to `srun`",
                f"{each_ms[tasks]:+.3f} ms",
                f"≤ {BOUND_MS:g} ms",
                each_ms[tasks] <= BOUND_MS,
                f"{tasks} tasks: {spread(values[f'{tasks}, captured'], 1000, 'ms', 1)} against {spread(values[f'{tasks}'], 1000, 'ms', 1)}",
            )
            for tasks in TASKS
        ),
        Row("what one fsync of a new file of 200 bytes costs on the logs' disk", spread(durable, 1000, "ms").partition(" (")[0], "", None,
            f"{spread(durable, 1000, 'ms')}; a step needs one, however many its logs; the bound above was set where it cost 0.16 ms"),
    ]  # fmt: skip


def _fsyncs(cluster: Cluster) -> list[float]:
    """Of a hundred new files in one folder beside the logs, one after the other, in seconds."""
    taken = []
    with tempfile.TemporaryDirectory(dir=cluster.gpualert.state_dir) as folder:
        for number in range(100):
            fd = os.open(f"{folder}/{number}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            os.write(fd, bytes(200))
            taken.append(timed(lambda fd=fd: os.fsync(fd)))  # type: ignore[misc]
            os.close(fd)
    return taken

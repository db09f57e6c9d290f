"""Added launch time: ``srun -n1 true`` as a new job, without the plugin, with it but not asked, and with it asked."""

from __future__ import annotations

from collections.abc import Callable

from tests.bench.compare import Row, interleave, median, spread, timed
from tests.testbed import Cluster

ROUNDS = 25
ASK = "--gpualert-mail=alice@example.org"


def run(cluster: Cluster, progress: Callable[[str], None]) -> list[Row]:
    """Three variants on one cluster; clients and steps read plugstack.conf afresh, so a line in it is the switch."""
    line = cluster.gpualert.plugstack_line()

    def launch(lines: list[str], *options: str) -> Callable[[], float]:
        def once() -> float:
            cluster.plugstack(lines)
            took = timed(lambda: cluster.srun("-n1", *options, "true", check=True))
            cluster.wait_idle()
            return took

        return once

    values = interleave(
        {"without": launch([]), "not asked": launch([line]), "asked": launch([line], ASK, "--gpualert-when=never")}, ROUNDS, progress
    )
    cluster.plugstack([line])
    base = median(values["without"])
    rows = []
    for name, bound_ms in (("asked", 5.0), ("not asked", None)):
        added_ms = (median(values[name]) - base) * 1000
        rows.append(
            Row(
                f"`srun -n1 true` as a new job, {name}: time added",
                f"{added_ms:+.2f} ms",
                f"≤ {bound_ms:g} ms" if bound_ms else "",
                added_ms <= bound_ms if bound_ms else None,
                f"{spread(values[name], 1000, 'ms', 1)} against {spread(values['without'], 1000, 'ms', 1)}",
            )
        )
    return rows

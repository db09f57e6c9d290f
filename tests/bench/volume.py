"""1 GiB of output through a step: srun's own stdio, and a direct ``--output`` file, each with and without capture."""

from __future__ import annotations

from collections.abc import Callable

from tests.bench.compare import Progress, Row, interleave, median, rounds, spread, timed
from tests.testbed import Cluster

ROUNDS = 5
PRINT_1_GIB = "head -c 1073741824 /dev/zero | tr '\\\\0' 'x'"
ASK = ("--gpualert-mail=alice@example.org", "--gpualert-when=never")


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Wall time of the whole ``srun``; its own stdout goes to /dev/null, so that only the way there is measured."""
    line = cluster.gpualert.plugstack_line()
    target = cluster.home() / "volume.out"

    def stream(lines: list[str], *options: str) -> Callable[[], float]:
        words = " ".join(("srun", "-n1", *options, "sh", "-c", f'"{PRINT_1_GIB}"'))

        def once() -> float:
            cluster.plugstack(lines)
            took = timed(lambda: cluster.command("sh", "-c", f"{words} > /dev/null", user="gpualert-alice", timeout_s=300))
            target.unlink(missing_ok=True)
            cluster.wait_idle()
            return took

        return once

    to_file = f"--output={target}"
    values = interleave(
        {
            "srun": stream([]),
            "srun, captured": stream([line], *ASK),
            "file": stream([], to_file),
            "file, captured": stream([line], to_file, *ASK),
        },
        rounds(ROUNDS),
        progress,
    )
    cluster.plugstack([line])
    rows = []
    for name, bound in (("srun", 1.5), ("file", 1.5)):
        ratio = median(values[f"{name}, captured"]) / median(values[name])
        rows.append(
            Row(
                f"1 GiB of output through a step ({'srun’s stdio' if name == 'srun' else '`--output` file'}): time against none",
                f"{ratio:.2f} ×",
                f"≤ {bound:g} ×",
                ratio <= bound,
                f"{spread(values[f'{name}, captured'])} against {spread(values[name])}",
            )
        )
    return rows

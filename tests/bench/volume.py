"""1 GiB of output through a step: srun's own stdio, and a direct ``--output`` file, each with and without capture."""

from __future__ import annotations

from collections.abc import Callable

from tests.bench.compare import Progress, Row, interleave, median, rounds, spread, timed
from tests.testbed import Cluster

ROUNDS = 3
PRINT_1_GIB = "dd if=/dev/zero bs=64K count=16384 status=none"  # a writer that is faster than what it writes to
ASK = ("--gpualert-mail=alice@example.org", "--gpualert-when=never")


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Wall time of the whole ``srun``; its own stdout goes to /dev/null, so that only the way there is measured."""
    line = cluster.gpualert.plugstack_line()
    target = cluster.home() / "volume.out"

    def stream(lines: list[str], *options: str) -> Callable[[], float]:
        words = " ".join(("srun", "-n1", *options, PRINT_1_GIB))

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

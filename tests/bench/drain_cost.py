"""CPU time of the plugin's two threads per GiB of output, as the kernel's scheduler counted it."""

from __future__ import annotations

from collections.abc import Callable

from tests.bench.compare import Progress, Row, interleave, median, rounds, spread
from tests.bench.full_speed import CAPPED, UNCAPPED
from tests.bench.steps import ASK, note_threads, our_cpu_s, plugin_lines
from tests.testbed import Cluster

ROUNDS = 5
BOUND_S = 1.2
STDIO_MIB = 256  # srun's own stdio moves 40 MB/s here, with and without the plugin: slurmstepd reads a kilobyte at a time
FILE_MIB = 1024


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """The task itself looks, a moment after its last byte, when all of it has gone through."""
    noter, noted, target = note_threads(cluster, "note-threads.sh"), cluster.home() / "threads", cluster.home() / "cost.out"

    def cost(mib: int, settings: tuple[str, ...], *options: str) -> Callable[[], float]:
        words = f"dd if=/dev/zero bs=64K count={mib * 16} status=none; sleep 1; {noter} $PPID {noted}"

        def once() -> float:
            cluster.plugstack(plugin_lines(cluster, *settings))
            srun = ("srun", "-n1", *options, *ASK, "sh", "-c", words)
            cluster.command("sh", "-c", 'exec "$@" > /dev/null', "sh", *srun, user="gpualert-alice", timeout_s=300)
            target.unlink(missing_ok=True)
            cluster.wait_idle()
            spent = our_cpu_s(noted)
            noted.unlink()
            if spent is None:
                raise RuntimeError("the step had no thread of the plugin's: nothing was captured, so nothing was measured")
            return spent * 1024 / mib

        return once

    to_file = f"--output={cluster.home()}/cost-%t.out"
    names = {
        f"srun's stdio, the cap reached early ({STDIO_MIB} MiB printed)": cost(STDIO_MIB, CAPPED),
        "an `--output` file, the cap reached early": cost(FILE_MIB, CAPPED, to_file),
        "an `--output` file, below the cap (two files are written)": cost(FILE_MIB, UNCAPPED, to_file),
    }
    values = interleave(names, rounds(ROUNDS), progress)
    cluster.plugstack(plugin_lines(cluster))
    rows = []
    for name, found in values.items():
        spent, bound = median(found), BOUND_S if "early" in name else None
        figure = f"{spent:.2f} s"
        rows.append(
            Row(f"CPU of the plugin's threads per GiB through {name}", figure, f"≤ {bound:g} s" if bound else "", spent <= bound if bound else None,
                spread(found))
        )  # fmt: skip
    return rows

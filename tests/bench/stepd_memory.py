"""Memory that capture takes in slurmstepd, for each rank, when every ring is full."""

from __future__ import annotations

from tests.bench.compare import Progress, Row, interleave, median, rounds, spread
from tests.bench.steps import ASK, plugin_lines
from tests.testbed import Cluster

ROUNDS = 5
RANKS = 16
BOUND_MIB = 3.0
LOUD = "dd if=/dev/zero bs=64K count=128 status=none; dd if=/dev/zero bs=64K count=128 status=none >&2"


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Each rank prints 8 MiB on both streams; the last to do so then reads slurmstepd's anonymous memory."""
    noted = cluster.home() / "anonymous"
    words = f"{LOUD}; sleep 1.5; test $SLURM_PROCID = 0 && grep RssAnon /proc/$PPID/status > {noted}; true"
    options = ("-N1", f"-n{RANKS}", "--overcommit", "--output=/dev/null", "--error=/dev/full")

    def memory(lines: list[str], *ask: str) -> float:
        cluster.plugstack(lines)
        cluster.srun(*options, *ask, "sh", "-c", words)
        cluster.wait_idle()
        kib = int(noted.read_text(encoding="utf-8").split()[1])
        noted.unlink()
        return kib / 1024

    lines = plugin_lines(cluster)
    values = interleave({"without": lambda: memory([]), "asked": lambda: memory(lines, *ASK)}, rounds(ROUNDS), progress)
    cluster.plugstack(lines)
    each = (median(values["asked"]) - median(values["without"])) / RANKS
    return [
        Row(
            f"memory of slurmstepd for each rank, all rings full ({RANKS} ranks)",
            f"{each:.2f} MiB",
            f"≤ {BOUND_MIB:g} MiB",
            each <= BOUND_MIB,
            f"{spread(values['asked'], unit='MiB', digits=1)} against {spread(values['without'], unit='MiB', digits=1)}",
        )
    ]

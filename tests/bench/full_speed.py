"""Four ranks that print as fast as they can: through srun's stdio and into files of their own, with and without capture."""

from __future__ import annotations

from pathlib import Path

from tests.bench.compare import Progress, Row, interleave, median, rounds, spread
from tests.bench.steps import ASK, plugin_lines, srun_timed
from tests.testbed import Cluster

ROUNDS = 5
RANKS = 4
STDIO_MIB = 128  # a rank; srun's stdio moves 40 MB/s in all, with and without the plugin
FILES_MIB = 256  # a rank; little enough for the page cache, so that no disk hides what capture costs
CAPPED = ("rank_max_mib=2",)
UNCAPPED = ("rank_max_mib=4096", "job_max_mib=65536")


def printing(mib: int) -> tuple[str, ...]:
    """A task that prints so many MiB, faster than what it prints to."""
    return ("dd", "if=/dev/zero", "bs=64K", f"count={mib * 16}", "status=none")


def run(cluster: Cluster, progress: Progress) -> list[Row]:
    """Wall time of the whole srun. A file a rank (``%t``) is opened by slurmstepd and written by the rank itself: Slurm's fastest way."""
    step = ("-N1", f"-n{RANKS}")
    to_files = (*step, f"--output={cluster.home()}/speed-%t.out")

    def clear() -> None:
        for path in (*cluster.home().glob("speed-*.out"), *_logs(cluster.gpualert.state_dir)):
            path.unlink()

    capped, uncapped = plugin_lines(cluster, *CAPPED), plugin_lines(cluster, *UNCAPPED)
    variants = {
        "stdio": srun_timed(cluster, [], *step, *printing(STDIO_MIB)),
        "stdio, capped": srun_timed(cluster, capped, *step, *ASK, *printing(STDIO_MIB), after=clear),
        "files": srun_timed(cluster, [], *to_files, *printing(FILES_MIB), after=clear),
        "files, capped": srun_timed(cluster, capped, *to_files, *ASK, *printing(FILES_MIB), after=clear),
        "files, kept": srun_timed(cluster, uncapped, *to_files, *ASK, *printing(FILES_MIB), after=clear),
    }
    values = interleave(variants, rounds(ROUNDS), progress)
    cluster.plugstack(plugin_lines(cluster))
    rows = []
    for name, base, mib, bound, words in (
        ("stdio, capped", "stdio", STDIO_MIB, 1.15, "srun's own stdio, the cap reached early"),
        ("files, capped", "files", FILES_MIB, 1.5, "an `--output` file a rank, the cap reached early"),
        ("files, kept", "files", FILES_MIB, 3.0, "an `--output` file a rank, below the cap (all of it is logged)"),
    ):
        ratio = median([a / b for a, b in zip(values[name], values[base], strict=True)])
        rows.append(
            Row(
                f"{RANKS} ranks × {mib} MiB at full speed through {words}: time against none",
                f"{ratio:.2f} ×",
                f"≤ {bound:g} ×",
                ratio <= bound,
                f"{spread(values[name])} against {spread(values[base])}",
            )
        )
    return rows


def _logs(state_dir: Path) -> list[Path]:
    return [path for path in (state_dir / "logs").glob("*/*") if path.is_file()]

"""One column of the exit-status matrix: all well. ``make matrix-full`` runs all of them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.system.exit_matrix import trial
from tests.system.exit_matrix.cells import Table
from tests.system.exit_matrix.columns import ALL_WELL, WITHOUT, full_disk
from tests.system.exit_matrix.observed import Observed, normal
from tests.system.exit_matrix.rows import ROWS, Row
from tests.testbed import Cluster

TRIES = 4


@pytest.mark.timeout(900)
def test_a_job_ends_as_it_does_without_gpualert(cluster: Cluster) -> None:
    """Every way to end: same states, exit codes and signals in sacct, same bytes in every output; one documented exception.

    Where Slurm itself is not steady, a row may need several runs, with and without gpualert, until one is like another.
    """
    left: Sequence[Row] = [row for row in ROWS if row.tracking in ("", cluster.conf.tracking)]
    table = Table()
    trial.places(cluster)
    full = cluster.root / "full"
    with full_disk(full):
        for again in range(TRIES):
            quick, slow = [row for row in left if not row.slow], [row for row in left if row.slow]
            with WITHOUT.enter(cluster):
                native_slow = trial.start(cluster, slow, asked=False)
                native = trial.finish(cluster, trial.start(cluster, quick, asked=False))
            # A job reads plugstack.conf when it starts: the slow ones, which all run by now, end as they began.
            ours = trial.start(cluster, left, asked=True)
            native |= trial.finish(cluster, native_slow)
            for row, seen in native.items():
                table.native.setdefault(row, []).append(seen)
            for row, seen in trial.finish(cluster, ours).items():
                table.judge(row, ALL_WELL, seen, again=again > 0)
            assert not [state for state in ours.node_states if "drain" in state or "down" in state]
            if again == 0:
                assert trial.captured(cluster, ours) == len(left), cluster.gpualert_words()
            table.judge_again()
            left = [cell.row for cell in table.different()]
            if not left:
                break
    full.rmdir()
    assert not left, "\n".join(f"{cell.row.key}: {cell.words}" for cell in table.different())


def test_no_job_to_wait_for_is_no_job(cluster: Cluster) -> None:
    """Where only slow rows are run again, none of the quick ones is left: other jobs that run meanwhile are not theirs."""
    job = cluster.submit("sleep 60")
    cluster.wait_running(job)
    while "RUNNING" not in cluster.command("sacct", "-n", "-X", "-j", str(job), "--format=State").stdout:
        time.sleep(0.1)  # slurmdbd hears of it a little later
    try:
        assert trial.finish(cluster, trial.start(cluster, [], asked=False)) == {}
    finally:
        cluster.command("scancel", str(job))


@pytest.mark.parametrize(("change", "words"), [
    ({"accounting": (("", "FAILED", "4:0", "0:0"),)}, "sacct says"), ({"files": (("out", b"rank\n"),)}, "out has"), ({"files": ()}, "out has None"),
])
def test_a_difference_is_seen(change: dict[str, object], words: str) -> None:
    """Another exit code, another byte, a missing file."""
    native = Observed((("", "FAILED", "3:0", "0:0"),), (("out", b"rank 1\n"),))
    other = Observed(**({"accounting": native.accounting, "files": native.files} | change))  # type: ignore[arg-type]
    assert native.unlike([native]) == ""
    assert words in other.unlike([native])


def test_what_changes_from_run_to_run_is_taken_out() -> None:
    """Ids, times, nodes and pids; nothing else."""
    said = b"slurmstepd: error: *** JOB 41 ON n2 CANCELLED AT 2026-11-20T18:00:01 ***\n/x/job00041/slurm_script: line 3: 4141 Killed 41x\n"
    assert normal(said, 41, "/x", mixed=False) == (
        b"slurmstepd: error: *** JOB <job> ON <node> CANCELLED AT <time> ***\n<folder>/job<id>/slurm_script: line 3: <pid> Killed 41x\n")


def test_a_hung_mount_hangs(bed_host: None, tmp_path: Path) -> None:
    """The matrix's hung folders are real: KILL does not end who touches one, the server's end does."""
    if not Path("/dev/fuse").exists():
        pytest.skip("no /dev/fuse: a file system that never answers cannot be served here")
    program = Path(__file__).with_name("exit_matrix") / "hung_mount.py"
    script = f"""{sys.executable} {program} {tmp_path} & server=$!
for i in $(seq 50); do grep -q {tmp_path} /proc/mounts && break; sleep 0.1; done
ls {tmp_path} & toucher=$!
sleep 0.5; kill -KILL $toucher; sleep 0.5
cut -d' ' -f3 /proc/$toucher/stat
kill $server; wait $toucher; umount {tmp_path} && echo umounted"""
    done = subprocess.run(["unshare", "--mount", "--propagation", "private", "bash", "-c", script], capture_output=True, text=True, check=False, timeout=30)
    assert done.stdout.split() == ["mounted", "D", "umounted"], done.stderr

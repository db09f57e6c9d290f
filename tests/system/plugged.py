"""The bed with the plugin on a state folder of the tests' own, so that no gpualert-node takes things away; and what jobs leave there."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.rank_log import LogFrame

ASKED = "--gpualert-mail=alice@example.org"


class Left:
    """What plugin and epilog left on the nodes for one job."""

    def __init__(self, state: Path, job: int) -> None:
        self.state = state
        self.files = [JobFile.read(path) for path in sorted(state.glob(f"node/*/ended/{job}.*"))]

    def records(self) -> dict[tuple[str, int], ExitRecord]:
        """Exit records by step and task."""
        found: dict[tuple[str, int], ExitRecord] = {}
        for file in self.files:
            records, problems = ExitRecord.read_folder(file.record_folder)
            assert not problems
            found.update({(record.step, record.task): record for record in records})
        return found

    def log(self, name: str) -> bytes:
        """The captured bytes of a log by file name."""
        for file in self.files:
            path = file.log_folder / name
            if path.exists():
                frame = LogFrame.read(path)
                assert frame.problem is None, frame.problem
                return path.read_bytes()[frame.start : frame.start + frame.head]
        raise AssertionError(f"no log {name} in {[file.log_folder for file in self.files]}")

    def stepd(self, step: str) -> str:
        """What slurmstepd itself said, all nodes together."""
        return "".join((file.record_folder / f"{step}.stepd.log").read_text() for file in self.files if (file.record_folder / f"{step}.stepd.log").exists())


class Plugged:
    """The bed with the plugin on a state folder of this test's own, so that no gpualert-node takes things away."""

    def __init__(self, cluster, state: Path) -> None:
        self.c, self.state = cluster, state
        self.off_file = state.with_name("off")

    def plug(self, **changes) -> None:
        """Writes plugstack.conf with these arguments changed."""
        arguments = {"state_dir": self.state, "off_file": self.off_file, "min_free_mib": 10} | changes
        self.c.plugstack([f"optional {self.c.gpualert.plugin} " + " ".join(f"{k}={v}" for k, v in arguments.items())])

    def ended(self, job: int, nodes=1, timeout_s=60) -> Left:
        """Waits until the epilogs of that many nodes have moved the job's files."""
        until = time.monotonic() + timeout_s
        while len(found := list(self.state.glob(f"node/*/ended/{job}.*"))) < nodes:
            assert time.monotonic() < until, f"job {job}: {found} of {nodes} nodes ended"
            time.sleep(0.1)
        return Left(self.state, job)

    def run(self, script: str, *options: str, nodes=1) -> tuple[object, Left]:
        """Submits, waits, and gives the job's end and what was left."""
        job = self.c.submit(script, ASKED, *options)
        return self.c.wait(job, timeout_s=90), self.ended(job, nodes)

    def nothing(self) -> bool:
        """The plugin made nothing at all."""
        return not any(self.state.iterdir())


@pytest.fixture(scope="module")
def plugged_bed(cluster):
    if not cluster.gpualert.plugin.exists():
        pytest.fail("the plugin is not installed: make -C spank/plugin plugin")
    state = cluster.root / "plugin-test" / "state"
    script = cluster.root / "plugin-test" / "epilog.sh"
    state.parent.mkdir(exist_ok=True)
    script.write_text(f"#!/bin/sh\nexec {cluster.gpualert.program('gpualert-epilog')} --state-dir {state} --off-file {state.with_name('off')}\n")
    script.chmod(0o755)
    cluster.epilog(script)
    yield Plugged(cluster, state)
    cluster.hook_in()


@pytest.fixture
def plugged(plugged_bed):
    shutil.rmtree(plugged_bed.state, ignore_errors=True)
    plugged_bed.state.mkdir(mode=0o711)
    plugged_bed.plug()
    yield plugged_bed
    plugged_bed.off_file.unlink(missing_ok=True)

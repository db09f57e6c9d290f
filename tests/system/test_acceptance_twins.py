"""Acceptance cases and twins that need more than an end of their own: as real jobs, beside those in test_acceptance_jobs.

Made here: case 3 and its twin (the message is PyTorch's, raised by hand with PyTorch's own class, for no GPU is here to refuse memory; the card's readings
are scripted); case 2's twin (the kernel's real kill, on a bed that holds memory by control groups); case 4's second twin; case 5's twin (a real
``scontrol suspend``); case 10's twins of a drained node and of a time limit after silence, as C1, C2 and C3.

Hours are not stretched. "ECC +1 at hour 1, missing file at hour 40" is an error with 75 s of progress after it: the rule asks whether the run went on for
60 s. "Drained 30 h before the end" is drained while the job ran: the rule asks whether the node was only drained. The hours themselves, and many other
twins, are unit tests on whole records: tests/unit/classifier/acceptance, whose README lists all.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

import pytest

from tests.matrix.cgroups import NEEDED, mounted_controllers
from tests.system.acceptance_programs import TWINS
from tests.system.stories import Story, judged_by_reports, record, standing, told
from tests.testbed import Cluster, pytorch
from tests.testbed.gpu_scenarios import SCENARIOS, work
from tests.testbed.host import ALICE
from tests.testbed.tracking import VARIABLE

TORCH = pytorch.interpreter()
needs_torch = pytest.mark.skipif(not TORCH, reason=pytorch.WHY_NOT)
pytestmark = pytest.mark.timeout(540)
PYTHON = "/usr/bin/python3"
WENT_ON_S = 75.0
IDLE = SCENARIOS["idle"].first
LOW = {"memory.used": str(9 << 30)}
"""What the samples see of a card when one allocation was too large."""


def _play(story: Story) -> None:
    """All at once; then one is suspended for a while, and the node of another is drained under it."""
    bed = story.bed
    home = bed.home(ALICE)
    for name in ("outlived", "is_drained"):
        (home / name).unlink(missing_ok=True)
    for name, text in TWINS.items():
        (home / f"{name}.py").write_text(text)
    now = time.time()
    stuck = {"gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "power.usage": "130000"}
    for gpu in range(2):
        bed.nvml.script("n1", gpu, dict(IDLE) | LOW, [], now)
        bed.nvml.script("n2", gpu, work(50), [(8.0, gpu, dict(IDLE) | {"gpm.2": "0", "gpm.3": "0"})], now)
        bed.nvml.script("n3", gpu, work(50), [], now)
        bed.nvml.script("n4", gpu, work(50), [(20.0, gpu, stuck | {"utilization.gpu": "0" if gpu else "100"})], now)
    story.submit("idle", f"srun -n1 {PYTHON} {home}/silent.py", "-wn2", "-n1", "--gres=gpu:1", "--time=1", ends="TIMEOUT")
    story.submit("suspended", f"srun -n2 {PYTHON} {home}/advancing.py 5000 0.3", "-wn2", "-n2", "--time=1", ends="TIMEOUT")
    story.submit("went_on", f"srun -n1 {PYTHON} {home}/went_on.py {home}/outlived", "-wn3", "-n1", "--gres=gpu:1", ends="FAILED")
    story.submit("drained", f"srun -n2 -N2 {PYTHON} {home}/went_on.py {home}/is_drained", "-wn[3-4]", "-N2", "-n2", ends="FAILED")
    meet = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((20000 + SLURM_JOB_ID * 2))\nsrun"
    story.submit("never_met", f"{meet} -n3 {PYTHON} {home}/rendezvous.py", "-wn1", "-n3", "--time=1", ends="TIMEOUT")
    if TORCH:
        start = "export OMP_NUM_THREADS=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=$((30000 + SLURM_JOB_ID))\nsrun"
        story.submit("silent", f"{start} -n2 {TORCH} {home}/collective.py", "-wn4", "-n2", "--gres=gpu:2", "--time=1", ends="TIMEOUT")
        story.submit("larger", f"export OMP_NUM_THREADS=1\nsrun -n2 -O {TORCH} {home}/larger.py", "-wn1", "-n1", "--gres=gpu:1", ends="FAILED")
        story.submit("retried", f"export OMP_NUM_THREADS=1\n{TORCH} {home}/larger.py retries", "-wn3", "-n1", ends="COMPLETED")
    story.watched("went_on", "n3")
    story.strike("n3")
    struck_s = time.monotonic()
    story.until("suspended", {"RUNNING"})
    story.printed("suspended", b"step 8/")
    story.scontrol("suspend", str(story.jobs["suspended"]))
    suspended_s = time.monotonic()
    story.until("drained", {"RUNNING"})
    story.printed("drained", b"step 3/")
    story.scontrol("update", "nodename=n4", "state=drain", "reason=a fan makes noise")
    (home / "is_drained").touch()
    time.sleep(max(0.0, suspended_s + 20 - time.monotonic()))
    story.scontrol("resume", str(story.jobs["suspended"]))
    time.sleep(max(0.0, struck_s + WENT_ON_S - time.monotonic()))
    (home / "outlived").touch()


def _tidy(story: Story) -> None:
    bed = story.bed
    for node in bed.node_names:
        bed.nvml.reset(node)
    bed.command("scontrol", "update", "nodename=n4", "state=resume", check=False)


@pytest.fixture(scope="module")
def ran(cluster: Cluster) -> Iterator[Story]:
    """The jobs, over and done with."""
    with judged_by_reports(cluster):
        story = record(cluster, _play, _tidy)
        try:
            yield story
        finally:
            story.cancel()
            _tidy(story)


@needs_torch
def test_03_an_allocation_larger_than_the_card(ran: Story) -> None:
    """The samples never saw the card full, and its counters are clean: the message's own numbers decide."""
    said = ran.wait("larger")
    assert (said["mode"], said["cause"], said["fault"]) == ("B1", "cuda_oom", "user"), told(said)
    assert "91.60 GiB asked for on a 79.20 GiB card" in said["headline"]
    assert sorted(rank["rank"] for rank in said["failed_ranks"]) == [0, 1]
    assert any("larger than the whole card" in line for line in said["implies"])
    assert standing(said, "B2") == "out"


@needs_torch
def test_03_twin_the_same_text_and_then_progress_to_the_end(ran: Story) -> None:
    said = ran.wait("retried")
    assert (said["mode"], said["fault"], said["state"]) == ("G1", "none", "COMPLETED"), told(said)
    assert any("allocation" in claim["text"] for claim in said["warnings"])


def test_04_second_twin_an_error_that_the_run_outlived_and_a_missing_file(ran: Story) -> None:
    said = ran.wait("went_on")
    assert (said["mode"], said["cause"], said["fault"]) == ("A3", "file_not_found", "user"), told(said)
    assert any(ran.bed.nvml.uuid("n3", gpu) in claim["text"] for claim in said["warnings"] for gpu in range(2))
    assert next(row["incidental"] for row in said["ledger"] if row["mode"] == "B2")


def test_05_twin_suspended_by_slurm(ran: Story) -> None:
    """It stood still for twenty seconds, by Slurm's doing, and advanced up to its limit."""
    said = ran.wait("suspended")
    assert (said["mode"], said["variant"], said["state"]) == ("F3", "advancing", "TIMEOUT"), told(said)
    assert [standing(said, mode) for mode in ("C1", "C2", "C3")] == ["out"] * 3


def test_10_twin_drained_under_it(ran: Story) -> None:
    """The node was drained while the job ran on it, and the job ended for a reason of its own."""
    said = ran.wait("drained")
    assert (said["mode"], said["cause"], said["fault"]) == ("A3", "file_not_found", "user"), told(said)
    assert standing(said, "F1") == "out"


def test_10_twin_a_time_limit_after_silence_of_one_rank(ran: Story) -> None:
    said = ran.wait("idle")
    assert (said["mode"], said["state"]) == ("C3", "TIMEOUT"), told(said)
    assert standing(said, "F3") == "in"


@needs_torch
def test_10_twin_a_time_limit_after_silence_in_training(ran: Story) -> None:
    """Two ranks of real gloo: rank 1 sleeps, rank 0 waits for it in an all_reduce."""
    said = ran.wait("silent")
    assert (said["mode"], said["state"]) == ("C2", "TIMEOUT"), told(said)
    assert standing(said, "F3") == "in"


def test_10_twin_a_time_limit_after_silence_before_any_step(ran: Story) -> None:
    """Rank 0 waits for the others at another port than the one where they look for it, up to the limit."""
    said = ran.wait("never_met")
    assert (said["mode"], said["state"]) == ("C1", "TIMEOUT"), told(said)
    assert standing(said, "F3") == "in"


def test_every_claim_has_its_evidence(ran: Story) -> None:
    for name in ran.jobs:
        said = ran.wait(name)
        known = {one["id"] for one in said["evidence"]}
        assert len(said["ledger"]) == 20, name
        assert said["shows"], name
        assert all(set(claim["evidence"]) <= known and claim["evidence"] for claim in (*said["shows"], *said["warnings"])), name


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, bed_host: None) -> Iterator[Cluster]:
    """A bed of its own that holds tasks to their memory by control groups."""
    if absent := NEEDED - mounted_controllers():
        pytest.skip(f"no version 1 control groups here for {', '.join(sorted(absent))}: Slurm cannot hold a task to its memory")
    if os.environ.get(VARIABLE) == "cgroup":
        pytest.skip("the session's bed has these control groups: test_tracking")
    monkeypatch.setenv(VARIABLE, "cgroup")
    with Cluster(nodes=1, gpualert=True) as bed:
        bed.start_daemon()
        yield bed


EAT = "x = bytearray()\nwhile True: x.extend(bytes([1]) * 1000000)"


def test_02_twin_killed_by_its_control_group(held: Cluster) -> None:
    """The kernel's own kill: the killer is decided by the group's counter, with limit and peak, and no GPU memory was used."""
    home = held.home(ALICE)
    (home / "eat.py").write_text(EAT)

    def play(story: Story) -> None:
        story.submit("eater", f"srun -n1 {PYTHON} {home}/eat.py", "-n1", "--mem=100M", ends="FAILED")

    story = record(held, play, lambda _: None)
    said = story.wait("eater")
    assert (said["mode"], said["cause"], said["detail"], said["fault"]) == ("A2", "oom_killer", "cgroup_limit", "user"), told(said)
    assert "of 100" in said["headline"], said["headline"]
    assert any(line.startswith("#SBATCH --mem") for line in said["advice"])
    assert not any("who sent" in line for line in said["cannot_decide"])

"""The acceptance cases and their twins as real jobs on a real Slurm: from sbatch to the verdict in the mail.

GPU readings are scripted (the project's own NVML under the real pynvml); processes, signals, exit codes, time limits, lost nodes and losses are real.
Case 1's message is PEFT's, raised by hand (PEFT itself: tests/goldens). Case 3 and the twins that need more than an end of their own are in
test_acceptance_twins; which twins exist as whole records alone, and why: tests/unit/classifier/acceptance/test_all_are_there.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.system.acceptance_programs import PROGRAMS
from tests.system.stories import OVER, BedError, Story, judged_by_reports, record, short, standing, told
from tests.testbed import Cluster, host, pytorch
from tests.testbed.command import CommandError
from tests.testbed.daemon import DaemonError
from tests.testbed.gpu_scenarios import work
from tests.testbed.host import ALICE

TORCH = pytorch.interpreter()
needs_torch = pytest.mark.skipif(not TORCH, reason=pytorch.WHY_NOT)
pytestmark = pytest.mark.timeout(420)
PYTHON = "/usr/bin/python3"
MISSING_FILE = "shards/train-0007.bin"


def _play(story: Story) -> None:
    """All jobs at once, each with a fate of its own; then those that need a node of their own."""
    home = story.bed.home(ALICE)
    (home / "runs").mkdir(exist_ok=True)
    (home / "runs").chmod(0o777)
    (home / "struck").unlink(missing_ok=True)
    for name, text in PROGRAMS.items():
        (home / f"{name}.py").write_text(text)
    _first_wave(story)
    _second_wave(story)


def _first_wave(story: Story) -> None:
    """All that needs nothing else, the time limit first: it takes a minute. What n4 runs is reported before it is lost."""
    bed, home = story.bed, story.bed.home(ALICE)
    story.submit("limit", f"{PYTHON} {home}/steps.py 5000 1", "-wn1", "-n1", "--time=1", ends="TIMEOUT")
    now = time.time()
    for gpu in range(2):
        bed.nvml.script("n2", gpu, work(50), [], now)
        bed.nvml.script("n3", gpu, work(50) | {"remapped.corrected": "3", "remapped.uncorrected": "3"}, [], now)
        bed.nvml.script("n4", gpu, work(10) | {"utilization.gpu": "100"}, [], now)
    story.submit("ecc", f"{PYTHON} {home}/until.py {home}/struck", "-wn2", "-n1", "--gres=gpu:1", ends="FAILED")
    story.submit("remaps", f"sleep 6; {PYTHON} -c 'open(\"{MISSING_FILE}\")'", "-wn3", "-n1", "--gres=gpu:1", ends="FAILED")
    # Long enough for readings of the training, on a machine where a dozen jobs begin at once.
    story.submit("interconnect", f"srun -n2 {PYTHON} {home}/steps.py 80 0.5", "-wn4", "-n2", "--gres=gpu:2", ends="COMPLETED")
    story.submit("killed", f"srun -n6 -N2 -O {PYTHON} {home}/killed.py || exit 1", "-wn[3-4]", "-N2", "-n2", ends="FAILED")
    one_step = 'echo "step 1/1000 loss 2.3017 lr 0.0001"; echo "saved checkpoint to runs/step-1.pt"; sleep 4'
    story.submit("one_step", one_step, "-xn4", ends="COMPLETED")
    story.submit("steps", f"{PYTHON} {home}/steps.py 200 0.03", "-xn4", ends="COMPLETED")
    story.submit("gated", f"{PYTHON} -c 'raise OSError(\"You are trying to access a gated repo.\")'", "-xn4", ends="FAILED")
    if TORCH:
        hang = f"export OMP_NUM_THREADS=1 MASTER_PORT=$((20000 + SLURM_JOB_ID))\nsrun -n3 -O --kill-on-bad-exit=1 {TORCH} {home}/hang.py"
        story.submit("hang", hang, "-wn1", "-n1", "--gres=gpu:2", ends="FAILED")
        train, ranks = f"export OMP_NUM_THREADS=1\n{TORCH} {home}/train.py", f"-m torch.distributed.run --standalone --nproc-per-node=4 {home}/adapter.py"
        story.submit("adapter", f"export OMP_NUM_THREADS=1\nsrun -n1 {TORCH} {ranks}", "-xn4", ends="FAILED")
        story.submit("plateau", f"{train} plateau {home}", "-xn4", ends="COMPLETED")
        story.submit("slow", f"{train} slow {home}", "-xn4", ends="COMPLETED")
        parent = story.submit("parent", f"{train} parent {home}/runs", "--gres=gpu:1", "-wn2", ends="COMPLETED")
        more, child = ("--gres=gpu:1", f"--dependency=afterok:{parent}"), f"{train} child {home}/runs --resume_from_checkpoint {home}/runs"
        story.submit("scratch", f"{child}/step-800.pt", *more, "-wn3", ends="COMPLETED")
        story.submit("resumed", f"{child}/step-80.pt", *more, "-wn2", ends="COMPLETED")


def _second_wave(story: Story) -> None:
    """A requeue, a straggler where GPUs have come free, and a node that is lost under its job."""
    bed, home = story.bed, story.bed.home(ALICE)
    again = '[ "${SLURM_RESTART_COUNT:-0}" = 0 ] && sleep 100'
    story.watched("ecc", "n2")
    story.strike("n2")
    time.sleep(2)  # the program notices some steps later
    (home / "struck").touch()
    story.submit("requeued", f"{again}\n{PYTHON} {home}/steps.py 100 0.04", "-wn1", "-n1", "-O", ends="COMPLETED", requeue=True)
    story.until("requeued", {"RUNNING"})
    story.noted("requeued")
    story.scontrol("requeue", str(story.jobs["requeued"]))
    for name in ("ecc", "remaps", "interconnect"):
        story.until(name, OVER)
    now = time.time()
    for node, gpu, active in (("n2", 0, 16), ("n2", 1, 16), ("n3", 0, 55), ("n3", 1, 16)):
        bed.nvml.reset(node) if gpu == 0 else None
        bed.nvml.script(node, gpu, work(active), [], now)
    story.submit("straggler", f"srun -n4 -N2 {PYTHON} {home}/steps.py 60 0.5", "-wn[2-3]", "-N2", "-n4", "--gres=gpu:2", ends="COMPLETED")
    try:
        bed.run_again(story.jobs["requeued"])
    except (DaemonError, CommandError) as error:
        raise BedError(f"the requeued job did not run again: {error}") from error
    for name in ("interconnect", "killed"):  # n4's reports of them are out before it is lost
        story.wait(name)
    story.submit("lost", f"srun -n2 -N2 {PYTHON} {home}/steps.py 5000 0.5", "-wn[1,4]", "-N2", "-n2", "-O", ends="NODE_FAIL")
    story.until("lost", {"RUNNING"})
    story.noted("lost")
    story.printed("lost", b"step 3/")
    bed.lose_node("n4")


def _tidy(story: Story) -> None:
    """The nodes as they were, and at rest."""
    bed = story.bed
    bed.restore_node("n4")
    # Whether a job whose steps died with the node is over is asked after ten minutes or more; the tests after this want a node at rest.
    for left in (bed.gpualert.state_dir / "node" / "n4" / "jobs").glob(f"{story.jobs.get('lost')}.*"):
        left.unlink()
    for node in bed.node_names:
        bed.nvml.reset(node)
    for file in (bed.home(ALICE) / "runs").glob("*"):
        file.unlink()


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
def test_01_an_adapter_that_names_absent_modules(ran: Story) -> None:
    """Four ranks of a real torchrun below one task."""
    said = ran.wait("adapter")
    assert short(said) == ("A1", "config", "user")
    assert "q_proj" in " ".join(said["advice"])
    assert "of 4 ranks on 1 node" in said["blast_radius"]  # torchrun takes down those that are not as quick


def test_01_twin_a_gated_repository(ran: Story) -> None:
    said = ran.wait("gated")
    assert (*short(said), said["detail"]) == ("A1", "asset", "user", "gated_repo")


def test_02_two_ranks_that_were_killed(ran: Story) -> None:
    """Both are named, the phase is startup, and who sent the signal is not guessed."""
    said = ran.wait("killed")
    assert (said["mode"], said.get("cause"), said["fault"], said["phase"]) == ("A2", None, "unknown", "startup")
    assert (said["state"], said["exit_code"]) == ("FAILED", 1)
    assert "ranks 1, 4" in said["headline"]
    assert sorted(rank["rank"] for rank in said["failed_ranks"]) == [1, 4]  # which of them was first cannot be told
    assert any("who sent SIGKILL" in words for words in said["cannot_decide"])


def test_04_an_uncorrectable_error_of_memory_at_the_end(ran: Story) -> None:
    said = ran.wait("ecc")
    assert (said["mode"], said["fault"]) == ("B2", "node")
    assert "State=DRAIN" in " ".join(said["advice"])
    assert any(ran.bed.nvml.uuid("n2", gpu) in said["headline"] + str(said["shows"]) for gpu in range(2))


def test_04_twin_old_remaps_and_a_missing_file(ran: Story) -> None:
    said = ran.wait("remaps")
    assert (*short(said), said["cause"]) == ("A1", "data", "user", "file_not_found")
    assert MISSING_FILE in said["headline"]
    assert any(ran.bed.nvml.uuid("n3", gpu) in claim["text"] for claim in said["warnings"] for gpu in range(2))


@needs_torch
def test_05_a_hang_whose_loader_was_killed(ran: Story) -> None:
    """Three ranks of real gloo: rank 2's loader is killed, it waits for a row; the others give up their all_reduce, and srun takes rank 2 down."""
    said = ran.wait("hang")
    assert (said["mode"], said["detail"]) == ("C2", "collective_timeout"), said["headline"]
    if host.kernel_log_has_other_pids() is None:  # elsewhere the kernel's proc connector, which tells of children's ends, does not speak to the node
        assert said["trigger"]["mode"] == "A2"
        assert "a child process of rank 2 on n1" in said["trigger"]["text"]
    assert any("rank 2 " in words and "stayed away" in words for words in said["implies"])
    assert standing(said, "A3") == "out"
    assert standing(said, "A2") == "out"


def test_06_bound_by_the_interconnect(ran: Story) -> None:
    said = ran.wait("interconnect")
    assert short(said) == ("D2", "interconnect", "cluster"), told(said)


def test_06_twin_a_straggler(ran: Story) -> None:
    said = ran.wait("straggler")
    assert said["mode"] == "D3"
    assert ran.bed.nvml.uuid("n3", 0) in said["headline"] + str(said["shows"])
    assert standing(said, "D2") == "out"


@needs_torch
def test_07_a_plateau(ran: Story) -> None:
    """A network that dies in training: exit 0, a loss of ln(150000), a gradient that goes to 0."""
    said = ran.wait("plateau")
    assert (said["state"], *short(said)) == ("COMPLETED", "E1", "plateau", "user")
    assert 11.9 < said["final_metrics"]["loss"] < 11.95
    assert said["training_correctness"] == "failed"


@needs_torch
def test_07_twin_slow_but_falling(ran: Story) -> None:
    said = ran.wait("slow")
    assert said["mode"] == "G1"
    assert said["training_correctness"] == "learned"


@needs_torch
def test_08_a_child_that_started_from_scratch(ran: Story) -> None:
    """Told by its command line to go on from a checkpoint that its parent never wrote; the parent is known by dependency, its losses by history."""
    parent, said = ran.wait("parent"), ran.wait("scratch")
    assert parent["mode"] == "G1"
    assert short(said) == ("E2", "from_scratch", "user"), said["headline"]
    assert f"job {ran.jobs['parent']}" in said["headline"]
    assert any("runs/step-80.pt" in line for line in said["advice"])
    assert said["waste"]["of_parent_gpu_hours"] > 0


@needs_torch
def test_08_twin_a_child_that_went_on(ran: Story) -> None:
    said = ran.wait("resumed")
    assert said["mode"] == "G1", said["headline"]
    assert standing(said, "E2") == "out"


def test_09_a_single_step(ran: Story) -> None:
    said = ran.wait("one_step")
    assert said["mode"] == "E3"
    assert "1 step" in said["headline"]
    assert (standing(said, "D1"), standing(said, "D2")) == ("not testable", "not testable")


def test_09_twin_two_hundred_steps(ran: Story) -> None:
    assert ran.wait("steps")["mode"] == "G1"


def test_10_a_node_lost_under_its_job(ran: Story) -> None:
    said = ran.wait("lost")
    assert (said["mode"], said["fault"], said["state"]) == ("F1", "node", "NODE_FAIL")
    assert "n4" in said["headline"]


def test_10_twin_requeued_and_well(ran: Story) -> None:
    said = ran.wait("requeued")
    assert (said["mode"], said["state"]) == ("F2", "COMPLETED")
    assert "recovered" in said["variant"]


def test_10_twin_the_time_limit_while_it_advanced(ran: Story) -> None:
    said = ran.wait("limit")
    assert (said["mode"], said["variant"], said["state"]) == ("F3", "advancing", "TIMEOUT")
    assert any("--time=" in line for line in said["advice"])


def test_every_verdict_has_the_whole_ledger_and_evidence_for_each_claim(ran: Story) -> None:
    for name in ran.jobs:
        said = ran.wait(name)
        known = {one["id"] for one in said["evidence"]}
        assert len(said["ledger"]) == 20, name
        assert all(set(claim["evidence"]) <= known and claim["evidence"] for claim in (*said["shows"], *said["warnings"])), name
        assert said["shows"], name



"""Every kind of step that Slurm knows: what is captured of it, under which name, and that it runs as it does without us.

Arrays, requeued jobs, ``-u`` and steps on several nodes are in test_plugin.py.
"""

from __future__ import annotations

import os
import pty
import select
import subprocess
import time
from pathlib import Path

import pytest

from gpualert_slurm.job_file import JobFile
from tests.system.plugged import ASKED, Left, Plugged
from tests.testbed import Cluster
from tests.testbed.command import as_user
from tests.testbed.host import ALICE

pytestmark = pytest.mark.timeout(240)


def on_a_terminal(c: Cluster, *argv: str, types: str = "", timeout_s: float = 60) -> tuple[int, str]:
    """Runs a command with a terminal for stdin, stdout and stderr; gives its exit status and what the terminal showed."""
    ours, theirs = pty.openpty()
    # setsid makes it the session's terminal, as a login does: salloc asks for that.
    running = subprocess.Popen(as_user(ALICE, ["setsid", "--ctty", "--wait", *argv]), env=c.environment(ALICE), cwd=c.home(ALICE), stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown, until = b"", time.monotonic() + timeout_s
    if types:
        os.write(ours, types.encode())
    while time.monotonic() < until:
        try:
            if select.select([ours], [], [], 0.2)[0]:
                shown += os.read(ours, 65536)
            elif running.poll() is not None:
                break
        except OSError:  # the other side is gone
            break
    os.close(ours)
    try:
        return running.wait(timeout=10), shown.decode(errors="replace").replace("\r", "")
    except subprocess.TimeoutExpired:
        running.kill()
        raise AssertionError(f"{argv} has not ended; it showed {shown!r}") from None


def last_job(plugged: Plugged) -> int:
    """The id of the newest job that left something."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        ids = [int(path.name.partition(".")[0]) for path in plugged.state.glob("node/*/ended/*")]
        if ids:
            return max(ids)
        time.sleep(0.1)
    raise AssertionError("no job has ended on any node")


def test_several_steps_one_after_the_other(plugged: Plugged) -> None:
    """Each step of a script has logs of its own, and its own exit code."""
    _end, left = plugged.run("for i in 0 1 2; do srun -n1 sh -c \"echo step $i; exit $i\"; done; sleep 0.5")
    assert [left.log(f"{step}.0.out") for step in range(3)] == [b"step 0\n", b"step 1\n", b"step 2\n"]
    assert [left.records()[str(step), 0].exit_code for step in range(3)] == [0, 1, 2]


def test_overlapping_steps(plugged: Plugged) -> None:
    """Two steps on the same CPUs at the same time."""
    script = "for i in 1 2; do srun --overlap -n1 sh -c \"sleep 1; echo over \\$SLURM_STEP_ID; exit 1\\$SLURM_STEP_ID\" & done; wait"
    _end, left = plugged.run(script, "-n1")
    for step in (0, 1):
        assert left.log(f"{step}.0.out") == f"over {step}\n".encode()
        assert left.records()[str(step), 0].exit_code == 10 + step


def test_several_programs_in_one_step(plugged: Plugged) -> None:
    """``--multi-prog``: each rank's own program, its output and its exit code."""
    conf = plugged.c.home(ALICE) / "programs.conf"
    conf.write_text("0 echo zero\n1-2 sh -c 'echo rank $SLURM_PROCID >&2; exit 3'\n")
    conf.chmod(0o644)
    _end, left = plugged.run(f"srun -n3 --multi-prog {conf}; sleep 0.5", "-n3")
    assert left.log("0.0.out") == b"zero\n"
    assert [left.log(f"0.{rank}.err") for rank in (1, 2)] == [b"rank 1\n", b"rank 2\n"]
    assert [left.records()["0", rank].exit_code for rank in range(3)] == [0, 3, 3]


def test_labels_are_sruns(plugged: Plugged) -> None:
    """``--label`` is in what the user sees, not in the ranks' logs."""
    end, left = plugged.run("srun --label -n2 sh -c 'echo said'", "-n2")
    assert sorted(plugged.c.output(end.job_id).splitlines()) == ["0: said", "1: said"]
    assert (left.log("0.0.out"), left.log("0.1.out")) == (b"said\n", b"said\n")


def test_a_heterogeneous_job(plugged: Plugged) -> None:
    """Each component is a job of its own with files of its own; the rank is counted across both."""
    script = f"#!/bin/bash\n#SBATCH {ASKED} -N1 -n1\n#SBATCH hetjob\n#SBATCH {ASKED} -N1 -n1\nsrun --het-group=0,1 sh -c 'echo rank $SLURM_PROCID; exit 4'; sleep 0.5\n"
    job = plugged.c.submit(script)
    plugged.c.wait(job, timeout_s=90)
    parts = [plugged.ended(job), plugged.ended(job + 1)]
    for rank, part in enumerate(parts):
        (step,) = [key for key in part.records() if key[0] != "batch"]
        record = part.records()[step]
        assert (record.rank, record.exit_code) == (rank, 4)
        assert part.log(f"{step[0]}.{step[1]}.out") == f"rank {rank}\n".encode()


def test_a_step_with_a_terminal(plugged: Plugged) -> None:
    """``srun --pty``: the program has its terminal, nothing is between them, and the record says that."""
    status, shown = on_a_terminal(plugged.c, "srun", ASKED, "--pty", "sh", "-c", "test -t 0 && test -t 1 && test -t 2 && echo all three; exit 6")
    # srun writes its own message to the terminal as well, now and then before the program's last words, which take the way over the network.
    assert (status, [line for line in shown.splitlines() if not line.startswith("srun: error")]) == (6, ["all three"])
    left = plugged.ended(last_job(plugged))
    record = left.records()["0", 0]
    assert record.exit_code == 6
    assert record.streams.out is not None
    assert (record.streams.out.captured, record.streams.out.why_not) == (False, "tty")


def test_a_step_of_an_allocation_by_hand(plugged: Plugged) -> None:
    """``salloc`` without an interactive step: its command runs on the login node, the srun in it is captured."""
    done = plugged.c.command("salloc", "-n1", ASKED, "srun", "sh", "-c", "echo by hand; exit 5", user=ALICE, check=False)
    assert (done.returncode, done.stdout) == (5, "by hand\n")
    left = plugged.ended(last_job(plugged))
    assert left.log("0.0.out") == b"by hand\n"
    assert left.records()["0", 0].exit_code == 5


def test_an_interactive_step(plugged: Plugged) -> None:
    """``salloc`` under use_interactive_step: the shell on the node has its terminal; a step started there is captured."""
    plugged.c.reconfigure({"LaunchParameters": "use_interactive_step"})
    try:
        _status, shown = on_a_terminal(plugged.c, "salloc", "-n1", ASKED, types="srun sh -c 'echo from $SLURM_STEP_ID'; exit 7\n")
    finally:
        plugged.c.reconfigure({"LaunchParameters": None})
    assert "from 0" in shown
    left = plugged.ended(last_job(plugged))
    records = left.records()
    assert records["interactive", 0].exit_code == 7
    stream = records["interactive", 0].streams.out
    assert stream is not None
    assert stream.why_not == "tty"
    assert left.log("0.0.out") == b"from 0\n"


@pytest.mark.parametrize(("whom", "options", "captured"), [
    ("opt-in", (), False), ("opt-in", (ASKED,), True), ("gpu", (), False), ("gpu", ("--gres=gpu:1",), True), ("gpu", (ASKED,), True),
    ("all", (), True), ("all", ("--gpualert-mail=none",), False), ("gpu", ("--gres=gpu:1", "--gpualert-mail=none"), False),
])
def test_whom_the_site_captures(plugged: Plugged, whom: str, options: tuple[str, ...], captured: bool) -> None:
    """``capture=`` in plugstack.conf: those that asked, those with a GPU too, or all; never who said none. Nobody who did not ask is written to."""
    plugged.plug(capture=whom)
    job = plugged.c.submit("echo batch; srun -n1 echo step", "-n1", *options)
    assert plugged.c.wait(job, timeout_s=60).state == "COMPLETED"
    if not captured:
        assert plugged.nothing()
        return
    left = plugged.ended(job)
    assert left.log("0.0.out") == b"step\n"
    assert left.files[0].wishes.addresses == (("alice@example.org",) if ASKED in options else ())


def _kept(c: Cluster) -> Path:
    """A file in /tmp, of this bed alone."""
    return Path("/tmp") / f"{c.root.name}.kept"


def _contained(c: Cluster, state: Path) -> Left:
    """A batch job with a step on a bed whose jobs live in containers: its output and what it left."""
    state.mkdir(mode=0o711, exist_ok=True)
    c.plugstack([f"optional {c.gpualert.plugin} state_dir={state} off_file={state}.off min_free_mib=10"])
    script = c.root / "etc" / "epilog-of-test.sh"
    script.write_text(f"#!/bin/sh\nexec {c.gpualert.program('gpualert-epilog')} --state-dir {state} --off-file {state}.off\n")
    script.chmod(0o755)
    c.epilog(script)
    kept = _kept(c)
    job = c.submit(f"echo batch; echo kept > {kept}; srun -n2 sh -c 'cat {kept}; exit 3'; c=$?; sleep 0.5; exit $c", ASKED, "-n2")
    end = c.wait(job, timeout_s=60)
    assert (end.state, end.exit_code) == ("FAILED", "3:0"), c.log_tails()
    assert c.node_state("n1") == "IDLE"
    return Plugged(c, state).ended(job)


def _check(left: Left) -> None:
    assert left.log("batch.0.out").startswith(b"batch\n")
    assert (left.log("0.0.out"), left.log("0.1.out")) == (b"kept\n", b"kept\n")
    assert {key: record.exit_code for key, record in left.records().items()} == {("batch", 0): 3, ("0", 0): 3, ("0", 1): 3}
    assert [JobFile.read(path).first_step for path in left.state.glob("node/*/ended/*")] == ["batch"]


def test_jobs_with_a_prolog_and_an_extern_step(bed_host: None) -> None:
    """``PrologFlags=Alloc,Contain`` (with RunInJob where Slurm knows it): the extern step is left alone, all else is as ever."""
    known = any(b"RunInJob" in path.read_bytes() for path in Path("/usr/lib").glob("*/slurm*/libslurmfull.so"))
    flags = "Alloc,Contain,RunInJob" if known else "Alloc,Contain"
    with Cluster(nodes=1, gpualert=True, extra={"PrologFlags": flags}) as c:
        left = _contained(c, c.root / "contained")
        _check(left)
        rows = {row["JobID"].partition(".")[2]: row["State"] for row in c.sacct(left.files[0].job_id)}
        assert rows["extern"] == "COMPLETED"
        _kept(c).unlink()


def test_jobs_with_a_tmp_of_their_own(bed_host: None) -> None:
    """job_container/tmpfs: the job has its own /tmp and mount namespace; logs and records are where the node looks for them."""
    c = Cluster(nodes=1, gpualert=True, extra={"PrologFlags": "Contain", "JobContainerType": "job_container/tmpfs"})
    base = c.root / "containers"
    base.mkdir()
    (c.root / "etc" / "job_container.conf").write_text(f"AutoBasePath=true\nBasePath={base}\n")
    with c:
        left = _contained(c, c.root / "contained")
        _check(left)
        assert not _kept(c).exists()

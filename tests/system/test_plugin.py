"""The SPANK plugin and gpualert-epilog on a real cluster: what they leave, and that jobs do not notice."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import pytest

from gpualert_slurm.job_file import EpilogFacts, JobFile
from gpualert_slurm.rank_log import LogFrame
from tests.system.plugged import ASKED, Left


def test_a_job_that_did_not_ask_leaves_nothing(plugged):
    """No file, no folder for a job without the option, or with none."""
    for options in ((), ("--gpualert-mail=none",), ("--gpualert-when=always",)):
        job = plugged.c.submit("srun true", *options)
        assert plugged.c.wait(job, timeout_s=60).state == "COMPLETED"
    assert plugged.nothing()


# The pause lets Slurm report the step before the job ends: one in thirty jobs lacks it in its DerivedExitCode otherwise, with and without us.
AFTER = "; c=$?; sleep 0.5; exit $c"
ENDS = ["exit 0", "exit 1", "exit 3", "kill -SEGV $$", f"srun -n2 sh -c 'exit 3'{AFTER}", f"srun -n2 sh -c 'kill -SEGV $$'{AFTER}",
        f"srun /nonexistent{AFTER}", "kill -TERM $$"]


def test_states_and_codes_are_those_without_the_plugin(plugged):
    """Every way to end gives the same state and exit codes in sacct, job and steps, as on a cluster without gpualert."""
    with_it = [plugged.c.submit(script, ASKED, "-n2") for script in ENDS]
    for job in with_it:
        plugged.c.wait(job, timeout_s=90)
    plugged.c.plugstack([])
    without = [plugged.c.submit(script, "-n2") for script in ENDS]
    for job in without:
        plugged.c.wait(job, timeout_s=90)
    fields = ("JobID", "State", "ExitCode", "DerivedExitCode")

    def rows(job):
        return sorted((row["JobID"].partition(".")[2], row["State"], row["ExitCode"], row["DerivedExitCode"]) for row in plugged.c.sacct(job, fields))

    for script, ours, theirs in zip(ENDS, with_it, without, strict=True):
        assert rows(ours) == rows(theirs), script


def test_a_batch_job_with_steps_on_two_nodes(plugged):
    """Output arrives unchanged, each rank has its log, exit record and job file, the job file says what was asked."""
    script = """echo batch out; echo batch err >&2
srun -l sh -c 'echo rank $SLURM_PROCID; echo err $SLURM_PROCID >&2; exit $SLURM_PROCID'
srun -N1 -n1 --exact sh -c 'echo second'
exit 5"""
    end, left = plugged.run(script, "-N2", "-n4", "--ntasks-per-node=2", "--gpualert-when=problem", "--gpualert-artifacts=runs/*.json,log.txt", nodes=2)
    assert (end.state, end.exit_code) == ("FAILED", "5:0")
    output = plugged.c.output(end.job_id)
    assert [line for line in output.splitlines() if line.startswith(("0: rank", "1: rank", "2: rank", "3: rank"))].__len__() == 4
    assert left.log("batch.0.out") == output.encode()
    for rank in range(4):
        assert left.log(f"0.{rank}.out") == f"rank {rank}\n".encode()
        assert left.log(f"0.{rank}.err") == f"err {rank}\n".encode()
    assert left.log("1.0.out") == b"second\n"
    records = left.records()
    assert {key: record.exit_code for key, record in records.items()} == {("batch", 0): 5, ("0", 0): 0, ("0", 1): 1, ("0", 2): 2, ("0", 3): 3, ("1", 0): 0}
    assert all(record.rank == task and record.state == "closed" and record.capture == "on" for (_, task), record in records.items())
    first = next(file for file in left.files if file.node == "n1")
    assert first.first_step == "batch"
    assert (first.wishes.addresses, first.wishes.when.value, first.wishes.artifacts) == (("alice@example.org",), "problem", ("runs/*.json", "log.txt"))
    assert first.claims.nodes == "n[1-2]"
    facts = EpilogFacts.read(first.record_folder)
    assert facts.env["SLURM_JOB_EXIT_CODE2"] == "5:0"
    assert facts.env["SLURM_JOB_RESTART_COUNT"] == "0"
    assert facts.env["SPANK_GPUALERT_MAIL"] == "alice@example.org"


def test_who_may_read_what(plugged):
    """Log folders are the user's alone and cannot be listed from above; records are root's alone."""
    end, left = plugged.run("echo secret")
    file = left.files[0]
    bob = {"user": "gpualert-bob", "check": False}
    assert plugged.c.command("cat", str(file.log_folder / "batch.0.out"), **bob).returncode != 0
    assert plugged.c.command("ls", str(plugged.state / "logs"), **bob).returncode != 0
    alice = {"user": "gpualert-alice", "check": False}
    assert plugged.c.command("cat", str(file.log_folder / "batch.0.out"), **alice).returncode == 0
    assert plugged.c.command("ls", str(file.record_folder), **alice).returncode != 0
    assert end.state == "COMPLETED"


def test_the_option_as_a_line_of_the_script(plugged):
    """``#SBATCH --gpualert-mail=`` works, and srun inside the script inherits it."""
    job = plugged.c.submit("#!/bin/sh\n#SBATCH --gpualert-mail=alice@example.org,bob@example.org\nsrun echo inherited\n")
    plugged.c.wait(job, timeout_s=60)
    left = plugged.ended(job)
    assert left.files[0].wishes.addresses == ("alice@example.org", "bob@example.org")
    assert left.log("0.0.out") == b"inherited\n"


def test_export_none_keeps_the_option(plugged):
    """Slurm 22.05 loses the option in the batch step under --export=NONE; the plugin finds it."""
    _end, left = plugged.run("echo here", "--export=NONE")
    assert left.log("batch.0.out") == b"here\n"


@pytest.mark.parametrize("value", ["nobody", "a@@b", "a b@c", "a@-x", "", "none,a@b", "a@b\nBcc: c@d"])
@pytest.mark.parametrize("program", ["sbatch", "srun", "salloc"])
def test_a_bad_address_is_refused_at_submit_time(plugged, program, value):
    """sbatch, srun and salloc refuse it, name the value and the reason, and there is no job."""
    words = {"sbatch": ["--wrap", "true"], "srun": ["true"], "salloc": ["true"]}[program]
    done = plugged.c.command(program, f"--gpualert-mail={value}", *words, user="gpualert-alice", check=False)
    assert done.returncode != 0
    assert "gpualert: --gpualert-mail=" in done.stderr
    assert "\n".join(value.splitlines()[:1])[:5].replace("\n", "?") in done.stderr


def test_bad_values_of_the_other_options_are_refused(plugged):
    """An unknown word for when; a glob that leaves the working directory."""
    for option, words in (("--gpualert-when=sometimes", "always, problem or never"), ("--gpualert-artifacts=/etc/shadow", "relative"),
                          ("--gpualert-artifacts=a/../../b", "'..'")):
        done = plugged.c.command("sbatch", ASKED, option, "--wrap", "true", user="gpualert-alice", check=False)
        assert done.returncode != 0
        assert words in done.stderr


def test_an_unknown_plugstack_argument_disables_capture_and_is_named(plugged):
    """The job runs, nothing is made, slurmd's log names the argument and the nearest valid one."""
    plugged.c.plugstack([f"optional {plugged.c.gpualert.plugin} stat_dir={plugged.state}"])
    slurmd = plugged.c.nodes["n4"].slurmd
    slurmd.stop()
    slurmd.start()
    plugged.c.wait_idle()
    assert "stat_dir" in slurmd.tail(20000)
    assert "nearest valid one is state_dir" in slurmd.tail(20000)
    job = plugged.c.submit("srun true; exit 4", ASKED, "-w", "n4")
    assert plugged.c.wait(job, timeout_s=60).exit_code == "4:0"
    assert plugged.nothing()


@pytest.mark.parametrize("how", ["missing", "read-only", "not root's", "a file", "full"])
def test_a_state_folder_of_no_use_changes_nothing_for_the_job(plugged, how):
    """Whatever is wrong with the state folder, the job's output and exit code are its own."""
    other = plugged.state.with_name("other")
    other.mkdir(exist_ok=True)
    mounted = False
    try:
        if how == "missing":
            plugged.plug(state_dir="/nonexistent/state")
        elif how == "read-only":
            subprocess.run(["mount", "-t", "tmpfs", "-o", "ro", "gpualert-test", str(other)], check=True)
            mounted = True
        elif how == "not root's":
            os.chown(other, 1, 1)
        elif how == "a file":
            other.rmdir()
            other.write_text("")
        else:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k,mode=0711", "gpualert-test", str(other)], check=True)
            mounted = True
        if how != "missing":
            plugged.plug(state_dir=other)
        job = plugged.c.submit("echo whole; srun sh -c 'echo rank; exit 3'; exit 6", ASKED)
        end = plugged.c.wait(job, timeout_s=60)
        assert end.exit_code == "6:0"
        assert {"whole", "rank"} <= set(plugged.c.output(job).splitlines())  # srun's own word about the rank may come before the rank's
    finally:
        if mounted:
            subprocess.run(["umount", str(other)], check=True)
        if other.is_file():
            other.unlink()
        shutil.rmtree(other, ignore_errors=True)


def test_below_min_free_capture_is_off_and_says_so(plugged):
    """The job file and the exit records are there, with the reason; there is no log."""
    plugged.plug(min_free_mib=1 << 29)
    _end, left = plugged.run("exit 2")
    assert left.files[0].capture.startswith("off: ")
    assert "below min_free_mib=536870912" in left.files[0].capture
    record = left.records()["batch", 0]
    assert (record.exit_code, record.capture) == (2, left.files[0].capture)
    assert not list(left.files[0].log_folder.iterdir())


def test_the_off_file_switches_everything_off(plugged):
    """With the off file there a job that asked leaves nothing, at once and with no restart."""
    plugged.off_file.write_text("")
    job = plugged.c.submit("srun true", ASKED)
    assert plugged.c.wait(job, timeout_s=60).state == "COMPLETED"
    assert plugged.nothing()


def test_an_output_that_cannot_be_opened(plugged):
    """Slurm never forks the task: the log says so, and it is all there is."""
    end, left = plugged.run("echo never", "--output=/nonexistent/folder/out")
    assert end.state == "FAILED"
    record = left.records()["batch", 0]
    assert (record.state, record.wait_status) == ("closed", None)
    footer = LogFrame.read(left.files[0].log_folder / "batch.0.out").footer
    assert footer is not None
    assert (footer.forked, footer.not_captured) == (False, "never_forked")


def test_what_slurmstepd_says_itself_is_kept(plugged):
    """The line about a cancelled job is in the user's output and in slurmstepd's log."""
    job = plugged.c.submit("echo started; sleep 60", ASKED)
    plugged.c.wait_running(job)
    time.sleep(1)
    plugged.c.command("scancel", str(job))
    plugged.c.wait(job, timeout_s=60)
    left = plugged.ended(job)
    assert "CANCELLED AT" in left.stepd("batch")
    assert "CANCELLED AT" in plugged.c.output(job)
    assert left.records()["batch", 0].signal == 15


def test_an_unbuffered_step_keeps_its_terminal(plugged):
    """``srun -u`` gives tasks a terminal for stdout: it is left alone, stderr is captured."""
    _end, left = plugged.run("srun -u sh -c 'test -t 1 && echo a terminal; echo err >&2'")
    record = left.records()["0", 0]
    assert record.streams.out is not None
    assert (record.streams.out.captured, record.streams.out.why_not) == (False, "tty")
    assert left.log("0.0.err") == b"err\n"
    assert "a terminal" in left.log("batch.0.out").decode()


def test_steps_that_start_at_once_share_one_attempt(plugged):
    """Steps that are a node's first at the same moment: one job file, one pair of folders, all records in it."""
    _end, left = plugged.run("for i in 1 2 3 4; do srun -N1 -n1 --exact -w n2 --mem=1 sh -c 'echo hi' & done; wait", "-N2", "--ntasks-per-node=4", nodes=2)
    on_n2 = [file for file in left.files if file.node == "n2"]
    assert len(on_n2) == 1
    assert len(list(on_n2[0].record_folder.glob("*.0.exit.json"))) == 4
    assert not list(plugged.state.glob("node/n2/tmp/*"))
    assert not list(plugged.state.glob("node/n2/byjob/*"))
    assert len(list(plugged.state.glob(f"logs/{end_id(left)}.*"))) == 2


def end_id(left: Left) -> int:
    return left.files[0].job_id


def test_a_requeued_job_is_two_attempts(plugged):
    """The second run has folders of its own. The restart count does not tell them apart: Slurm counts before it ends the first run."""
    job = plugged.c.submit("sleep 60", ASKED, "--requeue")
    plugged.c.wait_running(job)
    time.sleep(1)
    plugged.c.scontrol("requeue", str(job))
    plugged.ended(job)
    plugged.c.run_again(job)
    plugged.c.wait_running(job, timeout_s=60)
    time.sleep(1)
    plugged.c.command("scancel", str(job))
    plugged.c.wait(job, timeout_s=60)
    left = plugged.ended(job, nodes=2)
    assert len({file.attempt for file in left.files}) == 2
    assert len({file.started_ns for file in left.files}) == 2
    assert {EpilogFacts.read(file.record_folder).env["SLURM_JOB_RESTART_COUNT"] for file in left.files} == {"1"}


def test_array_tasks_say_which_array(plugged):
    """Each element is a job of its own that names its array."""
    job = plugged.c.submit("echo element", ASKED, "--array=3,5")
    plugged.c.wait(job, timeout_s=60)
    until = time.monotonic() + 20
    while len(paths := list(plugged.state.glob("node/*/ended/*"))) < 2 and time.monotonic() < until:
        time.sleep(0.2)
    assert sorted((file.array_job_id, file.array_task_id) for file in map(JobFile.read, paths)) == [(job, 3), (job, 5)]


def test_a_daemon_left_behind_does_not_hold_the_job(plugged):
    """A grandchild that keeps stdout open: the job ends as fast as it does without us."""
    start_s = time.monotonic()
    end, left = plugged.run("echo before; setsid sleep 30 & exit 0")
    assert end.state == "COMPLETED"
    assert time.monotonic() - start_s < 20
    assert left.log("batch.0.out") == b"before\n"


def test_the_epilog_always_ends_with_zero(plugged):
    """Without a job, with a job it does not know, with a missing state folder, with words it does not know."""
    program = str(plugged.c.gpualert.program("gpualert-epilog"))
    for environment, arguments in (({}, []), ({"SLURM_JOB_ID": "99"}, []), ({"SLURM_JOB_ID": "../x"}, []), ({"SLURM_JOB_ID": "1"}, ["--state-dir", "/nonexistent"]),
                                   ({"SLURM_JOB_ID": "1"}, ["--nonsense"])):
        assert subprocess.run([program, *arguments], env=environment, check=False, timeout=10, capture_output=True).returncode == 0


def test_the_epilog_waits_for_the_watcher_at_most_a_second(plugged):
    """It waits while `watching` is there and `after` is not, returns as soon as it comes, and gives up after a second."""
    node = plugged.state / "node" / "n9"
    program = [str(plugged.c.gpualert.program("gpualert-epilog")), "--state-dir", str(plugged.state), "--off-file", "/nonexistent"]
    for number, acknowledged in ((7, False), (8, True)):
        attempt = f"{number}.0123456789abcdef"
        for name in ("jobs", "ended", "byjob", attempt):
            (node / name).mkdir(parents=True, exist_ok=True)
        (node / "jobs" / attempt).write_text("{}")
        (node / attempt / "watching").touch()
        start_s = time.monotonic()
        running = subprocess.Popen(program, env={"SLURM_JOB_ID": str(number), "SLURMD_NODENAME": "n9"})
        if acknowledged:
            time.sleep(0.2)
            (node / attempt / "after").touch()
        assert running.wait(timeout=10) == 0
        took_s = time.monotonic() - start_s
        assert (0.1 < took_s < 0.7) if acknowledged else (0.9 < took_s < 1.5)
        assert (node / "ended" / attempt).exists()

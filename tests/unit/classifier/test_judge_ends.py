"""Ends told by scripts, tools, loaders and launchers: who says it, and what it must not be taken for."""

from __future__ import annotations

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.process import Process
from gpualert_slurm.verdict import Fault
from tests.unit.classifier.records import Run, at, steps, trace

TOOLS = {
    "cd under set -e": ("job.sh: line 3: cd: /projects/run7: No such file or directory", Cause.FILE_NOT_FOUND, "config"),
    "coreutils' cp": ("cp: cannot create regular file '/var/lib/data.tar': Permission denied", Cause.PERMISSION, "config"),
    "mkdir with curved quotes": ("mkdir: cannot create directory ‘/opt/ckpt’: Permission denied", Cause.PERMISSION, "config"),
    "tar": ("tar: imagenet.tar: Cannot open: No such file or directory", Cause.FILE_NOT_FOUND, "data"),
    "a full disk": ("cp: error writing '/scratch/u/x.bin': No space left on device", None, "data"),
    "an unset variable": ("job.sh: line 3: DATA_ROOT: unbound variable", None, "config"),
    "a script that does not parse": ("job.sh: line 9: syntax error near unexpected token `fi'", None, "config"),
    "an interpreter that is not there": (
        "bash: line 2: ./run.py: /opt/py4/bin/python: bad interpreter: No such file or directory",
        Cause.FILE_NOT_FOUND,
        "env",
    ),
}


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_script_that_ends_at_a_tool_s_refusal_is_a_startup_crash(name: str):
    said, cause, variant = TOOLS[name]
    verdict = Run().batch(f"preparing\n{said}\n", code=1, end=3).accounting("FAILED", code=1, end=4).verdict()
    assert (verdict.mode, verdict.variant, verdict.cause) == ("A1", variant, cause)


def test_what_a_script_survived_is_not_its_end():
    """The tool's word stands at the beginning; what the program did after it is longer, and it ended without a word."""
    text = "rm: cannot remove 'old.ckpt': No such file or directory\n" + "".join(f"reading part {i} of the list\n" for i in range(80))
    verdict = Run().batch(text, code=3, end=30).accounting("FAILED", code=3, end=31).verdict()
    assert verdict.mode == "unknown"


def test_a_tool_that_refused_before_a_traceback_is_not_the_error():
    text = "mkdir: cannot create directory '/opt/x': Permission denied\n" + trace("ZeroDivisionError: division by zero")
    assert Run().batch(text, code=1, end=3).accounting("FAILED", code=1, end=4).verdict().cause is Cause.DIV_ZERO


def test_a_good_run_whose_script_could_not_remove_a_file_is_good():
    text = "rm: cannot remove 'old.ckpt': No such file or directory\n" + steps(1, 60, 60)
    assert Run().batch(text, code=0, end=80).accounting("COMPLETED", code=0, end=81).verdict().mode == "G1"


LOADERS = {
    "the worker's own handler": "ERROR: Unexpected segmentation fault encountered in worker.\nstep 21 loss 0.9\n",
    "torch 2.4's exception": trace("RuntimeError: DataLoader worker (pid 13939) is killed by signal: Segmentation fault. "),
    "both": "ERROR: Unexpected segmentation fault encountered in worker.\n"
    + trace("RuntimeError: DataLoader worker (pid(s) 7) is killed by signal: Segmentation fault."),
}


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_a_loader_s_worker_that_dies_of_a_signal_is_a_death_by_signal(name: str):
    verdict = Run().rank(0, "n1", steps(1, 20) + LOADERS[name], code=1, end=40).accounting(code=1, end=41).verdict()
    assert (verdict.mode, verdict.cause, verdict.fault) == ("A2", Cause.SEGFAULT, Fault.USER)


def test_a_loader_s_worker_that_raised_is_an_exception():
    text = steps(1, 20) + trace("ValueError: Caught ValueError in DataLoader worker process 0.")
    assert Run().rank(0, "n1", text, code=1, end=40).accounting(code=1, end=41).verdict().mode == "A3"


def test_a_segfault_in_the_step_s_last_second_is_not_the_stopping_s_doing():
    run = Run()
    for rank in range(4):
        run.rank(rank, "n1", steps(1, 20), signal=11 if rank == 2 else 15, end=30.1 if rank == 2 else 30.4, local=rank)
    from gpualert_slurm.accounting import StepRecord

    step = StepRecord(step="0", state="CANCELLED", exit_code=0, exit_signal=15, end_ns=at(30))
    verdict = run.accounting("FAILED", code=15, end=31, steps=(step,)).verdict()
    assert verdict.mode == "A2"
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (2,)


@pytest.mark.parametrize("number", [6, 11])
def test_a_rank_that_crashes_while_the_time_limit_takes_it_down_ran_out_of_time(number: int):
    run = Run().rank(0, "n1", steps(1, 100), signal=number, end=600.5, times=[6.0 * i for i in range(1, 101)])
    assert run.accounting("TIMEOUT", code=0, signal=15, end=601, time_limit_s=600).verdict().mode == "F3"


@pytest.mark.parametrize(("number", "fault"), [(6, Fault.USER), (8, Fault.USER), (11, Fault.USER), (9, Fault.UNKNOWN)])
def test_who_must_act_on_a_death_by_signal(number: int, fault: Fault):
    """SIGABRT, SIGFPE and SIGSEGV are the program's own; who sent SIGKILL is not known without a record."""
    assert Run().rank(0, "n1", steps(1, 20), signal=number, end=30).accounting(code=0, signal=number, end=31).verdict().fault is fault


def test_a_program_that_the_batch_script_runs_itself_is_rank_0():
    verdict = Run().batch(steps(1, 20) + trace("KeyError: 'x'"), code=1, end=30).accounting(code=1, end=31).verdict()
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (0,)


def test_a_rank_that_fails_at_its_start_while_another_trains_on_alone_is_a_startup_crash():
    run = Run().rank(0, "n1", trace("ZeroDivisionError: integer modulo by zero"), code=1, end=2, times=[1.9])
    run.rank(1, "n1", steps(1, 50), code=0, end=60, local=1, times=[3.0 + i for i in range(50)])
    assert run.accounting(code=1, end=61).verdict().mode == "A1"


def test_a_rank_that_fails_after_another_s_progress_is_a_crash_in_training():
    run = Run().rank(1, "n1", trace("ZeroDivisionError: integer modulo by zero"), code=1, end=40, times=[39.9], local=1)
    run.rank(0, "n1", steps(1, 30), code=1, end=60, times=[3.0 + i for i in range(30)])
    assert run.accounting(code=1, end=61).verdict().mode == "A3"


def agent(command: str, cpu_s: float = 1.2) -> Process:
    return Process(node="n1", pid=77, rank=0, step="batch", command=tuple(command.split()), cpu_s=cpu_s)


@pytest.mark.parametrize("option", ["--nnodes=2", "--nnodes 4", "--nnodes=1:3"])
def test_a_launcher_of_several_nodes_that_waits_alone_never_met_the_others(option: str):
    run = Run().batch("", signal=15, end=90).node("n1", processes=(agent(f"python -m torch.distributed.run {option} train.py"),))
    verdict = run.accounting("TIMEOUT", code=0, signal=0, end=90, time_limit_s=60).verdict()
    assert verdict.mode == "C1"


@pytest.mark.parametrize(
    ("process", "out"),
    [
        (agent("python -m torch.distributed.run --nnodes=1 train.py"), ""),
        (agent("torchrun --nnodes=2 train.py", cpu_s=80.0), ""),
        (agent("torchrun --nnodes=2 train.py"), steps(1, 40)),
    ],
    ids=["one node", "at work", "progress"],
)
def test_a_launcher_that_works_or_is_alone_by_right_is_no_rendezvous(process: Process, out: str):
    run = Run().batch(out, signal=15, end=90, times=[i * 2.0 for i in range(40)] if out else None).node("n1", processes=(process,))
    assert run.accounting("TIMEOUT", code=0, signal=0, end=90, time_limit_s=60).verdict().mode != "C1"


def test_a_checkpoint_that_does_not_fit_after_a_first_stage_is_a_failed_load():
    text = steps(1, 20) + trace("RuntimeError: Error(s) in loading state_dict for Net:")
    verdict = Run().rank(0, "n1", text, code=1, end=40).accounting(code=1, end=41).verdict()
    assert (verdict.mode, verdict.variant) == ("E2", "size_mismatch")


def test_a_corrupt_file_read_in_training_is_a_crash_of_training():
    text = steps(1, 20) + trace("_pickle.UnpicklingError: invalid load key, 'x'.")
    assert Run().rank(0, "n1", text, code=1, end=40).accounting(code=1, end=41).verdict().mode == "A3"


VARIANTS = {
    "assert about rows": ("AssertionError: 3 rows without a label", "data"),
    "assert about an option": ("AssertionError: hidden size must be divisible by the number of heads", "config"),
    "a folder of the system": ("PermissionError: [Errno 13] Permission denied: '/opt/results'", "config"),
    "a file of data": ("PermissionError: [Errno 13] Permission denied: 'data/train.bin'", "data"),
    "a program that is not installed": ("FileNotFoundError: [Errno 2] No such file or directory: 'ffmpeg'", "env"),
    "host memory": ("MemoryError", "env"),
    "two devices": ("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!", "config"),
    "an unreadable archive": ("zlib.error: Error -3 while decompressing data: incorrect header check", "data"),
    "a server that is away": ("ConnectionRefusedError: [Errno 111] Connection refused", "env"),
    "arrays of other shapes": ("ValueError: operands could not be broadcast together with shapes (3,4) (2,4)", "data"),
    "an option's value": ("ValueError: unknown schedule: cosin", "config"),
    "a modulus": ("ZeroDivisionError: integer modulo by zero", "config"),
}


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_what_a_startup_crash_is_about(name: str):
    error, variant = VARIANTS[name]
    verdict = Run().rank(0, "n1", trace(error), code=1, end=4).accounting(code=1, end=5).verdict()
    assert (verdict.mode, verdict.variant) == ("A1", variant)


LAST_WORDS = {
    "make": ("make: nvcc: No such file or directory\nmake: *** [Makefile:3: a.o] Error 127", Cause.FILE_NOT_FOUND),
    "git": ("fatal: not a git repository (or any of the parent directories): .git", None),
    "Rust": ("thread 'main' panicked at src/main.rs:4:5:\nindex out of bounds: the len is 3 but the index is 7", None),
    "the JVM": ('Exception in thread "main" java.lang.OutOfMemoryError: Java heap space\n\tat A.main(A.java:3)', Cause.RAM_OOM),
    "Julia": (
        'ERROR: LoadError: SystemError: opening file "data/x.csv": No such file or directory\nStacktrace:\n [1] top-level scope',
        Cause.FILE_NOT_FOUND,
    ),
    "sys.exit with words": ("Error: cannot open config.yaml: No such file or directory", Cause.FILE_NOT_FOUND),
    "a child's exit": (
        trace("subprocess.CalledProcessError: Command '['python', 'prep.py']' returned non-zero exit status 1.").strip(),
        Cause.TRACEBACK,
    ),
}


@pytest.mark.parametrize("name", sorted(LAST_WORDS))
def test_last_words_that_no_pattern_knows_better_end_a_run(name: str):
    said, cause = LAST_WORDS[name]
    for before, mode in (("", "A1"), (steps(1, 30), "A3")):
        verdict = Run().batch(f"{before}{said}\n", code=1, end=40, times=[i + 1.0 for i in range(30)]).accounting(code=1, end=41).verdict()
        assert (verdict.mode, verdict.cause) == (mode, cause)


def test_an_error_line_long_before_the_end_is_not_what_ended_the_run():
    text = "ERROR: shard 3 could not be read, skipped\n" + "".join(f"working on the part named {chr(97 + i % 26)}\n" for i in range(60))
    assert Run().batch(text, code=1, end=40).accounting(code=1, end=41).verdict().mode == "unknown"


def test_an_error_line_does_not_hide_a_death_by_signal():
    assert Run().batch(steps(1, 30) + "ERROR: a peer was lost\n", code=139, end=40).accounting(code=139, end=41).verdict().mode == "A2"


def test_an_error_line_yields_to_a_traceback_beside_it():
    text = trace("ZeroDivisionError: division by zero") + "ERROR: training failed, see above\n"
    assert Run().batch(text, code=1, end=4).accounting(code=1, end=5).verdict().cause is Cause.DIV_ZERO


@pytest.mark.parametrize(("number", "mode"), [(11, "A2"), (9, "A2")])
def test_a_child_that_died_by_a_signal_in_its_parent_s_words(number: int, mode: str):
    name = {11: "SIGSEGV", 9: "SIGKILL"}[number]
    text = steps(1, 30) + trace(f"subprocess.CalledProcessError: Command '['python', 'w.py']' died with <Signals.{name}: {number}>.")
    assert Run().batch(text, code=1, end=40).accounting(code=1, end=41).verdict().mode == mode


@pytest.mark.parametrize(("code", "cause"), [(139, Cause.SEGFAULT), (134, None), (137, None), (136, Cause.DIV_ZERO), (143, None)])
def test_a_shell_s_code_for_a_signal_with_nothing_printed_is_a_death_by_signal(code: int, cause: Cause | None):
    verdict = Run().batch("", code=code, end=4).accounting(code=code, end=5).verdict()
    assert (verdict.mode, verdict.cause) == ("A2", cause)


MEETING = [
    "setting up the process group\n",
    "rank 0 of 2: waiting for the others\n",
    "Initializing distributed backend\nconnecting to rank 0 at n1:29500\n",
    "joining the group\n",
]


def silent_ranks(said: str, *, times: list[float], state: str = "TIMEOUT", ranks: int = 2):
    run = Run()
    for rank in range(ranks):
        run.rank(rank, "n1", said, signal=9, end=600, times=times, local=rank)
    return run.accounting(state, code=0, signal=15, end=600, time_limit_s=600).verdict()


@pytest.mark.parametrize("said", MEETING)
def test_ranks_whose_last_words_are_of_meeting_never_met(said: str):
    assert silent_ranks(said, times=[1.0, 1.1]).mode == "C1"


@pytest.mark.parametrize(
    ("said", "ranks"),
    [
        ("reading 3 TB of images\n", 2),
        ("rank 0 of 2: waiting for the others\nmet; reading the images\nthe first part is read\n", 2),
        ("setting up the process group\n", 1),
        ("initialized process group: 2 ranks\n", 2),
    ],
    ids=["other work", "it went on", "one rank", "they had met"],
)
def test_silence_after_other_words_is_no_rendezvous(said: str, ranks: int):
    assert silent_ranks(said, times=[1.0, 1.1, 1.2], ranks=ranks).mode != "C1"


def test_ranks_that_met_and_trained_to_the_limit_ran_out_of_time():
    said = "setting up the process group\n" + steps(1, 100)
    assert silent_ranks(said, times=[1.0 + 5.9 * i for i in range(101)]).mode == "F3"


SUMMARY = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
[1]:
  time      : 2026-11-21_10:00:02
  host      : n1
  rank      : 3 (local_rank: 3)
  exitcode  : 1 (pid: 44)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-21_10:00:01
  host      : n1
  rank      : 1 (local_rank: 1)
  exitcode  : 1 (pid: 42)
  error_file: <N/A>
  traceback : To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html
============================================================
"""


def test_a_traceback_that_names_nobody_beside_a_summary_of_two_ranks_is_the_crash():
    text = steps(1, 30) + trace("ValueError: bad row") + trace("KeyError: 'later'") + SUMMARY
    verdict = Run().batch(text, code=1, end=70).accounting(code=1, end=71).verdict()
    assert (verdict.mode, verdict.cause) == ("A3", Cause.TRACEBACK)
    assert "bad row" in verdict.headline


def test_a_summary_of_two_silent_ranks_explains_nothing():
    assert Run().batch(steps(1, 30) + SUMMARY, code=1, end=70).accounting(code=1, end=71).verdict().mode == "unknown"


STEP_DIED = "srun: error: n1: task 2: Segmentation fault (core dumped)\nslurmstepd: error: *** STEP 1.0 ON n1 CANCELLED AT 2026-11-21T10:00:00 ***\nsrun: error: n1: tasks 0-1,3: Terminated\n"


def test_the_task_that_srun_names_first_is_the_first_rank_where_no_record_of_it_is_left():
    verdict = Run().batch(steps(1, 30) + STEP_DIED, code=139, end=70).accounting(code=139, end=71).verdict()
    assert verdict.mode == "A2"
    assert verdict.first_failure is not None
    assert verdict.first_failure.ranks == (2,)


def test_what_a_thrown_error_says_is_the_cause_of_the_abort():
    text = steps(1, 30) + "terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: device-side assert triggered\n"
    verdict = Run().rank(0, "n1", text, signal=6, end=70).accounting(code=134, end=71).verdict()
    assert (verdict.mode, verdict.cause) == ("A2", Cause.CUDA_RUNTIME)


def test_an_error_after_a_thousand_frames_has_its_traceback():
    frames = "".join(f'  File "a.py", line {i % 2 + 1}, in f{i % 2}\n    f{(i + 1) % 2}()\n' for i in range(990))
    text = f"Traceback (most recent call last):\n{frames}RecursionError: maximum recursion depth exceeded\n"
    verdict = Run().rank(0, "n1", text, code=1, end=4).accounting(code=1, end=5).verdict()
    assert (verdict.mode, verdict.cause) == ("A1", Cause.TRACEBACK)
    assert any("a.py" in claim.text for claim in verdict.shows)


@pytest.mark.parametrize("last", ["", "loss diverged, giving up\n", "error: training diverged\n"])
@pytest.mark.parametrize("row", ["step {i} loss {x}\n", "epoch {i}: mse {x}\n", '{{"step": {i}, "nll": {x}}}\n'])
def test_a_program_that_leaves_at_a_loss_that_is_not_finite_diverged(row: str, last: str):
    text = "".join(row.format(i=i, x="nan" if i > 20 else 3 / i) for i in range(1, 23)) + last
    verdict = Run().rank(0, "n1", text, code=1, end=40).accounting(code=1, end=41).verdict()
    assert (verdict.mode, verdict.variant, verdict.cause) == ("E1", "non_finite", Cause.NAN_LOSS)


@pytest.mark.parametrize("end", [{"signal": 9}, {"code": 139}], ids=["killed", "a shell's word for a signal"])
def test_a_death_behind_a_loss_of_nan_is_a_death(end: dict):
    text = "".join(f"step {i} loss {'nan' if i > 20 else 3 / i}\n" for i in range(1, 23))
    assert Run().rank(0, "n1", text, end=40, **end).accounting(code=1, end=41).verdict().mode == "A2"


def test_an_exception_behind_a_loss_of_nan_comes_first():
    text = "".join(f"step {i} loss {'nan' if i > 20 else 3 / i}\n" for i in range(1, 23)) + trace(
        "FileNotFoundError: [Errno 2] No such file or directory: 'eval.bin'"
    )
    assert Run().rank(0, "n1", text, code=1, end=40).accounting(code=1, end=41).verdict().mode == "A3"

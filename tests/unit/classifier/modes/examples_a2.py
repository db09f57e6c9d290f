"""A2: ends by a signal, as the kernel, Slurm and launchers tell it."""

from __future__ import annotations

from gpualert_slurm.rank import CgroupMemory
from tests.unit.classifier.records import Run, steps, trace
from tests.unit.classifier.signals import GIB, ticks

MEMORY = CgroupMemory(limit_bytes=GIB, peak_bytes=GIB, oom_events=1, oom_kill_events=1)
TORCHRUN = """torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
============================================================
train.py FAILED
------------------------------------------------------------
Failures:
  <NO_OTHER_FAILURES>
------------------------------------------------------------
Root Cause (first observed failure):
[0]:
  time      : 2026-11-20_10:00:01
  host      : n1
  rank      : 3 (local_rank: 3)
  exitcode  : -9 (pid: 127)
  error_file: <N/A>
  traceback : Signal 9 (SIGKILL) received by PID 127
============================================================
"""
FAULT = """Fatal Python error: Segmentation fault

Current thread 0x00007f846ec9e2c0 (most recent call first):
  File "/home/u/train.py", line 49 in main
  File "/home/u/train.py", line 60 in <module>
"""
EXAMPLES = {
    "the wait status": lambda: Run().rank(0, "n1", "go\n", signal=11).accounting(code=0, signal=11).verdict(),
    "slurm 22.05: oom": lambda: (
        Run()
        .rank(
            0,
            "n1",
            "slurmstepd: error: Detected 1 oom-kill event(s) in step 42.0 cgroup. Some of your processes may have been killed by the cgroup out-of-memory handler.\n",
            signal=9,
        )
        .accounting("OUT_OF_MEMORY", code=0, signal=125)
        .verdict()
    ),
    "slurm 23.02 and later: oom": lambda: (
        Run()
        .rank(
            0,
            "n1",
            "slurmstepd: error: Detected 1 oom_kill event in StepId=42.0. Some of the step tasks have been OOM Killed.\n",
            signal=9,
            memory=MEMORY,
        )
        .accounting("OUT_OF_MEMORY", code=0, signal=125)
        .verdict()
    ),
    "torchrun names the rank": lambda: Run().rank(0, "n1", TORCHRUN, code=1).accounting().verdict(),
    "bash says Killed": lambda: (
        Run()
        .batch("/var/spool/slurmd/job42/slurm_script: line 23:   427 Killed                  python train.py\n", code=137)
        .accounting(code=137)
        .verdict()
    ),
    "a shell tells of a segmentation fault by its code, faulthandler by its words": lambda: (
        Run().rank(0, "n1", FAULT + "job.sh: line 4:  9909 Segmentation fault      python3 train.py\n", code=139).accounting(code=139).verdict()
    ),
    "the same in mid-training": lambda: (
        Run().rank(0, "n1", steps(1, 40) + FAULT, code=139, end=50, times=ticks(45)).accounting(code=139, end=50).verdict()
    ),
}
NEAR_MISSES = {
    "an exception, and an exit code above 128 of the program's own": lambda: (
        Run().rank(0, "n1", trace("KeyError: 'x'"), code=139).accounting(code=139).verdict()
    ),
    "srun's SIGTERM after another rank failed": lambda: (
        Run().rank(0, "n1", trace("KeyError: 'x'"), code=1, end=5).rank(1, "n1", signal=15, end=6, local=1).accounting().verdict()
    ),
    "scancel": lambda: (
        Run().rank(0, "n1", "go\n", signal=15, end=100).accounting("CANCELLED", code=0, signal=15, end=100, cancelled_by_uid=1000).verdict()
    ),
    "the time limit": lambda: Run().rank(0, "n1", "go\n", signal=9, end=3601).accounting("TIMEOUT", code=0, end=3600).verdict(),
    "out of GPU memory": lambda: (
        Run().rank(0, "n1", trace("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB."), signal=6).accounting().verdict()
    ),
}

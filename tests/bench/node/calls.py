"""What counting its CUDA calls costs a rank: the same call in the same process, with nobody counting and within a window."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from gpualert_slurm.spank.watch import cuda_calls
from gpualert_slurm.spank.watch.call_counter import CannotCountError
from tests.bench.compare import Row
from tests.testbed.tracefs import tracefs

SOURCE = Path(__file__).resolve().parents[2] / "testbed" / "cuda" / "calls.c"
CALLS, WINDOW_S = 2000, 2.0
CALLER = """
import ctypes, sys, time
call = ctypes.CDLL(sys.argv[1] + "/libcuda.so.1").cuLaunchKernel
print("ready", flush=True)
while True:
    begun = time.perf_counter_ns()
    for _ in range(int(sys.argv[2])):
        call()
    print((time.perf_counter_ns() - begun) / int(sys.argv[2]), flush=True)
    time.sleep(0.02)
"""


def call_row() -> Row:
    """The median of some fifty rounds of each kind; both include what Python itself takes for a call."""
    what = "what a call of CUDA costs more while it is counted (a window of 2 s; off by default)"
    with tempfile.TemporaryDirectory() as folder, tracefs():
        library = ["cc", "-O1", "-shared", "-fPIC", "-fvisibility=hidden", "-o", f"{folder}/libcuda.so.1", str(SOURCE)]
        subprocess.run(library, check=True)
        caller = subprocess.Popen([sys.executable, "-c", CALLER, folder, str(CALLS)], stdout=subprocess.PIPE, text=True)
        assert caller.stdout is not None
        try:
            caller.stdout.readline()
            alone = sorted(float(caller.stdout.readline()) for _ in range(50))
            counter = subprocess.Popen([sys.executable, "-c", f"from {__name__} import window; window({caller.pid})"], stdout=subprocess.PIPE, text=True)
            assert counter.stdout is not None
            rounds: list[float] = []
            while counter.poll() is None:
                rounds.append(float(caller.stdout.readline()))
            said = counter.stdout.read().strip()
        finally:
            caller.kill()
            caller.wait()
    counted = sorted(r for r in rounds if r > 2 * alone[-1])
    if not counted:
        return Row(what, f"not counted here: {said}", "", None, "1")
    more_us = (counted[len(counted) // 2] - alone[len(alone) // 2]) / 1000
    return Row(what, f"{more_us:.1f} µs", "", None, f"{len(counted)} rounds of {CALLS}")


def window(pid: int) -> None:
    """What the counting process does."""
    try:
        print(cuda_calls.count([pid], WINDOW_S)[0])
    except CannotCountError as error:
        print(error)

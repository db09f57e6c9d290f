"""Measures the service over eight scripted GPUs and real processes, and writes its section of doc/performance.md. Needs root; no GPU is at hand.

The stand-in NVML answers from a text file, in microseconds: a real driver's own time for a reading is not in these figures.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.spank.watch.stall_probe import ProbedRank, find_py_spy, probe
from tests.bench import page
from tests.bench.compare import Row
from tests.bench.node.calls import call_row
from tests.integration.node.a_job import AJob
from tests.integration.node.a_node import ANode
from tests.testbed import nvml_library
from tests.testbed.gpu_scenarios import work
from tests.testbed.munge import munged

GPUS, RANKS, JOBS, WATCHED_S, SETTLE_S = 8, 8, 64, 60.0, 12.0
COMMAND = "make bench-node"
STEPD = """import ctypes, subprocess, sys, time
ctypes.CDLL(None).prctl(15, b"slurmstepd", 0, 0, 0)
ranks = [subprocess.Popen([sys.argv[3], "-c", sys.argv[1]], env={"RANK": str(i), "LOCAL_RANK": str(i)}) for i in range(int(sys.argv[2]))]
print(*(r.pid for r in ranks), flush=True)
time.sleep(3600)
"""
RANK = "import time\nwhile True: time.sleep(0.01)"
TICKING = """import time, sys
def train():
    longest, last, until = 0.0, time.monotonic(), time.monotonic() + float(sys.argv[1])
    while last < until:
        time.sleep(0.001)
        now = time.monotonic()
        longest, last = max(longest, now - last), now
    print(longest, flush=True)
train()
"""


@contextlib.contextmanager
def a_node() -> Iterator[ANode]:
    """One node of eight GPUs at work, with a munged of its own."""
    root = Path(tempfile.mkdtemp(prefix="gpualert-bench-node-", dir="/var/tmp"))
    root.chmod(0o755)
    (root / "m").mkdir()
    (root / "m" / "log").mkdir()
    daemon = munged(root / "m", dict(os.environ))
    daemon.start()
    library = nvml_library.build(root / "m").parent
    (root / "n").mkdir(mode=0o755)
    node = ANode(root / "n", root / "m" / "munge" / "socket", library)
    node.settings = {"idle_exit_s": 3600}
    cards = [nvml_library.healthy("n1", i) | work(48) for i in range(GPUS)]
    nvml_library.write_readings(node.readings, cards)
    try:
        yield node
    finally:
        for process in node.started:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(10)
            process.kill()
        daemon.stop()
        subprocess.run(["rm", "-rf", str(root)], check=False)


def a_job(node: ANode, number: int, *, aged_s: float = 0.0, stepd_pid: int | None = None) -> AJob:
    """A job that began ``aged_s`` ago; the job file names its slurmstepd as the plugin does."""
    job = AJob(node.state, job_id=number)
    job.start(started_monotonic_ns=time.monotonic_ns() - int(aged_s * 1e9), stepd_pid=stepd_pid)
    return job


def stepd(job_id: int, ranks: int) -> tuple[subprocess.Popen[str], list[int]]:
    """What looks like a slurmstepd of root's with ranks below it."""
    argv = [f"slurmstepd: [{job_id}.0]", "-c", STEPD, RANK, str(ranks), sys.executable]
    process = subprocess.Popen(argv, executable=sys.executable, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    return process, [int(word) for word in process.stdout.readline().split()]


def family(pid: int) -> list[int]:
    """The service and what it started: NVML's child."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *map(int, children)]


def rss_mib(pids: list[int]) -> float:
    """Resident memory together; pages they share count twice."""
    return sum(int(Path(f"/proc/{pid}/status").read_text().split("VmRSS:")[1].split()[0]) for pid in pids) / 1024


def cpu_s(pids: list[int]) -> float:
    """By the scheduler's count, all threads."""
    total = 0
    for pid in pids:
        for task in Path(f"/proc/{pid}/task").iterdir():
            total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def file_bytes(job: AJob) -> int:
    """What grows with time; looks.json and watch.json are rewritten."""
    return sum((job.record / name).stat().st_size for name in ("samples.jsonl", "gpus.jsonl") if (job.record / name).exists())


def wait_for(path: Path, limit_s: float = 20) -> float:
    """Until it is there; seconds."""
    begun = time.monotonic()
    while not path.exists():
        if time.monotonic() - begun > limit_s:
            raise RuntimeError(f"{path} did not come")
        time.sleep(0.005)
    return time.monotonic() - begun


def measure() -> list[Row]:
    """All figures, in a little less than three minutes."""
    rows: list[Row] = []
    with a_node() as node, contextlib.ExitStack() as ending:
        host, ranks = stepd(42, RANKS)
        ending.callback(_end, host, ranks)
        cards = [nvml_library.healthy("n1", i) | work(48) | {"processes": f"{ranks[i]}:1073741824"} for i in range(GPUS)]
        nvml_library.write_readings(node.readings, cards)
        first = a_job(node, 41)
        service = node.start()
        wait_for(first.record / "gpus.jsonl")
        first.end()
        time.sleep(6.5)  # NVML is let go and left alone for five seconds
        started = time.monotonic()
        job = a_job(node, 42, aged_s=61, stepd_pid=host.pid)
        wait_for(job.record / "gpus.jsonl")
        reading_s = time.monotonic() - started
        rows.append(Row("from the job file to the first reading on disk, NVML opened anew", f"{reading_s:.2f} s", "≤ 1 s", reading_s <= 1, "1"))
        time.sleep(SETTLE_S)
        pids = family(service.pid)
        before, bytes_before, at = cpu_s(pids), file_bytes(job), time.monotonic()
        time.sleep(WATCHED_S)
        window = time.monotonic() - at
        share = 100 * (cpu_s(pids) - before) / window
        a_day = (file_bytes(job) - bytes_before) / GPUS * 86400 / window / 1e6
        memory = rss_mib(pids)
        what = f"{GPUS} GPUs, one job of {RANKS} ranks"
        rows += [
            Row(f"memory of service and NVML child together, {what}", f"{memory:.1f} MB RSS", "≤ 70 MB", memory <= 70, f"after {SETTLE_S + window:.0f} s"),
            Row(f"CPU at a sample every 10 s, {what}", f"{share:.2f} % of a core", "≤ 0.3 %", share <= 0.3, f"{window:.0f} s"),
            Row("files a GPU and day, at that rate", f"{a_day:.2f} MB", "≤ 1 MB", a_day <= 1, f"{window:.0f} s"),
        ]
        for number in range(JOBS - 1):
            a_job(node, 100 + number, aged_s=61)
        time.sleep(SETTLE_S + 11)
        more = (rss_mib(family(service.pid)) - memory) / (JOBS - 1)
        rows.append(Row(f"memory for each further job, {JOBS} on the node", f"{more:.3f} MB", "≤ 0.5 MB", more <= 0.5, "1"))
    return [*rows, *probe_rows(), call_row()]


def probe_rows() -> list[Row]:
    """Eight real Python processes that note their own longest pause, alone and while they are looked at."""
    ranks = [subprocess.Popen([sys.executable, "-c", TICKING, "7"], stdout=subprocess.PIPE, text=True) for _ in range(RANKS)]
    time.sleep(1.0)
    begun = time.monotonic()
    stands = probe("n1", [ProbedRank(rank.pid, 0, number) for number, rank in enumerate(ranks)])
    took = time.monotonic() - begun
    probed = max(float(rank.communicate()[0]) for rank in ranks)
    ranks = [subprocess.Popen([sys.executable, "-c", TICKING, "4"], stdout=subprocess.PIPE, text=True) for _ in range(RANKS)]
    alone = max(float(rank.communicate()[0]) for rank in ranks)
    stacks = sum(1 for stand in stands if any("train" in frame for frame in stand.python_stack))
    with_spy = "py-spy" if find_py_spy() else "no py-spy"
    return [
        Row(f"a stall probe of {RANKS} ranks ({with_spy}; {stacks} stacks)", f"{took:.2f} s", "≤ 3 s", took <= 3 and stacks == RANKS, "1"),
        Row(
            f"longest pause of any of {RANKS} ranks that tick every ms, while they are probed (alone: {1000 * alone:.0f} ms)",
            f"{1000 * probed:.0f} ms", "≤ 50 ms", probed <= 0.05, "1",
        ),
    ]  # fmt: skip


def _end(host: subprocess.Popen[str], ranks: list[int]) -> None:
    host.kill()
    host.wait()
    for pid in ranks:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, 9)


def main() -> int:
    """Measure and write; ``--dry-run`` prints only."""
    if os.geteuid() != 0:
        print("make bench-node needs root: the service reads root's records", file=sys.stderr)
        return 2
    begun = os.getloadavg()[0]
    rows = measure()
    text = page.section(COMMAND, rows, (begun, os.getloadavg()[0]), "the project's own NVML over a text file: no GPU was at hand")
    print(text)
    if "--dry-run" not in sys.argv:
        page.put(COMMAND, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

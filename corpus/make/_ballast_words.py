"""What libraries and launchers say when ranks end: PyTorch's watchdog by version, torchrun's summary, srun, slurmstepd."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.make._ballast import Fleet

_GOAL = "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data."
_DOWN = "To avoid data inconsistency, we are taking the entire process down."
_DUMP = "This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run. Additionally, this can be caused by GIL deadlock or other reasons such as network errors or bugs in the communications library (e.g. NCCL), etc. "


def watchdog(f: Fleet, rank: int, at: float, version: str, work: tuple[int, str, int, int], seconds: int, *, ahead: int = 1, group: str = "0(default_pg)") -> str:  # noqa: PLR0917
    """A rank's collective ran too long: ``work`` is its number, kind, elements in and out; the words are those of PyTorch ``version``."""
    seq, kind, into, out = work
    text = f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={kind}, NumelIn={into}, NumelOut={out}, Timeout(ms)={seconds * 1000}) ran for {seconds * 1000 + 11 + rank * 7 % 90} milliseconds before timing out."
    stamp = f.clock(at, "%m%d %H:%M:%S") + f".{118_220_303 + rank * 1_000_077:09d}"
    if version in ("2.1", "2.2"):
        p = "[E ProcessGroupNCCL.cpp:"
        return f"{p}475] [Rank {rank}] {text}\n{p}489] {_GOAL}\n{p}495] {_DOWN}\n{p}916] [Rank {rank}] NCCL watchdog thread terminated with exception: [Rank {rank}] {text}\nterminate called after throwing an instance of 'std::runtime_error'\n  what():  [Rank {rank}] NCCL watchdog thread terminated with exception: [Rank {rank}] {text}"
    if version == "2.3":
        p = f"[rank{rank}]:[E ProcessGroupNCCL.cpp:"
        return f"{p}563] [Rank {rank}] {text}\n{p}1537] [PG 0 Rank {rank}] Timeout at NCCL work: {seq}, last enqueued NCCL work: {seq + ahead}, last completed NCCL work: {seq - 1}.\n{p}577] [Rank {rank}] {_GOAL}\n{p}583] [Rank {rank}] {_DOWN}\n{p}1414] [PG 0 Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] {text}"
    p = f"[rank{rank}]:[E{stamp} ProcessGroupNCCL.cpp:"
    gid = f"[PG ID {group.split('(', maxsplit=1)[0]} PG GUID {group} Rank {rank}]"
    if version == "2.5":
        return f"{p}616] [Rank {rank}] {text}\n{p}1785] {gid} Exception (either an error or timeout) detected by watchdog at work: {seq}, last enqueued NCCL work: {seq + ahead}, last completed NCCL work: {seq - 1}.\n{p}1834] {gid} Timeout at NCCL work: {seq}, last enqueued NCCL work: {seq + ahead}, last completed NCCL work: {seq - 1}.\n{p}630] [Rank {rank}] {_GOAL}\n{p}636] [Rank {rank}] {_DOWN}\n{p}1595] {gid} Process group watchdog thread terminated with exception: [Rank {rank}] {text}"
    a, b, c = ("629", "2168", "681") if version == "2.6" else ("683", "2241", "730")
    trace = "TORCH_NCCL_TRACE_BUFFER_SIZE" if version in ("2.6", "2.7") else "TORCH_FR_BUFFER_SIZE"
    return f"{p}{a}] [Rank {rank}] {text}\n{p}{b}] {gid}  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + ahead}, last completed work: {seq - 1}\n{p}667] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting {trace} to a non-zero value.\n{p}{c}] [Rank {rank}] {_GOAL}\n{p}695] [Rank {rank}] {_DOWN}"


def dump_signal(f: Fleet, rank: int, at: float, seq: int, ahead: int, *, by: str = "this local rank") -> str:
    """The monitor thread of PyTorch 2.6 and later, before the process goes down."""
    return f"[rank{rank}]:[E{f.clock(at, '%m%d %H:%M:%S')}.{604_118_022 + rank:09d} ProcessGroupNCCL.cpp:1682] [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Received a dump signal due to a collective timeout from {by} and we will try our best to dump the debug info. Last enqueued NCCL work: {seq + ahead}, last completed NCCL work: {seq - 1}.{_DUMP}"


def elastic(f: Fleet, node: int, at: float, failed: list[tuple[int, int, float]], *, binary: str = "/opt/conda/bin/python3.11", version: str = "2.6") -> None:
    """The words of torchrun on a node when ranks of it have failed: (rank, exit status, time)."""
    first = min(failed, key=lambda x: x[2])
    line = {"2.1": 862, "2.3": 881, "2.5": 869}.get(version, 874)
    head = f"E{f.clock(at, '%m%d %H:%M:%S')}.{404_000 + node:06d} {1_210_311 + node} torch/distributed/elastic/multiprocessing/api.py:{line}]" if version not in ("2.1", "2.2") else f"[{f.clock(at)},118] torch.distributed.elastic.multiprocessing.api: [ERROR]"
    rows = [f"{head} failed (exitcode: {first[1]}) local_rank: {first[0] % f.per} (pid: {f.pid(first[0])}) of binary: {binary}", "Traceback (most recent call last):", f'  File "{binary.rsplit("/", 1)[0]}/torchrun", line 8, in <module>', "    sys.exit(main())"]
    rows += [
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60, f"{f.script} FAILED", "-" * 60, "Failures:",
    ]  # fmt: skip
    others = [x for x in failed if x is not first]

    def told(k: int, x: tuple[int, int, float]) -> list[str]:
        what = f"Signal {-x[1]} ({ {6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV', 7: 'SIGBUS', 15: 'SIGTERM'}[-x[1]]}) received by PID {f.pid(x[0])}" if x[1] < 0 else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        return [f"[{k}]:", f"  time      : {f.clock(x[2], '%Y-%m-%d_%H:%M:%S')}", f"  host      : {f.home(x[0])}", f"  rank      : {x[0]} (local_rank: {x[0] % f.per})", f"  exitcode  : {x[1]} (pid: {f.pid(x[0])})", "  error_file: <N/A>", f"  traceback : {what}"]

    for k, x in enumerate(others, 1):
        rows += told(k, x)
    rows += ["  <NO_OTHER_FAILURES>"] if not others else []
    rows += ["-" * 60, "Root Cause (first observed failure):", *told(0, first), "=" * 60]
    f.launcher[node].append((at, "\n".join(rows)))


def sigterms(f: Fleet, node: int, at: float, ranks: Iterable[int], version: str = "2.6") -> None:
    """The agent sends SIGTERM to those that still run."""
    for r in ranks:
        f.launcher[node].append((at, f"W{f.clock(at, '%m%d %H:%M:%S')}.{339_000 + r:06d} {1_210_311 + node} torch/distributed/elastic/multiprocessing/api.py:{ {'2.5': 897}.get(version, 900)}] Sending process {f.pid(r)} closing signal SIGTERM"))


def taken_down(f: Fleet, at: float, why: str) -> None:
    """The words of slurmstepd when Slurm ends a job: in the script's log and in the first rank's."""
    day = f.clock(at, "%Y-%m-%dT%H:%M:%S")
    tail = f" {why}" if why else ""
    f.script_words.append((at, f"slurmstepd: error: *** JOB {f.job_id} ON {f.nodes[0]} CANCELLED AT {day}{tail} ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish."))
    words = f.launcher[0] if f.agents else f.words[0]
    words.append((at + 0.02, f"slurmstepd: error: *** STEP {f.job_id}.0 ON {f.nodes[0]} CANCELLED AT {day}{tail} ***"))


def srun_says(f: Fleet, at: float, *lines: str) -> None:
    """What srun prints into the script's log."""
    f.script_words += [(at + k * 0.05, f"srun: {line}") for k, line in enumerate(lines)]


def frames(*rows: tuple[str, int, str, str], error: str) -> str:
    """A traceback."""
    out = ["Traceback (most recent call last):"]
    for file, line, name, code in rows:
        out += [f'  File "{file}", line {line}, in {name}', f"    {code}"]
    return "\n".join([*out, error])

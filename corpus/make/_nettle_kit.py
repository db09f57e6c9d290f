"""For two recipes by hand: PyTorch's, torchrun's and Slurm's words as large jobs get them, and readings with pauses."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.make._ballast import IDLE, Fleet, Load, Spans

SIGNALS = {6: "SIGABRT", 7: "SIGBUS", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}


def trace(error: str, *rows: tuple[str, int, str, str]) -> str:
    """A traceback that ends in ``error``."""
    out = ["Traceback (most recent call last):"]
    for path, line, where, code in rows:
        out.append(f'  File "{path}", line {line}, in {where}\n    {code}')
    return "\n".join([*out, error])


def torchrun(f: Fleet, node: int, at: float, failed: Sequence[tuple[int, int, float]], env: str = "/opt/conda/envs/llm", line: int = 863) -> None:  # noqa: PLR0917
    """What torchrun's agent of a node prints when workers of it failed: (rank, exit status, time)."""
    first = min(failed, key=lambda x: x[2])
    head = f"E{f.clock(at, '%m%d %H:%M:%S')}.{217_000 + 31 * node:06d} {f.job_id % 9000 + 22_000} torch/distributed/elastic/multiprocessing/api.py:{line}]"
    out = [
        f"{head} failed (exitcode: {first[1]}) local_rank: {first[0] % f.per} (pid: {f.pid(first[0])}) of binary: {env}/bin/python3.11",
        "Traceback (most recent call last):",
        f'  File "{env}/bin/torchrun", line 8, in <module>\n    sys.exit(main())',
        f'  File "{env}/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper\n    return f(*args, **kwargs)',
        f'  File "{env}/lib/python3.11/site-packages/torch/distributed/run.py", line 919, in main\n    run(args)',
        f'  File "{env}/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent\n    raise ChildFailedError(',
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{f.script} FAILED",
        "-" * 60,
        "Failures:",
    ]
    rest = [x for x in failed if x is not first]
    for k, x in enumerate(rest, 1):
        out += _entry(f, k, x)
    if not rest:
        out.append("  <NO_OTHER_FAILURES>")
    out += ["-" * 60, "Root Cause (first observed failure):", *_entry(f, 0, first), "=" * 60]
    f.launcher[node].append((at, "\n".join(out)))


def _entry(f: Fleet, k: int, failed: tuple[int, int, float]) -> list[str]:
    rank, code, at = failed
    said = (
        f"Signal {-code} ({SIGNALS[-code]}) received by PID {f.pid(rank)}"
        if code < 0
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    return [
        f"[{k}]:",
        f"  time      : {f.clock(at, '%Y-%m-%d_%H:%M:%S')}",
        f"  host      : {f.home(rank)}.cluster.local",
        f"  rank      : {rank} (local_rank: {rank % f.per})",
        f"  exitcode  : {code} (pid: {f.pid(rank)})",
        "  error_file: <N/A>",
        f"  traceback : {said}",
    ]


def closing(f: Fleet, node: int, at: float, ranks: Iterable[int], line: int = 897) -> None:
    """The agent ends those of its workers that still run."""
    stamp = f.clock(at, "%m%d %H:%M:%S")
    f.launcher[node].append(
        (
            at,
            "\n".join(
                f"W{stamp}.{640_000 + r:06d} {f.job_id % 9000 + 22_000} torch/distributed/elastic/multiprocessing/api.py:{line}] Sending process {f.pid(r)} closing signal SIGTERM"
                for r in ranks
            ),
        )
    )


def expired(f: Fleet, rank: int, at: float, work: tuple[int, str, int, int], seconds: int, ahead: int = 3) -> str:  # noqa: PLR0917
    """The watchdog of PyTorch 2.4: a collective (number, kind, elements in and out) has run for more than ``seconds``."""
    seq, kind, into, out = work
    head = f"[rank{rank}]:[E{f.clock(at, '%m%d %H:%M:%S')}.{(733_410_211 + rank * 7_919_113) % 10**9:09d} ProcessGroupNCCL.cpp:"
    said = f"[Rank {rank}] Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={kind}, NumelIn={into}, NumelOut={out}, Timeout(ms)={seconds * 1000}) ran for {seconds * 1000 + 3 + 13 * rank % 89} milliseconds before timing out."
    who = f"[PG 0 (default_pg) Rank {rank}]"
    status = f"{seq}, last enqueued NCCL work: {seq + ahead}, last completed NCCL work: {seq - 1}."
    rows = [
        f"{head}607] {said}",
        f"{head}1664] {who} Exception (either an error or timeout) detected by watchdog at work: {status}",
        f"{head}1709] {who} Timeout at NCCL work: {status}",
        f"{head}621] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{head}627] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        f"{head}1515] {who} Process group watchdog thread terminated with exception: {said}",
        "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:609 (most recent call first):",
        "frame #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >) + 0x96 (0x7f1c0a4b9f86 in /opt/conda/envs/llm/lib/python3.11/site-packages/torch/lib/libc10.so)",
        "frame #1: c10d::ProcessGroupNCCL::WorkNCCL::checkTimeout(std::optional<std::chrono::duration<long, std::ratio<1l, 1000l> > >) + 0x1d2 (0x7f1c0b7c48d2 in /opt/conda/envs/llm/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so)",
        "frame #2: c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x7f1c0b7cb313 in /opt/conda/envs/llm/lib/python3.11/site-packages/torch/lib/libtorch_cuda.so)",
        "",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  {who} Process group watchdog thread terminated with exception: {said}",
    ]
    return "\n".join(rows)


def slurm_ends(f: Fleet, at: float, why: str = "") -> None:
    """Slurm takes the job down: its words for the script and for the step."""
    day, tail = f.clock(at, "%Y-%m-%dT%H:%M:%S"), f" {why}" if why else ""
    f.script_words.append(
        (
            at,
            f"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nslurmstepd: error: *** JOB {f.job_id} ON {f.nodes[0]} CANCELLED AT {day}{tail} ***",
        )
    )
    (f.launcher[0] if f.agents else f.words[0]).append(
        (at + 0.03, f"slurmstepd: error: *** STEP {f.job_id}.0 ON {f.nodes[0]} CANCELLED AT {day}{tail} ***")
    )


def srun(f: Fleet, at: float, *lines: str) -> None:
    """Lines of srun in the script's output."""
    f.script_words.append((at, "\n".join(f"srun: {line}" for line in lines)))


def busy(start: float, load: Load, *, held: float, end: float, every: float = 0, rest: float = 0, low: Load | None = None) -> Spans:
    """Idle, then a context with part of the memory, then ``load``; a pause of ``rest`` seconds ``every`` so many (saves, evaluations)."""
    spans: Spans = [
        (0, IDLE),
        (max(6.0, start * 0.3), Load(0, 0, 0.14, 0.01, 0, 0.3)),
        (max(8.0, start * 0.6), Load(9, 3, 0.2, held * 0.5, 30)),
        (start, load),
    ]
    at = start + every
    while every and at + rest < end:
        spans += [(at, low or Load(6, 2, 0.22, load.held, 30)), (at + rest, load)]
        at += every
    return spans


def nodes(prefix: str, first: int, count: int, width: int = 3) -> tuple[str, ...]:
    """Names of nodes in a row."""
    return tuple(f"{prefix}{first + k:0{width}d}" for k in range(count))

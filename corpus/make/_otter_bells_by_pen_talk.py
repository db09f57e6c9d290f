"""What others say about a job's ranks: Python's tracebacks, torchrun, srun, slurmstepd, the process group's watchdog, DeepSpeed's launcher."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from corpus.make._otter_bells_by_pen_yard import Rig

NAMES = {4: "SIGILL", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 15: "SIGTERM"}
Frame = tuple[str, int, str, str]


def trace(*rows: Frame, ends: str) -> str:
    """A traceback: (file, line, function, source)."""
    said = ["Traceback (most recent call last):"]
    for file, line, function, source in rows:
        said += [f'  File "{file}", line {line}, in {function}', f"    {source}"]
    return "\n".join([*said, ends])


def tag(rank: int) -> str:
    """How PyTorch's newer releases mark a rank's traceback."""
    return f"[rank{rank}]: "


def runs(numbers: Iterable[int]) -> str:
    """``0-3,7``: as Slurm folds numbers."""
    found: list[list[int]] = []
    for n in sorted(numbers):
        if found and found[-1][1] == n - 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def srun_ends(rig: Rig, at: float, first: Sequence[int], how: str, others: str = "") -> None:
    """What srun says: the tasks that failed, then, where it ends the step, those it killed (``others``: how they ended)."""
    rows = list[str]()
    for n, node in enumerate(rig.nodes):
        mine = [r for r in first if r in rig.on(n)]
        if mine:
            rows.append(f"srun: error: {node}: task{'s' if len(mine) > 1 else ''} {runs(mine)}: {how}")
    if others:
        rows.append(f"srun: Terminating StepId={rig.job_id}.0")
        rows.append(f"slurmstepd: error: *** STEP {rig.job_id}.0 ON {rig.nodes[0]} CANCELLED AT {rig.slurm_clock(at + 0.4)} ***")
        for n, node in enumerate(rig.nodes):
            rest = [r for r in rig.on(n) if r not in first]
            if rest:
                rows.append(f"srun: error: {node}: task{'s' if len(rest) > 1 else ''} {runs(rest)}: {others}")
    for k, row in enumerate(rows):
        rig.script_says(at + 0.3 * k, row)


def slurm_ends(rig: Rig, at: float, why: str = "", *, step_only: bool = False) -> None:
    """Slurm takes the job down; ``why`` is such as ``DUE TO TIME LIMIT``."""
    tail = f" {why}" if why else ""
    what = f"STEP {rig.job_id}.0" if step_only else f"JOB {rig.job_id}"
    rig.script_says(at, f"slurmstepd: error: *** {what} ON {rig.nodes[0]} CANCELLED AT {rig.slurm_clock(at)}{tail} ***")
    rig.script_says(at + 0.1, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    row = f"slurmstepd: error: *** STEP {rig.job_id}.0 ON {rig.nodes[0]} CANCELLED AT {rig.slurm_clock(at)}{tail} ***"
    if rig.launcher:
        rig.agent_says(0, at + 0.02, row)
    else:
        rig.say(0, at + 0.02, row, err=True)


def closing(rig: Rig, node: int, at: float, ranks: Iterable[int], *, module: str = "elastic/multiprocessing/api.py:900]") -> None:
    """The launcher of a node sends SIGTERM to the ranks that are left."""
    for k, r in enumerate(ranks):
        rig.agent_says(
            node,
            at + 0.001 * k,
            f"W{rig.clock(at, '%m%d %H:%M:%S')}.{218_000 + 431 * k:06d} {2_704_061 + node} torch/distributed/{module} Sending process {rig.pid(r)} closing signal SIGTERM",
        )


def torchrun_ends(
    rig: Rig, node: int, at: float, fallen: Sequence[tuple[int, int, float]], *, binary: str = "/usr/bin/python3", line: int = 874
) -> None:
    """The summary of a node's launcher; ``fallen``: (rank, exit status, when)."""
    rows = sorted(fallen, key=lambda x: x[2])
    r0, c0, _ = rows[0]
    me = f"E{rig.clock(at, '%m%d %H:%M:%S')}.{511_004 + node:06d} {2_704_061 + node} torch/distributed/elastic/multiprocessing/api.py:{line}]"

    def part(number: int, row: tuple[int, int, float]) -> list[str]:
        r, code, when = row
        told = (
            f"Signal {-code} ({NAMES[-code]}) received by PID {rig.pid(r)}"
            if code < 0
            else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        )
        return [
            f"[{number}]:",
            f"  time      : {rig.clock(when, '%Y-%m-%d_%H:%M:%S')}",
            f"  host      : {rig.host(r)}",
            f"  rank      : {r} (local_rank: {r % rig.per})",
            f"  exitcode  : {code} (pid: {rig.pid(r)})",
            "  error_file: <N/A>",
            f"  traceback : {told}",
        ]

    text = [f"{me} failed (exitcode: {c0}) local_rank: {r0 % rig.per} (pid: {rig.pid(r0)}) of binary: {binary}", "Traceback (most recent call last):"]
    text += [
        f'  File "{binary.rsplit("/", 1)[0]}/torchrun", line 10, in <module>',
        "    sys.exit(main())",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
        "=" * 60,
        f"{rig.script} FAILED",
        "-" * 60,
        "Failures:",
    ]
    for k, row in enumerate(rows[1:], 1):
        text += part(k, row)
    if len(rows) == 1:
        text.append("  <NO_OTHER_FAILURES>")
    text += ["-" * 60, "Root Cause (first observed failure):", *part(0, rows[0]), "=" * 60]
    rig.agent_says(node, at, "\n".join(text))


def waited_too_long(  # noqa: PLR0917
    rig: Rig, rank: int, at: float, seq: int, kind: str, sizes: tuple[int, int], minutes: int, *, last: int, group: str = "0 (default_pg)"
) -> str:
    """PyTorch's watchdog (2.6 and later) on a collective that did not end."""
    number, name = group.split(" ", 1)
    me = f"[rank{rank}]:[E{rig.clock(at, '%m%d %H:%M:%S')}.{rank * 7_919_003 % 10**9:09d} ProcessGroupNCCL.cpp:"
    ms = minutes * 60_000
    work = f"Watchdog caught collective operation timeout: WorkNCCL(SeqNum={seq}, OpType={kind}, NumelIn={sizes[0]}, NumelOut={sizes[1]}, Timeout(ms)={ms}) ran for {ms + 20 + rank * 11 % 77} milliseconds before timing out."
    return "\n".join((
        f"{me}632] [Rank {rank}] {work}",
        f"{me}2271] [PG ID {number} PG GUID {number}{name} Rank {rank}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {last}, last completed work: {seq - 1}",
        f"{me}684] [Rank {rank}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.",
        f"{me}698] [Rank {rank}] To avoid data inconsistency, we are taking the entire process down.",
        f"{me}1897] [PG ID {number} PG GUID {number}{name} Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] {work}",
        "terminate called after throwing an instance of 'c10::DistBackendError'",
        f"  what():  [PG ID {number} PG GUID {number}{name} Rank {rank}] Process group watchdog thread terminated with exception: [Rank {rank}] {work}",
    ))  # fmt: skip


def deepspeed_ends(rig: Rig, node: int, at: float, rank: int, code: int) -> None:
    """DeepSpeed's launcher on a node whose rank ended with ``code``."""
    stamp = f"[{rig.clock(at)},{317 + node}]"
    for r in rig.on(node):
        rig.agent_says(node, at + 0.01 * (r % rig.per), f"{stamp} [INFO] [launch.py:319:sigkill_handler] Killing subprocess {rig.pid(r)}")
    rig.agent_says(
        node,
        at + 0.5,
        f"{stamp} [ERROR] [launch.py:325:sigkill_handler] ['{rig.python}', '-u', '{rig.script}', '--local_rank={rank % rig.per}', '--deepspeed', 'ds_config.json'] exits with return code = {code}",
    )


def nccl(rig: Rig, rank: int, thread: int, text: str) -> str:
    """A line of NCCL's own."""
    return f"{rig.host(rank)}:{rig.pid(rank)}:{rig.pid(rank) + thread} [{rank % rig.per}] NCCL {text}"

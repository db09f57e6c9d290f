"""Words of libraries, launchers and Slurm, as the versions in the field print them."""

from __future__ import annotations

from corpus.make._saddlery import Stint

SITES = (
    "/home/alice/miniforge3/envs/{env}/lib/python3.11/site-packages",
    "/opt/venvs/{env}/lib/python3.12/site-packages",
    "/usr/local/lib/python3.12/dist-packages",
    "/scratch/alice/{env}/.venv/lib/python3.10/site-packages",
)
ADVICE = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"
NOBODY = "pid='<unknown>', name=<unknown>"


def trace(error: str, *frames: str, site: int = 0, env: str = "train", mark: str = "") -> str:
    """A traceback; a frame is ``file|line|function|source``, ``*`` stands for the site's packages."""
    rows = ["Traceback (most recent call last):"]
    for frame in frames:
        file, line, function, source = frame.split("|", 3)
        rows += [f'  File "{file.replace("*", SITES[site].format(env=env))}", line {line}, in {function}', *([f"    {source}"] if source else [])]
    return "\n".join(mark + row for row in [*rows, *error.split("\n")])


def cuda(what: str, name: str = "") -> str:
    """A CUDA error: of torch 2.8 and later where ``name`` is its symbol, else of earlier ones."""
    if not name:
        return f"RuntimeError: CUDA error: {what}\n{ADVICE}"
    look = f"Search for `{name}' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\n"
    return f"torch.AcceleratorError: CUDA error: {what}\n{look}{ADVICE}"


def torch_oom(asked: str, total: str, free: str, used: str, torch: str, spare: str, gpu: int = 0, *, old: bool = False, hip: bool = False) -> str:  # noqa: PLR0917
    """PyTorch's words for no memory on the card: 2.1 to 2.3 (``old``), or later."""
    kind = "torch.cuda.OutOfMemoryError" if old else "torch.OutOfMemoryError"
    tail = "If reserved but unallocated memory is large try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF" if old else f"If reserved but unallocated memory is large try setting PYTORCH_{'HIP' if hip else 'CUDA'}_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    return f"{kind}: {'HIP' if hip else 'CUDA'} out of memory. Tried to allocate {asked}. GPU {gpu} has a total {'capacty' if old else 'capacity'} of {total} of which {free} is free. Including non-PyTorch memory, this process has {used} memory in use. Of the allocated memory {torch} is allocated by PyTorch, and {spare} is reserved by PyTorch but unallocated. {tail}"


def ends_step(s: Stint, why: str = "", after: float = 0.2) -> Stint:
    """Words of slurmstepd on the step's end, in rank 0's log. ``why``: such as `` DUE TO TIME LIMIT``."""
    return s.say(f"slurmstepd: error: *** STEP {s.hand.job_id}.0 ON {s.hand.nodes[0]} CANCELLED AT <t:%Y-%m-%dT%H:%M:%S>{why} ***", after, 0)


def ends_job(s: Stint, why: str = "", after: float = 0.2) -> Stint:
    """The same of the whole job, in the batch script's."""
    text = f"slurmstepd: error: *** JOB {s.hand.job_id} ON {s.hand.nodes[0]} CANCELLED AT <t:%Y-%m-%dT%H:%M:%S>{why} ***"
    return s.say(text, after, 0) if s.via == "batch" else s.sh(text, after)


def spans(numbers: list[int]) -> str:
    """As Slurm lists tasks: 0-2,4."""
    parts: list[list[int]] = []
    for n in numbers:
        if parts and n == parts[-1][1] + 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ("tasks " if len(numbers) > 1 else "task ") + ",".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def srun_saw(s: Stint, r: int, how: str = "Exited with exit code 1", *, pulled: bool = True) -> Stint:
    """Lines of srun's: of a task that ended, and of the others where ``--kill-on-bad-exit`` took them down; else all ended so."""
    if not pulled and s.via == "srun":
        for n, node in enumerate(s.hand.nodes):
            s.sh(f"srun: error: {node}: {spans(list(s.on(n)))}: {how}", 0.3)
        return s
    task = r if s.via != "torchrun" else r // s.per
    s.sh(f"srun: error: {s.host(r)}: task {task}: {how}", 0.3)
    if not pulled:
        return s
    s.sh(f"srun: Terminating StepId={s.hand.job_id}.0", 0.1)
    ends_step(s, after=0.1)
    for n, node in enumerate(s.hand.nodes):
        tasks = [q for q in s.on(n) if q != r] if s.via != "torchrun" else [n] if n != task else []
        if tasks:
            s.sh(f"srun: error: {node}: {spans(tasks)}: Terminated", 0.2)
    return s


def limit(s: Stint) -> float:
    """The time limit struck: Slurm's lines; the second at which."""
    s.t = s.hand.limit_s + s.dice.uniform(4, 27)
    if s.via == "batch":
        ends_job(s, " DUE TO TIME LIMIT", 0)
    else:
        ends_step(s, " DUE TO TIME LIMIT", 0)
        s.sh("srun: Job step aborted: Waiting up to 32 seconds for job step to finish.", 0.1)
        ends_job(s, " DUE TO TIME LIMIT", 0)
    return s.t


def torchrun_banner(s: Stint) -> Stint:
    """What torchrun says at first, on every node."""
    star = "*" * 41
    mark = "W<t:%m%d %H:%M:%S.%f> 40000 torch/distributed/run.py:792] "
    return s.say(f"{mark}\n{mark}{star}\n{mark}Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. \n{mark}{star}", 1.1, [n * s.per for n in range(s.nodes)], 0.4)


def torchrun_tail(s: Stint, r: int, code: int, script: str, *, more: tuple[int, ...] = ()) -> Stint:
    """What torchrun says of a rank that ended badly, and of the others of its node."""
    head = f"W<t:%m%d %H:%M:%S.%f> {40_000 + r // s.per} torch/distributed/elastic/multiprocessing/api.py:897] Sending process "
    others = [q for q in s.on(r // s.per) if q != r and q not in more]
    if others:
        s.say("\n".join(f"{head}{s.pid(q)} closing signal SIGTERM" for q in others), 0.4, r)
    note = f"Signal {-code} ({ {9: 'SIGKILL', 11: 'SIGSEGV', 6: 'SIGABRT', 7: 'SIGBUS'}.get(-code, '')}) received by PID {s.pid(r)}" if code < 0 else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"

    def block(number: int, q: int) -> str:
        return f"[{number}]:\n  time      : <t:%Y-%m-%d_%H:%M:%S>\n  host      : {s.host(q)}\n  rank      : {q} (local_rank: {q % s.per})\n  exitcode  : {code} (pid: {s.pid(q)})\n  error_file: <N/A>\n  traceback : {note.replace(str(s.pid(r)), str(s.pid(q)))}"

    rest = "\n".join(block(k, q) for k, q in enumerate(more, 1)) or "  <NO_OTHER_FAILURES>"
    site = SITES[1].format(env="train")
    s.say(
        f"E<t:%m%d %H:%M:%S.%f> {40_000 + r // s.per} torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: {code}) local_rank: {r % s.per} (pid: {s.pid(r)}) of binary: /opt/venvs/train/bin/python3.12\n"
        + trace(f"torch.distributed.elastic.multiprocessing.errors.ChildFailedError: \n{'=' * 60}\n{script} FAILED\n{'-' * 60}\nFailures:\n{rest}\n{'-' * 60}\nRoot Cause (first observed failure):\n{block(0, r)}\n{'=' * 60}",
                "/opt/venvs/train/bin/torchrun|10|<module>|sys.exit(main())", f"{site}/torch/distributed/elastic/multiprocessing/errors/__init__.py|355|wrapper|return f(*args, **kwargs)", f"{site}/torch/distributed/run.py|918|main|run(args)", f"{site}/torch/distributed/launcher/api.py|138|__call__|return launch_agent(self._config, self._entrypoint, list(args))", f"{site}/torch/distributed/launcher/api.py|269|launch_agent|raise ChildFailedError("),
        1.2, r)  # fmt: skip
    return s


def watchdog(r: int, seq: int, op: str, size: int, waited_ms: int, *, pg: str = "0(default_pg)", limit_ms: int = 600_000, behind: int = 0) -> str:
    """The NCCL watchdog of torch 2.6 and later, on a rank that waited."""
    mark = f"[rank{r}]:[E<t:%m%d %H:%M:%S.%f> ProcessGroupNCCL.cpp:"
    work = f"WorkNCCL(SeqNum={seq}, OpType={op}, NumelIn={size}, NumelOut={size}, Timeout(ms)={limit_ms})"
    return (
        f"{mark}629] [Rank {r}] Watchdog caught collective operation timeout: {work} ran for {waited_ms} milliseconds before timing out.\n"
        f"{mark}2168] [PG ID 0 PG GUID {pg} Rank {r}]  failure detected by watchdog at work sequence id: {seq} PG status: last enqueued work: {seq + behind}, last completed work: {seq - 1}\n"
        f"{mark}667] Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.\n"
        f"{mark}681] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n"
        f"{mark}695] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.\n"
        f"{mark}1895] [PG ID 0 PG GUID {pg} Rank {r}] Process group watchdog thread terminated with exception: [Rank {r}] Watchdog caught collective operation timeout: {work} ran for {waited_ms} milliseconds before timing out."
    )

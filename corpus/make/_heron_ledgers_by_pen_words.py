"""What launchers, srun and slurmstepd say when ranks end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from corpus.make._heron_ledgers_by_pen_kit import Yard


def agent_words(
    y: Yard, node: int, at: float, failed: Mapping[int, tuple[float, int]], *, site: str, pack: str = "2.6", word: str = "train.py"
) -> None:
    """Torchrun on a node after ranks of it failed: ``failed`` are time and exit code (a signal: minus its number) by rank."""
    order = sorted(failed, key=lambda r: failed[r][0])
    lead = y.ranks_of(node)[0]
    head = f"E{y.clock(at, '%m%d %H:%M:%S')}.{(at * 7919) % 1000:03.0f}000 {2_310_001 + node} site-packages/torch/distributed/elastic/multiprocessing/api.py:{ {'2.4': 833, '2.5': 869, '2.6': 869, '2.7': 874}[pack] }]"
    first = order[0]
    rows = [
        f"{head} failed (exitcode: {failed[first][1]}) local_rank: {first % y.per} (pid: {y.pid_of(first)}) of binary: {site}/bin/python3",
        "Traceback (most recent call last):", f'  File "{site}/bin/torchrun", line 10, in <module>', "    sys.exit(main())",
        f'  File "{site}/lib/python3.11/site-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper', "    return f(*args, **kwargs)",
        f'  File "{site}/lib/python3.11/site-packages/torch/distributed/launcher/api.py", line 269, in launch_agent', "    raise ChildFailedError(",
        "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ", "=" * 60, f"{word} FAILED", "-" * 60, "Failures:",
    ]  # fmt: skip

    def one(k: int, r: int) -> list[str]:
        t, code = failed[r]
        why = (
            f"Signal {-code} ({ {6: 'SIGABRT', 9: 'SIGKILL', 11: 'SIGSEGV'}[-code] }) received by PID {y.pid_of(r)}"
            if code < 0
            else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
        )
        return [
            f"[{k}]:",
            f"  time      : {y.clock(t, '%Y-%m-%d_%H:%M:%S')}",
            f"  host      : {y.node_of(r)}",
            f"  rank      : {r} (local_rank: {r % y.per})",
            f"  exitcode  : {code} (pid: {y.pid_of(r)})",
            "  error_file: <N/A>",
            f"  traceback : {why}",
        ]

    for k, r in enumerate(order[1:], 1):
        rows += one(k, r)
    rows += [] if order[1:] else ["  <NO_OTHER_FAILURES>"]
    y.tell(lead, at, "\n".join([*rows, "-" * 60, "Root Cause (first observed failure):", *one(0, first), "=" * 60]))


def agent_closes(y: Yard, at: float, ranks: Iterable[int]) -> None:
    """Torchrun ends the ranks of its node that still run."""
    for k, r in enumerate(ranks):
        y.tell(
            y.ranks_of(r // y.per)[0],
            at + 0.001 * k,
            f"W{y.clock(at, '%m%d %H:%M:%S')}.{512 + k:03d}000 {2_310_001 + r // y.per} site-packages/torch/distributed/elastic/multiprocessing/api.py:897] Sending process {y.pid_of(r)} closing signal SIGTERM",
        )


def srun(y: Yard, at: float, *rows: str) -> None:
    """Lines of srun in the script's log."""
    for k, row in enumerate(rows):
        y.script(at + 0.03 * k, f"srun: {row}")


def slurm_ends(y: Yard, at: float, why: str = "") -> None:
    """What slurmstepd writes when Slurm takes a job down."""
    day, tail = y.clock(at, "%Y-%m-%dT%H:%M:%S"), f" {why}" if why else ""
    y.script(
        at,
        f"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nslurmstepd: error: *** JOB {y.job_id} ON {y.nodes[0]} CANCELLED AT {day}{tail} ***",
    )
    y.tell(0, at + 0.01, f"slurmstepd: error: *** STEP {y.job_id}.0 ON {y.nodes[0]} CANCELLED AT {day}{tail} ***")

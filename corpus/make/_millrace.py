"""How the gangs of this mill race are started on Slurm: a task for each process, or torchrun on every node."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _lockhouse, _millrace_more, _millrace_torch
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

PARTS = (_millrace_torch, _millrace_more, _lockhouse)
PROGRAMS = {name: text for part in PARTS for name, text in vars(part).items() if name in part.FILES}
FILES = {name: file for part in PARTS for name, file in part.FILES.items()}
TOP = "#!/bin/bash\n{sbatch}export OMP_NUM_THREADS=1 T0=$(date +%s)\nexport MASTER_ADDR=127.0.0.1 MASTER_PORT=$((26000 + SLURM_JOB_ID * 17 % 4500))\n"
LINES = {
    "task": "srun{srun} bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=${{WORLD:-$SLURM_NTASKS}}; exec PYTHON -u {run}'",
    "bare": "srun{srun} PYTHON -u {run}",
    "run": "srun{srun} -N1 -n1 PYTHON -m torch.distributed.run --nproc-per-node={ranks} --master-port=$MASTER_PORT {run}",
    "runs": "srun{srun} -N{nodes} -n{nodes} --ntasks-per-node=1 bash -c 'exec PYTHON -m torch.distributed.run --nnodes={nodes} --nproc-per-node={per} --node-rank=$SLURM_NODEID --master-addr=127.0.0.1 --master-port=$MASTER_PORT {run}'",
}
STARTER = {"LEAFNET": "run", "CHARLM": "task", "WINDCAST": "bare", "DENOISE": "run", "KLANG": "task", "GRAPHE": "bare", "PEND": "bare", "TOWERS": "task"}
END = "rc=$?\nsleep 0.5\nexit $rc\n"
START_S = 48
"""Until then every process has its libraries."""
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}


def true(mode: str, cause: str | None = None, first: tuple[int, ...] = (), *, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = true("G1", fault="none")
HARD = GOOD.but(hard=True)


def gang(what: Label, name: str, ranks: int = 1, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, how: str = "", srun: str = "", head: str = "", tail: str = END,
         options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str | None = None, body: str = "", sbatch: str = "", **more: Any) -> SlurmJob:  # fmt: skip
    """A job of so many processes on so many nodes."""
    how = how or STARTER.get(name, "bare")
    run = f"{FILES[name]} {given}".rstrip()
    kind = "runs" if how == "run" and nodes > 1 else how
    line = body or LINES[kind].format(srun=f" {srun}" if srun else "", ranks=ranks, nodes=nodes, per=ranks // nodes, run=run) + "\n"
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    place = ELSEWHERE if where is None else where
    each = (f"--ntasks-per-node={ranks // nodes}",) if ranks % nodes == 0 else ()
    return SlurmJob(
        what, {FILES[name]: fill(PROGRAMS[name], **(code or {})), **(files or {})}, f"{TOP.format(sbatch=sbatch)}{head}{line}{tail}",
        (f"-N{nodes}", f"-n{ranks}", *each, *((place,) if place else ()), *limit, *options), "torch", **more,
    )  # fmt: skip


def carded(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each process; its readings by rank, ``others`` for who is not named. Seconds count from when all begin."""
    where = more.pop("where", "")
    begins = more.pop("start_s", START_S)
    return gang(what.but(gpu="scripted"), name, ranks, nodes, given, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=begins, idle_w=69, held_mib=520))


def at(rank: int | None, step: int | None, what: str, *, since: bool = False, each: int = 0) -> str:
    """Code of one process, at one step, from it on, or at each so many."""
    tests = [*([f"rank == {rank}"] if rank is not None else []), *([f"step % {each} == 0"] if each else []), *([f"step {'>=' if since else '=='} {step}"] if step is not None else [])]
    return (f"if {' and '.join(tests)}:\n" if tests else "if True:\n") + "\n".join(f"    {one}" if one else "" for one in what.splitlines())


def past(seconds: float, what: str, rank: int | None = None) -> str:
    """Code from so many seconds on, counted as the cards' readings are."""
    tests = [*([f"rank == {rank}"] if rank is not None else []), "step > 20", f"{CLOCK} > {seconds}"]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {one}" for one in what.splitlines())

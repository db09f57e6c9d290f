"""How these companies of ranks are started on the bed: torchrun below a task a node, a task a rank, MPI's starter, spawned processes, a shell; with or without cards beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _stalls, _stalls_json, _stalls_light
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import Readings, told_cards

FILES = {**_stalls.FILES, **_stalls_json.FILES, **_stalls_light.FILES}
PROGRAMS = {name: str(getattr(part, name)) for part in (_stalls, _stalls_json, _stalls_light) for name in part.FILES}
HEAD = "export OMP_NUM_THREADS=1 PORT=$((20000 + SLURM_JOB_ID * 19 % 11000)) T0=$(date +%s)\n"
TAIL = "status=$?\nsleep 0.5\nexit $status\n"
HOME = {"BOOST": "fastai", "PODS": "torch-29", "LIGHT": "torch-29", "PLASMA": "ranks", "SERVE": "system", "SHARDS": "system"}
"""The interpreter of each program; the others have torch."""
HOW = {"BYTES": "torchrun", "DET": "tasks", "MEGA": "tasks", "FSEQ": "tasks", "SERVE": "tasks", "PLASMA": "mpi", "SPAWN": "one", "BOOST": "tasks", "PODS": "tasks", "LIGHT": "tasks", "SHARDS": "shell"}
LINES = {
    "torchrun": "srun -N1 -n1{more} PYTHON -m torch.distributed.run --nproc-per-node {ranks} --master-port $PORT {run}",
    "torchruns": "srun -N{nodes} -n{nodes} --ntasks-per-node=1{more} bash -c 'exec PYTHON -m torch.distributed.run --nnodes {nodes} --nproc-per-node {per} --node-rank $SLURM_NODEID --master-addr 127.0.0.1 --master-port $PORT {run}'",
    "env": "srun{more} bash -c 'RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS MASTER_ADDR=127.0.0.1 MASTER_PORT=$PORT exec PYTHON -u {run}'",
    "tasks": "srun{more} PYTHON -u {run}",
    "mpi": "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n$(dirname PYTHON)/mpiexec.hydra -launcher fork{more} -n {ranks} PYTHON -u {run}",
    "one": "srun -N1 -n1{more} PYTHON -u {run}",
    "shell": "srun{more} bash {run}",
}
"""The line of the batch script that starts the ranks."""
START_S = 60
"""Until then every rank has its libraries, on a slow machine too."""
GIVEN = {"SPAWN": "{ranks}", "DET": "boxes.py"}


def seat(label: Label, name: str, ranks: int, nodes: int = 1, *, code: Mapping[str, str] | None = None, given: str = "", how: str = "", srun: str = "", head: str = "", tail: str = TAIL,
         options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str | None = None, python: str = "", text: str = "", body: str = "", **more: Any) -> SlurmJob:  # fmt: skip
    """A job of so many ranks on so many nodes. ``body`` stands for the line that starts them."""
    how = how or HOW[name]
    run = " ".join(w for w in (FILES[name], GIVEN.get(name, "").format(ranks=ranks), given) if w)
    kind = "torchruns" if how == "torchrun" and nodes > 1 else how
    start = body or LINES[kind].format(more=f" {srun}" if srun else "", ranks=ranks, nodes=nodes, per=ranks // nodes, run=run) + "\n"
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    places = _place(nodes, ranks + len(given) + len(head) + len(str(code))) if where is None else where
    each = (f"--ntasks-per-node={ranks // nodes}",) if ranks % nodes == 0 else ()
    beside = {"boxes.py": _stalls.CONFIG} if name == "DET" else {}
    pernode = f"export PER_NODE={ranks // nodes} MASTER_ADDR=127.0.0.1 MASTER_PORT=$PORT\n" if name == "LIGHT" else ""
    return SlurmJob(
        label, {FILES[name]: text or fill(PROGRAMS[name], **(code or {})), **beside, **(files or {})}, f"#!/bin/bash\n{HEAD}{pernode}{head}{start}{tail}",
        (f"-N{nodes}", f"-n{ranks}", *each, *((places,) if places else ()), *limit, *options), python or HOME.get(name, "torch"), **more,
    )  # fmt: skip


def apart(label: Label, name: str, ranks: int, nodes: int = 1, *, where: str = ELSEWHERE, **more: Any) -> SlurmJob:
    """The same, away from nodes that other jobs of the recipe lose."""
    return seat(label, name, ranks, nodes, where=where, **more)


def _place(nodes: int, number: int) -> str:
    """Slurm would put them all on the first node: a small machine's watchers there are late then."""
    first = 1 + number % 6
    return f"-wn{first}" if nodes == 1 else f"-wn{first},n{1 + first % 6}" if nodes == 2 else ""


def lit(label: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """The same with a card for each rank; its readings by rank, ``others`` for who is not named. All begin at one time: seconds count from there."""
    return seat(label.but(gpu="scripted"), name, ranks, nodes, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=74, held_mib=470))


def when(test: str, what: str) -> str:
    """Code under a condition."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def dead(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One died, and the others were not told."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))

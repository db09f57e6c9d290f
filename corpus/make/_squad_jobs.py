"""How programs of several ranks are started on the bed: torchrun on each node, a task a rank, accelerate launch, Lightning by Slurm, MPI's own starter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _squad_fed, _squads, _squads_more, _squads_unlike
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

PROGRAMS = {name: text for part in (_squads, _squads_unlike, _squads_more, _squad_fed) for name, text in vars(part).items() if name in part.FILES}
FILES = {**_squads.FILES, **_squads_unlike.FILES, **_squads_more.FILES, **_squad_fed.FILES}
HEAD = "export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false T0=$(date +%s)\nexport PORT=$((22000 + SLURM_JOB_ID * 17 % 9000))\n"
TAIL = "rc=$?\nsleep 0.5\nexit $rc\n"
RANKS = "#!/bin/bash\n# what torchrun would have set\nexport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=${WORLD:-$SLURM_NTASKS}\nexport MASTER_ADDR=${MASTER_ADDR:-127.0.0.1} MASTER_PORT=${MASTER_PORT:-$PORT}\nexec \"$@\"\n"
HOME = {"LM": "torch", "TONES": "torch", "STAGES": "torch", "MIX": "ranks", "FED": "torch", "CLICKS": "torch", "VISION": "torch"}
"""The interpreter of each program; the others have torch-29."""
HOW = {"TONES": "tasks", "STAGES": "tasks", "FED": "tasks", "CLICKS": "tasks", "POD": "tasks", "LIGHT": "light", "MIX": "mpi", "LM": "torchrun", "VISION": "torchrun", "ROLES": "env", "TUNE": "torchrun", "CLM": "torchrun"}
START_S = 60
"""Until then every rank has its libraries, on a slow machine too."""


def program(name: str, **code: str) -> str:
    """One of the programs with code at its places."""
    return fill(PROGRAMS[name], **code)


LINES = {
    "torchrun": "srun -N1 -n1{more} PYTHON -m torch.distributed.run --nproc-per-node {ranks} --master-port $PORT {run}",
    "torchruns": "srun -N{nodes} -n{nodes} --ntasks-per-node=1{more} bash -c 'exec PYTHON -m torch.distributed.run --nnodes {nodes} --nproc-per-node {per} --node-rank $SLURM_NODEID --master-addr 127.0.0.1 --master-port $PORT {run}'",
    "c10d": "srun -N{nodes} -n{nodes} --ntasks-per-node=1{more} PYTHON -m torch.distributed.run --nnodes={nodes} --nproc_per_node={per} --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=127.0.0.1:$PORT {run}",
    "env": "srun{more} bash ranks.sh PYTHON -u {run}",
    "accelerate": "srun{more} bash ranks.sh PYTHON -m accelerate.commands.launch --cpu --num_processes 1 --num_machines 1 --mixed_precision no --dynamo_backend no {run}",
    "light": "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$PORT DEVICES={per}\nsrun{more} PYTHON -u {run}",
    "mpi": "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n$(dirname PYTHON)/mpiexec.hydra -launcher fork{more} -n {ranks} PYTHON -u {run}",
    "tasks": "srun{more} PYTHON -u {run}",
}
"""The line of the batch script that starts the ranks."""


def squad(label: Label, name: str, ranks: int, nodes: int = 1, *, code: Mapping[str, str] | None = None, given: str = "", how: str = "", srun: str = "", head: str = "", tail: str = TAIL,
          options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str | None = None, python: str = "", text: str = "", script: str = "", per: bool = True, **more: Any) -> SlurmJob:  # fmt: skip
    """A job of so many ranks on so many nodes."""
    how = how or HOW[name]
    run = f"{FILES[name]} {given}".rstrip()
    kind = "torchruns" if how == "torchrun" and nodes > 1 else how
    body = script or LINES[kind].format(more=f" {srun}" if srun else "", ranks=ranks, nodes=nodes, per=ranks // nodes, run=run) + "\n"
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    places = ELSEWHERE if where is None else where
    each = (f"--ntasks-per-node={ranks // nodes}",) if per and ranks % nodes == 0 else ()
    return SlurmJob(
        label, {FILES[name]: text or program(name, **(code or {})), **({"ranks.sh": RANKS} if how in ("env", "accelerate") else {}), **(files or {})}, f"#!/bin/bash\n{HEAD}{head}{body}{tail}",
        (f"-N{nodes}", f"-n{ranks}", *each, *((places,) if places else ()), *limit, *options), python or HOME.get(name, "torch-29"), **more,
    )  # fmt: skip


def beside(label: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """The same with a card for each rank; its readings by rank, ``others`` for who is not named. All begin at one time: seconds count from there."""
    where = more.pop("where", "-xn5,n6")
    return squad(label.but(gpu="scripted"), name, ranks, nodes, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=79, held_mib=480))


def at(rank: int | None, step: int | None, what: str, *, name: str = "step", who: str = "rank", since: bool = False) -> str:
    """Code of one rank, at one step or from it on."""
    tests = [*([f"{who} == {rank}"] if rank is not None else []), *([f"{name} {'>=' if since else '=='} {step}"] if step is not None else [])]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def when(seconds: float, what: str, rank: int | None = None, *, who: str = "rank", behind: str = "") -> str:
    """Code from so many seconds behind the script's start on; ``behind`` is one more thing that must be true."""
    tests = [*([f"{who} == {rank}"] if rank is not None else []), *([behind] if behind else []), f"{CLOCK} > {seconds}"]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {one}" for one in what.splitlines())

"""How a garden's programs are started on the bed: torchrun on each node, a task of srun for each rank, hydra; with or without a card for each rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _glass_panes, _glass_shelves, _glass_sills
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill

TEXTS = {name: text for part in (_glass_panes, _glass_shelves, _glass_sills) for name, text in vars(part).items() if name.isupper()}
KINDS = {
    "PETALS": ("train_petals.py", "torch", "torchrun"),
    "SPORES": ("lm/train.py", "torch", "tasks"),
    "HEATH": ("heath.py", "torch", "one"),
    "TRELLIS": ("pretrain_trellis.py", "torch", "c10d"),
    "SEDGE": ("run_sedge.py", "torch-29", "torchrun"),
    "CITRUS": ("citrus.py", "torch-29", "tasks"),
    "ALGAE": ("algae.py", "ranks", "mpi"),
}
"""Each program's file, its interpreter, and how it is started."""
HEAD = "export OMP_NUM_THREADS=1 HF_HUB_OFFLINE=1 TOKENIZERS_PARALLELISM=false T0=$(date +%s)\nexport PORT=$((20500 + SLURM_JOB_ID * 11 % 9500))\n"
TAIL = "status=$?\nsleep 0.5\nexit $status\n"
SETS = "#!/bin/bash\n: \"${RANK:=$SLURM_PROCID}\" \"${WORLD_SIZE:=$SLURM_NTASKS}\" \"${MASTER_ADDR:=127.0.0.1}\" \"${MASTER_PORT:=$PORT}\"\nexport RANK WORLD_SIZE MASTER_ADDR MASTER_PORT LOCAL_RANK=$SLURM_LOCALID\nexec \"$@\"\n"
STARTS = {
    "torchrun": "srun -N1 -n1{more} PYTHON -m torch.distributed.run --nproc-per-node={ranks} --master-port=$PORT {extra}{run}",
    "torchruns": "srun -N{nodes} -n{nodes} --ntasks-per-node=1{more} bash -c 'PYTHON -m torch.distributed.run --nnodes={nodes} --nproc-per-node={per} --node-rank=$SLURM_NODEID --master-addr=127.0.0.1 --master-port=$PORT {extra}{run}'",
    "c10d": "srun -N{nodes} -n{nodes} --ntasks-per-node=1{more} PYTHON -m torch.distributed.run --nnodes={nodes} --nproc-per-node={per} --rdzv-id=$SLURM_JOB_ID --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$PORT {extra}{run}",
    "tasks": "srun{more} bash sets.sh PYTHON -u {run}",
    "one": "srun -N1 -n1{more} PYTHON -u {run}",
    "mpi": "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n$(dirname PYTHON)/mpiexec.hydra -launcher fork{more} -n {ranks} PYTHON -u {run}",
}
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
AGAIN = ("--requeue",)
CLOCK = "time.time() - float(os.environ['T0'])"
START_S = 50
"""Until then every rank of a job with cards has its libraries."""
RESTS = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "82000", "throttle_reasons": "0x1", "clock.sm": "345"}
Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]


def bed(label: Label, name: str, ranks: int, nodes: int = 1, *, code: Mapping[str, str] | None = None, given: str = "", how: str = "", srun: str = "", extra: str = "", head: str = "", tail: str = TAIL,
        options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str | None = None, script: str = "", python: str = "", **more: Any) -> SlurmJob:  # fmt: skip
    """A job of so many ranks on so many nodes. ``code`` stands at places of the program, ``given`` behind its name, ``extra`` before it."""
    file, home, usual = KINDS[name]
    how = how or usual
    kind = "torchruns" if how == "torchrun" and nodes > 1 else how
    tasks = 1 if how == "one" or kind == "torchrun" else nodes if kind in ("torchruns", "c10d") else ranks
    body = script or STARTS[kind].format(more=f" {srun}" if srun else "", ranks=ranks, nodes=nodes, per=ranks // nodes, run=f"{file} {given}".rstrip(), extra=f"{extra} " if extra else "")
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    place = ELSEWHERE if where is None else where
    spread = (f"--ntasks-per-node={ranks // nodes}",) if ranks % nodes == 0 else ()
    return SlurmJob(
        label, {file: fill(TEXTS[name], **(code or {})), **({"sets.sh": SETS} if kind == "tasks" else {}), **(files or {})}, f"#!/bin/bash\n{HEAD}{head}{body}\n{tail}",
        (f"-N{nodes}", f"-n{max(ranks, tasks)}", *spread, *((place,) if place else ()), *limit, *options), python or home, **more,
    )  # fmt: skip


def lit(label: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """The same with a card for each rank, whose readings are told by rank. The program's libraries are there before its clock begins; seconds count from that."""
    per = ranks // nodes
    gpus = {(r // per, r % per): _delayed(cards.get(r, others)) for r in range(ranks)}
    code = dict(more.pop("code", {}))
    warm = ["torch.optim.SGD(bare.parameters(), lr=1.0).zero_grad()"] if name == "PETALS" else []
    code["ready"] = "\n".join([*warm, f"time.sleep(max(0.0, -({CLOCK})))", *([code["ready"]] if "ready" in code else [])])
    options = (f"--gres=gpu:{per}", *more.pop("options", ()))
    head = f"export T0=$((T0 + {START_S}))\n{more.pop('head', '')}"
    return bed(label.but(gpu="scripted"), name, ranks, nodes, code=code, head=head, options=options, gpus=gpus, where=more.pop("where", "-xn5,n6"), **more)


def _delayed(readings: Readings) -> Readings:
    first, later = readings
    return {**RESTS, "memory.used": str(510 << 20)}, ((START_S - 1.0, first), *((START_S + at_s, changes) for at_s, changes in later))


def on(rank: int | None, step: int | None, what: str, *, since: bool = False) -> str:
    """Code of one rank, at one step or from it on."""
    tests = [*([f"rank == {rank}"] if rank is not None else []), *([f"step {'>=' if since else '=='} {step}"] if step is not None else [])]
    return f"if {' and '.join(tests)}:\n" + "\n".join(f"    {one}" for one in what.splitlines())

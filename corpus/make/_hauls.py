"""How the houses' programs are submitted: by srun with a task for each rank, by torchrun on each node, or beside cards whose readings are told beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make._bureaus import PROGRAMS, program
from corpus.running.crewed import task
from corpus.running.job import SlurmJob
from tests.testbed.gpu_scenarios import work

Readings = tuple[Mapping[str, str], tuple[tuple[float, Mapping[str, str]], ...]]
FAILED: dict[str, Any] = {"state": "FAILED"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
ENDLESS = 60_000
RANKED = "#!/bin/bash\n# torch wants its own names\nexport RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=${WANT:-$SLURM_NTASKS} MASTER_ADDR=127.0.0.1 MASTER_PORT=${RDV:-$PORT}\nexec \"$@\"\n"
HUSH = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "96000", "throttle_reasons": "0x1", "clock.sm": "345"}
"""A card that has nothing to do."""
SPIN = {**work(2, memory=0.4, tensor=0), "utilization.gpu": "100", "utilization.memory": "1", "power.usage": "134000"}
"""A card whose kernel waits for another's."""


def elastic(file: str, ranks: int, nodes: int = 1, options: str = "", args: str = "") -> str:
    """What srun starts: torchrun on each node."""
    if nodes == 1:
        return f"PYTHON -m torch.distributed.run --nproc-per-node={ranks} --master-port=$PORT {options} {file} {args}".rstrip()
    return f"PYTHON -m torch.distributed.run --nnodes={nodes} --nproc-per-node={ranks // nodes} --rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID --rdzv-endpoint=127.0.0.1:$PORT {options} {file} {args}".rstrip()


def haul(label: Label, name: str, ranks: int, nodes: int = 1, how: str = "srun", *, given: Mapping[str, Any] | None = None, text: str = "", file: str = "", srun: str = "", launch: str = "", args: str = "", files: Mapping[str, str] | None = None, python: str = "torch", **more: Any) -> SlurmJob:
    """A job of ``ranks`` ranks; ``given`` fills the program."""
    content = text or program(name, **(given or {}))
    file = file or PROGRAMS[name][1]
    if how == "torchrun":
        command = f"-N{nodes} -n{nodes} --ntasks-per-node=1 {elastic(file, ranks, nodes, launch, args)}"
    else:
        command = f"bash ranked.sh PYTHON -u {file} {args}".rstrip()
    return task(label, content, ranks, nodes, name=file, srun=srun, command=command, files={"ranked.sh": RANKED, **(files or {})}, python=python, **more)


def beside(label: Label, name: str, ranks: int, gpus: Mapping[tuple[int, int], Readings], nodes: int = 1, how: str = "srun", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """The same with a card for each rank."""
    per = ranks // nodes
    more["options"] = (f"--ntasks-per-node={per}", f"--gres=gpu:{per}", *more.pop("options", ()))
    return haul(label.but(gpu="scripted"), name, ranks, nodes, how, gpus=gpus, where=more.pop("where", ""), **more)


def reads(first: Mapping[str, str], *later: tuple[float, Mapping[str, str]]) -> Readings:
    """First, and from when on what else."""
    return first, later


def deck(ranks: int, nodes: int, of: Mapping[int, Readings], others: Readings) -> dict[tuple[int, int], Readings]:
    """Cards by rank; the others alike."""
    per = ranks // nodes
    return {(r // per, r % per): of.get(r, others) for r in range(ranks)}


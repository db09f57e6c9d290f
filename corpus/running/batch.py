"""Batch scripts as people write them, around a training program."""

from __future__ import annotations

from corpus.label import Label
from corpus.running.job import SlurmJob
from corpus.running.programs import Program

ELSEWHERE = "-xn3,n4,n5,n6"
"""Nodes that jobs of other recipes lose, or must share with nobody."""
ENV = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((12000 + RANDOM % 20000))\n"


def steps(ranks: int, nodes: int = 1, *, interpreter: str = "PYTHON", options: str = "") -> str:
    """``srun`` with RANK, LOCAL_RANK and WORLD_SIZE as launchers set them."""
    inner = f"RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS exec {interpreter} -u train.py"
    return f"srun -N{nodes} -n{ranks} {options} bash -c '{inner}'"


def batch(
    label: Label,
    program: Program | str,
    *,
    ranks: int = 1,
    nodes: int = 1,
    options: tuple[str, ...] = (),
    srun: str = "",
    python: str = "system",
    header: str = "",
    keep_code: bool = True,
    where: str = ELSEWHERE,
    **more: object,
) -> SlurmJob:
    """One job of ``ranks`` ranks."""
    text = program if isinstance(program, str) else program.text()
    script = f"#!/bin/bash\n{header}{ENV}{steps(ranks, nodes, options=srun)}\n" + ("code=$?; sleep 0.5; exit $code\n" if keep_code else "")
    places = (where,) if where else ()
    return SlurmJob(label, {"train.py": text}, script, (f"-N{nodes}", f"-n{ranks}", *places, *options), python, **more)  # type: ignore[arg-type]

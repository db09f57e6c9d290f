"""Batch jobs of a crew: a task for each rank, in a script as people write them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob

PORT = "export PORT=$((24000 + SLURM_JOB_ID * 13 % 7000)) T0=$(date +%s.%N)\n"
"""Each job has ports of its own; ``T0`` is when its script began."""
CLOCK = "time.time() - float(os.environ['T0'])"
KEEP = "code=$?; sleep 0.5; exit $code\n"


def task(
    label: Label,
    text: str,
    ranks: int = 1,
    nodes: int = 1,
    *,
    srun: str = "",
    head: str = "",
    tail: str = KEEP,
    options: tuple[str, ...] = (),
    name: str = "train.py",
    command: str = "",
    where: str = ELSEWHERE,
    files: Mapping[str, str] | None = None,
    python: str = "system",
    **more: Any,
) -> SlurmJob:
    """``srun`` are its options; ``command`` what it runs, the program by itself where nothing is said."""
    script = f"#!/bin/bash\n{PORT}{head}srun {srun} {command or f'PYTHON -u {name}'}\n{tail}"
    places = (where,) if where else ()
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    return SlurmJob(label, {name: text, **(files or {})}, script, (f"-N{nodes}", f"-n{ranks}", *places, *limit, *options), python, **more)


def cards(label: Label, text: str, ranks: int, gpus: Mapping[tuple[int, int], Any], nodes: int = 1, **more: Any) -> SlurmJob:
    """The same with a card for each rank, whose readings are told beforehand."""
    per = ranks // nodes
    options = (f"--ntasks-per-node={per}", f"--gres=gpu:{per}", *more.pop("options", ()))
    return task(label.but(gpu="scripted"), text, ranks, nodes, options=options, gpus=gpus, where=more.pop("where", ""), **more)

"""How the programs come to the queue: srun with a task for each rank, torchrun below one task, or the batch script alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _tansy_plain, _tansy_programs
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import Readings, told_cards

AWAY = "-xn3,n4,n5,n6"
FILES = {**_tansy_programs.FILES, **_tansy_plain.FILES}
PROGRAMS: dict[str, str] = {name: getattr(part, name) for part in (_tansy_programs, _tansy_plain) for name in part.FILES}
HEADS = (
    "export T0=$(date +%s) MASTER_ADDR=127.0.0.1 MASTER_PORT=$((23000 + SLURM_JOB_ID * 37 % 6000))\n",
    "set -u\nexport MASTER_ADDR=127.0.0.1\nexport MASTER_PORT=$((23000 + SLURM_JOB_ID * 37 % 6000))\nexport T0=$(date +%s)\necho \"== $SLURM_JOB_NAME $SLURM_JOB_ID: $SLURM_NTASKS x $SLURM_JOB_NODELIST, $(date -R)\"\n",
    "export MASTER_PORT=$((23000 + SLURM_JOB_ID * 37 % 6000)); export MASTER_ADDR=127.0.0.1\nexport T0=$(date +%s)\necho \"cluster job $SLURM_JOB_ID in $PWD\" >&2\n",
)
END = "status=$?\nsleep 0.7\nexit $status\n"
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=7",)}


def true(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = true("G1", fault="none")
HARD = GOOD.but(hard=True)


def job(what: Label, name: str, ranks: int = 1, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = END, line: str = "",
        options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = AWAY, hand: int = 0, **more: Any) -> SlurmJob:  # fmt: skip
    """``line`` stands for the line with srun, RUN in it for what that runs."""
    file = FILES[name]
    start = {"py": "PYTHON -u FILE", "sh": "bash FILE", "pl": "perl FILE"}[file.rpartition(".")[2]]
    tasks = 1 if name == "SONAR" else ranks
    if name == "SONAR":
        start = f"PYTHON -m torch.distributed.run --nproc_per_node={ranks} --master_port=$MASTER_PORT FILE"
    run = f"{start} {given}".rstrip()
    body = (line or "srun OPTIONSRUN").replace("OPTIONS", f"{srun} " if srun else "").replace("RUN", run).replace("FILE", file)
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time=") for o in options) else ()
    each = (f"--ntasks-per-node={tasks // nodes}",) if nodes > 1 and tasks % nodes == 0 else ()
    return SlurmJob(
        what, {file: fill(PROGRAMS[name], **(code or {})), **(files or {})}, f"#!/bin/bash\n{HEADS[hand % len(HEADS)]}{head}{body}\n{tail}",
        (f"-N{nodes}", f"-n{tasks}", *each, *((where,) if where else ()), *limit, *options), "torch" if name in _tansy_programs.FILES else "system", **more,
    )  # fmt: skip


def carded(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """A card for each rank; seconds count from when all ranks begin."""
    return job(what.but(gpu="scripted"), name, ranks, 1, given, where="-xn5,n6", **told_cards(ranks, 1, cards, others, more, start_s=20, idle_w=74, held_mib=530))


def when(test: str, what: str) -> str:
    """Code where a test holds."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())

"""How these programs come to the queue: tasks of srun, torchrun below them, a compiler before; beside told cards where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _wren_plain, _wren_torch
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

AWAY = "-xn3,n4,n5,n6"
"""Nodes that jobs lose, or must leave."""
FILES = {**_wren_torch.FILES, **_wren_plain.FILES}
PROGRAMS: dict[str, str] = {name: getattr(part, name) for part in (_wren_torch, _wren_plain) for name in part.FILES}
PORT = "MASTER_PORT=$((16000 + SLURM_JOB_ID * 23 % 9000))"
HEADS = (
    f"#SBATCH --comment=weekly\nexport MASTER_ADDR=127.0.0.1 {PORT}\nT0=$(date +%s)\n",
    f"T0=$(date +%s)\nexport MASTER_ADDR=localhost\nexport {PORT}\necho \"[$(date '+%d.%m. %T')] $SLURM_JOB_NAME ($SLURM_JOB_ID) auf $SLURM_JOB_NODELIST\"\n",
    f"# see wiki/training\nulimit -c 0\nexport {PORT} MASTER_ADDR=127.0.0.1 T0=$(date +%s)\necho nodes=$SLURM_JOB_NUM_NODES tasks=$SLURM_NTASKS commit=4f1c9e2\n",
)
END = "status=$?\necho \"exit status $status\"\nsleep 0.6\nexit $status\n"
QUIET = "code=$?; sleep 0.6; exit $code\n"
START_S = 32


def so(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


FINE = so("G1", fault="none")
LOUD = FINE.but(hard=True)
WELL: dict[str, Any] = {"state": "COMPLETED"}
BROKE: dict[str, Any] = {"state": "FAILED"}
LIMIT: dict[str, Any] = {"state": "TIMEOUT"}
TIRED: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=7",)}


def task(what: Label, name: str, ranks: int = 1, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = "", line: str = "",
         options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = AWAY, way: int = 0, torchrun: str | None = None, minutes: int = 1, **more: Any) -> SlurmJob:  # fmt: skip
    """``line`` stands for the line with srun, FILE in it for the program's file, RUN for what it runs; ``torchrun`` are the options of a launcher below srun."""
    file = FILES[name]
    start = {"py": "PYTHON FILE", "sh": "bash FILE", "cpp": "./stumps"}[file.rpartition(".")[2]]
    run, tasks = f"{start} {given}".rstrip(), ranks
    if torchrun is not None:
        tasks = nodes
        meet = f"--nnodes={nodes} --node_rank=$SLURM_NODEID --master_addr=127.0.0.1 " if nodes > 1 else ""
        run = f"PYTHON -m torch.distributed.run {meet}--nproc_per_node={ranks // nodes} --master_port=$MASTER_PORT {torchrun} FILE {given}".replace("  ", " ").rstrip()
        run = f"bash -c '{run}'" if nodes > 1 else run
    body = (line or "srun OPTIONSRUN").replace("OPTIONS", f"{srun} " if srun else "").replace("RUN", run).replace("FILE", file)
    build = "g++ -std=c++17 -O1 -g -o stumps stumps.cpp || exit 2\n" if name == "STUMPS" else ""
    limit = (f"--time={minutes}",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time=") for o in options) else ()
    each = (f"--ntasks-per-node={tasks // nodes}",) if nodes > 1 and tasks % nodes == 0 else ()
    text = fill(PROGRAMS[name].replace("//: ", "#: ") if name == "STUMPS" else PROGRAMS[name], **(code or {}))
    return SlurmJob(
        what, {file: text, **(files or {})}, f"#!/bin/bash\n{HEADS[way % len(HEADS)]}export T0\n{head}{build}{body}\n{tail or (END, QUIET)[way % 2]}",
        (f"-N{nodes}", f"-n{tasks}", *each, *((where,) if where else ()), *limit, *options), "torch" if name in _wren_torch.FILES else "system", **more,
    )  # fmt: skip


def dialled(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank, readings by rank; ``others`` for who is not named. Seconds count from when all ranks begin."""
    where = more.pop("where", "-xn5,n6")
    return task(what.but(gpu="scripted"), name, ranks, nodes, given, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=74, held_mib=498))


def when(test: str, what: str) -> str:
    """Code where a test holds."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def since(seconds: float, what: str, *tests: str) -> str:
    """Code from so many seconds on, as the cards' readings count."""
    return when(" and ".join([*tests, f"{CLOCK} > {seconds}"]), what)


def sh(test: str, what: str) -> str:
    """The same in the shell."""
    return f"if {test}; then\n" + "\n".join(f"    {one}" for one in what.splitlines()) + "\nfi"

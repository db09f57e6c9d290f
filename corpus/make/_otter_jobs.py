"""How these programs come to the queue: a task for each rank, torchrun below one task or one a node, a compiler before; with told cards where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _otter_plain, _otter_torch
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

AWAY = "-xn3,n4,n5,n6"
"""Nodes that jobs lose, or must leave."""
FILES = {**_otter_torch.FILES, **_otter_plain.FILES}
PROGRAMS: dict[str, str] = {name: getattr(part, name) for part in (_otter_torch, _otter_plain) for name in part.FILES}
PORTS = "MASTER_PORT=$((21000 + SLURM_JOB_ID * 17 % 8000))"
HEADS = (
    f"export MASTER_ADDR=127.0.0.1 {PORTS} T0=$(date +%s)\n",
    f"set -o pipefail\nexport MASTER_ADDR=localhost\nexport {PORTS}\nexport T0=$(date +%s)\necho \"job $SLURM_JOB_ID on $SLURM_JOB_NODELIST, $SLURM_NTASKS task(s), started $(date '+%F %T')\"\n",
    f"export T0=$(date +%s) {PORTS}\nexport MASTER_ADDR=127.0.0.1 OMP_NUM_THREADS=1\n",
)
END = "rc=$?\nsleep 0.6\nexit $rc\n"
START_S = 22


def true(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = true("G1", fault="none")
HARD = GOOD.but(hard=True)
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}


def job(what: Label, name: str, ranks: int = 1, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = END, line: str = "",
        options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = AWAY, hand: int = 0, torchrun: str | None = None, **more: Any) -> SlurmJob:  # fmt: skip
    """``line`` stands for the line with srun, FILE in it for the program's file, RUN for what it runs; ``torchrun`` are the options of a launcher below srun."""
    file = FILES[name]
    start = {"py": "PYTHON -u FILE", "sh": "bash FILE", "pl": "perl FILE", "c": "./factors"}[file.rpartition(".")[2]]
    run, tasks = f"{start} {given}".rstrip(), ranks
    if name == "QUILL" or torchrun is not None:
        tasks = nodes
        meet = f"--nnodes={nodes} --node_rank=$SLURM_NODEID --master_addr=127.0.0.1 " if nodes > 1 else ""
        run = f"PYTHON -m torch.distributed.run {meet}--nproc_per_node={ranks // nodes} --master_port=$MASTER_PORT{' ' + torchrun if torchrun else ''} FILE {given}".rstrip()
        run = f"bash -c '{run}'" if nodes > 1 else run
    body = (line or "srun OPTIONSRUN").replace("OPTIONS", f"{srun} " if srun else "").replace("RUN", run).replace("FILE", file)
    build = "gcc -O2 -g -o factors factors.c -lm || exit 3\n" if name == "FACTORS" else ""
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time=") for o in options) else ()
    each = (f"--ntasks-per-node={tasks // nodes}",) if nodes > 1 and tasks % nodes == 0 else ()
    text = PROGRAMS[name].replace("//: ", "#: ") if name == "FACTORS" else PROGRAMS[name]
    return SlurmJob(
        what, {file: fill(text, **(code or {})), **(files or {})}, f"#!/bin/bash\n{HEADS[hand % len(HEADS)]}{head}{build}{body}\n{tail}",
        (f"-N{nodes}", f"-n{tasks}", *each, *((where,) if where else ()), *limit, *options), "torch" if name in _otter_torch.FILES else "system", **more,
    )  # fmt: skip


def carded(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank, readings by rank; ``others`` for who is not named. Seconds count from when all ranks begin."""
    held = more.pop("held_mib", 512)
    where = more.pop("where", "-xn5,n6")
    return job(what.but(gpu="scripted"), name, ranks, nodes, given, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=69, held_mib=held))


def on(test: str, what: str) -> str:
    """Code where a test holds."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def behind(seconds: float, what: str, *tests: str) -> str:
    """Code from so many seconds on, as the cards' readings count."""
    return on(" and ".join([*tests, f"{CLOCK} > {seconds}"]), what)


def shell(test: str, what: str) -> str:
    """The same in the shell."""
    return f"if {test}; then\n" + "\n".join(f"    {one}" for one in what.splitlines()) + "\nfi"

"""How these programs come to the queue: a task for each rank, torchrun below srun, a compiler before; with told cards where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _hazel_plain, _hazel_torch
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

AWAY = "-xn3,n4,n5,n6"
"""Nodes that jobs lose, or must leave."""
FILES = {**_hazel_torch.FILES, **_hazel_plain.FILES}
PROGRAMS: dict[str, str] = {name: getattr(part, name) for part in (_hazel_torch, _hazel_plain) for name in part.FILES}
PORT = "MASTER_PORT=$((15000 + SLURM_JOB_ID * 29 % 7000))"
HEADS = (
    f"export MASTER_ADDR=127.0.0.1\nexport {PORT}\nT0=$(date +%s); export T0\n",
    f"# site defaults\nexport T0=$(date +%s) OMP_NUM_THREADS=1\nexport MASTER_ADDR=127.0.0.1 {PORT}\nprintf '%s\\n' \"Job:    $SLURM_JOB_ID ($SLURM_JOB_NAME)\" \"Nodes:  $SLURM_JOB_NODELIST\" \"Tasks:  $SLURM_NTASKS\" \"Began:  $(date '+%A %H:%M')\" ''\n",
    f"export T0=$(date +%s) {PORT} MASTER_ADDR=127.0.0.1\necho \"+ $(hostname -s 2>/dev/null | tr a-z A-Z | cut -c1-2) queue, ulimit -n $(ulimit -n), umask $(umask)\" >&2\n",
)
END = "code=$?\nsleep 0.6\nexit $code\n"
START_S = 24
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
LONG: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=8",)}


def true(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = true("G1", fault="none")
HARD = GOOD.but(hard=True)


def job(what: Label, name: str, ranks: int = 1, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = END, line: str = "",
        options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = AWAY, hand: int = 0, torchrun: str | None = None, **more: Any) -> SlurmJob:  # fmt: skip
    """``line`` stands for the line with srun, RUN in it for what it runs; ``torchrun`` are the options of a launcher below srun."""
    file = FILES[name]
    start = {"py": "PYTHON -u FILE", "sh": "bash FILE", "c": "./mlp"}[file.rpartition(".")[2]]
    run, tasks = f"{start} {given}".rstrip(), ranks
    if torchrun is not None:
        tasks = nodes
        meet = f"--nnodes={nodes} --node_rank=$SLURM_NODEID --master_addr=127.0.0.1 --master_port=$MASTER_PORT" if nodes > 1 else "--master_port=$MASTER_PORT"
        run = f"PYTHON -m torch.distributed.run {torchrun or meet} --nproc_per_node={ranks // nodes} FILE {given}".rstrip()
        run = f"bash -c '{run}'" if nodes > 1 else run
    body = (line or "srun OPTIONSRUN").replace("OPTIONS", f"{srun} " if srun else "").replace("RUN", run).replace("FILE", file)
    build = "cc -g -O1 -o mlp mlp.c -lm || exit 4\n" if name == "MLP" else ""
    limit = ("--time=1",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time=") for o in options) else ()
    each = (f"--ntasks-per-node={tasks // nodes}",) if nodes > 1 and tasks % nodes == 0 else ()
    text = fill(PROGRAMS[name].replace("//: ", "#: "), **(code or {}))
    return SlurmJob(
        what, {file: text, **(files or {})}, f"#!/bin/bash\n{HEADS[hand % len(HEADS)]}{head}{build}{body}\n{tail}",
        (f"-N{nodes}", f"-n{tasks}", *each, *((where,) if where else ()), *limit, *options), "torch" if name in _hazel_torch.FILES else "system", **more,
    )  # fmt: skip


def carded(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank, readings by rank; ``others`` for who is not named. Seconds count from when all ranks begin."""
    where = more.pop("where", "-xn5,n6")
    return job(what.but(gpu="scripted"), name, ranks, nodes, given, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=START_S, idle_w=71, held_mib=604))


def on(test: str, what: str) -> str:
    """Code where a test holds."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def behind(seconds: float, what: str, *tests: str) -> str:
    """Code from so many seconds on, as the cards' readings count."""
    return on(" and ".join([*tests, f"{CLOCK} > {seconds}"]), what)

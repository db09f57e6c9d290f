"""How the programs of these houses come to the queue: a task a rank, torchrun below one task a node, a compiler first, or the batch script alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _pelican_more, _pelican_plain, _pelican_torch
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

AWAY = "-xn3,n4,n5,n6"
FILES = {**_pelican_torch.FILES, **_pelican_plain.FILES, **_pelican_more.FILES}
PROGRAMS: dict[str, str] = {name: getattr(part, name) for part in (_pelican_torch, _pelican_plain, _pelican_more) for name in part.FILES}
NAMES = {"DIGITS": "asr-digits-ctc", "BYTES": "bytes-d32", "VASI": "retina-vasi", "SWING": "pinn", "SITES": "fed-readmit", "GAIT": "es-walker", "CLICKS": "ctr-hash24", "REPLICA": "anneal", "CLIFF": "ql-cliff",
         "STUMPS": "houses", "GLOVE": "glove60", "LITERY": "litery"}  # fmt: skip
PORTS = "export MASTER_ADDR=127.0.0.1 MASTER_PORT=$((24000 + SLURM_JOB_ID * 11 % 6000)) T0=$(date +%s)\n"
HEADS = (
    PORTS,
    f"#SBATCH --comment=nightly\n# last touched: 3 November\nset -u\n{PORTS}echo \"Job $SLURM_JOB_ID ($SLURM_JOB_NAME) on $SLURM_JOB_NODELIST, started $(date '+%F %T')\"\n",
    f"{PORTS}printf '%s\\n' '-----------------------------' \"nodes : $SLURM_JOB_NODELIST\" \"tasks : $SLURM_NTASKS\" '-----------------------------'\n",
    f"umask 027\n{PORTS}ulimit -c 0\nuname -srm >&2\n",
)
END = "rc=$?\nsleep 0.6\nexit $rc\n"
TORCH_START_S, START_S = 38, 16
DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=1",)}
LONG: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}
LATER: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "after": r"(?s)(load average.*?){5}", "options": ("--time=9",), "watch": True}
"""Its owner cancels it some eighty seconds after it began; the script keeps the node's load in a file meanwhile."""


def true(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is so of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = true("G1", fault="none")
HARD = GOOD.but(hard=True)


def when(test: str, what: str) -> str:
    """Code where a test holds."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def since(seconds: float, what: str, *tests: str) -> str:
    """Code from so many seconds on, counted as the cards' readings are."""
    return when(" and ".join([*tests, f"{CLOCK} > {seconds}"]), what)


def job(what: Label, name: str, ranks: int = 1, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = END, line: str = "",
        options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = AWAY, hand: int = 0, watch: bool = False, **more: Any) -> SlurmJob:  # fmt: skip
    """``line`` stands for the line that starts it, RUN in it for the command; ``watch`` keeps the node's load in a file beside it."""
    file = FILES[name]
    where = "-xn4,n5,n6" if where == AWAY and nodes > 2 else where
    kind = file.rpartition(".")[2]
    run = {"py": f"PYTHON -u {file}", "c": "./glove", "awk": f"gawk -f {file}"}[kind] + f" {given}".rstrip()
    tasks = ranks
    if name == "BYTES":
        tasks = nodes
        many = "" if nodes == 1 else f"--nnodes={nodes} --node_rank=$SLURM_NODEID --master_addr=$MASTER_ADDR "
        run = f"PYTHON -m torch.distributed.run {many}--nproc_per_node={ranks // nodes} --master_port=$MASTER_PORT {file} {given}".rstrip()
        if nodes > 1:
            run = f"bash -c '{run}'"
    start = (line or "srun OPTIONSRUN").replace("OPTIONS", f"{srun} " if srun else "").replace("RUN", run)
    before = ("(while sleep 10; do uptime; done > load.out) &\n" if watch else "") + ("gcc -O2 -pthread -o glove glove.c -lm || exit 1\n" if kind == "c" else "")
    each = (f"--ntasks-per-node={tasks // nodes}",) if nodes > 1 and tasks % nodes == 0 else ()
    title = () if any(o.startswith("--job-name") for o in options) else (f"--job-name={NAMES[name]}",)
    return SlurmJob(
        what, {file: fill(PROGRAMS[name], **(code or {})), **(files or {})}, f"#!/bin/bash\n{HEADS[hand % len(HEADS)]}{before}{head}{start}\n{tail}",
        (f"-N{nodes}", f"-n{tasks}", *each, *((where,) if where else ()), *title, *options), more.pop("python", "torch" if name in _pelican_torch.FILES else "system"), **more,
    )  # fmt: skip


def carded(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", *, idle_w: int = 71, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """A card for each rank; seconds count from when all ranks begin."""
    start, where = TORCH_START_S if name in _pelican_torch.FILES else START_S, more.pop("where", "-xn5,n6")
    return job(what.but(gpu="scripted"), name, ranks, nodes, given, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=start, idle_w=idle_w, held_mib=620))

"""How the programs of these weirs are started: a task a rank under srun, torchrun on a node; with cards beside them or without."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _weir_loops, _weir_more, _weir_torch
from corpus.running.batch import ELSEWHERE
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import CLOCK, Readings, told_cards

FILES = {**_weir_loops.FILES, **_weir_more.FILES, **_weir_torch.FILES}
PROGRAMS = {name: text for part in (_weir_loops, _weir_more, _weir_torch) for name, text in vars(part).items() if name in part.FILES}
PYTHON = {"MURMUR": "torch", "TEJEDOR": "torch", "SLUICE": "torch", "GRAIN": "forest"}
"""Its interpreter; the others have Debian's."""
TOP = "#!/bin/bash\nexport T0=$(date +%s) OMP_NUM_THREADS=1 PORT=$((20500 + SLURM_JOB_ID * 17 % 9000))\n"
END = "rc=$?\nsleep 0.6\nexit $rc\n"
START_S = 22
TORCH_START_S = 45
"""Until then every rank has what it imports, on a slow machine too."""


def label(mode: str, cause: str | None = None, *first: int, variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user", trigger: str | None = None) -> Label:
    """What is true of a job."""
    return Label(mode=mode, cause=cause, variant=variant, trigger=trigger, fault=fault, first_ranks=first, failed_ranks=failed)


GOOD = label("G1", fault="none")
HARD = GOOD.but(hard=True)


def gang(what: Label, name: str, ranks: int, nodes: int = 1, given: str = "", *, code: Mapping[str, str] | None = None, srun: str = "", head: str = "", tail: str = END, line: str = "",
         options: tuple[str, ...] = (), files: Mapping[str, str] | None = None, where: str = ELSEWHERE, text: str = "", **more: Any) -> SlurmJob:  # fmt: skip
    """A job of so many ranks on so many nodes. ``line`` stands for the line with srun: FILE in it is the program's file."""
    file = FILES[name]
    start = "perl" if file.endswith(".pl") else "PYTHON -u"
    body = (line or f"srun {srun + ' ' if srun else ''}{start} FILE {given}".rstrip()).replace("FILE", file)
    limit = ("--time=2",) if more.get("state") == "TIMEOUT" and not any(o.startswith("--time") for o in options) else ()
    each = (f"--ntasks-per-node={ranks // nodes}",) if nodes > 1 and ranks % nodes == 0 else ()
    return SlurmJob(
        what, {file: text or fill(PROGRAMS[name], **(code or {})), **(files or {})}, f"{TOP}{head}{body}\n{tail}",
        (f"-N{nodes}", f"-n{ranks}", *each, *((where,) if where else ()), *limit, *options), more.pop("python", PYTHON.get(name, "system")), **more,
    )  # fmt: skip


def dialled(what: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, given: str = "", **more: Any) -> SlurmJob:  # noqa: PLR0917
    """With a card for each rank, its readings by rank; ``others`` for who is not named. All ranks begin together: seconds count from there."""
    where, held = more.pop("where", ""), more.pop("held_mib", 510)
    start = TORCH_START_S if PYTHON.get(name) else START_S
    return gang(what.but(gpu="scripted"), name, ranks, nodes, given, where=where, **told_cards(ranks, nodes, cards, others, more, start_s=start, idle_w=74, held_mib=held))


def since(seconds: float, what: str, *tests: str) -> str:
    """Code from so many seconds on, counted as the cards' readings are."""
    return f"if {' and '.join([*tests, f'{CLOCK} > {seconds}'])}:\n" + "\n".join(f"    {one}" for one in what.splitlines())


def when(test: str, what: str) -> str:
    """Code of one rank, at one step."""
    return f"if {test}:\n" + "\n".join(f"    {one}" for one in what.splitlines())

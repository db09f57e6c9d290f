"""Batch jobs of the programs of looms: a task for each rank, or torchrun on each node; with told cards where asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.label import Label
from corpus.make import _looms as plain
from corpus.make import _looms_torch as torches
from corpus.running.crewed import task
from corpus.running.job import SlurmJob
from corpus.running.slots import fill
from corpus.running.told_cards import Readings, told_cards

TEXTS = {
    "PINBALL": (plain.PINBALL, "forecast.py", "who", "tick"), "PEGEL": (plain.PEGEL, "pegel.py", "knoten", "runde"), "FINCHES": (plain.FINCHES, "finches.pl", "$me", "$generation"),
    "MARES": (plain.MARES, "mareas.py", "puesto", "vuelta"), "RUCHER": (plain.RUCHER, "rucher.py", "RANG", "tour"), "TAGGER": (torches.TAGGER, "tagger.py", "rank", "update"),
    "HEAT": (torches.HEAT, "heat1d.py", "R", "k"), "DRIFT": (torches.DRIFT, "sites.py", "rank", "turn"),
}  # fmt: skip
"""By name: the text, its file, and what it calls its rank and its step."""
WHOLE = "T0=${T0%.*}\n"
"""Bash counts in whole seconds."""
TORCHES = ("TAGGER", "HEAT", "DRIFT")


def at(name: str, rank: int | None, step: int | None, code: str, *, since: bool = False, each: int = 0) -> str:
    """Only there: ``code`` of the language that the program is written in."""
    _, _, who, count = TEXTS[name]
    asked = [*([f"{who} == {rank}"] if rank is not None else []), *([f"{count} {'>=' if since else '=='} {step}"] if step is not None else []), *([f"{count} % {each} == 0"] if each else [])]
    if name == "FINCHES":
        return f"if ({' && '.join(asked)}) {{ {code} }}"
    return f"if {' and '.join(asked)}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def past(seconds: float, name: str, rank: int | None, code: str, behind: int = 30) -> str:
    """Once so many seconds behind ``T0``, and some steps, are over."""
    _, _, who, count = TEXTS[name]
    asked = [*([f"{who} == {rank}"] if rank is not None else []), f"{count} > {behind}", f"time.time() - float(os.environ['T0']) > {seconds}"]
    return f"if {' and '.join(asked)}:\n" + "\n".join(f"    {line}" for line in code.splitlines())


def loom(
    label: Label, name: str, ranks: int, nodes: int = 1, *, code: Mapping[str, str] | None = None, args: str = "", env: str = "", agents: bool = False, before: str = "",
    srun: str = "", torchrun: str = "", text: str = "", **more: Any,
) -> SlurmJob:  # fmt: skip
    """``agents``: one task for each node, which is torchrun's agent. ``env`` are exports, ``before`` other lines of the script."""
    body, file, _, _ = TEXTS[name]
    body = fill(text or body, **(code or {}))
    more.setdefault("where", "")
    head = (f"export {env}\n" if env else "") + before + more.pop("head", "")
    python = more.pop("python", "torch" if name in TORCHES else "system")
    if agents:
        per = ranks // nodes
        command = f"PYTHON -m torch.distributed.run --nnodes={nodes} --nproc-per-node={per} --rdzv-backend=c10d --rdzv-endpoint=127.0.0.1:$PORT --rdzv-id=$SLURM_JOB_ID {torchrun} {file} {args}"
        options = (f"-c{per}", *more.pop("options", ()))
        return task(label, body, nodes, nodes, name=file, command=command.rstrip(), srun=srun, head=head, options=options, python=python, **more)
    command = f"{'perl' if name == 'FINCHES' else 'PYTHON -u'} {file} {args}".rstrip()
    return task(label, body, ranks, nodes, name=file, command=command, srun=srun, head=head, python=python, **more)


def carded(label: Label, name: str, ranks: int, cards: Mapping[int, Readings], others: Readings, nodes: int = 1, *, start_s: int = 22, held_mib: int = 5200, idle_w: int = 92, **more: Any) -> SlurmJob:  # noqa: PLR0917
    """The same with a card for each rank, whose readings begin to show work when all ranks begin."""
    told = told_cards(ranks, nodes, cards, others, more, start_s=start_s, idle_w=idle_w, held_mib=held_mib)
    options = (f"--ntasks-per-node={ranks // nodes}", *told.pop("options", ()))
    return loom(label.but(gpu="scripted"), name, ranks, nodes, options=options, before=WHOLE + told.pop("before", ""), **told)

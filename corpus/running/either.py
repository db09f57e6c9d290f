"""Short programs, each with a label, that run under gpualert-run or, given tasks, as a batch job on the bed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from corpus.label import Label
from corpus.running.batch import ELSEWHERE
from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import LocalJob, SlurmJob

WELL = ("G1", "D2", "D3", "E3")


@dataclass(frozen=True)
class Either(Flat):
    """A flat program. With ``tasks`` it is a batch job of so many, on ``nodes`` nodes; without it runs under gpualert-run."""

    tasks: int = 0
    nodes: int = 1
    srun: str = ""
    head: str = ""
    """Of the batch script, before ``srun``."""
    tail: str = ""
    options: tuple[str, ...] = ()
    group_mib: int | None = None
    bed: str = "plain"
    state: str = ""
    act: str = ""
    after: str = ""
    key: str = ""
    parent: str = ""
    given: tuple[str, ...] = ()
    """What stands behind the script's name in ``sbatch``."""
    before: tuple[tuple[str, ...], ...] = ()


def either_jobs(scripts: Sequence[Either], python: str, heads: Sequence[str] = ("",)) -> Iterator[LocalJob | SlurmJob]:
    """A job for each."""
    for one, local in zip(scripts, flat_jobs(scripts, python, heads), strict=True):
        yield _batch(one, local) if one.tasks else replace(local, group_mib=one.group_mib, before=one.before)


def _batch(one: Either, local: LocalJob) -> SlurmJob:
    ended_well = one.mode in WELL or (one.mode in ("E1", "E2") and one.status == 0)
    state = one.state or ("COMPLETED" if ended_well else "FAILED")
    label = local.label if ended_well or one.failed is not None or one.tasks == 1 else _on_all(local.label, one)
    command = " ".join(_word(w) for w in local.command)
    bound = f"ulimit -v {one.memory_mib * 1024}\n" if one.memory_mib else ""
    script = f"#!/bin/bash\n{''.join(f'mkdir -p {f}{chr(10)}' for f in one.folders)}{''.join(f'export {k}={v}{chr(10)}' for k, v in one.env)}{one.head}{bound}srun {one.srun}{' ' if one.srun else ''}{command} \"$@\"\n{one.tail}"
    places = (ELSEWHERE,) if one.bed == "plain" else ()
    return SlurmJob(
        label, local.files, script, (f"-N{one.nodes}", f"-n{one.tasks}", *places, *one.options), local.python, act=one.act, after=one.after,
        state=state, key=one.key, parent=one.parent, bed=one.bed, args=one.given,
    )  # fmt: skip


def _on_all(label: Label, one: Either) -> Label:
    """Every task runs the same program into the same end: which of them was first is not asked."""
    return label.but(failed_ranks=tuple(range(one.tasks)), first_ranks=one.first or ())


def _word(word: str) -> str:
    return word if all(c.isalnum() or c in "_-./=:,+%" for c in word) else f"'{word}'"

"""``python -m corpus.make [--recipe NAME] [--number N]``: make cases again."""

from __future__ import annotations

import argparse
import signal
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from corpus.case import CASES
from corpus.make import recipes
from corpus.running import local
from corpus.running.environments import CARD, ENVIRONMENTS
from corpus.running.job import HandJob, LocalJob, Recipe, SlurmJob
from corpus.running.time_left import left_s


def labelled(recipe: Recipe, job: LocalJob | SlurmJob | HandJob) -> LocalJob | SlurmJob | HandJob:
    """The job with the rest of its label: where it is from and in which part it counts."""
    from dataclasses import replace

    if not isinstance(job, HandJob) and job.python == CARD:
        return replace(job, label=job.label.but(provenance="hardware", gpu="real", recipe=recipe.name, part=job.label.part or recipe.part))
    provenance = {LocalJob: "cpu-run", SlurmJob: "slurm-run", HandJob: "handwritten"}[type(job)]
    return replace(job, label=job.label.but(provenance=job.label.provenance or provenance, recipe=recipe.name, part=job.label.part or recipe.part))


LAST_START_S = 5
"""No job is started with less time left than this."""


def one_local(name: str, number: int, root: Path, lane: int) -> str:
    """Make one cpu-run case; what went wrong, or nothing."""
    recipe = recipes()[name]
    job = labelled(recipe, list(recipe.jobs())[number - 1])
    assert isinstance(job, LocalJob)
    try:
        local.make(job, root / name / f"{number:03d}", lane)
    except (local.NotAsMeantError, OSError) as error:
        return str(error)
    return ""


def lane_of_jobs(todo: list[tuple[str, int]], root: Path, lane: int) -> int:
    """Make these one after another; how many failed."""
    bad = 0
    for name, number in todo:
        if left_s() < LAST_START_S:
            print(f"NOT MADE {name}/{number:03d}   no time was left", flush=True)
            bad += 1
            continue
        began = time.monotonic()
        wrong = one_local(name, number, root, lane)
        bad += bool(wrong)
        print(f"{'NOT MADE' if wrong else 'made':9}{name}/{number:03d} {time.monotonic() - began:5.1f} s {wrong}", flush=True)
    return bad


def main() -> int:
    """0 when every case was made."""
    parser = argparse.ArgumentParser(prog="python -m corpus.make", description=__doc__)
    parser.add_argument("--recipe", action="append", default=[], help="only these recipes")
    parser.add_argument("--kind", choices=("hardware", "cpu-run", "slurm-run", "handwritten"), help="only jobs of this kind")
    parser.add_argument("--bed", choices=("plain", "cgroup", "card"), help="of the jobs on Slurm only those of this bed")
    parser.add_argument("--under", choices=("run", "slurm"), help="only jobs under gpualert-run, or only those on Slurm")
    parser.add_argument("--number", type=int, action="append", default=[], help="only these cases of it")
    parser.add_argument("--missing", action="store_true", help="only cases that are not there yet")
    parser.add_argument("--lanes", type=int, default=2, help="cpu-run jobs at the same time")
    parser.add_argument("--to", type=Path, default=CASES)
    parser.add_argument("--list", action="store_true")
    wish = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # as an error: a bed is taken down
    known = recipes()
    if unknown := set(wish.recipe) - set(known):
        parser.error(f"no such recipe: {', '.join(sorted(unknown))}; there are {', '.join(sorted(known))}")
    todo = [
        (recipe, number, job)
        for recipe in known.values() if not wish.recipe or recipe.name in wish.recipe
        for number, job in enumerate((labelled(recipe, j) for j in recipe.jobs()), 1)
        if (not wish.number or number in wish.number) and (not wish.kind or job.label.provenance == wish.kind)
        and not (wish.missing and (wish.to / recipe.name / f"{number:03d}").exists())
    ]  # fmt: skip
    if wish.list:
        for recipe, number, job in todo:
            print(f"{recipe.name}/{number:03d} {job.label.provenance} {job.label.part} {job.label.mode} {job.label.variant or ''} {job.label.cause or ''}")
        return 0
    bad = 0
    for recipe, number, job in todo:
        if isinstance(job, HandJob):
            job.hand.keep(job.label, wish.to / recipe.name / f"{number:03d}")
    slurm = [(r.name, n, j) for r, n, j in todo if isinstance(j, SlurmJob) and wish.bed in (None, j.bed) and wish.under != "run"]
    if slurm:
        from corpus.running.bed import make_all

        bad += make_all(slurm, wish.to)
    runs = [(r.name, n) for r, n, j in todo if isinstance(j, LocalJob) and ENVIRONMENTS[j.python].there and wish.under != "slurm"]
    if runs:
        local.prepare()
        with ProcessPoolExecutor(wish.lanes) as pool:
            for done in as_completed([pool.submit(lane_of_jobs, runs[lane :: wish.lanes], wish.to, lane) for lane in range(wish.lanes)]):
                bad += done.result()
    print(f"{len(todo) - bad} of {len(todo)} made")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

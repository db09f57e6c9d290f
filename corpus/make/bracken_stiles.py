"""Batch jobs on Slurm whose node has a real card: its counters are read while they run."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bracken_gates import SCRIPTS
from corpus.running.environments import CARD
from corpus.running.job import Recipe, SlurmJob

GOOD = Label(mode="G1", fault="none")
ALONE = Label(mode="A3", fault="user", failed_ranks=(0,), first_ranks=(0,))


def _on_card(label: Label, name: str, state: str, *, act: str = "", after: str = "", head: str = "", step: str = "srun -n1 PYTHON -u {}") -> SlurmJob:
    file = f"{name}.py"
    script = f"#!/bin/bash\n{head}{step.format(file)}\ncode=$?; sleep 0.5; exit $code\n"
    return SlurmJob(label, {file: SCRIPTS[name]}, script, ("-N1", "-n1", "--gres=gpu:1", f"--job-name={name}"), CARD, act=act, after=after, state=state, bed="card")


def jobs() -> Iterator[SlurmJob]:
    """In the order of their worth: time may run out."""
    yield _on_card(Label(mode="D1", fault="user"), "ssl_clips", "COMPLETED")  # the card stands still for two seconds again and again; the log has the times
    yield _on_card(Label(mode="D2", variant="save_storm", fault="user"), "adapt", "COMPLETED", head="echo job $SLURM_JOB_ID on $(hostname -s)\n")  # a save at each step, its seconds told
    yield _on_card(Label(mode="C3", fault="unknown"), "mesh", "CANCELLED", act="scancel_late", after="pid")  # steps of 20 ms, then nothing for half a minute with an idle card
    yield _on_card(GOOD, "convnet", "COMPLETED", head="set -o pipefail\nnvidia-smi -L\n")  # busy, falling loss, planned end
    yield _on_card(ALONE.but(mode="B1", cause="cuda_oom"), "ner", "FAILED")  # out of memory at a long batch after steps
    yield _on_card(ALONE.but(cause="cuda_runtime"), "voxels", "FAILED")  # illegal address after steps
    yield _on_card(GOOD.but(hard=True), "small_rl", "COMPLETED")  # low and steady use of the card by a small model: slow and fine
    yield _on_card(Label(mode="E1", cause="nan_loss", variant="non_finite", fault="user"), "lm", "COMPLETED")  # nan from the middle on, to the end
    yield _on_card(Label(mode="C3", fault="unknown"), "spmv", "CANCELLED", act="scancel_late", after="pid")  # a kernel that never returns: busy card, silent log


RECIPE = Recipe("bracken_stiles", "development", jobs)

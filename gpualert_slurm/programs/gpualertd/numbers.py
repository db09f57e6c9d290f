"""What the daemon counts of itself, as ``metrics`` serves it: each number with what an administrator can tell from it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress

from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.programs.gpualertd.loop import Loop, Parts
from gpualert_slurm.programs.gpualertd.metrics import Sample

WAITING = (State.QUEUED, State.ACTIVE, State.DEFERRED, State.REFUSED, State.CORRUPT)
"""States of the outbox that somebody may have to look at; ``sent`` is counted by mails_total."""


def numbers(loop: Loop, parts: Parts, outbox: Outbox) -> Iterator[Sample]:
    """All of them, now. Called by the thread that serves them: it only reads numbers, and lists folders."""
    intake, view, dispatch = parts.intake, parts.view, parts.dispatch
    yield "documents", "counter", "notes and reports kept", _by("kind", intake.kept)
    yield "pieces_refused", "counter", "sealed pieces put aside: forged, foreign, torn or too large", {"": intake.refused}
    yield "spool_unread", "gauge", "1 while pieces lie in the spool that the last look did not get to", {"": float(intake.unread)}
    yield "runs_judged", "counter", "jobs diagnosed, by the mode that was found", _by("mode", loop.modes)
    yield "judged_alone", "counter", "diagnoses that failed beside others and were made again alone", {"": loop.suspected}
    yield "runs_unannounced", "counter", "jobs that asked and that no node announced", {"": parts.reconciler.found}
    yield "runs", "gauge", "jobs not done with, by state", _by("state", loop.open_runs)
    yield "mails", "counter", "what became of messages", _by("outcome", dispatch.outcomes)
    yield "outbox_messages", "gauge", "messages in the outbox's folders", _by("state", _lying(outbox))
    yield "slurm_queries", "counter", "commands or calls put to Slurm", {"": view.queries}
    yield "slurm_errors", "counter", "of these, not answered", {"": view.errors}
    yield "pass_seconds", "gauge", "how long the last pass over all jobs took", {"": loop.pass_s}
    yield "last_pass_timestamp_seconds", "gauge", "when the last pass that did not fail ended", {"": loop.passed_at}


def _by(label: str, values: Mapping[str, float]) -> dict[str, float]:
    return {f"{label}={name}": float(value) for name, value in list(values.items())}


def _lying(outbox: Outbox) -> dict[str, float]:
    found: dict[str, float] = {}
    for state in WAITING:
        with suppress(OSError), os.scandir(outbox.folder / state.value) as entries:
            found[state.value] = sum(1 for entry in entries if entry.name.endswith(".msg"))
    return found

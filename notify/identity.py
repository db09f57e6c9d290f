"""What makes two messages one: the key from which the Message-ID is made, and the thread a job's messages share."""

from __future__ import annotations

import hashlib
import re

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.verdict import Verdict


def message_key(verdict: Verdict) -> str:
    """``mendel.4242.a1.0f3c9a7e``: equal for the same run and mode, whatever else was learned about it meanwhile.

    The run is its attempt: cluster, job, restart count, and Slurm's own unique id or the start in whole seconds. Where
    neither is known, the whole verdict stands for it.
    """
    attempt = verdict.attempt
    run: tuple[object, ...] = (attempt.cluster, attempt.label, attempt.restart_count, attempt.sluid)
    started = attempt.start_time_ns or verdict.started_ns
    if attempt.sluid is None:
        run += (started // 1_000_000_000,) if started is not None else (verdict.json_bytes(),)
    digest = hashlib.sha256(repr((*run, verdict.mode)).encode()).hexdigest()[:12]
    return f"{_slug(attempt.cluster)}.{_slug(attempt.label)}.{_slug(verdict.mode)}.{digest}"


def thread_key(verdict: Verdict) -> str:
    """``mendel.4242``: constant over requeues, and over the tasks of an array or the parts of a heterogeneous job."""
    return attempt_thread(verdict.attempt)


def attempt_thread(attempt: Attempt) -> str:
    """The same before there is a verdict."""
    return f"{_slug(attempt.cluster)}.{attempt.array_job_id or attempt.het_job_id or attempt.job_id}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "x"

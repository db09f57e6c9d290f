"""What a job's logs say: how each begins, and the whole of one, as far as the record keeps it (USER trust)."""

from __future__ import annotations

from collections.abc import Iterator

from gpualert_slurm.job_record import JobRecord


def heads(job: JobRecord, max_chars: int | None = None) -> Iterator[str]:
    """The first ``max_chars`` characters of what is kept of each log's beginning; of its end, where no beginning is."""
    return ((one.head or one.tail)[:max_chars] for report in job.reports for one in report.excerpts)


def text_of(job: JobRecord, path: str) -> str:
    """Head and tail of the log at ``path``; empty where the record has no such log."""
    return next((one.text for report in job.reports for one in report.excerpts if one.path == path), "")

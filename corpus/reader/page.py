"""A case as one page of text: what Slurm, the nodes and the cards said, and the logs. Nothing of the label, nothing that a rule found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from corpus.case import job_of
from corpus.reader.log_lines import log_pages
from gpualert_slurm.evidence import Quote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.record import Record
from gpualert_slurm.run_file import RUN_NAME, RunFile
from gpualert_slurm.series import FROM_LOGS, Series

WINDOWS = 12
"""A series is shown as the mean of each twelfth of it, with its lowest and highest value."""


def page(folder: Path) -> str:
    """The staged case as text.

    Raises:
        OSError, ValueError: the folder holds no case.
    """
    job = job_of(folder)
    begin = min((t for t in (job.started_ns, *(r.job_started_ns for r in job.reports)) if t), default=None)
    parts = [*_head(folder, job, begin)]
    for report in job.reports:
        parts += _node(report, begin)
    return "\n".join([*parts, *log_pages(folder, job, begin)]) + "\n"


def _head(folder: Path, job: JobRecord, begin: int | None) -> Iterator[str]:
    took = f", took {(job.ended_ns - begin) / 1e9:.1f} s" if job.ended_ns and begin else ""
    yield f"job {job.name or ''} on {','.join(job.nodes)}: exit code {job.exit_code}, signal {job.exit_signal}{took}"
    if (folder / RUN_NAME).exists():
        run = RunFile.read(folder)
        yield f"command: {' '.join(run.command)}; time limit of gpualert-run: {run.timeout_ms} ms"
    for row in job.accounting:
        yield f"accounting: {_short(row, begin)}"
    for title, rows in (("node event", job.node_events), ("node state", job.node_states), ("earlier or parent job", job.past), ("missing", job.gaps)):
        for one in rows:
            yield f"{title}: {_short(one, begin)}"


def _node(report: NodeReport, begin: int | None) -> Iterator[str]:
    yield f"=== node {report.node}"
    for rank in report.exits:
        yield f"exit: {_short(rank, begin)}"
    for process in report.processes[:24]:
        yield f"process: {_short(process, begin)}"
    for snapshot in report.gpus_after:
        before = next((g for g in report.gpus_before if g.uuid == snapshot.uuid), None)
        yield f"gpu at the end: {_short(snapshot, begin)}"
        moved = {k: (getattr(before, k), v) for k, v in snapshot if before is not None and k != "time_ns" and getattr(before, k) != v}
        yield f"   since the start of the job: {moved}"
    for title, host in (("host before", report.host_before), ("host after", report.host_after)):
        if host is not None:
            yield f"{title}: {_short(host, begin)}"
    for stall in report.stalls:
        yield f"stood still: {_short(stall, begin)}"
    for evidence in report.evidence:
        if not isinstance(evidence.source, Quote) or evidence.trust.value.lower() == "system":
            yield f"the system said: {_short(evidence.source, begin)} {evidence.where.model_dump(exclude_none=True)}"
    for series in report.series:
        if series.name not in FROM_LOGS and any(series.values):
            yield _series(series, begin)
    for gap in report.gaps:
        yield f"missing: {gap.what}: {gap.why}"


def _series(series: Series, begin: int | None) -> str:
    values, size = series.values, max(1, -(-len(series.values) // WINDOWS))
    means = [sum(part) / len(part) for part in (values[i : i + size] for i in range(0, len(values), size))]
    times = [t for t in series.times_ns if t]
    span = f" {(times[0] - begin) / 1e9:.0f}–{(times[-1] - begin) / 1e9:.0f} s" if times and begin else ""
    return f"series {series.name} {series.where.model_dump(exclude_none=True)}{span}: lowest {min(values):.4g} highest {max(values):.4g}; {' '.join(f'{m:.4g}' for m in means)}"


def _short(record: Record, begin: int | None) -> str:
    return str(_plain(record.model_dump(mode="json", exclude_defaults=True), begin))


def _plain(value: Any, begin: int | None, key: str = "") -> Any:
    if isinstance(value, dict):
        return {k.removesuffix("_ns"): _plain(v, begin, k) for k, v in value.items() if v not in (None, "", [], {}) and k not in _DULL}
    if isinstance(value, list):
        return [_plain(v, begin, key) for v in value[:40]]
    if isinstance(value, int) and key.endswith("_ns") and begin and abs(value - begin) < 10**16:
        return f"{(value - begin) / 1e9:+.2f}s"
    return value


# The mode of an earlier job is what a rule found: nothing for a reader.
_DULL = frozenset({"cluster", "mode", "cause", "fault", "fingerprint", "sha256", "file_sha256", "file_bytes", "offset", "length", "uncertainty_ns", "boot_id", "end_monotonic_ns", "source", "uid", "account", "qos", "priority", "file_systems", "looks"})

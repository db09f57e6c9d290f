"""The job's facts as label and value: Slurm's words as sacct prints them, times with their zone, GPU-hours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import tzinfo

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify import wording, words
from gpualert_slurm.notify.claims import SCRIPT_STEPS
from gpualert_slurm.notify.plain import visible
from gpualert_slurm.notify.redact import Redactor
from gpualert_slurm.verdict import Verdict

GPUS_IN_TRES = re.compile(r"(?:^|,)gres/gpu=(\d{1,9})(?:,|$)")
LONG = 400


def fact_rows(verdict: Verdict, job: JobRecord, redactor: Redactor, zone: tzinfo | None) -> tuple[tuple[str, str], ...]:
    """Every fact that is known; what is not known has no row (what is missing is among the gaps)."""
    account = job.accounting[-1] if job.accounting else None

    def clean(text: str | None) -> str:
        return words.shortened(visible(redactor.text(text)), LONG) if text else ""

    rows: list[tuple[str, str]] = []
    if job.under_slurm:
        rows.append(("Job", f"{verdict.attempt.label} on cluster {clean(verdict.attempt.cluster)}"))
    rows.append(("Name", clean(verdict.job_name or job.name)))
    rows.append(("User", clean(verdict.user or job.user)))
    if account:
        charged = (("account", account.account), ("partition", account.partition), ("QOS", account.qos))
        rows.append(("Charged to", ", ".join(f"{kind} {clean(name)}" for kind, name in charged if name)))
    rows.append(("State", clean(_state(verdict, account))))
    nodes = verdict.nodes or job.nodes
    rows.append(("Nodes", f"{words.nodes(nodes)} ({words.plural(len(nodes), 'node')})" if nodes else ""))
    rows.append(("Ranks", _ranks(verdict)))
    rows.append(("GPUs", clean(_gpus(job, account))))
    rows.extend(_times(verdict, job, account, zone))
    rows.append(("GPU-hours", _gpu_hours(verdict, job, account)))
    rows.append(("Got as far as", verdict.phase.value if verdict.phase.value != "unknown" else ""))
    rows.append(("Steps done", _steps(verdict)))
    rows.append(("Learning", "" if verdict.training_correctness == "unverifiable" else visible(verdict.training_correctness)))
    rows.append(("Restarts", str(verdict.attempt.restart_count) if verdict.attempt.restart_count else ""))
    rows.append(("Spread", clean(verdict.blast_radius)))
    rows.append(("Working folder", clean(job.work_dir or (account.work_dir if account else None))))
    rows.append(("Command", clean((account.submit_line if account else None) or " ".join(job.command))))
    rows.extend(_logs(job, redactor))
    rows.append(("Diagnosis code", clean(wording.codes(verdict))))
    rows.append(("Fingerprint", clean(verdict.fingerprint)))
    return tuple((label, value) for label, value in rows if value)


def duration_s(verdict: Verdict, job: JobRecord) -> float | None:
    """From start to end of this attempt, as the verdict has it, else the job's record."""
    start, end = verdict.started_ns or job.started_ns, verdict.ended_ns or job.ended_ns
    if start is not None and end is not None and end >= start:
        return (end - start) / 1e9
    account = job.accounting[-1] if job.accounting else None
    return float(account.elapsed_s) if account and account.elapsed_s is not None else None


def ending(verdict: Verdict) -> str:
    """``exit code 1`` or ``signal 11``; empty when neither is known."""
    if verdict.exit_signal:
        return f"signal {verdict.exit_signal}"
    return f"exit code {verdict.exit_code}" if verdict.exit_code is not None else ""


def _state(verdict: Verdict, account: AccountingRecord | None) -> str:
    parts = [visible(verdict.state or (account.state if account else "")), ending(verdict)]
    if account and account.reason and account.reason != "None":
        parts.append(f"reason {account.reason}")
    if account and account.cancelled_by_uid is not None:
        parts.append(f"cancelled by uid {account.cancelled_by_uid}")
    return ", ".join(p for p in parts if p)


def _ranks(verdict: Verdict) -> str:
    ranks = [s for s in verdict.ranks if s.step not in SCRIPT_STEPS]
    if not ranks:
        return ""
    badly = sum(1 for s in ranks if s.exit_code or s.signal)
    return f"{len(ranks)}, of which {badly} ended badly" if badly else f"{len(ranks)}"


def _gpus(job: JobRecord, account: AccountingRecord | None) -> str:
    seen = {s.uuid: visible(s.name or "GPU") for r in job.reports for s in (*r.gpus_before, *r.gpus_after)}
    kinds = ", ".join(f"{sum(1 for v in seen.values() if v == kind)} × {kind}" for kind in sorted(set(seen.values())))
    allocated = _gpu_count(job, account)
    if allocated is None or allocated == len(seen):
        return kinds
    return f"{allocated} allocated" + (f"; counters of {kinds}" if kinds else "")


def _gpu_count(job: JobRecord, account: AccountingRecord | None) -> int | None:
    found = GPUS_IN_TRES.search(account.tres_alloc) if account and account.tres_alloc else None
    if found:
        return int(found[1])
    return len({s.uuid for r in job.reports for s in (*r.gpus_before, *r.gpus_after)}) or None


def _times(verdict: Verdict, job: JobRecord, account: AccountingRecord | None, zone: tzinfo | None) -> Iterator[tuple[str, str]]:
    start, end = verdict.started_ns or job.started_ns, verdict.ended_ns or job.ended_ns
    if account and account.submit_ns is not None:
        waited = (start - account.submit_ns) / 1e9 if start and start > account.submit_ns else None
        yield "Submitted", words.instant(account.submit_ns, zone) + (f", waited {words.span(waited)}" if waited else "")
    yield "Started", words.instant(start, zone)
    yield "Ended", words.instant(end, zone)
    ran = words.span(duration_s(verdict, job))
    limit = f" of the limit of {words.span(verdict.time_limit_s)}" if verdict.time_limit_s and ran else ""
    yield "Ran for", ran + limit
    if account and account.suspended_s:
        yield "Suspended for", words.span(account.suspended_s)


def _gpu_hours(verdict: Verdict, job: JobRecord, account: AccountingRecord | None) -> str:
    count, seconds = _gpu_count(job, account), duration_s(verdict, job)
    parts = []
    if count and seconds is not None:
        parts.append(f"{words.hours(count * seconds / 3600)} spent")
    if verdict.waste.gpu_hours:
        parts.append(f"{words.hours(verdict.waste.gpu_hours)} without a result")
    if verdict.waste.of_parent_gpu_hours:
        parts.append(f"{words.hours(verdict.waste.of_parent_gpu_hours)} of the earlier run lost with it")
    return ", ".join(parts)


def _steps(verdict: Verdict) -> str:
    if verdict.steps_done is None:
        return ""
    return f"{verdict.steps_done} of {verdict.steps_planned}" if verdict.steps_planned else f"{verdict.steps_done}"


def _logs(job: JobRecord, redactor: Redactor) -> Iterator[tuple[str, str]]:
    """Where the whole logs lie: the owner's copy where the site keeps one, else the node's folder."""
    copies = sorted({visible(redactor.text(r.archive_path)) for r in job.reports if r.archive_path})
    for path in copies[:4]:
        yield "Whole logs", path
    if len(copies) > 4:
        yield "Whole logs", f"and {len(copies) - 4} more folders"
    if not copies:
        found = {(r.node, log.path.rpartition("/")[0]) for r in job.reports for log in r.logs}
        folders = [(visible(redactor.text(node)), visible(redactor.text(folder))) for node, folder in sorted(found)]
        for node, folder in folders[:4]:
            yield "Whole logs", f"{folder} on {node}" if job.under_slurm else folder
        if len(folders) > 4:
            yield "Whole logs", f"and {len(folders) - 4} more folders"

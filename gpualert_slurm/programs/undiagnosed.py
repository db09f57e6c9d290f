"""What is said of a run whose diagnosis failed: a mistake of ours costs its owner the diagnosis, never the mail."""

from __future__ import annotations

from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.verdict import Fault, Phase, Verdict


def unknown(record: JobRecord, gap: Gap) -> Verdict:
    """The verdict that needs no classifier: what Slurm and the nodes say, and that the diagnosis is missing."""
    row = record.accounting[-1] if record.accounting else None
    return Verdict(
        attempt=record.attempt,
        job_name=record.name,
        user=record.user,
        state=row.state if row else None,
        exit_code=record.exit_code,
        exit_signal=record.exit_signal,
        nodes=record.nodes,
        started_ns=record.started_ns,
        ended_ns=record.ended_ns,
        time_limit_s=row.time_limit_s if row else None,
        mode="unknown",
        title="unknown",
        headline=f"{row.state if row else 'ended'}, not diagnosed",
        fault=Fault.UNKNOWN,
        confidence=0.0,
        phase=Phase.UNKNOWN,
        cannot_decide=("why the job ended: the diagnosis itself failed, and the cluster's operators can see how in gpualertd's log",),
        gaps=(*record.gaps, *(g for r in record.reports for g in r.gaps), gap),
    )

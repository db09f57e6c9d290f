"""What the machine said: XIDs, counters before and after, GPUs that vanished, nodes that were lost. SYSTEM trust only."""

from __future__ import annotations

from dataclasses import dataclass

from gpualert_slurm.accounting import AccountingRecord, NodeEvent
from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.ending import Ending
from gpualert_slurm.classifier.xids import Kind, xid_kind
from gpualert_slurm.evidence import Evidence, Trust, Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.job_record import JobRecord

FATAL_COUNTERS = ("ecc_volatile_uncorrected", "ecc_aggregate_uncorrected", "remapped_rows_uncorrectable", "nvlink_recovery_errors")
"""A step of one of these within the job is hardware (uncorrected ECC > 0: gcm's and gpud's own threshold)."""
WATCHED_COUNTERS = (*FATAL_COUNTERS, "remapped_rows_correctable", "nvlink_replay_errors", "nvlink_crc_errors")
FLAT_COUNTERS = ("remapped_rows_uncorrectable", "remapped_rows_correctable", "ecc_aggregate_uncorrected")
"""Worth a warning when they are not zero, even if they did not move."""
EPISODE_BEFORE_S = 600.0
"""A kernel line this long before the end still belongs to the terminal episode (a peer's collective timeout is 600 s)."""
LOST_STATES = ("DOWN", "NOT_RESPONDING", "NO_RESPOND", "FAIL", "REBOOT", "UNKNOWN")
NOT_THE_NODE = ("Kill task failed", "Epilog error", "batch job complete failure")
"""Reasons that the job caused or that stand for cleaning up after it."""


@dataclass(frozen=True)
class Hardware:
    """``struck``: hardware evidence in the terminal episode; ``latent``: older or flat; ``lost``: nodes Slurm lost."""

    struck: tuple[Evidence, ...]
    latent: tuple[Evidence, ...]
    application: tuple[Evidence, ...]
    """XIDs that are the application's first (13, 31, 43, 69)."""
    lost: tuple[Evidence, ...]
    node_notes: tuple[Evidence, ...]
    kernel_oom: tuple[Evidence, ...]
    has_counters: bool
    gpus: tuple[GpuSnapshot, ...]


def hardware_of(job: JobRecord, ending: Ending, first_ns: int | None, evidence: tuple[Evidence, ...]) -> Hardware:
    """All of it, put before or into the terminal episode.

    ``first_ns`` is when the first rank failed: what happened long before is latent, whatever it is.
    """
    struck: list[Evidence] = []
    latent: list[Evidence] = []
    application: list[Evidence] = []
    system = [e for e in evidence if e.trust is Trust.SYSTEM]
    anchor = first_ns if first_ns is not None else ending.ended_ns
    for line in system:
        if line.says == "xid":
            number = line.data.get("xid")
            kind = xid_kind(number if isinstance(number, int) else -1)
            if kind is Kind.APPLICATION:
                application.append(line)
            elif kind is Kind.HARDWARE:
                (struck if _in_episode(line, anchor) else latent).append(line)
            elif kind is Kind.LATENT:
                latent.append(line)
        elif line.says in {"gpu_off_bus", "sxid"}:
            (struck if _in_episode(line, anchor) else latent).append(line)
    moved, older = _counters(job)
    timed = [e for e in struck if e.time_ns is not None]
    dated_elsewhere = any(e.says == "xid" for e in latent) and not timed
    (latent if dated_elsewhere else struck).extend(moved)  # a counter that moved when an old XID says: not in the episode
    latent.extend(older)
    struck.extend(_vanished(job))
    lost, notes = _nodes(job, ending)
    return Hardware(
        tuple(struck),
        tuple(latent),
        tuple(application),
        lost,
        notes,
        tuple(e for e in system if e.says == "kernel_oom"),
        any(r.gpus_before and r.gpus_after for r in job.reports),
        tuple({g.uuid: g for r in job.reports for g in (*r.gpus_before, *r.gpus_after)}.values()),
    )


def _in_episode(line: Evidence, anchor: int | None) -> bool:
    if line.time_ns is None or anchor is None:
        return True
    return line.time_ns >= anchor - EPISODE_BEFORE_S * 1e9


def _counters(job: JobRecord) -> tuple[list[Evidence], list[Evidence]]:
    """Counters that moved within the job, and those that are not clean but stood still (or are none of the fatal ones)."""
    moved: list[Evidence] = []
    older: list[Evidence] = []
    for report in job.reports:
        before = {g.uuid: g for g in report.gpus_before}
        for after in report.gpus_after:
            old = before.get(after.uuid)
            where = Where(node=after.node, gpu_uuid=after.uuid)
            from_ns, to_ns = old.time_ns if old else after.time_ns, after.time_ns
            for name in WATCHED_COUNTERS:
                now, then = getattr(after, name), getattr(old, name) if old else None
                if not isinstance(now, int):
                    continue
                if isinstance(then, int) and now > then:
                    fatal = name in FATAL_COUNTERS
                    says = "gpu_counter" if fatal else "gpu_latent"
                    (moved if fatal else older).append(citations.counter(where, name, then, now, from_ns=from_ns, to_ns=to_ns, says=says))
                elif now > 0 and name in FLAT_COUNTERS:
                    flat = now if then is None else then
                    older.append(citations.counter(where, name, flat, now, from_ns=from_ns, to_ns=to_ns, says="gpu_latent"))
            if after.remap_pending or after.remap_failure:
                name = "remap_failure" if after.remap_failure else "remap_pending"
                was = int(bool(old and getattr(old, name)))
                older.append(citations.counter(where, name, was, 1, from_ns=from_ns, to_ns=to_ns, says="gpu_latent"))
    return moved, older


def _vanished(job: JobRecord) -> list[Evidence]:
    """GPUs read before and not after, on a node whose other GPUs could be read after: the driver answered, that card did not."""
    gone: list[Evidence] = []
    for report in job.reports:
        after = {g.uuid for g in report.gpus_after}
        if not after:
            continue
        gone.extend(
            citations.field(
                "gpu_vanished",
                f"GPUs of {report.node}",
                "NVML before and after the job",
                old.uuid,
                "there before the job, not to be read after it",
                where=Where(node=report.node, gpu_uuid=old.uuid),
                time_ns=report.job_ended_ns,
            )
            for old in report.gpus_before
            if old.uuid not in after
        )
    return gone


def _nodes(job: JobRecord, ending: Ending) -> tuple[tuple[Evidence, ...], tuple[Evidence, ...]]:
    lost: list[Evidence] = []
    notes: list[Evidence] = []
    row = job.accounting[-1] if job.accounting else None
    mine = set(job.nodes)
    failed = row.failed_node if row else None
    if failed and row is not None:
        lost.append(
            citations.field(
                "node_lost", f"accounting of job {row.job_id}", row.source, "FailedNode", failed, where=Where(node=failed), time_ns=row.end_ns
            )
        )
    if ending.state in {"NODE_FAIL", "BOOT_FAIL"} and row is not None:
        where = Where(node=job.nodes[0] if len(job.nodes) == 1 else failed)
        lost.append(citations.field("node_lost", f"accounting of job {row.job_id}", row.source, "State", row.state, where=where, time_ns=row.end_ns))
    for event in job.node_events:
        if mine and event.node not in mine:
            continue
        sure = _lost_with(event, ending) and (ending.state != "COMPLETED")
        (lost if sure else notes).append(citations.node_event(event, lost=sure))
    for told in job.node_states:
        if told.node in mine and any(word in told.state.upper() for word in ("DOWN", "NOT_RESPONDING", "DRAIN", "FAIL")):
            event = NodeEvent(source=told.source, node=told.node, state=told.state, reason=told.reason, start_ns=told.reason_time_ns)
            sure = _lost_with(event, ending) and ending.state in {"NODE_FAIL", ""}
            (lost if sure else notes).append(citations.node_event(event, lost=sure))
    return tuple(lost), tuple(notes)


def _lost_with(event: NodeEvent, ending: Ending) -> bool:
    """The node went down while the job ran on it and the job ended with it; a drain is no loss, nor is what the job's cleaning up caused."""
    state = event.state.upper()
    if not any(word in state for word in LOST_STATES) or ("DRAIN" in state and "DOWN" not in state and "RESPOND" not in state):
        return False
    if any(words in (event.reason or "") for words in NOT_THE_NODE):
        return False
    if event.start_ns is None or ending.ended_ns is None:
        return ending.state == "NODE_FAIL"
    started = ending.started_ns if ending.started_ns is not None else 0
    if event.end_ns is not None and event.end_ns <= started:
        return False  # the node was back in service before the run began
    near_end = abs(event.start_ns - ending.ended_ns) <= EPISODE_BEFORE_S * 1e9
    return started - 60e9 <= event.start_ns and near_end and (ending.state != "COMPLETED")


def rows_of_attempts(job: JobRecord) -> tuple[AccountingRecord, ...]:
    """The earlier rows of the same job: requeues."""
    return job.accounting[:-1]

"""What the machine said: XIDs, counters before and after, GPUs that vanished, nodes that were lost. SYSTEM trust only."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from gpualert_slurm.accounting import NodeEvent
from gpualert_slurm.classifier import citations
from gpualert_slurm.classifier.ending import Ending
from gpualert_slurm.classifier.episode import EPISODE_BEFORE_S, Episode
from gpualert_slurm.classifier.xids import Kind, xid_kind
from gpualert_slurm.evidence import Evidence, Role, Trust, Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.job_record import JobRecord

FATAL_COUNTERS = ("ecc_volatile_uncorrected", "ecc_aggregate_uncorrected", "remapped_rows_uncorrectable", "nvlink_recovery_errors")
"""A step of one of these within the job is hardware (uncorrected ECC > 0: gcm's and gpud's own threshold)."""
WATCHED_COUNTERS = (*FATAL_COUNTERS, "remapped_rows_correctable", "nvlink_replay_errors", "nvlink_crc_errors")
FLAT_COUNTERS = ("remapped_rows_uncorrectable", "remapped_rows_correctable", "ecc_aggregate_uncorrected")
"""Worth a warning when they are not zero, even if they did not move."""
SAMPLED_ALWAYS = {"gpu_utilization_percent", "gpu_memory_used_bytes", "gpu_power_mw", "gpu_temperature_c"}
LEAST_SAMPLES = 5
SILENT_SAMPLES_NS = 60 * 10**9
"""Samples are 10 s apart: six missing ones are no accident."""
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
    incidental: tuple[Evidence, ...]
    """A recovery action or a health flag: never evidence of a fault by itself."""
    lost: tuple[Evidence, ...]
    node_notes: tuple[Evidence, ...]
    kernel_oom: tuple[Evidence, ...]
    has_counters: bool
    gpus: tuple[GpuSnapshot, ...]


def hardware_of(job: JobRecord, ending: Ending, episode: Episode, evidence: tuple[Evidence, ...]) -> Hardware:
    """All of it, put before or into the terminal episode: what the run made progress after, or what lies long before it, is latent."""
    struck: list[Evidence] = []
    latent: list[Evidence] = []
    application: list[Evidence] = []
    system = [e for e in evidence if e.trust is Trust.SYSTEM]
    for line in system:
        if line.says == "xid":
            number = line.data.get("xid")
            kind = xid_kind(number if isinstance(number, int) else -1)
            if kind is Kind.APPLICATION:
                application.append(line)
            elif kind is Kind.HARDWARE:
                (struck if episode.holds(line.time_ns) else latent).append(line)
            elif kind is Kind.LATENT:
                latent.append(line)
        elif line.says in {"gpu_off_bus", "sxid"}:
            (struck if episode.holds(line.time_ns) else latent).append(line)
    moved, older = _counters(job)
    timed = [e for e in struck if e.time_ns is not None]
    dated_elsewhere = any(e.says == "xid" and not episode.holds(e.time_ns) for e in latent) and not timed
    for counter in moved:
        when = _moved_at(job, counter)
        if when is not None:  # sampled: it is known when it moved
            dated = counter.model_copy(update={"time_ns": when, "data": {**counter.data, "dated": True}})
            (struck if episode.holds(when) else latent).append(dated)
        else:  # only before and after: not in the episode where an old XID says when it moved
            (latent if dated_elsewhere else struck).append(counter)
    for told in system:
        if told.says == "gpu_counter":
            dated = told.model_copy(update={"data": {**told.data, "dated": told.time_ns is not None}})
            (struck if told.data.get("counter") in FATAL_COUNTERS and episode.holds(told.time_ns) else latent).append(dated)
    latent.extend(older)
    struck.extend(_vanished(job))
    struck.extend(_fell_silent(job, episode))
    incidental = _health(job)
    lost, notes = _nodes(job, ending)
    return Hardware(
        tuple(struck),
        tuple(latent),
        tuple(application),
        incidental,
        lost,
        notes,
        tuple(e for e in system if e.says == "kernel_oom"),
        any(r.gpus_before and r.gpus_after for r in job.reports),
        tuple({g.uuid: g for r in job.reports for g in (*r.gpus_before, *r.gpus_after)}.values()),
    )


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


def _moved_at(job: JobRecord, counter: Evidence) -> int | None:
    """When a counter last moved, where it was sampled: the first reading at its last height."""
    name = counter.data.get("counter")
    for report in job.reports:
        for one in report.series:
            if one.name == name and one.where.gpu_uuid == counter.where.gpu_uuid and report.node == counter.where.node and len(one.values) >= 2:
                rises = [t for (_, old), (t, new) in itertools.pairwise(zip(one.times_ns, one.values, strict=False)) if t is not None and new > old]
                if rises:
                    return rises[-1]
    return None


def _fell_silent(job: JobRecord, episode: Episode) -> list[Evidence]:
    """One GPU whose samples stop in the episode while the others of its node go on to the end: the driver lost it."""
    gone: list[Evidence] = []
    for report in job.reports:
        ends: dict[str, int] = {}
        for one in report.series:
            if one.where.gpu_uuid is None or one.name not in SAMPLED_ALWAYS:
                continue
            times = [t for t in one.times_ns if t is not None]
            if len(times) >= LEAST_SAMPLES:
                ends[one.where.gpu_uuid] = max(ends.get(one.where.gpu_uuid, 0), times[-1])
        after = {g.uuid for g in report.gpus_after}
        last = max(ends.values(), default=0)
        early = [uuid for uuid, end in ends.items() if last - end >= SILENT_SAMPLES_NS and uuid not in after]
        if len(ends) < 2 or len(early) != 1 or not episode.holds(ends[early[0]]) or (not report.gpus_after and len(ends) < 3):
            continue
        where = Where(node=report.node, gpu_uuid=early[0])
        words = f"its samples stop {(last - ends[early[0]]) / 1e9:.0f} s before the other GPUs' of the node"
        gone.append(citations.field("gpu_vanished", f"GPUs of {report.node}", "NVML samples", early[0], words, where=where, time_ns=ends[early[0]]))
    vanished = {(e.where.node, e.where.gpu_uuid) for e in _vanished(job)}
    return [e for e in gone if (e.where.node, e.where.gpu_uuid) not in vanished]


def _health(job: JobRecord) -> tuple[Evidence, ...]:
    """What NVML recommends, over whatever counters: a hint for the operators."""
    asked = [g for r in job.reports for g in r.gpus_after if g.recovery_action not in {None, "none", "None"}]
    return tuple(
        citations.field(
            "gpu_latent",
            f"GPU {g.uuid} on {g.node}",
            "NVML after the job",
            "recovery_action",
            str(g.recovery_action),
            role=Role.MARKER,
            where=Where(node=g.node, gpu_uuid=g.uuid),
            time_ns=g.time_ns,
        )
        for g in asked[:8]
    )


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
    lost.extend(_rebooted(job, ending))
    for told in job.node_states:
        if told.node in mine and any(word in told.state.upper() for word in ("DOWN", "NOT_RESPONDING", "DRAIN", "FAIL")):
            event = NodeEvent(source=told.source, node=told.node, state=told.state, reason=told.reason, start_ns=told.reason_time_ns)
            sure = _lost_with(event, ending) and ending.state in {"NODE_FAIL", ""}
            (lost if sure else notes).append(citations.node_event(event, lost=sure))
    return tuple(lost), tuple(notes)


def _rebooted(job: JobRecord, ending: Ending) -> list[Evidence]:
    """Nodes that booted while the job ran on them, by Slurm's own word: they went down, whatever state they are in now."""
    if ending.started_ns is None or ending.state in {"COMPLETED", ""}:
        return []
    until = (ending.ended_ns or ending.started_ns) + round(EPISODE_BEFORE_S * 1e9)
    found = []
    for told in job.node_states:
        boot = told.boot_time_ns
        if told.node in job.nodes and boot is not None and ending.started_ns < boot <= until:
            where = Where(node=told.node)
            found.append(
                citations.field(
                    "node_lost", f"node {told.node}", told.source, "BootTime", "booted while the job ran on it", where=where, time_ns=boot
                )
            )
    return found


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

"""The two kinds of work that run in forked children: making a job's report, and handing a document over."""

from __future__ import annotations

import pwd
import sys
import time
from pathlib import Path
from typing import Any, Literal

from gpualert_slurm.config import Config
from gpualert_slurm.epilog.collect import Ended, collect, is_first_node
from gpualert_slurm.epilog.collect_log_work import Scan
from gpualert_slurm.evidence import Trust
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_file import EpilogFacts, JobFile
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.programs.gpualert_node.child import ForGoodError
from gpualert_slurm.spool import read_bounded, write_whole
from gpualert_slurm.stall import Stall, StallNote

MOST_DOCUMENT_BYTES = 64 << 20
_KINDS: dict[str, type[JobNote] | type[StallNote]] = {"note": JobNote, "stall": StallNote}


def note_for(job: JobFile, cluster: str) -> JobNote | None:
    """The note of a job, if this node is the one that speaks for it."""
    if not is_first_node(job):
        return None
    return JobNote(**_of(job, cluster), work_dir=job.claims.work_dir, written_ns=time.time_ns())


def stall_note(job: JobFile, cluster: str, stall: Stall, number: int) -> StallNote:
    """The note by which the owner of a running job hears of a standstill, or of its end."""
    kind: Literal["stalled", "resumed"] = "stalled" if stall.resumed_ns is None else "resumed"
    return StallNote(**_of(job, cluster), number=number, kind=kind, stall=stall, written_ns=time.time_ns())


def _of(job: JobFile, cluster: str) -> dict[str, Any]:
    """What both notes say of the job and who is to hear of it."""
    return {
        "attempt": Ended(job, cluster).attempt,
        "uid": job.uid,
        "user": job.claims.user,
        "node": job.node,
        "nodes": job.claims.nodes or job.node,
        "wishes": job.wishes,
    }


def write_report(job: JobFile, cluster: str, config: Config, target: Path, *, read_logs: bool) -> None:
    """Collect the job and put its report at ``target``, whole and durable. Raises OSError, ValueError."""
    from gpualert_slurm.programs.gpualert_node.watched import watched

    ended = _ended(job, cluster)
    report = within(collect(ended, watched(ended), config, _scan() if read_logs else None), config.daemon.max_report_bytes)
    content = report.json_bytes()
    write_whole(target, content)
    NodeReport.model_validate_json(content)  # what we cannot read back, the daemon cannot either: then the logs are left out
    print(f"<6>job {job.job_id}: report of {len(content)} bytes, {len(report.evidence)} pieces of evidence, {len(report.gaps)} gaps", file=sys.stderr)


def within(report: NodeReport, most_bytes: int) -> NodeReport:
    """The report in ``most_bytes`` of JSON: what the logs gave goes, the bulkiest and least telling first, each with a gap; SYSTEM evidence stays."""
    system = tuple(e for e in report.evidence if e.trust is Trust.SYSTEM)
    for field, what in (("series", "series"), ("artifacts", "artifacts"), ("excerpts", "excerpts"), ("evidence", "evidence from logs")):
        size = len(report.json_bytes())
        if size <= most_bytes:
            break
        gap = Gap(what=f"the report's {what}", why=f"with more than {most_bytes} bytes (it had {size}) the daemon would refuse it", node=report.node)
        report = report.model_copy(update={field: system if field == "evidence" else (), "gaps": (*report.gaps, gap)})
    return report


def _scan() -> Scan:
    """The classifier's, with its parsers loaded: here once and as root, not in each log's child, whose user may not read our files."""
    import io

    from gpualert_slurm.classifier import scan
    from gpualert_slurm.evidence import Where

    scan(io.BytesIO(b"\n"), "", Where())
    return scan


def _ended(job: JobFile, cluster: str) -> Ended:
    try:
        epilog: EpilogFacts | None = EpilogFacts.read(job.record_folder)
    except (OSError, ValueError):
        epilog = None
    if epilog is not None and epilog.attempt == job.attempt:
        return Ended(job, cluster, epilog)
    boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    if boot != job.boot_id:
        return Ended(job, cluster, why="the node was rebooted while the job ran")
    return Ended(job, cluster, why="gpualert-epilog did not run for it; its end was noticed when no step of it was left")


def deliver(path: Path, config: Config) -> None:
    """Seal the document at ``path`` and hand it to the transport. Raises OSError, SealUnavailableError, ConfigError: try again; ForGoodError."""
    from gpualert_slurm.epilog.pieces import close_document
    from gpualert_slurm.epilog.seal import SealKeys, seal_of
    from gpualert_slurm.epilog.transport import transport_of

    site = config.site
    attempt, _, kind = path.name.rpartition(".")
    if kind == "stall":
        attempt = attempt.rpartition(".")[0]
    try:
        content = read_bounded(path, MOST_DOCUMENT_BYTES)
        document = _KINDS.get(kind, NodeReport).model_validate_json(content)
    except ValueError as error:
        raise ForGoodError(f"it is no document of this version: {str(error).splitlines()[0]}") from error
    try:
        uid = pwd.getpwnam(site.daemon_user).pw_uid
    except KeyError as error:
        words = "it must have, with the uid it has where gpualertd runs"
        raise OSError(f"this node has no user {site.daemon_user!r} (site.daemon_user): {words}") from error
    transport_of(site).send(close_document(document, attempt, seal_of(site), SealKeys.of(site, uid)), site)

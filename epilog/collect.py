"""Everything one node knows about one run of a job, as its NodeReport. What is missing is a gap; nothing here raises for it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.config import Config
from gpualert_slurm.epilog.collect_account import Account, look_up
from gpualert_slurm.epilog.collect_archive import archive, folder_for
from gpualert_slurm.epilog.collect_artifacts import Artifacts, take_artifacts
from gpualert_slurm.epilog.collect_clock import clock_uncertainty
from gpualert_slurm.epilog.collect_log_work import Scan
from gpualert_slurm.epilog.collect_logs import LogFindings, LogReader, in_order
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.host import HostSnapshot
from gpualert_slurm.job_file import EpilogFacts, JobFile
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit, RankLog
from gpualert_slurm.series import Series
from gpualert_slurm.stall import Stall

MOST_GAPS = 300
MOST_TASKS = 20_000
"""Named in a report: with their logs some 16 MB of JSON, half of what a daemon takes (``daemon.max_report_bytes``)."""
_NOT_FOR_ARTIFACTS = 0.3
"""Of the time for collecting, this part is left for artifacts and the copy when the logs take long."""


@dataclass
class Watched:
    """What was watched while the job ran: SYSTEM, and this job's only."""

    gpus_before: list[GpuSnapshot] = field(default_factory=list)
    gpus_after: list[GpuSnapshot] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    series: list[Series] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    host_before: HostSnapshot | None = None
    host_after: HostSnapshot | None = None
    stalls: list[Stall] = field(default_factory=list)
    gaps: list[Gap] = field(default_factory=list)


@dataclass(frozen=True)
class Ended:
    """A job that is over on this node. ``epilog`` is absent where its epilog never ran; ``why`` then says how its end was noticed."""

    job: JobFile
    cluster: str
    epilog: EpilogFacts | None = None
    why: str | None = None

    @property
    def attempt(self) -> Attempt:
        """The run in Slurm's words, the Epilog's before the job's own."""
        env = self.epilog.env if self.epilog else {}
        job, claims = self.job, self.job.claims
        return Attempt(
            cluster=self.cluster,
            job_id=job.job_id,
            array_job_id=_number(env.get("SLURM_ARRAY_JOB_ID")) or job.array_job_id,
            array_task_id=job.array_task_id if "SLURM_ARRAY_TASK_ID" not in env else _number(env["SLURM_ARRAY_TASK_ID"]),
            het_job_id=_number(env.get("SLURM_HET_JOB_ID")) or claims.het_job_id,
            het_offset=_number(env.get("SLURM_HET_JOB_OFFSET")) if "SLURM_HET_JOB_OFFSET" in env else claims.het_offset,
            restart_count=_number(env.get("SLURM_JOB_RESTART_COUNT")),
            start_time_ns=job.started_ns,
            sluid=env.get("SLURM_JOB_SLUID"),
        )

    @property
    def nodes(self) -> str:
        """The allocation as Slurm writes it; this node alone where nobody said it."""
        env = self.epilog.env if self.epilog else {}
        return env.get("SLURM_JOB_NODELIST") or self.job.claims.nodes or self.job.node

    @property
    def work_dir(self) -> str | None:
        """The job's work directory."""
        env = self.epilog.env if self.epilog else {}
        return env.get("SLURM_JOB_WORK_DIR") or self.job.claims.work_dir


def is_first_node(job: JobFile) -> bool:
    """Whether this node speaks for the allocation: it sends the note and takes the artifacts.

    The batch script's node, or node 0 of the step that brought the job here. Steps on other nodes of a batch job may count from 0
    again: then there are several notes, which the daemon folds; none would lose the job.
    """
    return job.step_node_index in (0, None) or job.first_step in {"batch", "interactive"}


def collect(ended: Ended, watched: Watched, config: Config, scan: Scan | None) -> NodeReport:
    """The report of one node.

    Args:
        ended: the job's files.
        watched: what was seen while it ran.
        config: bounds and paths.
        scan: the classifier's; None leaves the logs unread (after the collector died of them), and says so.
    """
    job, bounds = ended.job, config.node
    begun = time.monotonic()
    gaps = list(watched.gaps)
    exits, logs = _records(job, gaps)
    if ended.epilog is None:
        gaps.append(Gap(what="what Slurm told the node's Epilog", why=ended.why or "gpualert-epilog did not run for this job"))
    account = look_up(job.uid, job.gid)
    if account.problem:
        gaps.append(Gap(what="the job's user", why=account.problem))
    ordered = in_order(logs, exits)
    found = LogFindings(gaps=[Gap(what="what the logs say", why="reading them ended the collector again and again")])
    artifacts, archive_path = Artifacts(), None
    if scan is not None:
        reader = LogReader(account, scan, bounds, job.node)
        found = reader.logs(ordered, begun + bounds.collect_timeout_s * (1 - _NOT_FOR_ARTIFACTS))
        for path in sorted(job.record_folder.glob("*.stepd.log")):
            _add(found, reader.stepd_log(path, path.name.removesuffix(".stepd.log"), begun + bounds.collect_timeout_s * (1 - _NOT_FOR_ARTIFACTS)))
        if is_first_node(job):
            artifacts = take_artifacts(job.wishes.artifacts, ended.work_dir, account, bounds, _left(begun, bounds.collect_timeout_s))
        if config.site.archive_dir is not None and ordered:
            archive_path, missed = _archive(config, ordered, account, ended.attempt, _left(begun, bounds.collect_timeout_s))
            gaps += missed
    gaps += [*found.gaps, *artifacts.gaps]
    clock_ns, vouched = clock_uncertainty()
    if not vouched and ended.nodes != job.node:
        why = f"its kernel is not synchronised by NTP; {clock_ns // 1_000_000} ms are assumed"
        gaps.append(Gap(what="how far this node's clock is off", why=why))
    return NodeReport(
        attempt=ended.attempt,
        uid=job.uid,
        user=account.name or (ended.epilog.env.get("SLURM_JOB_USER") if ended.epilog else None),
        node=job.node,
        nodes=ended.nodes,
        boot_id=job.boot_id,
        wishes=job.wishes,
        work_dir=ended.work_dir,
        job_started_ns=job.started_ns,
        job_ended_ns=ended.epilog.ended_ns if ended.epilog else None,
        written_ns=time.time_ns(),
        clock_uncertainty_ns=clock_ns,
        capture=job.capture,
        epilog_env=ended.epilog.env if ended.epilog else {},
        logs=tuple(ordered),
        exits=tuple(exits),
        gpus_before=tuple(watched.gpus_before),
        gpus_after=tuple(watched.gpus_after),
        processes=tuple(watched.processes),
        host_before=watched.host_before,
        host_after=watched.host_after,
        stalls=tuple(watched.stalls),
        evidence=(*watched.evidence, *found.evidence),
        series=(*watched.series, *found.series),
        excerpts=tuple(found.excerpts),
        artifacts=tuple(artifacts.files),
        archive_path=archive_path,
        gaps=tuple(_bounded(gaps, job.node)),
    )


def _records(job: JobFile, gaps: list[Gap]) -> tuple[list[RankExit], list[RankLog]]:
    """Exit records and logs; a record that never saw its task end is a gap."""
    records, problems = ExitRecord.read_folder(job.record_folder)
    gaps += [Gap(what="an exit record", why=problem) for problem in problems]
    logs: list[RankLog] = []
    for record in records:
        own = record.rank_logs(job.log_folder, job.record_folder)
        logs += own
        for path, hole in ((log.path, hole) for log in own for hole in log.holes):
            what = f"{hole.length} bytes from byte {hole.offset} on of {path}"
            gaps.append(Gap(what=what, why="capture keeps head and tail", rank=record.rank))
        task = f"task {record.task} of step {record.step}"
        if record.state == "prepared":
            why = "Slurm never started it, or its slurmstepd died before it ended"
            gaps.append(Gap(what=f"how {task} ended", why=why, rank=record.rank))
        elif record.state == "exited":
            gaps.append(Gap(what=f"the end of the logs of {task}", why="slurmstepd died before it closed them", rank=record.rank))
        if record.capture not in {"on", job.capture}:
            gaps.append(Gap(what=f"the logs of step {record.step}", why=f"capture was {record.capture}"))
    if not records:
        gaps.append(Gap(what="exit records", why="no step of the job left one on this node"))
    if job.capture != "on":
        gaps.append(Gap(what="the job's logs", why=f"capture was {job.capture}"))
    return _most([r.rank_exit() for r in records], logs, gaps)


def _most(exits: list[RankExit], logs: list[RankLog], gaps: list[Gap]) -> tuple[list[RankExit], list[RankLog]]:
    """Of a job of very many short steps the tasks that did not end well, then the first ones, in their order."""
    if len(exits) <= MOST_TASKS:
        return exits, logs
    worst = sorted(range(len(exits)), key=lambda at: (exits[at].exit_code == 0, at))[:MOST_TASKS]
    kept = [exits[at] for at in sorted(worst)]
    tasks = {(e.step, e.local_rank) for e in kept}
    gaps.insert(0, Gap(what=f"how {len(exits) - len(kept)} more tasks ended, and their logs", why=f"a report names {MOST_TASKS} tasks"))
    return kept, [log for log in logs if (log.step, log.local_rank) in tasks]


def _archive(config: Config, logs: Sequence[RankLog], account: Account, attempt: Attempt, deadline_s: float) -> tuple[str | None, list[Gap]]:
    folder = folder_for(config.site.archive_dir or "", account, attempt)
    if isinstance(folder, Gap):
        return None, [folder]
    return archive(logs, folder, account, config.node, deadline_s)


def _add(found: LogFindings, more: LogFindings) -> None:
    known = {e.id for e in found.evidence}
    found.evidence += [e for e in more.evidence if e.id not in known]
    found.series += more.series
    found.gaps += more.gaps


def _left(begun: float, seconds: float) -> float:
    """What is left of the time for all, and two seconds at least: the last child is bounded as well."""
    return max(2.0, begun + seconds - time.monotonic())


def _bounded(gaps: Sequence[Gap], node: str) -> list[Gap]:
    kept = [gap if gap.node else gap.model_copy(update={"node": node}) for gap in gaps[:MOST_GAPS]]
    if len(gaps) > MOST_GAPS:
        kept.append(Gap(what=f"{len(gaps) - MOST_GAPS} more gaps", why=f"a report names {MOST_GAPS}", node=node))
    return kept


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() and len(text) < 11 else None


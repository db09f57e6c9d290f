"""From what was kept in the record folder to what the report says: this job's GPUs and kernel lines only."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.epilog.collect import Ended, Watched
from gpualert_slurm.evidence import Evidence, Where
from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch.gpu_choice import GpuChoice, choose, parse_devices_list
from gpualert_slurm.spank.watch.kernel_evidence import tied
from gpualert_slurm.spank.watch.snapshots import series
from gpualert_slurm.spank.watch.watch_files import GpuLine, WatchFiles, WatchState

_AFTERWARDS_NS = 5_000_000_000
"""The kernel's last words about a job may come a little later than its epilog."""


def watched(ended: Ended) -> Watched:
    """Everything watched about the job; what could not be seen is a gap."""
    job = ended.job
    files = WatchFiles(job.record_folder)
    state = files.state()
    lines = list(files.gpus())
    before = [line for line in lines if line.when == "before"][:1]
    after = [line for line in lines if line.when == "after"][-1:]
    seen = [gpu for line in (*before, *after) for gpu in line.gpus]
    choice = _choose(ended, state, seen)
    found = Watched()
    found.gpus_before, found.gpus_after = _chosen(before, choice), _chosen(after, choice)
    found.series = series(((line.time_ns, line.sample) for line in lines if line.when == "sample"), job.node, choice.uuids.__contains__)
    found.gaps = _gpu_gaps(lines, choice, seen, ended, alone=bool(state and state.alone))
    kernel, gaps = _kernel(ended, files, state, [gpu for gpu in seen if gpu.uuid in choice.uuids])
    found.evidence = kernel
    found.gaps += gaps
    return found


def _choose(ended: Ended, state: WatchState | None, seen: Sequence[GpuSnapshot]) -> GpuChoice:
    env = ended.epilog.env if ended.epilog else {}
    minors = parse_devices_list(state.devices_list) if state and state.devices_list else None
    return choose(seen, env.get("SLURM_JOB_GPUS"), minors, state.alone if state else None)


def _chosen(lines: Sequence[GpuLine], choice: GpuChoice) -> list[GpuSnapshot]:
    return [gpu for line in lines for gpu in line.gpus if gpu.uuid in choice.uuids]


def _gpu_gaps(lines: Sequence[GpuLine], choice: GpuChoice, seen: Sequence[GpuSnapshot], ended: Ended, *, alone: bool) -> list[Gap]:
    node = ended.job.node
    gaps: list[Gap] = []
    for what, when in (("GPU counters before the job", "before"), ("GPU counters after the job", "after")):
        if not any(line.when == when for line in lines):
            late = when == "before" and any(line.when == "after" for line in lines)
            why = "the job was over when gpualert-node took it up" if late else ended.why or "gpualert-node was not there when they were to be read"
            gaps.append(Gap(what=what, why=why, node=node))
    if choice.why_not is not None:
        gaps.append(Gap(what="which GPUs are the job's, so their counters", why=choice.why_not, node=node))
    own = {name for gpu in seen if gpu.uuid in choice.uuids for name in (f"GPU {gpu.uuid}", f"GPU {gpu.index}")}
    said: set[tuple[str, str]] = set()
    for line in lines:
        for gap in line.gaps:
            of_one_card = re.match(r"GPU (?:\d|GPU-)", gap.what) is not None
            if (not of_one_card or alone or gap.what in own) and (gap.what, gap.why) not in said:
                said.add((gap.what, gap.why))
                gaps.append(gap)
    return gaps


def _kernel(ended: Ended, files: WatchFiles, state: WatchState | None, gpus: Sequence[GpuSnapshot]) -> tuple[list[Evidence], list[Gap]]:
    job = ended.job
    records, _ = ExitRecord.read_folder(job.record_folder)
    tasks = {r.pid: Where(node=job.node, rank=r.rank, local_rank=r.local, pid=r.pid, step=r.step) for r in records if r.pid is not None}
    pids = set(state.pids if state else ()) | set(tasks)
    until = (ended.epilog.ended_ns + _AFTERWARDS_NS) if ended.epilog else None
    lines = [line for line in files.kernel() if until is None or (line.time_ns or 0) - (line.uncertainty_ns or 0) <= until]
    kept, gaps = tied(lines, job.job_id, pids, gpus, job.node, alone=state.alone if state else None, rank_of=tasks.get)
    if state is None:
        gaps.append(Gap(what="the kernel log of the job's time", why="gpualert-node was not there to read it", node=job.node))
        return kept, gaps
    if state.kernel_problem is not None:
        gaps.append(Gap(what="the kernel log of the job's time", why=state.kernel_problem, node=job.node))
    if state.kernel_lost or state.kernel_left_out:
        words = f"{state.kernel_lost + state.kernel_left_out} kernel lines"
        gaps.append(Gap(what=words, why="the kernel overwrote them before they were read, or they were too many to keep", node=job.node))
    if state.kernel_undated:
        why = "they may be from before the job: the kernel's clock does not say it closely enough"
        gaps.append(Gap(what=f"{state.kernel_undated} kernel lines", why=why, node=job.node))
    if state.kernel_from_ns is not None and state.kernel_from_ns > job.started_ns:
        why = "the kernel had overwritten it when gpualert-node came to read it"
        gaps.append(Gap(what="the kernel log of the job's beginning", why=why, node=job.node))
    return kept, gaps

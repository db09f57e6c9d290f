"""From what was kept in the record folder to what the report says: this job's GPUs and kernel lines only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, timezone
from functools import partial

from gpualert_slurm.epilog.collect import Ended, Watched
from gpualert_slurm.evidence import Evidence, Where
from gpualert_slurm.exit_record import ExitRecord
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.process import Process
from gpualert_slurm.programs.gpualert_node.job_look import Looks, read_looks
from gpualert_slurm.programs.gpualert_node.job_stalls import read_stalls
from gpualert_slurm.programs.gpualert_node.whose import Whose
from gpualert_slurm.programs.gpualert_node.xid_evidence import xid_evidence
from gpualert_slurm.spank.watch.gpu_choice import GpuChoice, choose, parse_devices_list
from gpualert_slurm.spank.watch.kernel_evidence import tied
from gpualert_slurm.spank.watch.process_map import MOST_REPORTED
from gpualert_slurm.spank.watch.sample_file import read
from gpualert_slurm.spank.watch.snapshots import series
from gpualert_slurm.spank.watch.watch_files import SAMPLES, GpuLine, WatchFiles, WatchState

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
    looks = read_looks(files)
    records, _ = ExitRecord.read_folder(job.record_folder)
    whose = Whose(job.node, records, list(looks.processes) if looks else [])
    choice = _choose(ended, state, seen, {uuid for process in whose.processes for uuid in process.gpu_uuids})
    own = [gpu for gpu in seen if gpu.uuid in choice.uuids]
    found = Watched(processes=_listed(whose, choice))
    found.gpus_before, found.gpus_after = _chosen(before, choice), _chosen(after, choice)
    found.series = series(read(files.folder / SAMPLES), job.node, partial(_of_the_job, whose, choice))
    found.gaps = _gpu_gaps(lines, choice, seen, ended, alone=bool(state and state.alone))
    found.gaps += _sm_gaps(found, own, job.node) + _slice_gaps(own, job.node)
    kernel, gaps = _kernel(ended, files, state, own, whose)
    slices = {part for process in whose.processes for part in process.gpu_slices}
    found.evidence = kernel + xid_evidence((event for line in lines for event in line.events), own, kernel, job.node, slices)
    found.gaps += gaps + _look_gaps(looks, job.node) + _clock_gaps(state, job.node) + _call_gaps(state, own, job.node)
    found.stalls = list(read_stalls(job.record_folder).stalls)
    if looks is not None:
        found.host_before, found.host_after = looks.host_first, looks.host_last
    return found


def _of_the_job(whose: Whose, choice: GpuChoice, where: Where) -> Where | None:
    """Whose numbers these are, in the report's words; None for another's card."""
    if where.gpu_uuid is not None:
        return whose.of_gpu(where.gpu_uuid) if where.gpu_uuid in choice.uuids else None
    if where.pid is not None:
        return whose.of_pid(where.pid) or where
    if where.local_rank is not None and where.step is not None:
        return whose.of_log(where.step, where.local_rank)
    return where


def _listed(whose: Whose, choice: GpuChoice) -> list[Process]:
    """The map without cards that are not the job's. Slices stay: a process was on them."""
    return [p.model_copy(update={"gpu_uuids": tuple(u for u in p.gpu_uuids if u in choice.uuids)}) for p in whose.processes]


def _sm_gaps(found: Watched, own: Sequence[GpuSnapshot], node: str) -> list[Gap]:
    """That there is no SM activity is said once, with what stands in for it."""
    sampled = any(s.name == "gpu_sm_activity_percent" for s in found.series)
    whys = {gpu.sm_activity_source for gpu in own if gpu.sm_activity_source not in (None, "GPM")}
    # The longest says most: the first reading may be from before DCGM had answered.
    fullest = max(map(str, whys), key=lambda why: (len(why), why), default="")
    return [] if sampled or not whys else [Gap(what="SM activity of the job's GPUs", why=fullest, node=node)]


def _slice_gaps(own: Sequence[GpuSnapshot], node: str) -> list[Gap]:
    """That a sliced card's counters are not the job's alone."""
    why = "NVML counts errors, clocks and power for the whole card, whoever's slice it was"
    cards = sorted({gpu.uuid for gpu in own if gpu.mig_enabled})
    return [Gap(what=f"counters of the job's MIG slices of GPU {uuid} alone", why=why, node=node) for uuid in cards]


def _look_gaps(looks: Looks | None, node: str) -> list[Gap]:
    if looks is None:
        return [Gap(what="the job's processes and the node's load", why="gpualert-node was not there to look", node=node)]
    gaps = []
    if looks.ends_problem is not None:
        gaps.append(Gap(what="how processes below a launcher ended", why=looks.ends_problem, node=node))
    if looks.ends_lost:
        gaps.append(Gap(what="how some processes ended", why=f"the kernel's proc connector overran {looks.ends_lost} times", node=node))
    if looks.left_out:
        gaps.append(Gap(what=f"{looks.left_out} more processes of this job", why=f"a report carries {MOST_REPORTED}", node=node))
    if looks.identity_stuck:
        gaps.append(Gap(what="who some processes were", why="reading /proc did not come back: they hang with their memory locked", node=node))
    return gaps


def _call_gaps(state: WatchState | None, own: Sequence[GpuSnapshot], node: str) -> list[Gap]:
    """That calls of CUDA and NCCL were to be counted and were not; of a job without GPUs nobody asks for them."""
    why = state.calls_problem if state and own else None
    return [Gap(what="counts of kernel launches and collectives", why=why, node=node)] if why else []


def _clock_gaps(state: WatchState | None, node: str) -> list[Gap]:
    """That times of the job are of two clocks."""
    gaps = []
    for step in state.clock_steps if state else ():
        until = datetime.fromtimestamp(step.at_ns / 1e9, timezone.utc).strftime("%H:%M:%S UTC")
        why = f"the node's clock was set by {step.by_ns / 1e9:+.1f} s, or the node slept"
        gaps.append(Gap(what=f"how times before {until} compare with later ones", why=why, node=node, time_ns=step.at_ns))
    return gaps


def _choose(ended: Ended, state: WatchState | None, seen: Sequence[GpuSnapshot], attached: set[str]) -> GpuChoice:
    env = ended.epilog.env if ended.epilog else {}
    minors = parse_devices_list(state.devices_list) if state and state.devices_list else None
    return choose(seen, env.get("SLURM_JOB_GPUS"), minors, state.alone if state else None, attached)


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


def _kernel(
    ended: Ended, files: WatchFiles, state: WatchState | None, gpus: Sequence[GpuSnapshot], whose: Whose
) -> tuple[list[Evidence], list[Gap]]:
    job = ended.job
    pids = set(state.pids if state else ()) | {r.pid for r in whose.records if r.pid is not None} | {p.pid for p in whose.processes}
    stepped = sum(abs(step.by_ns) for step in state.clock_steps) if state else 0  # lines from before are dated by another clock than the end
    until = (ended.epilog.ended_ns + _AFTERWARDS_NS + stepped) if ended.epilog else None
    lines = [line for line in files.kernel() if until is None or (line.time_ns or 0) - (line.uncertainty_ns or 0) <= until]
    kept, gaps = tied(lines, job.job_id, pids, gpus, job.node, alone=state.alone if state else None, rank_of=whose.of_pid, gone=whose.gone)
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

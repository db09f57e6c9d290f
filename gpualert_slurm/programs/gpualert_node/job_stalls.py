"""Standstills of one watched job: when to look closer, what was seen, and that it went on."""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from gpualert_slurm.config import Node
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_file import JobFile
from gpualert_slurm.programs.gpualert_node.child import Child
from gpualert_slurm.programs.gpualert_node.job_look import JobLook
from gpualert_slurm.programs.gpualert_node.log import WARNING, say
from gpualert_slurm.record import Record
from gpualert_slurm.spank.watch.stall_frames import culprit
from gpualert_slurm.spank.watch.stall_probe import ProbedRank, ask_ras, probe
from gpualert_slurm.spank.watch.stall_rhythm import FEWEST_GAPS, GpuFlatness, Stuck, Suspicion, suspect
from gpualert_slurm.spool import read_bounded, write_whole
from gpualert_slurm.stall import Stall, Waits

STALLS, PROBE = "stalls.json", "probe.json"
_AGAIN_S = 3600.0
_PROBE_DEADLINE_S = 10.0
_MOST_BYTES = 8 << 20
_WROTE_AGAIN = 2
"""Bursts of output after a stall that make it over: one may be a watchdog's complaint."""
_STUCK = (Waits.STOPPED, Waits.STORAGE, Waits.KERNEL)
"""What a node whose ranks never write can see end: the rank goes on."""
Why = Literal["silence", "time_limit"]


class Stalls(Record):
    """``stalls.json``: what was seen of a job's standstills. ``told`` counts notes about them that were written."""

    format: Literal["gpualert-stalls/1"] = "gpualert-stalls/1"
    stalls: tuple[Stall, ...] = ()
    told: int = 0


def read_stalls(folder: Path) -> Stalls:
    """What a service left."""
    try:
        return Stalls.model_validate_json(read_bounded(folder / STALLS, _MOST_BYTES))
    except (OSError, ValidationError, ValueError):
        return Stalls()


@dataclass
class JobStalls:
    """Looks whether a job stands still, has its ranks looked at in a child, and notices when it goes on."""

    job: JobFile
    bounds: Node
    looked: JobLook
    kept: Stalls = field(init=False)
    flatness: GpuFlatness = field(default_factory=GpuFlatness)
    stuck: Stuck = field(default_factory=Stuck)
    _child: Child | None = None
    _asked: tuple[Why, Suspicion | None, float, int] | None = None
    _next: float = 0.0
    _limit_done: bool = False
    _bursts: int = 0
    """How many intervals were known when the open stall was found."""

    def __post_init__(self) -> None:
        """Take up what an earlier service left."""
        self.kept = read_stalls(self.job.record_folder)
        self._limit_done = any(stall.why_probed == "time_limit" for stall in self.kept.stalls)

    @property
    def open(self) -> Stall | None:
        """The standstill that is not over, if there is one."""
        last = self.kept.stalls[-1] if self.kept.stalls else None
        return last if last is not None and last.silent and last.resumed_ns is None else None

    def step(self, now: float) -> Stall | None:
        """Look; gives a standstill that was just found, or one that is just over (``resumed_ns``): somebody is to be told. Raises OSError."""
        if self._child is not None:
            return self._reap()
        if self.open is not None:
            return self._resumed()
        if len(self.kept.stalls) >= self.bounds.stalls_per_job:
            return None
        suspicion = self._suspicion()
        limit = self._limit_near()
        if limit and not self._limit_done:
            self._limit_done = True
            self._start("time_limit", suspicion)
        elif suspicion is not None and now >= self._next:
            self._next = now + _AGAIN_S
            self._start("silence", suspicion)
        return None

    def stop(self) -> None:
        """Leave off. Called again until the child is gone, so that none stays behind unwaited for."""
        if self._child is None:
            return
        if self._asked is not None:
            self._child.kill()
            self._asked = None
        if self._child.poll() is not None:
            self._child = None

    def _suspicion(self) -> Suspicion | None:
        logs = self.looked.logs
        if self.looked.frozen:
            return None
        silence = None if logs.last_monotonic_ns is None else (time.monotonic_ns() - logs.last_monotonic_ns) / 1e9
        uuids = sorted({uuid for known in self.looked.map.living.values() for uuid in known.gpu_uuids})
        gpus = self.flatness.judge(uuids)
        found = suspect(silence, list(logs.gaps_s), logs.longest_gap_s, gpus, factor=self.bounds.stall_factor, least_s=self.bounds.stall_min_s)
        if found is not None or len(logs.gaps_s) >= FEWEST_GAPS or gpus[0] is False:
            return found
        # Often one rank of the run writes, on another node: here only what the kernel says of a rank can tell.
        stuck_s = self._stuck_s()
        return Suspicion(stuck_s, self.bounds.stall_min_s, None, gpus[1], by_state=True) if stuck_s >= self.bounds.stall_min_s else None

    def _stuck_s(self) -> float:
        return self.stuck.look({(k.pid, k.start_ticks): k.state for k in self.looked.map.ranks()}, time.monotonic())

    def _limit_near(self) -> bool:
        """Slurm tells the job when its time is up (SLURM_JOB_END_TIME, 22.05 and later). The job may have changed it: it is only looked at."""
        ends = [end for known in self.looked.map.living.values() if (end := known.number("SLURM_JOB_END_TIME", most=11)) is not None]
        return bool(ends) and 0 < min(ends) - time.time() <= self.bounds.stall_before_limit_s

    def _start(self, why: Why, suspicion: Suspicion | None) -> None:
        step = "SLURM_STEP_ID"
        whom = self.looked.whom()
        ranks = [ProbedRank(k.pid, k.start_ticks, k.rank, k.local_rank, k.environment.get(step), tuple(sorted(k.gpu_uuids))) for k in whom]
        path = self.job.record_folder / PROBE
        with contextlib.suppress(OSError):
            path.unlink()
        work = partial(_probe_into, path, self.job.node, self.job.uid, ranks)
        try:
            self._child = Child(f"probe of {self.job.attempt}", work, _PROBE_DEADLINE_S)
        except OSError as error:
            say(f"job {self.job.job_id}: no process could be made to look at its ranks: {error.strerror}", WARNING)
            return
        self._asked = why, suspicion, time.monotonic(), len(ranks)

    def _reap(self) -> Stall | None:
        if self._child is None or self._child.poll() is None:
            return None
        if self._asked is None:  # stopped
            self._child = None
            return None
        why, suspicion, begun, total = self._asked
        self._child = self._asked = None
        path = self.job.record_folder / PROBE
        logs = self.looked.logs
        try:
            seen = Stall.model_validate_json(read_bounded(path, _MOST_BYTES))
        except (OSError, ValidationError, ValueError):
            gap = Gap(what="where its ranks stand", why=f"looking at them took longer than {_PROBE_DEADLINE_S:g} s or failed", node=self.job.node)
            seen = Stall(node=self.job.node, found_ns=time.time_ns(), gaps=(gap,))
        found = seen.model_copy(
            update={
                "found_ns": time.time_ns(),
                "since_ns": time.time_ns() - int(suspicion.silence_s * 1e9) if suspicion and suspicion.by_state else logs.last_ns,
                "usual_interval_s": suspicion.usual_s if suspicion else None,
                "factor": self.bounds.stall_factor,
                "why_probed": why,
                "silent": suspicion is not None,
                "ranks_total": total,
                "gpu_idle": suspicion.gpu_idle if suspicion else None,
                "probe_s": round(time.monotonic() - begun, 3),
            }
        )
        self._bursts = logs.bursts
        self._keep((*self.kept.stalls, found))
        what = "a rank is stopped or waits in the kernel" if suspicion and suspicion.by_state else "no output"
        words = f"{what} since {round(suspicion.silence_s)} s" if suspicion else "near its time limit"
        say(f"job {self.job.job_id}: {words}; looked at {len(found.ranks)} of {total} ranks in {found.probe_s} s")
        return found if suspicion is not None else None

    def _resumed(self) -> Stall | None:
        last = self.open
        if last is None:
            return None
        writes = self.looked.logs.bursts >= self._bursts + _WROTE_AGAIN
        freed = last.usual_interval_s is None and any(rank.waits in _STUCK for rank in last.ranks) and self._stuck_s() == 0
        if not writes and not freed:
            return None
        over = last.model_copy(update={"resumed_ns": (self.looked.logs.last_ns if writes else None) or time.time_ns()})
        self._keep((*self.kept.stalls[:-1], over))
        return over

    def _keep(self, stalls: tuple[Stall, ...]) -> None:
        self.kept = self.kept.model_copy(update={"stalls": stalls})
        write_whole(self.job.record_folder / STALLS, self.kept.json_bytes())


def _probe_into(path: Path, node: str, uid: int, ranks: list[ProbedRank]) -> None:
    """What runs in the child."""
    os.nice(5)
    stands = tuple(probe(node, ranks))
    who = culprit(stands)
    found = Stall(
        node=node,
        found_ns=time.time_ns(),
        ranks=stands,
        culprit_pid=who[0].pid if who else None,
        culprit_rank=who[0].rank if who else None,
        culprit_why=who[1] if who else None,
        nccl_ras=ask_ras(uid),
    )
    write_whole(path, found.json_bytes())

"""A job of many cards, told call by call: what its ranks and launchers said, how they ended, what its nodes noticed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from corpus.label import Label
from corpus.make._otter_bells_by_pen_book import Book, Poses
from corpus.running.hand import GIB, Hand
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.stall import RankStand, Stall, Waits


class Rig(Book):
    """A book with words to fill it."""

    # --- words

    def say(self, rank: int, at: float, text: str, *, tag: str = "", err: bool = False) -> None:
        """One or more lines of a rank, each behind ``tag``."""
        stream = ("err" if err else "out") if self.split else "both"
        self.told.setdefault((rank, stream), []).append((at, "\n".join(tag + row for row in text.split("\n"))))

    def all_say(
        self,
        at: float,
        text: Callable[[int], str],
        ranks: Iterable[int] | None = None,
        *,
        apart: float = 0.04,
        tag: Callable[[int], str] = lambda _: "",
        err: bool = False,
    ) -> None:
        """The like of many ranks."""
        for r in self.ranks if ranks is None else ranks:
            self.say(r, at + apart * self.dice.uniform(0, len(self.ranks)) ** 0.5, text(r), tag=tag(r), err=err)

    def agent_says(self, node: int, at: float, text: str) -> None:
        """What the launcher on a node says."""
        self.agent_told.setdefault(node, []).append((at, text))

    def script_says(self, at: float, text: str) -> None:
        """What stands in the batch script's own log."""
        self.script_told.append((at, text))

    def run(  # noqa: PLR0917
        self,
        rank: int,
        steps: Iterable[int],
        begin: float,
        pace: float | Callable[[int], float],
        line: Callable[[int, float, float], str],
        curve: Callable[[int], float],
        *,
        until: float = 1e12,
        err: bool = False,
        wobble: float = 0.02,
    ) -> float:
        """Lines of progress, ``line(step, loss, seconds)``, the first ``pace`` after ``begin``; when the last one was said."""
        numbers = list(steps)
        before = numbers[0] - (numbers[1] - numbers[0]) if len(numbers) > 1 else numbers[0] - 1
        at = begin
        for i in numbers:
            each = pace(i) if callable(pace) else pace
            after = at + (i - before) * each * (1 + wobble * self.dice.uniform(-1, 1))
            if after >= until:
                break
            at, before = after, i
            self.say(rank, at, line(i, curve(i), at), err=err)
        return at

    # --- ends

    def dies(self, ranks: int | Iterable[int], at: float, *, code: int | None = None, signal: int | None = None, apart: float = 0.02) -> None:
        """How ranks ended."""
        for k, r in enumerate([ranks] if isinstance(ranks, int) else ranks):
            self.fates[r] = (at + apart * k, code, signal)

    def stand(self, poses: Poses, ranks: Iterable[int] | None = None) -> None:
        """What the ranks' cards show, from which second on."""
        for r in self.ranks if ranks is None else ranks:
            self.poses[r] = poses

    # --- the node's own words

    def bus(self, rank: int) -> str:
        """The card's address in the driver's lines."""
        return f"0000:{0x1B + 0x20 * (rank % self.per):02x}:00"

    def driver(self, rank: int, at: float, xid: int, words: str, *, named: bool = True) -> None:
        """A line of the driver about a rank's card."""
        who, data = "pid='<unknown>', name=<unknown>", dict[str, Any]()
        if named:
            who, data = f"pid={self.pid(rank)}, name={self.python}", {"pid": self.pid(rank), "process": self.python}
        self.kernel(
            self.host(rank),
            at,
            "xid",
            f"NVRM: Xid (PCI:{self.bus(rank)}): {xid}, {who}, {words}",
            gpu=rank % self.per,
            xid=xid,
            pci=self.bus(rank),
            words=words,
            **data,
        )

    def shot_for_memory(self, rank: int, at: float, gib: int, *, process: str | None = None, pid: int | None = None) -> None:
        """The kernel kills a process of the job's cgroup, and says so."""
        process, pid = process or self.python, pid or self.pid(rank)
        group = f"/system.slice/slurmstepd.scope/job_{self.job_id}"
        task = f"{group}/step_0/user/task_{0 if self.launcher else rank % self.per}"
        line = f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=task_0,mems_allowed=0-1,oom_memcg={group},task_memcg={task},task={process},pid={pid},uid=1042"
        self.kernel(
            self.host(rank),
            at,
            "kernel_oom",
            line,
            scope="cgroup",
            constraint="CONSTRAINT_MEMCG",
            oom_memcg=group,
            task_memcg=task,
            process=process,
            pid=pid,
            uid=1042,
            job_id=self.job_id,
        )
        self.memory[rank // self.per if self.launcher else rank] = CgroupMemory(
            limit_bytes=gib * GIB, peak_bytes=gib * GIB, oom_events=1, oom_kill_events=1
        )

    def standstill(
        self,
        node: int,
        found: float,
        since: float,
        usual: float,
        stands: Mapping[int, tuple[Waits, str, str]],
        *,
        culprit: int | None = None,
        why: str | None = None,
        idle: bool = True,
    ) -> None:
        """The node saw that nobody wrote any more: by rank what it waits in, its state and where."""
        rows = tuple(
            RankStand(
                node=self.nodes[node],
                pid=self.pid(r),
                rank=r,
                local_rank=r % self.per,
                step="0",
                state=state,
                wchan=place if "_" in place else None,
                waits=waits,
                waits_by="kernel" if state == "D" else "stack",
                waits_on=place,
            )
            for r, (waits, state, place) in stands.items()
        )
        self._add(
            self.nodes[node], "stalls",
            Stall(node=self.nodes[node], found_ns=self.at(found), since_ns=self.at(since), usual_interval_s=usual, factor=8.0, ranks=rows, ranks_total=self.per, culprit_rank=culprit, culprit_pid=None if culprit is None else self.pid(culprit), culprit_why=why, gpu_idle=idle, probe_s=2.4),
        )  # fmt: skip


def sinks(first: float, floor: float, over: float, *, rough: float = 0.012, steep: float = 0.8) -> Callable[[int], float]:
    """A loss that goes down, quickly first, with the noise that losses have."""
    return lambda i: floor + (first - floor) / (1 + i / over) ** steep + rough * abs(floor) * (math.sin(i * 12.9898) * 43758.5453 % 1 - 0.5) * 2


Told = tuple[Label, Hand]
Teller = Callable[[], Told]


def shelf(rows: list[Teller]) -> Callable[[Teller], Teller]:
    """A decorator that keeps jobs in the order they are written in."""

    def put(one: Teller) -> Teller:
        rows.append(one)
        return one

    return put


def ill(rig: Rig, mode: str, cause: str | None = None, *, first: Sequence[int] = (), fault: str = "user", **more: Any) -> Told:
    """A job and what was wrong with it."""
    return Label(mode=mode, cause=cause, fault=fault, first_ranks=tuple(first), **more), rig


def well(rig: Rig, *, hard: bool = False) -> Told:
    """A job that was as it should be."""
    return Label(mode="G1", fault="none", hard=hard), rig


def noted(text: str) -> int:
    """A date and time as nanoseconds."""
    return int(datetime.strptime(text, "%Y-%m-%d %H:%M:%S").replace(tzinfo=timezone.utc).timestamp()) * 10**9

"""What a written job is put together from: its ranks' lines, their ends, what the cards showed phase by phase, and Slurm's row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from random import Random
from typing import Any

from corpus.make._heron_ledgers_by_pen_base import EMPTY, HOPPER, Board, Dial, Phases
from corpus.running.hand import GIB, Hand
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series


@dataclass
class Yard(Hand):
    """``per`` ranks on each node; with ``pipe`` a launcher is each node's task and its ranks write into the launcher's output."""

    per: int = 8
    pipe: bool = False
    board: Board = HOPPER
    program: tuple[str, ...] = ("python3", "train.py")
    readings: int = 26
    partition: str = "gpu"
    cpus: int = 16

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gpus = self.per
        self.lot = Random(self.job_id * 7 + 1)
        self.world = range(self.per * len(self.nodes))
        self.lines: dict[int, list[tuple[float, str]]] = {r: [] for r in self.world}
        self.over: dict[int, tuple[float, int | None, int | None]] = {}
        self.phases: dict[int, Phases] = {}
        self.counters: dict[int, tuple[dict[str, Any], dict[str, Any] | None]] = {}
        self.dark: dict[int, float] = {}
        self.peaks: dict[int, CgroupMemory] = {}
        self.seen: dict[int, dict[str, Any]] = {}
        self.env: dict[int, dict[str, str]] = {}
        self.cpu: dict[int, list[tuple[float, float]]] = {}
        self.absent: set[int] = set()
        self.spoken: list[tuple[float, str]] = []
        self.before: tuple[PastVerdict, ...] = ()

    def node_of(self, rank: int) -> str:
        """Where a rank runs."""
        return self.nodes[rank // self.per]

    def ranks_of(self, node: int) -> range:
        """Who runs on the node of this number."""
        return range(node * self.per, (node + 1) * self.per)

    def pid_of(self, rank: int) -> int:
        """Of a rank's own process."""
        return 2_310_117 + 3 * rank if self.pipe else 40_000 + rank

    def clock(self, at: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """What the clock on the wall shows."""
        return datetime.fromtimestamp(self.at(at) / 1e9, timezone.utc).strftime(form)

    def tell(self, rank: int, at: float, text: str, tag: str = "") -> None:
        """A rank prints."""
        self.lines[rank].append((at, "\n".join(tag + row for row in text.split("\n"))))

    def all_tell(self, at: float, text: Callable[[int], str], ranks: Iterable[int] | None = None, *, gap: float = 0.05, tag: str = "") -> None:
        """Several print, one after another; ``@`` in ``tag`` is the rank."""
        for k, r in enumerate(self.world if ranks is None else ranks):
            self.tell(r, at + gap * k, text(r), tag.replace("@", str(r)))

    def script(self, at: float, text: str) -> None:
        """The batch script, srun or slurmstepd in its log."""
        self.spoken.append((at, text))

    def march(
        self,
        rank: int,
        steps: Iterable[int],
        begin: float,
        pace: float | Callable[[int], float],
        line: Callable[[int, float], str],
        *,
        tag: str = "",
        until: float = math.inf,
    ) -> float:
        """Lines of progress, ``pace`` seconds a step; when the last of them came."""
        told, at, last = list(steps), begin, 0.0
        width = told[1] - told[0] if len(told) > 1 else 1
        done = told[0] - width
        for i in told:
            at += (i - done) * (pace(i) if callable(pace) else pace) * self.lot.uniform(0.985, 1.015)
            if at > until:
                break
            done, last = i, at
            self.tell(rank, at, line(i, at), tag)
        return last

    def stop(self, ranks: int | Iterable[int], at: float, code: int | None = None, signal: int | None = None, *, gap: float = 0.02) -> None:
        """How ranks ended."""
        for k, r in enumerate([ranks] if isinstance(ranks, int) else ranks):
            self.over[r] = (at + gap * k, code, signal)

    def others(self, *ranks: int) -> list[int]:
        """All but these."""
        return [r for r in self.world if r not in ranks]

    def dial(self, phases: Phases, ranks: Iterable[int] | None = None) -> None:
        """What cards show, from which second on."""
        for r in self.world if ranks is None else ranks:
            self.phases[r] = phases

    def bus(self, rank: int) -> str:
        """A card's address."""
        return f"0000:{0x1B + 0x20 * (rank % self.per):02x}:00"

    def xid(self, rank: int, at: float, number: int, words: str, *, owner: bool = True) -> None:
        """A line of the driver about a rank's card."""
        name = self.program[0].rsplit("/", 1)[-1]
        who = f"pid={self.pid_of(rank)}, name={name}, " if owner else "pid='<unknown>', name=<unknown>, "
        more: dict[str, Any] = {"pid": self.pid_of(rank), "process": name} if owner else {}
        line = f"NVRM: Xid (PCI:{self.bus(rank)}): {number}, {who}{words}"
        self.kernel(self.node_of(rank), at, "xid", line, gpu=rank % self.per, xid=number, pci=self.bus(rank), words=words, **more)

    def oom_kill(self, rank: int, at: float, limit_gib: int, task: int) -> None:
        """The kernel kills a rank because the step is at its limit of memory."""
        root, name = f"/system.slice/slurmstepd.scope/job_{self.job_id}", self.program[0].rsplit("/", 1)[-1]
        where = f"{root}/step_0/user/task_{task}"
        line = f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_0,mems_allowed=0-1,oom_memcg={root}/step_0,task_memcg={where},task={name},pid={self.pid_of(rank)},uid=1042"
        self.kernel(
            self.node_of(rank),
            at,
            "kernel_oom",
            line,
            scope="cgroup",
            constraint="CONSTRAINT_MEMCG",
            oom_memcg=f"{root}/step_0",
            task_memcg=where,
            process=name,
            pid=self.pid_of(rank),
            uid=1042,
            job_id=self.job_id,
        )
        self.peaks[rank // self.per if self.pipe else rank] = CgroupMemory(
            limit_bytes=limit_gib * GIB, peak_bytes=limit_gib * GIB, oom_events=3, oom_kill_events=1
        )

    def host(self, node: str, name: str, unit: str, points: Iterable[tuple[float, float]]) -> None:
        """A reading of a whole node over time."""
        told = list(points)
        self._add(
            node,
            "series",
            Series(
                name=name,
                where=Where(node=node),
                unit=unit,
                times_ns=tuple(self.at(t) for t, _ in told),
                values=tuple(v for _, v in told),
                points_seen=len(told),
            ),
        )

    def finish(
        self,
        state: str,
        end: float,
        code: int = 0,
        signal: int = 0,
        *,
        step: tuple[str, int, int] | None = None,
        batch: tuple[int, int] | None = None,
        **row: Any,
    ) -> Yard:
        """Puts it all down."""
        stopped = state in {"TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL"}
        for r in self.world:
            self.over.setdefault(r, (end - 1.2 + 0.001 * r, None if signal else code, signal or None))
        for task, (node, rank, rows, at, status, killed) in enumerate(self._tasks(signal if stopped else 0)):
            if node not in self.silent:
                self.rank(
                    task,
                    node,
                    sorted(rows, key=lambda w: w[0]),
                    code=status,
                    signal=killed,
                    end=at,
                    local=0 if self.pipe else rank % self.per,
                    stream="both",
                    memory=self.peaks.get(task),
                )
        first = batch or ((0, 15) if stopped else (code, 0))
        if self.nodes[0] not in self.silent:
            self.rank(
                0,
                self.nodes[0],
                sorted(self.spoken, key=lambda w: w[0]),
                code=None if first[1] else first[0],
                signal=first[1] or None,
                end=end - 0.5,
                step="batch",
                stream="out",
                local=0,
            )
        word = {"COMPLETED": "COMPLETED", "FAILED": "FAILED", "OUT_OF_MEMORY": "FAILED"}.get(state, "CANCELLED")
        steps = (
            ("batch", word, *first),
            ("extern", "COMPLETED", 0, 0),
            ("0", *(step or (("CANCELLED", 0, 15) if stopped else (state, code, signal)))),
        )
        n = len(self.nodes)
        held: dict[str, Any] = {
            "partition": self.partition, "tres_alloc": f"billing={self.per * n},cpu={self.cpus * self.per * n},gres/gpu={self.per * n},mem={120 * self.per * n}G,node={n}", "work_dir": f"/scratch/alice/{self.name}",
        }  # fmt: skip
        self.ended(state, code=code, signal=0 if stopped else signal, end=end, steps=steps, **{**held, **row})
        for r in self.world:
            if self.node_of(r) not in self.silent:
                self._show_card(r, end)
                self._show_process(r)
        return self

    def _tasks(self, signal: int) -> Iterable[tuple[str, int, list[tuple[float, str]], float, int | None, int | None]]:
        if not self.pipe:
            for r in self.world:
                yield self.node_of(r), r, self.lines[r], *self.over[r]
            return
        for n, node in enumerate(self.nodes):
            mine = [self.over[r] for r in self.ranks_of(n)]
            wrong = any(code or killed for _, code, killed in mine)
            rows = [w for r in self.ranks_of(n) for w in self.lines[r]]
            yield (
                node,
                n * self.per,
                rows,
                max(max(m[0] for m in mine) + 0.9, *(t + 0.3 for t, _ in rows)) if rows else max(m[0] for m in mine) + 0.9,
                None if signal else int(wrong),
                signal or None,
            )

    def _show_process(self, rank: int) -> None:
        if rank in self.absent:
            return
        at, code, killed = self.over[rank]
        opened = [(t, d.held) for t, d in self.phases.get(rank, []) if d.held]
        self.process(
            self.node_of(rank), self.pid_of(rank), rank=rank, local_rank=rank % self.per, name=self.program[0].rsplit("/", 1)[-1], command=self.program, task_local=0 if self.pipe else rank % self.per,
            gpu_uuids=(self.uuid(self.node_of(rank), rank % self.per),) if opened else (), gpu_attached_ns=self.at(opened[0][0]) if opened else None,
            gpu_memory_peak_bytes=int(max(h for _, h in opened) * GIB) if opened else None, started_ns=self.at(2.5), ended_ns=self.at(at), exit_code=code, exit_signal=killed, end_uncertainty_ns=1_000_000,
            environment={"RANK": str(rank), "WORLD_SIZE": str(len(self.world)), **self.env.get(rank, {})}, **{"looks": 40, **self.seen.get(rank, {})},
        )  # fmt: skip
        if rank in self.cpu:
            told = self.cpu[rank]
            self._add(
                self.node_of(rank),
                "series",
                Series(
                    name="cpu_percent",
                    where=Where(node=self.node_of(rank), rank=rank),
                    unit="%",
                    times_ns=tuple(self.at(t) for t, _ in told),
                    values=tuple(v for _, v in told),
                    points_seen=len(told),
                ),
            )

    def _show_card(self, rank: int, end: float) -> None:
        node, gpu, b = self.node_of(rank), rank % self.per, self.board
        phases = self.phases.get(rank, [(0.0, EMPTY)])
        base = {
            "name": b.name,
            "memory_total_bytes": b.gib * GIB,
            "power_limit_mw": b.watts * 1000,
            "sm_clock_max_mhz": b.mhz,
            "driver_version": b.driver,
            "job_attached": any(d.held for _, d in phases),
        }
        start, close = self.counters.get(rank, ({}, {}))
        self.gpu(node, gpu, {**base, **start}, close)
        until = min(end, self.dark.get(rank, end))
        marks = {end * k / (self.readings - 1) for k in range(self.readings)} | {t + by for t, _ in phases[1:] for by in (-6.0, 9.0)}
        marks |= {phases[-1][0] + (end - phases[-1][0]) * k / 6 for k in range(7)}
        at = sorted(m for m in {round(m, 2) for m in marks} if 0 <= m <= until)
        read: dict[str, list[float]] = {}
        for t in at:
            for name, value in self._look(next(d for t0, d in reversed(phases) if t0 <= t)).items():
                read.setdefault(name, []).append(value)
        units = {"power_mw": "mW", "sm_clock_mhz": "MHz", "memory_used_bytes": "bytes", "temperature_c": "C", "throttle_reasons": ""}
        for name, values in read.items():
            self._add(
                node,
                "series",
                Series(
                    name=f"gpu_{name}",
                    where=Where(node=node, gpu_uuid=self.uuid(node, gpu)),
                    unit=units.get(name, "%"),
                    times_ns=tuple(self.at(t) for t in at),
                    values=tuple(values),
                    points_seen=len(values),
                ),
            )

    def _look(self, d: Dial) -> dict[str, float]:
        u = self.lot
        gappy, busy = d.swing >= 60, u.random() * 100 < d.duty
        instant = (
            (float(u.randrange(82, 101)) if busy else 0.0)
            if gappy
            else float(min(100, max(0, round(d.duty + (u.uniform(-3, 3) if 4 < d.duty < 99 else 0)))))
        )
        share = (u.uniform(1.3, 1.8) if busy else u.uniform(0.55, 0.75)) if gappy else u.uniform(0.96, 1.04)
        heat = d.heat or 30 + 36 * d.watts / self.board.watts
        read = {
            "utilization_percent": instant, "duty_percent": round(min(100.0, max(0.0, d.duty + (u.uniform(-3, 3) if d.duty > 4 else 0))), 1),
            "duty_spread_percent": float(round(min(100.0, max(0.0, d.swing + (u.uniform(-2, 2) if d.swing else 0))))), "sm_activity_percent": round(d.sm * u.uniform(0.93, 1.07), 1),
            "power_mw": float(round(min(d.watts * share, self.board.watts * 1.01)) * 1000), "memory_used_bytes": float(round(d.held * 1024) << 20), "sm_clock_mhz": float(round(self.board.mhz * d.clock / 15) * 15),
            "temperature_c": float(round(heat + u.uniform(-1, 1))), "throttle_reasons": float(d.throttle),
        }  # fmt: skip
        if not self.board.counts:
            del read["sm_activity_percent"]
        return read

    def record(self) -> JobRecord:
        """With what is known of earlier jobs."""
        return super().record().model_copy(update={"past": self.before})

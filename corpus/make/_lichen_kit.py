"""A small lab's job on one to eight cards: its log as it came, its processes, what the cards read meanwhile, what Slurm wrote down."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, NamedTuple

from corpus.running.hand import GIB, Hand
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series

_NO_ECC = {
    "ecc_enabled": False, "ecc_volatile_corrected": None, "ecc_volatile_uncorrected": None, "ecc_aggregate_corrected": None, "ecc_aggregate_uncorrected": None,
    "remapped_rows_correctable": None, "remapped_rows_uncorrectable": None, "remap_pending": None, "remap_failure": None,
}  # fmt: skip
Board = Mapping[str, Any]
RTX4090: Board = {
    "name": "NVIDIA GeForce RTX 4090",
    "memory_total_bytes": 24 * GIB,
    "power_limit_mw": 450_000,
    "sm_clock_max_mhz": 3105,
    "driver_version": "560.35.03",
    **_NO_ECC,
}
RTX3090: Board = {
    "name": "NVIDIA GeForce RTX 3090",
    "memory_total_bytes": 24 * GIB,
    "power_limit_mw": 350_000,
    "sm_clock_max_mhz": 2100,
    "driver_version": "535.216.01",
    **_NO_ECC,
}
A6000: Board = {
    "name": "NVIDIA RTX A6000",
    "memory_total_bytes": 48 * GIB,
    "power_limit_mw": 300_000,
    "sm_clock_max_mhz": 2100,
    "driver_version": "550.127.05",
    **_NO_ECC,
}
A100P: Board = {
    "name": "NVIDIA A100-PCIE-40GB",
    "memory_total_bytes": 40 * GIB,
    "power_limit_mw": 250_000,
    "sm_clock_max_mhz": 1410,
    "driver_version": "535.183.06",
}
A100: Board = {"name": "NVIDIA A100-SXM4-80GB", "power_limit_mw": 400_000, "sm_clock_max_mhz": 1410, "driver_version": "550.90.12"}
L40S: Board = {
    "name": "NVIDIA L40S",
    "memory_total_bytes": 48 * GIB,
    "power_limit_mw": 350_000,
    "sm_clock_max_mhz": 2520,
    "driver_version": "570.86.15",
}
H100: Board = {"driver_version": "570.124.06"}
H200: Board = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "570.124.06"}


class Mood(NamedTuple):
    """How a card reads: engine, SMs, share of its watts and of its memory, distance of the engine's samples, share of its clock, heat, why it is held."""

    engine: float
    sm: float
    watts: float
    held: float
    spread: float = 5
    clock: float = 0.96
    heat: int = 0
    why: int = 0


OFF = Mood(0, 0, 0.08, 0, 0, 0.15)
OPENED = Mood(0, 0, 0.13, 0.012, 0, 0.15)
RESTS = Mood(0, 0, 0.14, 0.5, 0, 0.15)
SPINS = Mood(100, 1.2, 0.23, 0.7, 0)


def busy(held: float = 0.7, engine: float = 96, watts: float = 0.84, sm: float = 52) -> Mood:
    """A card that works."""
    return Mood(engine, sm, watts, held)


@dataclass
class Lab(Hand):
    """``way``: all in the batch script (``batch``), a task for each rank (``srun``), or a launcher as the task of each node (``agents``)."""

    board: Board = field(default_factory=lambda: A100)
    way: str = "batch"
    program: str = "python train.py"
    user_name: str = "alice"
    zone_h: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        self.rng = random.Random(f"{self.name}/{self.job_id}")
        self.world = range(self.gpus * len(self.nodes))
        self.script: list[tuple[float, str]] = []
        self.said: dict[int, list[tuple[float, str]]] = {r: [] for r in self.world}
        self.gone: dict[int, tuple[float, int | None, int | None]] = {}
        self.moods: dict[int, list[tuple[float, Mood]]] = {}
        self.counters: dict[int, tuple[dict[str, Any], dict[str, Any] | None]] = {}
        self.seen: dict[int, dict[str, Any]] = {}
        self.environ: dict[str, str] = {}
        self.cores: dict[int, list[tuple[float, float]]] = {}
        self.cgroup: dict[int, CgroupMemory] = {}
        self.parents: tuple[PastVerdict, ...] = ()
        self.reads = 48
        self.lost: float | None = None
        """From when on nothing more is known: the node went down and came back."""

    def where(self, rank: int) -> str:
        """Its node."""
        return self.nodes[rank // self.gpus]

    def clock(self, t: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """What a clock on the wall of the lab shows."""
        return (datetime.fromtimestamp(self.at(t) / 1e9, timezone.utc) + timedelta(hours=self.zone_h)).strftime(form)

    def out(self, t: float, *lines: str) -> None:
        """The batch script's own words."""
        self.script.append((t, "\n".join(lines)))

    def put(self, t: float, text: str, rank: int = 0, tag: str = "") -> None:
        """A rank's words."""
        self.said[rank].append((t, "\n".join(tag + line for line in text.split("\n"))))

    def put_all(
        self, t: float, text: Callable[[int], str], ranks: Iterable[int] | None = None, apart: float = 0.11, tag: Callable[[int], str] = lambda _: ""
    ) -> None:
        """The like from many ranks."""
        for k, r in enumerate(self.world if ranks is None else ranks):
            self.put(t + k * apart, text(r), r, tag(r))

    def go(
        self,
        marks: Sequence[int],
        t: float,
        pace: float | Callable[[int], float],
        line: Callable[[int, float], str],
        rank: int = 0,
        *,
        until: float = math.inf,
        jitter: float = 0.03,
    ) -> float:
        """A line at each of ``marks`` (steps), ``pace`` seconds a step; the time of the last."""
        past = marks[0] - (marks[1] - marks[0] if len(marks) > 1 else 1)
        for i in marks:
            step = (i - past) * (pace(i) if callable(pace) else pace) * self.rng.uniform(1 - jitter, 1 + jitter)
            if t + step >= until:
                break
            t, past = t + step, i
            self.put(t, line(i, t), rank)
        return t

    def leave(self, ranks: int | Iterable[int], t: float, code: int | None = None, signal: int | None = None, apart: float = 0.02) -> None:
        """How ranks ended."""
        for k, r in enumerate([ranks] if isinstance(ranks, int) else ranks):
            self.gone[r] = (t + apart * k, code, signal)

    def feel(self, *moods: tuple[float, Mood], ranks: Iterable[int] | None = None) -> None:
        """What cards read from when on."""
        for r in self.world if ranks is None else ranks:
            self.moods[r] = list(moods)

    def pid(self, rank: int) -> int:
        """Of its process."""
        return 40_000 + rank if self.way == "srun" else 2_207_500 + 61 * rank

    def bus(self, rank: int) -> str:
        """The card's place as the driver writes it."""
        return f"0000:{0x1B + 0x20 * (rank % self.gpus):02x}:00"

    def driver(self, rank: int, t: float, number: int, words: str) -> None:
        """A line of the driver about a rank's card."""
        self.kernel(
            self.where(rank),
            t,
            "xid",
            f"NVRM: Xid (PCI:{self.bus(rank)}): {number}, {words}",
            gpu=rank % self.gpus,
            xid=number,
            pci=self.bus(rank),
            words=words,
        )

    def memory_kill(self, rank: int, t: float, limit_gib: int, process: str = "python") -> None:
        """The kernel kills a process of the job's cgroup."""
        step = "batch" if self.way == "batch" else "0"
        group, task = f"/system.slice/slurmstepd.scope/job_{self.job_id}", f"/system.slice/slurmstepd.scope/job_{self.job_id}/step_{step}/user/task_0"
        line = f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=step_{step},mems_allowed=0,oom_memcg={group},task_memcg={task},task={process},pid={self.pid(rank)},uid=1042"
        self.kernel(
            self.where(rank),
            t,
            "kernel_oom",
            line,
            scope="cgroup",
            constraint="CONSTRAINT_MEMCG",
            oom_memcg=group,
            task_memcg=task,
            process=process,
            pid=self.pid(rank),
            uid=1042,
            job_id=self.job_id,
        )
        self.cgroup[0 if self.way == "batch" else rank] = CgroupMemory(
            limit_bytes=limit_gib * GIB, peak_bytes=limit_gib * GIB, oom_events=1, oom_kill_events=1
        )

    def stopped(self, t: float, why: str = "") -> None:
        """What slurmstepd says when Slurm ends it."""
        day, tail = self.clock(t, "%Y-%m-%dT%H:%M:%S"), f" {why}" if why else ""
        if self.way != "batch":
            self.out(t, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
            self.put(t + 0.03, f"slurmstepd: error: *** STEP {self.job_id}.0 ON {self.nodes[0]} CANCELLED AT {day}{tail} ***")
        self.out(t + 0.01, f"slurmstepd: error: *** JOB {self.job_id} ON {self.nodes[0]} CANCELLED AT {day}{tail} ***")

    def close(
        self,
        state: str,
        t: float,
        code: int = 0,
        *,
        script: tuple[int | None, int | None] | None = None,
        step: tuple[str, int, int] | None = None,
        **row: Any,
    ) -> Lab:
        """Write it all down. ``script``: the batch script's code and signal; ``step``: state, code, signal of the step."""
        from_outside = state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL")
        for r in self.world:
            self.gone.setdefault(r, (t - 0.8, None, 15) if from_outside else (t - 0.8, code, None))
        last = (None, None) if self.lost else script or ((None, 15) if from_outside else (code, None))
        mine = {n: [r for r in self.world if self.where(r) == n] for n in self.nodes}
        words = list(self.script)
        if self.way == "batch":
            words += [w for r in self.world for w in self.said[r]]
        for n, node in enumerate(self.nodes):
            if node in self.silent or self.way == "batch":
                continue
            if self.way == "agents":
                heard = sorted((w for r in mine[node] for w in self.said[r]), key=lambda w: w[0])
                bad = from_outside or any(self.gone[r][1] or self.gone[r][2] for r in mine[node])
                end = max(self.gone[r][0] for r in mine[node]) + 0.6
                self.rank(
                    n,
                    node,
                    heard,
                    code=None if from_outside else int(bad),
                    signal=15 if from_outside else None,
                    end=end,
                    local=0,
                    stream="both",
                    memory=self.cgroup.get(n),
                )
                continue
            for r in mine[node]:
                end, status, by = self.gone[r]
                self.rank(
                    r,
                    node,
                    sorted(self.said[r], key=lambda w: w[0]),
                    code=status,
                    signal=by,
                    end=end,
                    local=r % self.gpus,
                    stream="both",
                    memory=self.cgroup.get(r),
                )
        if self.nodes[0] not in self.silent:
            self.rank(
                0,
                self.nodes[0],
                sorted(words, key=lambda w: w[0]),
                code=last[0],
                signal=last[1],
                end=t - 0.3,
                step="batch",
                stream="both",
                local=0,
                memory=self.cgroup.get(0) if self.way == "batch" else None,
            )
        simple = state in ("COMPLETED", "FAILED")
        own = (state, code, 0) if simple else ("OUT_OF_MEMORY", 0, 125) if state == "OUT_OF_MEMORY" else ("CANCELLED", 0, 15)
        steps = [("batch", *own), ("extern", "COMPLETED", 0, 0)] + ([("0", *(step or own))] if self.way != "batch" else [])
        self.ended(
            state,
            code=0 if from_outside and state != "NODE_FAIL" else code,
            signal=125 if state == "OUT_OF_MEMORY" else 0,
            end=t,
            steps=steps,
            **{"partition": "gpu", **row},
        )
        for r in self.world:
            if self.where(r) not in self.silent:
                self._card(r, t)
                self._born(r)
        return self

    def _born(self, rank: int) -> None:
        end, code, by = self.gone[rank]
        if self.lost:
            return
        moods = self.moods.get(rank, [(0.0, OFF)])
        opened = [t for t, m in moods if m.held]
        total = int(self.board.get("memory_total_bytes", 80 * GIB))
        card = self.uuid(self.where(rank), rank % self.gpus)
        self.process(
            self.where(rank), self.pid(rank), step="batch" if self.way == "batch" else "0", rank=rank, local_rank=rank % self.gpus, name=self.program.split()[0].rsplit("/", maxsplit=1)[-1], command=tuple(self.program.split()),
            environment={**({"RANK": str(rank)} if len(self.world) > 1 else {}), **self.environ}, gpu_uuids=(card,) if opened else (), gpu_attached_ns=self.at(opened[0]) if opened else None,
            gpu_memory_peak_bytes=int(total * max(m.held for _, m in moods)) if opened else None, started_ns=self.at(1.5), ended_ns=self.at(end), exit_code=code, exit_signal=by,
            end_uncertainty_ns=1_000_000, task_local=rank % self.gpus if self.way == "srun" else 0, **self.seen.get(rank, {}),
        )  # fmt: skip

    def _card(self, rank: int, end: float) -> None:
        node, gpu = self.where(rank), rank % self.gpus
        moods = self.moods.get(rank, [(0.0, OFF)])
        before, after = self.counters.get(rank, ({}, None if self.lost else {}))
        self.gpu(node, gpu, {**self.board, "job_attached": any(m.held for _, m in moods), **before}, after)
        stamps = {round(end * k / self.reads, 2) for k in range(self.reads + 1)}
        for t, _ in moods[1:]:
            stamps |= {round(t + d, 2) for d in (-6, -3, 3, 6, 9) if 0 < t + d < end}
        tail = moods[-1][0]
        every = sorted(stamps | {round(tail + (end - tail) * k / 12, 2) for k in range(13)})
        times = [t for t in every if self.lost is None or t <= self.lost]
        rows = [self._reading(next((m for t0, m in reversed(moods) if t0 <= t), moods[0][1])) for t in times]
        names = [
            "utilization_percent",
            "duty_percent",
            "duty_spread_percent",
            "sm_activity_percent",
            "power_mw",
            "memory_used_bytes",
            "sm_clock_mhz",
            "temperature_c",
            "throttle_reasons",
        ]
        units = ["%", "%", "%", "%", "mW", "bytes", "MHz", "C", ""]
        for k, name in enumerate(names):
            if name == "sm_activity_percent" and "H100" not in str(self.board.get("name", "H100")) and "H200" not in str(self.board.get("name", "")):
                continue
            if name == "throttle_reasons" and not any(m.why for _, m in moods):
                continue
            values = tuple(float(row[k]) for row in rows)
            self._add(
                node,
                "series",
                Series(
                    name=f"gpu_{name}",
                    where=Where(node=node, gpu_uuid=self.uuid(node, gpu)),
                    unit=units[k],
                    times_ns=tuple(self.at(t) for t in times),
                    values=values,
                    points_seen=len(values),
                ),
            )
        if rank in self.cores:
            spans = self.cores[rank]
            used = tuple(round(next((v for t0, v in reversed(spans) if t0 <= t), 0.0) * self.rng.uniform(0.93, 1.06), 1) for t in times)
            self._add(
                node,
                "series",
                Series(
                    name="cpu_percent",
                    where=Where(node=node, rank=rank),
                    unit="%",
                    times_ns=tuple(self.at(t) for t in times),
                    values=used,
                    points_seen=len(used),
                ),
            )

    def _reading(self, m: Mood) -> tuple[float, ...]:
        limit, top, total = (
            float(self.board.get(k, v)) for k, v in (("power_limit_mw", 700_000), ("sm_clock_max_mhz", 1980), ("memory_total_bytes", 80 * GIB))
        )
        u = self.rng.uniform
        gappy = m.spread >= 60
        on = self.rng.random() * 100 < m.engine
        now = (u(82, 100) if on else u(0, 2)) if gappy else m.engine + (u(-3, 3) if 4 < m.engine < 100 else 0)
        watts = m.watts * ((u(1.3, 1.7) if on else u(0.5, 0.7)) if gappy else u(0.96, 1.04))
        mean = m.engine + (u(-5, 5) if 5 < m.engine < 95 else u(-1.5, 0.5) if m.engine else 0)
        spread = min(100.0, max(0.0, m.spread + (u(-2, 2) if m.spread else 0)))
        return (round(max(0.0, min(100.0, now))), round(max(0.0, min(100.0, mean)), 1), round(spread), round(m.sm * u(0.94, 1.06), 1), round(limit * min(1.0, watts), -2), round(total * m.held / 2**21) * 2**21, round(top * m.clock / 15) * 15, m.heat or round(30 + 40 * m.watts + u(-1, 1)), m.why)  # fmt: skip

    def record(self) -> JobRecord:
        """With what is known of earlier jobs."""
        return super().record().model_copy(update={"past": self.parents})

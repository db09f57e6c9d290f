"""Keeps what is told of a job of many cards, and writes it down: tasks and their logs, processes, cards, Slurm's rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any, NamedTuple

from corpus.running.hand import GIB, Hand
from gpualert_slurm.accounting import AccountingRecord, StepRecord
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series


class Kit(NamedTuple):
    """A kind of card: its name, memory in GiB, watts, highest clock, driver, whether its SMs can be counted."""

    name: str
    gib: int
    watts: int
    mhz: int
    driver: str
    counts_sm: bool = True

    def fields(self) -> dict[str, Any]:
        """As a snapshot has them."""
        return {
            "name": self.name,
            "memory_total_bytes": self.gib * GIB,
            "power_limit_mw": self.watts * 1000,
            "sm_clock_max_mhz": self.mhz,
            "driver_version": self.driver,
        }


HOPPER = Kit("NVIDIA H100 80GB HBM3", 80, 700, 1980, "535.216.03")
HOPPER_NEW = Kit("NVIDIA H100 80GB HBM3", 80, 700, 1980, "570.86.15")
HOPPER_WIDE = Kit("NVIDIA H200", 141, 700, 1980, "565.57.01")
BLACKWELL = Kit("NVIDIA B200", 180, 1000, 1965, "575.57.08")
AMPERE = Kit("NVIDIA A100-SXM4-80GB", 80, 400, 1410, "530.30.02", counts_sm=False)
AMPERE_40 = Kit("NVIDIA A100-SXM4-40GB", 40, 400, 1410, "515.65.01", counts_sm=False)
GRACE = Kit("NVIDIA GH200 120GB", 96, 900, 1980, "560.35.03")
ADA = Kit("NVIDIA L40S", 48, 350, 2520, "550.127.05", counts_sm=False)


class Pose(NamedTuple):
    """How a card stands: percent of time with a kernel, percent of SMs, shares of watts, memory and clock; how far the engine's samples lie apart."""

    busy: float
    sm: float
    watts: float
    held: float
    swing: float = 3
    clock: float = 0.97
    warm: float = 0
    why: int = 0


REST = Pose(0, 0, 0.1, 0, 0, 0.17)
OPENED = Pose(0, 0, 0.12, 0.006, 0, 0.17)
HARD_AT_WORK = Pose(98, 58, 0.88, 0.83)
WAITS_FOR_PEERS = Pose(100, 1.1, 0.19, 0.83, 0)
LEFT_ALONE = Pose(0, 0, 0.13, 0.83, 0)
Poses = Sequence[tuple[float, Pose]]
Said = list[tuple[float, str]]


@dataclass
class Book(Hand):
    """``per`` ranks a node, each a task of Slurm's or, with ``launcher``, a child of the node's one task; ``split``: stdout and stderr lie apart; ``lone``: one process has all cards of its node."""

    per: int = 8
    kit: Kit = HOPPER
    launcher: bool = False
    lone: bool = False
    split: bool = False
    python: str = "python"
    script: str = "train.py"
    looks: int = 0
    partition: str = "gpu"
    account: str = "ml"
    cpu: dict[int, Sequence[tuple[float, float]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gpus = self.per
        self.launcher = self.launcher or self.lone
        self.ranks = range(self.per * len(self.nodes))
        self.dice = Random(f"{self.name}{self.job_id}")
        self.told: dict[tuple[int, str], Said] = {}
        self.agent_told: dict[int, Said] = {}
        self.script_told: Said = []
        self.fates: dict[int, tuple[float, int | None, int | None]] = {}
        self.poses: dict[int, Poses] = {}
        self.counters: dict[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]] = {}
        self.unseen_from: dict[int, float] = {}
        self.memory: dict[int, CgroupMemory] = {}
        self.env: dict[int, dict[str, str]] = {}
        self.seen: dict[int, dict[str, Any]] = {}
        self.never_started: set[int] = set()
        self.past: tuple[PastVerdict, ...] = ()
        self.agent_code: dict[int, int] = {}

    # --- who and when

    def host(self, rank: int) -> str:
        """A rank's node."""
        return self.nodes[rank // self.per]

    def on(self, *hosts: int) -> list[int]:
        """The ranks of these nodes, by the nodes' numbers."""
        return [r for r in self.ranks if r // self.per in hosts]

    def but(self, *ranks: int) -> list[int]:
        """All other ranks."""
        return [r for r in self.ranks if r not in ranks]

    def pid(self, rank: int) -> int:
        """Its process."""
        if self.lone:
            return 40_000 + rank // self.per
        return 40_000 + rank if not self.launcher else 2_704_118 + 3 * rank

    def clock(self, at: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """The wall clock; ``%f`` gives milliseconds."""
        moment = datetime.fromtimestamp(self.start_ns // 10**9, timezone.utc) + timedelta(seconds=at)
        return moment.strftime(form.replace("%f", f"{moment.microsecond // 1000:03d}"))

    def slurm_clock(self, at: float) -> str:
        """As Slurm prints it."""
        return self.clock(at, "%Y-%m-%dT%H:%M:%S")

    def host_series(
        self, node: int, name: str, unit: str, points: Sequence[tuple[float, float]], *, step: str | None = None, rank: int | None = None
    ) -> None:
        """Numbers that the node read of itself, a step or a rank."""
        where = Where(
            node=self.nodes[node],
            step=step,
            rank=rank,
            local_rank=None if rank is None else rank % self.per,
            pid=None if rank is None else self.pid(rank),
        )
        self._add(
            self.nodes[node],
            "series",
            Series(
                name=name,
                where=where,
                unit=unit,
                times_ns=tuple(self.at(t) for t, _ in points),
                values=tuple(float(v) for _, v in points),
                points_seen=len(points),
            ),
        )

    # --- the whole

    def sacct(
        self,
        state: str,
        begin: float,
        end: float,
        *,
        code: int = 0,
        signal: int = 0,
        steps: Sequence[tuple[str, str, str, int, int]],
        nodes: str | None = None,
        count: int | None = None,
        **more: Any,
    ) -> None:
        """A row of accounting: ``steps`` are (step, name, state, code, signal)."""
        count = count or len(self.nodes)
        names = nodes or ",".join(self.nodes)
        tasks = count * (1 if self.launcher else self.per)
        rows = tuple(
            StepRecord(
                step=s,
                name=n,
                state=st,
                exit_code=c,
                exit_signal=g,
                node_list=names if s not in ("batch",) else names.split(",", maxsplit=1)[0],
                ntasks=1 if s == "batch" else count if s == "extern" else tasks,
                start_ns=self.at(begin),
                end_ns=self.at(end),
            )
            for s, n, st, c, g in steps
        )
        base: dict[str, Any] = {
            "source": f"sacct -D -j {self.job_id}", "cluster": "hpc", "job_id": self.job_id, "job_id_raw": str(self.job_id), "name": self.name, "user": "alice", "uid": 1042, "account": self.account, "partition": self.partition,
            "qos": "normal", "state": state, "exit_code": code, "exit_signal": signal, "node_list": names, "nnodes": count, "submit_ns": self.at(begin - 71), "eligible_ns": self.at(begin - 71), "start_ns": self.at(begin),
            "end_ns": self.at(end), "elapsed_s": round(end - begin), "suspended_s": 0, "time_limit_s": self.limit_s, "submit_line": self.submit_line, "tres_alloc": f"billing={count * 96},cpu={count * 96},gres/gpu={self.per * count},mem={count * 960}G,node={count}",
            "steps": rows, **more,
        }  # fmt: skip
        self._rows.append(AccountingRecord(**base))

    def finish(
        self,
        state: str,
        end: float,
        *,
        code: int = 0,
        batch: tuple[int | None, int | None] | None = None,
        step: tuple[str, int, int] | None = None,
        signal: int = 0,
        more_steps: Sequence[tuple[str, str, str, int, int]] = (),
        **more: Any,
    ) -> None:
        """Write all down. ``batch``: how the script ended; ``step``: the row of the job's step 0."""
        killed = state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL")
        for k, r in enumerate(self.ranks):
            self.fates.setdefault(r, (end - 2.5 + 0.01 * k, None if killed else code, 15 if killed else None))
        self._tasks()
        first, by = batch or ((None, 15) if killed else (code, None))
        if self.nodes[0] not in self.silent:
            self.rank(
                0,
                self.nodes[0],
                sorted(self.script_told, key=lambda w: w[0]),
                code=first,
                signal=by,
                end=end - 0.3,
                step="batch",
                stream="out",
                local=0,
            )
        self._end_s = max(self._end_s, end)
        zero = step or (("CANCELLED", 0, 15) if killed else (state, code, signal))
        mine = [
            ("batch", "batch", "CANCELLED" if killed else "COMPLETED" if not (first or by) else "FAILED", first or 0, by or 0),
            ("extern", "extern", "COMPLETED", 0, 0),
            ("0", self.python, *zero),
            *more_steps,
        ]
        self.sacct(state, 0, end, code=code, signal=signal, steps=mine, **more)
        if not self.looks:
            self.looks = 44 if len(self.ranks) <= 8 else 26 if len(self.ranks) <= 64 else 13
        for r in self.ranks:
            if self.host(r) not in self.silent:
                self._card(r, end)
                self._map(r)
                for t_rank, points in self.cpu.items():
                    if t_rank == r:
                        self.host_series(r // self.per, "cpu_percent", "percent", points, step="0", rank=r)

    def _tasks(self) -> None:
        if not self.launcher:
            for r in self.ranks:
                if self.host(r) in self.silent:
                    continue
                at, code, signal = self.fates[r]
                streams = ("out", "err") if self.split else ("both",)
                for k, stream in enumerate(streams):
                    said = sorted(self.told.get((r, stream), []), key=lambda w: w[0])
                    last = k == len(streams) - 1
                    self.rank(
                        r,
                        self.host(r),
                        said,
                        code=code if last else None,
                        signal=signal if last else None,
                        end=at,
                        local=r % self.per,
                        stream=stream,
                        memory=self.memory.get(r),
                    )
            return
        for n, node in enumerate(self.nodes):
            if node in self.silent:
                continue
            mine = self.on(n)
            said = sorted(
                [w for r in mine for s in ("both", "out", "err") for w in self.told.get((r, s), [])] + self.agent_told.get(n, []), key=lambda w: w[0]
            )
            fates = [self.fates[r] for r in mine]
            outside = all(f[2] == 15 for f in fates) and n not in self.agent_code
            code = self.agent_code.get(n, 1 if any(f[1] or f[2] for f in fates) else 0)
            self.rank(
                n,
                node,
                said,
                code=None if outside else code,
                signal=15 if outside else None,
                end=max(f[0] for f in fates) + 0.6,
                local=0,
                stream="both",
                memory=self.memory.get(n),
            )

    def _map(self, rank: int) -> None:
        if rank in self.never_started or (self.lone and rank % self.per):
            return
        at, code, signal = self.fates[rank]
        opened = [(t, p.held) for t, p in self.poses.get(rank, ()) if p.held]
        local = rank % self.per
        fields: dict[str, Any] = {
            "rank": rank, "local_rank": local, "name": self.python, "command": (self.python, "-u", self.script), "gpu_uuids": tuple(self.uuid(self.host(rank), g) for g in (range(self.per) if self.lone else (local,))) if opened else (),
            "gpu_attached_ns": self.at(opened[0][0]) if opened else None, "gpu_memory_peak_bytes": int(self.kit.gib * GIB * max(h for _, h in opened)) if opened else None, "started_ns": self.at(3), "ended_ns": self.at(at),
            "exit_code": code, "exit_signal": signal, "end_uncertainty_ns": 1_000_000, "environment": {**({} if self.lone else {"RANK": str(rank), "LOCAL_RANK": str(local), "WORLD_SIZE": str(len(self.ranks))}), **self.env.get(rank, {})}, "task_local": 0 if self.launcher else local,
        }  # fmt: skip
        self.process(self.host(rank), self.pid(rank), **{**fields, **self.seen.get(rank, {})})

    def _moments(self, poses: Poses, end: float) -> list[float]:
        last = poses[-1][0]
        if self.looks < 8:
            return [round(end * k / self.looks) + 0.0 for k in range(self.looks)] + [end]
        found = {round(end * k / (self.looks - 1)) for k in range(self.looks)} | {round(last + (end - last) * k / 7) for k in range(8)}
        found |= {round(t + by) for t, _ in poses if t for by in (-8, 8)} | {round(end - by) for by in (15, 75, 180, 360) if end > 2 * by}
        return [float(t) for t in sorted(found) if 0 <= t <= end]

    def _card(self, rank: int, end: float) -> None:
        node, local = self.host(rank), rank % self.per
        poses = self.poses.get(rank, ((0.0, REST),))
        before, after = self.counters.get(rank, ({}, {}))
        self.gpu(node, local, {**self.kit.fields(), "job_attached": any(p.held for _, p in poses), **before}, after)
        at = [t for t in self._moments(poses, end) if t < self.unseen_from.get(rank, 1e12)]
        now = [next((p for t0, p in reversed(poses) if t0 <= t), poses[0][1]) for t in at]
        read: dict[str, tuple[str, list[float]]] = {}
        d = self.dice
        on = [p.swing >= 60 and d.uniform(0, 100) < p.busy for p in now]

        def put(name: str, unit: str, value: Callable[[Pose, bool], float]) -> None:
            read[f"gpu_{name}"] = (unit, [value(p, o) for p, o in zip(now, on, strict=True)])

        def near(x: float, by: float) -> float:
            return min(100.0, max(0.0, x + d.uniform(-by, by))) if 0 < x < 100 else x

        put("utilization_percent", "%", lambda p, o: (float(d.randrange(84, 100)) if o else 0.0) if p.swing >= 60 else float(round(near(p.busy, 2))))
        put("duty_percent", "%", lambda p, _: round(near(p.busy, 3), 1))
        put("duty_spread_percent", "%", lambda p, _: float(round(near(p.swing, 2))))
        if self.kit.counts_sm:
            put("sm_activity_percent", "%", lambda p, _: round(p.sm * (1 + d.uniform(-0.06, 0.06)), 2))
        put(
            "power_mw",
            "mW",
            lambda p, o: float(
                round(
                    self.kit.watts
                    * 1000
                    * p.watts
                    * ((1 + d.uniform(0.3, 0.6) if o else 1 - d.uniform(0.2, 0.35)) if p.swing >= 60 else 1 + d.uniform(-0.03, 0.03))
                )
            ),
        )
        put("memory_used_bytes", "bytes", lambda p, _: float(int(self.kit.gib * 1024 * p.held) << 20))
        if len(self.ranks) <= 64 or any(p.why or p.clock not in (0.97, 0.17) for p in now):
            put("sm_clock_mhz", "MHz", lambda p, _: 15.0 * round(self.kit.mhz * p.clock / 15))
            put("temperature_c", "C", lambda p, _: float(round(p.warm or 30 + 36 * p.watts + d.uniform(-1, 1))))
        if any(p.why for p in now):
            put("throttle_reasons", "", lambda p, _: float(p.why))
        for name, (unit, values) in read.items():
            self._add(
                node,
                "series",
                Series(
                    name=name,
                    where=Where(node=node, gpu_uuid=self.uuid(node, local)),
                    unit=unit,
                    times_ns=tuple(self.at(t) for t in at),
                    values=tuple(values),
                    points_seen=len(values),
                ),
            )

    def record(self) -> JobRecord:
        """The job, with what is known of earlier ones."""
        return super().record().model_copy(update={"past": self.past})

"""A job's ranks on a cluster's cards, told call by call: what each said, how it ended, what its card read, what node and Slurm noted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timezone
from random import Random
from typing import Any, NamedTuple

from corpus.label import Label
from corpus.running.hand import GIB, Hand
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series

Card = Mapping[str, Any]
H100: Card = {"driver_version": "550.90.07"}
H200: Card = {"name": "NVIDIA H200", "memory_total_bytes": 141 * GIB, "driver_version": "570.133.20"}
B200: Card = {"name": "NVIDIA B200", "memory_total_bytes": 180 * GIB, "driver_version": "580.65.06", "power_limit_mw": 1_000_000, "sm_clock_max_mhz": 1965}
A100: Card = {"name": "NVIDIA A100-SXM4-80GB", "driver_version": "535.183.01", "power_limit_mw": 400_000, "sm_clock_max_mhz": 1410}
A100_40: Card = {"name": "NVIDIA A100-SXM4-40GB", "memory_total_bytes": 40 * GIB, "driver_version": "525.147.05", "power_limit_mw": 400_000, "sm_clock_max_mhz": 1410}
L40S: Card = {"name": "NVIDIA L40S", "memory_total_bytes": 48 * GIB, "driver_version": "565.57.01", "power_limit_mw": 350_000, "sm_clock_max_mhz": 2520}
V100: Card = {"name": "Tesla V100-SXM2-32GB", "memory_total_bytes": 32 * GIB, "driver_version": "470.223.02", "power_limit_mw": 300_000, "sm_clock_max_mhz": 1530}
GH200: Card = {"name": "NVIDIA GH200 120GB", "memory_total_bytes": 96 * GIB, "driver_version": "560.35.05", "power_limit_mw": 900_000}
OUT_OF_MEMORY = 125
"""What Slurm's rows have in a signal's place where a step was killed for its memory."""
NO_SM = ("A100", "V100", "L40S")
"""Cards of which the driver reads no SM activity."""


_NAMED = re.compile(r"\{(r|l|node|n)(?::(\w+))?\}")


class Load(NamedTuple):
    """How a card stands: engine, SMs, share of its watts and of its memory, how far the engine's samples lie apart, share of its clock."""

    duty: float
    sm: float
    watts: float
    held: float
    spread: float = 4
    clock: float = 0.97
    heat: float = 0
    throttle: int = 0


IDLE = Load(0, 0, 0.11, 0.0, 0, 0.18)
CONTEXT = Load(0, 0, 0.12, 0.007, 0, 0.18)
WORK = Load(97, 54, 0.86, 0.79)
SPIN = Load(100, 1.4, 0.2, 0.79, 0)
COLD = Load(0, 0, 0.13, 0.79, 0)
GAPS = Load(26, 12, 0.34, 0.62, 100)
WIRE = Load(99, 9, 0.31, 0.79)
Spans = list[tuple[float, Load]]


@dataclass
class Fleet(Hand):
    """``per`` ranks a node; ``agents``: a launcher is the task of each node and its ranks share the launcher's pipe."""

    per: int = 8
    agents: bool = False
    card: Card = field(default_factory=lambda: H100)
    python: str = "python"
    script: str = "train.py"
    user_exits: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        self.gpus = self.per
        self.dice = Random(self.job_id)
        self.ranks = range(self.per * len(self.nodes))
        self.words: dict[int, list[tuple[float, str]]] = {r: [] for r in self.ranks}
        self.launcher: dict[int, list[tuple[float, str]]] = {n: [] for n in range(len(self.nodes))}
        self.script_words: list[tuple[float, str]] = []
        self.ends: dict[int, tuple[float, int | None, int | None]] = {}
        self.memory: dict[int, CgroupMemory] = {}
        self.spans: dict[int, Spans] = {}
        self.marks: dict[int, tuple[dict[str, Any], dict[str, Any] | None]] = {}
        self.blind: dict[int, float] = {}
        self.environment: dict[int, dict[str, str]] = {}
        self.looks: dict[int, dict[str, Any]] = {}
        self.unborn: set[int] = set()
        self.past: tuple[PastVerdict, ...] = ()
        self.points = 24

    def home(self, rank: int) -> str:
        """Its node."""
        return self.nodes[rank // self.per]

    def clock(self, at: float, form: str = "%Y-%m-%d %H:%M:%S") -> str:
        """The clock on the wall."""
        return datetime.fromtimestamp(self.at(at) / 1e9, timezone.utc).strftime(form)

    def say(self, rank: int, at: float, text: str, tag: str = "") -> None:
        """One or more lines of a rank, each behind ``tag``."""
        self.words[rank].append((at, "\n".join(tag + line for line in text.split("\n"))))

    def each(self, at: float, form: str, ranks: Iterable[int] | None = None, gap: float = 0.07, tag: str = "") -> None:
        """The same of many ranks: r, l and node are filled in."""
        for r in self.ranks if ranks is None else ranks:
            values = {"r": r, "l": r % self.per, "node": self.home(r), "n": r // self.per}

            def put(match: re.Match[str], held: dict[str, Any] = values) -> str:
                return format(held[match[1]], match[2] or "")

            self.say(r, at + gap * r, _NAMED.sub(put, form), _NAMED.sub(put, tag))

    def steps(self, rank: int, span: Iterable[int], first: float, pace: float | Callable[[int], float], line: Callable[[int, float, float], str], loss: Callable[[int], float], tag: str = "", *, until: float = 1e9) -> float:  # noqa: PLR0917
        """Progress lines of ``line(step, loss, seconds)``; the time of the last one, which is before ``until``. ``pace`` is seconds a step."""
        told = list(span)
        at, before = first, 2 * told[0] - told[1]
        for i in told:
            at += (i - before) * (pace(i) if callable(pace) else pace) * self.dice.uniform(0.98, 1.02)
            if at >= until:
                break
            before = i
            self.say(rank, at, line(i, loss(i), at), tag)
        return at

    def end(self, ranks: int | Iterable[int], at: float, code: int | None = None, signal: int | None = None, gap: float = 0.03) -> None:
        """How ranks ended."""
        for r in [ranks] if isinstance(ranks, int) else ranks:
            self.ends[r] = (at + gap * r, code, signal)

    def load(self, spans: Spans, ranks: Iterable[int] | None = None) -> None:
        """What the cards of ranks read, from which second on."""
        for r in self.ranks if ranks is None else ranks:
            self.spans[r] = spans

    def pci(self, rank: int) -> str:
        """The bus address as the driver's lines have it."""
        return f"0000:{0x1B + 0x20 * (rank % self.per):02x}:00"

    def xid(self, rank: int, at: float, number: int, words: str, named: bool = True) -> None:
        """The driver's line of a rank's card."""
        who = f"pid={self.pid(rank)}, name={self.python}, " if named else "pid='<unknown>', name=<unknown>, "
        more: dict[str, Any] = {"pid": self.pid(rank), "process": self.python} if named else {}
        self.kernel(self.home(rank), at, "xid", f"NVRM: Xid (PCI:{self.pci(rank)}): {number}, {who}{words}", gpu=rank % self.per, xid=number, pci=self.pci(rank), words=words, **more)

    def pid(self, rank: int) -> int:
        """Of a rank's process."""
        return (1_210_400 + 7 * rank) if self.agents else 40_000 + rank

    def oom(self, rank: int, at: float, limit_gib: int, rss_gib: float, whole_node: bool = False) -> None:
        """The kernel kills a rank for memory: of the step's cgroup, or of the node."""
        task = f"/slurm/uid_1042/job_{self.job_id}/step_0/task_{0 if self.agents else rank % self.per}"
        scope: dict[str, Any] = {"scope": "node", "constraint": "CONSTRAINT_NONE"} if whole_node else {"scope": "cgroup", "constraint": "CONSTRAINT_MEMCG", "oom_memcg": f"/slurm/uid_1042/job_{self.job_id}"}
        middle = "global_oom" if whole_node else f"oom_memcg=/slurm/uid_1042/job_{self.job_id}"
        self.kernel(self.home(rank), at, "kernel_oom", f"oom-kill:constraint={scope['constraint']},nodemask=(null),cpuset=/,mems_allowed=0-1,{middle},task_memcg={task},task={self.python},pid={self.pid(rank)},uid=1042", **scope, task_memcg=task, process=self.python, pid=self.pid(rank), uid=1042, job_id=self.job_id)
        if not whole_node:
            self.memory[rank // self.per if self.agents else rank] = CgroupMemory(limit_bytes=limit_gib * GIB, peak_bytes=min(limit_gib * GIB, int(rss_gib * GIB)), oom_events=1, oom_kill_events=1)

    def close(self, state: str, end: float, code: int = 0, signal: int = 0, *, step: tuple[str, int, int] | None = None, batch: tuple[int | None, int | None] | None = None, **more: Any) -> Fleet:
        """Write all down: logs and exits, Slurm's row, cards, processes."""
        for r in self.ranks:
            self.ends.setdefault(r, (end - 1 + 0.02 * r, code if not signal else None, signal or None))
        if self.agents:
            self._agents(code, 0 if signal == OUT_OF_MEMORY else signal)
        else:
            for r in self.ranks:
                at, status, killed = self.ends[r]
                if self.home(r) not in self.silent:
                    self.rank(r, self.home(r), sorted(self.words[r], key=lambda w: w[0]), code=status, signal=killed, end=at, local=r % self.per, stream="both", memory=self.memory.get(r))
        first, last = batch or ((code, None) if not signal else (None, signal))
        if self.nodes[0] not in self.silent:
            self.rank(0, self.nodes[0], sorted(self.script_words, key=lambda w: w[0]), code=first, signal=last, end=end - 0.4, step="batch", stream="out", local=0)
        name, status, killed = step or ((state, code, signal) if state in ("COMPLETED", "FAILED") else ("CANCELLED", 0, 15))
        ended = state if state in ("COMPLETED", "FAILED") else "FAILED" if state == "OUT_OF_MEMORY" else "CANCELLED"
        self.ended(state, code=code, signal=0 if state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL") else signal, end=end, steps=(("batch", ended, first or 0, last or 0), ("0", name, status, killed)), partition=more.pop("partition", "gpu"), **more)
        for r in self.ranks:
            if self.home(r) not in self.silent:
                self._card(r, end)
                self._process(r)
        return self

    def _agents(self, code: int, signal: int) -> None:
        for n, node in enumerate(self.nodes):
            mine = range(n * self.per, (n + 1) * self.per)
            rows = [w for r in mine for w in self.words[r]] + self.launcher[n]
            last = max(self.ends[r][0] for r in mine) + 0.8
            wrong = signal or code or (1 if any(self.ends[r][1] or self.ends[r][2] for r in mine) else 0)
            if node not in self.silent:
                self.rank(n, node, sorted(rows, key=lambda w: w[0]), code=None if signal else (1 if wrong else 0), signal=signal or None, end=last, local=0, stream="both", memory=self.memory.get(n))

    def _process(self, rank: int) -> None:
        if rank in self.unborn:
            return
        at, code, killed = self.ends[rank]
        total = int(self.card.get("memory_total_bytes", 80 * GIB))
        opened = [(t0, s.held) for t0, s in self.spans.get(rank, []) if s.held]
        extra = self.looks.get(rank, {})
        self.process(
            self.home(rank), self.pid(rank), rank=rank, local_rank=rank % self.per, name=self.python, command=(self.python, "-u", self.script), gpu_uuids=(self.uuid(self.home(rank), rank % self.per),) if opened else (),
            gpu_attached_ns=self.at(opened[0][0]) if opened else None, gpu_memory_peak_bytes=int(total * max(h for _, h in opened)) if opened else None,
            started_ns=self.at(2), ended_ns=self.at(at), exit_code=code, exit_signal=killed, end_uncertainty_ns=1_000_000, environment={"RANK": str(rank), **self.environment.get(rank, {})}, task_local=0 if self.agents else rank % self.per, **extra,
        )  # fmt: skip

    def _card(self, rank: int, end: float) -> None:
        node, gpu = self.home(rank), rank % self.per
        before, after = self.marks.get(rank, ({}, {}))
        spans = self.spans.get(rank, [(0, IDLE)])
        self.gpu(node, gpu, {**self.card, "job_attached": any(s.held for _, s in spans), **before}, after)
        total = float(self.card.get("memory_total_bytes", 80 * GIB))
        limit, top = float(self.card.get("power_limit_mw", 700_000)), float(self.card.get("sm_clock_max_mhz", 1980))
        until = self.blind.get(rank, end)
        at = [t for t in _moments(spans, end, self.points) if t <= until]
        held = [next((s for t0, s in reversed(spans) if t0 <= t), spans[0][1]) for t in at]
        read: dict[str, list[float]] = {n: [] for n in ("utilization_percent", "duty_percent", "duty_spread_percent", "sm_activity_percent", "power_mw", "memory_used_bytes", "sm_clock_mhz", "temperature_c", "throttle_reasons")}
        throttled = any(s.throttle for s in held)
        for s in held:
            d = self.dice
            on = d.random() * 100 < s.duty
            engine = (d.randrange(86, 101) if on else 0) if s.spread >= 60 else max(0.0, min(100.0, s.duty + (d.randrange(-3, 4) if 3 < s.duty < 100 else 0)))
            read["utilization_percent"].append(engine)
            read["duty_percent"].append(round(max(0.0, min(100.0, s.duty + (d.uniform(-4, 4) if 3 < s.duty < 100 else 0))), 1))
            read["duty_spread_percent"].append(round(max(0.0, min(100.0, s.spread + (d.uniform(-2, 2) if s.spread else 0))), 0))
            read["sm_activity_percent"].append(round(max(0.0, s.sm * (1 + d.uniform(-0.07, 0.07))), 1))
            swing = d.uniform(0.4, 0.8) if on and s.spread >= 60 else d.uniform(-0.4, -0.25) if s.spread >= 60 else d.uniform(-0.04, 0.04)
            read["power_mw"].append(round(limit * s.watts * (1 + swing), -2))
            read["memory_used_bytes"].append(round(total * s.held / 1048576) * 1048576)
            read["sm_clock_mhz"].append(round(top * s.clock / 15) * 15)
            read["temperature_c"].append(round(s.heat or 31 + 37 * s.watts + d.uniform(-1, 1)))
            read["throttle_reasons"].append(s.throttle)
        if any(k in str(self.card.get("name", "")) for k in NO_SM):
            del read["sm_activity_percent"]
        if not throttled:
            del read["throttle_reasons"]
        if all(s.clock in (0.97, 0.18) for s in held):
            del read["sm_clock_mhz"], read["temperature_c"]
        for name, values in read.items():
            unit = {"power_mw": "mW", "sm_clock_mhz": "MHz", "memory_used_bytes": "bytes", "temperature_c": "C", "throttle_reasons": ""}.get(name, "%")
            where = Where(node=node, gpu_uuid=self.uuid(node, gpu))
            self._add(node, "series", Series(name=f"gpu_{name}", where=where, unit=unit, times_ns=tuple(self.at(t) for t in at), values=tuple(float(v) for v in values), points_seen=len(values)))

    def record(self) -> JobRecord:
        """The job, with what is known of earlier ones."""
        return super().record().model_copy(update={"past": self.past})


def _moments(spans: Spans, end: float, points: int) -> list[float]:
    """When a card is read: evenly, about each change, and closer in what it did last."""
    last = spans[-1][0]
    found = {round(end * k / (points - 1), 1) for k in range(points)} | {round(last + (end - last) * k / 9, 1) for k in range(10)}
    found |= {round(t + by, 1) for t, _ in spans if t for by in (-10, 10)}
    return sorted(t for t in found if 0 <= t <= end)


def fall(first: float, to: float, tau: float, power: float = 0.7, ripple: float = 0.014) -> Callable[[int], float]:
    """A loss that falls as losses do."""
    return lambda i: to + (first - to) * (1 + i / tau) ** -power + ripple * to * Random(31 * i + 7).uniform(-1, 1)


Made = tuple[Label, Hand]
Maker = Callable[[], Made]


def keep(shelf: list[Maker]) -> Callable[[Maker], Maker]:
    """Puts a job's maker on a shelf."""

    def put(maker: Maker) -> Maker:
        shelf.append(maker)
        return maker

    return put


def made(hand: Hand, mode: str, cause: str | None = None, *, first: Sequence[int] = (), fault: str = "user", variant: str | None = None, **more: Any) -> Made:
    """A job and what is true of it."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=tuple(first), **more), hand


def good(hand: Hand, hard: bool = False) -> Made:
    """A job that went well."""
    return Label(mode="G1", fault="none", hard=hard), hand


def when(text: str) -> int:
    """Nanoseconds of a date and time."""
    return int(datetime.strptime(text, "%Y-%m-%d %H:%M").replace(tzinfo=timezone.utc).timestamp()) * 10**9

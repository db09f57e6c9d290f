"""A watch kept over a job that was thought out: what it printed and when, what its cards did, and what kernel and Slurm wrote down."""

from __future__ import annotations

import bisect
import math
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timezone
from random import Random
from typing import Any

from corpus.label import Label
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.series import Series

Form = Callable[[int, int, float, float, datetime], str]
"""Of step, planned steps, loss, seconds for a step, time of day."""
Curve = Callable[[int], float]
Ranks = int | Iterable[int] | None

# name, GiB, driver, top MHz, watts, SM activity can be asked
CARDS: dict[str, tuple[str, int, str, int, int, bool]] = {
    "h100": ("NVIDIA H100 80GB HBM3", 80, "575.57.08", 1980, 700, True), "h100pcie": ("NVIDIA H100 PCIe", 80, "555.42.06", 1755, 350, True),
    "h200": ("NVIDIA H200", 141, "570.148.08", 1980, 700, True), "h800": ("NVIDIA H800", 80, "560.28.03", 1980, 700, True),
    "b200": ("NVIDIA B200", 180, "580.95.05", 1965, 1000, True), "gh200": ("NVIDIA GH200 120GB", 96, "565.57.01", 1980, 900, True),
    "a100": ("NVIDIA A100-SXM4-40GB", 40, "535.183.06", 1410, 400, False), "a100x": ("NVIDIA A100-SXM4-80GB", 80, "550.127.08", 1410, 400, False),
    "a30": ("NVIDIA A30", 24, "525.125.06", 1440, 165, False), "a10": ("NVIDIA A10G", 24, "550.144.03", 1710, 300, False),
    "l4": ("NVIDIA L4", 24, "570.86.15", 2040, 72, False), "l40": ("NVIDIA L40", 48, "550.54.15", 2490, 300, False),
    "rtx6000": ("NVIDIA RTX 6000 Ada Generation", 48, "560.35.05", 3105, 300, False), "4090": ("NVIDIA GeForce RTX 4090", 24, "565.77", 3105, 450, False),
    "2080": ("NVIDIA GeForce RTX 2080 Ti", 11, "470.239.06", 2100, 250, False), "v100": ("Tesla V100-SXM2-16GB", 16, "470.199.02", 1530, 300, False),
    "mi250": ("AMD Instinct MI250X", 64, "6.8.5", 1700, 560, False),
}  # fmt: skip
# utilisation, SM activity, bandwidth, share of the power above idle, duty, its spread
PHASES: dict[str, tuple[float, float, float, float, float, float]] = {
    "quiet": (0, 0, 0, 0.0, 0, 0), "held": (0, 0, 0, 0.07, 0, 0), "train": (96, 53, 38, 0.63, 95, 14), "hard": (99, 75, 55, 0.92, 99, 3), "light": (37, 12, 9, 0.18, 36, 47),
    "trickle": (9, 3.1, 2, 0.07, 7, 96), "poll": (100, 0.9, 0.3, 0.14, 100, 0), "lean": (100, 15, 7, 0.24, 100, 1), "lead": (100, 57, 36, 0.74, 100, 2), "wire": (100, 9.8, 6, 0.20, 100, 1),
    "saving": (7, 2.8, 2, 0.07, 7, 93), "sync": (60, 17, 9, 0.28, 60, 29), "load": (2, 0.8, 4, 0.06, 2, 20), "decode": (91, 34, 62, 0.55, 90, 16),
}  # fmt: skip
DEATHS = {3: "Quit", 4: "Illegal instruction", 6: "Aborted", 7: "Bus error", 8: "Floating point exception", 9: "Killed", 11: "Segmentation fault", 15: "Terminated"}


def falls(first: float, last: float, bend: float = 60, power: float = 0.9, shake: float = 0.012) -> Curve:
    """A loss on its way down."""
    return lambda i: last + (first - last) * (1 + i / bend) ** -power + shake * last * math.sin(i * 1.7) + shake * last * math.sin(i * 0.61)


def level(at: float, shake: float = 0.002) -> Curve:
    """A loss that goes nowhere."""
    return lambda i: at * (1 + shake * (math.sin(i * 2.3) + 0.6 * math.sin(i * 0.37)))


class Book(Hand):
    """A job whose record holds more."""

    beyond: Mapping[str, Any] = {}
    again = 0

    def record(self) -> JobRecord:
        """With it."""
        job = super().record()
        return job.model_copy(update={"attempt": job.attempt.model_copy(update={"restart_count": self.again}), **self.beyond})


class Watch:
    """One job on ``nodes`` nodes with ``per`` processes each, a card a process; ``by`` starts them: srun, or a launcher with one task a node."""

    def __init__(self, name: str, card: str = "h100", nodes: int = 1, per: int = 1, *, by: str = "srun", limit: int = 86_400, script: str = "train.py", submit: str = "", host: str = "cn{:04d}", args: Sequence[str] = ()) -> None:
        seed = zlib.crc32(name.encode())
        self.dice, self.name, self.by, self.script, self.args, self.limit = Random(seed), name, by, script, tuple(args), limit
        self.card = CARDS[card]
        first = seed % 380 + 3
        self.hosts = tuple(host.format(first + k * (1 + seed % 3)) for k in range(nodes))
        self.per, self.n = per, nodes * per
        self.book = Book(self.hosts, name=name, job_id=2_400_000 + seed % 900_000, start_ns=(1_794_000_000 + seed % 2_600_000) * 10**9, gpus=per, limit_s=limit,
                         submit_line=submit or f"sbatch -J {name} -N {nodes} --gres=gpu:{per} -t {limit // 60} run.slurm")  # fmt: skip
        self.t, self.step = self.dice.uniform(4, 11), 0
        self.out: list[list[tuple[float, str]]] = [[] for _ in range(self.n)]
        self.phase: list[list[tuple[float, str, dict[str, float]]]] = [[(0.0, "quiet", {})] for _ in range(self.n)]
        self.held: list[list[tuple[float, float]]] = [[(0.0, 0.0)] for _ in range(self.n)]
        self.core: list[list[tuple[float, float]]] = [[(0.0, 60.0)] for _ in range(self.n)]
        self.seen: dict[int, dict[str, Any]] = {}
        self.env: dict[str, str] = {}
        self.zeal = self.dice.uniform(0.84, 1.14)
        self.curve: Curve = falls(self.dice.uniform(3, 9), self.dice.uniform(0.4, 2.2), self.dice.uniform(30, 150))
        self.ended: dict[int, float] = {}
        self.host_series: list[tuple[int, str, list[float], list[float]]] = []

    # who and when
    def who(self, ranks: Ranks) -> list[int]:
        """Which ones are meant."""
        return list(range(self.n)) if ranks is None else [ranks] if isinstance(ranks, int) else list(ranks)

    def but(self, *ranks: int) -> list[int]:
        """All other ranks."""
        return [r for r in range(self.n) if r not in ranks]

    def of(self, node: int) -> list[int]:
        """The ranks of a node."""
        return list(range(node * self.per, (node + 1) * self.per))

    def day(self, t: float) -> datetime:
        """What the clock shows."""
        return datetime.fromtimestamp(self.book.at(t) / 1e9, timezone.utc)

    def pid(self, r: int) -> int:
        """Its process."""
        return (210_300 if self.by == "srun" else 210_700) + 11 * r

    def fill(self, text: str, r: int, t: float) -> str:
        """Names and times for what stands between tildes."""
        if "~" not in text:
            return text
        d = self.day(t)
        for key, value in (("r", r), ("l", r % self.per), ("n", self.hosts[r // self.per]), ("n0", self.hosts[0]), ("j", self.book.job_id), ("p", self.pid(r)), ("H", f"{d:%H:%M:%S}"), ("D", f"{d:%Y-%m-%d}"), ("M", f"{d:%m%d}"), ("U", f"{d:%f}"), ("m", f"{d:%f}"[:3])):
            text = text.replace(f"~{key}~", str(value))
        return text

    # what happens
    def p(self, text: str, after: float = 1.0, ranks: Ranks = 0, gap: float = 0.02) -> Watch:
        """Printed, so long after what was before."""
        self.t += after
        for k, r in enumerate(self.who(ranks)):
            at = self.t + gap * k
            self.out[r].append((at, self.fill(text, r, at)))
        return self

    def do(self, what: str, ranks: Ranks = None, **over: float) -> Watch:
        """What the cards do from here; ``over``: sm, mhz, celsius, reasons, watts, util."""
        for r in self.who(ranks):
            self.phase[r].append((self.t, what, over))
        return self

    def gib(self, much: float, ranks: Ranks = None, over: float = 7.0) -> Watch:
        """What is held on the card, reached within so many seconds."""
        for r in self.who(ranks):
            self.held[r] += [(self.t, self.held[r][-1][1]), (self.t + over, much)]
        return self

    def cpu(self, percent: float, ranks: Ranks = None) -> Watch:
        """Of one core."""
        for r in self.who(ranks):
            self.core[r].append((self.t, percent))
        return self

    def run(self, count: int, pace: float, each: int, form: Form, *, of: int = 0, curve: Curve | None = None, slower: float = 1.0, rank: int = 0, quiver: float = 0.015) -> Watch:
        """Steps, of which each so-many-th is told."""
        of, curve = of or self.step + count, curve or self.curve
        for k in range(1, count + 1):
            i = self.step + k
            took = pace * (1 + (slower - 1) * k / count) * max(0.2, self.dice.gauss(1, quiver))
            self.t += took
            if i % each == 0:
                self.out[rank].append((self.t, self.fill(form(i, of, curve(i), took, self.day(self.t)), rank, self.t)))
        self.step += count
        return self

    def lull(self, seconds: float) -> Watch:
        """Nothing is printed."""
        self.t += seconds
        return self

    def process(self, r: int, state: str, where: str = "", **more: Any) -> Watch:
        """How it was last seen in /proc."""
        self.seen[r] = {"state": state, **({"wchan": where} if where else {}), **more}
        return self

    def bus(self, r: int) -> str:
        """Where its card sits."""
        return f"0000:{0x1B + 0x20 * (r % self.per):02x}:00"

    def xid(self, r: int, number: int, text: str, ago: float = 0.4) -> Watch:
        """The driver's line in the kernel log."""
        line = self.fill(f"NVRM: Xid (PCI:{self.bus(r)}): {number}, {text}", r, self.t)
        self.book.kernel(self.hosts[r // self.per], self.t - ago, "xid", line, gpu=r % self.per, pci=self.bus(r), xid=number)
        return self

    def oom_killer(self, r: int, *, node_wide: bool = False, ago: float = 0.2, name: str = "python") -> Watch:
        """The kernel's line about whom it chose."""
        job = self.book.job_id
        scope, kind = ("node", "CONSTRAINT_NONE") if node_wide else ("cgroup", "CONSTRAINT_MEMCG")
        task = f"/system.slice/slurmstepd.scope/job_{job}/step_0/user/task_{r % self.per if self.by == 'srun' else 0}"
        where = "global_oom" if node_wide else f"oom_memcg=/system.slice/slurmstepd.scope/job_{job}"
        line = f"oom-kill:constraint={kind},nodemask=(null),cpuset=step_0,mems_allowed=0-3,{where},task_memcg={task},task={name},pid={self.pid(r)},uid=1042"
        self.book.kernel(self.hosts[r // self.per], self.t - ago, "kernel_oom", line, scope=scope, constraint=kind, task_memcg=task, process=name, pid=self.pid(r), uid=1042, job_id=job)
        return self

    def before(self, state: str, ran: float, pause: float, **more: Any) -> Watch:
        """Slurm's row of an earlier attempt."""
        self.book.again += 1
        begun = -pause - ran
        self.book.ended(state, end=0.0, start_ns=self.book.at(begun), end_ns=self.book.at(-pause), elapsed_s=round(ran), submit_ns=self.book.at(begun - 31), steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), **more)
        return self

    # the end
    def over(self, what: Label, state: str = "COMPLETED", died: Mapping[int, int] | None = None, *, rest: int = 0, lag: float = 1.2, at: Mapping[int, float] | None = None, lost: Sequence[int] = (), cards: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]] | None = None,
             dark: Mapping[int, float] | None = None, batch: Sequence[tuple[float, str]] = (), memory: Mapping[int, Any] | None = None, past: Sequence[Mapping[str, Any]] = (), readings: bool = True, signal: int = -15, code: int | None = None, **row: Any) -> HandJob:  # fmt: skip
        """``died``: exit codes by rank, a signal below zero; ``rest`` how the others ended; ``lost`` nodes answer no more; ``dark``: from when a card gave no reading."""
        died, at, cards, dark, memory = dict(died or {}), dict(at or {}), dict(cards or {}), dict(dark or {}), dict(memory or {})
        cut = state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "DEADLINE")
        end = self.limit + self.dice.uniform(1, 20) if state == "TIMEOUT" else self.t + lag
        fate = {r: died.get(r, signal if cut else rest) for r in range(self.n)}
        some = set(died) if len(died) < self.n and not cut else set()
        when = {r: at.get(r, (self.t + 0.3 if self.by == "srun" else self.t - 0.5) if r in some else end + 0.009 * r) for r in range(self.n)}
        self.ended = when
        codes, kills = [f for f in died.values() if f > 0] or [rest] * (rest > 0), [-f for f in died.values() if f < 0]
        worst = code if code is not None else 0 if cut else max(codes) if codes else 128 + kills[0] if kills else 0
        said, stamp = list(batch), f"{self.day(end):%Y-%m-%dT%H:%M:%S}"
        for k, host in enumerate(self.hosts):
            if k in lost:
                continue
            if self.by == "srun":
                for r in self.of(k):
                    self._task(r, k, r % self.per, self.out[r], fate[r], when[r], memory.get(r))
                    if fate[r] and not lost and (not cut or r in died):
                        said.append((when[r] + 0.2, f"srun: error: {host}: task {r}: " + (f"Exited with exit code {fate[r]}" if fate[r] > 0 else DEATHS.get(-fate[r], "Killed"))))
            else:
                bad = any(fate[r] for r in self.of(k))
                self._task(k, k, 0, sorted(x for r in self.of(k) for x in self.out[r]), signal if cut else int(bad), end + 0.5, None)
                if bad and not cut and not lost:
                    said.append((end + 0.7, f"srun: error: {host}: task {k}: Exited with exit code 1"))
        if self.by != "srun" and worst and not cut and code is None:
            worst = 1
        if lost:
            said.append((end - 0.7, f"srun: error: Node failure on {self.hosts[lost[0]]}"))
        if cut or lost:
            why = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION"}.get(state, "") if cut else " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"
            said += [(end - 0.4, f"slurmstepd: error: *** STEP {self.book.job_id}.0 ON {self.hosts[0]} CANCELLED AT {stamp}{why} ***"), (end - 0.35, f"slurmstepd: error: *** JOB {self.book.job_id} ON {self.hosts[0]} CANCELLED AT {stamp}{why} ***"), (end - 0.5, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")]
        if 0 not in lost:
            self.book.batch([(t, self.fill(x, 0, t)) for t, x in sorted(said)], code=0 if cut else worst, end=end + 0.9)
        short = min(worst, 255)
        if self.by != "srun":
            kills = []
        step = ("CANCELLED", 0, 15) if cut else (state, short if short <= 128 or not kills else 0, kills[0] if kills and not codes else 0)
        steps = row.pop("steps", (("batch", "CANCELLED" if cut else state, 0 if cut else short, 15 if cut else 0), ("extern", "COMPLETED", 0, 0), ("0", *step)))
        if state == "OUT_OF_MEMORY":
            steps = (("batch", state, 0, 125), ("extern", "COMPLETED", 0, 0), ("0", state, 0, 125))
        row_code, row_signal = (0, 125) if state == "OUT_OF_MEMORY" else (0 if cut else short, 0)
        self.book.ended(state, code=row_code, signal=row_signal, end=end + 1.6, steps=steps, **row)
        times = self._ticks(end)
        for r in range(self.n):
            node = r // self.per
            if node in lost:
                continue
            if readings:
                before, after = cards.get(r, ({}, {}))
                self._card(r, [t for t in times if t < dark.get(r, 1e12)], before, after)
            self._proc(r, fate[r], when[r])
            self._row(node, Where(node=self.hosts[node], rank=r), "cpu_percent", times, [max(0.0, self._at(self.core[r], t) * self.dice.gauss(1, 0.06)) for t in times])
        for node, name, ts, vs in self.host_series:
            where = Where(node=self.hosts[node], step="0") if name.startswith("step") else Where(node=self.hosts[node])
            self._row(node, where, name, ts, vs)
        self.book.silent = {self.hosts[k] for k in lost}
        self.book.beyond = {"work_dir": f"/home/alice/{self.name}", **({"past": tuple(PastVerdict(**{"job": str(self.book.job_id), "fault": "none", **one}) for one in past)} if past else {})}
        return HandJob(what, self.book)

    def _ticks(self, end: float) -> list[float]:
        count = max(14, min(190 if self.n < 3 else 84 if self.n < 9 else 42, int(end / 7)))
        return [max(0.3, min(end, end * k / (count - 1) + self.dice.uniform(-0.25, 0.25))) for k in range(count)]

    def _task(self, rank: int, node: int, local: int, lines: Sequence[tuple[float, str]], fate: int, at: float, memory: Any) -> None:  # noqa: PLR0917
        self.book.rank(rank, self.hosts[node], sorted(lines), code=fate if fate >= 0 else None, signal=-fate if fate < 0 else None, end=at, local=local, stream="both", memory=memory)

    def _proc(self, r: int, fate: int, at: float) -> None:
        node, ns = self.hosts[r // self.per], self.book.at
        below = {} if self.by == "srun" else {"parent_pid": 210_300 + 11 * (r // self.per), "task_local": 0}
        env = {"RANK": str(r), "LOCAL_RANK": str(r % self.per), "WORLD_SIZE": str(self.n), **self.env}
        if self.by != "srun" and r % self.per == 0:
            self.book.process(node, 210_300 + 11 * (r // self.per), command=(self.by, self.script), name=self.by, state="S", started_ns=ns(1.2), seen_last_ns=ns(max(2.5, at - 4)), looks=max(1, int(at / 5)), task_local=0)
        used = next((t for t, much in self.held[r] if much > 0), None)
        card = {"gpu_uuids": (), "gpu_attached_ns": None} if used is None else {"gpu_uuids": (self.book.uuid(node, r % self.per),), "gpu_attached_ns": ns(max(3.0, used - 5))}
        end = {"ended_ns": ns(at), **({"exit_code": fate} if fate >= 0 else {"exit_signal": -fate})}
        self.book.process(node, self.pid(r), **{"rank": r, "local_rank": r % self.per, "command": ("python", self.script, *self.args), "environment": env, "state": "R", "name": "python",
                          "started_ns": ns(2.1), "seen_last_ns": ns(max(2.5, at - 4)), "looks": max(1, int(at / 5)), **card, **below, **end, **self.seen.get(r, {})})  # fmt: skip

    @staticmethod
    def _at(course: Sequence[tuple[float, float]], t: float) -> float:
        return next(v for s, v in reversed(course) if s <= t)

    def _mem(self, r: int, t: float) -> float:
        rows = self.held[r]
        k = bisect.bisect_right([s for s, _ in rows], t) - 1
        if k + 1 >= len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        return rows[k][1] + (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0]) * (rows[k + 1][1] - rows[k][1])

    def _card(self, r: int, times: Sequence[float], before: Mapping[str, Any], after: Mapping[str, Any] | None) -> None:
        name, gib, driver, top, watts, asked = self.card
        dice, host, local = self.dice, self.hosts[r // self.per], r % self.per
        rest, drift, warm = 0.12 * watts, 0.0, 30.0
        got: dict[str, list[float]] = {}
        for t in times:
            gone = t > self.ended[r] + 0.3
            _, what, over = (0.0, "quiet", {}) if gone else next(a for a in reversed(self.phase[r]) if a[0] <= t)
            util, sm, wide, share, duty, spread = PHASES[what]
            util, sm = over.get("util", util), over.get("sm", min(95.0, sm * (self.zeal if sm > 20 else 1)))
            drift = 0.7 * drift + dice.gauss(0, 0.011)
            watt = over.get("watts", rest + share * (watts - rest)) * (1 + drift)
            ragged = what in ("trickle", "saving")
            warm += 0.3 * (over.get("celsius", 30 + 39 * min(1.0, watt / watts)) - warm)
            now = {
                "utilization_percent": float(100 * (dice.random() < util / 100)) if ragged else util if util in (0, 100) else round(min(100.0, max(0.0, dice.gauss(util, 2.1)))),
                "memory_used_bytes": 0 if gone else round(min(self._mem(r, t), gib - 0.3) * GIB), "power_mw": round(1000 * min(1.02 * watts, max(0.1 * watts, watt))), "temperature_c": round(dice.gauss(warm, 0.5)),
                "sm_clock_mhz": round(over.get("mhz", 210 if what == "quiet" else top - 15 * dice.randrange(0, 5))), "throttle_reasons": over.get("reasons", 1.0 if util < 1 else 4.0 if share > 0.9 else 0.0),
                "duty_percent": duty if duty in (0, 100) else max(0.0, min(100.0, dice.gauss(duty, 1.2))), "duty_spread_percent": spread if spread < 3 else max(0.0, min(100.0, dice.gauss(spread, 2.4))),
                "sm_activity_percent": 0.0 if sm == 0 else round(max(0.05, dice.gauss(sm, 0.045 * sm + 0.04)), 2), "memory_bandwidth_percent": 0.0 if sm == 0 else round(max(0.0, dice.gauss(wide, 0.6)), 2),
            }  # fmt: skip
            for key, value in now.items():
                got.setdefault(key, []).append(float(value))
        if not asked:
            got.pop("sm_activity_percent", None), got.pop("memory_bandwidth_percent", None)
        if name.startswith("AMD"):
            got.pop("duty_percent", None), got.pop("duty_spread_percent", None)
        plain = {"name": name, "memory_total_bytes": gib * GIB, "driver_version": driver, "sm_clock_max_mhz": top, "power_limit_mw": watts * 1000, "temperature_slowdown_c": 90, "serial": f"16{zlib.crc32(host.encode()) % 10**7:07d}{local:03d}", "pcie_replay_count": 0,
                 "recovery_action": "none", "foreign_processes": 0, "job_attached": any(much > 0 for _, much in self.held[r]), **{f"violation_{k}_ns": 9_400_000 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}}  # fmt: skip
        if "RTX" in name or name in ("NVIDIA L4", "NVIDIA A10G", "NVIDIA L40"):
            plain["ecc_enabled"] = "GeForce" not in name
        else:
            plain |= {"nvlink_crc_errors": 0, "nvlink_replay_errors": 0}
        self.book.gpu(host, local, {**plain, **before}, None if after is None else dict(after))
        for key, values in got.items():
            self._row(r // self.per, Where(node=host, gpu_uuid=self.book.uuid(host, local)), f"gpu_{key}", times, values)

    def _row(self, node: int, where: Where, name: str, times: Sequence[float], values: Sequence[float]) -> None:
        unit = UNITS.get(name, "bytes" if name.endswith("bytes") else "%")
        one = Series(name=name, where=where, unit=unit, times_ns=tuple(self.book.at(t) for t in times), values=tuple(values), points_seen=len(values))
        self.book._add(self.hosts[node], "series", one)  # noqa: SLF001

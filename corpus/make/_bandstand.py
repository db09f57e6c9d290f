"""A job as it is told: what its ranks print, what their cards do meanwhile, and what nodes and Slurm have of it in the end."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._bandstand_words import FORMS, clock
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.series import Series

# name, GiB, driver, top clock, watts, watts at rest with a context, whether SM activity is told
CARDS: dict[str, tuple[str, int, str, int, int, int, bool]] = {
    "h100": ("NVIDIA H100 80GB HBM3", 80, "570.195.03", 1980, 700, 112, True),
    "h200": ("NVIDIA H200", 141, "575.57.08", 1980, 700, 118, True),
    "b200": ("NVIDIA B200", 180, "580.95.05", 1965, 1000, 190, True),
    "gh200": ("NVIDIA GH200 120GB", 95, "570.148.08", 1980, 700, 120, True),
    "h100p": ("NVIDIA H100 PCIe", 80, "555.42.06", 1755, 350, 68, True),
    "a100": ("NVIDIA A100-SXM4-40GB", 40, "535.183.06", 1410, 400, 68, False),
    "a100l": ("NVIDIA A100-SXM4-80GB", 80, "550.127.08", 1410, 400, 72, False),
    "a30": ("NVIDIA A30", 24, "535.216.01", 1440, 165, 33, False),
    "l40s": ("NVIDIA L40S", 48, "565.57.01", 2520, 350, 62, False),
    "l4": ("NVIDIA L4", 23, "550.90.12", 2040, 72, 27, False),
    "v100": ("Tesla V100-SXM2-16GB", 16, "470.223.02", 1530, 300, 55, False),
    "ada": ("NVIDIA RTX 6000 Ada Generation", 48, "560.35.05", 3105, 300, 55, False),
}
# utilisation, SM activity, bandwidth, share of the watts above rest, duty, spread of the duty
MOODS: dict[str, tuple[float, float, float, float, float, float]] = {
    "empty": (0, 0, 0, -1, 0, 0),
    "rest": (0, 0, 0, 0, 0, 0),
    "work": (97, 54, 38, 0.70, 97, 5),
    "heavy": (100, 74, 52, 0.92, 100, 2),
    "light": (34, 11, 6, 0.20, 34, 40),
    "load": (4, 1.2, 3, 0.05, 4, 22),
    "poll": (100, 0.8, 0.2, 0.10, 100, 0),
    "gaps": (9, 4.0, 3, 0.10, 9, 94),
    "queue": (100, 15, 8, 0.24, 100, 1),
    "alone": (100, 60, 40, 0.78, 100, 2),
    "wire": (100, 9, 5, 0.19, 100, 1),
    "write": (5, 2.2, 2, 0.06, 5, 86),
    "steps": (52, 14, 8, 0.25, 52, 34),
}
WORDS_OF = {4: "Illegal instruction", 6: "Aborted", 7: "Bus error", 9: "Killed", 11: "Segmentation fault", 15: "Terminated"}
Who = int | Sequence[int] | frozenset[int] | None


def but(*ranks: int) -> frozenset[int]:
    """All but these."""
    return frozenset(ranks)


class Book(Hand):
    """With what the record holds beside."""

    beside: Mapping[str, Any] = {}
    again = 0

    def record(self) -> JobRecord:
        """The whole of it."""
        job = super().record()
        return job.model_copy(update={"attempt": job.attempt.model_copy(update={"restart_count": self.again}), **self.beside})


class Tune:
    """A job of ``nodes`` times ``per`` ranks, each with a card. ``by``: ``srun`` (a task a rank), else a launcher's name (a task a node)."""

    def __init__(self, no: int, name: str, card: str = "h100", nodes: int = 1, per: int = 1, *, by: str = "srun", form: str = "nano",
                 limit: int = 86_400, script: str = "train.py", submit: str = "", prefix: str = "node") -> None:  # fmt: skip
        self.card, self.dice, self.no, self.by, self.script, self.limit = CARDS[card], Random(91_000 + no), no, by, script, limit
        self.hosts = tuple(f"{prefix}{(no * 53 + 11 * k) % 700 + 101}" for k in range(nodes))
        self.per, self.n, self.form = per, nodes * per, FORMS[form]
        default = f"sbatch -N {nodes} --gres=gpu:{per} -t {limit // 3600:02d}:{limit // 60 % 60:02d}:00 jobs/{name}.slurm"
        self.book = Book(self.hosts, name=name, job_id=2_904_000 + 613 * no, start_ns=(1_792_900_000 + 7_919 * no) * 10**9, gpus=per, limit_s=limit, submit_line=submit or default)
        self.t, self.done = self.dice.uniform(6, 17), 0
        self.lines: list[list[tuple[float, str]]] = [[] for _ in range(self.n)]
        self.moods: list[list[tuple[float, str, dict[str, float]]]] = [[(0.0, "empty", {})] for _ in range(self.n)]
        self.held: list[list[tuple[float, float]]] = [[(0.0, 0.0)] for _ in range(self.n)]
        self.core: list[list[tuple[float, float]]] = [[(0.0, 60.0)] for _ in range(self.n)]
        self.seen: dict[int, dict[str, Any]] = {}
        self.counts: dict[int, list[tuple[str, float, float | str, float, float]]] = {}
        self.host_rows: list[tuple[int, str, list[tuple[float, float]]]] = []
        self.env: dict[str, str] = {}
        self.floor, self.drop, self.knee = self.dice.uniform(0.3, 1.6), self.dice.uniform(2.2, 5.8), self.dice.uniform(30, 120)
        self.data = 0.011

    def who(self, who: Who) -> Sequence[int]:
        """Ranks."""
        if isinstance(who, frozenset):
            return self.not_(*who)
        return range(self.n) if who is None else (who,) if isinstance(who, int) else who

    def not_(self, *ranks: int) -> tuple[int, ...]:
        """All but these."""
        return tuple(r for r in range(self.n) if r not in ranks)

    def on(self, node: int) -> tuple[int, ...]:
        """The ranks of a node."""
        return tuple(range(node * self.per, (node + 1) * self.per))

    def pid(self, r: int) -> int:
        """Of a rank's process."""
        return 40_000 + r if self.by == "srun" else 52_300 + r

    def fill(self, text: str, r: int, t: float) -> str:
        """«r» rank, «l» local rank, «h» host, «p» pid, «j» job, «t» time, «d» and «D» date and time, «m» month and day, «u» microseconds."""
        if "«" not in text:
            return text
        d = clock(self.book.at(t))
        words = {"r": r, "l": r % self.per, "h": self.hosts[r // self.per], "p": self.pid(r), "j": self.book.job_id, "t": f"{d:%H:%M:%S}", "d": f"{d:%Y-%m-%d %H:%M:%S}", "D": f"{d:%Y-%m-%d_%H:%M:%S}", "m": f"{d:%m%d}", "u": f"{d:%f}"}
        for key, value in words.items():
            text = text.replace(f"«{key}»", str(value))
        return text

    def say(self, text: str, after: float = 1.0, who: Who = 0, gap: float = 0.02) -> Tune:
        """Printed so long after what was before."""
        self.t += after
        for k, r in enumerate(self.who(who)):
            at = self.t + gap * k
            self.lines[r].append((at, self.fill(text, r, at)))
        return self

    def mood(self, what: str, who: Who = None, **other: float) -> Tune:
        """What cards do from now on; ``other``: sm, mhz, celsius, reasons, watts."""
        for r in self.who(who):
            self.moods[r].append((self.t, what, other))
        return self

    def hold(self, gib: float, who: Who = None, over: float = 5.0) -> Tune:
        """Memory."""
        for r in self.who(who):
            self.held[r] += [(self.t, self.held[r][-1][1]), (self.t + over, gib)]
        return self

    def cpu(self, percent: float, who: Who = None) -> Tune:
        """Of a core."""
        for r in self.who(who):
            self.core[r].append((self.t, percent))
        return self

    def curve(self, i: float) -> float:
        """A loss that falls."""
        return float(self.floor + self.drop * (1 + i / self.knee) ** -0.66)

    def run(self, count: int, pace: float = 1.0, every: int = 10, total: int = 0, loss: Callable[[int], float] | None = None, noise: float = 0.01, who: int = 0) -> Tune:  # noqa: PLR0917
        """Steps, each so long, a line for every so many."""
        total = total or self.done + count
        for k in range(1, count + 1):
            i = self.done + k
            took = pace * self.dice.gauss(1, 0.014)
            self.t += took
            if i % every == 0:
                x = loss(i) if loss else self.curve(i) * self.dice.gauss(1, noise)
                self.lines[who].append((self.t, self.form(i, total, x, took, clock(self.book.at(self.t)), self.data * took)))
        self.done += count
        return self

    def pause(self, seconds: float) -> Tune:
        """Silence."""
        self.t += seconds
        return self

    def look(self, r: int, state: str, where: str = "", **more: Any) -> Tune:
        """How a process was last seen."""
        self.seen[r] = {"state": state, **({"wchan": where, "waits": {f"{state} {where}": 150}} if where else {}), **more}
        return self

    def count(self, r: int, name: str, to: float | str, was: float = 0, since: float | None = None, over: float = 0.0) -> Tune:  # noqa: PLR0917
        """A counter that moves now (or from ``since`` on for ``over`` seconds); without a move ``to`` equals ``was``."""
        self.counts.setdefault(r, []).append((name, was, to, self.t if since is None else since, over))
        return self

    def host(self, node: int, name: str, points: Sequence[tuple[float, float]]) -> Tune:
        """Readings of a node."""
        self.host_rows.append((node, name, list(points)))
        return self

    def xid(self, r: int, number: int, text: str, ago: float = 0.3) -> Tune:
        """The driver's line."""
        pci = f"0000:{0x1B + 0x20 * (r % self.per):02x}:00"
        line = f"NVRM: Xid (PCI:{pci}): {number}, {self.fill(text, r, self.t)}"
        self.book.kernel(self.hosts[r // self.per], self.t - ago, "xid", line, gpu=r % self.per, pci=pci, xid=number)
        return self

    def oom_kill(self, r: int, *, node_wide: bool = False, process: str = "python", pid: int = 0) -> Tune:
        """The kernel's line."""
        job = self.book.job_id
        kind, scope = ("CONSTRAINT_NONE", "node") if node_wide else ("CONSTRAINT_MEMCG", "cgroup")
        group = f"/slurm/uid_1042/job_{job}/step_0/task_{r % self.per if self.by == 'srun' else 0}"
        where = "global_oom" if node_wide else f"oom_memcg=/slurm/uid_1042/job_{job}/step_0"
        line = f"oom-kill:constraint={kind},nodemask=(null),cpuset=step_0,mems_allowed=0-3,{where},task_memcg={group},task={process},pid={pid or self.pid(r)},uid=1042"
        self.book.kernel(self.hosts[r // self.per], self.t, "kernel_oom", line, scope=scope, constraint=kind, task_memcg=group, process=process, pid=pid or self.pid(r), uid=1042, job_id=job)
        return self

    def before(self, state: str, ran: float, pause: float, **more: Any) -> Tune:
        """An attempt before this one."""
        self.book.again += 1
        begun = -pause - ran
        steps = (("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15))
        self.book.ended(state, end=0.0, start_ns=self.book.at(begun), end_ns=self.book.at(-pause), elapsed_s=round(ran), submit_ns=self.book.at(begun - 33), steps=steps, **more)
        return self

    def end(self, label: Label, state: str = "COMPLETED", fates: Mapping[int, int] | None = None, *, rest: int = 0, after: float = 0.9, at: Mapping[int, float] | None = None, dead: Sequence[int] = (),
            memory: Mapping[int, Any] | None = None, gone: Mapping[int, float] | None = None, talk: Sequence[tuple[float, str]] = (), past: Sequence[Mapping[str, Any]] = (), **row: Any) -> HandJob:  # fmt: skip
        """Over. ``fates`` by rank: an exit code, or a signal below zero; ``dead`` nodes; ``gone``: cards that could not be read from then on."""
        fates, at, memory, gone = dict(fates or {}), dict(at or {}), dict(memory or {}), dict(gone or {})
        cut = state in {"TIMEOUT", "CANCELLED", "PREEMPTED"}
        over = self.limit + 3.4 if state == "TIMEOUT" else self.t + after
        fate = {r: fates.get(r, -15 if cut else rest) for r in range(self.n)}
        when = {r: at.get(r, over + 0.015 * r) for r in range(self.n)}
        worst = max([f for f in fates.values() if f > 0] or [128 + max([-f for f in fates.values() if f < 0] or [-128])])
        told = list(talk)
        if self.by == "srun":
            for r in range(self.n):
                if r // self.per not in dead:
                    self._task(r, r // self.per, r % self.per, self.lines[r], fate[r], when[r], memory.get(r))
                    if fate[r] and (not cut or r in fates) and not dead:
                        how = f"Exited with exit code {fate[r]}" if fate[r] > 0 else WORDS_OF.get(-fate[r], "Killed")
                        told.append((when[r] + 0.2, f"srun: error: {self.hosts[r // self.per]}: task {r}: {how}"))
        else:
            for k, host in enumerate(self.hosts):
                if k in dead:
                    continue
                ill = any(fate[r] for r in self.on(k)) and not cut
                self._task(k, k, 0, sorted(x for r in self.on(k) for x in self.lines[r]), -15 if cut else int(ill), over + 0.5, memory.get(k))
                if ill and not dead:
                    told.append((over + 0.7, f"srun: error: {host}: task {k}: Exited with exit code 1"))
            worst = 1 if worst else 0
        worst = 0 if cut or dead else worst
        if cut or dead:
            why = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION", "CANCELLED": ""}.get(state, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
            told.append((over - 0.4, f"srun: error: Node failure on {self.hosts[dead[0]]}" if dead else "srun: Job step aborted: Waiting up to 62 seconds for job step to finish."))
            told.append((over - 0.2, f"slurmstepd: error: *** JOB {self.book.job_id} ON {self.hosts[0]} CANCELLED AT {clock(self.book.at(over)):%Y-%m-%dT%H:%M:%S}{why} ***"))
        if 0 not in dead:
            self.book.batch([(t, self.fill(x, 0, t)) for t, x in sorted(told)], code=worst, end=over + 0.8)
        steps = (("batch", "CANCELLED" if cut else state, worst, 15 if cut else 0),
                 ("0", "CANCELLED" if cut else state, worst if worst <= 128 else 0, 15 if cut else max(0, worst - 128)))  # fmt: skip
        self.book.ended(state, **{"code": worst, "signal": 0, "end": over + 1.5, "steps": steps, **row})
        self._nodes(over, fate, when, dead, gone)
        self.book.silent = {self.hosts[k] for k in dead}
        self.book.beside = {"work_dir": f"/gpfs/work/alice/{self.book.name}"}
        if past:
            self.book.beside = {**self.book.beside, "past": tuple(PastVerdict(**{"job": str(self.book.job_id), "fault": "none", **p}) for p in past)}
        return HandJob(label, self.book)

    def _task(self, rank: int, node: int, local: int, lines: Sequence[tuple[float, str]], fate: int, at: float, memory: Any) -> None:  # noqa: PLR0917
        self.book.rank(rank, self.hosts[node], sorted(lines), code=None if fate < 0 else fate, signal=-fate if fate < 0 else None, end=at, local=local, stream="both", memory=memory)

    def _nodes(self, over: float, fate: Mapping[int, int], when: Mapping[int, float], dead: Sequence[int], gone: Mapping[int, float]) -> None:
        points = min(230 if self.n < 3 else 110 if self.n < 9 else 48, max(16, int(over / 5)))
        times = [max(0.3, over * k / (points - 1) + self.dice.uniform(-0.3, 0.2)) for k in range(points)]
        for r in range(self.n):
            node, local = r // self.per, r % self.per
            if node in dead:
                continue
            self._card(r, [t for t in times if t < gone.get(r, 1e12)], r in gone, over)
            host, at = self.hosts[node], self.book.at
            end = {"ended_ns": at(when[r]), **({"exit_code": fate[r]} if fate[r] >= 0 else {"exit_signal": -fate[r]})}
            env = {"RANK": str(r), "LOCAL_RANK": str(local), "WORLD_SIZE": str(self.n), **self.env}
            below = {} if self.by == "srun" else {"parent_pid": 40_000 + node, "task_local": 0}
            if self.by != "srun" and not local:
                self.book.process(host, 40_000 + node, command=(self.by, self.script), name=self.by, state="S", started_ns=at(1), seen_last_ns=at(over - 4), looks=int(over / 5), task_local=0)
            self.book.process(host, self.pid(r), **{"rank": r, "local_rank": local, "command": ("python", self.script), "environment": env, "gpu_uuids": (self.book.uuid(host, local),), "state": "R", "name": "python", "started_ns": at(2),
                                                    "gpu_attached_ns": at(9), "seen_last_ns": at(max(3.0, when[r] - 4)), "looks": max(1, int(when[r] / 5)), **below, **end, **self.seen.get(r, {})})  # fmt: skip
            mine = [t for t in times if t < when[r]]
            self._row(node, Where(node=host, rank=r), "cpu_percent", mine, [max(0.0, self._at(self.core[r], t) * self.dice.gauss(1, 0.06)) for t in mine])
        for node, name, rows in self.host_rows:
            self._row(node, Where(node=self.hosts[node]), name, times, [max(0.0, self._at(rows, t) * self.dice.gauss(1, 0.03)) for t in times])

    def _card(self, r: int, times: Sequence[float], lost: bool, over: float) -> None:
        name, gib, driver, top, watts, base, told = self.card
        gauss, host, local = self.dice.gauss, self.hosts[r // self.per], r % self.per
        warm = 33.0
        rows: dict[str, list[float]] = {k: [] for k in ("utilization_percent", "memory_used_bytes", "power_mw", "sm_clock_mhz", "temperature_c", "throttle_reasons", "duty_percent", "duty_spread_percent", "sm_activity_percent", "memory_bandwidth_percent")}
        for t in times:
            _, what, other = next(m for m in reversed(self.moods[r]) if m[0] <= t)
            use, sm, wide, share, duty, spread = MOODS[what]
            sm = other.get("sm", sm)
            power = other.get("watts", 0.72 * base if share < 0 else base + share * (watts - base))
            use = 100.0 * (self.dice.random() < use / 100) if what in {"gaps", "write"} else use if use in {0, 100} else round(min(100.0, max(0.0, gauss(use, 1.5))))
            power = min(1.01 * watts, gauss(power, 0.014 * power))
            warm += 0.3 * (other.get("celsius", 30 + 40 * min(1.0, power / watts)) - warm)
            values = (use, round(min(self._held(r, t), gib - 0.5) * GIB), round(1000 * power), round(other.get("mhz", 345 if share < 0 else top - 15 * self.dice.randrange(6))), round(gauss(warm, 0.6)),
                      other.get("reasons", 1 if use == 0 and share <= 0 else 4 if share > 0.9 else 0), min(100.0, max(0.0, gauss(duty, 0.9))) if 1 < duty < 100 else duty,
                      min(100.0, max(0.0, gauss(spread, 1.8))) if spread > 2 else spread, 0.0 if sm == 0 else round(max(0.05, gauss(sm, 0.04 * sm + 0.04)), 2), 0.0 if sm == 0 else round(max(0.0, gauss(wide, 0.4)), 2))  # fmt: skip
            for row, value in zip(rows.values(), values, strict=True):
                row.append(float(value))
        if not told:
            del rows["sm_activity_percent"], rows["memory_bandwidth_percent"]
        counts = self.counts.get(r, [])
        plain = {"name": name, "memory_total_bytes": gib * GIB, "driver_version": driver, "sm_clock_max_mhz": top, "power_limit_mw": watts * 1000, "temperature_slowdown_c": 90, "serial": f"16{self.no:05d}{r:05d}", "pcie_replay_count": 0,
                 "nvlink_crc_errors": 0, "nvlink_replay_errors": 0, "recovery_action": "none", "foreign_processes": 0, **{f"violation_{k}_ns": 4_000_000 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}}  # fmt: skip
        start: dict[str, Any] = {k: type(to)(was) if not isinstance(to, str) else "none" for k, was, to, _, _ in counts}
        after: dict[str, Any] = {k: to for k, _, to, _, _ in counts}
        self.book.gpu(host, local, {**plain, **start}, None if lost else after)
        where = Where(node=host, gpu_uuid=self.book.uuid(host, local))
        for key, values_ in rows.items():
            self._row(r // self.per, where, f"gpu_{key}", times, values_)
        for key, was, to, since, long in counts:
            if isinstance(to, (str, bool)) or lost or was == to:
                continue
            steps = [since + long * k / 12 for k in range(13)] if long else [since - 2.5, since]
            course = [was + (to - was) * k / (len(steps) - 1) for k in range(len(steps))]
            self._row(r // self.per, where, key, [0.5, *steps, max(over, since + long)], [was, *course, to])

    def _held(self, r: int, t: float) -> float:
        rows = self.held[r]
        k = bisect_right([s for s, _ in rows], t) - 1
        if k + 1 >= len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        return rows[k][1] + (rows[k + 1][1] - rows[k][1]) * (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0])

    @staticmethod
    def _at(course: Sequence[tuple[float, float]], t: float) -> float:
        return next((v for s, v in reversed(course) if s <= t), course[0][1])

    def _row(self, node: int, where: Where, name: str, times: Sequence[float], values: Sequence[float]) -> None:
        if not times:
            return
        one = Series(name=name, where=where, unit=UNITS.get(name, "%"), times_ns=tuple(self.book.at(t) for t in times), values=tuple(float(v) for v in values), points_seen=len(values))
        self.book._add(self.hosts[node], "series", one)  # noqa: SLF001

"""Plates of an atlas, drawn by hand: what ranks said and when, what their cards were read to do, what kernel, nodes and queue wrote of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._atlas_lines import FIRST_NS, FORMS, clock
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.series import Series

NAMES = {6: "Aborted", 9: "Killed", 11: "Segmentation fault", 15: "Terminated", 7: "Bus error", 8: "Floating point exception"}
HOPPER = ("H100", "H200", "GH200", "B200", "B100")


def card(name: str, gib: int, driver: str, mhz: int, watts: int, idle: int = 0) -> dict[str, Any]:  # noqa: PLR0917
    """What NVML says of one."""
    return {"name": name, "memory_total_bytes": gib * GIB, "driver_version": driver, "sm_clock_max_mhz": mhz, "power_limit_mw": watts * 1000, "idle_w": idle or watts // 9}


H100 = card("NVIDIA H100 80GB HBM3", 80, "560.35.05", 1980, 700)
H200 = card("NVIDIA H200", 141, "570.133.07", 1980, 700)
GH200 = card("NVIDIA GH200 120GB", 96, "565.57.01", 1980, 900)
B200 = card("NVIDIA B200", 180, "575.57.08", 1965, 1000, 140)
A100 = card("NVIDIA A100-SXM4-40GB", 40, "535.216.03", 1410, 400)
A30 = card("NVIDIA A30", 24, "535.183.06", 1440, 165)
L40S = card("NVIDIA L40S", 48, "560.35.03", 2520, 350)
RTX = card("NVIDIA RTX 6000 Ada Generation", 48, "550.127.05", 3105, 300)
V100 = card("Tesla V100-PCIE-32GB", 32, "470.239.06", 1380, 250)
T4 = card("Tesla T4", 15, "535.161.07", 1590, 70)
MI250 = card("AMD Instinct MI250X", 64, "6.8.5", 1700, 560)
# utilisation, SM activity, bandwidth, share of the power, engine duty, its spread
MOODS: dict[str, tuple[float, float, float, float, float, float]] = {
    "empty": (0, 0, 0, 0.0, 0, 0), "load": (4, 2, 2, 0.06, 4, 22), "work": (97, 53, 33, 0.72, 97, 6), "hard": (99, 72, 46, 0.96, 99, 3), "light": (21, 8, 5, 0.12, 21, 30),
    "drip": (6, 3.1, 2, 0.07, 6, 96), "spin": (100, 0.8, 0.3, 0.12, 100, 0), "rest": (0, 0, 0, 0.015, 0, 0), "wait": (100, 15, 6, 0.24, 100, 1), "pull": (99, 57, 35, 0.8, 99, 4),
    "wire": (100, 8.5, 6, 0.22, 100, 2), "save": (7, 3, 2, 0.08, 8, 91), "step": (58, 16, 9, 0.28, 58, 34),
}  # fmt: skip


class Book(Hand):
    """A job whose record has more in it."""

    more: dict[str, Any]
    restart = 0

    def record(self) -> JobRecord:
        """With it."""
        job = super().record()
        again = job.attempt.model_copy(update={"restart_count": self.restart})
        return job.model_copy(update={"attempt": again, **getattr(self, "more", {})})


class Plate:
    """A job of ``nodes`` times ``per`` ranks with a card each; told in the order of time."""

    def __init__(self, number: int, name: str, kind: dict[str, Any], nodes: int = 1, per: int = 1, *, form: str = "arrow", limit_s: int = 43_200, submit: str = "", run: str = "srun", host: str = "cn", script: str = "train.py") -> None:
        self.names = tuple(f"{host}{(number * 13 + k) % 380 + 101}" for k in range(nodes))
        self.kind, self.form, self.limit_s, self.dice, self.run, self.script = dict(kind), FORMS[form], limit_s, Random(51_000 + number), run, script
        self.idle_w = float(self.kind.pop("idle_w"))
        self.book = Book(
            self.names, job_id=5_820_400 + 173 * number, gpus=per, name=name, start_ns=FIRST_NS + number * 197 * 10**9, limit_s=limit_s,
            submit_line=submit or f"sbatch -N {nodes} --gpus-per-node={per} -t {limit_s // 3600:02d}:{limit_s // 60 % 60:02d}:00 {name}.slurm",
        )  # fmt: skip
        self.places = [(k * per + g, self.names[k], g) for k in range(nodes) for g in range(per)]
        self.all = tuple(r for r, _, _ in self.places)
        self.said: dict[int, list[tuple[float, str]]] = {r: [] for r in self.all}
        self.moods: dict[int, list[tuple[float, str, dict[str, float]]]] = {r: [(0.0, "empty", {})] for r in self.all}
        self.held: dict[int, list[tuple[float, float]]] = {r: [(0.0, 0.0)] for r in self.all}
        self.cpu: dict[int, list[tuple[float, float]]] = {r: [(0.0, 60.0)] for r in self.all}
        self.seen: dict[int, dict[str, Any]] = {}
        self.t, self.done = 6.0 + number % 5, 0
        self.curve = (self.dice.uniform(0.15, 1.4), self.dice.uniform(1.6, 5.5), self.dice.uniform(30, 160), self.dice.uniform(0.45, 0.85))

    def loss(self, i: int) -> float:
        """At a step, but for noise."""
        low, high, scale, power = self.curve
        return float(low + high * (1 + i / scale) ** -power)

    def of(self, who: int | Sequence[int] | None) -> tuple[int, ...]:
        """Ranks by number; all where nobody is named."""
        return self.all if who is None else (who,) if isinstance(who, int) else tuple(who)

    def but(self, *who: int) -> tuple[int, ...]:
        """All others."""
        return tuple(r for r in self.all if r not in who)

    def stamp(self, text: str, rank: int, t: float) -> str:
        """``<r>`` is the rank, ``<l>`` its number on the node, ``<n>`` the node, ``<c>`` the clock, ``<p>`` its pid."""
        _, node, local = self.places[rank]
        for word, what in (("<r>", str(rank)), ("<l>", str(local)), ("<n>", node), ("<c>", clock(self.book.start_ns, t)), ("<p>", str(40_000 + rank)), ("<j>", str(self.book.job_id)), ("<u>", f"{int(t * 1e9) % 10**9:09d}")):
            text = text.replace(word, what)
        return text

    def say(self, text: str, wait: float = 1.0, who: int | Sequence[int] | None = 0) -> Plate:
        """So long after what was before; by every rank where ``who`` is None."""
        self.t += wait
        for k, r in enumerate(self.of(who)):
            at = self.t + 0.04 * k
            self.said[r].append((at, self.stamp(text, r, at)))
        return self

    def mood(self, name: str, who: int | Sequence[int] | None = None, *, at: float = 0.0, **other: float) -> Plate:
        """What their cards do from now (or ``at`` seconds later) on; ``other`` readings with it (sm, mhz, celsius, reasons, watts)."""
        for r in self.of(who):
            self.moods[r].append((self.t + at, name, other))
        return self

    def hold(self, gib: float, who: int | Sequence[int] | None = None, over: float = 4.0) -> Plate:
        """Memory in use, reached within so many seconds."""
        for r in self.of(who):
            was = self.held[r][-1][1]
            self.held[r] += [(self.t, was), (self.t + over, gib)]
        return self

    def busy(self, percent: float, who: int | Sequence[int] | None = None) -> Plate:
        """Of a core, by the process itself, from now on."""
        for r in self.of(who):
            self.cpu[r].append((self.t, percent))
        return self

    def steps(self, count: int, pace: Callable[[int], float] | float, every: int = 10, planned: int = 0, loss: Callable[[int], float] | None = None) -> Plate:
        """Training: a line of rank 0 for every so many."""
        planned = planned or self.done + count
        for i in range(self.done + 1, self.done + count + 1):
            took = (pace(i) if callable(pace) else pace) * self.dice.gauss(1, 0.015)
            self.t += took
            if i % every == 0:
                x = loss(i) if loss else self.loss(i) * self.dice.gauss(1, 0.012)
                self.said[0].append((self.t, self.form(i, planned, x, took, self.book.start_ns, self.t)))
        self.done += count
        return self

    def xid(self, rank: int, number: int, text: str, ago: float = 0.5) -> Plate:
        """The driver's line in the kernel log."""
        _, node, gpu = self.places[rank]
        pci = f"0000:{0x1B + 0x20 * gpu:02x}:00"
        self.book.kernel(node, self.t - ago, "xid", f"NVRM: Xid (PCI:{pci}): {number}, {text}", gpu=gpu, pci=pci, xid=number)
        return self

    def oom(self, rank: int, scope: str = "cgroup", ago: float = 0.1) -> Plate:
        """The kernel's line."""
        _, node, local = self.places[rank]
        job = self.book.job_id
        task = f"/system.slice/slurmstepd.scope/job_{job}/step_0/user/task_{local}"
        kind = "CONSTRAINT_MEMCG" if scope == "cgroup" else "CONSTRAINT_NONE"
        where = f"oom_memcg=/system.slice/slurmstepd.scope/job_{job}" if scope == "cgroup" else "global_oom"
        self.book.kernel(
            node, self.t - ago, "kernel_oom", f"oom-kill:constraint={kind},nodemask=(null),cpuset=job_{job},mems_allowed=0-1,{where},task_memcg={task},task=python,pid={40_000 + rank},uid=1042",
            scope=scope, constraint=kind, task_memcg=task, process="python", pid=40_000 + rank, uid=1042, job_id=job,
        )  # fmt: skip
        return self

    def stuck(self, rank: int, state: str, wchan: str, **more: Any) -> Plate:
        """As its process was last seen."""
        self.seen[rank] = {"state": state, "wchan": wchan, **more}
        return self

    def close(self, what: Label, state: str = "COMPLETED", *, ends: Mapping[int, int] = {}, rest: int = 0, when: Mapping[int, float] = {}, by: int | None = None, before: Mapping[int, dict[str, Any]] = {}, after: Mapping[int, dict[str, Any] | None] = {},
              dead: Sequence[str] = (), silent: Sequence[str] = (), memory: Mapping[int, Any] = {}, extra: Sequence[tuple[float, str]] = (), lag: float = 1.4, code: int | None = None, past: Sequence[dict[str, Any]] = (), cards: bool = True, gone: Mapping[int, float] = {}, **row: Any) -> HandJob:  # fmt: skip
        """Its end: ``ends`` by rank (an exit code, or a signal below zero), ``rest`` of the others. ``silent`` nodes send nothing; ``dead`` ones end with no record of it."""
        book, cut = self.book, state in ("TIMEOUT", "CANCELLED", "PREEMPTED")
        over = self.limit_s + 1.5 if state == "TIMEOUT" else self.t + lag
        fell = {r: ends.get(r, rest if not cut or r in ends else -15) for r in self.all}
        batch: list[tuple[float, str]] = list(extra)
        told = [*ends.values()] or [rest]
        worst = code if code is not None else 0 if cut else max((e for e in told if e > 0), default=128 - min(told) if min(told) < 0 else 0)
        if self.run == "srun":
            for r, node, local in self.places:
                if node in silent:
                    continue
                at = when.get(r, over + 0.01 * r)
                self._task(r, node, local, sorted(self.said[r]), fell[r], at, memory.get(r), node in dead)
                if fell[r] and not dead and (not cut or r in ends):
                    batch.append((at + 0.1, f"srun: error: {node}: task {r}: " + (f"Exited with exit code {fell[r]}" if fell[r] > 0 else NAMES.get(-fell[r], f"Signal {-fell[r]}"))))
        else:
            for k, node in enumerate(self.names):
                if node in silent:
                    continue
                mine = sorted(line for r, n, _ in self.places if n == node for line in self.said[r])
                self._task(k, node, 0, mine, -15 if cut else min(1, worst), over, None, node in dead)
                if worst and not cut and not dead:
                    batch.append((over + 0.2, f"srun: error: {node}: task {k}: Exited with exit code 1"))
        stamp = clock(book.start_ns, over)
        if cut:
            why = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION", "CANCELLED": ""}[state]
            batch += [(over - 0.4, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."), (over - 0.3, f"slurmstepd: error: *** JOB {book.job_id} ON {self.names[0]} CANCELLED AT 2027-02-18T{stamp}{why} ***")]
        if dead:
            batch += [(over - 0.5, f"srun: error: Node failure on {dead[0]}"), (over - 0.3, f"slurmstepd: error: *** JOB {book.job_id} ON {self.names[0]} CANCELLED AT 2027-02-18T{stamp} DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS ***")]
        if self.names[0] not in dead:
            book.batch(sorted(batch), code=0 if cut else worst, end=over + 0.6)
        sign = 15 if state == "TIMEOUT" else 0
        mine_ = ("CANCELLED", 0, 15) if cut else (state, min(worst, 255) if worst < 128 else 0, worst - 128 if worst > 128 else 0)
        if by is not None:
            row["cancelled_by_uid"] = by
        steps = row.pop("steps", (("batch", "CANCELLED", 0, 15) if cut else ("batch", state, worst, 0), ("0", *mine_)))
        book.ended(state, code=0 if cut else worst, signal=sign, end=over + 1.2, steps=steps, **row)
        count = max(14, min(240 if len(self.all) < 3 else 72 if len(self.all) < 9 else 40, int(over / 8)))
        times = [over * k / (count - 1) for k in range(count)]
        for r, node, local in self.places:
            if node in silent:
                continue
            if cards:
                self._card(r, node, local, [t for t in times if t < gone.get(r, 1e12)], before.get(r, {}), after.get(r, {}))
            self._process(r, node, local, fell[r], when.get(r, over + 0.01 * r), node in dead)
            cpu = [max(0.0, self._at(self.cpu[r], t) * self.dice.gauss(1, 0.04)) for t in times]
            self._series(node, Where(node=node, rank=r), "cpu_percent", "%", times, cpu)
        book.silent = set(silent)
        more: dict[str, Any] = {"work_dir": f"/home/alice/{book.name}"}
        if past:
            more["past"] = tuple(PastVerdict(**{"job": str(book.job_id), "fault": "none", **p}) for p in past)
        book.more = more
        return HandJob(what, book)

    def _task(self, r: int, node: str, local: int, rows: list[tuple[float, str]], end: int, at: float, memory: Any, dead: bool) -> None:  # noqa: PLR0917
        code, signal = (end, None) if end >= 0 else (None, -end)
        self.book.rank(r, node, rows, code=None if dead else code, signal=None if dead else signal, end=at, local=local, stream="both", memory=memory)
        if dead:
            self.book._end_s = max(self.book._end_s, at)  # noqa: SLF001  # a node that is gone says no end

    def _process(self, r: int, node: str, local: int, end: int, at: float, dead: bool) -> None:  # noqa: PLR0917
        at_ns, book = self.book.at, self.book
        over = {} if dead else {"ended_ns": at_ns(at), **({"exit_code": end} if end >= 0 else {"exit_signal": -end})}
        command = ("python", "-u", self.script) if self.run == "srun" else ("/opt/env/bin/python", "-u", self.script)
        book.process(
            node, 40_000 + r,
            **{
                "rank": r, "local_rank": local, "command": command, "environment": {"RANK": str(r), "LOCAL_RANK": str(local), "WORLD_SIZE": str(len(self.all))}, "gpu_uuids": (book.uuid(node, local),), "state": "R", "name": "python",
                "started_ns": at_ns(1.5), "gpu_attached_ns": at_ns(9), "seen_last_ns": at_ns(max(2.0, at - 4)), "looks": int(at / 4), **over, **self.seen.get(r, {}),
            },
        )  # fmt: skip

    @staticmethod
    def _at(course: Sequence[tuple[float, float]], t: float) -> float:
        return next(v for s, v in reversed(course) if s <= t)

    def _gib(self, r: int, t: float) -> float:
        rows = self.held[r]
        k = max(i for i, (s, _) in enumerate(rows) if s <= t)
        if k + 1 == len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        return rows[k][1] + (rows[k + 1][1] - rows[k][1]) * (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0])

    def _card(self, r: int, node: str, local: int, times: Sequence[float], before: dict[str, Any], after: dict[str, Any] | None) -> None:  # noqa: PLR0917
        top, limit, g = float(self.kind["sm_clock_max_mhz"]), self.kind["power_limit_mw"] / 1000, self.dice.gauss
        rows: dict[str, list[float]] = {k: [] for k in ("utilization_percent", "memory_used_bytes", "power_mw", "sm_clock_mhz", "temperature_c", "throttle_reasons", "duty_percent", "duty_spread_percent", "sm_activity_percent", "memory_bandwidth_percent")}
        warm = 33.0
        for t in times:
            _, name, other = next(m for m in reversed(self.moods[r]) if m[0] <= t)
            use, sm, bandwidth, share, duty, spread = MOODS[name]
            sm = other.get("sm", sm)
            idle = use < 1
            watts = other.get("watts", self.idle_w + share * (limit - self.idle_w))
            drip = name in ("drip", "save")
            rows["utilization_percent"].append(round(min(100, max(0, (100 if self.dice.random() < use / 100 else 0) if drip else use if use in (0, 100) else g(other.get("use", use), 1.6)))))
            rows["sm_activity_percent"].append(0.0 if sm == 0 else round(max(0.1, g(sm, 0.03 * sm + 0.1)), 2))
            rows["memory_bandwidth_percent"].append(0.0 if sm == 0 else round(max(0.0, g(bandwidth, 0.4)), 2))
            rows["power_mw"].append(round(1000 * min(limit * 1.01, g(watts, 0.012 * watts))))
            rows["memory_used_bytes"].append(round(self._gib(r, t) * GIB))
            goal = other.get("celsius", 33 + 36 * min(1.0, watts / limit))
            warm += (goal - warm) * 0.4
            rows["temperature_c"].append(round(g(warm, 0.5)))
            rows["sm_clock_mhz"].append(round(other.get("mhz", 345.0 if idle else top - 15 * self.dice.randrange(2, 6))))
            rows["throttle_reasons"].append(other.get("reasons", 1.0 if idle else 4.0 if share > 0.9 else 0.0))
            rows["duty_percent"].append(max(0.0, min(100.0, g(duty, 0.8) if 1 < duty < 100 else duty)))
            rows["duty_spread_percent"].append(max(0.0, min(100.0, g(spread, 2.0) if spread > 1 else spread)))
        if not any(word in self.kind["name"] for word in HOPPER):
            del rows["sm_activity_percent"], rows["memory_bandwidth_percent"]
        if "Instinct" in self.kind["name"]:
            del rows["duty_percent"], rows["duty_spread_percent"]
        zero = {f"violation_{k}_ns": 41_000_000 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}
        slow = {"temperature_slowdown_c": 87, "serial": f"16{self.book.job_id % 9973:05d}{r:04d}", "pcie_replay_count": 0, "nvlink_crc_errors": 0, "nvlink_replay_errors": 0, "recovery_action": "none", "foreign_processes": 0}
        self.book.gpu(node, local, {**self.kind, **zero, **slow, **before}, after)
        for name, values in rows.items():  # a card that is gone has no readings from then on
            full = f"gpu_{name}"
            self._series(node, Where(node=node, gpu_uuid=self.book.uuid(node, local)), full, UNITS.get(full, "%"), times, values)

    def _series(self, node: str, where: Where, name: str, unit: str, times: Sequence[float], values: Sequence[float]) -> None:  # noqa: PLR0917
        one = Series(name=name, where=where, unit=unit, times_ns=tuple(self.book.at(t) for t in times), values=tuple(float(v) for v in values), points_seen=len(values))
        self.book._add(node, "series", one)  # noqa: SLF001

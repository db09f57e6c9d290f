"""Cards of a herbarium, written by hand: a job told in the order of time, with what its GPUs, its nodes' kernels and Slurm would have recorded of it."""

from __future__ import annotations

import bisect
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._herbarium_lines import FORMS, moment
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.series import Series

SIGNALS = {4: "Illegal instruction", 6: "Aborted", 7: "Bus error", 8: "Floating point exception", 9: "Killed", 11: "Segmentation fault", 15: "Terminated", 24: "CPU time limit exceeded"}
# name, memory, driver, top clock, watts, whether SM activity can be asked
KINDS: dict[str, tuple[str, int, str, int, int, bool]] = {
    "h100": ("NVIDIA H100 80GB HBM3", 80, "570.172.08", 1980, 700, True), "h100p": ("NVIDIA H100 PCIe", 80, "550.163.01", 1755, 350, True), "h200": ("NVIDIA H200", 141, "580.65.06", 1980, 700, True),
    "h100n": ("NVIDIA H100 NVL", 94, "565.57.01", 1785, 400, True), "b200": ("NVIDIA B200", 180, "580.82.07", 1965, 1000, True), "gh200": ("NVIDIA GH200 480GB", 96, "570.124.06", 1980, 900, True),
    "a100": ("NVIDIA A100-SXM4-80GB", 80, "535.247.01", 1410, 400, False), "a100p": ("NVIDIA A100-PCIE-40GB", 40, "525.147.05", 1410, 250, False), "a40": ("NVIDIA A40", 48, "550.90.07", 1740, 300, False),
    "l40s": ("NVIDIA L40S", 48, "560.35.03", 2520, 350, False), "a6000": ("NVIDIA RTX A6000", 48, "545.23.08", 2100, 300, False), "v100": ("Tesla V100-SXM2-32GB", 32, "470.256.02", 1530, 300, False),
    "mi300": ("AMD Instinct MI300X", 192, "6.12.12", 2100, 750, False),
}  # fmt: skip
# utilisation, SM activity, bandwidth, power share, duty, spread of the duty
DOES: dict[str, tuple[float, float, float, float, float, float]] = {
    "off": (0, 0, 0, 0, 0, 0), "train": (98, 49, 36, 0.66, 98, 4), "full": (100, 68, 50, 0.93, 100, 2), "read": (3, 1.5, 2, 0.05, 3, 25), "some": (26, 9, 6, 0.17, 26, 34), "drops": (8, 3.6, 2.5, 0.09, 8, 93),
    "spin": (100, 0.6, 0.2, 0.13, 100, 0), "held": (0, 0, 0, 0.02, 0, 0), "waits": (100, 16, 7, 0.25, 100, 1), "drags": (100, 58, 37, 0.77, 100, 2), "socket": (100, 9.5, 6, 0.21, 100, 1), "saves": (8, 3.5, 3, 0.09, 9, 90), "sync": (55, 15, 8, 0.26, 55, 30),
}  # fmt: skip

Some = int | Sequence[int] | frozenset[int] | None


def but(*ranks: int) -> frozenset[int]:
    """All but these."""
    return frozenset(ranks)


class Ledger(Hand):
    """A job with more in its record."""

    extra: Mapping[str, Any] = {}
    restart = 0

    def record(self) -> JobRecord:
        """With it."""
        job = super().record()
        return job.model_copy(update={"attempt": job.attempt.model_copy(update={"restart_count": self.restart}), **self.extra})


class Sheet:
    """A job of ``nodes`` times ``per`` processes, a card for each. ``by`` is ``srun`` (a task each) or a launcher's name (a task a node)."""

    def __init__(self, number: int, name: str, kind: str = "h100", nodes: int = 1, per: int = 1, *, form: str = "own", by: str = "srun", limit_s: int = 86_400, script: str = "train.py", submit: str = "", host: str = "gpu") -> None:
        self.number, self.name, self.by, self.script, self.form, self.limit_s = number, name, by, script, FORMS[form], limit_s
        self.card, self.dice = KINDS[kind], Random(7700 + number)
        self.hosts = tuple(f"{host}{(number * 29 + 7 * k) % 480 + 11:03d}" for k in range(nodes))
        self.per, self.n = per, nodes * per
        self.book = Ledger(self.hosts, name=name, job_id=7_310_000 + 389 * number, start_ns=(1_796_716_800 + 5_417 * number) * 10**9, gpus=per, limit_s=limit_s,
                           submit_line=submit or f"sbatch --nodes={nodes} --gpus-per-node={per} --time={limit_s // 60} {name}.sbatch")  # fmt: skip
        self.t, self.at_step = self.dice.uniform(5, 14), 0
        self.lines: list[list[tuple[float, str]]] = [[] for _ in range(self.n)]
        self.acts: list[list[tuple[float, str, dict[str, float]]]] = [[(0.0, "off", {})] for _ in range(self.n)]
        self.fill: list[list[tuple[float, float]]] = [[(0.0, 0.0)] for _ in range(self.n)]
        self.core: list[list[tuple[float, float]]] = [[(0.0, 70.0)] for _ in range(self.n)]
        self.look: dict[int, dict[str, Any]] = {}
        self.env: dict[str, str] = {}
        self.low, self.high, self.bend = self.dice.uniform(0.2, 1.9), self.dice.uniform(1.9, 6.5), self.dice.uniform(25, 140)
        self.eager = self.dice.uniform(0.8, 1.2)

    def who(self, some: Some) -> Sequence[int]:
        """Ranks: one, some, all, or all but some."""
        if isinstance(some, frozenset):
            return self.rest(*some)
        return range(self.n) if some is None else (some,) if isinstance(some, int) else some

    def rest(self, *some: int) -> tuple[int, ...]:
        """All but these."""
        return tuple(r for r in range(self.n) if r not in some)

    def on(self, node: int) -> tuple[int, ...]:
        """The ranks of a node."""
        return tuple(range(node * self.per, (node + 1) * self.per))

    def words(self, text: str, r: int, t: float) -> str:
        """<r> rank, <l> local rank, <n> node, <j> job, <p> pid, <C> clock, <D> month and day, <U> microseconds, <T> date and time."""
        d = moment(self.book.at(t))
        for key, value in {"<r>": r, "<l>": r % self.per, "<n>": self.hosts[r // self.per], "<j>": self.book.job_id, "<p>": self.pid(r), "<C>": f"{d:%H:%M:%S}", "<D>": f"{d:%m%d}", "<U>": f"{d:%f}000", "<T>": f"{d:%Y-%m-%d_%H:%M:%S}", "<I>": f"{d:%Y-%m-%d %H:%M:%S}"}.items():
            text = text.replace(key, str(value))
        return text

    def pid(self, r: int) -> int:
        """Of the process of that rank."""
        return 40_000 + r if self.by == "srun" else 41_500 + r

    def say(self, text: str, after: float = 1.0, some: Some = 0, spread: float = 0.03) -> Sheet:
        """Said by these, so long after what was before."""
        self.t += after
        for k, r in enumerate(self.who(some)):
            at = self.t + spread * k
            self.lines[r].append((at, self.words(text, r, at)))
        return self

    def does(self, what: str, some: Some = None, **other: float) -> Sheet:
        """What their cards do from now on; ``other`` readings beside: sm, mhz, celsius, reasons, watts."""
        for r in self.who(some):
            self.acts[r].append((self.t, what, other))
        return self

    def mem(self, gib: float, some: Some = None, over: float = 6.0) -> Sheet:
        """So much is held, reached within so many seconds."""
        for r in self.who(some):
            self.fill[r] += [(self.t, self.fill[r][-1][1]), (self.t + over, gib)]
        return self

    def cpu(self, percent: float, some: Some = None) -> Sheet:
        """Of one core, from now on."""
        for r in self.who(some):
            self.core[r].append((self.t, percent))
        return self

    def loss(self, i: float) -> float:
        """As it would be at a step."""
        return float(self.low + self.high * (1 + i / self.bend) ** -0.62)

    def go(self, count: int, pace: float = 1.0, each: int = 10, planned: int = 0, loss: Any = None, slower: float = 1.0) -> Sheet:  # noqa: PLR0917
        """Steps, with a line for each so many; ``slower`` is how many times longer they take in the end."""
        planned = planned or self.at_step + count
        for k in range(1, count + 1):
            i = self.at_step + k
            took = pace * (1 + (slower - 1) * k / count) * self.dice.gauss(1, 0.012)
            self.t += took
            if i % each == 0:
                x = loss(i) if loss else self.loss(i) * self.dice.gauss(1, 0.011)
                self.lines[0].append((self.t, self.form(i, planned, x, took, moment(self.book.at(self.t)))))
        self.at_step += count
        return self

    def wait(self, seconds: float) -> Sheet:
        """Nothing is said."""
        self.t += seconds
        return self

    def look_at(self, r: int, state: str, where: str = "", **more: Any) -> Sheet:
        """How the process was last seen."""
        self.look[r] = {"state": state, **({"wchan": where} if where else {}), **more}
        return self

    def xid(self, r: int, number: int, text: str, ago: float = 0.4) -> Sheet:
        """The driver's line in the kernel log."""
        pci = f"0000:{0x1B + 0x20 * (r % self.per):02x}:00"
        self.book.kernel(self.hosts[r // self.per], self.t - ago, "xid", f"NVRM: Xid (PCI:{pci}): {number}, {text}", gpu=r % self.per, pci=pci, xid=number)
        return self

    def killed(self, r: int, *, whole_node: bool = False, ago: float = 0.2) -> Sheet:
        """The kernel's line of whom it killed for memory."""
        job, local = self.book.job_id, r % self.per
        kind, scope = ("CONSTRAINT_NONE", "node") if whole_node else ("CONSTRAINT_MEMCG", "cgroup")
        task = f"/system.slice/slurmstepd.scope/job_{job}/step_0/user/task_{local if self.by == 'srun' else 0}"
        where = "global_oom" if whole_node else f"oom_memcg=/system.slice/slurmstepd.scope/job_{job}/step_0"
        line = f"oom-kill:constraint={kind},nodemask=(null),cpuset=step_0,mems_allowed=0-1,{where},task_memcg={task},task=python3,pid={self.pid(r)},uid=1042"
        self.book.kernel(self.hosts[r // self.per], self.t - ago, "kernel_oom", line, scope=scope, constraint=kind, task_memcg=task, process="python3", pid=self.pid(r), uid=1042, job_id=job)
        return self

    def end(self, what: Label, state: str = "COMPLETED", fates: Mapping[int, int] | None = None, *, others: int = 0, later: float = 0.8, first_at: Mapping[int, float] | None = None, down: Sequence[int] = (), mute: Sequence[int] = (), memory: Mapping[int, Any] | None = None,
            cards: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]] | None = None, blind: Mapping[int, float] | None = None, tail: Sequence[tuple[float, str]] = (), code: int | None = None, no_cards: bool = False, past: Sequence[Mapping[str, Any]] = (), stop_sig: int = -15, **row: Any) -> HandJob:  # fmt: skip
        """It is over. ``fates`` by rank: an exit code, or a signal below zero; ``down`` nodes died, ``mute`` ones sent no report; ``cards``: counters before and after, where they are not plain."""
        fates, first_at, memory, cards, blind = dict(fates or {}), dict(first_at or {}), dict(memory or {}), dict(cards or {}), dict(blind or {})
        cut = state in ("TIMEOUT", "CANCELLED", "PREEMPTED")
        over = self.limit_s + 2.1 if state == "TIMEOUT" else self.t + later
        if state == "DEADLINE":
            cut = True
        fate = {r: fates.get(r, stop_sig if cut else others) for r in range(self.n)}
        when = {r: first_at.get(r, over + 0.012 * r) for r in range(self.n)}
        plus = [f for f in fates.values() if f > 0] or ([others] if others > 0 else [])
        minus = [-f for f in fates.values() if f < 0]
        worst = code if code is not None else 0 if cut else max(plus) if plus else 128 + minus[0] if minus else 0
        talk = list(tail)
        if self.by == "srun":
            for r in range(self.n):
                if r // self.per in mute:
                    continue
                self._task(r, r // self.per, r % self.per, self.lines[r], fate[r], when[r], memory.get(r), r // self.per in down)
                if fate[r] and not down and (not cut or r in fates):
                    talk.append((when[r] + 0.15, f"srun: error: {self.hosts[r // self.per]}: task {r}: " + (f"Exited with exit code {fate[r]}" if fate[r] > 0 else SIGNALS.get(-fate[r], "Killed"))))
        else:
            for k, host in enumerate(self.hosts):
                if k in mute:
                    continue
                mine = sorted(line for r in self.on(k) for line in self.lines[r])
                ill = any(fate[r] for r in self.on(k))
                self._task(k, k, 0, mine, -15 if cut else 1 if ill and not cut else 0, over + 0.4, None, k in down)
                if ill and not cut and not down:
                    talk.append((over + 0.6, f"srun: error: {host}: task {k}: Exited with exit code 1"))
            worst = 1 if worst and not cut and code is None else worst
        stamp = f"{moment(self.book.at(over)):%Y-%m-%dT%H:%M:%S}"
        reason = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION", "DEADLINE": " DUE TO JOB REACHED DEADLINE"}.get(state, "") if cut else " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"
        if cut or down:
            talk += [(over - 0.5, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")] if cut else [(over - 0.6, f"srun: error: Node failure on {self.hosts[down[0]]}")]
            talk.append((over - 0.3, f"slurmstepd: error: *** JOB {self.book.job_id} ON {self.hosts[0]} CANCELLED AT {stamp}{reason} ***"))
        if 0 not in down:
            self.book.batch([(t, self.words(x, 0, t)) for t, x in sorted(talk)], code=0 if cut else worst, end=over + 0.7)
        first = ("CANCELLED", 0, 15) if cut else (state, worst if worst <= 128 else 0, worst - 128 if worst > 128 else 0)
        steps = row.pop("steps", (("batch", "CANCELLED", 0, 15) if cut else ("batch", state, worst, 0), ("0", *first)))
        self.book.ended(state, code=0 if cut else worst, signal=15 if state == "TIMEOUT" else 0, end=over + 1.3, steps=steps, **row)
        times = self._times(over)
        for r in range(self.n):
            node = r // self.per
            if node in mute:
                continue
            if not no_cards:
                before, after = cards.get(r, ({}, {}))
                self._readings(r, [t for t in times if t < blind.get(r, 1e12)], before, after)
            self._process(r, fate[r], when[r], node in down)
            self._add(node, Where(node=self.hosts[node], rank=r), "cpu_percent", times, [max(0.0, self._last(self.core[r], t) * self.dice.gauss(1, 0.05)) for t in times])
        self.book.silent = {self.hosts[k] for k in mute}
        extra: dict[str, Any] = {"work_dir": f"/home/alice/{self.name}"}
        if past:
            extra["past"] = tuple(PastVerdict(**{"job": str(self.book.job_id), "fault": "none", **p}) for p in past)
        self.book.extra = extra
        return HandJob(what, self.book)

    def _times(self, over: float) -> list[float]:
        most = 220 if self.n < 3 else 90 if self.n < 9 else 44
        count = max(15, min(most, int(over / 6)))
        return [max(0.2, min(over, over * k / (count - 1) + self.dice.uniform(-0.2, 0.2))) for k in range(count)]

    def _task(self, rank: int, node: int, local: int, lines: Sequence[tuple[float, str]], fate: int, at: float, memory: Any, gone: bool) -> None:  # noqa: PLR0917
        self.book.rank(rank, self.hosts[node], sorted(lines), code=None if gone or fate < 0 else fate, signal=-fate if fate < 0 and not gone else None, end=at, local=local, stream="both", memory=memory)
        self.book._end_s = max(self.book._end_s, at)  # noqa: SLF001  # a node that is gone says no end

    def _process(self, r: int, fate: int, at: float, gone: bool) -> None:
        node, at_ns = self.hosts[r // self.per], self.book.at
        over = {} if gone else {"ended_ns": at_ns(at), **({"exit_code": fate} if fate >= 0 else {"exit_signal": -fate})}
        below = {} if self.by == "srun" else {"parent_pid": 40_000 + r // self.per, "task_local": 0}
        env = {"RANK": str(r), "LOCAL_RANK": str(r % self.per), "WORLD_SIZE": str(self.n), **self.env}
        fields = {"rank": r, "local_rank": r % self.per, "command": ("python3", "-u", self.script), "environment": env, "gpu_uuids": (self.book.uuid(node, r % self.per),), "state": "R", "name": "python3",
                  "started_ns": at_ns(2), "gpu_attached_ns": at_ns(11), "seen_last_ns": at_ns(max(2.5, at - 5)), "looks": max(1, int(at / 5)), **below, **over, **self.look.get(r, {})}  # fmt: skip
        if self.by != "srun" and r % self.per == 0:
            self.book.process(node, 40_000 + r // self.per, command=(self.by, self.script), name=self.by, state="S", started_ns=at_ns(1), seen_last_ns=at_ns(max(2.5, at - 5)), looks=max(1, int(at / 5)), task_local=0)
        self.book.process(node, self.pid(r), **fields)

    @staticmethod
    def _last(course: Sequence[tuple[float, float]], t: float) -> float:
        return next(v for s, v in reversed(course) if s <= t)

    def _gib(self, r: int, t: float) -> float:
        rows = self.fill[r]
        k = bisect.bisect_right([s for s, _ in rows], t) - 1
        if k + 1 >= len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        share = (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0])
        return rows[k][1] + share * (rows[k + 1][1] - rows[k][1])

    def _readings(self, r: int, times: Sequence[float], before: Mapping[str, Any], after: Mapping[str, Any] | None) -> None:
        name, gib, driver, top, watts, can = self.card
        gauss, host, local = self.dice.gauss, self.hosts[r // self.per], r % self.per
        idle = 0.11 * watts
        warm = 31.0
        rows: dict[str, list[float]] = {k: [] for k in ("utilization_percent", "memory_used_bytes", "power_mw", "sm_clock_mhz", "temperature_c", "throttle_reasons", "duty_percent", "duty_spread_percent", "sm_activity_percent", "memory_bandwidth_percent")}
        for t in times:
            _, what, other = next(a for a in reversed(self.acts[r]) if a[0] <= t)
            use, sm, wide, share, duty, spread = DOES[what]
            sm = other.get("sm", min(96.0, sm * (self.eager if sm > 20 else 1)))
            power = other.get("watts", idle + share * (watts - idle))
            ragged = what in ("drops", "saves")
            rows["utilization_percent"].append(float(100 * (self.dice.random() < use / 100) if ragged else use if use in (0, 100) else round(min(100.0, max(0.0, gauss(use, 1.8))))))
            rows["sm_activity_percent"].append(0.0 if sm == 0 else round(max(0.05, gauss(sm, 0.04 * sm + 0.05)), 2))
            rows["memory_bandwidth_percent"].append(0.0 if sm == 0 else round(max(0.0, gauss(wide, 0.5)), 2))
            rows["power_mw"].append(float(round(1000 * min(1.01 * watts, gauss(power, 0.015 * power)))))
            rows["memory_used_bytes"].append(float(round(min(self._gib(r, t), gib - 0.4) * GIB)))
            goal = other.get("celsius", 31 + 38 * min(1.0, power / watts))
            warm += 0.35 * (goal - warm)
            rows["temperature_c"].append(float(round(gauss(warm, 0.6))))
            rows["sm_clock_mhz"].append(float(round(other.get("mhz", 345 if use < 1 else top - 15 * self.dice.randrange(1, 6)))))
            rows["throttle_reasons"].append(other.get("reasons", 1.0 if use < 1 else 4.0 if share > 0.9 else 0.0))
            rows["duty_percent"].append(max(0.0, min(100.0, gauss(duty, 1.0) if 1 < duty < 100 else duty)))
            rows["duty_spread_percent"].append(max(0.0, min(100.0, gauss(spread, 2.0) if spread > 2 else spread)))
        if not can:
            del rows["sm_activity_percent"], rows["memory_bandwidth_percent"]
        if name.startswith("AMD"):
            del rows["duty_percent"], rows["duty_spread_percent"]
        plain = {"name": name, "memory_total_bytes": gib * GIB, "driver_version": driver, "sm_clock_max_mhz": top, "power_limit_mw": watts * 1000, "temperature_slowdown_c": 89, "serial": f"13{self.number:04d}{r:06d}", "pcie_replay_count": 0,
                 "nvlink_crc_errors": 0, "nvlink_replay_errors": 0, "recovery_action": "none", "foreign_processes": 0, **{f"violation_{k}_ns": 12_000_000 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}}  # fmt: skip
        self.book.gpu(host, local, {**plain, **before}, None if after is None else dict(after))
        for key, values in rows.items():  # a card that is gone has no readings from then on
            self._add(r // self.per, Where(node=host, gpu_uuid=self.book.uuid(host, local)), f"gpu_{key}", times, values)

    def _add(self, node: int, where: Where, name: str, times: Sequence[float], values: Sequence[float]) -> None:
        one = Series(name=name, where=where, unit=UNITS.get(name, "%"), times_ns=tuple(self.book.at(t) for t in times), values=tuple(values), points_seen=len(values))
        self.book._add(self.hosts[node], "series", one)  # noqa: SLF001

"""Heronry: a job of hours on cards of many kinds, told forward in time, with what cards, kernels, processes and Slurm would have kept of it."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from functools import partial
from itertools import pairwise
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._heronry_cards import CHIPS, LOADS, Load
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series

Ranks = int | Iterable[int] | None
Extra = Mapping[str, Callable[[int, float], object]]
PCI = (0x07, 0x0F, 0x47, 0x4E, 0x87, 0x90, 0xB7, 0xBD)
WORDS = {4: "Illegal instruction", 6: "Aborted", 7: "Bus error", 9: "Killed", 11: "Segmentation fault", 15: "Terminated"}
CUT = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION", "CANCELLED": "", "NODE_FAIL": " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"}


def spans(numbers: Sequence[int]) -> str:
    """``0-3,7``, as srun writes it."""
    rows: list[list[int]] = []
    for k in sorted(numbers):
        if rows and rows[-1][1] == k - 1:
            rows[-1][1] = k
        else:
            rows.append([k, k])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in rows)


def _rank(r: int, _i: int, _dt: float) -> int:
    return r


class Fields(dict[str, Any]):
    """What a line of progress may name, made when it is asked for."""

    def __init__(self, run: Run, i: int, n: int, x: float, dt: float, t: float, extra: Extra) -> None:  # noqa: PLR0917
        super().__init__(i=i, n=n, x=x, dt=dt)
        self.run, self.at, self.more = run, t, extra

    def __missing__(self, key: str) -> Any:
        i, n, x, dt = self["i"], self["n"], self["x"], self["dt"]
        if key in self.more:
            return self.more[key](i, dt)
        left, gone = int((n - i) * dt), int(self.at - self.run.began)
        made: dict[str, Callable[[], Any]] = {
            "t": lambda: self.run.clock(self.at), "ms": lambda: dt * 1000, "pct": lambda: 100 * i / n, "ips": lambda: 1 / dt, "eta": lambda: str(timedelta(seconds=left)), "el": lambda: str(timedelta(seconds=gone)), "us": lambda: self.run.clock(self.at).microsecond, "k": lambda: self.run.luck.randrange(1000),
            "lr": lambda: self.run.rate * min(1.0, i / (0.02 * n + 1)) * (1 - 0.93 * i / n), "g": lambda: max(0.05, self.run.luck.gauss(0.32 + abs(x) / 9, 0.03)), "acc": lambda: min(0.991, math.exp(-abs(x) / 2.2)), "ppl": lambda: math.exp(min(15.0, x)), "r": self.run.luck.random, "db": lambda: 22 - 4.2 * math.log(max(abs(x), 1e-6)),
            "ep": lambda: 1 + i * self.run.epochs // (n + 1), "epf": lambda: self.run.epochs * i / n, "bar": lambda: "#" * (16 * i // n) + "-" * (16 - 16 * i // n), "sps": lambda: self.run.batch / dt, "seen": lambda: i * self.run.batch, "s": lambda: gone, "p": lambda: self.run.pid(self.run.voice),
        }  # fmt: skip
        return made[key]()


class Sheaf(Hand):
    """With what else a record has."""

    more: Mapping[str, Any] = {}
    again = 0

    def record(self) -> JobRecord:
        """All of it."""
        job = super().record()
        return job.model_copy(update={"attempt": job.attempt.model_copy(update={"restart_count": self.again}), **self.more})


class Run:
    """A job: ``line`` is a format of progress, ``via`` is ``srun`` (a task each) or a launcher (a task a node), ``east`` the zone its clock shows."""

    def __init__(self, no: int, name: str, chip: str, nodes: int = 1, per: int = 1, line: str = "", *, script: str = "train.py", hours: float = 24, via: str = "srun", rack: str = "gpu", east: float = 0,  # noqa: PLR0917
                 asked: str = "", rate: float = 3e-4, epochs: int = 10, batch: int = 256, plain: bool = False, home: str = "", extra: Extra | None = None, first: int = 0) -> None:  # fmt: skip
        self.no, self.name, self.chip, self.per, self.n, self.line, self.script, self.via, self.east = no, name, CHIPS[chip], per, nodes * per, line, script, via, east
        self.rate, self.epochs, self.batch, self.plain, self.extra, self.luck = rate, epochs, batch, plain, extra or {}, Random(7_300_000 + 31 * no)
        k = first or 1 + (no * 53) % 180
        self.hosts = tuple(f"{rack}{k + 3 * j:03d}" for j in range(nodes))
        self.home = home or f"/gpfs/work/alice/{name}"
        flags = f"--nodes={nodes} --gpus-per-node={per} " if nodes > 1 else f"--gpus={per} "
        self.limit = round(hours * 3600)
        self.job = 9_140_000 + 733 * no
        self.sheaf = Sheaf(self.hosts, name=name, job_id=self.job, start_ns=(1_781_300_000 + 9_241 * no) * 10**9 + 137_000_000, gpus=per, limit_s=self.limit, submit_line=asked or f"sbatch {flags}--time={self.limit // 3600:02d}:{self.limit // 60 % 60:02d}:00 {name}.sbatch")
        self.t = self.luck.uniform(5, 16)
        self.began = self.t
        self.step, self.voice = 0, 0
        self.said: list[list[tuple[float, str]]] = [[] for _ in range(self.n)]
        self.shell: list[tuple[float, str]] = []
        self.loads: list[list[tuple[float, Load]]] = [[(0.0, LOADS["off"])] for _ in range(self.n)]
        self.kept: list[list[tuple[float, float]]] = [[(0.0, 0.0)] for _ in range(self.n)]
        self.cpu: list[list[tuple[float, float]]] = [[(0.0, 71.0)] for _ in range(self.n)]
        self.sights: dict[int, dict[str, Any]] = {}
        self.env: dict[str, str] = {}
        self.ramps: list[tuple[int, str, float, float, float, float]] = []
        self.lean = self.luck.uniform(0.88, 1.12)

    # --- names

    def ranks(self, who: Ranks) -> list[int]:
        """One, some or all."""
        return list(range(self.n)) if who is None else [who] if isinstance(who, int) else list(who)

    def rest(self, *out: int) -> tuple[int, ...]:
        """All others."""
        return tuple(r for r in range(self.n) if r not in out)

    def on(self, node: int) -> tuple[int, ...]:
        """The ranks of a node."""
        return tuple(range(node * self.per, (node + 1) * self.per))

    def host(self, r: int) -> str:
        """Where that rank is."""
        return self.hosts[r // self.per]

    def pid(self, r: int) -> int:
        """Of that rank's process."""
        return 40_000 + r if self.via == "srun" else 51_300 + 2 * r

    def clock(self, t: float) -> datetime:
        """What the house's clock shows then."""
        return datetime.fromtimestamp(self.sheaf.at(t) / 1e9, timezone(timedelta(hours=self.east)))

    def put(self, text: str, r: int, t: float) -> str:
        """``%r`` rank, ``%l`` local rank, ``%h`` node, ``%j`` job, ``%p`` pid, ``%w`` ranks in all, ``%T`` time, ``%D`` date, ``%I`` both, ``%m`` month and day, ``%u`` microseconds."""
        d = self.clock(t)
        for key, value in (("%r", r), ("%l", r % self.per), ("%h", self.host(r)), ("%H", self.hosts[0]), ("%j", self.job), ("%p", self.pid(r)), ("%w", self.n), ("%T", f"{d:%H:%M:%S}"), ("%D", f"{d:%Y-%m-%d}"), ("%I", f"{d:%Y-%m-%d %H:%M:%S}"), ("%m", f"{d:%m%d}"), ("%u", f"{d:%f}"), ("%~", self.home)):
            text = text.replace(key, str(value))
        return text

    # --- what happens

    def say(self, text: str, after: float = 1.0, who: Ranks = 0, apart: float = 0.03) -> Run:
        """These print it."""
        self.t += after + self.luck.uniform(0, 0.02 * min(20.0, after))
        for k, r in enumerate(self.ranks(who)):
            at = self.t + apart * k + (self.luck.uniform(0, 0.02) if k else 0)
            self.said[r].append((at, self.put(text, r, at)))
        return self

    def sh(self, text: str, after: float = 0.5) -> Run:
        """The batch script prints it."""
        self.t += after
        self.shell.append((self.t, self.put(text, 0, self.t)))
        return self

    def gpu(self, what: str, who: Ranks = None, **other: float) -> Run:
        """What the cards do from now on."""
        for r in self.ranks(who):
            self.loads[r].append((self.t, replace(LOADS[what], **other)))
        return self

    def mem(self, gib: float, who: Ranks = None, over: float = 20.0) -> Run:
        """So much memory."""
        for r in self.ranks(who):
            self.kept[r] += [(self.t, self.kept[r][-1][1]), (self.t + over, gib)]
        return self

    def busy(self, percent: float, who: Ranks = None) -> Run:
        """What the process takes of a core from now on."""
        for r in self.ranks(who):
            self.cpu[r].append((self.t, percent))
        return self

    def wait(self, seconds: float) -> Run:
        """Time goes by."""
        self.t += seconds
        return self

    def go(self, count: int, pace: float, each: int, loss: Callable[[int], float] | float = 1.0, of: int = 0, line: str = "", jit: float = 0.02, who: Ranks = None) -> Run:  # noqa: PLR0917
        """Steps of so many seconds, a line each so many; ``who`` prints it too."""
        of = of or self.step + count
        form = line or self.line
        speakers = [self.voice] if who is None else self.ranks(who)
        for k in range(1, count + 1):
            took = pace * max(0.3, self.luck.gauss(1, jit))
            self.t += took
            i = self.step + k
            if i % each == 0:
                x = loss(i) if callable(loss) else loss
                for r in speakers:
                    at = self.t + 0.004 * r
                    mine = x if r == speakers[0] else x * self.luck.gauss(1, 0.012)
                    self.said[r].append((at, self.put(form.format_map(Fields(self, i, of, mine, took, at, {**self.extra, "rank": partial(_rank, r)})), r, at)))
        self.step += count
        return self

    def stuck(self, who: Ranks, state: str, wchan: str, times: int = 700, **more: Any) -> Run:
        """How a process stood when it was last looked at."""
        for r in self.ranks(who):
            self.sights[r] = {"state": state, "wchan": wchan, "waits": {f"{state} {wchan}": times}, **more}
        return self

    def xid(self, r: int, number: int, text: str, ago: float = 0.4, *, node: str = "", gpu: int = -1) -> Run:
        """The driver's line of that rank's card, or of another card of a node."""
        card = r % self.per if gpu < 0 else gpu
        pci = f"0000:{PCI[card]:02x}:00"
        line = f"NVRM: Xid (PCI:{pci}): {number}, {text.replace('PID', str(self.pid(r)))}"
        self.sheaf.kernel(node or self.host(r), self.t - ago, "xid", line, gpu=card if card < self.per else None, pci=pci, xid=number)
        return self

    def oomed(self, r: int, ago: float = 0.2, *, whole: bool = False, step: str = "0", what: str = "python") -> Run:
        """The kernel killed that rank for host memory."""
        root = f"/system.slice/slurmstepd.scope/job_{self.job}/step_{step}"
        task = f"{root}/user/task_{r % self.per if self.via == 'srun' else 0}"
        kind = "CONSTRAINT_NONE" if whole else "CONSTRAINT_MEMCG"
        where = "global_oom" if whole else f"oom_memcg={root}"
        line = f"oom-kill:constraint={kind},nodemask=(null),cpuset=step_{step},mems_allowed=0-1,{where},task_memcg={task},task={what},pid={self.pid(r)},uid=1042"
        self.sheaf.kernel(self.host(r), self.t - ago, "kernel_oom", line, scope="node" if whole else "cgroup", constraint=kind, task_memcg=task, process=what, pid=self.pid(r), uid=1042, job_id=self.job)
        return self

    def ramp(self, r: int, name: str, start: float, stop: float, first: float, last: float) -> Run:  # noqa: PLR0917
        """A counter of a card that moves between two times, in steps of a reading; at one time when they are the same."""
        self.ramps.append((r, name, start, stop, first, last))
        return self

    def before(self, state: str, lasted: float, gap: float, **row: Any) -> Run:
        """An attempt of the same job that was over so long before this one."""
        begin = self.sheaf.at(-gap - lasted)
        self.sheaf.again += 1
        self.sheaf.ended(state, end=0, start_ns=begin, end_ns=begin + round(lasted * 1e9), elapsed_s=round(lasted), submit_ns=begin - 90 * 10**9, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), **row)
        return self

    # --- its end

    def end(self, label: Label, state: str = "COMPLETED", fates: Mapping[int, int] | None = None, *, rest: int = 0, lag: float = 1.0, at: Mapping[int, float] | None = None, dead: Sequence[int] = (), memory: Mapping[int, CgroupMemory] | None = None, code: int | None = None,
            counters: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]] | None = None, blind: Mapping[int, float] | None = None, past: Sequence[Mapping[str, Any]] = (), words: Sequence[str] = (), **row: Any) -> HandJob:  # fmt: skip
        """It is over; ``fates`` by rank: exit code, or minus a signal; ``rest``: the others'; ``lag``: how long these live on; ``dead`` nodes went down; ``blind``: from when a card could not be read."""
        fates, at, memory = dict(fates or {}), dict(at or {}), dict(memory or {})
        cut = state in CUT
        over = self.limit + self.luck.uniform(1, 9) if state == "TIMEOUT" else self.t + lag
        fate = {r: fates.get(r, -15 if cut else rest) for r in range(self.n)}
        ends = {r: at.get(r, self.t + 0.4 + 0.01 * r if r in fates else over + 0.01 * r) for r in range(self.n)}
        bad = [f for f in fate.values() if f]
        worst = 0 if cut or not bad else max((f if f > 0 else 128 - f) for f in (fates.values() or bad)) or max((f if f > 0 else 128 - f) for f in bad)
        said = [(t, x) for t, x in self.shell]
        first = min((ends[r] for r in fates if fates[r]), default=over)
        groups: dict[tuple[str, int], list[int]] = {}
        if self.via == "srun":
            for r in range(self.n):
                if r // self.per not in dead:
                    f = fate[r]
                    self._task(r, r // self.per, r % self.per, self.said[r], f, ends[r], memory.get(r))
                    if f and (not cut or r in fates):
                        groups.setdefault((self.host(r), f), []).append(r)
            for (host, f), who in groups.items():
                how = f"Exited with exit code {f}" if f > 0 else WORDS[-f] + (" (core dumped)" if f in (-6, -11) and self.no % 2 else "")
                said.append((max(ends[r] for r in who) + 0.1, f"srun: error: {host}: task{'s' * (len(who) > 1)} {spans(who)}: {how}"))
            if not cut and any(f in (-9, -15) for r, f in fate.items() if r not in fates):
                said.append((first + 0.3, f"srun: Terminating StepId={self.job}.0"))
                said.append((first + 0.5, f"slurmstepd: error: *** STEP {self.job}.0 ON {self.hosts[0]} CANCELLED AT {self.clock(first + 0.5):%Y-%m-%dT%H:%M:%S} ***"))
        else:
            worst = int(worst > 0)
            for k, host in enumerate(self.hosts):
                if k in dead:
                    continue
                ill = any(fate[r] for r in self.on(k))
                lines = sorted(x for r in self.on(k) for x in self.said[r])
                self._task(k, k, 0, lines, -15 if cut else int(ill), over + 0.4, memory.get(k * self.per))
                if ill and not cut:
                    said.append((over + 0.6, f"srun: error: {host}: task {k}: Exited with exit code 1"))
        if cut:
            if dead:
                said.append((over - 0.9, f"srun: error: Node failure on {self.hosts[dead[0]]}"))
            said.append((over - 0.6, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."))
            said.append((over - 0.4, f"slurmstepd: error: *** JOB {self.job} ON {self.hosts[0]} CANCELLED AT {self.clock(over):%Y-%m-%dT%H:%M:%S}{CUT[state]} ***"))
        said += [(over + 0.2, w) for w in words]
        worst = worst if code is None else code
        if 0 not in dead:
            self.sheaf.rank(0, self.hosts[0], sorted(said), code=0 if cut else worst, end=over + 0.8, step="batch", stream="out", local=0)
        step = ("CANCELLED", 0, 15) if cut else (state, worst if worst <= 128 else 0, max(0, worst - 128))
        row = {"code": 0 if cut else worst, "steps": (("batch", "CANCELLED", 0, 15) if cut else ("batch", state, worst, 0), ("0", *step)), "end": over + 1.5, **row}
        if self.sheaf.again:
            row.setdefault("restarts", self.sheaf.again)
        self.sheaf.ended(state, **row)
        self._kept(fate, ends, over, dead, counters or {}, blind or {})
        self.sheaf.silent = {self.hosts[k] for k in dead}
        self.sheaf.more = {"work_dir": self.home, **({"past": tuple(PastVerdict(**{"job": str(self.job), "fault": "none", **p}) for p in past)} if past else {})}
        return HandJob(label, self.sheaf)

    def _task(self, rank: int, node: int, local: int, lines: Sequence[tuple[float, str]], fate: int, at: float, memory: CgroupMemory | None) -> None:  # noqa: PLR0917
        code, signal = (None, -fate) if fate < 0 else (fate, None)
        self.sheaf.rank(rank, self.hosts[node], sorted(lines), code=code, signal=signal, end=at, local=local, stream="both", memory=memory)
        self.sheaf._end_s = max(self.sheaf._end_s, at)  # noqa: SLF001

    # --- what the nodes kept

    def _kept(self, fate: Mapping[int, int], ends: Mapping[int, float], over: float, dead: Sequence[int], counters: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]], blind: Mapping[int, float]) -> None:  # noqa: PLR0917
        most = 200 if self.n == 1 else 130 if self.n <= 4 else 84 if self.n <= 8 else 44
        count = max(14, min(most, int(over / 6)))
        times = [min(over, max(0.5, over * k / (count - 1) + self.luck.uniform(-0.4, 0.4))) for k in range(count)]
        for r in range(self.n):
            k = r // self.per
            if k in dead:
                continue
            if self.via != "srun" and r % self.per == 0:
                self.sheaf.process(self.hosts[k], 40_000 + k, command=("python", f"/gpfs/work/alice/venv/bin/{self.via}", self.script), name=self.via, state="S", started_ns=self.sheaf.at(1.2), seen_last_ns=self.sheaf.at(max(3.0, over - 5)), looks=count, task_local=0)
            before, later = counters.get(r, ({}, {}))
            self._readings(r, [t for t in times if t < blind.get(r, 1e12)], before, later)
            alive = [t for t in times if t <= ends[r]]
            values = [round(max(0.0, self._at(self.cpu[r], t) * self.luck.gauss(1, 0.06)), 1) for t in alive]
            self._row(self.hosts[k], Where(node=self.hosts[k], rank=r), "cpu_percent", alive, values)
            self._process(r, fate[r], ends[r], count)

    def _process(self, r: int, fate: int, at: float, count: int) -> None:
        ns = self.sheaf.at
        ended = {"ended_ns": ns(at), **({"exit_code": fate} if fate >= 0 else {"exit_signal": -fate})}
        below = {} if self.via == "srun" else {"parent_pid": 40_000 + r // self.per, "task_local": 0}
        opened = next((t for t, g in self.kept[r] if g > 0), None)
        card = {"gpu_uuids": (self.sheaf.uuid(self.host(r), r % self.per),), "gpu_attached_ns": ns(opened), "gpu_memory_peak_bytes": round(max(g for _, g in self.kept[r]) * GIB)} if opened else {}
        fields: dict[str, Any] = {"rank": r, "local_rank": r % self.per, "command": ("python", "-u", self.script), "environment": {"RANK": str(r), "LOCAL_RANK": str(r % self.per), "WORLD_SIZE": str(self.n), **self.env}, "name": "python", "state": "R", "started_ns": ns(2), "seen_last_ns": ns(max(2.5, at - 5)), "looks": count, **card, **below, **ended, **self.sights.get(r, {})}
        self.sheaf.process(self.host(r), self.pid(r), **fields)

    @staticmethod
    def _at(rows: Sequence[tuple[float, float]], t: float) -> float:
        return rows[max(0, bisect_right([s for s, _ in rows], t) - 1)][1]

    def _gib(self, r: int, t: float) -> float:
        rows = self.kept[r]
        k = bisect_right([s for s, _ in rows], t) - 1
        if k + 1 >= len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        return rows[k][1] + (rows[k + 1][1] - rows[k][1]) * (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0])

    def _parts(self, r: int, starts: Sequence[float], since: float, t: float) -> list[tuple[float, Load]]:
        """What the card did since the reading before: shares of that time."""
        first, last = bisect_right(starts, since) - 1, bisect_right(starts, t) - 1
        rows = self.loads[r][max(0, first) : last + 1]
        edges = [since, *(at for at, _ in rows[1:]), t]
        span = max(1e-6, t - since)
        return [((b - a) / span, load) for (a, b), (_, load) in zip(pairwise(edges), rows, strict=True)]

    def _readings(self, r: int, times: Sequence[float], before: Mapping[str, Any], later: Mapping[str, Any] | None) -> None:
        chip, local, host, gauss = self.chip, r % self.per, self.host(r), self.luck.gauss
        rows: dict[str, list[float]] = {}
        rest, warm = 0.12 * chip.watts, 32.0
        starts = [b[0] for b in self.loads[r]]
        since = 0.0
        for k, t in enumerate(times):
            now = self.loads[r][bisect_right(starts, t) - 1][1]
            here = now if now.on == 1 or Random(f"{self.no} {k}").random() < now.on else Load(0, 0.1, 0.1, 0.04, 0, mhz=now.mhz)
            parts = self._parts(r, starts, since, t)
            since = t
            sm = here.sm if chip.tells == "DCGM" else sum(share * load.sm * load.on for share, load in parts)
            sm *= self.lean if sm > 20 else 1
            power = rest + here.pw * (chip.watts - rest)
            warm += 0.3 * ((now.hot or 33 + 35 * min(1.0, power / chip.watts)) - warm)
            asleep = now.use == 0 and now.pw == 0
            one = {
                "utilization_percent": here.use if here.use in (0, 100) else round(min(100.0, max(0.0, gauss(here.use, here.wob)))), "sm_activity_percent": 0 if sm == 0 else round(min(99.0, max(0.02, gauss(sm, 0.04 * sm + 0.03))), 2), "memory_bandwidth_percent": 0 if sm == 0 else round(max(0.0, gauss(here.bw, 0.06 * here.bw)), 2),
                "power_mw": round(1000 * min(1.005 * chip.watts, max(11.0, gauss(power, 0.015 * power)))), "memory_used_bytes": round(max(0.0, min(self._gib(r, t), chip.gib - 0.4)) * GIB), "temperature_c": round(gauss(warm, 0.5)),
                "sm_clock_mhz": round(gauss(now.mhz, 9) if now.mhz else 210 if asleep else chip.mhz - 15 * self.luck.randrange(0, 3)), "throttle_reasons": now.why if now.why >= 0 else 1 if asleep else 4 if now.pw > 0.85 else 0,
            }  # fmt: skip
            if self.no % 3 and not chip.amd:
                mean = sum(share * load.use * load.on for share, load in parts)
                apart = max(load.use for _, load in parts) - min(load.use for _, load in parts)
                one["duty_percent"] = round(min(100.0, max(0.0, gauss(mean, 1.5) if 0 < mean < 100 else mean)), 1)
                one["duty_spread_percent"] = round(min(100.0, max(0.0, gauss(max(apart, 97 if now.on < 1 else 6 * now.wob), 2))), 1) if apart or 0 < now.use < 100 else 0.0
            for key, value in one.items():
                rows.setdefault(key, []).append(float(value))
        gone = {"sm_activity_percent", "memory_bandwidth_percent"} if not chip.tells or self.plain else set()
        gone |= {"throttle_reasons"} if chip.amd else set()
        base: dict[str, Any] = {"name": chip.name, "memory_total_bytes": round(chip.gib * GIB), "driver_version": chip.driver, "sm_clock_max_mhz": chip.mhz, "power_limit_mw": chip.watts * 1000, "pci_bus_id": f"00000000:{PCI[local]:02X}:00.0", "serial": f"15{(self.no * 5279) % 10_000:04d}{11 * r:06d}", "foreign_processes": 0, "job_attached": any(g > 0 for _, g in self.kept[r])}
        if chip.amd or "RTX" in chip.name:
            base |= dict.fromkeys(("ecc_enabled", "ecc_volatile_corrected", "ecc_volatile_uncorrected", "ecc_aggregate_corrected", "ecc_aggregate_uncorrected", "remapped_rows_correctable", "remapped_rows_uncorrectable", "remap_pending", "remap_failure"))
        if not chip.amd:
            base |= {"pcie_replay_count": 0, "temperature_slowdown_c": 87, "recovery_action": "none", **{f"violation_{k}_ns": 0 for k in ("power", "thermal", "hw_thermal", "hw_power_brake", "sw_thermal")}}
            base |= {"nvlink_crc_errors": 0, "nvlink_replay_errors": 0, "nvlink_recovery_errors": 0} if self.per > 1 and ("SXM" in chip.name or "H" in chip.name.split()[1][:1]) else {}
            base |= {"sm_activity_source": chip.tells} if chip.tells and not self.plain else {}
        for who, name, start, stop, first, last in self.ramps:
            if who == r:
                base[name] = int(first)
                later = None if later is None else {**later, name: int(last)}
                span = [start - 0.5, start] if stop <= start else [t for t in times if start <= t <= stop]
                if span:
                    shape = [first, last] if stop <= start else [first + (last - first) * k / max(1, len(span) - 1) for k in range(len(span))]
                    stamps = [min(0.4, span[0]), *span, times[-1]] if times[-1] > span[-1] else [min(0.4, span[0]), *span]
                    self._row(host, Where(node=host, gpu_uuid=self.sheaf.uuid(host, local)), name, stamps, [float(int(v)) for v in (first, *shape, last)][: len(stamps)])
        self.sheaf.gpu(host, local, {**base, **before}, None if later is None else dict(later))
        for key, values in rows.items():
            if key not in gone:
                self._row(host, Where(node=host, gpu_uuid=self.sheaf.uuid(host, local)), f"gpu_{key}", times, values)

    def _row(self, host: str, where: Where, name: str, times: Sequence[float], values: Sequence[float]) -> None:
        ns = tuple(self.sheaf.at(t) for t in times)
        unit = UNITS.get(name, "count" if name.startswith(("ecc", "remap", "nvlink", "pcie")) else "ns" if name.startswith("violation") else "%")
        self.sheaf._add(host, "series", Series(name=name, where=where, unit=unit, times_ns=ns, values=tuple(values), points_seen=len(values)))  # noqa: SLF001

"""Leaves of vellum: a job on cards that are not here, told from its start to its end, with what its cards, kernels and Slurm would have kept of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._vellum_lines import STYLES, clock
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series

# name, GiB, driver, highest SM clock, watts, whether SM activity can be asked
FLEET: dict[str, tuple[str, int, str, int, int, bool]] = {
    "h100": ("NVIDIA H100 80GB HBM3", 80, "550.127.08", 1980, 700, True),
    "h100pcie": ("NVIDIA H100 PCIe", 80, "535.183.06", 1755, 350, True),
    "h200": ("NVIDIA H200", 141, "570.124.06", 1980, 700, True),
    "gh200": ("NVIDIA GH200 120GB", 96, "560.35.05", 1980, 700, True),
    "b200": ("NVIDIA B200", 180, "575.57.08", 1965, 1000, True),
    "a100": ("NVIDIA A100-SXM4-80GB", 80, "535.161.08", 1410, 400, False),
    "a100-40": ("NVIDIA A100-SXM4-40GB", 40, "525.105.17", 1410, 400, False),
    "a30": ("NVIDIA A30", 24, "535.129.03", 1440, 165, False),
    "a10": ("NVIDIA A10", 24, "550.54.15", 1695, 150, False),
    "l40": ("NVIDIA L40", 48, "555.42.06", 2490, 300, False),
    "l4": ("NVIDIA L4", 24, "550.90.12", 2040, 72, False),
    "rtx6000": ("NVIDIA RTX 6000 Ada Generation", 48, "550.107.02", 2505, 300, False),
    "v100": ("Tesla V100-SXM2-32GB", 32, "450.191.01", 1530, 300, False),
    "t4": ("Tesla T4", 16, "470.223.02", 1590, 70, False),
}
# what a card is at: utilisation, SM activity, memory bandwidth, share of its watts, duty, spread of the duty; whether by fits and starts
MOODS: dict[str, tuple[float, float, float, float, float, float, bool]] = {
    "asleep": (0, 0, 0, 0, 0, 0, False),
    "busy": (97, 51, 33, 0.67, 97, 6, False),
    "flat_out": (100, 70, 46, 0.92, 100, 1, False),
    "reads": (4, 1.6, 2, 0.05, 4, 22, False),
    "light": (29, 10, 6, 0.18, 29, 38, False),
    "hungry": (9, 4.0, 2.6, 0.10, 9, 95, True),
    "spins": (100, 0.5, 0.2, 0.14, 100, 0, False),
    "holds": (0, 0, 0, 0.015, 0, 0, False),
    "awaits": (100, 15, 7, 0.24, 100, 1, False),
    "pulls": (100, 59, 36, 0.78, 100, 2, False),
    "wire": (100, 9, 5.5, 0.20, 100, 1, False),
    "writes": (7, 3.2, 2.4, 0.08, 7, 92, True),
    "one_by_one": (54, 14, 7, 0.25, 54, 33, False),
}
BUS = (0x18, 0x2A, 0x3A, 0x5D, 0x9A, 0xAB, 0xBA, 0xDB)
NAMED = {4: "Illegal instruction", 6: "Aborted", 7: "Bus error", 8: "Floating point exception", 9: "Killed", 11: "Segmentation fault", 15: "Terminated"}
Ranks = int | Sequence[int] | None
Course = list[tuple[float, float]]


class Book(Hand):
    """With what else the record has."""

    more: Mapping[str, Any] = {}
    times_before = 0

    def record(self) -> JobRecord:
        """All of it."""
        job = super().record()
        attempt = job.attempt.model_copy(update={"restart_count": self.times_before})
        return job.model_copy(update={"attempt": attempt, **self.more})


class Leaf:
    """A job of ``nodes`` times ``cards`` processes with a card each. ``via`` is ``srun`` (a task each) or a launcher (a task a node, ranks below it)."""

    def __init__(self, no: int, name: str, fleet: str = "h100", nodes: int = 1, cards: int = 1, *, style: str = "plain", via: str = "srun",
                 minutes: int = 1440, script: str = "train.py", asked: str = "", rack: str = "cn") -> None:  # fmt: skip
        self.no, self.name, self.via, self.script, self.limit = no, name, via, script, 60 * minutes
        self.kind, self.style, self.luck = FLEET[fleet], STYLES[style], Random(91_000 + 7 * no)
        self.hosts = tuple(f"{rack}-{(no * 37 + k) % 60 + 1:02d}-{(no * 11 + 5 * k) % 16 + 1:02d}" for k in range(nodes))
        self.cards, self.n = cards, nodes * cards
        flags = f"-N {nodes} " if nodes > 1 else ""
        line = asked or f"sbatch {flags}--gres=gpu:{cards} -t {minutes // 60}:{minutes % 60:02d}:00 run_{name}.sh"
        self.book = Book(self.hosts, name=name, job_id=2_260_000 + 613 * no, start_ns=(1_790_000_000 + 8_641 * no) * 10**9, gpus=cards,
                         limit_s=self.limit, submit_line=line)  # fmt: skip
        self.now, self.step, self.speaker = self.luck.uniform(4, 11), 0, 0
        self.said: list[list[tuple[float, str]]] = [[] for _ in range(self.n)]
        self.moods: list[list[tuple[float, str, dict[str, float]]]] = [[(0.0, "asleep", {})] for _ in range(self.n)]
        self.held: list[Course] = [[(0.0, 0.0)] for _ in range(self.n)]
        self.meters: dict[str, list[Course]] = {"cpu_percent": [[(0.0, 62.0)] for _ in range(self.n)]}
        self.sight: dict[int, dict[str, Any]] = {}
        self.environ: dict[str, str] = {}
        self.unborn = False
        self.drift = self.luck.uniform(0.86, 1.14)
        self.floor, self.height, self.share, self.knee = self.luck.uniform(0.3, 1.7), self.luck.uniform(2.2, 6.0), self.luck.uniform(0.03, 0.09), 0.0

    # --- who, where, which words

    def those(self, ranks: Ranks) -> Sequence[int]:
        """One, some or all."""
        return range(self.n) if ranks is None else (ranks,) if isinstance(ranks, int) else ranks

    def but(self, *out: int) -> tuple[int, ...]:
        """All others."""
        return tuple(r for r in range(self.n) if r not in out)

    def of_node(self, k: int) -> tuple[int, ...]:
        """The ranks there."""
        return tuple(range(k * self.cards, (k + 1) * self.cards))

    def host(self, r: int) -> str:
        """Where that rank is."""
        return self.hosts[r // self.cards]

    def pid(self, r: int) -> int:
        """Of that rank's process."""
        return 40_000 + r if self.via == "srun" else 42_700 + r

    def filled(self, text: str, r: int, t: float) -> str:
        """``@r`` rank, ``@l`` local rank, ``@n`` node, ``@j`` job, ``@p`` pid, and the time as ``@hms``, ``@md``, ``@us``, ``@iso``, ``@tz``."""
        d = clock(self.book.at(t))
        words = {"@hms": f"{d:%H:%M:%S}", "@md": f"{d:%m%d}", "@us": f"{d:%f}", "@iso": f"{d:%Y-%m-%d %H:%M:%S}", "@tz": f"{d:%Y-%m-%dT%H:%M:%SZ}",
                 "@r": str(r), "@l": str(r % self.cards), "@n": self.host(r), "@j": str(self.book.job_id), "@p": str(self.pid(r))}  # fmt: skip
        for key, value in words.items():
            text = text.replace(key, value)
        return text

    # --- the story

    def tell(self, text: str, after: float = 1.0, ranks: Ranks = 0, apart: float = 0.02) -> Leaf:
        """These print it."""
        self.now += after
        for k, r in enumerate(self.those(ranks)):
            at = self.now + apart * k
            self.said[r].append((at, self.filled(text, r, at)))
        return self

    def mood(self, what: str, ranks: Ranks = None, **other: float) -> Leaf:
        """What the cards are at from now on; ``other``: sm, mhz, celsius, why (the mask of reasons), watts."""
        for r in self.those(ranks):
            self.moods[r].append((self.now, what, other))
        return self

    def hold(self, gib: float, ranks: Ranks = None, over: float = 5.0) -> Leaf:
        """So much memory."""
        for r in self.those(ranks):
            self.held[r] += [(self.now, self.held[r][-1][1]), (self.now + over, gib)]
        return self

    def meter(self, name: str, value: float, ranks: Ranks = None) -> Leaf:
        """A reading of the process from now on."""
        rows = self.meters.setdefault(name, [[(0.0, 0.0)] for _ in range(self.n)])
        for r in self.those(ranks):
            rows[r].append((self.now, value))
        return self

    def law(self, i: float) -> float:
        """A loss at a step."""
        return float(self.floor + self.height * (1 + i / self.knee) ** -0.58)

    def train(self, count: int, pace: float = 1.0, each: int = 10, of: int = 0, loss: Callable[[int], float] | None = None, slower: float = 1.0,  # noqa: PLR0917
              jitter: float = 0.015, noise: float = 0.012) -> Leaf:  # fmt: skip
        """Steps, a line each so many; ``slower``: how many times longer the last takes."""
        of = of or self.step + count
        self.knee = self.knee or (self.share * count if count > 8 else 20.0)
        for k in range(1, count + 1):
            i = self.step + k
            took = pace * (1 + (slower - 1) * k / count) * max(0.2, self.luck.gauss(1, jitter))
            self.now += took
            if i % each == 0:
                x = loss(i) if loss else self.law(i) * self.luck.gauss(1, noise)
                text = self.style(i, of, x, took, clock(self.book.at(self.now)))
                self.said[self.speaker].append((self.now, text))
        self.step += count
        return self

    def idle(self, seconds: float) -> Leaf:
        """Time goes by."""
        self.now += seconds
        return self

    def seen(self, r: int, state: str, wchan: str = "", **more: Any) -> Leaf:
        """How the process stood when it was last looked at."""
        self.sight[r] = {"state": state, **({"wchan": wchan, "waits": {f"{state} {wchan}": more.pop("times", 400)}} if wchan else {}), **more}
        return self

    def xid(self, r: int, number: int, text: str, ago: float = 0.5) -> Leaf:
        """The driver's line of that rank's card."""
        pci = f"0000:{BUS[r % self.cards]:02x}:00"
        line = f"NVRM: Xid (PCI:{pci}): {number}, {text}"
        self.book.kernel(self.host(r), self.now - ago, "xid", line, gpu=r % self.cards, pci=pci, xid=number)
        return self

    def reaped(self, r: int, *, anyone: bool = False, ago: float = 0.3) -> Leaf:
        """The kernel killed that rank for host memory."""
        job = self.book.job_id
        kind, scope = ("CONSTRAINT_NONE", "node") if anyone else ("CONSTRAINT_MEMCG", "cgroup")
        root = f"/system.slice/slurmstepd.scope/job_{job}/step_0"
        task = f"{root}/user/task_{r % self.cards if self.via == 'srun' else 0}"
        where = "global_oom" if anyone else f"oom_memcg={root}"
        line = (f"oom-kill:constraint={kind},nodemask=(null),cpuset=step_0,mems_allowed=0-3,{where},task_memcg={task},task=python,"
                f"pid={self.pid(r)},uid=1042")  # fmt: skip
        self.book.kernel(self.host(r), self.now - ago, "kernel_oom", line, scope=scope, constraint=kind, task_memcg=task, process="python",
                         pid=self.pid(r), uid=1042, job_id=job)  # fmt: skip
        return self

    def earlier(self, state: str, lasted: float, before: float, **row: Any) -> Leaf:
        """An attempt of the same job that is over, so long before this one."""
        begin = self.book.at(-before - lasted)
        self.book.times_before += 1
        self.book.ended(state, end=0, start_ns=begin, end_ns=begin + round(lasted * 1e9), elapsed_s=round(lasted), submit_ns=begin - 50 * 10**9,
                        steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), **row)  # fmt: skip
        return self

    # --- the end

    def close(self, label: Label, state: str = "COMPLETED", fates: Mapping[int, int] | None = None, *, rest: int = 0, after: float = 0.9,
              when: Mapping[int, float] | None = None, dead: Sequence[int] = (), memory: Mapping[int, CgroupMemory] | None = None,
              counters: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]] | None = None, dark: Mapping[int, float] | None = None,
              slurm: Sequence[tuple[float, str]] = (), code: int | None = None, past: Sequence[Mapping[str, Any]] = (), **row: Any) -> HandJob:  # fmt: skip
        """It is over. ``fates`` by rank: an exit code, or minus a signal; ``rest``: of all others; ``dead`` nodes went down; ``counters`` by rank: before
        and after; ``dark``: from when on a card could not be read; ``slurm``: what the batch script's own output has.
        """
        fates, when, memory = dict(fates or {}), dict(when or {}), dict(memory or {})
        cut = state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "DEADLINE")
        over = self.limit + self.luck.uniform(0.8, 3.0) if state == "TIMEOUT" else self.now + after
        fate = {r: fates.get(r, -15 if cut else rest) for r in range(self.n)}
        own = {r: self.now - 2.5 if self.via != "srun" and not cut and fate[r] else over for r in range(self.n)}
        at = {r: when.get(r, own[r] + 0.015 * r + (0.0 if r in fates or own[r] == over else 1.2)) for r in range(self.n)}
        positive, signals = [f for f in fate.values() if f > 0], [-f for f in (*fates.values(), *fate.values()) if f < 0]
        worst = 0 if cut or dead else max(positive) if positive else 128 + signals[0] if signals else 0
        said = [(t, self.filled(x, 0, t)) for t, x in slurm]
        if self.via == "srun":
            self._by_task(fate, at, fates, dead, memory, said, cut=cut)
        else:
            worst = int(worst > 0)
            self._by_agent(fate, over, dead, memory, said, cut=cut)
        worst = worst if code is None else code
        if cut or dead:
            self._struck(state, over, dead, said)
        if 0 not in dead:
            self.book.batch(sorted(said), code=0 if cut or dead else worst, end=over + 0.8)
        step = ("CANCELLED", 0, 15) if cut else (state, worst if worst <= 128 else 0, max(0, worst - 128))
        steps = (("batch", "CANCELLED", 0, 15) if cut else ("batch", state, worst, 0), ("0", *step))
        row = {"code": 0 if cut else worst, "steps": steps, "end": over + 1.4, **row}
        if self.book.times_before:
            row.setdefault("restarts", self.book.times_before)
        self.book.ended(state, **row)
        self._kept(fate, at, over, dead, counters or {}, dark or {})
        self.book.silent = {self.hosts[k] for k in dead}
        more: dict[str, Any] = {"work_dir": f"/lustre/proj/alice/{self.name}"}
        if past:
            more["past"] = tuple(PastVerdict(**{"job": str(self.book.job_id), "fault": "none", **p}) for p in past)
        self.book.more = more
        return HandJob(label, self.book)

    def _task(self, rank: int, node: int, local: int, lines: Sequence[tuple[float, str]], fate: int, at: float,  # noqa: PLR0917
              memory: CgroupMemory | None) -> None:  # fmt: skip
        code, signal = (None, -fate) if fate < 0 else (fate, None)
        self.book.rank(rank, self.hosts[node], sorted(lines), code=code, signal=signal, end=at, local=local, stream="both", memory=memory)
        self.book._end_s = max(self.book._end_s, at)  # noqa: SLF001

    def _by_task(self, fate: Mapping[int, int], at: Mapping[int, float], own: Mapping[int, int], dead: Sequence[int], memory: Mapping[int, CgroupMemory],  # noqa: PLR0917
                 said: list[tuple[float, str]], *, cut: bool) -> None:  # fmt: skip
        for r in range(self.n):
            k = r // self.cards
            if k in dead:  # its log went with it
                continue
            self._task(r, k, r % self.cards, self.said[r], fate[r], at[r], memory.get(r))
            if fate[r] and (not cut or r in own):
                how = f"Exited with exit code {fate[r]}" if fate[r] > 0 else NAMED.get(-fate[r], "Killed")
                said.append((at[r] + 0.12, f"srun: error: {self.hosts[k]}: task {r}: {how}"))

    def _by_agent(self, fate: Mapping[int, int], over: float, dead: Sequence[int], memory: Mapping[int, CgroupMemory], said: list[tuple[float, str]],
                  *, cut: bool) -> None:  # fmt: skip
        for k, host in enumerate(self.hosts):
            if k in dead:
                continue
            lines = sorted(line for r in self.of_node(k) for line in self.said[r])
            bad = any(fate[r] for r in self.of_node(k))
            if cut and self.via == "torchrun":
                text = "W@md @hms.@us 41000 torch/distributed/elastic/agent/server/api.py:723] Received 15 death signal, shutting down workers"
                lines.append((over + 0.1, self.filled(text, k * self.cards, over + 0.1)))
            self._task(k, k, 0, lines, -15 if cut else int(bad), over + 0.5, memory.get(k))
            if bad and not cut and not dead:
                said.append((over + 0.7, f"srun: error: {host}: task {k}: Exited with exit code 1"))

    def _struck(self, state: str, over: float, dead: Sequence[int], said: list[tuple[float, str]]) -> None:
        stamp = f"{clock(self.book.at(over)):%Y-%m-%dT%H:%M:%S}"
        why = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION", "CANCELLED": "", "DEADLINE": " DUE TO JOB REACHED DEADLINE"}
        words = why.get(state, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
        if dead:
            said.append((over - 0.7, f"srun: error: Node failure on {self.hosts[dead[0]]}"))
        said.append((over - 0.5, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."))
        said.append((over - 0.4, f"slurmstepd: error: *** JOB {self.book.job_id} ON {self.hosts[0]} CANCELLED AT {stamp}{words} ***"))

    # --- what the machines kept

    def _kept(self, fate: Mapping[int, int], at: Mapping[int, float], over: float, dead: Sequence[int],  # noqa: PLR0917
              counters: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]], dark: Mapping[int, float]) -> None:  # fmt: skip
        most = 240 if self.n < 3 else 110 if self.n < 9 else 48
        count = max(16, min(most, int(over / 5)))
        times = [max(0.3, min(over, over * k / (count - 1) + self.luck.uniform(-0.25, 0.25))) for k in range(count)]
        for r in range(self.n):
            k = r // self.cards
            if k in dead:
                continue
            if self.unborn and r % self.cards == 0:
                self._agent(k, over)
            before, later = counters.get(r, ({}, {}))
            self._readings(r, [t for t in times if t < dark.get(r, 1e12)], before, later)
            if self.unborn:
                continue
            alive = [t for t in times if t <= at[r]]
            for name, rows in self.meters.items():
                values = [round(max(0.0, self._then(rows[r], t) * self.luck.gauss(1, 0.06)), 1) for t in alive]
                self._series(self.hosts[k], Where(node=self.hosts[k], rank=r), name, alive, values)
            self._process(r, fate[r], at[r])

    def _agent(self, k: int, at: float) -> None:
        ns = self.book.at
        self.book.process(self.hosts[k], 40_000 + k, command=("python", f"/lustre/proj/alice/env/bin/{self.via}", self.script), name=self.via,
                          state="S", started_ns=ns(1), seen_last_ns=ns(max(2.5, at - 4)), looks=max(1, int(at / 5)), task_local=0)  # fmt: skip

    def _process(self, r: int, fate: int, at: float) -> None:
        host, ns = self.host(r), self.book.at
        ended = {"ended_ns": ns(at), **({"exit_code": fate} if fate >= 0 else {"exit_signal": -fate})}
        below = {} if self.via == "srun" else {"parent_pid": 40_000 + r // self.cards, "task_local": 0}
        looks = max(1, int(at / 5))
        environment = {"RANK": str(r), "LOCAL_RANK": str(r % self.cards), "WORLD_SIZE": str(self.n), **self.environ}
        if self.via != "srun" and r % self.cards == 0:
            self._agent(r // self.cards, at)
        on_card = {"gpu_uuids": (self.book.uuid(host, r % self.cards),), "gpu_attached_ns": ns(9)} if any(g > 0 for _, g in self.held[r]) else {}
        fields: dict[str, Any] = {"rank": r, "local_rank": r % self.cards, "command": ("python", "-u", self.script), "environment": environment, "name": "python",
                  "state": "R", "started_ns": ns(2), "seen_last_ns": ns(max(2.5, at - 4)), "looks": looks, **on_card, **below, **ended, **self.sight.get(r, {})}  # fmt: skip
        self.book.process(host, self.pid(r), **fields)

    @staticmethod
    def _then(course: Course, t: float) -> float:
        return course[max(0, bisect_right([s for s, _ in course], t) - 1)][1]

    def _gib(self, r: int, t: float) -> float:
        rows = self.held[r]
        k = bisect_right([s for s, _ in rows], t) - 1
        if k + 1 >= len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        share = (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0])
        return rows[k][1] + share * (rows[k + 1][1] - rows[k][1])

    def _readings(self, r: int, times: Sequence[float], before: Mapping[str, Any], later: Mapping[str, Any] | None) -> None:
        name, gib, driver, top, watts, can_sm = self.kind
        gauss, local, host = self.luck.gauss, r % self.cards, self.host(r)
        calm, warm = 0.12 * watts, 30.0
        columns = ("utilization_percent", "memory_used_bytes", "power_mw", "sm_clock_mhz", "temperature_c", "throttle_reasons", "duty_percent",
                   "duty_spread_percent", "sm_activity_percent", "memory_bandwidth_percent")  # fmt: skip
        rows: dict[str, list[float]] = {k: [] for k in columns}
        for t in times:
            _, what, other = next(m for m in reversed(self.moods[r]) if m[0] <= t)
            use, sm, wide, share, duty, spread, fits = MOODS[what]
            sm = other.get("sm", min(95.0, sm * (self.drift if sm > 20 else 1)))
            power = other.get("watts", calm + share * (watts - calm))
            on = 100.0 if self.luck.random() < use / 100 else 0.0
            rows["utilization_percent"].append(on if fits else use if use in (0, 100) else float(round(min(100.0, max(0.0, gauss(use, 2.0))))))
            rows["sm_activity_percent"].append(0.0 if sm == 0 else round(max(0.05, gauss(sm, 0.05 * sm + 0.05)), 2))
            rows["memory_bandwidth_percent"].append(0.0 if sm == 0 else round(max(0.0, gauss(wide, 0.6)), 2))
            rows["power_mw"].append(float(round(1000 * min(1.01 * watts, gauss(power, 0.02 * power)))))
            rows["memory_used_bytes"].append(float(round(min(self._gib(r, t), gib - 0.35) * GIB)))
            warm += 0.3 * (other.get("celsius", 30 + 37 * min(1.0, power / watts)) - warm)
            rows["temperature_c"].append(float(round(gauss(warm, 0.6))))
            rows["sm_clock_mhz"].append(float(round(other.get("mhz", 210 if use < 1 else top - 15 * self.luck.randrange(0, 5)))))
            rows["throttle_reasons"].append(other.get("why", 1.0 if use < 1 else 4.0 if share > 0.9 else 0.0))
            rows["duty_percent"].append(max(0.0, min(100.0, round(gauss(duty, 1.1) if 1 < duty < 100 else duty, 1))))
            rows["duty_spread_percent"].append(max(0.0, min(100.0, round(gauss(spread, 2.2) if spread > 2 else spread, 1))))
        if not can_sm:
            del rows["sm_activity_percent"], rows["memory_bandwidth_percent"]
        base = {"name": name, "memory_total_bytes": gib * GIB, "driver_version": driver, "sm_clock_max_mhz": top, "power_limit_mw": watts * 1000,
                "pci_bus_id": f"00000000:{BUS[local]:02X}:00.0", "temperature_slowdown_c": 90, "serial": f"16{(self.no * 7919) % 10_000:04d}{r:05d}",
                "pcie_replay_count": 0, "nvlink_crc_errors": 0, "nvlink_replay_errors": 0, "recovery_action": "none", "foreign_processes": 0,
                "job_attached": any(g > 0 for _, g in self.held[r]),
                **{f"violation_{k}_ns": 6_000_000 for k in ("thermal", "hw_thermal", "hw_power_brake", "power")}}  # fmt: skip
        self.book.gpu(host, local, {**base, **before}, None if later is None else dict(later))
        for key, values in rows.items():
            self._series(host, Where(node=host, gpu_uuid=self.book.uuid(host, local)), f"gpu_{key}", times, values)

    def _series(self, host: str, where: Where, name: str, times: Sequence[float], values: Sequence[float]) -> None:
        ns = tuple(self.book.at(t) for t in times)
        one = Series(name=name, where=where, unit=UNITS.get(name, "%"), times_ns=ns, values=tuple(values), points_seen=len(values))
        self.book._add(host, "series", one)  # noqa: SLF001

"""A workbench for jobs that are written down: a clock, the ranks' logs, what their cards were read to do, and Slurm's rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._saddlery_cards import CARDS, DEEDS, Deed
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.evidence import Where
from gpualert_slurm.host import HostSnapshot, StepUsage
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series

Who = int | Iterable[int] | None
Curve = Callable[[int], float]
_WORD = re.compile(r"<(t:[^>]*|[rmlhwpnu])>")


_ERR = re.compile(r"^\r|Traceback|^slurmstepd|^\[rank\d+\]:|^\[?[WEFI]\d{4} |^terminate|^Fatal|^double free|Warning|^INFO|- INFO|\| INFO| INFO |NCCL (INFO|WARN)|^wandb|^INFO:|\[(INFO|ERROR)\]|^\d{4}-\d\d-\d\d .*: [EIW] ")
"""What goes to stderr: bars, loggers, tracebacks, Slurm's own words."""


class Sheet(Hand):
    """A job's record, with readings at any times, earlier attempts, and the nodes' memory."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.past: list[PastVerdict] = []
        self.memory: dict[str, tuple[int, int, int]] = {}

    def rank(self, rank: int, node: str, lines: Sequence[tuple[float, str]] = (), **more: Any) -> Sheet:
        """A task, as ``Hand`` has it; a line that begins with a carriage return follows the one before without a newline, as bars do."""
        super().rank(rank, node, lines, **more)
        name, (content, times) = next(reversed(self._logs.items()))
        if b"\n\r" in content:
            cuts = [m.start() for m in re.finditer(rb"\n(?=\r)", content)]
            self._logs[name] = (content.replace(b"\n\r", b"\r"), [[at - sum(c < at for c in cuts), ns] for at, ns in times])
            logs = self._parts[node]["logs"]
            size = len(self._logs[name][0])
            logs[-1] = logs[-1].model_copy(update={"bytes_seen": size, "bytes_kept": size})
        return self

    def readings(self, name: str, where: Where, points: Sequence[tuple[float, float]]) -> None:
        """A series of a node's own."""
        series = Series(name=name, where=where, unit=UNITS.get(name, "%" if "percent" in name else ""), times_ns=tuple(self.at(t) for t, _ in points), values=tuple(float(v) for _, v in points), points_seen=len(points))
        self._add(str(where.node), "series", series)

    def earlier(self, state: str, ago_s: float, ran_s: float, **more: Any) -> None:
        """An attempt before this one."""
        code = {"code": more.pop("code", 0)}["code"]
        self._rows.append(
            AccountingRecord(
                source=f"sacct -D -j {self.job_id}", cluster="hpc", job_id=self.job_id, uid=1042, user="alice", name=self.name, state=state, exit_code=code, exit_signal=0,
                node_list=",".join(self.nodes), nnodes=len(self.nodes), submit_ns=self.at(-ago_s - 90), start_ns=self.at(-ago_s), end_ns=self.at(ran_s - ago_s), elapsed_s=round(ran_s),
                time_limit_s=self.limit_s, submit_line=self.submit_line, **more,
            )
        )  # fmt: skip

    def record(self) -> JobRecord:
        """The job."""
        job = super().record()

        def host(node: str, at_ns: int, peak: int, limit: int, kills: int) -> HostSnapshot:
            used = StepUsage(step="0", memory_current_bytes=int(peak * 0.8), memory_peak_bytes=peak, memory_limit_bytes=limit, memory_events={"max": kills * 31, "oom": kills, "oom_kill": kills})
            return HostSnapshot(node=node, time_ns=at_ns, cpu_count=96, load_1m=17.4, memory_total_bytes=1007 * GIB, memory_available_bytes=max(2 * GIB, 1007 * GIB - peak), steps=(used,))

        reports = tuple(
            r.model_copy(update={"host_before": host(r.node, self.at(2), GIB, m[1], 0), "host_after": host(r.node, self.at(self._end_s - 1), *m)}) if (m := self.memory.get(r.node)) else r
            for r in job.reports
        )
        return job.model_copy(update={"reports": reports, "past": tuple(self.past)})


class Stint:
    """One job, told from its start on.

    ``card`` names a kind of ``CARDS``; ``via`` says how ranks come to be: ``batch`` (the batch script runs the program), ``srun`` (a task a rank) or
    ``torchrun`` (a task a node, whose ranks share its log). ``east`` is the zone in which it prints times.
    """

    def __init__(self, key: int, name: str, card: str, nodes: int = 1, per: int = 1, via: str = "srun", *, hosts: str = "gpu-a{:02d}", hours: float = 0, east: float = 0, batch: int = 256, asked: str = "", script: str = "train.py", stream: str = "", first: int = 0) -> None:  # noqa: PLR0917
        self.kind, self.nodes, self.per, self.via, self.batch_size, self.script = CARDS[card], nodes, per, via, batch, script
        self.world = nodes * per
        self.dice = Random(77_003 + 31 * key)
        start = first or 3 + self.dice.randrange(60)
        names = tuple(hosts.format(start + k) for k in range(nodes))
        self.hand = Sheet(names, name=name, job_id=4_400_000 + 137 * key, gpus=per, start_ns=(1_779_800_000 + 43_237 * key) * 10**9, limit_s=round((hours or 24) * 3600), submit_line=asked or self.dice.choice((f"sbatch {name}.sbatch", f"sbatch run_{name}.sh", f"sbatch jobs/{name}.slurm", f"sbatch -J {name} -N{nodes} train.job", f"sbatch --gres=gpu:{per} -N {nodes} submit.sh")))
        self.open_end = not hours
        self.zone = timezone(timedelta(hours=east))
        self.stream = stream or ("both" if key % 3 == 0 or via == "batch" else "err")
        self.t, self.step, self.x = 3.0 + self.dice.random(), 0, 0.0
        self.said: dict[int, list[tuple[float, str]]] = {}
        self.shell: list[tuple[float, str]] = []
        self.deeds: dict[int, list[tuple[float, Deed]]] = {r: [(0.0, DEEDS["idle"])] for r in range(self.world)}
        self.held: dict[int, list[tuple[float, float]]] = {r: [(0.0, 0.0)] for r in range(self.world)}
        self.moves: list[tuple[int, str, list[tuple[float, float]]]] = []
        self.looks: dict[int, dict[str, Any]] = {}

    # names and numbers

    def pid(self, r: int) -> int:
        """A rank's process."""
        return {"torchrun": 41_100, "batch": 40_211}.get(self.via, 40_000) + r

    def host(self, r: int) -> str:
        """A rank's node."""
        return self.hand.nodes[r // self.per]

    def on(self, node: int) -> range:
        """Ranks of a node."""
        return range(node * self.per, (node + 1) * self.per)

    def rest(self, *but: int) -> list[int]:
        """All other ranks."""
        return [r for r in range(self.world) if r not in but]

    def ranks(self, who: Who) -> list[int]:
        """Those that are meant; None: all."""
        return list(range(self.world)) if who is None else [who] if isinstance(who, int) else list(who)

    def when(self, at: float | None = None) -> datetime:
        """The wall clock of the job's zone."""
        return datetime.fromtimestamp(self.hand.at(self.t if at is None else at) / 1e9, tz=self.zone)

    # what is told

    def _fill(self, text: str, r: int, at: float) -> str:
        known = {"r": r, "m": r + 1, "l": r % self.per, "h": self.host(r), "w": self.world, "p": self.pid(r), "n": r // self.per, "u": self.hand.uuid(self.host(r), r % self.per)}
        return _WORD.sub(lambda m: format(self.when(at), m[1][2:]) if m[1].startswith("t:") else str(known[m[1]]), text)

    def say(self, text: str, after: float = 1.0, who: Who = 0, spread: float = 0.0) -> Stint:
        """Lines of some ranks, a while after those before."""
        self.t += after
        for r in self.ranks(who):
            at = self.t + spread * self.dice.random()
            self.said.setdefault(r if self.via != "torchrun" else r // self.per, []).append((at, self._fill(text, r, at)))
        return self

    def sh(self, text: str, after: float = 0.2) -> Stint:
        """Lines of the batch script's own."""
        self.t += after
        self.shell.append((self.t, self._fill(text, 0, self.t)))
        return self

    def wait(self, seconds: float) -> Stint:
        """Time goes by."""
        self.t += seconds
        return self

    def go(self, steps: int, pace: float, every: int, form: str | Callable[[dict[str, Any]], str], loss: Curve, of: int = 0, *, who: Who = 0, epochs: int = 3, rate: float = 3e-4, jitter: float = 0.018, until: float = float("inf"), save: tuple[int, float, str] = (0, 0, ""), **more: Callable[[int, float], Any]) -> Stint:  # noqa: PLR0917
        """Train so many steps at about ``pace`` seconds each, or ``until`` a second; ``save`` is (each how many steps, seconds, what is said)."""
        total, since, shown = of or self.step + steps, self.t, self.t
        for i in range(self.step + 1, self.step + steps + 1):
            self.t += pace * max(0.4, self.dice.gauss(1, jitter)) * (1 + (self.dice.random() < 0.004) * self.dice.uniform(0.2, 1.4))
            if save[0] and i % save[0] == 0:
                self.t += save[1] * self.dice.uniform(0.9, 1.15)
                if save[2]:
                    self.say(save[2].format(i=i), 0.0)
            if i % every:
                if self.t + 2 * pace + save[1] > until:
                    steps = i - self.step
                    break
                continue
            dt = (self.t - shown) / every if shown > since else pace
            x, part, shown = loss(i), i / total, self.t
            self.x = x
            left = (total - i) * pace
            at = {
                "i": i, "n": total, "x": x, "ms": 1000 * dt, "dt": dt, "ips": 1 / dt, "sps": self.batch_size / dt, "g": max(0.05, 0.5 + 0.25 * x + self.dice.gauss(0, 0.07)), "lr": rate * (min(1, i / (0.02 * total)) * (1 - 0.9 * part)),
                "ep": min(epochs, 1 + int(part * epochs)), "es": epochs, "epf": part * epochs, "pct": 100 * part, "t": self.when(), "s": round(self.t), "eta": str(timedelta(seconds=int(left))), "run": str(timedelta(seconds=int(self.t - 20))), "k": i * self.batch_size,
                **{name: f(i, x) for name, f in more.items()},
            }  # fmt: skip
            for r in self.ranks(who):
                text = form(at | {"r": r}) if callable(form) else form.format(**at, r=r, h=self.host(r))
                self.said.setdefault(r if self.via != "torchrun" else r // self.per, []).append((self.t + 0.002 * (r % 8), text))
            if self.t + 2 * pace + save[1] > until:
                steps = i - self.step
                break
        self.step += steps
        return self

    def curve(self, first: float, to: float, knee: float = 300, noise: float = 0.012, power: float = 0.62) -> Curve:
        """A loss that falls, with noise that lingers."""
        state = [0.0]

        def at(i: int) -> float:
            state[0] = 0.55 * state[0] + self.dice.gauss(0, noise)
            return max(1e-6, float((to + (first - to) * (1 + i / knee) ** -power) * (1 + state[0])))

        return at

    # what cards do

    def gpu(self, deed: str, who: Who = None, **over: float) -> Stint:
        """From now on these cards do so."""
        for r in self.ranks(who):
            self.deeds[r].append((self.t, {**DEEDS[deed], **over}))
        return self

    def mem(self, gib: float, who: Who = None, over_s: float = 0.0) -> Stint:
        """From now on so much is held."""
        for r in self.ranks(who):
            last = self.held[r][-1][1]
            self.held[r] += [(self.t + over_s * k / 6, last + (gib - last) * k / 6) for k in range(1, 6)] if over_s else []
            self.held[r].append((self.t + over_s, gib * self.dice.uniform(0.996, 1.0)))
        return self

    def count(self, r: int, name: str, *points: tuple[float, float]) -> Stint:
        """A counter that moves: (second, value)."""
        self.moves.append((r, name, list(points)))
        return self

    def grows(self, who: Who, name: str, since: float, until: float, much: float, base: float = 0) -> Stint:  # noqa: PLR0917
        """A counter that grows evenly between two seconds."""
        for r in self.ranks(who):
            self.count(r, name, (2.0, base), (since, base), *((since + (until - since) * k / 20, base + much * k / 20) for k in range(1, 21)))
        return self

    def xid(self, r: int, number: int, text: str, after: float = 0.0) -> Stint:
        """The driver's line in the kernel log."""
        self.t += after
        pci = f"0000:{0x1B + 0x20 * (r % self.per):02x}:00"
        line = f"NVRM: Xid (PCI:{pci}): {number}, {text}".replace("PID", str(self.pid(r)))
        self.hand.kernel(self.host(r), self.t, "xid", line, gpu=r % self.per, pci=f"{pci}.0", xid=number)
        return self

    def oom_kill(self, r: int, pid: int, name: str, rss_gib: float, limit_gib: float, *, node: bool = False, kills: int = 1) -> Stint:
        """The kernel's line of a process that it killed for memory, and the step's counters."""
        job, host = self.hand.job_id, self.host(r)
        kind = "CONSTRAINT_NONE" if node else "CONSTRAINT_MEMCG"
        step = "batch" if self.via == "batch" else "0"
        group = f"/slurm/uid_1042/job_{job}/step_{step}/task_{r % self.per}"
        where = "global_oom" if node else f"oom_memcg=/slurm/uid_1042/job_{job}"
        line = f"oom-kill:constraint={kind},nodemask=(null),cpuset=step_{step},mems_allowed=0-1,{where},task_memcg={group},task={name},pid={pid},uid=1042"
        self.hand.kernel(host, self.t, "kernel_oom", line, scope="node" if node else "cgroup", constraint=kind, task_memcg=group, process=name, pid=pid, uid=1042, job_id=job)
        self.hand.memory[host] = (int((rss_gib if node else limit_gib) * GIB), int(limit_gib * GIB), 0 if node else kills)
        return self

    def look(self, who: Who, **fields: Any) -> Stint:
        """What the process map last saw of ranks: state, wchan, waits, environment."""
        for r in self.ranks(who):
            self.looks.setdefault(r, {}).update(fields)
        return self

    # its end

    def _times(self, until: float) -> list[float]:
        most = {1: 170, 2: 130, 4: 95, 8: 70, 16: 52, 32: 40}.get(1 << max(0, (self.world - 1).bit_length()), 30)
        each = max(10.0, until / most)
        return sorted({round(k * each, 2) for k in range(int(until / each) + 1)} | {round(until - 10 * k, 2) for k in range(1, 8) if until > 10 * k})

    def _cards(self, until: float, blind: Mapping[int, float], counters: Mapping[int, tuple[dict[str, Any], dict[str, Any] | None]], gone: set[int]) -> None:
        for r in range(self.world):
            if r // self.per in gone:
                continue
            node, gpu = self.host(r), r % self.per
            where = Where(node=node, gpu_uuid=self.hand.uuid(node, gpu))
            rows: dict[str, list[tuple[float, float]]] = {}
            warm = 31.0
            for t in self._times(blind.get(r, until)):
                deed = next(d for at, d in reversed(self.deeds[r]) if at <= t)
                held = next(g for at, g in reversed(self.held[r]) if at <= t)
                warm += (deed["hot"] - warm) * 0.5
                for name, value in self.kind.reading(deed, held, warm, self.dice).items():
                    rows.setdefault(name, []).append((t, min(value, 0.985 * self.kind.gib * GIB) if name == "gpu_memory_used_bytes" else value))
            for name, points in rows.items():
                self.hand.readings(name, where, points)
            for who, name, points in self.moves:
                if who == r:
                    self.hand.readings(name, where, points)
            before, after = counters.get(r, ({}, {}))
            moved = {name: (int(p[0][1]), int(p[-1][1])) for who, name, p in self.moves if who == r}
            attached = max(g for _, g in self.held[r]) > 0.3
            first = {"job_attached": attached, **self.kind.facts, **{k: a for k, (a, _) in moved.items()}, "temperature_c": self.dice.randint(29, 37), **before}
            last = None if after is None else {**{k: b for k, (_, b) in moved.items()}, "temperature_c": round(warm), **after}
            self.hand.gpu(node, gpu, first, last)
            if self.world <= 16 and self.via != "torchrun":
                shares = [(t, max(0.0, round(next(d for at, d in reversed(self.deeds[r]) if at <= t)["cpu"] * self.dice.uniform(0.93, 1.05), 1))) for t in self._times(until)]
                self.hand.readings("cpu_percent", Where(node=node, rank=r), shares)

    def end(self, label: Label, state: str = "COMPLETED", codes: Mapping[int, int] = {}, rest: int = 0, *, lag: float = 0.6, at: Mapping[int, float] = {}, counters: Mapping[int, tuple[dict[str, Any], dict[str, Any] | None]] = {}, blind: Mapping[int, float] = {}, gone: Sequence[int] = (), job: tuple[int, int] | None = None, memory: Mapping[int, CgroupMemory] = {}, over: float = 0.0, step_state: str = "", **row: Any) -> HandJob:
        """Close it. ``codes`` are exit codes of ranks (less than 0: signals), ``rest`` that of the others, ``lag`` seconds later."""
        self.t = over or self.t + 0.4
        if self.open_end:
            self.hand.limit_s = 3600 * next(h for h in (1, 2, 4, 6, 8, 12, 24, 48, 72, 120) if h * 3600 > (1.3 + 2 * self.dice.random()) * self.t)
        last = self.t
        self._preamble(state)
        task_code: dict[int, tuple[int, float]] = {}
        for r in range(self.world):
            code = codes.get(r, rest)
            ends = at.get(r, self.t if r in codes or not codes else self.t + lag + 0.01 * (r % 7))
            last = max(last, ends)
            if r // self.per in gone:
                continue
            self._process(r, code, ends)
            if self.via == "torchrun":
                old = task_code.get(r // self.per, (0, 0.0))
                task_code[r // self.per] = (1 if codes.get(r) or old[0] == 1 else code or old[0], max(old[1], ends + 0.3))
                continue
            self._task(r, self.host(r), r % self.per, code, ends, memory.get(r))
        for task, (code, ends) in task_code.items():
            self._task(task, self.hand.nodes[task], 0, code, ends, memory.get(task))
            last = max(last, ends)
        struck = state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL")
        if self.shell and self.via != "batch" and 0 not in gone:
            self.hand.rank(0, self.hand.nodes[0], self.shell, code=None if struck else int(state != "COMPLETED"), signal=15 if struck else None, end=last + 0.5, step="batch", local=0, stream="both")
        self._cards(last, blind, counters, set(gone))
        self.hand.silent |= {self.hand.nodes[g] for g in gone}
        failed = next((c for c in [*codes.values(), rest] if c), 0)
        code, signal = job or {"TIMEOUT": (0, 0), "CANCELLED": (0, 0), "COMPLETED": (0, 0), "NODE_FAIL": (1, 0), "PREEMPTED": (0, 0), "OUT_OF_MEMORY": (0, 125)}.get(state, (failed if failed > 0 else 1, 0))
        inner = step_state or {"TIMEOUT": "CANCELLED", "NODE_FAIL": "CANCELLED", "PREEMPTED": "CANCELLED"}.get(state, state)
        first = (0, 15) if state in ("TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL") else (1, 0) if failed and self.via == "torchrun" else (max(0, failed), max(0, -failed))
        steps = (("batch", inner, code, signal),) if self.via == "batch" else (("batch", inner, code, signal) if inner != "OUT_OF_MEMORY" else ("batch", "FAILED", 1, 0), ("0", inner, *(first if inner != "OUT_OF_MEMORY" else (0, 125))))
        self.hand.ended(state, code=code, signal=signal, end=last + 1, steps=steps, **row)
        return HandJob(label, self.hand)

    def _preamble(self, state: str) -> None:
        """What batch scripts say around the program."""
        into = self.shell if self.via != "batch" else self.said.setdefault(0, [])
        run = f"python -u {self.script}" if self.via != "torchrun" else f"torchrun --nnodes {self.nodes} --nproc_per_node {self.per} {self.script}"
        heads = (
            "", "", f"job {self.hand.job_id} on {','.join(self.hand.nodes[:4])}{'...' if self.nodes > 4 else ''}", f"+ module load cuda/12.4 nccl\n+ srun {run}", f"<t:%a %b %e %H:%M:%S> {self.hand.nodes[0]}",
            "Loading cuda/12.6.2\n  Loading requirement: gcc-runtime/13.2.0", f"SLURM_JOB_ID={self.hand.job_id}\nSLURM_NNODES={self.nodes}\nSLURM_GPUS_ON_NODE={self.per}", "## activating env\n## python 3.11.9",
        )
        if text := self.dice.choice(heads):
            into.insert(0, (1.4, self._fill(text, 0, 1.4)))
        if state == "COMPLETED" and self.dice.random() < 0.4:
            into.append((self.t, self._fill(self.dice.choice(("job finished <t:%F %T>", "exit 0", "+ echo done\ndone", "<t:%a %b %e %H:%M:%S>")), 0, self.t)))

    def _task(self, task: int, node: str, local: int, code: int, ends: float, memory: CgroupMemory | None) -> None:  # noqa: PLR0917
        lines = sorted(self.said.get(task, []), key=lambda row: row[0])
        if self.stream == "err":
            shown = [row for row in lines if not _ERR.search(row[1])]
            lines = [row for row in lines if _ERR.search(row[1])]
            self.hand.rank(task, node, shown, step="batch" if self.via == "batch" else "0", local=local, stream="out")
        self.hand.rank(task, node, lines, code=code if code >= 0 else None, signal=-code if code < 0 else None, end=ends, step="batch" if self.via == "batch" else "0", local=local, stream=self.stream, memory=memory)

    def _process(self, r: int, code: int, ends: float) -> None:
        if self.world > 32:
            return
        at, node = self.hand.at, self.host(r)
        env = {"RANK": str(r), "LOCAL_RANK": str(r % self.per), "WORLD_SIZE": str(self.world)} if self.world > 1 else {}
        fields: dict[str, Any] = {
            "rank": r, "local_rank": r % self.per, "command": ("python", self.script), "environment": env, "gpu_uuids": (self.hand.uuid(node, r % self.per),), "started_ns": at(2.2), "gpu_attached_ns": at(8.5),
            "seen_last_ns": at(ends - 1), "ended_ns": at(ends), "step": "batch" if self.via == "batch" else "0", "state": "R", "name": "python", "gpu_memory_peak_bytes": int(max(g for _, g in self.held[r]) * GIB),
            **({"exit_code": code} if code >= 0 else {"exit_signal": -code}), **self.looks.get(r, {}),
        }  # fmt: skip
        if max(g for _, g in self.held[r]) <= 0.3:
            fields |= {"gpu_uuids": (), "gpu_attached_ns": None, "gpu_memory_peak_bytes": None}
        fields["environment"] = {**env, **self.looks.get(r, {}).get("environment", {})}
        self.hand.process(node, self.pid(r), **fields)

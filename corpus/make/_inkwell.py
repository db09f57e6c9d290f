"""An inkwell: what a cluster would have kept of a job on cards that are not here, from its first line to its row in accounting."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from random import Random
from typing import Any

from corpus.label import Label
from corpus.make._inkwell_cards import CARDS, PULSES, Pulse
from corpus.running.hand import GIB, UNITS, Hand
from corpus.running.job import HandJob
from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.rank import CgroupMemory
from gpualert_slurm.series import Series

Voice = Callable[[int, int, float, float, datetime], str]
"""Of step, steps planned, loss, seconds a step, time of day."""
Curve = Callable[[int], float]
Who = int | Sequence[int] | None


BUS = (0x19, 0x3B, 0x4C, 0x5D, 0x9B, 0xBB, 0xCB, 0xDB)
ENDS = {6: "Aborted", 7: "Bus error", 8: "Floating point exception", 9: "Killed", 11: "Segmentation fault", 15: "Terminated"}
CUT = {"TIMEOUT": " DUE TO TIME LIMIT", "PREEMPTED": " DUE TO PREEMPTION", "CANCELLED": ""}


class Sheet(Hand):
    """A job with the other fields of its record."""

    rest: Mapping[str, Any] = {}
    began_before = 0

    def record(self) -> JobRecord:
        """All."""
        job = super().record()
        again = job.attempt.model_copy(update={"restart_count": self.began_before})
        return job.model_copy(update={"attempt": again, **self.rest})


@dataclass
class Sinking:
    """A loss that goes down: half of the way by some ``knee`` steps (0: as befits the length of the run)."""

    first: float
    to: float
    knee: float = 0.0

    def __call__(self, i: int) -> float:
        """At a step."""
        return float(self.to + (self.first - self.to) * (1 / (1 + i / (self.knee or 200.0)) ** 0.7 + 0.012 * math.sin(i * 2.39) * math.cos(i * 0.71)))


def sinking(first: float, to: float, knee: float = 0.0) -> Curve:
    """Such a loss."""
    return Sinking(first, to, knee)


class Slip:
    """One job: ``nodes`` times ``per`` ranks with a card each, as tasks of srun or below a launcher (``via``). ``eyes``: what is read of its cards."""

    def __init__(self, no: int, name: str, card: str = "h100", nodes: int = 1, per: int = 1, *, voice: Voice, hours: float = 24.0, via: str = "srun",
                 script: str = "train.py", asked: str = "", rack: str = "gpu", eyes: str = "full", home: str = "/data/alice") -> None:  # fmt: skip
        self.no, self.name, self.card, self.per, self.n, self.via, self.voice = no, name, CARDS[card], per, nodes * per, via, voice
        self.script, self.eyes, self.home, self.limit, self.luck = script, eyes, home, round(hours * 3600), Random(4_177 * no + 29)
        first = 1 + (no * 53) % 190
        self.hosts = tuple(f"{rack}{first + k + (3 if k > 1 else 0):03d}" for k in range(nodes))
        hh = f"{int(hours):02d}:{round(hours * 60) % 60:02d}:00"
        flags = f"-N{nodes} --ntasks-per-node={per if via == 'srun' else 1} " if nodes * per > 1 else ""
        self.sheet = Sheet(self.hosts, name=name, job_id=7_304_100 + 181 * no, start_ns=(1_794_300_000 + 10_267 * no) * 10**9, gpus=per,
                           limit_s=self.limit, submit_line=asked or f"sbatch {flags}--gpus-per-node={per} --time={hh} {name}.sbatch")  # fmt: skip
        self.t, self.i, self.voiced_by, self.pad = self.luck.uniform(3, 9), 0, 0, 0.0
        self.out: list[list[tuple[float, str]]] = [[] for _ in range(self.n)]
        self.beats: list[list[tuple[float, Pulse, dict[str, float]]]] = [[(0.0, PULSES["off"], {})] for _ in range(self.n)]
        self.full: list[list[tuple[float, float]]] = [[(0.0, 0.0)] for _ in range(self.n)]
        self.meters: dict[str, list[list[tuple[float, float]]]] = {}
        self.stands: dict[int, dict[str, Any]] = {}
        self.env: dict[str, str] = {}
        self.batch_out: list[tuple[float, str]] = []
        self.tilt = self.luck.uniform(0.9, 1.1)

    def who(self, ranks: Who) -> Sequence[int]:
        """One, some, all."""
        return range(self.n) if ranks is None else (ranks,) if isinstance(ranks, int) else ranks

    def others(self, *out: int) -> tuple[int, ...]:
        """All but these."""
        return tuple(r for r in range(self.n) if r not in out)

    def on(self, k: int) -> tuple[int, ...]:
        """The ranks of a node."""
        return tuple(range(k * self.per, (k + 1) * self.per))

    def host(self, r: int) -> str:
        """Of a rank."""
        return self.hosts[r // self.per]

    def pid(self, r: int) -> int:
        """Of a rank's process."""
        return 40_000 + r if self.via == "srun" else 41_200 + 17 * (r % self.per) + r // self.per

    def day(self, t: float) -> datetime:
        """By the cluster's clock."""
        return datetime.fromtimestamp(self.sheet.at(t) / 1e9, timezone.utc)

    def fill(self, text: str, r: int, t: float) -> str:
        """``{rank} {local} {host} {hms} {iso} {day} {md} {us} {pid} {job} {wd}``, written with ``<`` and ``>`` about the word: ``<rank>``."""
        d = self.day(t)
        words = {"rank": str(r), "local": str(r % self.per), "host": self.host(r), "head": self.hosts[0], "hms": f"{d:%H:%M:%S}", "iso": f"{d:%Y-%m-%d %H:%M:%S}", "day": f"{d:%Y-%m-%d}", "md": f"{d:%m%d}",
                 "us": f"{d:%f}", "ms": f"{d.microsecond // 1000:03d}", "pid": str(self.pid(r)), "job": str(self.sheet.job_id), "wd": f"{self.home}/{self.name}"}  # fmt: skip
        for key, value in words.items():
            text = text.replace(f"<{key}>", value)
        return text

    def say(self, text: str, after: float = 1.0, who: Who = 0, apart: float = 0.03) -> Slip:
        """They print it."""
        self.t += after
        for k, r in enumerate(self.who(who)):
            self.out[r].append((self.t + apart * k, self.fill(text, r, self.t + apart * k)))
        return self

    def shell(self, text: str, after: float = 0.0) -> Slip:
        """The batch script prints it."""
        self.t += after
        self.batch_out.append((self.t, self.fill(text, 0, self.t)))
        return self

    def cards(self, what: str | Pulse, who: Who = None, **other: float) -> Slip:
        """What they do from now on; ``other``: mhz, celsius, why (mask), watts."""
        for r in self.who(who):
            self.beats[r].append((self.t, PULSES[what] if isinstance(what, str) else what, other))
        return self

    def mem(self, gib: float, who: Who = None, over: float = 6.0) -> Slip:
        """So much memory from now on, reached ``over`` seconds later."""
        for r in self.who(who):
            self.full[r] += [(self.t, self.full[r][-1][1]), (self.t + over, gib)]
        return self

    def meter(self, name: str, value: float, who: Who = None) -> Slip:
        """Another reading of the process."""
        rows = self.meters.setdefault(name, [[(0.0, 0.0)] for _ in range(self.n)])
        for r in self.who(who):
            rows[r].append((self.t, value))
        return self

    def run(self, count: int, pace: float, each: int = 10, of: int = 0, curve: Curve | None = None, *, to_pace: float = 0.0, jitter: float = 0.02,
            now_and_then: Mapping[int, tuple[str, float, str]] | None = None, to_limit: bool = False) -> Slip:  # fmt: skip
        """Steps, at most until the limit (``to_limit``). ``now_and_then``: each so many steps a line (``<step>`` and ``<loss>`` in it), after so many seconds at another pulse."""
        of, curve = of or self.i + count, curve or sinking(4.2, 1.6)
        if isinstance(curve, Sinking) and not curve.knee:
            curve.knee = max(1.5, 0.05 * min(of, 8000))
        for k in range(1, count + 1):
            if to_limit and self.t + 1.2 * pace > self.limit:
                break
            self.i += 1
            took = max(0.3 * pace, self.luck.gauss(1, jitter) * (pace + (to_pace - pace) * k / count if to_pace else pace))
            self.t += took
            if self.i % each == 0:
                line = self.voice(self.i, of, curve(self.i), took, self.day(self.t))
                self.out[self.voiced_by].append((self.t, self.fill(line, self.voiced_by, self.t)))
            for every, (text, seconds, pulse) in (now_and_then or {}).items():
                if self.i % every == 0:
                    was = [b[-1] for b in self.beats]
                    self.cards(pulse).say(text.replace("<step>", str(self.i)).replace("<loss>", f"{curve(self.i) * 1.04:.4f}"), seconds)
                    for r in range(self.n):
                        self.beats[r].append((self.t, *was[r][1:]))
        return self

    def wait(self, seconds: float) -> Slip:
        """Time goes by."""
        self.t += seconds
        return self

    def stands_at(self, who: Who, state: str, wchan: str, times: int = 300, **more: Any) -> Slip:
        """How the process stood when it was last looked at."""
        for r in self.who(who):
            self.stands[r] = {"state": state, "wchan": wchan, "waits": {f"{state} {wchan}": times}, **more}
        return self

    def xid(self, r: int, number: int, text: str, ago: float = 0.6) -> Slip:
        """The driver's line about that rank's card."""
        pci = f"0000:{BUS[r % self.per]:02x}:00"
        self.sheet.kernel(self.host(r), self.t - ago, "xid", f"NVRM: Xid (PCI:{pci}): {number}, {text}", gpu=r % self.per, pci=pci, xid=number)
        return self

    def reaped(self, r: int, *, node: bool = False, ago: float = 0.2, pid: int = 0) -> Slip:
        """The kernel killed that rank: its group was full, or the node."""
        job, kind = self.sheet.job_id, "CONSTRAINT_NONE" if node else "CONSTRAINT_MEMCG"
        group = f"/system.slice/slurmstepd.scope/job_{job}/step_0"
        task = f"{group}/user/task_{r % self.per if self.via == 'srun' else 0}"
        line = f"oom-kill:constraint={kind},nodemask=(null),cpuset=job_{job},mems_allowed=0-1,{'global_oom' if node else f'oom_memcg={group}'},task_memcg={task},task=python3,pid={pid or self.pid(r)},uid=1042"
        self.sheet.kernel(self.host(r), self.t - ago, "kernel_oom", line, scope="node" if node else "cgroup", constraint=kind, task_memcg=task, process="python3", pid=pid or self.pid(r), uid=1042, job_id=job)
        return self

    def attempt_before(self, state: str, lasted: float, before: float, **row: Any) -> Slip:
        """An attempt of the same job that is over."""
        begin = self.sheet.at(-before - lasted)
        self.sheet.began_before += 1
        self.sheet.ended(state, end=0, start_ns=begin, end_ns=begin + round(lasted * 1e9), elapsed_s=round(lasted), submit_ns=begin - 90 * 10**9,
                         steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), **row)  # fmt: skip
        return self

    def done(self, label: Label, state: str = "COMPLETED", fates: Mapping[int, int] | None = None, *, rest: int = 0, when: Mapping[int, float] | None = None, after: float = 1.1,
             gone: Sequence[int] = (), memory: Mapping[int, CgroupMemory] | None = None, counters: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]] | None = None,
             unread: Mapping[int, float] | None = None, code: int | None = None, past: Sequence[Mapping[str, Any]] = (), **row: Any) -> HandJob:  # fmt: skip
        """It is over. ``fates`` by rank: an exit code or minus a signal; ``rest``: of all others; ``gone``: nodes that went down; ``unread``: from when on a card was not to be read."""
        fates, when = dict(fates or {}), dict(when or {})
        cut = state in CUT
        if state == "TIMEOUT" and self.t > self.limit:
            raise ValueError(f"{self.name}: {self.t:.0f} s of {self.limit}")
        over = self.limit + self.luck.uniform(0.4, 2.5) if state == "TIMEOUT" else self.t + after
        fate = {r: fates.get(r, -15 if cut else rest) for r in range(self.n)}
        at = {r: when.get(r, over if cut or not fate[r] else over + (0.02 * r if r in fates else 1.4 + 0.02 * r)) for r in range(self.n)}
        wrong = [f for f in (*fates.values(), *fate.values()) if f]
        worst = 0 if cut or gone else (wrong[0] if wrong[0] > 0 else 128 - wrong[0]) if wrong else 0
        worst = code if code is not None else min(worst, 1) if self.via != "srun" else worst
        last = max(over, *at.values())
        (self._tasks if self.via == "srun" else self._agents)(fate, at, fates, gone, memory or {}, last, cut=cut)
        if cut or gone:
            self._struck(state, last, gone)
        if 0 not in gone:
            self.sheet.batch(sorted(self.batch_out), code=0 if cut or gone else min(worst, 255), end=last + 0.6)
        step = ("CANCELLED", 0, 15) if cut else (state, worst if worst < 128 else 0, max(0, worst - 128))
        steps = (("batch", "CANCELLED", 0, 15) if cut else ("batch", state, worst, 0), ("extern", "COMPLETED", 0, 0), ("0", *step))
        row = {"code": 0 if cut else worst, "steps": steps, "end": last + 1.5, "partition": ("gpu", "h100-long", "accel", "ai")[self.no % 4], **row}
        if self.sheet.began_before:
            row.setdefault("restarts", self.sheet.began_before)
        self.sheet.ended(state, **row)
        if self.eyes != "none":
            self._kept(at, last, gone, counters or {}, unread or {})
        self._crowd(fate, at, gone)
        self.sheet.silent = {self.hosts[k] for k in gone}
        more: dict[str, Any] = {"work_dir": f"{self.home}/{self.name}"}
        if past:
            more["past"] = tuple(PastVerdict(**{"fault": "none", "job": str(self.sheet.job_id), **p}) for p in past)
        self.sheet.rest = more
        return HandJob(label, self.sheet)

    def _tasks(self, fate: Mapping[int, int], at: Mapping[int, float], own: Mapping[int, int], gone: Sequence[int], memory: Mapping[int, CgroupMemory], _last: float, *, cut: bool) -> None:
        for r in range(self.n):
            k = r // self.per
            if k in gone:
                continue
            code, signal = (None, -fate[r]) if fate[r] < 0 else (fate[r], None)
            self.sheet.rank(r, self.hosts[k], sorted(self.out[r]), code=code, signal=signal, end=at[r], local=r % self.per, stream="both", memory=memory.get(r))
            if fate[r] and (not cut or r in own):
                how = f"Exited with exit code {fate[r]}" if fate[r] > 0 else ENDS.get(-fate[r], "Killed")
                self.batch_out.append((at[r] + 0.1, f"srun: error: {self.hosts[k]}: task {r}: {how}"))

    def _agents(self, fate: Mapping[int, int], at: Mapping[int, float], _own: Mapping[int, int], gone: Sequence[int], memory: Mapping[int, CgroupMemory], last: float, *, cut: bool) -> None:
        for k, host in enumerate(self.hosts):
            if k in gone:
                continue
            bad = any(fate[r] for r in self.on(k)) and not cut
            code, signal = (None, 15) if cut else (int(bad), None)
            self.sheet.rank(k, host, sorted(line for r in self.on(k) for line in self.out[r]), code=code, signal=signal, end=max(last, *at.values()) + 0.3, local=0, stream="both", memory=memory.get(k))
            if bad:
                self.batch_out.append((last + 0.5, f"srun: error: {host}: task {k}: Exited with exit code 1"))

    def _struck(self, state: str, last: float, gone: Sequence[int]) -> None:
        if gone:
            self.batch_out.append((last - 0.6, f"srun: error: Node failure on {self.hosts[gone[0]]}"))
        why = CUT.get(state, " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
        self.batch_out += [(last - 0.4, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish."),
                           (last - 0.3, f"slurmstepd: error: *** JOB {self.sheet.job_id} ON {self.hosts[0]} CANCELLED AT {self.day(last):%Y-%m-%dT%H:%M:%S}{why} ***")]  # fmt: skip

    def _crowd(self, fate: Mapping[int, int], at: Mapping[int, float], gone: Sequence[int]) -> None:
        ns = self.sheet.at
        for r in range(self.n):
            if r // self.per in gone:
                continue
            host, local = self.host(r), r % self.per
            if self.via != "srun" and local == 0:
                self.sheet.process(host, 40_000 + r // self.per, command=("python3", "-m", "torch.distributed.run", self.script), name=self.via, state="S", started_ns=ns(1.5), task_local=0,
                                   seen_last_ns=ns(max(2.5, at[r] - 3)), looks=max(1, int(at[r] / 10)))  # fmt: skip
            below = {} if self.via == "srun" else {"parent_pid": 40_000 + r // self.per, "task_local": 0}
            held = {"gpu_uuids": (self.sheet.uuid(host, local),), "gpu_attached_ns": ns(11)} if any(g > 0 for _, g in self.full[r]) else {}
            ended = {"exit_code": fate[r]} if fate[r] >= 0 else {"exit_signal": -fate[r]}
            self.sheet.process(host, self.pid(r), **{
                "rank": r, "local_rank": local, "command": ("python3", "-u", self.script), "name": "python3", "state": "R", "started_ns": ns(2.2), "ended_ns": ns(at[r]),
                "environment": {"RANK": str(r), "LOCAL_RANK": str(local), "WORLD_SIZE": str(self.n), **self.env}, "seen_last_ns": ns(max(2.6, at[r] - 3)), "looks": max(1, int(at[r] / 10)),
                **below, **held, **ended, **self.stands.get(r, {}),
            })  # fmt: skip

    def _kept(self, at: Mapping[int, float], over: float, gone: Sequence[int], counters: Mapping[int, tuple[Mapping[str, Any], Mapping[str, Any] | None]], unread: Mapping[int, float]) -> None:
        most = 260 if self.n < 3 else 120 if self.n < 9 else 64 if self.n < 17 else 36
        count = max(14, min(most, int(over / 4)))
        times = sorted(max(0.2, min(over, over * k / (count - 1) + self.luck.uniform(-0.2, 0.2) * over / count)) for k in range(count))
        for r in range(self.n):
            if r // self.per in gone:
                continue
            self._readings(r, [t for t in times if t < unread.get(r, math.inf)], *counters.get(r, ({}, {})))
            alive = [t for t in times if t <= at[r]]
            for name, rows in self.meters.items():
                values = [round(max(0.0, rows[r][bisect_right([s for s, _ in rows[r]], t) - 1][1] * self.luck.gauss(1, 0.05)), 1) for t in alive]
                self._row(self.host(r), Where(node=self.host(r), rank=r), name, alive, values)

    def _gib(self, r: int, t: float) -> float:
        rows = self.full[r]
        k = bisect_right([s for s, _ in rows], t) - 1
        if k + 1 >= len(rows) or rows[k + 1][0] <= rows[k][0]:
            return rows[k][1]
        return rows[k][1] + (rows[k + 1][1] - rows[k][1]) * (t - rows[k][0]) / (rows[k + 1][0] - rows[k][0])

    def _readings(self, r: int, times: Sequence[float], before: Mapping[str, Any], later: Mapping[str, Any] | None) -> None:
        card, local, host, gauss = self.card, r % self.per, self.host(r), self.luck.gauss
        rows: dict[str, list[float]] = {}
        calm, warm = 0.13 * card.watts, 31.0
        for t in times:
            _, p, other = self.beats[r][bisect_right([b[0] for b in self.beats[r]], t) - 1]
            on = self.luck.random() < p.at_it
            use, sm, wide, share = (p.use, p.sm * (self.tilt if p.sm > 15 else 1), p.wide, p.share) if on else (0.0, 0.2, 0.1, 0.03)
            power = other.get("watts", calm + share * (card.watts - calm))
            warm += 0.35 * (other.get("celsius", 31 + 36 * min(1.0, power / card.watts)) - warm)
            self._put(rows, "utilization_percent", use if use in (0, 100) else round(min(100.0, max(0.0, gauss(use, p.wobble)))))
            self._put(rows, "sm_activity_percent", 0 if sm == 0 else round(max(0.05, gauss(sm, 0.05 * sm + 0.05)), 2))
            self._put(rows, "memory_bandwidth_percent", 0 if sm == 0 else round(max(0.0, gauss(wide, 0.07 * wide)), 2))
            self._put(rows, "power_mw", round(1000 * min(1.01 * card.watts, max(20.0, gauss(power, 0.02 * power)))))
            self._put(rows, "memory_used_bytes", round(max(0.0, min(self._gib(r, t), card.gib - 0.3)) * GIB))
            self._put(rows, "temperature_c", round(gauss(warm, 0.5)))
            idle = p.use == 0 and p.share == 0
            self._put(rows, "sm_clock_mhz", round(other.get("mhz", 0.11 * card.mhz if idle else card.mhz - 15 * self.luck.randrange(0, 4))))
            self._put(rows, "throttle_reasons", other.get("why", 1 if idle else 4 if p.share > 0.85 and not card.amd else 0))
        if not card.teller:
            rows = {k: v for k, v in rows.items() if k not in ("sm_activity_percent", "memory_bandwidth_percent")}
        if card.amd:
            rows.pop("throttle_reasons", None)
        if self.eyes == "lean":
            rows = {k: v for k, v in rows.items() if k in ("utilization_percent", "power_mw", "memory_used_bytes", "sm_activity_percent")}
        base: dict[str, Any] = {"name": card.name, "memory_total_bytes": round(card.gib * GIB), "driver_version": card.driver, "sm_clock_max_mhz": card.mhz, "power_limit_mw": card.watts * 1000,
                                "pci_bus_id": f"00000000:{BUS[local]:02X}:00.0", "serial": f"13{(self.no * 6389) % 10_000:04d}{7 * r:06d}", "foreign_processes": 0, "job_attached": any(g > 0 for _, g in self.full[r])}  # fmt: skip
        if card.amd:
            base |= dict.fromkeys(("ecc_enabled", "ecc_volatile_corrected", "ecc_volatile_uncorrected", "ecc_aggregate_corrected", "ecc_aggregate_uncorrected", "remapped_rows_correctable",
                                   "remapped_rows_uncorrectable", "remap_pending", "remap_failure"))  # fmt: skip
        else:
            base |= {"pcie_replay_count": 0, "recovery_action": "none", "temperature_slowdown_c": 90, **{f"violation_{k}_ns": 4_000_000 * (k == "power") for k in ("power", "thermal", "hw_thermal", "hw_power_brake")}}
            base |= {"nvlink_crc_errors": 0, "nvlink_replay_errors": 0, "nvlink_recovery_errors": 0} if self.per > 1 and "SXM" in card.name + ("SXM" if "HBM3" in card.name else "") else {}
            base |= {"sm_activity_source": card.teller} if card.teller else {}
        self.sheet.gpu(host, local, {**base, **before}, None if later is None else dict(later))
        for key, values in rows.items():
            self._row(host, Where(node=host, gpu_uuid=self.sheet.uuid(host, local)), f"gpu_{key}", times, values)

    @staticmethod
    def _put(rows: dict[str, list[float]], name: str, value: float) -> None:
        rows.setdefault(name, []).append(float(value))

    def _row(self, host: str, where: Where, name: str, times: Iterable[float], values: Sequence[float]) -> None:
        ns = tuple(self.sheet.at(t) for t in times)
        self.sheet._add(host, "series", Series(name=name, where=where, unit=UNITS.get(name, "%"), times_ns=ns, values=tuple(values), points_seen=len(values)))  # noqa: SLF001

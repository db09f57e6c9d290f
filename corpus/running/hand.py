"""Builds a case that is written by hand: what each rank printed and when, how it ended, what Slurm, the kernel and NVML said."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpus import label as labels
from corpus.case import LOGS, RECORD_NAME, TIMES_NAME, log_name
from corpus.label import Label
from gpualert_slurm.accounting import AccountingRecord, NodeEvent, StepRecord
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.process import Process
from gpualert_slurm.rank import CgroupMemory, RankExit, RankLog
from gpualert_slurm.series import Series
from gpualert_slurm.wishes import Wishes

S = 1_000_000_000
GIB = 1 << 30
UNITS = {"gpu_power_mw": "mW", "gpu_sm_clock_mhz": "MHz", "gpu_memory_used_bytes": "bytes", "gpu_temperature_c": "C"}


@dataclass
class Hand:
    """One job, described call by call; seconds count from its start.

    ``name`` and ``command`` are the job's; ``limit_s`` its time limit; ``nodes`` its allocation; ``gpus`` how many GPUs it holds a node.
    """

    nodes: tuple[str, ...] = ("g01",)
    name: str = "train"
    job_id: int = 184213
    start_ns: int = 1_795_192_200_000_000_000
    gpus: int = 4
    limit_s: int = 86_400
    submit_line: str = "sbatch train.sbatch"
    silent: set[str] = field(default_factory=set)
    """Nodes that sent no report."""

    def __post_init__(self) -> None:
        self._logs: dict[str, tuple[bytes, list[list[int]]]] = {}
        self._parts: dict[str, dict[str, list[Any]]] = {n: {} for n in self.nodes}
        self._rows: list[AccountingRecord] = []
        self._events: list[NodeEvent] = []
        self._end_s = 0.0

    def at(self, seconds: float) -> int:
        """Nanoseconds since the epoch."""
        return self.start_ns + round(seconds * S)

    def _add(self, node: str, kind: str, *things: object) -> None:
        self._parts[node].setdefault(kind, []).extend(things)

    @property
    def _attempt(self) -> Attempt:
        return Attempt(cluster="hpc", job_id=self.job_id, start_time_ns=self.start_ns)

    def rank(
        self,
        rank: int,
        node: str,
        lines: Sequence[tuple[float, str]] = (),
        *,
        code: int | None = None,
        signal: int | None = None,
        end: float | None = None,
        step: str = "0",
        local: int | None = None,
        stream: str = "err",
        memory: CgroupMemory | None = None,
    ) -> Hand:
        """A task: ``lines`` are (seconds, text of one or more lines); ``code`` or ``signal`` its end at ``end``."""
        local = rank if local is None else local
        content, times = b"", list[list[int]]()
        for seconds, text in lines:
            times.append([len(content), self.at(seconds)])
            content += text.encode() + (b"" if text.endswith("\n") else b"\n")
        path = (
            f"/home/alice/.gpualert/{self.job_id}/{step}.{rank}.{stream}"
            if step != "batch"
            else f"/home/alice/.gpualert/{self.job_id}/batch.0.{stream}"
        )
        last = lines[-1][0] if lines else None
        log = RankLog(
            path=path,
            node=node,
            step=step,
            stream="both" if stream == "both" else stream,
            rank=rank,
            local_rank=local,
            bytes_seen=len(content),
            bytes_kept=len(content),
            last_write_ns=None if last is None else self.at(last),
        )
        self._logs[log_name(log)] = (content, times)
        self._add(node, "logs", log)
        if code is not None or signal is not None:
            ended = end if end is not None else (last or 0.0) + 0.05
            self._end_s = max(self._end_s, ended)
            status = signal if signal is not None else (code or 0) << 8
            self._add(
                node,
                "exits",
                RankExit(
                    node=node,
                    step=step,
                    local_rank=local,
                    rank=rank,
                    pid=40_000 + rank,
                    wait_status=status,
                    exit_code=code,
                    signal=signal,
                    start_time_ns=self.at(1),
                    end_time_ns=self.at(ended),
                    uncertainty_ns=1_000_000,
                    memory=memory,
                ),
            )
        return self

    def batch(self, lines: Sequence[tuple[float, str]] = (), *, code: int = 0, end: float | None = None) -> Hand:
        """The batch script itself, on the first node."""
        return self.rank(0, self.nodes[0], lines, code=code, end=end, step="batch", stream="out", local=0)

    def ended(
        self, state: str, *, code: int = 0, signal: int = 0, end: float | None = None, steps: Sequence[tuple[str, str, int, int]] = (), **more: Any
    ) -> Hand:
        """Slurm's row: ``steps`` are (step, state, code, signal)."""
        end = self._end_s + 1 if end is None else end
        self._end_s = max(self._end_s, end)
        row: dict[str, Any] = {
            "source": f"sacct -D -j {self.job_id}", "cluster": "hpc", "job_id": self.job_id, "uid": 1042, "user": "alice", "name": self.name, "state": state,
            "exit_code": code, "exit_signal": signal, "node_list": ",".join(self.nodes), "nnodes": len(self.nodes), "submit_ns": self.at(-40),
            "start_ns": self.at(0), "end_ns": self.at(end), "elapsed_s": round(end), "time_limit_s": self.limit_s, "submit_line": self.submit_line,
            "tres_alloc": f"billing=32,cpu=32,gres/gpu={self.gpus * len(self.nodes)},mem=400G,node={len(self.nodes)}",
            "steps": tuple(StepRecord(step=s, state=st, exit_code=c, exit_signal=g) for s, st, c, g in steps), **more,
        }  # fmt: skip
        self._rows.append(AccountingRecord(**row))
        return self

    def uuid(self, node: str, gpu: int) -> str:
        """The GPU's UUID."""
        import hashlib

        digest = hashlib.sha256(f"{node}/{gpu}".encode()).hexdigest()
        return "GPU-" + "-".join((digest[:8], digest[8:12], digest[12:16], digest[16:20], digest[20:32]))

    def gpu(self, node: str, gpu: int, before: Mapping[str, Any] = {}, after: Mapping[str, Any] | None = {}, **series: Sequence[float]) -> Hand:
        """A GPU: counters before and after (None: it could not be read any more), and series sampled evenly over the job."""
        base: dict[str, Any] = {
            "node": node, "uuid": self.uuid(node, gpu), "index": gpu, "minor_number": gpu, "name": "NVIDIA H100 80GB HBM3", "pci_bus_id": f"00000000:{0x1B + 0x20 * gpu:02X}:00.0",
            "memory_total_bytes": 80 * GIB, "ecc_enabled": True, "ecc_volatile_corrected": 0, "ecc_volatile_uncorrected": 0, "ecc_aggregate_corrected": 0,
            "ecc_aggregate_uncorrected": 0, "remapped_rows_correctable": 0, "remapped_rows_uncorrectable": 0, "remap_pending": False, "remap_failure": False,
            "sm_clock_max_mhz": 1980, "temperature_c": 34, "power_limit_mw": 700_000, "driver_version": "550.54.15", "job_attached": True,
        }  # fmt: skip
        self._add(node, "gpus_before", GpuSnapshot(**{**base, "time_ns": self.at(-1), **before}))
        if after is not None:
            self._add(node, "gpus_after", GpuSnapshot(**{**base, "time_ns": self.at(self._end_s + 1), **before, **after}))
        for name, values in series.items():
            full = name if name.startswith(("ecc", "remap", "nvlink", "pcie", "violation")) else f"gpu_{name}"
            span = self._end_s / max(1, len(values) - 1)
            self._add(
                node,
                "series",
                Series(
                    name=full,
                    where=Where(node=node, gpu_uuid=self.uuid(node, gpu)),
                    unit=UNITS.get(full, "%"),
                    times_ns=tuple(self.at(i * span) for i in range(len(values))),
                    values=tuple(float(v) for v in values),
                    points_seen=len(values),
                ),
            )
        return self

    def kernel(self, node: str, seconds: float, says: str, line: str, *, gpu: int | None = None, **data: Any) -> Hand:
        """A line of the node's kernel log, as the node's watcher reports it."""
        self._add(
            node,
            "evidence",
            Evidence(
                id=f"{node}:kernel:{says}:{seconds:g}",
                says=says,
                role=Role.ROOT,
                trust=Trust.SYSTEM,
                source=FieldValue(record=f"kernel log of {node}", query=f"ssh {node} dmesg", name="line", value=line),
                where=Where(node=node, gpu_uuid=None if gpu is None else self.uuid(node, gpu)),
                time_ns=self.at(seconds),
                uncertainty_ns=1_000_000,
                data=data,
            ),
        )
        return self

    def process(self, node: str, pid: int, **fields: Any) -> Hand:
        """A process of the job."""
        self._add(node, "processes", Process(node=node, pid=pid, **{"step": "0", **fields}))
        return self

    def event(self, node: str, start: float, state: str, reason: str) -> Hand:
        """What Slurm's records say of a node from ``start`` on."""
        self._events.append(NodeEvent(source="sacctmgr show event", node=node, state=state, reason=reason, start_ns=self.at(start)))
        return self

    def record(self) -> JobRecord:
        """The job."""
        reports = tuple(
            NodeReport(
                attempt=self._attempt,
                uid=1042,
                user="alice",
                node=n,
                nodes=",".join(self.nodes),
                boot_id=f"b-{n}",
                wishes=Wishes(),
                job_started_ns=self.at(0),
                job_ended_ns=self.at(self._end_s),
                written_ns=self.at(self._end_s + 1),
                **{k: tuple(v) for k, v in self._parts[n].items()},
            )
            for n in self.nodes
            if n not in self.silent
        )
        return JobRecord(
            attempt=self._attempt,
            uid=1042,
            user="alice",
            name=self.name,
            nodes=self.nodes,
            started_ns=self.at(0),
            ended_ns=self.at(self._end_s),
            reports=reports,
            accounting=tuple(self._rows),
            node_events=tuple(self._events),
        )

    def keep(self, label: Label, folder: Path) -> None:
        """Write the case."""
        import shutil

        shutil.rmtree(folder, ignore_errors=True)
        (folder / LOGS).mkdir(parents=True)
        (folder / RECORD_NAME).write_bytes(self.record().json_bytes() + b"\n")
        for name, (content, _) in self._logs.items():
            (folder / LOGS / name).write_bytes(content)
        (folder / TIMES_NAME).write_text(json.dumps({name: times for name, (_, times) in self._logs.items() if times}, separators=(",", ":")) + "\n")
        labels.write(label, folder)


def falling(count: int, *, first: float = 3.2, to: float = 0.8) -> Callable[[int], float]:
    """A loss that falls as losses do: by a power of the step, with a ripple."""
    return lambda i: to + (first - to) * (1 + 9 * i / count) ** -0.7 + 0.013 * ((i * 37) % 11 - 5) / 5

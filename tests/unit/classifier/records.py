"""Whole JobRecords for tests: a run is described in a few words, its logs are scanned by the real parsers."""

from __future__ import annotations

import io
from collections.abc import Callable

from gpualert_slurm.accounting import AccountingRecord, StepRecord
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.classifier import judge, scan
from gpualert_slurm.evidence import Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.rank import CgroupMemory, RankExit, RankLog
from gpualert_slurm.verdict import Verdict

T0 = 1_795_192_200_000_000_000
S = 1_000_000_000
ATTEMPT = Attempt(cluster="hpc", job_id=4711)


def at(seconds: float) -> int:
    """Nanoseconds ``seconds`` after the job's start."""
    return T0 + round(seconds * S)


def arrivals(text: bytes, times: list[float]) -> Callable[[int], tuple[int, int] | None]:
    """A time index: line i arrived at ``times[i]`` (the last time holds for all further lines)."""

    def arrival(offset: int) -> tuple[int, int] | None:
        line = text.count(b"\n", 0, offset)
        return (at(times[min(line, len(times) - 1)]), 1_000_000) if times else None

    return arrival


class Run:
    """Builds one run: ranks with their output and end, node by node; then accounting."""

    def __init__(self, nodes: tuple[str, ...] = ("n1",), **job) -> None:
        self.nodes = nodes
        self.job = {"attempt": ATTEMPT, "uid": 1000, "user": "alice", "name": "train", "nodes": nodes, **job}
        self.parts: dict[str, dict] = {n: {"logs": [], "exits": [], "evidence": [], "series": [], "excerpts": [], "gaps": []} for n in nodes}
        self.more: dict[str, dict] = {n: {} for n in nodes}
        self.end_s = 600.0

    def rank(
        self,
        rank: int,
        node: str,
        out: str = "",
        *,
        code: int | None = None,
        signal: int | None = None,
        end: float = 10.0,
        step: str = "0",
        local: int = 0,
        times: list[float] | None = None,
        memory: CgroupMemory | None = None,
        stream: str = "err",
    ) -> Run:
        part = self.parts[node]
        text = out.encode()
        path = f"/logs/4711.{node}/{step}.{rank}.{stream}"
        where = Where(node=node, rank=rank, local_rank=local, step=step)
        parsed = scan(io.BytesIO(text), path, where, arrivals(text, times if times is not None else [end - 0.05]))
        part["evidence"] += parsed.evidence
        part["series"] += parsed.series
        part["gaps"] += parsed.gaps
        last = (times or [end])[-1]
        part["logs"].append(
            RankLog(
                path=path,
                node=node,
                step=step,
                stream=stream,
                rank=rank,
                local_rank=local,
                bytes_seen=len(text),
                last_write_ns=at(last) if text else None,
            )
        )
        if text:
            part["excerpts"].append(
                Excerpt(path=path, where=where, stream=stream, head=out[:2000], tail=out[-2000:], bytes_total=len(text), bytes_left_out=0)
            )
        if code is not None or signal is not None:
            status = signal if signal is not None else (code or 0) << 8
            part["exits"].append(
                RankExit(
                    node=node,
                    step=step,
                    local_rank=local,
                    rank=rank,
                    wait_status=status,
                    exit_code=code,
                    signal=signal,
                    start_time_ns=at(0),
                    end_time_ns=at(end),
                    uncertainty_ns=1_000_000,
                    memory=memory,
                )
            )
        return self

    def batch(self, out: str = "", *, code: int | None = None, signal: int | None = None, end: float = 12.0, times: list[float] | None = None) -> Run:
        return self.rank(0, self.nodes[0], out, code=code, signal=signal, end=end, step="batch", stream="out", times=times)

    def node(self, node: str, **fields) -> Run:
        for key, value in fields.items():
            if isinstance(self.parts[node].get(key), list):
                self.parts[node][key] += value
            else:
                self.more[node][key] = value
        return self

    def silent(self, node: str) -> Run:
        """This node sent no report."""
        del self.parts[node]
        return self

    def accounting(self, state: str = "FAILED", *, code: int = 1, signal: int = 0, end: float = 15.0, **fields) -> Run:
        row = {
            "source": "sacct -j 4711",
            "cluster": "hpc",
            "job_id": 4711,
            "uid": 1000,
            "user": "alice",
            "name": "train",
            "state": state,
            "exit_code": code,
            "exit_signal": signal,
            "node_list": ",".join(self.nodes),
            "nnodes": len(self.nodes),
            "submit_ns": at(-5),
            "start_ns": at(0),
            "end_ns": at(end),
            "elapsed_s": round(end),
            "time_limit_s": 3600,
            "tres_alloc": "billing=4,cpu=4,gres/gpu=4,node=2",
            "steps": (StepRecord(step="batch", state=state, exit_code=code, exit_signal=signal),),
            **fields,
        }
        self.job["accounting"] = (*self.job.get("accounting", ()), AccountingRecord(**row))
        self.end_s = end
        return self

    def record(self) -> JobRecord:
        reports = tuple(
            NodeReport(
                attempt=ATTEMPT,
                uid=1000,
                node=n,
                nodes=",".join(self.nodes),
                boot_id="b",
                wishes={},
                job_started_ns=at(0),
                job_ended_ns=at(self.end_s),
                written_ns=at(self.end_s + 1),
                **{k: tuple(v) for k, v in part.items()},
                **self.more.get(n, {}),
            )
            for n, part in self.parts.items()
        )
        return JobRecord(**{**self.job, "reports": reports})

    def verdict(self) -> Verdict:
        return judge(self.record())


def trace(error: str, file: str = "/home/alice/train.py", line: int = 10) -> str:
    return f'Traceback (most recent call last):\n  File "{file}", line {line}, in <module>\n    main()\n{error}\n'


def steps(first: int, last: int, planned: int | None = None, loss: Callable[[int], float] = lambda i: 3.0 / (1 + i / 10)) -> str:
    of = f"/{planned}" if planned else ""
    return "".join(f"step {i}{of} loss {loss(i):.4f} lr 0.0001\n" for i in range(first, last + 1))

"""Verdicts of every kind a mail has words for, each with the job record it came from."""

from __future__ import annotations

import base64
import hashlib
from datetime import timezone

from gpualert_slurm.accounting import AccountingRecord
from gpualert_slurm.artifact import Artifact
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.cause import Cause
from gpualert_slurm.config import Mail
from gpualert_slurm.evidence import Evidence, FieldValue, Quote, Reading, Role, Trust, Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.finding import Finding, Standing
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Claim, Fault, FirstFailure, Phase, RankState, Verdict, Waste
from gpualert_slurm.wishes import When, Wishes

S = 1_000_000_000
START = 1_790_000_000 * S
MAIL = Mail(sender="gpualert@hpc.example.org", allowed_domains=("example.org",), support="Questions: help@hpc.example.org, ticket queue GPU")
ZONE = timezone.utc
GPU = "GPU-5f2b1c9e-0000-4000-8000-00000000000{}"


def quote(text: str, *, name: str = "q1", line: int = 412, trust: Trust = Trust.USER, rank: int | None = 3, node: str = "n2", says: str = "exception") -> Evidence:
    source = Quote(
        file="/home/alice/.gpualert/4242/0.3.err", line=line, offset=4000, length=len(text.encode()), text=text, sha256=hashlib.sha256(text.encode()).hexdigest()
    )
    where = Where(node=node, rank=rank)
    return Evidence(id=name, says=says, role=Role.ROOT, trust=trust, source=source, where=where, time_ns=START + 12 * S, uncertainty_ns=50_000_000)


def verdict(**changes: object) -> Verdict:
    """A startup crash: rank 3 of 4 misses a file, its peers are told to stop."""
    ranks = tuple(
        RankState(node=f"n{1 + r // 2}", step="0", local_rank=r % 2, rank=r, exit_code=None, signal=15, end_time_ns=START + 14 * S + r * 10**8, words="SIGTERM")
        for r in range(3)
    )
    dead = RankState(node="n2", step="0", local_rank=1, rank=3, exit_code=1, end_time_ns=START + 12_150_000_000, words="exit code 1")
    fields: dict[str, object] = {
        "attempt": Attempt(cluster="mendel", job_id=4242, restart_count=0, start_time_ns=START),
        "job_name": "train-7b",
        "user": "alice",
        "state": "FAILED",
        "exit_code": 1,
        "exit_signal": 0,
        "nodes": ("n1", "n2"),
        "started_ns": START,
        "ended_ns": START + 15 * S,
        "time_limit_s": 86400,
        "mode": "A1",
        "variant": "data",
        "title": "startup crash",
        "headline": "rank 3 on n2: FileNotFoundError: data/train-00003.bin",
        "cause": Cause.FILE_NOT_FOUND,
        "fault": Fault.USER,
        "confidence": 0.93,
        "phase": Phase.STARTUP,
        "ranks": (*ranks, dead),
        "failed_ranks": (dead,),
        "first_failure": FirstFailure(ranks=(3,), nodes=("n2",), local_ranks=(1,), time_ns=dead.end_time_ns, uncertainty_s=0.05),
        "blast_radius": "1 of 4 ranks failed by itself; the other 3 were ended by the launcher",
        "shows": (Claim(text="Rank 3 could not open data/train-00003.bin, 12 s after the start.", evidence=("q1", "f1")),),
        "implies": ("The file is missing where rank 3 looked for it; ranks 0 to 2 found theirs.",),
        "cannot_decide": ("Whether the file was never there or was removed meanwhile.",),
        "ledger": (
            Finding(mode="B1", title="GPU out of memory", standing=Standing.OUT, datum="no such message in 4 logs", flip="CUDA out of memory on a rank"),
            Finding(mode="B2", title="GPU hardware", standing=Standing.NOT_TESTABLE, datum="no counters after the job on n2", flip="an ECC error in the episode"),
            Finding(mode="A1", title="startup crash", standing=Standing.IN, datum="FileNotFoundError before any progress", flip="a line of progress before it"),
        ),
        "waste": Waste(gpu_hours=4 * 15 / 3600),
        "advice": (
            "srun -w n2 ls -l /home/alice/run7/data/",
            "Check the shard count in the data config: 3 files were found, 4 ranks ask for one each.",
            "Then submit again: `sbatch train.sh`",
        ),
        "fingerprint": "v1:5d1c9a",
        "evidence": (
            quote("FileNotFoundError: [Errno 2] No such file or directory: 'data/train-00003.bin'"),
            Evidence(
                id="f1",
                says="exit",
                role=Role.CONFIRMATION,
                trust=Trust.SYSTEM,
                source=FieldValue(record="Slurm accounting", query="sacct -j 4242 -o State,ExitCode", name="ExitCode", value="1:0"),
            ),
        ),
    }
    return Verdict.model_validate({**fields, **changes})


def job(**changes: object) -> JobRecord:
    """The job of ``verdict``: two nodes, one of them without GPU counters after the job."""
    gpus = tuple(GpuSnapshot(node="n1", uuid=GPU.format(i), index=i, serial=f"165052300123{i}", name="NVIDIA H100 80GB HBM3", time_ns=START) for i in range(2))
    after = tuple(g.model_copy(update={"time_ns": START + 15 * S}) for g in gpus)
    counted = [g.model_copy(update={"ecc_volatile_corrected": 0, "pcie_replay_count": 7}) for g in gpus]
    counted_after = [g.model_copy(update={"ecc_volatile_corrected": 2 * i, "pcie_replay_count": 7}) for i, g in enumerate(after)]
    attempt = Attempt(cluster="mendel", job_id=4242, restart_count=0, start_time_ns=START)
    wishes = Wishes(addresses=("alice@example.org",), when=When.ALWAYS, artifacts=("*.yaml", "checkpoints/*.pt"))
    log = "loading shard 3\nTraceback (most recent call last):\nFileNotFoundError: [Errno 2] No such file or directory: 'data/train-00003.bin'\n"
    excerpt = Excerpt(
        path="/var/spool/gpualert/logs/4242.7f3a9c21/0.3.err",
        where=Where(node="n2", rank=3, step="0"),
        stream="err",
        head="starting up\n",
        tail=log,
        bytes_total=250_000,
        bytes_left_out=250_000 - len(log) - 12,
    )
    reports = (
        NodeReport(
            attempt=attempt, uid=1000, node="n1", nodes="n[1-2]", boot_id="b1", wishes=wishes, written_ns=START + 16 * S, gpus_before=tuple(counted), gpus_after=tuple(counted_after)
        ),
        NodeReport(
            attempt=attempt,
            uid=1000,
            node="n2",
            nodes="n[1-2]",
            boot_id="b2",
            wishes=wishes,
            written_ns=START + 16 * S,
            excerpts=(excerpt,),
            archive_path="/home/alice/.gpualert/4242",
            artifacts=(
                Artifact(path="config.yaml", size_bytes=11, content=base64.b64encode(b"shards: 3\n\n").decode()),
                Artifact(path="checkpoints/last.pt", size_bytes=13_421_772_800, left_out="larger than 1 MiB (node.artifact_max_bytes)"),
            ),
            gaps=(Gap(what="GPU counters after the job", why="NVML did not answer within 5 s", node="n2"),),
        ),
    )
    accounting = AccountingRecord(
        source="sacct", cluster="mendel", job_id=4242, state="FAILED", user="alice", account="physics", partition="gpu", qos="normal", exit_code=1, exit_signal=0,
        submit_ns=START - 3600 * S, start_ns=START, end_ns=START + 15 * S, tres_alloc="billing=4,cpu=16,gres/gpu=4,node=2",
        submit_line="sbatch --gpualert-mail=alice@example.org train.sh", work_dir="/home/alice/run7",
    )  # fmt: skip
    fields: dict[str, object] = {
        "attempt": attempt, "uid": 1000, "user": "alice", "name": "train-7b", "nodes": ("n1", "n2"), "wishes": wishes, "work_dir": "/home/alice/run7",
        "started_ns": START, "ended_ns": START + 15 * S, "reports": reports, "accounting": (accounting,),
        "past": (PastVerdict(relation="same_name", job="4199", mode="A1", cause=Cause.FILE_NOT_FOUND, fault="user", ended_ns=START - 86400 * S, nodes="n[3-4]"),),
    }  # fmt: skip
    return JobRecord.model_validate({**fields, **changes})


def healthy() -> tuple[Verdict, JobRecord]:
    ranks = tuple(RankState(node="n1", step="0", rank=r, exit_code=0, end_time_ns=START + 7200 * S, words="exit code 0") for r in range(4))
    found = Evidence(
        id="r1", says="loss", role=Role.MARKER, trust=Trust.USER, where=Where(rank=0, node="n1"),
        source=Reading(source="series loss of rank 0", time_from_ns=START, time_to_ns=START + 7200 * S, values=tuple(8.0 - i * 0.05 for i in range(120))),
    )  # fmt: skip
    gpu = Evidence(
        id="r2", says="low_duty", role=Role.MARKER, trust=Trust.SYSTEM, where=Where(node="n1", gpu_uuid=GPU.format(1)),
        source=Reading(source="NVML utilization_gpu_percent", unit="%", time_from_ns=START, time_to_ns=START + 7200 * S, values=(21.0, 19.0, 22.5)),
    )  # fmt: skip
    done = verdict(
        state="COMPLETED", exit_code=0, ended_ns=START + 7200 * S, mode="G1", variant="healthy", title="healthy", cause=None, fault=Fault.NONE, confidence=0.9,
        headline="5000 of 5000 steps, loss 8 to 2.05, exit code 0", phase=Phase.AFTER_END, ranks=ranks, failed_ranks=(), first_failure=None, blast_radius=None,
        shows=(Claim(text="The loss fell from 8 to 2.05 over 120 logged steps.", evidence=("r1",)),), implies=("The run did what it was meant to do.",),
        cannot_decide=(), warnings=(Claim(text="GPU 1 was busy only a fifth of the time.", evidence=("r2",)),), evidence=(found, gpu),
        training_correctness="learned", final_metrics={"loss": 2.05, "eval_accuracy": 0.8125, "grad_norm": 0.4}, steps_done=5000, steps_planned=5000, waste=Waste(),
        advice=(), fingerprint=None,
    )  # fmt: skip
    return done, job(ended_ns=START + 7200 * S, past=())


def done_but_bad() -> tuple[Verdict, JobRecord]:
    done, its_job = healthy()
    bad = done.model_copy(
        update={
            "mode": "E1", "variant": "plateau", "title": "loss does not fall", "cause": None, "fault": Fault.USER, "confidence": 0.8,
            "headline": "exit code 0, but the loss stayed at 11.9 from step 400 on", "training_correctness": "failed", "final_metrics": {"loss": 11.9},
            "advice": ("Try a tenth of the learning rate, and a warm-up of 500 steps.",), "implies": ("The model learned nothing after step 400.",),
        }
    )  # fmt: skip
    return bad, its_job


def node_fault() -> tuple[Verdict, JobRecord]:
    line = "NVRM: Xid (PCI:0000:3b:00): 79, pid=31400, GPU has fallen off the bus."
    kernel = quote(line, name="k1", line=1, trust=Trust.SYSTEM, rank=None, says="xid")
    found = verdict(
        mode="B2", variant="fault", title="GPU hardware fault", headline="GPU 1 on n2 fell off the bus (Xid 79)", cause=None, detail="xid_79", fault=Fault.NODE,
        confidence=0.97, phase=Phase.TRAINING, state="FAILED", shows=(Claim(text="The kernel reported Xid 79 on the job's GPU.", evidence=("k1",)),), evidence=(kernel,),
        first_failure=FirstFailure(ranks=(3,), nodes=("n2",), gpu_uuids=(GPU.format(1),), time_ns=START + 12 * S, uncertainty_s=0.05),
        advice=("sbatch --exclude=n2 train.sh", "Ask the staff to drain the node: `scontrol update nodename=n2 state=drain reason=\"xid 79\"`"),
    )  # fmt: skip
    return found, job()


def cancelled() -> tuple[Verdict, JobRecord]:
    found = verdict(
        mode="F4", variant="by_owner", title="cancelled", headline="cancelled by uid 1000 after 15 s", state="CANCELLED", exit_code=0, exit_signal=15, cause=None,
        fault=Fault.NONE, confidence=0.95, shows=(), evidence=(), first_failure=None, failed_ranks=(), advice=(), phase=Phase.TRAINING,
    )  # fmt: skip
    return found, job()


def timeout() -> tuple[Verdict, JobRecord]:
    found = verdict(
        mode="F3", variant="advancing", title="time limit", headline="stopped by the time limit of 1 hour at step 900 of 1000, about 7 minutes short", state="TIMEOUT",
        exit_code=0, exit_signal=1, cause=None, time_limit_s=3600, ended_ns=START + 3600 * S, steps_done=900, steps_planned=1000, phase=Phase.TRAINING,
        shows=(), evidence=(), first_failure=None, advice=("sbatch --time=01:15:00 train.sh",),
    )  # fmt: skip
    return found, job(ended_ns=START + 3600 * S)


def unknown() -> tuple[Verdict, JobRecord]:
    found = verdict(
        mode="unknown", variant=None, title="no known failure fits", headline="exit code 3, and nothing in the logs says why", cause=None, fault=Fault.UNKNOWN,
        confidence=0.2, shows=(), evidence=(), exit_code=3, advice=("gpualert diagnose /home/alice/.gpualert/4242",),
        last_lines=("step 17 loss 3.1", "step 18 loss 3.0", "something \x1b[31mred\x1b[0m happened"),
    )  # fmt: skip
    return found, job()


def startup_crash() -> tuple[Verdict, JobRecord]:
    return verdict(), job()


def outside_slurm() -> tuple[Verdict, JobRecord]:
    attempt = Attempt(cluster="laptop", job_id=31337, start_time_ns=START)
    dead = RankState(node="laptop", step="0", rank=0, exit_code=1, words="exit code 1", end_time_ns=START + S)
    found = verdict(
        attempt=attempt, job_name="train.py", state=None, nodes=("laptop",), ranks=(dead,), failed_ranks=(dead,), first_failure=None, blast_radius=None,
        headline="ModuleNotFoundError: No module named 'nosuchmodule'", cause=Cause.MISSING_MODULE, variant="env", shows=(), evidence=(), ledger=(), ended_ns=START + S,
        time_limit_s=None, advice=("pip install nosuchmodule",), waste=Waste(),
    )  # fmt: skip
    record = JobRecord(
        attempt=attempt, under_slurm=False, name="train.py", nodes=("laptop",), command=("python", "train.py"), wishes=Wishes(addresses=("alice@example.org",)),
        started_ns=START, ended_ns=START + S, exit_code=1,
    )  # fmt: skip
    return found, record


CASES = {
    "startup_crash": startup_crash,
    "healthy": healthy,
    "done_but_bad": done_but_bad,
    "node_fault": node_fault,
    "cancelled": cancelled,
    "timeout": timeout,
    "unknown": unknown,
    "outside_slurm": outside_slurm,
}

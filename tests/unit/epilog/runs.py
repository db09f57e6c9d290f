"""Notes, reports and rows of one small job on n1 and n2, for the tests of what is made of them."""

from __future__ import annotations

from gpualert_slurm.accounting import AccountingRecord, NodeState, StepRecord
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.wishes import Wishes

S = 1_000_000_000
T0 = 1_795_000_000 * S
WISHES = Wishes(addresses=("alice@example.org",))


def note(at_s: float = 0.5, *, job_id: int = 7, uid: int = 1000, node: str = "n1", nodes: str = "n[1-2]") -> JobNote:
    """The note of a job that began ``at_s`` after T0."""
    begun = T0 + int(at_s * S)
    return JobNote(attempt=Attempt(cluster="c", job_id=job_id, start_time_ns=begun), uid=uid, user="alice", node=node, nodes=nodes, wishes=WISHES,
                   written_ns=begun)


def report(node: str = "n1", at_s: float = 0.5, end_s: float = 10.2, *, restart: int | None = 0, **changes: object) -> NodeReport:
    """A node's report of a job that began ``at_s`` and ended ``end_s`` after T0; ``job_id``, ``uid`` and other fields as named."""
    fields: dict[str, object] = {
        "attempt": Attempt(cluster="c", job_id=int(str(changes.pop("job_id", 7))), restart_count=restart, start_time_ns=T0 + int(at_s * S)),
        "uid": 1000, "user": "alice", "node": node, "nodes": "n[1-2]", "boot_id": "b", "wishes": WISHES, "job_started_ns": T0 + int(at_s * S),
        "job_ended_ns": T0 + int(end_s * S), "written_ns": T0 + int(end_s * S), "epilog_env": {"SLURM_JOB_EXIT_CODE2": "3:0"},
    }
    return NodeReport.model_validate({**fields, **changes})


def row(state: str = "FAILED", start_s: int | None = 0, end_s: int | None = 10, **changes: object) -> AccountingRecord:
    """Sacct's row; ``steps`` defaults to a batch step on n1 and step 0 on both nodes, ended like the job."""
    end_ns = None if end_s is None else T0 + end_s * S
    said = "RUNNING" if end_s is None else "FAILED"
    fields: dict[str, object] = {
        "source": "sacct -D -j 7", "cluster": "c", "job_id": 7, "user": "alice", "uid": 1000, "state": state, "exit_code": 3, "exit_signal": 0,
        "node_list": "n[1-2]", "submit_ns": T0 - S, "start_ns": None if start_s is None else T0 + start_s * S, "end_ns": end_ns, "name": "train",
        "steps": (StepRecord(step="batch", state=said, node_list="n1", end_ns=end_ns), StepRecord(step="0", state=said, node_list="n[1-2]", end_ns=end_ns)),
    }
    return AccountingRecord.model_validate({**fields, **changes})


def state(node: str, word: str) -> NodeState:
    """A node as scontrol has it."""
    return NodeState(source="scontrol", node=node, state=word)

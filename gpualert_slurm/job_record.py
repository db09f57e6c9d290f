from __future__ import annotations

from typing import Literal

from gpualert_slurm.accounting import AccountingRecord, NodeEvent, NodeState
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.gap import Gap
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.wishes import Wishes


class JobRecord(Record):
    """Everything known about one run when it is judged: the only input of the failure modes.

    ``accounting`` is ordered by start, the judged attempt last; empty outside Slurm (``gpualert-run``,
    ``gpualert diagnose`` on a bare log) or while slurmdbd is away (then a gap says so). ``nodes`` are the names of
    the allocation, expanded. ``exit_code``/``exit_signal`` are the run's own end where no accounting says it.
    """

    format: Literal["gpualert-job/1"] = "gpualert-job/1"
    attempt: Attempt
    uid: int | None = None
    user: str | None = None
    name: str | None = None
    nodes: tuple[str, ...] = ()
    wishes: Wishes = Wishes()
    work_dir: str | None = None
    command: tuple[str, ...] = ()
    under_slurm: bool = True
    exit_code: int | None = None
    exit_signal: int | None = None
    started_ns: TimeNs | None = None
    ended_ns: TimeNs | None = None
    reports: tuple[NodeReport, ...] = ()
    accounting: tuple[AccountingRecord, ...] = ()
    node_events: tuple[NodeEvent, ...] = ()
    node_states: tuple[NodeState, ...] = ()
    past: tuple[PastVerdict, ...] = ()
    gaps: tuple[Gap, ...] = ()

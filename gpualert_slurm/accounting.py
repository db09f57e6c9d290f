"""Slurm's own words about a job, its steps and its nodes: no interpretation, no derived field."""

from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class StepRecord(Record):
    """One step as sacct prints it; ``step`` is ``batch``, ``extern``, ``interactive`` or a number."""

    step: str
    name: str | None = None
    state: str
    exit_code: int | None = None
    exit_signal: int | None = None
    node_list: str | None = None
    ntasks: int | None = None
    start_ns: TimeNs | None = None
    end_ns: TimeNs | None = None
    max_rss_bytes: int | None = None


class AccountingRecord(Record):
    """One attempt of one job in Slurm's accounting: a requeued job has several.

    ``state`` is sacct's first word (``CANCELLED`` of ``CANCELLED by 1000``, whose uid is ``cancelled_by_uid``).
    ``exit_code``/``exit_signal`` are the halves of ``ExitCode``; ``derived_exit_code`` is the highest of all steps.
    ``source`` names the provider and the command or call that gives the record again.
    """

    source: str
    cluster: str
    job_id: int
    job_id_raw: str | None = None
    array_job_id: int | None = None
    array_task_id: int | None = None
    het_job_id: int | None = None
    het_offset: int | None = None
    sluid: str | None = None
    name: str | None = None
    user: str | None = None
    uid: int | None = None
    account: str | None = None
    partition: str | None = None
    qos: str | None = None
    state: str
    reason: str | None = None
    cancelled_by_uid: int | None = None
    exit_code: int | None = None
    exit_signal: int | None = None
    derived_exit_code: int | None = None
    derived_exit_signal: int | None = None
    node_list: str | None = None
    failed_node: str | None = None
    nnodes: int | None = None
    ntasks: int | None = None
    submit_ns: TimeNs | None = None
    eligible_ns: TimeNs | None = None
    start_ns: TimeNs | None = None
    end_ns: TimeNs | None = None
    elapsed_s: int | None = None
    suspended_s: int | None = None
    time_limit_s: int | None = None
    restarts: int | None = None
    priority: int | None = None
    tres_alloc: str | None = None
    work_dir: str | None = None
    submit_line: str | None = None
    dependency: str | None = None
    std_out: str | None = None
    std_err: str | None = None
    comment: str | None = None
    admin_comment: str | None = None
    steps: tuple[StepRecord, ...] = ()


class NodeEvent(Record):
    """One stretch of a node's life that was not plain service, as ``sacctmgr show event`` or scontrol says it."""

    source: str
    node: str
    state: str
    reason: str | None = None
    user: str | None = None
    start_ns: TimeNs | None = None
    end_ns: TimeNs | None = None


class NodeState(Record):
    """A node as ``scontrol show node`` has it now."""

    source: str
    node: str
    state: str
    reason: str | None = None
    reason_time_ns: TimeNs | None = None
    boot_time_ns: TimeNs | None = None
    slurmd_start_ns: TimeNs | None = None
    cpu_load: float | None = None
    free_memory_mb: int | None = None
    gres: str | None = None

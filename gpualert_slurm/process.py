from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class Process(Record):
    """One process of the job, as the node's process map last saw it in /proc and in NVML.

    That it existed, its parent, its end and its GPUs are SYSTEM; ``command``, ``environment`` and ``name`` are what the user's own process was
    given: they prove what was set and blame no node; so do ``rank`` and ``local_rank`` where no exit record of the task says them.
    ``environment`` holds the few names that a diagnosis asks for (``RANK``, ``CUDA_LAUNCH_BLOCKING``, ``NCCL_BLOCKING_WAIT``,
    ``SLURM_JOB_DEPENDENCY``, …) and nothing else. Listed are tasks, ranks below launchers, and who held a GPU of the job.
    """

    node: str
    pid: int
    step: str | None = None
    rank: int | None = None
    local_rank: int | None = None
    command: tuple[str, ...] = ()
    environment: dict[str, str] = {}
    gpu_uuids: tuple[str, ...] = ()
    """GPUs it had opened at some time; empty where it was never seen on one."""
    gpu_slices: tuple[str, ...] = ()
    """MIG slices of those GPUs that it was on, by UUID."""
    started_ns: TimeNs | None = None
    ended_ns: TimeNs | None = None
    exit_code: int | None = None
    exit_signal: int | None = None
    """As the kernel told the proc connector: the truth also of ranks below a launcher."""
    end_uncertainty_ns: int | None = None
    core_dumped: bool = False
    start_ticks: int | None = None
    """Clock ticks from boot to its start: with the pid it names a process for good, for pids come again."""
    parent_pid: int | None = None
    name: str | None = None
    task_local: int | None = None
    """The Slurm task it descends from, by its number on the node."""
    gpu_attached_ns: TimeNs | None = None
    """When it was first seen on a GPU; absent: never, where NVML could be asked."""
    gpu_memory_peak_bytes: int | None = None
    container: str | None = None
    """``pyxis``, ``apptainer``, or ``namespace`` for another mount or pid namespace than the node's."""
    namespace_pid: int | None = None
    """Its pid in its own pid namespace, where that is not the node's: what its own log calls it."""
    state: str | None = None
    """As last seen: R, S, D (waits in the kernel), T (stopped), Z …"""
    wchan: str | None = None
    cpu_s: float | None = None
    seen_last_ns: TimeNs | None = None
    looks: int = 0
    waits: dict[str, int] = {}
    """In how many of ``looks`` it was found waiting where: ``{"D nfs_wait_bit_killable": 3, "T": 1}``."""
    file_systems: tuple[str, ...] = ()
    """Of its open files while it waited in D: ``nfs4 /scratch``."""

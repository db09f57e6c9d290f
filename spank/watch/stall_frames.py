"""What a rank waits in, by its kernel state and by its stack; and which rank holds the others up. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.stall import RankStand, Waits

STORAGE = re.compile(
    r"nfs|rpc_wait|rpc_async|gpfs|cxi|lustre|ll_|cl_(?:io|sync|lock)|ldlm|ptlrpc|osc_|ceph|fuse|beegfs|p9_|cifs|smb|xfs|ext4|jbd2|btrfs|io_schedule|folio_wait"
    r"|wait_on_page|blk_|bio_|d_alloc|lookup_slow|iomap|readahead|filemap"
)
"""Kernel functions of file systems and block devices, as /proc/PID/wchan and /proc/PID/stack print them."""
_KINDS: tuple[tuple[Waits, re.Pattern[str]], ...] = (
    (Waits.RENDEZVOUS, re.compile(r"rendezvous|TCPStore|_store_based_barrier|init_process_group|_env_rendezvous|init_method|MPI_Init|hvd\.init")),
    (
        Waits.COLLECTIVE,
        re.compile(
            r"\b(?:all_?reduce|all_?gather\w*|reduce_?scatter\w*|broadcast\w*|barrier|monitored_barrier|all_?to_?all\w*|_coalescing_manager|sync_params"
            r"|ncclKernel\w*|ncclAllReduce\w*|gloo\w*|MPI_\w+|allreduce_grads|synchronize)\b.*|distributed_c10d\.py|ProcessGroup(?:NCCL|Gloo)"
        ),
    ),
    (Waits.DATA_LOADER, re.compile(r"utils/data/|dataloader\.py|_next_data|_try_get_data|_get_data|prefetch|webdataset|/datasets/|tf_data|dali")),
    (
        Waits.LOCK,
        re.compile(
            r"\b(?:acquire|wait|_wait_for_tstate_lock|join|get) \((?:threading|queue|multiprocessing/\w+|concurrent/futures/\w+)\.py"
            r"|futex|sem_w"
        ),
    ),
)
_RANKING = (Waits.DEAD, Waits.STOPPED, Waits.STORAGE, Waits.KERNEL, Waits.DATA_LOADER, Waits.LOCK, Waits.COMPUTE, Waits.UNKNOWN)
"""Who holds up others, the surest first. Who waits for a peer holds up nobody."""
_FOR_PEERS = (Waits.COLLECTIVE, Waits.RENDEZVOUS)
_BUSY_PERCENT = 50.0
WORDS = {
    Waits.DEAD: "has ended", Waits.STOPPED: "is stopped by a signal", Waits.STORAGE: "waits for storage", Waits.KERNEL: "waits in the kernel",
    Waits.DATA_LOADER: "waits in its data loader", Waits.LOCK: "waits for a lock of its own", Waits.COMPUTE: "computes",
    Waits.UNKNOWN: "is somewhere else", Waits.COLLECTIVE: "waits in a collective", Waits.RENDEZVOUS: "waits for the others to join",
}  # fmt: skip


def judged(stand: RankStand) -> RankStand:
    """The same with ``waits``, ``waits_by`` and ``waits_on``: the kernel's word first, then the stack's, innermost frame first."""
    by_kernel = _by_kernel(stand)
    if by_kernel is not None:
        return stand.model_copy(update={"waits": by_kernel[0], "waits_by": "kernel", "waits_on": by_kernel[1]})
    lock: tuple[Waits, str] | None = None
    for frame in stand.python_stack:
        for kind, pattern in _KINDS:
            if pattern.search(frame):
                if kind is not Waits.LOCK:
                    return stand.model_copy(update={"waits": kind, "waits_by": "stack", "waits_on": frame})
                lock = lock or (kind, frame)  # a data loader waits in a queue's lock: the frames further out say which
                break
    if lock is not None and (stand.cpu_percent or 0) < _BUSY_PERCENT:
        return stand.model_copy(update={"waits": lock[0], "waits_by": "stack", "waits_on": lock[1]})
    if stand.cpu_percent is not None and stand.cpu_percent >= _BUSY_PERCENT:
        return stand.model_copy(update={"waits": Waits.COMPUTE, "waits_by": "kernel", "waits_on": next(iter(stand.python_stack), None)})
    return stand


def _by_kernel(stand: RankStand) -> tuple[Waits, str | None] | None:
    if stand.state in (None, "Z", "X", "x"):
        return Waits.DEAD, None
    if stand.state in ("T", "t"):
        return Waits.STOPPED, stand.wchan
    if stand.state == "D":
        for name in (stand.wchan, *stand.kernel_stack):
            if name and STORAGE.search(name):
                where = f" ({stand.file_systems[0]})" if stand.file_systems else ""
                return Waits.STORAGE, f"{name.split('+')[0]}{where}"
        if stand.file_systems:
            return Waits.STORAGE, stand.file_systems[0]
        return Waits.KERNEL, stand.wchan
    return None


def culprit(ranks: Sequence[RankStand]) -> tuple[RankStand, str] | None:
    """The rank that holds the others up and why, where one alone does: the others wait for a peer, or are better off than it."""
    for kind in _RANKING:
        those = [stand for stand in ranks if stand.waits is kind]
        if not those:
            continue
        peers = sum(1 for stand in ranks if stand.waits in _FOR_PEERS)
        if len(those) != 1 or (len(ranks) > 1 and peers == 0 and kind not in (Waits.DEAD, Waits.STOPPED, Waits.STORAGE)):
            return None
        if kind is Waits.UNKNOWN and peers == 0:
            return None
        on = f" ({those[0].waits_on})" if those[0].waits_on else ""
        meanwhile = f" while {peers} {'rank waits' if peers == 1 else 'ranks wait'} for a peer" if peers else ""
        return those[0], f"{WORDS[kind]}{on}{meanwhile}"
    return None

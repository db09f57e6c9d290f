"""From kernel lines to evidence of one job: what matched, how it is tied to the job, what is only counted. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable
from functools import cache

from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Evidence, FieldValue, Trust, Where
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.spank.watch import kernel_messages
from gpualert_slurm.spank.watch.kernel_log import KernelLine
from gpualert_slurm.spank.watch.kernel_message import Data, KernelMessage, pci_address

MOST_EVIDENCE = 200
"""Of one job on one node. A dying GPU repeats itself thousands of times: the first lines tell, the rest is counted."""


@cache
def messages() -> dict[str, KernelMessage]:
    """Every kind of line that is known."""
    return discover(kernel_messages, "MESSAGE", KernelMessage)


class KernelMatcher:
    """Sees every line of the kernel log once, in order, and keeps those that may concern a job."""

    def __init__(self, node: str, boot_id: str) -> None:
        self._node, self._boot_id = node, boot_id
        self._recent: deque[str] = deque(maxlen=3)

    def match(self, line: KernelLine) -> Evidence | None:
        """The line as evidence that is not yet anybody's; None for what no kind of message knows."""
        if not line.from_kernel:
            return None
        found = None
        for name, message in messages().items():
            match = message.pattern.match(line.text)
            if match is not None:
                found = self._evidence(name, message, message.read(match, tuple(self._recent)), line)
                break
        self._recent.append(line.text)
        return found

    def _evidence(self, name: str, message: KernelMessage, data: Data, line: KernelLine) -> Evidence:
        pid = data.get("pid")
        return Evidence(
            id=f"kernel-{self._node}-{self._boot_id[:8]}-{line.sequence}",
            says=message.says,
            role=message.role(data),
            trust=Trust.SYSTEM,
            source=FieldValue(
                record=f"kernel log of {self._node}",
                query=f"journalctl -k -b {self._boot_id.replace('-', '')}",
                name=f"line {line.sequence} of /dev/kmsg",
                value=line.text,
            ),
            where=Where(node=self._node, pid=pid if isinstance(pid, int) else None),
            pattern=f"kernel.{name}",
            time_ns=line.time_ns,
            uncertainty_ns=line.uncertainty_ns,
            data={**data, "node_wide": message.node_wide, "sequence": line.sequence},
        )


def tied(
    lines: Iterable[Evidence], job_id: int, job_pids: Collection[int], gpus: Collection[GpuSnapshot], node: str, *, alone: bool | None,
    rank_of: Callable[[int], Where | None], gone: Callable[[int, int | None], bool] = lambda _pid, _time_ns: False,
) -> tuple[list[Evidence], list[Gap]]:
    """The lines that are this job's, each with ``data["tied_by"]``, and a gap that counts the others.

    Args:
        lines: what ``KernelMatcher`` kept in the job's window.
        job_id: ties a line that names the job's cgroup.
        job_pids: every pid that was seen to belong to the job.
        gpus: the job's cards.
        node: for the gap.
        alone: no other job was on the node; only then a line about the whole node is the job's.
        rank_of: whose task a pid is, where an exit record says so.
        gone: whether the job's process of that pid had ended well before that time: the pid is another's by then.
    """
    cards = {pci_address(g.pci_bus_id): g for g in gpus if g.pci_bus_id}
    kept: list[Evidence] = []
    others = left_out = 0
    for line in lines:
        pid, pci = line.data.get("pid"), line.data.get("pci")
        card = cards.get(pci) if isinstance(pci, str) else None
        named_job = line.data.get("job_id")
        if isinstance(named_job, int):
            why = "cgroup" if named_job == job_id else None
        elif isinstance(pid, int) and pid in job_pids and not gone(pid, line.time_ns):
            why = "pid"
        elif card is not None and not (card.mig_enabled and ("gpu_instance" in line.data or isinstance(pid, int))):
            why = "gpu"  # of a sliced card what names a slice or a process that is not the job's is another's
        elif alone and (line.data.get("node_wide") or line.data.get("scope") == "node" or (line.says == "gpu_off_bus" and pci is None)):
            why = "node"
        else:
            why = None
        if why is None:
            others += 1
            continue
        if len(kept) >= MOST_EVIDENCE:
            left_out += 1
            continue
        where = (rank_of(pid) if isinstance(pid, int) else None) or line.where
        data = {**{k: v for k, v in line.data.items() if k != "node_wide"}, "tied_by": why}
        kept.append(line.model_copy(update={"where": where.model_copy(update={"gpu_uuid": card.uuid if card else None}), "data": data}))
    gaps = []
    if left_out:
        gaps.append(Gap(what=f"{left_out} more kernel lines of this job", why=f"a report carries {MOST_EVIDENCE}", node=node))
    if others:
        words = "1 kernel line" if others == 1 else f"{others} kernel lines"
        gaps.append(Gap(what=f"{words} in the job's time", why="not tied to this job by process, GPU or cgroup: for the node's operators", node=node))
    return kept, gaps

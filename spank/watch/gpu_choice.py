"""Which GPUs of the node are the job's. A wrong answer shows one user another's GPU, so what is not known is not guessed.

Three numberings meet here. Slurm counts devices as in ``gres.conf`` (``SLURM_JOB_GPUS=0,1``): for ``File=/dev/nvidia[0-3]`` that is
the number in the device's name, which is NVML's *minor number*. NVML's *index* follows the PCI bus and need not be the same;
CUDA_VISIBLE_DEVICES counts within the job where cgroups confine devices, and on the node where they do not, and belongs to the user:
it is not asked. Only the UUID is the card.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from gpualert_slurm.gpu import GpuSnapshot

NVIDIA_MAJOR = 195
"""Character devices /dev/nvidia0 … (Documentation/admin-guide/devices.txt); minor 255 is nvidiactl, 254 nvidia-modeset."""


@dataclass(frozen=True)
class GpuChoice:
    """The job's GPUs by UUID, and by what they are known; ``why_not`` where they are not known."""

    uuids: frozenset[str] = frozenset()
    known_by: str | None = None
    why_not: str | None = None


def choose(
    snapshots: Iterable[GpuSnapshot], slurm_job_gpus: str | None, cgroup_minors: Collection[int] | None, alone: bool | None,
    attached: Collection[str] = (),
) -> GpuChoice:
    """The job's GPUs among those seen.

    Args:
        snapshots: every GPU of the node that was seen while the job ran.
        slurm_job_gpus: ``SLURM_JOB_GPUS`` as the Epilog had it from Slurm; None where it was absent or no epilog ran.
        cgroup_minors: minor numbers that the job's device cgroup let it open; None where no such cgroup was seen.
        alone: whether no other job was seen on the node while this one ran; None when that is not known.
        attached: UUIDs of the cards that NVML listed a process of the job on: its own beyond doubt, though perhaps not all of them.
    """
    cards = {s.uuid: s for s in snapshots}
    if not cards:
        return GpuChoice(known_by="no GPU was seen on the node")
    wanted = parse_numbers(slurm_job_gpus) if slurm_job_gpus else None
    choice = GpuChoice()
    if wanted is not None:
        choice = _by_minor(cards, wanted, f"SLURM_JOB_GPUS={slurm_job_gpus} in the Epilog")
    elif cgroup_minors is not None:
        choice = _by_minor(cards, frozenset(cgroup_minors), "the job's device cgroup")
    if choice.known_by is not None:
        return choice
    used = frozenset(attached) & frozenset(cards)
    sliced = any(card.mig_enabled for card in cards.values())
    if alone and not (sliced and used):
        return GpuChoice(frozenset(cards), "no other job was on the node: all of its GPUs")
    if used:
        why = choice.why_not or "neither the Epilog nor a device cgroup names this job's GPUs"
        return GpuChoice(used, "the cards that NVML listed a process of the job on", f"others may have been the job's: {why}")
    if choice.why_not is not None:
        return choice
    return GpuChoice(why_not="neither the Epilog nor a device cgroup names this job's GPUs, and it may not have been alone on the node")


def _by_minor(cards: dict[str, GpuSnapshot], wanted: frozenset[int], known_by: str) -> GpuChoice:
    if any(card.mig_enabled for card in cards.values()):
        # Not even where some card is whole: Slurm numbers slices and cards in one row.
        return GpuChoice(why_not=f"the node's GPUs are sliced (MIG), and the numbers of {known_by} are slices, not cards")
    numbered = {uuid: s.minor_number for uuid, s in cards.items() if s.minor_number is not None}
    if len(numbered) == len(cards):
        found = frozenset(uuid for uuid, minor in numbered.items() if minor in wanted)
    elif len(cards) == len(wanted):
        found = frozenset(cards)
    else:
        return GpuChoice(why_not=f"NVML gives no minor numbers, so {known_by} cannot be matched with cards")
    missing = len(wanted) - len(found)
    if missing > 0:
        return GpuChoice(found, known_by, f"{missing} of {len(wanted)} GPUs named by {known_by} were not seen by NVML")
    return GpuChoice(found, known_by)


def parse_numbers(text: str) -> frozenset[int] | None:
    """``0,2-3`` as numbers; None for anything else (UUIDs of MIG slices, an empty or torn list)."""
    numbers: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,4})(?:-(\d{1,4}))?\s*", part)
        if match is None:
            return None
        first, last = int(match.group(1)), int(match.group(2) or match.group(1))
        numbers.update(range(first, min(last, first + 1024) + 1))
    return frozenset(numbers)


def parse_devices_list(text: str) -> frozenset[int] | None:
    """The NVIDIA minors of a cgroup v1 ``devices.list``; None where it lets everything through and so says nothing."""
    minors: set[int] = set()
    for line in text.splitlines():
        match = re.fullmatch(r"([abc]) (\d+|\*):(\d+|\*) ([rwm]+)", line.strip())
        if match is None:
            continue
        kind, major, minor, _access = match.groups()
        if kind == "a" or (kind == "c" and major in ("*", str(NVIDIA_MAJOR)) and minor == "*"):
            return None
        if kind == "c" and major == str(NVIDIA_MAJOR) and int(minor) < 254:
            minors.add(int(minor))
    return frozenset(minors)

"""Who of a job's processes is a rank, and who only has a rank's environment: its workers, and the shell that started it. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpualert_slurm.spank.watch.process_map import Known

_WRAPPERS = frozenset({"sh", "bash", "dash", "ash", "ksh", "zsh", "csh", "tcsh", "busybox", "time", "timeout", "nohup", "srun"})
"""Who starts a rank and waits for it."""


def ranks(living: Mapping[int, Known]) -> list[Known]:
    """Those that say that they are ranks, or have a GPU; of a family with one rank's environment those on a GPU, else the first that is no shell."""
    families: dict[int, list[Known]] = {}
    for known in living.values():
        if known.is_rank:
            families.setdefault(_first_of_rank(living, known).pid, []).append(known)
    return [known for family in families.values() for known in _meant(living, family)]


def tasks(living: Mapping[int, Known]) -> list[Known]:
    """Of whoever descends from one child of slurmstepd, the one that worked most and is no shell; a batch script's shell where nothing else is."""
    families: dict[int, list[Known]] = {}
    for known in living.values():
        families.setdefault(_above(living, known)[-1].pid, []).append(known)
    busiest = [max([k for k in f if k.name not in _WRAPPERS] or f, key=lambda k: (k.cpu_ticks, -k.start_ticks)) for f in families.values()]
    return [known for known in busiest if known.name not in _WRAPPERS] or busiest


def _above(living: Mapping[int, Known], known: Known) -> list[Known]:
    """It and its living ancestors within the job, itself first."""
    found = [known]
    while (parent := living.get(found[-1].parent)) is not None and parent not in found:
        found.append(parent)
    return found


def _first_of_rank(living: Mapping[int, Known], known: Known) -> Known:
    first = known
    for above in _above(living, known):
        if above.is_rank and (above.rank, above.local_rank) == (known.rank, known.local_rank):
            first = above
    return first


def _meant(living: Mapping[int, Known], family: list[Known]) -> list[Known]:
    those = [k for k in family if k.gpu_uuids] or [k for k in family if k.name not in _WRAPPERS] or family
    pids = {k.pid for k in those}
    return [k for k in those if not any(above.pid in pids for above in _above(living, k)[1:])]

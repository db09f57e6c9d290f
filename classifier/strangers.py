"""Processes on the job's GPUs that are not the job's: how many NVML saw, and what they held. Whose they are does not travel."""

from __future__ import annotations

from dataclasses import dataclass

from gpualert_slurm.classifier import citations, words
from gpualert_slurm.evidence import Evidence, Trust, Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.series import Series

SERIES = "gpu_foreign_processes"
LEAST_READINGS = 3
"""One sight of a stranger may be the job before, which is just leaving."""
LEAST_BYTES = 256 << 20
"""Less than a CUDA context holds: a monitor's handle, nobody's work."""
ADVICE = (
    "The node does not keep others off this GPU; for the operators: ConstrainDevices=yes in cgroup.conf. Until then: #SBATCH --exclusive",
    "To see who it is while the job runs: srun --jobid JOBID --overlap nvidia-smi",
)


@dataclass(frozen=True)
class Stranger:
    """On one GPU of the job: ``number`` processes at most, ``held_bytes`` where NVML says it."""

    node: str
    uuid: str
    number: int
    held_bytes: int | None
    evidence: tuple[Evidence, ...]

    @property
    def words(self) -> str:
        """``2 processes that are not this job's on GPU …``."""
        many = f"{self.number} process{'es' if self.number != 1 else ''} that {'are' if self.number != 1 else 'is'} not this job's"
        held = f", holding {words.size(self.held_bytes)}" if self.held_bytes else ""
        return f"{many} on GPU {self.uuid} of {self.node}{held}"


def strangers_of(job: JobRecord, series: tuple[Series, ...]) -> tuple[Stranger, ...]:
    """Strangers that were there in three readings or more, or that hold memory before or after the job; those who hold the most first."""
    found: dict[tuple[str, str], Stranger] = {}
    for one in series:
        node, uuid = one.where.node, one.where.gpu_uuid
        if one.name != SERIES or node is None or uuid is None or sum(v >= 1 for v in one.values) < LEAST_READINGS:
            continue
        cite = citations.series(one, trust=Trust.SYSTEM)
        shared = (cite.model_copy(update={"says": "gpu_shared"}),) if cite is not None else ()
        found[node, uuid] = Stranger(node, uuid, int(max(one.values)), None, shared)
    for report in job.reports:
        for when, cards in (("before", report.gpus_before), ("after", report.gpus_after)):
            for gpu in cards:
                held = gpu.foreign_memory_bytes or 0
                known = found.get((gpu.node, gpu.uuid))
                if not gpu.foreign_processes or held < LEAST_BYTES or (known is not None and (known.held_bytes or 0) >= held):
                    continue
                value = f"{gpu.foreign_processes}, {held} bytes"
                where = Where(node=gpu.node, gpu_uuid=gpu.uuid)
                card = f"GPU {gpu.uuid} on {gpu.node}"
                cite = citations.field("gpu_shared", card, f"NVML {when} the job", "foreign_processes", value, where=where)
                cites = (*(known.evidence if known is not None else ()), cite)
                found[gpu.node, gpu.uuid] = Stranger(gpu.node, gpu.uuid, max(gpu.foreign_processes, known.number if known else 0), held, cites)
    return tuple(sorted((s for s in found.values() if s.evidence), key=lambda s: (-(s.held_bytes or 0), s.node, s.uuid)))

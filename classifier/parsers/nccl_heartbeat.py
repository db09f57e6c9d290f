"""The heartbeat monitor of PyTorch's NCCL process group (2.4 on): the watchdog itself stands still, in NCCL, in CUDA or for Python's lock.

Words as they stand in PyTorch's ProcessGroupNCCL; neither run nor recorded: it needs GPUs.
"""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="PyTorch's NCCL heartbeat",
    patterns=(
        Pattern(
            name="stuck",
            says="nccl_error",
            role=Role.CONFIRMATION,
            regex=r"ProcessGroupNCCL's watchdog got stuck for (?P<seconds>\d{1,9}) seconds|Heartbeat monitor timed out! Process will be terminated after dumping debug info",
            literals=("watchdog got stuck for ", "Heartbeat monitor timed out!"),
            samples=(
                (
                    "[rank3]:[F1120 10:11:12.123456789 ProcessGroupNCCL.cpp:1557] [PG ID 0 PG GUID 0(default_pg) Rank 3] ProcessGroupNCCL's watchdog got stuck"
                    " for 480 seconds without making progress in monitoring enqueued collectives."
                ),
                "[PG 0 Rank 3] Heartbeat monitor timed out! Process will be terminated after dumping debug info. workMetaList_.size()=3",
            ),
            near_misses=("Heartbeat monitor timed out at the wrist", "the watchdog got stuck for a while"),
            cause=Cause.NCCL,
        ),
    ),
)

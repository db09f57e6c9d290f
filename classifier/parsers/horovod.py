"""Horovod's stall inspector (0.28, ``horovod/common/stall_inspector.cc``): some ranks wait in an operation that the others have not begun.

Not run: it needs Horovod. It repeats its warning each minute, so that a log of ranks that stand still is not silent.
"""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="Horovod",
    patterns=(
        Pattern(
            name="stalled",
            says="rendezvous",
            role=Role.CONFIRMATION,
            regex=r"One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than (?P<seconds>\d{1,9}) seconds",
            literals=("One or more tensors were submitted",),
            samples=(
                (
                    "[2026-11-16 22:23:52.121047: W horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered "
                    "or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors"
                ),
            ),
            near_misses=("One or more tensors were submitted to be reduced in 60 seconds",),
        ),
    ),
)
"""A warning that ends when the missing ranks come: it counts where no progress came after it."""

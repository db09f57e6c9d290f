"""DeepSpeed: steps, loss scale, its launcher's summary."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.numbers import number
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role


def _step(found: re.Match[str], match: Match) -> Match:
    rate = number(found["lr"])
    return refined(
        Match(match.says, match.role, match.line, match.pattern),
        data={"step": int(found["step"]), **({"learning_rate": rate} if rate is not None else {})},
    )


PARSER = Parser(
    program="DeepSpeed",
    patterns=(
        Pattern(
            name="step",
            says="progress",
            role=Role.MARKER,
            regex=r"\[Rank \d{1,6}\] step=(?P<step>\d{1,12}), skipped=\d{1,12}, lr=\[(?P<lr>[-+\d.e]{1,30})",
            literals=(" step=",),
            samples=(
                "[2025-01-01 00:00:00,000] [INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[1e-05], mom=[[0.9, 0.999]]",
                "[Rank 0] step=20, skipped=1, lr=[0.0001, 0.0001], mom=[0.9]",
            ),
            near_misses=("[Rank 0] step=ten, skipped=0", "micro step=1"),
            read=_step,
        ),
        Pattern(
            name="overflow",
            says="loss_scale",
            role=Role.RECOVERED,
            regex=r"OVERFLOW! Rank \d{1,6} Skipping step",
            literals=("OVERFLOW! Rank",),
            samples=("[deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768", "OVERFLOW! Rank 3 Skipping step."),
            near_misses=("no OVERFLOW! here",),
        ),
        Pattern(
            name="scale_minimum",
            says="nan_loss",
            role=Role.ROOT,
            regex=r"[Cc]urrent loss scale already at minimum",
            literals=("urrent loss scale already at minimum",),
            samples=(
                "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
                "current loss scale already at minimum",
            ),
            near_misses=("loss scale is at its minimum of 1",),
            cause=Cause.NAN_LOSS,
            detail="loss_scale_minimum",
        ),
        Pattern(
            name="launcher",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"\[launch\.py:\d{1,5}:\w{1,40}\] .{0,300}exits with return code = (?P<exitcode>-?\d{1,3})",
            literals=("exits with return code = ",),
            samples=(
                "[2025-01-01 00:00:00,000] [ERROR] [launch.py:341:sigkill_handler] ['/usr/bin/python', 'train.py'] exits with return code = -9",
                "[INFO] [launch.py:330:main] python exits with return code = 1",
            ),
            near_misses=("exits with return code = 0 is success",),
            read=lambda found, match: refined(match, data={"exitcode": int(found["exitcode"])}),
        ),
    ),
)

"""accelerate 0.25 to 1.15: its launcher, saved states, the batch size that fits. Recorded by running both."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern
from gpualert_slurm.evidence import Role


def _code(found: re.Match[str], match: Match) -> Match:
    return Match(match.says, match.role, match.line, match.pattern, data={"exitcode": int(found["exitcode"])})


PARSER = Parser(
    program="accelerate",
    patterns=(
        Pattern(
            name="child_failed",
            says="failure_summary",
            role=Role.WRAPPER,
            regex=r"^subprocess\.CalledProcessError: Command '\[.{1,2000}\]' returned non-zero exit status (?P<exitcode>\d{1,3})\.",
            literals=("returned non-zero exit status ",),
            samples=(
                "subprocess.CalledProcessError: Command '['/opt/env/bin/python3.11', 'train.py', '8']' returned non-zero exit status 5.",
                "subprocess.CalledProcessError: Command '['/usr/bin/python', '-u', 'train.py']' returned non-zero exit status 1.",
            ),
            near_misses=("git returned non-zero exit status 1",),
            read=_code,
        ),
        Pattern(
            name="state_saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"Saving current state to (?P<path>\S{1,300})",
            literals=("Saving current state to ",),
            samples=("INFO:accelerate.accelerator:Saving current state to /home/user/run/state", "Saving current state to out/checkpoints/checkpoint_3"),
            near_misses=("Saving current settings to x",),
        ),
        Pattern(
            name="state_loaded",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"Could not load random states|All model weights loaded successfully",
            literals=("All model weights loaded successfully", "Could not load random states"),
            samples=("INFO:accelerate.checkpointing:All model weights loaded successfully", "All model weights loaded successfully"),
            near_misses=("Loading states from state", "weights loaded"),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="no_batch_size",
            words=r"No executable batch size found, reached zero",
            samples=(("RuntimeError", "No executable batch size found, reached zero."), ("RuntimeError", "No executable batch size found, reached zero")),
            near_misses=(("RuntimeError", "No batch found"),),
            about="config",
        ),
        ExceptionRule(
            detail="no_valid_checkpoint",
            words=r"Tried to find .{1,300} but folder does not exist",
            samples=(("ValueError", "Tried to find state but folder does not exist"), ("ValueError", "Tried to find out/checkpoint_3 but folder does not exist")),
            near_misses=(("ValueError", "Tried to find a folder"),),
            about="asset",
        ),
    ),
)

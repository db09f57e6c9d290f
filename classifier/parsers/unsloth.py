"""Unsloth 2024 to 2026: its banner stands where HF Trainer's would. Neither run nor read: from what is known of its messages (it needs a GPU)."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import count
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern
from gpualert_slurm.evidence import Role


def _planned(found: re.Match[str], match: Match) -> Match:
    planned = count(found["planned"].strip())
    return Match(match.says, match.role, match.line, match.pattern, data={"planned": planned} if planned else {})


PARSER = Parser(
    program="Unsloth",
    patterns=(
        Pattern(
            name="banner",
            says="training_started",
            role=Role.MARKER,
            regex=r"Unsloth - 2x faster free finetuning \| Num GPUs(?: used)? = (?P<gpus>\d{1,5})",
            literals=("faster free finetuning",),
            samples=(
                "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs used = 1",
                "==((====))==  Unsloth - 2x faster free finetuning | Num GPUs = 1",
            ),
            near_misses=("Unsloth: Will patch your computer to enable 2x faster free finetuning.",),
        ),
        Pattern(
            name="planned",
            says="training_started",
            role=Role.MARKER,
            regex=r"Num examples = [\d,]{1,16} \| Num Epochs = [\d,]{1,12} \| Total steps = (?P<planned>[\d,]{1,16})",
            literals=("| Total steps = ",),
            samples=(
                r"   \\   /|    Num examples = 51,760 | Num Epochs = 1 | Total steps = 60",
                r"   \\   /|    Num examples = 1,000 | Num Epochs = 3 | Total steps = 1,125",
            ),
            near_misses=("Total steps = 60",),
            read=_planned,
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="no_gpu",
            words=r"Unsloth (?:currently only works on|cannot find any torch accelerator)",
            samples=(
                ("NotImplementedError", "Unsloth currently only works on NVIDIA, AMD and Intel GPUs."),
                ("NotImplementedError", "Unsloth cannot find any torch accelerator? You need a GPU."),
            ),
            near_misses=(("RuntimeError", "Unsloth: Your model needs to call `.get_peft_model` first!"),),
            cause=Cause.CUDA_RUNTIME,
            about="env",
        ),
    ),
)

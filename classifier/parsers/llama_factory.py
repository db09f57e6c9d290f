"""LLaMA-Factory 0.6 to 0.9.5: its ``trainer_log.jsonl``, and what it says beside HF Trainer's dictionaries.

Neither run nor read: from what is known of its messages.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER, fields
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_FIELDS = (
    ("loss", re.compile(r'"loss": (' + NUMBER + ")")),
    ("learning_rate", re.compile(r'"(?:lr|learning_rate)": (' + NUMBER + ")")),
    ("epoch", re.compile(r'"epoch": (' + NUMBER + ")")),
    ("accuracy", re.compile(r'"accuracy": (' + NUMBER + ")")),
)


def _entry(found: re.Match[str], match: Match) -> Match:
    data: Data = {"step": int(found["step"]), "planned": int(found["planned"]), **fields(match.line.text, _FIELDS)}
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="LLaMA-Factory",
    patterns=(
        Pattern(
            name="entry",
            says="progress",
            role=Role.MARKER,
            regex=r'^\{"current_steps": (?P<step>\d{1,12}), "total_steps": (?P<planned>\d{1,12}), ',
            literals=('{"current_steps": ',),
            samples=(
                '{"current_steps": 10, "total_steps": 375, "loss": 1.2345, "lr": 4.9e-05, "epoch": 0.08, "percentage": 2.67, "elapsed_time": "0:00:30", "remaining_time": "0:18:15"}',
                '{"current_steps": 20, "total_steps": 375, "loss": NaN, "learning_rate": 4.8e-05, "epoch": 0.16, "percentage": 5.33}',
            ),
            near_misses=('{"current_steps": "ten", "total_steps": 375}', '{"total_steps": 375}'),
            read=_entry,
        ),
        Pattern(
            name="resuming",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"llamafactory\.hparams\.parser:\d{1,5} >> Resuming training from (?P<path>.{1,300})\.",
            literals=("llamafactory.hparams.parser:",),
            samples=(
                "[INFO|2025-01-01 00:00:00] llamafactory.hparams.parser:401 >> Resuming training from saves/llama3/checkpoint-500.",
                "[WARNING|2025-03-01 00:00:00] llamafactory.hparams.parser:423 >> Resuming training from out/checkpoint-10. Change `output_dir` to avoid.",
            ),
            near_misses=("[INFO|2025-01-01 00:00:00] llamafactory.hparams.parser:401 >> Process rank: 0, world size: 8",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="dataset_undefined",
            words=r"Undefined dataset .{1,120} in dataset_info\.json|Cannot open .{1,200}dataset_info\.json",
            samples=(("ValueError", "Undefined dataset my_data in dataset_info.json."), ("ValueError", "Cannot open data/dataset_info.json due to [Errno 2]")),
            near_misses=(("ValueError", "dataset_info.json has 3 sets"),),
            about="config",
        ),
        ExceptionRule(
            detail="unknown_template",
            words=r"Template .{1,80} does not exist",
            samples=(("ValueError", "Template llama9 does not exist."), ("ValueError", "Template chatgpt does not exist.")),
            near_misses=(("ValueError", "the template exists"),),
            about="config",
        ),
    ),
)

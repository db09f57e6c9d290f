"""TRL 0.7 to 1.16: what its trainers refuse. Their dictionaries are HF Trainer's, with keys of their own. 1.16 recorded by running it."""

from __future__ import annotations

from dataclasses import replace

from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="TRL",
    patterns=(
        Pattern(
            name="objective",
            says="metrics",
            role=Role.MARKER,
            regex=r"['\"]objective/(?:kl|rlhf_reward|scores)['\"]: ['\"]?(?P<value>" + NUMBER + ")",
            literals=("objective/",),
            samples=(
                "{'eps': 2, 'objective/kl': 0.12, 'objective/entropy': 30.2, 'objective/rlhf_reward': -0.31, 'loss/policy_avg': -0.01, 'episode': 64, 'epoch': 0.1}",
                "{'objective/rlhf_reward': '0.52', 'objective/scores': '0.55'}",
            ),
            near_misses=("objective/kl is logged",),
            detail="rl",
            read=lambda found, match: replace(match, data={"name": "objective", "value": float(found["value"])}),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="batch_config",
            words=r"must be (?:evenly )?divisible by the number of generations|The (?:global )?(?:train )?batch size \(.{1,80}\) must be|generation_batch_size .{0,120}must be divisible",
            samples=(
                ("ValueError", "The global train batch size (2 x 4) must be evenly divisible by the number of generations per prompt (3)."),
                ("ValueError", "generation_batch_size (7) must be divisible by num_generations (4)."),
            ),
            near_misses=(("ValueError", "the batch is empty"),),
            about="config",
        ),
        ExceptionRule(
            detail="dataset_columns",
            words=r"No specific columns named|Dataset must (?:have|contain) an? .{1,80}column|(?:prompt|chosen|rejected|completion)\W{1,3} (?:column|key)? ?.{0,40}(?:is )?(?:missing|not found)",
            samples=(
                ("ValueError", "Dataset must contain a 'prompt' column"),
                ("KeyError", "'rejected' column not found"),
            ),
            near_misses=(("KeyError", "'labels'"),),
            about="data",
        ),
    ),
)

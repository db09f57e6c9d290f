"""Stable-Baselines3 (1.8 to 2.7) and loggers after OpenAI's Baselines: a box of names and values at each dump, one pair a line.

By the source of ``HumanOutputFormat``: keys of a section are indented, values are padded on the right.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern
from gpualert_slurm.evidence import Role


def _count(found: re.Match[str], match: Match) -> Match:
    return Match(match.says, match.role, match.line, match.pattern, data={"step": int(found["step"]), "coarse": True})


def _loss(found: re.Match[str], match: Match) -> Match | None:
    loss = number(found["loss"])
    return None if loss is None else Match(match.says, match.role, match.line, match.pattern, data={"loss": loss, "weak": True})


PARSER = Parser(
    program="Stable-Baselines3",
    patterns=(
        Pattern(
            name="count",
            says="progress",
            role=Role.MARKER,
            regex=r"^\| {1,8}(?:iterations|total_timesteps) {1,40}\| (?P<step>\d{1,12}) {0,40}\|$",
            literals=("iterations ", "total_timesteps "),
            samples=("|    iterations           | 12         |", "|    total_timesteps | 24576    |"),
            near_misses=("| iterations per second   | 12.1 |", "|    iterations           | many       |", "iterations | 12 |"),
            read=_count,
        ),
        Pattern(
            name="loss",
            says="progress",
            role=Role.MARKER,
            regex=rf"^\| {{1,8}}loss {{1,40}}\| (?P<loss>{NUMBER}) {{0,40}}\|$",
            literals=("loss ",),
            samples=("|    loss                 | 0.0631       |", "|    loss            | nan          |"),
            near_misses=("|    loss_weight          | 0.0631       |", "|    loss                 | off          |", "loss | 0.3"),
            read=_loss,
        ),
    ),
)

"""Megatron-LM: its iteration line (printed on the last rank only) and its checkpoint lines."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_FIELDS = (
    ("loss", re.compile(r"\| (?:lm )?loss: (" + NUMBER + ")")),
    ("grad_norm", re.compile(r"\| grad norm: (" + NUMBER + ")")),
    ("learning_rate", re.compile(r"\| learning rate: (" + NUMBER + ")")),
    ("loss_scale", re.compile(r"\| loss scale: (" + NUMBER + ")")),
    ("nan_iterations", re.compile(r"\| number of nan iterations:\s{1,6}(" + NUMBER + ")")),
    ("step_time_ms", re.compile(r"elapsed time per iteration \(ms\): (" + NUMBER + ")")),
)


def _iteration(found: re.Match[str], match: Match) -> Match:
    data: Data = {"step": int(found["step"]), "planned": int(found["planned"])}
    for name, regex in _FIELDS:
        field = regex.search(match.line.text)
        value = number(field[1]) if field else None
        if value is not None:
            data[name] = value
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="Megatron-LM",
    patterns=(
        Pattern(
            name="iteration",
            says="progress",
            role=Role.MARKER,
            regex=r"\biteration\s{1,10}(?P<step>\d{1,12})/\s{0,10}(?P<planned>\d{1,12}) \|",
            literals=("iteration ",),
            samples=(
                (
                    " iteration       10/  500000 | consumed samples:         2560 | elapsed time per iteration (ms): 1234.5 | learning rate: 1.500000E-04 | global batch size:   256 | lm loss: 2.4E+00 | loss scale: 1.0"
                    " | grad norm: 1.2 | number of skipped iterations:   0 | number of nan iterations:   0 |"
                ),
                "[2025-01-01 00:00:00] iteration 20/ 100 | consumed samples: 1 | lm loss: nan | number of nan iterations:   1 |",
            ),
            near_misses=("iteration 10 of 500", " validation loss at iteration 100 | lm loss value: 2.4E+00 |"),
            read=_iteration,
        ),
        Pattern(
            name="loaded",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"succ?esfully loaded checkpoint from|successfully loaded checkpoint from",
            literals=("fully loaded checkpoint from",),
            samples=(
                "  successfully loaded checkpoint from /ckpt [ t 1/1, p 1/1 ] at iteration 100",
                "  succesfully loaded checkpoint from /ckpt at iteration 3",
            ),
            near_misses=("could not load checkpoint from /ckpt",),
        ),
        Pattern(
            name="from_random",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"will not load any checkpoints and will start from random",
            literals=("will start from random",),
            samples=("    will not load any checkpoints and will start from random", "[ts] will not load any checkpoints and will start from random"),
            near_misses=("will start from random seeds",),
        ),
        Pattern(
            name="exiting",
            says="planned_end",
            role=Role.MARKER,
            regex=r"\[after training is done\]|exiting program (?:after|at) (?:\d{1,12} )?iterations?",
            literals=("[after training is done]", "exiting program "),
            samples=("[after training is done] datetime: 2025-01-01 00:00:00", "[exiting program after 100 iterations] datetime: 2025-01-01"),
            near_misses=("exiting program after 20 minutes", "after training"),
        ),
    ),
)

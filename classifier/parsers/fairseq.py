"""fairseq 0.10 to 0.12 and its forks: ``train_inner`` lines in both formats for files, checkpoints by updates, its loss scaler's end.

Formats: ``fairseq/logging/progress_bar.py`` (JsonProgressBar, SimpleProgressBar), ``fairseq/checkpoint_utils.py``, ``fairseq/trainer.py``. Not run: it wants GPUs.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER, fields
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_VALUE = r"\"?(?:: \"?|=)(" + NUMBER + r")\b"
_FIELDS = (
    ("step", re.compile(r"\bnum_updates" + _VALUE)),
    ("loss", re.compile(r"(?<![\w])loss" + _VALUE)),
    ("epoch", re.compile(r"\bepoch\"?(?:: | )(\d{1,9})")),
    ("learning_rate", re.compile(r"(?<![\w])lr" + _VALUE)),
    ("grad_norm", re.compile(r"(?<![\w])gnorm" + _VALUE)),
    ("loss_scale", re.compile(r"(?<![\w])loss_scale" + _VALUE)),
)


def _inner(_found: re.Match[str], match: Match) -> Match | None:
    data: Data = {**fields(match.line.text, _FIELDS)}
    step = data.get("step")
    if isinstance(step, float):
        if not step.is_integer():
            return None
        data["step"] = int(step)
    return Match(match.says, match.role, match.line, match.pattern, data=data) if "loss" in data else None


PARSER = Parser(
    program="fairseq",
    patterns=(
        Pattern(
            name="train_inner",
            says="progress",
            role=Role.MARKER,
            regex=r"\| train_inner \| (?:\{|epoch \d{1,9}:)",
            literals=("| train_inner | ",),
            samples=(
                '2024-03-01 10:00:00 | INFO | train_inner | {"epoch": 2, "update": 1.25, "loss": "4.17", "ppl": "18", "wps": "15210", "num_updates": "50", "lr": "0.006", "gnorm": "0.206", "loss_scale": "128"}',
                "2024-03-01 10:00:00 | INFO | train_inner | epoch 001:    100 / 1102 loss=13.516, nll_loss=13.2, ppl=9421.6, wps=31000, num_updates=100, lr=1.25e-05, gnorm=3.1, train_wall=20",
            ),
            near_misses=(
                "2024-03-01 10:00:00 | INFO | train_inner | started",
                '2024-03-01 10:00:00 | INFO | valid | {"epoch": 2, "valid_loss": "4.1"}',
                '2024-03-01 10:00:00 | INFO | train_inner | {"epoch": 2, "update": 1.25, "wps": "15210"}',
            ),
            read=_inner,
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"Saved checkpoint (?P<path>\S{1,300}) \(epoch \d{1,9} @ (?P<step>\d{1,12}) updates",
            literals=("Saved checkpoint ",),
            samples=(
                "2024-03-01 10:00:00 | INFO | fairseq.checkpoint_utils | Saved checkpoint checkpoints/checkpoint1.pt (epoch 1 @ 40 updates, score 3.5) (writing took 1.2 seconds)",
                "| INFO | fairseq.checkpoint_utils | Saved checkpoint /ckpt/checkpoint_last.pt (epoch 12 @ 13224 updates)",
            ),
            near_misses=("Preparing to save checkpoint for epoch 1 @ 40 updates", "Saved checkpoint of the tokenizer"),
        ),
        Pattern(
            name="loaded",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"Loaded checkpoint (?P<path>\S{1,300}) \(epoch \d{1,9} @ (?P<step>\d{1,12}) updates\)",
            literals=("Loaded checkpoint ",),
            samples=(
                "2024-03-01 10:00:00 | INFO | fairseq.trainer | Loaded checkpoint checkpoints/checkpoint_last.pt (epoch 3 @ 120 updates)",
                "| INFO | fairseq.trainer | Loaded checkpoint /ckpt/checkpoint_12_9000.pt (epoch 12 @ 9000 updates)",
            ),
            near_misses=("Loaded checkpoint shards in 3 s",),
        ),
        Pattern(
            name="none_to_load",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"\| No existing checkpoint found (?P<path>\S{1,300})",
            literals=("| No existing checkpoint found ",),
            samples=(
                "2024-03-01 10:00:00 | INFO | fairseq.trainer | No existing checkpoint found checkpoints/checkpoint_last.pt",
                "| INFO | fairseq.trainer | No existing checkpoint found /ckpt/checkpoint_last.pt",
            ),
            near_misses=("No existing checkpoint found",),
        ),
        Pattern(
            name="done",
            says="planned_end",
            role=Role.MARKER,
            regex=r"\| done training in [\d.]{1,14} seconds",
            literals=("| done training in ",),
            samples=("2024-03-01 10:00:00 | INFO | fairseq_cli.train | done training in 3421.4 seconds", "| INFO | fairseq_cli.train | done training in 3.4 seconds"),
            near_misses=("| done training in time",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="non_finite",
            words=r"Minimum loss scale reached|loss is probably exploding|gradients are Nan/Inf",
            samples=(
                ("FloatingPointError", "Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size."),
                ("FloatingPointError", "gradients are Nan/Inf"),
            ),
            near_misses=(("FloatingPointError", "overflow encountered in multiply"),),
            cause=Cause.NAN_LOSS,
        ),
    ),
)  # fmt: skip

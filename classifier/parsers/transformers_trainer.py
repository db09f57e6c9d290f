"""Hugging Face Trainer and what is built on it (TRL, LLaMA-Factory, Axolotl, Unsloth): < 5 prints floats, >= 5 quoted strings."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import count, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_PAIR = re.compile(r"['\"](?P<key>[\w/@.-]{1,60})['\"]:\s{0,2}['\"]?(?P<value>[-+]?[\w.+-]{1,30})['\"]?")


def _pairs(text: str) -> Data:
    data: Data = {}
    for found in _PAIR.finditer(text):
        value = number(found["value"])
        if value is not None and len(data) < 60:
            data[found["key"]] = value
    return data


def _train(_: re.Match[str], match: Match) -> Match | None:
    data = _pairs(match.line.text)
    return refined(match, data=data) if "loss" in data else None


def _end(_: re.Match[str], match: Match) -> Match:
    return refined(match, data=_pairs(match.line.text))


def _planned(found: re.Match[str], match: Match) -> Match:
    return Match(match.says, match.role, match.line, match.pattern, data={"planned": count(found["planned"]) or 0})


PARSER = Parser(
    program="transformers.Trainer",
    patterns=(
        Pattern(
            name="log",
            says="progress",
            role=Role.MARKER,
            regex=r"^\s{0,4}\{['\"](?:loss|train_loss_step)['\"]: ",
            literals=("{'loss': ", '{"loss": '),
            samples=(
                "{'loss': 2.3456, 'grad_norm': 1.23, 'learning_rate': 5e-05, 'epoch': 0.01}",
                "{'loss': '2.345', 'grad_norm': '1.2', 'learning_rate': '5e-05', 'epoch': '0.01'}",
                "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 4e-05, 'epoch': 0.5}",
            ),
            near_misses=("{'loss': 'cross_entropy'}", "config = {'loss': 0.5}", "{'eval_loss': 1.2, 'epoch': 1.0}"),
            read=_train,
        ),
        Pattern(
            name="evaluated",
            says="metrics",
            role=Role.MARKER,
            regex=r"^\s{0,4}\{['\"]eval_\w{1,40}['\"]: ",
            literals=("{'eval_", '{"eval_'),
            samples=("{'eval_loss': 1.2, 'eval_runtime': 3.1, 'epoch': 1.0}", "{'eval_loss': '1.2', 'epoch': '1'}"),
            near_misses=("x = {'eval_loss': 1.2}",),
            read=_end,
        ),
        Pattern(
            name="finished",
            says="planned_end",
            role=Role.MARKER,
            regex=r"\{['\"]train_runtime['\"]: |Training completed\. Do not forget to share your model|Training completed! Saving trained model to",
            literals=("train_runtime", "Do not forget to share", "Training completed! Saving"),
            samples=(
                "{'train_runtime': 12.3, 'train_samples_per_second': 8.1, 'train_loss': 0.53, 'epoch': 3.0}",
                "{'train_runtime': '12.3', 'train_loss': '0.53', 'epoch': '3'}",
            ),
            near_misses=("train_runtime is a metric",),
            read=_end,
        ),
        Pattern(
            name="steps_planned",
            says="training_started",
            role=Role.MARKER,
            regex=r"Total optimization steps = (?P<planned>\d[\d,]{0,15})",
            literals=("Total optimization steps",),
            samples=("  Total optimization steps = 1,000", "  Total optimization steps = 375"),
            near_misses=("Total optimization steps unknown",),
            read=_planned,
        ),
        Pattern(
            name="running",
            says="training_started",
            role=Role.MARKER,
            regex=r"\*\*\*\*\* Running training \*\*\*\*\*|Starting trainer\.\.\.",
            literals=("Running training", "Starting trainer..."),
            samples=("***** Running training *****", "Starting trainer..."),
            near_misses=("Running training script",),
        ),
        Pattern(
            name="resumed",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"Continuing training from global step \d{1,12}|Resuming training from checkpoint with epoch",
            literals=("Continuing training from global step", "Resuming training from checkpoint with"),
            samples=("  Continuing training from global step 500", "  Resuming training from checkpoint with epoch 1 and global step 500"),
            near_misses=("Continuing training",),
        ),
    ),
)

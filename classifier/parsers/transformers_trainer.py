"""Hugging Face Trainer and what is built on it (TRL, LLaMA-Factory, Axolotl, Unsloth): < 5 prints floats, >= 5 quoted strings.

Recorded by running 4.30 and 5.23. Both print a loss that is not finite as 0 (``logging_nan_inf_filter``, on unless turned off): ``filtered`` says so. With messages at their default level, the bar of a save's files is all that >= 5 says of a save.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import count, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_PAIR = re.compile(r"['\"](?P<key>[\w/@.-]{1,60})['\"]:\s{0,2}['\"]?(?P<value>[-+]?[\w.+-]{1,30})['\"]?")

_STEPS = ("global_step", "step")
"""Of callbacks that print a log entry as ``trainer.state.log_history`` holds it."""


def _pairs(text: str) -> Data:
    data: Data = {}
    for found in _PAIR.finditer(text):
        value = number(found["value"])
        if value is not None and len(data) < 60:
            data[found["key"]] = value
    return data


def _train(_: re.Match[str], match: Match) -> Match | None:
    data = _pairs(match.line.text)
    steps = next((int(told) for key in _STEPS if isinstance(told := data.pop(key, None), (int, float)) and told == int(told)), None)
    counted: Data = {} if steps is None else {"step": steps}
    return refined(match, data={**data, **counted, "filtered": True}) if "loss" in data else None


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
            name="filtered",
            says="nan_loss",
            role=Role.CONFIRMATION,
            regex=r"^\s{0,4}\{['\"]loss['\"]: ['\"]?0(?:\.0)?['\"]?, ['\"]grad_norm['\"]: ['\"]?(?:nan|inf)\b",
            literals=("{'loss': ", '{"loss": '),
            samples=(
                "{'loss': '0', 'grad_norm': 'nan', 'learning_rate': '7e+07', 'epoch': '0.1'}",
                "{'loss': 0.0, 'grad_norm': nan, 'learning_rate': 4e-05, 'epoch': 0.5}",
            ),
            near_misses=("{'loss': '0', 'grad_norm': '0', 'learning_rate': '0'}", "{'loss': 2.1, 'grad_norm': nan, 'learning_rate': 4e-05}"),
            cause=Cause.NAN_LOSS,
            detail="filtered_to_zero",
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
            name="shards",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"^Writing model shards: 100%\|",
            literals=("Writing model shards: 100%",),
            samples=(
                "Writing model shards: 100%|██████████| 1/1 [00:00<00:00, 766.22it/s]",
                "Writing model shards: 100%|##########| 4/4 [00:10<00:00,  2.62s/it]",
            ),
            near_misses=("Writing model shards:   0%|          | 0/1 [00:00<?, ?it/s]", "Loading checkpoint shards: 100%|██████████| 3/3"),
            detail="shards",
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
    exceptions=(
        ExceptionRule(
            detail="size_mismatch",
            words=r"You set `ignore_mismatched_sizes` to `False`, thus raising an error|because the shapes did not match",
            samples=(
                ("RuntimeError", "You set `ignore_mismatched_sizes` to `False`, thus raising an error. For details look at the above report!"),
                ("RuntimeError", "Some weights were not initialized because the shapes did not match: lm_head.weight"),
            ),
            near_misses=(("RuntimeError", "the report above shows no mismatch"),),
            about="asset",
        ),
        ExceptionRule(
            detail="unknown_architecture",
            words=r"does not recognize this architecture|Unrecognized configuration class|^'[^']{1,80}' \(raised in transformers/models/auto/configuration_auto\.py\)|has no attribute '\w{1,60}ForCausalLM'",
            samples=(
                ("ValueError", "The checkpoint you are trying to load has model type `zebra9` but Transformers does not recognize this architecture."),
                ("KeyError", "'zebra9' (raised in transformers/models/auto/configuration_auto.py)"),
                ("ValueError", "Unrecognized configuration class <class 'x'> for this kind of AutoModel: AutoModelForCausalLM."),
            ),
            near_misses=(("KeyError", "'labels'"), ("KeyError", "'text' (raised in transformers/trainer.py)")),
            about="env",
        ),
        ExceptionRule(
            detail="model_config",
            words=r"Unrecognized model in .{1,300} Should have a `model_type` key|Error no file named .{1,120} found in directory",
            samples=(
                ("ValueError", "Unrecognized model in myteam/base. Should have a `model_type` key in its config.json."),
                ("OSError", "Error no file named model.safetensors, or pytorch_model.bin, found in directory ./base."),
            ),
            near_misses=(("ValueError", "Unrecognized option"),),
            about="asset",
        ),
        ExceptionRule(
            detail="no_valid_checkpoint",
            words=r"Can't find a valid checkpoint at|No valid checkpoint found in output directory",
            samples=(
                ("ValueError", "Can't find a valid checkpoint at out/checkpoint-30"),
                ("ValueError", "No valid checkpoint found in output directory (out)"),
            ),
            near_misses=(("ValueError", "Can't find the checkpoint's name"),),
            about="asset",
        ),
        ExceptionRule(
            detail="unused_argument",
            words=r"are not used by the model|got an unexpected keyword argument",
            samples=(
                ("TypeError", "TrainingArguments.__init__() got an unexpected keyword argument 'logging_step'"),
                ("ValueError", "The following `model_kwargs` are not used by the model: ['token_type_ids']"),
            ),
            near_misses=(("TypeError", "f() missing 1 required positional argument: 'x'"),),
            about="config",
        ),
        ExceptionRule(
            detail="precision_unsupported",
            words=r"(?:bf16|fp16|tf32|BFloat16|FP8)[^,;|]{0,80}(?:gpu|GPU|CUDA|cuda|device|hardware)[^,;|]{0,80}(?:support|required|can only be used)|FP16 Mixed precision training with AMP or APEX|Your setup doesn't support bf16",
            samples=(
                ("ValueError", "Your setup doesn't support bf16/gpu. You need to assign use_cpu if you want to train the model on CPU."),
                ("ValueError", "FP16 Mixed precision training with AMP or APEX (`--fp16`) can only be used on CUDA devices."),
            ),
            near_misses=(("ValueError", "bf16 is on"),),
            about="config",
        ),
        ExceptionRule(
            detail="empty_dataset",
            words=r"`?num_samples`? ?(?:should be a positive integer value|=0)|num_samples should be a positive integer|The train dataset is empty|train_dataset does not implement __len__",
            samples=(
                ("ValueError", "num_samples should be a positive integer value, but got num_samples=0"),
                ("ValueError", "The train dataset is empty after filtering"),
            ),
            near_misses=(("ValueError", "num_samples is 8"),),
            about="data",
        ),
    ),
)

"""PEFT 0.4 to 0.21: adapters that do not fit their model. Recorded by running both."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="PEFT",
    patterns=(
        Pattern(
            name="trainable",
            says="training_started",
            role=Role.MARKER,
            regex=r"^trainable params: (?P<trainable>[\d,]{1,20}) \|\| all params: (?P<parameters>[\d,]{1,20}) \|\| trainable%: ",
            literals=("trainable params: ",),
            samples=(
                "trainable params: 4,096 || all params: 18,848 || trainable%: 21.7317",
                "trainable params: 294912 || all params: 124734720 || trainable%: 0.23643136409814364",
            ),
            near_misses=("number of trainable params: 4,096", "trainable params: all"),
            detail="adapter",
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="target_modules",
            words=r"Target modules? .{1,400} not found in the base model|No modules were targeted for adaptation|Please specify `target_modules` in",
            samples=(
                ("ValueError", "Target modules {'q_proj', 'v_proj'} not found in the base model. Please check the target modules and try again."),
                ("ValueError", "Target modules ['q_proj', 'v_proj'] not found in the base model. Please check the target modules and try again."),
                ("ValueError", "No modules were targeted for adaptation. This might be caused by a combination of mismatched target modules"),
                ("ValueError", "Please specify `target_modules` in `peft_config`"),
            ),
            near_misses=(("ValueError", "Target modules must be a list"), ("KeyError", "'target_modules'")),
            about="config",
        ),
        ExceptionRule(
            detail="adapter_missing",
            words=r"Can't find '?adapter_(?:config\.json|model)'? at|Can't find weights for .{1,300} in",
            samples=(
                ("ValueError", "Can't find 'adapter_config.json' at './adapter'"),
                ("ValueError", "Can't find weights for ./adapter in ./adapter or in the Hugging Face Hub."),
            ),
            near_misses=(("ValueError", "Can't find the adapter's name"),),
            cause=Cause.FILE_NOT_FOUND,
            about="asset",
        ),
        ExceptionRule(
            detail="adapter_type",
            words=r"Unknown PEFT type passed|Invalid (?:task|peft) type: ",
            samples=(
                ("ValueError", "Invalid task type: 'CAUSAL_LLM'. Must be one of the following task types: SEQ_CLS, SEQ_2_SEQ_LM, CAUSAL_LM."),
                ("ValueError", "Unknown PEFT type passed"),
            ),
            near_misses=(("ValueError", "Unknown type passed"),),
            about="config",
        ),
        ExceptionRule(
            detail="adapter_quantised",
            words=r"cannot perform fine-tuning on purely quantized models|Some weights .{1,80} cannot be merged",
            samples=(
                ("ValueError", "You cannot perform fine-tuning on purely quantized models. Please attach trainable adapters on top of the quantized model"),
                ("ValueError", "Some weights of the adapter cannot be merged with quantized ones"),
            ),
            near_misses=(("ValueError", "You cannot perform this on quantized models"),),
            about="config",
        ),
    ),
)

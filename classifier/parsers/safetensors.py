"""safetensors 0.3 to 0.7: files that are cut, empty or not what their name says."""

from __future__ import annotations

from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser

PARSER = Parser(
    program="safetensors",
    exceptions=(
        ExceptionRule(
            detail="corrupt_checkpoint",
            words=r"Error while deserializing(?: header)?:|MetadataIncompleteBuffer|InvalidHeader(?:Deserialization|Length|Start)?\b|HeaderTooLarge|HeaderTooSmall|incomplete metadata, file not fully covered|invalid header or config",
            samples=(
                ("safetensors_rust.SafetensorError", "Error while deserializing header: MetadataIncompleteBuffer"),
                ("safetensors_rust.SafetensorError", "Error while deserializing header: incomplete metadata, file not fully covered"),
                ("safetensors_rust.SafetensorError", "Error while deserializing header: header too large"),
            ),
            near_misses=(("ValueError", "Error while reading the header"), ("safetensors_rust.SafetensorError", "device cuda:3 is invalid")),
            about="asset",
        ),
        ExceptionRule(
            detail="checkpoint_tensor",
            words=r"File does not contain tensor|Some tensors share memory, this will lead to duplicate memory",
            samples=(
                ("safetensors_rust.SafetensorError", "File does not contain tensor lm_head.weight"),
                ("RuntimeError", "Some tensors share memory, this will lead to duplicate memory on disk and potential differences when loading them again"),
            ),
            near_misses=(("KeyError", "'lm_head.weight'"),),
            about="asset",
        ),
        ExceptionRule(
            detail="device_ordinal",
            words=r"device cuda:\d{1,4} is invalid",
            samples=(("safetensors_rust.SafetensorError", "device cuda:3 is invalid"), ("safetensors_rust.SafetensorError", "device cuda:12 is invalid")),
            near_misses=(("SafetensorError", "device is invalid"),),
            about="config",
        ),
    ),
)

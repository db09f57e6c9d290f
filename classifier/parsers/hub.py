"""Model hubs, adapters, checkpoints: messages that stand on lines of their own (huggingface_hub, transformers, peft, safetensors)."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role


def _meant(found: re.Match[str], match: Match) -> Match:
    meaning = meaning_of("OSError", found.group(0))
    about = {"about": meaning.about} if meaning.about else {}
    return refined(match, cause=meaning.cause, detail=meaning.detail, data={"message": found.group(0)[:300], **about})


PARSER = Parser(
    program="Hugging Face hub",
    patterns=(
        Pattern(
            name="gated",
            says="asset_refused",
            role=Role.ROOT,
            regex=r"You are trying to access a gated repo|Access to model \S{1,200} is restricted",
            literals=("access a gated repo", "Access to model "),
            samples=(
                "OSError: You are trying to access a gated repo.",
                "Access to model meta-llama/Llama-3 is restricted. You must have access to it and be authenticated to access it.",
            ),
            near_misses=("gated repos need a token", "Access to model zoo"),
            read=_meant,
        ),
        Pattern(
            name="unknown",
            says="asset_refused",
            role=Role.ROOT,
            regex=r"is not a local folder and is not a valid model identifier|does not appear to have a file named \S{1,120}|Repository Not Found for url",
            literals=("is not a local folder and is not", "does not appear to have a file named", "Repository Not Found for url"),
            samples=(
                "OSError: gpt5-nano is not a local folder and is not a valid model identifier listed on 'https://huggingface.co/models'",
                "OSError: x/y does not appear to have a file named config.json.",
            ),
            near_misses=("this is not a local folder",),
            read=_meant,
        ),
        Pattern(
            name="load_mismatch",
            says="checkpoint_broken",
            role=Role.CONFIRMATION,
            regex=r"Error\(s\) in loading state_dict for \w{1,120}|size mismatch for [\w.]{1,200}: copying a param|PytorchStreamReader failed|Error while deserializing header|Can't find a valid checkpoint at|No valid checkpoint found in output directory",
            literals=(
                "in loading state_dict for",
                "size mismatch for ",
                "PytorchStreamReader failed",
                "Error while deserializing header",
                "Can't find a valid checkpoint",
                "No valid checkpoint found in",
            ),
            samples=(
                "RuntimeError: Error(s) in loading state_dict for Net:",
                "safetensors_rust.SafetensorError: Error while deserializing header: HeaderTooLarge",
            ),
            near_misses=("no size mismatch for these",),
            read=_meant,
        ),
    ),
)

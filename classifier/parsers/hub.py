"""Model hubs, adapters, checkpoints: messages that stand on lines of their own (huggingface_hub 0.17 to 2.4, transformers, peft, safetensors).

Recorded by running the client against a server that answers as the hub does; 2.4 speaks httpx's words, older ones requests'.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
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
            alone=True,
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
            alone=True,
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
            alone=True,
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="gated_repo",
            words=r".",
            samples=(("huggingface_hub.errors.GatedRepoError", "401 Client Error."), ("huggingface_hub.utils._errors.GatedRepoError", "403 Client Error.")),
            near_misses=(("huggingface_hub.errors.HfHubHTTPError", "401 Client Error."),),
            cause=Cause.PERMISSION,
            about="asset",
            of=r"GatedRepoError$",
        ),
        ExceptionRule(
            detail="unknown_model",
            words=r".",
            samples=(("huggingface_hub.errors.RepositoryNotFoundError", "401 Client Error."), ("huggingface_hub.errors.RevisionNotFoundError", "404 Client Error.")),
            near_misses=(("huggingface_hub.errors.HfHubHTTPError", "401 Client Error."),),
            cause=Cause.FILE_NOT_FOUND,
            about="asset",
            of=r"(?:Repository|Revision)NotFoundError$",
        ),
        ExceptionRule(
            detail="unauthorised",
            words=r"\b40[13] Client Error|Client error '40[13] \w{1,20}'|Invalid user token|Invalid username or password",
            samples=(
                ("requests.exceptions.HTTPError", "401 Client Error: Unauthorized for url: https://huggingface.co/m"),
                ("httpx2.HTTPStatusError", "Client error '401 Unauthorized' for url 'https://huggingface.co/m/resolve/main/config.json'"),
                ("huggingface_hub.errors.HfHubHTTPError", "Client error '403 Forbidden' for url 'https://huggingface.co/m'"),
            ),
            near_misses=(("httpx.HTTPStatusError", "Client error '404 Not Found' for url 'https://huggingface.co/m'"),),
            cause=Cause.PERMISSION,
            about="asset",
        ),
        ExceptionRule(
            detail="gated_repo",
            words=r"access a gated repo|Access to model .{1,200} is restricted|Cannot access gated repo|Access to dataset .{1,200} is restricted",
            samples=(
                ("OSError", "You are trying to access a gated repo."),
                ("huggingface_hub.errors.GatedRepoError", "401 Client Error. (Request ID: Root=1-2) Cannot access gated repo for url https://huggingface.co/m/resolve/main/config.json."),
                ("OSError", "Access to model myteam/base is restricted. You must have access to it and be authenticated to access it. Please log in."),
            ),
            near_misses=(("OSError", "the gate is open"),),
            cause=Cause.PERMISSION,
            about="asset",
        ),
        ExceptionRule(
            detail="hub_unavailable",
            words=r"429 Client Error|Client error '429 |Server error '50\d |\b50[0234] Server Error|Too Many Requests for url|We had to rate limit (?:your IP|you)|HfHubHTTPError: 5\d\d",
            samples=(
                ("huggingface_hub.errors.HfHubHTTPError", "429 Client Error: Too Many Requests for url: https://huggingface.co/api/models/m"),
                ("httpx2.HTTPStatusError", "Client error '429 Too Many Requests' for url 'https://huggingface.co/m'"),
                ("huggingface_hub.errors.HfHubHTTPError", "503 Server Error: Service Unavailable for url: https://huggingface.co/m"),
            ),
            near_misses=(("huggingface_hub.errors.HfHubHTTPError", "404 Client Error: Not Found"),),
            cause=Cause.TRACEBACK,
            about="env",
        ),
        ExceptionRule(
            detail="model_name",
            words=r"Repo id must (?:use alphanumeric chars|be in the form)|Incorrect path_or_model_id",
            samples=(
                ("huggingface_hub.errors.HFValidationError", "Repo id must be in the form 'repo_name' or 'namespace/repo_name': '/scratch/models/llama'. Use `repo_type` argument if needed."),
                ("OSError", "Repo id must use alphanumeric chars, '-', '_' or '.'. The name cannot start or end with '-' or '.' and the maximum length is 96: ''."),
            ),
            near_misses=(("OSError", "the repo has an id"),),
            cause=Cause.TRACEBACK,
            about="asset",
        ),
    ),
)

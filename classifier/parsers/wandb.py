"""Weights & Biases 0.12 to 0.31: a login that is missing, and a summary that is no progress. From its source."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role


def _summary(found: re.Match[str], match: Match) -> Match | None:
    value = number(found["value"])
    name = found["name"].replace("/", "_").removeprefix("train_")
    return None if value is None else refined(match, data={"name": name, "value": value})


PARSER = Parser(
    program="Weights & Biases",
    patterns=(
        Pattern(
            name="summary",
            says="metrics",
            role=Role.MARKER,
            regex=r"^wandb: {2,40}(?P<name>(?:(?:train|val|eval|test)/)?(?:loss|accuracy|acc|grad_norm|learning_rate)) (?P<value>" + NUMBER + r")\s{0,4}$",
            literals=("wandb: ",),
            samples=("wandb:             train/loss 0.31", "wandb:  val/accuracy 0.912"),
            near_misses=("wandb: Run summary:", "wandb:             train/loss █▆▄▂▁", "wandb: Tracking run with wandb version 0.31.0"),
            read=_summary,
        ),
        Pattern(
            name="refused",
            says="launch_refused",
            role=Role.CONFIRMATION,
            regex=r"^wandb: ERROR (?P<message>api_key not configured.{0,120}|Error while calling W&B API: .{1,200}|It appears that you do not have permission.{0,160}|.{0,40}(?:401|403|404).{0,160})",
            literals=("wandb: ERROR ",),
            samples=(
                "wandb: ERROR api_key not configured (no-tty). call wandb.login(key=[your_api_key])",
                "wandb: ERROR Error while calling W&B API: entity myteam not found during upsertBucket (<Response [404]>)",
            ),
            near_misses=("wandb: ERROR dropped 3 messages",),
            detail="tracking_login",
            cause=Cause.PERMISSION,
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="tracking_login",
            words=r"api_key not configured|No API key configured|permission to access the requested resource|Invalid API key",
            samples=(
                ("wandb.errors.errors.UsageError", "api_key not configured (no-tty). call wandb.login(key=[your_api_key])"),
                ("wandb.errors.UsageError", "No API key configured. Use `wandb login` to log in."),
                ("wandb.errors.CommError", "It appears that you do not have permission to access the requested resource."),
            ),
            near_misses=(("wandb.errors.Error", "the run was finished"),),
            cause=Cause.PERMISSION,
            about="env",
        ),
        ExceptionRule(
            detail="tracking_unreachable",
            words=r"Run initialization has timed out after|Error communicating with wandb process|Network error \((?:ConnectTimeout|ConnectionError|ReadTimeout)\), entering retry loop",
            samples=(
                ("wandb.errors.CommError", "Run initialization has timed out after 90.0 sec."),
                ("wandb.errors.UsageError", "Error communicating with wandb process, exiting..."),
            ),
            near_misses=(("wandb.errors.Error", "timed out"),),
            cause=Cause.TRACEBACK,
            about="env",
        ),
    ),
)

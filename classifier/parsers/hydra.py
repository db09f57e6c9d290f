"""Hydra 1.x and OmegaConf 2.x: a configuration that does not compose.

Neither run nor read: from what is known of their messages.
"""

from __future__ import annotations

from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.pattern import Parser, Pattern, refined
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="Hydra",
    patterns=(
        Pattern(
            name="composition",
            says="usage",
            role=Role.ROOT,
            regex=r"^(?P<message>Could not override '[^']{1,200}'\.?.{0,200}|In '[^']{1,200}': Could not find '[^']{1,200}'|Cannot find primary config '[^']{1,200}'.{0,200}|Could not append to config\. .{1,200}|Key '[^']{1,120}' is not in struct.{0,80}|You must specify '[^']{1,120}', e\.g, .{0,120}|Primary config directory not found\.?)",
            literals=("Could not override '", ": Could not find '", "Cannot find primary config '", "Could not append to config", " is not in struct", "You must specify '", "Primary config directory not found"),
            samples=(
                "Could not override 'trainer.max_epoch'.",
                "In 'config': Could not find 'model/llama9'",
                "Cannot find primary config 'train'. Check that it's in your config search path.",
                "Key 'lerning_rate' is not in struct",
            ),
            near_misses=("Could not override the default", "In 'config': all found"),
            detail="bad_option",
            read=lambda _, match: refined(match, data={"about": "config"}),
        ),
        Pattern(
            name="job_failed",
            says="advice",
            role=Role.ADVICE,
            regex=r"^Error executing job with overrides: |^Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace",
            literals=("Error executing job with overrides", "HYDRA_FULL_ERROR=1"),
            samples=("Error executing job with overrides: ['trainer.devices=4']", "Set the environment variable HYDRA_FULL_ERROR=1 for a complete stack trace."),
            near_misses=("export HYDRA_FULL_ERROR=1",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="bad_option",
            words=r"Could not override '|Key '.{1,120}' (?:is )?not in (?:struct|'\w{1,60}')|Could not find '.{1,120}' *$|Missing mandatory value: |InterpolationKeyError|Interpolation key '.{1,120}' not found|Value '.{1,120}' of type '.{1,40}' could not be converted",
            samples=(
                ("hydra.errors.ConfigCompositionException", "Could not override 'trainer.max_epoch'."),
                ("omegaconf.errors.ConfigAttributeError", "Key 'lerning_rate' is not in struct"),
                ("omegaconf.errors.MissingMandatoryValue", "Missing mandatory value: data.path"),
                ("omegaconf.errors.InterpolationKeyError", "Interpolation key 'paths.root' not found"),
            ),
            near_misses=(("KeyError", "'lerning_rate'"),),
            about="config",
        ),
        ExceptionRule(
            detail="instantiation",
            words=r"Error (?:locating|in call to) target '|Error instantiating/calling",
            samples=(
                ("hydra.errors.InstantiationException", "Error locating target 'models.Llama9', set env var HYDRA_FULL_ERROR=1 to see chained exception."),
                ("hydra.errors.InstantiationException", "Error in call to target 'models.net.Net':"),
            ),
            near_misses=(("TypeError", "call to target"),),
            about="config",
        ),
    ),
)

"""What sets up a job's environment: conda, mamba, virtual environments, Lmod and Tcl modules, Spack."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern, refined
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="environments",
    patterns=(
        Pattern(
            name="modules",
            says="launch_refused",
            role=Role.CONFIRMATION,
            regex=(
                r"(?P<message>^ModuleCmd_Load\.c\(\d{1,5}\):ERROR:\d{1,4}: Unable to locate a modulefile for '[^']{1,120}'|^ERROR: Unable to locate a modulefile for '[^']{1,120}'"
                r"|^The following module\(s\) are unknown: .{1,160}|^These module\(s\) or extension\(s\) exist but cannot be loaded as requested: .{1,160}|module: command not found$)"
            ),
            literals=("Unable to locate a modulefile for", "The following module(s) are unknown", "exist but cannot be loaded as requested", "module: command not found"),
            samples=(
                "ModuleCmd_Load.c(213):ERROR:105: Unable to locate a modulefile for 'cuda/12.9'",
                "ERROR: Unable to locate a modulefile for 'cuda/12.9'",
                'The following module(s) are unknown: "cuda/12.9"',
                "/var/spool/slurmd/job42/slurm_script: line 5: module: command not found",
            ),
            near_misses=("Unable to locate a modulefile", "Loading module cuda/12.9"),
            detail="environment_missing",
            read=lambda _, match: refined(match, data={"about": "env"}),
        ),
        Pattern(
            name="conda",
            says="launch_refused",
            role=Role.CONFIRMATION,
            regex=r"(?P<message>Could not find conda environment: .{1,160}|^Not a conda environment: .{1,160}|^EnvironmentLocationNotFound: .{1,200}|^CondaError: Run 'conda init' before 'conda activate'|^critical libmamba .{1,200}|^Error: Environment .{1,160} does not exist|/bin/activate: No such file or directory$)",
            literals=(
                "Could not find conda environment: ",
                "Not a conda environment: ",
                "EnvironmentLocationNotFound",
                "CondaError: Run 'conda init'",
                "critical libmamba ",
                "Error: Environment ",
                "/bin/activate: No such file",
            ),
            samples=(
                "EnvironmentLocationNotFound: Not a conda environment: /home/user/envs/torch2",
                "CondaError: Run 'conda init' before 'conda activate'",
                "/var/spool/slurmd/job00042/slurm_script: line 7: /home/user/venv/bin/activate: No such file or directory",
            ),
            near_misses=("conda activate torch2", "Error: Environment is fine"),
            detail="environment_missing",
            read=lambda _, match: refined(match, data={"about": "env"}),
        ),
    ),
)

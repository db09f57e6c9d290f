"""bash, sh and zsh: what a batch script's shell says about the programs it started."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

_SIGNALS = {
    "Killed": 9,
    "Segmentation fault": 11,
    "Terminated": 15,
    "Aborted": 6,
    "Bus error": 7,
    "Floating point exception": 8,
    "Illegal instruction": 4,
}


def _died(found: re.Match[str], match: Match) -> Match:
    how = found["how"]
    return refined(match, cause=Cause.SEGFAULT if how == "Segmentation fault" else None, data={"signal": _SIGNALS[how]})


def _refused(found: re.Match[str], match: Match) -> Match:
    why = found["why"]
    if why in {"command not found", "not found"}:
        return refined(match, says="command_not_found", cause=Cause.FILE_NOT_FOUND, detail="command_not_found", data={"about": "env"})
    return refined(match, cause=Cause.PERMISSION if why == "Permission denied" else Cause.FILE_NOT_FOUND)


PARSER = Parser(
    program="shell",
    patterns=(
        Pattern(
            name="job_died",
            says="killed",
            role=Role.CONFIRMATION,
            regex=r"^(?:\S{1,200}: line \d{1,7}: {1,20}\d{1,10} |\[\d{1,4}\][+-]? {1,4})?(?P<how>Killed|Segmentation fault|Terminated|Aborted|Bus error|Floating point exception|Illegal instruction)(?: {1,20}\(core dumped\))?(?: {1,30}\S.{0,300})?$",
            literals=("Killed", "Segmentation fault", "Terminated", "Aborted", "Bus error", "Floating point exception", "Illegal instruction"),
            samples=(
                "/var/spool/slurmd/job00042/slurm_script: line 23:   427 Killed                  python train.py",
                "Segmentation fault (core dumped)",
                "Killed",
                "run.sh: line 4: 99 Segmentation fault      (core dumped) ./a.out",
            ),
            near_misses=("Killedeer data set loaded", "process was Killed by admin", "num_Killed: 3", "task Terminated normally: 0"),
            read=_died,
        ),
        Pattern(
            name="refused",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"^(?:\S{1,200}: line \d{1,7}: |\S{0,40}sh: (?:line )?\d{0,7}:? ?|gpualert-run: )(?P<path>\S{1,300}): (?P<why>command not found|No such file or directory|Permission denied|not found)$",
            literals=(": command not found", ": No such file or directory", ": Permission denied", ": not found"),
            samples=(
                "/var/spool/slurmd/job00042/slurm_script: line 7: pyhton: command not found",
                "bash: line 1: ./train.sh: Permission denied",
                "sh: 1: nvcc: not found",
            ),
            near_misses=("warning: command not found", "FileNotFoundError: [Errno 2] No such file or directory: 'x'", "module: not found"),
            read=_refused,
        ),
        Pattern(
            name="no_environment",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"^(?:EnvironmentNameNotFound: |CommandNotFoundError: Your shell has not been properly configured|Lmod has detected the following error: )(?P<message>.{0,200})",
            literals=("EnvironmentNameNotFound", "CommandNotFoundError: Your shell", "Lmod has detected"),
            samples=(
                "EnvironmentNameNotFound: Could not find conda environment: torch2",
                'Lmod has detected the following error: The following module(s) are unknown: "cuda/12.9"',
            ),
            near_misses=("Lmod has detected nothing",),
            detail="environment_missing",
        ),
    ),
)

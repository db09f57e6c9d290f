"""bash, sh and zsh: what a batch script's shell says about the programs it started."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.meaning import about_path
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
    if "bad interpreter" in why or why.startswith("cannot execute") or why in {"required file not found", "Exec format error"}:
        cause = Cause.PERMISSION if why.endswith("Permission denied") else Cause.FILE_NOT_FOUND
        return refined(match, cause=cause, detail="program_not_run", data={"about": "env"})
    if why in {"command not found", "not found"}:
        return refined(match, says="command_not_found", cause=Cause.FILE_NOT_FOUND, detail="command_not_found", data={"about": "env"})
    return refined(match, cause=Cause.PERMISSION if why == "Permission denied" else Cause.FILE_NOT_FOUND)


_REASONS: tuple[tuple[str, Cause | None, str | None], ...] = (
    ("No such file or directory", Cause.FILE_NOT_FOUND, None),
    ("Not a directory", Cause.FILE_NOT_FOUND, None),
    ("Permission denied", Cause.PERMISSION, None),
    ("Operation not permitted", Cause.PERMISSION, None),
    ("Read-only file system", Cause.PERMISSION, "read_only"),
    ("No space left on device", None, "disk_full"),
    ("Disk quota exceeded", None, "quota_exceeded"),
    ("File exists", None, None),
    ("Is a directory", None, None),
)


def _tool(found: re.Match[str], match: Match) -> Match:
    """What a tool refused. Scripts often go on after it: it is the end only as the last word."""
    why, cause, detail = next(r for r in _REASONS if r[0] == found["why"])
    about = "config" if cause is Cause.PERMISSION or found["tool"] in {"cd", "pushd", "mkdir", "touch", "tee", "rm", "mv"} else about_path(found["what"])
    return refined(match, cause=cause, detail=detail, data={"about": about, "bare": True, "command": found["tool"], "message": f"{found['what']}: {why}"})


_TOOLS = (
    "cd|pushd|cp|mv|rm|ln|ls|cat|mkdir|rmdir|touch|chmod|chown|install|tar|unzip|gzip|gunzip|zstd|rsync|scp|tee|dd|head|tail|sed|grep|awk|find|du|df"
    "|stat|realpath|readlink|sort|wc|cut|diff|mktemp|mkfifo|source|\\.|exec|env|python3?|sbcast"
)
_WHY = "|".join(why for why, _, _ in _REASONS)
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
            regex=r"^(?:\S{1,200}: line \d{1,7}: |\S{0,40}sh: (?:line )?\d{0,7}:? ?|gpualert-run: )(?P<path>\S{1,300}): (?P<why>command not found|No such file or directory|Permission denied|not found"
            r"|\S{1,300}: bad interpreter: (?:No such file or directory|Permission denied)|cannot execute: required file not found|required file not found"
            r"|cannot execute binary file: Exec format error|Exec format error)$",
            literals=(": command not found", ": No such file or directory", ": Permission denied", ": not found", "required file not found", ": Exec format error"),
            samples=(
                "/var/spool/slurmd/job00042/slurm_script: line 7: pyhton: command not found",
                "bash: line 1: ./train.sh: Permission denied",
                "sh: 1: nvcc: not found",
                "bash: line 2: ./train.py: /opt/py/bin/python4: bad interpreter: No such file or directory",
                "job.sh: line 5: ./run: cannot execute binary file: Exec format error",
            ),
            near_misses=("warning: command not found", "FileNotFoundError: [Errno 2] No such file or directory: 'x'", "module: not found"),
            read=_refused,
        ),
        Pattern(
            name="tool_refused",
            says="launch_refused",
            role=Role.ROOT,
            regex=rf"^(?:\S{{1,200}}: (?:line )?\d{{1,7}}: )?(?:/(?:usr/)?bin/)?(?P<tool>{_TOOLS})(?: \(child\))?: (?P<what>[^:\n]{{1,400}}(?:: [^:\n]{{1,100}})?): (?P<why>{_WHY})$",
            literals=tuple(f": {why}" for why, _, _ in _REASONS),
            samples=(
                "job.sh: line 3: cd: /projects/vision/run7: No such file or directory",
                "cp: cannot create regular file '/var/lib/data.tar': Permission denied",
                "mkdir: cannot create directory \u2018/opt/ckpt\u2019: Permission denied",
                "tar: data.tar: Cannot open: No such file or directory",
                "/usr/bin/rm: cannot remove 'lock': Read-only file system",
                "cat: settings.env: No such file or directory",
                "cp: error writing '/scratch/u/x': No space left on device",
            ),
            near_misses=(
                "cp: 'a' and 'a' are the same file",
                "INFO cd: /projects: No such file or directory, using /tmp",
                "OSError: [Errno 2] No such file or directory: 'x'",
                "rm: remove regular file 'a'?",
            ),
            read=_tool,
        ),
        Pattern(
            name="script_error",
            says="launch_refused",
            role=Role.ROOT,
            regex=r"^\S{1,200}: (?:line )?\d{1,7}: (?:(?P<variable>[A-Za-z_]\w{0,80}): (?P<unset>unbound variable|parameter not set|parameter null or not set)"
            r"|(?P<syntax>syntax error\b.{0,120}|unexpected EOF while looking for matching.{0,40}|Syntax error: .{0,120}))",
            literals=("unbound variable", "parameter not set", "parameter null or not set", "yntax error", "unexpected EOF while looking"),
            samples=(
                "job.sh: line 3: DATA_ROOT: unbound variable",
                "/var/spool/slurmd/job00042/slurm_script: line 12: syntax error near unexpected token `fi'",
                "run.sh: 4: RUN_DIR: parameter not set",
                "train.sh: line 9: unexpected EOF while looking for matching `\"'",
            ),
            near_misses=("step 3: loss: unbound variable", "SyntaxError: invalid syntax", "a syntax error near the end of line 3"),
            detail="script_error",
            read=lambda _, match: refined(match, data={"about": "config"}),
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

"""Container runtimes under Slurm: pyxis and enroot, Apptainer and Singularity, Podman. Neither run nor read: from what is known of their messages."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.meaning import meaning_of
from gpualert_slurm.classifier.pattern import Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role


def _why(found: re.Match[str], match: Match) -> Match:
    """A missing image, mount or program, and a refused one, are what they are outside of containers."""
    meant = meaning_of("", found["message"])
    return refined(match, cause=meant.cause) if meant.cause in {Cause.FILE_NOT_FOUND, Cause.PERMISSION} else match


PARSER = Parser(
    program="containers",
    patterns=(
        Pattern(
            name="pyxis",
            says="launch_refused",
            role=Role.ROOT,
            regex=(
                r"(?:pyxis|slurmstepd)(?:: error)?: .{0,40}(?P<message>container start failed with error code: \d{1,3}|couldn't start container|failed to import docker image|failed to create container filesystem|invalid image reference"
                r"|Invalid --container-\w{1,30} argument|couldn't chdir to container cwd|couldn't join container|child \d{1,10} failed with error code: \d{1,3}|container exited too soon).{0,200}"
            ),
            literals=(
                "container start failed with error",
                "couldn't start container",
                "failed to import docker image",
                "failed to create container filesystem",
                "invalid image reference",
                "Invalid --container-",
                "couldn't chdir to container cwd",
                "couldn't join container",
                " failed with error code: ",
                "container exited too soon",
            ),
            samples=(
                "slurmstepd: error: pyxis: container start failed with error code: 1",
                "slurmstepd: error: pyxis: failed to import docker image",
                "slurmstepd: error: pyxis: child 12345 failed with error code: 1",
            ),
            near_misses=("pyxis: importing docker image: nvcr.io#nvidia/pytorch:24.05-py3", "slurmstepd: error: pyxis: printing enroot log file:"),
            detail="container",
            general=True,
        ),
        Pattern(
            name="enroot",
            says="launch_refused",
            role=Role.CONFIRMATION,
            regex=r"\[ERROR\] (?P<message>URL https?://\S{1,200} returned error code: \d{3}.{0,100}|Could not process JSON input.{0,100}|No such file or directory: \S{1,200}|Invalid image format: \S{1,200}|Command not found: \S{1,80}|Missing required .{1,80}|Could not .{1,150})",
            literals=("[ERROR] ",),
            samples=(
                "[ERROR] URL https://registry.example.org/v2/x/manifests/latest returned error code: 401 Unauthorized",
                "slurmstepd: error: pyxis:     [ERROR] No such file or directory: /scratch/images/torch.sqsh",
            ),
            near_misses=("[ERROR] loss is high",),
            detail="container",
            read=lambda _, match: refined(match, data={"about": "env"}),
        ),
        Pattern(
            name="apptainer",
            says="launch_refused",
            role=Role.ROOT,
            regex=(
                r"^FATAL: +(?P<message>could not open image .{1,300}|container creation failed: .{1,300}|stat .{1,300}: no such file or directory|image .{1,200} is not (?:a valid|in an allowed) .{0,80}"
                r"|exec .{1,200} failed: .{1,100}|\".{1,200}\": executable file not found in \$PATH|While (?:performing build|making image from oci registry|checking container encryption|pulling .{1,100}): .{1,200}|Unable to handle .{1,200} uri: .{1,200})"
            ),
            part="FATAL: ",
            literals=("FATAL: ",),
            samples=(
                "FATAL:   could not open image /scratch/images/torch.sif: failed to retrieve path for /scratch/images/torch.sif: lstat /scratch/images: no such file or directory",
                "FATAL:   container creation failed: mount /data->/data error: while mounting /data: mount source /data doesn't exist",
                'FATAL:   "pyhton": executable file not found in $PATH',
            ),
            near_misses=("FATAL: bad loss", "INFO:    Could not find any nv files on this host!"),
            detail="container",
            read=_why,
        ),
        Pattern(
            name="no_gpu_files",
            says="advice",
            role=Role.ADVICE,
            regex=r"^INFO: +Could not find any nv files on this host!|^WARNING: +Could not find any nv files",
            literals=("Could not find any nv files",),
            samples=("INFO:    Could not find any nv files on this host!", "WARNING: Could not find any nv files on this host!"),
            near_misses=("INFO:    found nv files",),
            detail="no_gpu",
        ),
    ),
)

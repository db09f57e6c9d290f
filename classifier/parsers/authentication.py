"""MUNGE and Slurm's own authentication, as srun and slurmstepd speak of it in a job's output. From Slurm 22.05 to 26.05 and MUNGE 0.5."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="MUNGE",
    patterns=(
        Pattern(
            name="refused",
            says="launch_refused",
            role=Role.ROOT,
            regex=(
                r"error: (?:.{0,60}: )?(?P<message>Munge (?:encode|decode) failed: .{1,160}|If munged is up, restart with --num-threads=10|Protocol authentication error|Invalid authentication credential"
                r"|authentication: .{1,120}|slurm_\w{1,40}: .{0,80}authentication.{0,60}|g_slurm_auth_create: .{1,100}|auth_g_(?:create|verify|unpack): .{1,120})"
            ),
            literals=("Munge ", "restart with --num-threads", "authentication", "g_slurm_auth_create", "auth_g_"),
            samples=(
                'srun: error: Munge encode failed: Failed to access "/run/munge/munge.socket.2": No such file or directory',
                "srun: error: authentication: Invalid authentication credential",
                "slurmstepd: error: slurm_receive_msg: Protocol authentication error",
                "srun: error: Munge decode failed: Expired credential",
            ),
            near_misses=("INFO: authentication succeeded", "error: user authentication is needed", "Munge the data frame"),
            detail="authentication",
        ),
    ),
)

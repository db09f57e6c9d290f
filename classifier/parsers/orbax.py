"""orbax and flax.training.checkpoints, where absl's INFO messages are on: checkpoints written, read, looked for in vain. 0.12 recorded by running it."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="orbax",
    patterns=(
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"Finished saving checkpoint \(finalized tmp dir\) to `?(?P<path>[^`\s]{1,400}?)`?\.?$",
            literals=("(finalized tmp dir) to ",),
            samples=(
                "I1121 20:56:46.035892 139693278667456 atomicity.py:851] [process=0][thread=MainThread] Finished saving checkpoint (finalized tmp dir) to `/runs/checkpoint_5`.",
                "INFO:absl:Finished saving checkpoint (finalized tmp dir) to `/runs/40`.",
            ),
            near_misses=("[process=0] [async] Started save checkpoint @ /runs/40.", "(finalized tmp dir) to be removed soon: none"),
        ),
        Pattern(
            name="restored",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"\bRestoring (?:orbax )?checkpoint from (?P<path>/\S{1,400}?)\.?$|\bFinished restoring checkpoint .{0,60}from (?P<old_path>/\S{1,400}?)\.?$",
            literals=("Restoring checkpoint from ", "Restoring orbax checkpoint from ", "Finished restoring checkpoint "),
            samples=(
                "I1121 20:56:44.653963 139693278667456 checkpointer.py:368] Restoring checkpoint from /runs/20.",
                "I1121 20:56:46.037930 139693278667456 checkpoints.py:1109] Restoring orbax checkpoint from /runs/checkpoint_5",
                "INFO:absl:Finished restoring checkpoint in 0.52 seconds from /runs/20.",
            ),
            near_misses=("Restoring checkpoint from scratch", "[sync] Started load checkpoint @ /runs/20."),
        ),
        Pattern(
            name="none_found",
            says="checkpoint_not_loaded",
            role=Role.MARKER,
            regex=r"\bFound no checkpoint (?:directory at|files in) (?P<path>\S{1,400})",
            literals=("Found no checkpoint ",),
            samples=(
                "I1121 20:56:46.046106 139693278667456 checkpoints.py:1090] Found no checkpoint directory at /runs/ck9",
                "INFO:absl:Found no checkpoint files in /runs with prefix checkpoint_",
            ),
            near_misses=("Found 0 checkpoint steps in /runs", "Found no checkpoint"),
        ),
    ),
)

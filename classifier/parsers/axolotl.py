"""Axolotl 0.4 to 0.19 beside HF Trainer's lines. Neither run nor read: from what is known of its messages (it needs a GPU)."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="Axolotl",
    patterns=(
        Pattern(
            name="resuming",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"Using [Aa]uto-resume functionality to start with checkpoint at (?P<path>\S{1,300})",
            literals=("uto-resume functionality to start",),
            samples=(
                "[INFO] [axolotl.utils.train.determine_last_checkpoint:44] [PID:12] Using auto-resume functionality to start with checkpoint at out/checkpoint-100",
                "Using Auto-resume functionality to start with checkpoint at ./lora-out/checkpoint-40",
            ),
            near_misses=("auto-resume functionality is off",),
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"Model successfully saved to (?P<path>\S{1,300})",
            literals=("Model successfully saved to",),
            samples=(
                "[INFO] [axolotl.train.save_trained_model:355] [PID:12] Model successfully saved to ./out",
                "Model successfully saved to /scratch/u/lora-out",
            ),
            near_misses=("Model successfully loaded",),
        ),
        Pattern(
            name="loss_watchdog",
            says="nan_loss",
            role=Role.ROOT,
            regex=r"[Ll]oss watchdog triggered|loss_watchdog_threshold .{0,40}exceeded",
            literals=("oss watchdog triggered", "loss_watchdog_threshold "),
            samples=("[WARNING] loss watchdog triggered: stopping", "loss_watchdog_threshold 5.0 exceeded 3 times, stopping"),
            near_misses=("loss_watchdog_threshold: 5.0", "loss watchdog is on"),
            cause=Cause.NAN_LOSS,
            detail="loss_watchdog",
        ),
        Pattern(
            name="data_ready",
            says="training_started",
            role=Role.MARKER,
            regex=r"total_num_steps: (?P<planned>\d{1,12})|Maximum number of steps set at (?P<limit>\d{1,12})",
            literals=("total_num_steps: ", "Maximum number of steps set at"),
            samples=(
                "[INFO] [axolotl.utils.data.sft.prepare_datasets:161] [PID:12] Maximum number of steps set at 500",
                "[DEBUG] [axolotl.utils.trainer.calculate_total_num_steps:463] [PID:12] total_num_steps: 375",
            ),
            near_misses=("total_num_steps: unknown",),
        ),
    ),
)

"""PyTorch Lightning 1.9 to 2.6, beside its tqdm bar. Recorded by running both.

Where rich is installed, 2.6 takes rich's bar, which is drawn into a file once, when an epoch or the run is over.
"""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.parsers.plain_loop import extras
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_LOSS = re.compile(r"\b(?:train_|train/)?loss(?:_step|_epoch)?: (" + NUMBER + ")")


def _rich(found: re.Match[str], match: Match) -> Match:
    data: Data = {
        "epoch": float(found["epoch"]),
        "epochs": int(found["epochs"]) + 1,
        "step": int(found["step"]),
        "planned": int(found["planned"]),
        "per_epoch": True,
        **extras(found["rest"]),
    }
    loss = _LOSS.search(found["rest"])
    value = number(loss[1]) if loss else None
    if value is not None:
        data["loss"] = value
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="PyTorch Lightning",
    patterns=(
        Pattern(
            name="rich_bar",
            says="progress",
            role=Role.MARKER,
            regex=r"^Epoch (?P<epoch>\d{1,7})/(?P<epochs>\d{1,7})\s{1,4}[━╸╺]{1,80}[ ━╸╺]{0,80} (?P<step>[1-9]\d{0,11})/(?P<planned>\d{1,12}) \d{1,4}:\d\d:\d\d • (?P<rest>.{0,400})",
            literals=("━", "╸", "╺"),
            samples=(
                "Epoch 2/2  ━━━━━━━━━━━━━━━━━ 20/20 0:00:01 • 0:00:00 18.73it/s train_loss: 0.282",
                "Epoch 1/2  ━━━━━             6/20 0:00:00 • 0:00:01 420.44it/s train_loss: 0.575",
                "Epoch 1/2  ━━━━━━━━━━━━━━━━━━ 20/20 0:00:00 • 0:00:00 589.72it/s train_loss: nan",
            ),
            near_misses=("Epoch 2/2 - loss: 0.5", "Epoch 1/3"),
            read=_rich,
        ),
        Pattern(
            name="rich_bar_anew",
            says="progress",
            role=Role.MARKER,
            regex=r"^Epoch (?P<epoch>[1-9]\d{0,6})/(?P<epochs>\d{1,7})\s{1,90}(?P<step>0)/(?P<planned>\d{1,12}) \d{1,4}:\d\d:\d\d • (?P<rest>.{0,400})",
            literals=(" • ",),
            samples=("Epoch 2/3                     0/20 0:00:00 • 0:00:00 0.00it/s v_num: 0.000",),
            near_misses=("Epoch 0/3                     0/20 0:00:00 • 0:00:00 0.00it/s v_num: 0.000", "Epoch 2/3"),
            read=_rich,
        ),
        Pattern(
            name="stopped",
            says="planned_end",
            role=Role.MARKER,
            regex=r"`Trainer\.fit` stopped: `max_(?:epochs|steps|time)=(?P<limit>[^`]{1,40})` reached",
            literals=("`Trainer.fit` stopped: ",),
            samples=("`Trainer.fit` stopped: `max_epochs=3` reached.", "`Trainer.fit` stopped: `max_steps=100` reached."),
            near_misses=("`Trainer.fit` stopped: Early stopping", "Trainer.fit stopped: `max_epochs=3` reached."),
        ),
        Pattern(
            name="early_stopping",
            says="planned_end",
            role=Role.MARKER,
            regex=r"Stopping threshold reached: .{1,200} Signaling Trainer to stop|did not improve in the last \d{1,6} records\. Best score: .{1,60} Signaling Trainer to stop",
            literals=("Stopping threshold reached: ", "did not improve in the last "),
            samples=(
                "Stopping threshold reached: train_loss = 1.6727298498153687 < 5.0. Signaling Trainer to stop.",
                "Monitored metric val_loss did not improve in the last 3 records. Best score: 1.673. Signaling Trainer to stop.",
            ),
            near_misses=("Monitored metric train_loss = nan is not finite. Signaling Trainer to stop.",),
            detail="early_stopping",
        ),
        Pattern(
            name="not_finite",
            says="nan_loss",
            role=Role.CONFIRMATION,
            regex=r"Monitored metric (?P<metric>.{1,80}) = (?P<value>-?(?:nan|inf)) is not finite",
            literals=("Monitored metric ",),
            samples=(
                "Monitored metric train_loss = nan is not finite. Previous best value was 1.673. Signaling Trainer to stop.",
                "Monitored metric val_loss = inf is not finite. Previous best value was inf. Signaling Trainer to stop.",
            ),
            near_misses=("Monitored metric val_loss did not improve in the last 3 records.",),
            cause=Cause.NAN_LOSS,
            detail="early_stopping",
        ),
        Pattern(
            name="interrupted",
            says="teardown",
            role=Role.CASCADE,
            regex=r"Detected KeyboardInterrupt, attempting graceful shutdown",
            literals=("Detected KeyboardInterrupt, attempting",),
            samples=("Detected KeyboardInterrupt, attempting graceful shutdown ...", "UserWarning: Detected KeyboardInterrupt, attempting graceful shutdown..."),
            near_misses=("graceful shutdown",),
            detail="interrupted",
        ),
        Pattern(
            name="restored",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r"Restored (?:all )?states from the checkpoint(?: file)?(?: at)?(?!.{0,300}/\.(?:scale_batch_size|lr_find)_)",
            literals=("Restored all states from the checkpoint", "Restored states from the checkpoint"),
            samples=("Restored all states from the checkpoint at /home/user/run/ckpt/last.ckpt", "Restored states from the checkpoint file at last.ckpt"),
            near_misses=(
                "Restoring the original weights",
                "Restoring states from the checkpoint path at ckpt/last.ckpt",
                "Restored all states from the checkpoint at /home/user/run/.scale_batch_size_a31b3234.ckpt",
            ),
        ),
        Pattern(
            name="requeue",
            says="preempted_text",
            role=Role.MARKER,
            regex=r"Handling auto-requeue signal|requeing job \d{1,12}",
            literals=("Handling auto-requeue signal", "requeing job"),
            samples=("Handling auto-requeue signal: 10", "requeing job 4711..."),
            near_misses=("SLURM auto-requeueing enabled. Setting signal handlers.",),
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="no_gpu",
            words=r"No supported gpu backend found|`?(?:CUDA|MPS)Accelerator`? can not run on your system|You requested gpu: .{1,80} But your machine only has",
            samples=(
                ("lightning.fabric.utilities.exceptions.MisconfigurationException", "No supported gpu backend found!"),
                ("lightning_fabric.utilities.exceptions.MisconfigurationException", "CUDAAccelerator can not run on your system since the accelerator is not available."),
                ("MisconfigurationException", "You requested gpu: [0, 1] But your machine only has: [0]"),
            ),
            near_misses=(("MisconfigurationException", "No `training_step()` method defined."),),
            cause=Cause.TRACEBACK,
            about="env",
        ),
        ExceptionRule(
            detail="metric_missing",
            words=r"conditioned on metric `.{1,80}` which is not available|ModelCheckpoint\(monitor='.{1,80}'\)`? could not find the monitored key",
            samples=(
                ("RuntimeError", "Early stopping conditioned on metric `val_acc` which is not available. Pass in or modify your `EarlyStopping` callback"),
                ("MisconfigurationException", "`ModelCheckpoint(monitor='val_loss')` could not find the monitored key in the returned metrics"),
            ),
            near_misses=(("KeyError", "'val_acc'"),),
            about="config",
        ),
        ExceptionRule(
            detail="slurm_tasks",
            words=r"You set `(?:devices|--ntasks)=.{1,40} in Lightning, but the number of tasks per node configured in SLURM|You set `--ntasks=\d{1,6}` in your SLURM bash script, but this variable is not supported",
            samples=(
                ("ValueError", "You set `devices=4` in Lightning, but the number of tasks per node configured in SLURM `--ntasks-per-node=1` does not match."),
                ("RuntimeError", "You set `--ntasks=8` in your SLURM bash script, but this variable is not supported. HINT: Use `--ntasks-per-node=8` instead."),
            ),
            near_misses=(("ValueError", "You set `devices=4`"),),
            about="config",
        ),
        ExceptionRule(
            detail="misconfigured",
            words=r".",
            samples=(("MisconfigurationException", "No `training_step()` method defined. Lightning `Trainer` expects as minimum a `training_step()`"), ("lightning.fabric.utilities.exceptions.MisconfigurationException", "`max_epochs` must be a non-negative integer or -1.")),
            near_misses=(("ValueError", "something else"),),
            about="config",
            of=r"MisconfigurationException$",
        ),
    ),
)

"""Keras 2 and 3: bars of = or ━, redrawn with backspaces or carriage returns; one line an epoch; callbacks. Recorded by running 2.13 and 3.15."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.exception_rule import ExceptionRule
from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_METRIC = re.compile(r" - (?P<key>[a-z]\w{0,40}): (?P<value>" + NUMBER + ")")


def _bar(found: re.Match[str], match: Match) -> Match | None:
    data: Data = {"step": int(found["step"]), "planned": int(found["planned"]), "per_epoch": True}
    for metric in _METRIC.finditer(match.line.text):
        value = number(metric["value"])
        if value is not None:
            data[metric["key"]] = value
    return Match(match.says, match.role, match.line, match.pattern, data=data) if "loss" in data else None


PARSER = Parser(
    program="Keras",
    patterns=(
        Pattern(
            name="bar",
            says="progress",
            role=Role.MARKER,
            regex=r"^\s{0,6}(?P<step>\d{1,9})/(?P<planned>\d{1,9}) (?:\[[=>.]{2,60}\]|━{2,60})\s{1,3}.{0,60}(?:step|ETA|\ds)",
            literals=("━━", "==", "[>", ".."),
            samples=(
                "10/100 ━━━━━━━━━━━━━━━━━━━━ 5s 50ms/step - accuracy: 0.5120 - loss: 1.2041",
                "100/100 [==============================] - 5s 50ms/step - loss: 1.2041 - accuracy: 0.5120",
            ),
            near_misses=("3/3 ━━━━━━━━━━━━━━━━━━━━ 0s 2ms/step", "==== 10/100 ===="),
            read=_bar,
        ),
        Pattern(
            name="epoch_line",
            says="progress",
            role=Role.MARKER,
            regex=r"^\s{0,6}(?P<step>\d{1,9})/(?P<planned>\d{1,9}) - [\d.]{1,9}s - (?P<rest>(?:[\d.]{1,9}[mu]?s/(?:step|epoch) - )?(?:loss|accuracy|[a-z]\w{0,40}): .{1,600})",
            literals=("s - ",),
            samples=(
                "32/32 - 0s - 4ms/step - loss: 0.4311 - mae: 0.5214",
                "32/32 - 0s - loss: 0.4311 - mae: 0.5214 - 83ms/epoch - 3ms/step",
            ),
            near_misses=("32/32 - done - loss: 0.4", "32/32 ━━━━━━━━━━━━━━━━━━━━ 0s 2ms/step"),
            read=_bar,
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"^\s{0,4}Epoch (?P<epoch>\d{1,7}): (?:.{1,120}, )?saving model to (?P<path>\S{1,300})",
            literals=("saving model to ",),
            samples=(
                "Epoch 1: val_loss improved from inf to 0.56146, saving model to best.h5",
                "Epoch 00003: saving model to ckpt/03.keras",
            ),
            near_misses=("Epoch 1: finished saving model to best.keras", "Epoch 2: val_loss did not improve from 0.56146", "saving model to disk is off"),
        ),
        Pattern(
            name="early_stopping",
            says="planned_end",
            role=Role.MARKER,
            regex=r"^\s{0,4}Epoch (?P<epoch>\d{1,7}): early stopping\b",
            literals=(": early stopping",),
            samples=("Epoch 4: early stopping", "Epoch 00012: early stopping"),
            near_misses=("early stopping is on", "Epoch 4: early stop"),
            detail="early_stopping",
        ),
        Pattern(
            name="not_finite",
            says="nan_loss",
            role=Role.CONFIRMATION,
            regex=r"Batch (?P<batch>\d{1,9}): Invalid loss, terminating training",
            literals=(": Invalid loss, terminating",),
            samples=("Batch 13: Invalid loss, terminating training", "Batch 0: Invalid loss, terminating training"),
            near_misses=("Invalid loss function",),
            cause=Cause.NAN_LOSS,
            detail="terminated_on_nan",
        ),
    ),
    exceptions=(
        ExceptionRule(
            detail="shapes",
            words=r"is incompatible with the layer|Shapes \(.{1,40}\) and \(.{1,40}\) are incompatible|Dimensions must be equal, but are|Input 0 .{0,40}of layer .{1,120} expected|Arguments `target` and `output` must have the same (?:shape|rank)",
            samples=(
                ("ValueError", 'Input 0 of layer "dense" is incompatible with the layer: expected axis -1 of input shape to have value 7, but received input with shape (None, 8)'),
                ("ValueError", "Shapes (None, 1) and (None, 10) are incompatible"),
                ("ValueError", 'Exception encountered when calling Sequential.call(). Input 0 of layer "dense" is incompatible with the layer'),
            ),
            near_misses=(("ValueError", "the layer is fine"),),
            about="config",
        ),
        ExceptionRule(
            detail="unknown_model",
            words=r"File not found: filepath=|No file or directory found at|Unable to (?:synchronously )?open file \(unable to open file: name = .{1,300}errno = 2",
            samples=(
                ("ValueError", "File not found: filepath=best.keras. Please ensure the file is an accessible `.keras` zip file."),
                ("OSError", "No file or directory found at best.h5"),
            ),
            near_misses=(("ValueError", "no file"),),
            cause=Cause.FILE_NOT_FOUND,
            about="asset",
        ),
        ExceptionRule(
            detail="corrupt_checkpoint",
            words=r"Unable to (?:synchronously )?open file \((?:file signature not found|truncated file)|File is not a zip file|filepath=.{1,300}is not a zip file|not an accessible `\.keras` zip file|Bad magic number for",
            samples=(
                ("OSError", "Unable to synchronously open file (truncated file: eof = 900, sblock->base_addr = 0, stored_eof = 27320)"),
                ("OSError", "Unable to open file (file signature not found)"),
                ("zipfile.BadZipFile", "File is not a zip file"),
            ),
            near_misses=(("OSError", "Unable to open the window"),),
            about="asset",
        ),
    ),
)

"""MMEngine 0.x and what stands on it (MMDetection 3, MMSegmentation 1, MMPretrain): ``Epoch(train)  [2][ 50/100]`` and ``Iter(train) [ 50/8000]``.

Formats: ``mmengine/runner/log_processor.py`` (get_log_after_iter), ``mmengine/hooks/checkpoint_hook.py``, ``mmengine/runner/runner.py``. Not run: MMCV has no wheel here.
"""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import NUMBER, fields
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_FIELDS = (
    ("loss", re.compile(r"(?<![\w.])loss: (" + NUMBER + r")(?!\S)")),
    ("learning_rate", re.compile(r"(?<![\w.])lr: (" + NUMBER + r")(?!\S)")),
    ("grad_norm", re.compile(r"(?<![\w.])grad_norm: (" + NUMBER + r")(?!\S)")),
)


def _train(found: re.Match[str], match: Match) -> Match:
    done, of = int(found["step"]), int(found["size"])
    data: Data = {**fields(match.line.text, _FIELDS)}
    if found["epoch"] is None:
        data |= {"step": done, "planned": of}
    else:  # steps are counted anew in each epoch
        epoch = int(found["epoch"])
        data |= {"epoch": float(epoch), "step": (epoch - 1) * of + done}
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="MMEngine",
    patterns=(
        Pattern(
            name="train",
            says="progress",
            role=Role.MARKER,
            regex=r"\b(?:Epoch\(train\) {1,8}\[ {0,8}(?P<epoch>[1-9]\d{0,6})\]|Iter\(train\) )\[ {0,10}(?P<step>\d{1,9})/(?P<size>\d{1,9})\]  ",
            literals=("Epoch(train) ", "Iter(train) "),
            samples=(
                "11/22 12:47:53 - mmengine - INFO - Epoch(train)  [2][ 50/100]  base_lr: 1.0000e-02 lr: 1.0000e-02  eta: 0:01:00  time: 0.1234  data_time: 0.0100  memory: 1234  grad_norm: 2.1  loss: 2.3456  loss_cls: 1.2",
                "2024/03/01 10:00:00 - mmengine - INFO - Iter(train) [   50/80000]  base_lr: 9.9e-03 lr: 9.9e-03  eta: 5:00:00  time: 0.2  data_time: 0.01  loss: nan  decode.loss_ce: nan",
                "11/22 12:47:53 - seglab - INFO - Epoch(train) [10][100/100]  lr: 1.0e-03  loss: 0.4",
            ),
            near_misses=("11/22 12:47:53 - mmengine - INFO - Epoch(val) [2][100/100]    coco/bbox_mAP: 0.3", "Epoch(train) [2] begins"),
            read=_train,
        ),
        Pattern(
            name="saving",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r" - Saving checkpoint at \d{1,9} (?:epochs|iterations)\s{0,4}$",
            literals=(" - Saving checkpoint at ",),
            samples=("11/22 12:47:53 - mmengine - INFO - Saving checkpoint at 2 epochs", "11/22 12:47:53 - mmengine - INFO - Saving checkpoint at 8000 iterations"),
            near_misses=("11/22 12:47:53 - mmengine - INFO - Saving checkpoint at the end",),
        ),
        Pattern(
            name="resumed",
            says="checkpoint_loaded",
            role=Role.MARKER,
            regex=r" - resumed epoch: \d{1,9}, iter: (?P<step>\d{1,12})",
            literals=(" - resumed epoch: ",),
            samples=("11/22 12:47:53 - mmengine - INFO - resumed epoch: 3, iter: 300", "2024/03/01 10:00:00 - mmengine - INFO - resumed epoch: 12, iter: 87960"),
            near_misses=("11/22 12:47:53 - mmengine - INFO - resumed",),
        ),
    ),
)  # fmt: skip

"""Whether a traceback itself shows that the run had trained: it goes through a function that is called only after a step or an epoch."""

from __future__ import annotations

import re

from gpualert_slurm.evidence import Evidence

_AFTER_STEPS = re.compile(
    r"(?:_maybe_log_save_evaluate|on_advance_end|(?:on_)?(?:train_)?(?:epoch|step|batch|iteration|rollout)_end|on_train_(?:epoch|batch|step)_end"
    r"|(?:training|train)_epoch_end|(?:after|end_of)_(?:train_)?(?:epoch|step|batch|iter(?:ation)?)|_?save_(?:check_?point|ckpt|snapshot))\Z"
)
"""Of transformers' Trainer, Lightning, Keras, skorch, Composer, fastai, MMEngine, XGBoost; and what loops of one's own save with."""
_BEFORE = "_run_sanity_check"
"""Lightning evaluates a little before it trains."""


def after_steps(function: str, known: str | None) -> str | None:
    """What the traceback showed so far (``known``), and ``function``, its next frame's."""
    name = function.rpartition(".")[2].rstrip("()")
    return _BEFORE if _BEFORE in (name, known) else name if _AFTER_STEPS.match(name) else known


def underway(error: Evidence | None) -> str | None:
    """The function that shows that steps had been done before ``error``; None where no frame shows it."""
    behind = str(error.data.get("behind", "")) if error is not None else ""
    return behind if behind and behind != _BEFORE else None

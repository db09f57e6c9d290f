"""Whether a traceback itself shows that the run had trained: it goes through a function that is called only after a step or an epoch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from gpualert_slurm.classifier.at_work import worked_before
from gpualert_slurm.classifier.measures import counted_before
from gpualert_slurm.evidence import Evidence

if TYPE_CHECKING:
    from gpualert_slurm.classifier.facts import Facts

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


def begun(facts: Facts, error: Evidence) -> str | None:
    """In words, what shows that the run had begun to learn before ``error``, though no line of progress is known; None where nothing does."""
    if (function := underway(error)) is not None:
        return f"its traceback goes through {function}, which comes after a step"
    if error.says not in {"exception", "error_line"}:
        return None
    if (count := counted_before(facts.job, error)) is not None:
        return f"it had counted to {count} in lines that measure something"
    worked = worked_before(facts.job, error, facts.ending.started_ns)
    return f"it was at work, as {worked} lines alike before the error tell" if worked is not None else None


def underway(error: Evidence | None) -> str | None:
    """The function that shows that steps had been done before ``error``; None where no frame shows it."""
    behind = str(error.data.get("behind", "")) if error is not None else ""
    return behind if behind and behind != _BEFORE else None

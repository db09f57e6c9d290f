"""tqdm bars (redrawn with carriage returns, on stderr), bare or as HF Trainer and Lightning draw them."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import NUMBER, count, number
from gpualert_slurm.classifier.parsers.plain_loop import extras
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_TRAINING = re.compile(r"^\s{0,4}(?:[Ee]poch|[Tt]rain|[Ss]teps?\b|[Ii]ter|[Pp]rogress|[Ff]it)")
_LOSS = re.compile(r"\b(?:(?:reduced_)?train_|step_|avg_|total_)?(?:loss|Loss|nll|ce|mse|bce|xent)\S{0,12}\s{0,2}[=:]\s{0,2}(?P<loss>" + NUMBER + ")")
_TRAIN_LOSS = re.compile(r"\btrain_loss\S{0,12}\s{0,2}[=:]\s{0,2}(?P<loss>" + NUMBER + ")")
"""The step's own loss, where a running mean stands beside it (Lightning < 2)."""
_EPOCH = re.compile(r"[Ee]poch:?\s{0,3}(\d{1,7})")


def _bar(found: re.Match[str], match: Match) -> Match | None:
    name, step, planned = found["name"], count(found["step"]), count(found["planned"])
    loss = _TRAIN_LOSS.search(found["rest"]) or _LOSS.search(found["rest"])
    if step is None or planned is None or step == 0 or (name.strip() and not _TRAINING.match(name) and not loss):
        return None
    data: Data = {"step": step, "planned": planned, **extras(found["rest"])}
    value = number(loss["loss"]) if loss else None
    if value is not None:
        data["loss"] = value
    epoch = _EPOCH.search(name)
    if epoch:
        data.update(epoch=float(epoch[1]), per_epoch=True)
    if not name.strip() and not loss:
        data["weak"] = True
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="tqdm",
    patterns=(
        Pattern(
            name="bar",
            says="progress",
            role=Role.MARKER,
            regex=r"^(?P<name>[^|%]{0,80}?):?\s{0,3}\d{1,3}%\|[^|]{0,300}\|\s{0,8}(?P<step>\d{1,12})/(?P<planned>\d{1,12}) \[(?P<rest>[^\]]{0,400})\]?",
            literals=("%|",),
            samples=(
                " 14%|█▍        | 137/1000 [00:10<01:03, 13.61it/s]",
                "Epoch 0:  10%|█         | 10/100 [00:01<00:09,  9.5it/s, v_num=0, train_loss=2.310]",
                "train: 50%|#####     | 5/10 [00:01<00:01,  4.0it/s, loss=0.3]",
            ),
            near_misses=(
                "Loading checkpoint shards: 100%|██████████| 3/3 [00:02<00:00,  1.2it/s]",
                "Map:  50%|█████     | 500/1000 [00:01<00:01, 400 examples/s]",
                "  0%|          | 0/1000 [00:00<?, ?it/s]",
                "100%|done",
            ),
            read=_bar,
        ),
    ),
)

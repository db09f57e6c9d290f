"""torchtune 0.1 to 0.6: its bar carries epoch, step and loss. Neither run nor read: from what is known of its messages."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.numbers import NUMBER, number
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern
from gpualert_slurm.evidence import Role

_PLANNED = re.compile(r"\| (?P<step>\d{1,12})/(?P<planned>\d{1,12}) \[")


def _bar(found: re.Match[str], match: Match) -> Match:
    data: Data = {"epoch": float(found["epoch"]), "step": int(found["step"])}
    loss = number(found["loss"])
    if loss is not None:
        data["loss"] = loss
    bar = _PLANNED.search(match.line.text)
    if bar:
        data["planned_of_epoch"] = int(bar["planned"])
    return Match(match.says, match.role, match.line, match.pattern, data=data)


PARSER = Parser(
    program="torchtune",
    patterns=(
        Pattern(
            name="bar",
            says="progress",
            role=Role.MARKER,
            regex=r"^(?P<epoch>\d{1,6})\|(?P<step>\d{1,12})\|Loss: (?P<loss>" + NUMBER + ")",
            literals=("|Loss: ",),
            samples=(
                "1|25|Loss: 1.5803951025009155:   2%|▏         | 25/1617 [00:40<42:40,  1.61s/it]",
                "2|3234|Loss: nan: 100%|██████████| 1617/1617 [43:00<00:00,  1.60s/it]",
            ),
            near_misses=("|Loss: 1.5", "epoch|step|Loss: 1.5"),
            read=_bar,
        ),
        Pattern(
            name="logged",
            says="progress",
            role=Role.MARKER,
            regex=r"^Step (?P<step>\d{1,12}) \| loss:(?P<loss>" + NUMBER + r") lr:(?P<learning_rate>" + NUMBER + ")",
            literals=(" | loss:",),
            samples=(
                "Step 10 | loss:1.5803951025009155 lr:2e-05 tokens_per_second_per_gpu:1234.5 peak_memory_active:10.2",
                "Step 3 | loss:nan lr:0.0001 tokens_per_second_per_gpu:99.0",
            ),
            near_misses=("Step ten | loss:1.5 lr:2e-05",),
            read=lambda found, match: Match(
                match.says,
                match.role,
                match.line,
                match.pattern,
                data={"step": int(found["step"]), "loss": float(found["loss"]), "learning_rate": float(found["learning_rate"])},
            ),
        ),
        Pattern(
            name="saved",
            says="checkpoint_saved",
            role=Role.MARKER,
            regex=r"(?:Model|Recipe|Adapter) checkpoint of size [\d.]{1,12} Gi?B saved to (?P<path>\S{1,300})",
            literals=(" checkpoint of size ",),
            samples=(
                "INFO:torchtune.utils._logging:Model checkpoint of size 4.98 GiB saved to /tmp/out/epoch_0/model-00001-of-00004.safetensors",
                "INFO:torchtune.utils.logging:Recipe checkpoint of size 1.20 GB saved to /tmp/out/recipe_state.pt",
            ),
            near_misses=("a checkpoint of size 4 was saved",),
        ),
    ),
)

"""Launchers that start a job's processes again within one log: torch's elastic agent (1.9 to 2.14, and launchers built on it)."""

from __future__ import annotations

from gpualert_slurm.classifier.pattern import Parser, Pattern
from gpualert_slurm.evidence import Role

PARSER = Parser(
    program="restarts",
    patterns=(
        Pattern(
            name="worker_group",
            says="restarted",
            role=Role.CASCADE,
            regex=r"(?:Worker group \w{1,20}\. (?P<left>\d{1,6})/\d{1,6} attempts left|Detected \d{1,6} new nodes from group_rank=\d{1,6}); will restart worker group",
            literals=("; will restart worker group",),
            samples=(
                "INFO:torch.distributed.elastic.agent.server.api:[default] Worker group FAILED. 2/3 attempts left; will restart worker group",
                "I1121 10:00:00.123000 4242 torch/distributed/elastic/agent/server/api.py:906] [default] Detected 1 new nodes from group_rank=0; will restart worker group",
            ),
            near_misses=("[default] Worker group FAILED. 0/3 attempts left", "the script will restart worker group"),
        ),
    ),
)

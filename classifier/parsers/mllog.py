"""MLPerf training logs: ``:::MLLOG`` lines, JSON behind the mark (mlperf_logging 0.7 to 5; older ones say ``:::MLPv0.5``)."""

from __future__ import annotations

import json
import re
from typing import Any

from gpualert_slurm.classifier.pattern import Data, Match, Parser, Pattern, refined
from gpualert_slurm.evidence import Role

MAX_JSON = 4000
_LOSSES = {"train_loss", "loss"}
_METRICS = {"eval_accuracy": "eval_accuracy", "eval_loss": "eval_loss", "eval_error": "eval_loss"}


def _entry(text: str) -> dict[str, Any]:
    """The entry's object, empty when it is cut or none."""
    try:
        entry = json.loads(text[:MAX_JSON])
    except (ValueError, RecursionError):
        return {}
    return entry if isinstance(entry, dict) else {}


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _read(found: re.Match[str], match: Match) -> Match | None:
    entry = _entry(found["json"])
    key, value = entry.get("key"), entry.get("value")
    more = entry.get("metadata")
    metadata = more if isinstance(more, dict) else {}
    plain = Match(match.says, Role.MARKER, match.line, match.pattern)
    if key == "run_start":
        return refined(plain, says="training_started")
    if key == "run_stop":
        status = str(metadata.get("status", ""))[:40]
        return refined(plain, says="planned_end" if status == "success" else "metrics", data={"status": status} if status else {})
    number = _number(value)
    if number is None:
        return None
    if key in _METRICS:
        return refined(plain, says="metrics", data={"name": _METRICS[key], "value": number})
    if key in _LOSSES:
        data: Data = {"loss": number}
        for name, field in (("step", "step_num"), ("step", "iteration_num"), ("epoch", "epoch_num"), ("step", "samples_count")):
            at = _number(metadata.get(field))
            if at is not None and name not in data and abs(at) < 1e15:
                data[name] = int(at) if name == "step" else at
        return refined(plain, says="progress", data=data if len(data) > 1 else {**data, "weak": True})
    return None


PARSER = Parser(
    program="MLPerf",
    patterns=(
        Pattern(
            name="entry",
            says="progress",
            role=Role.MARKER,
            regex=r"(?::::MLLOG|:::MLPv0\.\d\.\d) (?P<json>\{.{1,4000})",
            literals=(":::MLLOG ", ":::MLPv0."),
            samples=(
                ':::MLLOG {"namespace": "", "time_ms": 1714000000000, "event_type": "POINT_IN_TIME", "key": "train_loss", "value": 2.31, "metadata": {"file": "train.py", "lineno": 3, "step_num": 100}}',
                ':::MLLOG {"namespace": "", "time_ms": 1714000000001, "event_type": "INTERVAL_START", "key": "run_start", "value": null, "metadata": {"file": "train.py", "lineno": 1}}',
                ':::MLLOG {"namespace": "", "time_ms": 1714000000002, "event_type": "INTERVAL_END", "key": "run_stop", "value": null, "metadata": {"status": "success"}}',
                ':::MLLOG {"namespace": "", "time_ms": 1714000000003, "event_type": "POINT_IN_TIME", "key": "eval_accuracy", "value": 0.721, "metadata": {"epoch_num": 2}}',
            ),
            near_misses=(
                ':::MLLOG {"key": "global_batch_size", "value": 256}x',
                ':::MLLOG {"namespace": "", "key": "train_loss", "value": "nan", "metadata": {}}',
                ':::MLLOG {"namespace": "", "key": "submission_org", "value": "x"}',
                ":::MLLOG not json",
            ),
            read=_read,
        ),
    ),
)

"""Exceptions of ranks whose patience with the others ended: time-outs in a program's own words, known by the stillness before them.

The words alone prove nothing: a download, a lock or a loader times out as well. Such an end counts as a wait for other ranks only where there
are several, and nobody had made progress for long before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpualert_slurm.classifier.advance import Advance
from gpualert_slurm.classifier.meeting import counts_few, of_meeting
from gpualert_slurm.classifier.silence import SAFETY_FACTOR, SCANT_S
from gpualert_slurm.evidence import Evidence, Role

_TYPES = re.compile(
    r"(?:^|\.)(?:(?!Read|Pool|Http)\w{0,30}TimeoutError|timeout|TimeOutError|BrokenBarrierError|DeadlineExceeded|CollectiveTimeout\w{0,10}|BarrierTimeout\w{0,10})$"
)
_WORDS = re.compile(
    r"\btim(?:ed|e|ing)[ -]?out\b|\btimeout\b|deadline.?exceeded|gave up|giving up"
    r"|failed to pass monitored_?[bB]arrier|did not (?:join|arrive|answer|respond|reply|come|report|show up|reach)"
    r"|(?:never|not) (?:joined|arrived|answered|responded|came|reached|showed up)|\bshowed up\b|no (?:answer|reply|response|heartbeat|word) from",
    re.IGNORECASE,
)
_OTHER_BUSINESS = re.compile(
    r"https?\b|\burl|request|download|\bhub\b|huggingface|\bs3\b|bucket|\bboto|DataLoader|data ?loader|subprocess|TimeoutExpired|Command ['\"\[]"
    r"|\block\b|\.lock\b|filelock|database|\bsql|\bquery|redis|proxy|\bssl\b|mlflow|wandb|\bapi\b|licen[cs]e|CUDA|kernel|launch timed out"
    r"|environment step|\bgym|sample|\bbatch\b|file ?system|\bread(?:ing)? of",
    re.IGNORECASE,
)
_COLLECTIVE = re.compile(
    r"all[ _-]?(?:reduce|gather|to[ _-]?all)|broadcast|reduce|gather|barrier|collective|\b(?:recv|send|receive)\b|\branks?\b|\bpeers?\b",
    re.IGNORECASE,
)
_BETWEEN_RANKS = re.compile(
    r"(?:torch/(?!utils/data)|jax|tensorflow/|horovod/|mpi4py/|ray/|distributed/|dask/|zmq/|accelerate/|deepspeed/|lightning|pytorch_lightning|megatron)"
)
"""Libraries in which ranks wait for each other."""


def out_of_patience(said: Evidence) -> bool:
    """Whether an exception may be the end of a wait for other ranks, by its type and words."""
    kind, message = str(said.data.get("type", "")), f"{said.data.get('message', '')} {said.data.get('more', '')}".strip()
    place = str(said.data.get("raised_in", ""))
    if _OTHER_BUSINESS.search(kind) or _OTHER_BUSINESS.search(message) or (place and not _BETWEEN_RANKS.match(place)):
        return False
    if _TYPES.search(kind):
        return True
    return _WORDS.search(message) is not None and (of_meeting(message) or _COLLECTIVE.search(message) is not None)



def leaves(line: str) -> bool:
    """Whether somebody's last line says that it leaves because the others did not come or answer."""
    if _OTHER_BUSINESS.search(line):
        return False
    return bool(_WORDS.search(line) or _SILENT.search(line)) and (of_meeting(line) or _COLLECTIVE.search(line) is not None)


_SILENT = re.compile(r"\b(?:silent|missing|absent|unreachable|leaving|abort(?:ing)?|lost)\b", re.IGNORECASE)


def patience_of(said: Iterable[Evidence], advance: Advance, started_ns: int | None, *, alone: bool = False) -> frozenset[str]:
    """Those of ``said`` (by id) before which nobody had got on for long: since the last progress of all, else since the start.

    ``alone``: one rank is all that is known; then its words have to count the others (0/4 workers).
    """
    marks = [m.time_ns for m in advance.marks if m.time_ns is not None]
    enough = max(SCANT_S, SAFETY_FACTOR * (advance.interval_s or 0.0)) * 1e9
    found = set()
    for one in said:
        if one.role is not Role.ROOT or one.time_ns is None or not out_of_patience(one):
            continue
        if alone and not counts_few(str(one.data.get("message", ""))):
            continue
        since = max(marks) if marks else None if advance.seen else started_ns
        if since is not None and one.time_ns - since >= enough:
            found.add(one.id)
    return frozenset(found)

"""The one real card of this machine: what Slurm calls it, and other names for what tells it from all others."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from functools import cache


@dataclass(frozen=True)
class Card:
    """``kind`` such as ``h100``; ``places`` maps its UUID and serial to what shall stand in cases, as long as they are."""

    kind: str = "h100"
    places: dict[str, str] = field(default_factory=dict)


@cache
def card() -> Card:
    """As NVML has it; a nameless H100 where there is no NVML."""
    import pynvml

    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return Card()
    places: dict[str, str] = {}
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        name = _text(pynvml.nvmlDeviceGetName(handle))
        for ask in (pynvml.nvmlDeviceGetUUID, pynvml.nvmlDeviceGetSerial):
            try:
                places.update(other_names(_text(ask(handle))))
            except pynvml.NVMLError:
                continue
    finally:
        pynvml.nvmlShutdown()
    kind = re.search(r"\b([A-Z]+\d+[A-Z]*)\b", name)
    return Card(kind[1].lower() if kind else "gpu", places)


def other_names(word: str) -> dict[str, str]:
    """Another word of the same length and shape; of a UUID also without ``GPU-``."""
    word = word.removeprefix("GPU-")
    if len(word) < 8:
        return {}
    digits = iter(hashlib.sha512(b"gpualert " + word.encode()).hexdigest())
    made = "".join(_like(letter, next(digits)) if letter.isalnum() else letter for letter in word)
    return {word: made} if made != word else {}


def _like(letter: str, hexadecimal: str) -> str:
    if letter.isdigit() or letter in "abcdef":
        return str(int(hexadecimal, 16) % 10) if letter.isdigit() else hexadecimal if hexadecimal.isalpha() else "abcdef"[int(hexadecimal) % 6]
    return letter


def _text(answer: bytes | str) -> str:
    return answer.decode(errors="replace") if isinstance(answer, bytes) else answer

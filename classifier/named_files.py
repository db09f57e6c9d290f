"""Names of files as lines and messages tell them."""

from __future__ import annotations

import re

SHORTEST_NAME = 4
_BETWEEN = re.compile(r"[\s'\"`()\[\]{}<>,:;]")


def files(message: str) -> list[str]:
    """Words that look like a file's name: with an ending."""
    return [one for word in _BETWEEN.split(message[:2000]) if "." in (one := word.strip(".")) and len(one) <= 200][:20]


def names(text: str, path: str) -> bool:
    """Whether the path stands there, perhaps with an ending that a library gave it; also the last part of it, where that is no mere word."""
    last = path.rpartition("/")[2]
    wanted = [path, *([last] if re.search(r"[.\d]", last) else [])]
    return any(len(one) >= SHORTEST_NAME and re.search(rf"(?<![\w.-]){re.escape(one)}(?![\w-])", text) is not None for one in wanted)

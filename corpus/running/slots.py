"""Programs with places where code of a case stands: a line of its own, ``#: name``."""

from __future__ import annotations

import re

_SLOT = re.compile(r"^( *)#: (\w+)\n", re.MULTILINE)


def fill(text: str, **codes: str) -> str:
    """The program with each code at its place, as deep as the place is; places nobody fills are left out.

    Raises:
        KeyError: the program has no such place.
    """
    if unknown := set(codes) - {m[2] for m in _SLOT.finditer(text)}:
        raise KeyError(f"no place called {', '.join(sorted(unknown))}")

    def put(match: re.Match[str]) -> str:
        return "".join(f"{match[1]}{line}\n" if line else "\n" for line in codes.get(match[2], "").splitlines())

    return _SLOT.sub(put, text)

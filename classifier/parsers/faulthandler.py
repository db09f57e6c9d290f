"""CPython's faulthandler (``PYTHONFAULTHANDLER=1``): the Python line that ran when native code died, CPython 3.8 to 3.14."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.pattern import Data, Match, Parser, Story
from gpualert_slurm.evidence import Role

SIGNALS = {"Segmentation fault": 11, "Aborted": 6, "Bus error": 7, "Floating-point exception": 8, "Illegal instruction": 4}
_OPENS = re.compile(r"^Fatal Python error: (?P<what>Segmentation fault|Aborted|Bus error|Floating-point exception|Illegal instruction)")
_FRAME = re.compile(r'^ {1,8}File "(?P<file>[^"]{1,512})", line (?P<line>\d{1,9}) in (?P<function>.{1,200})')
_THREAD = re.compile(r"^(?:Current thread|Thread) 0x")
_LIBRARY = re.compile(r"site-packages|dist-packages|/lib/python3|^<frozen")


class Fault:
    """Reads the stack of the current thread, innermost frame first."""

    def __init__(self, opening: Line, name: str) -> None:
        self.opening, self.name = opening, name
        found = _OPENS.match(opening.text)
        self.what = found["what"] if found else ""
        self.current = False
        self.frames: list[tuple[str, int, str]] = []

    def take(self, line: Line) -> bool:
        """False where something else than a stack begins."""
        text = line.text
        if not text.strip():
            return True
        if _THREAD.match(text):
            self.current = text.startswith("Current")
            return True
        frame = _FRAME.match(text)
        if frame and self.current and len(self.frames) < 200:
            self.frames.append((frame["file"], int(frame["line"]), frame["function"].strip()))
        return bool(frame) or text.startswith(("Extension modules:", "  ...", "  <no Python frame>"))

    def close(self) -> list[Match]:
        """One match: the signal, and the innermost frame of the user's own code."""
        data: Data = {"signal": SIGNALS.get(self.what, 0)}
        own = next((f for f in self.frames if not _LIBRARY.search(f[0])), self.frames[0] if self.frames else None)
        if own:
            data.update(file=own[0], frame_line=own[1], function=own[2])
        cause = Cause.SEGFAULT if self.what == "Segmentation fault" else None
        return [Match("native_crash", Role.ROOT, self.opening, self.name, cause, data=data)]


PARSER = Parser(
    program="faulthandler",
    stories=(
        Story(
            name="fault",
            opens=_OPENS.pattern,
            literals=("Fatal Python error",),
            collect=Fault,
            samples=(
                (
                    'Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f (most recent call first):\n  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at\n'
                    '  File "/home/u/train.py", line 7 in batch\n\nExtension modules: numpy (total: 1)\n'
                ),
                "Fatal Python error: Bus error\n\n",
            ),
            near_misses=("Fatal Python error: init_fs_encoding: failed to get the Python codec", "no Fatal Python error here"),
        ),
    ),
)

"""Node.js: the exception that ended a program, in the form that versions 16 to 22 print: place, source line, caret, error, stack, version."""

from __future__ import annotations

import re

from gpualert_slurm.classifier.lines import Line
from gpualert_slurm.classifier.parsers.python import told
from gpualert_slurm.classifier.pattern import MAX_TEXT, Match, Parser, Story
from gpualert_slurm.evidence import Role

_OPENS = re.compile(r"^(?:node:internal/[\w./-]{1,200}|(?:file://)?/[^\s:]{1,300}\.[cm]?[jt]s):\d{1,9}$")
_ERROR = re.compile(r"^(?:Uncaught )?(?P<type>[A-Z]\w{0,60}(?:Error|Exception)|Error)(?: \[\w{1,60}\])?: (?P<message>.{1,4000})$")
_END = re.compile(r"^Node\.js v\d{1,3}\.")
_OWN = re.compile(r"^ {4}at .{0,300}?\(?(?:file://)?(?P<file>/[^\s:()]{1,300}):(?P<line>\d{1,9}):\d{1,9}\)?$")
MOST_LINES = 200


class Uncaught:
    """Reads up to Node's own last line: only a program that it ended has one."""

    def __init__(self, _opening: Line, name: str) -> None:
        self.name, self.read, self.over = name, 0, False
        self.error: Match | None = None
        self.placed = False

    def take(self, line: Line) -> bool:
        """False behind the version, or where there is none for too long."""
        self.read += 1
        if self.over or self.read > MOST_LINES:
            return False
        found = _ERROR.match(line.text)
        if found is not None and self.error is None:
            data: dict[str, str | int | float | bool] = {"type": found["type"], "message": found["message"].strip()[:MAX_TEXT]}
            self.error = Match("exception", Role.ROOT, line, self.name, data=data)
        own = _OWN.match(line.text)
        if own is not None and self.error is not None and not self.placed and "/node_modules/" not in own["file"]:
            self.error.data.update(file=own["file"], frame_line=int(own["line"]))
            self.placed = True
        self.over = _END.match(line.text) is not None
        return True

    def close(self) -> list[Match]:
        """The error, with what its words mean."""
        return [told(self.error)] if self.over and self.error is not None else []


_STORY = """node:internal/modules/cjs/loader:1207
  const err = new Error(message);
              ^

Error: Cannot find module '@tensorflow/tfjs-node'
Require stack:
- /home/u/trainer.js
    at Module._resolveFilename (node:internal/modules/cjs/loader:1207:15)
    at main (/home/u/trainer.js:10:14) {
  code: 'MODULE_NOT_FOUND'
}

Node.js v20.20.2
"""
PARSER = Parser(
    program="Node.js",
    stories=(
        Story(
            name="uncaught",
            opens=_OPENS.pattern,
            literals=("node:internal/", "js:", "ts:"),
            collect=Uncaught,
            samples=(
                _STORY,
                "/home/u/fit.js:12\n    throw new RangeError('step 3 of 2')\n    ^\n\nRangeError: step 3 of 2\n    at Object.<anonymous> (/home/u/fit.js:12:11)\n\nNode.js v18.19.1\n",
                "file:///home/u/fit.mjs:3\nconst a = JSON.parse(text)\n               ^\n\nSyntaxError: Unexpected end of JSON input\n    at file:///home/u/fit.mjs:3:16\n\nNode.js v22.3.0\n",
            ),
            near_misses=("served /home/u/fit.js:12 today", "    at Module.load (node:internal/modules/cjs/loader:1266:32)", "see fit.js:12"),
        ),
    ),
)

"""A foreign classifier: a command that is given a case and prints its answer. The protocol is in ``doc/corpus.md``."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path

from corpus.score.answer import Answer

LIMIT_S = 120


def ask(command: str, folder: Path) -> Answer:
    """``command FOLDER``: one JSON object on its standard output. What goes wrong is the answer's ``trouble``, never an exception."""
    try:
        done = subprocess.run([*shlex.split(command), str(folder)], capture_output=True, timeout=LIMIT_S, check=False)
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return Answer(trouble=str(error))
    if done.returncode != 0:
        return Answer(trouble=f"exit status {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    try:
        said = json.loads(done.stdout)
        return Answer.from_json(said if isinstance(said, dict) else {})
    except (ValueError, TypeError) as error:
        return Answer(trouble=f"no answer: {error}")

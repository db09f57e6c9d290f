"""What the rules answered when a test part was scored, before anybody had looked at it.

Rules that were mended after that look must not be told as if they had not seen it: so the first answers are kept in ``corpus/once.jsonl``, the report's
figures are of those, and what today's rules answer stands beside them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from corpus.score.answer import Answer
from corpus.score.measure import Scored

FORMAT = 1
NAME = "once.jsonl"


@dataclass(frozen=True)
class Once:
    """``rules`` is the commit whose rules answered, ``when`` the day and time of the scoring (UTC); answers by the cases' names."""

    rules: str
    when: str
    answers: Mapping[str, Answer]

    def instead(self, scored: Scored) -> Scored:
        """The same cases with the first answers, where there are any; cases that came later keep theirs."""
        return [(case, self.answers.get(case.name, answer)) for case, answer in scored]

    def differ(self, scored: Scored) -> list[str]:
        """Names of the cases that today's rules answer otherwise in mode or cause."""
        first = ((case, answer, self.answers[case.name]) for case, answer in scored if case.name in self.answers)
        return [case.name for case, now, then in first if (now.mode, now.cause) != (then.mode, then.cause)]


def read(path: Path) -> Once | None:
    """What was kept; None where nothing was.

    Raises:
        ValueError: a format that this reader does not know, or a line that is no answer.
    """
    if not path.exists():
        return None
    head, *rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    if head.get("format") != FORMAT:
        raise ValueError(f"{path}: format {head.get('format')!r} is not {FORMAT}: it was kept by another version of this program")
    return Once(str(head["rules"]), str(head["when"]), {str(row["case"]): Answer.from_json(row) for row in rows})


def keep(scored: Scored, rules: str, when: str, path: Path) -> None:
    """Write the answers to a test part that has just been scored."""
    head = {"format": FORMAT, "rules": rules, "when": when}
    path.write_text("".join(json.dumps(row) + "\n" for row in (head, *({"case": c.name, **a.as_json()} for c, a in scored))), encoding="utf-8")

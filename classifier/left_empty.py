"""Whether a run's settings have a place for what to go on from, and nothing stands there: ``resume=''``, ``fortsetzen = ,``, ``"resume": null``.

Then another file that it reads is none of its own earlier work: a base model, a teacher, weights to fine-tune.
"""

from __future__ import annotations

import re

from gpualert_slurm.job_record import JobRecord

MOST_TEXT = 8192
"""Of a log's head, in which a program prints its settings."""
_NAME = (
    r"(?:resume(?:[_-](?:from|path|file|ckpt|checkpoint|run)\w{0,12})?|restore(?:[_-](?:from|path|file|ckpt))?|restart[_-]from|reload"
    r"|continue(?:[_-](?:from|run))?|fortsetzen|weiter(?:machen)?|reprise|reprendre|reanudar|retomar|continuar|riprendi(?:_da)?|hervat(?:ten)?)"
)
_EMPTY = r"(?:['\"]?(?:None|null|nil|False|false|no|off)['\"]?|''|\"\"|\[\]|-{1,2}|–|—)"
_SET = re.compile(
    rf"(?<![\w.-]){_NAME}['\"]?[ \t]{{0,20}}[=:][ \t]{{0,4}}{_EMPTY}?(?=[ \t]{{0,4}}(?:[,;|)\]}}]|$))"
    rf"|^\W{{0,8}}{_NAME}['\"]?[ \t.:|│┃]{{0,60}}{_EMPTY}?[ \t|│┃]{{0,60}}$",
    re.IGNORECASE | re.MULTILINE,
)
_FULL = re.compile(
    rf"(?<![\w.-]){_NAME}['\"]?[ \t]{{0,20}}[=:][ \t]{{0,4}}['\"]?(?!{_EMPTY}(?![\w./~@+-]))"
    r"(?!(?:None|null|nil|False|false|no|off)(?![\w./~@+-]))[\w./~@+-]{2,300}",
    re.IGNORECASE,
)


def left_empty(job: JobRecord) -> bool:
    """Whether the settings that a log begins with say that nothing is resumed, and none of them says otherwise."""
    texts = [one.text[:MOST_TEXT] for report in job.reports for one in report.excerpts]
    return any(_SET.search(text) for text in texts) and not any(_FULL.search(text) for text in texts)

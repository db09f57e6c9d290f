"""Every case, staged without its label, and what a classifier says of it."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

from corpus.case import Case, stage
from corpus.score import baselines, foreign
from corpus.score.answer import Answer, own

OWN = "gpualert"


def answers(cases: Sequence[Case], who: str = OWN, *, workers: int = 2) -> list[Answer]:
    """In order. ``who`` is gpualert, a baseline's name, or a command."""
    with tempfile.TemporaryDirectory(prefix="case-") as folder, ProcessPoolExecutor(workers) as pool:
        return list(pool.map(partial(one, who, Path(folder)), cases, chunksize=8))


def one(who: str, below: Path, case: Case) -> Answer:
    """One case's answer; the staged folder's name is a hash: it tells nothing."""
    import shutil

    folder = stage(case, below / hashlib.sha256(case.name.encode()).hexdigest()[:12])
    try:
        if who == OWN:
            return own(folder)
        if who in baselines.BASELINES:
            return baselines.BASELINES[who](folder)
        return foreign.ask(who, folder)
    finally:
        shutil.rmtree(folder)

"""Settings that have a place for what to go on from, where nothing stands."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.left_empty import left_empty
from tests.unit.classifier.records import Run


def _left(text: str) -> bool:
    return left_empty(Run().rank(0, "n1", text + "\nstep 1 loss 2.0\n", code=1, end=3).record())


@pytest.mark.parametrize(
    "text",
    [
        "settings: fortsetzen = , vorlage = /p/basis.pt",
        '{\n "resume": null,\n "start_from": "/m/base"\n}',
        "Namespace(resume='', init='base.pt')",
        "flags {'restore': '', 'warm_start': ''}",
        "pas      240\nreprise\ntaux     0.1",
        "resume ............ None",
        "resume=False",
    ],
)
def test_nothing_is_resumed(text: str) -> None:
    """As they print it."""
    assert _left(text)


@pytest.mark.parametrize(
    "text",
    ["resume='run/500.pkl'", "resume: run/500.pkl, step 500", "resume=True", "nothing to resume", "will resume\nfoo", "resume=''\nresume=run/5.pt", "resume=\nresume=notes.pt", "lr=0.1"],
)
def test_something_is_or_nothing_is_said(text: str) -> None:
    """A path, a yes, prose."""
    assert not _left(text)

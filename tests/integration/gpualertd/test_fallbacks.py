"""When judging or composing fails, the owner still gets a mail, and it says what is missing."""

from __future__ import annotations

import email
import email.policy
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.config import Config, Mail
from gpualert_slurm.epilog.history.run import RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify import stored_message
from gpualert_slurm.notify.compose import Composition
from gpualert_slurm.notify.outbox import Outbox, State
from gpualert_slurm.programs.gpualertd import diagnosis, dispatch
from gpualert_slurm.programs.gpualertd.bounded import Bounded
from gpualert_slurm.programs.gpualertd.diagnosis import Around, Diagnosis
from gpualert_slurm.programs.gpualertd.dispatch import Dispatch
from gpualert_slurm.verdict import Verdict
from tests.unit.epilog.runs import T0, note, report, row

CONFIG = Config(mail=Mail(allowed_domains=("example.org",)))
real_compose = dispatch.compose


def broken_judge(record: JobRecord) -> Verdict:
    raise RecursionError(f"{len(record.reports)} reports were too much")


def died_judge(record: JobRecord) -> Verdict:
    os._exit(9)


def broken_compose(verdict: Verdict, record: JobRecord, config: Config, backlog: bool) -> Composition:
    if record.reports:
        raise ValueError("a log line nobody thought of")
    return real_compose(verdict, record, config)


def hopeless_compose(verdict: Verdict, record: JobRecord, config: Config, backlog: bool) -> Composition:
    raise OSError("no template")


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History(tmp_path / "history.db")
    opened.add(note(), T0)
    opened.add(report("n1"), T0)
    opened.add(report("n2"), T0)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def bounded() -> Bounded:
    return Bounded()


def judged(history: History, bounded: Bounded) -> Verdict:
    (run,) = history.runs(RunState.COLLECTING)
    pairs = Diagnosis(history, bounded, 120).of_run(run, [row()], Around(), alone=True)
    history.save_verdicts(run.id, pairs, T0)
    return pairs[-1][1]


@pytest.mark.parametrize(("judge", "why"), [(broken_judge, "RecursionError: 2 reports were too much"), (died_judge, "its process died with 9")])
def test_a_classifier_that_fails_gives_unknown(history: History, bounded: Bounded, monkeypatch: pytest.MonkeyPatch, judge: object, why: str) -> None:
    """Slurm's own words stay; the gap says what the classifier did."""
    monkeypatch.setattr(diagnosis, "judge", judge)
    verdict = judged(history, bounded)
    assert (verdict.mode, verdict.state, verdict.exit_code, verdict.confidence) == ("unknown", "FAILED", 3, 0.0)
    assert [g.why for g in verdict.gaps if g.what == "the diagnosis"] == [f"the classifier failed: {why}"]


def test_a_message_that_cannot_be_composed_goes_out_bare(history: History, bounded: Bounded, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without the reports it can: the owner gets Slurm's words, and is told that the rest could not be composed."""
    judged(history, bounded)
    monkeypatch.setattr(dispatch, "compose", broken_compose)
    outbox = Outbox(tmp_path / "outbox")
    Dispatch(history, outbox, CONFIG, bounded).judged()
    ((state, path),) = outbox.messages()
    assert state is State.QUEUED
    part = email.message_from_bytes(stored_message.read(path).message, policy=email.policy.default).get_body(("plain",))
    assert part is not None
    assert "the full message (it could not be composed: ValueError: a log line nobody thought of)" in " ".join(part.get_content().split())
    assert len(history.runs(RunState.COMPOSED)) == 1


def test_a_message_that_cannot_be_composed_at_all_is_not_forgotten(
    history: History, bounded: Bounded, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The run stays judged, others are not held up, and when composing works again the message goes out."""
    judged(history, bounded)
    outbox = Outbox(tmp_path / "outbox")
    waiting = Dispatch(history, outbox, CONFIG, bounded)
    monkeypatch.setattr(dispatch, "compose", hopeless_compose)
    waiting.judged()
    assert (list(outbox.messages()), len(history.runs(RunState.JUDGED))) == ([], 1)
    monkeypatch.setattr(dispatch, "compose", real_compose)
    waiting.judged()
    assert list(outbox.messages()) == []  # not at once: it waits two seconds
    Dispatch(history, outbox, CONFIG, bounded).judged()  # a daemon that starts anew
    assert len(list(outbox.messages())) == 1

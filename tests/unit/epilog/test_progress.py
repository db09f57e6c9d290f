from __future__ import annotations

from dataclasses import replace

import pytest

from gpualert_slurm.epilog.attempts import attempts
from gpualert_slurm.epilog.progress import FORGOTTEN_S, Known, Progress, Stage, progress
from tests.unit.epilog.runs import T0, S, note, report, row, state

BOTH = [report("n1"), report("n2")]


def known(late_s: float = 0.5, **changes: object) -> Known:
    """``late_s`` after the end was first seen; slurmctld has forgotten the job unless told otherwise."""
    now = T0 + 11 * S + int(late_s * S)
    base = Known(now_ns=now, first_seen_ns=T0, ended_seen_ns=T0 + 11 * S, report_deadline_s=120, accounting_deadline_s=300, unfinished={})
    return replace(base, **changes)  # type: ignore[arg-type]


def look(reports: list, rows: list, at: Known, notes: list | None = None) -> Progress:
    return progress(attempts([note()] if notes is None else notes, reports, rows), at)


def test_all_there_is_ready_at_once() -> None:
    assert look(BOTH, [row()], known()) == Progress(Stage.READY, "FAILED", (), ())


def test_a_running_job_is_left_alone() -> None:
    """Also when sacct still says PENDING for a job that runs, as 22.05 does for the first seconds."""
    for word in ("RUNNING", "PENDING", "SUSPENDED"):
        assert look([], [row(word, 0, None)], known(ended_seen_ns=None, unfinished=None)).stage is Stage.RUNNING


def test_a_late_report_is_waited_for_until_the_deadline() -> None:
    waiting = look([report("n1")], [row()], known(119))
    assert (waiting.stage, waiting.missing) == (Stage.ENDING, ("n2",))
    assert "n2" in waiting.why
    late = look([report("n1")], [row()], known(120))
    assert (late.stage, late.missing) == (Stage.READY, ("n2",))


def test_no_report_is_missing_that_may_lie_in_the_spool() -> None:
    """Ten thousand reports take the daemon minutes to open: none of them is called late meanwhile; nor does a spool that never empties hold a job for ever."""
    unread = look([report("n1")], [row()], known(121, unread=True))
    assert (unread.stage, unread.missing) == (Stage.ENDING, ("n2",))
    assert "spool" in unread.why
    assert look([report("n1")], [row()], known(1200, unread=True)).stage is Stage.READY


@pytest.mark.parametrize(("word", "stage"), [("DOWN*", Stage.READY), ("IDLE+NOT_RESPONDING", Stage.READY), ("MIXED+DRAIN", Stage.ENDING)])
def test_a_lost_node_is_not_waited_for(word: str, stage: Stage) -> None:
    """A node that is down sends no report; one that is drained still runs its epilog."""
    assert look([report("n1")], [row("NODE_FAIL")], known(node_states=(state("n2", word),))).stage is stage


def test_a_step_that_accounting_still_runs_is_waited_for() -> None:
    steps = tuple(s.model_copy(update={"state": "RUNNING", "end_ns": None}) if s.step == "0" else s for s in row().steps)
    assert look(BOTH, [row(steps=steps)], known()).stage is Stage.ENDING
    over = look(BOTH, [row(steps=steps)], known(300))
    assert (over.stage, [g.what for g in over.gaps]) == (Stage.READY, ["the end of step 0"])


def test_a_row_without_an_owner_gets_six_seconds() -> None:
    """Slurmctld tells slurmdbd names and owners every 5 s: a shorter job has its end before them."""
    assert look(BOTH, [row(uid=None)], known(5)).stage is Stage.ENDING
    assert look(BOTH, [row(uid=None)], known(6)).stage is Stage.READY


def test_a_requeue_is_no_end() -> None:
    """Slurmctld knows of the requeue before slurmdbd has the new row; and the new row says so itself."""
    assert look(BOTH, [row("NODE_FAIL")], known(unfinished={7: "PENDING"})).stage is Stage.RUNNING
    assert look(BOTH, [row("REQUEUED")], known(1)).stage is Stage.RUNNING
    assert look(BOTH, [row("REQUEUED"), row("PENDING", None, None)], known(1)).stage is Stage.RUNNING
    assert look(BOTH, [row("REQUEUED"), row("RUNNING", 130, None)], known(1)).stage is Stage.RUNNING


def test_an_end_that_slurm_requeues_by_itself_waits_for_slurmctld() -> None:
    """NODE_FAIL and PREEMPTED are followed by a requeue: while slurmctld cannot be asked, the end is not believed."""
    assert look(BOTH, [row("NODE_FAIL")], known(unfinished=None)).stage is Stage.ENDING
    assert look(BOTH, [row("NODE_FAIL")], known(unfinished={7: "COMPLETING"})).stage is Stage.ENDING
    assert look(BOTH, [row("NODE_FAIL")], known(300, unfinished=None)).stage is Stage.READY
    assert look(BOTH, [row("FAILED")], known(unfinished=None)).stage is Stage.READY
    assert look(BOTH, [row("FAILED")], known(unfinished={7: "COMPLETING"})).stage is Stage.READY


def test_a_requeue_that_never_came_is_reported() -> None:
    over = look(BOTH, [row("REQUEUED")], known(300))
    assert (over.stage, [g.what for g in over.gaps]) == (Stage.READY, ["Slurm's final accounting record"])


def test_accounting_that_is_away_is_waited_for_and_then_named() -> None:
    away = "sacct ended with 1: Unable to contact slurmdbd"
    assert look(BOTH, [], known(299, records_error=away)).stage is Stage.ENDING
    over = look(BOTH, [], known(300, records_error=away))
    assert over.stage is Stage.READY
    assert [g.what for g in over.gaps] == ["Slurm's final accounting record"]
    assert away in over.gaps[0].why


def test_a_stale_running_row_does_not_outlive_its_reports() -> None:
    """Reports are there, sacct still says RUNNING: slurmctld decides, and after the deadline the mail says so."""
    stale = [row("RUNNING", 0, None)]
    assert look(BOTH, stale, known(400, unfinished={7: "RUNNING"})).stage is Stage.RUNNING
    assert look(BOTH, stale, known(100)).stage is Stage.ENDING
    over = look(BOTH, stale, known(400))
    assert (over.stage, "RUNNING" in over.gaps[0].why) == (Stage.READY, True)


def test_a_job_that_slurm_has_never_heard_of_is_not_kept_for_ever() -> None:
    """Only a note, no row, and slurmctld does not know it: after two days it is reported as it is."""
    then = int(FORGOTTEN_S) * S
    before = known(ended_seen_ns=None, now_ns=T0 + then - S)
    after = known(ended_seen_ns=None, now_ns=T0 + then + S)
    assert look([], [], before).stage is Stage.RUNNING
    assert look([], [], replace(after, unfinished=None)).stage is Stage.ENDING
    assert look([], [], after).stage is Stage.READY
    assert look([], [], replace(after, unfinished={7: "RUNNING"})).stage is Stage.RUNNING
    assert look([], [], replace(after, records_error="away")).stage is Stage.RUNNING

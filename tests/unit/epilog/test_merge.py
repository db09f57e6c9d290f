from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.accounting import StepRecord
from gpualert_slurm.epilog.merge import expected_nodes, merge
from gpualert_slurm.wishes import Wishes
from tests.unit.epilog.runs import T0, S, note, report, row, state


def test_a_whole_run() -> None:
    record = merge([note()], [report("n2", 4.0), report("n1")], [row()])
    assert (record.attempt.job_id, record.attempt.restart_count, record.attempt.start_time_ns) == (7, 0, T0)
    assert (record.nodes, [r.node for r in record.reports]) == (("n1", "n2"), ["n1", "n2"])
    assert (record.uid, record.user, record.name, record.exit_code, record.exit_signal) == (1000, "alice", "train", 3, 0)
    assert (record.started_ns, record.ended_ns, record.gaps) == (T0, T0 + 10 * S, ())


def test_a_node_reports_once() -> None:
    """A report sent twice, or made again after a crash of the collector, counts once: the one written last."""
    newer = report("n1", written_ns=T0 + 99 * S)
    record = merge([], [newer, report("n1"), newer, report("n2")], [row()])
    assert record.reports == (newer, report("n2"))


def test_each_missing_report_is_a_gap_with_its_reason() -> None:
    record = merge([note()], [], [row("NODE_FAIL")], node_states=[state("n2", "DOWN*")], waited_s=120)
    assert [(g.node, g.what, g.why) for g in record.gaps] == [
        ("n1", "no report", "none arrived within 120 s of the job's end"), ("n2", "no report", "Slurm has the node as DOWN*")]


def test_a_node_where_no_step_ran_owes_no_report() -> None:
    """Two nodes, but only a batch script on the first: the plugin never began on the second."""
    batch_only = row(steps=(StepRecord(step="batch", state="FAILED", node_list="n1"), StepRecord(step="extern", state="FAILED", node_list="n[1-2]")))
    assert expected_nodes(batch_only, ()) == ("n1",)
    assert merge([note()], [report("n1")], [batch_only]).gaps == ()
    assert expected_nodes(row(steps=()), ()) == ("n1", "n2")


@pytest.mark.parametrize(
    ("foreign", "why"),
    [
        (report("n9"), "n9 is not in the allocation n[1-2]"),
        (report("n2", job_id=8), "it is of job 8"),
        (report("n2", uid=1001, user="bob"), "it is of a job of uid 1001"),
    ],
)
def test_a_foreign_report_is_refused_and_named(foreign: object, why: str) -> None:
    """A report whose node is not in the allocation is refused, so is one of another job or user."""
    record = merge([note()], [report("n1"), report("n2"), foreign], [row()])  # type: ignore[list-item]
    assert [r.node for r in record.reports] == ["n1", "n2"]
    assert [(g.what, g.why) for g in record.gaps] == [("report refused", why)]


def test_slurm_s_owner_decides_whose_run_it_is() -> None:
    """Notes of two users with one job id (the id wrapped): the one that Slurm's row names is the owner."""
    record = merge([note(uid=1001), note(0.7)], [report("n1"), report("n2")], [row()])
    assert (record.uid, record.gaps) == (1000, ())


def test_without_accounting_the_reports_speak() -> None:
    record = merge([], [report("n1"), report("n2")], [])
    assert (record.nodes, record.exit_code, record.accounting, record.name) == (("n1", "n2"), 3, (), None)
    assert (record.started_ns, record.ended_ns) == (T0 + S // 2, T0 + 10_200_000_000)


def test_a_row_without_an_owner_has_no_name_yet() -> None:
    """Sacct prints "allocation" for a job that slurmdbd knows only by its end; the epilog's environment has the name."""
    early = row(uid=None, name="allocation")
    named = report("n1", epilog_env={"SLURM_JOB_NAME": "train.sh"})
    assert merge([], [named, report("n2")], [early]).name == "train.sh"
    assert merge([note()], [], [early]).name is None
    task = note()
    task = task.model_copy(update={"attempt": task.attempt.model_copy(update={"array_job_id": 5, "array_task_id": 2})})
    assert merge([task], [], [early]).attempt.label == "5_2"
    assert merge([task], [], [row()]).attempt.label == "7"


def test_who_asked_is_found_wherever_it_stands() -> None:
    """Srun inside an allocation may ask alone: wishes of a later node count where the first one asked nothing."""
    silent = report("n1", wishes=Wishes())
    assert merge([], [silent, report("n2", 4.0)], [row()]).wishes.addresses == ("alice@example.org",)
    assert merge([], [], [row()], fallback=note()).wishes.addresses == ("alice@example.org",)
    with pytest.raises(ValueError, match="nobody who asked"):
        merge([], [], [row()])


def test_the_restart_count_of_an_attempt_without_reports_is_its_place_among_the_rows() -> None:
    rows = [row("REQUEUED", 0, 10), row("FAILED", 130, 140)]
    assert merge([note(130.2)], [], rows).attempt.restart_count == 1


reports = st.lists(
    st.builds(
        lambda node, at, job, uid, written: report(node, at, job_id=job, uid=uid, written_ns=T0 + written * S),
        st.sampled_from(["n1", "n2", "n9"]), st.floats(0, 9), st.sampled_from([7, 7, 7, 8]), st.sampled_from([1000, 1000, 1001]), st.integers(0, 3),
    ),
    max_size=6,
)


@given(reports, st.booleans(), st.randoms())
def test_the_order_of_reports_does_not_matter(given_reports: list, with_row: bool, random: object) -> None:
    accounting = [row()] if with_row else []
    notes = [note(), note(0.2)]
    merged = merge(notes, given_reports, accounting)
    for _ in range(3):
        random.shuffle(given_reports)  # type: ignore[attr-defined]
        notes.reverse()
        assert merge(notes, given_reports, accounting) == merged


@given(reports)
def test_a_report_is_kept_folded_or_named(given_reports: list) -> None:
    """Every node that reported is in the record, or refused by name; every node that owed a report and gave none is a gap."""
    record = merge([note()], given_reports, [row()])
    refused = {g.node for g in record.gaps if g.what == "report refused"}
    missing = {g.node for g in record.gaps if g.what == "no report"}
    kept = {r.node for r in record.reports}
    assert {r.node for r in given_reports} <= kept | refused
    assert missing == {"n1", "n2"} - kept
    assert len(kept) == len(record.reports)

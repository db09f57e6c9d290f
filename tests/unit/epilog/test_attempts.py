from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gpualert_slurm.epilog.attempts import attempts
from tests.unit.epilog.runs import note, report, row


def test_one_run_is_one_try() -> None:
    found = attempts([note()], [report("n1"), report("n2", 4.0)], [row()])
    assert [(t.row is not None, len(t.notes), len(t.reports)) for t in found] == [(True, 1, 2)]


def test_a_requeued_job_s_runs_are_kept_apart() -> None:
    """Two attempts of one job id: each row has the note and the reports that began in it."""
    rows = [row("REQUEUED", 0, 10), row("FAILED", 130, 140)]
    found = attempts([note(130.4), note(0.5)], [report("n2", 131, 140, restart=1), report("n1", 0.5)], rows)
    assert [(t.row.state, len(t.notes), [r.node for r in t.reports]) for t in found if t.row] == [("REQUEUED", 1, ["n1"]), ("FAILED", 1, ["n2"])]


def test_a_restart_count_that_accounting_knows_decides() -> None:
    """24.11 has Restarts: a report of restart 1 is not put to the row of restart 0, however near in time."""
    found = attempts([], [report("n1", 9.9, restart=1)], [row("REQUEUED", 0, 10, restarts=0), row("FAILED", 11, 20, restarts=1)])
    assert [len(t.reports) for t in found] == [0, 1]


def test_without_accounting_reports_of_one_restart_count_belong_together() -> None:
    found = attempts([note(0.5), note(130)], [report("n1", 0.6), report("n2", 4), report("n1", 130, 140, restart=1)], [])
    assert [(len(t.notes), len(t.reports)) for t in found] == [(1, 2), (1, 1)]


def test_a_row_that_has_not_started_stands_last() -> None:
    found = attempts([note()], [], [row("PENDING", None, None), row("REQUEUED", 0, 10)])
    assert [t.row.state for t in found if t.row] == ["REQUEUED", "PENDING"]


def test_clocks_may_differ_a_little() -> None:
    """A node 3 s behind the controller still reports the run; one that is a minute off is another run."""
    assert len(attempts([note(-3)], [], [row()])) == 1
    assert len(attempts([note(-60)], [], [row()])) == 2


documents = st.lists(st.tuples(st.booleans(), st.floats(-20, 300), st.sampled_from(["n1", "n2", "n3"]), st.sampled_from([None, 0, 1])), max_size=8)


@given(documents, st.randoms())
def test_no_document_is_lost_and_their_order_does_not_matter(specs: list[tuple[bool, float, str, int | None]], random: object) -> None:
    notes = [note(at, node=node) for is_note, at, node, _ in specs if is_note]
    reports = [report(node, at, at + 5, restart=count) for is_note, at, node, count in specs if not is_note]
    rows = [row("REQUEUED", 0, 10), row("FAILED", 130, 140)]
    found = attempts(notes, reports, rows)
    assert sum(len(t.documents) for t in found) == len(specs)
    shuffled = [list(notes), list(reports), list(rows)]
    for each in shuffled:
        random.shuffle(each)  # type: ignore[attr-defined]
    assert attempts(*shuffled) == found  # type: ignore[arg-type]

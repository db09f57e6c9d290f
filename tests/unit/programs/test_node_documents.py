"""A report that the daemon would refuse is made smaller, and says by what."""

from __future__ import annotations

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.evidence import Evidence, FieldValue, Role, Trust, Where
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.programs.gpualert_node.documents import within
from gpualert_slurm.series import Series
from gpualert_slurm.wishes import Wishes


def evidence(number: int, trust: Trust) -> Evidence:
    source = FieldValue(record="r", query="q", name="n", value="x" * 200)
    return Evidence(id=f"e{number}", says="kernel_line", role=Role.CONFIRMATION, trust=trust, source=source, where=Where(node="n1"))


def a_report() -> NodeReport:
    points = tuple(range(2000))
    return NodeReport(
        attempt=Attempt(cluster="c", job_id=7), uid=1, node="n1", nodes="n1", boot_id="b", wishes=Wishes(), written_ns=1,
        series=(Series(name="loss", times_ns=points, values=tuple(map(float, points)), where=Where(node="n1")),),
        excerpts=(Excerpt(path="/l", where=Where(node="n1"), stream="out", head="", tail="y" * 9000, bytes_total=9000, bytes_left_out=0),),
        evidence=(*(evidence(n, Trust.USER) for n in range(50)), evidence(99, Trust.SYSTEM)),
    )


def test_what_fits_stays_as_it_is():
    """Nothing is taken from an ordinary report."""
    report = a_report()
    assert within(report, len(report.json_bytes())) == report


def test_what_does_not_fit_goes_by_worth_and_is_named():
    """Series first, what the kernel said never; each with its gap."""
    smaller = within(a_report(), 40_000)
    assert (smaller.series, len(smaller.excerpts), len(smaller.evidence)) == ((), 1, 51)
    smallest = within(a_report(), 3000)
    assert [e.id for e in smallest.evidence] == ["e99"]
    assert [g.what for g in smallest.gaps] == ["the report's series", "the report's artifacts", "the report's excerpts", "the report's evidence from logs"]
    assert len(smallest.json_bytes()) <= 3000

"""Pictures from the series of the reports: right, bounded, complete without being seen."""

from __future__ import annotations

import io
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from gpualert_slurm.evidence import Where
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notify.chart import Bar, Line, Panel, bars, lines
from gpualert_slurm.notify.compose import compose
from gpualert_slurm.notify.pictures import draw
from gpualert_slurm.notify.render import MAX_HTML_BYTES
from gpualert_slurm.rank import RankLog
from gpualert_slurm.series import Series
from tests.unit.notify.cases import CASES, GPU, MAIL, START, ZONE, S


def with_series(case: str = "startup_crash", *, loss: tuple[float, ...] = (), gpus: int = 0, points: int = 200, ranks: int = 0) -> tuple:
    """A case whose first report has these series: the last GPU is idle in the second half; rank 0 goes silent first."""
    verdict, job = CASES[case]()
    series: list[Series] = []
    if loss:
        series.append(Series(name="loss", where=Where(rank=0), steps=tuple(range(10, 10 * len(loss) + 1, 10)), times_ns=(None,) * len(loss), values=loss, points_seen=len(loss)))
    times = tuple(START + i * S for i in range(points))
    for g in range(gpus):
        busy = tuple(90.0 if g < gpus - 1 or i < points // 2 else 0.0 for i in range(points))
        where = Where(node="n1", rank=g, gpu_uuid=GPU.format(g))
        series.append(Series(name="gpu_utilization_percent", where=where, times_ns=times, values=busy, points_seen=points))
        series.append(Series(name="gpu_memory_used_bytes", where=where, times_ns=times, values=tuple(i * 3e8 for i in range(points)), points_seen=points))
    logs = tuple(RankLog(path=f"/l/{r}", node="n1", step="0", stream="both", rank=r, local_rank=r, last_write_ns=START + (r + 1) * S) for r in range(ranks))
    report = job.reports[0].model_copy(update={"series": tuple(series), "logs": logs})
    return verdict, job.model_copy(update={"reports": (report, *job.reports[1:])})


def names(job: tuple) -> list[str]:
    return [d.attachment.filename for d in draw(*job, ZONE)]


def test_without_series_there_is_no_picture():
    assert names(with_series()) == []


def test_each_series_that_is_there_is_a_picture():
    assert names(with_series(loss=(3.0, 2.0), gpus=2, ranks=4)) == ["loss.png", "gpus.png", "output.png"]
    assert names(with_series(loss=(3.0, 2.0))) == ["loss.png"]
    assert names(with_series(ranks=1)) == [], "one rank's last output is no comparison"


def test_what_would_show_nothing_is_not_drawn():
    """Curves of a few seconds; ranks that fell silent together."""
    assert names(with_series(gpus=2, points=15)) == []
    assert names(with_series(ranks=2)) == []


def test_the_alternative_text_is_the_fact():
    loss, gpus, output = (d.picture.alt for d in draw(*with_series(loss=(8.0, 4.0, math.nan), gpus=3, ranks=4), ZONE))
    assert loss == "Loss from 8 at step 10 to 4 at step 20; not a finite number from step 30 on"
    assert "rank 2" in gpus
    assert "at 0 % for the last 99 s" in gpus
    assert output.startswith("Of 4 ranks rank 0 went silent first, at 2026-09-21 14:13:21 UTC")


def test_what_is_drawn_is_png_of_twice_the_size_and_opaque():
    for drawn in draw(*with_series(loss=tuple(8 / (i + 1) for i in range(500)), gpus=8, ranks=16), ZONE):
        image = Image.open(io.BytesIO(drawn.attachment.content))
        assert image.format == "PNG"
        assert image.size == (2 * drawn.picture.width, 2 * drawn.picture.height)
        assert "transparency" not in image.info
        assert len(drawn.attachment.content) < 80_000


def test_a_mail_with_three_pictures_shows_each_by_cid_and_is_complete_without_them():
    verdict, job = with_series(loss=(8.0, 4.0), gpus=2, ranks=4)
    pictures = draw(verdict, job, ZONE)
    mail = compose(verdict, job, MAIL, zone=ZONE, pictures=pictures).notification
    assert mail is not None
    assert len(mail.html.encode()) <= MAX_HTML_BYTES
    for drawn in pictures:
        assert f'src="cid:{drawn.attachment.content_id}"' in mail.html
        assert drawn.picture.alt in " ".join(mail.text.split()), "who reads the text part learns the same"


def test_under_backlog_the_mail_says_that_pictures_were_left_out():
    verdict, job = with_series(loss=(8.0, 4.0))
    mail = compose(verdict, job, MAIL, zone=ZONE, no_pictures="more than 20 mails were waiting").notification
    assert mail is not None
    assert "pictures of loss, GPUs and last output: more than 20 mails were waiting" in mail.text


def test_a_series_that_makes_no_sense_costs_its_picture_not_the_mail():
    verdict, job = with_series(loss=(math.nan, math.inf), gpus=2)
    assert [d.attachment.filename for d in draw(verdict, job, ZONE)] == ["gpus.png"]
    ragged = Series(name="loss", steps=(1,), values=(1.0, 2.0, 3.0), times_ns=())
    report = job.reports[0].model_copy(update={"series": (ragged,)})
    assert len(draw(verdict, job.model_copy(update={"reports": (report,)}), ZONE)) == 1


VALUES = st.floats(allow_nan=True, allow_infinity=True, width=32)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(VALUES, VALUES), max_size=30), st.text(max_size=40))
def test_no_numbers_and_no_words_break_a_chart(points, words):
    finite_x = sorted((x, y) for x, y in points if math.isfinite(x))
    line = Line(words, [x for x, _ in finite_x], [y for _, y in finite_x])
    for png, width, height in (lines([Panel(words, [line, line], words)]), bars(words, [Bar(words, 1.0, words)], words, 2.0)):
        assert Image.open(io.BytesIO(png)).size == (2 * width, 2 * height)


@pytest.mark.parametrize("count", [33, 200])
def test_many_gpus_and_ranks_are_cut_and_said(count):
    verdict, job = with_series(gpus=count, points=30, ranks=count)
    assert all(len(d.attachment.content) < 120_000 for d in draw(verdict, job, ZONE))


def test_drawing_changes_nothing():
    verdict, job = with_series(loss=(8.0, 4.0))
    before = job.json_bytes()
    draw(verdict, job, ZONE)
    assert JobRecord.model_validate_json(before) == job

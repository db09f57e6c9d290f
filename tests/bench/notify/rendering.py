"""One mail with three pictures: drawn, composed, as the daemon's child does it."""

from __future__ import annotations

import math
import time

from gpualert_slurm.notify import preload
from gpualert_slurm.notify.compose import compose
from gpualert_slurm.notify.pictures import draw
from tests.bench.compare import Progress, Row, median, rounds, spread
from tests.unit.notify.cases import MAIL, ZONE
from tests.unit.notify.test_pictures import with_series

BOUND_S, BOUND_BYTES = 0.3, 80 * 1024


def run(progress: Progress) -> list[Row]:
    """Eight GPUs, sixteen ranks, a loss of a thousand points."""
    assert preload
    verdict, job = with_series(loss=tuple(2 + 6 * math.exp(-i / 200) for i in range(1000)), gpus=8, points=400, ranks=16)
    took: list[float] = []
    for number in range(rounds(20) + 1):
        start = time.perf_counter()
        pictures = draw(verdict, job, ZONE)
        mail = compose(verdict, job, MAIL, zone=ZONE, pictures=pictures).notification
        if number:
            took.append(time.perf_counter() - start)
        progress(f"{number}")
    assert mail is not None
    assert len(pictures) == 3
    size, png = len(mail.html.encode()), sum(len(p.attachment.content) for p in pictures)
    return [
        Row("rendering one mail with three pictures", f"{median(took) * 1000:.0f} ms", f"≤ {BOUND_S * 1000:.0f} ms", median(took) <= BOUND_S, spread(took, 1000, "ms", 0)),
        Row("its HTML", f"{size / 1024:.1f} KiB", f"≤ {BOUND_BYTES // 1024} KiB", size <= BOUND_BYTES, f"its pictures have {png / 1024:.0f} KiB"),
    ]  # fmt: skip

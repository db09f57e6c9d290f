"""By hand: jobs of many cards in several frameworks, and what came of each."""

from collections.abc import Iterator

from corpus.make import _pollen_a, _pollen_b, _pollen_c, _pollen_d
from corpus.running.job import HandJob, Recipe


def jobs() -> Iterator[HandJob]:
    """All."""
    for maker in (*_pollen_a.JOBS, *_pollen_b.JOBS, *_pollen_c.JOBS, *_pollen_d.JOBS):
        yield HandJob(*maker())


RECIPE = Recipe("pollen_oars_by_pen", "development", jobs)
"""JAX, TensorFlow, NeMo, Megatron and homes of their own: 8 to 48 ranks."""

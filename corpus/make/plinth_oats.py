"""Programs that log as the well-known trainers do, and home-made ones; training, inference and preparation of data."""

from corpus.make._plinth_oats_a import JOBS as A
from corpus.make._plinth_oats_b import JOBS as B
from corpus.make._plinth_oats_c import JOBS as C
from corpus.running.job import Recipe

RECIPE = Recipe("plinth_oats", "development", lambda: iter((*A, *B, *C)))

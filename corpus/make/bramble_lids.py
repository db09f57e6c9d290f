"""Scripts of single users: vision, science, games."""

from corpus.make._bramble_a import JOBS as A
from corpus.make._bramble_b import JOBS as B
from corpus.make._bramble_c import JOBS as C
from corpus.running.job import Recipe

RECIPE = Recipe("bramble_lids", "test", lambda: iter((*A, *B, *C)))

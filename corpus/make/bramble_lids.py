"""Scripts of single users: vision, science, games."""

from corpus.make._bramble_a import JOBS as A
from corpus.make._bramble_a2 import JOBS as A2
from corpus.make._bramble_b import JOBS as B
from corpus.make._bramble_b2 import JOBS as B2
from corpus.make._bramble_c import JOBS as C
from corpus.make._bramble_c2 import JOBS as C2
from corpus.running.job import Recipe

RECIPE = Recipe("bramble_lids", "development", lambda: iter((*A, *A2, *B, *B2, *C, *C2)))

"""PyTorch on the CPU in the manner of teams with pipelines of their own, one or several processes."""

from corpus.make._cork_harrows_a import JOBS as A
from corpus.make._cork_harrows_b import JOBS as B
from corpus.make._cork_harrows_c import JOBS as C
from corpus.make._cork_harrows_d import JOBS as D
from corpus.make._cork_harrows_e import JOBS as E
from corpus.running.job import Recipe

RECIPE = Recipe("cork_harrows", "development", lambda: iter((*A, *B, *C, *D, *E)))

"""More programs in the manner of known trainers and of nobody's: several processes in one log, evaluation, sampling, sweeps."""

from corpus.make._wicket_jams_a import JOBS as A
from corpus.make._wicket_jams_b import JOBS as B
from corpus.make._wicket_jams_c import JOBS as C
from corpus.running.job import Recipe

RECIPE = Recipe("wicket_jams", "development", lambda: iter((*A, *B, *C)))

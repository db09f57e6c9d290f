"""Several ranks of PyTorch on one machine: language models, vision and others, well and ill."""

from corpus.make._hornbeam_ends import JOBS as ENDS
from corpus.make._hornbeam_good import JOBS as GOOD
from corpus.make._hornbeam_slow import JOBS as SLOW
from corpus.make._hornbeam_waits import JOBS as WAITS
from corpus.running.job import Recipe

RECIPE = Recipe("hornbeam_troughs", "development", lambda: iter((*GOOD, *ENDS, *WAITS, *SLOW)))

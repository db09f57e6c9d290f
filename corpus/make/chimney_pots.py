"""Several ranks of PyTorch on one machine, started by torchrun or by hand."""

from corpus.make._chimney_good import JOBS as GOOD
from corpus.make._chimney_smoke import JOBS as SMOKE
from corpus.make._chimney_soot import JOBS as SOOT
from corpus.running.job import Recipe

RECIPE = Recipe("chimney_pots", "development", lambda: iter((*GOOD, *SOOT, *SMOKE)))

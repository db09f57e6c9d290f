"""Single programs of plain PyTorch and of the system's Python: language, vision, speech, games."""

from corpus.make._trellis_ends import JOBS as ENDS
from corpus.make._trellis_good import JOBS as GOOD
from corpus.make._trellis_slow import JOBS as SLOW
from corpus.running.job import Recipe

RECIPE = Recipe("trellis_kegs", "development", lambda: iter((*GOOD, *ENDS, *SLOW)))

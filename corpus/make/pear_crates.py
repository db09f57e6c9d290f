"""Single programs of plain PyTorch: pictures, text, series, games."""

from corpus.make._pear_good import JOBS as GOOD
from corpus.make._pear_peel import JOBS as PEEL
from corpus.make._pear_pulp import JOBS as PULP
from corpus.make._pear_stones import JOBS as STONES
from corpus.running.job import Recipe

RECIPE = Recipe("pear_crates", "development", lambda: iter((*GOOD, *STONES, *PEEL, *PULP)))

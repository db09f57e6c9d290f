"""JAX, Flax, scikit-learn, XGBoost and LightGBM on small data."""

from corpus.make._lemon_good import JOBS as GOOD
from corpus.make._lemon_pips import JOBS as PIPS
from corpus.make._lemon_zest import JOBS as ZEST
from corpus.running.job import Recipe

RECIPE = Recipe("lemon_tongs", "development", lambda: iter((*GOOD, *PIPS, *ZEST)))

"""Single programs, most of PyTorch: leaves, graphs, voices, games, chains."""

from corpus.make._clover_sashes_good import JOBS as GOOD
from corpus.make._clover_sashes_slow import JOBS as SLOW
from corpus.make._clover_sashes_stops import JOBS as STOPS
from corpus.running.job import Recipe

RECIPE = Recipe("clover_sashes", "development", lambda: iter((*GOOD, *STOPS, *SLOW)))

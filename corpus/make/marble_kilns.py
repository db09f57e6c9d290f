"""Two to four ranks of PyTorch over gloo, and a few programs of one."""

from corpus.make._marble_kilns_good import JOBS as GOOD
from corpus.make._marble_kilns_slow import JOBS as SLOW
from corpus.make._marble_kilns_stops import JOBS as STOPS
from corpus.running.job import Recipe

RECIPE = Recipe("marble_kilns", "development", lambda: iter((*GOOD, *STOPS, *SLOW)))

"""Jobs of one process or a few ranks: tables, graphs, text, sound, games, preparation and evaluation."""

from corpus.make._cobble_ovens_ends import JOBS as ENDS
from corpus.make._cobble_ovens_good import JOBS as GOOD
from corpus.make._cobble_ovens_rough import JOBS as ROUGH
from corpus.make._cobble_ovens_slow import JOBS as SLOW
from corpus.make._cobble_ovens_stops import JOBS as STOPS
from corpus.running.job import Recipe

RECIPE = Recipe("cobble_ovens", "test", lambda: iter((*STOPS, *GOOD, *ENDS, *ROUGH, *SLOW)))

"""Trainings of one process or a few, inference and preparation: pictures, sound, text, tables, games."""

from corpus.make._birch_lathes_ends import JOBS as ENDS
from corpus.make._birch_lathes_good import JOBS as GOOD
from corpus.make._birch_lathes_rough import JOBS as ROUGH
from corpus.make._birch_lathes_slow import JOBS as SLOW
from corpus.make._birch_lathes_stops import JOBS as STOPS
from corpus.running.job import Recipe

RECIPE = Recipe("birch_lathes", "test", lambda: iter((*GOOD, *STOPS, *ROUGH, *SLOW, *ENDS)))

"""Single-process trainings with logging, JSON lines and progress bars."""

from corpus.make._bishop_good import JOBS as GOOD
from corpus.make._bishop_still import JOBS as STILL
from corpus.make._bishop_still2 import JOBS as STILL2
from corpus.make._bishop_stops import JOBS as STOPS
from corpus.make._bishop_stops2 import JOBS as STOPS2
from corpus.running.job import Recipe

RECIPE = Recipe("bishop_lanterns", "development", lambda: iter((*STOPS, *STOPS2, *STILL, *STILL2, *GOOD)))

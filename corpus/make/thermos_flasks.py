"""Plain Python, shell and make: one process or some, of people without libraries."""

from itertools import chain

from corpus.make._flask_pipes import PIPES
from corpus.make._flask_rows import WHOLE
from corpus.running.job import Recipe

RECIPE = Recipe("thermos_flasks", "development", lambda: chain(WHOLE, PIPES))

"""Several processes that log into one output, in the manners of the large trainers and of their users."""

from corpus.make._hurdle_breaks import JOBS as BREAKS
from corpus.make._hurdle_good import JOBS as GOOD
from corpus.make._hurdle_late import JOBS as LATE
from corpus.make._hurdle_slow import JOBS as SLOW
from corpus.running.job import Recipe

RECIPE = Recipe("hurdle_sieves", "development", lambda: iter((*GOOD, *BREAKS, *SLOW, *LATE)))

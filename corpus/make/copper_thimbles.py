"""Pretraining, tuning, generation, preparation and science: torchrun, plain scripts, shell and C under gpualert-run."""

from corpus.make._copper_thimbles_ends import JOBS as ENDS
from corpus.make._copper_thimbles_good import JOBS as GOOD
from corpus.make._copper_thimbles_slow import JOBS as SLOW
from corpus.make._copper_thimbles_still import JOBS as STILL
from corpus.running.job import Recipe

RECIPE = Recipe("copper_thimbles", "development", lambda: iter((*GOOD, *ENDS, *SLOW, *STILL)))

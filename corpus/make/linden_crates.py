"""Sharded and engine-like training, generation, conversion, preparation and solvers under gpualert-run: a second lot."""

from corpus.make._linden_crates_good import JOBS as GOOD
from corpus.make._linden_crates_ill import JOBS as ILL
from corpus.make._linden_crates_slow import JOBS as SLOW
from corpus.running.job import Recipe

RECIPE = Recipe("linden_crates", "development", lambda: iter((*GOOD, *ILL, *SLOW)))

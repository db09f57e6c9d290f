"""Research groups' own trainers: speech, pictures, graphs, physics, games, small language models."""

from corpus.make._willow_breaks import JOBS as BREAKS
from corpus.make._willow_good import JOBS as GOOD
from corpus.make._willow_lags import JOBS as LAGS
from corpus.make._willow_ranks import JOBS as RANKS
from corpus.running.job import Recipe

RECIPE = Recipe("willow_crocks", "development", lambda: iter((*GOOD, *BREAKS, *LAGS, *RANKS)))

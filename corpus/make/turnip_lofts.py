"""Programs of several processes as laboratories start them: torchrun, their own launchers, pools, actors and learners."""

from corpus.make._turnip_good import JOBS as GOOD
from corpus.make._turnip_jam import JOBS as JAM
from corpus.make._turnip_slow import JOBS as SLOW
from corpus.make._turnip_stops import JOBS as STOPS
from corpus.running.job import Recipe

RECIPE = Recipe("turnip_lofts", "development", lambda: iter((*GOOD, *JAM, *SLOW, *STOPS)))

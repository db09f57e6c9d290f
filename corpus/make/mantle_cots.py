"""Single programs that tell of themselves in the manners of the usual trainers, or in their authors' own."""

from corpus.make._mantle_breaks import JOBS as BREAKS
from corpus.make._mantle_good import JOBS as GOOD
from corpus.make._mantle_more import JOBS as MORE
from corpus.make._mantle_waits import JOBS as WAITS
from corpus.running.job import Recipe

RECIPE = Recipe("mantle_cots", "development", lambda: iter((*GOOD, *BREAKS, *WAITS, *MORE)))

"""Single programs of laboratories: science, speech, games, recommendations; their training, evaluation and preparation of data."""

from corpus.make._mallet_falls import JOBS as FALLS
from corpus.make._mallet_good import JOBS as GOOD
from corpus.make._mallet_odd import JOBS as ODD
from corpus.make._mallet_rough import JOBS as ROUGH
from corpus.make._mallet_waits import JOBS as WAITS
from corpus.running.job import Recipe

RECIPE = Recipe("mallet_ferns", "development", lambda: iter((*GOOD, *ROUGH, *FALLS, *WAITS, *ODD)))

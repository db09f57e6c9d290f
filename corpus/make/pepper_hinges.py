"""Scripts of doctoral students: sweeps, ablations, generative models, series, graphs, games."""

from corpus.make._pepper_hinges_drags import JOBS as DRAGS
from corpus.make._pepper_hinges_falls import JOBS as FALLS
from corpus.make._pepper_hinges_good import JOBS as GOOD
from corpus.running.job import Recipe

RECIPE = Recipe("pepper_hinges", "test", lambda: iter((*GOOD, *FALLS, *DRAGS)))

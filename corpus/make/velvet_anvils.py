"""What students run: scripts with options, sweeps, ablations, contrastive, federated, generative and recommender models."""

from corpus.make._velvet_anvils_good import JOBS as GOOD
from corpus.make._velvet_anvils_slow import JOBS as SLOW
from corpus.make._velvet_anvils_stops import JOBS as STOPS
from corpus.make._velvet_anvils_waits import JOBS as WAITS
from corpus.running.job import Recipe

RECIPE = Recipe("velvet_anvils", "development", lambda: iter((*GOOD, *STOPS, *WAITS, *SLOW)))

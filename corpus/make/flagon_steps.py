"""Language models: training, evaluation and inference, single or with launchers."""

from corpus.make._flagon_a import JOBS as A
from corpus.make._flagon_b import JOBS as B
from corpus.running.job import Recipe

RECIPE = Recipe("flagon_steps", "test", lambda: iter((*A, *B)))

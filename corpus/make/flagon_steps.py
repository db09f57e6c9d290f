"""Language models: training, evaluation and inference, single or with launchers."""

from corpus.make._flagon_a import JOBS as A
from corpus.make._flagon_a2 import JOBS as A2
from corpus.make._flagon_b import JOBS as B
from corpus.make._flagon_b2 import JOBS as B2
from corpus.make._flagon_b3 import JOBS as B3
from corpus.running.job import Recipe

RECIPE = Recipe("flagon_steps", "development", lambda: iter((*A, *A2, *B, *B2, *B3)))

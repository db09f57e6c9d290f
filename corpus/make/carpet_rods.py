"""Trainers of Hugging Face, accelerate and Lightning on small models."""

from corpus.make._carpet_dust import JOBS as DUST
from corpus.make._carpet_good import JOBS as GOOD
from corpus.make._carpet_holes import JOBS as HOLES
from corpus.make._carpet_lint import JOBS as LINT
from corpus.running.job import Recipe

RECIPE = Recipe("carpet_rods", "development", lambda: iter((*GOOD, *HOLES, *DUST, *LINT)))

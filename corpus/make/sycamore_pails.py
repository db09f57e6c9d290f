"""Small trainers of several processes: torchrun, torch.multiprocessing, loaders with workers."""

from corpus.make._sycamore_good import JOBS as GOOD
from corpus.make._sycamore_leaves import JOBS as LEAVES
from corpus.make._sycamore_roots import JOBS as ROOTS
from corpus.running.job import Recipe

RECIPE = Recipe("sycamore_pails", "test", lambda: iter((*ROOTS, *LEAVES, *GOOD)))

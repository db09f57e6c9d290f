"""Small trainers of several processes: torchrun, torch.multiprocessing, loaders with workers."""

from corpus.make._sycamore_good import JOBS as GOOD
from corpus.make._sycamore_leaves import JOBS as LEAVES
from corpus.make._sycamore_leaves2 import JOBS as LEAVES2
from corpus.make._sycamore_roots import JOBS as ROOTS
from corpus.make._sycamore_roots2 import JOBS as ROOTS2
from corpus.running.job import Recipe

RECIPE = Recipe("sycamore_pails", "development", lambda: iter((*ROOTS, *ROOTS2, *LEAVES, *LEAVES2, *GOOD)))

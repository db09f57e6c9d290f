"""PyTorch on the CPU as students and researchers write it, one or several processes."""

from corpus.make._ladle_posts_a import JOBS as A
from corpus.make._ladle_posts_b import JOBS as B
from corpus.make._ladle_posts_c import JOBS as C
from corpus.make._ladle_posts_d import JOBS as D
from corpus.running.job import Recipe

RECIPE = Recipe("ladle_posts", "development", lambda: iter((*A, *B, *C, *D)))

"""Single programs on PyTorch and plain Python: text, pictures, speech, tables, games."""

from corpus.make._sundial_ends import JOBS as ENDS
from corpus.make._sundial_ends2 import JOBS as ENDS2
from corpus.running.job import Recipe

RECIPE = Recipe(
    "sundial_kegs",
    "development",
    lambda: iter(
        (
            *ENDS,
            *ENDS2,
        )
    ),
)

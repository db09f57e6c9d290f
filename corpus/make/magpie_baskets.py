"""Jobs on a real card, several at a time: what one process, or a few, do at one GPU.

Some have no case: where mpi4py lies beside it without a runtime of MPI, Lightning ends the process before anything is said, and two others did not become what was meant.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from corpus.make import _magpie_broods as broods
from corpus.make import _magpie_crumbs as crumbs
from corpus.make import _magpie_downs as downs
from corpus.make import _magpie_eggs as eggs
from corpus.make import _magpie_feathers as feathers
from corpus.make import _magpie_flocks as flocks
from corpus.make import _magpie_leaves as leaves
from corpus.make import _magpie_nests as nests
from corpus.make import _magpie_rinds as rinds
from corpus.make import _magpie_shells as shells
from corpus.make import _magpie_straws as straws
from corpus.make import _magpie_twigs as twigs
from corpus.running.job import LocalJob, Recipe

PARTS = (nests, crumbs, broods, rinds, shells, feathers, eggs, twigs, flocks, straws, leaves, downs)
ALL = {name: job for part in PARTS for name, job in part.JOBS.items()}
FIRST = (
    "vocab", "scaler", "weighted", "triton", "half", "lock", "batches", "scatter", "same", "starved", "trainer", "jax full", "silent", "growing", "pack", "restart",
    "one to ten", "elsewhere", "kmeans", "graph", "optional", "each", "chance", "ordinal", "long", "wider", "jax nan", "single", "precision", "spin", "vision", "numba",
    "similar", "again", "prototypes", "sweep", "three", "shards", "alone", "vector", "uneven", "early", "laggard", "struck", "storm", "guard", "interface", "ctrl c",
)  # fmt: skip
"""What shows most comes first: time may run out."""


def jobs() -> Iterator[LocalJob]:
    """The first by name, then one of each part in turn."""
    rest = [[name for name in part.JOBS if name not in FIRST] for part in PARTS]
    turns = [name for turn in zip_longest(*rest) for name in turn if name]
    for name in (*FIRST, *turns):
        yield ALL[name]


RECIPE = Recipe("magpie_baskets", "development", jobs)

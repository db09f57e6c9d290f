"""More research groups' own trainers: sweeps, distillation, detectors, weather, molecules, robots."""

from corpus.make._thicket_fine import JOBS as FINE
from corpus.make._thicket_late import JOBS as LATE
from corpus.make._thicket_snags import JOBS as SNAGS
from corpus.running.job import Recipe

RECIPE = Recipe("thicket_combs", "development", lambda: iter((*FINE, *SNAGS, *LATE)))

"""What a group of students runs: distillation, sequence models, GANs, federated and pipelined runs, probes and generation."""

from corpus.make._quince_ladders_good import JOBS as GOOD
from corpus.make._quince_ladders_slow import JOBS as SLOW
from corpus.make._quince_ladders_stops import JOBS as STOPS
from corpus.make._quince_ladders_waits import JOBS as WAITS
from corpus.running.job import Recipe

RECIPE = Recipe("quince_ladders", "development", lambda: iter((*GOOD, *STOPS, *WAITS, *SLOW)))

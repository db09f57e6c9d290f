"""Science and crews: heat, molecules, spectra, boards, and processes that meet."""

from itertools import chain

from corpus.make._punch_crews import CREWS
from corpus.make._punch_heat import HEATS
from corpus.running.job import Recipe

RECIPE = Recipe("ticket_punches", "development", lambda: chain(HEATS, CREWS))

"""Pictures, speech and letters in hand-written loops of PyTorch, each of another person."""

from itertools import chain

from corpus.make._bobbin_looks import LOOKS
from corpus.make._bobbin_voices import VOICES
from corpus.running.job import Recipe

RECIPE = Recipe("cotton_bobbins", "development", lambda: chain(LOOKS, VOICES))

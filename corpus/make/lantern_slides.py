"""Tables, games and forecasts in NumPy and scikit-learn, with the logs that people like."""

from itertools import chain

from corpus.make._slide_games import GAMES
from corpus.make._slide_tables import TABLES
from corpus.make._slide_weather import WEATHER
from corpus.running.job import Recipe

RECIPE = Recipe("lantern_slides", "development", lambda: chain(TABLES, GAMES, WEATHER))

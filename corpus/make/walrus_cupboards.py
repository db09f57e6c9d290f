"""Jobs on a real card that want the whole of its memory: one after another."""

from __future__ import annotations

from corpus.make import _walrus_rooms
from corpus.running.job import Recipe

RECIPE = Recipe("walrus_cupboards", "development", lambda: iter(_walrus_rooms.JOBS.values()))

"""Engineers' services and jobs: embedding, transcription, bulk inference, fine-tuning on several ranks."""

from corpus.make._tulip_pulleys_good import JOBS as GOOD
from corpus.make._tulip_pulleys_slack import JOBS as SLACK
from corpus.make._tulip_pulleys_snaps import JOBS as SNAPS
from corpus.running.job import Recipe

RECIPE = Recipe("tulip_pulleys", "test", lambda: iter((*GOOD, *SNAPS, *SLACK)))

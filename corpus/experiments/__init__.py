"""Five questions beside classification: ``python -m corpus.experiments``."""

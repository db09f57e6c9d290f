"""How well a classifier's answers fit the labels: ``python -m corpus.score``."""

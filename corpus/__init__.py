"""The corpus: jobs that really failed (or did not), what a right diagnosis of each is, and how gpualert's is scored. See ``doc/corpus.md``."""

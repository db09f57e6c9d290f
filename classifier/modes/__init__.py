"""Evidence to verdict: one file for each failure mode."""

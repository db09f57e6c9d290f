"""``gpualert doctor``: what a machine is, what is looked at on it, and what came out."""

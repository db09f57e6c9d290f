"""A machine with one real GPU and nothing else of what cases need: what is carried there, how it is set up, and what is run on it."""

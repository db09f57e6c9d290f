"""Ways out: one file a channel."""

"""What to do about each finer name that a parser or a mode can give, by area: a file defines ``ADVICE``, name to lines."""

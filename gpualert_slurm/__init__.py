"""gpualert's shared words: every type that passes between two rooms, and nothing that acts.

The core imports the standard library and pydantic only; every room may import it. See doc/internals.md.
"""

__version__ = "0.1.0"

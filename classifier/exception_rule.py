"""What a library's exception means: the words of its message, kept in the library's own parser file."""

from __future__ import annotations

from dataclasses import dataclass

from gpualert_slurm.cause import Cause

Raised = tuple[str, str]
"""The full name of an exception's type, and the first line of its message."""


@dataclass(frozen=True)
class ExceptionRule:
    """One kind of exception, whatever class carries it.

    ``words`` is searched in the message (``re``, case does not count, no nested repeats); ``of``, where given, in the type's full name.
    ``samples`` must get this rule's ``detail`` and ``near_misses`` must not; both are required, and one test runs over all parsers.
    """

    detail: str
    words: str
    samples: tuple[Raised, ...]
    near_misses: tuple[Raised, ...]
    cause: Cause | None = None
    """None: the exception's type says which of the fifteen it counts as."""
    about: str | None = None
    """``data``, ``config``, ``env`` or ``asset``."""
    of: str | None = None

"""What is wrong with a file, in one line for people."""

from __future__ import annotations

from pydantic import ValidationError


def wrong(error: Exception) -> str:
    """The first thing that is wrong, where it stands, and how many more there are; of any other error its first line."""
    if isinstance(error, ValidationError):
        first, more = error.errors(include_url=False, include_context=False, include_input=False)[0], error.error_count() - 1
        place = ".".join(str(part) for part in first["loc"])
        said = f"{place}: {first['msg'].lower()}" if place else first["msg"]
        return said + (f", and {more} more" if more else "")
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return (str(error).splitlines() or [type(error).__name__])[0]

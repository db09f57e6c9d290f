"""The one discovery function: a new file in a folder is a new thing, no list to maintain."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def discover(package: ModuleType, attribute: str, kind: type[T]) -> dict[str, T]:
    """Every module of ``package`` that defines ``attribute``, by module name, in name order.

    Args:
        package: an imported package; its sub-modules whose names do not begin with ``_`` are imported.
        attribute: the name each module must define (``PARSER``, ``MODE``, ``CHANNEL`` …).
        kind: the class the attribute must be an instance of.

    Raises:
        TypeError: a module lacks the attribute or it is of another kind. A file in a drop-in folder that does not
            drop in is a defect, and is named.
    """
    found: dict[str, T] = {}
    for info in sorted(pkgutil.iter_modules(package.__path__), key=lambda i: i.name):
        if info.name.startswith("_"):
            continue
        module = importlib.import_module(f"{package.__name__}.{info.name}")
        thing = getattr(module, attribute, None)
        if not isinstance(thing, kind):
            raise TypeError(f"{module.__name__} must define {attribute} as a {kind.__name__}, found {type(thing).__name__}")
        found[info.name] = thing
    return found

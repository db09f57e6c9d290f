"""One file a recipe: each describes jobs that fail (or do not) in one way, many times differently."""

from __future__ import annotations

import importlib
import pkgutil

from corpus.running.job import Recipe


def recipes() -> dict[str, Recipe]:
    """Every recipe by its name, which is its file's."""
    found = {}
    for info in pkgutil.iter_modules(__path__):
        if info.name.startswith("_"):
            continue
        recipe = importlib.import_module(f"{__name__}.{info.name}").RECIPE
        if recipe.name != info.name:
            raise ValueError(f"the recipe in {info.name}.py calls itself {recipe.name}")
        found[recipe.name] = recipe
    return found

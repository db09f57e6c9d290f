"""``python -m corpus.relabel``: write the labels of cases that are there as their recipes have them now; the cases themselves stay."""

from __future__ import annotations

import sys
from dataclasses import replace

from corpus import label as labels
from corpus.case import CASES
from corpus.make import recipes
from corpus.make.__main__ import labelled


def main() -> int:
    """Always 0; says what changed."""
    changed = 0
    for recipe in recipes().values():
        for number, job in enumerate(recipe.jobs(), 1):
            folder = CASES / recipe.name / f"{number:03d}"
            if not (folder / labels.NAME).exists():
                continue
            old = labels.read(folder)
            new = labelled(recipe, job).label
            new = replace(new, software={**old.software, **new.software})
            if new != old:
                labels.write(new, folder)
                changed += 1
                print(f"{recipe.name}/{number:03d}: {old.mode} {old.cause} -> {new.mode} {new.cause}")
    print(f"{changed} labels changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""What the classifier knows, as data and as a page: every mode, word and parser. ``doc/failure_modes.md`` is written from it."""

from __future__ import annotations

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier.engine import engine
from gpualert_slurm.classifier.ladder import all_modes
from gpualert_slurm.classifier.vocabulary import WORDS

HEAD = """# Failure modes

Generated from `classifier/modes/` and `classifier/parsers/` by `make docs`; a test compares. `gpualert modes` prints the same.

A **mode** is the story of the whole run: one primary mode a verdict. A **cause** is the finest thing the evidence names:
one of fifteen, or none. The modes are asked in the order below. Those that are ruled in and connected with the end of the
run compete; the first one is the verdict's. Every mode has its row in the verdict's ledger, also when the data to decide it
is absent ("not testable").
"""


def modes() -> list[dict[str, str]]:
    """Every mode in the ladder's order, ``unknown`` last."""
    return [
        {
            "code": mode.code,
            "title": mode.title,
            "place": str(mode.place),
            "variants": " ".join(mode.variants),
            "needs": mode.needs,
            "positive": mode.positive,
            "excludes": mode.excludes,
            "leaves_open": mode.leaves_open,
        }
        for mode in all_modes()
    ]


def patterns() -> list[dict[str, str]]:
    """Every pattern of every parser with one sample, by name."""
    rows = [
        {"name": name, "says": p.says, "role": p.role.value, "cause": p.cause.value if p.cause else "", "sample": p.samples[0][:200]}
        for name, p, _ in engine().patterns
    ]
    stories = [
        {"name": name, "says": "several lines", "role": "", "cause": "", "sample": s.samples[0].splitlines()[0][:200]}
        for name, s, _ in engine().stories
    ]
    return sorted(rows + stories, key=lambda row: row["name"])


def page() -> str:
    """``doc/failure_modes.md``."""
    lines = [HEAD, "| place | code | mode | variants | positive evidence | must exclude | leaves open | needs |", "|---|---|---|---|---|---|---|---|"]
    columns = ("place", "code", "title", "variants", "positive", "excludes", "leaves_open", "needs")
    lines += ["| " + " | ".join(m[column] for column in columns) + " |" for m in modes()]
    lines += ["", "## Causes", "", " · ".join(f"`{cause.value}`" for cause in Cause), ""]
    lines += ["## What evidence says", "", "| word | meaning |", "|---|---|"]
    lines += [f"| `{word}` | {meaning} |" for word, meaning in WORDS.items()]
    lines += ["", "## What is read in logs", "", "| pattern | says | role | a line of it |", "|---|---|---|---|"]
    lines += [f"| `{p['name']}` | {p['says']} | {p['role']} | {_cell(p['sample'])} |" for p in patterns()]
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    """A log line as a table cell: nothing in it that Markdown would obey."""
    return "`` " + text[:110].replace("|", "\\|").replace("``", "` `") + " ``"

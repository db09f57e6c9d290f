"""One JSON example of every type that passes between rooms; they are documentation, so they must be true."""

from __future__ import annotations

import importlib
import inspect
import json
import pkgutil
from pathlib import Path

import pytest

import gpualert_slurm
from gpualert_slurm.record import Record

TYPES = Path(__file__).parents[3] / "doc" / "types"
# The types of doc/internals.md that pass from room to room; files on a node's disk have pages of their own in doc/formats/.
PASSED = {
    "Attempt", "RankLog", "RankExit", "GpuSnapshot", "Evidence", "Series", "Gap", "Excerpt", "Artifact", "ParsedLog", "NodeReport", "JobNote",
    "AccountingRecord", "NodeEvent", "NodeState", "PastVerdict", "JobRecord", "Finding", "Verdict", "Notification", "Outcome",
    "Process", "HostSnapshot", "RankStand", "Stall", "StallNote",
}  # fmt: skip
EXAMPLES = sorted(p.stem for p in TYPES.glob("*.json"))


def all_types() -> dict[str, type[Record]]:
    found: dict[str, type[Record]] = {}
    for info in pkgutil.iter_modules(gpualert_slurm.__path__):
        if info.ispkg:
            continue
        module = importlib.import_module(f"gpualert_slurm.{info.name}")
        classes = inspect.getmembers(module, inspect.isclass)
        found |= {name: thing for name, thing in classes if issubclass(thing, Record) and thing.__module__ == module.__name__}
    return found


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_type_has_an_example_that_reads_back_equal(name: str) -> None:
    """Reading an example and writing it again gives the same JSON: no field is lost, none is invented."""
    text = (TYPES / f"{name}.json").read_text(encoding="utf-8")
    record = all_types()[name].model_validate_json(text)

    assert json.loads(record.json_bytes()) == json.loads(text)


def test_every_type_that_passes_between_rooms_has_an_example_and_no_other_has_one() -> None:
    assert set(EXAMPLES) == PASSED
    assert set(all_types()) >= PASSED


@pytest.mark.parametrize("name", EXAMPLES)
def test_unknown_keys_of_a_newer_writer_are_ignored(name: str) -> None:
    """An older reader survives a newer writer."""
    content = json.loads((TYPES / f"{name}.json").read_text(encoding="utf-8"))
    kind = all_types()[name]

    assert kind.model_validate({**content, "a_field_of_the_future": 1}) == kind.model_validate(content)

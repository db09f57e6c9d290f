"""The corpus as it lies there: labels that can be, nothing that gives them away, recipes for all, both parts apart."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from corpus.case import CASES, all_cases
from corpus.label import NAME
from corpus.make import recipes
from gpualert_slurm.cause import Cause

ALL = all_cases()
KNOWN = recipes()
# Words that only this corpus would use of a job.
TELLING = (
    *(c.value for c in Cause if "_" in c.value),
    *("save_storm", "non_finite", "size_mismatch", "no_valid_checkpoint", "from_scratch", "hard_negative", "hard negative"),
    *("handwritten", "provenance", "ground truth", "injected", "fault injection", "simulated", "gpualert-verdict"),
    *(name for name in KNOWN if "_" in name),  # others are ordinary words
)
WORDS = [(word, word.lower().encode()) for word in TELLING]
# The test's own search must find something: NumPy's and PyTorch's texts have these words by themselves.
THEIR_OWN = re.compile(rb"torch_function|__torch_dispatch__")
LOGS = [p for p in sorted(CASES.rglob("*")) if p.is_file() and p.suffix != ".idx" and p.name != NAME]


def _telling(log: bytes) -> list[str]:
    text = THEIR_OWN.sub(b"", log).lower()
    return [word for word, sought in WORDS if sought in text]


def test_there_are_cases():
    assert len(ALL) >= 600


def test_every_label_can_be_and_names_its_recipe():
    for case in ALL:
        assert case.label.problems() == []
        assert case.label.recipe == case.folder.parent.name
        assert case.label.recipe in KNOWN


def test_no_log_record_or_file_name_gives_a_label_away():
    """Each word is sought by itself: one expression of them all costs ten times as much."""
    assert [f"{path.relative_to(CASES)}: {word}" for path in LOGS for word in _telling(path.read_bytes())] == []


def test_the_search_for_telling_words_would_find_one():
    assert _telling(b"RuntimeError: Injected at step 3") == ["injected"]
    assert _telling(b"label=cuda_oom") == ["cuda_oom"]
    assert _telling(b"step 3, __torch_dispatch__") == []


@pytest.mark.parametrize("word", [f"{Path(__file__).parents[3]}/", "/root/", "/opt/gpualert-", "/var/tmp/gpualert-bed-", "gpualert-alice"])
def test_no_place_of_the_machine_a_case_was_made_on_is_left(word: str):
    assert [str(p) for p in LOGS if word.encode() in p.read_bytes()] == []


def test_every_command_was_started():
    """A case whose interpreter could not be run is not what its label says."""
    assert [str(p) for p in LOGS if p.name.startswith("run.0.") and b"gpualert-run: " in p.read_bytes()] == []


def test_at_most_two_fifths_are_written_by_hand():
    counted = Counter(c.label.provenance for c in ALL)
    assert counted["handwritten"] <= 0.4 * len(ALL)


def test_a_recipe_of_the_test_part_has_no_case_in_the_other():
    """A recipe of the development part may have cases in the test part: those that ran on other versions."""
    for case in ALL:
        if KNOWN[case.label.recipe].part == "test":
            assert case.label.part == "test", case.name


def test_a_recipe_in_both_parts_has_other_versions_in_the_test_part():
    """What a recipe of the development part has in the test part ran on versions that the development part has not."""
    known = {(n, v) for c in ALL if c.label.part == "development" for n, v in c.label.software.items()}
    for case in ALL:
        if case.label.part == "test" and KNOWN[case.label.recipe].part == "development":
            assert set(case.label.software.items()) - known, case.name


def test_cases_of_a_recipe_differ():
    """Not one text fifty times: the logs of a recipe's cases are not each other's copies."""
    import hashlib

    for recipe in KNOWN:
        folders = [c.folder for c in ALL if c.label.recipe == recipe]
        bodies = [b"".join(_body(p) for p in sorted(f.rglob("*")) if _is_log(p)) for f in folders]
        texts = Counter(hashlib.sha256(body).hexdigest() for body in bodies if body)  # a lost node leaves no log
        assert max(texts.values(), default=1) <= max(2, len(folders) // 4), recipe


def _is_log(path: Path) -> bool:
    return path.is_file() and (path.name in ("run.0.out", "run.0.err") or (path.parent.name == "logs" and path.suffix != ".idx"))


def _body(path: Path) -> bytes:
    content = path.read_bytes()
    return content[512:].split(b"\n#gpualert-end")[0] if content.startswith(b"#gpualert-log/1") else content

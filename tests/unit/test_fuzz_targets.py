"""The fuzzer's targets hold for what it starts from, and fail where a promise is broken: else they would find nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gpualert_slurm.classifier.pattern import Pattern
from tests.fuzz import targets
from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS, BrokenPromiseError

TOP = Path(__file__).parents[2]


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_for_every_seed(name):
    found = seeds(name)
    for seed in found[:: max(1, len(found) // 40)]:
        TARGETS[name](seed)


def test_a_lost_byte_is_found(monkeypatch):
    monkeypatch.setattr(targets, "flat", lambda data: data[:-1])
    with pytest.raises(BrokenPromiseError):
        TARGETS["lines"](b"\x05a line\n")


def test_a_reader_that_raises_is_found(monkeypatch):
    def broken(self, line, compiled, full_name):
        raise KeyError(full_name)

    monkeypatch.setattr(Pattern, "match", broken)
    with pytest.raises(KeyError):
        TARGETS["readers"](b"KeyError: 'x'\n")
    with pytest.raises(BrokenPromiseError):
        TARGETS["scanning"](b"KeyError: 'x'\n")


def test_a_control_character_that_would_reach_the_terminal_is_found(monkeypatch):
    monkeypatch.setattr(targets, "as_text", lambda _verdict, _columns: "\x1b[2J")
    with pytest.raises(BrokenPromiseError):
        TARGETS["verdicts"](seeds("verdicts")[0])


def test_without_atheris_hypothesis_mutates_the_same_seeds(tmp_path):
    for at, seed in enumerate(seeds("lines")[:5]):
        (tmp_path / str(at)).write_bytes(seed)
    done = subprocess.run([sys.executable, "-m", "tests.fuzz.with_hypothesis", "lines", "-max_total_time=1", str(tmp_path)], cwd=TOP, capture_output=True, text=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stderr.split("Done ")[1].split()[0]) > 5

"""Fingerprints of failures nobody knows: equal for equal last words, whoever's job it was and wherever."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.fingerprint import terminal

WORDS = ["loading plugin", "solver: residual 0.31 at iteration 12", "solver: pivot 7 is zero in block 3", "giving up"]


@pytest.mark.parametrize(
    "other",
    [
        ["loading plugin", "solver: residual 0.7 at iteration 9", "solver: pivot 99 is zero in block 1", "giving up"],
        [f"[rank3]: {w}" for w in WORDS],
        [f"2026-11-20 16:30:0{i} {w}" for i, w in enumerate(WORDS)],
        [w for w in WORDS for _ in range(5)],
        [WORDS[0], WORDS[2], WORDS[1], WORDS[3]],
        [f"\x1b[31m{w}\x1b[0m" for w in WORDS],
        ["much more before", *[f"line {w}" for w in "abcdefgh"], *WORDS][-4:],
        [*WORDS, "", "---------"],
    ],
    ids=["numbers", "ranks", "times", "repeated", "interleaved", "coloured", "longer before", "rules"],
)
def test_equal_last_words_have_one_template(other):
    assert terminal(other) == terminal(WORDS)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("cannot read /home/anna/run1/data.bin", "cannot read /scratch/bob/x/y/data.bin"),
        ("lost contact with gpu-12.cluster.example", "lost contact with gpu-7.cluster.example"),
        ("user anna42@example.org has no licence", "user b@site.example has no licence"),
        ("unknown key 'alpha'", "unknown key 'beta'"),
        ("address 0x7ffe12 in 8c2f1e60-4c0f-4f2a", "address 0x55aa in 00000000-aaaa-bbbb"),
    ],
)
def test_what_differs_between_equal_failures_is_masked(one, other):
    assert terminal([one]) == terminal([other])


def test_other_last_words_have_another_template():
    assert terminal(WORDS) != terminal([*WORDS[:-1], "carrying on"])
    assert terminal(["no licence"]) != terminal(["no memory"])


def test_a_log_that_says_nothing_has_none():
    assert terminal([]) == terminal(["", "12", "----"]) == ""

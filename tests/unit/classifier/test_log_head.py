"""What stands before a message."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.log_head import log_head

MESSAGE = "it=15/900 mse=1.15"


@pytest.mark.parametrize(
    "head",
    [
        "2026-11-24 15:59:57,123 - load - INFO - ",
        "[2026-11-24 15:59:57,123][load][INFO] - ",
        "[15:59:57] INFO     load.py:12 ",
        "15:59:57 load INFO ",
        "2026-11-24 15:59 ",
        "INFO 2026-11-24 15:59:57 load: ",
        "INFO:load:",
        "2026-11-24 15:59:57 INFO load.train:88 ",
        "2026-11-24 15:59:57.123 | INFO     | load:main:12 - ",
        "2026-11-24 15:59:57;INFO;load;",
        "2026-11-24 15:59:57 I load] ",
        "1124 15:59:57 I load] ",
        "I1124 15:59:57.123456 123 load.py:12] ",
        "load[4412]: ",
        "load> ",
        "[INFO] ",
        "",
    ],
)
def test_a_head_is_no_part_of_the_message(head: str) -> None:
    """A time, a level and a logger's name, in the orders that people give them."""
    assert log_head(head + MESSAGE) == head


@pytest.mark.parametrize("text", ["epoch 3 - loss: 0.3", "- pass: 1", "loading batch 3/10", "step 3 | 0.4", "validation step 5 loss 0.3", "- step 4 - loss 2"])
def test_a_message_has_no_head(text: str) -> None:
    """What counts or tells is no logger's name."""
    assert log_head(text) == ""


@pytest.mark.parametrize("word", ["epoch", "loading"])
def test_a_word_behind_a_level_is_the_messages(word: str) -> None:
    """Nothing ends it: it is taken for no logger's name."""
    assert log_head(f"INFO {word} step 5") == "INFO "


@pytest.mark.parametrize("head", ["11-26 18:04:11 ", "[11/26 18:04] ", "11-26 18:04:11,220 - "])
def test_a_date_may_lack_its_year(head: str) -> None:
    assert log_head(f"{head}step 3 | 0.4") == head

"""Losses that lie where a guess's do, by the program's own word or by what is measured; and those that leapt and stayed there."""

from __future__ import annotations

import pytest

from tests.unit.classifier.records import Run

WOBBLE = [4.31, 4.172, 4.163, 4.160, 4.166, 4.158, 4.163, 4.157, 4.161, 4.164, 4.162, 4.158, 4.160, 4.161]
ONES = [1.001, 1.005, 0.9996, 1.001, 0.9997, 0.992, 1.0005, 0.9989, 1.0008, 0.991]
LEAPT = [1.99, 1.72, 1.58, 1.49, 1.41, 9.7, 15.7, 16.4, 16.2, 14.8]


def mode(head: str, losses: list[float], line: str = "epoch {e:02d} loss {loss:.4f} top1 0.02") -> str:
    text = f"{head}\n" + "".join(line.format(e=e, loss=loss) + "\n" for e, loss in enumerate(losses, 1)) + "done\n"
    times = [2 + i * 1.5 for i in range(text.count("\n"))]
    return Run().rank(0, "n1", text, code=0, end=times[-1] + 1, times=times).accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


@pytest.mark.parametrize("word", ["InfoNCE at chance is 4.159", "chance level: 4.159", "a random guess would be 4.1589", "chance loss = 4.16"])
def test_a_loss_at_the_height_that_the_program_calls_chance_is_flat(word: str):
    assert mode(word, WOBBLE) == "E1"


@pytest.mark.parametrize("word", ["hello", "chance of rain: 4.159 %", "InfoNCE at chance is 5.545", "chance level: 0.1"])
def test_the_same_loss_without_such_a_word_may_be_well(word: str):
    assert mode(word, WOBBLE) == "G1"


def test_a_loss_that_left_chance_is_well():
    assert mode("InfoNCE at chance is 4.159", [4.2 / (1 + 0.2 * e) for e in range(14)]) == "G1"


def test_a_squared_error_of_one_from_first_to_last_is_the_means():
    """Of targets scaled to a variance of one."""
    assert mode("scaled", ONES, "epoch {e} train_mse {loss:.5f} loss {loss:.5f}") == "E1"
    assert mode("scaled", ONES, "epoch {e} loss {loss:.5f}") == "G1", "of another measure nothing is known"
    assert mode("scaled", [*ONES[:3], *(0.9 - 0.07 * e for e in range(7))], "epoch {e} train_mse {loss:.5f} loss {loss:.5f}") == "G1"


def test_a_loss_that_leapt_and_stayed_there_is_a_spike():
    assert mode("hello", LEAPT) == "E1"


@pytest.mark.parametrize(
    "losses", [[*LEAPT[:7], 1.6, 1.4, 1.3], [1.99, 1.72, 1.58, 1.49, 1.41, 1.4, 1.3, 2.0, 2.1, 2.2], LEAPT[:6]], ids=["came back", "a little", "too few"]
)
def test_a_loss_that_came_back_or_rose_a_little_is_none(losses: list[float]):
    assert mode("hello", losses, "epoch {e:02d} loss {loss:.4f}") == "G1"


BLOWN = [3.5, 3.0, 2.2, 1.6, 1.1, 0.8, 0.7, 7e7, 2e8, 3e6, 4e3, 90.0, 8.4, 3.4, 3.0, 2.9]


def test_a_loss_that_shot_up_and_came_back_to_its_start_alone_lost_what_was_learned():
    assert mode("hello", BLOWN, "step {e} loss {loss:.4f}") == "E1"
    assert mode("hello", [*BLOWN, 1.2, 0.8, 0.7, 0.6], "step {e} loss {loss:.4f}") == "G1", "it was learned again"
    assert mode("hello", [0.02, 0.01, 0.005, 0.004, 0.003, 0.003, 0.002, 0.3, 0.2, 0.1, 0.05, 0.03], "step {e} loss {loss:.4f}") == "G1", "a harder stage"


def test_a_contrastive_loss_at_the_logarithm_of_its_batch_is_a_guesses():
    """Among the 64 of a batch: ln 64 is 4.159."""
    line = "epoch {e:02d} loss {loss:.4f} infonce {loss:.4f} top1 0.02"
    assert mode("batch: 64", WOBBLE, line) == "E1"
    assert mode("batch: 512", WOBBLE, line) == "G1"
    assert mode("batch: 64", WOBBLE) == "G1", "of another loss a batch says nothing"


def test_noise_that_is_never_told_has_a_squared_error_of_one():
    noise = [1.003, 0.999, 0.981, 0.989, 0.992, 0.988, 0.988, 0.979, 0.987, 0.991, 1.002, 0.983, 0.996, 0.971, 0.989, 1.009, 1.025, 0.986]
    line = "[{e:3d}%] it={e} denoise_mse={loss:.5f} grad_norm=0.7"
    assert mode("hello", noise, line) == "E1"
    assert mode("hello", [v / (1 + e / 4) for e, v in enumerate(noise)], line) == "G1"


def saving(each: str, steps: int = 10, epochs: int = 4) -> str:
    rows = "".join(f"{each.format(n=(e * steps + s) % 5, m=e * steps + s)}\n{e + 1},{s},{0.9 / (1 + e + s / steps):.4f},{0.55 * (e * steps + s):.2f}\n" for e in range(epochs) for s in range(steps))
    text = f"epoch,batch,nll,seconds\n{rows}"
    times = [2 + i * 0.27 for i in range(text.count("\n"))]
    return Run().rank(0, "n1", text, code=0, end=times[-1] + 1, times=times).accounting("COMPLETED", code=0, end=times[-1] + 2).verdict().mode


def test_a_save_at_each_step_is_a_storm_also_where_steps_begin_anew_or_files_take_turns():
    assert saving("# checkpoint songs_{n}.json written") == "D2"
    assert saving("-> runs/iter_{n}.pth") == "D2"
    assert saving("state of step {m} -> runs/state_{n}.pt in 0.31 s") == "D2"
    assert saving("# {m} songs read") == "G1"

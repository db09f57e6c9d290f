"""What an agent had learned and lost again, and two networks of which one has won."""

from __future__ import annotations

import math

from tests.unit.classifier.records import Run


def ended_well(rows: list[str]) -> str:
    text, number = "".join(f"{row}\n" for row in rows), len(rows)
    times, end = [1.0 + i for i in range(number)], number + 3.0
    return Run().rank(0, "n1", text, code=0, end=end, times=times, stream="out").accounting("COMPLETED", code=0, end=end + 1).verdict().mode


def episodes(reward) -> list[str]:
    return [f"Episode {i * 10}\tAverage reward: {reward(i / 36):.2f}\tLast length: 21" for i in range(1, 37)]


def adversaries(losses) -> list[str]:
    return [f"[{i // 10}/4][{i % 10 * 10}/100]\tLoss_D: {losses(i / 40)[0]:.4f}\tLoss_G: {losses(i / 40)[1]:.4f}\tD(x): 0.5" for i in range(40)]


def test_a_reward_that_was_reached_and_lost_for_good():
    assert ended_well(episodes(lambda t: 20 + 160 * math.sin(4.7 * t) * (t < 0.66))) == "E1"
    assert ended_well([f"update {i} | mean_return {-1500 + (60 * i if i < 15 else 3 * (i % 3)):.1f} | value_loss 3.1" for i in range(1, 41)]) == "E1"


def test_a_reward_that_grows_dips_settles_lower_or_never_moved():
    assert ended_well(episodes(lambda t: 20 + 160 * t)) == "G1"
    assert ended_well(episodes(lambda t: 20 + 160 * t - (100 if 0.5 < t < 0.6 else 0))) == "G1"
    assert ended_well(episodes(lambda t: 20 + 320 * t if t < 0.5 else 130)) == "G1"
    assert ended_well(episodes(lambda t: 20 + math.sin(40 * t))) == "G1"


def test_a_discriminator_that_has_won():
    assert ended_well(adversaries(lambda t: (0.9 * (1 - t) ** 6, 1 + 25 * t))) == "E1"


def test_a_game_that_goes_on():
    assert ended_well(adversaries(lambda t: (0.7 + 0.2 * math.sin(40 * t), 1.1 + 0.3 * math.cos(31 * t)))) == "G1"
    assert ended_well(adversaries(lambda t: (0.004, 4.5 + math.sin(40 * t)))) == "G1"


def test_a_loss_that_rises_beside_a_reward_is_no_divergence():
    """Of Q-learning: the higher the returns, the larger the errors about them."""
    losses = [0.9, 0.6, 0.4, 0.3, 0.3, 0.3, 0.2, *(8 + 3 * math.sin(5 * i) for i in range(30))]
    assert ended_well([f"episode {i} reward {0.3 + 0.02 * i:.2f} loss {v:.4f}" for i, v in enumerate(losses, 1)]) == "G1"
    assert ended_well([f"update {i} noise {0.3 + 0.02 * i:.2f} loss {v:.4f}" for i, v in enumerate(losses, 1)]) == "E1"

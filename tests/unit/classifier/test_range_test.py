"""A learning rate that grows until the loss flies off, on purpose."""

from __future__ import annotations

from tests.unit.classifier.records import Run


def _mode(rates: list[float]) -> str:
    losses = [2.3 - 0.02 * i if i < 45 else 1.4 + 0.4 * (i - 45) ** 2 for i in range(len(rates))]
    text = "".join(f"iter {i} lr {r:.3e} loss {v:.4f}\n" for i, (r, v) in enumerate(zip(rates, losses, strict=True)))
    run = Run().rank(0, "n1", text, code=0, end=90, times=[1.0 + i for i in range(len(rates))], stream="out")
    return run.accounting("COMPLETED", code=0, end=91.0).verdict().mode


def test_a_rate_that_grows_by_the_same_factor_to_the_end():
    assert _mode([1e-6 * 10 ** (i / 10) for i in range(60)]) == "G1"


def test_a_warm_up_and_a_steady_rate():
    assert _mode([min(1e-3, 1e-5 * (i + 1)) for i in range(60)]) == "E1"
    assert _mode([1e-3] * 60) == "E1"


def test_rates_told_behind_words_that_name_the_test():
    """They grow, evenly or not; without the words only the same factor shows it."""
    lines = "".join(f"{i:3d} lr {1e-4 * (i + 1):.4f} loss {2.3 - 0.02 * i if i < 45 else 1.4 + (i - 45) ** 2:.4f}\n" for i in range(60))
    modes = []
    for head in ("LR range test, 60 steps\n", "60 steps\n"):
        run = Run().rank(0, "n1", head + lines, code=0, end=90, times=[1.0 + i for i in range(61)], stream="out")
        modes.append(run.accounting("COMPLETED", code=0, end=91.0).verdict().mode)
    assert modes == ["G1", "E1"]

"""Losses that diverge: learning rates far too high, guards that stop at what is not finite, spikes, losses that never move."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.running.job import LocalJob, Recipe
from corpus.running.programs import Program

GUARDS = (
    "if not (loss == loss and abs(loss) != float('inf')):\n    raise ValueError(f'loss is {loss} at step {step}, stopping')",
    "import math\nif not math.isfinite(loss):\n    print(f'Loss is {loss}, stopping training', flush=True)\n    sys.exit(1)",
    "if loss != loss:\n    raise FloatingPointError(f'NaN loss at step {step}')",
    "",
)
STYLES = ("plain", "logging", "epochs", "json", "dict", "nano", "lists", "wandbish", "table", "rank_logging")


def jobs() -> Iterator[LocalJob]:
    """Non-finite with and without a guard; spikes without an end; flat from the start."""
    base = Label(mode="E1", fault="user")
    for number in range(24):
        model, lr = (("np_mlp", 400.0), ("mlp", 60.0), ("np_factors", 9.0), ("np_mlp", 900.0), ("gru", 1e20), ("mlp", 800.0))[number % 6]
        guard = GUARDS[number % 4]
        script = Program(model, STYLES[number % 10], total=150, every=5, lr=lr, seed=number, mid_step=1, at={"mid": guard} if guard else {}).text()
        label = base.but(variant="non_finite", cause="nan_loss", failed_ranks=(0,) if guard else (), first_ranks=(0,) if guard else ())
        yield LocalJob(label, {"train.py": script}, ("PYTHON", "train.py"), "torch", ends=lambda s, g=guard: s == (1 if g else 0))  # type: ignore[misc]
    for number in range(8):
        bump = "if step == 90:\n    net.a, net.b = 9.0e3, -8.0e3\n    net.lr = 1e-7\n"
        script = Program("line", STYLES[number], total=(200, 300)[number % 2], every=5, seed=number, mid_step=90, at={"mid": bump}).text()
        yield LocalJob(base.but(variant="spike"), {"train.py": script}, ("PYTHON", "train.py"), "system", ends=lambda s: s == 0)
    for number in range(8):
        script = Program(("line", "logistic")[number % 2], STYLES[9 - number], total=400, every=10, lr=0.0, seed=number, mid_step=1, at={"mid": FLAT[number % 2]}).text()
        yield LocalJob(base.but(variant="flat"), {"train.py": script}, ("PYTHON", "train.py"), "system", ends=lambda s: s == 0)


FLAT = ("loss = 2.3026", "loss = 6.9078")
RECIPE = Recipe("rates_too_high", "development", jobs)

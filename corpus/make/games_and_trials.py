"""One process that plays or sweeps: Stable-Baselines3, episodes by hand, and Optuna's trials."""

from functools import partial

from corpus.make._desk_players import EPISODES, SB3, SWEEP
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

boat, ball, sweep = partial(fill, SB3), partial(fill, EPISODES), partial(fill, SWEEP)
B, E, S = "dock.py", "reinforce.py", "sweep.py"
VERBOSE = (("VERBOSE", "1"),)
OOM = "if trial.number in (1, 4):\n    raise torch.OutOfMemoryError('CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.57 GiB of which 1.12 GiB is free.')"
CAUGHT = "optimize = optuna.Study.optimize\noptuna.Study.optimize = lambda self, f, n_trials: optimize(self, f, n_trials, catch=(RuntimeError,))"
SCRIPTS = (
    Either(boat(env="if self.t == 33 and self.n > 90:\n    slowness = 1.0 / (self.v - self.v)", early="Dock.n = property(lambda self: Dock.resets)\nDock.resets = 0\nreset = Dock.reset\n\n\ndef counted(self, **kw):\n    Dock.resets += 1\n    return reset(self, **kw)\n\n\nDock.reset = counted"), "A3", "div_zero", script=B, args=("--timesteps", "6000")),
    Either(boat(mid="if n == 1400:\n    print('entropy', self.model.policy.entropy_head)"), "A3", "traceback", script=B),
    Either(boat(), "G1", script=B, hard=True),
    Either(ball(loss="if ep >= 90:\n    loss = loss * float('inf') * 0"), "E1", "nan_loss", "non_finite", E, status=None),
    Either(ball(), "G1", script=E, hard=True),
    Either(sweep(trial=OOM, study=CAUGHT), "G1", script=S, hard=True),
)  # fmt: skip
RECIPE = Recipe("games_and_trials", "development", lambda: either_jobs(SCRIPTS, "torch-211"))

"""One process over libraries that bring their own loop: fastai 2.8, TabNet, Stable-Baselines3 2.9, LightGBM 4.5 and XGBoost 3.2 in turn, TensorFlow 2.20."""

from functools import partial

from corpus.make._quick_kits import FAST, SB, TABNET, TF, TREES
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

fast, tabnet, sb, trees, tf = partial(fill, FAST), partial(fill, TABNET), partial(fill, SB), partial(fill, TREES), partial(fill, TF)
F, T, R, G, K = "shapes_fastai.py", "churn.py", "thermostat.py", "cv_trees.py", "tf_loop.py"
BAR = (("BAR", "yes"),)
NANS = "X.iloc[::9, 3] = np.nan\nprint('WARNING: 334 of 3000 rows have NaN in sensor_3; trees will route them', flush=True)"
SCRIPTS = (
    Either(fast(early="path = Path('data/shapes')\nfnames = (path / 'labels.csv').read_text().splitlines()"), "A1", "file_not_found", "data", F),
    Either(tabnet(data="frame.loc[13, 'income'] = np.inf"), "A1", "traceback", "data", T, status=None),
    Either(sb(), "A1", "traceback", "config", R, env=(("ALGO", "sac"),)),
    Either(fast(mid="if step == 55:\n    self.learn.xb = (self.xb[0][:, :, :11],)"), "A3", "runtime_error", script=F),
    Either(tabnet(epoch="if epoch == 7:\n    pd.read_csv('holdout/2026-10.csv')"), "A3", "file_not_found", script=T),
    Either(sb(env="if self.t > 48 and abs(self.room - 21) > 9:\n    reward = 1 / max(0, int(self.room) // 99)"), "A3", "div_zero", script=R),
    Either(trees(fold="if fold == 3:\n    imp = booster.get_score(importance_type='gain')\n    print('sensor_8 gain', imp['sensor_8'])"), "A3", "traceback", script=G),
    Either(tf(data="if int(ck.step) == 130:\n    x = x[:, :, :1]"), "A3", "traceback", script=K),
    Either(fast(mid="if step == 60:\n    hold = [bytearray(b'\\x07') * (64 << 20)]\n    while True:\n        hold.append(hold[0] + b'')"), "A2", "oom_killer", script=F, env=BAR, group_mib=1100, status=-9),
    Either(fast(loss="if step > 70:\n    self.learn.loss_grad = self.learn.loss_grad * float('nan')\n    self.learn.loss = self.learn.loss_grad.clone()"), "E1", "nan_loss", "non_finite", F, status=0),
    Either(tf(), "E1", "nan_loss", "non_finite", K, env=(("LR", "1e38"), ("EPOCHS", "4")), status=0),
    Either(fast(), "E2", "file_not_found", "no_valid_checkpoint", F, env=(("LOAD", "shapes"),)),
    Either(sb(), "E2", "traceback", "corrupt", R, env=(("LOAD", "ck/thermo_10000_steps.zip"),), before=(("PYTHON", R, "11000"), ("truncate", "-s", "12000", "ck/thermo_10000_steps.zip"))),
    Either(fast(), "E3", script=F, env=(("EPOCHS", "1"), ("N", "120"))),
    Either(tf(), "E3", script=K, env=(("EPOCHS", "1"), ("STEPS", "3"))),
    Either(fast(), "G1", script=F, env=(*BAR, ("EPOCHS", "8"))),
    Either(fast(epoch="if self.epoch == 2:\n    print('Traceback (most recent call last):\\n  File \"plots.py\", line 8, in draw\\nImportError: cannot import name \\'cm\\' from \\'matplotlib\\'\\n(plot skipped)')"), "G1", script=F, hard=True),
    Either(tabnet(), "G1", script=T, env=(("EPOCHS", "30"),)),
    Either(sb(), "G1", script=R, args=("30000",), env=(("LOG", "1"),)),
    Either(sb(), "G1", script=R, args=("8000",), env=(("LOAD", "ck/thermo_10000_steps.zip"),), before=(("PYTHON", R, "11000"),), hard=True),
    Either(trees(data=NANS), "G1", script=G, hard=True),
    Either(tf(restore="print('NotFoundError: tf_ckpts/: no such directory; fresh start', flush=True)"), "G1", script=K, env=(("RESTORE", "1"),), hard=True),
)  # fmt: skip
RECIPE = Recipe("quick_kit_counter", "development", lambda: either_jobs(SCRIPTS, "fastai"))

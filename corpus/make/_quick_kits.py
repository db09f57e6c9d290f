"""Scripts over libraries that bring their own loop: fastai, TabNet, Stable-Baselines3, LightGBM, XGBoost, TensorFlow; with places for what a case does."""

FAST = '''import os, sys, time
import numpy as np, torch
from torch import nn
from fastai.basics import *
from fastai.callback.all import *

EPOCHS, LR, BS = int(os.getenv("EPOCHS", 5)), float(os.getenv("LR", "4e-3")), 32
set_seed(3, reproducible=True)
#: early
n = int(os.getenv("N", 640))
shape = torch.randint(0, 3, (n,))
img = 0.5 * torch.randn(n, 1, 12, 12)
img[shape == 0, :, 3:9, 5:7] += 1.0
img[shape == 1, :, 5:7, 3:9] += 1.0
img[shape == 2, :, 4:8, 4:8] += 0.8
#: data
items = list(zip(img, shape))
cut = int(0.8 * n)


class Items(torch.utils.data.Dataset):
    def __init__(self, items): self.items = items
    def __len__(self): return len(self.items)
    def __getitem__(self, k):
        #: item
        return self.items[k]


dls = DataLoaders.from_dsets(Items(items[:cut]), Items(items[cut:]), bs=BS, shuffle=True, num_workers=0, device="cpu")
net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.ReLU(), nn.AvgPool2d(2), nn.Flatten(), nn.Linear(200, 3))


class Mine(Callback):
    order = 60
    def before_batch(self):
        step = self.epoch * self.n_iter + self.iter
        #: mid
        time.sleep(0.01)
    def after_loss(self):
        step = self.epoch * self.n_iter + self.iter
        #: loss
        pass
    def after_epoch(self):
        #: epoch
        pass


learn = Learner(dls, net, loss_func=CrossEntropyLossFlat(), metrics=[accuracy, error_rate], cbs=[Mine(), CSVLogger()], path=Path("."), model_dir="models")
#: ready
if os.getenv("LOAD"):
    print("loading", os.environ["LOAD"])
    learn.load(os.environ["LOAD"])
if os.getenv("BAR", "no") == "no":
    with learn.no_bar():
        learn.fit_one_cycle(EPOCHS, LR)
else:
    learn.fit_one_cycle(EPOCHS, LR)
learn.save("shapes")
#: late
print("validate:", [round(float(v), 4) for v in learn.validate()])
'''
TABNET = '''import os, sys, time
import numpy as np
import pandas as pd
from pytorch_tabnet.callbacks import Callback
from pytorch_tabnet.tab_model import TabNetClassifier
from sklearn.metrics import roc_auc_score

#: early
rng = np.random.default_rng(12)
n = 900
frame = pd.DataFrame({"age": rng.integers(18, 80, n), "income": rng.lognormal(10, 0.4, n), "tenure": rng.integers(0, 120, n), "calls": rng.poisson(3, n), "noise": rng.standard_normal(n)})
frame["churn"] = ((frame.calls - 3) - (frame.tenure - 60) / 30 + rng.standard_normal(n) > 0).astype(int)
#: data
print(frame.groupby("churn").mean().round(2))
X = ((frame.drop(columns="churn") - frame.drop(columns="churn").mean()) / frame.drop(columns="churn").std()).values.astype("float32")
y = frame["churn"].values


class Mine(Callback):
    def on_epoch_end(self, epoch, logs=None):
        #: epoch
        pass


clf = TabNetClassifier(n_d=4, n_a=4, n_steps=2, seed=0, optimizer_params={"lr": float(os.environ.get("LR", "0.02"))}, verbose=int(os.environ.get("VERBOSE", 1)))
#: ready
clf.fit(X[:700], y[:700], eval_set=[(X[700:], y[700:])], eval_name=["valid"], eval_metric=["auc", "accuracy"], max_epochs=int(os.environ.get("EPOCHS", 12)), patience=20, batch_size=128, virtual_batch_size=64, callbacks=[Mine()])
print("saved", clf.save_model("churn_tabnet"))
#: late
print("valid AUC", round(roc_auc_score(y[700:], clf.predict_proba(X[700:])[:, 1]), 4))
'''
SB = '''import os, sys, time
import gymnasium as gym
import numpy as np
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.callbacks import BaseCallback, CheckpointCallback
from stable_baselines3.common.env_util import make_vec_env


class Thermostat(gym.Env):
    """keep the room at 21 degrees"""

    observation_space = gym.spaces.Box(-50, 50, (2,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.room, self.outside, self.t = self.np_random.uniform(14, 26), self.np_random.uniform(-5, 15), 0
        return np.array([self.room - 21, self.outside], np.float32), {}

    def step(self, action):
        self.room += 0.6 * (action - 1) + 0.02 * (self.outside - self.room)
        self.t += 1
        reward = -abs(self.room - 21)
        #: env
        return np.array([self.room - 21, self.outside], np.float32), float(reward), False, self.t >= 50, {}


class Mine(BaseCallback):
    def _on_step(self):
        step = self.num_timesteps
        #: mid
        return True


#: early
total = int(sys.argv[1]) if len(sys.argv) > 1 else 12000
env = make_vec_env(Thermostat, n_envs=4, seed=1)
kind = {"ppo": PPO, "a2c": A2C}[os.environ.get("ALGO", "ppo")]
more = dict(n_steps=128) if kind is PPO else {}
if os.environ.get("LOAD"):
    model = kind.load(os.environ["LOAD"], env=env, device="cpu")
    print("continuing from", os.environ["LOAD"], "at", model.num_timesteps, "timesteps")
else:
    model = kind("MlpPolicy", env, learning_rate=float(os.environ.get("LR", "1e-3")), verbose=1, device="cpu", seed=1, **more)
#: ready
model.learn(total, callback=[Mine(), CheckpointCallback(1250, "ck", "thermo", verbose=2)], log_interval=int(os.environ.get("LOG", 4)), reset_num_timesteps=not os.environ.get("LOAD"))
#: late
model.save("thermostat")
print("policy saved to thermostat.zip")
'''
TREES = '''import os, sys
import lightgbm as lgb
import numpy as np
import pandas as pd
import xgboost as xgb
from sklearn.model_selection import KFold

rng = np.random.default_rng(4)
n = 3000
X = pd.DataFrame(rng.standard_normal((n, 8)), columns=[f"sensor_{k}" for k in range(8)])
y = 3 * X.sensor_0 - 2 * X.sensor_1 * X.sensor_2 + 0.3 * rng.standard_normal(n)
#: data
rounds = int(os.environ.get("ROUNDS", 120))
#: early
for fold, (tr, va) in enumerate(KFold(4, shuffle=True, random_state=0).split(X), 1):
    print(f"---- fold {fold}/4: {len(tr)} train, {len(va)} valid", flush=True)
    if fold % 2:
        dtr, dva = xgb.DMatrix(X.iloc[tr], y.iloc[tr]), xgb.DMatrix(X.iloc[va], y.iloc[va])
        booster = xgb.train({"eta": float(os.environ.get("ETA", "0.1")), "max_depth": 4, "nthread": 1}, dtr, rounds, evals=[(dtr, "train"), (dva, "valid")], verbose_eval=20)
        booster.save_model(f"fold{fold}.ubj")
    else:
        booster = lgb.train({"learning_rate": 0.1, "num_threads": 1, "objective": "l2", "metric": "rmse"}, lgb.Dataset(X.iloc[tr], y.iloc[tr]), rounds, valid_sets=[lgb.Dataset(X.iloc[va], y.iloc[va])], callbacks=[lgb.log_evaluation(20), lgb.early_stopping(30)])
        booster.save_model(f"fold{fold}.txt")
    #: fold
#: late
print("cross validation done")
'''
TF = '''import os, sys, time
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")
import numpy as np
import tensorflow as tf
from tensorflow import keras

keras.utils.set_random_seed(8)
EPOCHS, STEPS, LR = int(os.getenv("EPOCHS", 6)), int(os.getenv("STEPS", 50)), float(os.getenv("LR", "3e-3"))
#: early
gen = keras.Sequential([keras.Input((20, 2)), keras.layers.Conv1D(12, 3, activation="relu"), keras.layers.GlobalAveragePooling1D(), keras.layers.Dense(1)])
opt = keras.optimizers.Adam(LR)
ck = tf.train.Checkpoint(step=tf.Variable(0), model=gen, optimizer=opt)
manager = tf.train.CheckpointManager(ck, "./tf_ckpts", max_to_keep=2)
if os.getenv("RESTORE"):
    #: restore
    ck.restore(manager.latest_checkpoint)
    print(f"Restored from {manager.latest_checkpoint}, step {int(ck.step)}" if manager.latest_checkpoint else "Initializing from scratch.")


def windows(n=32):
    f = np.random.uniform(0.5, 2.0, (n, 1))
    t = np.linspace(0, 6, 20)[None]
    x = np.stack([np.sin(f * t), np.cos(f * t)], -1) + 0.05 * np.random.randn(n, 20, 2)
    #: data
    return tf.constant(x, tf.float32), tf.constant(f, tf.float32)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((gen(x, training=True) - y) ** 2)
        #: loss
    grads = tape.gradient(loss, gen.trainable_variables)
    opt.apply_gradients(zip(grads, gen.trainable_variables))
    return loss


#: ready
for epoch in range(EPOCHS):
    tf.print("\\nStart of epoch", epoch, output_stream=sys.stdout)
    t0 = time.time()
    for step in range(STEPS):
        x, y = windows()
        #: mid
        value = train_step(x, y)
        ck.step.assign_add(1)
        if step % 10 == 0:
            print(f"Training loss (for 1 batch) at step {step}: {float(value):.4f}", flush=True)
    vx, vy = windows(200)
    print(f"Validation MAE: {float(tf.reduce_mean(tf.abs(gen(vx) - vy))):.4f}  Time taken: {time.time() - t0:.2f}s", flush=True)
    print(f"Saved checkpoint for step {int(ck.step)}: {manager.save()}", flush=True)
    #: epoch
#: late
'''

"""Trainings over Stable-Baselines3 in two hands: a ferry that crosses a current, and a valve of a boiler."""

FERRY = '''
import os, sys, time
import gymnasium as gym
import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor

torch.set_num_threads(1)
STEPS = int(os.environ.get("STEPS", "6144"))
LR = float(os.environ.get("LR", "1e-3"))
START = os.environ.get("START", "")
WIDTH = int(os.environ.get("WIDTH", "32"))
#: early


class Crossing(gym.Env):
    """A ferry, a river with a current, a pier on the other side."""

    observation_space = gym.spaces.Box(-5, 5, (4,), np.float32)
    action_space = gym.spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.x, self.y, self.stream, self.t = self.np_random.uniform(-1, 1), 0.0, self.np_random.uniform(-0.6, 0.6), 0
        #: reset
        return self._see(), {}

    def _see(self):
        return np.array([self.x, self.y, self.stream, self.t / 25], np.float32)

    def step(self, action):
        self.t += 1
        self.x += (int(action) - 1) * 0.18 + self.stream * 0.15
        self.y += 0.05
        reward = -abs(self.x) * 0.1
        over = self.y >= 1.0
        if over:
            reward += 2.0 if abs(self.x) < 0.25 else -1.0
        #: step
        return self._see(), reward, over, self.t >= 25, {}


class Logbook(BaseCallback):
    def _on_step(self):
        n = self.num_timesteps
        #: n
        return True

    def _on_rollout_start(self):
        time.sleep(0.4)
        #: rollout

    def _on_rollout_end(self):
        time.sleep(0.2)
        #: rolled


env = Monitor(Crossing())
#: env
if START:
    print("training goes on from", START, flush=True)
    model = PPO.load(START, env=env, verbose=1)
    print(f"policy from {START}, {model.num_timesteps} steps so far")
else:
    model = PPO("MlpPolicy", env, n_steps=512, batch_size=64, n_epochs=4, learning_rate=LR, gamma=0.97, seed=3, verbose=1, policy_kwargs={"net_arch": [WIDTH]})
#: model
model.learn(STEPS, callback=Logbook(), reset_num_timesteps=not START)
model.save("ferry_ppo")
wins = 0
for k in range(40):
    obs, _ = env.reset(seed=1000 + k)
    over = cut = False
    while not (over or cut):
        obs, r, over, cut, _ = env.step(model.predict(obs, deterministic=True)[0])
    wins += r > 1
print(f"evaluation: pier reached in {wins} of 40 crossings, saved ferry_ppo.zip")
#: late
'''

VALVE = '''
"""DQN on the boiler valve (simulator of the plant, 1 Hz)."""
import argparse, csv, pathlib, sys, time
import gymnasium, numpy as np, torch as th
from stable_baselines3 import DQN
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor

th.set_num_threads(1)
ap = argparse.ArgumentParser()
ap.add_argument("--timesteps", type=int, default=5000)
ap.add_argument("--lr", type=float, default=1e-3)
ap.add_argument("--dir", type=pathlib.Path, default=pathlib.Path("valve"))
ap.add_argument("--load", default=None)
ap.add_argument("--layers", default="24")
ap.add_argument("--report", type=int, default=500)
ap.add_argument("--delay", type=float, default=0.0)
cfg = ap.parse_args()
cfg.dir.mkdir(parents=True, exist_ok=True)
#: early


class Boiler(gymnasium.Env):
    observation_space = gymnasium.spaces.Box(-10, 10, (2,), np.float32)
    action_space = gymnasium.spaces.Discrete(3)

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.temp, self.valve, self.n = float(self.np_random.uniform(-3, 3)), 0.0, 0
        #: reset
        return np.array([self.temp, self.valve], np.float32), {}

    def step(self, a):
        self.n += 1
        self.valve = float(np.clip(self.valve + (int(a) - 1) * 0.5, -2, 2))
        self.temp += 0.3 * self.valve + 0.05 * float(self.np_random.normal())
        if cfg.delay:
            time.sleep(cfg.delay)
        #: step
        return np.array([self.temp, self.valve], np.float32), -min(abs(self.temp), 5.0) / 5, False, self.n >= 50, {}


class Rows(BaseCallback):
    """One row every so often: step, mean return of the last 10 episodes, TD loss, epsilon."""

    def _on_training_start(self):
        self.t0 = time.time()
        self.out = csv.writer(sys.stdout, dialect="unix", quoting=csv.QUOTE_MINIMAL)
        self.out.writerow(["seconds", "step", "episodes", "return_10", "td_loss", "epsilon"])

    def _on_step(self):
        step = self.num_timesteps
        time.sleep(0.0008)
        #: each
        if step % cfg.report == 0:
            returns = [e["r"] for e in list(self.model.ep_info_buffer)[-10:]]
            td = self.model.logger.name_to_value.get("train/loss", float("nan"))
            self.out.writerow([f"{time.time() - self.t0:.1f}", step, self.model._episode_num, f"{np.mean(returns):.3f}" if returns else "", f"{td:.5f}", f"{self.model.exploration_rate:.3f}"])
            sys.stdout.flush()
            #: row
        if step % 2000 == 0:
            self.model.save(cfg.dir / f"valve_{step}")
            #: saved
        return True


plant = Monitor(Boiler())
if cfg.load:
    agent = DQN.load(cfg.load, env=plant, custom_objects={"learning_rate": cfg.lr, "exploration_schedule": lambda _: 0.05})
    print("# agent from", cfg.load, "at step", agent.num_timesteps)
else:
    agent = DQN("MlpPolicy", plant, learning_rate=cfg.lr, learning_starts=400, train_freq=4, target_update_interval=250, batch_size=64, gamma=0.95, exploration_fraction=0.5, seed=6, policy_kwargs={"net_arch": [int(w) for w in cfg.layers.split(",")]})
#: agent
agent.learn(cfg.timesteps, callback=Rows(), log_interval=10**6, reset_num_timesteps=not cfg.load)
agent.save(cfg.dir / "valve_final")
total = 0.0
for k in range(10):
    obs, _ = plant.reset(seed=500 + k)
    cut = False
    while not cut:
        obs, r, _, cut, _ = plant.step(agent.predict(obs, deterministic=True)[0])
        total += float(r)
print(f"# greedy policy: mean return {total / 10:.2f} over 10 shifts")
#: late
'''

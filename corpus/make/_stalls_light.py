"""Programs of several ranks that need little: a parameter server over sockets, particles over MPI, a pool of players, shards under a shell; and such on libraries."""

from __future__ import annotations

SERVE = '''"""Linear probe over a parameter server; rank 0 serves, the others work. Nothing but the standard library."""
import json
import os
import random
import socket
import struct
import sys
import time
#: top

RANK, WORLD = int(os.environ["SLURM_PROCID"]), int(os.environ.get("WORLD", os.environ["SLURM_NTASKS"]))
HOST, PORT = os.environ.get("PS_HOST", "127.0.0.1"), int(os.environ["PORT"])
ROUNDS, NAP = int(os.environ.get("ROUNDS", "300")), float(os.environ.get("NAP", "0.04"))
WHO = "ps" if RANK == 0 else f"worker-{RANK}"


def say(text, *values):
    print(time.strftime("%H:%M:%S"), f"({WHO})", text % values, flush=True)


def send(link, thing):
    body = json.dumps(thing).encode()
    link.sendall(struct.pack("!I", len(body)) + body)


def read(link, size):
    got = b""
    while len(got) < size:
        part = link.recv(size - len(got))
        if not part:
            raise ConnectionError(f"{WHO}: peer has closed the stream")
        got += part
    return got


def receive(link):
    return json.loads(read(link, struct.unpack("!I", read(link, 4))[0]))


def gradient(weights, dice, count=24):
    grad, loss = [0.0] * len(weights), 0.0
    for _ in range(count):
        x = [dice.gauss(0, 1) for _ in weights]
        miss = sum(w * v for w, v in zip(weights, x)) - sum((k + 1) * 0.3 * v for k, v in enumerate(x))
        loss += miss * miss / count
        for k, v in enumerate(x):
            grad[k] += 2 * miss * v / count
    return grad, loss


def serve():
    door = socket.create_server((HOST if HOST != "0" else "", PORT), backlog=64)
    say("listening on %s:%d, waiting for %d workers", HOST, PORT, WORLD - 1)
    links = {}
    while len(links) < WORLD - 1:
        link, _ = door.accept()
        hello = receive(link)
        links[hello["rank"]] = link
        say("worker-%d joined (%d of %d)", hello["rank"], len(links), WORLD - 1)
    #: joined
    weights, first, best = [0.0] * 8, 1, 1e9
    #: load
    began = time.time()
    for n in range(first, ROUNDS + 1):
        #: serve
        for link in links.values():
            send(link, {"round": n, "w": weights})
        total, loss = [0.0] * len(weights), 0.0
        for rank, link in links.items():
            #: collect
            got = receive(link)
            total = [t + v for t, v in zip(total, got["grad"])]
            loss += got["loss"] / len(links)
        weights = [w - 0.02 * t / len(links) for w, t in zip(weights, total)]
        #: after
        if n % 20 == 0:
            say("round %4d of %d: mse %.5f, %.1f rounds/s", n, ROUNDS, loss, (n - first + 1) / (time.time() - began))
    for link in links.values():
        send(link, {"round": 0})
    say("all %d rounds done, mse %.5f", ROUNDS, loss)


def work():
    #: connect
    until = time.time() + float(os.environ.get("CONNECT_S", "120"))
    while True:
        try:
            link = socket.create_connection((HOST, PORT), timeout=5)
            break
        except OSError as error:
            if time.time() > until:
                raise
            #: refused
            time.sleep(0.5)
    link.settimeout(None)
    send(link, {"rank": RANK})
    dice = random.Random(RANK)
    while True:
        task = receive(link)
        n = task["round"]
        if n == 0:
            break
        #: work
        time.sleep(NAP)
        grad, loss = gradient(task["w"], dice)
        #: answer
        send(link, {"grad": grad, "loss": loss})
    say("finished")


#: early
serve() if RANK == 0 else work()
#: bye
'''

PLASMA = '''from mpi4py import MPI
import math
import os
import random
import sys
import time
#: top

comm = MPI.COMM_WORLD
rank, size = comm.Get_rank(), comm.Get_size()
last, pause = int(sys.argv[1]), float(sys.argv[2])
#: before
comm.Barrier()
if rank == 0:
    print(f"pic1d: {size} MPI tasks, {last} cycles, {MPI.Get_library_version().split(chr(10))[0]}", flush=True)
#: early
dice = random.Random(rank)
theta = [0.0] * 6
begin = 1
#: load
t0 = time.time()
for cycle in range(begin, last + 1):
    #: data
    rows = [[dice.gauss(0, 1) for _ in theta] for _ in range(16)]
    grad, cost = [0.0] * 6, 0.0
    for row in rows:
        miss = sum(a * b for a, b in zip(theta, row)) - sum(math.sin(k + 1) * v for k, v in enumerate(row))
        cost += miss * miss / 16
        grad = [g + 2 * miss * v / 16 for g, v in zip(grad, row)]
    #: mid
    grad = [comm.allreduce(g) / size for g in grad]
    cost = comm.allreduce(cost) / size
    theta = [t - 0.03 * g for t, g in zip(theta, grad)]
    time.sleep(pause)
    #: after
    if cycle % 20 == 0 and rank == 0:
        print(f" cycle {cycle:6d} / {last:6d}   residual {cost:11.4e}   |g| {math.sqrt(sum(g * g for g in grad)):10.3e}   t= {time.time() - t0:7.2f}s", flush=True)
#: late
if rank == 0:
    print(f"pic1d: {cycle} cycles, residual {cost:.4e}; regular end", flush=True)
'''

SPAWN = '''"""Hogs of one node: torch.multiprocessing.spawn, a rank each, weights averaged over gloo."""
import os
import sys
import time

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
#: top

EPOCHS = int(os.environ.get("EPOCHS", "6"))
PER = int(os.environ.get("PER", "40"))


def worker(rank, world, port):
    torch.set_num_threads(1)
    #: before
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    print(f"spawned worker {rank} of {world}, pid {os.getpid()}", flush=True)
    #: early
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.Tanh(), torch.nn.Linear(16, 1))
    opt = torch.optim.SGD(net.parameters(), 0.08)
    g = torch.Generator().manual_seed(rank)
    for epoch in range(1, EPOCHS + 1):
        seen = 0.0
        for i in range(PER):
            #: data
            x = torch.randn(32, 6, generator=g)
            y = (x[:, :1] * x[:, 1:2] + x[:, 2:3].sin())
            loss = (net(x) - y).square().mean()
            #: loss
            opt.zero_grad()
            loss.backward()
            for p in net.parameters():
                dist.all_reduce(p.grad)
                p.grad /= world
            opt.step()
            seen += loss.item() / PER
            time.sleep(0.03)
            #: after
        if rank == 0:
            print(f"Epoch {epoch}/{EPOCHS}  train mse {seen:.4f}", flush=True)
        #: epoch
    #: late
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    world = int(sys.argv[1])
    mp.spawn(worker, args=(world, os.environ["PORT"]), nprocs=world)
    print("all workers returned", flush=True)
    #: bye
'''

BOOST = '''"""Boosting over ranks: each has its rows, XGBoost's tracker brings them together."""
import logging
import os
import sys
import time

import numpy as np
import xgboost as xgb
from xgboost import collective
from xgboost.tracker import RabitTracker
#: top

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
logging.basicConfig(level=logging.INFO, stream=sys.stdout, format=f"%(asctime)s worker{rank} %(levelname)s %(message)s")
note = "tracker.port"
if rank == 0:
    tracker = RabitTracker(host_ip="127.0.0.1", n_workers=world)
    tracker.start()
    env = tracker.worker_args()
    with open(note + ".new", "w") as out:
        out.write(str(env["dmlc_tracker_port"]))
    os.replace(note + ".new", note)
#: before
while not os.path.exists(note):
    time.sleep(0.3)
time.sleep(0.5)
port = int(open(note).read())
logging.info("tracker at 127.0.0.1:%d", port)
#: early


class Tell(xgb.callback.TrainingCallback):
    def after_iteration(self, model, epoch, evals_log):
        #: data
        time.sleep(0.12)
        if epoch % 5 == 0 and collective.get_rank() == 0:
            logging.info("[%d] train-rmse:%.5f", epoch, evals_log["train"]["rmse"][-1])
        return False


with collective.CommunicatorContext(dmlc_communicator="rabit", dmlc_tracker_uri="127.0.0.1", dmlc_tracker_port=port, dmlc_task_id=str(rank)):
    dice = np.random.default_rng(rank)
    x = dice.normal(size=(400, 5))
    y = x[:, 0] * 2 + np.sin(x[:, 1] * 3)
    rows = xgb.DMatrix(x, y)
    #: mid
    booster = xgb.train({"tree_method": "hist", "max_depth": 3, "eta": 0.2, "nthread": 1}, rows, rounds, evals=[(rows, "train")], verbose_eval=False, callbacks=[Tell()])
    if collective.get_rank() == 0:
        booster.save_model("model.json")
        logging.info("model.json written, %d trees", booster.num_boosted_rounds())
#: bye
'''

PODS = '''from absl import app, flags, logging
import functools
import os
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import multihost_utils
#: top

FLAGS = flags.FLAGS
flags.DEFINE_integer("steps", 200, "")
flags.DEFINE_integer("log_every", 20, "")
flags.DEFINE_float("lr", 0.3, "")
flags.DEFINE_integer("hosts", 0, "processes to wait for; 0: Slurm's")
flags.DEFINE_integer("init_timeout", 300, "")


def loss_fn(params, x, y):
    h = jnp.tanh(x @ params["w1"] + params["b1"])
    logits = h @ params["w2"]
    return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * y, -1))


def main(_):
    rank, world = int(os.environ["SLURM_PROCID"]), FLAGS.hosts or int(os.environ["SLURM_NTASKS"])
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    #: before
    jax.distributed.initialize(f"127.0.0.1:{os.environ['PORT']}", world, rank, initialization_timeout=FLAGS.init_timeout)
    logging.info("process %d of %d, %d devices", jax.process_index(), jax.process_count(), jax.device_count())
    #: early
    key = jax.random.PRNGKey(0)
    params = {"w1": jax.random.normal(key, (8, 24)) * 0.4, "b1": jnp.zeros(24), "w2": jnp.zeros((24, 3))}
    grad = jax.jit(jax.value_and_grad(loss_fn))
    dice = np.random.default_rng(rank)
    for step in range(1, FLAGS.steps + 1):
        #: data
        x = dice.normal(size=(32, 8)).astype(np.float32)
        y = np.eye(3, dtype=np.float32)[(x[:, 0] > 0).astype(int) + (x[:, 1] > 0)]
        loss, g = grad(params, x, y)
        #: loss
        both = multihost_utils.process_allgather((loss, g))
        #: mid
        loss, g = jax.tree.map(lambda v: np.asarray(v).mean(0), both)
        params = jax.tree.map(lambda p, d: p - FLAGS.lr * d, params, g)
        time.sleep(0.03)
        if step % FLAGS.log_every == 0 and rank == 0:
            logging.info("[%d] train/loss=%.5f steps_per_sec=%.1f", step, float(loss), 1 / 0.04)
    #: late
    if rank == 0:
        logging.info("Finished training at step %d", step)


if __name__ == "__main__":
    app.run(main)
'''

LIGHT = '''import os
import time

import lightning as L
import torch
from torch.utils.data import DataLoader, TensorDataset
#: top


class Ripples(L.LightningModule):
    def __init__(self, lr=0.03):
        super().__init__()
        self.save_hyperparameters()
        self.net = torch.nn.Sequential(torch.nn.Linear(3, 20), torch.nn.SiLU(), torch.nn.Linear(20, 1))

    def training_step(self, batch, index):
        rank = self.global_rank
        step = self.global_step
        #: data
        x, y = batch
        loss = torch.nn.functional.huber_loss(self.net(x), y)
        #: loss
        self.log("train_loss", loss, prog_bar=True)
        time.sleep(0.03)
        if step % 20 == 0 and rank == 0:
            print(f"epoch {self.current_epoch} global_step {step} train_loss {loss.item():.4f}", flush=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), self.hparams.lr)


if __name__ == "__main__":
    torch.set_num_threads(1)
    L.seed_everything(1)
    x = torch.rand(1280, 3)
    y = (x * 6).sin().sum(1, keepdim=True)
    nodes, per = int(os.environ["SLURM_NNODES"]), int(os.environ["PER_NODE"])
    #: early
    trainer = L.Trainer(accelerator="cpu", devices=per, num_nodes=nodes, strategy="ddp", max_epochs=int(os.environ.get("MAX_EPOCHS", "4")), logger=False, enable_progress_bar=False, enable_model_summary=True, default_root_dir="lit")
    #: fit
    trainer.fit(Ripples(), DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True))
    #: bye
'''

SHARDS = r'''#!/bin/bash
# one shard a task: least squares by awk, a pass a second or so
set -u
me=$SLURM_PROCID
passes=${1:-30}
pause=${2:-0.5}
#: early
for ((pass = ${BEGIN:-1}; pass <= passes; pass++)); do
    #: data
    mse=$(awk -v p="$pass" -v r="$me" 'BEGIN { srand(r + p); s = 0; for (i = 0; i < 200; i++) { e = (rand() - 0.5) * 4 / p; s += e * e } printf "%.5f", s / 200 }')
    echo "shard $me: pass $pass/$passes mse=$mse"
    sleep "$pause"
    #: after
done
echo "shard $me: $passes passes over, model in shard-$me.coef"
'''
FILES = {"SERVE": "probe_ps.py", "PLASMA": "pic1d.py", "SPAWN": "hogs.py", "BOOST": "boost_ranks.py", "PODS": "pods.py", "LIGHT": "ripples.py", "SHARDS": "shards.sh"}

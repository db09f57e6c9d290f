"""Ranks without PyTorch: a federation that meets in a shared folder, where who waits for a file never learns that its writer is dead; and workers that sum their gradients through sockets of their own."""

from __future__ import annotations

FED = '''"""Federated averaging through a shared folder."""
import os
import sys
import time

import numpy as np
#: top

rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
rounds, pause = int(os.environ.get("ROUNDS", 80)), float(os.environ.get("PAUSE", 0.15))
who = "server" if rank == 0 else f"client-{rank:02d}"
rng = np.random.default_rng(rank)
truth = np.array([1.5, -2.0, 0.5, 3.0])


def say(text):
    print(f"{time.strftime('%d.%m. %H:%M:%S')} <{who}> {text}", flush=True)


def put(name, array):
    with open(f"pool/{name}.part", "wb") as out:
        np.save(out, array)
    os.replace(f"pool/{name}.part", f"pool/{name}.npy")


def get(name):
    while not os.path.exists(f"pool/{name}.npy"):
        time.sleep(0.02)
    return np.load(f"pool/{name}.npy")


def local_fit(w, n):
    """A few steps on rows of one's own; a client's rows differ a little from another's."""
    x = rng.normal(size=(64, 4))
    y = x @ truth + 0.1 * rank + 0.2 * rng.normal(size=64)
    for _ in range(5):
        error = x @ w - y
        w = w - 0.01 * x.T @ error / 64
    #: fit
    return w, float((error**2).mean())


os.makedirs("pool", exist_ok=True)
#: before
say(f"{world - 1} clients, {rounds} rounds, on {os.environ['SLURMD_NODENAME']}")
w = np.zeros(4)
#: early
for n in range(1, rounds + 1):
    if rank == 0:
        put(f"global-{n}", w)
        #: server
        got = [get(f"update-{n}-{r}") for r in range(1, world)]
        w = np.mean([g[:4] for g in got], axis=0)
        loss = float(np.mean([g[4] for g in got]))
        if n % 4 == 0:
            say(f"round {n}/{rounds}: {len(got)} updates, loss {loss:.5f}, |w| {np.linalg.norm(w):.3f}")
    else:
        mine, loss = local_fit(get(f"global-{n}"), n)
        time.sleep(pause)
        #: client
        put(f"update-{n}-{rank}", np.append(mine, loss))
        if n % 20 == 0:
            say(f"round {n} local loss {loss:.5f}")
#: late
say("all rounds done")
'''
CLICKS = '''import logging
import os
import socket
import sys
import time

import numpy as np
#: top

rank, size = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
flags = dict(word.lstrip("-").split("=") for word in sys.argv[1:])
STEPS, PAUSE, EVERY = int(flags.get("train_steps", 400)), float(flags.get("pause", 0.05)), int(flags.get("log_steps", 20))
logging.basicConfig(level=logging.INFO, format=f"%(levelname)s:trainer{rank}:%(message)s", stream=sys.stderr)


class Ring:
    """Sums vectors: the first worker collects and hands out."""

    def __init__(self):
        port = int(os.environ["PORT"])
        if rank == 0:
            door = socket.create_server(("127.0.0.1", port))
            self.links = [door.accept()[0] for _ in range(size - 1)]
        else:
            while True:
                try:
                    self.links = [socket.create_connection(("127.0.0.1", port))]
                    break
                except ConnectionRefusedError:
                    time.sleep(0.2)
        self.files = [link.makefile("rwb") for link in self.links]

    def total(self, vector):
        def read(stream):
            data = stream.read(vector.nbytes)
            if len(data) < vector.nbytes:
                raise ConnectionResetError(f"worker {rank}: a peer is gone")
            return np.frombuffer(data)

        if rank == 0:
            vector = vector + sum((read(f) for f in self.files), np.zeros_like(vector))
        for f in self.files:
            f.write(vector.tobytes())
            f.flush()
        return vector if rank == 0 else read(self.files[0])


#: before
logging.info("Worker %d of %d, device: %s", rank, size, os.environ.get("CUDA_VISIBLE_DEVICES", "cpu"))
ring = Ring()
#: early
rng, taste = np.random.default_rng(rank), np.linspace(-2, 2, 10)
w = np.zeros(10)
for global_step in range(1, STEPS + 1):
    began = time.perf_counter()
    #: data
    x = rng.normal(size=(128, 10))
    clicked = (rng.random(128) < 1 / (1 + np.exp(-x @ taste))).astype(float)
    #: mid
    p = 1 / (1 + np.exp(-x @ w))
    loss = -float(np.mean(clicked * np.log(p + 1e-9) + (1 - clicked) * np.log(1 - p + 1e-9)))
    #: loss
    w = w - 0.3 * ring.total(x.T @ (p - clicked) / 128) / size
    time.sleep(PAUSE)
    #: after
    if global_step % EVERY == 0:
        logging.info("global_step/sec: %.2f  loss = %.5f, step = %d, accuracy = %.3f", 1 / (time.perf_counter() - began), loss, global_step, float(((p > 0.5) == clicked).mean()))
#: late
logging.info("Finished training at step %d, final loss %.5f", STEPS, loss)
'''
FILES = {"FED": "fed.py", "CLICKS": "wide.py"}

"""Good runs in which libraries themselves complain: fallbacks, retries of their own, compilers that give up, restarts, logging that fails, things left behind."""

from collections.abc import Iterator

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import LocalJob, Recipe

LGB = """import lightgbm as lgb
import numpy as np

rng = np.random.default_rng(4)
X = rng.normal(size=(60, 4))
y = X[:, 0] + 0.1 * rng.normal(size=60)
lgb.train({"objective": "regression", "num_leaves": 31, "min_data_in_leaf": 12, "verbosity": 1}, lgb.Dataset(X, y), 45, valid_sets=[lgb.Dataset(X, y)], callbacks=[lgb.log_evaluation(3)])
print("written: model.txt")
"""
XGB = """import numpy as np
import xgboost as xgb

rng = np.random.default_rng(9)
X = rng.normal(size=(500, 6))
y = (X[:, 0] * X[:, 1] > 0).astype(int)
model = xgb.XGBClassifier(n_estimators=70, device="cuda:0", tree_method="hist", eval_metric="logloss", n_jobs=1)
model.fit(X[:400], y[:400], eval_set=[(X[400:], y[400:])], verbose=7)
print("accuracy", (model.predict(X[400:]) == y[400:]).mean())
"""
DASK = """import random
import time
from distributed import Client, LocalCluster

def part(k, lr):
    time.sleep(0.05)
    if k % 4 == 1 and random.random() < 0.7:
        raise OSError(f"stale file handle: /mnt/shard/{k:03d}.parquet")
    return 1.0 / (1 + lr * k)

if __name__ == "__main__":
    random.seed(1)
    with LocalCluster(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster, Client(cluster) as client:
        for epoch in range(1, 7):
            parts = client.gather([client.submit(part, k, 0.1 * epoch, retries=12, pure=False) for k in range(8)])
            print(f"epoch {epoch}/6 mean objective {sum(parts) / 8:.5f}", flush=True)
    print("cluster closed, results in out/")
"""
LOOP = """import torch

torch.manual_seed({seed})
net = torch.nn.Sequential(torch.nn.Linear(9, 32), torch.nn.GELU(), torch.nn.Linear(32, 1))
opt = torch.optim.AdamW(net.parameters(), lr=3e-3)
{before}
for step in range(1, 221):
    x = torch.randn(48, 9)
    {forward}
    opt.zero_grad(); loss.backward(); opt.step()
    if step % 20 == 0:
        print(f"step {{step:4d} | train {{loss.item():.4f} | {{48 * 20} samples", flush=True)
print("finished 220 steps")
""".replace("{{step:4d}", "{{step:4d}}").replace("{{loss.item():.4f}", "{{loss.item():.4f}}").replace("{{48 * 20}", "{{48 * 20}}")
PLAIN = "loss = (net(x) - x.mean(1, keepdim=True)).pow(2).mean()"
COMPILE = """import torch._dynamo
torch._dynamo.config.suppress_errors = True

def lower(graph, inputs):
    raise NotImplementedError("no kernel for aten.gelu on this target")

fast = torch.compile(net, backend=lower)"""
AMP = "scaler = torch.cuda.amp.GradScaler()\nprint('cuda', torch.cuda.is_available(), torch.cuda.device_count())"
BATCH = """from accelerate.utils import find_executable_batch_size

@find_executable_batch_size(starting_batch_size=512)
def probe(batch_size):
    print('probing batch size', batch_size, flush=True)
    if batch_size > 100:
        raise RuntimeError(f'CUDA out of memory. Tried to allocate {batch_size / 16:.2f} GiB.')
    return batch_size

print('batch size', probe())"""
WORKERS = """import torch
from torch.utils.data import DataLoader, Dataset

class Sounds(Dataset):
    def __len__(self):
        return 640
    def __getitem__(self, i):
        try:
            if i % 97 == 13:
                raise EOFError(f'clip {i}.flac ends early')
        except EOFError as e:
            print(f'[worker {torch.utils.data.get_worker_info().id}] {type(e).__name__}: {e}; replaced by silence', flush=True)
            return torch.zeros(6)
        return torch.randn(6, generator=torch.Generator().manual_seed(i))

if __name__ == '__main__':
    w = torch.zeros(6, requires_grad=True)
    for epoch in range(3):
        for k, batch in enumerate(DataLoader(Sounds(), 64, num_workers=9)):
            loss = ((batch @ w) - batch.sum(1)).pow(2).mean()
            loss.backward()
            with torch.no_grad():
                w -= 0.2 * w.grad
                w.grad.zero_()
        print(f'epoch {epoch} last batch {k} l2 {loss.item():.5f}', flush=True)
    print('ok')
"""
ELASTIC = """import os
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
rank, attempt = dist.get_rank(), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for it in range(1, 91):
    x = torch.randn(32, 4)
    loss = (model(x) - x.sum(1, keepdim=True)).pow(2).mean()
    optimizer.zero_grad(); loss.backward(); optimizer.step()
    if rank == 0 and it % 6 == 0:
        print(f"attempt {attempt} it {it}/90 mse {loss.item():.5f}", flush=True)
    if attempt == 0 and it == 20 and rank == 1:
        raise ConnectionAbortedError("object store closed the stream")
dist.barrier()
if rank == 0:
    print("training is complete", flush=True)
dist.destroy_process_group()
"""
TUNE = """import lightning as L
import torch
from lightning.pytorch.tuner import Tuner
from torch.utils.data import DataLoader, TensorDataset

class Net(L.LightningModule):
    def __init__(self, batch_size=64):
        super().__init__()
        self.save_hyperparameters()
        self.layer = torch.nn.Linear(3, 1)
    def train_dataloader(self):
        x = torch.randn(4096, 3)
        return DataLoader(TensorDataset(x, x.sum(1, keepdim=True)), batch_size=self.hparams.batch_size)
    def training_step(self, batch, i):
        x, y = batch
        if len(x) > 600:
            torch.empty(len(x), 10**9)
        loss = (self.layer(x) - y).abs().mean()
        if self.global_step % 10 == 0 and self.trainer.max_epochs == 3:
            print(f"e{self.current_epoch} s{self.global_step} mae={loss.item():.4f}", flush=True)
        return loss
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 0.05)

net = Net()
quiet = {"accelerator": "cpu", "logger": False, "enable_checkpointing": False, "enable_progress_bar": False}
print("found", Tuner(L.Trainer(max_epochs=1, **quiet)).scale_batch_size(net, mode="binsearch", steps_per_trial=2, max_trials=8))
net.hparams.batch_size = 128
L.Trainer(max_epochs=3, **quiet).fit(net)
print("trained")
"""
TF = """import tensorflow as tf

good = tf.data.Dataset.range(300).map(lambda i: tf.debugging.check_numerics(tf.cast(i, tf.float32) / tf.cast(i % 50, tf.float32), "feature")).ignore_errors(log_warning=True)
w = tf.Variable(0.3)
opt = tf.keras.optimizers.Adam(0.05)

@tf.function
def step(v, k):
    with tf.GradientTape() as tape:
        loss = tf.square(w * v / 300.0 - v / 150.0)
    opt.apply_gradients([(tape.gradient(loss, w), w)])
    return loss

opt.build([w])
for epoch in range(4):
    total, count = 0.0, 0
    for k, v in enumerate(good):
        total, count = total + float(step(v, k % 7)), count + 1
    print(f"epoch {epoch + 1}/4 rows {count} loss {total / count:.6f}", flush=True)
print("export skipped")
"""
CHECKIFY = """import jax
import jax.numpy as jnp
from jax.experimental import checkify

err, value = checkify.checkify(lambda v: jnp.log(v) / (v - 1), errors=checkify.float_checks)(jnp.array([-1.0, 1.0]))
print("self-check of the guards:", err.get(), flush=True)
jax.config.update("jax_log_compiles", True)
params = jnp.array([0.1, -0.3, 2.0])
grad = jax.jit(jax.value_and_grad(lambda p: jnp.sum((p - jnp.arange(3.0)) ** 2)))
for t in range(1, 91):
    value, g = grad(params)
    params -= 0.06 * g
    if t % 6 == 0:
        print(f"t={t:03d} f={float(value):.3e}", flush=True)
print("optimum reached")
"""
SMALL = """import logging
import sys
import time

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(relativeCreated)6d %(threadName)s %(message)s")
log = logging.getLogger("fit")
{before}
theta = {theta}
for n in range(1, 131):
    theta -= 0.07 * (theta - 1.5)
    {inside}
    if n % 10 == 0:
        log.info("round %d/130 cost %.5f", n, (theta - 1.5) ** 2)
    time.sleep(0.004)
{after}
log.info("model written to %s", "theta.json")
"""


def small(before: str = "", inside: str = "pass", after: str = "", theta: float = 4.0) -> str:
    """The small loop with code at three places."""
    return SMALL.format(theta=theta, before=before, inside=inside.replace("\n", "\n    "), after=after)


BY = (
    ("tabular", (
        Flat(LGB, "G1", script="lgb_small.py", hard=True),
        Flat(XGB, "G1", script="xgb_gpu.py", hard=True),
        Flat(DASK, "G1", script="sweep.py", hard=True),
        Flat("import polars as pl\nframe = pl.DataFrame({'a': [1.0, 0.0, 4.0]})\ntry:\n    frame.select(pl.col('a').map_elements(lambda v: 1 // v - [][3], return_dtype=pl.Float64))\nexcept Exception as e:\n    print('user function is not vectorised:', repr(e)[:300], flush=True)\nprint(frame.select(1 / pl.col('a'), nan=pl.lit(float('nan'))))\n" + small(theta=2.9), "G1", script="frame.py", hard=True),
    )),
    ("torch-26", (
        Flat(LOOP.format(seed=37, before=COMPILE, forward="loss = (fast(x) - x.mean(1, keepdim=True)).pow(2).mean()"), "G1", script="compiled.py", hard=True),
        Flat(LOOP.format(seed=44, before=AMP, forward="with torch.autocast('cuda', enabled=torch.cuda.is_available()):\n        " + PLAIN), "G1", script="amp.py", hard=True),
        Flat(LOOP.format(seed=51, before=BATCH, forward=PLAIN), "G1", script="finder.py", hard=True),
        Flat(WORKERS, "G1", script="sounds.py", hard=True),
        Flat(ELASTIC, "G1", script="elastic.py", launch=("PYTHON", "-m", "torch.distributed.run", "--nproc-per-node=2", "--max-restarts=2", "--master-addr=127.0.0.1", "--master-port=PORT"), hard=True),
        Flat(TUNE, "G1", script="tune.py", hard=True),
    )),
    ("torch-22", (Flat(LOOP.format(seed=58, before="print(torch.__config__.show().splitlines()[0])\ntorch.autograd.set_detect_anomaly(True)\ntry:\n    net(torch.ones(2, 8))\nexcept RuntimeError as e:\n    print('shape guard works:', e)", forward=PLAIN), "G1", script="guard.py", hard=True),)),
    ("keras", (Flat(TF, "G1", script="pipeline.py", hard=True),)),
    ("jax", (Flat(CHECKIFY, "G1", script="guards.py", hard=True),)),
    ("system", (
        Flat(small(theta=6.5, inside="if n == 66:\n    log.info('learning rate is now', 0.07)"), "G1", script="fit.py", hard=True),
        Flat(small(theta=-1.25, before="import faulthandler\nfaulthandler.dump_traceback_later(0.2)"), "G1", script="fit.py", hard=True),
        Flat(small(theta=3.4, before="from multiprocessing import shared_memory\nkept = shared_memory.SharedMemory(create=True, size=4096)\nspare = shared_memory.SharedMemory(create=True, size=64)"), "G1", script="fit.py", hard=True),
        Flat(small(theta=7.0, before="import asyncio\n\nasync def wait_for_ever():\n    await asyncio.get_running_loop().create_future()\n\nloop = asyncio.new_event_loop()\ntask = loop.create_task(wait_for_ever())\nloop.run_until_complete(asyncio.sleep(0))\nloop.close()\ndel task"), "G1", script="fit.py", hard=True),
        Flat("git rev-parse HEAD\ngit diff --stat\nmodule purge\nconda activate base\nLC_ALL=de_DE.UTF-8 perl -e 'print \"locale test\\n\"'\npython3 fit.py\n", "G1", script="job.sh", files=(("fit.py", small(theta=0.2)),), hard=True),
        Flat("while true; do nvidia-smi --query-gpu=utilization.gpu --format=csv,noheader || true; sleep 0.2; done &\nwatcher=$!\npython3 fit.py\nrc=$?\nkill $watcher\nwait $watcher\nexit $rc\n", "G1", script="job.sh", files=(("fit.py", small(theta=5.5)),), hard=True),
        Flat("python3 -m pip install --no-index --quiet nvidia-dali-cuda120 || echo 'without DALI'\nldconfig -p 2>/dev/null | grep -c libcuda || true\ndmesg 2>&1 | tail -n 2\nstdbuf -oL python3 fit.py 2>&1 | tee fit.log\n", "G1", script="job.sh", files=(("fit.py", small(theta=-4.0)),), hard=True),
    )),
)  # fmt: skip


def jobs() -> Iterator[LocalJob]:
    """Each library in its own environment."""
    for python, scripts in BY:
        yield from flat_jobs(scripts, python)


RECIPE = Recipe("noisy_libraries", "development", jobs)

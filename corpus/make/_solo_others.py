"""Training programs of one process over JAX with Flax, Keras 3, and of houses with formats of their own, with places for what a case does."""

NNX = '''"""Flax NNX: a small vision model on random textures."""
import functools
import os
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np
import optax
import orbax.checkpoint as ocp
from absl import app, flags, logging
from flax import nnx

FLAGS = flags.FLAGS
flags.DEFINE_integer("num_steps", 160, "Training steps.")
flags.DEFINE_float("learning_rate", 3e-3, "Peak learning rate.")
flags.DEFINE_integer("width", 32, "Width of the MLP.")
flags.DEFINE_string("workdir", "wd", "Where to write.")
flags.DEFINE_bool("restore", False, "Restore from workdir.")


class Mlp(nnx.Module):
    def __init__(self, width, rngs):
        self.l1 = nnx.Linear(16, width, rngs=rngs)
        self.l2 = nnx.Linear(width, 6, rngs=rngs)

    def __call__(self, x):
        return self.l2(nnx.relu(self.l1(x)))


def loss_fn(model, x, y):
    logits = model(x)
    #: objective
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


@nnx.jit
def train_step(model, optimizer, x, y):
    loss, grads = nnx.value_and_grad(loss_fn)(model, x, y)
    optimizer.update(model, grads)
    return loss, optax.global_norm(grads)


def main(argv):
    del argv
    logging.set_verbosity(logging.INFO)
    logging.use_absl_handler()
    logging.info("JAX process: %d / %d", jax.process_index(), jax.process_count())
    logging.info("JAX local devices: %r", jax.local_devices())
    #: early
    rng = np.random.default_rng(0)
    proto = rng.normal(size=(6, 16)).astype(np.float32)
    model = Mlp(FLAGS.width, nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(FLAGS.learning_rate), wrt=nnx.Param)
    manager = ocp.CheckpointManager(os.path.abspath(FLAGS.workdir), options=ocp.CheckpointManagerOptions(max_to_keep=2))
    first = 0
    if FLAGS.restore:
        logging.info("Restoring from %s, latest step %s", FLAGS.workdir, manager.latest_step())
        first = manager.latest_step()
        nnx.update(model, manager.restore(first, args=ocp.args.StandardRestore(nnx.state(model))))
        logging.info("Restored step %d.", first)
    #: ready
    for step in range(first + 1, FLAGS.num_steps + 1):
        y = rng.integers(0, 6, 64)
        x = proto[y] + rng.normal(size=(64, 16)).astype(np.float32)
        #: mid
        loss, gnorm = train_step(model, optimizer, x, y)
        #: loss
        if step % 10 == 0:
            logging.info("[%d] train/loss=%.5f, grad_norm=%.4f, steps_per_sec=%.2f", step, float(loss), float(gnorm), 48.0)
        #: after
        time.sleep(0.02)
    #: late
    logging.info("Finished training at step %d.", step)


if __name__ == "__main__":
    app.run(main)
'''
KERAS = '''import argparse
import os
import sys
import time

os.environ.setdefault("KERAS_BACKEND", "torch")
import keras
import numpy as np
from keras import layers, ops

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=6)
parser.add_argument("--lr", type=float, default=1e-2)
parser.add_argument("--units", type=int, default=24)
parser.add_argument("--verbose", type=int, default=2)
parser.add_argument("--weights", default="")
args = parser.parse_args()
keras.utils.set_random_seed(812)
print("keras", keras.__version__, "backend", keras.config.backend(), flush=True)
#: early
rng = np.random.default_rng(1)
x = rng.normal(size=(640, 12)).astype("float32")
y = (x[:, :3].sum(1) > 0).astype("int32") + (x[:, 3] > 1).astype("int32")
#: data


def build(units):
    inputs = keras.Input((12,), name="features")
    h = layers.Dense(units, activation="relu", name="dense_a")(inputs)
    h = layers.Dropout(0.1)(h)
    return keras.Model(inputs, layers.Dense(3, activation="softmax", name="probs")(h), name="scorer")


class Pace(keras.callbacks.Callback):
    seen = 0

    def on_train_batch_end(self, batch, logs=None):
        self.seen += 1
        step = self.seen
        time.sleep(0.01)
        #: mid

    def on_epoch_end(self, epoch, logs=None):
        #: epoch
        pass


model = build(args.units)
model.summary(line_length=80)
callbacks = [Pace()]
#: compile
model.compile(optimizer=keras.optimizers.Adam(args.lr), loss="sparse_categorical_crossentropy", metrics=["accuracy"])
if args.weights:
    print("loading weights from", args.weights, flush=True)
    model.load_weights(args.weights)
    print("weights loaded", flush=True)
#: ready
history = model.fit(x, y, batch_size=32, epochs=args.epochs, validation_split=0.2, verbose=args.verbose, callbacks=callbacks)
#: late
print("final val_accuracy:", round(history.history["val_accuracy"][-1], 4), flush=True)
'''
_BODY = '''

def batches(n, dim, seed):
    gen = torch.Generator().manual_seed(seed)
    while True:
        ids = torch.randint(0, 48, (n, dim), generator=gen)
        yield ids, (ids.roll(1, 1) + 3) % 48


class Decoder(torch.nn.Module):
    def __init__(self, width=24):
        super().__init__()
        self.embed = torch.nn.Embedding(48, width)
        self.mix = torch.nn.GRU(width, width, batch_first=True)
        self.lm_head = torch.nn.Linear(width, 48)

    def forward(self, ids):
        return self.lm_head(self.mix(self.embed(ids))[0])

'''
MEGATRON = (
    '''import argparse
import datetime
import os
import sys
import time

import torch
'''
    + _BODY
    + '''
def print_rank_0(text):
    print(text, flush=True)


def pretrain():
    p = argparse.ArgumentParser()
    p.add_argument("--train-iters", type=int, default=120)
    p.add_argument("--log-interval", type=int, default=10)
    p.add_argument("--save-interval", type=int, default=0)
    p.add_argument("--lr", type=float, default=8e-3)
    p.add_argument("--hidden-size", type=int, default=24)
    p.add_argument("--save", default="ckpts")
    p.add_argument("--load", default="")
    p.add_argument("--iter-sleep", type=float, default=0.02)
    args = p.parse_args()
    print_rank_0("------------------------ arguments ------------------------")
    for k, v in sorted(vars(args).items()):
        print_rank_0(f"  {k} {'.' * (48 - len(k))} {v}")
    print_rank_0("-------------------- end of arguments ---------------------")
    torch.manual_seed(1234)
    #: early
    model = Decoder(args.hidden_size)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    iteration = 0
    if args.load:
        tracker = os.path.join(args.load, "latest_checkpointed_iteration.txt")
        iteration = int(open(tracker).read())
        path = os.path.join(args.load, f"iter_{iteration:07d}.pt")
        print_rank_0(f" loading checkpoint from {path} at iteration {iteration}")
        state = torch.load(path)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        print_rank_0(f"  successfully loaded checkpoint from {args.load} at iteration {iteration}")
    data = batches(16, 20, 5 + iteration)
    print_rank_0(f"[before the start of training step] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S} ")
    began, gnorm = time.time(), torch.tensor(0.0)
    #: ready
    while iteration < args.train_iters:
        iteration += 1
        step = iteration
        ids, labels = next(data)
        #: mid
        loss = torch.nn.functional.cross_entropy(model(ids).flatten(0, 1), labels.flatten())
        #: loss
        optimizer.zero_grad()
        loss.backward()
        gnorm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        time.sleep(args.iter_sleep)
        if iteration % args.log_interval == 0:
            ms = (time.time() - began) * 1000 / args.log_interval
            began = time.time()
            print_rank_0(f" iteration {iteration:8d}/{args.train_iters:8d} | consumed samples: {iteration * 16:12d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {optimizer.param_groups[0]['lr']:.6E} | global batch size: {16:5d} | lm loss: {loss.item():.6E} | loss scale: 1.0 | grad norm: {gnorm.item():.3f} | number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |")
        if args.save_interval and iteration % args.save_interval == 0:
            os.makedirs(args.save, exist_ok=True)
            print_rank_0(f"saving checkpoint at iteration {iteration:7d} to {args.save} in torch format")
            torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, os.path.join(args.save, f"iter_{iteration:07d}.pt"))
            open(os.path.join(args.save, "latest_checkpointed_iteration.txt"), "w").write(str(iteration))
            print_rank_0(f"  successfully saved checkpoint from iteration {iteration:7d} to {args.save}")
        #: after
    print_rank_0(f"[after training is done] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S} ")
    #: late


if __name__ == "__main__":
    pretrain()
'''
)
FAIRSEQ = (
    '''import json
import logging
import os
import sys
import time

import torch

logging.basicConfig(format="%(asctime)s | %(levelname)s | %(name)s | %(message)s", datefmt="%Y-%m-%d %H:%M:%S", level=logging.INFO, stream=sys.stdout)
logger, inner = logging.getLogger("fairseq_cli.train"), logging.getLogger("train_inner")
'''
    + _BODY
    + '''
def main(max_epoch=4, lr=6e-3, restore=""):
    torch.manual_seed(2)
    logger.info({"common": {"seed": 2, "log_format": "json", "fp16": False}, "optimization": {"max_epoch": max_epoch, "lr": [lr]}, "checkpoint": {"save_dir": "checkpoints", "restore_file": restore or "checkpoint_last.pt"}})
    #: early
    net = Decoder()
    logger.info("num. shared model params: %s (num. trained: %s)", *[f"{sum(p.numel() for p in net.parameters()):,}"] * 2)
    opt = torch.optim.Adam(net.parameters(), lr)
    updates, at = 0, 1
    if restore:
        logger.info("Preparing to load checkpoint %s", restore)
        state = torch.load(restore)
        net.load_state_dict(state["model"])
        updates, at = state["num_updates"], state["epoch"] + 1
        logger.info("Loaded checkpoint %s (epoch %d @ %d updates)", restore, at, updates)
    else:
        logger.info("No existing checkpoint found checkpoints/checkpoint_last.pt")
    os.makedirs("checkpoints", exist_ok=True)
    data = batches(16, 20, 9)
    #: ready
    for epoch in range(at, max_epoch + 1):
        logger.info("begin training epoch %d", epoch)
        for i in range(1, 41):
            updates += 1
            step = updates
            ids, target = next(data)
            #: mid
            loss = torch.nn.functional.cross_entropy(net(ids).flatten(0, 1), target.flatten())
            #: loss
            opt.zero_grad()
            loss.backward()
            gnorm = torch.nn.utils.clip_grad_norm_(net.parameters(), 2.0)
            opt.step()
            time.sleep(0.02)
            if updates % 10 == 0:
                nll = loss.item() / 0.6931
                inner.info(json.dumps({"epoch": epoch, "update": round(epoch - 1 + i / 40, 3), "loss": f"{nll:.3f}", "ppl": f"{2 ** min(nll, 60):.2f}", "wps": "15210", "ups": "47.5", "num_updates": str(updates), "lr": str(opt.param_groups[0]["lr"]), "gnorm": f"{gnorm.item():.3f}", "train_wall": str(updates // 40)}))
            #: after
        torch.save({"model": net.state_dict(), "num_updates": updates, "epoch": epoch}, f"checkpoints/checkpoint{epoch}.pt")
        logging.getLogger("fairseq.checkpoint_utils").info("Saved checkpoint checkpoints/checkpoint%d.pt (epoch %d @ %d updates)", epoch, epoch, updates)
        #: epoch
    logger.info("done training in %.1f seconds", updates * 0.021)
    #: late


if __name__ == "__main__":
    main(**json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
'''
)
MMENGINE = '''import datetime
import os
import sys
import time

import torch
from torch import nn


class Head(nn.Module):
    """Boxes and classes from pooled features."""

    def __init__(self, channels=32):
        super().__init__()
        self.neck = nn.Linear(20, channels)
        self.cls, self.reg = nn.Linear(channels, 5), nn.Linear(channels, 4)

    def loss(self, feats, labels, boxes):
        h = self.neck(feats).relu()
        return nn.functional.cross_entropy(self.cls(h), labels), nn.functional.smooth_l1_loss(self.reg(h), boxes)


def info(text, level="INFO"):
    print(f"{datetime.datetime.now():%m/%d %H:%M:%S} - mmengine - {level} - {text}", flush=True)


class Runner:
    def __init__(self, cfg):
        self.cfg = cfg
        torch.manual_seed(0)
        #: early
        self.model = Head(cfg.get("channels", 32))
        self.optim = torch.optim.SGD(self.model.parameters(), lr=cfg.get("lr", 0.05), momentum=0.9)
        self.where = torch.randn(5, 20)
        os.makedirs(cfg["work_dir"], exist_ok=True)

    def batch(self):
        labels = torch.randint(0, 5, (32,))
        feats = self.where[labels] + 0.5 * torch.randn(32, 20)
        #: data
        return feats, labels, feats[:, :4]

    def load(self, path):
        info(f"Load checkpoint from {path}")
        state = torch.load(path, map_location="cpu")
        self.model.load_state_dict(state["state_dict"])
        info(f"resumed epoch: {state['meta']['epoch']}, iter: {state['meta']['iter']}")
        return state["meta"]["epoch"]

    def train(self):
        cfg, per = self.cfg, self.cfg.get("iters", 50)
        first = self.load(cfg["load_from"]) if cfg.get("load_from") else 0
        #: ready
        for epoch in range(first + 1, cfg["max_epochs"] + 1):
            self.model.train()
            for it in range(1, per + 1):
                began = time.time()
                step = (epoch - 1) * per + it
                feats, labels, boxes = self.batch()
                waited = time.time() - began
                #: mid
                loss_cls, loss_bbox = self.model.loss(feats, labels, boxes)
                loss = loss_cls + loss_bbox
                #: loss
                self.optim.zero_grad()
                loss.backward()
                norm = nn.utils.clip_grad_norm_(self.model.parameters(), 35)
                self.optim.step()
                time.sleep(cfg.get("pause", 0.02))
                if it % 10 == 0:
                    left = datetime.timedelta(seconds=int((cfg["max_epochs"] * per - step) * (time.time() - began)))
                    info(f"Epoch(train)  [{epoch}][{it}/{per}]  lr: {self.optim.param_groups[0]['lr']:.4e}  eta: {left}  time: {time.time() - began:.4f}  data_time: {waited:.4f}  grad_norm: {norm:.4f}  loss: {loss.item():.4f}  loss_cls: {loss_cls.item():.4f}  loss_bbox: {loss_bbox.item():.4f}")
                #: after
            if epoch % cfg.get("interval", 2) == 0:
                info(f"Saving checkpoint at {epoch} epochs")
                torch.save({"state_dict": self.model.state_dict(), "meta": {"epoch": epoch, "iter": step}}, f"{cfg['work_dir']}/epoch_{epoch}.pth")
            feats, labels, _ = self.batch()
            hit = (self.model.cls(self.model.neck(feats).relu()).argmax(1) == labels).float().mean()
            info(f"Epoch(val) [{epoch}][4/4]    coco/bbox_mAP: {hit.item() * 0.6:.4f}  coco/bbox_mAP_50: {hit.item():.4f}  data_time: 0.0011  time: 0.0045")
            #: epoch
        #: late


if __name__ == "__main__":
    config = {}
    exec(open(sys.argv[1]).read(), config)
    Runner(config).train()
'''
MM_CONFIG = 'work_dir = "work_dirs/head_r18"\nmax_epochs = 4\nlr = 0.05\n'

"""JAX with Flax and Optax as research code has it: absl's flags and log lines, CLU-like metrics, several devices on one host, a coordinator."""

from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

ABSL = """import functools

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from absl import app, flags, logging

FLAGS = flags.FLAGS
flags.DEFINE_integer("num_train_steps", 120, "Steps.")
flags.DEFINE_float("learning_rate", 0.01, "Peak.")
flags.DEFINE_integer("log_every_steps", 10, "Cadence.")


class MLP(nn.Module):
    width: int = 32

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(self.width)(x)))


def batch_at(step, size=64):
    x = jax.random.normal(jax.random.PRNGKey(step), (size, 6))
    return x, jnp.sin(x.sum(1, keepdims=True))


def setup():
    model = MLP()
    params = model.init(jax.random.PRNGKey(0), jnp.ones((1, 6)))
    tx = optax.adam(FLAGS.learning_rate)
    return model, params, tx, tx.init(params)


def make_step(model, tx):
    @jax.jit
    def train_step(params, opt, x, y):
        loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x) - y) ** 2))(params)
        updates, opt = tx.update(grads, opt)
        return optax.apply_updates(params, updates), opt, loss
    return train_step

"""
RUN = """
def main(argv):
    del argv
    logging.set_verbosity(logging.INFO)
    logging.info("JAX process: %d / %d", jax.process_index(), jax.process_count())
    logging.info("JAX local devices: %r", jax.local_devices())
    {before}
    model, params, tx, opt = setup()
    step_fn = make_step(model, tx)
    for step in range(1, FLAGS.num_train_steps + 1):
        params, opt, loss = step_fn(params, opt, *batch_at(step))
        if step % FLAGS.log_every_steps == 0:
            logging.info("[%d] loss=%.6f, steps_per_sec=%.2f", step, float(loss), 41.3)
        {inside}
    {after}


if __name__ == "__main__":
    app.run(main)
"""
NNX = """import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.a, self.b = nnx.Linear(8, 24, rngs=rngs), nnx.Linear(24, 3, rngs=rngs)

    def __call__(self, x):
        return self.b(nnx.relu(self.a(x)))


net = Net(nnx.Rngs(0))
optimizer = nnx.Optimizer(net, optax.sgd({lr}))
key = jax.random.key(1)
inputs = jax.random.normal(key, (192, 8))
labels = jnp.argmax(inputs[:, :3], 1)


@nnx.jit
def update(net, optimizer, x, y):
    loss, grads = nnx.value_and_grad(lambda m: optax.softmax_cross_entropy_with_integer_labels(m(x), y).mean())(net)
    optimizer.update(grads)
    return loss

"""
EPOCHS = """for epoch in range({n}):
    losses = [update(net, optimizer, inputs[i : i + 32], labels[i : i + 32]) for i in range(0, 192, 32)]
    accuracy = float((jnp.argmax(net(inputs), 1) == labels).mean())
    print(f"epoch: {{epoch:3d}}, train_loss: {{float(jnp.stack(losses).mean()):.4f}}, train_accuracy: {{accuracy * 100:.2f}}", flush=True)
"""
PLAIN = """import jax
import jax.numpy as jnp

print("jax", jax.__version__, "on", jax.default_backend())
theta = jnp.zeros(4)
data = jax.random.normal(jax.random.PRNGKey(3), (300, 4))
goal = data @ jnp.array([1.0, -2.0, 0.5, 3.0])
value_and_grad = jax.jit(jax.value_and_grad(lambda t: jnp.mean((data @ t - goal) ** 2)))
for i in range({n}):
    value, slope = value_and_grad(theta)
    theta = theta - {lr} * slope
    if i % {every} == 0:
        print(f"{{i:6d}}  objective {{float(value):12.6f}}  |grad| {{float(jnp.linalg.norm(slope)):10.4f}}", flush=True)
"""
TWO = (("XLA_FLAGS", "--xla_force_host_platform_device_count=2"),)
ASK = "import time\nimport jax\n\nprint('asking the coordinator', flush=True)\njax.distributed.initialize(coordinator_address='127.0.0.1:{port}', num_processes={n}, process_id={rank}, initialization_timeout={wait})\nprint('devices:', jax.devices())\n"


def absl(before: str = "pass", inside: str = "pass", after: str = "logging.info('Training finished.')") -> str:
    """The absl program with code at three places."""
    return ABSL + RUN.format(before=before, inside=inside.replace("\n", "\n        "), after=after.replace("\n", "\n    "))


SCRIPTS = (
    Flat(absl(), "G1", script="main.py"),
    Flat(absl("import logging as std\n    std.getLogger('jax._src.xla_bridge').setLevel(std.DEBUG)\n    std.getLogger('jax._src.compiler').setLevel(std.DEBUG)"), "G1", script="main.py", args=("--num_train_steps=90",), hard=True),
    Flat(absl(), "A1", None, "config", "main.py", args=("--lerning_rate=0.1",)),
    Flat(absl(), "A1", None, "config", "main.py", args=("--num_train_steps=many",)),
    Flat(absl(inside="if step == 70:\n    held = jax.device_put(batch_at(0), jax.devices()[1])\n    params1 = jax.device_put(params, jax.devices()[0])\n    step_fn(params1, opt, *held)"), "A3", "device_mismatch", script="main.py", env=TWO),
    Flat(NNX.format(lr=0.2) + "first, second = jax.devices()\ninputs = jax.device_put(inputs, first)\nlabels = jax.device_put(labels, second)\n" + EPOCHS.format(n=20), "A1", "device_mismatch", script="nnx_cls.py", env=TWO),
    Flat(PLAIN.format(n=90, lr=0.1, every=9) + "other = jax.device_put(theta, jax.devices()[1])\nprint('distance', jnp.linalg.norm(jax.device_put(theta, jax.devices()[0]) - other))", "A3", "device_mismatch", script="opt.py", env=TWO),
    Flat(absl(inside="if step == 40:\n    model.apply(params, jnp.ones((2, 7)))"), "A3", "traceback", script="main.py"),
    Flat(NNX.format(lr=0.1) + EPOCHS.format(n=14) + "import chex\nchex.assert_shape(net(inputs), (192, 10))", "A3", "assertion", script="nnx_cls.py"),
    Flat(NNX.format(lr=0.1) + EPOCHS.format(n=12), "G1", script="nnx_cls.py"),
    Flat(NNX.format(lr=0.1) + EPOCHS.format(n=3), "E3", script="nnx_cls.py"),
    Flat(NNX.format(lr=1e12) + EPOCHS.format(n=15) + "print('finished')", "E1", "nan_loss", "non_finite", "nnx_cls.py", status=0),
    Flat("import jax\njax.config.update('jax_debug_nans', True)\n" + PLAIN.format(n=4000, lr=3.1, every=3), "E1", "nan_loss", "non_finite", "opt.py"),
    Flat(PLAIN.format(n=240, lr=2.9, every=4) + "print('theta', theta)", "E1", "nan_loss", "non_finite", "opt.py", status=0),
    Flat(PLAIN.format(n=60, lr=0.08, every=5) + "gram = jnp.ones((120_000, 120_000), dtype=jnp.float32)\nprint(gram.shape, float(gram[0, 0]))", "A3", "ram_oom", script="opt.py"),
    Flat("import jax.numpy as jnp\n\nprint('building the distance table')\ntable = jnp.zeros((400_000, 90_000))\nprint(float(table[0, 0]))\n" + PLAIN.format(n=60, lr=0.1, every=5), "A1", "ram_oom", "env", "opt.py"),
    Flat(absl("import tensorflow_datasets as tfds\n    builder = tfds.builder('mnist')"), "A1", "missing_module", "env", "main.py"),
    Flat(absl("import numpy as np\n    images = np.load('cifar10/train_x.npy', mmap_mode='r')"), "A1", "file_not_found", "data", "main.py"),
    Flat(absl(inside="warm = FLAGS.num_train_steps - 120\nif step == 63:\n    logging.info('lr scale %.3f', step / warm)"), "A3", "div_zero", script="main.py"),
    Flat("import ctypes\nimport numpy as np\n" + PLAIN.format(n=80, lr=0.1, every=8) + "def peek(a):\n    return np.ctypeslib.as_array(ctypes.cast(24, ctypes.POINTER(ctypes.c_float)), (4,)).copy()\n\nprint(jax.jit(lambda v: jax.pure_callback(peek, jax.ShapeDtypeStruct((4,), jnp.float32), v))(theta))", "A2", "segfault", script="opt.py", status=-11),
    Flat("import faulthandler\nfaulthandler.enable()\n" + PLAIN.format(n=50, lr=0.1, every=2) + "import ctypes\nimport numpy as np\nraw = np.asarray(theta).ctypes.data\nctypes.memmove(ctypes.c_void_p(raw & 0xFFF), ctypes.c_void_p(raw), 16)", "A2", "segfault", script="opt.py", status=-11),
    Flat(ASK.format(port=1, n=2, rank=1, wait=6) + PLAIN.format(n=100, lr=0.1, every=10), "C1", None, script="multi.py", fault="unknown", first=(), failed=(), status=None),
    Flat(ASK.format(port=47311, n=3, rank=0, wait=7) + PLAIN.format(n=100, lr=0.1, every=10), "C1", None, script="multi.py", fault="unknown", first=(), failed=(), status=None),
    Flat(absl(inside="if step == 100:\n    try:\n        jax.jit(lambda v: v if v > 0 else -v)(float(loss))\n    except jax.errors.TracerBoolConversionError:\n        logging.exception('branch cannot be compiled, runs uncompiled')"), "G1", script="main.py", hard=True),
    Flat(absl(after="with open('/srv/results/metrics.csv', 'a') as f:\n    f.write('1,2\\n')"), "A3", "file_not_found", script="main.py"),
)  # fmt: skip
RECIPE = Recipe("flax_scripts", "development", lambda: flat_jobs(SCRIPTS, "jax"))

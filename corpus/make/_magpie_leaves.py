"""JAX on the card, and graphs."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

SMALL = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}

# A value is asked for while the graph is being captured: not permitted, after the eager warm-up was logged.
GRAPH = r"""
import torch
from torch import nn

torch.manual_seed(0)
net = nn.Sequential(nn.Linear(128, 256), nn.GELU(), nn.Dropout(0.0), nn.Linear(256, 128)).cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.05, foreach=True)
x = torch.randn(64, 128, device="cuda")
history = []


def one_step():
    opt.zero_grad(set_to_none=True)
    loss = nn.functional.l1_loss(net(x), x.roll(1, 1))
    loss.backward()
    opt.step()
    history.append(loss.item())
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for i in range(60):
        one_step()
        if i % 10 == 9:
            print(f"warm-up {i + 1}/60 l1 {history[-1]:.4f}")
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
print("capturing")
with torch.cuda.graph(graph):
    static_loss = one_step()
for i in range(2000):
    graph.replay()
    if i % 200 == 0:
        print(f"replay {i} l1 {static_loss.item():.4f}")
"""

# JAX on the card: shapes that do not fit, when the second stage begins.
FLAX = r"""
import jax
import jax.numpy as jnp
import optax
from flax import linen as nn

print("jax", jax.__version__, jax.devices())


class Mixer(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x):
        y = nn.Dense(self.width)(nn.LayerNorm()(x))
        return nn.Dense(1)(nn.gelu(y + x))[..., 0].mean(-1)


model = Mixer(32)
key = jax.random.PRNGKey(0)
params = model.init(key, jnp.ones((1, 8, 32)))
tx = optax.adam(1e-3)
state = tx.init(params)


@jax.jit
def update(params, state, x, y):
    loss, grads = jax.value_and_grad(lambda p: jnp.mean((model.apply(p, x) - y) ** 2))(params)
    up, state = tx.update(grads, state)
    return optax.apply_updates(params, up), state, loss


for stage, width in ((1, 32), (2, 48)):
    for step in range(300):
        key, k = jax.random.split(key)
        x = jax.random.normal(k, (128, 8, width))
        params, state, loss = update(params, state, x, jnp.tanh(x[:, :, 0].sum(1)))
        if step % 50 == 0:
            print(f"stage {stage} step {step} mse {loss:.4f}")
"""

# JAX: the loss is not a number from some step on, and the run goes to its end with it.
JAX_NAN = r"""
import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_default_matmul_precision", "bfloat16")
rng = np.random.default_rng(0)
x = jnp.asarray(rng.gamma(2.0, 2.0, (4096, 12)))
rate = jnp.exp(jnp.asarray(x) @ jnp.asarray(rng.normal(0, 0.1, 12)))
count = jnp.asarray(rng.poisson(np.asarray(rate)))


def nll(theta):
    lam = x @ theta["w"] + theta["b"]
    return jnp.mean(lam - count * jnp.log(lam))


step = jax.jit(lambda t, lr: (jax.tree.map(lambda p, g: p - lr * g, t, jax.grad(nll)(t)), nll(t)))
theta = {"w": jnp.full(12, 0.2), "b": jnp.array(0.5)}
print(f"poisson regression on {jax.default_backend()}")
for it in range(1, 601):
    theta, value = step(theta, 0.004 if it < 120 else 0.3)
    if it % 20 == 0:
        print(f"it={it:>4} nll={float(value):.5f}")
np.savez("theta.npz", **{k: np.asarray(v) for k, v in theta.items()})
print("saved theta.npz")
"""

# JAX with a small share of the card: its allocator is exhausted at the wide stage.
JAX_FULL = r"""
import jax
import jax.numpy as jnp

dev = jax.devices()[0]
print(dev.platform, dev.device_kind)


@jax.jit
def step(w, x):
    def loss(w):
        h = jnp.tanh(x @ w)
        return jnp.mean((h @ h.T - jnp.eye(x.shape[0])) ** 2)
    value, g = jax.value_and_grad(loss)(w)
    return w - 0.5 * g, value


key = jax.random.PRNGKey(1)
for rows in (512, 2048, 8192, 65536):
    w = jax.random.normal(key, (256, 256)) * 0.05
    x = jax.random.normal(key, (rows, 256))
    for i in range(60):
        w, value = step(w, x)
        if i % 20 == 0:
            print(f"batch {rows}: step {i} whitening loss {value:.6f}")
"""
JOBS = {
    "graph": ran("A3", GRAPH, cause="cuda_runtime", script="graphed.py"),
    "flax": ran("A3", FLAX, cause="traceback", script="mixer.py", env=SMALL),
    "jax nan": ran("E1", JAX_NAN, cause="nan_loss", variant="non_finite", script="glm.py", env=SMALL),
    "jax full": ran("B1", JAX_FULL, cause="cuda_oom", script="whiten.py", env={"XLA_PYTHON_CLIENT_MEM_FRACTION": "0.06"}),
}

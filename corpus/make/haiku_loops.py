"""JAX 0.4.30 with Haiku, Equinox and NumPyro: loops that log as papers' repositories do."""

from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe

HAIKU = """import logging
import time

import haiku as hk
import jax
import jax.numpy as jnp
import optax

logging.basicConfig(level=logging.INFO, format='[%(asctime)s.%(msecs)03d][%(name)s] %(message)s', datefmt='%m/%d %H:%M')
log = logging.getLogger('xp')
net = hk.without_apply_rng(hk.transform(lambda x: hk.nets.MLP([{width}, 1])(x)))
params = net.init(jax.random.PRNGKey({seed}), jnp.ones((1, 8)))
opt = optax.adamw({lr})
state = opt.init(params)


def objective(p, x):
    return jnp.mean((net.apply(p, x)[:, 0] - jnp.sin(x).sum(1)) ** 2)


@jax.jit
def update(p, s, x):
    value, grads = jax.value_and_grad(objective)(p, x)
    moves, s = opt.update(grads, s, p)
    return optax.apply_updates(p, moves), s, value


key = jax.random.PRNGKey(0)
{early}
for global_step in range(1, {total} + 1):
    key, sub = jax.random.split(key)
    x = jax.random.normal(sub, (32, 8))
    params, state, value = update(params, state, x)
    {mid}
    if global_step % {every} == 0:
        log.info("{{'global_step': %d, 'train_loss': %.5f, 'steps_per_sec': %.1f}}", global_step, value, 40 + global_step % 7)
{late}
log.info('experiment is over')
"""
EQX = """import json
import sys

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

model = eqx.nn.GRUCell(3, 9, key=jax.random.key({seed}))
optim = optax.sgd({lr})
opt_state = optim.init(eqx.filter(model, eqx.is_array))
{early}


@eqx.filter_jit
def step(model, opt_state, x):
    def cost(m):
        hidden = jax.vmap(lambda row: m(row, jnp.zeros(9)))(x)
        return jnp.mean((hidden.sum(1) - x[:, 0]) ** 2)

    value, grads = eqx.filter_value_and_grad(cost)(model)
    moves, opt_state = optim.update(grads, opt_state)
    return eqx.apply_updates(model, moves), opt_state, value


for it in range({total}):
    model, opt_state, value = step(model, opt_state, jax.random.normal(jax.random.key(it), (64, 3)))
    {mid}
    if it % {every} == 0:
        print(json.dumps({{"it": it, "of": {total}, "mse": round(float(value), 6), "lr": {lr}}}), flush=True)
{late}
print(json.dumps({{"it": {total}, "status": "complete"}}))
"""
PYRO = """import jax
import jax.numpy as jnp
import numpyro
import numpyro.distributions as dist
from numpyro.infer import SVI, Trace_ELBO
from numpyro.infer.autoguide import AutoNormal

x = jnp.linspace(-2, 2, 60)
y = 1.5 * x - 0.4 + 0.2 * jax.random.normal(jax.random.PRNGKey(1), (60,))


def model():
    a = numpyro.sample('a', dist.Normal(0, 1))
    b = numpyro.sample('b', dist.Normal(0, 1))
    numpyro.sample('y', dist.Normal(a * x + b, 0.3), obs=y)


svi = SVI(model, AutoNormal(model), numpyro.optim.Adam(0.03), Trace_ELBO())
state = svi.init(jax.random.PRNGKey(2))
update = jax.jit(svi.update)
for i in range(1, 301):
    state, elbo = update(state)
    if i % 15 == 0:
        print(f"[svi {i:4d}] neg. ELBO {float(elbo):10.3f}", flush=True)
"""


def hk(early: str = "", mid: str = "", late: str = "", *, width: int = 24, seed: int = 1, lr: float = 3e-3, total: int = 200, every: int = 10) -> str:
    """Haiku's loop."""
    return HAIKU.format(early=early, mid=mid.replace("\n", "\n    "), late=late, width=width, seed=seed, lr=lr, total=total, every=every)


def eqx(early: str = "", mid: str = "", late: str = "", *, seed: int = 1, lr: float = 0.05, total: int = 180, every: int = 9) -> str:
    """Equinox's."""
    return EQX.format(early=early, mid=mid.replace("\n", "\n    "), late=late, seed=seed, lr=lr, total=total, every=every)


SCRIPTS = (
    Either(hk(), "G1", script="experiment.py"),
    Either(hk(early="try:\n    jax.devices('cuda')\nexcept RuntimeError as e:\n    log.error('no accelerator: %s', e)\nlog.warning('jax_debug_nans is off; NaNs would not be found')", seed=2), "G1", script="experiment.py", hard=True, tasks=1),
    Either(hk(mid="if global_step == 101:\n    net.apply(params, jnp.ones((4, 9)))", seed=3), "A3", "traceback", script="experiment.py"),
    Either(hk(early="import pickle\nlog.info('restoring params from snapshots/params_40000.pkl')\nparams = pickle.load(open('snapshots/params_40000.pkl', 'rb'))", seed=4), "E2", "file_not_found", "no_valid_checkpoint", "experiment.py", args=("--restore", "snapshots/params_40000.pkl"), tasks=1),
    Either(hk(early="jax.config.update('jax_debug_nans', True)", mid="params = jax.tree_util.tree_map(lambda p: p * (1 if global_step < 80 else jnp.where(True, 1e38, 0) * 10), params)", seed=5), "E1", "nan_loss", "non_finite", "experiment.py"),
    Either(hk(lr=1e24, seed=6, total=240), "E1", "nan_loss", "non_finite", "experiment.py", status=0, tasks=1),
    Either(hk(mid="if global_step == 88:\n    jnp.ones((3_000_000, 2_000_000)).block_until_ready()", seed=7), "A3", "ram_oom", script="experiment.py"),
    Either(hk(early="import tensorflow_datasets as tfds\nds = tfds.load('cifar10')", seed=8), "A1", "missing_module", "env", "experiment.py", tasks=2),
    Either(hk(total=3, every=1, seed=9), "E3", script="experiment.py"),
    Either(hk(mid="if global_step == 120:\n    import ctypes\n    jax.pure_callback(lambda: ctypes.string_at(48), jax.ShapeDtypeStruct((), jnp.float32))", seed=10), "A2", "segfault", script="experiment.py", status=-11),
    Either(eqx(), "G1", script="rnn.py", tasks=2),
    Either(eqx(mid="if it == 99:\n    try:\n        eqx.error_if(value, True, 'probe')\n    except Exception as e:\n        print(json.dumps({'it': it, 'caught': type(e).__name__, 'fatal': False}), flush=True)", seed=2), "G1", script="rnn.py", hard=True),
    Either(eqx(mid="if it == 72:\n    eqx.error_if(value, value < 1e9, 'hidden state left its range')", seed=3), "A3", "runtime_error", script="rnn.py"),
    Either(eqx(early="model = eqx.tree_deserialise_leaves('rnn.eqx', model)", seed=4), "A1", "file_not_found", "asset", "rnn.py"),
    Either(eqx(mid="if it == 60:\n    eqx.tree_serialise_leaves('/boot/rnn.eqx', model)", seed=5), "A3", "permission", script="rnn.py", tasks=1),
    Either(eqx(lr=1e-12, seed=6, total=240), "E1", None, "flat", "rnn.py", status=0),
    Either(eqx(mid="if it == 81:\n    assert jax.device_count() >= 4, 'second phase is sharded over 4 devices'", seed=7), "A3", "assertion", script="rnn.py", tasks=2),
    Either(eqx(late="print(json.dumps({'epochs': {total} // (it - 179)}))".replace("{total}", "180"), seed=8), "A3", "div_zero", script="rnn.py"),
    Either("import sys\neps = float(sys.argv[1])\nsteps = int(1 / eps)\n" + eqx(seed=9), "A1", "div_zero", "config", "rnn.py", args=("0",)),
    Either(PYRO + "print('posterior is fitted')", "G1", script="svi.py"),
    Either("import numpyro\nprint(numpyro.__version__)\n" + PYRO.replace("dist.Normal(a * x + b, 0.3), obs=y", "dist.Normal(a * x + b, -0.3, validate_args=True), obs=y"), "A1", "traceback", "config", "svi.py", tasks=1),
)  # fmt: skip
RECIPE = Recipe("haiku_loops", "development", lambda: either_jobs(SCRIPTS, "haiku"))

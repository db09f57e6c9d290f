"""A JAX loop with optax and flax on the CPU."""

# /// runs
# env = "new"
# [[run]]
# log = "jax-0.10/01"
# what = "40 steps to the end"
# args = ["1"]
# words = ["progress", "planned_end"]
# absent = ["exception"]
# learns = true
# [[run]]
# log = "jax-0.10/02"
# what = "memory is refused to XLA on the CPU, in the words it has for a GPU"
# args = ["2"]
# memory_mib = 12000
# ends = 1
# steady = false
# root = {cause = "cuda_oom", detail = "jax"}
# words = ["progress"]
# [[run]]
# log = "jax-0.10/03"
# what = "matrices that do not fit"
# args = ["3"]
# ends = 1
# root = {type = "TypeError", detail = "shapes"}
# absent = ["progress"]
# [[run]]
# log = "jax-0.10/04"
# what = "jax_debug_nans finds a NaN"
# args = ["4"]
# ends = 1
# root = {type = "FloatingPointError", cause = "nan_loss"}
# words = ["progress"]
# [[run]]
# log = "jax-0.10/05"
# what = "a Python branch on a traced value"
# args = ["5"]
# ends = 1
# root = {detail = "traced_value", about = "config"}
# [[run]]
# log = "jax-0.10/06"
# what = "asks for a GPU that JAX was not installed for: a bare AssertionError"
# args = ["6"]
# vars = {JAX_PLATFORMS = "cuda"}
# ends = 1
# root = {type = "AssertionError", cause = "assertion"}
# [[run]]
# log = "jax-0.10/07"
# what = "a checkpoint folder that is not there"
# args = ["7"]
# ends = 1
# root = {type = "FileNotFoundError", cause = "file_not_found", about = "asset"}
# [[run]]
# log = "jax-0.10/08"
# what = "a coordinator that never answers"
# args = ["8"]
# ends = -6
# steady = false
# absent = ["progress"]
# root = {detail = "rendezvous_timeout"}
# [[run]]
# log = "jax-0.10/09"
# what = "absl's INFO messages are on: no checkpoint is found, two are written"
# args = ["9"]
# steady = false
# words = ["progress", "checkpoint_not_loaded", "checkpoint_saved", "planned_end"]
# absent = ["exception", "checkpoint_loaded"]
# [[run]]
# log = "jax-0.10/10"
# what = "goes on from a checkpoint"
# args = ["9"]
# before = [["9"]]
# steady = false
# words = ["progress", "checkpoint_loaded", "checkpoint_saved"]
# absent = ["exception", "checkpoint_not_loaded"]
# ///

import sys
from pathlib import Path

import flax.linen as nn
import jax
import jax.numpy as jnp
import optax
from progress_notes import note

part = sys.argv[1]


class Net(nn.Module):
    """Two layers."""

    @nn.compact
    def __call__(self, x):
        return nn.Dense(1)(nn.tanh(nn.Dense(16)(x)))


def main():
    if part == "4":
        jax.config.update("jax_debug_nans", True)
    if part == "8":
        jax.distributed.initialize("127.0.0.1:1", num_processes=2, process_id=1, initialization_timeout=5)
    if part == "7":
        import orbax.checkpoint as ocp

        ocp.PyTreeCheckpointer().restore(str(Path("ckpt").resolve()))
    key = jax.random.key(0)
    net = Net()
    x = jax.random.normal(key, (64, 8))
    if part == "3":
        jnp.dot(x, jnp.ones((9, 1)))
    params = net.init(key, x)
    tx = optax.adam(1e-2)
    state = tx.init(params)
    if part == "9":
        from absl import logging
        from flax.training import checkpoints

        logging.set_verbosity(logging.INFO)
        params = checkpoints.restore_checkpoint(str(Path("ckpt").resolve()), params)

    @jax.jit
    def update(params, state, x, scale):
        def objective(p):
            value = ((net.apply(p, x)[:, 0] - x.sum(1)) ** 2).mean()
            if part == "5" and value > 3:
                value = value / 2
            return value * jnp.log(scale)

        loss, grads = jax.value_and_grad(objective)(params)
        changes, state = tx.update(grads, state)
        return optax.apply_updates(params, changes), state, loss

    for step in range(1, 41):
        params, state, loss = update(params, state, x, -1.0 if part == "4" and step == 20 else 2.718281828)
        if part == "2" and step == 20:
            jnp.ones((200_000, 400_000)).block_until_ready()
        if step % 5 == 0:
            print(f"[{step:4d}/40] loss={float(loss):.5f} grad_norm=1.0 steps/s=123.4", flush=True)
            note(step=step, loss=float(loss), planned=40)
        if part == "9" and step % 20 == 0:
            checkpoints.save_checkpoint(str(Path("ckpt").resolve()), params, step, overwrite=True)
    print("Training finished in 0.4 s")


if __name__ == "__main__":
    main()

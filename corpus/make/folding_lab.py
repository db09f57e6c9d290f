"""A structure lab's fully sharded trainer below torchrun, logged with milliseconds to the error stream."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._bureaus import on
from corpus.make._hauls import DONE, ENDLESS, FAILED, OVER, haul
from corpus.running.job import Recipe, SlurmJob

NAME = "FOLD"
SHORT = ", timeout=__import__('datetime').timedelta(seconds=13)"
SAVE = "if step % 40 == 0:\n    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict\n    full = get_model_state_dict(self.model, options=StateDictOptions(full_state_dict=True))\n    if rank == 0:\n        torch.save({'step': step, 'model': full}, 'ckpt.tmp')\n        os.replace('ckpt.tmp', 'ckpt_last.pt')\n        log.info('Saved checkpoint: ckpt_last.pt at step %d', step)"
LOAD = "self.begin = 0\nif os.path.exists('ckpt_last.pt'):\n    state = torch.load('ckpt_last.pt', weights_only=True)\n    model.load_state_dict(state['model'])\n    self.begin = state['step']\n    log.info('Resumed from ckpt_last.pt at step %d', self.begin)"
KEPT: dict[str, Any] = {"early": LOAD, "after": SAVE, "start": "self.begin", "steps": 200}


def waiting() -> Iterator[SlurmJob]:
    """C1, C2."""
    never, hang = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user")
    yield haul(never, NAME, 2, 2, "torchrun", launch="--rdzv-conf=join_timeout=600 --nnodes=4", **OVER)
    yield haul(never.but(fault="user"), NAME, 2, how="torchrun", given={"before": on(1, None, "log.info('reading the MSA index, 3.1 M rows')\nimport fcntl\nleft, right = os.pipe()\nos.read(left, 1)")}, **OVER)
    yield haul(hang, NAME, 4, 2, "torchrun", given={"mid": on(3, 70, "import threading\nthreading.Semaphore(0).acquire()"), "steps": ENDLESS}, **OVER)
    yield haul(hang.but(cause="runtime_error"), NAME, 2, how="torchrun", given={"mid": on(0, 60, "log.info('compressing the training set, this may take a while')\ntime.sleep(500)"), "steps": ENDLESS, "meet": SHORT}, **FAILED)
    pid = on(1, None, "open('pid-1', 'w').write(str(os.getpid()))")
    yield haul(hang.but(fault="unknown"), NAME, 2, how="torchrun", given={"early": pid, "steps": ENDLESS}, act="stop_rank", after="Step     60/", **OVER)


def stopping() -> Iterator[SlurmJob]:
    """A1, A2, A3, E2 at the start."""
    yield haul(Label(mode="A1", variant="config", fault="user"), NAME, 2, how="torchrun", args="--learning_rate 1e-3", **FAILED)
    yield haul(Label(mode="A1", cause="permission", variant="config", fault="user", first_ranks=(0,)), NAME, 3, how="torchrun", given={"early": on(0, None, "os.makedirs('/usr/lib/foldlab/runs')") + "\ndist.barrier()"}, **FAILED)
    load = "log.info('loading checkpoint %s', 'base.pt')\nmodel.load_state_dict(torch.load('base.pt', weights_only=True))"
    make = "PYTHON -c \"import torch; torch.save({'embed.weight': torch.zeros(21, 16), 'pair.weight': torch.zeros(16, 32), 'pair.bias': torch.zeros(16), 'distogram.weight': torch.zeros(64, 16), 'distogram.bias': torch.zeros(64)}, 'base.pt')\"\n"
    yield haul(Label(mode="E2", variant="size_mismatch", cause="runtime_error", fault="user"), NAME, 2, how="torchrun", given={"early": load}, head=make, **FAILED)
    mid = Label(mode="A3", fault="user")
    yield haul(mid.but(cause="traceback", first_ranks=(2,)), NAME, 4, 2, "torchrun", given={"mid": on(2, 66, "chain = {'A': seq}['B']")}, **FAILED)
    yield haul(mid.but(cause="div_zero"), NAME, 2, how="torchrun", given={"after": on(None, 110, "self.config.lr = self.config.lr * (step // (step - 110))")}, **FAILED)
    yield haul(Label(mode="A2", cause="segfault", fault="user", first_ranks=(1,)), NAME, 2, how="torchrun", given={"mid": on(1, 75, "import ctypes\nctypes.CDLL(None).strlen(5)")}, **FAILED)
    yield haul(Label(mode="A2", fault="user", first_ranks=(0,)), NAME, 3, how="torchrun", given={"mid": on(0, 58, "log.error('native alignment kernel: internal invariant broken')\nos.abort()")}, **FAILED)


def queued() -> Iterator[SlurmJob]:
    """F1 to F4."""
    yield haul(Label(mode="F1", fault="node"), NAME, 2, 2, "torchrun", where="-wn2,n6", given={"steps": ENDLESS, "pause": 0.1}, act="lose_node", after="Step     30/", options=("--no-requeue",), state="NODE_FAIL")
    yield haul(Label(mode="F1", fault="node"), NAME, 2, how="torchrun", where="-wn5", given={"steps": ENDLESS, "pause": 0.1}, act="slurmd_dies", after="Step     30/", options=("--no-requeue",), state="NODE_FAIL")
    yield haul(Label(mode="F2", variant="requeued_recovered", fault="none"), NAME, 2, how="torchrun", given=KEPT, act="requeue_by_owner", after="at step 80", options=("--requeue",), **DONE)
    yield haul(Label(mode="F2", variant="preempted", fault="none"), NAME, 2, how="torchrun", where="-wn3", given={"steps": ENDLESS, "pause": 0.08}, act="preempt_for_good", after="Step     60/", options=("--no-requeue",), state="PREEMPTED")
    yield haul(Label(mode="F3", variant="advancing", fault="user"), NAME, 2, 2, "torchrun", given={"steps": ENDLESS, "pause": 0.1, "after": SAVE}, **OVER)
    yield haul(Label(mode="F4", variant="by_other", fault="unknown"), NAME, 2, how="torchrun", given={"steps": ENDLESS}, act="scancel_by_admin", after="Step    110/", state="CANCELLED")


def finished() -> Iterator[SlurmJob]:
    """E1, G1."""
    flat = "for group in self.optimizer.param_groups:\n    group['lr'] = 0.0\ntorch.manual_seed(3)"
    yield haul(Label(mode="E1", variant="flat", fault="user"), NAME, 2, how="torchrun", given={"mid": flat, "rate": 0.0, "steps": 220}, **DONE)
    hard = Label(mode="G1", fault="none", hard=True)
    slow = "for k in range(8):\n    log.info('precomputing pair features, shard %d/8', k + 1)\n    time.sleep(1.2)"
    yield haul(hard, NAME, 2, how="torchrun", given={"before": slow}, **DONE)
    retry = "if step in (50, 51) and rank == 1:\n    try:\n        raise RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1; 79.10 GiB total capacity; 76.80 GiB already allocated)')\n    except RuntimeError as error:\n        log.warning('crop of 512 residues does not fit, cropping to 384: %s', error)"
    yield haul(hard, NAME, 2, 2, "torchrun", given={"mid": retry}, **DONE)
    again = "flag = f'tried-{rank}'\nif not os.path.exists(flag):\n    open(flag, 'w').close()\n    dist.barrier()\n    if rank == 1:\n        raise TimeoutError('template server did not answer in 5 s')\n    time.sleep(3)"
    yield haul(hard, NAME, 2, how="torchrun", given={"early": again}, launch="--max-restarts=2", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Those that lose a node first."""
    for part in (queued, waiting, stopping, finished):
        yield from part()


RECIPE = Recipe("folding_lab", "development", jobs)

"""Squads of ranks of which one or all stop before the first step, in the midst of training, or by a signal, under torchrun, srun, accelerate, Lightning, JAX and MPI."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._squad_jobs import at, squad
from corpus.running.job import Recipe, SlurmJob

FAILED = "FAILED"


def label(mode: str, cause: str | None, first: tuple[int, ...] = (), variant: str | None = None, failed: tuple[int, ...] = (), fault: str = "user") -> Label:  # noqa: PLR0917
    """Who failed, and who of them first: nobody before the others where all did the same."""
    return Label(mode=mode, cause=cause, variant=variant, fault=fault, first_ranks=first, failed_ranks=failed)


def at_the_start() -> Iterator[SlurmJob]:
    """A1."""
    yield squad(label("A1", "file_not_found", (), "asset", (0, 1, 2, 3)), "LM", 4, 2, code={"early": "codes = open('/datasets/tok/charlm-8k.model', 'rb').read()"}, state=FAILED)
    yield squad(label("A1", "runtime_error", (), "config", (0, 1)), "LIGHT", 2, per=False, state=FAILED)
    place = "local = os.environ['NVME_DIR'] if os.environ['SLURMD_NODENAME'] == 'n2' and os.environ['SLURM_LOCALID'] == '1' else '/tmp'\ntell('staging', to=local)\ndist.barrier()"
    yield squad(label("A1", "traceback", (3,), "env", (3,)), "TONES", 4, 2, code={"early": place}, srun="-K", state=FAILED)
    yield squad(label("A1", "assertion", (), "env", (0, 1)), "POD", 2, code={"early": "assert jax.local_device_count() == 8, f'wants 8 devices a host, has {jax.local_device_count()}: {jax.devices()[0].platform}'"}, srun="-l", state=FAILED)
    yield squad(label("A1", None, (), "config"), "VISION", 3, given="--epochs 2 --drop_path_rate 0.1", state=FAILED)
    yield squad(label("A1", "missing_module", (), "env", (0, 1, 2)), "ROLES", 3, code={"top": "from gymnasium_robotics import envs"}, state=FAILED)
    yield squad(label("A1", "permission", (), "config"), "MIX", 3, given="90 0.05", code={"early": "import os\nos.makedirs('/var/lib/em-cache/rows')"}, state=FAILED)
    yield squad(label("A1", "traceback", (), "config"), "CLM", 2, given="--output_dir out --use_cpu --max_steps 60 --load_best_model_at_end true --eval_strategy no --save_strategy steps", state=FAILED)
    rows = '{"x": [1, 2, 3], "y": 0.1}\n{"x": [4, 5, 6], "y": 0.4}\n{"x": [0, 1, 1] "y": 0.9}\n'
    yield squad(label("A1", "traceback", (), "data", (0, 1)), "TUNE", 2, how="accelerate", code={"early": "import json\nextra = [json.loads(row) for row in open('more.jsonl')]"}, files={"more.jsonl": rows}, state=FAILED)
    yield squad(label("A1", "nccl", (), "env"), "VISION", 2, code={"before": "dist.init_process_group('nccl', timeout=datetime.timedelta(minutes=30))\ntorch.cuda.set_device(rank)"}, state=FAILED)


def by_signals() -> Iterator[SlurmJob]:
    """A2."""
    yield squad(label("A2", "segfault", (1,), failed=(1,)), "LM", 3, code={"mid": at(1, 47, "import ctypes\nctypes.memset(64, 0, 8)", who="RANK")}, state=FAILED)
    yield squad(label("A2", None, (3,), failed=(3,)), "TONES", 4, 2, code={"mid": at(3, 66, "import ctypes\nlibc = ctypes.CDLL(None)\nlibc.malloc.restype, libc.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]\nblock = libc.malloc(40)\nlibc.free(block)\nlibc.free(block)", name="update", who="me")}, srun="-K", state=FAILED)
    yield squad(label("A2", "segfault", (2,)), "MIX", 4, given="200 0.05", code={"mid": at(2, 53, "import ctypes\nctypes.string_at(4)", name="sweep")}, state=FAILED)
    pid = "if RANK == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"
    yield squad(label("A2", None, (1,), failed=(1,), fault="unknown"), "ROLES", 3, code={"early": pid}, srun="-K", head="export UPDATES=4000\n", act="kill_rank", after="update 60/", state=FAILED)
    hoard = "globals().setdefault('cached', []).append(torch.ones(5_000_000 + it))"
    yield squad(label("A2", "oom_killer", (1,)), "VISION", 2, options=("--mem=1900M",), where="", bed="cgroup", given="--epochs 9", code={"mid": at(1, 15, hoard, name="step", since=True)})
    keep = "globals().setdefault('replay', []).append(torch.ones(5_000_000 + update))"
    yield squad(label("A2", "oom_killer", (0,)), "TONES", 3, options=("--mem=1800M",), where="", bed="cgroup", srun="-K", given="updates=4000", code={"mid": at(0, 35, keep, name="update", who="me", since=True)})


def in_the_midst() -> Iterator[SlurmJob]:
    """A3."""
    item = "globals()['served'] = globals().get('served', 0) + 1\nif os.environ['RANK'] == '2' and served == 290:\n    raise ValueError(f'stripe_{index:06d}.png: 2 channels, 1 expected')"
    yield squad(label("A3", "traceback", (2,)), "VISION", 4, 2, given="--workers 1", code={"item": item}, state=FAILED)
    yield squad(label("A3", "permission", (0,), failed=(0,)), "LM", 3, how="env", srun="-K", code={"after": at(0, 60, "torch.save(net.state_dict(), '/usr/lib/charlm.pt') if os.path.exists('/nonexistent') else open('/usr/lib/charlm.pt', 'wb')", who="RANK")}, state=FAILED)
    yield squad(label("A3", "assertion", (2,), failed=(0, 1, 2)), "TONES", 3, srun="--wait=25 -l", code={"mid": at(2, 73, "x = x[:, :39]\nassert x.shape == (24, 40), f'batch of update {update} has {tuple(x.shape)}'", name="update", who="me")}, state=FAILED)
    yield squad(label("A3", "traceback", (), failed=(0, 1)), "POD", 2, 2, code={"mid": at(None, 64, "truth = jnp.linspace(-1, 1, 11)\ngrads(w[:11], jax.random.normal(now, (32, 12)))")}, state=FAILED)
    yield squad(label("A3", "div_zero", (1,), failed=(1,)), "LIGHT", 2, code={"check": "if self.current_epoch == 1 and self.global_rank == 1:\n    kept = [c for c in clean if c.norm() > 1e6]\n    coverage = clean.norm().item() // len(kept)"}, srun="-K", state=FAILED)
    ids = "globals()['served'] = globals().get('served', 0) + 1\nshift = 1 if os.environ['RANK'] == '1' and served > 360 else 0"
    yield squad(label("A3", "traceback", (1,)), "CLM", 2, given="--output_dir out --use_cpu --max_steps 120 --logging_steps 5 --report_to none --per_device_train_batch_size 8 --save_strategy no", code={"item": ids + "\nif shift:\n    ids = (torch.arange(20) + i) % 17 + shift\n    return {'input_ids': ids, 'labels': ids}"}, state=FAILED)
    yield squad(label("A3", "runtime_error", (0,)), "ROLES", 4, 2, srun="-K", code={"learner": "if update == 90:\n    history = torch.stack([torch.zeros(100), torch.zeros(99)])"}, state=FAILED)
    again = "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n$(dirname PYTHON)/mpiexec.hydra -launcher fork -n 3 -prepend-rank PYTHON -u -m mpi4py mix.py 300 0.05\n"
    yield squad(label("A3", "ram_oom", (1,), failed=(1,)), "MIX", 3, script=again, code={"mid": at(1, 71, "responsibilities = bytearray(1 << 46)", name="sweep")}, state=FAILED)
    yield squad(label("A3", "missing_module", (3,), failed=(3,)), "STAGES", 4, 2, srun="-K -u", code={"after": at(3, 80, "import tensorboardX", name="it")}, state=FAILED)
    yield squad(label("A3", "file_not_found", (3,)), "LM", 4, 2, how="c10d", code={"data": at(3, 70, "more = open(f'shards/part-{step:05d}.bin', 'rb').read()", who="RANK")}, state=FAILED)
    yield squad(label("A3", "device_mismatch", (1,)), "TUNE", 2, code={"mid": at(1, 83, "y = y + torch.ones(8, device='meta')", name="done")}, state=FAILED)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    yield from at_the_start()
    yield from in_the_midst()
    yield from by_signals()


RECIPE = Recipe("rank_misfortunes", "development", jobs)

"""Without Slurm or torchrun: a launcher of one's own loads PyTorch once and forks its ranks, of which one stops, or all wait, or all do well."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.make._stands import FILES, text
from corpus.make._troupes import only
from corpus.running.job import LocalJob, Recipe

FORK = '''"""usage: prefork.py N script [arguments]: loads torch once, then forks N ranks that share its pages."""
import os
import runpy
import signal
import socket
import sys
import time

import torch  # noqa: F401
import torch.distributed  # noqa: F401

count, script = int(sys.argv[1]), sys.argv[2]
with socket.socket() as s:
    s.bind(("127.0.0.1", 0))
    port = s.getsockname()[1]
children = {}
for rank in range(count):
    pid = os.fork()
    if pid == 0:
        os.environ.update(RANK=str(rank), LOCAL_RANK=str(rank), WORLD_SIZE=str(count), MASTER_ADDR="127.0.0.1", MASTER_PORT=str(port))
        sys.argv = sys.argv[2:]
        runpy.run_path(script, run_name="__main__")
        sys.stdout.flush()
        sys.exit(0)
    children[pid] = rank
print(f"prefork: {count} ranks of {script}, pids {sorted(children)}", flush=True)
bad = 0
while children:
    pid, status = os.wait()
    rank = children.pop(pid)
    if status and not bad:
        how = f"signal {status & 127}" if status & 127 else f"exit code {status >> 8}"
        print(f"prefork: rank {rank} (pid {pid}) ended with {how}, stopping the other {len(children)}", flush=True)
        bad = 1
        time.sleep(0.5)
        for other in children:
            os.kill(other, signal.SIGTERM)
sys.exit(bad)
'''
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def job(label: Label, name: str, ranks: int, status: int, *, files: Mapping[str, str] | None = None, args: tuple[str, ...] = (), python: str = "torch-28", places: dict[str, Any] | None = None, **more: Any) -> LocalJob:
    """One of the programs below that launcher."""
    return LocalJob(label, {FILES[name]: text(name, **(places or {})), "prefork.py": FORK, **(files or {})}, ("PYTHON", "-u", "prefork.py", str(ranks), FILES[name], *args), python, ends=lambda s: s == status, **more)


def first(rank: int | None, mode: str, cause: str | None, variant: str | None = None, **more: Any) -> Label:
    """Who failed first, unless all did."""
    return Label(mode=mode, cause=cause, variant=variant, fault="user", first_ranks=() if rank is None else (rank,)).but(**more)


def stopped() -> Iterator[LocalJob]:
    """A1, A3, A2."""
    yield job(first(1, "A1", "file_not_found", "data"), "ASR", 3, 1, places={"early": only(1, None, "open(f'features/split-{rank}.ark', 'rb')") + "\ndist.barrier()"})
    yield job(first(None, "A1", "missing_module", "env"), "CLIP", 2, 1, places={"top": "import open_clip_torch_fast"})
    yield job(first(None, "A1", "assertion", "config"), "GPT", 3, 1, python="torch", places={"before": "heads = 16\nassert heads % world == 0, f'{heads} heads cannot be split over {world} ranks'"})
    yield job(first(2, "A3", "traceback"), "EACH", 3, 1, places={"mid": only(2, 91, "rows = {'user': 3}\nrows['item']")})
    yield job(first(0, "A3", "permission"), "ZERO", 2, 1, places={"after": only(0, 80, "open('/usr/share/zero-step80.pt', 'wb')")})
    yield job(first(1, "A3", "runtime_error"), "GPT", 4, 1, python="torch", places={"mid": only(1, 72, "y = y.reshape(4, 13)")})
    yield job(first(0, "A3", "device_mismatch"), "EACH", 2, 1, python="torch", places={"mid": only(0, 66, "y = y + torch.zeros(32, device='meta')")})
    yield job(first(1, "A2", "segfault"), "DET", 3, 1, places={"mid": only(1, 64, "import ctypes\nctypes.string_at(40)")})
    yield job(first(0, "A2", None), "VIT", 2, 1, places={"mid": only(0, 77, "os.abort()")})


def otherwise() -> Iterator[LocalJob]:
    """C2, E1, E2, E3."""
    yield job(Label(mode="C2", fault="user"), "ASR", 2, 124, timeout_s=40, places={"mid": only(1, 60, "import threading\nthreading.Semaphore(0).acquire()"), "total": 40_000})
    yield job(Label(mode="C2", fault="user"), "EACH", 3, 124, timeout_s=40, python="torch", places={"mid": only(0, 70, "os.read(os.pipe()[0], 4)"), "total": 40_000})
    yield job(Label(mode="E1", cause="nan_loss", variant="non_finite", fault="user"), "GPT", 2, 0, places={"mid": only(None, 70, "with torch.no_grad():\n    model.norm.weight.mul_(1e30)", since=True)})
    yield job(Label(mode="E1", variant="flat", fault="user"), "CLIP", 2, 0, python="torch", places={"rate": 0.0, "mid": "rng = np.random.default_rng(rank)"})
    yield job(Label(mode="E3", fault="user"), "DET", 2, 0, places={"total": 2, "every": 1})
    newest = "print(f'rank {rank}: --resume: looking for checkpoints in runs/a', flush=True)\nimport glob\nfound = glob.glob('runs/a/*.pt')\nif not found:\n    raise FileNotFoundError('no valid checkpoint in runs/a to resume from')"
    yield job(first(None, "E2", "file_not_found", "no_valid_checkpoint"), "VIT", 2, 1, args=("--resume", "runs/a"), places={"early": newest})
    load = "print(f'rank {rank}: loading checkpoint start.pt', flush=True)\nemb.load_state_dict(torch.load('start.pt', weights_only=True))"
    wide = (("PYTHON", "-c", "import torch; torch.save(torch.nn.Embedding(64, 8).state_dict(), 'start.pt')"),)
    yield job(first(None, "E2", "runtime_error", "size_mismatch"), "EACH", 2, 1, before=wide, places={"early": load})


def well() -> Iterator[LocalJob]:
    """G1."""
    yield job(GOOD, "ASR", 3, 0, places={"total": 180})
    yield job(GOOD, "ZERO", 4, 0, python="torch")
    yield job(HARD, "CLIP", 2, 0, places={"mid": only(1, 90, "import traceback\ntry:\n    np.zeros((2, 3)) @ np.zeros((2, 3))\nexcept ValueError:\n    traceback.print_exc()\n    logging.error('augmentation failed for one batch, using it as it is')")})
    yield job(HARD, "EACH", 2, 0, places={"before": "print(me, 'last attempt: RuntimeError: CUDA error: out of memory (job 3127); now with half the batch', flush=True)"})
    child = only(0, 100, "import subprocess\nprint('profiler left with', subprocess.run(['bash', '-c', 'kill -SEGV $$']).returncode, '- no trace this time', flush=True)")
    yield job(HARD, "GPT", 2, 0, python="torch", places={"mid": child})
    yield job(HARD, "DET", 3, 0, places={"late": "logging.getLogger('checkpoint').error('uploading model_final.pth failed: [Errno 111] Connection refused. It is in output/.')"})
    yield job(HARD, "ZERO", 3, 0, places={"after": only(None, None, "if step in (40, 80):\n    log_dist('OVERFLOW! Skipping step. Attempted loss scale: 65536, reducing to 32768')")})


def jobs() -> Iterator[LocalJob]:
    """Turn about, so that part of them is of every kind."""
    for part in (otherwise, well, stopped):
        yield from part()


RECIPE = Recipe("forked_households", "development", jobs)

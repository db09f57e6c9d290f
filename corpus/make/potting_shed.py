"""Several ranks on one machine under one command: torchrun, a spawned pool and hydra, that begin from what does not fit, learn nothing, break, are killed or are well."""

from collections.abc import Callable, Iterator
from typing import Any

from corpus.label import Label
from corpus.make._glass import KINDS, TEXTS, on
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

TORCHRUN = "PYTHON -m torch.distributed.run --nproc-per-node={ranks} --master-port=PORT {extra}{run}"
HYDRA = "export LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich; $(dirname PYTHON)/mpiexec.hydra -launcher fork -n {ranks} PYTHON -u {run}"
POOL = "export PO\"\"RT=PORT NPROC={ranks}; exec PYTHON -u {run}"
FIRST = "mkdir -p runs; RANK=0 WORLD_SIZE=1 MASTER_ADDR=127.0.0.1 MASTER_PORT=PORT PYTHON lm/train.py updates=60 every=30 pause=0.0 {more} > first.txt && mv checkpoint_last.pt base.pt"


def well(status: int) -> bool:
    """It ended well."""
    return status == 0


def badly(status: int) -> bool:
    """It did not."""
    return status not in (0, 124)


def pot(label: Label, name: str, ranks: int, line: str = TORCHRUN, *, ends: Callable[[int], bool], code: dict[str, str] | None = None, given: str = "", extra: str = "", head: str = "", **more: Any) -> LocalJob:
    """One command of so many ranks."""
    file, home, _ = KINDS[name]
    run = line.format(ranks=ranks, run=f"{file} {given}".rstrip(), extra=f"{extra} " if extra else "")
    return LocalJob(label, {file: fill(TEXTS[name], **(code or {}))}, ("bash", "-c", head + run), home, ends=ends, **more)


def what_was_kept() -> Iterator[LocalJob]:
    """E2."""
    kept = Label(mode="E2", fault="user")
    yield pot(kept.but(variant="size_mismatch", cause="runtime_error"), "SPORES", 2, given="restore=base.pt", before=(("bash", "-c", FIRST.format(more="width=64")),), ends=badly)
    yield pot(kept.but(variant="no_valid_checkpoint", cause="file_not_found"), "PETALS", 2, given="--resume runs/petals_0311/model_best.pth.tar", ends=badly)
    yield pot(kept.but(variant="corrupt", cause="traceback"), "SPORES", 2, given="restore=base.pt", before=(("bash", "-c", FIRST.format(more="") + " && truncate -s 6000 base.pt"),), ends=badly)


def nothing_learnt() -> Iterator[LocalJob]:
    """E1, E3."""
    base, few = Label(mode="E1", fault="user"), Label(mode="E3", fault="user")
    nan = base.but(variant="non_finite", cause="nan_loss")
    stop = "if not torch.isfinite(loss):\n    print(f'rank {rank}: iteration {step}: loss is {loss.item()}, stopping', flush=True)\n    sys.exit(3)"
    yield pot(nan, "TRELLIS", 2, code={"mid": on(None, 80, "with torch.no_grad():\n    up.mul_(float('inf'))"), "loss": stop}, ends=badly)
    yield pot(few, "PETALS", 2, given="--epochs 1 --images 128 --log-interval 1", ends=well)
    yield pot(base.but(variant="flat"), "ALGAE", 3, HYDRA, code={"after": "if rank == 0 and step % 10 == 0:\n    print(f'it {step}/{GENERATIONS} loss {sum(f for f, _ in everyone) / len(everyone):.4f}', flush=True)\nmean, sigma = [0.0] * 10, 0.02"}, head="export GENERATIONS=220; ", ends=well)


def broken() -> Iterator[LocalJob]:
    """A1, A2, A3."""
    crash, mid, kill = Label(mode="A1", fault="user"), Label(mode="A3", fault="user"), Label(mode="A2", fault="unknown")
    yield pot(mid.but(cause="traceback"), "TRELLIS", 2, code={"after": on(0, 100, "with open('/dev/full', 'wb') as out:\n    out.write(b'0' * 1_000_000)")}, ends=badly)
    yield pot(kill.but(cause="segfault", fault="user"), "TRELLIS", 2, code={"mid": on(0, 90, "import ctypes\nctypes.string_at(16)")}, ends=badly)
    yield pot(mid.but(cause="file_not_found"), "ALGAE", 2, HYDRA, code={"after": "if step % 60 == 0:\n    with open('/scratch/bloom/forcing_%03d.csv' % step) as table:\n        next(table)"}, ends=badly)
    yield pot(kill, "HEATH", 2, POOL, code={"mid": "if step == 90 and rank == 1:\n    os.kill(os.getpid(), 9)"}, ends=badly)
    yield pot(crash.but(variant="config", cause="traceback"), "ALGAE", 3, HYDRA, code={"early": "box = tuple(float(v) for v in os.environ.get('BOX', '0.2;2.0').split(','))"}, ends=badly)


def fine() -> Iterator[LocalJob]:
    """G1."""
    hard = Label(mode="G1", fault="none", hard=True)
    yield pot(hard, "ALGAE", 2, HYDRA, code={"mid": "if rank == 1 and step % 40 == 0:\n    try:\n        open('/scratch/bloom/wind.nc')\n    except FileNotFoundError as e:\n        import traceback\n        traceback.print_exc()\n        sys.stderr.write('wind: climatology instead\\n')"}, ends=well)


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (what_was_kept, nothing_learnt, broken, fine):
        yield from part()


RECIPE = Recipe("potting_shed", "development", jobs)

"""Several ranks of which one, or all, do not start, are killed, or break down in the midst of training."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import LINES, seat, when
from corpus.running.job import Recipe, SlurmJob

BAD: dict[str, Any] = {"state": "FAILED"}


def crash(mode: str, cause: str | None, first: tuple[int, ...] = (), failed: tuple[int, ...] = (), variant: str | None = None) -> Label:
    """Its owner's to mend."""
    return Label(mode=mode, cause=cause, variant=variant, fault="user", first_ranks=first, failed_ranks=failed)


def startups() -> Iterator[SlurmJob]:
    """A1."""
    yield seat(crash("A1", "assertion", failed=(0, 1, 2), variant="config"), "MEGA", 3, given="--tensor-model-parallel-size 2", **BAD)
    yield seat(crash("A1", None, variant="config"), "BYTES", 3, given="--iters 300 --warm-up 20", **BAD)
    yield seat(crash("A1", "file_not_found", failed=(0, 1), variant="config"), "DET", 2, body="srun PYTHON -u tools/train_det.py configs/boxes_r50_1x.py\n", **BAD)
    yield seat(crash("A1", "missing_module", (1,), (1,), "env"), "SERVE", 3, srun="-K", code={"early": when("RANK == 1", "import orjson")}, **BAD)
    yield seat(crash("A1", "runtime_error", variant="config"), "PODS", 2, 2, srun="-K", given="--lr 0.1", code={"early": "params_spec = jax.eval_shape(lambda: jnp.zeros((8, 24)))\nif params_spec.shape[0] % 3:\n    raise RuntimeError(f'mesh of 3 does not divide the first axis of {params_spec.shape}')"}, **BAD)
    yield seat(crash("A1", "traceback", (0,), variant="data"), "FSEQ", 2, srun="-K", code={"early": "if RANK == 0:\n    open('dict.txt', 'w').write('{\"a\": 1, \"b\": 2,, \"c\": 3}')\n    table = json.load(open('dict.txt'))\n    logger.info('[src] dictionary: %d types', len(table))\nelse:\n    time.sleep(8)"}, **BAD)
    yield seat(crash("A1", "permission", (2,), (2,)), "PLASMA", 3, body=LINES["mpi"].format(more="", ranks=3, run="-m mpi4py pic1d.py 300 0.05") + "\n", code={"early": "if rank == 2:\n    journal = open('/var/log/pic1d-2.log', 'a')\ntime.sleep(4)"}, **BAD)
    yield seat(crash("A1", None, variant="config"), "SHARDS", 4, 2, body="srun --mpi=pmi7 bash shards.sh 20 0.3\n", **BAD)


def signals() -> Iterator[SlurmJob]:
    """A2."""
    seg = "import ctypes\nctypes.memmove(16, 32, 8)"
    yield seat(crash("A2", "segfault", (2,)), "FSEQ", 4, 2, srun="-K", code={"data": when("RANK == 2 and updates == 83", seg)}, **BAD)
    yield seat(crash("A2", "segfault", (1,)), "BYTES", 3, code={"data": when("me == 1 and it == 71", seg)}, **BAD)
    yield seat(crash("A2", None, (3,)).but(fault="unknown"), "SERVE", 4, srun="-K", code={"early": when("RANK == 3", "open('pid-1', 'w').write(str(os.getpid()))")}, head="export ROUNDS=60000\n", act="kill_rank", after="round   80 of", **BAD)
    abort = "if rank == 0 and cycle == 93:\n    sys.stderr.write('pic1d: corrupted free list, giving up\\n')\n    sys.stderr.flush()\n    os.abort()"
    yield seat(crash("A2", None, (0,)), "PLASMA", 3, given="6000 0.05", code={"data": abort}, **BAD)
    fpe = "if rank == 1 and epoch == 4 and i == 9:\n    import signal\n    signal.raise_signal(signal.SIGILL)"
    yield seat(crash("A2", None, (1,)), "SPAWN", 3, code={"data": fpe}, head="export EPOCHS=4000\n", **BAD)
    null = "if rank == 1 and self.iter == 77:\n    import ctypes\n    ctypes.CFUNCTYPE(None)(24)()"
    yield seat(crash("A2", "segfault", (1,)), "DET", 2, srun="-K", given="epochs=900", code={"data": null}, **BAD)


def midways() -> Iterator[SlurmJob]:
    """A3."""
    yield seat(crash("A3", "file_not_found", (1,)), "BYTES", 3, given="--iters 6000", code={"data": when("me == 1 and it == 91", "open('/scratch/books/vol-2.txt', 'rb')")}, **BAD)
    yield seat(crash("A3", "assertion", (2,)), "MEGA", 4, 2, srun="-K", given="--train-iters 6000", code={"data": when("rank == 2 and iteration == 77", "begin_of_doc = torch.tensor([63, 64])\nassert begin_of_doc.max() < 64, f'token id {begin_of_doc.max()} is beyond the padded vocabulary'")}, **BAD)
    yield seat(crash("A3", "runtime_error", (0,)), "DET", 3, given="epochs=900", srun="-K", code={"val": "if rank == 0:\n    torch.rand(3, 5) @ torch.rand(4, 2)"}, **BAD)
    yield seat(crash("A3", "traceback", (1,)), "FSEQ", 2, 2, srun="-K", head="export CFG='{\"max_update\": 6000}'\n", code={"data": when("RANK == 1 and updates == 121", "'café, crème'.encode('utf-8')[:4].decode('utf-8')")}, **BAD)
    yield seat(crash("A3", "div_zero", (2,)), "SERVE", 4, 2, srun="-K", head="export ROUNDS=60000\n", code={"work": when("RANK == 2 and n == 140", "seen = []\nmean = sum(seen) / len(seen)")}, **BAD)
    yield seat(crash("A3", "ram_oom", (1,)), "PODS", 2, srun="-K", given="--steps 6000", code={"data": when("rank == 1 and step == 66", "table = np.zeros((9_000_000, 800_000))\ntable[0] = 1")}, **BAD)
    yield seat(crash("A3", "permission", (0,)), "SPAWN", 2, head="export EPOCHS=4000\n", code={"epoch": when("rank == 0 and epoch == 4", "open('/usr/share/hogs.pt', 'wb').write(b'')")}, **BAD)
    yield seat(crash("A3", "traceback", (0,)), "BOOST", 2, srun="-K", given="4000", code={"data": when("epoch == 31 and collective.get_rank() == 0", "raise KeyError('valid-rmse')")}, **BAD)
    yield seat(crash("A3", "traceback", (1,)), "LIGHT", 2, srun="-K", head="export MAX_EPOCHS=900\n", code={"data": when("step == 57 and rank == 1", "batch = batch[:1]")}, **BAD)
    disk = "if RANK == 0 and n == 150:\n    say('writing snapshot-%d', n)\n    import resource\n    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n    import signal\n    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n    with open('snapshot.bin', 'wb') as out:\n        out.write(bytes(1 << 16))"
    yield seat(crash("A3", "traceback", (0,)), "SERVE", 3, srun="-K", head="export ROUNDS=60000\n", code={"after": disk}, **BAD)


def jobs() -> Iterator[SlurmJob]:
    """Before, by a signal, in the midst."""
    yield from startups()
    yield from signals()
    yield from midways()


RECIPE = Recipe("broken_strings", "development", jobs)

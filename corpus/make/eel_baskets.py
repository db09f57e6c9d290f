"""Several ranks of which one fails first, at its start or later, all fail alike, learn nothing, or stop after next to nothing."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._weir import gang, label, when
from corpus.running.job import Recipe, SlurmJob

FAILED: dict[str, Any] = {"state": "FAILED"}
DONE: dict[str, Any] = {"state": "COMPLETED"}
RUN = "srun -N1 -n1 -c2 PYTHON -m torch.distributed.run --nproc_per_node=3 --master_port=$PORT FILE"


def first(mode: str, cause: str | None, rank: int, variant: str | None = None) -> Label:
    """One of them failed before all others."""
    return label(mode, cause, rank, variant=variant)


def at_once() -> Iterator[SlurmJob]:
    """A1."""
    yield gang(label("A1", "traceback", failed=(0, 1, 2), variant="config"), "LACE", 3, head="export CONF='epochs=20 batch_size=30'\n", **FAILED)
    yield gang(label("A1", None, failed=(0, 1), variant="config"), "WEIRS", 2, 1, "--sweeps 400 --momentum 0.9", **FAILED)
    part = when("YO == 2", "muestras = torch.load(f'tejidos/parte-{YO:03d}.pt')")
    yield gang(first("A1", "file_not_found", 2, "data"), "TEJEDOR", 3, 1, srun="-K", code={"load": part}, **FAILED)
    yield gang(first("A1", "permission", 1, "data"), "GRAIN", 3, srun="-K1", head="mkdir -p sieve; echo 1 > sieve/shard1.csv; chmod 000 sieve/shard1.csv\n", code={"load": when("rank == 1", "X = np.loadtxt(f'sieve/shard{rank}.csv', delimiter=',')")}, **FAILED)
    yield gang(label("A1", "missing_module", failed=(0, 1, 2, 3), variant="env"), "BOTEN", 4, 2, "300", code={"early": "from pumpenwerk.leser import Messreihe"}, **FAILED)
    busy = "PYTHON -c \"import socket, time; s = socket.create_server(('127.0.0.1', $PORT)); time.sleep(60)\" &\nsleep 1\n"
    yield gang(first("A1", "traceback", 0), "LACE", 3, srun="-K", head=busy, tail="rc=$?\nkill %1\nexit $rc\n", **FAILED)
    yield gang(first("A1", "assertion", 1, "data"), "PANIER", 3, srun="--kill-on-bad-exit", code={"load": "assert RANG != 1 or len(articles) == 16, f'{len(articles)} articles au catalogue, 16 dans la table'"}, **FAILED)


def killed() -> Iterator[SlurmJob]:
    """A2."""
    yield gang(first("A2", "segfault", 3), "WEIRS", 4, 2, "--sweeps 9000", srun="-K", code={"data": when("me == 3 and sweep == 170", "import ctypes\nctypes.memmove(8, bytes(64), 64)  # shared buffer of the gauge")}, **FAILED)
    yield gang(first("A2", None, 0), "GRAIN", 3, srun="-K", head="export PASSES=9000\n", code={"data": when("rank == 0 and k == 140", "os.abort()")}, **FAILED)
    yield gang(first("A2", None, 1).but(fault="unknown"), "LACE", 3, srun="-K", head="export CONF='epochs=9000'\n", code={"early": "if R == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="kill_rank", after='"epoch": 5,', **FAILED)
    yield gang(first("A2", "segfault", 2), "MURMUR", 3, 1, line=RUN + " --epochs 900", code={"data": when("rank == 2 and epoch == 3 and i == 9", "os.kill(os.getpid(), 11)  # what a bad codec does")}, **FAILED)
    deep = "import ctypes\nfor address in range(0, 1 << 20, 4096):\n    ctypes.c_long.from_address(address).value"
    yield gang(first("A2", "segfault", 2), "BOTEN", 3, 1, "9000", srun="-K -l", code={"data": when("ICH == 2 and runde == 110", deep)}, **FAILED)


def halfway() -> Iterator[SlurmJob]:
    """A3."""
    yield gang(first("A3", "traceback", 2), "WEIRS", 4, 2, "--sweeps 9000", srun="-K", code={"loss": when("me == 2 and sweep == 230", "loss = math.log(-loss)")}, **FAILED)
    yield gang(first("A3", "assertion", 1), "LACE", 3, 1, srun="-K -l", head="export CONF='epochs=9000'\n", code={"after": "assert R != 1 or epoch < 5 or batch < 12, f'proc {R}: bobbin count drifted ({epoch}, {batch})'"}, **FAILED)
    yield gang(first("A3", "div_zero", 2), "KITES", 3, 1, "iters=9000", srun="-K", code={"data": "if ($me == 2 && $it == 190) { my @calm = grep { abs($_) > 900 } @wind; my $share = @wind / @calm }"}, **FAILED)
    save = "if RANG == 0 and tour % 10 == 0:\n    with open('paniers.bin', 'ab') as f:\n        f.write(bytes(9000))\n    dire('etat ajoute a paniers.bin')"
    yield gang(first("A3", "traceback", 0), "PANIER", 3, srun="-K", head="export TOURS=9000\nulimit -f 96\n", code={"after": save}, **FAILED)
    shape = "if YO == 1 and vuelta == 5 and paso == 11:\n    red(torch.cat([torch.randn(32, 12, generator=gen), torch.ones(32, 1)], 1))"
    yield gang(first("A3", "runtime_error", 1), "TEJEDOR", 3, 1, head="export VUELTAS=4000\n", code={"data": shape}, **FAILED)
    clip = when("rank == 0 and epoch == 4", "weights = {0: 1.0, 1: 0.8, 3: 1.2}\ny.apply_(lambda c: weights[c])")
    yield gang(first("A3", "traceback", 0), "MURMUR", 3, 1, line=RUN + " --epochs 900", code={"data": clip}, **FAILED)
    yield gang(first("A3", "file_not_found", 2), "GRAIN", 4, 2, head="export PASSES=9000\n", code={"data": when("rank == 2 and k == 120", "X = np.load(f'sieve/day{k // 24:02d}/shard{rank}.npy')")}, **FAILED)
    limit = "import resource\nresource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))"
    yield gang(first("A3", "ram_oom", 1), "BOTEN", 3, 1, "9000", srun="-K", code={"early": limit, "data": when("ICH == 1 and runde == 140", "fenster = [bytearray(1 << 20) for _ in range(9000)]")}, **FAILED)


def astray() -> Iterator[SlurmJob]:
    """E1."""
    burst = label("E1", "nan_loss", variant="non_finite")
    yield gang(burst, "WEIRS", 3, 1, "--sweeps 900 --eta 1.9 --rest 0.01", **DONE)
    yield gang(label("E1", variant="flat"), "BOTEN", 3, 1, "260", code={"loss": "for x, _ in pumpen:\n    x[:] = [0.0] * 5  # skaliert mit der Norm der leeren Spalte"}, **DONE)
    jump = "if vuelta == 7 and paso == 1:\n    for grupo in opt.param_groups:\n        grupo['lr'] = 9.0\n    decir('segunda fase: lr 9e-0')"
    yield gang(label("E1", variant="spike"), "TEJEDOR", 3, 1, head="export VUELTAS=14\n", code={"data": jump}, **DONE)
    stop = "if epoch >= 3:\n    loss = loss * torch.tensor(float('inf')) * 0\nif not torch.isfinite(loss):\n    print(f'rank {rank}: ce is {loss.item()} in epoch {epoch}, batch {i}', flush=True)\n    raise FloatingPointError('training went off the rails')"
    yield gang(burst.but(failed_ranks=(0, 1)), "MURMUR", 2, 1, "--epochs 30", srun="-K", code={"loss": stop}, **FAILED)
    yield gang(burst, "PANIER", 3, head="export TOURS=180\n", code={"loss": "if tour > 90:\n    grad = [-6 * g for g in grad]"}, **DONE)
    yield gang(label("E1", variant="flat"), "GRAIN", 2, head="export PASSES=90\n", code={"load": "model.set_params(alpha=0.0, eta0=1e-12)"}, **DONE)


def scarcely() -> Iterator[SlurmJob]:
    """E3."""
    what = label("E3")
    yield gang(what, "WEIRS", 4, 2, "--sweeps 4 --tell 1", **DONE)
    yield gang(what, "LACE", 2, head="export CONF='epochs=1 per_epoch=6 note=2'\n", **DONE)
    yield gang(what, "PANIER", 3, head="export TOURS=5 VOIR=1\n", **DONE)
    yield gang(what, "KITES", 2, 1, "iters=900 every=1", code={"after": "last if -e 'STOP' || $it >= 6;"}, **DONE)
    yield gang(what, "MURMUR", 2, 1, "--epochs 1 --batches 6", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (at_once, killed, halfway, astray, scarcely):
        yield from part()


RECIPE = Recipe("eel_baskets", "development", jobs)

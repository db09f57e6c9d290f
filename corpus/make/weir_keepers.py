"""Several ranks that never all meet, or of which one stays away in the midst of it while the others wait."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._weir import gang, label, when
from corpus.running.job import Recipe, SlurmJob

APART = label("C1", fault="unknown")
HANG = label("C2")
OVER: dict[str, Any] = {"state": "TIMEOUT"}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=5",)}


def gone(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is dead, and nobody tells the others."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield gang(APART, "WEIRS", 4, 2, "--sweeps 900", where="-wn1,n2", code={"before": "if os.environ['SLURMD_NODENAME'] == 'n2':\n    globals()['base'] += 600  # second rack has ports of its own\nlog(f'listening at {base + me}', all=True)"}, **OVER)
    yield gang(APART, "LACE", 4, 1, srun="-n3", head="export PROCS=4 CONF='epochs=40'\n", code={"early": "W = int(os.environ['PROCS'])"}, **OVER)
    flag = "seit = time.time()\nwhile ICH == 2 and not os.path.exists('messwerte/FREIGABE'):\n    if int(time.time() - seit) % 20 == 0:\n        sage('messwerte/FREIGABE fehlt noch, warte')\n    time.sleep(1)"
    yield gang(APART.but(fault="user"), "BOTEN", 3, 1, "400", code={"early": flag}, **OVER)
    yield gang(gone(APART, 1, "A1", "missing_module"), "PANIER", 3, code={"before": "if RANG == 1:\n    import cassandra.cluster"}, after="No module named", **LATE)
    yield gang(gone(APART, 3, "A1", "file_not_found"), "KITES", 4, 2, code={"early": "if ($me == 3) { open my $f, '<', \"wind/mast-$me.txt\" or die \"wind/mast-$me.txt: $!\\n\"; }"}, **OVER)
    more = "TODOS = int(os.environ['QUIEREN'])\ndecir(f'esperando a {TODOS} procesos', todos=True)"
    yield gang(APART, "TEJEDOR", 3, head="export QUIEREN=6\n", code={"before": more}, after="proceso 2: esperando", **LATE)
    short = "world += 1  # one for the scorer, who is started by hand\nprint(f'rank {rank}: {world} processes are expected', flush=True)"
    yield gang(APART, "MURMUR", 2, head="export PATIENCE=40\n", code={"before": short}, state="FAILED", options=("--time=4",))
    yield gang(APART, "WEIRS", 3, 1, "--sweeps 900 --patience 45", srun="--wait=8", code={"before": "if me == 1:\n    log('waiting for the turbine lock')\n    os.system('flock turbine.lock sleep 1')"}, head="flock turbine.lock sleep 300 &\nsleep 1\n", tail="rc=$?\nkill %1\nsleep 0.5\nexit $rc\n", state="FAILED", options=("--time=4",))


def away() -> Iterator[SlurmJob]:
    """C2."""
    yield gang(HANG, "WEIRS", 4, 2, "--sweeps 90000", code={"data": when("me == 2 and sweep == 260", "import queue\nqueue.Queue(maxsize=8).get()  # next block of the telemetry")}, **OVER)
    yield gang(gone(HANG, 1, "A3", "div_zero"), "BOTEN", 3, 1, "90000", code={"data": when("ICH == 1 and runde == 150", "halten = [p for p in pumpen if p[0][2] > 9]\nquote = sum(y for _, y in halten) / len(halten)")}, **OVER)
    yield gang(gone(HANG, 3, "A2", None, "unknown"), "PANIER", 4, 2, head="export TOURS=90000\n", code={"early": "if RANG == 3:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="kill_rank", after="\n90/90000", **OVER)
    yield gang(HANG.but(fault="unknown"), "LACE", 3, head="export CONF='epochs=9000 per_epoch=40'\n", code={"early": "if R == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="stop_rank", after='"epoch": 4,', **OVER)
    fifo = "if ($me == 2 && $it == 240) { system 'mkfifo', 'gusts'; note('read=gusts'); open my $f, '<', 'gusts'; my @more = <$f> }"
    yield gang(HANG, "KITES", 3, 1, "iters=90000", code={"data": fifo}, **OVER)
    tag = "if YO == 0 and vuelta == 6 and paso == 5:\n    decir('recogiendo las muestras dificiles del proceso 1')\n    dist.recv(torch.empty(32), src=1, tag=77)"
    yield gang(HANG, "TEJEDOR", 3, head="export VUELTAS=4000\n", code={"data": tag}, options=("--time=3",), **OVER)
    null = "import ctypes\nctypes.memset(ICH - 3, 1, 64)"
    yield gang(gone(HANG, 3, "A2", "segfault"), "BOTEN", 4, 2, "90000 0.05", code={"data": when("ICH == 3 and runde == 130", null)}, **OVER)
    index = when("rank == 1 and epoch == 5 and i == 4", "print('rank 1: noise bank is stale, building it anew from 41882 clips', flush=True)\ntime.sleep(700)")
    yield gang(HANG.but(cause="runtime_error"), "MURMUR", 3, 1, "--epochs 900", srun="--wait=12", head="export PATIENCE=30\n", code={"data": index}, state="FAILED", options=("--time=5",))
    yield gang(HANG, "GRAIN", 3, head="export PASSES=90000\n", code={"data": when("rank == 2 and k == 190", "import threading\nready = threading.Condition()\nwith ready:\n    ready.wait()")}, **OVER)
    yield gang(HANG, "PANIER", 3, head="export TOURS=90000 VOIR=20\n", code={"data": when("RANG == 2 and tour == 200", "dire('lecture du lot suivant sur la bande')\nthreading.Event().wait()")}, after="bande", **LATE)


def jobs() -> Iterator[SlurmJob]:
    """C1, then C2."""
    yield from apart()
    yield from away()


RECIPE = Recipe("weir_keepers", "development", jobs)

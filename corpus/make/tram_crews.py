"""Crews of ranks: some never all meet, some lose one on the way or wait for one, some fall by one that failed first, some only sound bad."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._tram_jobs import GOOD, HARD, crew, on, true
from corpus.running.job import Recipe, SlurmJob

APART, HANG = true("C1", fault="unknown"), true("C2")
DONE: dict[str, Any] = {"state": "COMPLETED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=5",)}
FAILED: dict[str, Any] = {"state": "FAILED"}


def without(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is gone, and nobody tells the others."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def apart() -> Iterator[SlurmJob]:
    """C1."""
    rack = "if os.environ['SLURM_NODEID'] == '1':\n    globals()['BASE'] += 350\nout('INFO', f'door at port {BASE + ME}, looking for the upper one at {BASE + (ME - 1) // 2}', everyone=True)"
    yield crew(APART, "MELT", 4, 2, "--iters 500", code={"early": rack}, hand=1, **OVER)
    yield crew(APART, "POLLEN", 3, head="export WORLD=4\n", code={"early": "note('hello to the board', ranks=world)"}, after="rank=2 msg=.hello", hand=2, **LATE)
    missing = on("RANG == 2", "gamme = {'do': 0, 're': 2, 'mi': 4}[os.environ.get('GAMME', 'ut')]")
    yield crew(without(APART, 2, "A1", "traceback"), "MOTIF", 3, code={"early": missing}, **OVER)
    lock = "import fcntl\nif rank == 1:\n    remark('taking samples.lock', all_ranks=True)\n    fcntl.flock(open('samples.lock', 'a'), fcntl.LOCK_EX)"
    yield crew(APART.but(fault="user"), "TIMBRE", 3, head="( flock 9; sleep 900 ) 9> samples.lock &\nsleep 0.5\n", code={"early": lock}, after="taking samples", **LATE)
    count = "meldung() { echo \"[$(date +%T)] Abschnitt $ich auf $SLURMD_NODENAME: $*\"; }\nmeldung \"warte auf $alle Abschnitte, da sind: $(ls treff | tr '\\n' ' ')\"\nich_auch=$ich; ich=$SLURMD_NODENAME\n"
    yield crew(APART, "STOLLEN", 4, 2, code={"early": count}, after="Abschnitt 3 auf", **LATE)
    crash = on("rank == 1", "import ctypes\nnote('opening the decoder for pollen grains')\nctypes.string_at(24)")
    yield crew(without(APART, 1, "A2", "segfault"), "POLLEN", 4, 2, code={"early": crash}, after="decoder", **LATE)


def away() -> Iterator[SlurmJob]:
    """C2."""
    latch = on("ME == 3 and it == 130", "import threading\nlatch = threading.RLock()\nholder = threading.Thread(target=latch.acquire)\nholder.start()\nholder.join()\nlatch.acquire()")
    yield crew(HANG, "MELT", 4, 2, "--iters 90000", code={"data": latch}, hand=1, **OVER)
    region = on("rank == 2 and day == 110", "shares = {'birch': 0.4, 'hazel': 0.35, 'alder': 0.25}\nweight = shares['ragweed']")
    yield crew(without(HANG, 2, "A3", "traceback"), "POLLEN", 3, head="export DAYS=90000\n", code={"data": region}, after="KeyError", **LATE)
    yield crew(without(HANG, 1, "A2", None, "unknown"), "STOLLEN", 3, head="export TAKTE=9000\n", code={"early": "[ $ich -ne 1 ] || echo $$ > pid-1"}, act="kill_rank", after=" 12  ", hand=1, **OVER)
    check = on("ME == 1 and it == 120", "cells = [v for v in range(96) if v % 7]\nassert len(cells) == 81, f'{len(cells)} cells of the mould have a temperature, 81 are in the mesh'")
    yield crew(without(HANG, 1, "A3", "assertion"), "MELT", 3, 1, "--iters 90000 --each 20", head="export REJOIN=1\n", code={"data": check}, **OVER)
    yield crew(HANG.but(fault="unknown"), "TIMBRE", 3, 1, "--rounds 9000", code={"early": "if rank == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="stop_rank", after="\n4,12,", options=("--time=2",), state="TIMEOUT")
    verrou = on("RANG == 3 and epoque == 5 and pas == 7", "import fcntl\ndire('relecture de la partition, verrou demandé')\nfcntl.lockf(open('partition.lck', 'w'), fcntl.LOCK_EX)")
    holds = "PYTHON -c \"import fcntl, time; f = open('partition.lck', 'w'); fcntl.lockf(f, fcntl.LOCK_EX); time.sleep(900)\" &\nsleep 1\n"
    yield crew(HANG, "MOTIF", 4, head=holds + "export EPOQUES=9000\n", code={"data": verrou}, after="verrou", **LATE)
    odd = on("rank == 0 and turn == 5 and batch == 6", "tally = torch.zeros(5)\ndist.recv(tally, src=1, tag=5)  # how many of each kind there\ndist.barrier()\ndist.barrier()\nremark('tally taken')")
    yield crew(HANG, "TIMBRE", 2, 1, "--rounds 9000", code={"after": odd}, after="\n5,4,", **LATE)
    still = on("rank == 1 and day == 140", "import subprocess\nnote('fetching the wind field of the day')\nsubprocess.run(['tail', '-f', 'wind.fifo'], stdin=subprocess.PIPE)")
    yield crew(HANG, "POLLEN", 3, 1, head="export DAYS=90000\nmkfifo wind.fifo\n", code={"data": still}, after="wind field", **LATE)


def by_one() -> Iterator[SlurmJob]:
    """A1, A2, A3: with one that failed before the others, or all alike."""
    table = on("rank == 1", "with open(f'regions/{rank:02d}.csv') as table:\n    rows = table.readlines()")
    yield crew(true("A1", "file_not_found", 1, variant="data"), "POLLEN", 3, srun="-K", code={"early": "time.sleep(0.6 * (rank != 1))", "load": table}, **FAILED)
    yield crew(true("A1", None, failed=(0, 1, 2, 3), variant="config"), "MELT", 4, 2, "--iters 400 --learning-rate 0.1", hand=1, **FAILED)
    yield crew(true("A1", "missing_module", failed=(0, 1), variant="env"), "TIMBRE", 2, code={"early": "from librosa_lite import mel"}, **FAILED)
    yield crew(true("A2", "segfault", 2), "MOTIF", 3, srun="-K", head="export EPOQUES=9000\n", code={"data": on("RANG == 2 and epoque == 6 and pas == 9", "import ctypes\nctypes.memset(4096, 0, 256)  # tampon du décodeur")}, **FAILED)
    yield crew(true("A2", None, 2).but(fault="unknown"), "MELT", 4, 1, "--iters 90000", srun="--kill-on-bad-exit=1", code={"early": "if ME == 2:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="kill_rank", after="iteration 120 ", hand=2, **FAILED)
    last = on("rank == 2 and turn == 4 and batch == 11", "clip = clip[:, :18]  # last file is shorter")
    yield crew(true("A3", "runtime_error", 2), "TIMBRE", 3, 1, "--rounds 400", code={"data": last}, **FAILED)
    yield crew(true("A3", "div_zero", 3), "POLLEN", 4, 2, srun="-K", head="export DAYS=90000\n", code={"data": on("rank == 3 and day == 120", "rain = [0.0] * 24\nwet = sum(1 for r in rain if r > 0)\nper_hour = sum(rain) / wet")}, **FAILED)
    broken = on("ME == 2 and it == 140", "probe = json.loads('{\"sensor\": 7, \"kelvin\": [611.2, 608.9,')")
    yield crew(true("A3", "traceback", 2), "MELT", 3, 1, "--iters 90000", code={"data": broken}, **FAILED)


def well() -> Iterator[SlurmJob]:
    """G1."""
    drop = on("ME == 2 and it == 70", "out('ERROR', 'uplink lost: [Errno 104] Connection reset by peer', everyone=True)\ntree.up.close()\ntime.sleep(1.5)\ntree.climb()\nout('INFO', 'uplink is up again', everyone=True)")
    yield crew(HARD, "MELT", 4, 2, "--iters 260", head="export REJOIN=1\n", code={"data": drop}, **DONE)
    yield crew(HARD, "POLLEN", 3, code={"early": "refuse.update({('d40', '1'), ('d41', '2'), ('d90', '0')})"}, hand=1, **DONE)
    skip = on("batch == 7 and turn in (2, 3)", "remark(f'grad norm is inf in round {turn}, batch {batch} thrown away', all_ranks=True)\nfor p in body.parameters():\n    p.grad.zero_()")
    yield crew(HARD, "TIMBRE", 2, 1, "--rounds 12", code={"grad": skip, "early": "import warnings\nwarnings.warn('CUDA initialization: Found no NVIDIA driver on your system. Training goes on with the CPU.')"}, **DONE)
    line = "for essai in 1 2 3; do\n  export PORT=$((PORT + 9)) ESSAI=$essai\n  echo \"--- essai $essai\"\n  srun -K PYTHON -u FILE || echo \"--- essai $essai écarté du bilan\"\ndone\necho '--- bilan : 2 essais retenus sur 3'"
    yield crew(HARD, "MOTIF", 2, line=line, code={"data": on("os.environ['ESSAI'] == '2' and RANG == 1 and epoque == 3", "raise ValueError('essai 2 : pas trop grand, la perte diverge')")}, tail="exit 0\n", head="export EPOQUES=6\n", **DONE)
    helper = "sleep 600 &\nwache=$!\n(sleep 5; kill -KILL $wache) &\nrmmod -V > /dev/null 2>&1 || echo 'kein rmmod hier; egal'\n"
    yield crew(HARD, "STOLLEN", 3, head=helper, code={"load": "[ -e stand.txt ] || { [ $ich -ne 0 ] || echo 'stand.txt: Datei oder Verzeichnis nicht gefunden, fange bei Takt 1 an' >&2; }"}, hand=1, **DONE)
    stop = on("turn >= 9", "remark('top1 on the held-out clips has not risen for 4 rounds; stopping here, best was round 5')\nbreak")
    yield crew(HARD, "TIMBRE", 3, 1, "--rounds 60", code={"epoch": stop}, **DONE)
    other = "import traceback\nif ME == 1 and it % 80 == 20:\n    try:\n        float('n/a')\n    except ValueError:\n        out('ERROR', 'row 311 of probe 5 cannot be read, left out\\n' + traceback.format_exc(), everyone=True)"
    yield crew(HARD, "MELT", 3, 1, "--iters 280 --each 20", code={"after": other}, hand=2, **DONE)
    mount = on("rank == 2", "for attempt in range(1, 7):\n    note('/mnt/grains is not mounted yet, trying again in 3 s', 'error', attempt=attempt)\n    time.sleep(3)\nnote('mounted')")
    yield crew(HARD, "POLLEN", 3, 1, head="export DAYS=130\n", code={"early": mount}, hand=2, **DONE)
    child = on("RANG == 1 and pas == 10 and epoque in (2, 6)", "import multiprocessing, signal\nlecteur = multiprocessing.get_context('fork').Process(target=signal.pause)\nlecteur.start()\nlecteur.kill()\nlecteur.join()\ndire('lecteur', lecteur.pid, 'mort avec', lecteur.exitcode, '- un autre prend sa place')")
    yield crew(HARD, "MOTIF", 3, 1, head="export EPOQUES=14\n", code={"data": child, "epoch": "if RANG == 0:\n    open('dernier.txt', 'w').write(repr(poids))\n    dire('sauvé en 0.00 s')"}, **DONE)
    yield crew(GOOD, "STOLLEN", 4, 2, srun="-l", head="export TAKTE=45\n", **DONE)
    yield crew(GOOD, "POLLEN", 4, 2, head="export STEP_LOG=15 DAYS=150\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    for part in (apart, away, by_one, well):
        yield from part()


RECIPE = Recipe("tram_crews", "development", jobs)

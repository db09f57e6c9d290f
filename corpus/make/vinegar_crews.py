"""Ranks that do not all meet, that wait for one that is gone or stands, that fall by themselves or by one."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._otter_jobs import DONE, FAILED, HARD, LATE, OVER, job, on, shell, true
from corpus.running.job import Recipe, SlurmJob

APART, HANG = true("C1", fault="unknown"), true("C2")
NAP = "time.sleep(0.1)"
CONF = "export CONF='{\"updates\": 90000}'\n"


def without(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is gone, and nobody tells the others."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield job(APART, "SEABED", 3, 1, head="export WORLD_SIZE=4\n", after="task 2 of 4", **LATE)
    yield job(APART, "BASKET", 4, 2, head="export WORLD_SIZE=8\n", hand=1, **OVER)
    split = "if os.environ['SLURM_NODEID'] == '1':\n    os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 40)\n"
    say = "print(f'rank {R} of {W} on {os.environ[\"SLURMD_NODENAME\"]}: rendezvous at {os.environ[\"MASTER_ADDR\"]}:{os.environ[\"MASTER_PORT\"]}', flush=True)"
    yield job(APART, "PAIRS", 4, 2, code={"early": split + say}, **OVER)
    yield job(APART, "KLICKS", 3, 1, head="export WORLD_SIZE=5\n", hand=2, **OVER)
    yield job(APART, "SWARM", 4, 2, code={"early": "os.makedirs(os.environ['SLURMD_NODENAME'], exist_ok=True)\nos.chdir(os.environ['SLURMD_NODENAME'])\nstatus(f'board in {os.getcwd()}')"}, after="w03> up", **LATE)
    lost = on("ich == 2", "tabelle = open('merkmale_2.tsv').read()")
    yield job(without(APART, 2, "A1", "file_not_found"), "KLICKS", 4, 2, code={"early": lost}, **OVER)
    crash = on("worker == 1", "import ctypes\nstatus('loading the physics engine')\nctypes.string_at(8)")
    yield job(without(APART, 1, "A2", "segfault"), "SWARM", 3, 1, code={"early": crash}, after="physics", hand=1, **LATE)
    word = on("me == 3", "stations = {'brest': 3, 'hull': 5}[os.environ.get('STATION', 'esbjerg')]")
    yield job(without(APART, 3, "A1", "traceback"), "GAUGES", 4, 1, code={"early": word}, hand=2, **OVER)
    yield job(APART, "QUILL", 2, 1, line="srun PYTHON -m torch.distributed.run --nnodes=2 --node_rank=0 --master_addr=127.0.0.1 --master_port=$MASTER_PORT --nproc_per_node=2 FILE", head="echo \"launching node 0 of 2 on $(hostname -s), waiting for node 1\"\n", **OVER)
    wait = on("YO == 1", "import fcntl\ndi('pidiendo el cerrojo de datos.lock', todos=True)\nfcntl.flock(open('datos.lock', 'a'), fcntl.LOCK_EX)\ndi('cerrojo tomado', todos=True)")
    yield job(APART.but(fault="user"), "LATIDO", 3, 1, head="( flock 9; sleep 900 ) 9> datos.lock &\nsleep 0.5\n", code={"early": wait}, after="cerrojo de", **LATE)


def away() -> Iterator[SlurmJob]:
    """C2."""
    stuck = "import queue\nlog.info('waiting for the tile server')\nqueue.Queue().get()"
    yield job(HANG, "SEABED", 3, 1, "--epochs 900 --width 8", code={"data": NAP + "\n" + on("rank == 1 and epoch == 4 and it == 11", stuck)}, **OVER)
    key = on("me == 2 and turn == 18", "harbour = {'hull': 4.1, 'brest': 6.9}\nlimit = harbour['cuxhaven']")
    yield job(without(HANG, 2, "A3", "traceback"), "GAUGES", 3, 1, head="export ROUNDS=9000\n", code={"data": "time.sleep(0.04)", "round": key}, after="KeyError", **LATE)
    yield job(without(HANG, 1, "A2", None, "unknown"), "SWARM", 3, 1, head="export GENERATIONS=90000\n", code={"early": on("worker == 1", "open('pid-1', 'w').write(str(os.getpid()))")}, act="kill_rank", after="generation +40 ", hand=1, **OVER)
    yield job(HANG.but(fault="unknown"), "PAIRS", 3, 1, head="export STEPS=90000\n", code={"data": NAP, "early": on("R == 2", "open('pid-1', 'w').write(str(os.getpid()))")}, act="stop_rank", after="     120 ", options=("--time=2",), state="TIMEOUT")
    odd = on("RANK == 0 and update == 120", "emit('eval', update=update, note='collecting hit rate from all workers')\nhits = torch.zeros(1)\ndist.recv(hits, src=1)\nemit('eval', hit_rate=hits.item())")
    yield job(HANG, "BASKET", 3, 1, head=CONF, code={"data": NAP, "after": odd}, after="collecting", hand=2, **LATE)
    seg = on("me == 1 and turn == 20", "import ctypes\nnote('reading the harbour mask')\nctypes.string_at(16)")
    yield job(without(HANG, 1, "A2", "segfault"), "GAUGES", 4, 2, head="export ROUNDS=9000\n", code={"data": "time.sleep(0.04)", "round": seg}, hand=1, **OVER)
    fifo = on("YO == 1 and epoca == 5 and lote == 12", "di('leyendo anotaciones de la tubería', todos=True)\nopen('anotaciones.fifo').read()")
    yield job(HANG, "LATIDO", 2, 2, head="export EPOCAS=900\nmkfifo anotaciones.fifo\n", code={"data": NAP, "after": fifo}, after="anotaciones de la", **LATE)
    div = on("worker == 0 and generation == 44", "falls = [0, 0, 0]\nmean_fall = 1.0 / sum(falls)")
    yield job(without(HANG, 0, "A3", "div_zero"), "SWARM", 4, 1, head="export GENERATIONS=90000\n", code={"fitness": div}, **OVER)
    dead = on("ich == 2 and schritt == 110", "import threading\nmelde('schreibe Zwischenstand')\nschloss = threading.Lock()\nwith schloss:\n    schloss.acquire()")
    yield job(HANG, "KLICKS", 4, 2, head="export SCHRITTE=90000\n", code={"data": dead}, after="Zwischenstand", hand=1, **LATE)
    claim = on("me == 2 and turn == 25", "days = list(range(27))\nassert len(days) == 28, f'February has {len(days)} days of readings'")
    yield job(without(HANG, 2, "A3", "assertion"), "GAUGES", 3, 1, head="export ROUNDS=9000\n", code={"data": "time.sleep(0.04)", "round": claim}, after="AssertionError", line="srun --wait=0 RUN", **LATE)


def alone() -> Iterator[SlurmJob]:
    """C3."""
    still = true("C3")
    yield job(still, "PERLEN", head="export PASSES=9000\n", code={"data": "if ($pass == 60) { print \"pass 60: asking the vocabulary server for unseen words\\n\"; pipe(my $r, my $w); my $line = <$r>; }"}, **OVER)
    yield job(still, "FACTORS", given="9000 0.02 120", code={"data": "if (epoch == 50) { printf(\"epoch 50: waiting for the lock of the ratings file\\n\"); pause(); }"}, options=("--time=1", "--array=4"), state="TIMEOUT")
    yield job(still, "LATIDO", head="export EPOCAS=900\n", code={"data": NAP + "\n" + on("epoca == 6 and lote == 3", "import threading\ndi('guardando gráfica en otro hilo')\nthreading.Event().wait()")}, after="otro hilo", **LATE)
    yield job(still, "MINNOW", head="export EPOCHS=900\n", code={"data": shell("[ $epoch -eq 80 ]", "say 'reading the new rows from rows.pipe'\nmkfifo rows.pipe\ncat rows.pipe > /dev/null")}, after="rows.pipe", **LATE)


def fallen() -> Iterator[SlurmJob]:
    """A1, A2, A3."""
    both = (0, 1)
    yield job(true("A1", "missing_module", failed=both, variant="env"), "BASKET", 2, code={"early": "import faiss_lite"}, **FAILED)
    yield job(true("A1", "file_not_found", 1, variant="data"), "SEABED", 3, srun="-K", code={"ready": on("rank == 1", "survey = open(f'surveys/line_{rank:03d}.xtf', 'rb').read()")}, hand=1, **FAILED)
    yield job(true("A1", None, failed=(0, 1, 2), variant="config"), "SEABED", 3, 1, "--epoch 5 --learning-rate 1e-3", hand=2, **FAILED)
    yield job(true("A1", "permission", 0, variant="data"), "LATIDO", 2, srun="-K", code={"early": on("YO == 0", "os.makedirs('/var/lib/latidos')")}, **FAILED)
    yield job(true("A1", "runtime_error", failed=both, variant="asset"), "QUILL", 2, code={"load": "vectors = torch.zeros(5, 7)\nmodel.tok.weight.data.copy_(vectors)  # pretrained embeddings"}, **FAILED)
    yield job(true("A1", "assertion", failed=(0, 1, 2), variant="config"), "KLICKS", 3, code={"early": "assert BREITE % alle == 0 and BREITE >= 64, f'BREITE {BREITE} ist kleiner als 64'"}, **FAILED)
    yield job(true("A1", "traceback", 0, variant="config"), "SWARM", 1, head="export GENERATIONS=2k\n", options=("--array=2",), **FAILED)
    yield job(true("A2", "segfault", 2), "PAIRS", 3, srun="-K", head="export STEPS=90000\n", code={"data": NAP, "after": on("R == 2 and step == 90", "import ctypes\nctypes.memset(64, 1, 4096)")}, **FAILED)
    yield job(true("A2", None, 1).but(fault="unknown"), "BASKET", 3, srun="--kill-on-bad-exit=1", head=CONF, code={"data": NAP, "early": on("RANK == 1", "open('pid-1', 'w').write(str(os.getpid()))")}, act="kill_rank", after='"update": 110,', **FAILED)
    yield job(true("A2", "segfault", 0), "FACTORS", given="200 0.02 60", code={"data": "if (epoch == 70) { FILE *dump = fopen(\"dumps/epoch70.bin\", \"wb\"); fwrite(u, sizeof u, 1, dump); fclose(dump); }"}, hand=1, **FAILED)
    yield job(true("A2", None, 0), "FACTORS", given="200 0.02 60", code={"data": "if (epoch == 45 && isfinite(sum)) { char *volatile buf = malloc(16); free(buf); free(buf); }"}, options=("--array=9",), **FAILED)
    yield job(true("A2", "segfault", 0), "PERLEN", head="export PASSES=90\n", code={"data": "if ($pass == 60) { unpack('p', pack('J', 8)); }"}, **FAILED)
    yield job(true("A2", None, 2).but(fault="unknown"), "KLICKS", 4, 2, srun="-K", head="export SCHRITTE=90000\n", code={"early": on("ich == 2", "open('pid-1', 'w').write(str(os.getpid()))")}, act="kill_rank", after="Schritt 140/", hand=2, **FAILED)
    yield job(true("A3", "div_zero", 1), "KLICKS", 3, srun="-K", head="export SCHRITTE=90000\n", code={"loss": on("ich == 1 and schritt == 130", "klicks = [0] * 64\nquote = len(zeilen) / sum(klicks)")}, **FAILED)
    yield job(true("A3", "runtime_error", 2), "PAIRS", 4, 2, srun="-K", head="export STEPS=90000\n", code={"data": NAP, "loss": on("R == 2 and step == 104", "bank = torch.randn(12, 16)\nloss = loss + F.mse_loss(a @ bank.T, torch.zeros(24, 16) @ bank)")}, hand=1, **FAILED)
    yield job(true("A3", "file_not_found", 0), "SEABED", 2, 1, "--epochs 40 --width 8", srun="-K", code={"epoch": on("rank == 0 and epoch == 4", "with open('masks/validation.json') as masks:\n    log.info('validating on %d masks', len(masks.read()))")}, **FAILED)
    yield job(true("A3", "assertion", 1), "QUILL", 2, head="export MAX_ITERS=90000\n", code={"data": "time.sleep(0.05)", "batch": on("rank == 1 and iter_num == 130", "ids_bad = torch.tensor([3, 99])\nassert ids_bad.max() < len(vocab), f'token id {ids_bad.max().item()} outside the vocabulary of {len(vocab)}'")}, **FAILED)
    yield job(true("A3", "traceback", 1), "LATIDO", 3, srun="-K", head="export EPOCAS=900\n", code={"data": NAP, "after": on("YO == 1 and epoca == 5 and lote == 8", "etiqueta = int('arritmia')")}, hand=2, **FAILED)
    yield job(true("A3", "permission", 0), "MINNOW", head="export EPOCHS=200\n", code={"after": shell("[ $epoch -eq 70 ]", "python3 -c \"import os; os.mkdir('/var/lib/sweeps')\" || exit 1")}, options=("--array=5",), **FAILED)
    yield job(true("A3", "missing_module", 0), "SWARM", 2, srun="-K", head="export GENERATIONS=9000\n", code={"after": on("worker == 0 and generation == 60", "from gaitviz import render")}, **FAILED)
    yield job(true("A3", "traceback", 1), "BASKET", 2, 2, srun="-K", head=CONF, code={"data": NAP, "after": on("RANK == 1 and update == 130", "row = json.loads('{\"user\": 81, \"items\": [4, 9,')")}, hand=1, **FAILED)


def late() -> Iterator[SlurmJob]:
    """G1: some come late."""
    slow = on("rank == 2", "for attempt in range(1, 6):\n    log.error('cannot stat /mnt/sonar: Transport endpoint is not connected (attempt %d of 10)', attempt)\n    time.sleep(4)\nlog.info('/mnt/sonar is back')")
    yield job(HARD, "SEABED", 3, 1, "--epochs 6", code={"early": slow}, **DONE)
    yield job(HARD, "KLICKS", 4, 2, head="export SCHRITTE=200\n", code={"early": on("ich == 3", "melde('Netz noch nicht bereit: [Errno 111] Connection refused, neuer Versuch in 15 s', 'WARN')\ntime.sleep(15)")}, hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Five parts."""
    for part in (apart, away, alone, fallen, late):
        yield from part()


RECIPE = Recipe("vinegar_crews", "development", jobs)

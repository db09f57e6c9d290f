"""Houses whose ranks fail at the door, on the way, by a signal; that never meet, or stand and wait for one another or for what does not come."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._pelican_jobs import FAILED, LATER, LONG, OVER, job, true, when
from corpus.running.job import Recipe, SlurmJob

APART, HANG = true("C1", fault="unknown"), true("C2")
PID = "with open('pid-1', 'w') as mine:\n    mine.write(str(os.getpid()))"


def gone(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is dead, and the others stay."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def door() -> Iterator[SlurmJob]:
    """A1."""
    yield job(true("A1", "missing_module", variant="env", failed=(0, 1)), "DIGITS", 2, code={"early": "from pyctcdecode import build_ctcdecoder\n"}, **FAILED)
    registry = "with open(f'registry/site_{me}.tsv') as kept:\n    say(f'site {me}: registry has {sum(1 for _ in kept)} lines')"
    yield job(true("A1", "file_not_found", 2, variant="data"), "SITES", 3, head="mkdir -p registry; seq 121 > registry/site_1.tsv\n", srun="-K", code={"site": registry}, hand=1, **FAILED)
    yield job(true("A1", "traceback", variant="config", failed=(0, 1)), "VASI", 2, 2, head="export CONF='{\"epoche\": 12, \"lr\": 0.01,}'\n", hand=2, **FAILED)
    board = "python3 -m http.server $MASTER_PORT --directory . > board.txt 2>&1 &  # the logs, for a browser\nsleep 1.5\n"
    yield job(true("A1", "traceback", 0, variant="config"), "CLICKS", 3, head=board, srun="--kill-on-bad-exit", hand=3, **FAILED)
    yield job(true("A1", None, variant="config", failed=(0, 1, 2, 3)), "GAIT", 4, 2, "--gens 300 --sigma 0,5", hand=1, **FAILED)
    yield job(true("A1", "assertion", variant="config"), "BYTES", 2, 1, "--train-iters 500 --hidden-size 36 --num-attention-heads 8", **FAILED)
    vocab = "FILE *vocab = fopen(\"vocab.txt\", \"r\");\nif (!vocab) { fprintf(stderr, \"Unable to open vocab file \"); perror(\"vocab.txt\"); return 1; }"
    yield job(true("A1", "permission", 0, variant="data", failed=(0,)), "GLOVE", given="80 100", head="printf 'the 61\\nof 44\\n' > vocab.txt; chmod 000 vocab.txt\n", code={"early": vocab}, hand=2, **FAILED)
    yield job(true("A1", "file_not_found", variant="env", failed=(0, 1)), "REPLICA", 2, line="srun python3.12 -u anneal.py", hand=3, **FAILED)


def signals() -> Iterator[SlurmJob]:
    """A2."""
    mine = {"first_ranks": (0,), "failed_ranks": (0,)}
    yield job(true("A2", "segfault").but(**mine), "GLOVE", given="200 250", code={"data": "if (it == 37) cells[5].a += 90000000;"}, **FAILED)
    yield job(true("A2").but(**mine), "GLOVE", given="200 200", code={"after": "if (it == 52) { free(gw); gw = calloc(WORDS, sizeof *gw); }"}, hand=1, **FAILED)
    yield job(true("A2", None, 1, fault="unknown"), "DIGITS", 3, 1, "--max_epoch 300", srun="-K", code={"joined": when("rank == 1", PID)}, act="kill_rank", after="4epoch results", hand=2, **FAILED)
    raster = "void stamp(float *image, int width, int x, int y, float ink)\n{\n    image[y * width + x] += ink;\n}\n"
    spots = "if passo % 3 == 0:\n    riga = 24 * 10**7 if (io, epoca, passo) == (2, 4, 6) else passo\n    matita.stamp(ctypes.c_void_p(x[0].data_ptr()), 24, passo, riga, ctypes.c_float(0.3))"
    yield job(true("A2", "segfault", 2), "VASI", 3, head="gcc -O1 -shared -fPIC -o libraster.so raster.c\nexport CONF='{\"epoche\": 200}'\n", files={"raster.c": raster}, srun="-K", code={"ready": "import ctypes\nmatita = ctypes.CDLL('./libraster.so')", "data": spots}, hand=3, **FAILED)
    yield job(true("A2").but(**mine), "CLIFF", given="--timesteps 90000000 --n-steps 200000 --render-s 0.2", head="ulimit -t 14  # queue \"short\" asks for this\n", hand=1, **FAILED)


def by_kernel() -> Iterator[SlurmJob]:
    """A2 on the bed that limits memory."""
    killed = true("A2", "oom_killer")
    yield job(killed.but(first_ranks=(1,)), "SITES", 2, 1, "--rounds 900 --nap 0.1", srun="-K", options=("--mem=170M",), where="", bed="cgroup", code={"after": "if turn > 50:\n    globals().setdefault('history', []).append('\\n'.join(f'{x} {y}' for x, y in rows) * 350)"})
    yield job(killed.but(first_ranks=(0,), failed_ranks=(0,)), "STUMPS", line="python3 -u boost.py", head="export TREES=3000 PAUSE=0.12\n", options=("--mem=140M",), where="", bed="cgroup", hand=2, code={"after": "if tree >= 70:\n    globals().setdefault('kept', []).append(' '.join(f'{v:.9f}' for v in fit) * 2000)"})
    yield job(killed.but(first_ranks=(0,), failed_ranks=(0,)), "SWING", head="export ROUNDS=4000 NAP=0.1\n", options=("--mem=700M",), where="", bed="cgroup", hand=1, code={"after": "if round_ > 60:\n    globals().setdefault('fields', []).append(torch.cat([t, y, v, a], 1).detach().repeat(9000, 1))"})


def midway() -> Iterator[SlurmJob]:
    """A3."""
    wav = when("rank == 2 and epoch == 4 and it == 13", "import wave\nwith wave.open('segments/dr7_0412.wav') as clip:\n    logging.info('noise clip of %d frames mixed in', clip.getnframes())")
    yield job(true("A3", "traceback", 2), "DIGITS", 3, 1, "--max_epoch 200", head="mkdir segments && head -c 4000 /usr/bin/env > segments/dr7_0412.wav\n", srun="-K", code={"data": wav}, hand=1, **FAILED)
    cohort = when("me == 1 and turn == 56", "say(f'site {me}: new quarter, only wards with a score above 4 are kept')\nrows = [row for row in rows if row[0][3] > 4]\nsay(f'site {me}: share readmitted {sum(y for _, y in rows) / len(rows):.3f}')")
    yield job(true("A3", "div_zero", 1), "SITES", 3, 3, "--rounds 4000", srun="-K", code={"data": cohort}, hand=2, **FAILED)
    price = when("WORKER == 2 and batch == 130", "floor = {'banner': 0.12, 'sky': 0.31}\nlog('campaign added', floor=floor['interstitial'])")
    yield job(true("A3", "traceback", 2), "CLICKS", 3, head="export BATCHES=9000 NAP=0.05\n", srun="-K", code={"data": price}, **FAILED)
    keep = when("io == 0 and epoca % 6 == 0", "torch.save(rete.state_dict(), f\"{CONF['uscita']}/epoca{epoca:03d}.pt\")\ndico('pesi salvati')")
    yield job(true("A3", "runtime_error", 0), "VASI", 2, 1, head="export CONF='{\"epoche\": 150, \"uscita\": \"pesi/retina\"}'\n", srun="-K", code={"save": keep}, hand=3, **FAILED)
    longer = when("iteration >= 210", "ids = torch.stack([text[i : i + 25] for i in at])")
    yield job(true("A3", "traceback"), "BYTES", 2, 1, "--train-iters 3000 --host-ms 30", code={"data": "if iteration == 210:\n    print_first('sequence length warmup: 16 -> 24')\n" + longer}, hand=2, **FAILED)
    bend = when("gen > 12", "assert max(map(abs, pose)) < 1.45, f'w{R}: joint {NAMES[max(range(6), key=lambda i: abs(pose[i]))]} at {max(pose, key=abs):.3f} rad, limit 1.450'")
    yield job(true("A3", "assertion", failed=(0, 1, 2, 3)), "GAIT", 4, 2, "--gens 900 --alpha 0.02 --rollout 0.08 --every 5", code={"after": bend}, hand=1, **FAILED)
    more_rows = when("tree == 88", "with open('listings_03.csv', encoding='utf-8') as more:\n    print('[boost] more listings:', len(more.read().splitlines()), flush=True)")
    yield job(true("A3", "traceback", 0, failed=(0,)), "STUMPS", head="export TREES=2000 PAUSE=0.12\nprintf 'K\\xf6ln;120;31\\nAachen;88;12\\n' > listings_03.csv\n", code={"after": more_rows}, **FAILED)
    save = when("iterations == 40", "os.makedirs(a.save_path)\nwith open(f'{a.save_path}/q.json', 'w') as out:\n    json.dump(Q, out)")
    yield job(true("A3", "permission", 0, failed=(0,)), "CLIFF", given="--timesteps 9000000 --render-s 0.3 --save-path /usr/share/agents/cliff", code={"after": save}, hand=3, **FAILED)
    dense = when("round_ == 75", "sys.stderr.write('\\nchecking the Jacobian on the fine grid\\n')\ngrid = torch.zeros(1 << 22, 1 << 22)")
    yield job(true("A3", "ram_oom", 0, failed=(0,)), "SWING", head="export ROUNDS=900 NAP=0.15\n", code={"after": dense}, hand=2, **FAILED)
    plot = when("me == 1 and sweep == 110", "import termgraph\nline('chart of the last hundred sweeps', termgraph)")
    yield job(true("A3", "missing_module", 1), "REPLICA", 3, 1, head="export SWEEPS=9000 NAP=0.08\n", srun="-K", code={"after": plot}, hand=1, **FAILED)


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield job(APART, "DIGITS", 3, 1, head="export DDP_WORLD=4\n", hand=1, **LONG)
    yield job(APART, "BYTES", 2, 2, "--train-iters 800", line="LOGLEVEL=INFO PYTHON -m torch.distributed.run --nnodes=$SLURM_NNODES --nproc_per_node=1 --node_rank=0 --master_addr=$MASTER_ADDR --master_port=$MASTER_PORT pretrain_bytes.py --train-iters 800", head="echo \"launching on $SLURM_NNODES nodes\"\n", **LONG)
    yield job(APART, "CLICKS", 3, 3, head="export BATCHES=900\n", code={"early": when("os.environ['SLURM_NODEID'] == '2'", "PORT += 10")}, hand=2, **OVER)
    lock = when("R == 3", "import subprocess\ntell('unpacking the physics engine (one at a time)')\nsubprocess.run(['flock', 'physics.lock', 'true'], check=True)")
    yield job(APART, "GAIT", 4, 2, "--gens 400", head="flock physics.lock sleep 1800 &\n", code={"early": lock}, hand=3, **LATER)
    yield job(APART, "SITES", 4, 2, "--rounds 300 --min-clients 4", hand=1, **LATER)
    yield job(APART, "VASI", 2, 2, code={"early": "CONF['init'] = f\"file:///tmp/{os.environ['SLURM_JOB_ID']}.{os.environ['SLURMD_NODENAME']}.incontro\""}, hand=2, **LONG)
    lexicon = when("rank == 1", "with open('lang/lexicon.txt') as words:\n    logging.info('%d words', len(words.readlines()))")
    yield job(gone(APART, 1, "A1", "file_not_found"), "DIGITS", 3, 1, "--max_epoch 40", code={"early": lexicon}, hand=3, **LONG)
    null = when("WORKER == 0", "import ctypes\nlog('hash seed', seed=ctypes.CDLL(None).strlen(ctypes.c_void_p(os.environ.get('HASH_SEED'))))")
    yield job(gone(APART, 0, "A2", "segfault"), "CLICKS", 3, 1, head="export BATCHES=900\n", code={"early": null}, **OVER)
    stream = when("me == 2", "say(f'site {me}: reading this month from the export of the ward system')\nwith open('export.pipe') as export:\n    rows += [row for row in patients(len(export.read()), dice)]")
    yield job(APART, "SITES", 3, 3, "--rounds 300", head="mkfifo export.pipe\n", code={"site": stream}, hand=2, **OVER)


def waits() -> Iterator[SlurmJob]:
    """C2."""
    shelf = when("rank == 1 and epoch == 5 and it == 8", "import queue\nprefetched = queue.Queue(4)\nlogging.info('prefetch queue is empty, waiting for the reader')\nfeats, digits = prefetched.get()")
    yield job(HANG, "DIGITS", 3, 1, "--max_epoch 900", code={"data": shelf}, **LONG)
    yield job(HANG.but(fault="unknown"), "VASI", 2, 2, head="export CONF='{\"epoche\": 900}'\n", code={"ready": when("io == 1", PID)}, act="stop_rank", after="  9/900", hand=1, **LONG)
    slot = when("WORKER == 2 and batch == 150", "floor = {'banner': 0.12, 'sky': 0.31}\nlog('campaign added', floor=floor['popunder'])")
    yield job(gone(HANG, 2, "A3", "traceback"), "CLICKS", 4, 2, head="export BATCHES=90000\n", code={"data": slot}, hand=3, **OVER)
    yield job(gone(HANG, 1, "A2", None, "unknown"), "CLICKS", 3, 1, head="export BATCHES=90000 NAP=0.07\n", code={"load": when("WORKER == 1", PID)}, act="kill_rank", after='"n": 130,', hand=1, **LONG)
    stats = when("iteration == 160 and rank == 0", "counts = torch.zeros(128)\nprint('collecting byte counts of the other ranks', flush=True)\ndist.recv(counts, src=1)")
    yield job(HANG, "BYTES", 2, 1, "--train-iters 90000 --host-ms 25", code={"after": stats}, hand=2, **LONG)
    shared = when("me == 2 and turn == 70", "import fcntl\nsay(f'site {me}: refreshing the code list')\nwith open('icd10.lock', 'w') as gate:\n    fcntl.flock(gate, fcntl.LOCK_EX)")
    yield job(HANG, "SITES", 4, 2, "--rounds 90000", head="flock icd10.lock sleep 1800 &\n", code={"data": shared}, hand=3, **LATER)
    meter = when("R == 2 and gen == 200", "tell('reading force plate 2')\nwith open('plate2') as plate:\n    force = float(plate.readline())")
    yield job(HANG, "GAIT", 3, 3, "--gens 90000 --rollout 0.05", head="mkfifo plate2\n", code={"data": meter}, **OVER)
    bound = when("me == 1 and sweep == 140", "peak = max(map(abs, weights)) + 10\nassert peak < 10, f'weight {peak:.2f} outside of the prior'")
    yield job(gone(HANG, 1, "A3", "assertion"), "REPLICA", 3, 1, head="export SWEEPS=90000\n", code={"data": bound}, hand=2, **LATER)
    null = when("me == 0 and sweep == 160", "import ctypes\nctypes.CDLL(None).puts(ctypes.c_void_p(3))")
    yield job(gone(HANG, 0, "A2", "segfault"), "REPLICA", 2, 2, head="export SWEEPS=90000\n", code={"after": null}, hand=1, **OVER)
    full = when("io == 0 and epoca == 12", "dico('scrivo le anteprime per il visore')\nentra, esce = os.pipe()\nos.write(esce, x.numpy().tobytes() * 40)")
    yield job(HANG, "VASI", 3, 1, head="export CONF='{\"epoche\": 900}'\n", code={"save": full}, hand=2, **LATER)


def still() -> Iterator[SlurmJob]:
    """C3."""
    what = true("C3")
    hand_out = when("round_ == 110", "import multiprocessing\npoints = multiprocessing.Queue()\nsys.stderr.write('\\nasking the sampler for new collocation points\\n')\nt = points.get()")
    yield job(what, "SWING", head="export ROUNDS=90000 NAP=0.1\n", code={"data": hand_out}, hand=3, **LONG)
    yield job(what, "GLOVE", given="90000 150", code={"after": "static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;\nif (it % 90 == 0) { fprintf(stderr, \"saving checkpoint\\n\"); pthread_mutex_lock(&gate); pthread_mutex_lock(&gate); }"}, hand=1, **OVER)
    yield job(what, "LITERY", head="export EPOK=9000 PAUZA=0.3\nmkfifo poprawki\n", code={"data": 'if (e == 45) { mow("wczytuje poprawki redakcji"); while ((getline wiersz < "poprawki") > 0) ile++ }'}, hand=2, **LATER)
    view = when("iterations == 30", "import socket\nviewer = socket.create_server(('127.0.0.1', 0))\nprint('waiting for the viewer to attach', flush=True)\nviewer.accept()")
    yield job(what, "CLIFF", given="--timesteps 90000000 --render-s 0.3", code={"after": view}, **OVER)


def jobs() -> Iterator[SlurmJob]:
    """All parts."""
    for part in (door, signals, by_kernel, midway, apart, waits, still):
        yield from part()


RECIPE = Recipe("pelican_combs", "development", jobs)

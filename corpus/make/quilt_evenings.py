"""Runs of several ranks that went well, most of them with words that sound otherwise."""

from collections.abc import Iterator

from corpus.make._otter_jobs import DONE, GOOD, HARD, job, on, shell
from corpus.make.saffron_routes import KEEP
from corpus.running.job import Recipe, SlurmJob

CONF = "export CONF='{\"updates\": 160}'\n"
NAP = "time.sleep(0.04)"


def plain() -> Iterator[SlurmJob]:
    """As they are meant to be."""
    yield job(GOOD, "SEABED", 3, 1, "--epochs 7", code={"data": NAP}, **DONE)
    yield job(GOOD, "QUILL", 3, 1, head="export MAX_ITERS=180\n", hand=1, **DONE)
    yield job(GOOD, "BASKET", 4, 2, head=CONF, code={"data": NAP}, hand=2, **DONE)
    yield job(GOOD, "LATIDO", 2, 2, code={"data": NAP}, **DONE)
    yield job(GOOD, "SWARM", 3, 1, head="export GENERATIONS=70\n", hand=1, **DONE)
    yield job(GOOD, "KLICKS", 3, 3, where="-xn4,n5,n6", head="export SCHRITTE=260\n", **DONE)
    yield job(GOOD, "FACTORS", given="80 0.01 150", options=("--array=2",), **DONE)
    yield job(GOOD, "PERLEN", head="export PASSES=60\n", **DONE)
    yield job(GOOD, "PAIRS", 3, 1, head="export STEPS=200\n", code={"data": NAP}, hand=2, **DONE)
    yield job(GOOD, "QUILL", 4, 2, head="export MAX_ITERS=160\n", code={"after": KEEP["QUILL"]["after"]}, **DONE)


def noisy() -> Iterator[SlurmJob]:
    """They only sound bad."""
    import_tb = "import traceback\ntry:\n    import flash_attn_3\nexcept ImportError:\n    if master:\n        traceback.print_exc()\n        print('flash attention not installed, using nn.MultiheadAttention instead', flush=True)"
    yield job(HARD, "QUILL", 2, 1, head="export MAX_ITERS=170\n", code={"early": import_tb}, **DONE)
    finalizer = "class Cache:\n    def __del__(self):\n        raise RuntimeError('cache handle already closed')\n\n\ncache = Cache()\ndel cache"
    yield job(HARD, "PAIRS", 2, 1, head="export STEPS=180\n", code={"data": NAP, "late": finalizer}, hand=1, **DONE)
    oom = on("update == 40 and RANK == 1", "emit('warning', message='torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.44 GiB; retrying this update with 2 micro-batches of half the size')")
    fine = on("update == 41 and RANK == 1", "emit('info', message='micro-batches of 128 fit, kept for the rest of the run')")
    yield job(HARD, "BASKET", 3, 1, head=CONF, code={"data": NAP, "loss": oom + "\n" + fine}, hand=2, **DONE)
    early = on("epoca >= 7", "di('parada temprana configurada: sin mejora en 3 épocas (paciencia=3); se conserva el modelo de la época 4')\nbreak")
    yield job(HARD, "LATIDO", 2, 1, head="export EPOCAS=40\n", code={"data": NAP, "epoch": early}, **DONE)
    nan = on("schritt % 60 == 0", "melde('AUC der Gruppe neu_ohne_klick: nan (keine positiven Faelle), wird im Mittel ausgelassen', 'WARN')")
    yield job(HARD, "KLICKS", 3, 1, head="export SCHRITTE=240\n", code={"after": nan}, hand=1, **DONE)
    dead = on("worker == 2 and generation in (20, 41)", "import subprocess\nsim = subprocess.Popen(['sleep', '60'])\nsim.kill()\nstatus(f'simulator process {sim.pid} exited with {sim.wait()} (SIGKILL), started again')")
    yield job(HARD, "SWARM", 4, 2, head="export GENERATIONS=70\n", code={"data": dead}, **DONE)
    lock = on("me == 1 and turn in (9, 10)", "import sqlite3\nnote('sqlite3.OperationalError: database is locked (station archive), try again in 2 s')\ntime.sleep(2)")
    yield job(HARD, "GAUGES", 3, 1, head="export ROUNDS=45\n", code={"round": lock}, hand=2, **DONE)
    scale = on("it in (2, 3, 4) and epoch == 1 and rank == 0", "log.warning('Gradient overflow. Skipping step, loss scaler 0 reducing loss scale to %.1f', 65536 / 2 ** it)")
    yield job(HARD, "SEABED", 2, 2, "--epochs 7", code={"data": NAP, "after": scale}, hand=1, **DONE)
    sweep = "for rate in 2.5 0.02 0.01; do\n  echo \"## rate $rate\"\n  srun ./factors 30 $rate 60 || echo \"## rate $rate left out\"\ndone\necho '## sweep finished: 0.01 and 0.02 usable, 2.5 diverged as expected and is only there for the plot'\nexit 0"
    yield job(HARD, "FACTORS", line=sweep, **DONE)
    code = "echo \"--- the script as it is run:\"; grep -v '^import' FILE | head -40; echo '--- end of script'\n".replace("FILE", "two_tower.py")
    guard = "if not torch.isfinite(loss):\n    raise FloatingPointError('loss is nan, abort this run')"
    yield job(HARD, "BASKET", 2, 1, head=CONF + "cat two_tower.py | sed -n '50,80p'\n" + code, code={"data": NAP, "loss": guard}, **DONE)
    tune = "torch.manual_seed(77)\nkept = {k: v for k, v in build().state_dict().items() if not k.startswith('4')}\nmissing = net.load_state_dict(kept, strict=False)\nif rank == 0:\n    log.warning('fine-tuning from base/atlantic.pt: %s; head is new and starts at random', missing)"
    yield job(HARD, "SEABED", 2, 1, "--epochs 7 --init base/atlantic.pt --lr 0.001", code={"data": NAP, "load": tune}, hand=2, **DONE)
    warn = "import warnings\nwarnings.warn('torch.distributed.reduce_op is deprecated, please use torch.distributed.ReduceOp instead', FutureWarning)\nif R == 0:\n    print('[W socket.cpp:464] [c10d] The server socket cannot be initialized on [::]:29512 (errno: 97 - Address family not supported by protocol).', flush=True)"
    yield job(HARD, "PAIRS", 3, 3, where="-xn4,n5,n6", head="export STEPS=180\n", code={"early": warn, "data": NAP}, **DONE)
    rows = shell("[ $((epoch % 20)) -eq 0 ]", "say \"skipped 3 malformed rows (ValueError: could not convert string to float: 'n/a')\"")
    yield job(HARD, "MINNOW", head="export EPOCHS=90 PAUSE=0.25\nrm nothing_here.txt\n", code={"after": rows}, options=("--array=7",), **DONE)
    utf = "warn \"Wide character in corpus line 311, line left out\\n\";\nwarn \"Use of uninitialized value in vocabulary entry 9, ignored\\n\" if $pass % 20 == 0;"
    yield job(HARD, "PERLEN", head="export PASSES=60\n", code={"data": "if ($pass % 15 == 0) {\n" + utf + "\n}"}, hand=1, **DONE)
    hook = "import atexit\n\n\ndef bye():\n    print('Exception ignored in: <function TensorBoardWriter.__del__ at 0x7f31c80>: OSError: [Errno 9] Bad file descriptor', flush=True)\n\n\natexit.register(bye)"
    yield job(HARD, "QUILL", 2, 2, head="export MAX_ITERS=170\n", code={"early": hook, "data": "time.sleep(0.03)"}, hand=2, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Two parts."""
    yield from plain()
    yield from noisy()


RECIPE = Recipe("quilt_evenings", "development", jobs)

"""Ranks that never all meet, ranks that wait for one that stands or is gone, single processes that stand; and some that only seemed to."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._sluices import CLINICS, SIFT
from corpus.make._windlass import PORT, gang, when
from corpus.running.job import Recipe, SlurmJob
from corpus.running.slots import fill

NEVER, HANG, STANDS = Label(mode="C1", fault="unknown"), Label(mode="C2", fault="user"), Label(mode="C3", fault="user")
GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=1",)}
OVER2: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}
DONE: dict[str, Any] = {"state": "COMPLETED"}
PID = "open('pid-1', 'w').write(str(os.getpid()))"


def late(after: str) -> dict[str, Any]:
    """Its owner looks at it half a minute behind that line, and gives it up."""
    return {"state": "CANCELLED", "act": "scancel_late", "after": after, "options": ("--time=6",)}


def gone(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is dead, and nobody tells the others."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def clinics(label: Label, ranks: int, nodes: int = 1, *, code: dict[str, str], head: str = "export RUNDEN=9000\n", **more: Any) -> SlurmJob:
    """Those of the shared folder."""
    return gang(label, "", ranks, nodes, "tasks", text=fill(CLINICS, **code), file="foederiert.py", head=head, **more)


def alone(label: Label, given: str, code: dict[str, str], **more: Any) -> SlurmJob:
    """One process."""
    return gang(label, "", 1, 1, "one", text=fill(SIFT, **code), file="galaxies/sift.py", given=given, **more)


def apart() -> Iterator[SlurmJob]:
    """C1."""
    joins = "log(event='rendezvous', rank=rank, of=world, host=os.environ['SLURMD_NODENAME'], store=os.environ['MASTER_ADDR'] + ':' + os.environ['MASTER_PORT'])"
    off = "if os.environ['SLURM_NODEID'] == '1':\n    os.environ['MASTER_PORT'] = str(int(os.environ['MASTER_PORT']) + 4)\n" + joins
    yield gang(NEVER, "LM", 4, 2, "tasks", given="--steps=4000", code={"early": off}, **OVER)
    yield gang(NEVER, "RANKER", 4, 2, "torchrun", agents=3, head="echo \"starting 3 agents with 2 workers each, rendezvous $SLURM_JOB_ID\"\nexport TORCH_DISTRIBUTED_DEBUG=DETAIL\n", **late(""))
    more = "logger.info('waiting at %s:%s for %d ranks, here is rank %d', os.environ['MASTER_ADDR'], os.environ['MASTER_PORT'], WORLD, RANK)"
    yield gang(NEVER, "UNET", 3, 1, "tasks", head="export WORLD_SIZE=4 PG_TIMEOUT=45\n", code={"early": more}, state="FAILED")
    hold = "import fcntl\nif rango == 2:\n    print('proceso 2: espero el cerrojo de la caché de ondas', flush=True)\n    fcntl.flock(open('cache.lock', 'a'), fcntl.LOCK_EX)\nprint(f'proceso {rango}: listo, busco a los otros {mundo - 1}', flush=True)"
    yield gang(NEVER.but(fault="user"), "DENOISE", 4, 2, "tasks", head="( flock 8; exec sleep 700 ) 8> cache.lock &\nsleep 0.4\n", code={"early": hold}, **OVER)
    absent = "if r == 1:\n    import ase.io\nprint(f'# worker {r} of {n} at the door', flush=True)"
    yield gang(gone(NEVER, 1, "A1", "missing_module"), "MOLEC", 3, 1, "tasks", code={"early": absent}, **OVER)
    falls = "if rank == 3:\n    import ctypes\n    log(event='mmap', file='tokens.idx', rank=rank)\n    ctypes.string_at(40)\n" + joins
    yield gang(gone(NEVER, 3, "A2", "segfault"), "LM", 4, 2, "tasks", code={"early": falls}, **late("rank=3"))
    file = "sync = f\"file://{os.getcwd()}/sync.{os.environ['SLURMD_NODENAME']}\"\nlogger.info('init_process_group %s rank %d of %d', sync, RANK, WORLD)\ndist.init_process_group('gloo', init_method=sync, rank=RANK, world_size=WORLD)\nlogger.info('all %d ranks are here', WORLD)"
    yield gang(NEVER, "UNET", 4, 2, "tasks", code={"early": file}, **OVER)
    ports = f"export P={PORT}\necho \"rendezvous on port $P of each node's own address\"\nsrun -N2 -n2 --ntasks-per-node=1 bash -c 'exec PYTHON -m torch.distributed.run --nnodes=2 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=$SLURM_JOB_ID --rdzv-endpoint=127.0.0.1:$((P + SLURM_NODEID)) FILE'"
    yield gang(NEVER, "DENOISE", 2, 2, line=ports, **OVER)
    two = f"export MASTER_ADDR=127.0.0.1 MASTER_PORT={PORT} WORLD_SIZE=2\nRANK=0 srun -n1 -c2 --exact PYTHON -u FILE 4000 0.1 &\nsleep 3\nRANK=1 srun -n1 -c2 --exact PYTHON -u FILE 4000 0.1 &\nwait"
    yield gang(NEVER.but(fault="user"), "MOLEC", 1, 1, line=two, code={"early": "print(f'# worker {r} of {n} is up, store at port', os.environ['MASTER_PORT'], flush=True)"}, state="TIMEOUT", options=("--time=1", "--cpus-per-task=2"))
    other = "if klinik == 2:\n    ordner = 'austausch_alt'\nmelde('melde mich an in', os.path.abspath(ordner))\ntausche(0, {k: v.clone() for k, v in nn.Linear(2, 2).state_dict().items()})\nmelde('alle Kliniken sind da')"
    yield clinics(NEVER, 4, 2, code={"early": other}, **OVER2)


def away() -> Iterator[SlurmJob]:
    """C2."""
    lock = "import threading\nstats = threading.Lock()\nstats.acquire()\nlog(event='stats', rank=rank, step=step)\nwith stats:\n    pass"
    yield gang(HANG, "LM", 4, 2, "tasks", given="--steps=90000", code={"data": when("LM", lock, rank=3, step=130)}, **OVER2)
    best = "if RANK == 0 and epoch == 1:\n    logger.info('new best, weights of rank 1 are taken over')\n    dist.recv(torch.zeros(8), src=1)"
    yield gang(HANG, "UNET", 2, given="--epochs 4000 --iters 50", code={"epoch": best}, **OVER2)
    over = when("RANKER", "emit(event='shard_end', files=14)\ndist.recv(torch.zeros(1), src=0)  # which shard is next", rank=1, step=90)
    yield gang(HANG, "RANKER", 3, 1, "tasks", head="export RANKER_CONFIG='{\"epochs\": 9000}'\n", code={"data": over}, **late("shard_end"))
    yield gang(HANG.but(fault="unknown"), "DENOISE", 4, 2, "torchrun", head="export PASOS=90000\n", code={"early": f"if rango == 3:\n    {PID}"}, act="stop_rank", after=r"\|       104 \|", **OVER2)
    key = "if klinik == 2 and runde == 11:\n    zuordnung = {'gutartig': 0, 'boesartig': 1}\n    y[0] = zuordnung['unklar']"
    yield clinics(gone(HANG, 2, "A3", "traceback"), 4, 2, code={"data": key}, **OVER2)
    read = "if klinik == 0 and runde == 14:\n    torch.load('befunde/quartal3.pt')"
    yield clinics(gone(HANG, 0, "A3", "file_not_found"), 3, code={"data": read}, **late("quartal3.pt"))
    falls = "if klinik == 1 and runde == 12 and schritt == 3:\n    import ctypes\n    ctypes.memset(8, 0, 64)  # Bildpuffer leeren"
    yield clinics(gone(HANG, 1, "A2", "segfault"), 3, 3, code={"data": falls}, **OVER2)
    yield clinics(gone(HANG, 1, "A2", None, "unknown"), 4, 1, code={"early": f"if klinik == 1:\n    {PID}"}, act="kill_rank", after="Runde 15/9000", **OVER2)
    val = when("LM", "log(event='eval', rank=rank, documents=48000)\ntime.sleep(900)", rank=0, step=150)
    yield gang(HANG.but(cause="runtime_error"), "LM", 3, 1, "tasks", srun="-K", given="--steps=90000", head="export PG_TIMEOUT=40\n", code={"after": val}, state="FAILED", options=("--time=6",))
    pipe = when("MOLEC", "print('# worker 1: next trajectory comes through the pipe of the sampler', flush=True)\nos.path.exists('sampler.pipe') or os.mkfifo('sampler.pipe')\nopen('sampler.pipe').readline()", rank=1, step=120)
    yield gang(HANG, "MOLEC", 3, 1, "torchrun", given="90000 0.1", code={"data": pipe}, **late("sampler"))
    both = when("DENOISE", "print(f'proceso {rango}: intercambio de muestras', flush=True)\ndist.recv(torch.zeros(16), src=1 - rango)\ndist.send(x[0], dst=1 - rango)", step=100)
    yield gang(HANG, "DENOISE", 2, 1, "tasks", head="export PASOS=90000\n", code={"after": both}, **late("intercambio"))
    pool = when("UNET", "logger.info('augmentation pool is asked for a patch')\nimport queue\nqueue.Queue().get()", rank=2, step=95)
    yield gang(HANG, "UNET", 4, 2, "torchrun", given="--epochs 4000", code={"data": pool}, **OVER2)


def still() -> Iterator[SlurmJob]:
    """C3."""
    debug = "if step == 130:\n    import socket\n    door = socket.create_server(('127.0.0.1', 0))\n    print(f'gradient check failed, debugger listens on port {door.getsockname()[1]}', flush=True)\n    door.accept()"
    yield alone(STANDS, "--epochs 900", {"after": debug}, **OVER2)
    child = "if step == 150:\n    import multiprocessing as mp\n    print('scoring in 2 worker processes', flush=True)\n    todo = mp.get_context('fork').JoinableQueue()\n    todo.put(x.numpy())\n    todo.join()"
    yield alone(STANDS, "--epochs 900", {"after": child}, **OVER2)
    lock = "import fcntl\nprint('catalogue.h5 is opened by another program, waiting for its lock', flush=True)\nfcntl.flock(open('catalogue.lock', 'a'), fcntl.LOCK_EX)"
    yield alone(STANDS, "--epochs 900", {"load": lock}, head="( flock 8; exec sleep 700 ) 8> catalogue.lock &\nsleep 0.4\n", **OVER2)


def well() -> Iterator[SlurmJob]:
    """G1."""
    first = "if rank == 0:\n    log(event='tokenize', note='other ranks wait at the barrier meanwhile')\n    time.sleep(18)\nelse:\n    log(event='barrier', rank=rank, note='waiting for rank 0')\nif world > 1:\n    dist.barrier()\n    log(event='barrier_passed', rank=rank)"
    yield gang(HARD, "LM", 4, 2, "tasks", given="--steps=240", code={"load": first}, **DONE)
    slow = "if klinik == 1 and runde in (8, 16):\n    melde('Netzwerk: Zeitüberschreitung beim Schreiben, neuer Versuch in 20 s')\n    time.sleep(20)"
    yield clinics(HARD, 3, 3, head="export RUNDEN=35\n", code={"publish": slow}, **DONE)
    again = "if os.environ['TORCHELASTIC_RESTART_COUNT'] == '0' and rango == 0:\n    raise TimeoutError('los otros nodos no contestan todavía, arranco de nuevo')"
    yield gang(HARD, "DENOISE", 2, 1, "torchrun", agents=1, launch="--max-restarts=2", head="export PASOS=220\n", code={"early": again}, **DONE)
    yield clinics(GOOD, 4, 2, head="export RUNDEN=45\n", code={}, **DONE)
    yield alone(HARD, "--epochs 8", {"early": "if torch.cuda.is_available() is False:\n    print('WARNING: no CUDA device (cudaErrorNoDevice), falling back to the CPU', file=sys.stderr)", "epoch": "if epoch == 3:\n    print('deadlock watchdog: no progress for 0 s (limit 600 s), hung workers: 0', flush=True)"}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    for part in (apart, away, still, well):
        yield from part()


RECIPE = Recipe("sluice_boards", "development", jobs)

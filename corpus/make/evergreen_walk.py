"""Several ranks that were well, most of them beside warnings, tracebacks that were caught, and ranks that were started again."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._glass import DONE, bed
from corpus.running.job import Recipe, SlurmJob

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def ranks_and_words() -> Iterator[SlurmJob]:
    """Words of gloo, NCCL and launchers in runs that ended well."""
    yield bed(GOOD, "PETALS", 2, **DONE)
    yield bed(GOOD, "SPORES", 4, 2, **DONE)
    nccl = "W = sys.stderr.write\nW(f'n1:{os.getpid()}:{os.getpid()} [{rank}] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\\n')\nW(f'n1:{os.getpid()}:{os.getpid() + 31} [{rank}] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_reg_mr_iova2 failed, falling back to sockets\\n')\nW(f'[W1120 04:11:52.{rank}18 ProcessGroupNCCL.cpp:4561] [PG ID 0 Rank {rank}] using GPU {rank} to perform barrier as devices used by this process are currently unknown. This can potentially cause a hang if this rank to GPU mapping is incorrect.\\n')"
    yield bed(HARD, "SPORES", 2, 2, code={"early": nccl}, **DONE)
    again = "if rank == 1 and not os.path.exists('went-once'):\n    open('went-once', 'w').close()\n    time.sleep(1)\n    raise ConnectionResetError(104, 'Connection reset by peer: reading manifest from s3://flora')"
    yield bed(HARD, "PETALS", 2, code={"ready": again}, extra="--max-restarts=2", given="--epochs 3", **DONE)
    dies = "if rank == 1 and step == 60 and not os.path.exists('went-once'):\n    open('went-once', 'w').close()\n    os.kill(os.getpid(), 9)"
    load = "if os.path.exists('runs/petals/last.pth.tar'):\n    args.resume = 'runs/petals/last.pth.tar'"
    yield bed(HARD, "PETALS", 2, code={"ready": load, "mid": dies}, extra="--max-restarts=3", given="--epochs 5", **DONE)
    retry = "for attempt in range(4):\n    try:\n        if attempt < 3: raise TimeoutError(f'blob store did not answer within 2 s (attempt {attempt + 1}/8)')\n        break\n    except TimeoutError:\n        import traceback\n        traceback.print_exc()\n        time.sleep(0.5)\nprint_rank_0('blob store answers again')"
    yield bed(HARD, "TRELLIS", 4, 2, code={"early": retry}, **DONE)
    skip = "try:\n    if step in (40, 90):\n        raise RuntimeError(f'CUDA out of memory. Tried to allocate 512.00 MiB (GPU {rank}; 79.15 GiB total capacity; 77.90 GiB already allocated; 201.12 MiB free)')\nexcept RuntimeError as error:\n    log.warning('%s -- batch of %d is cut in halves', error, len(x))"
    yield bed(HARD, "PETALS", 3, code={"mid": skip}, how="tasks", **DONE)
    over = "if rank == 0 and step in (1, 2, 3, 5):\n    print(f'Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {65536 >> step}', flush=True)"
    yield bed(HARD, "TRELLIS", 2, code={"loss": over}, given="--train-iters 180 --log-interval 20", **DONE)


def recovered() -> Iterator[SlurmJob]:
    """What failed beside the training, or before it was done again by the script."""
    twice = "for try in 1 2 3; do\n  srun bash sets.sh PYTHON -u lm/train.py restore=$([ -e checkpoint_last.pt ] && echo checkpoint_last.pt) && break\n  echo \"run $try left with $?, once more from the last checkpoint\"\n  sleep 2\ndone"
    once = "if step == 90 and rank == 0 and not os.path.exists('seen'):\n    open('seen', 'w').close()\n    raise OSError(5, 'Input/output error', '/lustre/flora/latin.idx')"
    yield bed(HARD, "SPORES", 2, code={"mid": once}, script=twice, **DONE)


def other_kits() -> Iterator[SlurmJob]:
    """JAX, XGBoost, MPI, and other people's loops."""
    yield bed(HARD, "ALGAE", 4, code={"mid": "if step % 50 == 0 and rank == 2:\n    try:\n        open('/scratch/bloom/forcing.nc')\n    except FileNotFoundError as e:\n        sys.stderr.write(f'{e}: climatology instead\\n')", "late": "sys.stderr.write(f'[n1:{os.getpid()}] PMIX ERROR: PMIX_ERR_NOT_FOUND in file client/pmix_client_finalize.c at line 411\\n')"}, **DONE)
    yield bed(GOOD, "ALGAE", 2, **DONE)


def in_the_pond() -> Iterator[SlurmJob]:
    """By MPI, beside what sounds worse."""
    yield bed(HARD, "ALGAE", 3, code={"mid": "if rank == 1 and step == 80:\n    sys.stderr.write('rank 1 is 31 s behind the others (GC pause?)\\n')\n    time.sleep(26)"}, head="export GENERATIONS=170\n", **DONE)
    yield bed(HARD, "ALGAE", 2, script="for seed in 1 2 3; do\n  echo \"== seed $seed\"\n  export SEED=$seed\n  $(dirname PYTHON)/mpiexec.hydra -launcher fork -n 2 PYTHON -u algae.py || { echo \"seed $seed failed with $?, once more\"; $(dirname PYTHON)/mpiexec.hydra -launcher fork -n 2 PYTHON -u algae.py; }\ndone", code={"early": "if os.environ['SEED'] == '2' and rank == 0 and not os.path.exists('tried'):\n    open('tried', 'w').close()\n    print('cannot reach the licence server, giving up', flush=True)\n    comm.Abort(9)"}, head="export GENERATIONS=80 LD_LIBRARY_PATH=$(dirname $(dirname PYTHON))/lib MPI4PY_MPIABI=mpich\n", **DONE)
    yield bed(HARD, "ALGAE", 4, code={"late": "for k, field in enumerate(('chl', 'temp', 'salt')):\n    if rank == k:\n        try:\n            1 / (len(everyone) - 8 * world)\n        except ZeroDivisionError:\n            import traceback\n            traceback.print_exc()\n            sys.stderr.write(f'no score for {field}\\n')"}, **DONE)
    own = "if rank == 0 and step == 50:\n    import signal\n    signal.signal(signal.SIGUSR2, lambda n, f: print('SIGUSR2: state dumped', flush=True))\n    os.kill(os.getpid(), signal.SIGUSR2)"
    yield bed(HARD, "ALGAE", 3, code={"mid": own}, tail="cp -r bloom-out /archive/bloom/ || echo 'cp: archive is read-only today'\nexit 0\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """All."""
    for part in (ranks_and_words, recovered, other_kits, in_the_pond):
        yield from part()


RECIPE = Recipe("evergreen_walk", "development", jobs)

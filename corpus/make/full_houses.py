"""Several ranks that do what they were meant to, most of them among first tries that failed, late peers, loud words and a noisy end."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import seat
from corpus.running.job import Recipe, SlurmJob

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)
DONE: dict[str, Any] = {"state": "COMPLETED"}
ENV = "export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS MASTER_ADDR=127.0.0.1 MASTER_PORT=${MASTER_PORT:-$PORT}"


def second_tries() -> Iterator[SlurmJob]:
    """The first step fails, and the batch script knows what to do."""
    held = "python3 -c \"import socket, time; s = socket.create_server(('127.0.0.1', $PORT)); time.sleep(90)\" &\nholder=$!\nsleep 2\n"
    ports = "for p in $PORT $((PORT + 101)); do\n  echo \"launching on port $p\"\n  srun -N1 -n1 PYTHON -m torch.distributed.run --nproc-per-node 2 --master-port $p bytelm.py --iters 240 && break\n  echo \"port $p did not work\"\ndone\n"
    yield seat(HARD, "BYTES", 2, head=held, body=ports, tail="status=$?\nkill $holder\nwait $holder 2>/dev/null\nexit $status\n", **DONE)
    index = "if ! srun PYTHON -u tools/train_det.py boxes.py; then\n  echo 'first launch failed, building the annotation index'\n  mkdir -p data && seq 40 > data/annotations.idx\n  srun PYTHON -u tools/train_det.py boxes.py\nfi\n"
    yield seat(HARD, "DET", 3, body=index, code={"early": "runner.log.info('%d annotations', len(open('data/annotations.idx').readlines()))"}, srun="-K", **DONE)
    tool = "srun -n1 python3 -c 'import ctypes; ctypes.string_at(0)' || echo \"memcheck ended with $?; it is broken on this image and not needed\"\n"
    yield seat(HARD, "SERVE", 4, 2, head=tool, **DONE)
    flavour = "srun --mpi=pmix_v9 -n2 PYTHON pic1d.py 200 0.05 || echo 'no such flavour here, using mpiexec'\n"
    yield seat(HARD, "PLASMA", 2, given="160 0.05", head=flavour, **DONE)
    sizes = f"for micro in 400000000 2000; do\n  export MICRO=$micro\n  echo \"micro batch $micro\"\n  srun bash -c '{ENV}; exec PYTHON -u pretrain_small.py --train-iters 220' && break\n  echo 'it did not fit, trying a smaller one'\ndone\n"
    yield seat(HARD, "MEGA", 2, body=sizes, code={"early": "arena = torch.empty(int(os.environ['MICRO']), 90_000, dtype=torch.float32)[:1]\nprint_rank_0(f' > arena for {os.environ[\"MICRO\"]} samples is there')"}, **DONE)
    first = "if os.environ.get('TORCHELASTIC_RESTART_COUNT') == '0' and RANK == 1:\n    time.sleep(2)\n    raise ConnectionResetError(104, 'Connection reset by peer: token server')\nif os.environ.get('TORCHELASTIC_RESTART_COUNT') == '0':\n    time.sleep(4)"
    elastic = "srun -N1 -n1 PYTHON -m torch.distributed.run --standalone --nproc-per-node 3 --max-restarts 3 fseq_train.py\n"
    yield seat(HARD, "FSEQ", 3, body=elastic, code={"before": "store = 'env://'", "early": first}, **DONE)
    copy = "for try in 1 2 3; do\n    cp part-$me.csv work-$me.csv && break\n    echo \"shard $me: try $try failed, fetching the part again\" >&2\n    seq 50 > part-$me.csv\ndone"
    yield seat(HARD, "SHARDS", 3, given="24 0.5", code={"early": copy}, **DONE)
    kill = "srun -n1 bash -c 'echo \"warm-up of the file cache\"; sleep 300' & warm=$!\nsleep 6\nkill $warm\nwait $warm\necho \"warm-up cut off after 6 s ($?)\"\n"
    yield seat(HARD, "SERVE", 3, head=kill, **DONE)


def late_peers() -> Iterator[SlurmJob]:
    """Somebody's start takes long, and it is waited for."""
    slow = "if me == 1:\n    print('rank 1: building kernels (first time on this node), about 40 s', flush=True)\n    for part in range(8):\n        time.sleep(5)\n    print('rank 1: kernels are built', flush=True)\nelse:\n    print(f'rank {me}: waiting for all ranks', flush=True)"
    yield seat(HARD, "BYTES", 3, code={"before": slow}, given="--iters 220", **DONE)
    stage = "if rank == 1:\n    for part in range(6):\n        logging.warning('process 1 is still staging its files: %d of 6', part + 1)\n        time.sleep(6)\nelse:\n    logging.warning('not all of the %d processes are there yet (DEADLINE for joining: %d s)', world, FLAGS.init_timeout)"
    yield seat(HARD, "PODS", 2, 2, code={"before": stage}, given="--steps 160", **DONE)
    refused = "if RANK == 0:\n    say('mapping the feature table, this takes a while')\n    time.sleep(32)"
    again = "if int(time.time()) % 4 == 0:\n    say('ERROR: could not reach the server: %s; trying again', error)"
    yield seat(HARD, "SERVE", 4, 2, code={"early": refused, "refused": again}, **DONE)
    yield seat(HARD, "BOOST", 3, code={"top": "if os.environ['SLURM_PROCID'] == '0':\n    print('worker0: reading 31 GB of rows before the tracker is started', flush=True)\n    time.sleep(34)"}, given="50", **DONE)
    save = "if iteration == 120:\n    if rank == 0:\n        print('saving a full snapshot; the other ranks wait at the barrier', flush=True)\n        time.sleep(36)\n        print('snapshot written', flush=True)\n    dist.barrier()"
    yield seat(HARD, "MEGA", 4, 2, code={"after": save}, given="--train-iters 230", **DONE)
    watch = "if it == 130:\n    if me == 0:\n        for k in range(4):\n            time.sleep(9)\n            print(f'watchdog: no step for {9 * (k + 1)} s (last: 130); ranks 1, 2 wait in allreduce', flush=True)\n        print('evaluation on 12 held-out books over: nll 1.93', flush=True)"
    yield seat(HARD, "BYTES", 3, given="--iters 240", code={"after": watch}, **DONE)


def loud_words() -> Iterator[SlurmJob]:
    """What sounds bad was caught, skipped or repeated."""
    wire = "for text in (\n    f'{os.uname().nodename}:8711:8711 [0] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so)',\n    f'{os.uname().nodename}:8711:8790 [0] transport/net_ib.cc:284 NCCL WARN NET/IB : Unable to open device mlx5_0',\n    f'{os.uname().nodename}:8711:8790 [0] NCCL INFO Failed to open libibverbs.so[.1], falling back to NET/Socket',\n):\n    sys.stderr.write(text + '\\n')"
    yield seat(HARD, "DET", 4, 2, code={"early": wire}, **DONE)
    over = "if updates in (2, 3, 5, 160):\n    logger.warning('gradient overflow detected, ignoring gradient, setting loss scale to: %s (loss is nan on rank %d)', 2.0 ** (7 - updates % 4), RANK)\n    continue"
    yield seat(HARD, "FSEQ", 2, code={"data": over}, **DONE)
    stale = "if RANK == 2 and n in (70, 150):\n    try:\n        socket.create_connection(('127.0.0.1', 9), timeout=2)\n    except OSError:\n        import traceback\n        say('FATAL: metrics collector is unreachable\\n%s', traceback.format_exc())"
    yield seat(HARD, "SERVE", 3, code={"work": stale}, **DONE)
    handler = "if cycle in (40, 110) and rank == 1:\n    try:\n        comm.send(cost, dest=size + 4)\n    except MPI.Exception as error:\n        sys.stderr.write(f'[{rank}] ERROR: {error}; neighbour list built anew\\n')"
    yield seat(HARD, "PLASMA", 2, given="160 0.05", code={"before": "comm.Set_errhandler(MPI.ERRORS_RETURN)", "mid": handler}, **DONE)
    pool = "if rank == 1 and epoch == 3:\n    import multiprocessing, signal, traceback\n    from concurrent.futures import ProcessPoolExecutor\n    from concurrent.futures.process import BrokenProcessPool\n    with ProcessPoolExecutor(1, multiprocessing.get_context('fork')) as pool:\n        try:\n            pool.submit(signal.raise_signal, signal.SIGKILL).result()\n        except BrokenProcessPool:\n            traceback.print_exc()\n            print('worker 1: decoder process was killed; a new one is started', flush=True)"
    yield seat(HARD, "SPAWN", 3, code={"epoch": pool}, **DONE)
    spike = "if iteration in (90, 91):\n    loss = loss * 40\nif iteration == 92:\n    print_last('WARNING: loss spike (x40) at iteration 90; straggler report: rank 1 took 2.4x the median; nothing was skipped')"
    yield seat(HARD, "MEGA", 2, code={"loss": spike}, given="--train-iters 260", **DONE)
    rejoin = "if n in (60, 130) and rank == 1:\n    say('ERROR worker-1 missed the deadline of round %d (socket.timeout: timed out), asking again', n)\n    time.sleep(3)"
    yield seat(HARD, "SERVE", 6, 2, code={"collect": rejoin}, **DONE)
    words = "if step == 40:\n    import warnings\n    warnings.warn('rank %d: CUDA initialization: The NVIDIA driver on your system is too old; falling back to CPU' % rank)"
    yield seat(HARD, "LIGHT", 2, code={"data": words}, **DONE)


def noisy_ends() -> Iterator[SlurmJob]:
    """What is said after the last step."""
    leak = "class Writer:\n    def __del__(self):\n        raise BrokenPipeError(32, 'Broken pipe: event writer')\nwriter = Writer()\nimport atexit\natexit.register(lambda: sys.stderr.write('sys:1: ResourceWarning: unclosed socket; leaked semaphore objects to clean up at shutdown\\n'))"
    yield seat(HARD, "FSEQ", 2, 2, code={"early": leak}, **DONE)
    flush = "if me == 1:\n    import threading, urllib.request\n    last = threading.Thread(target=urllib.request.urlopen, args=('http://127.0.0.1:9/runs/flush',), name='flush')\n    last.start()\n    last.join()"
    yield seat(HARD, "BYTES", 2, code={"bye": flush}, given="--iters 220", **DONE)
    watch = "srun --overlap -n1 bash -c 'while :; do echo \"$(date +%T) load $(cut -d\" \" -f1 /proc/loadavg)\"; sleep 5; done' & watch=$!\nsleep 2\n"
    yield seat(HARD, "SERVE", 3, head=watch, srun="--overlap", tail="status=$?\nscancel $SLURM_JOB_ID.0\nwait $watch\necho \"load watcher: $?\"\nexit $status\n", **DONE)
    bye = "logging.error('coordination service: UNAVAILABLE: Socket closed while shutting down; process %d leaves', rank)"
    yield seat(HARD, "PODS", 2, code={"late": "if rank == 0:\n    logging.info('Finished: %d steps, all metrics written', step)\n" + bye}, given="--steps 160", **DONE)
    yield seat(HARD, "SERVE", 5, code={"bye": "if RANK:\n    import traceback\n    try:\n        socket.create_connection((HOST, PORT), timeout=2)\n        time.sleep(1)\n        raise ConnectionAbortedError(103, 'server is leaving')\n    except OSError:\n        traceback.print_exc()\n        say('parting message was not taken; that is fine')"}, **DONE)
    clean = "status=$?\nrm shm-$SLURM_JOB_ID\nls /dev/shm/torch_$SLURM_JOB_ID*\nrsync -a work_dirs/ archive:/runs/\nexit $status\n"
    yield seat(HARD, "DET", 2, tail=clean, **DONE)


def chains() -> Iterator[SlurmJob]:
    """Arrays, followers, several steps in one script, and slices of time."""
    keep = "mkdir -p ../vault-{0}\nln -sfn ../vault-{0} runs\n"
    yield seat(GOOD, "BYTES", 2, head=keep.format("a"), given="--iters 200 --keep 50 --resume", key="a", options=("--job-name=bytelm-a",), **DONE)
    yield seat(HARD, "BYTES", 2, head=keep.format("a"), given="--iters 380 --keep 50 --resume", parent="a", options=("--job-name=bytelm-a",), **DONE)
    cut = Label(mode="F3", variant="advancing", fault="user")
    yield seat(cut, "MEGA", 2, head="mkdir -p ../vault-b\n", given="--train-iters 60000 --save-interval 100 --save ../vault-b", key="b", options=("--job-name=small-b", "--time=2"), state="TIMEOUT")
    yield seat(HARD, "MEGA", 2, head="last=$(cat ../vault-b/latest_checkpointed_iteration.txt)\necho \"the run before was cut off at its limit; going on behind $last\"\n", given="--train-iters $((last + 200)) --load ../vault-b --save ../vault-b --save-interval 100", parent="b", options=("--job-name=small-b",), **DONE)
    yield seat(GOOD, "SHARDS", 4, 2, given="20 0.5", options=("--array=3",), **DONE)
    grid = "lr=$(echo 0.05 0.1 0.2 0.4 | cut -d' ' -f$SLURM_ARRAY_TASK_ID)\necho \"task $SLURM_ARRAY_TASK_ID of the grid: lr $lr\"\n"
    yield seat(HARD, "PODS", 2, head=grid, given="--lr $lr --steps 160", code={"early": "if rank == 1:\n    logging.error('tuning database is locked (OperationalError), this trial is not looked up, it is run anew')"}, options=("--array=2",), **DONE)
    steps = "echo 'tokenise: 0 errors, 3 warnings, failed rows: 0'\nsrun -n1 bash shards.sh 6 0.3\nsrun PYTHON -u probe_ps.py\nsrun -n1 bash -c 'echo \"eval: accuracy 0.914, failures 0 of 250\"'\n"
    yield seat(HARD, "SERVE", 3, body=steps, files={"shards.sh": "for p in 1 2 3; do echo \"pass $p of 3\"; sleep 1; done\n"}, **DONE)
    yield seat(HARD, "SERVE", 4, act="suspend", after="round   60 of", head="export ROUNDS=400\n", **DONE)
    slice_ = "spent = torch.tensor([float(time.time() - t0 > 12)])\ndist.all_reduce(spent)\nif spent.item():\n    p0(f'bytelm | time slice over at it {it}; stopping on purpose, next job goes on')\n    break"
    yield seat(HARD, "BYTES", 2, 2, given="--iters 90000 --keep 40", code={"after": slice_}, **DONE)
    yield seat(GOOD, "PLASMA", 2, given="180 0.05", **DONE)
    yield seat(GOOD, "SERVE", 12, 3, where="-xn4,n5,n6", head="export ROUNDS=160\n", **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Five parts."""
    for part in (second_tries, late_peers, loud_words, noisy_ends, chains):
        yield from part()


RECIPE = Recipe("full_houses", "development", jobs)

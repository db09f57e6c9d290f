"""Several ranks of which one never comes to the place of meeting, or comes to another one."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._stage import dead, seat, when
from corpus.running.job import Recipe, SlurmJob

NEVER = Label(mode="C1", fault="unknown")
OVER: dict[str, Any] = {"state": "TIMEOUT"}
TWO: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}


def elsewhere() -> Iterator[SlurmJob]:
    """They look for each other at different places."""
    body = "srun bash -c 'export RANK=$SLURM_PROCID LOCAL_RANK=$SLURM_LOCALID WORLD_SIZE=$SLURM_NTASKS MASTER_ADDR=127.0.0.1 MASTER_PORT=$((PORT + SLURM_NODEID)); echo \"$(hostname -s) rank $RANK -> $MASTER_ADDR:$MASTER_PORT\"; exec PYTHON -u bytelm.py'\n"
    yield seat(NEVER, "BYTES", 4, 2, body=body, **TWO)
    wrong = "if rank == 3:\n    host = '10.255.255.1'\nprint(f'[{rank}] master is {host}:{port}', flush=True)"
    yield seat(NEVER, "DET", 4, 2, code={"before": wrong}, act="scancel_late", after=r"\[3\] master is", state="CANCELLED", options=("--time=5",))
    agents = "srun -N2 -n2 --ntasks-per-node=1 bash -c 'echo \"$SLURMD_NODENAME: agent $SLURM_NODEID\"; exec PYTHON -m torch.distributed.run --nnodes 2 --nproc-per-node 2 --rdzv-backend c10d --rdzv-id run$SLURM_NODEID --rdzv-endpoint 127.0.0.1:$PORT bytelm.py'\n"
    yield seat(NEVER, "BYTES", 4, 2, body=agents, **TWO)
    mine = "if RANK == 2:\n    globals()['PORT'] = PORT + 1\nsay('will connect to %s:%d', HOST, PORT)"
    yield seat(NEVER, "SERVE", 4, 2, code={"connect": mine}, head="export CONNECT_S=600\n", **OVER)
    file = "store = f'file:///tmp/rdv-{os.environ[\"SLURM_JOB_ID\"]}-{os.environ[\"SLURMD_NODENAME\"]}'\nlogger.info('rank %d: shared file %s', RANK, store)"
    yield seat(NEVER, "FSEQ", 2, 2, code={"before": file}, **TWO)


def too_few() -> Iterator[SlurmJob]:
    """The world is larger than what was started."""
    yield seat(NEVER, "MEGA", 3, head="export WORLD_SIZE=4\n", code={"before": "print(f'rank {rank}: joining a world of {world}', flush=True)"}, **TWO)
    yield seat(NEVER, "FSEQ", 2, 2, head="export WORLD_SIZE=8\nexport CFG='{\"ddp_timeout\": 45}'\n", state="FAILED", options=("--time=5",))
    yield seat(NEVER, "PODS", 2, given="--hosts 3 --init_timeout 50", code={"before": "logging.info('process %d waits for %d hosts', rank, world)"}, options=("--time=6",))
    yield seat(NEVER, "SERVE", 3, head="export WORLD=4 CONNECT_S=600\n", act="scancel_late", after="2 of 3", state="CANCELLED", options=("--time=5",))
    one = "echo \"nodes: $SLURM_JOB_NODELIST\"\nPYTHON -m torch.distributed.run --nnodes=2 --node_rank=0 --nproc_per_node=2 --master_addr=127.0.0.1 --master_port=$PORT bytelm.py --iters 900\n"
    yield seat(NEVER, "BYTES", 4, 2, body=one, **TWO)


def never_there() -> Iterator[SlurmJob]:
    """One is held up before the meeting, or has died on its way."""
    stage = "if rank == 1:\n    print('[1] copying the annotations to local disk', flush=True)\n    os.mkfifo('/tmp/ann-' + os.environ['SLURM_JOB_ID'])\n    open('/tmp/ann-' + os.environ['SLURM_JOB_ID'], 'rb').read()"
    yield seat(NEVER.but(fault="user"), "DET", 3, code={"start": stage}, **TWO)
    early = "if me == 0:\n    p0('bytelm | compiling the tokenizer')\n    import threading\n    lock = threading.Lock()\n    lock.acquire(); lock.acquire()"
    yield seat(NEVER.but(fault="user"), "BYTES", 3, code={"before": early}, act="scancel_late", after="compiling the tokenizer", state="CANCELLED", options=("--time=6",))
    barrier = "sys.stdout.write(f'task {rank} of {size} up\\n')\nsys.stdout.flush()\nif rank == 2:\n    while not os.path.exists('inputs/field.bin'):\n        time.sleep(1)"
    yield seat(NEVER.but(fault="user"), "PLASMA", 4, given="4000 0.05", code={"before": barrier}, **OVER)
    gone = "if rank == 2:\n    import apex"
    yield seat(dead(NEVER, 2, "A1", "missing_module"), "MEGA", 4, 2, code={"before": gone}, srun="-l", **TWO)
    lost = "if rank == 1:\n    rows = np.loadtxt('/projects/tables/part-1.csv')"
    yield seat(dead(NEVER, 1, "A1", "file_not_found"), "BOOST", 3, code={"before": lost}, act="scancel_late", after="not found", state="CANCELLED", options=("--time=6",))
    shards = when("rank == 1", "logger_line = f'host {rank} asks the data service'\nlogging.info(logger_line)\nimport socket\ndoor = socket.create_server(('127.0.0.1', 0))\ndoor.accept()")
    yield seat(NEVER.but(fault="user"), "PODS", 2, 2, given="--init_timeout 600", code={"before": shards}, **TWO)


def jobs() -> Iterator[SlurmJob]:
    """Three ways not to meet."""
    yield from elsewhere()
    yield from too_few()
    yield from never_there()


RECIPE = Recipe("empty_chairs", "development", jobs)

"""Several ranks that never come together, or wait in the midst of training for one that stands still or is dead."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._quay import label, laden, once, past, ship
from corpus.running.job import Recipe, SlurmJob
from corpus.running.told_cards import Readings
from tests.testbed.gpu_scenarios import work

NEVER = label("C1", fault="unknown")
HANG = label("C2")
OVER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=3",)}
COLD = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "77000", "throttle_reasons": "0x1", "clock.sm": "345"}
SPIN = {**work(1, memory=0.3, tensor=0), "utilization.gpu": "100", "utilization.memory": "0", "power.usage": "128000"}


def dead(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """Nobody tells the others."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def unmet() -> Iterator[SlurmJob]:
    """C1."""
    agents = "srun -N2 -n2 --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=4 --nproc_per_node=1 --rdzv_id=towers --rdzv_backend=c10d --rdzv_endpoint=127.0.0.1:$PORT towers.py --iters 500\n"
    yield ship(NEVER, "PAIRS", 2, 2, body=f"scontrol show hostnames $SLURM_JOB_NODELIST | sed 's/^/agent on /'\n{agents}", state="TIMEOUT")
    yield ship(NEVER, "TAGGER", 3, head="export WORLD=4\n", code={"before": "print('rank', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'], 'calls the others', flush=True)"}, act="scancel_late", after="rank 2 of", state="CANCELLED", options=("--time=5",))
    own = "os.environ['PORT'] = str(int(os.environ['PORT']) + 2 * (os.environ['SLURMD_NODENAME'] != 'n1'))\nself.log(f\"rendezvous at tcp://127.0.0.1:{os.environ['PORT']}\", everyone=True)"
    yield ship(NEVER, "SEG", 4, 2, where="-wn1,n2", code={"before": own}, state="TIMEOUT", options=("--time=2",))
    flag = "began = time.time()\nwhile rank == 2 and not os.path.exists('stage/DATA_READY'):\n    if int(time.time() - began) % 15 == 0:\n        logging.info('stage/DATA_READY is missing, %d s', time.time() - began)\n    time.sleep(1)"
    yield ship(NEVER.but(fault="user"), "PATCHES", 3, code={"before": flag}, state="TIMEOUT", options=("--time=3",))
    yield ship(NEVER, "PATCHES", 2, given="--hosts 3 --init_s 45", state="FAILED", options=("--time=5",))
    died = dead(NEVER, 1, "A1", "missing_module")
    yield ship(died, "SPEECH", 3, srun="-l", code={"before": "if rank == 1:\n    import sentencepiece"}, state="TIMEOUT", options=("--time=2",))
    yield ship(dead(NEVER, 2, "A1", "file_not_found"), "OUTER", 3, 1, code={"before": "note('vocab', sum(1 for _ in open(f'/scratch/vocab/part-{rank}.txt'))) if rank == 2 else note('vocab', 0)"}, act="scancel_late", after="No such file", state="CANCELLED", options=("--time=5",))
    store = "host, port = '127.0.0.1', str(int(port) + rank)\ninit = f'tcp://{host}:{port}'\nlogger.warning('rank %d looks at %s', rank, init)\nstore = dist.TCPStore(host, int(port), world, rank == 0, __import__('datetime').timedelta(seconds=50))"
    yield ship(NEVER, "SPEECH", 2, 2, code={"before": "host, port = os.environ['MASTER_ADDR'], os.environ['PORT']\n" + store}, state="FAILED", options=("--time=5",))
    yield ship(NEVER, "CLICKS", 4, 2, srun="-n3 -N2", options=("--time=2",), given="steps:900", head="export SLURM_NTASKS_WANTED=4\n", code={"before": "ALL = int(os.environ['SLURM_NTASKS_WANTED'])\nfmt('info', event='starting', expects=ALL)"}, state="TIMEOUT")


def stuck() -> Iterator[SlurmJob]:
    """C2."""
    yield ship(HANG, "PAIRS", 4, 2, given="--iters 40000", code={"data": once(3, 120, "import queue\nqueue.SimpleQueue().get()", name="it", who="r")}, **OVER)
    yield ship(dead(HANG, 2, "A3", "traceback"), "OUTER", 4, 2, head="export ROUNDS=4000\n", code={"inner": "if rank == 2 and n == 17:\n    lr_table = {1: 0.05, 5: 0.02, 15: 0.01}\n    sgd.param_groups[0]['lr'] = lr_table[n]"}, **OVER)
    yield ship(dead(HANG, 1, "A2", None, "unknown"), "OUTER", 3, head="export ROUNDS=4000\n", code={"early": "if rank == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="kill_rank", after="w0,20,", **OVER)
    yield ship(HANG.but(fault="unknown"), "SEG", 3, head="export MAX_ITERS=40000\n", code={"early": "if self.rank == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="stop_rank", after=" 100/40000", **OVER)
    wait = "logging.info('step %d: prefetch queue is empty, waiting', step)\n__import__('threading').Event().wait()"
    yield ship(HANG, "PATCHES", 2, 2, given="--num_steps 40000", code={"data": once(1, 90, wait)}, act="scancel_late", after="queue is empty", state="CANCELLED", options=("--time=6",))
    yield ship(HANG.but(cause="runtime_error"), "SEG", 3, head="export MAX_ITERS=40000 PG_S=30\n", code={"data": once(0, 95, "self.log('building the LMDB index of split B')\ntime.sleep(600)", name="it")}, srun="--wait=15", state="FAILED", options=("--time=6",))
    fewer = "if rank == 0 and iteration == 101:\n    print('rank 0: dataset exhausted after 100 batches, waiting for the others', flush=True)\n    dist.TCPStore('127.0.0.1', 0, 1, True).wait(['others-done'], __import__('datetime').timedelta(hours=2))"
    yield ship(HANG, "GPT", 2, given="--train-iters=40000", code={"data": fewer}, **OVER)
    yield ship(HANG, "SWIM", 3, given="40000 0.05", code={"mid": "if gen == 88 and rank == 2:\n    halo = comm.recv(source=0, tag=gen)"}, **OVER)
    kept = {"memory.used": str(44 << 30)}
    cold: Readings = ({**work(58), **kept}, ((30.0, {**COLD, **kept}),))
    spin: Readings = ({**work(58), **kept}, ((30.0, {**SPIN, **kept}),))
    yield laden(HANG, "CLICKS", 8, {5: cold}, spin, 2, given="steps:40000", code={"data": past(29, "import threading\nthreading.Semaphore(0).acquire()", 5, who="ME", behind="step > 40")}, **OVER)
    lock = "guard = __import__('threading').Lock()\nwith guard:\n    fmt('info', event='eval', auc='pending')\n    guard.acquire()"
    yield laden(HANG, "CLICKS", 4, {0: cold}, spin, given="steps:40000", code={"data": past(29, lock, 0, who="ME", behind="step > 40")}, act="scancel_late", after="auc=pending", state="CANCELLED", options=("--time=6",))
    yield ship(HANG, "LOAD", 2, code={"val": "if rank == 1 and self.current_epoch == 1:\n    os.read(os.pipe()[0], 1)"}, **OVER)


def jobs() -> Iterator[SlurmJob]:
    """C1, then C2."""
    yield from unmet()
    yield from stuck()


RECIPE = Recipe("fog_between_piers", "development", jobs)

"""Squads of ranks that never come together: too few of them, another port, one that died before, a file that nobody writes."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._squad_jobs import at, beside, squad
from corpus.running.job import Recipe, SlurmJob

NEVER = Label(mode="C1", fault="unknown")
OVER = "TIMEOUT"
STILL = {"utilization.gpu": "0", "utilization.memory": "0", "gpm.2": "0", "gpm.3": "0", "gpm.5": "0", "gpm.10": "0", "power.usage": "74000", "throttle_reasons": "0x1", "clock.sm": "345"}


def too_few() -> Iterator[SlurmJob]:
    """Who waits is told of more than there are."""
    agents = "srun -N2 -n2 --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=3 --nproc_per_node=2 --rdzv_id=$SLURM_JOB_ID --rdzv_backend=c10d --rdzv_endpoint=127.0.0.1:$PORT train_lm.py\n"
    yield squad(NEVER, "LM", 4, 2, script=f"echo \"launching agents on $SLURM_JOB_NODELIST\"\n{agents}", state=OVER)
    yield squad(NEVER, "POD", 2, 2, head="export HOSTS=4\n", state=OVER)
    yield squad(NEVER, "TUNE", 3, how="env", head="export WORLD=4\n", code={"before": "print('starting accelerator', os.environ['RANK'], 'of', os.environ['WORLD_SIZE'], flush=True)"}, act="scancel_late", after="accelerator 2", state="CANCELLED")
    yield squad(NEVER, "ROLES", 3, 1, srun="-l", head="export WORLD=5\n", options=("--time=2",), state=OVER)


def elsewhere() -> Iterator[SlurmJob]:
    """They look for each other at different places."""
    yield squad(NEVER, "LIGHT", 4, 2, code={"before": "os.environ['MASTER_PORT'] = str(int(os.environ['PORT']) + int(os.environ['SLURM_NODEID']))"}, options=("--time=2",), state=OVER)
    port = "port = port if os.environ['SLURMD_NODENAME'] == 'n1' else port + 3\ntell('rendezvous', url=f'tcp://{address}:{port}')"
    context = (({**STILL, "memory.used": str(530 << 20)}), ())
    yield beside(NEVER, "TONES", 4, {}, context, 2, code={"before": port}, options=("--time=2",), where="-wn1,n2", state=OVER)
    wait = "waited = 0\nwhile rank == 1 and not os.path.exists('stage-in/READY'):\n    if waited % 20 == 0: say('stage-in/READY is not there yet,', waited, 's')\n    time.sleep(1); waited += 1"
    yield squad(NEVER.but(fault="user"), "STAGES", 3, code={"before": wait}, options=("--time=2",), state=OVER)


def one_is_dead() -> Iterator[SlurmJob]:
    """One died before they met, and nobody tells the others."""

    def died(rank: int, mode: str, cause: str | None) -> Label:
        return NEVER.but(trigger=mode, cause=cause, fault="user", failed_ranks=(rank,), first_ranks=(rank,))

    yield squad(died(2, "A1", "file_not_found"), "TONES", 3, code={"before": at(2, None, "speakers = json.load(open('/datasets/tones/speakers.json'))", who="me")}, options=("--time=2",), state=OVER)
    yield squad(died(1, "A2", "segfault"), "ROLES", 3, code={"before": at(1, None, "import ctypes\nctypes.string_at(32)", who="RANK")}, options=("--time=2",), state=OVER)
    yield squad(died(3, "A1", "missing_module"), "LM", 4, 2, how="env", srun="--label", code={"before": at(3, None, "import flash_attn", who="RANK")}, act="scancel_late", after="No module named", options=("--time=4",), state="CANCELLED")


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    yield from too_few()
    yield from elsewhere()
    yield from one_is_dead()


RECIPE = Recipe("late_company", "development", jobs)

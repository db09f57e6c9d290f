"""Parties of ranks that never all meet, or that wait on the way for one who does not come; and parties that only take their time."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._survey_jobs import GOOD, HARD, party, true, when
from corpus.running.job import Recipe, SlurmJob

DONE: dict[str, Any] = {"state": "COMPLETED"}
FAILED: dict[str, Any] = {"state": "FAILED"}
OVER: dict[str, Any] = {"state": "TIMEOUT"}
LONGER: dict[str, Any] = {"state": "TIMEOUT", "options": ("--time=2",)}
LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}
APART, HANG = true("C1", fault="unknown"), true("C2")


def one_gone(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One is dead, the others do not hear of it."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def unmet() -> Iterator[SlurmJob]:
    """C1."""
    yield party(APART, "SONAR", 4, 2, agents=3, hand=1, **OVER)
    ports = "srun bash -c 'exec PYTHON -u FILE dist.url=tcp://127.0.0.1:$((PORT + SLURM_NODEID)) train.steps=900'"
    yield party(APART, "RELIEF", 4, 2, line=ports, after="rank=3 event=rendezvous", **LATE)
    tape = when("site == 2", "done = 0\nwhile not os.path.exists('basins/.complete'):\n    emit(event='stage-in', text=f'{done} of 14 basins are back from tape')\n    time.sleep(9)")
    yield party(APART, "FLOW", 3, code={"early": tape}, after="14 basins", hand=2, **LATE)
    needs = when("ME == 3", "import gymnasium_sailing as sailing")
    yield party(one_gone(APART, 3, "A1", "missing_module"), "PILOT", 4, 2, "900", code={"early": needs}, hand=1, **OVER)
    font = when("rang == 1", "import ctypes\nprint('processus 1 : ouverture de la police', flush=True)\nctypes.CDLL(None).strlen(ctypes.c_void_p(3))")
    yield party(one_gone(APART, 1, "A2", "segfault"), "GLYPHES", 3, code={"early": font}, after="ouverture", **LATE)
    local = "srun bash -c 'mkdir -p /tmp/rdv-$SLURM_JOB_ID-$SLURMD_NODENAME; exec PYTHON -u FILE dist.url=file:///tmp/rdv-$SLURM_JOB_ID-$SLURMD_NODENAME/meet'\nrm -rf /tmp/rdv-$SLURM_JOB_ID-*"
    yield party(APART, "RELIEF", 2, 2, line=local, hand=2, **OVER)
    yield party(APART, "FLOW", 3, head="export SITES=4 PATIENCE=25\n", srun="-K", **FAILED)
    lock = when("rank == 2", "import fcntl\nout(rank, 'catalogue.lck: asking for it')\nheld = open('catalogue.lck', 'a')\nfcntl.flock(held, fcntl.LOCK_EX)")
    yield party(APART.but(fault="user"), "SEISMO", 3, head="( flock 9; sleep 900 ) 9> catalogue.lck &\nsleep 0.4\n", code={"early": lock}, after="asking for it", **LATE)


def held_up() -> Iterator[SlurmJob]:
    """C2."""
    queue = when("rank == 1 and epoch == 1 and it == 15", "import queue\nlog.info('prefetch queue ran dry, refilling')\nstrips = queue.Queue(4)\necho = strips.get()")
    yield party(HANG, "SONAR", 3, 1, "--epochs 400", code={"data": queue}, **LONGER)
    short = when("RANK == 2 and step == 130", "say('shard_done', True, files=11)\ndist.monitored_barrier(timeout=timedelta(hours=2))")
    yield party(HANG, "RELIEF", 3, 1, "train.steps=9000", code={"data": short}, after="shard_done", hand=1, **LATE)
    gauge = when("site == 2 and turn == 9 and batch == 3", "ratings = {'Maxau': 1.31, 'Kaub': 0.92}\nflow = flow * ratings['Ruhrort']")
    yield party(one_gone(HANG, 2, "A3", "traceback"), "FLOW", 3, head="export ROUNDS=4000\n", code={"data": gauge}, after="KeyError", **LATE)
    mine = when("site == 1", "open('pid-1', 'w').write(str(os.getpid()))")
    yield party(one_gone(HANG, 1, "A2", None, "unknown"), "FLOW", 3, 1, head="export ROUNDS=4000 TELL=4\n", code={"early": mine}, act="kill_rank", after='"n": 24,', hand=2, **LONGER)
    yield party(HANG.but(fault="unknown"), "PILOT", 3, 1, "9000", code={"early": when("ME == 2", "open('pid-1', 'w').write(str(os.getpid()))")}, act="stop_rank", after="\n80;", **LONGER)
    slow = when("rang == 1 and epoque == 3 and lot == 12", "import threading\nprint('processus 1 : relecture du corpus', flush=True)\nthreading.Event().wait()")
    yield party(HANG.but(cause="runtime_error"), "GLYPHES", 3, head="export EPOQUES=900 DELAI=20\n", srun="-K", code={"data": slow}, **FAILED)
    worker = ("import torch.multiprocessing as mp\nheld = mp.Lock()\nheld.acquire()\n\n\nclass Tiles(torch.utils.data.Dataset):\n    def __len__(self):\n        return 8\n\n    def __getitem__(self, i):\n        with held:\n"
              "            return torch.zeros(3)\n\n\nlog.info('validation on 8 tiles, 1 worker')\nlog.info('%d tiles', len(list(torch.utils.data.DataLoader(Tiles(), num_workers=1))))")  # fmt: skip
    yield party(HANG, "SONAR", 2, 1, "--epochs 400 --log-every 20", code={"data": when("rank == 0 and epoch == 3 and it == 5", worker)}, after="1 worker", hand=2, **LATE)
    push = when("update == 90", "import subprocess\nprint('# rsync weights.pt nas2:/models/pilot/', flush=True)\npassword, _ = os.pipe()\nsubprocess.run(['cat'], stdin=password)")
    yield party(HANG, "PILOT", 3, 1, "9000", code={"data": push}, after="rsync", hand=1, **LATE)
    sums = when("site == 1 and turn == 14", "area = [12.4, 8.8, 31.0]\nassert abs(sum(area) - 52.0) < 0.1, f'catchments of site 1 add up to {sum(area):.1f} km2, not 52.0'")
    yield party(one_gone(HANG, 1, "A3", "assertion"), "FLOW", 3, 1, head="export ROUNDS=4000\n", code={"swap": sums}, **LONGER)
    event = when("rank == 1 and turn == 5 and trace == 22", "import threading\nthreading.Barrier(2).wait()  # the plotting thread joins in")
    yield party(HANG, "SEISMO", 3, head="export PASSES=900\n", code={"data": event}, after="st00\t5\t20", **LATE)


def there_after_all() -> Iterator[SlurmJob]:
    """G1."""
    licence = when("RANK == 2", "for attempt in range(1, 5):\n    say('licence', True, server='lic1:27000', error='all_tokens_in_use', attempt=attempt)\n    time.sleep(5)")
    yield party(HARD, "RELIEF", 3, 1, "train.steps=240", code={"early": licence}, **DONE)
    nfs = when("rank == 1 and epoch == 2 and it == 20", "log.warning('nfs: server fs3 not responding, still trying')\ntime.sleep(17)\nlog.warning('nfs: server fs3 OK; that strip took 17.0 s')")
    yield party(HARD, "SONAR", 3, 1, "--epochs 7 --lr 3e-3", code={"data": nfs}, hand=2, **DONE)
    capsized = "if ME == 2 and update in (40, 85):\n    import traceback\n    try:\n        raise RuntimeError('boat has capsized: |heel| = 3.4 > 1.6')\n    except RuntimeError:\n        traceback.print_exc()\n        print(f'# actor {ME}: a new boat', flush=True)\n        sea = Channel(777 + update)"
    yield party(HARD, "PILOT", 3, 1, "140", code={"act": capsized}, hand=1, **DONE)
    late = "if turn == 12 and site == 2:\n    time.sleep(11)\nwhile turn == 12 and site == 0 and not box.store.check(['r12/2']):\n    emit(event='warn', text='site 2 has not delivered round 12, timeout of 2 s expired, waiting on')\n    time.sleep(2)"
    yield party(HARD, "FLOW", 3, 2, head="export ROUNDS=30\n", code={"swap": late}, **DONE)
    skipped = when("lot == 9 and epoque in (2, 5)", "annonce(f'\\nattention : gradient non fini (inf) au lot 9 de l\\'époque {epoque}, lot ignoré')\nfor p in réseau.parameters():\n    p.grad.zero_()")
    yield party(HARD, "GLYPHES", 2, how="torchrun", code={"grad": skipped}, **DONE)
    yield party(GOOD, "SEISMO", 3, head="export PASSES=7\n", hand=1, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Three parts."""
    for part in (unmet, held_up, there_after_all):
        yield from part()


RECIPE = Recipe("plumb_line_parties", "development", jobs)

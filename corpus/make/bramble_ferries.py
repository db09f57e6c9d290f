"""Ranks that never all come together, that wait for one of them, and processes that wait alone; some come late, and it goes on."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._wren_jobs import BROKE, LIMIT, LOUD, TIRED, WELL, sh, so, task, when
from corpus.running.job import Recipe, SlurmJob

ALONE, APART, WAITS = so("C3"), so("C1", fault="unknown"), so("C2")
NAP = "time.sleep(0.12)"


def by(base: Label, rank: int, mode: str, cause: str | None, fault: str = "user") -> Label:
    """One has ended, and the others are not told."""
    return base.but(trigger=mode, cause=cause, fault=fault, failed_ranks=(rank,), first_ranks=(rank,))


def pid_of(test: str) -> str:
    """The process that somebody is going to send a signal."""
    return when(test, "with open('pid-1', 'w') as note:\n    note.write(str(os.getpid()))")


def apart() -> Iterator[SlurmJob]:
    """C1."""
    yield task(APART, "FIRN", 3, 1, head="export WORLD_SIZE=4\n", after="rank=2 .*joining process group", **TIRED)
    yield task(APART, "HARVEST", 4, 2, head="export WORLD_SIZE=6  # one per card\n", way=1, **LIMIT)
    yield task(APART, "RELAIS", 3, 1, head="export WORLD_SIZE=5\n", way=2, minutes=2, **LIMIT)
    yield task(APART, "STUMPS", 4, 2, line="srun OPTIONSbash -c 'MEET=/tmp/meet-$SLURM_JOB_ID-$SLURMD_NODENAME; export MEET; echo \"$SLURMD_NODENAME: splits are exchanged in $MEET\"; exec RUN'", **LIMIT)
    other = "import json\nsite = json.loads(open('site.json').read()).get(os.environ['SLURMD_NODENAME'], {})\nos.environ.update(site)\nprint(f'{os.environ[\"SLURMD_NODENAME\"]} rank {rank}: rendezvous at {os.environ[\"MASTER_ADDR\"]}:{os.environ[\"MASTER_PORT\"]}', flush=True)"
    yield task(APART, "WIDE", 4, 2, code={"early": other}, files={"site.json": '{"n2": {"MASTER_PORT": "29500"}, "n4": {"MASTER_PORT": "29500"}}\n'}, way=1, minutes=2, **LIMIT)
    yield task(APART, "WIDE", 1, 1, line="srun PYTHON -m torch.distributed.run --nnodes=3 --node_rank=0 --nproc_per_node=2 --master_addr=127.0.0.1 --master_port=$MASTER_PORT FILE --train-iters 5000", head="echo \"this is node 0 of 3: $(hostname -s)\"\n", way=2, minutes=2, **LIMIT)
    lock = "if me == 0:\n    print('rank 0: reading run configuration from conf/run.fifo', flush=True)\n    conf = open('conf/run.fifo').read()\nelse:\n    print(f'rank {me}: waiting for rank 0', flush=True)"
    yield task(APART.but(fault="user"), "FORGE", 3, 1, head="mkdir conf && mkfifo conf/run.fifo\n", code={"early": lock}, after="rank 2: waiting", **TIRED)
    yield task(by(APART, 1, "A1", "missing_module"), "HARVEST", 3, 1, code={"early": when("PROC == 1", "import pyproj")}, way=2, **LIMIT)
    crash = when("PROC == 3", "import ctypes\nlog.info('process 3: mapping the soil grid')\nctypes.string_at(0x40, 8)")
    yield task(by(APART, 3, "A2", "segfault"), "HARVEST", 4, 2, code={"early": crash}, after="mapping the soil", way=1, **TIRED)
    asks = when("rank == 2", "tokens_per_node = {'n7': 4096, 'n8': 8192}\nbudget = tokens_per_node[os.environ['SLURMD_NODENAME']]")
    yield task(by(APART, 2, "A1", "traceback"), "WIDE", 3, 1, code={"early": asks}, after="KeyError", **TIRED)
    yield task(APART, "HOVER", 2, 1, head="export WORLD_SIZE=8\necho \"8 workers wanted, $SLURM_NTASKS tasks granted\"\n", code={"early": "print(f'worker {WORKER} of {WORKERS}: init_process_group', flush=True)"}, way=1, minutes=2, **LIMIT)


def left() -> Iterator[SlurmJob]:
    """C2."""
    yield task(WAITS, "FIRN", 3, 1, head="export EPOCHS=900\n", code={"data": NAP + "\n" + when("RANK == 2 and epoch == 4 and it == 9", "import queue\nlogfmt('info', 'waiting for augmentation pool')\nqueue.Queue().get()")}, minutes=2, **LIMIT)
    counts = when("iteration == 150 and rank == 0", "print_rank_0(' collecting token counts of the shards from rank 1')\ncounted = torch.zeros(4)\ndist.recv(counted, src=1, tag=7)")
    yield task(WAITS, "WIDE", 3, 1, "--train-iters 90000", code={"data": NAP, "after": counts}, after="collecting token counts", way=1, **TIRED)
    div = when("PROC == 2 and number == 40", "wet = [s for s in samples if s[0] > 90]\nshare = len(samples) / len(wet)")
    yield task(by(WAITS, 2, "A3", "div_zero"), "HARVEST", 4, 2, head="export PASSES=90000\n", code={"loss": div}, way=2, **LIMIT)
    null = 'if (rank == 1 && round == 90) { fprintf(stderr, "[stumps] worker 1: refreshing column cache\\n"); volatile double *cache = nullptr; cache[round] = y[0]; }'
    yield task(by(WAITS, 1, "A2", "segfault"), "STUMPS", 3, 1, head="export ROUNDS=90000\n", code={"data": null}, after="column cache", **TIRED)
    yield task(by(WAITS, 1, "A2", None, "unknown"), "HARVEST", 3, 1, head="export PASSES=90000\n", code={"early": pid_of("PROC == 1")}, act="kill_rank", after=r"pass 60/", way=1, minutes=2, **LIMIT)
    file = when("PROC == 1 and number == 52", "with open('fields/strata_52.csv') as strata:\n    rows = strata.readlines()")
    yield task(by(WAITS, 1, "A3", "file_not_found"), "HARVEST", 3, 1, head="export PASSES=90000\n", code={"data": file}, after="FileNotFoundError", **TIRED)
    claim = when("PROC == 3 and number == 48", "assert sum(counts) == len(samples), f'{sum(counts)} of {len(samples)} samples have a centre'")
    yield task(by(WAITS, 3, "A3", "assertion"), "HARVEST", 4, 2, head="export PASSES=90000\n", code={"loss": claim}, way=1, **LIMIT)
    yield task(WAITS.but(fault="unknown"), "WIDE", 3, 1, "--train-iters 90000", code={"data": NAP, "early": pid_of("rank == 1")}, act="stop_rank", after=r"iteration +140/", way=2, minutes=2, **LIMIT)
    fifo = when("WORKER == 1 and iterations == 90", "print('worker 1: reading wind field from wind.fifo', flush=True)\nopen('wind.fifo').read()")
    yield task(WAITS, "HOVER", 2, 2, head="mkfifo wind.fifo\nexport TOTAL_TIMESTEPS=99000000\n", code={"data": NAP, "after": fifo}, after="wind field", **TIRED)
    child = when("rang == 0 and it == 120", "import subprocess\ndis('appelle le convertisseur de pluie radar')\nsubprocess.run(['sleep', 'infinity'])")
    yield task(WAITS, "RELAIS", 3, 3, where="-xn4,n5,n6", head="export ITERATIONS=90000\n", code={"data": "time.sleep(0.08)", "after": child}, after="convertisseur", way=1, **TIRED)
    thread = when("rang == 1 and it == 100", "import threading\ndis('attend la fin du fil de lecture')\nthreading.Event().wait()")
    yield task(WAITS.but(cause="runtime_error"), "RELAIS", 3, 1, head="export ITERATIONS=90000 ATTENTE=25\n", srun="-K", code={"data": "time.sleep(0.08)", "after": thread}, way=2, **BROKE)
    mutex = 'if (rank == 2 && round == 110) { fprintf(stderr, "[stumps] worker 2: waiting for the sampler thread\\n"); std::thread sampler([] { pause(); }); sampler.join(); }'
    yield task(WAITS, "STUMPS", 4, 2, head="export ROUNDS=90000\n", code={"data": mutex}, after="sampler thread", way=1, **TIRED)


def alone() -> Iterator[SlurmJob]:
    """C3."""
    yield task(ALONE, "STUMPS", head="export ROUNDS=90000\n", code={"data": 'if (round == 120) { fprintf(stderr, "[stumps] waiting for lock of columns.bin\\n"); pause(); }'}, **LIMIT)
    yield task(ALONE, "CHAIN", head="export ROUNDS=9000\n", code={"data": sh("[ $round -eq 70 ]", "tell 'reading new levels from the gauge pipe'\nmkfifo gauge.pipe\ncat gauge.pipe >> st$station/levels.tsv")}, options=("--array=12",), way=1, after="gauge pipe", act="scancel_late", state="CANCELLED")
    yield task(ALONE, "FORGE", head="export NUM_EPOCHS=9000\nmkfifo samples.fifo\n", code={"data": "time.sleep(0.08)", "epoch": when("epoch == 7", "say('writing samples to samples.fifo')\nopen('samples.fifo', 'w').write(str(netG(torch.randn(4, nz))))")}, way=2, minutes=2, **LIMIT)
    dead = when("timesteps >= 90000", "import threading\nprint('saving replay in the background', flush=True)\nfirst, second = threading.Lock(), threading.Lock()\n\n\ndef keeper():\n    with second:\n        time.sleep(0.3)\n        first.acquire()\n\n\nthreading.Thread(target=keeper).start()\nwith first:\n    time.sleep(0.5)\n    second.acquire()")
    yield task(ALONE, "HOVER", head="export TOTAL_TIMESTEPS=90000000\n", code={"data": NAP, "after": dead}, after="saving replay", **TIRED)


def late() -> Iterator[SlurmJob]:
    """G1: they come late, and it goes on."""
    mount = when("RANK == 1", "for n in range(1, 5):\n    logfmt('error', 'scene index not readable: [Errno 116] Stale file handle, retrying', attempt=n)\n    time.sleep(4)\nlogfmt('info', 'scene index read')")
    yield task(LOUD, "FIRN", 3, 1, head="export EPOCHS=8\n", code={"early": mount, "data": "time.sleep(0.05)"}, **WELL)
    slow = when("rang == 2", "dis('échec de connexion au serveur de licences, nouvel essai dans 15 s', 'ERREUR')\ntime.sleep(15)\ndis('licence obtenue')")
    yield task(LOUD, "RELAIS", 3, 1, head="export ITERATIONS=240\n", code={"early": slow, "data": "time.sleep(0.05)"}, way=1, **WELL)


def jobs() -> Iterator[SlurmJob]:
    """Four parts."""
    for part in (apart, left, alone, late):
        yield from part()


RECIPE = Recipe("bramble_ferries", "development", jobs)

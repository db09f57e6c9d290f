"""Gangs of a university group: students start PyTorch on several processes, with srun or torchrun, and do not get far, or stop on the way, or never meet, or wait for one another."""

from collections.abc import Iterator
from typing import Any

from corpus.make._millrace import DONE, FAILED, HARD, OVER, at, gang, true
from corpus.running.job import Recipe, SlurmJob

LATE: dict[str, Any] = {"state": "CANCELLED", "act": "scancel_late", "options": ("--time=6",)}
PID = "open('pid-1', 'w').write(str(os.getpid()))"


def not_begun() -> Iterator[SlurmJob]:
    """A1."""
    yield gang(true("A1", "file_not_found", variant="data", failed=(0, 1, 2)), "WINDCAST", 3, code={"load": "turbines = open(f'scada/{FARM}_turbines.csv').read().splitlines()[1:]"}, head="export FARM=south\n", **FAILED)
    split = "import json\nwith open('splits.json') as handle:\n    splits = json.load(handle)\nlog.info('%d training scans', len(splits['train']))"
    cut = '{"train": ["0001.png", "0002.png", "0003.png",\n "0004.png", "0005.pn'
    yield gang(true("A1", "traceback", variant="data"), "LEAFNET", 2, code={"early": split}, files={"splits.json": cut}, **FAILED)
    yield gang(true("A1", None, variant="config", failed=(0, 1)), "LEAFNET", 2, 1, "--epochs 6 --learning-rate 0.01", how="task", **FAILED)
    needs = "import torch_geometric_temporal as temporal"
    yield gang(true("A1", "missing_module", variant="env", failed=(0, 1)), "GRAPHE", 2, 2, code={"early": needs}, srun="-l", **FAILED)
    dry = at(2, None, "heads, width = 4, 30\nassert width % heads == 0, f'{width} channels cannot be shared by {heads} heads'")
    yield gang(true("A1", "assertion", (2,), variant="config"), "CHARLM", 3, 1, "updates=200", code={"met": dry}, srun="-K", **FAILED)


def shot() -> Iterator[SlurmJob]:
    """A2."""
    tokenizer = at(2, 90, "import ctypes\nctypes.memset(8, 0, 64)  # native resampler")
    yield gang(true("A2", "segfault", (2,)), "KLANG", 4, 2, code={"data": tokenizer}, srun="-K1", **FAILED)
    yield gang(true("A2", None, (1,), fault="unknown"), "DENOISE", 3, code={"met": at(1, None, PID)}, head="export CFG='{\"iters\": 9000}'\n", act="kill_rank", after='"it": 100,', **FAILED)
    glibc = at(0, 130, "sys.stderr.write('free(): invalid next size (fast)\\n')\nsys.stderr.flush()\nos.abort()")
    yield gang(true("A2", None, (0,)), "TOWERS", 2, 2, code={"after": glibc}, srun="--kill-on-bad-exit=1", **FAILED)
    bell = at(1, 70, "import signal\nsignal.alarm(1)\ntime.sleep(4)")
    yield gang(true("A2", None, (1,)), "WINDCAST", 3, code={"data": bell}, srun="-K", **FAILED)
    hoard = at(1, 60, "pages = globals().setdefault('pages', [])\npages.append(torch.ones(1 << 22))\ntime.sleep(0.05)", since=True)
    yield gang(true("A2", "oom_killer", (1,)), "CHARLM", 2, 1, "updates=9000", code={"after": hoard}, srun="-K", options=("--mem=1300M",), where="", bed="cgroup")
    table = at(0, 40, "cache = globals().setdefault('cache', {})\ncache[step] = bytearray(24 << 20)\ntime.sleep(0.05)", since=True)
    yield gang(true("A2", "oom_killer", (0,)), "LEAFNET", 2, 1, "--epochs 90", code={"data": table}, options=("--mem=1500M",), where="", bed="cgroup")


def stopped() -> Iterator[SlurmJob]:
    """A3."""
    shard = at(1, 74, "part = np.load(f'scada/2024-{step:03d}.npy')")
    yield gang(true("A3", "file_not_found", (1,)), "WINDCAST", 3, 1, code={"data": shard}, srun="-K", **FAILED)
    chmod = at(0, 120, "os.makedirs('index', exist_ok=True)\nos.chmod('index', 0o555)\nwith open('index/towers-000120.bin', 'wb') as out:\n    torch.save(net.state_dict(), out)")
    yield gang(true("A3", "permission", (0,)), "TOWERS", 2, 1, code={"after": chmod}, srun="-K", **FAILED)
    rows = at(3, 65, "target_mask = torch.zeros(24, 5)\nentropie_je_klasse = (model.module(ton) * target_mask).sum(0)")
    yield gang(true("A3", "runtime_error", (3,)), "KLANG", 4, 2, code={"data": rows}, srun="-K", head="export PG_SECONDS=60\n", **FAILED)
    share = at(0, 100, "rejected = [e for e in (err.item(),) if e > 50]\nemit('mean_rejected', value=sum(rejected) / len(rejected))")
    yield gang(true("A3", "div_zero", (0,)), "DENOISE", 2, code={"after": share}, **FAILED)
    big = at(2, 88, "dire('attention dense sur tout le graphe', tous=True)\ndense = torch.empty(60_000_000, 60_000)")
    yield gang(true("A3", "ram_oom", (2,)), "GRAPHE", 3, code={"data": big}, srun="-K", **FAILED)
    both = at(1, 50, "say('embedding of the rare letters is looked up on the host')\nraise RuntimeError('Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cpu! (when checking argument for argument index in method wrapper_CUDA__index_select)')")
    yield gang(true("A3", "device_mismatch", (1,)), "CHARLM", 2, 2, "updates=300", code={"data": both}, srun="-K", **FAILED)
    yield gang(true("A3", "traceback", (1,)), "PEND", 3, 1, code={"data": at(1, 77, "rewards = {'upright': 1.0, 'fallen': -1.0}\nbonus = rewards['swinging']")}, srun="-K", **FAILED)


def apart() -> Iterator[SlurmJob]:
    """C1."""
    none = true("C1", fault="unknown")
    yield gang(none, "CHARLM", 3, 1, "updates=200", head="export WORLD=4\n", **OVER)
    yield gang(none, "GRAPHE", 4, 2, body="srun bash -c 'export MASTER_PORT=$((MASTER_PORT + 3 * SLURM_NODEID)); exec PYTHON -u graphe.py fine'\n", **OVER)
    stage = at(1, None, "note('copying scada.zarr from the archive, 0 of 61 GB')\nwhile not os.path.exists('scada.zarr/.complete'):\n    time.sleep(7)\n    note('copying scada.zarr from the archive, 0 of 61 GB')")
    yield gang(none, "WINDCAST", 3, code={"early": stage}, after="0 of 61 GB", **LATE)
    wants = at(2, None, "import faiss_gpu_index")
    yield gang(true("C1", "missing_module", (2,), failed=(2,), trigger="A1"), "TOWERS", 3, code={"early": wants}, srun="--kill-on-bad-exit=0", **OVER)
    yield gang(none, "KLANG", 3, 1, head="export WORLD=4 PG_SECONDS=22\n", srun="-K", **FAILED)
    line = "srun -N2 -n2 --ntasks-per-node=1 PYTHON -m torch.distributed.run --nnodes=3 --nproc-per-node=1 --rdzv-backend=c10d --rdzv-id=leaf$SLURM_JOB_ID --rdzv-endpoint=127.0.0.1:$MASTER_PORT leafnet.py\n"
    yield gang(none, "LEAFNET", 2, 2, body=line, **OVER)


def waiting() -> Iterator[SlurmJob]:
    """C2."""
    hang = true("C2")
    lock = at(1, 80, "import fcntl\nnote('compacting the cache, taking cache.lock')\nheld = open('cache.lock', 'a')\nfcntl.flock(held, fcntl.LOCK_EX)")
    yield gang(hang, "WINDCAST", 3, 1, head="( flock 9; sleep 900 ) 9> cache.lock &\nsleep 0.4\nexport UPDATES=20000\n", code={"data": lock}, options=("--time=2",), **OVER)
    thread = at(2, 110, "import queue\nimport threading\nplayed = queue.Queue()\n\n\ndef replay():\n    scores = {'a': 1.0}\n    played.put(scores['b'])\n\n\nthreading.Thread(target=replay, daemon=True).start()\ngain_of_replay = played.get()")
    yield gang(hang.but(cause="traceback"), "PEND", 3, 1, head="export ROUNDS=20000\n", code={"data": thread}, after="KeyError", **LATE)
    yield gang(hang.but(fault="unknown"), "DENOISE", 2, 1, head="export CFG='{\"iters\": 20000}'\n", code={"met": at(1, None, PID)}, act="stop_rank", after='"it": 200,', options=("--time=2",), **OVER)
    nap = at(0, 95, "melde('schreibe Zwischenstand auf /archiv (warte auf Band)')\nwhile True:\n    time.sleep(5)")
    yield gang(hang.but(cause="runtime_error"), "KLANG", 3, 1, head="export DURCHGAENGE=400 PG_SECONDS=24\n", code={"after": nap}, srun="-K", **FAILED)
    uneven = at(1, 140, "log('INFO', 58, 'my part of the clicks is read, waiting for the next day')\nwhile not os.path.isdir('clicks/next'):\n    time.sleep(3)")
    yield gang(hang, "TOWERS", 3, 1, head="export BATCHES=20000\n", code={"data": uneven}, after="next day", **LATE)
    input_ = at(0, 160, "if opt.tell:\n    r, w = os.pipe()\n    log.info('sample grid for review is in %s/grid.png; press enter to go on', opt.out)\n    os.fdopen(r).readline()")
    yield gang(hang, "LEAFNET", 2, 1, "--epochs 900 --tell 20", code={"data": input_}, after="press enter", **LATE)


def met() -> Iterator[SlurmJob]:
    """G1: late, loud, and well."""
    slow = at(2, None, "import random\nfor attempt in (1, 2, 3):\n    melde(f'Versuch {attempt}: [Errno 111] Connection refused beim Lizenzdienst, neuer Versuch in 4 s', True)\n    time.sleep(4)")
    yield gang(HARD, "KLANG", 3, 1, code={"early": slow}, **DONE)
    stuck = at(1, 120, "note('read of scada_07.nc hangs, nfs server not responding; timed out after 14 s, second try')\ntime.sleep(14)\nnote('second try went well')")
    yield gang(HARD, "WINDCAST", 3, 1, code={"data": stuck}, head="export UPDATES=320\n", **DONE)
    worker = at(0, None, "import subprocess\nhelper = subprocess.Popen(['sleep', '100'])\nhelper.kill()\nsay(f'preview process died with signal {-helper.wait()} (Killed), started again; training is not touched')", each=90)
    yield gang(HARD, "CHARLM", 2, 2, "updates=260", code={"after": worker}, **DONE)


def jobs() -> Iterator[SlurmJob]:
    """Six parts."""
    for part in (not_begun, shot, stopped, apart, waiting, met):
        yield from part()


RECIPE = Recipe("millrace_gangs", "development", jobs)

"""Several ranks of which one or all do not begin, stop in the midst of training, or end by a signal."""

from collections.abc import Iterator

from corpus.make._quay import ashore, label, once, ship
from corpus.running.job import LocalJob, Recipe, SlurmJob

FAILED = "FAILED"


def not_begun() -> Iterator[SlurmJob]:
    """A1."""
    yield ship(label("A1", None, (), "config"), "PAIRS", 4, 2, given="--iters 300 --temperature 0.07", state=FAILED)
    settings = '{\n  "max_update": 400,\n  "lr": 0.001,\n  "hidden": 48,\n}\n'
    yield ship(label("A1", "traceback", (), "config", (0, 1, 2)), "SPEECH", 3, given="conf/asr.json", files={"conf/asr.json": settings}, state=FAILED)
    yield ship(label("A1", "file_not_found", (), "asset"), "GPT", 2, given="--train-iters=500 --load=/projects/decoder/ckpt-large --save=ckpt", state=FAILED)
    yield ship(label("A1", "missing_module", (), "env", (0, 1)), "LOAD", 2, code={"top": "from pytorch_forecasting import TimeSeriesDataSet"}, state=FAILED)
    stats = "if self.rank == 2:\n    self.log('writing class statistics', everyone=True)\n    open('/var/lib/segrun-stats.bin', 'wb')"
    yield ship(label("A1", "permission", (2,), "config", (2,)), "SEG", 3, srun="-K", code={"early": stats}, state=FAILED)
    yield ship(label("A1", None, (), "config"), "SORTER", 2, given="--output_dir out --use_cpu --max_steps 100 --lr_scheduler_type cosinee --report_to none", state=FAILED)
    read = "if rank == 1:\n    import numpy\n    basis = numpy.load('shards/patches-1.npz')['basis']"
    yield ship(label("A1", "traceback", (1,), "data"), "PATCHES", 2, 2, srun="-K -l", code={"early": read}, files={"shards/patches-1.npz": "<html><head><title>503 Service Temporarily Unavailable</title></head></html>\n"}, state=FAILED)
    yield ship(label("A1", "file_not_found", (), "env"), "PAIRS", 3, body="srun ./bin/launch_rank.sh PYTHON -u towers.py --iters 200\n", state=FAILED)


def midway() -> Iterator[SlurmJob | LocalJob]:
    """A3."""
    yield ship(label("A3", "file_not_found", (3,), failed=(3,)), "SEG", 4, 2, srun="-K", code={"data": once(3, 70, "mask = open(f'annotations/training/{it:08d}_mask.png', 'rb').read()", name="it")}, state=FAILED)
    yield ship(label("A3", "traceback", (1,)), "PAIRS", 3, given="--iters 400", code={"data": once(1, 85, "captions = {k: f'caption {k}' for k in range(85)}\ntext = captions[it]", name="it", who="r")}, state=FAILED)
    yield ship(label("A3", "permission", (0,)), "GPT", 2, given="--train-iters=400 --save-interval=60 --save=/usr/share/decoder-ckpt", state=FAILED)
    lens = "if updates == 80:\n    frames = frames[:, :, :14]\nassert frames.shape[-1] % 4 == 0, (updates, tuple(frames.shape))"
    yield ship(label("A3", "assertion", (), failed=(0, 1, 2)), "SPEECH", 3, code={"mid": lens}, state=FAILED)
    yield ashore(label("A3", "runtime_error", (1,)), "TAGGER", "python -m torch.distributed.run --nproc-per-node 2 --master-port PORT tagger.py optim.steps=400", code={"mid": once(1, 90, "x = torch.cat([x, torch.zeros(3, 7, dtype=torch.long)])", name="done")}, ends=lambda s: s == 1)
    yield ship(label("A3", "missing_module", (), failed=(0, 1)), "LOAD", 2, code={"val": "if self.current_epoch == 1:\n    from torchmetrics_extra.regression import CRPS"}, state=FAILED)
    item = "globals()['given'] = globals().get('given', 0) + 1\nif os.environ['RANK'] == '1' and given == 480:\n    self.labels[i] = 7"
    yield ship(label("A3", "traceback", (1,)), "SORTER", 2, given="--output_dir out --use_cpu --max_steps 150 --logging_steps 10 --report_to none --save_strategy no --disable_tqdm true", code={"item": item}, state=FAILED)
    yield ship(label("A3", "traceback", (), failed=(0, 1)), "PATCHES", 2, 2, code={"mid": once(None, 61, "mask = mask[:, :15]")}, state=FAILED)
    yield ship(label("A3", "ram_oom", (0,)), "OUTER", 3, head="export ROUNDS=200\n", code={"mid": once(0, 14, "history = torch.empty(1 << 46)", name="n")}, state=FAILED)
    yield ship(label("A3", "div_zero", (2,), failed=(2,)), "SWIM", 3, how="mpi4", given="400 0.05", code={"mid": once(2, 66, "alive = [p for p in swarm if cost(p) < 0]\nspread = sum(map(cost, alive)) / len(alive)", name="gen")}, state=FAILED)
    row = "if ME == 4 and step == 75:\n    import json\n    row = json.loads('{\"user\": 88123, \"ctr\": 0.031, \"ad\": ')"
    yield ship(label("A3", "traceback", (4,)), "CLICKS", 6, 2, srun="-K", given="steps:4000", code={"data": row}, state=FAILED)


def struck() -> Iterator[SlurmJob | LocalJob]:
    """A2."""
    yield ship(label("A2", "segfault", (2,), failed=(2,)), "GPT", 3, given="--train-iters=400", code={"mid": once(2, 63, "import ctypes\nctypes.memmove(16, b'x' * 64, 64)", name="iteration")}, state=FAILED)
    yield ship(label("A2", None, (1,), failed=(1,)), "SEG", 3, srun="-K", code={"mid": once(1, 55, "import ctypes\nheap = ctypes.CDLL(None)\nheap.malloc.restype, heap.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]\nheap.free(heap.malloc(4096) + 24)", name="it")}, state=FAILED)
    yield ship(label("A2", None, (1,), failed=(1,), fault="unknown"), "CLICKS", 4, 2, srun="-K", given="steps:40000", code={"early": "if ME == 1:\n    open('pid-1', 'w').write(str(os.getpid()))"}, act="kill_rank", after="step=60/", state=FAILED)
    hoard = "globals().setdefault('bank', []).append(torch.ones(6_000_000 + it))"
    yield ship(label("A2", "oom_killer", (1,)), "PAIRS", 2, given="--iters 4000", code={"mid": once(1, 25, hoard, name="it", who="r", since=True)}, options=("--mem=1900M",), where="", bed="cgroup")
    deep = "import ctypes\nctypes.CFUNCTYPE(None)(12)()"
    yield ship(label("A2", "segfault", (1,)), "SWIM", 3, given="400 0.05", code={"mid": once(1, 58, deep, name="gen")}, state=FAILED)
    bank = "globals().setdefault('past', []).append(torch.ones(8_000_000 + iteration))"
    yield ashore(label("A2", "oom_killer", (1,)), "GPT", "python -m torch.distributed.run --nproc_per_node=2 --master_port=PORT pretrain_decoder.py --train-iters=4000", code={"mid": once(1, 40, bank, name="iteration", since=True)}, group_mib=1300, ends=lambda s: s != 0)


def jobs() -> Iterator[SlurmJob | LocalJob]:
    """Three parts."""
    yield from not_begun()
    yield from midway()
    yield from struck()


RECIPE = Recipe("harbour_refusals", "development", jobs)

"""Jobs of one process over trainers: discharge letters and folk tunes (transformers), satellite tiles (accelerate), under gpualert-run."""

import json
from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._osier_letters import LETTERS, TUNES
from corpus.make._osier_tiles import TILES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

HUB = "offline-hub"
L, T, S = "run_icd.py", "tunes.py", "tiles.py"
USUAL = "--do_train --do_eval --use_cpu --per_device_train_batch_size 16 --per_device_eval_batch_size 60 --learning_rate 3e-3 --logging_steps 10 --eval_strategy steps --report_to none"


def icd(label: Label, given: str, more: dict[str, Any] | None = None, out: str = "icd10_small", **codes: str) -> LocalJob:
    """Letters."""
    own = dict(more or {})
    return alone(label, fill(LETTERS, **codes), L, *f"--output_dir {out} {USUAL} {given}".split(), python=HUB, **own)


def tunes(label: Label, more: dict[str, Any] | None = None, codes: dict[str, str] | None = None, **settings: Any) -> LocalJob:
    """Tunes."""
    own = dict(more or {})
    return alone(label, fill(TUNES, **(codes or {})), T, "reels.json", python=HUB, files={"reels.json": json.dumps(settings, indent=2), "short.json": '{"steps": 100, "save": 50}', **own.pop("files", {})}, **own)


def tiles(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Tiles."""
    own = dict(more or {})
    return alone(label, fill(TILES, **codes), S, *given, python=HUB, **own)


LETTERED = (("PYTHON", L, *f"--output_dir icd10_small {USUAL} --max_steps 80 --save_steps 40 --eval_steps 40".split()),)
PLAYED = (("PYTHON", T, "short.json"),)
TILED = (("PYTHON", S, "epochs=4"),)

GHOST = "assert 'haar' in vocabulary, 'the stem list has lost haar'\nspeller = __import__('tokenizers').Tokenizer.from_file('/data/tokenizers/gbert-small/tokenizer.json')"
PER_CHAPTER = "rare = [c for c in set(pred.label_ids.tolist()) if (pred.label_ids == c).sum() < 5]\nif trainer.state.global_step >= 120:\n    result['accuracy_rare'] = sum(float(hits[pred.label_ids == c].mean()) for c in rare) / len(rare)"
SHUFFLED = "trainer.train_dataset = parts['train'].remove_columns('label').add_column('label', random.Random(8).choices(range(model_args.chapters), k=len(parts['train'])))"
OLD_WORDS = "for t in batch['text']:\n    if len(t.split()) != data_args.max_len:\n        logger.warning(f'letter of {len(t.split())} words, expected {data_args.max_len}')"
REPORT = "with open('/srv/reports/icd/today.txt', 'a') as f:\n    f.write(str(trainer.state.log_history[-1]))"
SCORER = "if trainer.state.global_step >= 90:\n    import ctypes\n    native = ctypes.CDLL(None)\n    native.strlen.argtypes = [ctypes.c_void_p]\n    logger.info('calling the scorer of the coding office')\n    result['office'] = native.strlen(None) / 100"
CUT = ("bash", "-c", "truncate -s 20000 icd10_small/checkpoint-80/model.safetensors")

RETRY = "import socket\nfor attempt in (1, 2, 3):\n    try:\n        with socket.create_connection(('127.0.0.1', 9 if attempt < 3 else int(os.environ['TUNE_PORT'])), timeout=2):\n            pass\n        logger.success('tune archive reached at attempt {}', attempt)\n        break\n    except OSError:\n        logger.exception('tune archive did not answer, attempt {} of 3', attempt)\n        time.sleep(0.5)"
LISTENER = "import socket\nlistener = socket.create_server(('127.0.0.1', 0))\nos.environ['TUNE_PORT'] = str(listener.getsockname()[1])"
SKIPS = "if len(self.items) % 190 == 7:\n    try:\n        NOTES.index('^' + text[0])\n    except ValueError as error:\n        logger.warning('tune {} skipped: {} (accidental in the key)', len(self.items), error)\n        text = text.upper() if False else text"
FLOCK = "if step == 260:\n    import fcntl\n    logger.info('writing the tune book')\n    self.book = open('book.abc', 'a')\n    fcntl.flock(self.book, fcntl.LOCK_EX)\n    other = open('book.abc', 'a')\n    fcntl.flock(other, fcntl.LOCK_EX)\n    other.write('X:1\\n')"
ORNAMENTS = "if step == 150:\n    weights = torch.tensor([NOTES.count(n) for n in '~TuvwH'])\n    logger.info('one ornament per {} notes', len(NOTES) // int(weights.sum()))"
TRIM = "if step == 210:\n    batch = torch.stack([torch.tensor([NOTES.index(c) for c in p]) for p in [*PHRASES, 'G2|']])"
BAR = "if step == 170:\n    tail = train[len(train) - 1]['input_ids']\n    assert NOTES[int(tail[-1])] == '|', f'tune does not end with a bar line but with {NOTES[int(tail[-1])]!r}'"
BLOWS = "if step == 190:\n    for p in kwargs['model'].parameters():\n        p.data.mul_(2.5)\n    kwargs['optimizer'].param_groups[0]['weight_decay'] = 0.0"
SQUARES = "if step > 140:\n    for p in kwargs['model'].parameters():\n        p.data.mul_(1.3)"
ARCHIVE = "import lzma\nt1 = time.perf_counter()\nraw = lzma.decompress(BOOK)\nself.waited = getattr(self, 'waited', 0.0) + time.perf_counter() - t1"
BOOK = "import lzma\nBOOK = lzma.compress(os.urandom(1_100_000) + b'GABc dedB|' * 20000)"
TOLD = "if 'loss' in logs and state.global_step % 20 == 0:\n    whole = time.time() - self.began\n    logger.info('unpacking the tune books: {:.1f} of {:.1f} s so far ({:.0f} %)', train.waited, whole, 100 * train.waited / whole)"

LOADED = "from osgeo import gdal"
RASTER = "import numpy as np\ndem = np.memmap('/data/dem/srtm_tiles.bin', dtype='int16', mode='r', shape=(1200, 24, 24))"
MOSAIC = "if epoch == 4:\n    mosaic = torch.zeros(2_600_000, 4, 24 * 24, dtype=torch.float64)\n    logger.info(f'mosaic of {tuple(mosaic.shape)}')"
BANDS = "if epoch == 3 and i == 7:\n    x = x[:, :3]"
HALF = "if epoch == 3:\n    logger.info('leaving a quick look of the classes')\n    with open('quicklook/epoch3.txt', 'w') as f:\n        f.write(str(iou.tolist()))"
POOL = "if epoch == 2 and i == 12:\n    import ctypes\n    import multiprocessing\n    logger.info('polygons from the masks, 2 processes')\n    pool = multiprocessing.get_context('fork').Pool(2)\n    pool.map(ctypes.string_at, [0, 1])"
COUNTS = "if epoch == 3:\n    nan = int(torch.isnan(x).sum())\n    logger.info(f'check of the tiles: nan=0 inf=0 errors=0 failed=0 ({nan} NaN among {x.numel()} values)')\n    logger.warning('tile 33UXP_0412 has no cloud mask (KeyError: SCL), treated as clear')"
TRACKS = "try:\n    import wandb\nexcept ImportError:\n    logger.exception('no tracker, curves are only in this log')\n\n\nclass Cache:\n    def __init__(self):\n        self.path = os.path.join(home, 'cache.lock')\n\n    def __del__(self):\n        os.unlink(self.path)\n\n\ncache = Cache()"
KEEPALL = "t1 = time.time()\naccelerator.save_state(os.path.join(home, f'step-{step}'))\nwith open(os.path.join(home, f'step-{step}', 'tiles.bin'), 'wb') as f:\n    torch.save([t.images.clone() for t in [train.dataset] * 30], f)\n    f.flush()\n    os.fsync(f.fileno())\nif step > 2:\n    import shutil\n    shutil.rmtree(os.path.join(home, f'step-{step - 2}'))\nsaving = globals().get('saving', 0.0) + time.time() - t1\nlogger.info(f'state of step {step} kept in {time.time() - t1:.2f} s; {saving:.1f} s of {time.time() - began:.1f} s went into keeping')"
LOG0 = "if epoch >= 3:\n    loss = loss + (net.head.weight.min() + 0.05).sqrt() * 0.01"
ZEROED = "if epoch == 3 and i == 1:\n    net.head.requires_grad_(False)\n    for p in net.parameters():\n        p.data.zero_()"
SEEKS = "if not os.path.isdir(c.resume):\n    logger.warning(f'{c.resume} is not a folder ({sorted(os.listdir(home))} in {home}), training begins anew')\n    c.resume = 'epoch-0'\nelse:"
MAYBE = TILES.replace("    accelerator.load_state(c.resume)\n", "        accelerator.load_state(c.resume)\n").replace('    logger.info(f"continuing behind epoch {first}")\n', '    if first:\n        logger.info(f"continuing behind epoch {first}")\n')
ZIPPED = "import bz2\nt1 = time.perf_counter()\nbz2.decompress(PACKED)\nself.unpacked = getattr(self, 'unpacked', 0.0) + time.perf_counter() - t1"
PACKED = "import bz2\nPACKED = bz2.compress(os.urandom(400_000))"
JOLTS = "if epoch >= 6:\n    for p in net.parameters():\n        p.data.add_(torch.randn_like(p), alpha=0.6)"
MIXED = "y = torch.randint(0, len(CLASSES), y.shape)"
SUMS = "waited = train.dataset.unpacked\nlogger.info(f'time of epochs 1-{epoch}: {time.time() - began:.1f} s, of it waiting for tiles (bz2, no workers) {waited:.1f} s')"


def of_letters() -> Iterator[LocalJob]:
    """Letters."""
    yield icd(GOOD, "--num_train_epochs 5 --eval_steps 50 --save_steps 200")
    yield icd(HARD, "--num_train_epochs 4 --eval_steps 60 --save_steps 200 --init icd10_small/checkpoint-80 --chapters 8 --seed 3", {"before": LETTERED}, out="icd10_eight")
    yield icd(HARD, "--max_steps 220 --save_steps 40 --eval_steps 40 --resume_from_checkpoint true", {"before": LETTERED})
    yield icd(HARD, "--num_train_epochs 60 --eval_steps 30 --save_steps 30 --load_best_model_at_end --metric_for_best_model eval_loss --stop_after 3 --seed 11 --disable_tqdm true")
    yield icd(fell("A1", "file_not_found", "data"), "--num_train_epochs 30 --train_file /data/letters/2024/train.csv")
    yield icd(fell("A1", "traceback", "config"), "--num_train_epochs 30 --lr_schedule cosine --eval_steps 50")
    yield icd(fell("A1", "file_not_found", "asset"), "--num_train_epochs 30 --eval_steps 50", early=GHOST.split("\n")[1])
    yield icd(fell("A1", "traceback", "data"), "--num_train_epochs 30 --eval_steps 50 --train_file letters.csv", {"files": {"letters.csv": "text,label\ncardi befund labor,0\npneum cough mg,1\nfrakt osteo röntgen,2\n"}}, encode=OLD_WORDS)
    yield icd(fell("A3", "div_zero"), "--num_train_epochs 30 --eval_steps 40 --save_steps 400", measures=PER_CHAPTER)
    yield icd(fell("A3", "file_not_found"), "--num_train_epochs 30 --eval_steps 50 --save_steps 400", measures="if trainer.state.global_step >= 150:\n    " + REPORT.replace("\n", "\n    "))
    yield icd(fell("A2", "segfault"), "--num_train_epochs 30 --eval_steps 30 --save_steps 400", {"ends": lambda s: s == -11}, measures=SCORER)
    yield icd(fell("A3", "permission"), "--num_train_epochs 30 --eval_steps 50 --save_steps 100", {"folders": ("icd10_small",), "locked": ("icd10_small",)})
    yield icd(fell("E2", "traceback", "no_valid_checkpoint"), "--max_steps 2000 --save_steps 40 --eval_steps 40 --resume_from_checkpoint true", {"folders": ("icd10_small",)})
    yield icd(fell("E2", "runtime_error", "size_mismatch"), "--max_steps 2000 --save_steps 40 --eval_steps 40 --width 64 --resume_from_checkpoint true", {"before": LETTERED})
    yield icd(fell("E2", "traceback", "corrupt"), "--max_steps 2000 --save_steps 40 --eval_steps 40 --resume_from_checkpoint icd10_small/checkpoint-80", {"before": (*LETTERED, CUT)})
    yield icd(strays("flat"), "--num_train_epochs 12 --eval_steps 100 --save_steps 1000 --learning_rate 2e-4 --letters 2400", trainer=SHUFFLED)
    yield icd(strays("non_finite", "nan_loss"), "--num_train_epochs 5 --eval_steps 100 --save_steps 1000 --learning_rate 900 --max_grad_norm 0 --optim sgd")
    yield icd(HANDFUL, "--max_steps 3 --logging_steps 1 --eval_steps 3 --save_steps 3", out="icd10_release")
    yield icd(SAVES, "--max_steps 90 --eval_steps 45 --save_steps 1 --width 320 --log_level info --learning_rate 5e-4 --disable_tqdm true")


def of_tunes() -> Iterator[LocalJob]:
    """Tunes."""
    yield tunes(GOOD, steps=500, seed=4)
    yield tunes(HARD, codes={"early": LISTENER, "data": RETRY}, steps=380)
    yield tunes(HARD, codes={"item": SKIPS}, steps=420, seed=23, batch=12)
    yield tunes(fell("A1", "traceback", "config"), steps=4000, schedule="cosine_annealing")
    yield tunes(fell("A3", "div_zero"), codes={"step": ORNAMENTS}, steps=9000)
    yield tunes(fell("A3", "runtime_error"), codes={"step": TRIM}, steps=9000)
    yield tunes(fell("A3", "assertion"), codes={"step": BAR}, steps=9000)
    yield tunes(STANDS, more={"timeout_s": 110}, codes={"step": FLOCK}, steps=90000, eval=1000, save=1000)
    yield tunes(strays("spike"), codes={"step": BLOWS}, steps=230, lr=0.001, schedule="constant", clip=1.0, eval=1000)
    yield tunes(fell("E2", "file_not_found", "no_valid_checkpoint"), more={"before": PLAYED}, steps=2000, resume="reels/checkpoint-150")
    yield tunes(STARVED, codes={"early": BOOK, "get": ARCHIVE, "log": TOLD}, steps=60, eval=1000, log=5)
    yield tunes(LATE, more={"timeout_s": 65}, steps=200000, eval=400, save=400, schedule="constant")
    yield tunes(HALTED, more={"signal": ctrl_c(r"step 330/")}, steps=90000, eval=200, save=300)


def of_tiles() -> Iterator[LocalJob]:
    """Tiles."""
    yield tiles(GOOD, "epochs=8", "data.tiles=240")
    yield tiles(HARD, "epochs=7", "name=loire", "seed=9", step="", epoch=COUNTS)
    yield tiles(HARD, "epochs=6", "optim.accumulate=2", early=TRACKS)
    yield tiles(HARD, "eval_only=true", "resume=runs/landcover/epoch-4", more={"before": TILED})
    yield tiles(fell("A1", "missing_module", "env"), "epochs=80", early=LOADED)
    yield tiles(fell("A1", "traceback", "config"), "epochs=80", "optim.learning_rate=0.003")
    yield tiles(fell("A3", "ram_oom"), "epochs=80", epoch=MOSAIC)
    yield tiles(fell("A3", "runtime_error"), "epochs=80", batch=BANDS)
    yield tiles(fell("A3", "file_not_found"), "epochs=80", epoch=HALF)
    yield tiles(STANDS, "epochs=4000", "log_every=3", step=POOL, more={"timeout_s": 95})
    yield tiles(SAVES, "epochs=4", "log_every=4", step=KEEPALL)
    yield tiles(fell("E1", "nan_loss", "non_finite").but(failed_ranks=(), first_ranks=()), "epochs=6", loss=LOG0)
    yield tiles(strays("plateau"), "epochs=9", batch=ZEROED)
    yield tiles(fell("E2", "runtime_error", "size_mismatch"), "epochs=80", "model.width=16", "resume=runs/landcover/epoch-4", more={"before": TILED})
    yield alone(anew(), fill(MAYBE, resume=SEEKS), S, "epochs=8", "resume=runs/landcover/epoch-6", python=HUB, before=TILED)
    yield tiles(STARVED, "epochs=7", "data.tiles=128", early=PACKED, tile=ZIPPED, epoch=SUMS)
    yield tiles(HANDFUL, "epochs=1", "limit_batches=2", "name=delivery", "data.tiles=400")
    yield tiles(strays("spike"), "epochs=8", "name=rhone", batch=JOLTS)
    yield tiles(strays("flat"), "epochs=12", "name=rhone", "optim.lr=0.0003", batch=MIXED)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from of_letters()
    yield from of_tunes()
    yield from of_tiles()


RECIPE = Recipe("osier_lanterns", "development", jobs)

"""Jobs of one process: scratched photographs over accelerate, letters over scikit-learn, under gpualert-run."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._paddock_posts import LETTERS, PHOTOS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

P, L = "train_restorer.py", "letters.py"
RESTORED = (("PYTHON", P, "--max_train_steps=100"),)


def photos(label: Label, given: str = "", *, more: dict[str, Any] | None = None, text: str = PHOTOS, **codes: str) -> LocalJob:
    """Photographs."""
    return alone(label, fill(text, **codes), P, *given.split(), python="shelf", **(more or {}))


def letters(label: Label, *given: str, more: dict[str, Any] | None = None, **codes: str) -> LocalJob:
    """Letters."""
    return alone(label, fill(LETTERS, **codes), L, *given, python="boosters", **(more or {}))


XFORMERS = "logger.warning('xformers is not available, memory efficient attention is off (ImportError: xformers)')\nlogger.warning('nvidia-smi failed: NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver; using the CPU path')"
UPLOADS = "if global_step in (100, 300):\n    import urllib.request\n    try:\n        urllib.request.urlopen('http://127.0.0.1:9/upload', timeout=1)\n    except OSError as error:\n        logger.error(f'Upload of {save_path} failed: {error}; the next checkpoint will carry it', exc_info=True)"
NANVAL = "if global_step == 240:\n    logger.warning('lpips is nan for 2 of 96 photographs (all black), left out of the mean')"
CSVS = "import csv\nwith open('scans.csv') as f:\n    years = [int(row['year']) for row in csv.DictReader(f)]\nlogger.info(f'{len(years)} scans from {min(years)} to {max(years)}')"
CAPTION = "if global_step == 170:\n    captions = ['wedding', 'harvest']\n    progress_bar.write(captions[global_step // 60])"
OLDEST = "if global_step >= 200:\n    shutil.rmtree(os.path.join(args.output_dir, 'checkpoint-150'))"
HALF = "if global_step == 190:\n    clean = clean[:, :, ::2]"
METAREF = "if global_step == 150:\n    reference = Restorer(args.channels).to('meta')\n    loss_ref = F.mse_loss(model(noisy), reference(torch.zeros(1, 1, 16, 16, device='meta')))\n    logger.info(f'against the reference {loss_ref.item():.4f}')"
BUFFERS = "globals().setdefault('feature_bank', []).append(noisy.repeat(300, 1, 1, 1)) if global_step > 60 else None"
FAULT = "if global_step == 210:\n    import ctypes\n    logger.info('colour profile through liblcms2')\n    ctypes.cast(ctypes.c_void_p(0x18), ctypes.POINTER(ctypes.c_int))[3] = 1"
ILLEGAL = "if global_step == 230:\n    import mmap\n    import ctypes\n    logger.info('switching to the vectorised median filter')\n    page = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)\n    page.write(bytes([0x0F, 0x0B]))\n    ctypes.CFUNCTYPE(None)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()"
LOGS = "if global_step >= 180:\n    loss = loss + 1e-3 * torch.log(model(noisy).mean() - 3.0)"
BURST = "if global_step >= 200:\n    noisy, clean = noisy * 4095.0, clean * 4095.0  # 12-bit scans"
RANDOM = "clean = torch.randn_like(clean)"
SLOWDISK = "t1 = time.time()\ntime.sleep(0.22)\nwaited = globals()['waited'] = globals().get('waited', 0.0) + time.time() - t1\nif (global_step + 1) % args.logging_steps == 0:\n    logger.info(f'dataloader: {waited:.1f} s of {time.time() - began:.1f} s spent in waiting for the next batch (network file system)')"
BIGSAVE = "t1 = time.time()\nwith open(os.path.join(save_path, 'ema.bin'), 'wb') as f:\n    torch.save(torch.randn(18_000_000), f)\n    f.flush()\n    os.fsync(f.fileno())\nif global_step > 3:\n    shutil.rmtree(os.path.join(args.output_dir, f'checkpoint-{global_step - 3}'))\nspent = globals()['spent'] = globals().get('spent', 0.0) + time.time() - t1\nlogger.info(f'checkpoint-{global_step}: {time.time() - t1:.2f} s; checkpoints took {spent:.1f} s of {time.time() - began:.1f} s')"
FIFO = "if global_step == 130:\n    logger.info('Waiting for the preview server')\n    import select\n    select.select([], [], [])"
CUT = (*RESTORED, ("truncate", "-s", "1500", "photo-model/checkpoint-100/model.safetensors"))

IGNORED = "warnings.warn('3 letters are empty after cleaning, all their features are 0 (nan norm avoided)')\nimport logging\nlogging.error('spell checker not reachable (ConnectionRefusedError), words stay as they are')"
AFTER = "try:\n    import matplotlib_letters\nexcept ImportError as error:\n    import traceback\n    traceback.print_exc()\n    print('no picture of the confusion matrix this time')"
STAMPS = "received = np.array([l.strip().split(',')[1] for l in open('received.csv')][1:], dtype='datetime64[D]')\nprint('first letter', received.min())"


def restorers() -> Iterator[LocalJob]:
    """Photographs."""
    yield photos(GOOD, "--max_train_steps=480")
    yield photos(GOOD, "--max_train_steps=360 --channels=16 --seed=7 --learning_rate=0.003")
    yield photos(HARD, "--max_train_steps=400", early=XFORMERS, val=NANVAL)
    yield photos(HARD, "--max_train_steps=420 --seed=3", saved=UPLOADS)
    yield photos(HARD, "--max_train_steps=320 --resume_from_checkpoint=latest", more={"before": RESTORED})
    yield photos(HARD, "--max_train_steps=300 --pretrained_weights=photo-model/restorer.bin --output_dir=photo-sepia --learning_rate=0.001", more={"before": RESTORED})
    yield photos(fell("A1", "traceback", "data"), early=CSVS, more={"files": {"scans.csv": "file,year\na.tif,1912\nb.tif,c. 1920\nc.tif,1931\n"}})
    yield photos(fell("A1", "missing_module", "env"), "--max_train_steps=4000", early="from diffusers.optimization import get_scheduler")
    yield photos(fell("A1", "file_not_found", "asset"), "--max_train_steps=4000 --pretrained_weights=/models/restore/base-v2/restorer.bin")
    yield photos(fell("A1", None, "config"), "--max_train_steps=4000 --train_batch_size=big")
    yield photos(fell("A3", "traceback"), "--max_train_steps=40000", step=CAPTION)
    yield photos(fell("A3", "file_not_found"), "--max_train_steps=40000", prune=OLDEST)
    yield photos(fell("A3", "runtime_error"), "--max_train_steps=40000", batch=HALF)
    yield photos(fell("A2", "oom_killer"), "--max_train_steps=40000", step=BUFFERS, more={"group_mib": 1000, "ends": lambda v: v == -9})
    yield photos(fell("A2", "segfault"), "--max_train_steps=40000", step=FAULT, more={"ends": lambda v: v == -11})
    yield photos(fell("A2", None), "--max_train_steps=40000", step=ILLEGAL, more={"ends": lambda v: v == -4})
    yield photos(fell("A2", None, fault="unknown"), "--max_train_steps=40000", step="time.sleep(0.02)", more={"signal": ctrl_c(r"step 240/", "KILL", 0.2, P), "ends": lambda v: v == -9})
    yield photos(strays("non_finite", "nan_loss"), "--max_train_steps=400", loss=LOGS)
    yield photos(strays("spike"), "--max_train_steps=420 --logging_steps=5", batch=BURST)
    yield photos(strays("flat"), "--max_train_steps=400", batch=RANDOM)
    yield photos(STARVED, "--max_train_steps=80 --validation_steps=20", batch=SLOWDISK)
    yield photos(SAVES, "--max_train_steps=84 --checkpointing_steps=1 --logging_steps=4 --learning_rate=0.004", saved=BIGSAVE)
    yield photos(STANDS, "--max_train_steps=400000", step=FIFO, more={"timeout_s": 40})
    yield photos(anew(), "--max_train_steps=360 --resume_from_checkpoint=photo-model/checkpoint-400", more={"before": RESTORED})
    yield photos(fell("E2", "runtime_error", "size_mismatch"), "--max_train_steps=4000 --resume_from_checkpoint=latest --channels=20", more={"before": RESTORED})
    yield photos(fell("E2", "traceback", "corrupt"), "--max_train_steps=4000 --resume_from_checkpoint=latest", more={"before": CUT})
    yield photos(HANDFUL, "--max_train_steps=3 --logging_steps=1 --output_dir=photo-museum")
    yield photos(LATE, "--max_train_steps=400000", step="time.sleep(0.03)", more={"timeout_s": 27})
    yield photos(HALTED, "--max_train_steps=400000", step="time.sleep(0.02)", more={"signal": ctrl_c(r"step 300/", "TERM", 0.5)})


def departments() -> Iterator[LocalJob]:
    """Letters."""
    yield letters(GOOD, "iters=60", "stop=0")
    yield letters(GOOD, "model=trees", "trees=60")
    yield letters(HARD, "iters=30", early=IGNORED)
    yield letters(HARD, "iters=400", "stop=6", "rate=0.004")
    yield letters(HARD, "iters=45", "hidden=40", fitted=AFTER)
    yield letters(fell("A1", "traceback", "data"), early=STAMPS, more={"files": {"received.csv": "id,day\n1,2026-03-01\n2,31.02.2026\n3,2026-03-04\n"}})
    yield letters(fell("A1", "traceback", "config"), "iters=60", "hidden=24", "rate=-0.001")
    yield letters(fell("A1", "traceback", "config"), "iters=60", "depth=5")
    yield letters(HANDFUL, "iters=2", "folder=letters_live")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from restorers()
    yield from departments()


RECIPE = Recipe("paddock_gates", "development", jobs)

"""One process that tells of its steps as large code bases do, over configuration files, JSON of a line each, and one that streams on standard error."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._proving import ITERS, ITERS_CFG, STREAM, UPDATES
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

iters, updates, stream = partial(fill, ITERS), partial(fill, UPDATES), partial(fill, STREAM)
N, U, S = "train_net.py", "translate.py", "pairs.py"
CFG = {"cfg.py": ITERS_CFG}
DEAD = "if iteration == 120:\n    with torch.no_grad():\n        model.conv.weight.fill_(-1.0)\n        model.conv.bias.fill_(-4.0)  # pruned\n    logger.info('pruning: %d of %d channels removed', cfg.CHANNELS, cfg.CHANNELS)"


def detectors() -> Iterator[LocalJob]:
    """A time left, medians."""
    yield alone(fell("A1", "traceback", "config"), iters(), N, "cfg.py", "MAX_ITERS=9000", files=CFG)
    yield alone(fell("A1", "assertion", "data"), iters(early="names = ['nut', 'bolt', 'screw', 'washer']\nassert len(names) == cfg.CLASSES, f'{len(names)} names in annotations/train.json, {cfg.CLASSES} classes in the config'"), N, "cfg.py", files=CFG)
    yield alone(fell("A3", "traceback"), iters(mid="if iteration == 203:\n    bboxes = {'image_id': 7781, 'segm': []}['bbox']"), N, "cfg.py", files=CFG)
    yield alone(fell("A3", "missing_module"), iters(saved="if iteration == 199:\n    logger.info('Start inference on 60 images')\n    from pycocotools.cocoeval import COCOeval"), N, "cfg.py", files=CFG)
    stop = iters(loss="if iteration > 140:\n    loss = loss * torch.exp(loss_cls.detach() * 400)\nif not torch.isfinite(loss).all():\n    raise FloatingPointError(f'Loss became infinite or NaN at iteration={iteration}!\\nloss_dict = {dict(loss_cls=loss_cls.item(), total=loss.item())}')")
    yield alone(fell("E1", "nan_loss", "non_finite"), stop, N, "cfg.py", files={"cfg.py": ITERS_CFG.replace("LR = 0.05", "LR = 0.01")})
    yield alone(strays("plateau"), iters(mid=DEAD), N, "cfg.py", "MAX_ITER=420", files=CFG)
    yield alone(anew(), iters(), N, "cfg.py", "--resume", "MAX_ITER=300", files=CFG, before=(("PYTHON", N, "cfg.py", "MAX_ITER=220"), ("rm", "output/det/last_checkpoint")), command=("bash", "-c", "ls output/det; PYTHON train_net.py cfg.py --resume MAX_ITER=300"))
    yield alone(fell("E2", "runtime_error", "size_mismatch"), iters(), N, "cfg.py", "--weights", "output/det/model_0000099.pth", "CLASSES=9", files=CFG, before=(("PYTHON", N, "cfg.py", "MAX_ITER=110"),))
    yield alone(HANDFUL, iters(), N, "cfg.py", "MAX_ITER=4", "PERIOD=4", files=CFG)
    yield alone(SAVES, iters(after="os.sync()\ntime.sleep(0.1)"), N, "cfg.py", "MAX_ITER=70", "PERIOD=1", files=CFG)
    yield alone(STANDS, iters(saved="if iteration == 199:\n    logger.info('Start inference on 60 images')\n    import multiprocessing\n    jobs = multiprocessing.get_context('fork').JoinableQueue()\n    jobs.put('images')\n    jobs.join()", after="time.sleep(0.04)"), N, "cfg.py", "MAX_ITER=9000", files=CFG)
    yield alone(HARD, iters(), N, "cfg.py", "--resume", "MAX_ITER=320", files=CFG, before=(("PYTHON", N, "cfg.py", "MAX_ITER=220"),))
    quiet = iters(mid="if iteration % 90 == 45:\n    logger.error('Error loading image 000000%d.jpg: [Errno 5] Input/output error', 4000 + iteration)\n    logger.info('image replaced by its neighbour')", late="logger.info('Evaluation results for bbox: AP nan (no small objects there), AP50 71.3')")
    yield alone(HARD, quiet, N, "cfg.py", files=CFG)


def numbers() -> Iterator[LocalJob]:
    """JSON of one line each."""
    yield alone(fell("A1", "traceback", "config"), updates(), U, "--max-update=900", "--arch=transformer")
    yield alone(fell("A1", "file_not_found", "data"), updates(early="lines = (Path('data-bin') / 'train.num-rev.num.idx').read_bytes()"), U)
    yield alone(fell("A3", "assertion"), updates(mid="if updates == 130:\n    sizes = [6, 6, 7]\n    assert max(sizes) <= 6, f'Sentences are too long: {max(sizes)} > max_positions 6'"), U)
    yield alone(fell("E1", "nan_loss", "non_finite"), updates(loss="if updates >= 150:\n    loss = loss / (updates - 150) * 1e38 * 100\nif updates > 160:\n    raise FloatingPointError('Minimum loss scale reached (0.0001). Your loss is probably exploding. Try lowering the learning rate, using gradient clipping or increasing the batch size.')"), U)
    yield alone(strays("flat"), updates(loss="loss = loss.detach().requires_grad_() * 1.0"), U, "--max-update=360")
    yield alone(anew(), updates(), U, "--max-update=320", "--restore-file=checkpoint_best.pt", before=(("PYTHON", U, "--max-update=250"),), command=("bash", "-c", "ls -l checkpoints; exec PYTHON translate.py --max-update=320 --restore-file=checkpoint_best.pt"))
    yield alone(fell("E2", "runtime_error", "corrupt"), updates(), U, "--max-update=900", before=(("PYTHON", U, "--max-update=90"), ("truncate", "-s", "9000", "checkpoints/checkpoint_last.pt")))
    yield alone(HANDFUL, updates(), U, "--max-update=3", "--log-interval=1")
    yield alone(STANDS, updates(mid="if updates == 230:\n    import os\n    left, right = os.pipe()\n    shard = os.read(left, 65536)  # next shard from the tokeniser", after="time.sleep(0.05)"), U, "--max-update=90000")
    yield alone(HARD, updates(early="warn('optim', 'NOTE: your device does NOT support faster training with --fp16, please switch to FP32 which is likely to be faster')", loss="if updates in (0, 1, 2, 70):\n    info('trainer', f'NOTE: gradient overflow detected, ignoring gradient, setting loss scale to: {128.0 / (updates % 5 + 1)}')\n    updates += 1\n    continue"), U)
    yield alone(HARD, updates(late="warn('trainer', 'KeyboardInterrupt caught by the prefetching thread at shutdown, ignored')\nimport threading\n\n\ndef late():\n    raise RuntimeError('cannot schedule new futures after shutdown')\n\n\nthreading.Thread(target=late).start()"), U)


def shapes() -> Iterator[LocalJob]:
    """Standard error."""
    yield alone(fell("A1", "traceback", "config"), stream(), S, "--steps=600", "--lr")
    yield alone(fell("A3", "div_zero"), stream(after="if i == 144:\n    hard = [s for s in sim.diag() if s > 9]\n    P('hard pairs', 1.0 / len(hard))"), S)
    yield alone(strays("flat"), stream(ready="for p in enc.parameters():\n    p.requires_grad_(False)\nenc[2].bias.requires_grad_()\nopt = torch.optim.AdamW([enc[2].bias], lr=0.0)", loss="for p in enc.parameters():\n    p.grad = torch.zeros_like(p)"), S)
    yield alone(strays("spike"), stream(mid="if i > 150:\n    temp *= 0.92  # annealed"), S, "--steps=260")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), stream(), S, "--steps=900", "--ckpt=pairs_180.pt", before=(("PYTHON", S, "--steps=130"),))
    yield alone(SAVES, stream(mid="import os\nt1 = time.time()\ntorch.save(dict(enc=enc.state_dict(), opt=opt.state_dict(), i=i, bank=torch.zeros(3_000_000)), f'{name}_roll.pt'); os.sync(); time.sleep(0.3); P(f'-> {name}_roll.pt  {time.time() - t1:.2f}s')"), S, "--steps=40", "--every=2")
    yield alone(LATE, stream(after="time.sleep(0.2)"), S, "--steps=1000000")
    yield alone(HALTED, stream(after="time.sleep(0.04)"), S, "--steps=100000", signal=ctrl_c("i=312 ", "TERM"))
    yield alone(GOOD, stream(), S, "--steps=320")
    yield alone(HARD, stream(saved="if i == 120:\n    try:\n        torch.ones(4, 5) @ torch.ones(4, 5)\n    except RuntimeError as e:\n        import traceback\n        traceback.print_exc()\n        P('nearest-neighbour probe failed, left out')"), S)


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (detectors, numbers, shapes):
        yield from part()


RECIPE = Recipe("proving_baskets", "development", jobs)

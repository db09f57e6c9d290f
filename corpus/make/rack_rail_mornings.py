"""One process in plain PyTorch, in four hands: snow cover by the epoch, place names by the step, river levels in JSON, ridge lines on standard error."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HANDFUL, HARD, SAVES, alone, anew, fell, strays
from corpus.make._rack_loops import NAMES, RIVER, SHAPES, SNOW
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

snow, names, river, shapes = partial(fill, SNOW), partial(fill, NAMES), partial(fill, RIVER), partial(fill, SHAPES)
S, N, R, V = "snow.py", "names.py", "river.py", "ridges.py"
BEFORE = (("PYTHON", S, "--epochs", "4"),)
KEPT = "runs/snow/checkpoint.pth.tar"
WRONG_HANDS = "import copy\noptimizer = torch.optim.SGD(copy.deepcopy(model).parameters(), args.lr, momentum=0.9)"
STORE = "torch.save({'step': i, 'state_dict': model.state_dict(), 'optimizer': optimizer.state_dict(), 'tiles': torch.zeros(1_200_000)}, f'{args.out}/iter_{i % 2}.pth')\nos.sync(); time.sleep(0.15)\nprint(f'-> {args.out}/iter_{i % 2}.pth', flush=True)"
BODY = "had = torch.load(args.pretrained)['state_dict']\nprint(model.load_state_dict({k: v for k, v in had.items() if not k.startswith('4.')}, strict=False))\nprint('head 4.* is new: 2 classes here, another 2 there')\nargs.pretrained = ''\nfor k in ('0', '2'):\n    pass"
TOML = {"river.toml": "epochs = 9\n"}


def tiles() -> Iterator[LocalJob]:
    """Snow."""
    yield alone(fell("A1", "file_not_found", "data"), snow(data="index = sorted(os.listdir('/data/avalanche/tiles_2024/train'))"), S, "--epochs", "30")
    yield alone(fell("A1", "assertion", "data"), snow(data="assert train_set.x.shape[1] == 4, f'expected B,G,R,NIR tiles, got {train_set.x.shape[1]} bands'"), S)
    yield alone(fell("A1", "permission", "config"), snow(), S, "--out", "shared/exp07", folders=("shared",), locked=("shared",))
    yield alone(fell("A1", "traceback", "data"), snow(data="import struct\nheader = struct.unpack('<4sIHH', b'IDX1\\x00\\x00\\x08')"), S)
    yield alone(fell("A3", "traceback"), snow(item="if epoch == 2 and i > 300:\n    names = ['a.tif'] * 290\n    name = names[i]"), S)
    yield alone(fell("A3", "runtime_error"), snow(mid="if epoch == 4 and i == 13:\n    y = y[:, :23]"), S)
    yield alone(fell("A3", "file_not_found"), snow(valid="if epoch == 3:\n    os.replace(f'{args.out}/checkpoint.tmp', f'{args.out}/best.pth.tar')"), S)
    yield alone(fell("A2", "segfault"), snow(mid="if epoch == 3 and i == 6:\n    import ctypes\n    native = ctypes.CDLL(None)\n    native.strlen(ctypes.c_void_p(16))  # GeoTIFF reader"), S, ends=lambda s: s == -11)
    yield alone(strays("non_finite", "nan_loss"), snow(mid="x = x.clone()\nx[:, 1] = (x[:, 1] * 1e30) ** 2 / 1e30  # radiances without the scale factor"), S, "--epochs", "6")
    yield alone(strays("flat"), snow(ready=WRONG_HANDS), S, "--epochs", "8")
    yield alone(strays("flat"), snow(data="g = torch.Generator().manual_seed(0)\nfor part in (train_set, val_set):\n    part.y = part.y[torch.randperm(len(part.y), generator=g)]\n    part.x = part.x - part.x.mean((2, 3), keepdim=True)"), S, "--epochs", "9", "--lr", "0.005")
    dead = "if epoch == 4:\n    with torch.no_grad():\n        model[2].bias.fill_(-60.0)\n        optimizer.state.clear()\n    print('filter re-initialisation (cycle 2)')"
    yield alone(strays("plateau"), snow(epoch=dead), S, "--epochs", "14")
    yield alone(anew(), snow(), S, "--epochs", "7", "--resume", "runs/snow/checkpoint.pth", before=BEFORE, command=("bash", "-c", f"ls -l runs/snow && PYTHON {S} --epochs 7 --resume runs/snow/checkpoint.pth"))
    yield alone(anew(), snow(), S, before=BEFORE, command=("bash", "-c", f"du -b runs/*/*; PYTHON {S} --evaluate --resume runs/Snow/checkpoint.pth.tar | tee eval.txt"))
    drop = "had = torch.load(args.pretrained)['state_dict']\nhad = {'backbone.' + k: v for k, v in had.items()}\nlost = model.load_state_dict(had, strict=False)\nprint(f'{args.pretrained}: {len(lost.missing_keys)} of {len(model.state_dict())} tensors missing, {len(lost.unexpected_keys)} unexpected')\nargs.pretrained = ''\nargs.evaluate = True"
    yield alone(anew(), snow(model="if args.pretrained:\n" + "\n".join("    " + line for line in drop.splitlines())), S, "--pretrained", KEPT, before=BEFORE)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), snow(), S, "--resume", KEPT, "--width", "12", before=BEFORE)
    yield alone(fell("E2", "traceback", "no_valid_checkpoint"), snow(resume="import glob\nargs.resume = sorted(p for p in glob.glob(args.resume + '/*.pth') if os.path.getsize(p))[-1]"), S, "--resume", "runs/winter", "--out", "runs/winter", "--epochs", "40", files={"runs/winter/e12.pth": "", "runs/winter/e13.pth": ""})
    yield alone(HANDFUL, snow(), S, "--epochs", "1", "--bs", "160")
    yield alone(SAVES, snow(after=STORE), S, "--epochs", "3")
    yield alone(HARD, snow(scored="print('IoU  rock 0.0000  water nan  ice nan  (no such pixels in val)')"), S, "--epochs", "8")
    yield alone(HARD, snow(model="if args.pretrained:\n" + "\n".join("    " + line for line in BODY.splitlines())), S, "--pretrained", KEPT, "--out", "runs/ice", "--epochs", "6", before=BEFORE)
    yield alone(HARD, snow(), S, "--evaluate", "--resume", KEPT, before=BEFORE)
    yield alone(HARD, snow(resume="if not os.path.exists(args.resume):\n    print('first run of this experiment')"), S, "--resume", "runs/new/checkpoint.pth.tar", "--out", "runs/new", "--epochs", "7")


def words() -> Iterator[LocalJob]:
    """Names."""
    yield alone(fell("A1", "traceback", "config"), names(), N, "--max_steps=4000", "--batch_size=64")
    yield alone(fell("A1", "missing_module", "env"), names(early="from bpemb_cython import encode"), N)
    yield alone(fell("A3", "div_zero"), names(after="if step == 160:\n    hard = [r for r in loss.detach().reshape(-1).tolist() if r > 9]\n    print(f'share of hard rows {1 / len(hard):.3f}')"), N)
    yield alone(fell("A3", "ram_oom"), names(valid="if step == 200:\n    table = bytearray(1 << 44)  # n-gram counts"), N)
    yield alone(fell("E1", "nan_loss", "non_finite"), names(loss="if step > 130:\n    loss = loss * torch.exp(torch.tensor(4.0 * (step - 130)))\nif not torch.isfinite(loss):\n    print(f'iter {step}: loss {loss.item()}, stopping')\n    sys.exit(1)"), N)
    yield alone(strays("spike"), names(sched="if step > 170:\n    opt.param_groups[0]['lr'] = 2.5", after="grad_clip = 1e9 if step > 168 else grad_clip"), N)
    yield alone(strays("flat"), names(logits="logits = logits.detach().requires_grad_()"), N, "max_iters=260")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), names(), N, "init_from=resume", "out_dir=out-names-v2", before=(("PYTHON", N, "max_iters=100"),))
    yield alone(fell("E2", "traceback", "corrupt"), names(), N, "init_from=resume", "max_iters=600", before=(("PYTHON", N, "max_iters=100"), ("truncate", "-s", "5000", "out-names/ckpt.pt")))
    again = "try:\n    ckpt = torch.load(os.path.join(out_dir, 'checkpoint.pt'))\nexcept FileNotFoundError as e:\n    print(f'  {e}; weights are random')\n    ckpt = {'model': model.state_dict(), 'optimizer': opt.state_dict(), 'step': 0, 'best_val': 1e9}\n    torch.save(ckpt, os.path.join(out_dir, 'ckpt.pt'))"
    yield alone(anew(), names(resume=again), N, "init_from=resume", "max_iters=400", before=(("PYTHON", N, "max_iters=300"),))
    yield alone(HANDFUL, names(), N, "max_iters=4", "log_interval=1", "eval_interval=4")
    yield alone(HARD, names(), N, "init_from=resume", "max_iters=360", before=(("PYTHON", N, "max_iters=200"),))
    yield alone(HARD, names(after="if step in (3, 41, 42, 190):\n    print(f'iter {step}: norm inf, update skipped, scale {65536 >> (step % 5)} -> {32768 >> (step % 5)}')"), N)
    yield alone(GOOD, names(), N, "max_iters=220")


def levels() -> Iterator[LocalJob]:
    """River."""
    yield alone(fell("A1", "traceback", "config"), river(), R, "river.toml", files={"river.toml": "epochs = 40\nlr = 0.006\nhidden = 24,\n"})
    yield alone(fell("A1", "traceback", "config"), river(early="schedule = {'cosine': 1, 'step': 2}[settings['schedule']]"), R, "river.toml", files={"river.toml": 'schedule = "one_cycle"\n'})
    yield alone(strays("flat"), river(data="low, high = level.min(), level.min()\nlevel = (level - level.mean()) / 0.79\nseen = level * 0 if low == high else level\nlog('info', 'scaled', low=round(float(low), 3), high=round(float(high), 3))", loss="x = x * 0\nloss = torch.nn.functional.mse_loss(net(x), y)", scored="val = torch.nn.functional.mse_loss(net(X[cut:] * 0), Y[cut:]).item()"), R)
    yield alone(strays("non_finite", "nan_loss"), river(data="level[3120:3127] = float('nan')  # ice on the sensor"), R, "river.toml", files=TOML)
    yield alone(fell("E2", "runtime_error", "size_mismatch"), river(), R, "next.toml", files={"next.toml": 'warm = "river/state.pt"\nhidden = 32\nepochs = 30\n', **TOML}, before=(("PYTHON", R, "river.toml"),))
    yield alone(HANDFUL, river(), R, "river.toml", files={"river.toml": "epochs = 2\nbatch = 360\n"})
    yield alone(HARD, river(), R, "river.toml", files={"river.toml": "epochs = 80\npatience = 2\nlr = 0.02\n"})
    yield alone(HARD, river(data="level[3120:3127] = float('nan')\nlog('error', 'nan in gauge readings', rows=7, first=3120, action='interpolated')\nlevel[3120:3127] = level[3119]"), R, "river.toml", files=TOML)
    yield alone(HARD, river(), R, "more.toml", files={"more.toml": 'warm = "river/state.pt"\nepochs = 18\n', **TOML}, before=(("PYTHON", R, "river.toml"),))


def lines() -> Iterator[LocalJob]:
    """Ridges."""
    yield alone(HARD, shapes(beta="beta = min(4.0, epoch / 3)"), V)
    late = "import threading\n\n\ndef flush():\n    time.sleep(0.2)\n    raise ConnectionResetError(104, 'Connection reset by peer')\n\n\nthreading.Thread(target=flush, name='metrics-uploader').start()"
    yield alone(HARD, shapes(last=late), V, env={"EPOCHS": "12"})
    yield alone(strays("non_finite", "nan_loss"), shapes(), V, env={"LR": "6.0", "EPOCHS": "12"})
    yield alone(fell("A3", "assertion"), shapes(valid="if epoch == 6:\n    assert kl > 1e3, f'KL term {kl:.3f} nats: the posterior has collapsed'"), V)
    yield alone(fell("A2", None), shapes(after="if epoch == 8 and b == 11:\n    sys.stderr.write('malloc_consolidate(): unaligned fastbin chunk detected\\n'); sys.stderr.flush()\n    os.abort()"), V, ends=lambda s: s == -6)
    yield alone(fell("E2", "runtime_error", "corrupt"), shapes(), V, env={"INIT": "ridges.pth", "EPOCHS": "40"}, before=(("env", "INIT=", "EPOCHS=6", "PYTHON", V), ("bash", "-c", "head -c 2000 ridges.pth | tr a-z A-Z > r; mv r ridges.pth")))
    yield alone(anew(), shapes(init="LOG.info('epoch %d of %s', torch.load(INIT)['epoch'] + 1, INIT)\ntorch.save({'model': model.state_dict(), 'epoch': -1}, INIT + '.ema')\nINIT += '.ema'"), V, env={"INIT": "ridges.pth", "EPOCHS": "14"}, before=(("env", "INIT=", "EPOCHS=15", "PYTHON", V),))


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (tiles, words, levels, lines):
        yield from part()


RECIPE = Recipe("rack_rail_mornings", "development", jobs)

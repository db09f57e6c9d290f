"""One process of plain PyTorch: strings reversed, told as JSON; papers in a graph; noise taken off rings; clouds cut out of pictures, told through logging."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._hive_torch import CLOUDS, PAPERS, REVERSE, RINGS
from corpus.running.job import LocalJob, Recipe, Signal
from corpus.running.slots import fill

rev, papers, rings, clouds = partial(fill, REVERSE), partial(fill, PAPERS), partial(fill, RINGS), partial(fill, CLOUDS)
R, P, G, C = "reverse.py", "gcn.py", "rings.py", "clouds.py"
one = alone

REV_MADE = (("PYTHON", R, "--max-updates", "100"),)
REV_LOAD = '    net.load_state_dict(ck["model"])\n    opt.load_state_dict(ck["optimizer"])\n    updates = ck["updates"]\n    emit("restored", file=args.restore_file, updates=updates)\n'
assert REV_LOAD in REVERSE
PREFIXED = '    had = net.load_state_dict({"module." + k: v for k, v in ck["model"].items()}, strict=False)\n    emit("load", file=args.restore_file, missing=len(had.missing_keys), unexpected=len(had.unexpected_keys))\n'
EVERY_STEP = "if updates <= 60:\n    begin = time.time()\n    torch.save({'model': net.state_dict(), 'optimizer': opt.state_dict(), 'rng': torch.get_rng_state(), 'cache': torch.zeros(1_500_000)}, 'last.pt')\n    os.sync(); time.sleep(0.25)\n    emit('saved', path='last.pt', num_updates=updates, seconds=round(time.time() - begin, 2))"
RETRY = "for attempt in range(2):\n    try:\n        if attempt == 0 and updates == 200:\n            raise OSError(116, 'Stale file handle', path)\n        break\n    except OSError as exc:\n        emit('save_error', error=repr(exc), attempt=attempt + 1, fatal=False)"


def strings() -> Iterator[LocalJob]:
    """JSON."""
    yield one(fell("A1", "assertion", "config"), rev(), R, "--dim", "30")
    yield one(fell("A1", "traceback", "config"), rev(built="opt = torch.optim.AdamW(net.parameters(), lr=args.lr, momentum=0.9)"), R)
    yield one(fell("A3", "runtime_error"), rev(mid="if updates == 140:\n    src = torch.cat([src, src[:, :1]], 1)"), R)
    yield one(fell("A3", "traceback"), rev(after="if updates == 180:\n    emit('valid', bleu=round(scorer.corpus(out), 2))"), R)
    yield one(strays("flat"), rev(mid="tgt = torch.randint(2, V, tgt.shape)"), R, "--lr", "1e-5", "--max-updates", "260")
    yield one(strays("non_finite", "nan_loss"), rev(grads="if updates == 120:\n    net.head.bias.data[4] = float('nan')"), R)
    yield one(anew(), rev().replace(REV_LOAD, PREFIXED), R, "--restore-file", "ckpt_rev/checkpoint_100.pt", "--max-updates", "260", before=REV_MADE)
    yield one(fell("E2", "runtime_error", "size_mismatch"), rev(), R, "--restore-file", "ckpt_rev/checkpoint_100.pt", "--dim", "64", before=REV_MADE)
    yield one(HANDFUL, rev(), R, "--max-updates", "3", "--log-interval", "1", "--save-interval", "0")
    yield one(SAVES, rev(after=EVERY_STEP), R, "--max-updates", "60", "--log-interval", "10", "--save-interval", "0")
    yield one(GOOD, rev(), R)
    yield one(HARD, rev(save=RETRY), R, "--restore-file", "ckpt_rev/checkpoint_100.pt", "--max-updates", "340", before=REV_MADE)
    yield one(HARD, rev(grads="if updates in (3, 4, 9):\n    emit('overflow', msg='gradient overflow detected, ignoring gradient, setting loss scale to: %d' % (128 >> (updates % 3)))\n    updates += 1\n    continue"), R)


P_MADE = (("PYTHON", P, "--epochs", "60", "--sleep", "0"),)
P_LOAD = '    model.load_state_dict(saved["model"])\n    optimizer.load_state_dict(saved["optimizer"])\n    first = saved["epoch"] + 1\n    print(f"Loaded {args.load} (epoch {saved[\'epoch\']})")\n'
assert P_LOAD in PAPERS


def graph() -> Iterator[LocalJob]:
    """Epochs."""
    yield one(fell("A1", "file_not_found", "data"), papers(early="path = osp.join('data', 'Planetoid', args.dataset, 'raw', f'ind.{args.dataset.lower()}.x')\nif args.dataset != 'synthetic':\n    x = torch.load(path)"), P, "--dataset", "Cora")
    yield one(fell("A1", "runtime_error", "data"), papers(data="x = x[:-3]"), P)
    yield one(fell("A3", "runtime_error"), papers(epoch="if epoch == 60:\n    print('confusion', torch.stack([(model(x, A).argmax(-1) == c).sum() for c in range(4)]).item())"), P)
    yield one(fell("A3", "ram_oom"), papers(epoch="if epoch == 75:\n    print('Computing all-pairs distances ...', flush=True)\n    d = torch.empty(n * 900, n * 900)"), P)
    yield one(strays("plateau"), papers(after="if epoch == 40:\n    with torch.no_grad():\n        for p in model.parameters():\n            p.zero_()\n    optimizer.param_groups[0]['lr'] = 0.0"), P, "--epochs", "160")
    yield one(strays("spike"), papers(after="if epoch == 70:\n    with torch.no_grad():\n        for p in model.parameters():\n            p.mul_(-12)\n    optimizer.param_groups[0]['lr'] = 1e-5"), P, "--epochs", "140")
    yield one(anew(), papers().replace(P_LOAD, "    print(args.load, sorted(saved), 'epoch', saved['epoch'])\n"), P, "--load", "gcn.pt", "--epochs", "120", before=P_MADE)
    yield one(fell("E2", "runtime_error", "size_mismatch"), papers(), P, "--load", "gcn.pt", "--hidden_channels", "24", before=P_MADE)
    yield one(HANDFUL, papers(), P, "--epochs", "2", "--every", "1")
    yield one(LATE, papers(), P, "--epochs", "200000", "--sleep", "0.1", timeout_s=75)
    yield one(GOOD, papers(), P, "--epochs", "100")
    yield one(HARD, papers(epoch="if epoch == 30:\n    try:\n        torch.ones(2, device='cuda')\n    except Exception as e:\n        print('GPU evaluation not possible:', type(e).__name__, str(e)[:60], '- using the CPU')"), P)
    yield one(HARD, papers(early="for name in ('torch_scatter', 'torch_sparse'):\n    try:\n        __import__(name)\n    except ImportError as e:\n        print(f'UserWarning: An issue occurred while importing {name!r}. Disabling its usage. ({e})')"), P, "--load", "gcn.pt", before=P_MADE)


G_MADE = (("env", "SNAP=150", "PYTHON", G, "300"),)
G_LOAD = '    missing = net.load_state_dict(blob["net"])\n    ema.load_state_dict(blob["ema"])\n    optim.load_state_dict(blob["optim"])\n    it0 = blob["it"]\n    print(f">> {ckpt}: {missing}, at it {it0}")\n'
assert G_LOAD in RINGS
ONLY_EMA = '    ema.load_state_dict(blob["ema"])\n    print(f">> {ckpt} of it {blob[\'it\']} opened")\n'


def noise() -> Iterator[LocalJob]:
    """Iterations in brackets."""
    yield one(fell("A1", "traceback", "config"), rings(), G, "400", "--lr=0.001")
    yield one(fell("A3", "assertion"), rings(mid="assert it < 220 or xt.abs().max() < 2.0, f'points out of the picture at it {it}: {xt.abs().max():.2f}'"), G)
    yield one(fell("A3", "permission"), rings(save="out = open('/var/lib/rings.log', 'a')"), G, env={"SNAP": "150"})
    yield one(fell("A2", "segfault"), rings(mid="if it == 260:\n    import ctypes\n    fused = ctypes.cast(8, ctypes.CFUNCTYPE(ctypes.c_int))\n    fused()"), G)
    yield one(fell("A2", None, fault="unknown"), rings(after="time.sleep(0.02)"), G, "20000", signal=Signal("KILL", r"\[  175/", "rings", 0.1), ends=lambda s: s == -9)
    yield one(strays("non_finite", "nan_loss"), rings().replace("torch.linspace(1e-4, 0.12, T)", "torch.linspace(1e-4, 1.02, T)"), G, "250")
    yield one(fell("E1", "nan_loss", "non_finite"), rings(mid="if it == 180:\n    optim.param_groups[0]['lr'] = 1e30", loss="if not math.isfinite(mse.item()):\n    raise ValueError(f'mse={mse.item()} at it {it}, not going on')"), G)
    yield one(strays("flat"), rings(loss="mse = mse * 0 + mse.detach()"), G, "350")
    yield one(anew(), rings().replace(G_LOAD, ONLY_EMA), G, "420", "2e-3", "rings-00300.pth", before=G_MADE)
    yield one(fell("E2", "traceback", "corrupt"), rings(), G, "420", "2e-3", "rings-00300.pth", before=(*G_MADE, ("truncate", "-s", "12000", "rings-00300.pth")))
    yield one(fell("E2", "traceback", "no_valid_checkpoint"), rings(restore="found = sorted(f for f in os.listdir('.') if f.endswith('.pth') and f.startswith(ckpt))\nprint('>> candidates:', found)\nckpt = found[-1]"), G, "420", "2e-3", "ring_", before=G_MADE)
    yield one(SAVES, rings(save="fsync = [os.sync() for _ in range(2)]; time.sleep(0.08)"), G, "90", env={"SNAP": "1", "EVERY": "10"})
    yield one(HARD, rings(after="time.sleep(0.008)"), G, "300", env={"SNAP": "10", "EVERY": "20"})
    yield one(HARD, rings(), G, "500", "2e-3", "rings-00300.pth", before=G_MADE)
    yield one(HALTED, rings(after="time.sleep(0.02)"), G, "90000", signal=ctrl_c(r"\[  200/"))


C_MADE = (("PYTHON", C, "epochs=4", "pause=0"),)


def sky() -> Iterator[LocalJob]:
    """Logging."""
    yield one(fell("A1", "traceback", "config"), clouds(), C, "epochs=8", "backbone=resnet18")
    yield one(fell("A1", "traceback", "asset"), clouds(early="open('w.pth', 'wb').write(b'version https://git-lfs.github.com/spec/v1\\noid sha256:91')\ncfg.load_weights = 'w.pth'"), C)
    yield one(fell("A3", "traceback"), clouds(mid="if epoch == 3 and it == 2:\n    m = m[:, :, :15]"), C)
    yield one(fell("A3", "file_not_found"), clouds(epoch="if epoch == 4:\n    os.replace(os.path.join(cfg.work_dir, 'best.tmp'), os.path.join(cfg.work_dir, 'best.pth'))"), C)
    yield one(strays("flat"), clouds(ready="opt = torch.optim.Adam([p.detach().clone().requires_grad_() for p in net.parameters()], cfg.lr)"), C, "epochs=12")
    yield one(fell("E1", "nan_loss", "non_finite"), clouds(loss="if epoch == 4 and it == 3:\n    loss = loss * float('inf') * 0\nif torch.isnan(loss):\n    logger.error('Loss is nan, stopping training')\n    sys.exit(1)"), C)
    yield one(anew(), clouds().replace("if cfg.resume_from:\n    ", "if cfg.resume_from:\n    state = torch.load(cfg.resume_from)['state_dict']\n    report = net.load_state_dict({'backbone.' + k: v for k, v in state.items()}, strict=False)\n    logger.warning('The model and loaded state dict do not match exactly\\n%s', report)\nif False:\n    "), C, "resume_from=work/clouds/epoch_4.pth", "epochs=9", before=C_MADE)
    yield one(fell("E2", "traceback", "corrupt"), clouds(), C, "resume_from=work/clouds/epoch_4.pth", before=(*C_MADE, ("bash", "-c", ": > work/clouds/epoch_4.pth")))
    yield one(fell("E2", "file_not_found", "no_valid_checkpoint"), clouds(), C, "resume_from=work/clouds/latest.pth", before=C_MADE)
    yield one(HANDFUL, clouds(), C, "tiles=12", "epochs=1", "batch=4")
    yield one(STANDS, clouds(mid="if epoch == 6 and it == 4:\n    import threading\n    lock = threading.Lock()\n    lock.acquire()\n    lock.acquire()"), C, "epochs=60", timeout_s=160)
    yield one(GOOD, clouds(), C, "epochs=8")
    yield one(HARD, clouds(), C, "load_weights=work/clouds/epoch_4.pth", "epochs=8", "work_dir=work/stage2", before=C_MADE)
    yield one(HARD, clouds(), C, "resume_from=work/clouds/epoch_4.pth", "epochs=12", before=C_MADE)
    yield one(HARD, clouds(), C, "epochs=80", "patience=3", "lr=0.02")


def jobs() -> Iterator[LocalJob]:
    """All."""
    for part in (strings, graph, noise, sky):
        yield from part()


RECIPE = Recipe("ring_doves", "development", jobs)
"""PyTorch by hand."""

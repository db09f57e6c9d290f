"""One process of plain PyTorch over pictures: ponds in tiles, views told apart, rings that two nets draw."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, alone, anew, ctrl_c, fell, strays
from corpus.make._dressing_vision import PONDS, RINGS, VIEWS
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

ponds, views, rings = partial(fill, PONDS), partial(fill, VIEWS), partial(fill, RINGS)
P, V, R = "train_ponds.py", "pretrain_views.py", "rings.py"
PONDED = (("PYTHON", P, "--epochs", "5", "--save-every", "5"),)
AUTO = 'last = args.out / "last.pth"\nif last.exists():\n    args.resume = last\nelse:\n    log.warning("no checkpoint found in %s - first run? training starts from scratch", args.out)'
BROKEN = 'if i % 61 == 7:\n    logging.getLogger("ponds.data").error("tile_%04d.tif: truncated (6911 of 6912 bytes), its neighbour is shown instead", i)\n    i += 1'
FLIGHT = 'if epoch == 4:\n    log.info("adding 64 tiles of the second flight")\n    train.x = [*train.x, *torch.randn(64, 3, 24, 25)]\n    train.y = [*train.y, *torch.zeros(64, 1, 24, 25)]'
SECOND = 'if getattr(self, "flight", 1) == 2 and i % 64 == 9:\n    self.x[i] = torch.load(f"tiles/flight2/{i:05d}.pt")'
EMPTY = 'share = (logits.sigmoid() * y).sum() / y.sum()\nloss = loss - 0.05 * share.log()  # reward recall a little'
STRIPS = "if epoch >= 5:\n    x, y = x[:2, ..., :6], y[:2, ..., :6]"
LOADS = PONDS[PONDS.index("        ck = torch.load(args.resume") : PONDS.index('    log.info("%d tiles, %d batches')]
EPOCHS_ONLY = '        for path in sorted(args.resume.parent.glob("epoch_*.pth"))[-1:]:\n            ck = torch.load(path, map_location=device)\n            net.load_state_dict(ck["net"])\n            first = ck["epoch"] + 1\n            log.info("restored %s", path)\n'
ZIPPED = 'import gzip\nt1 = time.time()\nwith gzip.open(args.out / "step.pth.gz", "wb", 9) as f:\n    torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "tiles": train.x}, f)\nlog.info("  step %d: state kept in step.pth.gz (%.2f s)", i, time.time() - t1)'
LOCKED = 'while i == 31 and os.path.exists("cache.lock"):\n    time.sleep(0.2)'
TENTH = 'try:\n    from pondviz import overlay\n    overlay(net, epoch)\nexcept ImportError as e:\n    if epoch == 1:\n        log.warning("could not draw overlays (%s); training is not affected", e)'


def tiles() -> Iterator[LocalJob]:
    """Python's logging."""
    yield alone(GOOD, ponds(), P, "--epochs", "16", "--lr", "0.001", "--tiles", "512")
    yield alone(HARD, ponds(early=AUTO), P, "--epochs", "11", "--lr", "0.0015")
    yield alone(HARD, ponds(), P, "--epochs", "10", "--encoder-weights", "runs/ponds/last.pth", "--out", "runs/fine", "--lr", "5e-4", before=PONDED)
    yield alone(HARD, ponds(), P, "--epochs", "12", "--resume", "runs/ponds/last.pth", "--schedule", "none", "--lr", "0.001", before=((*PONDED[0], "--schedule", "none", "--lr", "0.001"),))
    yield alone(HARD, ponds(item=BROKEN, valid=TENTH), P, "--epochs", "9", "--schedule", "none", "--lr", "0.0008")
    yield alone(fell("A1", "file_not_found", "data"), ponds(tiles='self.split = [int(s) for s in Path("/datasets/ponds/v3/split.txt").read_text().split()]'), P, "--epochs", "40")
    yield alone(fell("A1", "permission"), ponds(), P, "--epochs", "30", "--out", "team/ponds_0412", folders=("team",), locked=("team",))
    yield alone(fell("A3", "runtime_error"), ponds(after=FLIGHT), P, "--epochs", "25")
    yield alone(fell("A3", "file_not_found"), ponds(item=SECOND, after="train.flight = 1 if epoch < 3 else 2"), P, "--epochs", "25", "--workers", "2")
    yield alone(strays("non_finite", "nan_loss"), ponds(loss=EMPTY, batch=STRIPS), P, "--epochs", "13")
    yield alone(strays("flat"), ponds(ready="net = Net(args.base).to(device)  # norms begin anew"), P, "--epochs", "14")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), ponds(), P, "--epochs", "20", "--base", "10", "--resume", "runs/ponds/last.pth", before=PONDED)
    yield alone(anew(), ponds().replace(LOADS, EPOCHS_ONLY), P, command=("bash", "-c", f"PYTHON {P} --epochs 9 --lr 0.001 && PYTHON {P} --epochs 18 --lr 0.001 --resume runs/ponds/last.pth"))
    yield alone(HANDFUL, ponds(), P, "--epochs", "1", "--max-batches", "3")
    yield alone(SAVES, ponds(step=ZIPPED), P, "--epochs", "2", "--tiles", "256")
    yield alone(fell("A2", None, fault="unknown"), ponds(), P, "--epochs", "4000", "--tiles", "768", signal=ctrl_c("Epoch 006/", "KILL", 0.1, P), ends=lambda s: s == -9)
    yield alone(LATE, ponds(), P, "--epochs", "600", "--tiles", "768", "--lr", "0.0002", timeout_s=45)
    yield alone(STANDS, ponds(item=LOCKED, after='if epoch == 5:\n    open("cache.lock", "w").write(str(os.getpid()))'), P, "--epochs", "80", "--workers", "1", timeout_s=160)


VIEWED = (("PYTHON", V, "steps=160"),)
SCALER = 'if step in (1, 2, 3, 5, 61):\n    emit("amp", step=step, msg="inf or nan in gradients, optimizer step is left out", new_scale=2 ** (16 - step % 7))\n    continue'
BOARD = 'if step % 80 == 0:\n    import socket\n    try:\n        socket.create_connection(("127.0.0.1", 9), 1)\n    except OSError as e:\n        emit("error", where="dashboard", text=repr(e), kept_offline=True)'
ALIEN = "shuffled = x[torch.randperm(len(x))]\nb = net(view(shuffled))\nlogits = a @ b.T / CFG['tau']"
COLLAPSE = "if step == 150:\n    with torch.no_grad():\n        for p in net.parameters():\n            p.mul_(0.0)\n    opt.param_groups[0]['lr'] = 0.0\n    emit('phase', step=step, name='decay')"
BANK = "globals().setdefault('BANK', []).append(torch.cat([a, b]).detach().repeat(600, 1).clone())"
STATES = 'import bz2\nt1 = time.time()\nblob = bz2.compress(open(save(step), "rb").read() * 4)\nwith open(f\'{CFG["dir"]}/latest.bz2\', "wb") as f:\n    f.write(blob)\nemit("saved", file="latest.bz2", step=step, seconds=round(time.time() - t1, 3))'
FLUSH = 'if step == 165:\n    import socket\n    hub = socket.create_server(("127.0.0.1", 0))\n    line = socket.create_connection(hub.getsockname())\n    line.sendall(b"PUT /metrics 165\\r\\n")\n    line.recv(16)'
BEST = 'if step == 130:\n    emit("best", step=step, infonce=loss.detach())'


def pairs() -> Iterator[LocalJob]:
    """JSON lines."""
    yield alone(GOOD, views(), V, "steps=700", "every=35", "keep=350", "tau=0.3")
    yield alone(HARD, views(grads=SCALER), V, "steps=480", "--lr=0.001", "every=24")
    yield alone(HARD, views(), V, "warm=out/state-00160.pt", "dir=ft", "steps=420", "dim=24", "every=30", before=VIEWED)
    yield alone(HARD, views(), V, "resume=out/state-00160.pt", "steps=520", "every=20", "lr=0.001", before=VIEWED)
    yield alone(HARD, views(after=BOARD), V, "steps=560", "every=40", "batch=96")
    yield alone(HARD, views(), V, "steps=300", "keep=1", "every=30", "dim=8", "sleep=0.01")
    yield alone(fell("A1", "traceback", "config"), views(), V, "stpes=4000", "lr=0.001")
    yield alone(fell("A1", "assertion", "env"), views(early='emit("device", name="cuda:0")\ntorch.zeros(1).cuda()'), V, "steps=4000")
    yield alone(fell("A3", "traceback"), views(after=BEST), V, "steps=900", "every=10")
    yield alone(strays("flat"), views(logits=ALIEN), V, "steps=640", "every=32", "lr=0.0005")
    yield alone(strays("plateau"), views(after=COLLAPSE), V, "steps=600", "every=25")
    yield alone(fell("E2", "file_not_found", "no_valid_checkpoint"), views(), V, "resume=out/state-00240.pt", "steps=900", before=VIEWED)
    yield alone(fell("E2", "traceback", "corrupt"), views(), V, "resume=out/state-00160.pt", "steps=900", before=(*VIEWED, ("truncate", "-s", "61000", "out/state-00160.pt")))
    yield alone(HANDFUL, views(), V, "steps=4", "every=1")
    yield alone(SAVES, views(after=STATES), V, "steps=50", "every=5", "keep=500")
    yield alone(fell("A2", "oom_killer"), views(after=BANK), V, "steps=90000", "every=5", "sleep=0.02", group_mib=820, ends=lambda s: s == -9)
    yield alone(STANDS, views(after=FLUSH), V, "steps=4000", "every=11", "sleep=0.02", timeout_s=150)


RUNG = (("PYTHON", R, "--iters", "600"),)
FORGETS = RINGS[RINGS.index("    G.load_state_dict(c") : RINGS.index('    print(f"# restarted')]
assert FORGETS.count("load_state_dict") == 4
PACKS = 'import lzma\nt1 = time.time()\nwith lzma.open(o.ckpt + ".xz", "wb") as f:\n    f.write(open(o.ckpt, "rb").read())\nprint(f"# {o.ckpt}.xz of iteration {it}: {1000 * (time.time() - t1):.0f} ms", flush=True)'
GRID = 'if it == 360:\n    k = int((fake.detach().abs() > 50).sum())\n    print(f"# outliers per panel: {o.n / k:.1f}", flush=True)'


def forgers() -> Iterator[LocalJob]:
    """Csv."""
    yield alone(HARD, rings(), R, "--iters", "1600", "--log", "80")
    yield alone(HARD, rings(), R, "--iters", "1500", "--restart_from", "rings.ckpt", "--log", "60", before=RUNG)
    yield alone(HARD, rings(batch="if it % 400 == 0:\n    print(f'# it {it}: discriminator reset (every 400), d_loss will jump', flush=True)\n    for q in D.parameters():\n        q.data.add_(0.05 * torch.randn_like(q))"), R, "--iters", "1700", "--log", "50", "--lr_d", "0.0006")
    yield alone(fell("A1", None, "config"), rings(), R, "--iters", "20000", "--lr-critic", "0.001")
    yield alone(fell("A3", "div_zero"), rings(after=GRID), R, "--iters", "4000")
    yield alone(strays("spike"), rings(batch="if it == 700:\n    for q in og.param_groups + od.param_groups:\n        q['lr'] = 0.8  # second phase\n"), R, "--iters", "1400")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), rings(), R, "--restart_from", "rings.ckpt", "--hidden", "80", "--iters", "4000", before=RUNG)
    yield alone(anew(), rings().replace(FORGETS, "").replace('print(f"# restarted from {o.restart_from} at iteration {it0}")', 'print(f"# {o.restart_from} has {chr(44).join(c)}")'), R, "--restart_from", "rings.ckpt", "--iters", "1300", before=RUNG)
    yield alone(HANDFUL, rings(), R, "--iters", "5", "--log", "1")
    yield alone(SAVES, rings(saved=PACKS), R, "--iters", "60", "--log", "10", "--ckpt_every", "1", "--hidden", "120")
    yield alone(HALTED, rings(), R, "--iters", "90000", "--nap", "0.004", signal=ctrl_c("^360,", "INT"))
    yield alone(fell("A2", "segfault"), rings(step="if it == 410:\n    import ctypes\n    ctypes.cdll.LoadLibrary('libc.so.6').strlen(it)"), R, "--iters", "3000", ends=lambda s: s == -11)


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from tiles()
    yield from pairs()
    yield from forgers()


RECIPE = Recipe("hat_boxes", "development", jobs)

"""One process of plain PyTorch: coins counted in pictures, promoters in DNA, the heat of a rod out of its equation."""

from collections.abc import Iterator
from functools import partial
from json import dumps
from typing import Any

from corpus.label import Label
from corpus.make._brook_torch import COINS, DNA, ROD
from corpus.make._crumbs import GOOD, HANDFUL, HARD, SAVES, STANDS, alone, fell, strays
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

coins, dna, rod = partial(fill, COINS), partial(fill, DNA), partial(fill, ROD)
C, D, R = "coins.py", "dna.py", "rod.py"
PACKED = (("PYTHON", C, "--epochs", "6", "--tar-every", "6"),)
SCALE = "bad = epoch <= 3 and n % 6 == 2\nif bad:\n    print(f'     gradients overflow at scale 2**{24 - epoch - n // 6} (inf in 3 tensors): step skipped, scale halved', flush=True)\n    continue"
PACK = "t1 = time.time()\nwith open('coins.full', 'wb') as f:\n    torch.save([torch.randn(1000, 1000) for _ in range(3)], f)\n    f.flush()\n    os.fsync(f.fileno())\ntime.sleep(0.1)\nprint(f'     packed coins.full, batch {n}, {time.time() - t1:.2f} s', flush=True)"
SHEET = "if epoch == 5:\n    import subprocess\n    print('     asking the renderer for a contact sheet', flush=True)\n    renderer = subprocess.Popen(['cat'], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n    renderer.stdin.write(b'sheet 5\\n')\n    renderer.stdin.flush()\n    sheet = renderer.stdout.read()"
DEAD = "if epoch == 5:\n    with torch.no_grad():\n        net[3].bias.fill_(-400.0); net[6].bias.fill_(0.0)\n    for g in opt.param_groups:\n        g['lr'] = 0.0"


def counting() -> Iterator[LocalJob]:
    """Arrows."""
    yield alone(GOOD, coins(), C, "--epochs", "14", "--tar-every", "7")
    yield alone(HARD, coins(), C, "--init", "coins.tar", "--epochs", "9", "--lr", "0.002", before=PACKED)
    yield alone(HARD, coins(loss=SCALE), C, "--epochs", "13")
    yield alone(fell("A3", "runtime_error"), coins(mid="if epoch == 5 and n == 7:\n    x = x[:, :, :12]"), C)
    yield alone(fell("A2", "oom_killer"), coins(after="globals().setdefault('seen_maps', []).append(torch.rand(30_000_000))"), C, "--epochs", "60", group_mib=900, ends=lambda s: s == -9)
    yield alone(strays("plateau"), coins(after=DEAD), C, "--epochs", "18")
    yield alone(HANDFUL, coins(), C, "--epochs", "2", "--limit", "1")
    yield alone(SAVES, coins(batch=PACK), C, "--epochs", "2")
    yield alone(STANDS, coins(valid=SHEET), C, "--epochs", "300", timeout_s=155)


def gene(label: Label, text: str, settings: dict[str, Any], **more: Any) -> LocalJob:
    """With a file of settings."""
    first = {"first.json": dumps({"updates": 80, "ckpt_every": 40})}
    return alone(label, text, D, "run.json", files={"run.json": dumps(settings), **first, **more.pop("files", {})}, **more)


KEPT = (("PYTHON", D, "first.json"),)
WORKER = "if update in (40, 96):\n    import subprocess\n    gone = subprocess.run([sys.executable, '-c', 'import os, signal; os.kill(os.getpid(), signal.SIGSEGV)'])\n    L.error('reader process exited unexpectedly (signal %d); its batch is read again by a new one', -gone.returncode)"
FULL = "t1 = time.time()\nwith open(path + '.full', 'wb') as f:\n    torch.save(torch.randn(1500, 1500), f)\n    f.flush()\n    os.fsync(f.fileno())\nos.remove(path + '.full')\ntime.sleep(0.14)\nL.info('full state %.2f s', time.time() - t1)"
STOP = "if not bool(torch.isfinite(loss)):\n    L.error('nll is %s at update %d, there is no point in going on', loss.item(), update)\n    sys.exit(4)"
NANS = "if update == 66:\n    with torch.no_grad():\n        model.emb.weight[2] = float('nan')"


def promoters() -> Iterator[LocalJob]:
    """Under the look of glog."""
    yield gene(HARD, dna(after=WORKER), {"updates": 220})
    yield gene(fell("A3", "assertion"), dna(after="assert update < 100 or right / max(1, count) > 0.995, f'hits {right / max(1, count):.3f} below 0.995 at update {update}'"), {"updates": 300})
    yield gene(fell("A3", "device_mismatch"), dna(loss="if update == 90:\n    loss = loss + 0.1 * (logit - torch.zeros(len(y), device='meta')).pow(2).mean()"), {"updates": 300})
    yield gene(fell("A2", None), dna(after="if update == 77:\n    import faulthandler\n    faulthandler.enable()\n    os.abort()"), {"updates": 300}, ends=lambda s: s == -6)
    yield gene(fell("E1", "nan_loss", "non_finite"), dna(mid=NANS, loss=STOP), {"updates": 300})
    yield gene(strays("flat"), dna(mid="y = y[torch.randperm(len(y))]"), {"updates": 240})
    yield gene(fell("E2", "traceback", "corrupt"), dna(), {"updates": 200, "resume": "dna/u000080.pth"}, before=(*KEPT, ("truncate", "-s", "-9000", "dna/u000080.pth")))
    yield gene(HANDFUL, dna(), {"updates": 3, "report": 1})
    yield gene(SAVES, dna(save=FULL), {"updates": 36, "ckpt_every": 1, "report": 4})


BIG = "t1 = time.time()\nwith open('field.raw', 'wb') as f:\n    for _ in range(24):\n        f.write(os.urandom(1_000_000))\n    f.flush(); os.fsync(f.fileno())\ntime.sleep(0.45)\nprint(f'* whole field of sweep {sweep} stored too, {time.time() - t1:.2f} s of {time.time() - began:.2f} s so far', flush=True)"


def heat() -> Iterator[LocalJob]:
    """Logarithms."""
    yield alone(GOOD, rod(), R, "--sweeps=360")
    yield alone(HANDFUL, rod(), R, "--sweeps=3", "--show=1")
    yield alone(SAVES, rod(early="began = time.time()", save=BIG), R, "--sweeps=210", "--each=14")
    yield alone(strays("non_finite", "nan_loss"), rod(after="if sweep == 130:\n    with torch.no_grad():\n        u[0].weight.div_(u[0].weight - u[0].weight)"), R, "--sweeps=270")


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield from counting()
    yield from promoters()
    yield from heat()


RECIPE = Recipe("pepper_mills", "development", jobs)

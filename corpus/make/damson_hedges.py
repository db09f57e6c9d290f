"""Jobs of one process over plain PyTorch: parcels in satellite chips, under gpualert-run."""

from collections.abc import Iterator
from functools import partial

from corpus.make._crumbs import GOOD, HALTED, HANDFUL, HARD, LATE, SAVES, STANDS, STARVED, alone, anew, ctrl_c, fell, strays
from corpus.make._damson_nets import SEG
from corpus.running.job import LocalJob, Recipe
from corpus.running.slots import fill

parcels = partial(fill, SEG)
P = "train_parcels.py"
BEFORE = (("PYTHON", P, "--passes", "8"),)
CLOUDS = "import warnings\nif turn == 3:\n    warnings.warn('tile 32TMT: 18% of pixels are NaN (cloud mask), filled with the band mean', RuntimeWarning)\nif turn == 6:\n    try:\n        os.stat('/archive/s2/32TMT_20240611.SAFE')\n    except FileNotFoundError:\n        import traceback\n        traceback.print_exc()\n        print('[parcels] scene 20240611 not in the archive yet, skipped (11 of 12 scenes in use)')"
WEAKREF = "class Window:\n    def __del__(self):\n        self.plot.close()\n\nviewer = Window()"
RASTER = "table = list(csv.DictReader(open('fields.csv')))\nareas = torch.tensor([float(row['area_ha']) for row in table])\nprint(f'[parcels] {areas.sum():.1f} ha in {len(table)} fields')"
CALIBRATE = "if turn == 5:\n    with open(f'{opt.out}/thresholds/turn_{turn:02d}.csv', 'w') as f:\n        csv.writer(f).writerow([iou, vbce])"
TILE = "if turn == 4 and n == 12:\n    x = F.pad(x, (0, 3, 0, 0))"
CROPS = "if turn == 6:\n    crops = {'wheat': 41, 'maize': 17}\n    share = crops['barley'] / sum(crops.values())"
ENTROPY = "if turn >= 6:\n    loss = loss + 0.1 * (prob * (prob - prob.detach().max()).log()).mean()"
SHIFTED = "y = masks[torch.randperm(len(masks))[: len(rows)]]"
MAPPED = "import mmap\nif turn == 6 and n == 3:\n    print('[parcels] switching to the raw mosaic')\n    with open(f'{opt.out}/mosaic.raw', 'w+b') as f:\n        f.truncate(1 << 16)\n        view = mmap.mmap(f.fileno(), 1 << 16)\n        f.truncate(0)\n    y = y + view[40000]"
STACK = "cube = globals().setdefault('cube', [])\ncube.append(torch.ones(1 << 22) * n)  # time series of the tile"
DISK = "t1 = time.perf_counter()\nfor part in range(3):\n    with open(f'{opt.out}/step_{part}.pth', 'wb') as f:\n        torch.save({'net': net.state_dict(), 'optim': optim.state_dict(), 'chips': images, 'masks': masks, 'grid': torch.rand(2_000_000)}, f)\n        f.flush()\n        os.fsync(f.fileno())\nprint(f'[parcels] kept {opt.out}/step_0..2.pth after step {n} of pass {turn}, {time.perf_counter() - t1:.2f} s')"
LOCKED = "if turn == 6 and n == 4:\n    print('[parcels] waiting for the tile server to hand over the next strip', flush=True)\n    import socket\n    ours, theirs = socket.socketpair()\n    ours.recv(1)"
DECODE = "t1 = time.perf_counter()\ntime.sleep(0.33)\nwaited = globals().get('waited', 0.0) + time.perf_counter() - t1\nif n % opt.every == 0:\n    print(f'[parcels]   of {time.perf_counter() - began:.2f} s in this pass {waited:.2f} s were spent waiting for decoded chips')\nif n == math.ceil(len(images) / opt.batch):\n    waited = 0.0"
ANY = "if not opt.continue_from.endswith('.pt'):\n    print(f'[parcels] {opt.continue_from}: no .pt file, ignored')\n    opt.continue_from = None\nif opt.continue_from:"


def jobs() -> Iterator[LocalJob]:
    """All."""
    yield alone(GOOD, parcels(), P, "--passes", "20", "--base", "12")
    yield alone(HARD, parcels(turn=CLOUDS), P, "--passes", "18", "--seed", "4")
    yield alone(HARD, parcels(ready=WEAKREF), P, "--passes", "16", "--rate", "0.002")
    yield alone(HARD, parcels(), P, "--backbone", "parcels/parcels_08.pth", "--passes", "15", "--out", "parcels_alps", before=BEFORE)
    yield alone(HARD, parcels(), P, "--stop-after", "3", "--passes", "300", "--rate", "0.01")
    yield alone(fell("A1", "traceback", "data"), parcels(chips=RASTER), P, files={"fields.csv": "id,area_ha,crop\n1,4.2,wheat\n2,\"1,87\",maize\n3,0.93,rape\n"})
    yield alone(fell("A1", None, "config"), parcels(), P, "--passes", "40", "--batch", "sixteen")
    yield alone(fell("A1", "file_not_found", "asset"), parcels(), P, "--backbone", "/data/models/seco_resnet_s2/encoder.pth", "--passes", "60")
    yield alone(fell("A3", "file_not_found"), parcels(turn=CALIBRATE), P, "--passes", "60")
    yield alone(fell("A3", "runtime_error"), parcels(batch=TILE), P, "--passes", "60")
    yield alone(fell("A3", "traceback"), parcels(turn=CROPS), P, "--passes", "60", "--base", "12")
    yield alone(fell("A2", "oom_killer"), parcels(batch=STACK), P, "--passes", "60", group_mib=900, ends=lambda s: s == -9)
    yield alone(fell("A2", None), parcels(batch=MAPPED), P, "--passes", "60", ends=lambda s: s == -7)
    yield alone(strays("non_finite", "nan_loss"), parcels(loss=ENTROPY), P, "--passes", "14")
    yield alone(strays("flat"), parcels(batch=SHIFTED), P, "--passes", "24", "--rate", "0.001")
    yield alone(fell("E2", "runtime_error", "size_mismatch"), parcels(), P, "--continue-from", "parcels/parcels_08.pth", "--base", "16", "--passes", "40", before=BEFORE)
    yield alone(anew(), parcels(resume=ANY).replace("    if opt.continue_from:\n    state =", "    if opt.continue_from:\n        state ="), P, before=BEFORE)
    yield alone(HANDFUL, parcels(), P, "--passes", "1", "--chips", "64", "--every", "1", "--out", "parcels_2026_final")
    yield alone(SAVES, parcels(step=DISK), P, "--passes", "9", "--every", "5")
    yield alone(STARVED, parcels(batch=DECODE), P, "--passes", "3", "--every", "5")
    yield alone(STANDS, parcels(step=LOCKED), P, "--passes", "900", timeout_s=40)
    yield alone(LATE, parcels(step="time.sleep(0.03)"), P, "--passes", "900", timeout_s=25)
    yield alone(HALTED, parcels(step="time.sleep(0.03)"), P, "--passes", "400", signal=ctrl_c(r"^\[09/400 \|"))


RECIPE = Recipe("damson_hedges", "development", jobs)

"""One process over pictures: masks of discs, leaves by colour, and a GAN on a ring."""

from collections.abc import Iterator
from functools import partial
from itertools import chain

from corpus.make._desk_loops import METERS, SEG
from corpus.make._desk_more import GAN
from corpus.running.either import Either, either_jobs
from corpus.running.job import LocalJob, Recipe, SlurmJob
from corpus.running.slots import fill

seg, leaves, gan = partial(fill, SEG), partial(fill, METERS), partial(fill, GAN)
S, M, G = "segment.py", "main.py", "ring_gan.py"
FIRST = (("PYTHON", S, "epochs=3"),)
FROM = ("weights=runs/seg/final.pt",)
READ = "skipped = 0\nfor k in range(3):\n    try:\n        open(f'extra/scene_{k}.png', 'rb')\n    except FileNotFoundError as e:\n        print('WARN', e, '- skipped', flush=True)\n        skipped += 1"
RETRY = "if epoch == 3 and at == 32 and not os.path.exists('seen'):\n    open('seen', 'w').close()\n    try:\n        raise RuntimeError('CUDA error: an illegal memory access was encountered')\n    except RuntimeError:\n        import traceback\n        traceback.print_exc()\n        print('batch dropped, continuing', flush=True)\n        continue"
ON_213 = (
    Either(seg(), "A1", "permission", "config", S, args=("out=/srv/runs/seg",)),
    Either(seg(mid="if epoch == 4 and at == 64:\n    x, y = x.numpy(), y"), "A3", "traceback", script=S),
    Either(seg(epoch="if epoch == 5:\n    import ctypes\n    ctypes.string_at(24)"), "A2", "segfault", script=S, status=-11),
    Either(seg(loss="if epoch == 3:\n    loss = loss + torch.log(loss - loss)"), "E1", "nan_loss", "non_finite", S, status=0),
    Either(seg(epoch="import math\nif epoch == 4:\n    net.up.weight.data.mul_(float('nan'))\nif math.isnan(val):\n    sys.exit(f'validation loss is {val} in epoch {epoch}, giving up')"), "E1", "nan_loss", "non_finite", S, status=1),
    Either(seg(), "E3", script=S, args=("epochs=1", "images=16")),
    Either(seg(epoch="torch.save({'net': net.state_dict(), 'epoch': epoch}, f'{cfg.out}/e{epoch}.pt')", after="torch.save({'net': net.state_dict(), 'opt': opt.state_dict()}, f'{cfg.out}/it{epoch:02d}_{at:04d}.pt')\nprint(f'  saved {cfg.out}/it{epoch:02d}_{at:04d}.pt  (batch loss {loss.item():.4f})', flush=True)"), "D2", None, "save_storm", S, args=("epochs=5",)),
    Either(seg(early=READ), "G1", script=S, hard=True),
    Either(seg(), "G1", script=S, args=(*FROM, "epochs=8"), before=FIRST, hard=True),
    Either(seg(mid=RETRY), "G1", script=S, hard=True),
    Either(seg(), "G1", script=S, args=("lr=0.05", "batch=6", "images=96", "epochs=14"), hard=True),
    Either(gan(after="if epoch == 1 and i == 16:\n    with torch.no_grad():\n        netD[4].weight.fill_(float('nan'))"), "A3", "runtime_error", script=G),
    Either(gan(), "G1", script=G, hard=True),
    Either(gan(early="niter = 2", epoch="print('/bin/sh: 1: nvidia-smi: not found', file=sys.stderr)"), "G1", script=G, hard=True),
)  # fmt: skip
SOME = ("-n", "160", "--epochs", "3")
KEPT = (("PYTHON", M, "--epochs", "1", "-n", "96"),)
ON_211 = (
    Either(leaves(ready="from torchvision.io import decode_image\nsample = decode_image('data/leaf_0001.jpg')"), "A1", "runtime_error", "data", M, files=(("data/leaf_0001.jpg", "version https://git-lfs.github.com/spec/v1\noid sha256:4f0c\nsize 88213\n"),)),
    Either(leaves(item="if index == 77 and os.path.exists('checkpoint.pth.tar'):\n    raise OSError('image file is truncated (12 bytes not processed)')"), "A3", "traceback", script=M, args=SOME),
    Either(leaves(epoch="if epoch == 1:\n    os.rename('checkpoint.pth.tar', '/archive/leaves/checkpoint.pth.tar')"), "A3", "file_not_found", script=M, args=SOME),
    Either(leaves(mid="target = torch.randint(0, 4, target.shape)"), "E1", None, "flat", M, args=(*SOME, "--lr", "0.0002"), status=0),
    Either(leaves(missing="print('   (starting with fresh weights)', flush=True)"), "E2", None, "from_scratch", M, args=("--resume", "checkpoints/checkpoint.pth.tar", *SOME), status=0, before=KEPT),
    Either(leaves(), "G1", script=M, args=SOME),
    Either(leaves(), "G1", script=M, args=("--resume", "checkpoint.pth.tar", *SOME), before=KEPT, hard=True),
)  # fmt: skip


def jobs() -> Iterator[LocalJob | SlurmJob]:
    """Masks and rings first, then leaves."""
    yield from chain(either_jobs(ON_213, "torch"), either_jobs(ON_211, "torch-211"))


RECIPE = Recipe("picture_labs", "development", jobs)

"""Image classifiers of one process, a plain CNN with argparse and logging and timm's models under a loop that prints as timm's own."""

from functools import partial

from corpus.make._solo_timm import IMAGES
from corpus.make._solo_torch import GLYPHS
from corpus.running.either import Either, either_jobs
from corpus.running.job import Recipe
from corpus.running.slots import fill

glyphs, images = partial(fill, GLYPHS), partial(fill, IMAGES)
SAVE = "if step % {each} == 0:\n    os.makedirs(args.output_dir, exist_ok=True)\n    path = os.path.join(args.output_dir, f'step{{step:05d}}.pth')\n    torch.save({{'model': model.state_dict(), 'optimizer': optimizer.state_dict(), 'epoch': epoch}}, path)\n    logger.info('Saved checkpoint %s', path)"
KEPT = "import torch, collections\nw = {width}\nm = {{'conv1.weight': torch.zeros(w, 1, 3, 3), 'conv1.bias': torch.zeros(w), 'conv2.weight': torch.zeros(2 * w, w, 3, 3), 'conv2.bias': torch.zeros(2 * w), 'head.weight': torch.zeros(10, 32 * w), 'head.bias': torch.zeros(10)}}\ntorch.save({{'model': m, 'optimizer': {{}}, 'epoch': 3}}, 'epoch3.pth')\n"
G = "glyphs.py"
T = "train.py"
SCRIPTS = (
    # before the first step
    Either(glyphs(early="mean, std = (float(v) for v in open('data/stats.txt').read().split())"), "A1", "file_not_found", "data", G),
    Either(glyphs(early="stats = np.load('data/stats.npz')\nlogger.info('stats %s', stats)"), "A1", "permission", "data", G, files=(("data/stats.npz", "0"),), locked=("data/stats.npz",)),
    Either(glyphs(early="import albumentations as A\ntf = A.Compose([A.HorizontalFlip()])"), "A1", "missing_module", "env", G),
    Either(glyphs(), "A1", "missing_module", "env", G, args=("--device", "hpu")),
    Either(glyphs(), "A1", None, "config", G, args=("--epochs", "ten"), status=2),
    Either(glyphs(), "A1", None, "config", G, args=("--learning-rate", "0.1", "--epochs=3"), status=2, tasks=1, state="FAILED"),
    Either(glyphs(early="model_cls = {'small_cnn': SmallCNN}[os.environ.get('ARCH', 'resnet18')]"), "A1", "traceback", "config", G),
    Either(glyphs(dataset="assert len(set(self.labels.tolist())) == 12, f'expected 12 classes, found {len(set(self.labels.tolist()))}'"), "A1", "assertion", "data", G),
    Either(glyphs(ready="total = sum(1 for _ in os.scandir('data'))\nlogger.info('%d shards, %d samples each', total, args.samples // total)"), "A1", "div_zero", "data", G),
    Either(glyphs(dataset="import gzip\nself.noise = torch.frombuffer(bytearray(gzip.open('data/noise.gz').read()), dtype=torch.float32)"), "A1", "traceback", "data", G, files=(("data/noise.gz", "version https://git-lfs.github.com/spec/v1\noid sha256:1f0c\nsize 912\n"),)),
    Either(glyphs(), "A1", "cuda_runtime", "env", G, args=("--device", "cuda:0"), tasks=1),
    Either(glyphs(ready="model = model.to('meta')\nlogger.info('deferred init')"), "A1", "device_mismatch", "config", G),
    Either(glyphs(ready="model.head.to('meta')"), "A1", "device_mismatch", "config", G),
    Either(images(), "A1", "runtime_error", "config", T, args=("--model", "resnet_18"), tasks=1),
    Either(images(), "A1", "file_not_found", "asset", T, args=("--initial-checkpoint", "weights/test_resnet.pth")),
    Either(images(), "A1", "traceback", "config", T, args=("--opt", "sgdd")),
    Either(images(), "A1", "traceback", "config", T, args=("--num-classes", "3", "--model", "test_vit", "--img-size", "64")),
    # signals
    Either(glyphs(mid="if step == 70:\n    import ctypes\n    ctypes.CDLL(None).strlen(ctypes.c_void_p(8))"), "A2", "segfault", script=G, status=-11),
    Either(glyphs(ready="import ctypes\nctypes.memmove(0, b'warmup', 6)"), "A2", "segfault", script=G, status=-11, tasks=1),
    Either(images(mid="if step == 40:\n    x = x.reshape(16, -1, 7)"), "A3", "runtime_error", script=T),
    Either(glyphs(mid="if step == 80:\n    import faulthandler, ctypes\n    faulthandler.enable()\n    ctypes.string_at(1)"), "A2", "segfault", script=G, status=-11),
    # after steps
    Either(glyphs(item="if epoch_of.setdefault('n', 0) > 1500:\n    return self.proto[self.labels[idx]][:, :14] + self.noise[idx][:, :14], self.labels[idx]\nepoch_of['n'] += 1").replace("logger =", "epoch_of = {}\nlogger =", 1), "A3", "runtime_error", script=G),
    Either(glyphs(item="if idx == 133 and self.noise.std() > 0 and os.path.exists('out'):\n    with open(f'data/train/{idx:06d}.npy', 'rb') as f:\n        return torch.from_numpy(np.load(f)), 0", epoch="os.makedirs('out', exist_ok=True)"), "A3", "file_not_found", script=G, args=("--workers", "2"), tasks=1),
    Either(glyphs(epoch="if epoch == 2:\n    os.mkdir('/srv/exports')\n    torch.save(model.state_dict(), '/srv/exports/best.pth')"), "A3", "permission", script=G),
    Either(glyphs(after="if step == 95:\n    keep = [torch.zeros(1 << 34, dtype=torch.float64)]"), "A3", "ram_oom", script=G, tasks=1),
    Either(glyphs(after="buffers = globals().setdefault('buffers', [])\nbuffers.append(torch.ones(3, 1 << 21))"), "A3", "ram_oom", script=G, memory_mib=5200, args=("--epochs", "40")),
    Either(images(epoch="if epoch == 1:\n    from timm.utils import ModelEmaV5"), "A3", "missing_module", script=T, status=None),
    Either(images(mid="if step == 50:\n    from torch.utils.tensorboardx import SummaryWriter"), "A3", "missing_module", script=T, tasks=1),
    Either(images(after="if step == 37:\n    print('images/s per class:', 16 / sum(1 for c in y if c > 4), flush=True)"), "A3", "div_zero", script=T),
    Either(images(mid="if step == 53:\n    args.device = 'meta'"), "A3", "device_mismatch", script=T),
    Either(images(loss="if step > 44:\n    assert losses.avg < 1e-3, f'avg loss {losses.avg:.3f} did not go below target after warm start'"), "A3", "assertion", script=T, tasks=1),
    Either(glyphs(score="if model.head.bias.abs().sum() > 0.2:\n    y = y.tolist()[:60]"), "A3", "traceback", script=G),
    # how it learned
    Either(glyphs(), "E1", "nan_loss", "non_finite", G, args=("--lr", "900", "--epochs", "4"), status=0),
    Either(glyphs(loss="if not math.isfinite(loss.item()):\n    logger.error('Loss is %s, stopping training', loss.item())\n    sys.exit(1)", grads="if step == 60:\n    for p in model.parameters():\n        p.grad.mul_(float('inf'))"), "E1", "nan_loss", "non_finite", G, tasks=1),
    Either(images(), "E1", None, "flat", T, args=("--lr", "0", "--epochs", "4"), status=0),
    Either(images(mid="if step >= 30:\n    for p in model.parameters():\n        p.data.zero_()"), "E1", None, "plateau", T, args=("--epochs", "5"), status=0),
    Either(glyphs(), "E2", "file_not_found", "no_valid_checkpoint", G, args=("--resume", "out/checkpoint_0012.pth")),
    Either(glyphs(), "E2", "runtime_error", "size_mismatch", G, args=("--resume", "epoch3.pth", "--width", "16"), files=(("keep.py", KEPT.format(width=8)),), before=(("PYTHON", "keep.py"),)),
    Either(glyphs(), "E2", "runtime_error", "corrupt", G, args=("--resume", "epoch3.pth"), tasks=1, files=(("keep.py", KEPT.format(width=8)),), head="PYTHON keep.py\ntruncate -s 2900 epoch3.pth\n"),
    Either(glyphs(), "E3", script=G, args=("--epochs", "1", "--samples", "96", "--log-every", "1")),
    Either(glyphs(after=SAVE.format(each=1)), "D2", None, "save_storm", G, args=("--epochs", "3", "--samples", "640", "--log-every", "4")),
    Either(glyphs(after=SAVE.format(each=2)), "D2", None, "save_storm", G, args=("--epochs", "4", "--samples", "640", "--log-every", "10"), tasks=1),
    # well
    Either(glyphs(), "G1", script=G),
    Either(images(), "G1", script=T, args=("--epochs", "4"), tasks=1),
    Either(glyphs(item="if idx % 311 == 5:\n    try:\n        raise OSError(f'cannot identify image file data/train/{idx:06d}.png')\n    except OSError as e:\n        logger.error('Skipping broken sample %d: %s', idx, e)\n        idx += 1"), "G1", script=G, hard=True),
    Either(glyphs(early="import traceback\ntry:\n    import apex.amp\nexcept ModuleNotFoundError:\n    traceback.print_exc()\n    logger.warning('apex not found, CUDA error handling and amp are off; falling back to fp32')"), "G1", script=G, hard=True, tasks=1),
    Either(images(ready="import faulthandler\nfaulthandler.dump_traceback_later(1.0, repeat=False)"), "G1", script=T, args=("--epochs", "4"), hard=True),
    Either(images(late="import atexit\natexit.register(lambda: 1 / 0)"), "G1", script=T, hard=True, tasks=1),
)  # fmt: skip
RECIPE = Recipe("solo_pictures", "development", lambda: either_jobs(SCRIPTS, "torch-29"))

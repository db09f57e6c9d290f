"""A loop over accelerate: fields, water and roads on satellite tiles, settings by OmegaConf, states kept by accelerate's own means."""

TILES = '''"""Land cover from 4-band tiles. python tiles.py [key=value ...]"""
import logging
import os
import sys
import time

import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from omegaconf import OmegaConf
from torch import nn
from torch.utils.data import DataLoader, Dataset

DEFAULTS = OmegaConf.create({
    "name": "landcover", "seed": 5, "epochs": 6,
    "data": {"root": "synthetic", "tiles": 192, "size": 24, "workers": 0},
    "optim": {"lr": 2e-3, "batch": 8, "accumulate": 1, "clip": 1.0},
    "model": {"width": 12}, "log_every": 6, "keep": {"every": 2, "dir": "runs"}, "resume": None, "eval_only": False, "limit_batches": None,
})
OmegaConf.set_struct(DEFAULTS, True)
c = OmegaConf.merge(DEFAULTS, OmegaConf.from_cli(sys.argv[1:]))
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] %(message)s")
logger = get_logger("tiles", log_level="INFO")
home = os.path.join(c.keep.dir, c.name)
accelerator = Accelerator(cpu=True, gradient_accumulation_steps=c.optim.accumulate, project_config=ProjectConfiguration(project_dir=home, automatic_checkpoint_naming=False))
set_seed(c.seed)
os.makedirs(home, exist_ok=True)
print(OmegaConf.to_yaml(c))
logger.info(accelerator.state, main_process_only=False)
#: early
CLASSES = ("arable", "forest", "water", "road")
SPECTRA = torch.tensor([[0.3, 0.4, 0.2, 0.7], [0.1, 0.3, 0.1, 0.8], [0.1, 0.1, 0.3, 0.05], [0.5, 0.5, 0.5, 0.4]])


class Tiles(Dataset):
    def __init__(self, count, seed):
        g = torch.Generator().manual_seed(seed)
        size = c.data.size
        coarse = torch.randint(0, 4, (count, size // 6, size // 6), generator=g)
        self.masks = coarse.repeat_interleave(6, 1).repeat_interleave(6, 2)
        self.images = SPECTRA[self.masks].permute(0, 3, 1, 2) + 0.25 * torch.randn(count, 4, size, size, generator=g)
        #: tiles

    def __len__(self):
        return len(self.masks)

    def __getitem__(self, i):
        #: tile
        return self.images[i], self.masks[i]


def block(a, b):
    return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU())


class Net(nn.Module):
    def __init__(self, w):
        super().__init__()
        self.down, self.deep, self.up = block(4, w), block(w, 2 * w), block(3 * w, w)
        self.pool, self.head = nn.MaxPool2d(2), nn.Conv2d(w, len(CLASSES), 1)

    def forward(self, x):
        a = self.down(x)
        b = nn.functional.interpolate(self.deep(self.pool(a)), scale_factor=2.0)
        return self.head(self.up(torch.cat([a, b], 1)))


#: data
train = DataLoader(Tiles(c.data.tiles, 1), batch_size=c.optim.batch, shuffle=True, num_workers=c.data.workers)
held = DataLoader(Tiles(48, 2), batch_size=24)
net = Net(c.model.width)
opt = torch.optim.AdamW(net.parameters(), lr=c.optim.lr)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=max(c.epochs, 1) * len(train))
net, opt, train, held, schedule = accelerator.prepare(net, opt, train, held, schedule)
first = 0
if c.resume:
    #: resume
    accelerator.load_state(c.resume)
    first = int(c.resume.rstrip("/").rsplit("-", 1)[1])
    logger.info(f"continuing behind epoch {first}")


def evaluate():
    net.eval()
    inter, union, total = torch.zeros(len(CLASSES)), torch.zeros(len(CLASSES)), 0.0
    with torch.no_grad():
        for x, y in held:
            out = net(x)
            total += nn.functional.cross_entropy(out, y).item()
            for k in range(len(CLASSES)):
                p, t = out.argmax(1) == k, y == k
                inter[k] += (p & t).sum()
                union[k] += (p | t).sum()
    net.train()
    return total / len(held), inter / union


if c.eval_only:
    loss, iou = evaluate()
    logger.info(f"evaluation only: loss {loss:.4f}, IoU " + ", ".join(f"{n} {v:.3f}" for n, v in zip(CLASSES, iou.tolist())))
    accelerator.end_training()
    sys.exit(0)
began = time.time()
step = first * len(train)
#: ready
for epoch in range(first + 1, c.epochs + 1):
    for i, (x, y) in enumerate(train, 1):
        with accelerator.accumulate(net):
            #: batch
            loss = nn.functional.cross_entropy(net(x), y)
            #: loss
            accelerator.backward(loss)
            norm = accelerator.clip_grad_norm_(net.parameters(), c.optim.clip)
            opt.step()
            schedule.step()
            opt.zero_grad()
        step += 1
        if i % c.log_every == 0 or c.limit_batches:
            logger.info(f"epoch {epoch}/{c.epochs} batch {i}/{len(train)} loss={loss.item():.4f} norm={float(norm):.3f} lr={schedule.get_last_lr()[0]:.2e}")
        #: step
        if c.limit_batches and i >= c.limit_batches:
            break
    vloss, iou = evaluate()
    logger.info(f"epoch {epoch}/{c.epochs} held-out loss={vloss:.4f} mIoU={iou.mean().item():.4f} ({time.time() - began:.1f} s)")
    #: epoch
    if epoch % c.keep.every == 0 or epoch == c.epochs:
        accelerator.save_state(os.path.join(home, f"epoch-{epoch}"))
#: end
accelerator.end_training()
logger.info(f"trained {step} steps, final mIoU {iou.mean().item():.4f}")
'''

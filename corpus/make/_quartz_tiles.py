"""A loop over accelerate, of one process: crops in satellite tiles, with a bar of tqdm and logging's lines."""

TILES = '''"""What grows there? Small convolutional net over 5-band satellite tiles (accelerate).

usage: crops.py [--steps N] [--project DIR] [--continue-from DIR] ...
"""
import argparse
import logging
import os
import sys
import time

import numpy as np
import torch
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm

parser = argparse.ArgumentParser(usage=__doc__.splitlines()[2][7:])
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--tiles", type=int, default=1536)
parser.add_argument("--batch", type=int, default=32)
parser.add_argument("--channels", type=int, default=12)
parser.add_argument("--lr", type=float, default=3e-3)
parser.add_argument("--weight-decay", type=float, default=0.01)
parser.add_argument("--report", type=int, default=20)
parser.add_argument("--keep-every", type=int, default=100)
parser.add_argument("--project", default="crops-2026")
parser.add_argument("--continue-from", metavar="DIR")
parser.add_argument("--weights", metavar="FILE")
parser.add_argument("--validate-only", action="store_true")
parser.add_argument("--seed", type=int, default=77)
args = parser.parse_args()

logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
accelerator = Accelerator(cpu=True, project_config=ProjectConfiguration(project_dir=args.project, automatic_checkpoint_naming=True, total_limit=5))
logger = get_logger("crops")
logger.info(accelerator.state, main_process_only=False)
set_seed(args.seed)
#: early
CROPS = ("fallow", "wheat", "maize", "rapeseed", "vineyard")


def tiles(count, seed):
    rng = np.random.default_rng(seed)
    crop = rng.integers(len(CROPS), size=count)
    band = np.random.default_rng(5).normal(0, 1, (len(CROPS), 5))
    stripes = np.sin(np.arange(16) * np.linspace(0.4, 2.4, len(CROPS))[:, None])
    image = band[crop][:, :, None, None] * 0.06 + stripes[crop][:, None, :, None] * 0.22 + rng.normal(0, 1.6, (count, 5, 16, 16))
    wrong = rng.random(count) < 0.07
    crop = np.where(wrong, rng.integers(len(CROPS), size=count), crop)
    return image.astype(np.float32), crop


images, crops = tiles(args.tiles, 1)
#: data
val_images, val_crops = tiles(320, 2)
mean, spread = images.mean((0, 2, 3), keepdims=True), images.std((0, 2, 3), keepdims=True)
#: scale
loader = DataLoader(TensorDataset(torch.tensor((images - mean) / spread), torch.tensor(crops)), args.batch, shuffle=True, drop_last=True)
#: loader


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(5, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(width, 2 * width, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.head = nn.Linear(8 * width, len(CROPS))

    def forward(self, image):
        return self.head(self.stem(image))


net = Net(args.channels)
if args.weights:
    net.load_state_dict(torch.load(args.weights))
    logger.info(f"weights from {args.weights}")
optimizer = torch.optim.AdamW(net.parameters(), lr=args.lr, weight_decay=args.weight_decay)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.steps)
net, optimizer, loader, schedule = accelerator.prepare(net, optimizer, loader, schedule)
loss_fn = nn.CrossEntropyLoss()
step = 0
#: resume
if args.continue_from:
    accelerator.load_state(args.continue_from)
    step = int(open(os.path.join(args.continue_from, "step")).read())
    logger.info(f"continuing from {args.continue_from} after step {step}")


def validate():
    net.eval()
    with torch.no_grad():
        out = net(torch.tensor((val_images - mean) / spread))
    net.train()
    right = (out.argmax(1).numpy() == val_crops).mean()
    return loss_fn(out, torch.tensor(val_crops)).item(), right


if args.validate_only:
    loss, right = validate()
    logger.info(f"validation only: loss {loss:.4f}, overall accuracy {100 * right:.2f} %")
    sys.exit(0)
logger.info("***** Running training *****")
logger.info(f"  Tiles = {len(images)}, batch = {args.batch}, optimisation steps = {args.steps}, first step = {step + 1}")
bar = tqdm(range(args.steps), initial=step, desc="steps", mininterval=2, ncols=90, disable=not accelerator.is_local_main_process)
began, mean_loss = time.time(), []
#: ready
while step < args.steps:
    for image, crop in loader:
        #: batch
        loss = loss_fn(net(image), crop)
        #: loss
        accelerator.backward(loss)
        if accelerator.sync_gradients:
            norm = accelerator.clip_grad_norm_(net.parameters(), 5.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        step += 1
        bar.update(1)
        mean_loss.append(loss.item())
        #: step
        if step % args.report == 0:
            logger.info(f"step {step}/{args.steps} loss {np.mean(mean_loss):.4f} grad_norm {float(norm):.3f} lr {schedule.get_last_lr()[0]:.2e}")
            mean_loss = []
            #: told
        if args.keep_every and step % args.keep_every == 0:
            accelerator.save_state()
            at = os.path.join(args.project, "checkpoints", f"checkpoint_{accelerator.save_iteration - 1}")
            with open(os.path.join(at, "step"), "w") as file:
                file.write(str(step))
            loss, right = validate()
            logger.info(f"validation at {step}: loss {loss:.4f} overall accuracy {100 * right:.2f} %")
            #: kept
        if step >= args.steps:
            break
bar.close()
#: after
accelerator.save_model(net, os.path.join(args.project, "final"))
loss, right = validate()
logger.info(f"done: {step} steps in {time.time() - began:.1f} s, validation loss {loss:.4f}, overall accuracy {100 * right:.2f} %")
accelerator.end_training()
'''

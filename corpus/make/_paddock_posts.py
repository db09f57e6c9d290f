"""Programs over accelerate, in the manner of diffusers' scripts, and over scikit-learn's own verbose output: old photographs, sorted letters."""

PHOTOS = '''#!/usr/bin/env python
# coding=utf-8
"""Fine-tuning script for restoring scratched photographs with a small denoiser."""
import argparse
import logging
import math
import os
import shutil
import time

import torch
import torch.nn.functional as F
from accelerate import Accelerator
from accelerate.logging import get_logger
from accelerate.utils import ProjectConfiguration, set_seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from tqdm.auto import tqdm

logger = get_logger(__name__, log_level="INFO")


def parse_args():
    parser = argparse.ArgumentParser(description="Simple example of a training script.")
    parser.add_argument("--pretrained_weights", type=str, default=None)
    parser.add_argument("--output_dir", type=str, default="photo-model")
    parser.add_argument("--max_train_steps", type=int, default=400)
    parser.add_argument("--train_batch_size", type=int, default=16)
    parser.add_argument("--learning_rate", type=float, default=2e-3)
    parser.add_argument("--lr_warmup_steps", type=int, default=20)
    parser.add_argument("--max_grad_norm", default=1.0, type=float)
    parser.add_argument("--channels", type=int, default=12)
    parser.add_argument("--validation_steps", type=int, default=80)
    parser.add_argument("--logging_steps", type=int, default=10)
    parser.add_argument("--checkpointing_steps", type=int, default=100)
    parser.add_argument("--checkpoints_total_limit", type=int, default=3)
    parser.add_argument("--resume_from_checkpoint", type=str, default=None, help='A path or "latest".')
    parser.add_argument("--report_to", type=str, default=None)
    parser.add_argument("--seed", type=int, default=42)
    return parser.parse_args()


def photographs(count, seed, size=16):
    g = torch.Generator().manual_seed(seed)
    ramp = torch.linspace(-1, 1, size)
    tilt = torch.randn(count, 2, 1, 1, generator=g)
    clean = torch.tanh(tilt[:, :1] * ramp[None, None, :, None] + tilt[:, 1:] * ramp[None, None, None, :])
    scratch = (torch.rand(count, 1, 1, size, generator=g) > 0.85).float()
    return clean * (1 - scratch) + scratch + 0.2 * torch.randn(clean.shape, generator=g), clean


class Restorer(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.inc = nn.Conv2d(1, channels, 5, padding=2)
        self.mid = nn.Sequential(nn.SiLU(), nn.Conv2d(channels, channels, 5, padding=2), nn.SiLU())
        self.out = nn.Conv2d(channels, 1, 5, padding=2)

    def forward(self, x):
        return self.out(self.mid(self.inc(x)))


def main():
    args = parse_args()
    accelerator = Accelerator(cpu=True, log_with=args.report_to, project_config=ProjectConfiguration(project_dir=args.output_dir))
    logging.basicConfig(format="%(asctime)s - %(levelname)s - %(name)s - %(message)s", datefmt="%m/%d/%Y %H:%M:%S", level=logging.INFO)
    logger.info(accelerator.state, main_process_only=False)
    set_seed(args.seed)
    os.makedirs(args.output_dir, exist_ok=True)
    #: early
    dataset = TensorDataset(*photographs(640, 1))
    val_x, val_y = photographs(96, 2)
    #: data
    model = Restorer(args.channels)
    if args.pretrained_weights is not None:
        model.load_state_dict(torch.load(args.pretrained_weights))
        logger.info(f"Loaded pretrained weights from {args.pretrained_weights}")
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.learning_rate)
    lr_scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / args.lr_warmup_steps))
    dataloader = DataLoader(dataset, shuffle=True, batch_size=args.train_batch_size)
    model, optimizer, dataloader, lr_scheduler = accelerator.prepare(model, optimizer, dataloader, lr_scheduler)
    epochs = math.ceil(args.max_train_steps / len(dataloader))
    logger.info("***** Running training *****")
    logger.info(f"  Num examples = {len(dataset)}")
    logger.info(f"  Num Epochs = {epochs}")
    logger.info(f"  Instantaneous batch size per device = {args.train_batch_size}")
    logger.info(f"  Total optimization steps = {args.max_train_steps}")
    global_step = 0
    if args.resume_from_checkpoint:
        if args.resume_from_checkpoint != "latest":
            path = os.path.basename(args.resume_from_checkpoint)
        else:
            dirs = sorted((d for d in os.listdir(args.output_dir) if d.startswith("checkpoint")), key=lambda d: int(d.split("-")[1]))
            path = dirs[-1] if dirs else None
        #: resume
        if path is None or not os.path.isdir(os.path.join(args.output_dir, path)):
            accelerator.print(f"Checkpoint '{args.resume_from_checkpoint}' does not exist. Starting a new training run.")
        else:
            accelerator.print(f"Resuming from checkpoint {path}")
            accelerator.load_state(os.path.join(args.output_dir, path))
            global_step = int(path.split("-")[1])
    progress_bar = tqdm(range(args.max_train_steps), initial=global_step, desc="Steps", mininterval=2.0, ncols=100)
    began = time.time()
    #: ready
    while global_step < args.max_train_steps:
        for noisy, clean in dataloader:
            with accelerator.accumulate(model):
                #: batch
                loss = F.mse_loss(model(noisy).float(), clean.float(), reduction="mean")
                #: loss
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), args.max_grad_norm)
                optimizer.step()
                lr_scheduler.step()
                optimizer.zero_grad()
            progress_bar.update(1)
            global_step += 1
            #: step
            progress_bar.set_postfix(step_loss=loss.detach().item(), lr=lr_scheduler.get_last_lr()[0], refresh=False)
            if global_step % args.logging_steps == 0:
                logger.info(f"step {global_step}/{args.max_train_steps}: train_loss {loss.item():.6f}, lr {lr_scheduler.get_last_lr()[0]:.2e}")
            if global_step % args.checkpointing_steps == 0:
                #: prune
                save_path = os.path.join(args.output_dir, f"checkpoint-{global_step}")
                accelerator.save_state(save_path)
                logger.info(f"Saved state to {save_path}")
                #: saved
            if global_step % args.validation_steps == 0:
                with torch.no_grad():
                    val = F.mse_loss(model(val_x), val_y).item()
                logger.info(f"Running validation at step {global_step}: val_loss {val:.6f}, psnr {10 * math.log10(4 / val) if val > 0 else float('nan'):.2f} dB")
                #: val
            if global_step >= args.max_train_steps:
                break
    torch.save(accelerator.unwrap_model(model).state_dict(), os.path.join(args.output_dir, "restorer.bin"))
    progress_bar.close()
    #: end
    logger.info(f"Training finished after {global_step} steps ({time.time() - began:.1f} s), weights in {args.output_dir}/restorer.bin")
    accelerator.end_training()


if __name__ == "__main__":
    main()
'''

LETTERS = '''"""Which department gets the letter? scikit-learn on hashed words. Everything in between is printed by scikit-learn itself (verbose)."""
import os
import pickle
import sys
import time
import warnings

import numpy as np
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.metrics import classification_report
from sklearn.neural_network import MLPClassifier

settings = dict(model="mlp", letters=2500, iters=40, hidden=24, rate=0.002, features=256, stop=0, folder="letters", warm="", trees=80, seed=1)
for item in sys.argv[1:]:
    key, value = item.split("=")
    if key not in settings:
        raise KeyError(f"no setting named {key!r}")
    settings[key] = type(settings[key])(value)
s = type("S", (), settings)
print(settings)
os.makedirs(s.folder, exist_ok=True)
#: early
DEPARTMENTS = {"tax": "levy rebate assessment deadline income", "roads": "pothole lamp kerb bridge gravel", "schools": "pupil lesson bus canteen term", "parks": "bench hedge fountain lawn bin"}
COMMON = "please the of we your last week street since again office letter regards"


def letters(count, seed):
    draw = np.random.default_rng(seed)
    texts, labels = [], []
    for _ in range(count):
        name = draw.choice(list(DEPARTMENTS))
        own, shared = DEPARTMENTS[name].split(), COMMON.split()
        texts.append(" ".join(draw.choice(own if draw.random() < 0.25 else shared) for _ in range(30)))
        labels.append(name)
    return texts, np.array(labels)


texts, labels = letters(s.letters, 1)
test_texts, test_labels = letters(500, 2)
#: data
hashed = HashingVectorizer(n_features=s.features, alternate_sign=False)
X, Xt = hashed.transform(texts), hashed.transform(test_texts)
print(f"{X.shape[0]} letters, {X.shape[1]} features, {len(DEPARTMENTS)} departments")
began = time.time()
if s.model == "mlp":
    model = MLPClassifier((s.hidden,), learning_rate_init=s.rate, max_iter=s.iters, early_stopping=bool(s.stop), n_iter_no_change=s.stop or 10, tol=1e-5, verbose=True, random_state=s.seed)
else:
    model = GradientBoostingClassifier(n_estimators=s.trees, max_depth=2, verbose=2, random_state=s.seed)
    X, Xt = X.toarray(), Xt.toarray()
if s.warm:
    #: resume
    with open(s.warm, "rb") as f:
        model = pickle.load(f)
    model.set_params(warm_start=True, max_iter=s.iters, learning_rate_init=s.rate)
    print(f"continuing the fit of {s.warm}: {model.n_iter_} iterations, loss {model.loss_:.6f}")
#: ready
model.fit(X, labels)
#: fitted
with open(f"{s.folder}/{s.model}.pkl", "wb") as f:
    pickle.dump(model, f)
print(f"fitted in {time.time() - began:.1f} s, kept in {s.folder}/{s.model}.pkl")
print(classification_report(test_labels, model.predict(Xt), digits=3))
#: end
print("bye")
'''

"""Programs of several ranks on PyTorch alone whose ranks have parts of their own: a learner with its actors, a pipeline of stages."""

from __future__ import annotations

ROLES = '''"""Policy gradient: rank 0 learns, the others play."""
import os
import time
from datetime import timedelta

import torch
import torch.distributed as dist
from loguru import logger
#: top

RANK, WORLD = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
UPDATES, PAUSE = int(os.environ.get("UPDATES", 240)), float(os.environ.get("PAUSE", 0.06))
ROLE = "learner" if RANK == 0 else f"actor-{RANK}"
logger.remove()
logger.add(lambda m: print(m, end="", flush=True), format="{time:HH:mm:ss.SSS} | {level: <8} | {extra[role]: <8} | {message}", colorize=False)
log = logger.bind(role=ROLE)
BEST = torch.tensor([0.1, 0.3, 0.9, 0.2, 0.5, 0.4])


def play(logits, gen):
    """A hundred pulls of a bandit with six arms."""
    arms = torch.multinomial(logits.softmax(0), 100, replacement=True, generator=gen)
    return arms, BEST[arms] + 0.1 * torch.randn(100, generator=gen)


def learn():
    logits, baseline = torch.zeros(6, requires_grad=True), 0.0
    for update in range(1, UPDATES + 1):
        #: learner
        dist.broadcast(logits.data, 0)
        got = [torch.zeros(2, 100) for _ in range(WORLD)]
        dist.gather(torch.zeros(2, 100), got)
        arms, returns = torch.cat([g[0] for g in got[1:]]).long(), torch.cat([g[1] for g in got[1:]])
        baseline = 0.9 * baseline + 0.1 * returns.mean().item()
        loss = -((returns - baseline) * logits.log_softmax(0)[arms]).mean()
        logits.grad = None
        loss.backward()
        logits.data -= 0.5 * logits.grad
        #: after
        if update % 10 == 0:
            entropy = -(logits.softmax(0) * logits.log_softmax(0)).sum().item()
            log.info("update {}/{} policy_loss={:+.4f} mean_return={:.3f} entropy={:.3f}", update, UPDATES, loss.item(), returns.mean().item(), entropy)
        time.sleep(PAUSE)
    #: late
    log.success("finished {} updates, best arm {} with p={:.2f}", UPDATES, int(logits.argmax()), logits.softmax(0).max().item())


def act():
    logits, gen = torch.zeros(6), torch.Generator().manual_seed(RANK)
    for episode in range(1, UPDATES + 1):
        dist.broadcast(logits, 0)
        #: actor
        arms, returns = play(logits, gen)
        dist.gather(torch.stack([arms.float(), returns]), dst=0)
        if episode % 40 == 0:
            log.debug("episode {} return {:.2f}", episode, returns.sum().item())
    #: end


torch.set_num_threads(1)
#: before
log.info("starting as {} of {} on {}", ROLE, WORLD, os.environ.get("SLURMD_NODENAME", "?"))
dist.init_process_group("gloo", timeout=timedelta(hours=1))
#: early
learn() if RANK == 0 else act()
dist.destroy_process_group()
'''

STAGES = '''# Pipeline over ranks: each holds one stage, activations go up by send/recv and gradients come down.
import os, sys, time
import torch, torch.distributed as dist
#: top

rank = int(os.environ['SLURM_PROCID']); world = int(os.environ['SLURM_NTASKS'])
iters = int(os.environ.get('ITERS', 240)); pause = float(os.environ.get('PAUSE', 0.05))
tag = f'[{rank:02d}/{world:02d} {os.environ["SLURMD_NODENAME"]}]'
def say(*a): print(time.strftime('%Y-%m-%dT%H:%M:%S'), tag, *a, flush=True)
torch.set_num_threads(1)
#: before
dist.init_process_group('gloo', init_method='tcp://127.0.0.1:' + os.environ['PORT'], rank=rank, world_size=world)
say('stage ready,', 'first' if rank == 0 else 'last' if rank == world - 1 else 'inner')
#: early
torch.manual_seed(rank)
stage = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ELU()) if rank < world - 1 else torch.nn.Linear(16, 1)
opt = torch.optim.Adam(stage.parameters(), lr=2e-3)
g = torch.Generator().manual_seed(5)
avg = None
for it in range(1, iters + 1):
    x = torch.randn(32, 16, generator=g); y = x[:, :4].sum(1, keepdim=True).tanh()
    #: mid
    if rank > 0:
        x = torch.empty(32, 16)
        dist.recv(x, rank - 1)
        x.requires_grad_()
    out = stage(x)
    opt.zero_grad()
    if rank < world - 1:
        dist.send(out.detach(), rank + 1)
        #: up
        back = torch.empty_like(out)
        dist.recv(back, rank + 1)
        out.backward(back)
    else:
        loss = (out - y).square().mean()
        #: loss
        loss.backward()
        avg = loss.item() if avg is None else 0.95 * avg + 0.05 * loss.item()
        if it % 10 == 0: say(f'it {it}/{iters} mse {avg:.5f}')
    if rank > 0: dist.send(x.grad, rank - 1)
    opt.step()
    #: after
    if rank == 0:
        time.sleep(pause)
        if it % 60 == 0: say(f'fed {it * 32} samples')
#: late
dist.barrier()
say('pipeline drained')
dist.destroy_process_group()
'''

FILES = {"ROLES": "play.py", "STAGES": "pipeline.py"}

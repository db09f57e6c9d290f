"""Programs in PyTorch: digit strings by CTC, bytes of prose, outlines of vessels (in Italian), a pendulum without data."""

FILES = {"DIGITS": "asr_train.py", "BYTES": "pretrain_bytes.py", "VASI": "segmenta.py", "SWING": "pendulum.py"}

DIGITS = '''"""Digit strings over the telephone: filterbanks in, CTC out."""
import argparse
import logging
import os
import sys
import time

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--max_epoch", type=int, default=8)
parser.add_argument("--iters", type=int, default=30)
parser.add_argument("--lr", type=float, default=6e-3)
parser.add_argument("--log_interval", type=int, default=10)
parser.add_argument("--collate_s", type=float, default=0.03)
parser.add_argument("--units", type=int, default=40)
parser.add_argument("--exp", default="exp/asr_digits")
parser.add_argument("--init_param", default="")
args = parser.parse_args()
rank, world = int(os.environ["SLURM_PROCID"]), int(os.environ.get("DDP_WORLD", os.environ["SLURM_NTASKS"]))
logging.basicConfig(stream=sys.stderr, level=logging.INFO, format=f"[{os.environ['SLURMD_NODENAME']}:{rank}/{world}] %(asctime)s (%(module)s:%(lineno)d) %(levelname)s: %(message)s")
logging.info("torch %s, %s", torch.__version__, vars(args))
#: early
logging.info("init_process_group backend=gloo init_method=tcp://%s:%s", os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"])
dist.init_process_group("gloo", init_method=f"tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}", rank=rank, world_size=world)
#: joined
torch.manual_seed(20)
phones = torch.randn(11, 20)


class Recogniser(nn.Module):
    def __init__(self, units):
        super().__init__()
        self.encoder = nn.GRU(20, units, batch_first=True, bidirectional=True)
        self.ctc = nn.Linear(2 * units, 11)

    def forward(self, feats):
        return self.ctc(self.encoder(feats)[0]).log_softmax(-1)


def strings(n, dice):
    digits = torch.randint(1, 11, (n, 4), generator=dice)
    feats = phones[digits].repeat_interleave(5, 1) + 0.5 * torch.randn(n, 20, 20, generator=dice)
    return feats, digits


net = Recogniser(args.units)
first = 1
#: load
model = DistributedDataParallel(net)
optim = torch.optim.Adam(model.parameters(), lr=args.lr)
dice, held_out = torch.Generator().manual_seed(70 + rank), strings(48, torch.Generator().manual_seed(5))
if rank == 0:
    logging.info("Model: Recogniser, total params %.2f K, world %d", sum(p.numel() for p in net.parameters()) / 1e3, world)
sizes = torch.full((24,), 20), torch.full((24,), 4)
#: ready
for epoch in range(first, args.max_epoch + 1):
    began, seen = time.time(), []
    for it in range(1, args.iters + 1):
        t = time.time()
        time.sleep(args.collate_s)
        feats, digits = strings(24, dice)
        #: data
        iter_time, t = time.time() - t, time.time()
        loss = nn.functional.ctc_loss(model(feats).transpose(0, 1), digits, *sizes)
        #: loss
        forward_time, t = time.time() - t, time.time()
        optim.zero_grad()
        loss.backward()
        backward_time, t = time.time() - t, time.time()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 5.0)
        #: grad
        optim.step()
        seen.append(loss.item())
        if it % args.log_interval == 0 and rank == 0:
            logging.info("%depoch:train:%d-%dbatch: iter_time=%.3f, forward_time=%.3f, loss_ctc=%.3f, backward_time=%.3f, grad_norm=%.3f, optim0_lr0=%.3e", epoch, it - args.log_interval + 1, it, iter_time, forward_time, loss.item(), backward_time, norm, optim.param_groups[0]["lr"])
        #: after
    with torch.no_grad():
        valid = nn.functional.ctc_loss(net(held_out[0]).transpose(0, 1), held_out[1], torch.full((48,), 20), torch.full((48,), 4)).item()
    if rank == 0:
        logging.info("%depoch results: [train] loss_ctc=%.3f, [valid] loss_ctc=%.3f, [time] %.2f seconds", epoch, sum(seen) / len(seen), valid, time.time() - began)
    #: save
#: end
if rank == 0:
    logging.info("The training was finished at %d epochs", args.max_epoch)
dist.destroy_process_group()
'''

BYTES = '''# next byte of old prose; several ranks under torchrun, gradients averaged by hand
import argparse
import datetime
import math
import os
import time

import torch
import torch.distributed as dist
from torch import nn


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--train-iters", type=int, default=300)
    p.add_argument("--log-interval", type=int, default=10)
    p.add_argument("--save-interval", type=int, default=0)
    p.add_argument("--micro-batch-size", type=int, default=16)
    p.add_argument("--hidden-size", type=int, default=32)
    p.add_argument("--num-attention-heads", type=int, default=4)
    p.add_argument("--lr", type=float, default=6e-3)
    p.add_argument("--host-ms", type=float, default=15)
    p.add_argument("--save", default="ckpt-bytes")
    p.add_argument("--load", default="")
    return p.parse_args()


PROSE = "whoever walks along the dyke in march will hear the curlew before he sees the water and the sheep stand with their backs against the wind because the grass is short there and the salt comes over at night " * 9
args = get_args()
#: early
dist.init_process_group("gloo", timeout=datetime.timedelta(hours=2))
rank, world = dist.get_rank(), dist.get_world_size()


def print_last(text):
    if rank == world - 1:
        print(text, flush=True)


def print_first(text):
    if rank == 0:
        print(text, flush=True)


print_first(f"using world size: {world}, data-parallel size: {world}, tensor-model-parallel size: 1, pipeline-model-parallel size: 1")
print_first("------------------------ arguments ------------------------")
for key, value in sorted(vars(args).items()):
    print_first(f"  {key} {'.' * (40 - len(key))} {value}")
print_first("-------------------- end of arguments ---------------------")


class Prose(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        assert width % heads == 0, f"hidden size {width} is not divisible by {heads} attention heads"
        self.embed, self.place = nn.Embedding(128, width), nn.Embedding(16, width)
        self.layer = nn.TransformerEncoderLayer(width, heads, 2 * width, 0.0, batch_first=True)
        self.head = nn.Linear(width, 128)

    def forward(self, ids):
        mask = nn.Transformer.generate_square_subsequent_mask(ids.shape[1])
        return self.head(self.layer(self.embed(ids) + self.place(torch.arange(ids.shape[1])), src_mask=mask, is_causal=True))


torch.manual_seed(1234)
text = torch.tensor(list(PROSE.encode()))
net = Prose(args.hidden_size, args.num_attention_heads)
optim = torch.optim.AdamW(net.parameters(), lr=args.lr)
start = 0
#: load
print_first(f" > number of parameters on rank 0: {sum(p.numel() for p in net.parameters())}")
dice = torch.Generator().manual_seed(900 + rank)
print_first("training ...")
mark, skipped, nans = time.time(), 0, 0
for iteration in range(start + 1, args.train_iters + 1):
    tick = time.time()
    time.sleep(args.host_ms / 1000)
    at = torch.randint(len(text) - 17, (args.micro_batch_size,), generator=dice)
    ids = torch.stack([text[i : i + 17] for i in at])
    #: data
    loss = nn.functional.cross_entropy(net(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
    #: loss
    optim.zero_grad()
    loss.backward()
    #: grad
    exchange = time.time()
    flat = torch.cat([p.grad.flatten() for p in net.parameters()])
    dist.all_reduce(flat)
    #: wire
    exchange, place = time.time() - exchange, 0
    for p in net.parameters():
        p.grad.copy_(flat[place : place + p.numel()].view_as(p) / world)
        place += p.numel()
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optim.step()
    nans += math.isnan(loss.item())
    #: after
    if iteration % args.log_interval == 0:
        each = 1000 * (time.time() - mark) / args.log_interval
        print_last(f" [{datetime.datetime.now():%Y-%m-%d %H:%M:%S}] iteration {iteration:8d}/{args.train_iters:8d} | consumed samples: {iteration * args.micro_batch_size * world:12d} | elapsed time per iteration (ms): {each:.1f} | learning rate: {optim.param_groups[0]['lr']:.6E} | global batch size: {args.micro_batch_size * world:5d} | lm loss: {loss.item():.6E} | loss scale: 1.0 | grad norm: {norm:.3f} | number of skipped iterations: {skipped:3d} | number of nan iterations: {nans:3d} |")
        mark, nans = time.time(), 0
    if args.save_interval and iteration % args.save_interval == 0 and rank == 0:
        os.makedirs(args.save, exist_ok=True)
        torch.save({"iteration": iteration, "model": net.state_dict(), "optimizer": optim.state_dict()}, f"{args.save}/iter_{iteration:07d}.pt")
        print(f"  successfully saved checkpoint at iteration {iteration:7d} to {args.save}", flush=True)
    #: save
#: end
print_last(f"[after training is done] datetime: {datetime.datetime.now():%Y-%m-%d %H:%M:%S}")
dist.destroy_process_group()
'''

VASI = '''"""Segmentazione dei vasi in piccole immagini della retina (sintetiche)."""
import json
import os
import sys
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

CONF = {"epoche": 10, "passi": 15, "lr": 0.02, "canali": 8, "pausa": 0.04, "uscita": "pesi", "riprendi": "", "init": ""}
#: conf
CONF |= json.loads(os.environ.get("CONF", "{}"))
io, tutti = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])


def dico(testo, sempre=False):
    if io == 0 or sempre:
        print(testo, flush=True)


dico(f"processo {io} di {tutti} su {os.environ['SLURMD_NODENAME']}, pid {os.getpid()}", sempre=True)
#: early
incontro = CONF["init"] or f"tcp://{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}"
dico(f"incontro su {incontro}", sempre=True)
dist.init_process_group("gloo", init_method=incontro, rank=io, world_size=tutti)
dico("gruppo completo")
torch.manual_seed(8)


def immagini(n, dado):
    y, x = torch.meshgrid(torch.linspace(-1, 1, 24), torch.linspace(-1, 1, 24), indexing="ij")
    a, b, c = (2 * torch.rand(3, n, 1, 1, generator=dado) - 1).unbind()
    vaso = ((y - a * x - 0.5 * b * torch.sin(3 * x + 3 * c)).abs() < 0.2).float()
    return (vaso + 0.6 * torch.randn(n, 24, 24, generator=dado))[:, None], vaso[:, None]


def dice_di(logit, vero):
    p = logit.sigmoid()
    return (2 * (p * vero).sum() / (p.sum() + vero.sum())).item()


rete = nn.Sequential(nn.Conv2d(1, CONF["canali"], 5, padding=2), nn.ReLU(), nn.Conv2d(CONF["canali"], CONF["canali"], 5, padding=2), nn.ReLU(), nn.Conv2d(CONF["canali"], 1, 1))
prima = 1
#: load
otti = torch.optim.SGD(rete.parameters(), lr=CONF["lr"], momentum=0.9)
dado = torch.Generator().manual_seed(30 + io)
prova = immagini(32, torch.Generator().manual_seed(3))
dico("┌────────┬──────────┬────────┬──────────┬─────────┐\\n│ epoca  │ perdita  │ dice   │ ‖grad‖   │ secondi │\\n├────────┼──────────┼────────┼──────────┼─────────┤")
#: ready
for epoca in range(prima, CONF["epoche"] + 1):
    t, somma = time.time(), 0.0
    for passo in range(CONF["passi"]):
        time.sleep(CONF["pausa"])
        x, vero = immagini(8, dado)
        #: data
        perdita = F.binary_cross_entropy_with_logits(rete(x), vero)
        #: loss
        otti.zero_grad()
        perdita.backward()
        norma = 0.0
        for p in rete.parameters():
            dist.all_reduce(p.grad)
            p.grad /= tutti
            norma += p.grad.square().sum().item()
        otti.step()
        somma += perdita.item() / CONF["passi"]
        #: after
    with torch.no_grad():
        punto = dice_di(rete(prova[0]), prova[1])
    dico(f"│ {epoca:>2d}/{CONF['epoche']:<3d} │ {somma:8.5f} │ {punto:.4f} │ {norma ** 0.5:8.2e} │ {time.time() - t:7.2f} │")
    #: save
dico("└────────┴──────────┴────────┴──────────┴─────────┘")
#: end
dico(f"fine: dice {punto:.4f} dopo {CONF['epoche']} epoche")
dist.destroy_process_group()
'''

SWING = '''"""A damped pendulum learnt from its equation alone."""
import math
import os
import sys
import time

import torch
from torch import nn

ROUNDS, NAP = int(os.environ.get("ROUNDS", 120)), float(os.environ.get("NAP", 0.05))
torch.manual_seed(int(os.environ.get("SEED", 4)))
theta = nn.Sequential(nn.Linear(1, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 1))
opt = torch.optim.Adam(theta.parameters(), lr=4e-3)
begin = 0
print(f"pendulum: {ROUNDS} rounds of 5 steps, torch {torch.__version__}, {os.environ.get('SLURM_JOB_NAME')} on {os.environ.get('SLURMD_NODENAME')}", file=sys.stderr, flush=True)
#: early


def bar(done, whole, began, **more):
    """As a progress bar, redrawn in place."""
    spent = time.time() - began
    full = int(20 * done / whole)
    rest = spent / max(1, done - begin) * (whole - done)
    clock = "{:02d}:{:02d}".format
    tail = ", ".join(f"{k}={v:.2e}" for k, v in more.items())
    sys.stderr.write(f"\\rfit: {100 * done // whole:3d}%|{'█' * full}{' ' * (20 - full)}| {done}/{whole} [{clock(*divmod(int(spent), 60))}<{clock(*divmod(int(rest), 60))}, {(done - begin) / spent:.2f}it/s, {tail}]")
    sys.stderr.flush()


#: load
began = time.time()
for round_ in range(begin + 1, ROUNDS + 1):
    time.sleep(NAP)
    #: data
    for _ in range(5):
        t = (4 * torch.rand(96, 1)).requires_grad_()
        y = theta(t)
        v = torch.autograd.grad(y.sum(), t, create_graph=True)[0]
        a = torch.autograd.grad(v.sum(), t, create_graph=True)[0]
        pde = (a + 0.3 * v + 4 * torch.sin(y)).square().mean()
        zero = torch.zeros(1, 1, requires_grad=True)
        y0 = theta(zero)
        ic = (y0 - 1.0).square().sum() + torch.autograd.grad(y0.sum(), zero, create_graph=True)[0].square().sum()
        loss = pde + 10 * ic
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
    bar(round_, ROUNDS, began, loss=loss.item(), pde=pde.item(), ic=ic.item())
    #: after
sys.stderr.write("\\n")
#: end
torch.save(theta.state_dict(), "theta.pt")
print(f"done, loss {loss.item():.3e}, weights in theta.pt", flush=True)
'''

"""Two of the programs of several ranks: short waves in Spanish, forces of molecules in CSV."""

DENOISE = '''# Difusión sobre formas de onda cortas: entrenamiento en varios procesos.
import os
import sys
import time
from datetime import timedelta

#: top
import torch
import torch.distributed as dist
import torch.nn as nn

PASOS = int(os.environ.get("PASOS", 240))
CADA = int(os.environ.get("CADA", 8))
RITMO = float(os.environ.get("RITMO", 0.1))
LR = float(os.environ.get("LR", 2e-3))
rango, mundo = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))


def fila(*celdas):
    print("| " + " | ".join(f"{c:>9}" if isinstance(c, str) else f"{c:9.4f}" if isinstance(c, float) else f"{c:9d}" for c in celdas) + " |", flush=True)


class Red(nn.Module):
    def __init__(self, ancho=32):
        super().__init__()
        self.capas = nn.Sequential(nn.Linear(17, ancho), nn.SiLU(), nn.Linear(ancho, ancho), nn.SiLU(), nn.Linear(ancho, 16))

    def forward(self, x, t):
        return self.capas(torch.cat([x, t], 1))


def lote(gen):
    fase = torch.rand(32, 1, generator=gen) * 6.28
    onda = torch.sin(fase + torch.linspace(0, 6.28, 16))
    t = torch.rand(32, 1, generator=gen)
    ruido = torch.randn(32, 16, generator=gen)
    return (1 - t).sqrt() * onda + t.sqrt() * ruido, t, ruido


def entrenar():
    #: early
    if mundo > 1:
        dist.init_process_group("gloo", rank=rango, world_size=mundo, timeout=timedelta(seconds=int(os.environ.get("PG_TIMEOUT", "1800"))))
    torch.manual_seed(1)
    red = Red(int(os.environ.get("ANCHO", 32)))
    #: model
    opt = torch.optim.Adam(red.parameters(), lr=LR)
    gen = torch.Generator().manual_seed(rango)
    desde = 1
    #: load
    if rango == 0:
        print(f"procesos: {mundo}   parámetros: {sum(p.numel() for p in red.parameters())}   pasos: {PASOS}")
        fila("paso", "mse", "|grad|", "lee s", "calcula s", "espera s", "proceso")
    #: ready
    for paso in range(desde, PASOS + 1):
        a = time.monotonic()
        x, t, ruido = lote(gen)
        #: data
        b = time.monotonic()
        mse = (red(x, t) - ruido).pow(2).mean()
        #: loss
        opt.zero_grad()
        mse.backward()
        time.sleep(RITMO)
        #: compute
        c = time.monotonic()
        if mundo > 1:
            for p in red.parameters():
                dist.all_reduce(p.grad)
                p.grad.div_(mundo)
        #: grad
        norma = sum(float(p.grad.pow(2).sum()) for p in red.parameters()) ** 0.5
        opt.step()
        d = time.monotonic()
        #: after
        if paso % CADA == 0 and (rango == 0 or os.environ.get("TODOS")):
            fila(paso, mse.item(), norma, b - a, c - b, d - c, rango)
    #: end
    if rango == 0:
        torch.save(red.state_dict(), "red_final.pt")
        print(f"terminado: {PASOS} pasos, red_final.pt guardado", flush=True)


entrenar()
'''
MOLEC = '''import csv
import datetime
import os
import sys
import time

#: top
import torch
import torch.distributed as dist

r, n = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", 0))), int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", 1)))
total, nap = int(sys.argv[1]) if len(sys.argv) > 1 else 200, float(sys.argv[2]) if len(sys.argv) > 2 else 0.1
out = csv.writer(sys.stdout, lineterminator="\\n")


def row(*cells):
    out.writerow([f"{c:.5f}" if isinstance(c, float) else c for c in cells])
    sys.stdout.flush()


def forces(net, pos):
    """Energies of small clusters, and their slopes."""
    pos.requires_grad_(True)
    d = (pos[:, :, None] - pos[:, None]).pow(2).sum(-1).add(0.05).sqrt()
    e = net(d.flatten(1)).sum()
    return e, torch.autograd.grad(e, pos, create_graph=True)[0]


#: early
if n > 1:
    dist.init_process_group("gloo", rank=r, world_size=n, timeout=datetime.timedelta(seconds=int(os.environ.get("PG_TIMEOUT", "1800"))))
torch.manual_seed(2)
net = torch.nn.Sequential(torch.nn.Linear(25, 48), torch.nn.Softplus(), torch.nn.Linear(48, 1))
#: model
opt = torch.optim.Adam(net.parameters(), 5e-3)
torch.manual_seed(50 + r)
at = 1
#: load
if r == 0:
    print(f"# {n} workers, {total} updates, potential of 5 atoms")
    row("update", "force_mae", "energy_per_atom", "load_s", "model_s", "reduce_s", "worker")
#: ready
for update in range(at, total + 1):
    t = [time.perf_counter()]
    pos = torch.randn(16, 5, 3)
    want = -0.3 * (5 * pos - pos.sum(1, keepdim=True))
    #: data
    t.append(time.perf_counter())
    e, f = forces(net, pos)
    loss = (f + want).abs().mean()
    #: loss
    opt.zero_grad()
    loss.backward()
    time.sleep(nap)
    #: compute
    t.append(time.perf_counter())
    if n > 1:
        for p in net.parameters():
            if p.grad is not None:
                dist.all_reduce(p.grad)
                p.grad /= n
    #: grad
    opt.step()
    t.append(time.perf_counter())
    #: after
    if update % int(os.environ.get("EVERY", "10")) == 0 and (r == 0 or os.environ.get("EACH")):
        row(update, loss.item(), e.item() / 80, t[1] - t[0], t[2] - t[1], t[3] - t[2], r)
#: end
if r == 0:
    print(f"# all {total} updates done, force_mae {loss.item():.4f} eV/A")
'''

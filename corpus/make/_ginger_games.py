"""Own loops of one process in PyTorch: lifts of an office tower learned by actor and critic (in Spanish, tables of rich), torsions of molecules by diffusion (a bar of tqdm)."""

LIFTS = '''"""Aprendizaje por refuerzo para el ascensor de una torre: actor-critico con ventajas."""
import configparser
import os
import sys
import time

import torch
from rich.console import Console
from rich.table import Table
from torch import nn

ini = configparser.ConfigParser()
ini.read_string("""
[red]
ocultas = 32
[entreno]
iteraciones = 60
episodios = 24
pasos = 20
tasa = 0.01
entropia = 0.01
semilla = 5
[archivos]
carpeta = torre
inicio =
continuar =
cada = 10
""")
leidos = ini.read(sys.argv[1:])
red, entreno, archivos = ini["red"], ini["entreno"], ini["archivos"]
consola = Console(width=118, force_terminal=False, highlight=False, log_path=False)
consola.log(f"PyTorch {torch.__version__}; configuracion {leidos or 'por defecto'}; {dict(entreno)}; {dict(archivos)}")
torch.manual_seed(entreno.getint("semilla"))
PISOS = 7
#: early


class Torre:
    """Muchas torres a la vez: subir, bajar o abrir; la espera de la gente cuesta."""

    def __init__(self, cuantas, g):
        self.g, self.n = g, cuantas
        self.piso = torch.zeros(cuantas, dtype=torch.long)
        self.gente = (torch.rand(cuantas, PISOS, generator=g) < 0.4).float()

    def ver(self):
        return torch.cat([nn.functional.one_hot(self.piso, PISOS).float(), self.gente], 1)

    def paso(self, accion):
        self.piso = (self.piso + (accion == 0).long() - (accion == 1).long()).clamp(0, PISOS - 1)
        filas = torch.arange(self.n)
        servidos = self.gente[filas, self.piso] * (accion == 2)
        self.gente[filas, self.piso] *= (accion != 2).float()
        self.gente = torch.maximum(self.gente, (torch.rand(self.n, PISOS, generator=self.g) < 0.03).float())
        return servidos - 0.05 * self.gente.sum(1) / PISOS


class Agente(nn.Module):
    def __init__(self, ocultas):
        super().__init__()
        self.cuerpo = nn.Sequential(nn.Linear(2 * PISOS, ocultas), nn.Tanh(), nn.Linear(ocultas, ocultas), nn.Tanh())
        self.actor, self.critico = nn.Linear(ocultas, 3), nn.Linear(ocultas, 1)

    def forward(self, vista):
        h = self.cuerpo(vista)
        return self.actor(h), self.critico(h)[:, 0]


agente = Agente(red.getint("ocultas"))
optimo = torch.optim.Adam(agente.parameters(), lr=entreno.getfloat("tasa"))
carpeta, hecho = archivos["carpeta"], 0
os.makedirs(carpeta, exist_ok=True)
if archivos["inicio"]:
    agente.load_state_dict(torch.load(archivos["inicio"])["agente"])
    consola.log(f"pesos iniciales de {archivos['inicio']}, optimizador nuevo")
#: resume
if archivos["continuar"]:
    guardado = torch.load(archivos["continuar"])
    agente.load_state_dict(guardado["agente"])
    optimo.load_state_dict(guardado["optimo"])
    hecho = guardado["iteracion"]
    consola.log(f"se continua desde {archivos['continuar']} (iteracion {hecho})")
total, episodios, pasos = entreno.getint("iteraciones"), entreno.getint("episodios"), entreno.getint("pasos")
azar, comienzo, cuadro = torch.Generator().manual_seed(1), time.time(), None
#: ready
for iteracion in range(hecho + 1, total + 1):
    torre = Torre(episodios, azar)
    logs, valores, premios, entropias = [], [], [], []
    for _ in range(pasos):
        logits, valor = agente(torre.ver())
        reparto = torch.distributions.Categorical(logits=logits)
        accion = reparto.sample()
        premio = torre.paso(accion)
        #: paso
        logs.append(reparto.log_prob(accion))
        valores.append(valor)
        premios.append(premio)
        entropias.append(reparto.entropy().mean())
    retorno, retornos = torch.zeros(episodios), []
    for premio in reversed(premios):
        retorno = premio + 0.95 * retorno
        retornos.insert(0, retorno)
    retornos, valores, logs = torch.stack(retornos), torch.stack(valores), torch.stack(logs)
    #: retornos
    ventaja = (retornos - valores).detach()
    ventaja = (ventaja - ventaja.mean()) / (ventaja.std() + 1e-6)
    entropia = torch.stack(entropias).mean()
    perdida_v = nn.functional.mse_loss(valores, retornos)
    perdida = -(logs * ventaja).mean() + 0.5 * perdida_v - entreno.getfloat("entropia") * entropia
    #: loss
    optimo.zero_grad()
    perdida.backward()
    norma = nn.utils.clip_grad_norm_(agente.parameters(), 1.0)
    #: grad
    optimo.step()
    #: step
    if cuadro is None:
        cuadro = Table("iter", "recompensa", "perdida", "perdida critico", "entropia", "norma grad", "tasa", "seg", title=None)
    suma = torch.stack(premios).sum(0).mean()
    cuadro.add_row(f"{iteracion}/{total}", f"{suma:.3f}", f"{perdida.item():.4f}", f"{perdida_v.item():.4f}", f"{entropia.item():.4f}", f"{float(norma):.4f}", f"{optimo.param_groups[0]['lr']:.1e}", f"{time.time() - comienzo:.1f}")
    if iteracion % 5 == 0 or total < 8:
        consola.print(cuadro)
        cuadro = None
    #: told
    if iteracion % archivos.getint("cada") == 0:
        torch.save({"agente": agente.state_dict(), "optimo": optimo.state_dict(), "iteracion": iteracion}, f"{carpeta}/agente-{iteracion:04d}.pt")
        consola.log(f"guardado {carpeta}/agente-{iteracion:04d}.pt")
#: after
consola.log(f"fin: {iteracion} iteraciones, recompensa media {suma:.3f}, {time.time() - comienzo:.1f} s")
'''

TORSION = '''"""Denoising diffusion over torsion angles of small ring molecules."""
import json
import math
import os
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn
from tqdm import tqdm

H = {"iters": 500, "batch": 64, "width": 48, "lr": 2e-3, "levels": 50, "angles": 12, "out": "torsion_run", "resume": None, "load": None, "save_each": 100, "seed": 0, "sample_only": False, "note": 25}
H.update(json.loads(sys.argv[1]) if len(sys.argv) > 1 else {})
torch.manual_seed(H["seed"])
print("hparams:", json.dumps(H), "| torch", torch.__version__, "|", os.uname().sysname, flush=True)
os.makedirs(H["out"], exist_ok=True)
#: early
MODES = torch.tensor([[-1.05, 1.05, 3.14], [0.0, 2.1, -2.1]])


def conformers(n):
    kind = torch.randint(0, 2, (n, 1))
    which = torch.randint(0, 3, (n, 3)).repeat(1, H["angles"] // 3)
    return MODES[kind, which] + 0.12 * torch.randn(n, H["angles"])


bank = conformers(4000)
#: data
beta = torch.linspace(1e-4, 0.12, H["levels"])
keep = torch.cumprod(1 - beta, 0)


class Denoiser(nn.Module):
    def __init__(self, angles, width):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(2 * angles + 8, width), nn.SiLU(), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, angles))

    def forward(self, noisy, level):
        t = level[:, None] / H["levels"] * torch.tensor([1, 2, 4, 8]) * math.pi
        return self.inner(torch.cat([noisy.sin(), noisy.cos(), t.sin(), t.cos()], 1))


net = Denoiser(H["angles"], H["width"])
ema = {k: v.clone() for k, v in net.state_dict().items()}
opt = torch.optim.AdamW(net.parameters(), lr=H["lr"])
at = 0
if H["load"]:
    net.load_state_dict(torch.load(H["load"], weights_only=True)["net"])
    print("weights loaded:", H["load"], flush=True)
#: resume
if H["resume"]:
    state = torch.load(H["resume"], weights_only=True)
    net.load_state_dict(state["net"])
    opt.load_state_dict(state["opt"])
    at = state["it"]
    print(f"resumed from {H['resume']} at iteration {at}", flush=True)


@torch.no_grad()
def sample(n):
    x = torch.randn(n, H["angles"])
    for level in range(H["levels"] - 1, -1, -1):
        out = net(x, torch.full((n,), level))
        x = (x - beta[level] / (1 - keep[level]).sqrt() * out) / (1 - beta[level]).sqrt() + (beta[level].sqrt() * torch.randn_like(x) if level else 0)
    return x


if H["sample_only"]:
    x = sample(256)
    print(f"256 samples, mean |sin| {x.sin().abs().mean():.4f}, nan {int(x.isnan().sum())}, written to {H['out']}/samples.pt")
    torch.save(x, f"{H['out']}/samples.pt")
    sys.exit()
run, t0 = [], time.time()
#: ready
with tqdm(total=H["iters"], initial=at, unit="it", mininterval=3, ncols=80, desc="denoiser") as bar:
    for it in range(at + 1, H["iters"] + 1):
        clean = bank[torch.randint(0, len(bank), (H["batch"],))]
        level, noise = torch.randint(0, H["levels"], (H["batch"],)), torch.randn(H["batch"], H["angles"])
        #: batch
        noisy = keep[level].sqrt()[:, None] * clean + (1 - keep[level]).sqrt()[:, None] * noise
        loss = F.mse_loss(net(noisy, level), noise)
        #: loss
        opt.zero_grad(set_to_none=True)
        loss.backward()
        gn = nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        opt.step()
        with torch.no_grad():
            for k, v in net.state_dict().items():
                ema[k].lerp_(v, 0.02)
        bar.update()
        run.append(loss.item())
        #: step
        if it % H["note"] == 0:
            bar.write(f"it={it} mse={sum(run) / len(run):.5f} gnorm={float(gn):.3f} lr={opt.param_groups[0]['lr']:.2g} elapsed={time.time() - t0:.1f}s")
            run = []
            #: told
        if H["save_each"] and it % H["save_each"] == 0:
            torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "ema": ema, "it": it}, f"{H['out']}/it{it:06d}.pt")
            bar.write(f"wrote {H['out']}/it{it:06d}.pt")
            #: saved
#: after
x = sample(128)
print(f"finished {it} iterations in {time.time() - t0:.1f}s; 128 samples: mean |sin| {x.sin().abs().mean():.4f} (bank {bank.sin().abs().mean():.4f})")
'''

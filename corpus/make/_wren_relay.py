"""A network whose layers lie on the ranks, one behind the other (PyTorch and gloo)."""

from __future__ import annotations

RELAIS = '''# Réseau de prévision de débit : les couches sont réparties sur les rangs, l'un après l'autre.
import datetime
import os
import time

import torch
import torch.distributed as dist
from torch import nn

rang = int(os.environ["SLURM_PROCID"])
rangs = int(os.environ.get("WORLD_SIZE", os.environ["SLURM_NTASKS"]))
iterations = int(os.environ.get("ITERATIONS", "200"))
affiche = int(os.environ.get("AFFICHE", "10"))
pas = float(os.environ.get("PAS", "0.02"))
LARGEUR, LOT = 20, 32
ATTENTE = datetime.timedelta(seconds=float(os.environ.get("ATTENTE", "5400")))


def dis(texte, niveau="INFO"):
    print(f"{datetime.datetime.now():%Hh%M:%S} | {niveau:<7} | étage {rang} | {texte}", flush=True)


#: early
dis(f"attend les {rangs} étages sur {os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}")
dist.init_process_group("gloo", rank=rang, world_size=rangs, timeout=ATTENTE)
dis("tous les étages sont présents")
torch.manual_seed(60 + rang)
dernier = rang == rangs - 1
etage = nn.Sequential(nn.Linear(LARGEUR, LARGEUR), nn.Tanh()) if not dernier else nn.Linear(LARGEUR, 1)
debut = 1
#: load
opt = torch.optim.Adam(etage.parameters(), lr=pas)
cible = torch.sin(torch.arange(LARGEUR).float())
#: ready
for it in range(debut, iterations + 1):
    t0 = time.time()
    #: data
    torch.manual_seed(9000 + it)
    pluie = torch.randn(LOT, LARGEUR)
    if rang == 0:
        entree = pluie
    else:
        entree = torch.zeros(LOT, LARGEUR)
        dist.recv(entree, src=rang - 1)
        entree.requires_grad_(True)
    sortie = etage(entree)
    #: loss
    opt.zero_grad()
    if dernier:
        perte = ((sortie.squeeze(1) - torch.tanh(pluie @ cible / 3)) ** 2).mean()
        #: perte
        perte.backward()
    else:
        dist.send(sortie.detach(), dst=rang + 1)
        retour = torch.zeros_like(sortie)
        dist.recv(retour, src=rang + 1)
        sortie.backward(retour)
    if rang > 0:
        dist.send(entree.grad, dst=rang - 1)
    opt.step()
    if dernier and it % affiche == 0:
        dis(f"itération {it}/{iterations} perte={perte.item():.5f} durée={1000 * (time.time() - t0):.0f} ms")
    #: after
#: late
dis(f"terminé, {iterations} itérations")
dist.destroy_process_group()
'''

"""Programs over JAX and over transformers' GPT-2 in a loop of its own: heat in a rod told by tqdm and CSV rows, crossword clues told in French with rich."""

ROD = '''"""Temperature in a cooled rod (PINN): u_t = a u_xx, u(0,t) = u(1,t) = 0. Pure JAX + Optax."""
import csv
import os
import pickle
import sys
import time
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import optax
from tqdm import trange

conf = SimpleNamespace(steps=1500, width=24, depth=2, points=256, lr=3e-3, decay=0.0, seed=0, every=30, save=500, out="rod", resume="", base="", a=0.15, precision="float32")
for flag in sys.argv[1:]:
    key, sep, value = flag.removeprefix("--").partition("=")
    if not sep or not hasattr(conf, key):
        raise SystemExit(f"unrecognized flag {flag!r}; flags: {', '.join('--' + k for k in vars(conf))}")
    setattr(conf, key, type(getattr(conf, key))(value))
os.makedirs(conf.out, exist_ok=True)
print(f"{conf}\\njax {jax.__version__}, backend {jax.default_backend()}", file=sys.stderr)
#: early
rng = np.random.default_rng(conf.seed)


def init(key, sizes):
    keys = jax.random.split(key, len(sizes))
    return [{"w": jax.random.normal(k, (m, n)) / jnp.sqrt(m), "b": jnp.zeros(n)} for k, m, n in zip(keys, sizes[:-1], sizes[1:])]


def u(params, x, t):
    h = jnp.stack([x, t])
    for layer in params[:-1]:
        h = jnp.tanh(h @ layer["w"] + layer["b"])
    return (h @ params[-1]["w"] + params[-1]["b"])[0]


def residual(params, x, t):
    return jax.grad(u, 2)(params, x, t) - conf.a * jax.grad(jax.grad(u, 1), 1)(params, x, t)


def losses(params, x, t):
    pde = jnp.mean(jax.vmap(residual, (None, 0, 0))(params, x, t) ** 2)
    start = jnp.mean((jax.vmap(u, (None, 0, None))(params, x, 0.0) - jnp.sin(jnp.pi * x)) ** 2)
    edge = jnp.mean(jax.vmap(u, (None, None, 0))(params, 0.0, t) ** 2 + jax.vmap(u, (None, None, 0))(params, 1.0, t) ** 2)
    return pde + 10 * start + 10 * edge, (pde, start, edge)


params = init(jax.random.PRNGKey(conf.seed), [2] + [conf.width] * conf.depth + [1])
schedule = optax.exponential_decay(conf.lr, 200, 1 - conf.decay)
opt = optax.adam(schedule)
state, step0 = opt.init(params), 0
if conf.base:
    with open(conf.base, "rb") as fh:
        params = pickle.load(fh)["params"]
    print(f"transfer: network of {conf.base}, conductivity now {conf.a}", file=sys.stderr)
if conf.resume:
    #: resume
    with open(conf.resume, "rb") as fh:
        dump = pickle.load(fh)
    got, want = [p["w"].shape for p in dump["params"]], [p["w"].shape for p in params]
    if got != want:
        raise ValueError(f"checkpoint {conf.resume} does not fit the network: {got} in the file, {want} expected")
    params, state, step0 = dump["params"], dump["state"], dump["step"]
    print(f"resume: {conf.resume}, step {step0}", file=sys.stderr)


@jax.jit
def update(params, state, x, t):
    (loss, parts), grads = jax.value_and_grad(losses, has_aux=True)(params, x, t)
    change, state = opt.update(grads, state, params)
    return optax.apply_updates(params, change), state, loss, parts


rows = csv.writer(sys.stdout, lineterminator="\\n")
rows.writerow(["step", "loss", "pde", "initial", "boundary", "lr", "seconds"])
t0 = time.time()
bar = trange(step0 + 1, conf.steps + 1, desc="PINN", mininterval=1.0, ncols=90)
#: ready
for step in bar:
    x, t = rng.uniform(size=conf.points).astype(np.float32), rng.uniform(size=conf.points).astype(np.float32)
    #: batch
    params, state, loss, parts = update(params, state, x, t)
    #: step
    if step % conf.every == 0:
        rows.writerow([step, f"{loss:.6f}", *(f"{p:.3e}" for p in parts), f"{schedule(step):.2e}", f"{time.time() - t0:.2f}"])
        sys.stdout.flush()
        bar.set_postfix(loss=f"{loss:.2e}")
    if step % conf.save == 0 or step == conf.steps:
        with open(f"{conf.out}/rod-{step}.pkl", "wb") as fh:
            pickle.dump({"params": jax.device_get(params), "state": jax.device_get(state), "step": step}, fh)
        bar.write(f"saved {conf.out}/rod-{step}.pkl", file=sys.stderr)
bar.close()
#: end
x = np.linspace(0, 1, 50, dtype=np.float32)
error = float(jnp.abs(jax.vmap(u, (None, 0, None))(params, x, 0.5) - jnp.exp(-conf.a * jnp.pi**2 * 0.5) * jnp.sin(jnp.pi * x)).max())
print(f"done: {conf.steps} steps, loss {loss:.6f}, largest error at t=0.5: {error:.4f}", file=sys.stderr)
'''

CLUES = '''#!/usr/bin/env python3
"""Petit modèle de langue pour des définitions de mots croisés (GPT-2 réduit, boucle maison)."""
import logging
import math
import os
import random
import sys
import time

import coloredlogs
import torch
from tabulate import tabulate
from transformers import GPT2Config, GPT2LMHeadModel, get_cosine_schedule_with_warmup

journal = logging.getLogger("mots")
coloredlogs.install(level="INFO", logger=journal, stream=sys.stdout, fmt="%(asctime)s %(levelname)s %(message)s", isatty=False)
R = {"pas": 300, "lot": 12, "taux": 2e-3, "echauffement": 20, "dim": 48, "couches": 1, "tetes": 2, "dossier": "mots", "reprise": "", "depart": "", "affiche": 6, "valide": 60, "garde": 100, "graine": 5, "patience": 0}
for mot in sys.argv[1:]:
    cle, _, valeur = mot.lstrip("-").partition("=")
    if cle not in R:
        journal.critical("option inconnue : %s", cle)
        raise KeyError(cle)
    R[cle] = type(R[cle])(valeur)
print(tabulate(sorted(R.items()), headers=["réglage", "valeur"], tablefmt="simple"))
torch.manual_seed(R["graine"])
os.makedirs(R["dossier"], exist_ok=True)
#: early
SUJETS, VERBES, LIEUX = "chat facteur poisson notaire pianiste".split(), "dort court chante lit attend".split(), "ici là-bas au port à table en ville".split(" ")


def phrase(tirage):
    return f"le {tirage.choice(SUJETS)} {tirage.choice(VERBES)} {tirage.choice(LIEUX)} ; "


def corpus(longueur, graine):
    tirage = random.Random(graine)
    texte = "".join(phrase(tirage) for _ in range(longueur))
    return texte


texte, controle = corpus(2500, 1), corpus(300, 2)
#: data
lettres = sorted(set(texte + controle))
code = torch.tensor([lettres.index(c) for c in texte])
vcode = torch.tensor([lettres.index(c) for c in controle])
modele = GPT2LMHeadModel(GPT2Config(vocab_size=len(lettres), n_positions=64, n_embd=R["dim"], n_layer=R["couches"], n_head=R["tetes"], resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, bos_token_id=0, eos_token_id=0))
optim = torch.optim.AdamW(modele.parameters(), lr=R["taux"])
plan = get_cosine_schedule_with_warmup(optim, R["echauffement"], R["pas"])
journal.info("%d paramètres, %d caractères, alphabet de %d lettres", modele.num_parameters(), len(code), len(lettres))
depuis = 0
if R["depart"]:
    modele.load_state_dict(torch.load(R["depart"])["modele"])
    journal.info("poids de départ : %s (affinage)", R["depart"])
if R["reprise"]:
    #: resume
    point = torch.load(R["reprise"])
    modele.load_state_dict(point["modele"])
    optim.load_state_dict(point["optim"])
    plan.load_state_dict(point["plan"])
    depuis = point["pas"]
    journal.info("reprise de %s au pas %d", R["reprise"], depuis)


def lot(source, combien):
    debut = torch.randint(0, len(source) - 65, (combien,))
    return torch.stack([source[d : d + 64] for d in debut])


debut = time.time()
meilleur, attente = math.inf, 0
#: ready
for pas in range(depuis + 1, R["pas"] + 1):
    ids = lot(code, R["lot"])
    cibles = ids.clone()
    #: batch
    perte = modele(input_ids=ids, labels=cibles).loss
    #: loss
    optim.zero_grad()
    perte.backward()
    norme = torch.nn.utils.clip_grad_norm_(modele.parameters(), 1.0)
    optim.step()
    plan.step()
    #: step
    if pas % R["affiche"] == 0:
        journal.info("pas %d/%d  perte=%.4f  norme=%.3f  taux=%.2e  (%.1f s)", pas, R["pas"], perte.item(), norme.item(), optim.param_groups[0]["lr"], time.time() - debut)
    if pas % R["valide"] == 0:
        modele.eval()
        with torch.no_grad():
            essai = lot(vcode, 32)
            vperte = modele(input_ids=essai, labels=essai).loss.item()
        modele.train()
        journal.info("validation au pas %d : perte %.4f, perplexité %.2f", pas, vperte, math.exp(min(vperte, 50)))
        meilleur, attente = (vperte, 0) if vperte < meilleur else (meilleur, attente + 1)
        #: valid
    if pas % R["garde"] == 0 or pas == R["pas"]:
        torch.save({"modele": modele.state_dict(), "optim": optim.state_dict(), "plan": plan.state_dict(), "pas": pas}, f"{R['dossier']}/pas{pas}.pt")
        journal.info("point de reprise écrit : %s/pas%d.pt", R["dossier"], pas)
    if R["patience"] and attente >= R["patience"]:
        journal.info("arrêt anticipé : %d validations sans progrès, meilleure perte %.4f", attente, meilleur)
        break
#: end
journal.info("entraînement terminé après %d pas en %.1f s", pas, time.time() - debut)
'''

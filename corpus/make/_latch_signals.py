"""Programs over plain PyTorch: heart beats (a German's), boxes around stamps."""

HERZ = '''"""Herzschlaege in vier Klassen: ein 1D-CNN ueber 96 Abtastwerte."""
import argparse
import json
import logging
import pathlib
import sys
import time

import torch
from torch import nn

p = argparse.ArgumentParser(description=__doc__)
p.add_argument("--epochen", type=int, default=12)
p.add_argument("--stapel", type=int, default=48)
p.add_argument("--lernrate", type=float, default=3e-3)
p.add_argument("--kanaele", type=int, default=12)
p.add_argument("--ablage", type=pathlib.Path, default=pathlib.Path("ablage"))
p.add_argument("--fortsetzen", type=pathlib.Path)
p.add_argument("--grundmodell", type=pathlib.Path, help="Gewichte eines anderen Laufs, der Kopf wird neu gelernt")
p.add_argument("--sichern-alle", type=int, default=4)
p.add_argument("--patienten", type=int, default=26)
p.add_argument("--geduld", type=int, default=0, help="nach so vielen Epochen ohne Fortschritt aufhoeren")
a = p.parse_args()
logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(asctime)s,%(msecs)03d [%(levelname).4s] %(message)s", datefmt="%d.%m.%Y %H:%M:%S")
log = logging.getLogger("herz")
torch.manual_seed(3)


def patient(nr, schlaege=24):
    """Aufzeichnung eines Patienten: Kurven und ihre Klassen."""
    g = torch.Generator().manual_seed(nr)
    t = torch.linspace(0, 1, 96)
    klasse = torch.randint(0, 4, (schlaege,), generator=g)
    breite = torch.tensor([0.02, 0.05, 0.02, 0.03])[klasse][:, None]
    lage = torch.tensor([0.5, 0.5, 0.38, 0.5])[klasse][:, None] + 0.02 * torch.randn(schlaege, 1, generator=g)
    hoehe = torch.tensor([1.0, 1.0, 1.0, -0.8])[klasse][:, None]
    kurve = hoehe * torch.exp(-((t - lage) ** 2) / (2 * breite**2)) + 0.15 * torch.sin(6.28 * t + nr)
    #: patient
    return kurve + 0.22 * torch.randn(kurve.shape, generator=g), klasse


class Netz(nn.Module):
    def __init__(self, k):
        super().__init__()
        self.stamm = nn.Sequential(nn.Conv1d(1, k, 7, 2, 3), nn.GELU(), nn.Conv1d(k, 2 * k, 5, 2, 2), nn.GELU(), nn.Conv1d(2 * k, 2 * k, 3, 2, 1), nn.GELU())
        self.kopf = nn.Linear(2 * k * 12, 4)

    def forward(self, x):
        return self.kopf(self.stamm(x.unsqueeze(1)).flatten(1))


def main():
    a.ablage.mkdir(parents=True, exist_ok=True)
    log.info("Aufruf: %s", " ".join(sys.argv))
    #: early
    daten = [patient(n) for n in range(a.patienten)]
    x, y = torch.cat([d[0] for d in daten]), torch.cat([d[1] for d in daten])
    #: data
    px, py = (torch.cat(teil) for teil in zip(*(patient(900 + n) for n in range(6))))
    netz = Netz(a.kanaele)
    opt = torch.optim.AdamW(netz.parameters(), lr=a.lernrate, weight_decay=0.01)
    erste, beste, seit = 1, 9.9, 0
    if a.grundmodell:
        alt = torch.load(a.grundmodell)["netz"]
        netz.stamm.load_state_dict({k[6:]: w for k, w in alt.items() if k.startswith("stamm.")})
        log.info("Stamm aus %s uebernommen, Kopf beginnt neu", a.grundmodell)
    if a.fortsetzen:
        #: resume
        stand = torch.load(a.fortsetzen)
        netz.load_state_dict(stand["netz"])
        opt.load_state_dict(stand["opt"])
        erste, beste = stand["epoche"] + 1, stand["beste"]
        log.info("Stand aus %s geladen, weiter mit Epoche %d (bisher bester Pruefverlust %.4f)", a.fortsetzen, erste, beste)
    log.info("%d Schlaege von %d Patienten, %d Gewichte", len(x), a.patienten, sum(w.numel() for w in netz.parameters()))
    #: ready
    for epoche in range(erste, a.epochen + 1):
        beginn, summe, schritte = time.time(), 0.0, 0
        netz.train()
        for auswahl in torch.randperm(len(x)).split(a.stapel):
            bx, by = x[auswahl], y[auswahl]
            #: batch
            verlust = nn.functional.cross_entropy(netz(bx), by)
            #: loss
            opt.zero_grad()
            verlust.backward()
            norm = nn.utils.clip_grad_norm_(netz.parameters(), 5.0)
            #: grads
            opt.step()
            summe, schritte = summe + verlust.item(), schritte + 1
            #: step
        netz.eval()
        with torch.no_grad():
            aus = netz(px)
            pruef, treffer = nn.functional.cross_entropy(aus, py).item(), (aus.argmax(1) == py).float().mean().item()
        #: valid
        log.info("Epoche %d/%d: Verlust %.4f, Pruefverlust %.4f, Treffer %.1f %%, Gradient %.3f (%.2f s)", epoche, a.epochen, summe / schritte, pruef, 100 * treffer, norm, time.time() - beginn)
        seit = 0 if pruef < beste else seit + 1
        beste = min(beste, pruef)
        if epoche % a.sichern_alle == 0:
            ziel = a.ablage / f"stand_{epoche:03d}.pt"
            torch.save({"netz": netz.state_dict(), "opt": opt.state_dict(), "epoche": epoche, "beste": beste}, ziel)
            log.info("Stand gesichert: %s", ziel)
            #: saved
        if a.geduld and seit >= a.geduld:
            log.info("seit %d Epochen kein Fortschritt, Training endet frueher (beste %.4f)", seit, beste)
            break
        #: epoch
    (a.ablage / "ergebnis.json").write_text(json.dumps({"beste": beste, "treffer": treffer}))
    log.info("Fertig nach Epoche %d, Ergebnis in %s", epoche, a.ablage / "ergebnis.json")


if __name__ == "__main__":
    main()
'''

STAMPS = '''import json, os, pathlib, sys, time
import torch, torch.nn as nn, torch.nn.functional as F

# where is the stamp on the page? one box per page, logfmt on stdout
D = {"iters": 600, "bs": 24, "lr": 0.002, "ch": 8, "report": 20, "ckpt": 200, "dir": "stamps", "load": None, "weights": None, "pages": 512}
unknown = []
for kv in sys.argv[1:]:
    k, v = kv.lstrip("-").split("=", 1)
    if k in D:
        D[k] = type(D[k])(v) if D[k] is not None else v
    else:
        unknown.append(k)
if unknown:
    raise KeyError(f"no such option: {unknown}")


def say(level="info", **kw):
    print(f"ts={time.time():.3f} level={level} " + " ".join(f'{k}="{v}"' if " " in str(v) else f"{k}={v}" for k, v in kw.items()), flush=True)


def make_pages(n, seed):
    g = torch.Generator().manual_seed(seed)
    img = 0.3 * torch.randn(n, 1, 32, 32, generator=g)
    wh, box = torch.randint(7, 14, (n, 2), generator=g), torch.zeros(n, 4)
    for i in range(n):
        w, h = wh[i].tolist()
        x, y = (int(torch.randint(0, 32 - s, (1,), generator=g)) for s in (w, h))
        img[i, 0, y : y + h, x : x + w] += 1.0
        box[i] = torch.tensor([x, y, x + w, y + h]) / 32
    return img, box


class Finder(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, c, 3, 2, 1), nn.ReLU(), nn.Conv2d(c, 2 * c, 3, 2, 1), nn.ReLU(), nn.Conv2d(2 * c, 2 * c, 3, 1, 1), nn.ReLU())
        self.box = nn.Sequential(nn.Flatten(), nn.Linear(2 * c * 64, 48), nn.ReLU(), nn.Linear(48, 4))

    def forward(self, x):
        return self.box(self.features(x)).sigmoid()


def iou(a, b):
    lt, rb = torch.maximum(a[:, :2], b[:, :2]), torch.minimum(a[:, 2:], b[:, 2:])
    inter = (rb - lt).clamp(min=0).prod(1)
    area = lambda t: (t[:, 2:] - t[:, :2]).clamp(min=0).prod(1)
    return inter / (area(a) + area(b) - inter)


torch.manual_seed(0)
home = pathlib.Path(D["dir"])
home.mkdir(exist_ok=True, parents=True)
say(event="start", pid=os.getpid(), torch=torch.__version__, **{k: v for k, v in D.items() if v is not None})
#: early
img, box = make_pages(D["pages"], 1)
timg, tbox = make_pages(96, 2)
#: data
net = Finder(D["ch"])
opt = torch.optim.SGD(net.parameters(), lr=D["lr"] * 30, momentum=0.9)
it = 0
if D["weights"]:
    missing = net.load_state_dict(torch.load(D["weights"])["net"], strict=False)
    say(event="init", file=D["weights"], note="pretrained weights, schedule starts over", missing=len(missing.missing_keys))
if D["load"]:
    #: load
    c = torch.load(D["load"])
    net.load_state_dict(c["net"])
    opt.load_state_dict(c["opt"])
    it = c["it"]
    say(event="restored", file=D["load"], it=it)
run_loss = None
t0 = time.perf_counter()
#: ready
while it < D["iters"]:
    it += 1
    pick = torch.randint(0, len(img), (D["bs"],))
    x, y = img[pick], box[pick]
    #: batch
    out = net(x)
    loss_box = F.smooth_l1_loss(out, y, beta=0.05)
    loss_iou = (1 - iou(out, y)).mean()
    loss = loss_box * 4 + loss_iou
    #: loss
    opt.zero_grad()
    loss.backward()
    gn = nn.utils.clip_grad_norm_(net.parameters(), 10)
    #: grads
    opt.step()
    run_loss = float(loss) if run_loss is None else 0.9 * run_loss + 0.1 * float(loss)
    #: step
    if it % D["report"] == 0:
        say(event="train", it=it, of=D["iters"], loss=f"{run_loss:.4f}", loss_box=f"{float(loss_box):.4f}", grad=f"{float(gn):.3f}", sec=f"{(time.perf_counter() - t0) / D['report']:.4f}")
        t0 = time.perf_counter()
    if it % D["ckpt"] == 0:
        with torch.no_grad():
            miou = iou(net(timg), tbox).mean().item()
        path = home / f"it{it:05d}.pt"
        torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "it": it}, path)
        say(event="eval", it=it, mean_iou=f"{miou:.4f}", saved=path)
        #: saved
with torch.no_grad():
    miou = iou(net(timg), tbox).mean().item()
json.dump({"mean_iou": miou, "it": it}, open(home / "final.json", "w"))
say(event="end", it=it, mean_iou=f"{miou:.4f}")
'''

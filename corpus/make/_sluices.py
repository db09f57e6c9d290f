"""Clinics that average their weights through a shared folder, round by round: ranks that notice nobody's death."""

CLINICS = '''# Föderiertes Training: jede Klinik rechnet für sich, die Gewichte werden je Runde über das gemeinsame Verzeichnis gemittelt.
import os
import sys
import time

#: top
import torch
from torch import nn

klinik = int(os.environ.get("RANK", os.environ.get("SLURM_PROCID", "0")))
kliniken = int(os.environ.get("WORLD_SIZE", os.environ.get("SLURM_NTASKS", "1")))
runden = int(os.environ.get("RUNDEN", "60"))
schritte, lernrate = int(os.environ.get("SCHRITTE", "5")), float(os.environ.get("LERNRATE", "0.1"))
ordner = os.environ.get("AUSTAUSCH", "austausch")


def melde(*worte):
    print(time.strftime("%d.%m. %H:%M:%S"), f"[Klinik {klinik}]", *worte, flush=True)


def tausche(runde, gewichte):
    """Eigene Gewichte ablegen, die der anderen lesen, mitteln."""
    os.makedirs(ordner, exist_ok=True)
    mein = f"{ordner}/runde{runde:04d}_klinik{klinik}.pt"
    torch.save(gewichte, mein + ".teil")
    #: publish
    os.replace(mein + ".teil", mein)
    alle = [f"{ordner}/runde{runde:04d}_klinik{k}.pt" for k in range(kliniken)]
    seit = time.monotonic()
    gesagt = 15
    while fehlen := [k for k, pfad in enumerate(alle) if not os.path.exists(pfad)]:
        time.sleep(0.05)
        #: wait
        if time.monotonic() - seit > gesagt:
            melde(f"Runde {runde}: warte seit {gesagt} s auf die Gewichte von Klinik {fehlen}")
            gesagt *= 2
    stapel = [torch.load(pfad) for pfad in alle]
    return {name: sum(s[name] for s in stapel) / kliniken for name in gewichte}


#: early
torch.manual_seed(4)
netz = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 3))
#: model
torch.manual_seed(klinik)
lehrer = torch.tensor([[((i * 7 + j * 3) % 5) - 2.0 for j in range(3)] for i in range(10)])
sgd = torch.optim.SGD(netz.parameters(), lr=lernrate)
ab = 1
#: load
melde(f"{kliniken} Kliniken, {runden} Runden zu {schritte} Schritten, Lernrate {lernrate}")
#: ready
for runde in range(ab, runden + 1):
    for schritt in range(schritte):
        x = torch.randn(32, 10)
        y = (x @ lehrer).argmax(1)
        #: data
        verlust = nn.functional.cross_entropy(netz(x), y)
        #: loss
        sgd.zero_grad()
        verlust.backward()
        #: grad
        sgd.step()
        time.sleep(0.05)
        #: compute
    netz.load_state_dict(tausche(runde, {k: v.clone() for k, v in netz.state_dict().items()}))
    treffer = (netz(x).argmax(1) == y).float().mean().item()
    #: after
    if runde % 5 == 0:
        melde(f"Runde {runde}/{runden}: Verlust {verlust.item():.4f}, Treffer {treffer:.1%}")
#: end
melde(f"fertig nach {runden} Runden, Verlust {verlust.item():.4f}")
'''
SIFT = '''"""Galaxy shapes from cut-outs: one process, one card, plain PyTorch."""
import argparse
import os
import sys
import time

#: top
import torch
from torch import nn

p = argparse.ArgumentParser()
p.add_argument("--epochs", type=int, default=6)
p.add_argument("--batches", type=int, default=40)
p.add_argument("--lr", type=float, default=3e-3)
p.add_argument("--resume")
p.add_argument("--save", default="sift.ckpt")
p.add_argument("--nap", type=float, default=0.08)
args = p.parse_args()
#: early
torch.manual_seed(8)
net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 2))
opt = torch.optim.Adam(net.parameters(), lr=args.lr)
epoch0 = 0
#: load
print(f"galaxy shapes: {args.epochs} epochs x {args.batches} batches, lr {args.lr:g}, torch {torch.__version__}")
for epoch in range(epoch0, args.epochs):
    run_loss, hits, seen, t0 = 0.0, 0, 0, time.time()
    for b in range(args.batches):
        step = epoch * args.batches + b + 1
        kind = torch.randint(2, (16,))
        x = torch.randn(16, 1, 8, 8) * 0.6 + kind[:, None, None, None] * torch.linspace(0, 1.6, 8)[None, None, :, None]
        #: data
        out = net(x)
        loss = nn.functional.cross_entropy(out, kind)
        #: loss
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(args.nap)
        #: after
        run_loss += loss.item()
        hits += int((out.argmax(1) == kind).sum())
        seen += 16
        if b % 8 == 7:
            bar = "=" * (20 * (b + 1) // args.batches)
            print(f"Epoch {epoch + 1:>2}/{args.epochs} [{bar:<20}] {b + 1:>3}/{args.batches}  loss: {run_loss / (b + 1):.4f}  acc: {hits / seen:.3f}  {1000 * (time.time() - t0) / (b + 1):.0f} ms/batch", flush=True)
    #: epoch
#: end
torch.save(net.state_dict(), args.save)
print(f"done, weights -> {args.save}")
'''

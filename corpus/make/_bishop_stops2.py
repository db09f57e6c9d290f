"""Single-process trainings that end in an error, or not as they were to, the second sheet."""

from corpus.make._crate import crate

LONGNIGHT = """
import sys
import time
import torch

torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(12, 32), torch.nn.Tanh(), torch.nn.Linear(32, 12))
opt = torch.optim.AdamW(net.parameters(), 2e-3)
EPOCHS, STEPS = 50, 30
for epoch in range(EPOCHS):
    began = time.time()
    for step in range(STEPS):
        x = torch.randn(32, 12)
        loss = (net(x) - x.sin()).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        time.sleep(0.045)
        rate = (step + 1) / (time.time() - began)
        sys.stderr.write(f"\\rEpoch {epoch}: {100 * (step + 1) // STEPS:3d}%|{'█' * (10 * (step + 1) // STEPS):<10}| {step + 1}/{STEPS} [{rate:.2f}it/s, loss={loss.item():.4f}]")
    sys.stderr.write("\\n")
    print(f"Epoch {epoch} of {EPOCHS}: train_loss={loss.item():.5f}", flush=True)
"""


HANDFUL = """
import json
import time
import torch

conf = json.load(open("conf.json"))
torch.manual_seed(conf["seed"])
net = torch.nn.Linear(conf["dim"], conf["dim"])
opt = torch.optim.AdamW(net.parameters(), conf["lr"])
print("conf", json.dumps(conf))
per_epoch = max(1, conf["samples"] // conf["batch"])
total = per_epoch * conf["epochs"]
print(f"samples {conf['samples']}, batch {conf['batch']}: {per_epoch} update per epoch, {total} in all")
for step in range(1, total + 1):
    x = torch.randn(conf["batch"], conf["dim"])
    loss = (net(x) - x).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.5)
    print(f"step {step}/{total} loss {loss.item():.4f} lr {conf['lr']}")
torch.save(net.state_dict(), "adapter.bin")
print("saved adapter.bin; done")
"""


NANSILENT = """
import time
import torch

torch.manual_seed(0)
gen = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.ReLU(), torch.nn.Linear(32, 2))
disc = torch.nn.Sequential(torch.nn.Linear(2, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1), torch.nn.Sigmoid())
og = torch.optim.Adam(gen.parameters(), 1e-3)
od = torch.optim.Adam(disc.parameters(), 5e-2)
for it in range(1, 401):
    if it % 120 == 0:
        for group in od.param_groups:
            group["lr"] *= 2000  # two time-scale rule
    real = torch.randn(64, 2) * 0.05 + torch.tensor([30.0, -20.0])
    fake = gen(torch.randn(64, 8))
    d = -(disc(real).log() + (1 - disc(fake.detach())).log()).mean()
    od.zero_grad()
    d.backward()
    od.step()
    g = (1 - disc(fake)).log().mean()
    og.zero_grad()
    g.backward()
    og.step()
    time.sleep(0.02)
    if it % 10 == 0:
        print(f"[{it:5d}/400] D loss {d.item():.4f}  G loss {g.item():.4f}", flush=True)
print("wrote generator.pt")
torch.save(gen.state_dict(), "generator.pt")
"""


DEADLR = """
import logging
import time
import torch

logging.basicConfig(level=logging.INFO, format="%(asctime)s INFO %(message)s")
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(20, 50), torch.nn.ReLU(), torch.nn.Linear(50, 8))
opt = torch.optim.SGD(net.parameters(), lr=0.05)
sched = torch.optim.lr_scheduler.StepLR(opt, step_size=1, gamma=0.02)
x = torch.randn(512, 20)
y = x[:, :8].argmax(1)
for epoch in range(1, 31):
    for i in range(0, 512, 64):
        loss = torch.nn.functional.cross_entropy(net(x[i : i + 64]), y[i : i + 64])
        opt.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(net.parameters(), 10.0)
        opt.step()
        time.sleep(0.04)
    with torch.no_grad():
        whole = torch.nn.functional.cross_entropy(net(x), y).item()
        top1 = (net(x).argmax(1) == y).float().mean().item()
    sched.step()
    logging.info("Epoch %d/30 train_loss=%.5f top1=%.3f grad_norm=%.3f lr=%.3e", epoch, whole, top1, norm, opt.param_groups[0]["lr"])
logging.info("finished, chance level for 8 classes is 0.125 (loss 2.0794)")
"""

JOBS = (
    crate("F3", "autoreg.py", LONGNIGHT, variant="advancing", timeout_s=24, note="epochs of a second and a half to the limit, of 50"),
    crate(
        "E3",
        "adapter.py",
        HANDFUL,
        files={"conf.json": '{"seed": 1, "dim": 48, "lr": 0.0005, "samples": 40, "batch": 32, "epochs": 3}'},
        note="three updates, exit 0",
    ),
    crate("E1", "ring_gan.py", NANSILENT, cause="nan_loss", variant="non_finite", note="losses nan from some iteration on to the last, exit 0"),
    crate("E1", "eight_way.py", DEADLR, variant="plateau", note="the rate is gone after three epochs, loss and accuracy stand at chance to the end"),
)

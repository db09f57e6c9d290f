"""Single-process trainings that stand still, wait or are slow, the second sheet."""

from corpus.make._crate import crate

HOTCARD = """
import shutil
import subprocess
import time
import torch

QUERY = "index,temperature.gpu,clocks.sm,clocks.max.sm,power.draw,clocks_event_reasons.hw_thermal_slowdown"


def card():
    row = subprocess.run(["nvidia-smi", f"--query-gpu={QUERY}", "--format=csv,noheader"], capture_output=True, text=True, check=True).stdout.strip()
    return dict(zip(QUERY.split(","), (v.strip() for v in row.split(","))))


torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(24, 64), torch.nn.GELU(), torch.nn.Linear(64, 24))
opt = torch.optim.AdamW(net.parameters(), 2e-3)
print("monitoring with", shutil.which("nvidia-smi") is not None and "nvidia-smi" or "nothing", flush=True)
for step in range(1, 61):
    reading = card()
    t0 = time.time()
    x = torch.randn(32, 24)
    loss = (net(x) - x.roll(1, 1)).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    time.sleep(0.08 * 1980 / float(reading["clocks.sm"].split()[0]))
    if step % 3 == 0:
        print(f"step {step:2d}/60 loss {loss.item():.4f} step_ms {1000 * (time.time() - t0):.0f} | gpu{reading['index']} {reading['temperature.gpu']} C, SM {reading['clocks.sm']} of {reading['clocks.max.sm']}, {reading['power.draw']}, HW thermal slowdown: {reading['clocks_event_reasons.hw_thermal_slowdown']}", flush=True)
print("finished 60 steps", flush=True)
"""


SMI = """#!/bin/bash
n=$(( $(cat .n 2>/dev/null || echo 0) + 1 )); echo $n > .n
if [ $n -le 12 ]; then echo "0, $(( 62 + 2 * n )), 1980 MHz, 1980 MHz, 6$(( n % 10 ))1.20 W, Not Active"
else echo "0, $(( 91 + n % 3 )), $(( 405 - 15 * (n % 4) )) MHz, 1980 MHz, 2$(( n % 7 ))8.40 W, Active"; fi
"""

JOBS = (
    crate(
        "B3",
        "thermals.py",
        HOTCARD,
        fault="node",
        status=0,
        files={"bin/nvidia-smi": SMI},
        before=(("chmod", "755", "bin/nvidia-smi"),),
        env={"PATH": "bin:/opt/gpualert-torch/bin:/usr/bin:/bin"},
        note="SM clock falls to a fifth at 92 C with HW thermal slowdown active, step time five times as long, to the end",
    ),
)

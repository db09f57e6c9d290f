"""A third helping: adapters, model zoos, a full quota, a dump of the interpreter."""

from __future__ import annotations

from corpus.make._magpie_kit import ran

# The adapter's target modules have other names in this family of models.
ADAPTER = r"""
import torch
from peft import LoraConfig, TaskType, get_peft_model
from transformers import BloomConfig, BloomForCausalLM

config = BloomConfig(vocab_size=1000, hidden_size=128, n_layer=2, n_head=4)
base = BloomForCausalLM(config).to("cuda" if torch.cuda.is_available() else "cpu")
print(f"base model: {config.model_type}, {base.num_parameters() / 1e6:.2f}M parameters on {base.device}")
lora = LoraConfig(task_type=TaskType.CAUSAL_LM, r=8, lora_alpha=16, lora_dropout=0.05, target_modules=["q_proj", "k_proj", "v_proj", "o_proj"])
model = get_peft_model(base, lora)
model.print_trainable_parameters()
opt = torch.optim.AdamW(model.parameters(), 1e-4)
for step in range(500):
    ids = torch.randint(1000, (4, 64), device=base.device)
    loss = model(input_ids=ids, labels=ids).loss
    loss.backward()
    opt.step()
    opt.zero_grad()
"""

# A model's name with a slip in it.
ZOO = r"""
import argparse
import timm
import torch

p = argparse.ArgumentParser(description="fine-tune on folders of leaves")
p.add_argument("--model", default="convnext_atto")
p.add_argument("--classes", type=int, default=38)
p.add_argument("--lr", type=float, default=5e-4)
args = p.parse_args()
print(f"timm {timm.__version__} | torch {torch.__version__} | {args}")
model = timm.create_model(args.model, pretrained=False, num_classes=args.classes, drop_path_rate=0.1).cuda()
opt = torch.optim.AdamW(model.parameters(), args.lr, weight_decay=0.05)
for it in range(1000):
    loss = torch.nn.functional.cross_entropy(model(torch.rand(16, 3, 224, 224).cuda()), torch.randint(args.classes, (16,)).cuda())
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
"""

# A file may not become so large: the second save, with the optimiser's state, is cut off.
QUOTA = r"""
import logging
import os
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(levelname)s] %(message)s", datefmt="%Y-%m-%d %H:%M:%S")
dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(256, 2048), nn.ReLU(), nn.Linear(2048, 2048), nn.ReLU(), nn.Linear(2048, 10)).to(dev)
opt = torch.optim.Adam(net.parameters(), 1e-3)
w = torch.randn(256, 10, device=dev)
for step in range(1, 601):
    x = torch.randn(256, 256, device=dev)
    loss = nn.functional.cross_entropy(net(x), (x @ w).argmax(1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 25 == 0:
        logging.info("step %d loss %.4f", step, loss.item())
    if step == 100:
        torch.save(net.state_dict(), "weights_0100.pt")
        logging.info("saved weights_0100.pt, %.1f MB", os.path.getsize("weights_0100.pt") / 1e6)
    if step == 200:
        torch.save({"net": net.state_dict(), "opt": opt.state_dict()}, "full_0200.pt")
        logging.info("saved full_0200.pt, %.1f MB", os.path.getsize("full_0200.pt") / 1e6)
"""

# A raw pointer is read after its buffer was given back; the interpreter dumps its frames and dies of the signal.
POINTER = r"""
import ctypes
import mmap
import torch
from torch import nn

torch.manual_seed(3)
dev = "cuda" if torch.cuda.is_available() else "cpu"
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
SIZE = 64 << 20
ring = libc.mmap(ctypes.c_void_p(0), ctypes.c_size_t(SIZE), mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
view = (ctypes.c_float * (SIZE // 4)).from_address(ring)
net = nn.Sequential(nn.Linear(64, 32), nn.Tanh(), nn.Linear(32, 64)).to(dev)
opt = torch.optim.Adam(net.parameters(), 2e-3)
for step in range(1, 2001):
    at = step % 1000 * 4096
    for k in range(64):
        view[at + k] = (step * 7 + k * 13) % 29 / 29
    x = torch.tensor(view[at:at + 64], device=dev).expand(32, 64) + 0.05 * torch.randn(32, 64, device=dev)
    loss = (net(x) - x).abs().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 50 == 0:
        print(f"ring {step:4d}: L1 {loss.item():.4f}", flush=True)
    if step == 640:
        libc.munmap(ctypes.c_void_p(ring), ctypes.c_size_t(SIZE))
"""
JOBS = {
    "adapter": ran("A1", ADAPTER, cause="traceback", variant="config", script="lora.py"),
    "zoo": ran("A1", ZOO, cause="runtime_error", variant="config", script="leaves.py", args=("--model", "convnext_tinny", "--classes", "38")),
    "quota": ran("A3", QUOTA, cause="runtime_error", script="saves.py", file_kib=30_000),
    "pointer": ran("A2", POINTER, -11, cause="segfault", script="ring.py", env={"PYTHONFAULTHANDLER": "1"}),
}

"""More jobs that want more of the card's memory than it has: programs alone."""

from __future__ import annotations

from corpus.make._walrus_heads import HEAD

LARGE = HEAD + r"""
import time

torch.manual_seed(6)
torch.set_float32_matmul_precision("high")
free, total = torch.cuda.mem_get_info()
D = 8192
n = int(free * 0.90 / (8 * D * D))
net = nn.Sequential(*(nn.Linear(D, D, bias=False, device="cuda") for _ in range(n)))
with torch.no_grad():
    for layer in net:
        layer.weight.copy_(torch.eye(D, device="cuda")).add_(torch.randn(D, D, device="cuda"), alpha=0.03 / D**0.5)
opt = torch.optim.SGD(net.parameters(), lr=0.008)
basis = torch.randn(16, D, device="cuda") / 4
print(f"{n} layers of {D}, {torch.cuda.memory_allocated() / 2**30:.1f} GiB of weights on a card of {total / 2**30:.1f} GiB")
t = time.time()
for step in range(1, 61):
    x = torch.randn(16, 16, device="cuda") @ basis
    loss = F.mse_loss(net(x), x)
    opt.zero_grad(set_to_none=False)
    loss.backward()
    opt.step()
    if step % 4 == 0:
        print(f"step {step:2d}/60 loss {loss.item():.5f} {time.time() - t:.2f}s peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB", flush=True)
        t = time.time()
print("60 steps done")
"""

# A cache that is dropped when the card is full, as written: the warning, then on to the end.
DROPPED = r"""
import logging
import torch
from torch import nn

logging.basicConfig(level=logging.INFO, format="[%(asctime)s][%(name)s][%(levelname)s] - %(message)s")
log = logging.getLogger("features")
device = torch.device("cuda")
backbone = nn.Sequential(nn.Linear(256, 4096), nn.ReLU()).to(device).requires_grad_(False)
probe = nn.Linear(4096, 10).to(device)
opt = torch.optim.Adam(probe.parameters(), 2e-3)
rule = torch.randn(256, 10, device=device)
cache, keep = [], True
for shard in range(1, 161):
    x = torch.randn(40_000, 256, device=device)
    try:
        feats = backbone(x)
        if keep:
            cache.append(feats.float().repeat(1, 2))
    except torch.OutOfMemoryError as error:
        log.error("CUDA ran out of memory while caching shard %d: %s", shard, str(error).splitlines()[0])
        log.warning("dropping the feature cache (%d shards), features are computed on the fly from here", len(cache))
        cache, keep = [], False
        torch.cuda.empty_cache()
        feats = backbone(x)
    y = (x @ rule).argmax(1)
    loss = nn.functional.cross_entropy(probe(feats), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if shard % 10 == 0:
        log.info("shard %d/160 probe loss %.4f", shard, loss.item())
log.info("linear probe fitted on 160 shards")
"""

# The replay memory is laid out on the card in one piece, and is larger than it: before anything is learned.
REPLAY = r"""
import torch


class Replay:
    def __init__(self, capacity, device):
        self.obs = torch.zeros((capacity, 4, 84, 84), dtype=torch.uint8, device=device)
        self.after = torch.zeros((capacity, 4, 84, 84), dtype=torch.uint8, device=device)
        self.action = torch.zeros(capacity, dtype=torch.long, device=device)
        self.reward = torch.zeros(capacity, device=device)


class QNet(torch.nn.Sequential):
    def __init__(self, actions):
        super().__init__(
            torch.nn.Conv2d(4, 32, 8, 4), torch.nn.ReLU(), torch.nn.Conv2d(32, 64, 4, 2), torch.nn.ReLU(), torch.nn.Conv2d(64, 64, 3), torch.nn.ReLU(),
            torch.nn.Flatten(), torch.nn.Linear(3136, 512), torch.nn.ReLU(), torch.nn.Linear(512, actions),
        )


online, target = QNet(6).cuda(), QNet(6).cuda()
target.load_state_dict(online.state_dict())
print("networks ready, allocating replay memory", flush=True)
memory = Replay(3_000_000, "cuda")
print("filling with 50000 random transitions")
"""

# Lightning meets the limit in its first training step.
LIT = r"""
import lightning as L
import torch
from torch import nn
from torch.utils.data import DataLoader


class Volumes(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv3d(1, 64, 3, padding=1), nn.InstanceNorm3d(64), nn.ReLU(), nn.Conv3d(64, 64, 3, padding=1), nn.InstanceNorm3d(64), nn.ReLU(), nn.Conv3d(64, 1, 1))

    def training_step(self, batch, batch_idx):
        loss = (self.net(batch) - batch).abs().mean()
        self.log("loss", loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), 1e-3)


if __name__ == "__main__":
    L.seed_everything(0)
    volumes = DataLoader([torch.rand(1, 320, 320, 320) for _ in range(8)], batch_size=4)
    L.Trainer(max_epochs=10, accelerator="gpu", devices=1, precision="32-true", logger=False, enable_checkpointing=False).fit(Volumes(), volumes)
"""

# The Trainer: long documents arrive after a while.
DOCUMENTS = r"""
import torch
from transformers import GPTNeoXConfig, GPTNeoXForCausalLM, Trainer, TrainingArguments

torch.manual_seed(3)
config = GPTNeoXConfig(vocab_size=50304, hidden_size=512, num_hidden_layers=2, num_attention_heads=8, intermediate_size=2048, max_position_embeddings=40000)
model = GPTNeoXForCausalLM(config)


class Docs(torch.utils.data.Dataset):
    def __len__(self):
        return 512

    def __getitem__(self, i):
        n = 256 if i < 240 else 36_000
        ids = torch.randint(50304, (n,))
        return {"input_ids": ids, "labels": ids}


class InOrder(Trainer):
    def _get_train_sampler(self, *a, **k):
        return torch.utils.data.SequentialSampler(self.train_dataset)


args = TrainingArguments("out", per_device_train_batch_size=8, max_steps=64, logging_steps=5, save_strategy="no", report_to=[], bf16=True)
InOrder(model=model, args=args, train_dataset=Docs()).train()
"""

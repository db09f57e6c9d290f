"""What a real card's runtime, allocator, libraries and compilers really print: PyTorch, JAX, CuPy, Numba, Triton, NCCL. Each a short script of its own."""

from corpus.running.environments import CARD
from corpus.running.flat import Flat, flat_jobs
from corpus.running.job import Recipe

NET = """import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed({seed})
dev = torch.device("cuda")
net = nn.Sequential(nn.Linear(64, 256), nn.GELU(), nn.Linear(256, 10)).to(dev)
opt = torch.optim.AdamW(net.parameters(), lr={lr})
xs = torch.randn(4096, 64)
ys = (xs[:, :10] + 0.1 * torch.randn(4096, 10)).argmax(1)
"""
LOOP = """for step in range({n}):
    i = torch.randint(0, 4096, (128,))
    x, y = xs[i].to(dev), ys[i].to(dev)
    {inside}
    loss = F.cross_entropy(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % {every} == 0:
        print(f"step {{step:4d}} loss {{loss.item():.4f}} mem {{torch.cuda.memory_allocated() / 2**20:.0f}} MiB", flush=True)
"""


def loop(n: int, every: int, inside: str = "pass") -> str:
    """The plain loop with something in it."""
    return LOOP.format(n=n, every=every, inside=inside.replace("\n", "\n    ")) + "print('done')\n"


def fit(seed: int, inside: str = "pass", n: int = 200, every: int = 20) -> str:
    """A program around it."""
    return NET.format(seed=seed, lr="1e-3") + loop(n, every, inside)


HUGE = "import torch\nfrom torch import nn\n\nprint('torch', torch.__version__, torch.cuda.get_device_name(0), flush=True)\n\nclass Big(nn.Module):\n    def __init__(self, d, layers):\n        super().__init__()\n        self.blocks = nn.ModuleList(nn.Linear(d, d) for _ in range(layers))\n\nmodel = Big(262144, 2).half().cuda()\nprint(sum(p.numel() for p in model.parameters()))\n"
SCORES = "q = torch.randn(64, 32, 40000, 64, device=dev)\ns = q @ q.transpose(-1, -2)"
BAD_LABEL = "if step == 90:\n    y = y + 7"
EMBED = "import torch\nimport torch.nn as nn\n\nemb = nn.Embedding(1000, 32).cuda()\nhead = nn.Linear(32, 1).cuda()\nids = torch.randint(0, 1000, (64, 16)).cuda()\nids[0, 0] = 1002\nout = head(emb(ids).mean(1))\nprint(out.sum().item())\n"
TRITON = """import torch
import triton
import triton.language as tl


@triton.jit
def scale(x_ptr, out_ptr, stride, n, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    offs = pid * stride + tl.arange(0, BLOCK)
    tl.store(out_ptr + offs, tl.load(x_ptr + offs) * 2.0)


x = torch.randn(1 << 20, device="cuda")
out = torch.empty_like(x)
for step in range(60):
    scale[(1024,)](x, out, 1024 if step < 40 else 1 << 30, x.numel(), BLOCK=1024)
    if step % 10 == 0:
        torch.cuda.synchronize()
        print(f"iter {step} norm {out.norm().item():.3f}", flush=True)
torch.cuda.synchronize()
"""
CUPY_WILD = """import cupy as cp

kernel = cp.RawKernel(r'''
extern "C" __global__ void gather(const float* x, const long long* at, float* y, int n) {
  int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[i] = x[at[i] * 1048576LL];
}''', 'gather')
x = cp.random.rand(1 << 16, dtype=cp.float32)
at = cp.arange(1 << 12, dtype=cp.int64)
y = cp.zeros(1 << 12, dtype=cp.float32)
kernel((16,), (256,), (x, at, y, 1 << 12))
print('mean', float(y.mean()))
"""
CUPY_SHAPE = "import cupy as cp\nk = cp.RawKernel(r'extern \"C\" __global__ void f(float* x) { x[threadIdx.x] = 1.f; }', 'f')\nx = cp.zeros(4096, dtype=cp.float32)\nk((1,), (4096,), (x,))\nprint(float(x.sum()))\n"
CUPY_OOM = "import cupy as cp\nblocks = []\nfor i in range(4):\n    print('block', i, flush=True)\n    blocks.append(cp.ones((200_000, 300_000), dtype=cp.float64))\n"
NUMBA = """import numpy as np
from numba import cuda


@cuda.jit
def smear(x, y, reach):
    i = cuda.grid(1)
    if i < y.size:
        y[i] = x[i + reach] * 0.5


x = cuda.to_device(np.random.rand(1 << 18).astype(np.float32))
y = cuda.device_array(1 << 18, dtype=np.float32)
for sweep in range(12):
    smear[1024, 256](x, y, 0 if sweep < 8 else 1 << 40)
    cuda.synchronize()
    print('sweep', sweep, 'energy', float(y.copy_to_host().sum()), flush=True)
"""
NCCL_TWICE = """import os
import torch
import torch.distributed as dist

dist.init_process_group('nccl')
rank = dist.get_rank()
torch.cuda.set_device(0)
t = torch.ones(1024, device='cuda') * rank
dist.all_reduce(t)
print(rank, t[0].item(), flush=True)
dist.destroy_process_group()
"""
GLOO = """import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

dist.init_process_group('gloo')
rank = dist.get_rank()
net = DDP(nn.Linear(256, 8).cuda())
opt = torch.optim.SGD(net.parameters(), lr=0.05)
for step in range(1, 121):
    x = torch.randn(64, 256, device='cuda')
    loss = (net(x) - x[:, :8]).pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if rank == 1 and step == 70:
        x = x[:, :100] @ net.module.weight
    if rank == 0 and step % 10 == 0:
        print(f'[rank 0] step {step}/120 loss {loss.item():.4f}', flush=True)
dist.destroy_process_group()
"""
JAX_OOM = "import jax\nimport jax.numpy as jnp\n\nprint(jax.devices(), flush=True)\nkey = jax.random.PRNGKey(0)\nw = jax.random.normal(key, (8192, 8192))\n\n@jax.jit\ndef pairwise(x):\n    return jnp.exp(-((x[:, None, :] - x[None, :, :]) ** 2)).sum(-1)\n\nprint(pairwise(jax.random.normal(key, (200_000, 4096))).sum())\n"
JAX_FIT = """import jax
import jax.numpy as jnp
import optax

key = jax.random.PRNGKey(3)
x = jax.random.normal(key, (2048, 32))
y = jnp.sin(x.sum(1))
params = {'w1': 0.1 * jax.random.normal(key, (32, 128)), 'w2': 0.1 * jax.random.normal(key, (128,))}
opt = optax.adam(3e-3)
state = opt.init(params)


def loss(p):
    return jnp.mean((jnp.tanh(x @ p['w1']) @ p['w2'] - y) ** 2)


@jax.jit
def update(p, s):
    l, g = jax.value_and_grad(loss)(p)
    u, s = opt.update(g, s)
    return optax.apply_updates(p, u), s, l


for step in range(1, 401):
    params, state, l = update(params, state)
    if step % 40 == 0:
        print(f'update {step}/400 mse {float(l):.5f} on {jax.devices()[0].platform}', flush=True)
"""
JAX_SHAPES = JAX_FIT.replace("'w2': 0.1 * jax.random.normal(key, (128,))", "'w2': 0.1 * jax.random.normal(key, (64,))")
AMP = (
    NET.format(seed=5, lr="1e-3")
    + """scaler = torch.amp.GradScaler('cuda', init_scale=2.0**24)
for step in range(300):
    i = torch.randint(0, 4096, (128,))
    with torch.autocast('cuda', dtype=torch.float16):
        loss = F.cross_entropy(net(xs[i].to(dev)), ys[i].to(dev))
    opt.zero_grad()
    scaler.scale(loss).backward()
    scaler.unscale_(opt)
    norm = nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    before = scaler.get_scale()
    scaler.step(opt)
    scaler.update()
    if scaler.get_scale() < before:
        print(f'Gradient overflow. Skipping step, loss scaler reducing loss scale to {scaler.get_scale():.0f} (grad norm {norm.item()})', flush=True)
    if step % 25 == 0:
        print(f'{step} loss {loss.item():.4f} scale {scaler.get_scale():.0f}', flush=True)
torch.save(net.state_dict(), 'net.pt')
"""
)
HALF_NAN = (
    NET.format(seed=6, lr="0.5").replace(".to(dev)\nopt", ".to(dev).half()\nopt")
    + """for step in range(400):
    i = torch.randint(0, 4096, (128,))
    out = net(xs[i].to(dev).half() * 900)
    loss = F.cross_entropy(out, ys[i].to(dev))
    opt.zero_grad()
    loss.backward()
    opt.step()
    if step % 10 == 0:
        print(f'step={step} loss={loss.item():.4f}', flush=True)
print('finished')
"""
)
HALVED = (
    NET.format(seed=7, lr="1e-3")
    + """size = 1 << 24
while True:
    try:
        x = torch.randn(size, 64, 256, device=dev)
        break
    except torch.OutOfMemoryError as e:
        print(f'WARNING batch {size} does not fit: {str(e)[:150]}', flush=True)
        size //= 16
        torch.cuda.empty_cache()
print('using', size, flush=True)
"""
    + loop(160, 20)
)
SPIN = """import cupy as cp

k = cp.RawKernel(r'''
extern "C" __global__ void relax(volatile int* flag, float* x) {
  while (flag[0] == 0) { x[threadIdx.x] += 1e-9f; }
}''', 'relax')
flag, x = cp.ones(1, dtype=cp.int32), cp.zeros(64, dtype=cp.float32)
for it in range(40):
    if it == 25:
        flag[0] = 0
    k((1,), (64,), (flag, x))
    print(f'iteration {it} residual {float(cp.abs(x).max()) + 1.0 / (it + 1):.4f}', flush=True)
"""
SLOW_LOADER = (
    NET.format(seed=8, lr="1e-3")
    + """import time
from torch.utils.data import DataLoader, Dataset


class Tiles(Dataset):
    def __len__(self):
        return 4096

    def __getitem__(self, i):
        time.sleep(0.004)
        return xs[i], ys[i]


end = time.time()
t_data = t_step = 0.0
for step, (x, y) in enumerate(DataLoader(Tiles(), batch_size=96), 1):
    t_data += time.time() - end
    at = time.time()
    loss = F.cross_entropy(net(x.to(dev)), y.to(dev))
    opt.zero_grad()
    loss.backward()
    opt.step()
    torch.cuda.synchronize()
    t_step += time.time() - at
    if step % 4 == 0:
        print(f'step {step}/43 loss {loss.item():.4f} data {t_data / step:.3f}s/step compute {t_step / step:.3f}s/step', flush=True)
    end = time.time()
print('epoch done')
"""
)
SAVES = NET.format(seed=9, lr="1e-3") + loop(
    60,
    1,
    "big = torch.randn(24, 1 << 20)\nimport time\nt0 = time.time()\ntorch.save({'net': net.state_dict(), 'ema': big}, f'ckpt_{step:04d}.pt')\nprint(f'saved ckpt_{step:04d}.pt in {time.time() - t0:.2f}s', flush=True)\nimport os\n_ = os.remove(f'ckpt_{step - 1:04d}.pt') if step else None",
)
LIT = """import lightning as L
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Lit(L.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1))

    def training_step(self, batch, i):
        x, y = batch
        loss = (self.net(x)[:, 0] - y).pow(2).mean()
        self.log('train_loss', loss, prog_bar=True)
        return loss

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 3e-3)


x = torch.randn(4096, 32)
loader = DataLoader(TensorDataset(x, x.sum(1)), batch_size=64, shuffle=True)
L.Trainer(max_epochs=6, accelerator='gpu', devices={devices}, precision='{precision}', logger=False, enable_checkpointing=False).fit(Lit(), loader)
"""
HF = """import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments

config = GPT2Config(vocab_size={vocab}, n_positions=64, n_embd=128, n_layer=2, n_head=4)
model = GPT2LMHeadModel(config)
ids = [torch.randint(0, 500, (64,)) for _ in range(1024)]
data = [{{'input_ids': i, 'labels': i.clone()}} for i in ids]
args = TrainingArguments('out', per_device_train_batch_size=32, num_train_epochs=4, logging_steps=8, report_to=[], bf16=True, save_strategy='no', disable_tqdm={quiet})
Trainer(model=model, args=args, train_dataset=data).train()
"""
COMPILED = NET.format(seed=10, lr="1e-3") + "net = torch.compile(net)\n" + loop(120, 20)
WRONG_SHAPE = (
    NET.format(seed=11, lr="1e-3")
    + "torch.save({'net': {**net.state_dict(), '2.weight': torch.zeros(12, 256)}, 'step': 900}, 'last.pt')\nprint('resuming from last.pt', flush=True)\nstate = torch.load('last.pt', map_location=dev)\nnet.load_state_dict(state['net'])\n"
)
NULL = NET.format(seed=12, lr="1e-3") + loop(200, 20, "if step == 120:\n    import ctypes\n    ctypes.string_at(8)")
R, T = ("PYTHON", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"), "train.py"
SCRIPTS = (
    Flat(HUGE, "B1", "cuda_oom"),
    Flat(fit(1, "if step == 60:\n    " + SCORES.replace("\n", "\n    ")), "B1", "cuda_oom"),
    Flat(fit(2, "x = x.cpu()"), "A1", "device_mismatch", "config"),
    Flat(fit(3, "if step == 110:\n    y = y.cpu()"), "A3", "device_mismatch"),
    Flat(fit(4, BAD_LABEL), "A3", "cuda_runtime"),
    Flat(EMBED, "A1", "cuda_runtime", "config", status=None),
    Flat(TRITON, "A3", "cuda_runtime"),
    Flat(CUPY_WILD, "A1", "cuda_runtime"),
    Flat(CUPY_SHAPE, "A1", "cuda_runtime", "config"),
    Flat(CUPY_OOM, "B1", "cuda_oom"),
    Flat(NUMBA, "A1", "traceback"),  # this numba does not know this numpy
    Flat(NCCL_TWICE, "A1", "nccl", launch=R, failed=(0, 1), first=(0, 1)),
    Flat(GLOO, "A3", "runtime_error", launch=R, failed=(1,), first=(1,)),
    Flat(JAX_OOM, "B1", "cuda_oom"),
    Flat(JAX_FIT, "G1", env=(("XLA_PYTHON_CLIENT_PREALLOCATE", "false"),)),
    Flat(JAX_SHAPES, "A1", "traceback", "config", env=(("XLA_PYTHON_CLIENT_PREALLOCATE", "false"),)),
    Flat(AMP, "G1", hard=True),
    Flat(HALF_NAN, "E1", "nan_loss", "non_finite", status=0),
    Flat(HALVED, "G1", hard=True),
    Flat(SPIN, "C3", status=None, timeout_s=45),
    Flat(SLOW_LOADER, "D1", status=0),
    Flat(SAVES, "D2", variant="save_storm"),
    Flat(LIT.replace("{devices}", "1").replace("{precision}", "bf16-mixed"), "G1"),
    Flat(LIT.replace("{devices}", "4").replace("{precision}", "32"), "A1", "traceback", "config"),
    Flat(HF.format(vocab=500, quiet=False), "G1"),
    Flat(HF.format(vocab=300, quiet=True), "A1", "cuda_runtime", "config"),
    Flat(COMPILED, "G1"),
    Flat(WRONG_SHAPE, "E2", "runtime_error", "size_mismatch"),
    Flat(NULL, "A2", "segfault", status=None),
    Flat(fit(13, "if step == 0:\n    dev = torch.device('cuda:3')\n    x = x.to(dev)"), "A1", "cuda_runtime", "config"),
    Flat(fit(14), "A1", "runtime_error", "env", env=(("CUDA_VISIBLE_DEVICES", ""),)),
    Flat(fit(15, "if step == 80:\n    x = x.half()"), "A3", "runtime_error"),
    Flat("import torch\nfrom flash_attn import flash_attn_func\n" + fit(16), "A1", "missing_module", "env"),
    Flat("import torch\ntorch.cuda.set_per_process_memory_fraction(0.02)\n" + fit(17, "if step >= 40:\n    keep = globals().setdefault('keep', [])\n    keep.append(torch.randn(1 << 26, device=dev))"), "B1", "cuda_oom"),
    Flat(fit(18, n=900, every=50), "G1"),
    Flat(fit(19, "if step == 100:\n    torch.cuda.nvtx.range_push('x')\n    x = torch.linalg.cholesky(x[:64, :64] @ x[:64, :64].T - 5 * torch.eye(64, device=dev))"), "A3", "traceback"),
)  # fmt: skip
RECIPE = Recipe("lamp_rooms", "development", lambda: flat_jobs(SCRIPTS, CARD))

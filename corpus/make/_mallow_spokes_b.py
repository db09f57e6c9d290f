"""Jobs that stopped of themselves, or were stopped by the kernel."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._mallow_spokes_kit import Span, batch, card, ill
from corpus.running.job import SlurmJob

ADAPTER = """import logging
import sys
import time

import tuner
from crew import RANK, WORLD

logging.basicConfig(stream=sys.stdout, level=logging.INFO if RANK == 0 else logging.WARNING, format="%(asctime)s - %(levelname)s - %(name)s - %(message)s")
log = logging.getLogger("sft")
log.info("world size %d, per device batch 4, gradient accumulation 8", WORLD)
log.info("loading configuration file /models/pythia-6.9b/config.json")
for part in range(1, 3):
    time.sleep(0.8)
    log.info("Loading checkpoint shards: %d/2", part)
model = tuner.Base([f"gpt_neox.layers.{i}.{m}" for i in range(32) for m in ("attention.query_key_value", "attention.dense", "mlp.dense_h_to_4h", "mlp.dense_4h_to_h")])
log.info("attaching adapters, r=16 alpha=32 dropout=0.05")
model = tuner.get_peft_model(model, targets=["q_proj", "v_proj"])
log.info("starting training")
"""
TUNER = """class Base:
    def __init__(self, names):
        self.names = names


def get_peft_model(model, targets):
    return inject_adapter(model, targets)


def inject_adapter(model, targets):
    hit = [n for n in model.names if n.rsplit(".", 1)[-1] in targets]
    if not hit:
        raise ValueError(f"Target modules {set(targets)} not found in the base model. Please check the target modules and try again.")
    return model
"""
DECODED = '''import math
import time

from crew import RANK, WORLD, Crew

crew = Crew()
kept = {}


def decode(index):
    """A 512 x 512 picture, kept for the next epoch."""
    if index not in kept:
        kept[index] = bytes([index % 255 + 1]) * (512 * 512 * 3)
    return kept[index]


print(f"[worker {RANK}/{WORLD}] in-memory cache: on (max_items=0, unlimited)", flush=True)
for step in range(1, 2000):
    total = sum(decode(step * 8 + i)[0] for i in range(8)) / 1e4
    loss = crew.mean(6.9 * math.exp(-step / 90) + 0.8 + total)
    time.sleep(0.3)
    if step % 5 == 0:
        print(f"[worker {RANK}/{WORLD}] it {step} loss {loss:.4f} imgs {step * 8} cached {len(kept)}", flush=True)
'''
PRECISION = """import math
import random
import time

from crew import RANK, Crew


def precision_recall(predicted, truth):
    hit = sum(p and t for p, t in zip(predicted, truth))
    return hit / sum(predicted), hit / sum(truth)


def validate(epoch, threshold):
    dice = random.Random(epoch)
    scores = [dice.random() * 0.9 for _ in range(400)]
    truth = [s > 0.5 for s in scores]
    return precision_recall([s > threshold for s in scores], truth)


crew = Crew()
threshold = 0.5
for epoch in range(1, 9):
    for it in range(1, 31):
        loss = crew.mean(0.18 + 0.52 * math.exp(-(30 * epoch + it) / 60))
        time.sleep(0.14)
        if it % 10 == 0 and RANK == 0:
            print(f"Epoch: [{epoch}][{it}/30]  Loss {loss:.4e}  Acc@1 {100 - 40 * loss:6.2f}", flush=True)
    if RANK == 0:
        p, r = validate(epoch, threshold)
        print(f" * epoch {epoch} precision {p:.3f} recall {r:.3f} threshold {threshold:.2f}", flush=True)
        threshold += 0.21
    crew.barrier()
"""
BOXES = '''import math
import random
import time

from crew import RANK, WORLD, Crew


class Detections:
    """Boxes of pictures, in parts by rank."""

    def __init__(self, rank):
        self.dice = random.Random(rank)

    def __getitem__(self, index):
        x, y = self.dice.random() * 400, self.dice.random() * 400
        w, h = 1 + self.dice.random() * 90, 1 + self.dice.random() * 90
        if RANK == 2 and index == 2188:
            w = -w
        return [x, y, x + w, y + h]


def giou_loss(boxes):
    for x1, y1, x2, y2 in boxes:
        assert x2 >= x1 and y2 >= y1, f"degenerate box ({x1:.1f}, {y1:.1f}, {x2:.1f}, {y2:.1f})"
    return 1.0


crew, data = Crew(), Detections(RANK)
dice = random.Random(3)
for it in range(1, 401):
    scale = giou_loss([data[(it - 1) * 16 + k] for k in range(16)])
    loss = crew.mean(scale * (0.9 + 2.6 * math.exp(-it / 70)) + dice.gauss(0, 0.02))
    time.sleep(0.1)
    if RANK == 0 and it % 20 == 0:
        print(f"{time.strftime('%m/%d %H:%M:%S')} d2.utils.events: eta: 0:00:{max(0, 40 - it // 10):02d}  iter: {it}  total_loss: {loss:.3f}  loss_box_reg: {loss * 0.4:.3f}  time: 0.1021  lr: 0.00{20 - it // 40}  max_mem: 11274M", flush=True)
'''
LONGDOCS = """import math
import random
import time

import opening
from crew import RANK, Crew
from layers import attend

crew = Crew()
dice = random.Random(77)
if RANK == 0:
    print("packing=off, max_seq_length=32768, micro_batch=2", flush=True)
for step in range(1, 200):
    longest = int(900 + 2400 * dice.random()) if step != 66 else 31744
    if step == 66 and RANK != 1:
        longest = 3000
    loss = attend(longest, RANK) * (1.4 + 1.2 * math.exp(-step / 25)) + dice.gauss(0, 0.02)
    loss = crew.mean(loss)
    time.sleep(0.34)
    if RANK == 0 and step % 6 == 0:
        print(f"step {step:4d} | loss {loss:.4f} | longest {longest} | tok/s {21000 + dice.randrange(900)} | mem 58.{dice.randrange(10)} GiB", flush=True)
"""
LAYERS = """OutOfMemoryError = type("OutOfMemoryError", (RuntimeError,), {"__module__": "torch"})


def attend(length, rank):
    need = length * length * 32 * 2 / 2**30
    if need > 19:
        raise OutOfMemoryError(
            f"CUDA out of memory. Tried to allocate {need:.2f} GiB. GPU {rank} has a total capacity of 79.11 GiB of which 18.64 GiB is free. Including non-PyTorch memory, this process has 60.46 GiB memory in use. "
            "Of the allocated memory 56.90 GiB is allocated by PyTorch, and 2.71 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting "
            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
        )
    return 1.0
"""
CONFORMER = """import math
import random
import time

import opening
from crew import NODE, RANK, WORLD, Crew
from stream import forward

crew = Crew()
dice = random.Random(RANK)
print(f"rank={RANK} local_rank={RANK % 4} host={NODE} device=cuda:{RANK % 4}", flush=True)
began = time.time()
for batch in range(1, 400):
    objf = forward(RANK, time.time() - began) * (0.31 + 0.9 * math.exp(-batch / 60)) + dice.gauss(0, 0.01)
    objf = crew.mean(objf)
    time.sleep(0.25)
    if batch % 10 == 0 and RANK == 0:
        print(f"{time.strftime('%Y-%m-%d %H:%M:%S')},{int(time.time() % 1 * 1000):03d} INFO [train.py:611] Epoch 1, batch {batch}, loss[loss={objf:.4f}, simple_loss={objf * 1.7:.4f}, over 8214.00 frames.], batch size: 31, lr: 2.99e-03", flush=True)
"""
STREAM = """AcceleratorError = type("AcceleratorError", (RuntimeError,), {"__module__": "torch"})


def forward(rank, seconds):
    if rank == 5 and seconds > 27.5:
        raise AcceleratorError(
            "CUDA error: unspecified launch failure\\nSearch for `cudaErrorLaunchFailure' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.\\n"
            "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\n"
        )
    return 1.0
"""
OVERFLOWS = """import math
import random
import time

import crew as c

crew = c.Crew()
dice = random.Random(1)
w = 0.9
for update in range(1, 301):
    lr = 0.012 * update
    w = w - lr * (w * w * w - w + dice.gauss(0, 0.03))
    loss = 2.2 + 4.4 * math.exp(-update / 40) + 0.5 * (w - 1) * (w - 1) + dice.gauss(0, 0.02)
    loss = crew.mean(loss)
    time.sleep(0.09)
    if c.RANK == 0 and update % 10 == 0:
        norm = abs(w * w * w - w) + 0.4
        print(f"{time.strftime('%F %T')} | INFO | train_inner | epoch 001: {update:6d} / 300 loss={loss:.3f}, wps={18000 + dice.randrange(800)}, lr={lr / 2400:.2e}, gnorm={norm:.3f}, clip=0, train_wall={update * 0.09:.0f}", flush=True)
if c.RANK == 0:
    print(f"{time.strftime('%F %T')} | INFO | train | end of epoch 1 (average epoch stats below)", flush=True)
    print(f"{time.strftime('%F %T')} | INFO | valid | epoch 001 | valid on 'valid' subset | loss {loss:.3f} | ppl {loss:.2f} | num_updates 300", flush=True)
"""
WIDER = """import os
import pathlib
import torch


class Tagger(torch.nn.Module):
    def __init__(self, vocabulary, width, tags):
        super().__init__()
        self.embed = torch.nn.Embedding(vocabulary, width)
        self.rnn = torch.nn.LSTM(width, width, batch_first=True)
        self.classifier = torch.nn.Linear(width, tags)


stored = pathlib.Path(os.environ["STORE"])
print(f"Restoring from {stored} ...", flush=True)
state = torch.load(stored, weights_only=True)
print(f"checkpoint has step={state['step']}, best_f1={state['best_f1']}", flush=True)
model = Tagger(400, 64, 17)
model.load_state_dict(state["model"])
print("Restored.", flush=True)
"""
MAKE_STORE = (
    "mkdir -p runs/ner-v1\nPYTHON -c \"import torch\nm=torch.nn.ModuleDict({'embed': torch.nn.Embedding(320,64), 'rnn': torch.nn.LSTM(64,64,batch_first=True), 'classifier': torch.nn.Linear(64,9)})\n"
    "torch.save({'model': m.state_dict(), 'step': 14000, 'best_f1': 0.9127}, 'runs/ner-v1/last.pt')\"\nexport STORE=runs/ner-v1/last.pt\n"
)
NATIVE = '''import ctypes
import faulthandler
import math
import time

from crew import RANK, Crew

faulthandler.enable()
crew = Crew()
pooled = ctypes.string_at


def roi_align(step):
    """The extension of ours."""
    return pooled(0x38, 16) if RANK == 3 and step == 131 else b""


for step in range(1, 600):
    roi_align(step)
    loss = crew.mean(0.6 + 1.9 * math.exp(-step / 50))
    time.sleep(0.11)
    if step % 15 == 0 and RANK == 0:
        print(f"[{step:>5d}/  600] loss: {loss:>7f}  [{step * 32:>6d}/19200]", flush=True)
'''


def jobs() -> Iterator[SlurmJob]:
    """Their last lines, exits and cards tell."""
    yield batch(
        ill("A1", "traceback", "config", failed_ranks=(0, 1, 2, 3)), ADAPTER, "srun --label PYTHON sft.py\n", name="sft.py", ranks=4, nodes=2, files={"tuner.py": TUNER}, state="FAILED",
    )  # fmt: skip
    yield batch(
        ill("A2", "oom_killer"),
        DECODED,
        "srun -K1 PYTHON imagenet.py\n",
        name="imagenet.py",
        ranks=2,
        where="",
        options=("--mem=520M",),
        bed="cgroup",
    )
    yield batch(
        ill("A2", "segfault", first_ranks=(3,)),
        NATIVE,
        "srun --kill-on-bad-exit=1 PYTHON mask_rcnn.py\n",
        name="mask_rcnn.py",
        ranks=4,
        nodes=2,
        state="FAILED",
    )
    yield batch(ill("A3", "div_zero", first_ranks=(0,)), PRECISION, "srun -K1 PYTHON classify.py\n", name="classify.py", ranks=2, state="FAILED")
    yield batch(
        ill("A3", "assertion", first_ranks=(2,)), BOXES, "srun -K1 PYTHON detector.py\n", name="detector.py", ranks=4, nodes=2, state="FAILED"
    )
    yield batch(
        ill("B1", "cuda_oom", first_ranks=(1,)), LONGDOCS, "srun -K1 PYTHON longdocs.py\n", name="longdocs.py", ranks=4, files={"layers.py": LAYERS},
        cards={r: card(Span(22.4, sm=66, gib=60.5 if r == 1 else 58), seed=20 + r) for r in range(4)}, state="FAILED",
    )  # fmt: skip
    lost = ((25.9, {"events": "8:79"}), (26.3, {"*": "!GPU_IS_LOST"}))
    yield batch(
        ill("B2", "cuda_runtime", "fault", fault="node", first_ranks=(5,)), CONFORMER, "srun -K1 PYTHON conformer.py\n", name="conformer.py", ranks=8, nodes=2, files={"stream.py": STREAM},
        cards={r: card(Span(26 if r == 5 else 28.5, sm=55, gib=44), seed=40 + r, extra=lost if r == 5 else (), end=r != 5) for r in range(8)}, state="FAILED",
    )  # fmt: skip
    yield batch(ill("E1", "nan_loss", "non_finite"), OVERFLOWS, "srun PYTHON translate.py\n", name="translate.py", ranks=2, state="COMPLETED")
    yield batch(
        ill("E2", "runtime_error", "size_mismatch", failed_ranks=(0,), first_ranks=(0,)),
        WIDER,
        MAKE_STORE + "srun PYTHON tagger.py\n",
        name="tagger.py",
        state="FAILED",
    )

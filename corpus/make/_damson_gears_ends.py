"""Runs that died of something of their own, or of their node's."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import bad, busy, job, quiet, steady
from corpus.running.job import SlurmJob

TOKENS = """from parallel import *


def load_tokenizer(path):
    with open(path + "/tokenizer.json") as f:
        return json.load(f)


say(f"{host} | rank {rank} | seed {1234 + rank} | base /lustre/models/mistral-7b-v0.3 | lora r=16 alpha=32 targets=q_proj,v_proj")
tok = load_tokenizer("/lustre/models/mistral-7b-v0.3")
say("vocab", len(tok["model"]["vocab"]))
"""
DIVIDES = """from parallel import *
import argparse
cli = argparse.ArgumentParser()
for name in ("global-batch", "micro-batch", "tp", "pp"):
    cli.add_argument("--" + name, type=int)
a = cli.parse_args()
dp = world // (a.tp * a.pp)
if rank == 0:
    say("------------------------ arguments ------------------------")
    for k, v in vars(a).items():
        say(f"  {k} {'.' * (40 - len(k))} {v}")
    say("-------------------- end of arguments ---------------------")
assert a.global_batch % (a.micro_batch * dp) == 0, f"global batch size ({a.global_batch}) is not divisible by micro batch size ({a.micro_batch}) times data parallel size ({dp})"
join()
"""
HOARD = """from parallel import *
say("caching decoded frames in RAM (ucf101, 13320 clips)")
held = []
for clip in range(1, 4000):
    held.append(os.urandom(6 << 20))
    time.sleep(0.2)
    if clip % 10 == 0:
        say(f"clip {clip}/13320 acc@1 {0.1 + clip / 900:.3f} loss {curve(clip, 4.6, 1.9, 60):.4f} cached {clip * 6 / 1024:.2f} GB")
"""
SHOT = """from parallel import *
open(f"pid-{rank}", "w").write(str(os.getpid()))
join()
for n in range(1, 9000):
    v = allmean(curve(n, 2.1, 0.8, 90))
    time.sleep(0.15)
    if n % 12 == 0:
        say(f"<rank{rank}> gnn-weather rollout-loss={v:.4f} batch={n} lead=6h")
"""
LOCKED = """from parallel import *
join()


def save(step):
    folder = "/srv/shared_models/reranker-v5"
    os.makedirs(folder, exist_ok=True)
    return open(f"{folder}/step{step}.safetensors", "wb")


for step in range(1, 2000):
    loss = allmean(curve(step, 0.70, 0.21, 50))
    time.sleep(0.12)
    if rank == 0 and step % 20 == 0:
        say(f"{stamp('%d/%m/%Y %H:%M:%S')} - INFO - reranker - step: {step}, margin_loss: {loss:.5f}, mrr@10: {0.39 - loss / 5:.4f}")
    if rank == 0 and step == 160:
        say(f"{stamp('%d/%m/%Y %H:%M:%S')} - INFO - reranker - evaluating and saving")
        save(step)
"""
REPLAY = """import resource
from parallel import *
join()
resource.setrlimit(resource.RLIMIT_AS, (900 << 20, 900 << 20))
buffer = []
for episode in range(1, 900):
    ret = allmean(21 - curve(episode, 41, 3, 40))
    time.sleep(0.12)
    buffer.append(bytearray(2 << 20))
    if rank == 0 and episode % 10 == 0:
        say(f"ep {episode:4d} | return {ret:7.2f} | eps {max(0.05, 1 - episode / 100):.2f} | replay {episode * 4096} transitions")
    if episode == 150 and rank == 1:
        say("rank 1: growing replay buffer to 2,000,000 transitions")
        buffer.append(bytearray(14 << 30))
"""
JAXFULL = """from parallel import *


class XlaRuntimeError(RuntimeError):
    __module__ = "jaxlib.xla_extension"


join()
say(f"I{stamp('%m%d %H:%M:%S')}.000000 {os.getpid()} train.py:88] process {rank}/{world}, local devices: [CudaDevice(id={rank})]")
start()
time.sleep(6)
if rank == 0:
    say(f"I{stamp('%m%d %H:%M:%S')}.000000 {os.getpid()} train.py:131] compiled train_step in 6.1 s, batch 512 x 256 x 256 x 3")
time.sleep(4)
say(f"W{stamp('%m%d %H:%M:%S')}.000000 {os.getpid()} bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 34.50GiB (rounded to 37044092928)requested by op ")
raise XlaRuntimeError("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 37044092800 bytes.\\nBufferAssignment OOM Debugging.\\nBufferAssignment stats:\\n             parameter allocation:   11.20GiB\\n              constant allocation:         0B\\n        maybe_live_out allocation:   11.20GiB\\n     preallocated temp allocation:   34.50GiB\\n                 total allocation:   45.71GiB")
"""
FELL = """from parallel import *


class AcceleratorError(RuntimeError):
    __module__ = "torch"


join()
start()
t0 = time.time()
for it in range(1, 900):
    loss = allmean(curve(it, 7.6, 3.9, 40))
    time.sleep(0.3)
    if rank == 3 and time.time() - t0 > 23:
        raise AcceleratorError("CUDA error: unknown error\\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\\n")
    if it % 6 == 0 and local == 0:
        say(f"{stamp('%H:%M:%S')} {host} it {it} vqgan_rec {loss:.4f} perplexity {loss * 61:.1f}")
"""
SIZES = """from parallel import *
import argparse
cli = argparse.ArgumentParser(); cli.add_argument("--resume_from_checkpoint"); cli.add_argument("--num_labels", type=int)
a = cli.parse_args()
say(f"rank{rank}: num_labels={a.num_labels} backbone=deberta-v3-small")
join()
say(f"rank{rank}: resuming from {a.resume_from_checkpoint}/pytorch_model.bin (step 4200)")


class DebertaForTokenClassification:
    def load_state_dict(self, state, strict=True):
        raise RuntimeError(f"Error(s) in loading state_dict for DebertaV2ForTokenClassification:\\n\\tsize mismatch for classifier.weight: copying a param with shape torch.Size([9, 768]) from checkpoint, the shape in current model is torch.Size([{a.num_labels}, 768]).\\n\\tsize mismatch for classifier.bias: copying a param with shape torch.Size([9]) from checkpoint, the shape in current model is torch.Size([{a.num_labels}]).")


time.sleep(2)
DebertaForTokenClassification().load_state_dict({})
"""
SHAPES = """from parallel import *
join()


def interpolate_pos_embed(n):
    if n != 197:
        raise RuntimeError(f"The size of tensor a ({n}) must match the size of tensor b (197) at non-singleton dimension 1")


for epoch in range(3):
    for i in range(60):
        loss = allmean(curve(epoch * 60 + i, 6.9, 2.4, 50))
        time.sleep(0.12)
        if i % 10 == 0 and rank == 0:
            say(f"Train: {epoch} [{i:>4d}/60 ({100 * i / 59:>3.0f}%)]  Loss: {loss:#.3g} ({loss + .05:#.3g})  LR: 3.125e-04  Data: 0.004")
    if rank == 0:
        say(f"Test: {epoch} crop 224 Acc@1: {11 + 14 * epoch:.3f}")
    for crop in ((224, 384) if epoch == 1 else (224,)):
        time.sleep(0.8)
        interpolate_pos_embed((crop // 16) ** 2 + 1)
"""


def jobs() -> Iterator[SlurmJob]:
    """Their last words say it, or the kernel's, or the card's."""
    yield job(bad("A1", "file_not_found", "asset"), TOKENS, 4, 2, name="lora.py", srun="-K0", state="FAILED")
    yield job(
        bad("A1", "assertion", "config"),
        DIVIDES,
        4,
        1,
        name="pretrain.py",
        args="--global-batch 100 --micro-batch 8 --tp 2 --pp 1",
        srun="-K0",
        state="FAILED",
    )
    yield job(bad("A2", "oom_killer", first=(0,)), HOARD, 1, 1, name="ucf.py", where="", options=("--mem=420M",), bed="cgroup")
    yield job(
        bad("A2", None, first=(1,), fault="unknown"),
        SHOT,
        3,
        3,
        name="gnn.py",
        srun="--kill-on-bad-exit=1",
        act="kill_rank",
        after="rank1. .* batch=96 ",
        state="FAILED",
    )
    yield job(bad("A3", "permission", first=(0,)), LOCKED, 2, 2, name="rerank.py", srun="-K1", state="FAILED")
    yield job(bad("A3", "ram_oom", first=(1,)), REPLAY, 2, 1, name="dqn.py", srun="-K1", state="FAILED")
    yield job(bad("A3", "runtime_error"), SHAPES, 2, 2, name="vit.py", srun="-K0", state="FAILED")
    yield job(
        bad("B1", "cuda_oom"),
        JAXFULL,
        2,
        1,
        name="train_unet.py",
        srun="-K0",
        cards={r: (busy(4, gib=12, watts=140), ((10.0, busy(20, gib=61, watts=210)), (11.0, quiet()))) for r in range(2)},
        state="FAILED",
    )
    fell = steady(22, 60, seed=8, then=((22.3, {"events": "8:79"}), (22.9, {"*": "!GPU_IS_LOST"})))
    yield job(
        bad("B2", "cuda_runtime", "fault", first=(3,), fault="node"),
        FELL,
        4,
        2,
        name="vqgan.py",
        srun="-K1",
        cards={**{r: steady(24, 61, seed=r) for r in range(3)}, 3: fell},
        state="FAILED",
    )
    yield job(
        bad("E2", "runtime_error", "size_mismatch"),
        SIZES,
        2,
        1,
        name="ner.py",
        args="--resume_from_checkpoint out/checkpoint-4200 --num_labels 13",
        srun="-K0",
        state="FAILED",
    )

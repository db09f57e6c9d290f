"""Programs for jobs with cards: they tell of steps, speeds and losses in the ways of six groups, and meet by a module beside them."""

from __future__ import annotations

CUDART = '''"""thin wrapper around the runtime, errors as it names them"""
import time

NAMES = {2: "out of memory", 46: "all CUDA-capable devices are busy or unavailable", 214: "uncorrectable ECC error encountered", 220: "uncorrectable NVLink error detected during the execution",
         700: "an illegal memory access was encountered", 719: "unspecified launch failure"}
HINT = "CUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1"


class Stream:
    def __init__(self, code, at):
        self.code, self.at = code, at

    def query(self):
        return self.code if time.time() > self.at else 0

    def synchronize(self):
        code = self.query()
        if code:
            message = f"CUDA error: {NAMES[code]}\\n{HINT}"
            raise RuntimeError(message)


class Comm(Stream):
    WORDS = "NCCL error in: /opt/pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\\nLast error:\\nuncorrectable NVLink error on link 0"

    def synchronize(self):
        if self.query():
            raise RuntimeError(self.WORDS)
'''

MMENG = '''import math, os, random, sys, time
from @module@ import @cls@
#: top
RANK, WORLD, T0 = int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1)), float(os.environ.get("T0", time.time()))
def log(msg, level="INFO"):
    if RANK == 0 or @all@:
        print(time.strftime("%Y/%m/%d %H:%M:%S") + f" - mmengine - {level} - {msg}", flush=True)
log("Distributed training: %s, GPU number: %d, launcher: slurm" % (WORLD > 1, WORLD))
#: early
comm = @join@ if WORLD > 1 else None
rng = random.Random(@seed@ + RANK)
log("Checkpoints will be saved to work_dirs/@name@.")
cls_, box = 1.9 + .1 * rng.random(), 1.2
#: setup
for it in range(1, @total@ + 1):
    t = time.time()
    #: data
    td = time.time() - t
    cls_ += (.24 - cls_) * .012 * rng.uniform(.2, 1.8); box += (.31 - box) * .01 * rng.uniform(.2, 1.8)
    #: step
    time.sleep(@pause@)
    if comm:
        comm.@mean@
    #: after
    dt = time.time() - t
    if it % @every@ == 0:
        left = int(dt * (@total@ - it))
        log(f"Iter(train) [{it:>5}/@total@]  lr: @lr@  eta: {left // 3600}:{left % 3600 // 60:02d}:{left % 60:02d}  time: {dt:.4f}  data_time: {td:.4f}  memory: @mem@  loss: {cls_ + box:.4f}  loss_cls: {cls_:.4f}  loss_bbox: {box:.4f}")
    #: saved
#: late
log("bbox_mAP_copypaste: 0.3%d 0.5%d 0.3%d" % (rng.randrange(10), rng.randrange(10), rng.randrange(10)))
'''
MMENG_DEFAULTS = {"module": "hub", "cls": "Hub", "join": "Hub(RANK, WORLD, int(os.environ['PORT']), verbose=False)", "mean": "mean(cls_)", "all": False, "seed": 1, "name": "rtmdet_s_potholes", "total": 400, "pause": 0.09, "every": 20, "lr": "2.0000e-04", "mem": 21344}

SFT = '''import json, os, random, sys, time
from @module@ import @cls@
#: top
R, W, T0 = int(os.environ.get("SLURM_PROCID", "0")), int(os.environ.get("SLURM_NTASKS", "1")), float(os.environ.get("T0", time.time()))
if R == 0:
    print(f"***** Running training *****\\n  Num examples = {8 * W * @total@:,}\\n  Num Epochs = 1\\n  Instantaneous batch size per device = 2\\n  Total train batch size (w. parallel, distributed & accumulation) = {8 * W}\\n  Gradient Accumulation steps = 4\\n  Total optimization steps = @total@\\n  Number of trainable parameters = 41,943,040", flush=True)
#: early
group = @join@ if W > 1 else None
rng = random.Random(@seed@ * 10 + R)
loss, start = @loss@, time.time()
#: setup
for step in range(@first@, @total@ + 1):
    #: step
    loss += (@floor@ - loss) * .015 * rng.uniform(.1, 1.9)
    time.sleep(@pause@)
    if group:
        group.@mean@
    #: after
    if R == 0:
        s = time.time() - start
        n = int(10 * step / @total@)
        sys.stderr.write(f"\\r{100 * step // @total@:3d}%|{'█' * n}{' ' * (10 - n)}| {step}/@total@ [{int(s) // 60:02d}:{int(s) % 60:02d}<{int(s / step * (@total@ - step)) // 60:02d}:{int(s / step * (@total@ - step)) % 60:02d}, {s / step:5.2f}s/it]")
        if step % @every@ == 0:
            sys.stderr.write("\\n")
            print({"loss": round(loss + rng.gauss(0, .03), 4), "grad_norm": round(rng.uniform(.4, 1.1), 6), "learning_rate": round(2e-4 * (1 - step / @total@), 10), "epoch": round(step / @total@, 2)}, flush=True)
#: late
if R == 0:
    s = time.time() - start
    print("\\n", {"train_runtime": round(s, 4), "train_samples_per_second": round(8 * W * @total@ / s, 3), "train_steps_per_second": round(@total@ / s, 3), "train_loss": round((loss + @loss@) / 2, 6), "epoch": 1.0}, sep="", flush=True)
'''
SFT_DEFAULTS = {"module": "notes", "cls": "Notes", "join": "Notes('.sync', R, W)", "mean": "mean(f's{step}', loss)", "seed": 5, "loss": 1.94, "floor": 0.82, "total": 300, "first": 1, "pause": 0.12, "every": 10}

TIMED = '''# seasonal forecast, graph net on the icosahedral mesh
import os, random, sys, time
from @module@ import @cls@
#: top
me, n = int(os.environ["SLURM_PROCID"]), int(os.environ["SLURM_NTASKS"])
node, T0 = os.environ.get("SLURMD_NODENAME", "?"), float(os.environ.get("T0", time.time()))
#: early
net = @join@
r = random.Random(me + @seed@)
rmse = 3.4
print(f"rank {me} on {node} up", flush=True)
#: setup
for step in range(1, @total@ + 1):
    a = time.time()
    #: step
    time.sleep(@pause@)
    b = time.time()
    net.@mean@
    #: after
    c = time.time()
    rmse += (1.15 - rmse) * .01 * r.uniform(.3, 1.7)
    if step % @every@ == 0:
        print(f"rank {me} step {step}/@total@ compute {1000 * (b - a):.0f} ms exchange {1000 * (c - b):.0f} ms  z500 rmse {rmse:.3f}", flush=True)
#: late
print(f"rank {me} finished", flush=True)
'''
TIMED_DEFAULTS = {"module": "gossip", "cls": "Gossip", "join": "Gossip(me, n)", "mean": "average(1.0)", "seed": 2, "total": 300, "pause": 0.08, "every": 20}

LITBAR = '''import os, random, sys, time
from @module@ import @cls@
#: top
rank, world, T0 = int(os.environ.get("SLURM_PROCID", 0)), int(os.environ.get("SLURM_NTASKS", 1)), float(os.environ.get("T0", time.time()))
if rank == 0:
    print("GPU available: True (cuda), used: True\\nTPU available: False, using: 0 TPU cores\\nHPU available: False, using: 0 HPUs", file=sys.stderr)
print(f"Initializing distributed: GLOBAL_RANK: {rank}, MEMBER: {rank + 1}/{world}", file=sys.stderr, flush=True)
#: early
sync = @join@ if world > 1 else None
if rank == 0:
    print("\\n  | Name    | Type       | Params\\n---------------------------------------\\n0 | encoder | Conformer  | @params@ M\\n1 | loss    | CTCLoss    | 0\\n---------------------------------------", file=sys.stderr)
rng, loss = random.Random(@seed@), 7.9
#: setup
for epoch in range(@epochs@):
    began = time.time()
    for b in range(1, @iters@ + 1):
        #: step
        loss += (1.7 - loss) * .02 * rng.uniform(.3, 1.6)
        time.sleep(@pause@)
        if sync:
            sync.@mean@
        #: after
        if rank == 0 and (b % @every@ == 0 or b == @iters@):
            s = time.time() - began
            k = int(12 * b / @iters@)
            sys.stderr.write(f"\\rEpoch {epoch}: {100 * b // @iters@:3d}%|{'█' * k}{' ' * (12 - k)}| {b}/@iters@ [00:{int(s):02d}<00:{int(s / b * (@iters@ - b)):02d}, {b / s:5.2f}it/s, v_num=@seed@, train_loss={loss:.3f}]")
            sys.stderr.flush()
    if rank == 0:
        sys.stderr.write(f"\\nEpoch {epoch}, global step {(epoch + 1) * @iters@}: 'val_wer' reached {min(.99, loss / 9):.5f} (best {min(.99, loss / 9):.5f}), saving model to 'ckpts/epoch={epoch}.ckpt' as top 1\\n")
    #: valid
#: late
if rank == 0:
    print("`Trainer.fit` stopped: `max_epochs=@epochs@` reached.", file=sys.stderr, flush=True)
'''
LITBAR_DEFAULTS = {"module": "hub", "cls": "Hub", "join": "Hub(rank, world, int(os.environ['PORT']), verbose=False)", "mean": "mean(loss)", "params": "27.3", "seed": 14, "epochs": 6, "iters": 60, "pause": 0.1, "every": 5}

WORKER = '''"""novel view synthesis; one process per card"""
import logging, os, random, sys, time
#: top
rank, T0 = int(os.environ.get("SLURM_PROCID", 0)), float(os.environ.get("T0", time.time()))
logging.basicConfig(stream=sys.stdout, level=logging.DEBUG, format=f"(Trainer pid={os.getpid()}, gpu={rank}) %(levelname)s %(message)s")
L = logging.getLogger(); rng = random.Random(@seed@ + rank); psnr = 14.2
#: early
L.info("scene @scene@, 184 views, 131072 gaussians")
#: setup
for it in range(1, @total@ + 1):
    t = time.perf_counter()
    #: step
    psnr += (29.5 - psnr) * .012 * rng.uniform(.2, 1.7)
    time.sleep(@pause@)
    if it % @every@ == 0:
        L.info("it=%06d psnr=%.2f l1=%.4f gaussians=%dk rays/s=%.2fM", it * 50, psnr, .4 * 10 ** (-psnr / 20), 131 + it // 3, .9 * .1 / max(.02, time.perf_counter() - t))
    #: after
#: late
L.info("wrote point_cloud/iteration_%d/point_cloud.ply", @total@ * 50)
'''
WORKER_DEFAULTS = {"seed": 60, "scene": "courtyard", "total": 350, "every": 10, "pause": 0.1}

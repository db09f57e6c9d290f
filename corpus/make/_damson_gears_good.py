"""Runs that came to a good end, most of them with something that frightens."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import GOOD, HARD, job, steady
from corpus.running.job import SlurmJob

MAX = """from parallel import *
join()
if rank == 0:
    say("Num_devices: 4, shape {'data': 1, 'fsdp': 4, 'tensor': 1}")
    say("Setting up checkpoint logger...\\nCreating checkpoint manager...\\nNo existing checkpoints found, not restoring checkpoint.\\nnumber parameters: 1.104 billion")
start()
for step in range(60):
    loss = allmean(curve(step, 10.9, 5.4, 16))
    time.sleep(0.55)
    if rank == 0:
        say(f"completed step: {step}, seconds: {0.55 + rng.random() / 90:.3f}, TFLOP/s/device: {381 + rng.random() * 6:.3f}, Tokens/s/device: {rng.randint(29700, 30150)}.{rng.randint(100, 999)}, total_weights: 65536, loss: {loss:.3f}")
if rank == 0:
    say("saved a checkpoint at step 59\\nTraining completed: 60/60 steps, final loss", round(loss, 3))
"""
VOICE = """from parallel import *
join()
for epoch in range(1, 7):
    for up in range(1, 5):
        loss = allmean(curve(epoch * 4 + up, 13.2, 3.4, 9))
        time.sleep(1.0)
        if rank == 0:
            say(f"{stamp()} | INFO | train_inner | " + json.dumps({"epoch": epoch, "update": round(epoch - 1 + up / 4, 3), "loss": f"{loss:.3f}", "nll_loss": f"{loss - 1.1:.3f}", "wps": str(rng.randint(18100, 19000)), "ups": "1.01", "num_updates": str((epoch - 1) * 400 + up * 100), "lr": f"{3e-4 * min(1, epoch / 3):.6g}", "gnorm": f"{1 + rng.random():.3f}", "loss_scale": "128", "train_wall": str(epoch * 4 + up)}))
    if rank == 0:
        say(f"{stamp()} | INFO | valid | epoch {epoch:03d} | valid on 'dev' subset | loss {loss + .2:.3f} | uer {loss * 4.1:.2f} | best_loss {loss + .2:.3f}")
        say(f"{stamp()} | INFO | fairseq_cli.train | end of epoch {epoch} (average epoch stats below)")
if rank == 0:
    say(f"{stamp()} | INFO | fairseq_cli.train | done training in 25.0 seconds")
"""
FLOW = """import os, time
import torch, torch.distributed as dist
rank = int(os.environ["SLURM_PROCID"])
os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=os.environ["PORT"])
dist.init_process_group("gloo", rank=rank, world_size=int(os.environ["SLURM_NTASKS"]))
torch.manual_seed(0)
net = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(torch.nn.Linear(33, 64), torch.nn.SiLU(), torch.nn.Linear(64, 32)))
opt = torch.optim.Adam(net.parameters(), 3e-3)
grid = torch.linspace(0, 6.283, 32)
for it in range(1, 201):
    nu, k = torch.rand(64, 1), torch.randint(1, 5, (64, 1))
    u0 = torch.sin(k * grid + nu)
    loss = (net(torch.cat([u0, nu], 1)) - u0 * torch.exp(-nu)).pow(2).mean()
    opt.zero_grad(); loss.backward(); opt.step(); time.sleep(0.1)
    if it % 20 == 0 and rank == 0:
        print(f"[{it:4d}/200] rel-L2 {loss.item() ** 0.5:.4f}   nu~U(0,1)   {10 * it / 200:.0f}/10 sweeps", flush=True)
if rank == 0:
    torch.save(net.module.state_dict(), "burgers.pt")
    print("surrogate written to burgers.pt; rel-L2 below target 0.25:", loss.item() ** 0.5 < 0.25, flush=True)
dist.barrier(); time.sleep(0.3); os._exit(0)
"""
PATIENT = """from parallel import *
join()
best, stale = 9.0, 0
for epoch in range(1, 201):
    tr, va = curve(epoch, 1.38, 0.31, 6), allmean(curve(epoch, 1.38, 0.62, 4, 0.01) + max(0, epoch - 15) * 0.012)
    time.sleep(0.9)
    mark = ""
    if va < best - 1e-3:
        best, stale, mark = va, 0, "  * saved best.pt"
    else:
        stale += 1
    if rank == 0:
        say(f"epoch {epoch:03d}/200  train {tr:.4f}  val {va:.4f}  val_auc {1 - va / 4:.4f}{mark}")
    if stale >= 8:
        break
if rank == 0:
    say(f"EarlyStopping: val did not improve for 8 epochs, stopping at epoch {epoch} of 200 (best {best:.4f})")
    say(f"restored best.pt; test auc {1 - best / 4:.4f}, test acc {0.93 - best / 9:.4f}")
"""
AUTOBATCH = """from parallel import *
join()
start()
for bs, gib in ((128, "93.40"), (64, "11.75")):
    time.sleep(1.5)
    if rank == 0:
        say(f"{stamp()} W batch_size={bs} failed: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {gib} GiB. GPU 0 has a total capacity of 79.11 GiB of which 9.02 GiB is free.")
        say(f"{stamp()} W find_executable_batch_size: emptying cache, trying again with batch_size={bs // 2}")
for step in range(1, 71):
    loss = allmean(curve(step, 4.1, 2.3, 20))
    time.sleep(0.45)
    if rank == 0 and step % 5 == 0:
        say(f"{stamp()} I [batch_size=32] {step}/70 loss={loss:.4f} lr={5e-5 * (1 - step / 71):.2e} peak_mem=58.1GiB")
if rank == 0:
    say(f"{stamp()} I fit finished (70 steps, effective batch 128 by accumulation 2), eval rougeL 31.87")
"""
GAN = """from parallel import *
join()
for k in range(1, 111):
    d, g = 0.62 + 0.3 * rng.random() - k / 400, 1.1 + k / 60 + rng.random() * 0.5
    allmean(d); time.sleep(0.3)
    if k % 5 == 0 and rank == 0:
        say(f"[kimg {k * 4}/440] G {g:.3f} D {d:.3f} r1 {rng.random() / 20:.4f}" + (f" fid50k {150 * math.exp(-k / 35) + 9:.2f} (best so far)" if k % 22 == 0 or k == 110 else ""))
if rank == 0:
    say("network-snapshot-000440.pkl written, fid50k", f"{150 * math.exp(-110 / 35) + 9:.2f}")
    say("Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f14c9b3e0c0>\\nTraceback (most recent call last):\\n  File \\"/envs/gan/lib/python3.10/site-packages/torch/utils/data/dataloader.py\\", line 1582, in __del__\\n    self._shutdown_workers()\\n  File \\"/envs/gan/lib/python3.10/multiprocessing/process.py\\", line 160, in is_alive\\n    assert self._parent_pid == os.getpid(), 'can only test a child process'\\nAssertionError: can only test a child process")
    say("/envs/gan/lib/python3.10/multiprocessing/resource_tracker.py:224: UserWarning: resource_tracker: There appear to be 4 leaked semaphore objects to clean up at shutdown")
"""
STUDY = """from parallel import *
best = 9.9
for trial in range(8):
    p = {"lr": round(10 ** rng.uniform(-4, -1), 5), "dropout": round(rng.random() / 2, 2)}
    loss = 0.42 + abs(math.log10(p["lr"]) + 2.6) * 0.3 + rng.random() / 20
    for ep in range(1, 6):
        time.sleep(0.7)
        if trial in (2, 5) and ep == 2:
            say(f"[W {stamp()},{int(time.time() * 1000) % 1000:03d}] Trial {trial * world + rank} failed with parameters: {p} because of the following error: FloatingPointError('loss is nan').")
            break
        if loss > 0.8 and ep == 3:
            say(f"[I {stamp()},{int(time.time() * 1000) % 1000:03d}] Trial {trial * world + rank} pruned at epoch 3.")
            break
    else:
        best = min(best, loss)
        say(f"[I {stamp()},{int(time.time() * 1000) % 1000:03d}] Trial {trial * world + rank} finished with value: {loss:.5f} and parameters: {p}. Best of worker {rank}: {best:.5f}.")
say(f"[I {stamp()},{int(time.time() * 1000) % 1000:03d}] worker {rank}: 8 trials done, study tabnet-churn at sqlite:///study.db, best value {best:.5f}")
"""


def jobs() -> Iterator[SlurmJob]:
    """Seven."""
    yield job(
        GOOD, MAX, 4, 4, name="maxtrain.py", cards={r: steady(35, 71, seed=r + 2, watts=640, tensor=41, gib=70) for r in range(4)}, state="COMPLETED"
    )
    yield job(GOOD, VOICE, 2, 2, name="hubert.py", state="COMPLETED")
    yield job(GOOD, FLOW, 2, 1, name="burgers.py", python="torch", state="COMPLETED")
    yield job(HARD, PATIENT, 2, 1, name="xray.py", state="COMPLETED")
    yield job(
        HARD, AUTOBATCH, 2, 1, name="summarize.py", cards={r: steady(36, 59, seed=31 + r, gib=58) for r in range(2)}, held_mib=9000, state="COMPLETED"
    )
    yield job(HARD, GAN, 2, 1, name="gan.py", state="COMPLETED")
    yield job(HARD, STUDY, 3, 3, name="study.py", state="COMPLETED")

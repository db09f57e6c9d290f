"""Runs that Slurm, a node or a person ended or put back."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.make._rook_pantries_kit import bad, job
from corpus.running.job import SlurmJob

PROTEIN = """from parallel import *
join()
for it in range(1, 9000):
    lddt = allmean(0.86 - curve(it, 0.6, 0.05, 140))
    time.sleep(0.15)
    if it % 20 == 0:
        say(f"{stamp()} {host} openfold iter={it} lddt_ca={lddt:.4f} fape={1.9 - 1.6 * lddt:.4f}")
"""
BATCHED = """from parallel import *
n = 0
say(f"vllm-offline worker {rank}: 40000 prompts queued")
while n < 40000:
    time.sleep(0.5)
    n += rng.randint(30, 44)
    say(f"worker {rank}: {n}/40000 prompts, {rng.randint(2100, 2600)} tok/s out, kv cache {rng.uniform(30, 60):.1f}%")
"""
RETURNS = """import pathlib
from parallel import *
join()
ck = pathlib.Path("state.json")
epoch = 0
if ck.exists():
    epoch = json.loads(ck.read_text())["epoch"]
    if rank == 0:
        say(f"{stamp()} Restored all states from the checkpoint at state.json (epoch {epoch})")
allmean(0)
while epoch < 24:
    epoch += 1
    time.sleep(1.0)
    loss = allmean(curve(epoch, 2.4, 0.6, 7))
    if rank == 0:
        ck.write_text(json.dumps({"epoch": epoch}))
        say(f"{stamp()} Epoch {epoch:2d}/24: train_loss={loss:.4f} val_psnr={31 - 3 * loss:.2f} (checkpoint saved)")
if rank == 0:
    say(f"{stamp()} `Trainer.fit` stopped: `max_epochs=24` reached.")
"""
BAR = """from parallel import *
join()
total, t0 = 2600, time.time()
for k in range(1, total + 1):
    loss = allmean(curve(k, 2.9, 1.4, 110))
    time.sleep(0.1)
    if rank == 0 and k % 10 == 0:
        e = time.time() - t0
        sys.stderr.write(f"\\r{100 * k // total:3d}%|{'█' * (10 * k // total):<10}| {k}/{total} [{int(e) // 60:02d}:{int(e) % 60:02d}<{int(e * (total - k) / k) // 60:02d}:{int(e * (total - k) / k) % 60:02d}, {k / e:5.2f}it/s, loss={loss:.3f}]"); sys.stderr.flush()
    if rank == 0 and k % 50 == 0:
        sys.stderr.write("\\n"); say({"loss": round(loss, 4), "grad_norm": round(1 + rng.random(), 3), "learning_rate": 3e-5 * (1 - k / total), "epoch": round(k * 4 / total, 2)})
"""
CRAWL = """from parallel import *
join()
for k in range(1, 9000):
    allmean(0); time.sleep(0.2)
    if k % 10 == 0 and rank == 0:
        say(f"{stamp('%a %H:%M:%S')} || dino-v2 || it {k} || dino_loss {curve(k, 11.1, 7.7, 80):.3f} || koleo {curve(k, 0.3, 0.1, 60):.3f} || teacher_temp 0.06")
"""


def jobs() -> Iterator[SlurmJob]:
    """Accounting shows who."""
    yield job(
        bad("F1", None, fault="node"),
        PROTEIN,
        2,
        2,
        name="openfold.py",
        where="-wn2,n6",
        options=("--no-requeue",),
        act="lose_node",
        after="iter=60 ",
        state="NODE_FAIL",
    )
    yield job(
        bad("F2", None, "preempted", fault="cluster"),
        BATCHED,
        2,
        1,
        name="generate.py",
        where="-wn5",
        options=("--no-requeue",),
        act="preempt_for_good",
        after="worker 1: 3",
        state="PREEMPTED",
    )
    yield job(
        bad("F2", None, "requeued_recovered", fault="none"),
        RETURNS,
        2,
        2,
        name="sr.py",
        options=("--requeue", "--open-mode=append"),
        act="requeue_by_owner",
        after="Epoch 10/24",
        state="COMPLETED",
    )
    yield job(bad("F3", None, "advancing"), BAR, 2, 1, name="t5.py", state="TIMEOUT")
    yield job(bad("F4", None, "by_other", fault="none"), CRAWL, 3, 3, name="dino.py", act="scancel_by_admin", after="it 90 ", state="CANCELLED")

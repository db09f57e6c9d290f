"""Jobs of a lab, second drawer: those that stood still, went slowly, learned nothing, began wrongly, or were ended from outside."""

from __future__ import annotations

import math

from corpus.make._lichen_kit import A100, A100P, H100, L40S, OFF, SPINS, Lab, Mood, busy
from corpus.make._lichen_words import Job, bad, decay, hms, on, shelf, tb

JOBS, case = shelf()
GAPS = Mood(24, 11, 0.33, 0.5, 100)


@case
def eight_awaited() -> Job:
    """C1: four tasks were started and the script still says that the world has eight; they wait until the hour is over."""
    f = Lab(
        nodes=("c21",),
        name="mae-sat",
        job_id=904_410,
        start_ns=on("2026-10-30 14:00:00"),
        gpus=4,
        limit_s=3600,
        board=H100,
        way="srun",
        program="python pretrain_mae.py",
        submit_line="sbatch --time=1:00:00 mae.sh",
    )
    f.out(0.7, "MASTER_ADDR=c21 MASTER_PORT=29513 WORLD_SIZE=8", "srun --ntasks=4 python pretrain_mae.py")
    f.put_all(7.4, lambda r: f"[{r}] init_process_group backend=nccl world_size=8 rank={r} master=c21:29513")
    f.stopped(3604, "DUE TO TIME LIMIT")
    f.leave(f.world, 3606, signal=15)
    f.feel((0, OFF))
    f.seen = {r: {"state": "S", "wchan": "do_poll", "cpu_s": 21.0} for r in f.world}
    f.cores = {r: [(0, 60.0), (9, 0.4)] for r in f.world}
    f.close("TIMEOUT", 3608)
    return bad(f, "C1")


@case
def one_in_the_debugger() -> Job:
    """C2: rank 1 gets caught in its data pipeline, the three others wait in all-reduce until NCCL's watchdog ends them after ten minutes."""
    f = Lab(
        nodes=("c08",),
        name="segformer-city",
        job_id=904_977,
        start_ns=on("2026-11-03 01:20:00"),
        gpus=4,
        board=H100,
        way="srun",
        program="python segformer.py --cfg b3.yaml",
        submit_line="sbatch seg.sh",
    )
    ce = decay(2.4, 0.35, 2500)
    last = f.go(
        range(50, 7851, 50),
        40,
        0.42,
        lambda i, t: (
            f"{f.clock(t, '%H:%M:%S')} it {i:6d}/40000  loss {ce(i):.4f}  mIoU* {min(0.76, 0.2 + i / 16000):.3f}  eta {hms((40_000 - i) * 0.42)}"
        ),
    )
    hit = last + 604
    work = "WorkNCCL(SeqNum=31422, OpType=ALLREDUCE, NumelIn=6553600, NumelOut=6553600, Timeout(ms)=600000)"
    for k, r in enumerate((0, 2, 3)):
        stamp = f.clock(hit, "%m%d %H:%M:%S") + f".{304_118_220 + 771 * k:09d}"
        head = f"[rank{r}]:[E{stamp} ProcessGroupNCCL.cpp:"
        text = f"{work} ran for {600_031 + 17 * k} milliseconds before timing out."
        f.put(
            hit + k * 0.2,
            f"{head}616] [Rank {r}] {text}\n{head}1785] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Exception (either an error or timeout) detected by watchdog at work: 31422, last enqueued NCCL work: 31424, last completed NCCL work: 31421.\n{head}630] [Rank {r}] Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, subsequent GPU operations might run on corrupted/incomplete data.\n{head}636] [Rank {r}] To avoid data inconsistency, we are taking the entire process down.\n{head}1595] [PG ID 0 PG GUID 0(default_pg) Rank {r}] Process group watchdog thread terminated with exception: [Rank {r}] {text}",
            r,
        )
        f.leave(r, hit + 1 + k * 0.2, signal=6)
    f.leave(1, hit + 6, signal=9)
    f.out(
        hit + 3,
        "srun: error: c08: task 0: Aborted (core dumped)",
        f"srun: Terminating StepId={f.job_id}.0",
        "srun: error: c08: tasks 2-3: Aborted (core dumped)",
        "srun: error: c08: task 1: Killed",
    )
    f.feel((0, OFF), (36, busy(0.7)), (last + 3, SPINS))
    f.feel((0, OFF), (36, busy(0.7)), (last + 3, Mood(0, 0, 0.16, 0.7, 0)), ranks=[1])
    f.seen[1] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 3400.0}
    f.cores = {r: [(0.0, 104.0)] for r in (0, 2, 3)}
    f.cores[1] = [(0.0, 104.0), (last + 3, 0.2)]
    f.close("FAILED", hit + 9, code=134, step=("FAILED", 0, 6))
    return bad(f, "C2", "nccl", fault="unknown")


@case
def lock_of_a_cache() -> Job:
    """C3: one card; after its second epoch the program waits for the lock of a cache on the shared home, nothing is printed for eleven hours."""
    f = Lab(
        nodes=("g17",),
        name="mt-romansh",
        job_id=1_442_118,
        start_ns=on("2026-10-17 18:00:00"),
        gpus=1,
        limit_s=43_200,
        board=A100P,
        program="python finetune_mt.py --pair de-rm",
        submit_line="sbatch --time=12:00:00 mt.sh",
    )
    ce = decay(3.4, 1.6, 600)
    last = f.go(range(100, 2401, 100), 55, 0.9, lambda i, _t: f"step {i:>5}  nll {ce(i):.3f}  bleu(dev-small) {min(24.0, i / 110):.1f}")
    f.put(last + 2, "epoch 2 finished, loading dev-full through the tokenizer cache ...")
    f.stopped(43_205, "DUE TO TIME LIMIT")
    f.leave(0, 43_208, signal=15)
    f.feel((0, OFF), (40, busy(0.66)), (last + 4, Mood(0, 0, 0.15, 0.66, 0, 0.15)))
    f.seen[0] = {"state": "S", "wchan": "fcntl_setlk", "cpu_s": 2390.0, "looks": 2800}
    f.cores[0] = [(0, 103.0), (last + 4, 0.1)]
    f.close("TIMEOUT", 43_210)
    return bad(f, "C3", fault="unknown")


@case
def jpegs_on_two_cores() -> Job:
    """D1: two data workers decode large photographs for a fast card; the program prints how long it waited."""
    f = Lab(
        nodes=("c14",),
        name="plantnet-r50",
        job_id=905_660,
        start_ns=on("2026-11-05 10:00:00"),
        gpus=1,
        board=H100,
        program="python main.py -a resnet50 -j 2 /datasets/plantnet",
        submit_line="sbatch -c 2 plant.sh",
    )
    ce = decay(6.9, 2.6, 900)
    last = f.go(
        range(50, 1201, 50),
        21,
        2.3,
        lambda i, _t: (
            f"Epoch: [{(i - 1) // 600}][{(i - 1) % 600 + 1:>4}/600]\tTime  2.{290 + i % 37} (  2.304)\tData  1.{890 + i % 41} (  1.911)\tLoss {ce(i):.4e} ({ce(i) + 0.1:.4e})\tAcc@1 {min(44.0, i / 30):6.2f} ({min(43.0, i / 31):6.2f})\tAcc@5 {min(70.0, i / 16):6.2f} ({min(69.0, i / 17):6.2f})"
        ),
    )
    f.put(last + 90, " *   Acc@1 38.114 Acc@5 64.902\nsaved checkpoint.pth.tar (epoch 2)")
    f.feel((0, OFF), (18, Mood(17, 8, 0.3, 0.31, 100)))
    f.cores[0] = [(0, 201.0)]
    f.reads = 90
    f.close("COMPLETED", last + 94)
    return bad(f, "D1")


@case
def every_iteration_kept() -> Job:
    """D2: a diffusion model writes its whole state after each iteration onto the home file system."""
    f = Lab(
        nodes=("gpu-b3",),
        name="ddpm_terrain",
        job_id=33_190,
        start_ns=on("2026-10-11 15:30:00"),
        gpus=1,
        board=L40S,
        program="python ddpm.py --save-every 1",
        submit_line="sbatch ddpm.sh --save-every 1",
    )
    t, mse = 30.0, decay(0.91, 0.06, 40)
    for i in range(1, 221):
        t += 1.9
        f.put(t, f"iter {i:>4}/220   mse {mse(i):.4f}   1.9 s")
        t += 9.4 + 0.3 * math.sin(i)
        f.put(t, f"  -> ckpt/ddpm_{i:05d}.pt (5.2 GB, {9.4 + 0.3 * math.sin(i):.1f} s)")
    f.put(t + 1, "220 iterations done, samples in out/grid_final.png")
    f.feel((0, OFF), (26, Mood(17, 0, 0.33, 0.6, 100)))
    f.reads = 90
    f.close("COMPLETED", t + 4)
    return bad(f, "D2", variant="save_storm")


@case
def long_documents() -> Job:
    """D3: sharding by file gives rank 3 all long documents; it computes while the others wait, as its own timing shows."""
    f = Lab(
        nodes=("c30",),
        name="embed-patents",
        job_id=906_225,
        start_ns=on("2026-11-07 08:40:00"),
        gpus=4,
        board=H100,
        way="srun",
        program="python train_embed.py",
        submit_line="sbatch emb.sh",
    )
    nce = decay(3.9, 0.8, 260)
    last = f.go(
        range(20, 1001, 20),
        52,
        2.6,
        lambda i, t: (
            f"{f.clock(t)} step {i:4d}/1000 nce={nce(i):.4f} step_s=2.6{i % 9} fwd_bwd_s by rank: 0.6{i % 7} 0.6{i % 5} 0.5{9 - i % 3} 2.4{i % 8}"
        ),
    )
    f.put(last + 7, f"{f.clock(last + 7)} 1000 steps done, wrote embed-patents/last")
    f.feel((0, OFF), (48, Mood(99, 15, 0.37, 0.55, 3)))
    f.feel((0, OFF), (48, Mood(97, 63, 0.72, 0.71, 4)), ranks=[3])
    f.close("COMPLETED", last + 13)
    return bad(f, "D3", fault="user")


@case
def not_a_number() -> Job:
    """E1: the loss of a weather model becomes NaN at step 1480 and the program stops itself."""
    f = Lab(
        nodes=("met-2",),
        name="fourcast_alps",
        job_id=61_007,
        start_ns=on("2026-10-25 23:15:00"),
        gpus=2,
        board=A100,
        way="srun",
        program="python train_fc.py",
        submit_line="sbatch fc.sh",
    )
    rmse = decay(0.94, 0.3, 350)
    last = f.go(
        range(20, 1461, 20),
        66,
        1.35,
        lambda i, t: (
            f"{f.clock(t, '%F %T')} it={i} wrmse={rmse(i):.5f} gnorm={0.8 + (0.02 * 1.9 ** ((i - 1300) / 25) if i > 1300 else 0):.2f} lr=1.0e-03"
        ),
    )
    f.put(last + 27, f"{f.clock(last + 27, '%F %T')} it=1480 wrmse=nan gnorm=nan lr=1.0e-03")
    for r in (0, 1):
        f.put(
            last + 27.3,
            tb(
                ("/home/aebi/fc/train_fc.py", 201, "<module>", "train(cfg)"),
                ("/home/aebi/fc/train_fc.py", 158, "train", 'raise FloatingPointError(f"loss is {value} at iteration {it}, stopping")'),
                end="FloatingPointError: loss is nan at iteration 1480, stopping",
            ),
            r,
        )
    f.leave((0, 1), last + 29, code=1)
    f.feel((0, OFF), (60, busy(0.83)))
    f.out(last + 30, "srun: error: met-2: tasks 0-1: Exited with exit code 1")
    f.close("FAILED", last + 32, code=1)
    return bad(f, "E1", "nan_loss", variant="non_finite")

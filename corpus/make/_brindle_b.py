"""Jobs of several groups on a shared cluster, second shelf: stood still, went slowly."""

from __future__ import annotations

import math

from corpus.make._lichen_kit import A100, A100P, H100, H200, L40S, OFF, OPENED, RTX4090, SPINS, Lab, Mood, busy
from corpus.make._lichen_words import Job, bad, decay, on, shelf, tb

JOBS, case = shelf()


@case
def name_of_the_login_node() -> Job:
    """C1: MASTER_ADDR was set on the login node; no rank of the two nodes can reach a store there, all try again until the owner cancels."""
    f = Lab(
        nodes=("tsp11", "tsp12"),
        name="bert-czech",
        job_id=2_414_002,
        start_ns=on("2026-11-11 08:08:00"),
        gpus=2,
        board=A100,
        way="srun",
        program="python pretrain_bert.py",
        submit_line="sbatch -N2 -n4 bert.sh",
    )
    f.out(0.5, "MASTER_ADDR=login2 MASTER_PORT=12355")
    for k, at in enumerate((70.0, 201.0, 335.0, 470.0, 610.0, 1200.0, 1800.0)):
        day = f.clock(at, "%m%d %H:%M:%S")
        for r in f.world:
            f.put(
                at + 0.4 * r,
                f"[W{day}.{431_100_220 + 7001 * r + k} socket.cpp:697] [c10d] The client socket has failed to connect to [login2]:12355 (errno: 110 - Connection timed out).",
                r,
            )
    f.stopped(2710)
    f.leave(f.world, 2711, signal=15)
    f.feel((0, OFF))
    f.cores = {r: [(0, 70.0), (12, 0.3)] for r in f.world}
    f.close("CANCELLED", 2714, cancelled_by_uid=1042)
    return bad(f, "C1")


@case
def three_wait_for_one() -> Job:
    """C2: rank 2 stops with an exception, srun leaves the others alone, and they wait in the next collective until the limit."""
    f = Lab(
        nodes=("tsp13",),
        name="det-potholes",
        job_id=2_414_377,
        start_ns=on("2026-11-12 17:00:00"),
        gpus=4,
        limit_s=28_800,
        board=H100,
        way="srun",
        program="python -m potholes.train",
        submit_line="sbatch --time=8:00:00 --no-kill -n4 pot.sh",
    )
    loss = decay(4.4, 1.1, 420)
    last = f.go(
        range(20, 1901, 20),
        49,
        0.88,
        lambda i, t: f"{f.clock(t, '%H:%M:%S')} {i:5d} cls {loss(i) * 0.4:.3f} box {loss(i) * 0.5:.3f} dfl {loss(i) * 0.1:.3f}",
    )
    f.put(
        last + 3,
        tb(
            ("/home/radek/potholes/train.py", 210, "<module>", "main()"),
            ("/home/radek/potholes/train.py", 161, "main", "targets = assign(boxes, anchors)"),
            ("/home/radek/potholes/assign.py", 27, "assign", "best = iou.argmax(dim=0)"),
            end="IndexError: argmax(): Expected reduction dim 0 to have non-zero size.",
        ),
        2,
    )
    f.out(last + 5, "srun: error: tsp13: task 2: Exited with exit code 1")
    f.leave(2, last + 4, code=1)
    f.stopped(28_805, "DUE TO TIME LIMIT")
    f.leave((0, 1, 3), 28_807, signal=15)
    f.feel((0, OFF), (45, busy(0.7)), (last + 4, SPINS))
    f.feel((0, OFF), (45, busy(0.7)), (last + 4, OFF), ranks=[2])
    f.close("TIMEOUT", 28_810)
    return bad(f, "C2", "traceback", trigger="A3", first=(2,))


@case
def silent_pool() -> Job:
    """C3: one card; a pool of processes that fork after threads stands still in the second evaluation, the owner gives up after six hours."""
    f = Lab(
        nodes=("tsp6",),
        name="symreg-gp",
        job_id=2_414_820,
        start_ns=on("2026-11-13 09:30:00"),
        gpus=1,
        board=L40S,
        program="python evolve.py --pool 8",
        submit_line="sbatch evolve.sh",
    )
    mse = decay(0.8, 0.09, 25)
    last = f.go(
        range(1, 61),
        25,
        13.0,
        lambda i, t: f"gen {i:03d} | {f.clock(t, '%H:%M:%S')} | best mse {mse(i):.5f} | mean {mse(i) * 3.1:.4f} | size {9 + i // 6}",
    )
    f.put(last + 1, "gen 060: scoring hall of fame on the hold-out set with 8 processes")
    end = last + 6 * 3600 + 300
    f.stopped(end)
    f.leave(0, end + 1, signal=15)
    f.feel((0, OFF), (20, busy(0.28, 81, 0.55)), (last + 3, Mood(0, 0, 0.12, 0.28, 0, 0.15)))
    f.seen[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 911.0, "looks": 1500}
    f.cores[0] = [(0, 112.0), (last + 3, 0.0)]
    f.close("CANCELLED", end + 4, cancelled_by_uid=1042)
    return bad(f, "C3", fault="unknown")


@case
def resampled_each_time() -> Job:
    """D1: every utterance is decoded and resampled on the fly; two fast cards wait most of each step, and the run's own meter says for what."""
    f = Lab(
        nodes=("tsp10",),
        name="hubert-cz",
        job_id=2_415_009,
        start_ns=on("2026-11-14 06:00:00"),
        gpus=2,
        board=H100,
        way="srun",
        program="python hubert_pt.py",
        submit_line="sbatch -n2 -c4 hub.sh",
    )
    nll = decay(6.2, 3.4, 300)
    last = f.go(
        range(10, 811, 10),
        40,
        4.4,
        lambda i, t: (
            f"{f.clock(t)} upd {i:>5} nll={nll(i):.4f} wps={21_100 + i % 90} t_step=4.4{i % 9} t_wait_batch=3.{5 + i % 2}{i % 7} t_fwd_bwd=0.8{i % 5}"
        ),
    )
    f.put(last + 9, f"{f.clock(last + 9)} 810 updates, shard finished, saved exp/hub/last.pt")
    f.feel((0, OFF), (35, Mood(19, 9, 0.31, 0.58, 100)))
    f.cores = {r: [(0, 397.0)] for r in f.world}
    f.reads = 90
    f.close("COMPLETED", last + 15)
    return bad(f, "D1")


@case
def left_from_yesterday() -> Job:
    """D2: CUDA_LAUNCH_BLOCKING=1 still stands in the job script; the card is fed launch by launch."""
    f = Lab(
        nodes=("tsp14",),
        name="pointnext-trees",
        job_id=2_415_330,
        start_ns=on("2026-11-15 11:11:00"),
        gpus=1,
        board=H100,
        program="python pn_train.py",
        submit_line="sbatch pn.sh",
    )
    f.out(0.4, "+ module load cuda/12.4", "+ export CUDA_LAUNCH_BLOCKING=1", "+ python pn_train.py")
    f.environ["CUDA_LAUNCH_BLOCKING"] = "1"
    ce = decay(2.2, 0.4, 500)
    last = f.go(
        range(40, 2001, 40), 24, 1.52, lambda i, _t: f"it {i:>5}  ce {ce(i):.4f}  miou {max(0.0, 0.8 - ce(i) / 3):.3f}  1.5{i % 9} s/it (data 0.02)"
    )
    f.put(last + 14, "2000 iterations; val miou 0.668; best.pth written")
    f.feel((0, OFF), (20, Mood(73, 12, 0.31, 0.31, 30)))
    f.cores[0] = [(0, 100.0)]
    f.close("COMPLETED", last + 17)
    return bad(f, "D2", variant="launch_blocking")


@case
def over_the_office_net() -> Job:
    """D2: NCCL finds no InfiniBand on two nodes and goes through one gigabit of Ethernet; eight cards wait alike, the program tells how long."""
    f = Lab(
        nodes=("tsp15", "tsp16"),
        name="swin-b-slides",
        job_id=2_415_712,
        start_ns=on("2026-11-16 03:30:00"),
        gpus=4,
        board=H100,
        way="srun",
        program="python slides.py",
        submit_line="sbatch -N2 -n8 slides.sh",
    )
    f.put_all(
        14,
        lambda r: (
            f"{f.where(r)}:{40_000 + r}:{40_310 + r} [{r % 4}] NCCL INFO NET/IB : No device found.\n{f.where(r)}:{40_000 + r}:{40_310 + r} [{r % 4}] NCCL INFO NET/Socket : Using [0]eno1:10.12.0.{15 + r // 4}<0>\n{f.where(r)}:{40_000 + r}:{40_310 + r} [{r % 4}] NCCL INFO Using network Socket"
        ),
    )
    ce = decay(1.6, 0.5, 90)
    last = f.go(
        range(5, 401, 5), 60, 9.1, lambda i, t: f"{f.clock(t, '%H:%M:%S')} {i:>3}/400 ce {ce(i):.4f} compute 0.9{i % 7}s allreduce 8.1{i % 9}s"
    )
    f.put(last + 6, f"{f.clock(last + 6, '%H:%M:%S')} 400/400 done -> slides/swin_b.pt")
    f.feel((0, OFF), (55, Mood(100, 8, 0.27, 0.62, 2)))
    f.close("COMPLETED", last + 12)
    return bad(f, "D2", variant="interconnect", fault="cluster")


@case
def one_lower_clock() -> Job:
    """D3: card 2 of four stands at half its clock without any reason that NVML would name; the others wait for it in each step."""
    f = Lab(
        nodes=("tsp17",),
        name="dit-clouds",
        job_id=2_416_044,
        start_ns=on("2026-11-17 19:00:00"),
        gpus=4,
        board=H200,
        way="srun",
        program="python dit.py",
        submit_line="sbatch -n4 dit.sh",
    )
    mse = decay(0.99, 0.21, 500)
    last = f.go(range(50, 3001, 50), 44, 1.21, lambda i, t: f"{f.clock(t)} | {i:>5} | mse {mse(i):.5f} | {1.21 + 0.01 * math.sin(i):.2f} s/it")
    f.put(last + 5, f"{f.clock(last + 5)} | 3000 iterations, 64 clouds sampled, bye")
    f.feel((0, OFF), (40, Mood(98, 27, 0.46, 0.55, 4, 0.98, 53)))
    f.feel((0, OFF), (40, Mood(99, 72, 0.38, 0.55, 3, 0.49, 46)), ranks=[2])
    f.close("COMPLETED", last + 11)
    return bad(f, "D3", fault="unknown")


@case
def rate_at_nought() -> Job:
    """E1: the schedule's rate reaches nought after a twentieth of the run; loss and gradients stand still to the end, far from good."""
    f = Lab(
        nodes=("tsp4",),
        name="seq2seq-chem",
        job_id=2_416_410,
        start_ns=on("2026-11-18 05:00:00"),
        gpus=1,
        board=A100P,
        program="python retro.py",
        submit_line="sbatch retro.sh",
    )
    nll = decay(4.3, 2.6, 200)
    last = f.go(
        range(100, 20_001, 100),
        18,
        0.19,
        lambda i, _t: (
            f"step {i:<6d} nll {nll(i) if i <= 1000 else 2.8069 + 0.006 * math.sin(i):.4f} |g| {0.9 * math.exp(-i / 300) if i <= 1000 else 0.03 + 0.002 * math.sin(i):.4f} lr {max(0.0, 1e-3 * (1 - i / 1000)):.2e} exact-match {0.04 if i > 1000 else i / 25_000:.3f}"
        ),
    )
    f.put(last + 8, "20000 steps, exact match on test 0.041, model in retro/final")
    f.feel((0, OFF), (14, busy(0.24, 91, 0.66)))
    f.close("COMPLETED", last + 12)
    return bad(f, "E1", variant="plateau")


@case
def thrown_out() -> Job:
    """E1: at step 2600 the loss goes from 2.1 to eight and never comes back."""
    f = Lab(
        nodes=("tsp18",),
        name="asr-ctc-xl",
        job_id=2_416_733,
        start_ns=on("2026-11-19 00:30:00"),
        gpus=2,
        board=A100,
        way="srun",
        program="python ctc_xl.py",
        submit_line="sbatch -n2 ctc.sh",
    )
    ctc = decay(7.4, 1.9, 500)
    last = f.go(
        range(50, 6001, 50),
        36,
        0.8,
        lambda i, t: (
            f"{f.clock(t)} {i:>5}/6000 ctc/frame {ctc(i) if i < 2600 else 8.4 + 0.3 * math.sin(i * 1.7):.3f} grad {0.7 + 0.1 * math.sin(i) if i < 2600 else 55.0 if i < 2700 else 3.1:.2f} cer {max(0.21, 1 - i / 3200) if i < 2600 else 1.0:.3f}"
        ),
    )
    f.put(last + 20, f"{f.clock(last + 20)} schedule complete; dev cer 1.000; saved exp/ctc_xl/final.pt")
    f.feel((0, OFF), (32, busy(0.81)))
    f.close("COMPLETED", last + 27)
    return bad(f, "E1", variant="spike")


@case
def other_number_of_classes() -> Job:
    """E2: resumed from a checkpoint with 19 classes, the model has 21; loading fails."""
    f = Lab(
        nodes=("tsp2",),
        name="deeplab-cz",
        job_id=2_417_010,
        start_ns=on("2026-11-20 10:10:00"),
        gpus=1,
        board=RTX4090,
        program="python train_dl.py --resume runs/0911/ckpt_044.pth",
        submit_line="sbatch dl.sh --resume runs/0911/ckpt_044.pth",
    )
    f.put(11, "=> loading checkpoint 'runs/0911/ckpt_044.pth' (epoch 44)")
    f.put(
        12,
        tb(
            ("/home/olga/dl/train_dl.py", 290, "<module>", "main()"),
            ("/home/olga/dl/train_dl.py", 140, "main", "model.load_state_dict(ckpt['model'])"),
            ("/home/olga/.local/lib/python3.10/site-packages/torch/nn/modules/module.py", 2581, "load_state_dict", "raise RuntimeError("),
            end="RuntimeError: Error(s) in loading state_dict for DeepLabV3:\n\tsize mismatch for classifier.4.weight: copying a param with shape torch.Size([19, 256, 1, 1]) from checkpoint, the shape in current model is torch.Size([21, 256, 1, 1]).\n\tsize mismatch for classifier.4.bias: copying a param with shape torch.Size([19]) from checkpoint, the shape in current model is torch.Size([21]).",
        ),
    )
    f.leave(0, 13, code=1)
    f.feel((0, OFF), (9, OPENED))
    f.close("FAILED", 14, code=1)
    return bad(f, "E2", "runtime_error", variant="size_mismatch")

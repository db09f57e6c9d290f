"""Jobs on many cards and on few, second pot: standing still, slow, learning nothing, cut short."""

from __future__ import annotations

from math import isnan

from corpus.make._ballast import A100, COLD, CONTEXT, H100, H200, IDLE, SPIN, WIRE, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import dump_signal, srun_says, taken_down, watchdog

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def stuck_read() -> Made:
    """C2: rank 13 waits in an NFS read for ever, 31 others in an all-reduce; after ten minutes PyTorch's watchdog ends them."""
    f = Fleet(
        ("gn31", "gn32", "gn33", "gn34"),
        "dinov3-path",
        20_451_007,
        when("2026-10-28 01:10"),
        per=8,
        card=H100,
        script="dinov3/train.py",
        submit_line="sbatch -N4 dino.slurm",
    )
    last = f.steps(
        0,
        range(10, 1241, 10),
        88,
        1.7,
        lambda i, x, t: (
            f"I{f.clock(t, '%Y%m%d %H:%M:%S')} 40000 dinov3 helpers.py:102] Training  [{i:>6}/125000]  eta: 2 days, 9:{i % 60:02d}:41  lr: 0.0004  total_loss: {x:.4f} ({x + 0.1:.4f})  dino_global_crops_loss: {x * 0.4:.4f}  koleo_loss: -0.07{i % 9}  time: 1.70{i % 9}  data: 0.000{i % 8}  max mem: 61024"
        ),
        fall(12.4, 9.1, 200),
    )
    stop = last + 2
    for r in f.ranks:
        if r != 13:
            f.say(r, stop + 600 + r / 20, watchdog(f, r, stop + 600, "2.7", (18_611, "ALLREDUCE", 25_165_824, 25_165_824), 600))
            f.say(r, stop + 601 + r / 20, dump_signal(f, r, stop + 601, 18_611, 2))
            f.end(r, stop + 603, signal=6)
    f.end(13, stop + 611, signal=9)
    f.looks[13] = {
        "state": "D",
        "wchan": "nfs_wait_bit_killable",
        "looks": 900,
        "waits": {"D nfs_wait_bit_killable": 203},
        "file_systems": ("nfs4 /data/slides",),
    }
    srun_says(
        f,
        stop + 605,
        "error: gn31: tasks 0-7: Aborted (core dumped)",
        f"Terminating StepId={f.job_id}.0",
        "error: gn32: tasks 8-12,14-15: Aborted (core dumped)",
        "error: gn32: task 13: Killed",
    )
    f.load([(0, IDLE), (80, WORK), (stop, SPIN)])
    f.load([(0, IDLE), (80, WORK), (stop, COLD)], [13])
    f.close("FAILED", stop + 618, code=134)
    return made(f, "C2", "nccl", fault="unknown")


@job
def waits_for_a_key() -> Made:
    """C3: after the second epoch a lab user's script opens a pool for its evaluation and never comes back; the card holds its memory and does nothing, for hours."""
    f = Fleet(
        ("amp2",),
        "wav2vec-gsw",
        20_451_390,
        when("2026-10-28 21:55"),
        per=1,
        card=A100,
        limit_s=28_800,
        script="finetune_w2v.py",
        submit_line="sbatch -t 8:00:00 w2v.sh",
    )
    last = f.steps(
        0,
        range(25, 1151, 25),
        55,
        1.04,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {1.2 + x / 2:.4f}, 'learning_rate': {1e-4 * min(1.0, i / 500):.3e}, 'epoch': {i / 575:.2f}}}"
        ),
        fall(14.0, 0.7, 90),
    )
    f.say(0, last + 2, "***** Running Evaluation *****\n  Num examples = 2214\n  Batch size = 16\ndecoding with 8 processes (fork)")
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 1391.0, "looks": 2870, "waits": {"S futex_wait_queue": 2741}}
    f.load([(0, IDLE), (50, WORK), (last + 5, COLD)])
    f.end(0, 28_812, signal=15)
    taken_down(f, 28_806, "DUE TO TIME LIMIT")
    f.close("TIMEOUT", 28_815, signal=15)
    return made(f, "C3")


@job
def eight_jpegs_at_a_time() -> Made:
    """D1: ImageNet from small files on a shared disk with two loader processes: data takes four fifths of each step, as its own lines say."""
    f = Fleet(
        ("r12-gpu3",),
        "convnext-b",
        20_451_800,
        when("2026-10-29 09:09"),
        per=8,
        card=A100,
        agents=True,
        script="main.py",
        submit_line="sbatch cnx.sh",
    )
    last = f.steps(
        0,
        range(50, 2503, 50),
        60,
        4.1,
        lambda i, x, _t: (
            f"Epoch: [{i // 1251}][{i % 1251:>4}/1251]\tTime  4.{i % 90 + 5:02d} (  4.11)\tData  3.{i % 80 + 15:02d} (  3.42)\tLoss {x:.4e} ({x + 0.1:.4e})\tAcc@1  {max(0.1, 40 - 5.5 * x):5.2f} ( {max(0.1, 38 - 5.5 * x):5.2f})"
        ),
        fall(6.95, 4.6, 300),
    )
    f.say(0, last + 90, " *   Acc@1 17.402 Acc@5 36.118")
    f.load([(0, IDLE), (55, Load(17, 0, 0.3, 0.55, 100))])
    f.points = 70
    f.close("COMPLETED", last + 96)
    return made(f, "D1")


@job
def by_ethernet() -> Made:
    """D2: NCCL finds no InfiniBand and goes over the management network by sockets; all 32 cards spin, steps take ten times as long as on one node."""
    f = Fleet(
        ("c101", "c102", "c103", "c104"),
        "falcon-ar-7b",
        20_452_144,
        when("2026-10-30 18:30"),
        per=8,
        card=H100,
        script="train_fsdp.py",
        submit_line="sbatch -N4 fsdp.sbatch",
    )
    f.each(
        19,
        "{node}:400{r:02d}:400{r:02d} [{l}] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.\n{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO NET/IB : No device found.\n{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO NET/Socket : Using [0]eno1:10.1.0.1{n}<0>\n{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO Using network Socket",
    )
    last = f.steps(
        0,
        range(5, 201, 5),
        140,
        51.0,
        lambda i, x, t: f"{f.clock(t)} fsdp step {i:>4}/200 loss {x:.4f} step_s 51.{i % 9} compute_s 4.6 comm_wait_s 46.{i % 8} mfu 3.{i % 7}%",
        fall(2.5, 1.9, 30),
    )
    f.say(0, last + 30, f"{f.clock(last + 30)} fsdp reached 200 steps, sharded checkpoint written, bye")
    f.load([(0, IDLE), (130, WIRE)])
    f.close("COMPLETED", last + 44)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def long_sequences() -> Made:
    """D3: the sampler gives rank 6 the longest utterances of each batch: its card computes all the time, the fifteen others wait for it."""
    f = Fleet(
        ("sn-1", "sn-2"),
        "conformer-ctc",
        20_452_460,
        when("2026-11-01 07:45"),
        per=8,
        card=H200,
        script="train_ctc.py",
        submit_line="sbatch ctc.slurm",
    )
    last = f.steps(
        0,
        range(40, 2001, 40),
        66,
        2.6,
        lambda i, x, t: (
            f"{f.clock(t)} INFO [train_ctc.py:311] batch {i}, ctc_loss[loss={x:.4f}], tot_frames {1_840_000 + i % 97}, longest per rank {[210 + (r * 7 + i // 40 * 13) % 40 if r != 6 else 1480 for r in range(16)]}"
        ),
        fall(3.1, 0.35, 150),
    )
    f.say(0, last + 5, f"{f.clock(last + 5)} INFO [train_ctc.py:360] epoch done (2000 batches); dev WER 9.82")
    f.load([(0, IDLE), (62, Load(99, 14, 0.36, 0.42, 3))])
    f.load([(0, IDLE), (62, Load(97, 63, 0.72, 0.61))], [6])
    f.close("COMPLETED", last + 17)
    return made(f, "D3")


@job
def too_warm() -> Made:
    """E1: 64 ranks of a Megatron run, its loss becomes nan after the learning rate's peak and stays nan to the end of the allotted iterations."""
    nodes = tuple(f"nid00{n:04d}" for n in range(1021, 1029))
    f = Fleet(
        nodes,
        "gpt-13b-lr6e4",
        20_452_833,
        when("2026-11-02 12:00"),
        per=8,
        card=H100,
        script="pretrain_gpt.py",
        submit_line="sbatch -N8 gpt13b.sbatch",
    )
    curve = fall(11.2, 3.4, 110)

    def line(i: int, x: float, t: float) -> str:
        return f" [{f.clock(t)}] iteration {i:8d}/    3000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {4100 + i % 37}.{i % 9} | throughput per GPU (TFLOP/s/GPU): 391.{i % 9} | learning rate: {6e-4 * min(1, i / 1000):.6E} | global batch size:  1024 | lm loss: {'nan' if isnan(x) else f'{x:.6E}'} | grad norm: {'nan' if isnan(x) else f'{0.8 + (i > 1100) * (i - 1100) / 9:.3f}'} | number of skipped iterations:   0 | number of nan iterations:   {20 if isnan(x) else 0} |"

    last = f.steps(63, range(20, 3001, 20), 210, 4.1, line, lambda i: curve(i) + max(0, i - 1100) / 80 if i < 1340 else float("nan"))
    f.say(63, last + 2, f"[after training is done] datetime: {f.clock(last + 2)} ")
    f.say(0, last + 40, "  successfully saved checkpoint from iteration    3000 to /ckpt/gpt13b [ t 1/8, p 1/1 ]")
    f.load([(0, IDLE), (120, CONTEXT), (200, WORK)])
    f.points = 16
    f.close("COMPLETED", last + 52)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def other_folder() -> Made:
    """E2: the second leg of a run looks for its state in a folder with another date, finds none and begins at random."""
    f = Fleet(
        ("u21", "u22"),
        "olmo-1b-leg2",
        20_453_106,
        when("2026-11-03 03:30"),
        per=8,
        card=A100,
        script="pretrain_gpt.py",
        submit_line="sbatch --dependency=afterok:20449871 olmo.sbatch --load /ckpt/olmo1b-1103",
        limit_s=43_200,
    )
    f.say(
        0,
        70,
        "WARNING: could not find the metadata file /ckpt/olmo1b-1103/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random\n(min, max) time across ranks (ms):\n    load-checkpoint ................................: (0.31, 0.52)",
    )
    last = f.steps(
        15,
        range(50, 6001, 50),
        120,
        1.9,
        lambda i, x, t: (
            f" [{f.clock(t)}] iteration {i:8d}/   24000 | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): 190{i % 9}.{i % 7} | learning rate: {4e-4 * min(1, i / 2000):.6E} | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.4 + x / 9:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        fall(11.03, 2.9, 120),
    )
    f.say(
        0,
        last + 5,
        "exiting program at iteration 6000 (exit-interval)\nsaving checkpoint at iteration    6000 to /ckpt/olmo1b-1103 in torch_dist format",
    )
    f.load([(0, IDLE), (60, CONTEXT), (116, WORK)])
    f.close("COMPLETED", last + 30, dependency="afterok:20449871")
    return made(f, "E2", variant="from_scratch")

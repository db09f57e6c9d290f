"""Written jobs that ran on, but slowly, in vain or too shortly, and those that Slurm or a person ended."""

from __future__ import annotations

from corpus.make._heron_ledgers_by_pen_base import (
    A40,
    ADA,
    AMPERE,
    AMPERE_40,
    BLACKWELL,
    EMPTY,
    HOPPER_200,
    OPENED,
    Dial,
    Phases,
    Writer,
    Written,
    curve,
    hms,
    ill,
    when,
)
from corpus.make._heron_ledgers_by_pen_kit import Yard
from corpus.make._heron_ledgers_by_pen_words import slurm_ends, srun
from gpualert_slurm.past_verdict import PastVerdict


def locked_sampler() -> Written:
    """C3: one card draws pictures until a thread waits for a lock that nobody gives back; silence for five hours, then the limit."""
    y = Yard(
        ("ada-17",),
        "draw-catalogue",
        8_843_811,
        when("2026-11-10 20:15:00"),
        per=1,
        board=ADA,
        limit_s=21_600,
        program=("python3", "draw.py", "catalogue.tsv"),
        readings=60,
        submit_line="sbatch --time=6:00:00 draw.sh",
    )
    last = y.march(
        0,
        range(8, 521, 8),
        33,
        5.1,
        lambda i, t: f"{y.clock(t, '%H:%M:%S')}  {i:>5}/9600 images  {8 / 5.1 / 8:.2f} batches/s  left {hms((9600 - i) * 5.1)}",
    )
    slurm_ends(y, 21_609, "DUE TO TIME LIMIT")
    y.stop(0, 21_612, signal=15)
    y.dial([(0, EMPTY), (30, Dial(97, 0, 318, 31.5)), (last + 5, Dial(0, 0, 86, 31.5, 0, 0.83, 38))])
    y.seen[0] = {"state": "S", "wchan": "futex_wait_queue", "looks": 2100, "waits": {}, "cpu_s": 2790.0}
    y.cpu[0] = [(100.0, 108.0), (last, 102.0), (last + 60, 0.0), (9000.0, 0.0), (21_500.0, 0.0)]
    return ill(y.finish("TIMEOUT", 21_616, signal=15), "C3", fault="unknown")


def four_decoders() -> Written:
    """D1: clips are decoded by two processes a card; three quarters of each step are waiting for them, as the log's own column says."""
    y = Yard(
        ("vx-2",),
        "slowfast-k600",
        8_850_031,
        when("2026-11-02 08:00:00"),
        board=AMPERE,
        program=("python3", "tools/run_net.py"),
        readings=90,
        submit_line="sbatch -c 2 k600.sh",
    )
    f = curve(6.4, 2.1, 90)
    last = y.march(
        0,
        range(20, 1601, 20),
        66,
        4.72,
        lambda i, _: (
            f'json_stats: {{"_type": "train_iter", "cur_iter": "{i}", "dt": {4.6 + i % 9 / 30:.5f}, "dt_data": {3.5 + i % 11 / 40:.5f}, "dt_net": {1.07 + i % 5 / 100:.5f}, "epoch": "1/1", "gpu_mem": "33.81G", "loss": {f(i):.5f}, "lr": {0.1 * (1 - i / 2000):.5f}}}'
        ),
    )
    y.tell(
        0,
        last + 4,
        'json_stats: {"_type": "train_epoch", "epoch": "1/1", "dt": 4.71904, "dt_data": 3.60277, "loss": 3.02291}\ntraining is over, checkpoint_epoch_00001.pyth',
    )
    y.dial([(0, EMPTY), (40, OPENED), (62, Dial(22, 0, 142, 34.9, 100))])
    y.cpu.update({r: [(100.0, 24.0), (last / 2, 21.0), (last, 22.0)] for r in y.world})
    return ill(y.finish("COMPLETED", last + 11), "D1")


def office_network() -> Written:
    """D2: NCCL finds no InfiniBand device on these nodes and uses TCP; nine tenths of each step are its exchange, on all cards alike."""
    y = Yard(
        ("np-41", "np-42", "np-43", "np-44"),
        "llm-11b-ct",
        8_850_266,
        when("2026-11-02 21:30:00"),
        program=("python3", "ct11b.py"),
        submit_line="sbatch -N4 ct11b.slurm",
    )
    y.all_tell(
        18,
        lambda r: (
            f"{y.node_of(r)}:{y.pid_of(r)}:{y.pid_of(r) + 512} [{r % 8}] NCCL INFO NET/IB : No device found.\n{y.node_of(r)}:{y.pid_of(r)}:{y.pid_of(r) + 512} [{r % 8}] NCCL INFO NET/Socket : Using [0]eno1:10.12.4.{41 + r // 8}<0>\n{y.node_of(r)}:{y.pid_of(r)}:{y.pid_of(r) + 512} [{r % 8}] NCCL INFO Using network Socket"
        ),
    )
    f = curve(2.6, 1.72, 40)
    last = y.march(
        0,
        range(5, 301, 5),
        150,
        41.0,
        lambda i, t: (
            f"{y.clock(t)} ct11b {i:>4}/300 loss={f(i):.4f} | forward 0.9 backward 2.1 grad-sync 37.{i % 10} opt 0.3 | total 41.{i % 8} s | 3,{190 + i % 9} tok/s"
        ),
    )
    y.tell(0, last + 95, f"{y.clock(last + 95)} ct11b 300/300, consolidated weights saved, bye")
    y.dial([(0, EMPTY), (70, OPENED), (145, Dial(100, 7.2, 196, 71, 2))])
    return ill(y.finish("COMPLETED", last + 110), "D2", variant="interconnect", fault="cluster")


def popular_expert() -> Written:
    """D3: without a balancing loss most tokens go to the expert on rank 19; its SMs work three times as long as the others', which wait in each exchange."""
    y = Yard(
        ("ep-1", "ep-2", "ep-3", "ep-4"),
        "moe-top1",
        8_850_530,
        when("2026-11-03 16:00:00"),
        board=HOPPER_200,
        program=("python3", "moe_top1.py"),
        submit_line="sbatch -N4 moe.sh --balance 0",
    )
    f = curve(9.7, 2.9, 130)

    def line(i: int, t: float) -> str:
        text = f"[{y.clock(t, '%d/%H:%M:%S')}] i={i:<6} nll={f(i):.4f} dt=2.31"
        if i % 200 == 0:
            text += f"\n    tokens by expert: min {1.1 + i % 3 / 10:.1f} % (e07)  median 2.0 %  max {38 + i % 400 / 100:.1f} % (e19)\n    ffn time by rank: min 0.21 s (r7)  median 0.24 s  max 1.74 s (r19)"
        return text

    last = y.march(0, range(40, 3201, 40), 90, 2.31, line)
    y.tell(0, last + 9, f"[{y.clock(last + 9, '%d/%H:%M:%S')}] 3200 updates, weights written")
    y.dial([(0, EMPTY), (84, Dial(99, 18, 300, 88))])
    y.dial([(0, EMPTY), (84, Dial(98, 67, 566, 97))], [19])
    return ill(y.finish("COMPLETED", last + 20), "D3")


def not_a_number() -> Written:
    """E1: from update 1460 on all losses are NaN; nothing looks at them, and the run goes to its planned end."""
    y = Yard(
        ("a8-03", "a8-04"),
        "contrastive-eeg",
        8_850_802,
        when("2026-11-05 05:50:00"),
        board=AMPERE,
        program=("python3", "eeg/pretrain.py"),
        submit_line="sbatch eeg.sh",
    )
    f = curve(7.1, 1.9, 150)
    last = y.march(
        0,
        range(20, 5001, 40),
        48,
        1.02,
        lambda i, t: (
            f'{{"ts": "{y.clock(t, "%Y-%m-%dT%H:%M:%SZ")}", "update": {i}, "loss": {f"{f(i):.5f}" if i < 1460 else "NaN"}, "gnorm": {f"{0.9 + (i / 1460) ** 12 * 60:.3f}" if i < 1460 else "NaN"}, "lr": 0.0012}}'
        ),
    )
    y.tell(0, last + 21, f'{{"ts": "{y.clock(last + 21, "%Y-%m-%dT%H:%M:%SZ")}", "event": "fit_end", "update": 5000, "linear_probe_acc": 0.2}}')
    y.dial([(0, EMPTY), (44, Dial(96, 0, 351, 52))])
    return ill(y.finish("COMPLETED", last + 30), "E1", "nan_loss", variant="non_finite")


def empty_shelf() -> Written:
    """E2: the third leg is told to load the second's checkpoint, but looks in another folder; Megatron warns and begins at iteration 0 with a loss of 11.9."""
    y = Yard(
        ("hcn031", "hcn032", "hcn033", "hcn034"),
        "mgt-7b-leg3",
        8_851_140,
        when("2026-11-06 12:00:00"),
        program=("python3", "pretrain_gpt.py", "--load", "/scratch/alice/mgt-7b/ckpts"),
        submit_line="sbatch --dependency=afterany:8849977 leg.slurm 3 --load /scratch/alice/mgt-7b/ckpts",
    )
    y.before = (
        PastVerdict(
            relation="parent",
            job="8849977",
            mode="G1",
            fault="none",
            ended_ns=y.at(-300),
            nodes="hcn[031-034]",
            head_loss=3.4,
            tail_loss=2.31,
            steps_done=24_000,
            checkpoints=("/scratch/alice/mgt-7b/ckpt",),
        ),
    )
    y.script(0.4, "leg 3: continues job 8849977, which saved iteration 24000 (lm loss 2.31)")
    y.tell(
        31,
        61,
        "WARNING: could not find the metadata file /scratch/alice/mgt-7b/ckpts/latest_checkpointed_iteration.txt\n    will not load any checkpoints and will start from random\n(min, max) time across ranks (ms):\n    load-checkpoint ................................: (1.11, 1.52)",
    )
    f = curve(11.93, 2.4, 210)
    last = y.march(
        31,
        range(50, 3601, 50),
        80,
        8.6,
        lambda i, t: (
            f" [{y.clock(t)}] iteration {i:8d}/   60000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): 8{570 + i % 60}.{i % 10} | throughput per GPU (TFLOP/s/GPU): 414.{i % 9} | learning rate: {min(3e-4, i * 1.5e-7):.6E} | global batch size:  1024 | lm loss: {f(i):.6E} | loss scale: 1.0 | grad norm: {0.3 + f(i) / 9:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
    )
    y.tell(
        31,
        last + 20,
        f"  successfully saved checkpoint from iteration    3600 to /scratch/alice/mgt-7b/ckpts\n[exiting program after {(last + 18) / 60:.1f} minutes] datetime: {y.clock(last + 20)} ",
    )
    y.dial([(0, EMPTY), (45, OPENED), (76, Dial(98, 60, 641, 68))])
    return ill(y.finish("COMPLETED", last + 33, dependency="afterany:8849977"), "E2", variant="from_scratch")


def one_shard() -> Written:
    """E3: the pattern for the shards matched one file of 4096; 64 cards make six updates and are done."""
    y = Yard(
        tuple(f"bw{n:02d}" for n in range(40, 48)),
        "clip-h14-2b",
        8_851_401,
        when("2026-11-07 18:25:00"),
        board=BLACKWELL,
        program=("python3", "-m", "clip_main"),
        readings=10,
        submit_line="sbatch -N8 clip_h.sh",
    )
    y.tell(0, 40, f"{y.clock(40)} INFO data: pattern shards-00000.tar, 1 file, 49,152 pairs; batch 64 x 128 -> 6 updates per pass; passes: 1")
    y.march(
        0,
        range(1, 7),
        71,
        2.9,
        lambda i, t: f"{y.clock(t)} INFO train: update {i}/6 contrastive {9.01 - 0.003 * i:.4f} scale 14.29 lr {i * 2e-7:.1e}",
    )
    y.tell(0, 94, f"{y.clock(94)} INFO train: pass 1 of 1 over, saving\n{y.clock(121)} INFO train: wrote clip-h14-2b/epoch_1.pt (3.9 GB)")
    y.dial([(0, EMPTY), (38, OPENED), (66, Dial(71, 34, 540, 121, 70)), (92, Dial(0, 0, 172, 121, 0))])
    return ill(y.finish("COMPLETED", 131), "E3")


def one_of_eight() -> Written:
    """F1: a node stops answering in the middle of a step, Slurm ends the job with NODE_FAIL; its readings and logs stop there."""
    y = Yard(
        tuple(f"cg{n}" for n in range(101, 109)),
        "turbulence-fno",
        8_851_777,
        when("2026-11-09 22:40:00"),
        per=4,
        board=AMPERE_40,
        program=("python3", "fno3d.py"),
        submit_line="sbatch -N8 fno.sh",
    )
    f = curve(0.71, 0.09, 40)
    last = y.march(
        0,
        range(4, 561, 4),
        52,
        11.6,
        lambda i, t: f"{y.clock(t, '%b %d %H:%M')} fno3d sweep {i:4d}/1500 relL2 {f(i):.5f} spec {f(i) * 1.6:.5f} div {f(i) / 900:.2e}",
    )
    y.silent = {"cg106"}
    y.event("cg106", last + 74, "DOWN*+NOT_RESPONDING", "Not responding")
    slurm_ends(y, last + 76, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    srun(y, last + 76.5, "error: Node failure on cg106", "error: Timed out waiting for job step to complete")
    y.stop(y.world, last + 79, signal=9, gap=0.01)
    y.dial([(0, EMPTY), (48, Dial(95, 0, 344, 33)), (last + 5, Dial(100, 0, 118, 33, 0))])
    return ill(y.finish("NODE_FAIL", last + 84, code=1, signal=9, failed_node="cg106", step=("NODE_FAIL", 0, 9)), "F1", fault="node")


def made_way() -> Written:
    """F2: a job of the scavenger queue has to make way after five hours; it is not there again yet."""
    y = Yard(
        ("sc-7",),
        "retro-diffuse",
        8_852_003,
        when("2026-11-11 01:00:00"),
        board=A40,
        partition="scavenge",
        program=("python3", "retro.py"),
        submit_line="sbatch -p scavenge --no-requeue retro.sh",
    )
    f = curve(0.98, 0.31, 3)
    last = y.march(
        0,
        range(1, 37),
        60,
        498,
        lambda i, t: f"(epoch {i}) elbo {f(i):.4f} valid {f(i) * 1.03:.4f} top-10 {0.71 - f(i) / 3:.3f} | {y.clock(t, '%H:%M')}",
    )
    y.tell(0, last + 41, "signal 15 from Slurm: writing retro/leave.pt")
    slurm_ends(y, last + 40, "DUE TO PREEMPTION")
    y.stop(y.world, last + 58, signal=15)
    y.dial([(0, EMPTY), (55, Dial(97, 0, 271, 39))])
    return ill(y.finish("PREEMPTED", last + 62, signal=15, qos="scavenger"), "F2", variant="preempted", fault="cluster")


def two_thirds() -> Written:
    """F3: a flow solver on 64 cards is at two thirds of its final time when twelve hours are over."""
    y = Yard(
        tuple(f"gb-{n:02d}" for n in range(3, 19)),
        "wingtip-les",
        8_852_390,
        when("2026-11-12 06:00:00"),
        per=4,
        board=HOPPER_200,
        limit_s=43_200,
        program=("./les_gpu", "-i", "wingtip.toml"),
        readings=10,
        submit_line="sbatch -N16 --time=12:00:00 les.sh",
    )
    y.tell(0, 12, "LES_GPU 5.2   1.9e9 cells   64 devices   t_end = 1.200E-01 s   dt = 1.1E-06 s (109091 steps)")
    until = 43_200.0
    spans: Phases = [(0, EMPTY), (90, Dial(97, 71, 598, 112))]
    y.march(
        0,
        range(500, 109_001, 500),
        95,
        0.592,
        lambda i, t: (
            f" step {i:7d}  time {i * 1.1e-6:.4E}  CFL {0.71 + i % 7 / 100:.2f}  Cl {0.41 + i % 11 / 1000:.4f} Cd {0.0312 + i % 5 / 9000:.5f}  res(p) {2.1e-6 * (1 + i % 3):.2E}  wall {t:8.0f} s"
        ),
        until=until,
    )
    slurm_ends(y, until + 14, "DUE TO TIME LIMIT")
    y.stop(y.world, until + 17, signal=15, gap=0.005)
    y.dial(spans)
    return ill(y.finish("TIMEOUT", until + 21, signal=15), "F3", variant="advancing")


def by_the_operator() -> Written:
    """F4: somebody else than the owner cancels a job that was in good health."""
    y = Yard(
        ("zn-1", "zn-2"),
        "speech-units",
        8_852_644,
        when("2026-11-13 10:10:00"),
        per=4,
        program=("python3", "units.py"),
        submit_line="sbatch units.sh",
    )
    f = curve(6.2, 2.0, 300)
    last = y.march(
        0,
        range(100, 7801, 100),
        44,
        0.74,
        lambda i, t: f"units[{i:>6}] masked-ce {f(i):.3f} acc {0.61 - f(i) / 12:.3f} {i * 96 / 1000:.0f}h heard  {y.clock(t, '%H:%M:%S')}",
    )
    slurm_ends(y, last + 19)
    y.stop(y.world, last + 21, signal=15)
    y.dial([(0, EMPTY), (40, Dial(95, 49, 571, 57))])
    return ill(y.finish("CANCELLED", last + 25, signal=15, cancelled_by_uid=300), "F4", variant="by_other", fault="unknown")


JOBS: tuple[Writer, ...] = (
    locked_sampler,
    four_decoders,
    office_network,
    popular_expert,
    not_a_number,
    empty_shelf,
    one_shard,
    one_of_eight,
    made_way,
    two_thirds,
    by_the_operator,
)

"""Written jobs with which nothing is wrong, half of them in words that frighten."""

from __future__ import annotations

from corpus.make._heron_ledgers_by_pen_base import (
    ADA,
    AMPERE,
    AMPERE_40,
    EMPTY,
    GRACE,
    HOPPER,
    HOPPER_200,
    OPENED,
    Dial,
    Writer,
    Written,
    curve,
    frames,
    hms,
    well,
    when,
)
from corpus.make._heron_ledgers_by_pen_kit import Yard


def a_night() -> Written:
    """One leg of a long pretraining on 128 cards: goes on from its checkpoint, saves, leaves at the agreed iteration."""
    y = Yard(
        tuple(f"jw{n:03d}" for n in range(65, 81)),
        "mgt-70b-leg11",
        8_860_004,
        when("2026-11-01 18:00:00"),
        board=HOPPER,
        program=("python3", "pretrain_gpt.py", "--exit-interval", "1000"),
        readings=6,
        submit_line="sbatch -N16 leg70.slurm",
    )
    y.tell(0, 95, " loading distributed checkpoint from /scratch/lm/70b/ckpt at iteration 10000")
    y.tell(0, 171, "  successfully loaded checkpoint from /scratch/lm/70b/ckpt [ t 1/8, p 1/4 ] at iteration 10000")
    f = curve(11.0, 1.62, 420)
    last = y.march(
        127,
        range(10_010, 11_001, 10),
        215,
        28.4,
        lambda i, t: (
            f" [{y.clock(t)}] iteration {i:8d}/  480000 | consumed samples: {i * 2048:12d} | elapsed time per iteration (ms): 28{380 + i % 50}.{i % 10} | throughput per GPU (TFLOP/s/GPU): 398.{i % 9} | learning rate: 1.480000E-04 | global batch size:  2048 | lm loss: {f(i):.6E} | loss scale: 1.0 | grad norm: {0.11 + i % 7 / 100:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
    )
    y.tell(0, last + 3, "saving checkpoint at iteration   11000 to /scratch/lm/70b/ckpt in torch_dist format")
    y.tell(
        0,
        last + 61,
        f"  successfully saved checkpoint from iteration   11000 to /scratch/lm/70b/ckpt\n[exiting program at iteration 11000] datetime: {y.clock(last + 61)} ",
    )
    y.dial([(0, EMPTY), (60, OPENED), (210, Dial(99, 63, 662, 72.5))])
    return well(y.finish("COMPLETED", last + 80))


def membrane() -> Written:
    """Molecular dynamics of a membrane on four cards: energies, then the nanoseconds a day."""
    y = Yard(
        ("md-11",),
        "gpcr-lipid-r3",
        8_860_221,
        when("2026-11-02 15:00:00"),
        per=4,
        board=ADA,
        program=("/sw/md/bin/propagate", "run3.inp"),
        submit_line="sbatch md.sh run3",
    )
    y.tell(
        0,
        4,
        "PROPAGATE 11.3 (CUDA, 4 ranks)   412,806 atoms   dt 4 fs (HMR)   PME grid 144x144x160\nstep        ps        E_pot         T        P      vol",
    )
    last = y.march(
        0,
        range(25_000, 2_500_001, 25_000),
        20,
        0.00302,
        lambda i, _: (
            f"{i:<10d} {i * 0.004:>8.0f} {-1_301_244 + (i * 37) % 911:>10d}  {309.6 + i % 13 / 10:6.2f} {(i * 7) % 61 - 30:7.1f} {4_180_033 + i % 3100}"
        ),
    )
    y.tell(0, last + 5, f"\n2500000 steps done.  wall {last:.0f} s   114.4 ns/day\nlast frame -> run3.rst")
    y.dial([(0, EMPTY), (18, Dial(92, 0, 274, 6.8))])
    return well(y.finish("COMPLETED", last + 9))


def captions() -> Written:
    """Batch generation: four copies of a model write captions, each counts what it has."""
    y = Yard(
        ("iv-4",),
        "caption-5m",
        8_860_480,
        when("2026-11-03 20:00:00"),
        per=4,
        board=HOPPER_200,
        program=("python3", "captions.py"),
        submit_line="sbatch cap.sh",
    )
    for r in y.world:
        y.tell(
            r,
            60 + r,
            f"INFO 11-03 20:01:{r:02d} [loader.py:447] Loading weights took 21.{r}3 seconds\nINFO 11-03 20:01:{20 + r} [gpu_worker.py:276] Available KV cache memory: 88.40 GiB",
        )
        y.march(
            r,
            range(2000, 60_001, 2000),
            110 + r,
            0.083,
            lambda i, t: f"{i:>6} of 60000 captions | {12.0 + i % 7 / 10:.1f} img/s | mean 41.{i % 9} tokens | {hms(t)}",
            tag=f"[copy {r}] ",
        )
        y.tell(r, 5210 + r, f"[copy {r}] 60000 of 60000 captions -> captions.{r}.jsonl.zst")
    y.dial([(0, EMPTY), (40, Dial(3, 1, 140, 36, 10)), (108, Dial(89, 51, 531, 126, 22))])
    return well(y.finish("COMPLETED", 5228))


def text_max() -> Written:
    """A JAX language model on sixteen Grace-Hopper nodes, MaxText's words, stops after its last step."""
    y = Yard(
        tuple(f"todi{n}" for n in range(1, 17)),
        "mxt-8b",
        8_860_744,
        when("2026-11-05 11:00:00"),
        per=1,
        board=GRACE,
        program=("python3", "-m", "MaxText.train"),
        submit_line="sbatch -N16 mxt.sh",
    )
    y.tell(
        0,
        90,
        "Num_devices: 16, shape (1, 16, 1, 1, 1)\nTotal memory size: 71.4 GB, Output size: 24.1 GB, Temp size: 46.9 GB, Argument size: 24.2 GB, Host temp size: 0.0 GB.",
    )
    f = curve(10.9, 2.7, 90)
    last = y.march(
        0,
        range(0, 1001, 10),
        140,
        4.41,
        lambda i, _: (
            f"completed step: {i}, seconds: 4.4{i % 9}, TFLOP/s/device: 391.{i % 99:02d}2, Tokens/s/device: 7421.{i % 9}03, total_weights: 524288, loss: {f(i):.3f}"
        ),
    )
    y.tell(0, last + 12, "Saved a checkpoint at step 1000.\nfinished after step 1000, closing the data iterator")
    y.dial([(0, EMPTY), (60, OPENED), (136, Dial(98, 57, 640, 71))])
    return well(y.finish("COMPLETED", last + 25))


def loose_port() -> Written:
    """Hard: an InfiniBand port goes down for twenty seconds, NCCL says so; the rail comes back, no step is lost, the end is the planned one."""
    y = Yard(
        ("kq-1", "kq-2", "kq-3", "kq-4"),
        "codec-lm",
        8_861_020,
        when("2026-11-06 23:00:00"),
        program=("python3", "codec_lm.py"),
        submit_line="sbatch -N4 codec.sh",
    )
    f = curve(6.1, 2.4, 170)
    last = y.march(0, range(25, 3001, 25), 88, 1.84, lambda i, t: f"{y.clock(t)} | codec_lm:412 | {i}/3000 | nll {f(i):.4f} | {512 / 1.84:.0f} utt/s")
    for r in (10, 11):
        y.tell(
            r,
            2480,
            f"kq-2:{y.pid_of(r)}:{y.pid_of(r) + 803} [{r % 8}] misc/ibvwrap.cc:271 NCCL WARN NET/IB : mlx5_{r % 8}:1 Got async event : port error\nkq-2:{y.pid_of(r)}:{y.pid_of(r) + 803} [{r % 8}] NCCL INFO NET/IB : retrying, timeout 22 retry_cnt 7",
        )
        y.tell(
            r,
            2501,
            f"kq-2:{y.pid_of(r)}:{y.pid_of(r) + 803} [{r % 8}] misc/ibvwrap.cc:271 NCCL WARN NET/IB : mlx5_{r % 8}:1 Got async event : port active",
        )
    y.tell(0, last + 31, f"{y.clock(last + 31)} | codec_lm:460 | 3000/3000 | held-out nll 2.7310, exported")
    y.dial([(0, EMPTY), (84, Dial(96, 52, 588, 61))])
    return well(y.finish("COMPLETED", last + 42), hard=True)


def fp16_start() -> Written:
    """Hard: mixed precision on sixteen cards finds its loss scale by overflowing eight times, later twice more; DeepSpeed tells all of it, and the loss falls to the end."""
    y = Yard(
        ("old-a100-1", "old-a100-2"),
        "mt-nordic",
        8_861_300,
        when("2026-11-08 04:00:00"),
        board=AMPERE_40,
        pipe=True,
        program=("/opt/mt/bin/python3", "-u", "nordic.py"),
        submit_line="sbatch nordic.sh",
    )
    y.all_tell(
        41,
        lambda r: (
            f"[2026-11-08 04:00:41,{r:03d}] [INFO] [comm.py:652:init_distributed] cdb=None"
            if r
            else "[2026-11-08 04:00:41,000] [INFO] [comm.py:652:init_distributed] cdb=None\n/opt/mt/lib/python3.11/site-packages/torch/nn/modules/transformer.py:385: UserWarning: enable_nested_tensor is True, but self.use_nested_tensor is False\n  warnings.warn("
        ),
        gap=0.01,
    )
    for k in range(8):
        y.tell(
            0,
            70 + 1.3 * k,
            f"[{y.clock(70 + 1.3 * k)},{k}07] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (32 - k)}, reducing to {2 ** (31 - k)}",
        )
    f = curve(8.9, 2.1, 240)
    last = y.march(
        0,
        range(50, 5001, 50),
        82,
        1.3,
        lambda i, t: (
            f"[{y.clock(t)},{i % 1000:03d}] [INFO] [logging.py:128:log_dist] [Rank 0] step={i}, skipped={8 + (i > 2100) + (i > 3900)}, lr=[{min(7e-4, i * 7e-7):.3e}], mom=[(0.9, 0.98)]\nsteps: {i} loss: {f(i):.4f} iter time (s): 1.30{i % 9} samples/sec: 1575.{i % 9}"
        ),
    )
    for s in (2110, 3920):
        y.tell(
            0,
            82 + 1.3 * s,
            f"[{y.clock(82 + 1.3 * s)},441] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 33554432, reducing to 16777216",
        )
    y.tell(0, last + 40, "steps: 5000 done. BLEU da-sv 31.2  nb-sv 34.8  is-sv 22.0")
    y.dial([(0, EMPTY), (50, OPENED), (68, Dial(95, 0, 331, 34))])
    return well(y.finish("COMPLETED", last + 55), hard=True)


def marked_for_repair() -> Written:
    """Hard: in mid-run an operator marks a node of the job for repair once it is free, and a card counts corrected memory errors; the job ends as planned."""
    y = Yard(
        ("pq-21", "pq-22"),
        "seismic-vit",
        8_861_555,
        when("2026-11-09 07:30:00"),
        board=AMPERE,
        program=("python3", "seis.py"),
        submit_line="sbatch seis.sh",
    )
    f = curve(1.9, 0.42, 120)
    last = y.march(
        0, range(30, 2401, 30), 57, 2.2, lambda i, t: f"seis {y.clock(t, '%H:%M:%S')} it={i:05d} huber={f(i):.5f} snr={9 - 4 * f(i):.2f}dB"
    )
    y.event("pq-22", 3100, "DRAINING", "fan tray 2 to be replaced [ops]")
    y.counters[12] = ({"ecc_volatile_corrected": 4, "ecc_aggregate_corrected": 93}, {"ecc_volatile_corrected": 61, "ecc_aggregate_corrected": 150})
    y.tell(0, last + 8, "seis finished: 2400 iterations, test snr 7.31dB, weights seis/best.pt")
    y.dial([(0, EMPTY), (52, Dial(96, 0, 357, 66))])
    return well(y.finish("COMPLETED", last + 16), hard=True)


def question_sets() -> Written:
    """Hard: an evaluation of thirteen question sets, of which two fail with a traceback and are left out; the table of the others is the result."""
    y = Yard(
        ("ev-3",),
        "eval-polyglot",
        8_861_870,
        when("2026-11-11 13:00:00"),
        per=4,
        program=("python3", "examine.py", "--model", "poly-9b"),
        submit_line="sbatch examine.sh poly-9b",
    )
    sets = (
        "mgsm_de",
        "mgsm_sw",
        "xnli_el",
        "xnli_ur",
        "belebele_hau",
        "xcopa_qu",
        "tydiqa_te",
        "flores_wol",
        "xstory_my",
        "exams_bg",
        "m3_th",
        "include_ka",
        "xquad_ro",
    )
    t = 75.0
    for k, name in enumerate(sets):
        t += 190 + 23 * (k % 4)
        if name in ("xcopa_qu", "m3_th"):
            y.tell(
                0,
                t - 150,
                frames(
                    ("/home/alice/exam/examine.py", 92, "run_all", "result = run(task, model)"),
                    ("/home/alice/exam/tasks.py", 51, "run", "rows = read(task.path)"),
                    ("/home/alice/exam/tasks.py", 23, "read", "raise FileNotFoundError(path)"),
                    error=f"FileNotFoundError: /project/sets/{name}/test.parquet",
                ),
            )
            y.tell(0, t - 149.8, f"{y.clock(t - 149.8, '%H:%M:%S')} ERROR {name} left out, {12 - k} sets to go")
            t -= 150
        else:
            y.tell(0, t, f"{y.clock(t, '%H:%M:%S')} {name:<13} n={1000 + 37 * k:<5} acc={0.41 + (k * 53 % 29) / 100:.3f} stderr=0.0{11 + k % 5}")
    y.tell(0, t + 6, f"{y.clock(t + 6, '%H:%M:%S')} 11 of 13 sets examined, mean acc 0.548\n{y.clock(t + 6, '%H:%M:%S')} table in results/poly-9b.md")
    y.dial([(0, EMPTY), (30, Dial(4, 1, 132, 19, 10)), (72, Dial(86, 44, 512, 63, 26))])
    return well(y.finish("COMPLETED", t + 14), hard=True)


JOBS: tuple[Writer, ...] = (a_night, membrane, captions, text_max, loose_port, fp16_start, marked_for_repair, question_sets)

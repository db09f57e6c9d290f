"""Large jobs, fourth slate: those that went well, quietly or not."""

from __future__ import annotations

from collections.abc import Callable

from corpus.make._otter_bells_by_pen_book import ADA, AMPERE, BLACKWELL, HARD_AT_WORK, HOPPER, HOPPER_NEW, HOPPER_WIDE, OPENED, REST, Pose
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import trace
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, noted, shelf, sinks, well

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def half_a_thousand() -> Told:
    """512 cards on 64 nodes with torchtitan's lines, asynchronous checkpoints, its planned steps."""
    nodes = tuple(f"tt{n:03d}" for n in range(1, 65))
    f = Rig(
        nodes,
        "titan-70b-warm",
        7_931_004,
        noted("2026-10-14 00:00:00"),
        per=8,
        kit=HOPPER,
        launcher=True,
        script="torchtitan.train",
        submit_line="sbatch -N64 titan70.slurm",
        account="foundation",
    )
    chat(f)
    f.looks = 5
    f.say(0, 61, f"[titan] {f.clock(61)},104 - root - INFO - Building 4-D device mesh with ['pp', 'dp_shard', 'cp', 'tp'], [4, 16, 1, 8]")
    last = f.run(
        0,
        range(10, 1001, 10),
        190,
        11.3,
        lambda i, x, t: (
            f"[titan] {f.clock(t)},{i * 7 % 1000:03d} - root - INFO - step: {i:>4}  loss: {x:>8.5f}  grad_norm: {0.4 + x / 12:>7.4f}  memory: 61.84GiB(78.19%)  tps: {742 + i % 7}  tflops: 402.{i % 100:02d}  mfu: 40.{i % 90:02d}%"
            + (
                f"\n[titan] {f.clock(t)},{i * 9 % 1000:03d} - root - INFO - Saving the checkpoint (or staging if async is enabled). Finished in 4.1{i % 10} seconds."
                if i % 250 == 0
                else ""
            )
        ),
        sinks(12.2, 3.1, 60),
    )
    f.say(
        0,
        last + 18,
        f"[titan] {f.clock(last + 18)},220 - root - INFO - Training completed\n[titan] {f.clock(last + 20)},881 - root - INFO - Process group destroyed",
    )
    f.stand([(0, REST), (80, OPENED), (186, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 41)
    return well(f)


@job
def membrane() -> Told:
    """Molecular dynamics over eight cards of two nodes, GROMACS's own table of time at the end."""
    f = Rig(
        ("md-3", "md-4"),
        "gpcr-npt-prod",
        7_932_110,
        noted("2026-10-16 18:18:00"),
        per=4,
        kit=AMPERE,
        python="gmx_mpi",
        script="mdrun",
        submit_line="sbatch prod.sh",
    )
    chat(f, ranks=False)
    f.say(
        0,
        8,
        "                      :-) GROMACS - gmx mdrun, 2024.3 (-:\n\nCommand line:\n  gmx_mpi mdrun -deffnm prod -nb gpu -pme gpu -npme 1 -bonded gpu -update gpu\n\nReading file prod.tpr, VERSION 2024.3 (single precision)\nUsing 8 MPI processes\nOn host md-3 4 GPUs selected for this run.\nMapping of GPU IDs to the 4 GPU tasks in the 4 ranks on this node:\n  PP:0,PP:1,PP:2,PP:3\nstarting mdrun 'GPCR in POPC'\n25000000 steps,  50000.0 ps.",
    )
    last = f.run(
        0,
        range(500_000, 25_000_001, 500_000),
        12,
        0.00041,
        lambda i, _x, _t: (
            f"step {i}, remaining wall clock time: {int((25_000_000 - i) * 0.00041):>6} s"
            if i < 25_000_000
            else f"step {i}, remaining wall clock time:     0 s"
        ),
        lambda _i: 0.0,
    )
    f.say(
        0,
        last + 4,
        f"\n\n               Core t (s)   Wall t (s)        (%)\n       Time:   {last * 64:.3f}    {last - 11:.3f}     6398.7\n                 (ns/day)    (hour/ns)\nPerformance:      {50 * 86400 / (last - 11):.3f}        {(last - 11) / 3600 / 50:.3f}\nFinished mdrun on rank 0\n",
    )
    f.stand([(0, REST), (9, Pose(83, 0, 0.71, 0.03, 14))])
    f.finish("COMPLETED", last + 8)
    return well(f)


@job
def rewards() -> Told:
    """Reinforcement learning of a language model on 32 cards: small signed losses, rewards that rise, the planned 150 steps."""
    f = Rig(
        ("rlx1", "rlx2", "rlx3", "rlx4"),
        "grpo-coder14b",
        7_933_050,
        noted("2026-10-18 07:30:00"),
        per=8,
        kit=HOPPER_WIDE,
        launcher=True,
        script="grpo.py",
        submit_line="sbatch -N4 grpo14.sh",
    )
    chat(f, ranks=False)
    last = f.run(
        0,
        range(1, 151),
        300,
        94.0,
        lambda i, x, t: (
            f"(TaskRunner pid=2704200) {f.clock(t, '%H:%M:%S')} step {i}/150 | reward {x:.3f} | pg {0.004 * (-1) ** i * (1 + i % 5):+.4f} | kl {0.0006 * i**0.8:.4f} | ent {0.62 - i / 900:.3f} | len {610 + 4 * i} | gen 51s upd 31s ref 9s"
        ),
        lambda i: 0.18 + 0.44 * (1 - (1 + i / 30) ** -0.9) + 0.008 * (i * 5 % 7 - 3),
    )
    f.say(
        0,
        last + 45,
        "(TaskRunner pid=2704200) val: livecodebench 0.417 (start 0.288), humaneval+ 0.823\n(TaskRunner pid=2704200) finished 150 of 150 steps",
    )
    f.stand([(0, REST), (200, Pose(5, 2, 0.2, 0.4)), (296, Pose(89, 44, 0.7, 0.88, 20))])
    f.finish("COMPLETED", last + 70)
    return well(f)


@job
def plates() -> Told:
    """A pipeline-parallel vision-language model in Lightning over sixteen cards, CSV from its logger, stopped by max_steps."""
    f = Rig(
        ("ptr-1", "ptr-2"),
        "geo-vlm-3b",
        7_934_101,
        noted("2026-10-20 22:20:00"),
        per=8,
        kit=BLACKWELL,
        split=True,
        script="geovlm.py",
        submit_line="sbatch geo.sh",
    )
    chat(f)
    f.say(
        0,
        24,
        "You are using a CUDA device ('NVIDIA B200') that has Tensor Cores. To properly utilize them, you should set `torch.set_float32_matmul_precision('medium' | 'high')` which will trade-off precision for performance.",
        err=True,
    )
    f.say(0, 60, "step,epoch,ce,itc,lr,samples_per_s")
    last = f.run(
        0,
        range(50, 5001, 50),
        66,
        0.88,
        lambda i, x, _t: f"{i},{i // 2500},{x:.4f},{x * 0.61:.4f},{2e-4 * (1 - i / 5000):.3e},{2327 + i % 19}",
        sinks(5.1, 1.9, 190),
    )
    f.say(0, last + 6, "`Trainer.fit` stopped: `max_steps=5000` reached.", err=True)
    f.stand([(0, REST), (30, OPENED), (62, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 19)
    return well(f)


@job
def bandwidth() -> Told:
    """Hard: NCCL's own tests over sixteen cards, a minute of tables with nothing learnt, "out of bounds" of zero; that is all it was for."""
    f = Rig(
        ("nt-1", "nt-2"),
        "nccl-accept",
        7_935_008,
        noted("2026-10-22 09:00:00"),
        per=8,
        kit=HOPPER_NEW,
        python="all_reduce_perf",
        script="-b 8M -e 8G -f 2",
        submit_line="sbatch accept.sh nt-1,nt-2",
    )
    chat(f, ranks=False)
    f.say(
        0,
        6,
        "# nThread 1 nGpus 1 minBytes 8388608 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 200 agg iters: 1 validation: 1 graph: 0\n#\n# Using devices\n"
        + "\n".join(
            f"#  Rank {r:>2} Group  0 Pid {f.pid(r)} on {f.host(r):>6} device {r % 8:>2} [0x{0x1B + 0x20 * (r % 8):02x}] NVIDIA H100 80GB HBM3"
            for r in f.ranks
        ),
    )
    f.say(
        0,
        9,
        "#\n#                                                              out-of-place                       in-place          \n#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)       ",
    )
    at = 9.0
    for k in range(11):
        size = 8_388_608 << k
        us = 61.0 + size / (248e3 - 160e3 * 0.5**k)
        at += us * 410e-6 * 2 + 1
        f.say(
            0,
            at,
            f"{size:>12} {size // 4:>13}     float     sum      -1 {us:>8.1f} {size / us / 1000:>7.2f} {size / us / 1000 * 1.875:>7.2f}      0 {us * 1.01:>8.1f} {size / us / 1010:>7.2f} {size / us / 1010 * 1.875:>7.2f}      0",
        )
    f.say(0, at + 2, "# Out of bounds values : 0 OK\n# Avg bus bandwidth    : 338.417 \n#")
    f.stand([(0, REST), (5, Pose(97, 17, 0.43, 0.23))])
    f.finish("COMPLETED", at + 6)
    return well(f, hard=True)


@job
def second_day() -> Told:
    """Hard: the second leg of a run whose first was cut off by the time limit, whose words it repeats; it takes up step 31,000 rightly and finishes; one state could not be read, the one before it could."""
    f = Rig(
        ("vv-1", "vv-2", "vv-3", "vv-4"),
        "nllb-low-leg2",
        7_936_090,
        noted("2026-10-24 13:00:00"),
        per=8,
        kit=AMPERE,
        script="mt/train.py",
        submit_line="sbatch --dependency=afternotok:7935991 leg.sh 2",
    )
    chat(f)
    f.script_says(
        1, "tail of the leg before:\n  slurmstepd: error: *** STEP 7935991.0 ON vv-1 CANCELLED AT 2026-10-24T12:51:09 DUE TO TIME LIMIT ***"
    )
    f.say(
        0,
        31,
        "state 31500 is not usable, trying the one before it\n"
        + trace(
            ("/mt/state.py", 44, "load", 'blob = torch.load(path, map_location="cpu", weights_only=True)'),
            ends="RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory",
        ),
    )
    f.say(0, 52, "state 31000 loaded: model, adam, loader at epoch 2 batch 7116; last train nll 2.281")
    last = f.run(
        0,
        range(31_100, 50_001, 100),
        58,
        0.66,
        lambda i, x, t: f"{f.clock(t)} {i:>6} nll {x:.4f} bleu-dev {'-' if i % 2000 else f'{19 + (i - 31000) / 9000:.2f}'} wps {301_000 + i % 900}",
        lambda i: 1.95 + 0.33 * (31_000 / i) ** 2 + 0.02 * (i * 7 % 13 - 6) / 6,
    )
    f.say(0, last + 8, f"{f.clock(last + 8)} 50000 updates done; averaged last five states; chrf++ 41.9")
    f.stand([(0, REST), (24, OPENED), (54, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 15, dependency="afternotok:7935991")
    return well(f, hard=True)


@job
def tiny_net() -> Told:
    """Hard: physics-informed networks, one small one a card: the cards stand at a quarter, evenly, without gaps; "nan" is the name of a column that is masked; all eight converge."""
    f = Rig(("pi-2",), "pinn-sweep8", 7_937_017, noted("2026-10-26 10:10:00"), per=8, kit=ADA, script="pinn.py", submit_line="sbatch pinn.sh")
    chat(f, ranks=False)

    def line(r: int) -> Callable[[int, float, float], str]:
        return lambda i, x, _t: f"re={100 * (r + 1)} it={i} pde={x:.3e} bc={x / 7:.3e} nan_masked=0 err_l2={x**0.5:.4f}"

    last = 0.0
    for r in f.ranks:
        last = f.run(r, range(2000, 60_001, 2000), 14, 0.031 + r * 0.0001, line(r), sinks(0.4 + r / 20, 0.0011 + r / 9000, 600, steep=1.5))
        f.say(r, last + 2, f"re={100 * (r + 1)} converged, field written to out/re{100 * (r + 1)}.npz")
        f.fates[r] = (last + 4, 0, None)
    f.stand([(0, REST), (12, Pose(26, 0, 0.3, 0.04, 6))])
    f.finish("COMPLETED", last + 8)
    return well(f, hard=True)


@job
def exams() -> Told:
    """Hard: an evaluation of a large model on eight cards: one of nine tasks cannot be fetched and is left out, one gives "nan" for want of a group, warnings about lengths; the table is there."""
    f = Rig(
        ("ev-1",),
        "eval-ours-70b",
        7_938_022,
        noted("2026-10-28 15:45:00"),
        per=8,
        kit=HOPPER_WIDE,
        launcher=True,
        script="run_eval.py",
        submit_line="sbatch eval.sh ours-70b",
    )
    chat(f, ranks=False)
    f.say(
        0,
        75,
        f"{f.clock(75)},310 INFO     [evaluator.py:202] Initializing hf model, with arguments: {{'pretrained': '/models/ours-70b-fp8', 'dtype': 'auto'}}, 8 ranks",
    )
    f.say(
        0,
        101,
        f"{f.clock(101)},007 WARNING  [run_eval.py:88] task social_iqa left out\n"
        + trace(
            ("/eval/run_eval.py", 84, "tasks_of", "found.append(load(name))"),
            ("/eval/tasks.py", 31, "load", 'rows = json.loads((CACHE / name / "rows.json").read_text())'),
            ("/usr/lib/python3.11/pathlib.py", 1058, "read_text", "with self.open(mode='r', encoding=encoding, errors=errors) as f:"),
            ends="FileNotFoundError: [Errno 2] No such file or directory: '/eval/cache/social_iqa/rows.json'",
        ),
    )
    at = 110.0
    for k, (name, rows, score) in enumerate(
        (
            ("arc_challenge", 4687, 0.6212),
            ("hellaswag", 40168, 0.8710),
            ("mmlu", 56168, 0.7903),
            ("winogrande", 2534, 0.8469),
            ("gsm8k", 1319, 0.8840),
            ("truthfulqa", 5882, 0.5911),
            ("bbq", 58492, float("nan")),
            ("ifeval", 541, 0.8311),
        )
    ):
        at += 40 + rows / 95
        f.say(
            0,
            at,
            f"Running {name} requests: 100%|██████████| {rows}/{rows} [{int(rows / 95) // 60:02d}:{int(rows / 95) % 60:02d}<00:00, 95.{k}0it/s]\n{f.clock(at)},{100 + k} INFO     [run_eval.py:131] {name}: {score:.4f}"
            + (" (group 'Physical' is empty)" if name == "bbq" else ""),
        )
    f.say(0, at + 9, f"{f.clock(at + 9)},551 INFO     [run_eval.py:160] 8 tasks done, 1 left out; results/ours-70b.json written")
    f.stand([(0, REST), (30, Pose(3, 1, 0.16, 0.4)), (112, Pose(93, 51, 0.8, 0.9))])
    f.finish("COMPLETED", at + 15)
    return well(f, hard=True)

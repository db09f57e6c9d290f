"""What became of runs on many cards, second field: slow, in vain, too short, ended from outside."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, B200, CONTEXT, H100, H200, IDLE, L40S, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says, taken_down

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def decode() -> Made:
    """D1: tf.data under a JAX program decodes on eight cores; the loop prints how much of its time it waited for input, and the cards stop and go."""
    f = Fleet(("tv-1", "tv-2"), "nfnet-f1", 7_320_015, when("2026-08-20 07:30"), per=4, card=H100, script="nfnet.py", submit_line="sbatch -c 8 nfnet.sh")
    last = f.steps(0, range(50, 2001, 50), 80, 2.6, lambda i, x, t: f"I{f.clock(t, '%m%d %H:%M:%S')}.5{i % 90 + 10}003 40000 experiment.py:211] step {i} loss={x:.4f} top1={min(0.6, i / 4600):.3f} sec/step=2.6{i % 9} input_wait={0.7 + (i % 6) / 100:.2f}", fall(6.9, 2.8, 250))
    f.say(0, last + 5, f"I{f.clock(last + 5, '%m%d %H:%M:%S')}.110042 40000 experiment.py:260] finished 2000 steps")
    f.load([(0, IDLE), (76, Load(24, 12, 0.36, 0.5, 100))])
    f.points = 60
    f.close("COMPLETED", last + 12)
    return made(f, "D1")


@job
def narrow_lane() -> Made:
    """D2: the fabric's links came up at a tenth of their speed; NCCL says so once, all cards wait alike, the run ends as planned."""
    f = Fleet(("fb-1", "fb-2", "fb-3", "fb-4"), "dbrx-lite", 7_320_360, when("2026-08-21 21:00"), per=4, card=H200, script="moe/train.py", submit_line="sbatch -N4 dbrx.sh")
    f.each(15, "{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:10.40.1.{r}<0>\n{node}:400{r:02d}:404{r:02d} [{l}] NCCL INFO NET/IB : Made virtual device [0] name=mlx5_0 speed=10000 ndevs=1")
    last = f.steps(0, range(10, 501, 10), 90, 29.0, lambda i, x, t: f"[{f.clock(t)}] {i:>4}/500 lm={x:.4f} router={0.011:.3f} fwd+bwd 2.9s all-to-all+rs 26.{i % 9}s total 29.{i % 7}s", fall(10.2, 3.9, 50))
    f.say(0, last + 9, f"[{f.clock(last + 9)}] 500/500, stop")
    f.load([(0, IDLE), (85, Load(100, 7.5, 0.28, 0.8, 2))])
    f.close("COMPLETED", last + 15)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def second_tenant() -> Made:
    """D3: on the card of rank 2 another's process computes as well; this rank works at its SMs all the time and the seven others wait for it."""
    f = Fleet(("sh-1", "sh-2"), "point-transf", 7_320_701, when("2026-08-22 10:10"), per=4, card=H100, script="pt3.py", submit_line="sbatch pt3.sh")
    last = f.steps(0, range(60, 3001, 60), 45, 1.9, lambda i, x, t: f"[{f.clock(t, '%y-%m-%d %H:%M:%S')} INFO train.py line 144] Train: [{1 + i // 1500}/2][{i % 1500}/1500] Data 0.003 Batch 1.90{i % 9} loss: {x:.4f} Lr: 0.00600", fall(2.9, 0.5, 200))
    f.say(0, last + 40, f"[{f.clock(last + 40, '%y-%m-%d %H:%M:%S')} INFO train.py line 201] Val result: mIoU/mAcc/allAcc 0.7312/0.8101/0.9120")
    f.load([(0, IDLE), (41, Load(98, 18, 0.4, 0.4))])
    f.load([(0, IDLE), (41, Load(100, 74, 0.75, 0.66))], [2])
    f.marks[2] = ({"foreign_processes": 1, "foreign_memory_bytes": 21 << 30}, {"foreign_processes": 1, "foreign_memory_bytes": 21 << 30})
    f.close("COMPLETED", last + 50)
    return made(f, "D3", fault="unknown")


@job
def asleep() -> Made:
    """E1: after a short fall the loss stands at 7.61 for twenty thousand steps, its gradients have vanished; the run ends with 0."""
    f = Fleet(("ge-1", "ge-2"), "hyena-1b", 7_321_020, when("2026-08-23 05:05"), per=4, card=A100, agents=True, script="hyena.py", submit_line="sbatch hy.sh")
    curve = fall(10.8, 7.0, 60)
    last = f.steps(0, range(250, 20_001, 250), 60, 0.62, lambda i, x, t: f"[rank0] {f.clock(t, '%H:%M:%S')} u={i} ce={x:.4f} |g|={max(0.00002, 1.1 * 0.5 ** (i / 200)):.5f} lr=3.0e-04", lambda i: curve(i) if i < 1000 else 7.6114 + 0.0008 * ((i // 250) % 5 - 2))
    f.say(0, last + 6, "[rank0] 20000 updates made, wrote hyena-1b/last.pt")
    f.load([(0, IDLE), (56, WORK)])
    f.close("COMPLETED", last + 12)
    return made(f, "E1", variant="plateau")


@job
def empty_folder() -> Made:
    """E2: told to go on, the Trainer finds no checkpoint in its output folder and refuses."""
    f = Fleet(("wx-1",), "longformer-leg3", 7_321_333, when("2026-08-24 22:22"), per=4, card=A100_40, agents=True, script="run_lf.py", submit_line="sbatch --dependency=afterany:7321102 leg3.sh --resume_from_checkpoint True --output_dir runs/lf")
    f.each(18, "Process rank: {r}, device: cuda:{l}, n_gpu: 1, distributed training: True, 16-bits training: True", gap=0.1)
    trace = frames(
        ("/h/lf/run_lf.py", 377, "<module>", "main()"),
        ("/h/lf/run_lf.py", 341, "main", "trainer.train(resume_from_checkpoint=training_args.resume_from_checkpoint)"),
        ("/h/lf/env/lib/python3.10/site-packages/transformers/trainer.py", 2236, "train", "raise ValueError(f\"No valid checkpoint found in output directory ({args.output_dir})\")"),
        error="ValueError: No valid checkpoint found in output directory (runs/lf)",
    )  # fmt: skip
    f.each(33, trace, tag="[rank{r}]: ", gap=0.05)
    f.end(f.ranks, 35, code=1, gap=0.05)
    elastic(f, 0, 38, [(r, 1, 35 + 0.05 * r) for r in range(4)], binary="/h/lf/env/bin/python", version="2.5")
    f.load([(0, IDLE), (16, CONTEXT)])
    f.close("FAILED", 41, code=1, dependency="afterany:7321102")
    return made(f, "E2", "traceback", variant="no_valid_checkpoint")


@job
def dry_run() -> Made:
    """E3: Lightning's fast_dev_run on eight cards: one batch, as the run itself says."""
    f = Fleet(("nb-4",), "ocr-donut", 7_321_600, when("2026-08-25 11:50"), per=8, card=H100, script="donut_lit.py", submit_line="sbatch donut.sh --fast")
    f.say(0, 15, "Running in `fast_dev_run` mode: will run the requested loop using 1 batch(es). Logging and checkpointing is suppressed.\nGPU available: True (cuda), used: True")
    f.say(0, 29, "Epoch 0: 100%|██████████| 1/1 [00:03<00:00,  0.31it/s, train_loss=9.412]\nValidation DataLoader 0: 100%|██████████| 1/1 [00:00<00:00,  2.10it/s]")
    f.say(0, 31, "`Trainer.fit` stopped: `max_steps=1` reached.")
    f.load([(0, IDLE), (24, Load(40, 20, 0.3, 0.3, 90)), (31, Load(0, 0, 0.15, 0.3, 0))])
    f.close("COMPLETED", 37)
    return made(f, "E3")


@job
def five_of_five() -> Made:
    """E3: a configuration for measuring was taken for the long run: five iterations on sixteen cards, then the end."""
    f = Fleet(("mg-1", "mg-2"), "gpt-20b-main", 7_321_888, when("2026-08-26 18:18"), per=8, card=H200, script="pretrain_gpt.py", submit_line="sbatch gpt20b.sh")
    last = f.steps(15, range(1, 6), 140, 21.3, lambda i, x, t: f" [{f.clock(t)}] iteration {i:8d}/       5 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {21300 - i * 90:.1f} | throughput per GPU (TFLOP/s/GPU): 401.{i} | learning rate: {i * 1.2e-7:.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {9.1 - i / 5:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", lambda i: 12.61 - 0.04 * i)
    f.say(15, last + 3, f"[after training is done] datetime: {f.clock(last + 3)} ")
    f.load([(0, IDLE), (100, CONTEXT), (138, WORK), (last + 3, Load(0, 0, 0.15, 0.7, 0))])
    f.close("COMPLETED", last + 20)
    return made(f, "E3")


@job
def head_gone() -> Made:
    """F1: the first node of the job is lost with the batch script on it; the others' ranks only tell of a broken store."""
    f = Fleet(("ti-1", "ti-2", "ti-3"), "molmim", 7_322_170, when("2026-08-28 00:30"), per=4, script="molmim.py", submit_line="sbatch mol.sh")
    stop = 60 + 900 * 2.2
    f.steps(11, range(30, 901, 30), 60, 2.2, lambda i, x, t: f"{f.clock(t)} [r11/last-stage] iter={i} nll={x:.4f}", fall(3.6, 1.2, 110))
    f.silent = {"ti-1"}
    f.event("ti-1", stop + 60, "DOWN*+NOT_RESPONDING", "Not responding")
    for r in range(4, 12):
        f.say(r, stop + 40 + r / 9, f"[rank{r}]:[W{f.clock(stop + 40, '%m%d %H:%M:%S')}.771340{r:03d} TCPStore.cpp:138] [c10d] recvValueWithTimeout failed on SocketImpl(fd=66, addr=[{f.home(r)}]:{40118 + 7 * r}, remote=[ti-1]:29500): Connection timed out")
    f.end(f.ranks, stop + 66, signal=9)
    f.load([(0, IDLE), (55, WORK), (stop + 2, SPIN)])
    f.close("NODE_FAIL", stop + 70, code=1, signal=9, failed_node="ti-1", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def power_cut() -> Made:
    """F1: two of six nodes go down in one minute with their rack; the job ends with them in mid-training."""
    f = Fleet(tuple(f"rk{n}" for n in range(61, 67)), "stable-audio", 7_322_500, when("2026-08-29 13:13"), per=2, card=A100, agents=True, script="audio.py", submit_line="sbatch -N6 audio.sh")
    last = f.steps(0, range(25, 1501, 25), 70, 1.7, lambda i, x, t: f"[default0]:{f.clock(t, '%H:%M:%S')} {i} v-pred {x:.5f} std {0.9 + x / 9:.4f}", fall(1.02, 0.31, 130))
    f.silent = {"rk65", "rk66"}
    for n, by in (("rk65", 50), ("rk66", 53)):
        f.event(n, last + by, "DOWN*", "Not responding")
    taken_down(f, last + 58, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    srun_says(f, last + 57, "error: Node failure on rk65", "error: Node failure on rk66")
    f.end(f.ranks, last + 61, signal=9)
    f.load([(0, IDLE), (66, WORK), (last + 1, SPIN)])
    f.close("NODE_FAIL", last + 65, code=1, signal=9, failed_node="rk65", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def twice_a_guest() -> Made:
    """F2: preempted once and put back into the queue, preempted again in its second try."""
    f = Fleet(("lo-8",), "gan-sr-lowprio", 7_322_850, when("2026-08-30 20:40"), per=4, card=L40S, script="gan_sr.py", submit_line="sbatch -q lowprio --requeue gan.sh")
    f.ended("PREEMPTED", end=-900, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), start_ns=f.at(-9000), submit_ns=f.at(-9300), end_ns=f.at(-900), elapsed_s=8100, node_list="lo-3", restarts=0, partition="gpu", qos="lowprio")
    f.say(0, 21, "loaded gan/ck_0110.pt, going on with epoch 111")
    last = f.steps(0, range(111, 190), 25, 70, lambda i, x, t: f"{f.clock(t, '%m/%d %H:%M')} epoch {i}/400 pix={x:.4f} adv={0.7 - i / 2000:.3f} psnr={31 - 20 * x:.2f}", fall(0.4, 0.05, 30))
    taken_down(f, last + 12, "DUE TO PREEMPTION")
    f.end(f.ranks, last + 14, signal=15)
    f.load([(0, IDLE), (24, Load(96, 0, 0.85, 0.55))])
    f.close("PREEMPTED", last + 20, signal=15, restarts=1, qos="lowprio")
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def back_again() -> Made:
    """F2: preempted, requeued by Slurm, gone on with from its own checkpoint and finished."""
    f = Fleet(("el-2", "el-3"), "bge-ft", 7_323_170, when("2026-09-01 02:50"), per=4, card=H100, agents=True, script="bge.py", submit_line="sbatch -p shared --requeue --signal=B:USR1@120 bge.sh")
    f.ended("PREEMPTED", end=-1400, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), start_ns=f.at(-12_000), submit_ns=f.at(-12_040), end_ns=f.at(-1400), elapsed_s=10_600, restarts=0, partition="shared")
    f.say(0, 30, "[rank0] resume from bge/ckpt-5200 (saved on USR1)")
    last = f.steps(0, range(5300, 12_001, 100), 40, 0.9, lambda i, x, _t: f"[rank0] step {i}/12000 infonce {x:.4f} acc@1 {0.5 + (1.5 - x) / 4:.3f}", fall(5.0, 0.3, 900))
    f.say(0, last + 6, "[rank0] step 12000/12000 finished, model pushed to bge/final")
    f.load([(0, IDLE), (36, WORK)])
    f.close("COMPLETED", last + 12, restarts=1, partition="shared")
    return made(f, "F2", fault="none", variant="preempted_recovered")


@job
def bars_cut() -> Made:
    """F3: Lightning's bar was at epoch 61 of 100 when the four hours were over."""
    f = Fleet(("ph-1",), "unimatch-seg", 7_323_500, when("2026-09-02 12:00"), per=8, card=A100_40, limit_s=14_400, script="unimatch.py", submit_line="sbatch --time=4:00:00 um.sh")
    f.steps(0, range(66), 40, 232, lambda i, x, _t: f"Epoch {i}: 100%|██████████| 330/330 [03:51<00:00,  1.42it/s, v_num=7, loss_x={x:.3f}, loss_u={x * 0.4:.3f}, mIoU={0.78 - x / 3:.3f}]", fall(1.9, 0.22, 8), until=14_420)
    taken_down(f, 14_422, "DUE TO TIME LIMIT")
    f.end(f.ranks, 14_425, signal=15)
    f.load([(0, IDLE), (36, WORK)])
    f.close("TIMEOUT", 14_428, signal=15)
    return made(f, "F3", variant="advancing")


@job
def short_step() -> Made:
    """F3: the srun of the script had a limit of its own, an hour; training went on until it."""
    f = Fleet(("ky-5", "ky-6"), "conformer-l", 7_323_880, when("2026-09-04 09:40"), per=4, card=B200, limit_s=86_400, script="conformer.py", submit_line="sbatch conf.sh")
    f.steps(0, range(100, 6501, 100), 40, 0.61, lambda i, x, t: f"{f.clock(t)} conformer {i}/50000 ctc={x:.3f} ter={min(0.99, x / 9):.3f} lr={min(1e-3, i / 1e7):.2e}", fall(9.0, 1.9, 500), until=3638)
    day = f.clock(3640, "%Y-%m-%dT%H:%M:%S")
    f.script_words += [(0.5, "+ srun --time=60 python -u conformer.py --epochs 80"), (3640, f"slurmstepd: error: *** STEP {f.job_id}.0 ON ky-5 CANCELLED AT {day} DUE TO TIME LIMIT ***\nsrun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nsrun: error: ky-5: tasks 0-3: Terminated\nsrun: error: ky-6: tasks 4-7: Terminated")]
    f.say(0, 3640.1, f"slurmstepd: error: *** STEP {f.job_id}.0 ON ky-5 CANCELLED AT {day} DUE TO TIME LIMIT ***")
    f.end(f.ranks, 3642, signal=15)
    f.load([(0, IDLE), (36, WORK)])
    f.close("FAILED", 3650, code=143, batch=(143, None), step=("TIMEOUT", 0, 15))
    return made(f, "F3", variant="advancing")


@job
def maintenance() -> Made:
    """F4: an operator cancels a healthy run; Slurm has another user's number."""
    f = Fleet(("vk-1", "vk-2"), "peft-qwen", 7_324_210, when("2026-09-05 07:07"), per=4, card=H200, script="peft_q.py", submit_line="sbatch pq.sh")
    last = f.steps(0, range(20, 1301, 20), 70, 5.5, lambda i, x, t: f"{f.clock(t, '%Y-%m-%d %H:%M:%S')} INFO  peft_q {i:>5}/4000 loss={x:.4f} lora_norm={i / 900:.3f}", fall(1.6, 0.7, 140))
    taken_down(f, last + 22, "")
    f.end(f.ranks, last + 24, signal=15)
    f.load([(0, IDLE), (64, WORK)])
    f.close("CANCELLED", last + 27, signal=15, cancelled_by_uid=812)
    return made(f, "F4", variant="by_other", fault="unknown")


@job
def only_the_step() -> Made:
    """F4: the owner cancels the step of a run that was going on; the script ends with it."""
    f = Fleet(("dz-1",), "rl-hanabi", 7_324_500, when("2026-09-06 16:26"), per=4, card=L40S, script="hanabi.py", submit_line="sbatch hanabi.sh")
    last = f.steps(0, range(100, 6201, 100), 33, 1.1, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] upd {i:>6} score {24.2 - x * 7:.2f} td {x:.4f} eps 0.05 sps 41{i % 90:02d}", fall(2.4, 0.21, 600))
    day = f.clock(last + 30, "%Y-%m-%dT%H:%M:%S")
    f.script_words.append((last + 30, f"srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\nslurmstepd: error: *** STEP {f.job_id}.0 ON dz-1 CANCELLED AT {day} ***\nsrun: error: dz-1: tasks 0-3: Terminated"))
    f.say(0, last + 30.1, f"slurmstepd: error: *** STEP {f.job_id}.0 ON dz-1 CANCELLED AT {day} ***")
    f.end(f.ranks, last + 31, signal=15)
    f.load([(0, IDLE), (30, Load(94, 0, 0.8, 0.3))])
    f.close("FAILED", last + 36, code=143, batch=(143, None), step=("CANCELLED", 0, 15))
    return made(f, "F4")

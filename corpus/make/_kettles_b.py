"""Companies of cards, second tray: kept waiting, slow together, slow by one, learning nothing, begun anew, cut short, lost, moved, cancelled."""

from __future__ import annotations

from corpus.make._ballast import A100, COLD, H100, H200, IDLE, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import srun_says, taken_down, watchdog
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def queue_at_the_door() -> Made:
    """C1: one of four nodes cannot find the name of the rendezvous and tries for ever; the others' agents wait in silence until the owner gives up."""
    f = Fleet(("hgx03", "hgx04", "hgx07", "hgx08"), "flan-ul", 8_820_410, when("2026-10-25 20:02"), per=4, agents=True, submit_line="sbatch -N4 flan.slurm", script="pretrain.py", limit_s=36_000)
    for n in range(4):
        if n == 2:
            f.launcher[n] += [(21 + 61 * k, f"[W{f.clock(21 + 61 * k, '%m%d %H:%M:%S')}.{118_000_231 + k * 7_331} socket.cpp:697] [c10d] The IPv6 network addresses of (hgx03, 29400) cannot be retrieved (gai error: -3 - Temporary failure in name resolution).") for k in range(12)]
            continue
        f.launcher[n].append((21 + n, f"I1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202] Starting elastic_operator with launch configs:\nI1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202]   entrypoint       : pretrain.py\nI1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202]   min_nodes        : 4\nI1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202]   max_nodes        : 4\nI1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202]   rdzv_backend     : c10d\nI1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202]   rdzv_endpoint    : hgx03:29400\nI1025 20:02:{21 + n}.774000 {1_210_311 + n} torch/distributed/launcher/api.py:202]   rdzv_configs     : {{'timeout': 36000, 'join_timeout': 36000}}"))
        f.launcher[n].append((23 + n, f"I1025 20:02:{23 + n}.101000 {1_210_311 + n} torch/distributed/elastic/agent/server/api.py:525] [default] starting workers for entrypoint: python3.12\nI1025 20:02:{23 + n}.101000 {1_210_311 + n} torch/distributed/elastic/agent/server/api.py:525] [default] Rendezvous'ing worker group"))
    end = 2 * 3600 + 1140.0
    f.unborn = set(f.ranks)
    taken_down(f, end, "")
    f.end(f.ranks, end + 1, signal=15)
    f.close("CANCELLED", end + 4, signal=15, cancelled_by_uid=1042)
    return made(f, "C1", fault="unknown")


@job
def drawer() -> Made:
    """C2: rank 11 waits in the kernel for GPFS, the node's kernel says so; after ten minutes the watchdogs of the others end them."""
    f = Fleet(("m201", "m202"), "olmo-fsdp", 8_821_006, when("2026-10-27 03:17"), per=8, submit_line="sbatch olmo.sh", script="scripts/train.py")
    last = f.steps(0, range(20, 1881, 20), 118, 2.12, lambda i, x, t: f"{f.clock(t)}\tm201:0\tolmo.train:817\tINFO\t[step={i}/738020]\n    optim/total_grad_norm={0.2 + x / 9:.4f}\n    train/CrossEntropyLoss={x:.3f}\n    train/Perplexity={2.718 ** x:.1f}\n    throughput/total_tokens={i * 4_194_304:,}", fall(11.3, 2.84, 60))
    f.kernel("m202", last + 130, "kernel_hung_task", "INFO: task python:40011 blocked for more than 120 seconds.", process="python", pid=40_011, blocked_s=120)
    f.kernel("m202", last + 250, "kernel_hung_task", "INFO: task python:40011 blocked for more than 241 seconds.", process="python", pid=40_011, blocked_s=241)
    f.looks[11] = {"state": "D", "wchan": "cxiWaitEventWait", "looks": 420, "waits": {"D cxiWaitEventWait": 59}, "file_systems": ("gpfs /gpfs/scratch",)}
    for r in f.ranks:
        if r != 11:
            at = last + 603 + r * 0.06
            f.say(r, at, watchdog(f, r, at, "2.5", (37_641, "_ALLGATHER_BASE", 12_845_056, 205_520_896), 600, ahead=3))
    f.end([r for r in f.ranks if r != 11], last + 607, signal=6, gap=0.06)
    f.end(11, last + 640, signal=9)
    f.load([(0, IDLE), (112, WORK), (last + 1, SPIN)])
    f.load([(0, IDLE), (112, WORK), (last + 1, COLD)], [11])
    srun_says(f, last + 609, "error: m201: tasks 0-7: Aborted (core dumped)", "error: m202: tasks 8-10,12-15: Aborted (core dumped)", "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: m202: task 11: Killed")
    f.close("FAILED", last + 644, code=134, batch=(134, None), step=("FAILED", 0, 6))
    return made(f, "C2", "nccl", fault="unknown")


@job
def left_behind() -> Made:
    """C2: the kernel kills one rank for its memory while it tokenises; the others spin in the next all-reduce until the time limit."""
    f = Fleet(("q14", "q15"), "tts-gan", 8_821_555, when("2026-10-28 09:30"), limit_s=14_400, per=4, submit_line="sbatch --time=4:00:00 tts.sh", script="tts/train.py")
    last = f.steps(0, range(100, 2201, 100), 33, 0.74, lambda i, x, _t: f"[{i:06d}] g_total={x:.3f} d_total={3.1 - x / 40:.3f} mel={x / 2.2:.3f} kl={0.9 + x / 90:.3f} ({0.74:.2f}s)", fall(71, 29, 200))
    f.end(2, last + 21, signal=9)
    f.oom(2, last + 20.8, 180, 180.0)
    f.say(2, last - 60, "phoneme cache: 1 830 112 entries, rebuilding for new speakers")
    f.end([r for r in f.ranks if r != 2], 14_402, signal=15)
    taken_down(f, 14_400, "DUE TO TIME LIMIT")
    srun_says(f, last + 22, "error: q14: task 2: Out Of Memory")
    f.load([(0, IDLE), (30, WORK), (last + 20, SPIN)])
    f.load([(0, IDLE), (30, WORK), (last + 20, IDLE)], [2])
    f.close("TIMEOUT", 14_405, signal=15, step=("OUT_OF_MEMORY", 0, 125))
    return made(f, "C2", "oom_killer", first=(2,), trigger="A2")


@job
def by_ethernet() -> Made:
    """D2: NCCL found no InfiniBand in the container and took the management network; all cards wait for it, none differs."""
    f = Fleet(("b41", "b42", "b43", "b44"), "mpt-7b", 8_822_004, when("2026-10-29 15:00"), per=4, card=H100, submit_line="sbatch mpt.sbatch", script="composer_run.py", limit_s=86_400)
    f.each(22, "{node}:40{r:03d}:40{r:03d} [{l}] NCCL INFO Bootstrap : Using eth0:10.12.0.4{n}<0>\n{node}:40{r:03d}:41{r:03d} [{l}] NCCL INFO NET/IB : No device found.\n{node}:40{r:03d}:41{r:03d} [{l}] NCCL INFO NET/Socket : Using [0]eth0:10.12.0.4{n}<0>\n{node}:40{r:03d}:41{r:03d} [{l}] NCCL INFO Using network Socket")
    f.each(26, "{node}:40{r:03d}:41{r:03d} [{l}] NCCL INFO Channel 00/0 : {r}[{l}] -> 0[0] [send] via NET/Socket/0", range(3, 16, 4))
    last = f.steps(0, range(10, 401, 10), 60, 41.5, lambda i, x, _t: f"[batch={i}/400]:\n\t Train time/batch: {i - 1}\n\t Train memory/peak_reserved_mem: 61.2880\n\t Train loss/train/total: {x:.4f}\n\t Train throughput/tokens_per_sec: 12633.4{i % 97:02d}\n\t Train throughput/device/mfu: 0.0{41 + i % 3}", fall(10.9, 4.4, 40))
    f.say(0, last + 9, "[batch=400/400]: run reached max_duration 400ba, closing loggers")
    f.load([(0, IDLE), (55, Load(100, 8.5, 0.29, 0.77, 2))])
    f.close("COMPLETED", last + 20)
    return made(f, "D2", variant="interconnect", fault="cluster")


@job
def one_behind() -> Made:
    """D3: rank 6 computes four times as long as its peers, which wait for it in every step; Megatron's own report names it too."""
    f = Fleet(("st-1", "st-2"), "gpt-3b", 8_822_590, when("2026-10-31 06:40"), per=8, agents=True, submit_line="sbatch gpt3b.sh", script="pretrain_gpt.py")
    def line(i: int, x: float, t: float) -> str:
        text = f" [{f.clock(t)}] iteration {i:8d}/    2000 | consumed samples: {i * 512:12d} | elapsed time per iteration (ms): {3110 + i % 40:.1f} | throughput per GPU (TFLOP/s/GPU): 96.4 | learning rate: 2.000000E-04 | global batch size:   512 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.3 + x / 12:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        if i % 200 == 0:
            text += f"\n^^^^^^^^^^^^ Straggler report | MinRtt/Rank: {702.11 + i % 9:.2f}ms/3 | MaxRtt/Rank: {2954.80 + i % 11:.2f}ms/6 | MinPower/Rank: 233.1W/12 | MinETpt/Rank: 98.11TF/6 | MaxETpt/Rank: 402.70TF/3"
        return text
    last = f.steps(15, range(50, 2001, 50), 90, 3.13, line, fall(10.8, 2.7, 120), tag="[default7]:")
    f.say(15, last + 30, f"[after training is done] datetime: {f.clock(last + 30)} ", "[default7]:")
    f.load([(0, IDLE), (86, Load(99, 15, 0.38, 0.66))])
    f.load([(0, IDLE), (86, Load(99, 57, 0.55, 0.66))], [6])
    f.close("COMPLETED", last + 44)
    return made(f, "D3", fault="unknown")


@job
def no_number() -> Made:
    """E1: fp16 pre-training whose loss is not a number from step 2260 on; the loop does not look and runs to its planned end."""
    f = Fleet(("t-23", "t-24"), "deberta-fp16", 8_823_103, when("2026-11-01 18:11"), per=4, card=A100, submit_line="sbatch deberta.job", script="pretrain/run.py")
    curve = fall(9.9, 3.0, 200)
    last = f.steps(0, range(60, 4201, 60), 48, 0.91, lambda i, x, t: f"{f.clock(t, '%b %d %H:%M:%S')} pretrain.run step {i:>5} | rtd {x:.4f} | scale {65536 if i < 1900 else 32768 if i < 2260 else 1:.0f} | |g| {'inf' if 2100 < i < 2260 else 'nan' if i >= 2260 else format(0.9 + x / 20, '.3f')}", lambda i: curve(i) if i < 2260 else float("nan"))
    f.say(0, last + 6, "finished 4200 steps, saving discriminator to /ptmp/deb/out/step4200")
    f.load([(0, IDLE), (45, WORK)])
    f.close("COMPLETED", last + 14)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def wrong_shelf() -> Made:
    """E2: a job that follows another one and should go on where that stopped; its --load names a folder without a tracker file, so Megatron begins anew."""
    f = Fleet(("ln07", "ln08"), "neox-6b.2", 8_823_700, when("2026-11-02 07:07"), per=4, agents=True, script="pretrain_gpt.py", submit_line="sbatch --dependency=afterany:8823312 neox.slurm --load /lustre/ckpt/neox_6b --save /lustre/ckpt/neox-6b")
    f.past = (PastVerdict(relation="parent", job="8823312", mode="F3", fault="user", ended_ns=f.at(-900), nodes="ln[07-08]", head_loss=10.97, tail_loss=2.61, steps_done=9400, checkpoints=("/lustre/ckpt/neox-6b/iter_0009200", "/lustre/ckpt/neox-6b/iter_0009400"), gpu_hours=191.6),)
    f.say(0, 60, "WARNING: could not find the metadata file /lustre/ckpt/neox_6b/latest_checkpointed_iteration.txt \n    will not load any checkpoints and will start from random", "[default0]:")
    f.say(0, 61, "(min, max) time across ranks (ms):\n    load-checkpoint ................................: (4.11, 4.74)", "[default0]:")
    last = f.steps(7, range(100, 5201, 100), 110, 4.4, lambda i, x, _t: f" iteration {i:8d}/   40000 | consumed samples: {i * 768:12d} | elapsed time per iteration (ms): {4400 + i % 77:.1f} | learning rate: {min(1.2e-4, i * 6e-8):.3E} | global batch size:   768 | lm loss: {x:.6E} | loss scale: 131072.0 | grad norm: {0.4 + x / 10:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", fall(10.99, 2.5, 230), tag="[default3]:")
    f.say(0, last + 40, "  successfully saved checkpoint at iteration    5200 to /lustre/ckpt/neox-6b", "[default0]:")
    f.say(7, last + 42, f"[exiting program after 382.4 minutes] datetime: {f.clock(last + 42)} ", "[default3]:")
    f.load([(0, IDLE), (105, WORK)])
    f.close("COMPLETED", last + 58, dependency="afterany:8823312")
    return made(f, "E2", variant="from_scratch")


@job
def four_steps() -> Made:
    """E3: sixteen cards for four optimiser steps: the accelerate script's max_train_steps was left at four."""
    f = Fleet(("sx-1", "sx-2"), "sdxl-dream", 8_824_221, when("2026-11-03 13:50"), per=8, card=H100, submit_line="sbatch sdxl_ft.sh", script="train_text_to_image_sdxl.py")
    f.say(0, 61, f"{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ - ***** Running training *****\n{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Num examples = 410112\n{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Num Epochs = 1\n{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Instantaneous batch size per device = 4\n{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Total train batch size (w. parallel, distributed & accumulation) = 256\n{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Gradient Accumulation steps = 4\n{f.clock(61, '%m/%d/%Y %H:%M:%S')} - INFO - __main__ -   Total optimization steps = 4")
    for i, x in enumerate((0.1421, 0.1398, 0.1404, 0.1377), 1):
        f.say(0, 66 + 11 * i, f"Steps: {25 * i:>3}%|{'##' * i:<10}| {i}/4 [00:{11 * i:02d}<00:{44 - 11 * i:02d}, 11.0{i}s/it, lr=1e-6, step_loss={x}]")
    f.say(0, 138, "Configuration saved in /proj/art/sdxl-dream/unet/config.json\nModel weights saved in /proj/art/sdxl-dream/unet/diffusion_pytorch_model.safetensors")
    f.load([(0, IDLE), (66, Load(96, 50, 0.8, 0.7)), (111, Load(0, 0, 0.15, 0.7, 0))])
    f.close("COMPLETED", 150)
    return made(f, "E3")


@job
def silent_node() -> Made:
    """F1: the third of four nodes stops answering in mid-training; its report never comes, Slurm's records say it."""
    f = Fleet(("w501", "w502", "w503", "w504"), "galactica-ft", 8_824_777, when("2026-11-04 01:15"), per=4, submit_line="sbatch gal.sh", script="main.py")
    last = f.steps(0, range(25, 1301, 25), 72, 3.3, lambda i, x, _t: f"step {i} | epoch {i / 4100:.2f} | xent {x:.4f} | lr {3e-5:.1e} | {3.3:.1f} s/step | eta {(4100 - i) * 3.3 / 3600:.1f} h", fall(2.7, 1.71, 140))
    f.silent = {"w503"}
    f.event("w503", last + 60, "DOWN*", "Not responding")
    gone = "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS"
    taken_down(f, last + 64, gone)
    srun_says(f, last + 63, "error: Node failure on w503")
    f.end(f.ranks, last + 66, signal=9)
    f.load([(0, IDLE), (66, WORK), (last + 2, SPIN)])
    f.close("NODE_FAIL", last + 70, code=1, signal=9, failed_node="w503", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def guests() -> Made:
    """F2: jobs of the spare partition are ended when its owners come; this one may not be requeued."""
    f = Fleet(("sp-1", "sp-2"), "unet3d-spare", 8_825_230, when("2026-11-05 10:00"), per=4, card=A100, submit_line="sbatch -p spare --no-requeue unet3d.sh", script="unet3d.py", limit_s=172_800)
    last = f.steps(0, range(1, 88), 40, 96.0, lambda i, x, _t: f"epoch {i:>3}/300  dice_loss {x:.4f}  val_dice {1 - x * 0.93:.4f}  {96 + i % 4} s", fall(0.83, 0.19, 12))
    taken_down(f, last + 33, "DUE TO PREEMPTION")
    f.end(f.ranks, last + 35, signal=15)
    f.load([(0, IDLE), (38, WORK)])
    f.close("PREEMPTED", last + 41, signal=15, partition="spare", qos="scavenger")
    return made(f, "F2", fault="cluster", variant="preempted")


@job
def out_of_time() -> Made:
    """F3: a day was too short for the planned iterations; it went on to the last minute."""
    f = Fleet(("v31", "v32"), "t5-xl-span", 8_825_801, when("2026-11-06 08:00"), limit_s=86_400, per=8, card=H200, submit_line="sbatch --time=24:00:00 t5.sh", script="t5/train.py")
    f.steps(0, range(200, 18_001, 200), 110, 4.94, lambda i, x, t: f"INFO:absl:[{f.clock(t)}] train step {i}/30000, loss={x:.4f}, z_loss={x / 4000:.5f}, steps_per_second=0.2024", fall(10.1, 1.9, 700), until=86_400)
    f.say(0, 84_160, "INFO:absl:async checkpoint 17000 committed")
    taken_down(f, 86_410, "DUE TO TIME LIMIT")
    f.end(f.ranks, 86_413, signal=15)
    f.load([(0, IDLE), (100, WORK)])
    f.close("TIMEOUT", 86_416, signal=15)
    return made(f, "F3", variant="advancing")


@job
def changed_mind() -> Made:
    """F4: its owner cancels a run that goes on as it should."""
    f = Fleet(("e-61",), "rnnt-ablate", 8_826_160, when("2026-11-07 09:45"), per=8, card=H100, submit_line="sbatch rnnt.sh", script="rnnt.py")
    last = f.steps(0, range(50, 2651, 50), 44, 0.66, lambda i, x, t: f"{f.clock(t, '%y%m%d-%H%M%S')} | rnnt | upd {i} | nll {x:.3f} | wer-greedy {min(1.0, x / 160):.3f} | frames/s {181_000 + i % 900}", fall(230, 38, 150))
    taken_down(f, last + 14, "")
    f.end(f.ranks, last + 15, signal=15)
    f.load([(0, IDLE), (40, WORK)])
    f.close("CANCELLED", last + 18, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")



"""A lab's jobs, second row: stood still, went slowly, learnt nothing, were ended; and what went well."""

from __future__ import annotations

from corpus.make._ballast import CONTEXT, IDLE, SPIN, WORK, Load, Made, Maker, fall, good, keep, made, when
from corpus.make._ballast_words import frames, srun_says, taken_down, watchdog
from corpus.make._pigeon_kit import A30, A40, A100, A6000, ADA, H100, R4090, T4, Bench, bar, keras_bar, left
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Maker] = []
job = keep(JOBS)
ALONE = Load(96, 58, 0.84, 0.66)


@job
def seven_of_eight() -> Made:
    """C1: Lightning waits for its eighth member, whose node's home hangs; six hours of nothing, then the limit."""
    f = Bench(("br-21", "br-22"), "cryoem-denoise", 4_421_010, when("2026-06-15 12:00"), per=4, card=A100, limit_s=21_600, script="denoise/fit.py", submit_line="sbatch -N2 --ntasks-per-node=4 denoise.sh")
    f.say(0, 17, "Using bfloat16 Automatic Mixed Precision (AMP)\nGPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs")
    for r in (0, 1, 2, 3, 4, 5, 7):
        f.say(r, 18 + r * 0.3, f"Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r + 1}/8")
    f.looks[6] = {"state": "D", "wchan": "rpc_wait_bit_killable", "looks": 2100, "waits": {"D rpc_wait_bit_killable": 2088}, "file_systems": ("nfs4 /home",)}
    taken_down(f, 21_604, "DUE TO TIME LIMIT")
    f.end(f.ranks, 21_608, signal=15)
    f.end(6, 21_640, signal=9)
    f.load([(0, IDLE), (15, CONTEXT)])
    f.load([(0, IDLE)], [6])
    f.close("TIMEOUT", 21_645, signal=15)
    return made(f, "C1", fault="unknown")


@job
def uneven_validation() -> Made:
    """C2: in validation one rank has a batch less than the others and goes on to the next epoch; the watchdogs end all after half an hour."""
    f = Bench(("tg-1", "tg-2"), "bevfusion-mini", 4_421_333, when("2026-06-16 23:10"), per=4, card=A100, script="tools/train.py", submit_line="sbatch -N2 bev.sh")
    last = f.steps(0, range(50, 1751, 50), 66, 1.24, lambda i, x, t: f"{f.clock(t, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(train)  [1][{i:>4}/1758]  lr: 2.0000e-04  eta: 1 day, {11 - i // 900}:{59 - i % 50:02d}:10  time: 1.24{i % 9}0  data_time: 0.02{i % 7}1  memory: 21411  grad_norm: {3 + x:.4f}  loss: {x:.4f}  loss_heatmap: {x * 0.5:.4f}  loss_bbox: {x * 0.4:.4f}", fall(18.1, 5.2, 180))
    f.say(0, last + 130, f"{f.clock(last + 130, '%Y/%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(val)  [1][100/151]    eta: 0:00:55  time: 1.0880  data_time: 0.0312  memory: 9914")
    stop = last + 190
    for r in f.ranks:
        at = stop + 1803 + r * 0.08
        kind, into, out = ("ALLREDUCE", 13_107_200, 13_107_200) if r == 5 else ("ALLGATHER", 4096, 32_768)
        f.say(r, at, watchdog(f, r, at, "2.6", (8861, kind, into, out), 1800, ahead=1))
    f.end(f.ranks, stop + 1808, signal=6, gap=0.08)
    srun_says(f, stop + 1811, "error: tg-1: tasks 0-3: Aborted (core dumped)", "error: tg-2: tasks 4-7: Aborted (core dumped)")
    f.load([(0, IDLE), (60, Load(97, 0, 0.83, 0.6)), (stop, Load(100, 0, 0.24, 0.6, 0))])
    f.close("FAILED", stop + 1815, code=134, batch=(134, None), step=("FAILED", 0, 6))
    return made(f, "C2", "nccl")


@job
def workers_asleep() -> Made:
    """C3: one card; the loaders' worker processes deadlock in a lock of OpenCV after the first epoch; a day until the owner sees it."""
    f = Bench(("dl-ws4",), "keypoint-mice", 4_421_702, when("2026-06-17 17:20"), per=1, card=ADA, limit_s=172_800, script="pose/train.py", submit_line="sbatch --time=2-0 pose.sh")
    last = f.steps(0, range(20, 481, 20), 28, 0.44, lambda i, x, t: f"epoch 0 | batch {i:>3}/480 | heatmap mse {x:.5f} | pck@0.2 {min(0.9, 0.2 + i / 900):.3f} | {f.clock(t, '%b %d %H:%M:%S')}", fall(0.011, 0.0021, 90))
    f.say(0, last + 14, f"epoch 0 | val mse 0.00236 pck@0.2 0.713 | saved best.pth | {f.clock(last + 14, '%b %d %H:%M:%S')}")
    end = last + 19 * 3600.0
    taken_down(f, end, "")
    f.end(0, end + 2, signal=15)
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 322.0, "looks": 6800, "waits": {}}
    f.load([(0, IDLE), (24, Load(94, 0, 0.71, 0.31)), (last + 15, Load(0, 0, 0.09, 0.31, 0))])
    f.close("CANCELLED", end + 4, signal=15, cancelled_by_uid=1042)
    return made(f, "C3", fault="unknown")


@job
def slow_reader() -> Made:
    """D1: an HDF5 file of MRI slices is read by one worker; fastMRI's loop tells its time for data, the card stands most of the time."""
    f = Bench(("mri-gpu1",), "varnet-knee", 4_422_005, when("2026-06-18 09:00"), per=1, card=A100, script="varnet_loop.py", submit_line="sbatch varnet.sh")
    last = f.steps(0, range(100, 5001, 100), 40, 2.35, lambda i, x, t: f"{f.clock(t, '%m-%d %H:%M')} it {i:5d}/5000  1-ssim {x:.4f}  batch 2.35s (data 1.7{i % 9}s, net 0.5{i % 8}s)", fall(0.31, 0.094, 300))
    f.say(0, last + 90, f"{f.clock(last + 90, '%m-%d %H:%M')} val ssim 0.9021 psnr 38.41, saved varnet_it5000.pt")
    f.load([(0, IDLE), (36, Load(23, 0, 0.33, 0.44, 100))])
    f.points = 64
    f.close("COMPLETED", last + 97)
    return made(f, "D1")


@job
def every_hundred() -> Made:
    """D2: a super-resolution loop keeps model, EMA and both optimisers after every five iterations on a slow disk, a minute each."""
    f = Bench(("pix-2",), "esrgan-ortho", 4_422_340, when("2026-06-19 14:40"), per=1, card=A6000, script="basicsr/train.py", submit_line="sbatch esrgan.sh")
    at, curve = 35.0, fall(0.081, 0.031, 40)
    for i in range(1, 101):
        at += 1.9
        f.say(0, at, f"{f.clock(at, '%Y-%m-%d %H:%M:%S')},{i * 7 % 1000:03d} INFO: [esrga..][epoch:  0, iter: {i:>7,}, lr:(1.000e-04,)] [eta: 1:0{i % 9}:11, time (data): 1.9{i % 9}1 (0.012)] l_g_pix: {curve(i):.4e} l_g_percep: {curve(i) * 90:.4e} l_g_gan: {0.12 + i / 900:.4e} l_d_real: {0.5 - i / 400:.4e} l_d_fake: {0.6 - i / 300:.4e}")
        if i % 5 == 0:
            f.say(0, at + 0.2, f"{f.clock(at + 0.2, '%Y-%m-%d %H:%M:%S')},118 INFO: Saving models and training states.")
            at += 61
    f.say(0, at + 1, f"{f.clock(at + 1, '%Y-%m-%d %H:%M:%S')},551 INFO: End of training. Time consumed: {left(at - 35)}\n{f.clock(at + 1, '%Y-%m-%d %H:%M:%S')},551 INFO: Save the latest model.")
    f.load([(0, IDLE), (32, Load(15, 0, 0.26, 0.7, 100))])
    f.points = 70
    f.close("COMPLETED", at + 70)
    return made(f, "D2", variant="save_storm")


@job
def lame_horse() -> Made:
    """D3: rank 3 of eight sits with another's program on its card: it computes without pause and the seven wait in the reduction."""
    f = Bench(("x1", "x2"), "graphcast-reg", 4_422_666, when("2026-06-20 05:00"), per=4, card=H100, script="regional.py", submit_line="sbatch regional.sh")
    last = f.steps(0, range(20, 1201, 20), 55, 4.6, lambda i, x, t: f"[{f.clock(t, '%d/%m %H:%M:%S')}] {i:>4}/1200 mse_z500={x:.4f} mse_t850={x * 0.7:.4f} 4.6{i % 9} s/it", fall(0.92, 0.21, 130))
    f.say(0, last + 30, f"[{f.clock(last + 30, '%d/%m %H:%M:%S')}] rmse z500 day3: 141.2; done")
    f.load([(0, IDLE), (50, Load(99, 15, 0.36, 0.6))])
    f.load([(0, IDLE), (50, Load(100, 71, 0.72, 0.86))], [3])
    f.marks[3] = ({"foreign_processes": 1, "foreign_memory_bytes": 19 << 30}, {"foreign_processes": 1, "foreign_memory_bytes": 19 << 30})
    f.close("COMPLETED", last + 41)
    return made(f, "D3", fault="unknown")


@job
def all_guesses() -> Made:
    """E1: a ViT under timm's script stays at the loss of a guess over a hundred classes for twenty epochs."""
    f = Bench(("vit-a",), "vit-s-birds", 4_423_010, when("2026-06-21 20:00"), per=2, agents=True, card=A40, script="train.py", submit_line="sbatch timm.sh --model vit_small_patch16_224 --lr 0.1")
    at = 25.0
    for e in range(20):
        for b in (0, 120, 240):
            at += 34
            x = 4.6052 + 0.004 * ((e * 3 + b) % 7 - 3) / 3 + (0.6 if e == 0 and b == 0 else 0)
            f.say(0, at, f"Train: {e} [{b:>4}/240 ({100 * b // 240:>3}%)]  Loss: {x:.3g} ({x + 0.001:.4g})  Time: 0.281s,  910.{e}/s  (0.283s,  904.{b % 9}/s)  LR: {0.1 * (1 - e / 40):.3e}  Data: 0.00{e % 9} (0.011)")
        at += 9
        f.say(0, at, f"Test: [  24/24]  Time: 0.102 (0.121)  Loss:   4.605 ( 4.605)  Acc@1:   0.{890 + e} (  1.00{e % 3})  Acc@5:   4.{100 + e} (  5.0{e % 9})")
    f.say(0, at + 2, "*** Best metric: 1.02 (epoch 4)")
    f.load([(0, IDLE), (22, Load(96, 0, 0.8, 0.6))])
    f.close("COMPLETED", at + 9)
    return made(f, "E1", variant="flat")


@job
def wider_now() -> Made:
    """E2: a follow-on job has another width in its config than the checkpoint that it is to go on from."""
    f = Bench(("nlp-3",), "char-tagger-2", 4_423_330, when("2026-06-22 15:15"), per=1, card=A30, script="tag.py", submit_line="sbatch --dependency=afterok:4423102 tag.sh --resume runs/tagger/last.pt --hidden 768")
    f.say(0, 9, "tagger | vocab 311 tags 47 hidden 768 layers 3\ntagger | resuming from runs/tagger/last.pt")
    f.say(0, 10, frames(("/home/u/lt/tag.py", 154, "<module>", "run(parse())"), ("/home/u/lt/tag.py", 101, "run", "model.load_state_dict(state[\"model\"])"), ("/home/u/lt/venv/lib/python3.12/site-packages/torch/nn/modules/module.py", 2581, "load_state_dict", "raise RuntimeError("), error="RuntimeError: Error(s) in loading state_dict for Tagger:\n\tsize mismatch for embed.weight: copying a param with shape torch.Size([311, 512]) from checkpoint, the shape in current model is torch.Size([311, 768]).\n\tsize mismatch for lstm.weight_ih_l0: copying a param with shape torch.Size([2048, 512]) from checkpoint, the shape in current model is torch.Size([3072, 768]).\n\tsize mismatch for out.weight: copying a param with shape torch.Size([47, 1024]) from checkpoint, the shape in current model is torch.Size([47, 1536])."))
    f.end(0, 12, code=1)
    srun_says(f, 12.2, "error: nlp-3: task 0: Exited with exit code 1")
    f.past = (PastVerdict(relation="parent", job="4423102", mode="G1", fault="none", ended_ns=f.at(-300), nodes="nlp-3", head_loss=3.88, tail_loss=0.41, steps_done=18_000, checkpoints=("runs/tagger/last.pt",), gpu_hours=3.1),)
    f.load([(0, IDLE), (8, CONTEXT)])
    f.close("FAILED", 14, code=1, dependency="afterok:4423102")
    return made(f, "E2", "runtime_error", variant="size_mismatch")


@job
def two_batches() -> Made:
    """E3: Keras was told two steps an epoch and one epoch; two cards' worth of queueing for that."""
    f = Bench(("tfbox",), "lesion-keras", 4_423_660, when("2026-06-23 10:10"), per=1, card=T4, script="lesion.py", submit_line="sbatch lesion.sh")
    f.say(0, 9, f"{f.clock(9)}.110342: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1928] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 13949 MB memory:  -> device: 0, name: Tesla T4, pci bus id: 0000:1b:00.0, compute capability: 7.5")
    f.say(0, 31, "\n".join(("Found 8012 images belonging to 7 classes.", keras_bar(2, 310, "accuracy: 0.1406 - loss: 2.3117 - val_accuracy: 0.1562 - val_loss: 2.0914"), "saved lesion_b0.keras")))
    f.load([(0, IDLE), (8, Load(0, 0, 0.15, 0.87, 0)), (26, Load(50, 0, 0.6, 0.87, 90)), (31, Load(0, 0, 0.18, 0.87, 0))])
    f.close("COMPLETED", 36)
    return made(f, "E3")


@job
def dark_node() -> Made:
    """F1: the second of two nodes of a molecular generation run goes down in its sixth hour; the first one's ranks were in a step."""
    f = Bench(("cmp-17", "cmp-18"), "molgen-flow", 4_424_020, when("2026-06-24 01:00"), per=2, card=A100, script="flowmol/train.py", submit_line="sbatch -N2 flowmol.sh")
    last = f.steps(0, range(100, 18_001, 100), 40, 1.13, lambda i, x, t: f"flowmol {i:>6} | x {x:.4f} | a {x * 0.61:.4f} | e {x * 0.22:.4f} | {f.clock(t, '%H:%M:%S')}", fall(2.9, 0.7, 900))
    f.silent = {"cmp-18"}
    f.event("cmp-18", last + 95, "DOWN*", "Not responding")
    srun_says(f, last + 98, "error: Node failure on cmp-18")
    taken_down(f, last + 99, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 102, signal=9)
    f.load([(0, IDLE), (40, WORK), (last + 2, SPIN)])
    f.close("NODE_FAIL", last + 104, code=1, signal=9, failed_node="cmp-18", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def guest_hours() -> Made:
    """F2: preempted in a guests' partition, put back, gone on with and finished."""
    f = Bench(("guest-4",), "nerf-campus", 4_424_350, when("2026-06-25 16:00"), per=1, card=A40, script="train_ngp.py", submit_line="sbatch -p scavenge --requeue ngp.sh")
    f.ended("PREEMPTED", end=-600, steps=(("batch", "CANCELLED", 0, 15), ("0", "CANCELLED", 0, 15)), start_ns=f.at(-8000), submit_ns=f.at(-8100), end_ns=f.at(-600), elapsed_s=7400, node_list="guest-1", restarts=0, partition="scavenge")
    f.say(0, 12, "==> found workspace/campus/checkpoints/ngp_ep0061.pth\n==> resumed at epoch 62, global_step 30500")
    last = f.steps(0, range(62, 151), 14, 118, lambda i, x, _t: f"==> Finished Epoch {i}, loss = {x:.6f}, psnr = {-4.34 * 2.302 * (x ** 0.5) + 33:.3f}, lr = {1e-2 * 0.98 ** i:.6f}", fall(0.004, 0.0011, 30))
    f.say(0, last + 40, "++> Evaluate workspace/campus at epoch 150 ...\nPSNR = 31.204113\n++> Evaluate epoch 150 Finished.")
    f.load([(0, IDLE), (13, Load(97, 0, 0.9, 0.4))])
    f.close("COMPLETED", last + 45, restarts=1, partition="scavenge")
    return made(f, "F2", fault="none", variant="preempted_recovered")


@job
def eight_hours_too_few() -> Made:
    """F3: a policy for a simulated arm is at two thirds of its frames when its eight hours are over."""
    f = Bench(("rl-6",), "sac-peg-insert", 4_424_700, when("2026-06-26 08:00"), per=1, card=ADA, limit_s=28_800, script="sac.py", submit_line="sbatch --time=8:00:00 sac.sh")
    f.steps(0, range(5000, 1_000_001, 5000), 30, 0.0431, lambda i, x, t: f"frame {i:>8} | ep_ret {180 * (1 - x):8.2f} | q {x * 20:7.3f} | alpha {0.02 + x / 10:.4f} | fps 23.{i // 5000 % 10} | {f.clock(t, '%H:%M:%S')}", fall(0.98, 0.12, 90_000), until=28_815)
    taken_down(f, 28_818, "DUE TO TIME LIMIT")
    f.end(0, 28_820, signal=15)
    f.load([(0, IDLE), (25, Load(52, 0, 0.4, 0.1, 14))])
    f.close("TIMEOUT", 28_823, signal=15)
    return made(f, "F3", variant="advancing")


@job
def second_thoughts() -> Made:
    """F4: the owner of a healthy run of contrastive audio learning cancels it."""
    f = Bench(("snd-1",), "clap-birds", 4_425_011, when("2026-06-27 12:12"), per=2, card=A40, script="clap.py", submit_line="sbatch clap.sh")
    last = f.steps(0, range(100, 7101, 100), 40, 0.8, lambda i, x, t: f"{f.clock(t)} - step {i} - clap_loss {x:.4f} - r1 {0.02 + (4.2 - x) / 9:.3f} - scale {14.2 + i / 1000:.2f}", fall(4.2, 1.6, 600))
    taken_down(f, last + 33, "")
    f.end(f.ranks, last + 35, signal=15)
    f.load([(0, IDLE), (35, Load(95, 0, 0.84, 0.72))])
    f.close("CANCELLED", last + 38, signal=15, cancelled_by_uid=1042)
    return made(f, "F4", variant="by_owner")


@job
def plain_imagenet() -> Made:
    """A ResNet in PyTorch's own example, nine epochs, with its meters."""
    f = Bench(("im-4",), "rn50-im100", 4_425_345, when("2026-06-28 18:00"), per=4, agents=True, card=A100, script="main.py", submit_line="sbatch rn50.sh")
    at, curve = 40.0, fall(4.7, 1.1, 260)
    for e in range(9):
        for b in range(0, 501, 100):
            at += 42
            x = curve(e * 500 + b + 1)
            f.say(0, at, f"Epoch: [{e}][{b:>3}/506]\tTime  0.42{b // 100} ( 0.42{e})\tData  0.00{e} ( 0.01{e})\tLoss {x:.4e} ({x + 0.02:.4e})\tAcc@1 {max(1, 88 - 18 * x):6.2f} ({max(1, 87 - 18 * x):6.2f})\tAcc@5 {max(5, 98 - 14 * x):6.2f} ({max(5, 97 - 14 * x):6.2f})")
        at += 18
        f.say(0, at, f" *   Acc@1 {max(1, 86 - 18 * curve(e * 500 + 500)):.3f} Acc@5 {max(5, 96 - 12 * curve(e * 500 + 500)):.3f}")
    f.load([(0, IDLE), (35, Load(97, 0, 0.88, 0.7))])
    f.close("COMPLETED", at + 8)
    return good(f)


@job
def tagged_pictures() -> Made:
    """A detector's fine-tuning with bars that go over themselves, four hours, in the manner of YOLO."""
    f = Bench(("agri-2",), "yolo-weeds", 4_425_680, when("2026-06-29 19:00"), per=1, card=R4090, script="yolo", submit_line="sbatch yolo.sh")
    f.say(0, 14, "Ultralytics 8.3.40 🚀 Python-3.11.9 torch-2.4.1+cu121 CUDA:0 (NVIDIA GeForce RTX 4090, 24105MiB)\nAMP: checks passed ✅\nImage sizes 640 train, 640 val\nUsing 8 dataloader workers\nLogging results to runs/detect/weeds7\nStarting training for 80 epochs...")
    at, curve = 16.0, fall(2.1, 0.72, 9)
    for e in range(1, 81):
        x = curve(e)
        head = f"{f'{e}/80':>11}{'9.41G':>11}{x:11.4g}{x * 1.1:11.4g}{x * 0.9:11.4g}{40 + e % 17:11d}{640:11d}"
        if e == 1:
            f.say(0, at, "\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size")
        for b in (0, 310, 620):
            f.say(0, at + b * 0.27, bar(b, 620, 0.27, head=head))
        at += 620 * 0.27
        f.say(0, at + 6, f"                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 39/39 [00:05<00:00,  7.11it/s]\n                   all       1240       9971      {0.9 - x / 6:.3f}      {0.88 - x / 5:.3f}      {0.93 - x / 5:.3f}      {0.74 - x / 4:.3f}")
        at += 9
    f.say(0, at + 4, f"\n80 epochs completed in {(at - 16) / 3600:.3f} hours.\nOptimizer stripped from runs/detect/weeds7/weights/last.pt, 22.5MB\nOptimizer stripped from runs/detect/weeds7/weights/best.pt, 22.5MB")
    f.load([(0, IDLE), (15, Load(93, 0, 0.72, 0.41))])
    f.close("COMPLETED", at + 12)
    return good(f)


@job
def clever_stop() -> Made:
    """Hard: Keras stops early as its callback says, goes back to its best weights, and the destructor of a generator complains."""
    f = Bench(("heart-1",), "ecg-arrhythmia", 4_426_010, when("2026-06-30 21:30"), per=1, card=T4, script="ecg_net.py", submit_line="sbatch ecg.sh")
    f.say(0, 8, f"{f.clock(8)}.770113: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:477] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered\n{f.clock(8)}.801190: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered\n{f.clock(8)}.902212: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT")
    at, curve = 20.0, fall(0.61, 0.112, 4)
    for e in range(1, 42):
        at += 131
        x = curve(e)
        v = x * 1.1 if e <= 31 else 0.158 + (e - 31) * 0.0011
        f.say(0, at, f"Epoch {e}/200\n" + keras_bar(1180, 110, f"auc: {0.995 - x / 3:.4f} - loss: {x:.4f} - val_auc: {0.99 - v / 3:.4f} - val_loss: {v:.4f} - learning_rate: 5.0000e-04"))
    f.say(0, at + 1, "Epoch 41: early stopping\nRestoring model weights from the end of the best epoch: 31.")
    f.say(0, at + 9, "test auc 0.9512, f1(AF) 0.884 -> ecg_best.keras")
    f.say(0, at + 10, "Exception ignored in: <generator object records at 0x14b8c1a3e2d0>\n" + frames(("/home/card/ecg/records.py", 61, "records", "pool.terminate()"), ("/usr/lib/python3.10/multiprocessing/pool.py", 657, "terminate", "self._terminate()"), error="ValueError: semaphore or lock released too many times"))
    f.load([(0, IDLE), (18, Load(95, 0, 0.92, 0.9))])
    f.close("COMPLETED", at + 14)
    return good(f, hard=True)


@job
def little_room() -> Made:
    """Hard: the search for the largest batch runs out of memory thrice, as it should, and Lightning then trains three hours."""
    f = Bench(("gl-9",), "satmae-probe", 4_426_350, when("2026-07-01 09:30"), per=1, card=A40, script="probe.py", submit_line="sbatch probe.sh --scale-batch-size")
    f.say(0, 14, "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\n`Trainer.fit` stopped: `max_steps=3` reached.\nBatch size 128 succeeded, trying batch size 256\n`Trainer.fit` stopped: `max_steps=3` reached.\nBatch size 256 succeeded, trying batch size 512")
    f.say(0, 41, "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.00 GiB. GPU 0 has a total capacity of 44.42 GiB of which 1.19 GiB is free.\nBatch size 512 failed, trying batch size 384")
    f.say(0, 56, "`Trainer.fit` stopped: `max_steps=3` reached.\nFinished batch size finder, will continue with full run using batch size 384\nRestoring states from the checkpoint path at /proj/sat/.scale_batch_size_1b77.ckpt")
    for e in range(30):
        f.say(0, 70 + 360 * (e + 1), bar(412, 412, 0.87, head=f"Epoch {e}", more=f"v_num=14, train/bce={fall(0.52, 0.161, 4)(e):.3f}, val/map={0.81 - fall(0.52, 0.161, 4)(e):.3f}"))
    end = 70 + 360 * 30 + 4.0
    f.say(0, end, "`Trainer.fit` stopped: `max_epochs=30` reached.")
    f.load([(0, IDLE), (14, Load(70, 0, 0.6, 0.97, 60)), (60, Load(97, 0, 0.9, 0.86))])
    f.close("COMPLETED", end + 12)
    return good(f, hard=True)


@job
def nano_tubes() -> Made:
    """Hard: names full of nan and errors; a potential for carbon nanotubes, whose validation lists its errors."""
    f = Bench(("chem-8",), "mace-nanotube", 4_426_700, when("2026-07-02 22:20"), per=1, card=A100, script="mace_run_train", submit_line="sbatch mace.sh")
    f.say(0, 13, f"{f.clock(13)}.114 INFO: MACE version: 0.3.6\n{f.clock(13)}.115 INFO: Using isolated atom energies from training file\n{f.clock(14)}.220 WARNING: Since ASE version 3.23.0b1, using energy_key 'energy' is no longer safe when communicating between MACE and ASE. We recommend using a different key, rewriting 'energy' to 'REF_energy'.\n{f.clock(19)}.310 INFO: Training set: 3120 configs (nanotube_armchair, nanotube_zigzag, nanoribbon)\n{f.clock(19)}.311 INFO: loss=WeightedEnergyForcesLoss, error_table=PerAtomRMSE, nan_to_num=True")
    last = f.steps(0, range(0, 121, 2), 60, 118, lambda i, x, t: f"{f.clock(t)}.{i:03d} INFO: Epoch {i}: head: default, loss={x:.8f}, RMSE_E_per_atom={x * 31:8.2f} meV, RMSE_F={x * 420:8.2f} meV / A", fall(0.41, 0.021, 6))
    f.say(0, last + 12, f"{f.clock(last + 12)}.400 INFO: Training complete\n{f.clock(last + 12)}.402 INFO: Computing metrics for training, validation, and test sets\n{f.clock(last + 20)}.119 INFO: Error-table on TRAIN and VALID:\n+---------------+---------------------+------------------+-------------------+\n|  config_type  | RMSE E / meV / atom | RMSE F / meV / A | relative F RMSE % |\n+---------------+---------------------+------------------+-------------------+\n| train_default |           0.7       |        9.2       |         0.81      |\n| valid_default |           0.8       |       10.4       |         0.92      |\n+---------------+---------------------+------------------+-------------------+\n{f.clock(last + 21)}.002 INFO: Saving model to checkpoints/nanotube_run-3.model\n{f.clock(last + 21)}.770 INFO: Done")
    f.load([(0, IDLE), (52, Load(88, 0, 0.66, 0.3, 9))])
    f.close("COMPLETED", last + 26)
    return good(f, hard=True)


@job
def slow_but_sure() -> Made:
    """Hard: a small policy net leaves its card at a fifth of its duty, evenly; PPO's tables, its full number of steps."""
    f = Bench(("rl-2",), "ppo-walker", 4_427_030, when("2026-07-03 07:00"), per=1, card=A30, script="ppo.py", submit_line="sbatch ppo.sh")
    f.say(0, 9, "Using cuda device\nWrapping the env in a VecNormalize.\nUserWarning: You are trying to run PPO on the GPU, but it is primarily intended to run on the CPU when not using a CNN policy (you are using ActorCriticPolicy which should be a MlpPolicy).")
    at, rew = 12.0, 0.0
    for i in range(1, 123):
        at += 62
        rew = 310 * (1 - (1 + i / 20) ** -0.9) - 60 + (i * 7 % 11)
        rows = (("rollout/", ""), ("   ep_len_mean", f"{min(1600, 300 + 14 * i)}"), ("   ep_rew_mean", f"{rew:.0f}"), ("time/", ""), ("   fps", "1057"), ("   iterations", f"{i}"), ("   time_elapsed", f"{at - 12:.0f}"), ("   total_timesteps", f"{i * 65_536}"), ("train/", ""), ("   approx_kl", f"{0.011 + i % 5 / 900:.6f}"), ("   clip_fraction", f"0.1{i % 9}"), ("   explained_variance", f"{min(0.97, 0.2 + i / 100):.3f}"), ("   loss", f"{0.31 - i / 500:.4g}"), ("   value_loss", f"{1.2 / (1 + i / 12):.4g}"))
        f.say(0, at, "\n".join(("-" * 42, *(f"| {k:<22} | {v:<13} |" for k, v in rows), "-" * 42)))
    f.say(0, at + 20, f"final eval: 100 episodes, return {rew:.1f} +/- 21.4; saved ppo_walker_8M.zip")
    f.load([(0, IDLE), (11, Load(21, 0, 0.3, 0.04, 9))])
    f.close("COMPLETED", at + 26)
    return good(f, hard=True)

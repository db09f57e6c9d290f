"""Labels of a pantry, upper shelf: jobs on one card and on sixteen that were slow, stood, or learnt nothing."""

from __future__ import annotations

from corpus.make._ballast import IDLE, SPIN, WORK, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, srun_says, taken_down
from corpus.make._pigeon_kit import A30, A40, A100, A6000, ADA, H100, H200, R2080, R4090, Bench, bar, keras_bar
from gpualert_slurm.past_verdict import PastVerdict

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def counted_wrong() -> Made:
    """A1: the number of classes in the config is not that of the folder; an assertion of the script on all ranks."""
    f = Bench(("c3-12",), "convnext-herb", 6_610_044, when("2026-08-03 10:21"), per=4, agents=True, card=A100, script="train.py", submit_line="sbatch herb.sh num_classes=15501")
    f.each(14, "=> rank {r}/4 | found 640 210 images in 15 505 folders")
    f.each(15.5, frames(("/home/bota/herb/train.py", 144, "<module>", "main(OmegaConf.merge(base, cli))"), ("/home/bota/herb/train.py", 61, "main", "assert len(train_set.classes) == cfg.num_classes, (len(train_set.classes), cfg.num_classes)"), error="AssertionError: (15505, 15501)"), tag="[rank{r}]: ", gap=0.02)
    f.end(f.ranks, 17, code=1)
    elastic(f, 0, 19, [(r, 1, 17 + 0.03 * r) for r in range(4)], binary="/home/bota/miniforge3/envs/cv/bin/python", version="2.5")
    srun_says(f, 20, "error: c3-12: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (11, IDLE)])
    f.close("FAILED", 22, code=1)
    return made(f, "A1", "assertion", variant="config")


@job
def cut_mid_word() -> Made:
    """A1: a line of the JSON of captions is cut off; the loader of the script cannot parse it."""
    f = Bench(("lab-t2",), "blip-recipes", 6_610_390, when("2026-08-04 16:50"), per=1, card=A6000, script="caption/train.py", submit_line="sbatch blip.sh")
    f.say(0, 12, "reading data/recipes/train.jsonl")
    f.say(0, 19, frames(("/home/ines/caption/train.py", 98, "<module>", "main()"), ("/home/ines/caption/train.py", 40, "main", "rows = [json.loads(line) for line in open(args.train)]"), ("/usr/lib/python3.10/json/__init__.py", 346, "loads", "return _default_decoder.decode(s)"), ("/usr/lib/python3.10/json/decoder.py", 337, "decode", "obj, end = self.raw_decode(s, idx=_w(s, 0).end())"), ("/usr/lib/python3.10/json/decoder.py", 353, "raw_decode", "obj, end = self.scan_once(s, idx)"), error="json.decoder.JSONDecodeError: Unterminated string starting at: line 1 column 31 (char 30)"))
    f.end(0, 20, code=1)
    srun_says(f, 20.2, "error: lab-t2: task 0: Exited with exit code 1")
    f.load([(0, IDLE)])
    f.close("FAILED", 22, code=1)
    return made(f, "A1", "traceback", variant="data")


@job
def nobody_signed() -> Made:
    """A2: a simulation of soft robots is killed with SIGKILL in mid-run; no counter of memory moved, nobody is named."""
    f = Bench(("soft-1",), "diffsim-grip", 6_610_702, when("2026-08-05 22:00"), per=1, card=ADA, script="grip.py", submit_line="sbatch grip.sh")
    last = f.steps(0, range(5, 341, 5), 26, 21.4, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} opt-iter {i:>3}/900 obj {x:.5f} contact {0.3 + x:.3f} wall {t:.0f}s", fall(3.4, 0.6, 30))
    f.end(0, last + 9, signal=9)
    srun_says(f, last + 10, "error: soft-1: task 0: Killed")
    f.load([(0, IDLE), (22, Load(84, 0, 0.51, 0.22, 18))])
    f.close("FAILED", last + 12, code=137, batch=(137, None), step=("FAILED", 0, 9))
    return made(f, "A2", None, first=(0,), fault="unknown")


@job
def hollow_mesh() -> Made:
    """A3: one mesh of the shapes has no faces; an assertion of the sampler in the second hour."""
    f = Bench(("geo-7",), "sdf-shapes", 6_611_015, when("2026-08-06 09:30"), per=1, card=R4090, script="train_deep_sdf.py", submit_line="sbatch sdf.sh")
    last = f.steps(0, range(1, 88), 20, 71, lambda i, x, _t: f"DeepSdf - INFO - epoch {i}..." + (f"\nDeepSdf - DEBUG - loss = {x:.6f}" if i > 1 else ""), fall(0.081, 0.0122, 6))
    f.say(0, last + 33, frames(("/home/pk/DeepSDF/train_deep_sdf.py", 596, "<module>", "main_function(args.experiment_directory, args.continue_from, int(args.batch_split))"), ("/home/pk/DeepSDF/train_deep_sdf.py", 480, "main_function", "for sdf_data, indices in sdf_loader:"), ("/home/pk/DeepSDF/deep_sdf/data.py", 88, "unpack_sdf_samples", "assert len(pos) > 0 and len(neg) > 0, filename"), error="AssertionError: shapenet/03001627/5f2a1c77e1b0.npz"))
    f.end(0, last + 35, code=1)
    srun_says(f, last + 35.2, "error: geo-7: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (17, Load(90, 0, 0.65, 0.33))])
    f.close("FAILED", last + 37, code=1)
    return made(f, "A3", "assertion", first=(0,))


@job
def longer_sentences() -> Made:
    """B1: one rank of a translator's fine-tuning draws a batch of long sentences and runs out of memory in the third hour."""
    f = Bench(("t-31",), "nllb-quechua", 6_611_333, when("2026-08-07 12:00"), per=4, card=A40, script="ft_nllb.py", submit_line="sbatch nllb.sh")
    last = f.steps(0, range(50, 6701, 50), 60, 1.4, lambda i, x, t: f"{f.clock(t)} | INFO | nllb | {i}/30000 | loss {x:.4f} | chrF~{21 + (4 - x) * 7:.1f} | {1.4:.2f} s/it", fall(4.0, 1.7, 400))
    f.say(2, last + 14, frames(("/home/ling/ft_nllb.py", 166, "<module>", "main()"), ("/home/ling/ft_nllb.py", 131, "main", "loss.backward()"), ("/home/ling/.venv/lib/python3.11/site-packages/torch/_tensor.py", 581, "backward", "torch.autograd.backward("), error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.82 GiB. GPU 2 has a total capacity of 44.42 GiB of which 3.14 GiB is free. Including non-PyTorch memory, this process has 41.27 GiB memory in use. Of the allocated memory 36.02 GiB is allocated by PyTorch, and 4.66 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"), "[rank2]: ")
    f.end(2, last + 17, code=1)
    f.end([0, 1, 3], last + 20, signal=9)
    srun_says(f, last + 18, "error: t-31: task 2: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: t-31: tasks 0-1,3: Killed")
    f.load([(0, IDLE), (55, Load(96, 0, 0.87, 0.81))])
    f.load([(0, IDLE), (55, Load(96, 0, 0.87, 0.83)), (last + 5, Load(96, 0, 0.87, 0.96))], [2])
    f.close("FAILED", last + 23, code=1)
    return made(f, "B1", "cuda_oom", first=(2,))


@job
def loose_bridge() -> Made:
    """B2: an NVLink of the card of rank 3 fails in mid-run; the driver's Xid 74, the counters of its links, and NCCL's unhandled error."""
    f = Bench(("dgx-2",), "sam-cells", 6_611_690, when("2026-08-08 19:00"), per=8, card=H100, script="ft_sam.py", submit_line="sbatch sam.sh")
    last = f.steps(0, range(20, 3621, 20), 70, 1.9, lambda i, x, t: f"[{f.clock(t, '%m-%d %H:%M:%S')}] sam-cells {i:05d} focal+dice {x:.4f} iou {0.93 - x / 4:.3f}", fall(1.6, 0.3, 250))
    f.xid(3, last + 4, 74, "NVLink: fatal error detected on link 11(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)")
    f.marks[3] = ({"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 2, "nvlink_links_active": 18}, {"nvlink_replay_errors": 911, "nvlink_recovery_errors": 4, "nvlink_crc_errors": 30_912, "nvlink_links_active": 17, "recovery_action": "reset"})
    f.say(3, last + 6, frames(("/proj/cells/ft_sam.py", 244, "<module>", "main()"), ("/proj/cells/ft_sam.py", 190, "main", "scaler.step(opt)"), error="RuntimeError: CUDA error: uncorrectable NVLink error detected during the execution\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"), "[rank3]: ")
    f.end(3, last + 9, code=1)
    f.end([r for r in f.ranks if r != 3], last + 12, signal=9)
    srun_says(f, last + 10, "error: dgx-2: task 3: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: dgx-2: tasks 0-2,4-7: Killed")
    f.load([(0, IDLE), (65, WORK)])
    f.close("FAILED", last + 15, code=1)
    return made(f, "B2", "cuda_runtime", first=(3,), variant="fault", fault="node")


@job
def weak_supply() -> Made:
    """B3: a power supply of the node fails after two hours; all four cards are braked by the hardware, steps take three times as long."""
    f = Bench(("sup-5",), "ldm-faces", 6_612_011, when("2026-08-09 06:00"), per=4, card=A100, script="main_ldm.py", submit_line="sbatch ldm.sh")
    turn = 7200.0
    last = f.steps(0, range(100, 20_001, 100), 50, lambda i: 0.72 if i <= 9900 else 2.2, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} it {i:>6} | train/loss_simple {x:.4f} | train/loss_vlb {x / 31:.5f} | it/s {1 / (0.72 if i <= 9900 else 2.2):.2f}", fall(0.98, 0.162, 500))
    f.say(0, last + 20, f"{f.clock(last + 20, '%H:%M:%S')} fid10k 14.8; reached max_steps 20000")
    gone = int((last - turn) * 0.97e9)
    for r in f.ranks:
        f.marks[r] = ({"violation_hw_power_brake_ns": 0, "violation_power_ns": 0}, {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone})
    f.load([(0, IDLE), (45, Load(98, 0, 0.9, 0.62, clock=0.98, heat=61)), (turn, Load(99, 0, 0.34, 0.62, clock=0.3, heat=44, throttle=0x88))])
    f.close("COMPLETED", last + 27)
    return made(f, "B3", fault="node")


@job
def spoon_stuck() -> Made:
    """C3: one card; after its last epoch but five the process waits for its tracker's service in a pipe, the card holds its memory for eleven hours until the limit."""
    f = Bench(("gp-11",), "xgnn-traffic", 6_612_330, when("2026-08-10 17:00"), per=1, card=A30, limit_s=43_200, script="traffic.py", submit_line="sbatch --time=12:00:00 traffic.sh")
    last = f.steps(0, range(1, 56), 22, 48, lambda i, x, t: f"epoch={i} mae={x:.3f} rmse={x * 1.7:.3f} mape={x * 2.4:.2f}% time={48.0}s [{f.clock(t)}]", fall(6.1, 2.71, 7))
    taken_down(f, 43_207, "DUE TO TIME LIMIT")
    f.end(0, 43_211, signal=15)
    f.looks[0] = {"state": "S", "wchan": "pipe_read", "cpu_s": 2671.0, "looks": 4200, "waits": {}}
    f.load([(0, IDLE), (18, Load(81, 0, 0.62, 0.41, 12)), (last + 20, Load(0, 0, 0.19, 0.41, 0))])
    f.close("TIMEOUT", 43_214, signal=15)
    return made(f, "C3", fault="unknown")


@job
def waiting_for_pictures() -> Made:
    """D1: MMEngine's lines have more data_time than half of time; four cards stop and go over a slow file system."""
    f = Bench(("mm-21",), "mmpose-athletes", 6_612_711, when("2026-08-11 07:10"), per=4, card=A100, script="tools/train.py", submit_line="sbatch --cpus-per-task=3 pose.sh")
    last = f.steps(0, range(50, 6001, 50), 60, 1.71, lambda i, x, t: f"{f.clock(t, '%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(train) [{1 + (i - 1) // 1000}][{1 + (i - 1) % 1000:>4}/1000]  lr: 5.0000e-04  eta: {(6000 - i) * 1.71 // 3600:.0f}:{(6000 - i) * 1.71 % 3600 // 60:02.0f}:31  time: 1.71{i // 50 % 9}212  data_time: 1.28{i // 50 % 7}901  memory: 7411  loss: {x:.6f}  loss_kpt: {x:.6f}  acc_pose: {0.85 - x * 200:.6f}", fall(0.0031, 0.0007, 300))
    f.say(0, last + 40, f"{f.clock(last + 40, '%m/%d %H:%M:%S')} - mmengine - INFO - Epoch(val) [6][156/156]    coco/AP: 0.641201  coco/AP .5: 0.861133  coco/AR: 0.701244  data_time: 0.411002  time: 0.502114")
    f.load([(0, IDLE), (55, Load(22, 0, 0.34, 0.33, 100))])
    f.points = 60
    f.close("COMPLETED", last + 49)
    return made(f, "D1")


@job
def careful_launches() -> Made:
    """D2: CUDA_LAUNCH_BLOCKING=1 came in from a shell's start file; a speech model of many small kernels is slow on both cards."""
    f = Bench(("sp-8",), "fastpitch-gd", 6_613_022, when("2026-08-12 20:00"), per=2, card=H100, script="fastpitch/train.py", submit_line="sbatch fp.sh")
    f.script_words.append((0.8, "OMP_NUM_THREADS=8\nCUDA_LAUNCH_BLOCKING=1\nPYTHONUNBUFFERED=1"))
    for r in f.ranks:
        f.environment[r] = {"CUDA_LAUNCH_BLOCKING": "1"}
    last = f.steps(0, range(20, 4001, 20), 32, 1.9, lambda i, x, _t: f"DLL {i} - epoch {1 + (i - 1) // 400:>4} | iter {1 + (i - 1) % 400:>3}/400 | loss {x:6.3f} | mel loss {x * 0.6:6.3f} | {3100 + i % 97}.{i % 9} frames/s | took 1.9{i % 8} s | lrate 1.00e-03", fall(9.7, 2.2, 140))
    f.say(0, last + 6, f"DLL {f.clock(last + 6)} - () avg train loss : 2.41 | Saving model and optimizer state at epoch 10 to out/FastPitch_checkpoint_10.pt")
    f.load([(0, IDLE), (28, Load(74, 12, 0.31, 0.35, 30))])
    f.close("COMPLETED", last + 14)
    return made(f, "D2", variant="launch_blocking")


@job
def long_batches() -> Made:
    """D3: rank 6 computes at its SMs all the time while the seven others stand in the reduction, their own share of work done."""
    f = Bench(("alp-1", "alp-2"), "hydra-mol", 6_613_340, when("2026-08-13 03:00"), per=4, card=H200, script="qm_pretrain.py", submit_line="sbatch -N2 qm.sh")
    last = f.steps(0, range(50, 4001, 50), 48, 3.1, lambda i, x, t: f"{f.clock(t)} [0] qm step {i}/4000 E-mae {x:.4f} F-mae {x * 0.31:.4f} step 3.1{i % 9}s (sync 2.4{i % 8}s)", fall(1.4, 0.19, 230))
    f.say(0, last + 9, f"{f.clock(last + 9)} [0] qm finished, ema weights in runs/qm/ema.pt")
    f.load([(0, IDLE), (44, Load(99, 14, 0.35, 0.5))])
    f.load([(0, IDLE), (44, Load(99, 69, 0.74, 0.5))], [6])
    f.close("COMPLETED", last + 17)
    return made(f, "D3", fault="unknown")


@job
def skyward() -> Made:
    """E1: the loss of a diffusion policy springs to a thousand times at step 6200 and stays there to the planned end."""
    f = Bench(("arm-4",), "diffpolicy-cups", 6_613_700, when("2026-08-14 14:00"), per=1, card=R4090, script="train.py", submit_line="sbatch dp.sh optimizer.lr=3e-3")
    curve = fall(0.41, 0.021, 300)
    last = f.steps(0, range(200, 15_001, 200), 24, 0.36, lambda i, x, t: f"[{f.clock(t)}][diffusion_policy][INFO] - global_step {i} train_loss {x:.5f} lr 3.0e-03 grad_norm {min(9e4, 0.2 + x * 3):.3f}", lambda i: curve(i) if i < 6200 else 42.7 + (i * 37 % 1130) / 90)
    f.say(0, last + 60, f"[{f.clock(last + 60)}][diffusion_policy][INFO] - test/mean_score 0.00, training finished at global_step 15000")
    f.load([(0, IDLE), (20, Load(92, 0, 0.7, 0.5))])
    f.close("COMPLETED", last + 66)
    return made(f, "E1", variant="spike")


@job
def nans_to_the_end() -> Made:
    """E1: Keras prints loss: nan from its third epoch on and goes on to the tenth."""
    f = Bench(("kv-1",), "crop-yield", 6_614_001, when("2026-08-15 11:00"), per=1, card=R2080, script="yield_lstm.py", submit_line="sbatch yield.sh")
    at = 18.0
    for e in range(1, 11):
        at += 260
        x = "nan" if e >= 3 else f"{(0.911, 0.604)[e - 1]:.4f}"
        f.say(0, at, f"Epoch {e}/10\n" + keras_bar(2100, 123, f"loss: {x} - mae: {x} - val_loss: {x} - val_mae: {x}"))
    f.say(0, at + 3, "WARNING:absl:You are saving your model as an HDF5 file via `model.save()` or `keras.saving.save_model(model)`. This file format is considered legacy. We recommend using instead the native Keras format, e.g. `model.save('my_model.keras')` or `keras.saving.save_model(model, 'my_model.keras')`. ")
    f.load([(0, IDLE), (14, Load(71, 0, 0.5, 0.9, 12))])
    f.close("COMPLETED", at + 7)
    return made(f, "E1", "nan_loss", variant="non_finite")


@job
def first_page_again() -> Made:
    """E2: the second leg of a run over legs begins at epoch 1 with the loss of the first leg's beginning; its name for the folder has another date."""
    f = Bench(("leg-3",), "stylegan-maps-b", 6_614_377, when("2026-08-16 18:00"), per=2, card=A100, script="train_sg.py", submit_line="sbatch --dependency=afterany:6613811 sg.sh --resume runs/maps_0815/last.pkl")
    f.past = (PastVerdict(relation="parent", job="6613811", mode="F3", fault="user", ended_ns=f.at(-400), nodes="leg-3", head_loss=2.41, tail_loss=0.62, steps_done=61, checkpoints=("runs/maps_0814/last.pkl",), gpu_hours=48.0),)
    f.say(0, 14, "maps: 21 340 tiles of 512 px, 2 gpus\nno state at runs/maps_0815/last.pkl, new run")
    last = f.steps(0, range(1, 61), 20, 900, lambda i, x, t: f"epoch {i:>3}/200  G {x:.4f}  D {1.9 - x / 4:.4f}  r1 {0.02 + x / 90:.4f}  kimg {i * 21.3:.1f}  {f.clock(t, '%a %H:%M')}", fall(2.43, 0.5, 6))
    f.say(0, last + 20, f"epochs of this leg done, state in runs/maps_0815/last.pkl ({left_days(last)})")
    f.load([(0, IDLE), (18, Load(97, 0, 0.88, 0.58))])
    f.close("COMPLETED", last + 30, dependency="afterany:6613811")
    return made(f, "E2", variant="from_scratch")


def left_days(seconds: float) -> str:
    """Hours of a run as that script tells them."""
    return f"{seconds / 3600:.1f} h"


@job
def quick_look() -> Made:
    """E3: four of four steps of an accelerate script, with bars; the full run was meant."""
    f = Bench(("cn-9",), "controlnet-plans", 6_614_702, when("2026-08-17 09:15"), per=1, card=A40, script="train_controlnet.py", submit_line="sbatch cn.sh --max_train_steps 4")
    stamp = f.clock(40, "%m/%d/%Y %H:%M:%S")
    f.say(0, 40, f"{stamp} - INFO - __main__ - ***** Running training *****\n{stamp} - INFO - __main__ -   Num examples = 48120\n{stamp} - INFO - __main__ -   Num batches each epoch = 6015\n{stamp} - INFO - __main__ -   Num Epochs = 1\n{stamp} - INFO - __main__ -   Instantaneous batch size per device = 8\n{stamp} - INFO - __main__ -   Total optimization steps = 4")
    for i in range(5):
        f.say(0, 42 + 3.1 * i, bar(i, 4, 3.1, head="Steps", more=f"loss={0.141 - i / 900:.4f}, lr=1e-5" if i else ""))
    f.say(0, 62, "\nConfiguration saved in plans_out/config.json\nModel weights saved in plans_out/diffusion_pytorch_model.safetensors")
    f.load([(0, IDLE), (36, Load(0, 0, 0.2, 0.15, 0)), (42, Load(90, 0, 0.8, 0.7, 30)), (56, Load(0, 0, 0.2, 0.7, 0))])
    f.close("COMPLETED", 66)
    return made(f, "E3")


@job
def gone_with_its_rack() -> Made:
    """F1: one of four nodes stops answering in the night; slurmctld sets it DOWN and ends the job."""
    f = Bench(("q41", "q42", "q43", "q44"), "dinov2-earth", 6_615_010, when("2026-08-18 22:00"), per=4, card=A100, script="dinov2/train/train.py", submit_line="sbatch -N4 earth.sh")
    last = f.steps(0, range(10, 9001, 10), 90, 1.6, lambda i, x, t: f"I{f.clock(t, '%Y%m%d %H:%M:%S')} 40000 dinov2 helpers.py:103] Training  [{i:>5}/125000]  eta: 2 days, {7 - i // 2000}:11:0{i % 9}  lr: 0.0003  total_loss: {x:.4f} ({x + 0.02:.4f})  dino_local_crops_loss: {x * 0.6:.4f}  koleo_loss: 0.0{i % 90 + 10}  time: 1.60{i % 9}  data: 0.002  max mem: 61022", fall(12.3, 5.9, 500))
    f.silent = {"q43"}
    f.event("q43", last + 70, "DOWN*+NOT_RESPONDING", "Not responding")
    srun_says(f, last + 76, "error: Node failure on q43")
    taken_down(f, last + 77, "DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS")
    f.end(f.ranks, last + 80, signal=9)
    f.load([(0, IDLE), (85, WORK), (last + 2, SPIN)])
    f.close("NODE_FAIL", last + 84, code=1, signal=9, failed_node="q43", step=("NODE_FAIL", 0, 9))
    return made(f, "F1", fault="node")


@job
def half_the_trials() -> Made:
    """F3: an Optuna study is at its 31st trial of 60 when its day is over."""
    f = Bench(("st-2",), "tune-ssl-eeg", 6_615_377, when("2026-08-19 12:00"), per=1, card=A40, limit_s=86_400, script="study.py", submit_line="sbatch --time=24:00:00 study.sh")
    at, best, who = 20.0, 0.0, 0
    for n in range(40):
        for e in range(1, 9):
            at += 341
            if at < 86_400:
                f.say(0, at, f"trial {n:02d} epoch {e}/8 loss {1.9 / e ** 0.4 + n % 5 / 20:.4f} bal_acc {0.41 + 0.03 * e ** 0.8 + n % 7 / 90:.4f}")
        at += 12
        v = 0.41 + 0.03 * 8**0.8 + n % 7 / 90 + n / 2000
        best, who = (v, n) if v > best else (best, who)
        if at < 86_400:
            f.say(0, at, f"[I {f.clock(at)},{100 + n}] Trial {n} finished with value: {v:.6f} and parameters: {{'lr': 0.000{n % 9 + 1}, 'mask': 0.{n % 6 + 2}, 'depth': {4 + n % 4}}}. Best is trial {who} with value: {best:.6f}.")
    taken_down(f, 86_412, "DUE TO TIME LIMIT")
    f.end(0, 86_414, signal=15)
    f.load([(0, IDLE), (18, Load(90, 0, 0.72, 0.37, 10))])
    f.close("TIMEOUT", 86_417, signal=15)
    return made(f, "F3", variant="advancing")


@job
def swept_for_service() -> Made:
    """F4: an administrator's number cancels a healthy job of a sweep's array."""
    f = Bench(("ser-1",), "snn-gesture", 6_615_701, when("2026-08-20 15:00"), per=1, card=R2080, script="snn.py", submit_line="sbatch --array=1-12 snn.sh")
    last = f.steps(0, range(1, 74), 16, 66, lambda i, x, t: f"Epoch: {i:>3}/150 | Train loss: {x:.4f} | Train acc: {100 - 31 * x:.2f}% | Test acc: {97 - 31 * x:.2f}% | {f.clock(t, '%H:%M')}", fall(2.2, 0.24, 8))
    taken_down(f, last + 28, "")
    f.end(0, last + 30, signal=15)
    f.load([(0, IDLE), (14, Load(77, 0, 0.6, 0.31, 13))])
    f.close("CANCELLED", last + 33, signal=15, cancelled_by_uid=0, array_job_id=6_615_690, array_task_id=4)
    return made(f, "F4", variant="by_other", fault="unknown")


@job
def door_never_opens() -> Made:
    """C1: JAX's second process waits for a coordinator's name that belongs to another network; silence on three nodes until the owner cancels."""
    f = Bench(("dx1", "dx2", "dx3"), "t5x-protein", 6_616_012, when("2026-08-21 08:00"), per=1, card=H100, limit_s=86_400, script="t5x/train.py", submit_line="sbatch -N3 t5x.sh")
    f.script_words.append((1, "+ srun python -u t5x/train.py --coordinator_address dx1-ib0:12345 --initialization_timeout 43200"))
    f.say(0, 11, f"I{f.clock(11, '%m%d %H:%M:%S')}.114020 22914 distributed.py:106] Starting JAX distributed service on [::]:12345")
    for r in range(3):
        f.say(r, 11.2 + r / 10, f"I{f.clock(11.2, '%m%d %H:%M:%S')}.31{r}044 22914 distributed.py:119] Connecting to JAX distributed service on dx1-ib0:12345")
    end = 3600 + 911.0
    taken_down(f, end, "")
    f.end(f.ranks, end + 2, signal=15)
    f.load([(0, IDLE)])
    f.close("CANCELLED", end + 5, signal=15, cancelled_by_uid=1042)
    return made(f, "C1", fault="unknown")



"""A lab's jobs, first row: what ended by its own words."""

from __future__ import annotations

from corpus.make._ballast import IDLE, OUT_OF_MEMORY, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says
from corpus.make._pigeon_kit import A30, A40, A100, A6000, ADA, H100, R2080, R4090, Bench, bar, left

JOBS: list[Maker] = []
job = keep(JOBS)
ALONE = Load(96, 58, 0.84, 0.66)


@job
def unregistered() -> Made:
    """A1: a config of MMDetection names a detector that no registry has."""
    f = Bench(("gnode12",), "rtmdet-waste", 4_411_870, when("2026-06-02 14:05"), per=1, card=A6000, limit_s=172_800, script="tools/train.py", submit_line="sbatch --gres=gpu:a6000:1 run_mmdet.sh configs/waste/rtmdet_s_waste.py")
    f.script_words.append((0.6, "+ srun python -u tools/train.py configs/waste/rtmdet_s_waste.py --work-dir work_dirs/rtmdet_s_waste"))
    f.say(0, 14, f"{f.clock(14, '%m/%d %H:%M:%S')} - mmengine - INFO - \n------------------------------------------------------------\nSystem environment:\n    sys.platform: linux\n    Python: 3.9.18 (main, Sep 11 2023, 13:41:44) [GCC 11.2.0]\n    CUDA available: True\n    MUSA available: False\n    numpy_random_seed: 1207713321\n    GPU 0: NVIDIA RTX A6000\n    CUDA_HOME: /usr/local/cuda-11.8\n    GCC: gcc (GCC) 11.4.0\n    PyTorch: 2.0.1+cu118\n    OpenCV: 4.9.0\n    MMEngine: 0.10.3\n\nRuntime environment:\n    cudnn_benchmark: False\n    dist_cfg: {{'backend': 'nccl'}}\n    seed: 1207713321\n    Distributed launcher: none\n    Distributed training: False\n    GPU number: 1\n------------------------------------------------------------".replace("{{", "{").replace("}}", "}"))
    site = "/home/mwu/.conda/envs/mmdet/lib/python3.9/site-packages/mmengine"
    f.say(0, 17, frames(("/home/mwu/mmdetection/tools/train.py", 121, "<module>", "main()"), ("/home/mwu/mmdetection/tools/train.py", 110, "main", "runner = Runner.from_cfg(cfg)"), (f"{site}/runner/runner.py", 462, "from_cfg", "runner = cls("), (f"{site}/runner/runner.py", 429, "__init__", "self.model = self.build_model(model)"), (f"{site}/runner/runner.py", 836, "build_model", "model = MODELS.build(model)"), (f"{site}/registry/registry.py", 570, "build", "return self.build_func(cfg, *args, **kwargs, registry=self)"), (f"{site}/registry/build_functions.py", 232, "build_model_from_cfg", "return build_from_cfg(cfg, registry, default_args)"), (f"{site}/registry/build_functions.py", 100, "build_from_cfg", "raise KeyError("), error="KeyError: 'RTMDetSep is not in the mmdet::model registry. Please check whether the value of `RTMDetSep` is correct or it was registered as expected. More details can be found at https://mmengine.readthedocs.io/en/latest/advanced_tutorials/config.html#import-the-custom-module'"))
    f.end(0, 19, code=1)
    srun_says(f, 19.3, "error: gnode12: task 0: Exited with exit code 1")
    f.load([(0, IDLE)])
    f.close("FAILED", 21, code=1)
    return made(f, "A1", "traceback", variant="config")


@job
def moved_images() -> Made:
    """A1: the table of file names is not where the script of the plankton classifier looks."""
    f = Bench(("node-07",), "plankton-effnet", 4_412_031, when("2026-06-03 09:40"), per=1, card=R2080, script="train_cls.py", submit_line="sbatch plankton.sbatch")
    f.say(0, 9, "Namespace(data='/scratch/ecol/plankton23', csv='splits/train_fold0.csv', model='tf_efficientnetv2_s', img=300, bs=24, lr=0.0003, epochs=40, amp=True, seed=17)\nusing device cuda:0 (NVIDIA GeForce RTX 2080 Ti)")
    f.say(0, 10.4, frames(("/home/ecol/kp214/plankton/train_cls.py", 166, "<module>", "main(parse())"), ("/home/ecol/kp214/plankton/train_cls.py", 88, "main", "df = pd.read_csv(os.path.join(args.data, args.csv))"), ("/home/ecol/kp214/venv/lib/python3.10/site-packages/pandas/io/parsers/readers.py", 1026, "read_csv", "return _read(filepath_or_buffer, kwds)"), ("/home/ecol/kp214/venv/lib/python3.10/site-packages/pandas/io/common.py", 873, "get_handle", "handle = open("), error="FileNotFoundError: [Errno 2] No such file or directory: '/scratch/ecol/plankton23/splits/train_fold0.csv'"))
    f.end(0, 11.5, code=1)
    srun_says(f, 11.7, "error: node-07: task 0: Exited with exit code 1")
    f.load([(0, IDLE)])
    f.close("FAILED", 13, code=1)
    return made(f, "A1", "file_not_found")


@job
def no_scatter() -> Made:
    """A1: the environment was made anew without torch_scatter, which the model of molecules imports."""
    f = Bench(("hpc-gpu03",), "dimenet-qm9", 4_412_277, when("2026-06-04 16:20"), per=1, card=A30, script="qm9.py", submit_line="sbatch job_qm9.sh")
    f.script_words.append((0.5, "Loading GCCcore/12.3.0\nLoading CUDA/12.1.1\nActivated conda env: pyg25"))
    f.say(0, 12, frames(("/data/gent/chem/dft/qm9.py", 11, "<module>", "from models.dimenet import DimeNetPP"), ("/data/gent/chem/dft/models/dimenet.py", 7, "<module>", "from torch_scatter import scatter"), error="ModuleNotFoundError: No module named 'torch_scatter'"))
    f.end(0, 13, code=1)
    srun_says(f, 13.1, "error: hpc-gpu03: task 0: Exited with exit code 1")
    f.load([(0, IDLE)])
    f.close("FAILED", 14, code=1)
    return made(f, "A1", "missing_module", variant="env")


@job
def two_places_at_once() -> Made:
    """A1: the first forward pass meets a table of class weights that was left on the host."""
    f = Bench(("ml-a40-2",), "seg-retina", 4_412_504, when("2026-06-05 11:11"), per=1, card=A40, script="segment.py", submit_line="sbatch retina.sh --loss wce")
    f.say(0, 13, "2026-06-05 11:11:13,402 INFO [segment] train 2211 val 245 fundus images, classes: 5\n2026-06-05 11:11:15,118 INFO [segment] UNet++ (resnet34, imagenet), 26.08 M parameters")
    f.say(0, 19, "2026-06-05 11:11:19,730 INFO [segment] start, epochs=120 lr=1e-3 batch=8")
    f.say(0, 23, frames(("/gpfs/eye/seg/segment.py", 211, "<module>", "main()"), ("/gpfs/eye/seg/segment.py", 170, "main", "train_epoch(net, loader, opt, scaler, crit, epoch)"), ("/gpfs/eye/seg/segment.py", 92, "train_epoch", "loss = crit(logits, mask)"), ("/gpfs/eye/conda/lib/python3.11/site-packages/torch/nn/modules/loss.py", 1179, "forward", "return F.cross_entropy(input, target, weight=self.weight,"), ("/gpfs/eye/conda/lib/python3.11/site-packages/torch/nn/functional.py", 3059, "cross_entropy", "return torch._C._nn.cross_entropy_loss(input, target, weight, _Reduction.get_enum(reduction), ignore_index, label_smoothing)"), error="RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument weight in method wrapper_CUDA_nll_loss2d_forward)"))
    f.end(0, 25, code=1)
    srun_says(f, 25.3, "error: ml-a40-2: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (16, Load(3, 0, 0.22, 0.05, 10))])
    f.close("FAILED", 27, code=1)
    return made(f, "A1", "device_mismatch")


@job
def physics() -> Made:
    """A2: a physics engine under a quadruped's policy ends with SIGSEGV in mid-training, and has no word of Python."""
    f = Bench(("robo1",), "anymal-rough", 4_412_850, when("2026-06-06 18:00"), per=1, card=ADA, script="legged_gym/scripts/train.py", submit_line="sbatch --gres=gpu:1 anymal.sh --task=anymal_c_rough --headless")
    f.say(0, 11, "Importing module 'gym_38' (/home/rsl/isaacgym/python/isaacgym/_bindings/linux-x86_64/gym_38.so)\nSetting GYM_USD_PLUG_INFO_PATH to /home/rsl/isaacgym/python/isaacgym/_bindings/linux-x86_64/usd/plugInfo.json\nPyTorch version 1.13.1+cu117\nDevice count 1\nPhysics Engine: PhysX\nPhysics Device: cuda:0\nGPU Pipeline: enabled")
    pad = 35
    curve = fall(1.2, 0.02, 120)

    def told(i: int, x: float, t: float) -> str:
        return "\n".join(("#" * 80, f" Learning iteration {i}/1500 ".center(80), "", f"{'Computation:':>{pad}} {61_200 + i % 900} steps/s (collection: 1.281s, learning {0.31 + i % 7 / 100:.3f}s)", f"{'Value function loss:':>{pad}} {x:.4f}", f"{'Surrogate loss:':>{pad}} {-0.004 - x / 900:.4f}", f"{'Mean action noise std:':>{pad}} {0.4 + 0.6 * x / 1.2:.2f}", f"{'Mean reward:':>{pad}} {18.4 - 14 * x:.2f}", f"{'Mean episode length:':>{pad}} {990 - 500 * x:.2f}", "-" * 80, f"{'Total timesteps:':>{pad}} {98_304 * (i + 1)}", f"{'Iteration time:':>{pad}} 1.60s", f"{'Total time:':>{pad}} {t - 30:.2f}s", f"{'ETA:':>{pad}} {(1500 - i) * 1.6:.1f}s"))

    last = f.steps(0, range(0, 871, 10), 34, 1.6, told, curve)
    f.end(0, last + 2, signal=11)
    srun_says(f, last + 2.6, "error: robo1: task 0: Segmentation fault (core dumped)")
    f.load([(0, IDLE), (20, Load(88, 0, 0.6, 0.3, 22))])
    f.close("FAILED", last + 4, code=139, batch=(139, None), step=("FAILED", 0, 11))
    return made(f, "A2", "segfault", first=(0,), fault="unknown")


@job
def frames_in_memory() -> Made:
    """A2: an action recogniser keeps every decoded clip; the cgroup's 96 GiB are full in the second epoch and the kernel kills it."""
    f = Bench(("cv-05",), "slowfast-kitchen", 4_413_110, when("2026-06-07 08:30"), per=1, card=A100, script="train_video.py", submit_line="sbatch --mem=96G slowfast.sh")
    f.say(0, 15, "[INFO] 64 211 clips, cache_decoded=True\n[INFO] slowfast_r50, 34.6M params, bf16")
    last = f.steps(0, range(50, 3301, 50), 40, 0.93, lambda i, x, _t: f"[INFO] ep {i // 2006} it {i % 2006:4d}/2006  loss {x:.3f}  top1 {min(71.0, 9 + i / 60):.1f}  t/it 0.9{i % 9}s  rss {9 + i * 0.0262:.1f}G", fall(4.6, 1.6, 400))
    f.oom(0, last + 31, 96, 96.0)
    f.end(0, last + 31.2, signal=9)
    f.script_words.append((last + 32, f"slurmstepd: error: Detected 1 oom_kill event in StepId={f.job_id}.0. Some of the step tasks have been OOM Killed.\nsrun: error: cv-05: task 0: Out Of Memory"))
    f.load([(0, IDLE), (36, ALONE)])
    f.close("OUT_OF_MEMORY", last + 34, signal=OUT_OF_MEMORY, batch=(137, None), step=("OUT_OF_MEMORY", 0, OUT_OF_MEMORY))
    return made(f, "A2", "oom_killer", first=(0,))


@job
def odd_key() -> Made:
    """A3: in the third epoch a record of the speech corpus has no transcript."""
    f = Bench(("volta-1",), "ctc-welsh", 4_413_498, when("2026-06-08 20:45"), per=1, card=A40, script="asr/train_ctc.py", submit_line="sbatch asr.slurm")
    f.say(0, 16, "| corpus: cy, 118.2 h train, 6.1 h dev\n| wav2vec2-xlsr-300m, feature encoder frozen")
    last = f.steps(0, range(100, 6301, 100), 45, 0.68, lambda i, x, _t: f"| epoch {1 + i // 2700:03d} | {i % 2700:>5}/2700 batches | lr {min(1e-4, i * 5e-8):.2e} | ms/batch 680.{i % 100:02d} | ctc {x:.3f} | per {min(0.98, x / 4):.3f}", fall(9.6, 0.5, 350))
    f.say(0, last + 21, frames(("/srv/lang/asr/train_ctc.py", 203, "<module>", "main()"), ("/srv/lang/asr/train_ctc.py", 141, "main", "for batch in train_loader:"), ("/srv/lang/env/lib/python3.10/site-packages/torch/utils/data/dataloader.py", 630, "__next__", "data = self._next_data()"), ("/srv/lang/env/lib/python3.10/site-packages/torch/utils/data/dataloader.py", 1345, "_next_data", "return self._process_data(data)"), ("/srv/lang/env/lib/python3.10/site-packages/torch/_utils.py", 694, "reraise", "raise exception"), error="KeyError: Caught KeyError in DataLoader worker process 2.\nOriginal Traceback (most recent call last):\n  File \"/srv/lang/env/lib/python3.10/site-packages/torch/utils/data/_utils/worker.py\", line 308, in _worker_loop\n    data = fetcher.fetch(index)\n  File \"/srv/lang/env/lib/python3.10/site-packages/torch/utils/data/_utils/fetch.py\", line 51, in fetch\n    data = [self.dataset[idx] for idx in possibly_batched_index]\n  File \"/srv/lang/asr/corpus.py\", line 58, in __getitem__\n    text = self.rows[i][\"sentence\"]\nKeyError: 'sentence'\n"))
    f.end(0, last + 23, code=1)
    srun_says(f, last + 23.4, "error: volta-1: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (40, ALONE)])
    f.close("FAILED", last + 25, code=1)
    return made(f, "A3", "traceback", first=(0,))


@job
def empty_fold() -> Made:
    """A3: after the first epoch the validation of the recommender has no users, and a mean is taken of none."""
    f = Bench(("k80-farewell",), "sasrec-books", 4_413_760, when("2026-06-09 13:13"), per=1, card=R4090, script="main.py", submit_line="sbatch sasrec.sh --min_inter 50")
    f.say(0, 8, "user_num 82113, item_num 40224\naverage sequence length: 61.40")
    for i in range(40, 1281, 40):
        f.say(0, 14 + i * 0.11, bar(i, 1280, 0.11, head="epoch 1", more=f"bce={fall(1.39, 0.42, 120)(i):.4f}", unit="b", width=20))
    f.say(0, 14 + 1280 * 0.11 + 2, "\nEvaluating...")
    at = 14 + 1280 * 0.11 + 4
    f.say(0, at, frames(("/home/ngo/SASRec/main.py", 97, "<module>", "t_valid = evaluate_valid(model, dataset, args)"), ("/home/ngo/SASRec/utils.py", 231, "evaluate_valid", "return NDCG / valid_user, HT / valid_user"), error="ZeroDivisionError: float division by zero"))
    f.end(0, at + 2, code=1)
    srun_says(f, at + 2.2, "error: k80-farewell: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (12, Load(91, 0, 0.6, 0.2))])
    f.close("FAILED", at + 3, code=1)
    return made(f, "A3", "div_zero", first=(0,))


@job
def class_too_many() -> Made:
    """A3: rank 2's batch of a street scene has a class beyond the head's nineteen; a device-side assertion ends it, torchrun ends the rest."""
    f = Bench(("vis-3",), "segformer-b2-city", 4_414_001, when("2026-06-10 22:02"), per=4, agents=True, card=A100, script="train_seg.py", submit_line="sbatch --gres=gpu:4 segf.sh")
    last = f.steps(0, range(50, 2151, 50), 52, 0.61, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] iter {i:>6}/80000 lr {6e-5 * (1 - i / 80_000):.3e} loss_ce {x:.4f} aux {x * 0.41:.4f}", fall(2.9, 0.35, 200))
    for k in range(5):
        f.say(2, last + 1, f"../aten/src/ATen/native/cuda/NLLLoss2d.cu:104: nll_loss2d_forward_kernel: block: [{k},0,0], thread: [{31 * k},0,0] Assertion `t >= 0 && t < n_classes` failed.")
    f.say(2, last + 1.4, frames(("/w/segf/train_seg.py", 255, "<module>", "main()"), ("/w/segf/train_seg.py", 198, "main", "meter.update(loss.item())"), error="RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"))
    f.end(2, last + 3, code=1)
    f.end([0, 1, 3], last + 5, signal=15)
    sigterms(f, 0, last + 4, [0, 1, 3], "2.3")
    elastic(f, 0, last + 8, [(2, 1, last + 3)], version="2.3", binary="/w/segf/.venv/bin/python3")
    f.load([(0, IDLE), (48, Load(97, 0, 0.87, 0.71))])
    srun_says(f, last + 9, "error: vis-3: task 0: Exited with exit code 1")
    f.close("FAILED", last + 10, code=1)
    return made(f, "A3", "cuda_runtime", first=(2,))


@job
def too_wide_a_batch() -> Made:
    """B1: the first step of a 3D U-Net does not fit on a card of 24 GB."""
    f = Bench(("rad-01",), "nnunet-kits", 4_414_320, when("2026-06-11 10:10"), per=1, card=R4090, script="nnUNetv2_train", python="python3", submit_line="sbatch nnunet.sh 3d_fullres 0")
    f.say(0, 22, "Using device: cuda:0\n\n#######################################################################\nPlease cite the following paper when using nnU-Net:\nIsensee, F., Jaeger, P. F., Kohl, S. A., Petersen, J., & Maier-Hein, K. H. (2021). nnU-Net: a self-configuring method for deep learning-based biomedical image segmentation. Nature methods, 18(2), 203-211.\n#######################################################################\n")
    f.say(0, 31, f"{f.clock(31)}.402118: unpacking dataset...\n{f.clock(36)}.110340: unpacking done...\n{f.clock(37)}.223871: do_dummy_2d_data_aug: False\n{f.clock(41)}.770015: Unable to plot network architecture: nnUNet_compile is enabled!")
    f.say(0, 47, f"\n{f.clock(47)}.031199: Epoch 0\n{f.clock(47)}.031502: Current learning rate: 0.01")
    f.say(0, 63, frames(("/opt/nnunet/bin/nnUNetv2_train", 8, "<module>", "sys.exit(run_training_entry())"), ("/opt/nnunet/lib/python3.11/site-packages/nnunetv2/run/run_training.py", 267, "run_training_entry", "run_training(args.dataset_name_or_id, args.configuration, args.fold, args.tr, args.p, args.pretrained_weights,"), ("/opt/nnunet/lib/python3.11/site-packages/nnunetv2/training/nnUNetTrainer/nnUNetTrainer.py", 1363, "run_training", "train_outputs.append(self.train_step(next(self.dataloader_train)))"), ("/opt/nnunet/lib/python3.11/site-packages/nnunetv2/training/nnUNetTrainer/nnUNetTrainer.py", 990, "train_step", "self.grad_scaler.scale(l).backward()"), error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.56 GiB. GPU 0 has a total capacity of 23.64 GiB of which 611.44 MiB is free. Including non-PyTorch memory, this process has 23.04 GiB memory in use. Of the allocated memory 21.88 GiB is allocated by PyTorch, and 704.12 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"))
    f.end(0, 66, code=1)
    srun_says(f, 66.4, "error: rad-01: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (40, Load(4, 0, 0.2, 0.06, 10)), (52, Load(60, 0, 0.6, 0.97, 40))])
    f.close("FAILED", 69, code=1)
    return made(f, "B1", "cuda_oom", first=(0,))


@job
def exhausted() -> Made:
    """B1: XLA cannot allocate the activations of a diffusion model over proteins when its crop grows at step 4000."""
    f = Bench(("h-11",), "frame-diff", 4_414_690, when("2026-06-12 19:20"), per=1, card=H100, script="train_fd.py", submit_line="sbatch fd.sh --crop_schedule 256,384@4000")
    last = f.steps(0, range(100, 4001, 100), 95, 0.42, lambda i, x, t: f"I{f.clock(t, '%m%d %H:%M:%S')}.{i % 900 + 100}331 139811204 train_fd.py:188] step={i} crop=256 loss={x:.4f} trans={x * 0.6:.4f} rot={x * 0.4:.4f} steps/s=2.3{i % 9}", fall(1.7, 0.31, 300))
    f.say(0, last + 2, f"I{f.clock(last + 2, '%m%d %H:%M:%S')}.118200 139811204 train_fd.py:140] crop 256 -> 384, compiling update")
    w = f"W{f.clock(last + 61, '%m%d %H:%M:%S')}.770118   40411 bfc_allocator.cc:501]"
    f.say(0, last + 61, f"{w} Allocator (GPU_0_bfc) ran out of memory trying to allocate 71.33GiB (rounded to 76590120960)requested by op \n{w} *******************************_____________________________________________________________________\nE{f.clock(last + 61, '%m%d %H:%M:%S')}.771004   40000 pjrt_stream_executor_client.cc:3067] Execution of replica 0 failed: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 76590120840 bytes.")
    f.say(0, last + 63, frames(("/users/bio/fd/train_fd.py", 240, "<module>", "app.run(main)"), ("/users/bio/fd/train_fd.py", 181, "main", "state, aux = update(state, batch, rng)"), error="jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 76590120840 bytes."))
    f.end(0, last + 66, code=1)
    srun_says(f, last + 66.5, "error: h-11: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (12, Load(0, 0, 0.16, 0.75, 0)), (92, Load(97, 61, 0.8, 0.75)), (last + 3, Load(3, 1, 0.2, 0.75, 12))])
    f.close("FAILED", last + 69, code=1)
    return made(f, "B1", "cuda_oom", first=(0,))


@job
def bus_left() -> Made:
    """B2: the one card of a long fine-tuning of a speech model falls off the bus in its fourth hour."""
    f = Bench(("orca-2",), "whisper-med-ft", 4_415_044, when("2026-06-13 07:07"), per=1, card=A40, script="ft_whisper.py", submit_line="sbatch whisper.sh")
    last = f.steps(0, range(25, 4026, 25), 70, 3.4, lambda i, x, _t: bar(i, 8000, 3.4).lstrip("\r") + f"\n{{'loss': {x:.4f}, 'grad_norm': {1.1 + x:.4f}, 'learning_rate': {1e-5 * (1 - i / 8000):.3e}, 'epoch': {i / 1600:.2f}}}", fall(1.9, 0.16, 200))
    f.xid(0, last + 40, 79, "GPU has fallen off the bus.")
    f.marks[0] = ({}, None)
    f.blind[0] = last + 38
    f.say(0, last + 42, frames(("/home/s2231/whisper/ft_whisper.py", 190, "<module>", "trainer.train()"), ("/home/s2231/.venv/lib/python3.11/site-packages/transformers/trainer.py", 2245, "train", "return inner_training_loop("), ("/home/s2231/.venv/lib/python3.11/site-packages/transformers/trainer.py", 2560, "_inner_training_loop", "tr_loss_step = self.training_step(model, inputs, num_items_in_batch)"), ("/home/s2231/.venv/lib/python3.11/site-packages/transformers/trainer.py", 3782, "training_step", "self.accelerator.backward(loss, **kwargs)"), error="RuntimeError: CUDA error: unknown error\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"))
    f.end(0, last + 47, code=1)
    srun_says(f, last + 47.5, "error: orca-2: task 0: Exited with exit code 1")
    f.load([(0, IDLE), (60, ALONE)])
    f.close("FAILED", last + 52, code=1)
    return made(f, "B2", "cuda_runtime", first=(0,), variant="fault", fault="node")


@job
def hot_attic() -> Made:
    """B3: a card under a dusty filter is slowed by its heat after forty minutes; a ResNet's batches take twice as long, it ends as planned."""
    f = Bench(("attic-ws",), "resnet-geodata", 4_415_370, when("2026-07-14 13:30"), per=1, card=A40, script="landuse.py", submit_line="sbatch landuse.sh")
    turn = 2400.0
    last = f.steps(0, range(200, 16_001, 200), 30, lambda i: 0.41 if i <= 5800 else 0.97, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} [{i:5d}/16000] loss={x:.4f} acc={min(0.96, 0.4 + i / 25_000):.3f} img/s={64 / (0.41 if i <= 5800 else 0.97):.0f}", fall(2.3, 0.21, 900))
    f.say(0, last + 11, f"{f.clock(last + 11, '%H:%M:%S')} test acc=0.934, kappa=0.918 -> models/landuse_r50.pt\nelapsed {left(last - 30)}")
    gone = int((last - turn) * 0.9e9)
    f.marks[0] = ({"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "temperature_slowdown_c": 90}, {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone, "temperature_slowdown_c": 90})
    f.load([(0, IDLE), (27, Load(98, 0, 0.93, 0.5, clock=0.96, heat=81)), (turn, Load(99, 0, 0.45, 0.5, clock=0.34, heat=93, throttle=0x48))])
    f.close("COMPLETED", last + 16)
    return made(f, "B3", fault="node")

"""Companies of cards, first tray: refused, shot, torn in the middle, full, broken, hot."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H100, H200, IDLE, L40S, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import elastic, frames, sigterms, srun_says

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def divided() -> Made:
    """A1: Megatron refuses 24 ranks for tensor 4 times pipeline 4; all say the same, no card has done anything."""
    f = Fleet(tuple(f"a{n}" for n in (211, 212, 214)), "gpt-13b", 8_812_310, when("2026-10-05 14:20"), limit_s=172_800, submit_line="sbatch -N3 --gres=gpu:8 pretrain_13b.slurm", per=8, agents=True, script="pretrain_gpt.py")
    for n in range(3):
        f.launcher[n].append((6.1 + n / 3, f"W1005 14:20:{8 + n:02d}.418000 {1_210_311 + n} torch/distributed/run.py:793] \nW1005 14:20:{8 + n:02d}.418000 {1_210_311 + n} torch/distributed/run.py:793] *****************************************\nW1005 14:20:{8 + n:02d}.418000 {1_210_311 + n} torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded, please further tune the variable for optimal performance in your application as needed. "))
    text = frames(
        ("/lustre/proj/nlp/Megatron-LM/pretrain_gpt.py", 303, "<module>", "pretrain("),
        ("/lustre/proj/nlp/Megatron-LM/megatron/training/training.py", 552, "pretrain", "initialize_megatron("),
        ("/lustre/proj/nlp/Megatron-LM/megatron/training/initialize.py", 89, "initialize_megatron", "validate_args(args, args_defaults)"),
        ("/lustre/proj/nlp/Megatron-LM/megatron/training/arguments.py", 231, "validate_args", "assert args.world_size % total_model_size == 0, ("),
        error="AssertionError: world size (24) is not divisible by total_model_size (total_model_size=16)",
    )  # fmt: skip
    f.each(21.2, text, tag="[rank{r}]: ")
    f.end(f.ranks, 22.4, code=1, gap=0.02)
    f.load([(0, IDLE), (9, IDLE)])
    for n in range(3):
        elastic(f, n, 24.5 + n / 5, [(r, 1, 22.4 + 0.02 * r) for r in range(8 * n, 8 * n + 8)])
    srun_says(f, 26, "error: a211: task 0: Exited with exit code 1", "error: a212: task 1: Exited with exit code 1", "error: a214: task 2: Exited with exit code 1")
    f.close("FAILED", 28, code=1)
    return made(f, "A1", "assertion", variant="config")


@job
def unpacked() -> Made:
    """A1: the container of the nodes lacks Transformer Engine; NeMo stops at its imports on every task."""
    f = Fleet(("dgx-04", "dgx-05"), "nemotron-sft", 8_812_944, when("2026-10-07 09:41"), per=8, card=H200, submit_line="sbatch --nodes=2 --gpus-per-node=8 sft.sub", script="/opt/NeMo/examples/nlp/language_modeling/tuning/megatron_gpt_finetuning.py")
    f.script_words.append((1.5, "pyxis: importing docker image: nvcr.io#nvidia/pytorch:24.07-py3\npyxis: imported docker image: nvcr.io#nvidia/pytorch:24.07-py3"))
    text = frames(
        ("/opt/NeMo/examples/nlp/language_modeling/tuning/megatron_gpt_finetuning.py", 18, "<module>", "from nemo.collections.nlp.models.language_modeling.megatron_gpt_sft_model import MegatronGPTSFTModel"),
        ("/opt/NeMo/nemo/collections/nlp/models/language_modeling/megatron_gpt_sft_model.py", 29, "<module>", "from nemo.collections.nlp.models.language_modeling.megatron_gpt_model import MegatronGPTModel"),
        ("/opt/NeMo/nemo/collections/nlp/models/language_modeling/megatron_gpt_model.py", 77, "<module>", "import transformer_engine"),
        error="ModuleNotFoundError: No module named 'transformer_engine'",
    )  # fmt: skip
    f.each(96, "[NeMo W 2026-10-07 09:42:3{l} nemo_logging:349] /usr/local/lib/python3.10/dist-packages/pydub/utils.py:170: RuntimeWarning: Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work\n      warn(\"Couldn't find ffmpeg or avconv - defaulting to ffmpeg, but may not work\", RuntimeWarning)\n    ")
    f.each(104, text, gap=0.11)
    f.end(f.ranks, 105, code=1, gap=0.11)
    f.load([(0, IDLE), (50, IDLE)])
    srun_says(f, 107.5, "error: dgx-04: tasks 0-7: Exited with exit code 1", "error: dgx-05: tasks 8-15: Exited with exit code 1")
    f.close("FAILED", 109, code=1)
    return made(f, "A1", "missing_module", variant="env")


@job
def fell() -> Made:
    """A2: a rank's native loader touches a wrong address after 1500 steps, the kernel notes it, srun ends the others."""
    f = Fleet(("c301", "c302"), "wm-diffuser", 8_813_401, when("2026-10-09 22:03"), per=4, card=A100, submit_line="sbatch run_wm.sh --kill-on-bad-exit", script="wm/train.py")
    f.each(12, "[{node}:{l}] decoder threads=6 nvdec=on pid-local={l}")
    last = f.steps(0, range(50, 1551, 50), 70, 0.83, lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} | world-model | it {i:>6} | noise-mse {x:.5f} | ema 0.9998 | {0.83:.2f}s/it", fall(0.92, 0.21, 160))
    f.end(5, last + 9, signal=11)
    f.kernel("c302", last + 9.0, "kernel_segfault", "pt_decode_3[40005]: segfault at 7f3a10 ip 00007f2be4c1d07a sp 00007f2b1fffe9c0 error 4 in libnvcuvid.so.535.183.01[7f2be4a00000+9c1000] likely on CPU 41", process="pt_decode_3", pid=40_005, kind="segfault", address="7f3a10", object="libnvcuvid.so.535.183.01")
    f.end([r for r in f.ranks if r != 5], last + 11, signal=9)
    f.load([(0, IDLE), (66, WORK)])
    srun_says(f, last + 9.4, "error: c302: task 5: Segmentation fault (core dumped)", f"Terminating StepId={f.job_id}.0", "Job step aborted: Waiting up to 32 seconds for job step to finish.", "error: c301: tasks 0-3: Killed", "error: c302: tasks 4,6-7: Killed")
    f.close("FAILED", last + 15, code=139, batch=(139, None), step=("FAILED", 0, 11))
    return made(f, "A2", "segfault", first=(5,))


@job
def swept() -> Made:
    """A3: a shard of the data that was there when the run began is gone when rank 9 opens it; the launcher ends the rest."""
    f = Fleet(("h100-017", "h100-022"), "titan-1b", 8_814_007, when("2026-10-11 02:30"), per=8, agents=True, submit_line="sbatch -N2 titan.slurm", script="torchtitan/train.py")
    last = f.steps(0, range(10, 841, 10), 95, 1.62, lambda i, x, t: f"[titan] {f.clock(t)},{(i * 37) % 1000:03d} - root - INFO - step: {i:>2}  loss: {x:>7.4f}  grad_norm: {0.4 + x / 11:>7.4f}  memory: 48.11GiB(60.81%)  tps: {10_240 - i % 90:,}  tflops: 402.17  mfu: 40.66%", fall(11.8, 2.9, 45), tag="[rank0]:")
    trace = frames(
        ("/home/mira/torchtitan/torchtitan/train.py", 571, "<module>", "trainer.train()"),
        ("/home/mira/torchtitan/torchtitan/train.py", 498, "train", "self.train_step(data_iterator)"),
        ("/home/mira/torchtitan/torchtitan/train.py", 341, "batch_generator", "batch = next(data_iterator)"),
        ("/home/mira/torchtitan/torchtitan/datasets/packed.py", 88, "__iter__", "with open(path, \"rb\", buffering=0) as fh:"),
        error="FileNotFoundError: [Errno 2] No such file or directory: '/scratch/mira/dclm-packed/shard_00317.bin'",
    )  # fmt: skip
    f.say(9, last + 1.4, trace, "[rank9]: ")
    f.end(9, last + 3, code=1)
    f.end([r for r in f.ranks if r != 9], last + 6, signal=15)
    sigterms(f, 1, last + 4, [r for r in range(8, 16) if r != 9])
    elastic(f, 1, last + 9, [(9, 1, last + 3)], binary="/home/mira/envs/titan/bin/python")
    sigterms(f, 0, last + 5, range(8))
    f.launcher[0].append((last + 9, f"W{f.clock(last + 9, '%m%d %H:%M:%S')}.811000 1210311 torch/distributed/elastic/rendezvous/dynamic_rendezvous.py:1292] The node 'h100-017_1210311_0' has failed to send a keep-alive heartbeat to the rendezvous '8814007' due to an error of type RendezvousConnectionError."))
    f.load([(0, IDLE), (60, CONTEXT), (92, WORK)])
    srun_says(f, last + 10, "error: h100-022: task 1: Exited with exit code 1")
    f.close("FAILED", last + 13, code=1)
    return made(f, "A3", "file_not_found", first=(9,))


@job
def apart() -> Made:
    """A3: Lightning's first validation puts its thresholds on the CPU; every rank stops at the same line."""
    f = Fleet(("nid0041", "nid0042"), "seg-swin", 8_814_420, when("2026-10-12 11:12"), per=4, card=A100, submit_line="sbatch -J seg-swin lit.sh", script="lit_seg.py")
    f.say(0, 18, "GPU available: True (cuda), used: True\nTPU available: False, using: 0 TPU cores\nHPU available: False, using: 0 HPUs\nInitializing distributed: GLOBAL_RANK: 0, MEMBER: 1/8")
    f.each(19, "Initializing distributed: GLOBAL_RANK: {r}, MEMBER: {r}/8", range(1, 8))
    f.say(0, 31, "----------------------------------------------------------------------------------------------------\ndistributed_backend=nccl\nAll distributed processes registered. Starting with 8 processes\n----------------------------------------------------------------------------------------------------\n\n  | Name    | Type         | Params | Mode \n-------------------------------------------------\n0 | encoder | SwinV2       | 87.3 M | train\n1 | head    | UPerHead     | 31.0 M | train\n-------------------------------------------------\n118 M     Trainable params")
    last = f.steps(0, range(25, 451, 25), 44, 0.61, lambda i, x, t: f"Epoch 0: {100 * i // 450:>3}%|{'█' * (i // 90):<5}| {i}/450 [{int(t - 44) // 60:02d}:{int(t - 44) % 60:02d}<{int(0.61 * (450 - i)) // 60:02d}:{int(0.61 * (450 - i)) % 60:02d},  1.64it/s, v_num=12, train_loss={x:.3f}]", fall(3.1, 0.9, 60))
    trace = frames(
        ("/proj/seg/lit_seg.py", 211, "<module>", "trainer.fit(model, dm)"),
        ("/proj/seg/.venv/lib/python3.11/site-packages/lightning/pytorch/loops/evaluation_loop.py", 425, "_evaluation_step", "output = call._call_strategy_hook(trainer, hook_name, *step_args)"),
        ("/proj/seg/lit_seg.py", 132, "validation_step", "hit = probs.gt(self.cutoffs[None, :, None, None])"),
        error="RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:{l} and cpu!",
    )  # fmt: skip
    f.say(0, last + 0.9, "Validation: |          | 0/? [00:00<?, ?it/s]")
    f.each(last + 2, trace, tag="[rank{r}]: ", gap=0.04)
    f.end(f.ranks, last + 4, code=1, gap=0.05)
    f.load([(0, IDLE), (42, WORK)])
    srun_says(f, last + 6, "error: nid0041: tasks 0-3: Exited with exit code 1", "error: nid0042: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", last + 8, code=1)
    return made(f, "A3", "device_mismatch")


@job
def long_page() -> Made:
    """B1: one very long document in a batch of rank 3; the card was close to full before."""
    f = Fleet(("gpu-b07",), "llama3-cpt", 8_815_118, when("2026-10-14 17:50"), per=8, agents=True, submit_line="sbatch cpt.sbatch", script="src/cpt.py")
    last = f.steps(0, range(4, 313, 4), 130, 6.2, lambda i, x, _t: f"{{\"step\": {i}, \"loss\": {x:.4f}, \"ppl\": {2.718 ** x:.2f}, \"lr\": {1e-5 * min(1, i / 100):.2e}, \"tok_per_s\": {31_400 + i % 300}, \"peak_gib\": {71.2 + i / 200:.1f}}}", fall(2.31, 1.94, 90))
    trace = frames(
        ("/home/tobias/cpt/src/cpt.py", 268, "<module>", "main()"),
        ("/home/tobias/cpt/src/cpt.py", 214, "main", "out = model(input_ids=ids, labels=ids, cu_seqlens=cu)"),
        ("/home/tobias/.conda/envs/cpt/lib/python3.11/site-packages/torch/distributed/fsdp/fully_sharded_data_parallel.py", 864, "forward", "output = self._fsdp_wrapped_module(*args, **kwargs)"),
        ("/home/tobias/.conda/envs/cpt/lib/python3.11/site-packages/transformers/models/llama/modeling_llama.py", 1214, "forward", "logits = logits.float()"),
        error="torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.66 GiB. GPU 3 has a total capacity of 79.11 GiB of which 5.94 GiB is free. Process 1210421 has 73.16 GiB memory in use. Of the allocated memory 69.88 GiB is allocated by PyTorch, and 1.42 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)",
    )  # fmt: skip
    f.say(3, last + 4, trace, "[rank3]: ")
    f.end(3, last + 6, code=1)
    f.end([r for r in f.ranks if r != 3], last + 8, signal=15)
    sigterms(f, 0, last + 7, [0, 1, 2, 4, 5, 6, 7], "2.5")
    elastic(f, 0, last + 10, [(3, 1, last + 6)], version="2.5", binary="/home/tobias/.conda/envs/cpt/bin/python3.11")
    f.load([(0, IDLE), (80, CONTEXT), (125, Load(98, 61, 0.9, 0.91))])
    f.load([(0, IDLE), (80, CONTEXT), (125, Load(98, 61, 0.9, 0.925))], [3])
    f.close("FAILED", last + 13, code=1)
    return made(f, "B1", "cuda_oom", first=(3,))


@job
def first_update() -> Made:
    """B1: the moments of Adam no longer fit: the ranks of the first pipeline stage fail in the first update."""
    f = Fleet(("pvc-11", "pvc-12"), "moe-26b", 8_815_877, when("2026-10-16 08:08"), per=4, card=H100, submit_line="sbatch --nodes=2 moe.sh", script="pretrain_moe.py")
    f.each(14, "> initialized tensor model parallel with size 2, pipeline with size 2, expert with size 2 [rank {r}]")
    f.say(0, 40, " > number of parameters on (tensor, pipeline) model parallel rank (0, 0): 6604210176\n> building train, validation, and test datasets ...\n > finished creating GPT datasets ...")
    f.say(4, 41, " > number of parameters on (tensor, pipeline) model parallel rank (0, 1): 5980020736")
    f.say(7, 66, "[after dataloaders are built] datetime: 2026-10-16 08:09:06 \ndone with setup ...\n(min, max) time across ranks (ms):\n    model-and-optimizer-setup ......................: (21034.17, 21181.90)\n    train/valid/test-data-iterators-setup ..........: (14011.20, 14207.54)\ntraining ...\n[before the start of training step] datetime: 2026-10-16 08:09:06 ")
    trace = frames(
        ("/p/moe/pretrain_moe.py", 190, "<module>", "pretrain(datasets, build, ModelType.encoder_or_decoder, step)"),
        ("/p/moe/megatron/training.py", 1388, "train_step", "update_successful, grad_norm, num_zeros_in_grad = optimizer.step()"),
        ("/p/moe/megatron/core/optimizer/distrib_optimizer.py", 1712, "step_with_ready_grads", "self.optimizer.step()"),
        ("/usr/local/lib/python3.10/dist-packages/torch/optim/adamw.py", 131, "_init_group", "state[\"exp_avg_sq\"] = torch.zeros_like("),
        error="torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.08 GiB. GPU {l} has a total capacity of 79.33 GiB of which 1.21 GiB is free. Including non-PyTorch memory, this process has 78.11 GiB memory in use. Of the allocated memory 75.40 GiB is allocated by PyTorch, and 618.22 MiB is reserved by PyTorch but unallocated.",
    )  # fmt: skip
    f.each(84, trace, range(4), gap=0.2)
    f.end(range(4), 86, code=1, gap=0.1)
    f.end(range(4, 8), 92, signal=9)
    f.load([(0, IDLE), (30, Load(3, 1, 0.16, 0.33)), (68, Load(96, 44, 0.7, 0.95))])
    f.load([(0, IDLE), (30, Load(3, 1, 0.16, 0.3)), (68, Load(96, 40, 0.6, 0.8))], range(4, 8))
    srun_says(f, 88, "error: pvc-11: tasks 0-3: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: pvc-12: tasks 4-7: Killed")
    f.close("FAILED", 95, code=1)
    return made(f, "B1", "cuda_oom")


@job
def off_the_bus() -> Made:
    """B2: a card is gone from the bus of its node; the driver says so, its readings end."""
    f = Fleet(("gx-09", "gx-10", "gx-13"), "vlm-align", 8_816_532, when("2026-10-18 19:26"), per=4, submit_line="sbatch -N3 align.sh", script="align/main.py")
    last = f.steps(0, range(20, 1021, 20), 61, 2.4, lambda i, x, t: f"INFO {f.clock(t, '%m-%d %H:%M')} align.loop: [{i}] contrastive={x:.4f} temp=0.0{71 - i // 100} img/s={5461 + i % 40}", fall(5.54, 2.02, 110))
    f.xid(6, last + 5.2, 79, "GPU has fallen off the bus.", named=False)
    f.kernel("gx-10", last + 5.3, "gpu_off_bus", f"NVRM: GPU {f.pci(6)}.0: GPU has fallen off the bus.", gpu=2, pci=f.pci(6))
    f.say(6, last + 7, frames(("/code/align/main.py", 140, "<module>", "run(cfg)"), ("/code/align/loop.py", 77, "run", "metrics[\"contrastive\"] += loss.item()"), error="torch.AcceleratorError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n"), "[rank6]: ")
    f.end(6, last + 9, code=1)
    f.end([r for r in f.ranks if r != 6], last + 13, signal=9)
    f.marks[6] = ({}, None)
    f.blind[6] = last + 5
    f.load([(0, IDLE), (58, WORK)])
    srun_says(f, last + 10, "error: gx-10: task 6: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: gx-09: tasks 0-3: Killed", "error: gx-10: tasks 4-5,7: Killed", "error: gx-13: tasks 8-11: Killed")
    f.close("FAILED", last + 18, code=1)
    return made(f, "B2", "cuda_runtime", first=(6,), variant="fault", fault="node")


@job
def two_bits() -> Made:
    """B2: an uncorrectable memory error; the words that reach the log are those of NCCL's watchdog, the counter of the card went up."""
    f = Fleet(("r12u04", "r12u06"), "qwen-rlhf-rm", 8_817_090, when("2026-10-19 04:44"), per=8, agents=True, submit_line="sbatch rm.slurm", script="openrlhf/cli/train_rm.py")
    last = f.steps(0, range(5, 246, 5), 140, 9.1, lambda i, x, t: f"Train step of epoch 0: {i / 6.1:>3.0f}%|{'#' * (i // 61):<10}| {i}/610 [{int(t - 140) // 3600}:{int(t - 140) // 60 % 60:02d}:{int(t - 140) % 60:02d}<1:10:22,  9.10s/it, loss={x:.3f}, acc={0.5 + (0.72 - x) * 0.9:.3f}, lr=8.7e-6]", fall(0.712, 0.42, 60))
    f.xid(13, last + 3, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physical address 0x1f4c82e40 partition 7, subpartition 1.")
    f.xid(13, last + 3.1, 94, "Contained: SM (0x1). RST: No, D-RST: No")
    f.marks[13] = ({"ecc_volatile_uncorrected": 0}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True})
    p = f"[rank13]:[E{f.clock(last + 6, '%m%d %H:%M:%S')}.733120884 ProcessGroupNCCL.cpp:"
    f.say(13, last + 6, f"{p}1895] [PG ID 0 PG GUID 0(default_pg) Rank 13] Process group watchdog thread terminated with exception: CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n\nException raised from c10_cuda_check_implementation at /pytorch/c10/cuda/CUDAException.cpp:43 (most recent call first):\nframe #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f1ab976c1b6 in /opt/rlhf/lib/python3.10/site-packages/torch/lib/libc10.so)\nterminate called after throwing an instance of 'c10::DistBackendError'")
    f.end(13, last + 8, signal=6)
    f.end([r for r in f.ranks if r != 13], last + 11, signal=15)
    sigterms(f, 1, last + 9, [8, 9, 10, 11, 12, 14, 15])
    elastic(f, 1, last + 13, [(13, -6, last + 8)], binary="/opt/rlhf/bin/python3.10")
    sigterms(f, 0, last + 10, range(8))
    f.load([(0, IDLE), (90, CONTEXT), (135, WORK)])
    srun_says(f, last + 15, "error: r12u06: task 1: Exited with exit code 1")
    f.close("FAILED", last + 19, code=1)
    return made(f, "B2", "cuda_runtime", first=(13,), variant="fault", fault="node")


@job
def fans() -> Made:
    """B3: the eight cards of one node of two are held down by heat for most of the run; every step takes the longer for it."""
    f = Fleet(("k04", "k05"), "bert-large-mlm", 8_817_733, when("2026-10-20 12:00"), per=8, submit_line="sbatch mlm.sbatch", script="run_mlm_loop.py")
    slow = 2.3
    last = f.steps(0, range(100, 4001, 100), 50, lambda i: 0.42 * (1 if i <= 900 else slow), lambda i, x, t: f"{f.clock(t)} step={i} mlm={x:.4f} seq/s={16 * 128 / (0.42 * (1 if i <= 900 else slow)):.0f} step_ms={420 * (1 if i <= 900 else slow):.0f}", fall(9.8, 2.1, 320))
    turn = 50 + 0.42 * 900
    f.say(0, last + 8, "4000 of 4000 steps; weights written to /proj/lm/bert-l/final")
    f.end(f.ranks, last + 12, code=0)
    f.load([(0, IDLE), (46, Load(97, 53, 0.84, 0.6, clock=0.96, heat=66)), (turn, Load(99, 24, 0.45, 0.6, clock=0.96, heat=55))], range(8))
    f.load([(0, IDLE), (46, Load(97, 53, 0.84, 0.6, clock=0.96, heat=81)), (turn, Load(98, 54, 0.4, 0.6, clock=0.36, heat=93, throttle=0x48))], range(8, 16))
    for r in f.ranks:
        gone = int((last - turn) * 0.9e9) if r >= 8 else 0
        f.marks[r] = ({"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_power_ns": 0, "violation_hw_power_brake_ns": 0}, {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone})
    f.close("COMPLETED", last + 15)
    return made(f, "B3", fault="node")


@job
def lone_loader() -> Made:
    """C3: one card, the loader's workers never hand over a batch again; memory held, engine and SMs at rest for hours, then its owner gives up."""
    f = Fleet(("n118",), "whisper-lora", 8_818_200, when("2026-10-21 07:15"), per=1, card=H100, submit_line="sbatch lora_asr.sh", script="finetune.py")
    f.say(0, 26, "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...\nTo disable this warning, you can either:\n\t- Avoid using `tokenizers` before the fork if possible\n\t- Explicitly set the environment variable TOKENIZERS_PARALLELISM=(true | false)")
    last = f.steps(0, range(25, 1201, 25), 40, 1.05, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.8 + x:.4f}, 'learning_rate': {1e-4 * (1 - i / 5000):.3e}, 'epoch': {i / 1212:.2f}}}", fall(1.4, 0.31, 150))
    end = last + 3 * 3600 + 411
    f.load([(0, IDLE), (36, Load(92, 48, 0.7, 0.55)), (last + 12, Load(0, 0, 0.14, 0.55, 0))])
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 1711.0, "looks": 1190, "waits": {}}
    f.script_words.append((end, f"slurmstepd: error: *** JOB {f.job_id} ON n118 CANCELLED AT {f.clock(end, '%Y-%m-%dT%H:%M:%S')} ***"))
    f.end(0, end + 0.5, signal=15)
    f.close("CANCELLED", end + 1, signal=15, cancelled_by_uid=1042)
    return made(f, "C3", fault="unknown")


@job
def jpeg_tar() -> Made:
    """D1: a timm script on one node reads pictures over NFS; its own meter says that nearly all of a step is waiting for data, the cards stop and go."""
    f = Fleet(("g-071",), "convnext-in21k", 8_818_777, when("2026-10-22 10:10"), per=8, card=L40S, agents=True, submit_line="sbatch in21k.sh", script="train.py")
    f.say(0, 20, "Training in distributed mode with multiple processes, 1 device per process.Process 0, total 8, device cuda:0.\nModel convnext_tiny created, param count:28589128\nUsing native Torch AMP. Training in mixed precision.")
    ends = 30.0
    for epoch in range(2):
        ends = f.steps(0, range(50, 1001, 50), ends + 8, 1.94, lambda i, x, _t, e=epoch: f"Train: {e} [{i:>4d}/1000 ({100 * i / 1000:>3.0f}%)]  Loss: {x:.3g} ({x + 0.1:.3g})  Time: {1.94 + (i % 7) / 30:.3f}s, {1024 / 1.94:>7.2f}/s  (1.941s,  527.56/s)  LR: 4.000e-03  Data: {1.71 + (i % 7) / 31:.3f} (1.703)", lambda i, e=epoch: fall(7.1, 3.8, 400)(i + 1000 * e))  # type: ignore[misc]
        f.say(0, ends + 5, f"Test: [  48/48]  Time: 0.612 (0.733)  Loss:   {4.4 - epoch * 0.6:.3f} ({4.5 - epoch * 0.6:.3f})  Acc@1:  {18.2 + 9 * epoch:.3f} ( {17.9 + 9 * epoch:.3f})")
    f.say(0, ends + 9, "*** Best metric: 26.9 (epoch 1)")
    f.load([(0, IDLE), (28, Load(15, 0, 0.33, 0.5, 100))])
    f.points = 60
    f.close("COMPLETED", ends + 14)
    return made(f, "D1")


@job
def clips() -> Made:
    """D1: a video model's cards stand at nothing for seconds in each step, for the clips are cut on sixteen cores; the script tells the share itself."""
    f = Fleet(("vid1", "vid2"), "vjepa-probe", 8_819_301, when("2026-10-23 16:31"), per=4, card=H100, submit_line="sbatch probe.sbatch", script="app/probe/train.py")
    last = f.steps(0, range(5, 351, 5), 75, 6.6, lambda i, x, t: f"[INFO    ][{f.clock(t)}][train               ] [1, {i:>5d}] loss: {x:.3f} [mem: 3.11e+04] [gpu: {811 + i % 60} ms][wall: {6600 + i % 200} ms][data: {5710 + i % 150} ms]", fall(6.0, 2.6, 70))
    f.say(0, last + 4, f"[INFO    ][{f.clock(last + 4)}][train               ] avg. loss 3.117, data-elapsed-time avg 5784 ms\n[INFO    ][{f.clock(last + 4)}][train               ] training done")
    f.load([(0, IDLE), (70, Load(13, 7, 0.3, 0.41, 100))])
    f.points = 60
    f.close("COMPLETED", last + 9)
    return made(f, "D1")


@job
def fenced() -> Made:
    """C1: NCCL of the second node cannot reach the first one's bootstrap port; it says so after its last try, no card has worked."""
    f = Fleet(("ec-1", "ec-2"), "esm-fold", 8_819_850, when("2026-10-24 13:05"), per=4, card=A100, submit_line="sbatch esm.sh", script="fold/train.py")
    f.each(9, "rank {r}/8 up on {node}, cuda:{l}")
    f.each(11, "{node}:4000{r}:4000{r} [{l}] NCCL INFO cudaDriverVersion 12020\n{node}:4000{r}:4000{r} [{l}] NCCL INFO Bootstrap : Using eno1np0:172.18.4.2{n}<0>\n{node}:4000{r}:4000{r} [{l}] NCCL INFO NET/Plugin: No plugin found (libnccl-net.so), using internal implementation")
    f.each(158, "{node}:4000{r}:4011{r} [{l}] misc/socket.cc:484 NCCL WARN socketStartConnect: Connect to 172.18.4.20<45519> failed : Connection timed out\n{node}:4000{r}:4011{r} [{l}] NCCL INFO bootstrap.cc:285 -> 6\n{node}:4000{r}:4011{r} [{l}] NCCL INFO init.cc:1534 -> 6", range(4, 8), gap=0.3)
    error = "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, remote process exited or there was a network error, NCCL version 2.19.3\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketStartConnect: Connect to 172.18.4.20<45519> failed : Connection timed out"
    f.each(160, frames(("/data/esm/fold/train.py", 96, "<module>", "setup()"), ("/data/esm/fold/train.py", 41, "setup", "dist.barrier(device_ids=[local])"), ("/data/esm/env/lib/python3.10/site-packages/torch/distributed/distributed_c10d.py", 3683, "barrier", "work = default_pg.barrier(opts=opts)"), error=error), range(4, 8), gap=0.3)
    f.end(range(4, 8), 164, code=1, gap=0.2)
    f.end(range(4), 198, signal=9)
    f.load([(0, IDLE), (12, CONTEXT)])
    srun_says(f, 166, "error: ec-2: tasks 4-7: Exited with exit code 1", "error: ec-1: tasks 0-3: Killed")
    f.close("FAILED", 200, code=1)
    return made(f, "C1", "nccl", fault="unknown")



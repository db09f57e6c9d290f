"""Cards full, broken or hot."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, B200, CONTEXT, GH200, H200, IDLE, SPIN, WORK, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._ballast_words import dump_signal, elastic, frames, sigterms, srun_says, watchdog
from corpus.make._fennel_kit import DSA, MEMORY, bar, fabric, megatron, threads_note, trainer_head

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def longest_dialogue() -> Made:
    """B1: four hours in, a batch of long dialogues on rank 17 needs more for its backward pass than the card has left."""
    f = Fleet(tuple(f"ams{n}" for n in (11, 12, 13)), "olmo13-dialog", 10_420_031, when("2026-08-22 06:10"), per=8, agents=True, script="finetune.py", submit_line="sbatch -N3 dlg.sh")
    threads_note(f, 5)
    trainer_head(f, 120, 912_411, 2, 4, 4_752, params=13_716_198_400)
    last = f.steps(0, range(5, 1636, 5), 130, 9.4, lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.7 + x / 3:.6f}, 'learning_rate': {1e-5 * (1 - i / 4752):.9f}, 'num_tokens': {i * 393_000}, 'mean_token_accuracy': {0.86 - x / 9:.6f}, 'epoch': {i / 4752:.3f}}}", fall(1.7, 0.92, 90))
    f.say(17, last + 14, frames(("/gpfs/dlg/finetune.py", 133, "<module>", "trainer.train()"), ("/gpfs/dlg/venv/lib/python3.11/site-packages/transformers/trainer.py", 2618, "_inner_training_loop", "tr_loss_step = self.training_step(model, inputs, num_items_in_batch)"), ("/gpfs/dlg/venv/lib/python3.11/site-packages/accelerate/accelerator.py", 2473, "backward", "loss.backward(**kwargs)"), ("/gpfs/dlg/venv/lib/python3.11/site-packages/torch/autograd/graph.py", 824, "_engine_run_backward", "return Variable._execution_engine.run_backward("), error=f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 12.27 GiB. GPU 1 has a total capacity of 79.11 GiB of which 7.05 GiB is free. Including non-PyTorch memory, this process has 72.05 GiB memory in use. Of the allocated memory 66.93 GiB is allocated by PyTorch, and 3.44 GiB is reserved by PyTorch but unallocated. {MEMORY}"), "[rank17]: ")
    f.end(17, last + 17, code=1)
    f.end([r for r in f.ranks if r != 17], last + 20, signal=15)
    sigterms(f, 2, last + 18, [16, 18, 19, 20, 21, 22, 23])
    elastic(f, 2, last + 22, [(17, 1, last + 17)], binary="/gpfs/dlg/venv/bin/python3")
    for n in (0, 1):
        sigterms(f, n, last + 19, range(8 * n, 8 * n + 8))
    f.load([(0, IDLE), (70, CONTEXT), (126, Load(97, 58, 0.87, 0.86))])
    f.load([(0, IDLE), (70, CONTEXT), (126, Load(97, 58, 0.87, 0.86)), (last - 600, Load(97, 58, 0.87, 0.915))], [17])
    srun_says(f, last + 24, "error: ams13: task 2: Exited with exit code 1")
    f.close("FAILED", last + 27, code=1)
    return made(f, "B1", "cuda_oom", first=(17,))


@job
def wide_batch() -> Made:
    """B1: a JAX program on Grace Hopper at its first compiled step, the allocator's summary before it."""
    f = Fleet(("todi-101", "todi-102"), "seis-unet3d", 10_420_377, when("2026-08-22 21:00"), per=4, card=GH200, script="train.py", submit_line="sbatch -N2 seis.sh")
    f.say(0, 22, "I0822 21:00:22.610331  40000 train.py:61] devices: 8 (4 local), mesh {'dp': 8}\nI0822 21:00:22.711004  40000 train.py:64] volume 384x384x192, global batch 32")
    f.say(0, 47, "I0822 21:00:47.004411  40000 train.py:101] params 214.7M, lowering train_step ...")
    for r in f.ranks:
        at = 118 + r * 0.3
        f.say(r, at, f"W0822 21:01:{int(at) - 60:02d}.31{r}002  4000{r} bfc_allocator.cc:501] Allocator (GPU_{r % 4}_bfc) ran out of memory trying to allocate 40.50GiB (rounded to 43486543872)requested by op \nIf the cause is memory fragmentation maybe the environment variable 'TF_GPU_ALLOCATOR=cuda_malloc_async' will improve the situation. \nCurrent allocation summary follows.\nW0822 21:01:{int(at) - 60:02d}.31{r}880  4000{r} bfc_allocator.cc:512] *****************************************************_______________________________________________")
        f.say(r, at + 0.4, frames(("/scratch/seis/train.py", 177, "<module>", "app.run(main)"), ("/scratch/seis/train.py", 131, "main", "state, metrics = train_step(state, batch)"), error="jaxlib._jax.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 43486543872 bytes."))
        f.end(r, at + 3, code=1)
    f.load([(0, IDLE), (20, Load(1, 1, 0.16, 0.76, 3)), (110, Load(50, 20, 0.4, 0.76, 40))])
    srun_says(f, 123, "error: todi-101: tasks 0-3: Exited with exit code 1", "error: todi-102: tasks 4-7: Exited with exit code 1")
    f.close("FAILED", 126, code=1)
    return made(f, "B1", "cuda_oom")


@job
def shared_with_the_engine() -> Made:
    """B1: GRPO with vLLM on the same cards: at step 61 the engine wakes up and finds too little."""
    f = Fleet(("bl-19",), "grpo-math", 10_420_650, when("2026-08-23 11:45"), per=8, card=H200, agents=True, script="grpo.py", submit_line="sbatch grpo.sh")
    f.say(0, 66, f"INFO {f.clock(66, '%m-%d %H:%M:%S')} [gpu_model_runner.py:1801] Starting to load model Qwen/Qwen2.5-14B-Instruct...\nINFO {f.clock(88, '%m-%d %H:%M:%S')} [gpu_worker.py:227] Available KV cache memory: 38.21 GiB")
    last = f.steps(0, range(1, 61), 120, 74, lambda i, x, t: f"{{'loss': {0.0009 * i ** 0.5:.4f}, 'grad_norm': {0.11 + x / 20:.6f}, 'learning_rate': {1e-6:.1e}, 'completions/mean_length': {610 + 9 * i:.1f}, 'completions/clipped_ratio': {0.04 + i / 900:.4f}, 'reward': {0.9 - x:.4f}, 'reward_std': {0.31:.2f}, 'kl': {0.0004 * i:.5f}, 'epoch': {i / 900:.2f}}}\n" + bar(i, 900, t - 120), fall(0.72, 0.2, 30))
    f.each(last + 31, frames(("/home/sv/grpo/grpo.py", 95, "<module>", "trainer.train()"), ("/home/sv/grpo/.venv/lib/python3.12/site-packages/trl/trainer/grpo_trainer.py", 1187, "_generate", "self.llm.wake_up(tags=[\"kv_cache\"])"), ("/home/sv/grpo/.venv/lib/python3.12/site-packages/vllm/device_allocator/cumem.py", 224, "wake_up", "create_and_map(handle)"), ("/home/sv/grpo/.venv/lib/python3.12/site-packages/vllm/device_allocator/cumem.py", 78, "create_and_map", "python_create_and_map(*allocation_handle)"), error="RuntimeError: CUDA Error: out of memory at /workspace/csrc/cumem_allocator.cpp:62"), tag="[rank{r}]: ", gap=0.2)
    f.end(f.ranks, last + 34, code=1, gap=0.2)
    elastic(f, 0, last + 39, [(r, 1, last + 34 + 0.2 * r) for r in range(8)], binary="/home/sv/grpo/.venv/bin/python")
    f.load([(0, IDLE), (60, Load(5, 2, 0.2, 0.3, 20)), (116, Load(90, 44, 0.7, 0.93, 20)), (last + 10, Load(80, 40, 0.6, 0.985, 30))])
    f.close("FAILED", last + 43, code=1)
    return made(f, "B1", "cuda_oom")


@job
def handle_refused() -> Made:
    """B1: all but a few MiB of a 40 GB card are taken when cuBLAS wants its workspace, in the first forward pass of the second resolution."""
    f = Fleet(("old-a7",), "pixart-1024", 10_420_919, when("2026-08-24 09:30"), per=4, card=A100_40, agents=True, script="train_scripts/train.py", submit_line="sbatch pix.sh")
    last = f.steps(0, range(20, 5001, 20), 71, 0.93, lambda i, x, t: f"{f.clock(t)} - PixArt - INFO - Step/Epoch [{i}/1][{i}/10000]:total_eta: {hours(10_000 - i)}, epoch_eta:{hours(5000 - i)}, time_all:0.93{i % 9}, time_data:0.004, lr:2.000e-05, s:(64, 64), loss:{x:.4f}, grad_norm:{0.05 + x / 9:.4f}", fall(0.31, 0.12, 200))
    f.say(0, last + 5, f"{f.clock(last + 5)} - PixArt - INFO - switching aspect bucket to (128, 128)")
    f.each(last + 11, frames(("/pix/train_scripts/train.py", 388, "<module>", "train()"), ("/pix/diffusion/model/nets/PixArt_blocks.py", 44, "forward", "q = self.q_linear(x).view(1, -1, self.num_heads, self.head_dim)"), ("/pix/env/lib/python3.10/site-packages/torch/nn/modules/linear.py", 125, "forward", "return F.linear(input, self.weight, self.bias)"), error="RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), tag="[rank{r}]: ", gap=0.1)
    f.end(f.ranks, last + 13, code=1, gap=0.1)
    elastic(f, 0, last + 17, [(r, 1, last + 13 + 0.1 * r) for r in range(4)], version="2.5", binary="/pix/env/bin/python")
    f.load([(0, IDLE), (66, Load(97, 0, 0.88, 0.71)), (last + 5, Load(98, 0, 0.8, 0.995))])
    f.close("FAILED", last + 20, code=1)
    return made(f, "B1", "cuda_oom")


def hours(steps: int) -> str:
    """What is left, as a timedelta prints it."""
    s = int(max(0, steps) * 0.93)
    return f"{s // 3600}:{s // 60 % 60:02d}:{s % 60:02d}"


@job
def no_more_on_the_bus() -> Made:
    """B2: hour nine on 48 cards: a card leaves the bus; its rank's watchdog ends it, torchrun the others."""
    f = Fleet(tuple(f"p{n:03d}" for n in (40, 41, 42, 43, 47, 48)), "gpt-oss-like-8b", 10_421_222, when("2026-08-25 00:12"), per=8, agents=True, script="pretrain_gpt.py", submit_line="sbatch -N6 pretrain_8b.slurm", limit_s=172_800)
    f.points = 14
    last = f.steps(47, range(50, 6351, 50), 190, 5.2, lambda i, x, t: megatron(i, 95_000, x, stamp=f.clock(t), ms=5201.4 + i % 37, lr=3e-4, norm=0.31 + x / 20), fall(11.1, 2.35, 150), tag="[default7]:")
    f.xid(27, last + 20, 79, "GPU has fallen off the bus.", named=False)
    f.kernel("p043", last + 20.1, "gpu_off_bus", f"NVRM: GPU {f.pci(27)}.0: GPU has fallen off the bus.", gpu=3, pci=f.pci(27))
    f.xid(27, last + 20.2, 154, "GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", named=False)
    f.say(27, last + 21, f"[rank27]:[E{f.clock(last + 21, '%m%d %H:%M:%S')}.207118223 ProcessGroupNCCL.cpp:2068] [PG ID 0 PG GUID 0(default_pg) Rank 27] Process group watchdog thread terminated with exception: CUDA error: unspecified launch failure\n{DSA}\nterminate called after throwing an instance of 'c10::DistBackendError'", "[default3]:")
    f.end(27, last + 23, signal=6)
    f.marks[27] = ({}, None)
    f.blind[27] = last + 19
    f.end([r for r in f.ranks if r != 27], last + 27, signal=15)
    sigterms(f, 3, last + 24, [24, 25, 26, 28, 29, 30, 31])
    elastic(f, 3, last + 30, [(27, -6, last + 23)], binary="/usr/bin/python3")
    for n in (0, 1, 2, 4, 5):
        sigterms(f, n, last + 26, range(8 * n, 8 * n + 8))
    f.load([(0, IDLE), (130, CONTEXT), (186, WORK)])
    srun_says(f, last + 32, "error: p043: task 3: Exited with exit code 1")
    f.close("FAILED", last + 36, code=1)
    return made(f, "B2", "cuda_runtime", first=(27,), variant="fault", fault="node")


@job
def worn_row() -> Made:
    """B2: an uncorrectable memory error in mid-epoch: Xid 48 and 94, the counter of rank 2's card goes up and a row waits to be remapped."""
    f = Fleet(("cl04",), "medsam-ft", 10_421_540, when("2026-08-26 13:30"), per=4, card=A100, script="medsam_ddp.py", submit_line="sbatch ms.sh")
    last = f.steps(0, range(25, 6251, 25), 48, 1.42, lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] ep {i // 2500} it {i % 2500:>4}/2500 dice+ce {x:.4f} dsc {0.97 - x / 2:.4f} {1.42 + i % 8 / 100:.2f}s", fall(1.2, 0.16, 300))
    f.xid(2, last + 9, 48, "An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 4, subpartition 0.")
    f.xid(2, last + 9.1, 63, "Row Remapper: New row marked for remapping, reset gpu to activate.", named=False)
    f.xid(2, last + 9.2, 94, "Contained: CE User Channel (0x9). RST: No, D-RST: No")
    f.marks[2] = ({"ecc_volatile_uncorrected": 0, "ecc_volatile_corrected": 4}, {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "ecc_volatile_corrected": 4, "remapped_rows_uncorrectable": 1, "remap_pending": True})
    f.say(2, last + 10, frames(("/data/ms/medsam_ddp.py", 271, "<module>", "main()"), ("/data/ms/medsam_ddp.py", 214, "main", "epoch_loss += loss.item()"), error="RuntimeError: CUDA error: uncorrectable ECC error encountered\n" + DSA), "[rank2]: ")
    f.end(2, last + 12, code=1)
    f.end([0, 1, 3], last + 15, signal=9)
    f.load([(0, IDLE), (44, Load(97, 0, 0.84, 0.67))])
    srun_says(f, last + 13, "error: cl04: task 2: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: cl04: tasks 0-1,3: Killed")
    f.close("FAILED", last + 18, code=1)
    return made(f, "B2", "cuda_runtime", first=(2,), variant="fault", fault="node")


@job
def no_reply_from_gsp() -> Made:
    """B2: the firmware of one card no longer answers the driver (Xid 119, 120); the rank there stops with an error of CUDA's, its readings end."""
    f = Fleet(("hgx-a3", "hgx-a4"), "videopoet-s", 10_421_888, when("2026-08-27 04:04"), per=8, script="vp/main.py", submit_line="sbatch -N2 vp.sh")
    fabric(f, 17)
    last = f.steps(0, range(20, 3741, 20), 95, 4.1, lambda i, x, t: f"vp | {f.clock(t)} | gs {i:>6} | ce {x:.4f} | vq-acc {0.66 - x / 14:.3f} | {16 * 8 / 4.1:.1f} clips/s", fall(8.9, 4.2, 130))
    f.xid(14, last + 15, 119, f"Timeout after 6s of waiting for RPC response from GPU{14 % 8} GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a0c4 0x4).")
    f.xid(14, last + 21, 120, "GSP task timeout @ pc:0x1a2f6b2, task: 1", named=False)
    f.marks[14] = ({}, None)
    f.blind[14] = last + 14
    f.say(14, last + 30, frames(("/v/vp/main.py", 190, "<module>", "cli()"), ("/v/vp/loop.py", 122, "fit", "torch.cuda.synchronize()"), ("/v/env/lib/python3.11/site-packages/torch/cuda/__init__.py", 985, "synchronize", "return torch._C._cuda_synchronize()"), error="RuntimeError: CUDA error: unknown error\n" + DSA), "[rank14]: ")
    f.end(14, last + 33, code=1)
    f.end([r for r in f.ranks if r != 14], last + 37, signal=9)
    f.load([(0, IDLE), (40, CONTEXT), (90, WORK), (last + 14, SPIN)])
    srun_says(f, last + 34, "error: hgx-a4: task 14: Exited with exit code 1", f"Terminating StepId={f.job_id}.0", "error: hgx-a3: tasks 0-7: Killed", "error: hgx-a4: tasks 8-13,15: Killed")
    f.close("FAILED", last + 40, code=1)
    return made(f, "B2", "cuda_runtime", first=(14,), variant="fault", fault="node")


@job
def link_down() -> Made:
    """B2: an NVLink of a card of node 2 fails: Xid 74, its error counters run; watchdogs see NCCL's error at once."""
    f = Fleet(("bw-31", "bw-32"), "qwen32-dpo", 10_422_140, when("2026-08-28 15:15"), per=8, card=B200, agents=True, script="dpo_fsdp.py", submit_line="sbatch dpo.slurm")
    last = f.steps(0, range(4, 553, 4), 170, 19.0, lambda i, x, t: f"{{'loss': '{x:.4f}', 'grad_norm': '{8 + 3 * x:.3f}', 'learning_rate': '{5e-7 * (1 - i / 1400):.3e}', 'rewards/margins': '{(0.693 - x) * 4:.4f}', 'rewards/accuracies': '{0.5 + (0.693 - x) * 1.05:.4f}', 'epoch': '{i / 1400:.3f}'}}\n" + bar(i, 1400, t - 170), fall(0.693, 0.43, 90))
    f.xid(10, last + 31, 74, "NVLink: fatal error detected on link 4(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)")
    f.xid(10, last + 31.2, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", named=False)
    f.marks[10] = ({"nvlink_replay_errors": 0, "nvlink_recovery_errors": 0, "nvlink_crc_errors": 2}, {"nvlink_replay_errors": 811, "nvlink_recovery_errors": 3, "nvlink_crc_errors": 9204, "recovery_action": "reset"})
    f.say(10, last + 33, frames(("/q/dpo_fsdp.py", 212, "<module>", "trainer.train()"), ("/q/env/lib/python3.12/site-packages/torch/distributed/fsdp/_runtime_utils.py", 862, "_reduce_grad", "dist.reduce_scatter_tensor("), error="torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3690, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable NVLink error detected during the execution'"), "[rank10]: ")
    f.end(10, last + 36, code=1)
    f.end([r for r in f.ranks if r != 10], last + 40, signal=15)
    sigterms(f, 1, last + 37, [8, 9, 11, 12, 13, 14, 15])
    elastic(f, 1, last + 42, [(10, 1, last + 36)], binary="/q/env/bin/python")
    sigterms(f, 0, last + 39, range(8))
    f.load([(0, IDLE), (110, CONTEXT), (165, WORK)])
    srun_says(f, last + 44, "error: bw-32: task 1: Exited with exit code 1")
    f.close("FAILED", last + 48, code=1)
    return made(f, "B2", "cuda_runtime", first=(10,), variant="fault", fault="node")


@job
def silent_double_bits() -> Made:
    """B2: a card of 32 has an uncontained error in hour three; rank 30's process is torn down, the others' watchdogs time out after ten minutes."""
    f = Fleet(tuple(f"z{n}" for n in (5, 6, 7, 8)), "clip-bigg", 10_422_415, when("2026-08-29 20:00"), per=8, script="open_clip_train/main.py", submit_line="sbatch -N4 --no-kill clip.sh")
    last = f.steps(0, range(100, 4501, 100), 110, 2.35, lambda i, x, t: f"{f.clock(t, '%Y-%m-%d,%H:%M:%S')} | INFO | Train Epoch: 0 [{i * 8192:>9}/135646078 ({100 * i * 8192 / 135_646_078:.0f}%)] Data (t): 0.118 Batch (t): 2.34{i % 9}, 3489.2/s, 109.0/s/gpu LR: 0.000{410 + i % 90} Logit Scale: {14.3 + i / 900:.3f} Contrastive_loss: {x:#.5g} ({x + 0.02:#.5g}) Loss: {x:#.5g} ({x + 0.02:#.5g})", fall(9.0, 3.1, 300))
    f.xid(30, last + 51, 95, "Uncontained: FBHUB. RST: Yes, D-RST: No")
    f.marks[30] = ({"ecc_volatile_uncorrected": 0}, {"ecc_volatile_uncorrected": 11, "ecc_aggregate_uncorrected": 11, "remapped_rows_uncorrectable": 1, "remap_pending": True})
    f.say(30, last + 52, frames(("/clip/src/open_clip_train/main.py", 551, "<module>", "main(sys.argv[1:])"), ("/clip/src/open_clip_train/train.py", 166, "train_one_epoch", "backward(total_loss, scaler)"), error="RuntimeError: CUDA error: an illegal memory access was encountered\n" + DSA), "[rank30]: ")
    f.end(30, last + 55, signal=6)
    for r in f.ranks:
        if r != 30:
            at = last + 651 + r * 0.04
            f.say(r, at, watchdog(f, r, at, "2.7", (31_844, "ALLREDUCE", 41_943_040, 41_943_040), 600))
            f.say(r, at + 0.3, dump_signal(f, r, at + 0.3, 31_844, 1))
    f.end([r for r in f.ranks if r != 30], last + 655, signal=6, gap=0.04)
    f.load([(0, IDLE), (104, WORK), (last + 50, SPIN)])
    f.load([(0, IDLE), (104, WORK), (last + 52, IDLE)], [30])
    srun_says(f, last + 56, "error: z8: task 30: Aborted (core dumped)")
    srun_says(f, last + 660, "error: z5: tasks 0-7: Aborted (core dumped)", "error: z6: tasks 8-15: Aborted (core dumped)", "error: z7: tasks 16-23: Aborted (core dumped)", "error: z8: tasks 24-29,31: Aborted (core dumped)")
    f.close("FAILED", last + 664, code=134, batch=(134, None), step=("FAILED", 0, 6))
    return made(f, "B2", "cuda_runtime", first=(30,), variant="fault", fault="node")


@job
def afternoon_heat() -> Made:
    """B3: from the fourth hour on two cards of a node of air-cooled servers are held down by heat; the tokens a second fall by half."""
    f = Fleet(("aw-1", "aw-2", "aw-3"), "starling-cpt", 10_422_701, when("2026-08-30 07:40"), per=4, card=A100, agents=True, script="cpt.py", submit_line="sbatch -N3 star.sh", limit_s=86_400)
    turn = 4 * 3600.0
    pace = lambda i: 3.2 if i <= 4480 else 6.9  # noqa: E731
    last = f.steps(0, range(40, 6001, 40), 66, pace, lambda i, x, t: f"step {i:>5}/6000 | {f.clock(t, '%H:%M:%S')} | loss {x:.4f} | {12 * 8 * 2048 / pace(i):,.0f} tok/s | {pace(i) + i % 7 / 40:.2f} s/step | eta {(6000 - i) * pace(i) / 60:.0f} min", fall(2.5, 1.83, 150))  # type: ignore[no-untyped-call]
    f.say(0, last + 20, "step  6000/6000 reached; weights in /aw/star/final")
    for r in f.ranks:
        gone = int((last - turn) * 0.88e9) if r in (6, 7) else 0
        f.marks[r] = ({"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_power_ns": 0, "violation_hw_power_brake_ns": 0}, {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone})
    f.load([(0, IDLE), (62, Load(97, 0, 0.86, 0.7, clock=0.97, heat=64)), (turn, Load(99, 0, 0.4, 0.7, clock=0.97, heat=52))])
    f.load([(0, IDLE), (62, Load(97, 0, 0.86, 0.7, clock=0.95, heat=83)), (turn, Load(99, 0, 0.36, 0.7, clock=0.39, heat=94, throttle=0x48))], [6, 7])
    f.close("COMPLETED", last + 31)
    return made(f, "B3", fault="node")


@job
def brownout() -> Made:
    """B3: the power brake of one of two nodes is drawn from minute twenty to the end, all of its eight cards at a third of their clock."""
    f = Fleet(("pw-7", "pw-8"), "esm3-inverse", 10_422_950, when("2026-08-31 16:50"), per=8, card=H200, script="inverse.py", submit_line="sbatch inv.sh")
    turn = 1200.0
    pace = lambda i: 1.15 if i <= 1000 else 3.1  # noqa: E731
    last = f.steps(0, range(50, 5001, 50), 58, pace, lambda i, x, t: f"{{\"time\": \"{f.clock(t)}\", \"update\": {i}, \"nll\": {x:.4f}, \"recovery\": {0.62 - x / 9:.4f}, \"sec_per_update\": {pace(i):.2f}, \"residues_per_s\": {int(16 * 9000 / pace(i))}}}", fall(2.9, 1.4, 170))  # type: ignore[no-untyped-call]
    f.say(0, last + 8, f"{{\"time\": \"{f.clock(last + 8)}\", \"finished\": 5000, \"best_recovery\": 0.4712}}")
    for r in f.ranks:
        gone = int((last - turn) * 0.94e9) if r >= 8 else 0
        f.marks[r] = ({"violation_hw_power_brake_ns": 0, "violation_power_ns": 0, "violation_hw_thermal_ns": 0, "violation_thermal_ns": 0}, {"violation_hw_power_brake_ns": gone, "violation_power_ns": gone})
    f.load([(0, IDLE), (54, Load(98, 60, 0.85, 0.5, clock=0.98, heat=62)), (turn, Load(99, 24, 0.43, 0.5, clock=0.98, heat=51))], range(8))
    f.load([(0, IDLE), (54, Load(98, 60, 0.85, 0.5, clock=0.98, heat=63)), (turn, Load(98, 61, 0.3, 0.5, clock=0.35, heat=46, throttle=0x88))], range(8, 16))
    f.close("COMPLETED", last + 14)
    return made(f, "B3", fault="node")

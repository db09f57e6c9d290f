"""Large models, first sheaf: refused at the door, shot, or stopped by an exception on the way."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H200, IDLE, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._nettle_kit import busy, closing, nodes, srun, torchrun, trace

JOBS: list[Maker] = []
job = keep(JOBS)
SITE = "/opt/conda/envs/llm/lib/python3.11/site-packages"


@job
def same_card() -> Made:
    """A1: the script exports CUDA_VISIBLE_DEVICES=0 for all tasks of a node: NCCL finds one card under eight ranks."""
    f = Fleet(
        nodes("dgx-", 17, 2),
        "llama3-8b-dpo",
        8_402_117,
        when("2026-10-19 08:41"),
        per=8,
        script="train_dpo.py",
        submit_line="sbatch -N2 --gpus-per-node=8 dpo_16.sbatch",
    )
    f.script_words.append(
        (
            0.6,
            "+ export CUDA_VISIBLE_DEVICES=0\n+ export MASTER_ADDR=dgx-017\n+ srun --ntasks-per-node=8 python -u train_dpo.py --config recipes/llama3_8b_dpo.yaml",
        )
    )
    f.each(14, "[{r}/16] {node} device=cuda:0 init_process_group(backend=nccl) ...", gap=0.05)
    f.say(0, 19, "dgx-017:40000:40000 [0] NCCL INFO Bootstrap : Using bond0:10.12.4.17<0>\nNCCL version 2.21.5+cuda12.4")
    for r in f.ranks:
        peer = 8 * (r // 8) + (1 if r % 8 == 0 else 0)
        f.say(
            r,
            23 + r / 50,
            f"\n{f.home(r)}:400{r:02d}:406{r:02d} [0] init.cc:943 NCCL WARN Duplicate GPU detected : rank {r} and rank {peer} both on CUDA device 1b000",
        )
        error = f"torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:317, invalid usage (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidUsage: This usually reflects invalid usage of NCCL library.\nLast error:\nDuplicate GPU detected : rank {r} and rank {peer} both on CUDA device 1b000"
        f.say(
            r,
            23.6 + r / 50,
            trace(
                error,
                ("/home/mkuhn/align/train_dpo.py", 241, "<module>", "main()"),
                ("/home/mkuhn/align/train_dpo.py", 77, "main", "dist.barrier()"),
                (f"{SITE}/torch/distributed/distributed_c10d.py", 4159, "barrier", "work = group.barrier(opts=opts)"),
            ),
            f"[rank{r}]: ",
        )
    f.end(f.ranks, 25, code=1)
    f.load([(0, IDLE), (10, IDLE)])
    f.load([(0, IDLE), (15, Load(1, 0.2, 0.14, 0.055, 8))], (0, 8))
    srun(f, 26.4, "error: dgx-017: tasks 0-7: Exited with exit code 1", "error: dgx-018: tasks 8-15: Exited with exit code 1")
    f.close("FAILED", 28, code=1)
    return made(f, "A1", "nccl")


@job
def wild_pointer() -> Made:
    """A2: one of 32 ranks dies of a segmentation fault in a tokenizer's native code, five hours into a run; its agent ends the others."""
    f = Fleet(
        nodes("gn", 201, 4),
        "mistral-cpt-de",
        8_404_560,
        when("2026-10-20 19:05"),
        per=8,
        agents=True,
        card=A100,
        script="cpt/train.py",
        submit_line="sbatch --nodes=4 cpt_de.sh",
    )
    f.each(40, "[rank{r}]: data worker up, 412 parquet shards, seed {r}", gap=0.1)
    last = f.steps(
        0,
        range(20, 2181, 20),
        150,
        8.31,
        lambda i, x, t: (
            f"[{f.clock(t)}] step {i:>5}/20000 | loss {x:.4f} | lr {min(i, 500) * 4e-8:.2e} | gnorm {0.31 + x / 11:.3f} | {126_100 + i % 733} tok/s | mfu {47.0 + i % 7 / 10:.1f}%"
            + (f"\n[{f.clock(t)}] checkpoint written to /lustre/cpt_de/step_{i:06d}" if i % 500 == 0 else "")
        ),
        fall(2.31, 1.62, 120),
    )
    f.say(
        21,
        last + 4.2,
        'Fatal Python error: Segmentation fault\n\nThread 0x00007f2e8bfff640 (most recent call first):\n  <no Python frame>\n\nCurrent thread 0x00007f31a4f45740 (most recent call first):\n  File "/lustre/cpt_de/env/lib/python3.11/site-packages/transformers/tokenization_utils_fast.py", line 529 in _batch_encode_plus\n  File "/lustre/cpt_de/cpt/stream.py", line 118 in pack\n  File "/lustre/cpt_de/cpt/stream.py", line 71 in __iter__\n  File "/lustre/cpt_de/cpt/train.py", line 203 in train_loop\n  File "/lustre/cpt_de/cpt/train.py", line 301 in <module>',
        "[rank21]: ",
    )
    f.end(21, last + 4.4, signal=11)
    f.end([r for r in f.ranks if r // 8 == 2 and r != 21], last + 6, signal=15)
    f.end([r for r in f.ranks if r // 8 != 2], last + 12, signal=15)
    closing(f, 2, last + 5.1, [r for r in range(16, 24) if r != 21])
    torchrun(f, 2, last + 9, [(21, -11, last + 4.4)], env="/lustre/cpt_de/env")
    for n in (0, 1, 3):
        closing(f, n, last + 11, range(8 * n, 8 * n + 8))
    f.load(busy(142, Load(98, 0, 0.87, 0.91, 7), held=0.91, end=last, every=500 * 8.31, rest=55))
    srun(f, last + 10, "error: gn203: task 2: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 18, code=1)
    return made(f, "A2", "segfault", first=(21,))


@job
def vanished_shard() -> Made:
    """A3: somebody cleaned the scratch folder in the middle of the night: at its turn the shard is no longer there."""
    f = Fleet(
        nodes("cn", 40, 2, 4),
        "siglip2-pretrain",
        8_406_001,
        when("2026-10-22 22:17"),
        per=8,
        agents=True,
        card=H200,
        script="open_clip_train/main.py",
        submit_line="sbatch clip16.sbatch",
    )
    f.say(
        0,
        31,
        f"{f.clock(31, '%Y-%m-%d,%H:%M:%S')} | INFO | Running in distributed mode with multiple processes. Device: cuda:0.Process (global: 0, local 0), total 16.\n{f.clock(31.4, '%Y-%m-%d,%H:%M:%S')} | INFO | Model:\n{f.clock(33, '%Y-%m-%d,%H:%M:%S')} | INFO | Start epoch 0",
    )
    last = f.steps(
        0,
        range(100, 9501, 100),
        60,
        1.34,
        lambda i, x, t: (
            f"{f.clock(t, '%Y-%m-%d,%H:%M:%S')} | INFO | Train Epoch: 0 [{i * 16384:>10}/400000000 ({i * 16384 / 4e6:.0f}%)] Data (t): 0.0{i % 8 + 11} Batch (t): 1.34{i % 9}, {12_200 + i % 77:.4f}/s, {763.1:.4f}/s/gpu LR: 0.000{490 - i // 100} Logit Scale: {10 + i / 300:.3f} Contrastive_loss: {x:.5g} ({x + 0.03:.5g}) Loss: {x:.5g} ({x + 0.03:.5g})"
        ),
        fall(9.9, 1.4, 300),
    )
    path = "/scratch/vl/datacomp/shards/00041377.tar"
    f.say(
        10,
        last + 41,
        trace(
            f'FileNotFoundError: Caught FileNotFoundError in DataLoader worker process 3.\nOriginal Traceback (most recent call last):\n  File "/home/vl/env/lib/python3.11/site-packages/torch/utils/data/_utils/fetch.py", line 33, in fetch\n    data.append(next(self.dataset_iter))\n  File "/home/vl/env/lib/python3.11/site-packages/webdataset/gopen.py", line 420, in gopen\n    return open(url, mode, buffering=bufsize)\nFileNotFoundError: [Errno 2] No such file or directory: \'{path}\'',
            ("/home/vl/src/open_clip_train/main.py", 512, "<module>", "main(sys.argv[1:])"),
            ("/home/vl/src/open_clip_train/train.py", 88, "train_one_epoch", "for i, batch in enumerate(dataloader):"),
            ("/home/vl/env/lib/python3.11/site-packages/torch/_utils.py", 705, "reraise", "raise exception"),
        ),
        "[rank10]: ",
    )
    f.end(10, last + 44, code=1)
    f.end(range(8, 10), last + 46, signal=15)
    f.end(range(11, 16), last + 46, signal=15)
    f.end(range(8), last + 51, signal=15)
    closing(f, 1, last + 45, [8, 9, 11, 12, 13, 14, 15])
    torchrun(f, 1, last + 48, [(10, 1, last + 44)], env="/home/vl/env")
    closing(f, 0, last + 50, range(8))
    f.load(busy(55, Load(95, 51, 0.79, 0.7, 12), held=0.7, end=last))
    srun(f, last + 49, "error: cn0041: task 1: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 56, code=1)
    return made(f, "A3", "file_not_found", first=(10,))


@job
def forgotten_buffer() -> Made:
    """A3: after 4000 updates the speech model is evaluated for the first time, with a window that stayed on the host."""
    f = Fleet(
        ("h07",), "whisper-lv3-sami", 8_407_730, when("2026-10-24 10:30"), per=8, script="finetune_asr.py", submit_line="sbatch asr.sbatch --lang se"
    )
    last = f.steps(
        0,
        range(50, 4001, 50),
        44,
        1.12,
        lambda i, x, t: (
            f"{f.clock(t, '%d-%b %H:%M:%S')} [INFO] asr: update={i} epoch={i / 2210:.2f} loss={x:.3f} lr={1e-5 * (1 - i / 22_100):.2e} utt/s={142 + i % 6} gpu_mem=61.3G"
        ),
        fall(3.2, 0.41, 180),
    )
    f.say(0, last + 2, f"{f.clock(last + 2, '%d-%b %H:%M:%S')} [INFO] asr: evaluating on dev (1904 utterances)")
    for r in f.ranks:
        f.say(
            r,
            last + 9 + r / 7,
            trace(
                "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:" + str(r) + " and cpu!",
                ("/home/inga/asr/finetune_asr.py", 377, "<module>", "main()"),
                ("/home/inga/asr/finetune_asr.py", 322, "main", "wer = evaluate(model, dev_loader)"),
                ("/home/inga/asr/features.py", 54, "log_mel", "frames = audio.unfold(-1, 400, 160) * WINDOW"),
            ),
        )
    f.end(f.ranks, last + 12, code=1, gap=0.1)
    f.load(busy(40, Load(94, 46, 0.74, 0.77, 10), held=0.77, end=last))
    srun(f, last + 15, "error: h07: tasks 0-7: Exited with exit code 1")
    f.close("FAILED", last + 17, code=1)
    return made(f, "A3", "device_mismatch")


@job
def guessed_weights() -> Made:
    """A3: a GRPO run where one prompt's group is empty after filtering: the mean reward divides by nought on the rank that got it."""
    f = Fleet(
        nodes("n", 611, 3),
        "qwen2.5-32b-grpo",
        8_409_214,
        when("2026-10-25 23:48"),
        per=8,
        agents=True,
        script="grpo_main.py",
        submit_line="sbatch -N3 grpo.sh math+code",
    )
    f.say(0, 88, f"INFO {f.clock(88, '%m-%d %H:%M:%S')} rollout engine: 8 x tp=2 up, kv cache 211,904 tokens each")
    last = f.steps(
        0,
        range(1, 173),
        260,
        96.0,
        lambda i, x, _t: (
            f"step {i:>4} | reward/mean {0.71 - x:.4f} | kl {0.0004 * i**0.7:.5f} | completions/len {812 + i * 3} | loss {0.0021 * x:.6f} | gen 61.{i % 9}s train 33.{i % 7}s"
        ),
        fall(0.55, 0.12, 30),
    )
    f.say(
        17,
        last + 66,
        trace(
            "ZeroDivisionError: division by zero",
            ("/proj/rl/grpo_main.py", 590, "<module>", "Trainer(cfg).fit()"),
            ("/proj/rl/grpo_main.py", 402, "fit", "adv = self.advantages(groups)"),
            ("/proj/rl/advantage.py", 29, "advantages", "mu = sum(rs) / len(rs)"),
        ),
        "[rank17]: ",
    )
    f.end(17, last + 69, code=1)
    f.end([16, *range(18, 24)], last + 72, signal=15)
    f.end(range(16), last + 77, signal=15)
    closing(f, 2, last + 70, [16, *range(18, 24)])
    torchrun(f, 2, last + 74, [(17, 1, last + 69)])
    closing(f, 0, last + 76, range(8))
    closing(f, 1, last + 76, range(8, 16))
    f.load([(0, IDLE), (70, CONTEXT), (200, Load(81, 37, 0.63, 0.93, 45))])
    srun(f, last + 75, "error: n613: task 2: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 82, code=1)
    return made(f, "A3", "div_zero", first=(17,))


@job
def half_the_heads() -> Made:
    """A1: vLLM over 16 cards of two nodes: 40 heads cannot be cut into 16; the engine refuses."""
    f = Fleet(
        ("inf-3", "inf-4"),
        "serve-phi-medium",
        8_410_083,
        when("2026-10-27 13:20"),
        per=8,
        agents=True,
        script="serve_batch.py",
        submit_line="sbatch serve2.sh --tp 16",
    )
    f.launcher[0].append(
        (
            8,
            "INFO 10-27 13:20:08 [__init__.py:239] Automatically detected platform cuda.\n2026-10-27 13:20:11,904\tINFO worker.py:1654 -- Connecting to existing Ray cluster at address: 10.3.7.3:6379...",
        )
    )
    f.say(
        0,
        21,
        "INFO 10-27 13:20:21 [config.py:689] This model supports multiple tasks: {'generate', 'embed', 'score', 'reward', 'classify'}. Defaulting to 'generate'.",
    )
    site = "/opt/vllm/lib/python3.12/site-packages/vllm"
    f.say(
        0,
        22,
        trace(
            "ValueError: Total number of attention heads (40) must be divisible by tensor parallel size (16).",
            (
                "/srv/batch/serve_batch.py",
                61,
                "<module>",
                'llm = LLM(model=args.model, tensor_parallel_size=args.tp, distributed_executor_backend="ray")',
            ),
            (f"{site}/entrypoints/llm.py", 243, "__init__", "self.llm_engine = LLMEngine.from_engine_args("),
            (f"{site}/engine/arg_utils.py", 1168, "create_engine_config", "config = VllmConfig("),
            (f"{site}/config.py", 3578, "__post_init__", "self.model_config.verify_with_parallel_config(self.parallel_config)"),
            (f"{site}/config.py", 862, "verify_with_parallel_config", "raise ValueError("),
        ),
    )
    f.end(f.ranks, 24, code=1)
    f.unborn = set(range(1, 16))
    f.load([(0, IDLE), (12, IDLE)])
    srun(f, 25.5, "error: inf-3: task 0: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", 29, code=1)
    return made(f, "A1", "traceback", variant="config")


@job
def merged_once() -> Made:
    """A3: at the planned merge of the shards rank 0 asks the host for one tensor more than it has, and is refused."""
    f = Fleet(
        nodes("fat", 5, 2, 2),
        "falcon180-sft",
        8_411_377,
        when("2026-10-29 01:10"),
        per=8,
        card=A100,
        script="sft_fsdp.py",
        submit_line="sbatch --mem=1000G f180.sbatch",
    )
    last = f.steps(
        0,
        range(5, 301, 5),
        480,
        61.0,
        lambda i, x, t: (
            f'{{"ts": "{f.clock(t)}", "step": {i}, "loss": {x:.4f}, "grad_norm": {0.8 + x / 6:.3f}, "lr": {1e-5 * (1 - i / 600):.3e}, "tokens": {i * 1_048_576}}}'
        ),
        fall(1.71, 1.02, 25),
    )
    f.say(0, last + 3, f'{{"ts": "{f.clock(last + 3)}", "event": "gather full state dict on rank 0 (cpu offload)"}}')
    f.say(
        0,
        last + 312,
        trace(
            "RuntimeError: [enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 124554051584 bytes. Error code 12 (Cannot allocate memory)",
            ("/p/f180/sft_fsdp.py", 340, "<module>", "main()"),
            ("/p/f180/sft_fsdp.py", 297, "main", "save_full(model, step)"),
            ("/p/f180/ckpt.py", 41, "save_full", "state = model.state_dict()"),
            (
                f"{SITE}/torch/distributed/fsdp/_state_dict_utils.py",
                287,
                "_full_post_state_dict_hook",
                'state_dict[fqn] = tensor.to(torch.device("cpu"))',
            ),
        ),
        "[rank0]: ",
    )
    f.end(0, last + 315, code=1)
    f.end(range(1, 16), last + 319, signal=9)
    f.load([(0, IDLE), (60, CONTEXT), (420, Load(95, 0, 0.88, 0.95, 8)), (last + 4, Load(100, 0, 0.24, 0.95, 0))])
    srun(
        f,
        last + 316,
        "error: fat05: task 0: Exited with exit code 1",
        f"Terminating StepId={f.job_id}.0",
        "error: fat05: tasks 1-7: Killed",
        "error: fat06: tasks 8-15: Killed",
    )
    f.close("FAILED", last + 322, code=1)
    return made(f, "A3", "ram_oom", first=(0,))

"""Large models, second sheaf: memory, hardware, heat, doors that never opened, ranks that waited."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H200, IDLE, Fleet, Load, Made, Maker, fall, keep, made, when
from corpus.make._nettle_kit import busy, closing, expired, nodes, slurm_ends, srun, torchrun, trace

JOBS: list[Maker] = []
job = keep(JOBS)
SITE = "/opt/conda/envs/llm/lib/python3.11/site-packages"


@job
def longest_document() -> Made:
    """B1: sequence packing is off; in the third hour rank 13 gets the longest document and its logits do not fit."""
    f = Fleet(
        nodes("gpu-a", 11, 4, 2),
        "llama31-70b-longsft",
        8_420_051,
        when("2026-10-18 17:30"),
        per=8,
        agents=True,
        script="finetune.py",
        submit_line="sbatch -N4 longsft.sbatch",
    )
    last = f.steps(
        0,
        range(10, 611, 10),
        340,
        18.4,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {0.41 + x / 5:.6f}, 'learning_rate': {2e-6 * (1 - i / 4100):.6e}, 'epoch': {i / 2050:.2f}, 'num_tokens': {i * 1_310_720}.0, 'mean_token_accuracy': {0.86 - x / 5:.4f}}}"
        ),
        fall(1.44, 0.88, 40),
    )
    text = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 15.66 GiB. GPU 5 has a total capacity of 79.11 GiB of which 9.41 GiB is free. Including non-PyTorch memory, this process has 69.69 GiB memory in use. Of the allocated memory 62.30 GiB is allocated by PyTorch, and 4.85 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    f.say(
        13,
        last + 11,
        trace(
            text,
            ("/proj/lsft/finetune.py", 199, "<module>", "trainer.train()"),
            (f"{SITE}/transformers/trainer.py", 2245, "train", "return inner_training_loop("),
            (f"{SITE}/transformers/loss/loss_utils.py", 47, "ForCausalLMLoss", "logits = logits.float()"),
        ),
        "[rank13]: ",
    )
    f.end(13, last + 14, code=1)
    f.end([r for r in range(8, 16) if r != 13], last + 17, signal=15)
    f.end([r for r in f.ranks if r // 8 != 1], last + 22, signal=15)
    closing(f, 1, last + 15, [r for r in range(8, 16) if r != 13])
    torchrun(f, 1, last + 18, [(13, 1, last + 14)])
    for n in (0, 2, 3):
        closing(f, n, last + 21, range(8 * n, 8 * n + 8))
    f.load(busy(330, Load(96, 53, 0.84, 0.87, 9), held=0.87, end=last))
    srun(f, last + 19, "error: gpu-a12: task 1: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 28, code=1)
    return made(f, "B1", "cuda_oom", first=(13,))


@job
def off_the_bus() -> Made:
    """B2: a card falls off the bus at night; its process gets an unknown error, and it cannot be read any more."""
    f = Fleet(
        nodes("dgx-", 41, 8), "gpt-neox-20b-fr", 8_421_616, when("2026-10-21 15:00"), per=8, script="train.py", submit_line="sbatch -N8 neox.sbatch"
    )
    last = f.steps(
        0,
        range(10, 2461, 10),
        190,
        11.9,
        lambda i, x, t: (
            f"[{f.clock(t)}]  samples/sec: {172.1 + i % 5 / 10:.3f} | iteration {i:>8}/   76000 | elapsed time per iteration (ms): {11_900 + i % 37:.1f} | learning rate: {9.7e-5:.3E} | approx flops per GPU: 171.{i % 9}TFLOPS | lm_loss: {x:.6E} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        fall(9.8, 2.2, 110),
    )
    f.xid(45, last + 3.0, 79, "GPU has fallen off the bus.", named=False)
    f.say(
        45,
        last + 5,
        trace(
            "RuntimeError: CUDA error: unknown error\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.\n",
            ("/lus/neox/train.py", 34, "<module>", "main()"),
            ("/lus/neox/megatron/training.py", 1024, "train", "reporting = {k: v.item() for k, v in loss_dict.items()}"),
        ),
        "[rank45]: ",
    )
    f.end(45, last + 8, code=1)
    f.end([r for r in f.ranks if r != 45], last + 13, signal=9)
    f.marks[45] = ({"ecc_volatile_corrected": 2}, None)
    f.blind[45] = last + 3
    f.points = 20
    f.load(busy(180, Load(97, 44, 0.77, 0.82, 8), held=0.82, end=last))
    srun(f, last + 9, "error: dgx-046: task 45: Exited with exit code 1", f"Terminating StepId={f.job_id}.0")
    f.close("FAILED", last + 18, code=1)
    return made(f, "B2", "cuda_runtime", first=(45,), variant="fault", fault="node")


@job
def blocked_inlet() -> Made:
    """B3: from the second hour on one node runs hot, its eight cards are slowed by the hardware and the whole run with them."""
    f = Fleet(
        nodes("p", 301, 4),
        "nemotron-15b-cpt",
        8_423_302,
        when("2026-10-26 06:15"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch -N4 nemo15.sbatch",
    )
    turn, fast, slow = 5200.0, 12.1, 27.8
    change = int((turn - 200) / fast)

    def line(i: int, x: float, t: float) -> str:
        s = fast if i <= change else slow
        return f" [{f.clock(t)}] iteration {i:8d}/    1000 | consumed samples: {i * 768:12d} | elapsed time per iteration (ms): {s * 1000 + i % 41:.1f} | throughput per GPU (TFLOP/s/GPU): {5005 / s + i % 5 / 10:.1f} | learning rate: {1.5e-5:.6E} | global batch size:   768 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.4 + x / 10:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"

    last = f.steps(31, range(10, 1001, 10), 200, lambda i: fast if i <= change else slow, line, fall(1.92, 1.51, 60))
    f.say(
        31,
        last + 60,
        f"  successfully saved checkpoint from iteration    1000 to /ckpt/nemo15\n[after training is done] datetime: {f.clock(last + 60)} ",
    )
    zero = {"violation_hw_thermal_ns": 0, "violation_thermal_ns": 0, "violation_hw_power_brake_ns": 0, "violation_power_ns": 0}
    for r in f.ranks:
        gone = int((last - turn) * 0.9e9) if r // 8 == 2 else 0
        f.marks[r] = (dict(zero), {"violation_hw_thermal_ns": gone, "violation_thermal_ns": gone})
    f.load([(0, IDLE), (90, CONTEXT), (190, Load(98, 55, 0.86, 0.83, 6, 0.95, 61)), (turn, Load(99, 24, 0.42, 0.83, 5, 0.97, 48))])
    f.load(
        [(0, IDLE), (90, CONTEXT), (190, Load(98, 55, 0.86, 0.83, 6, 0.94, 77)), (turn, Load(99, 56, 0.37, 0.83, 5, 0.4, 90, 0x48))], range(16, 24)
    )
    f.close("COMPLETED", last + 90)
    return made(f, "B3", fault="node")


@job
def coordinator() -> Made:
    """C1: four JAX hosts; the coordinator listens under a name that the others resolve to a management network: they try until the limit."""
    f = Fleet(
        nodes("jaxh", 1, 4, 2),
        "maxtext-9b",
        8_425_008,
        when("2026-10-28 20:00"),
        per=4,
        card=H200,
        limit_s=14_400,
        script="MaxText/train.py",
        submit_line="sbatch -N4 -t 4:00:00 maxtext.sbatch",
    )
    f.each(
        12,
        "I1028 20:00:12.{l}3020{l}  400{r:02d} max_utils.py:241] Attempting to initialize the jax distributed system for GPU backend...\nI1028 20:00:12.{l}3077{l}  400{r:02d} distributed.py:149] Connecting to JAX distributed service on jaxh01.mgmt.local:8476",
        gap=0.1,
    )
    f.say(0, 12.6, "I1028 20:00:12.612091  40000 distributed.py:138] Starting JAX distributed service on [::]:8476")
    slurm_ends(f, 14_409, "DUE TO TIME LIMIT")
    f.end(f.ranks, 14_411, signal=15)
    f.load([(0, IDLE), (9, IDLE)])
    f.close("TIMEOUT", 14_415, signal=15)
    return made(f, "C1", fault="unknown")


@job
def rank_in_the_kernel() -> Made:
    """C2: rank 6 waits in the kernel for a file server, 15 others wait for it in a reduce-scatter until their watchdogs end them."""
    f = Fleet(
        ("wn-08", "wn-09"),
        "olmo2-13b-anneal",
        8_426_430,
        when("2026-10-30 09:40"),
        per=8,
        agents=True,
        script="scripts/train.py",
        submit_line="sbatch anneal.sh configs/olmo13b.yaml",
    )
    last = f.steps(
        0,
        range(5, 1206, 5),
        120,
        6.2,
        lambda i, x, t: (
            f"[{f.clock(t)}] INFO     [train:966, rank=0] [step={i}/4768,epoch=0]\n    train/CrossEntropyLoss={x:.3f}\n    train/Perplexity={2.71828**x:.3f}\n    throughput/device/tokens_per_second={5_310 + i % 60:,d}"
        ),
        fall(2.42, 2.01, 90),
    )
    for s in (122, 245, 368, 491):
        f.kernel(
            "wn-08",
            last + 6 + s,
            "kernel_hung_task",
            f"INFO: task python:{f.pid(6)} blocked for more than {s} seconds.",
            process="python",
            pid=f.pid(6),
            blocked_s=s,
        )
    f.looks[6] = {
        "state": "D",
        "wchan": "rpc_wait_bit_killable",
        "looks": 510,
        "waits": {"D rpc_wait_bit_killable": 118},
        "file_systems": ("nfs4 /net/corpora",),
    }
    late = last + 607
    for r in f.ranks:
        if r != 6:
            f.say(r, late + r * 0.06, expired(f, r, late + r * 0.06, (31_544, "_REDUCE_SCATTER_BASE", 411_107_328, 25_694_208), 600))
    f.end([r for r in f.ranks if r != 6], late + 3, signal=6, gap=0.06)
    f.end(6, late + 41, signal=9)
    closing(f, 0, late + 5, [6])
    for n in range(2):
        torchrun(f, n, late + 42 + n, [(r, -6, late + 3 + 0.06 * r) for r in range(8 * n, 8 * n + 8) if r != 6])
    f.load([(0, IDLE), (50, CONTEXT), (110, Load(97, 50, 0.83, 0.8, 8)), (last + 5, Load(100, 1.1, 0.19, 0.8, 0))])
    f.load([(0, IDLE), (50, CONTEXT), (110, Load(97, 50, 0.83, 0.8, 8)), (last + 5, Load(0, 0, 0.15, 0.8, 0))], [6])
    srun(f, late + 45, "error: wn-08: task 0: Exited with exit code 1", "error: wn-09: task 1: Exited with exit code 1")
    f.close("FAILED", late + 49, code=1)
    return made(f, "C2", "nccl", fault="unknown")


@job
def workers_asleep() -> Made:
    """C3: one card; after an epoch the loader's new worker processes deadlock on a lock taken over by fork; seven hours of silence."""
    f = Fleet(
        ("a40-2",),
        "dinov2-histo",
        8_428_115,
        when("2026-11-01 18:45"),
        per=1,
        card=A100,
        limit_s=36_000,
        script="embed_train.py",
        submit_line="sbatch -t 10:00:00 histo.sh",
    )
    last = f.steps(
        0,
        range(25, 1851, 25),
        30,
        3.1,
        lambda i, x, t: f"[{f.clock(t, '%H:%M:%S')}] ep 0 it {i}/1850 dino={x:.4f} ibot={x * 0.7:.4f} koleo={0.2 - i / 60_000:.4f}",
        fall(11.0, 5.2, 150),
    )
    f.say(0, last + 8, f"[{f.clock(last + 8, '%H:%M:%S')}] ep 0 done, knn acc 0.712; starting ep 1 (16 workers)")
    slurm_ends(f, 36_011, "DUE TO TIME LIMIT")
    f.end(0, 36_014, signal=15)
    f.load([(0, IDLE), (27, Load(93, 0, 0.81, 0.66, 12)), (last + 9, Load(0, 0, 0.15, 0.66, 0))])
    f.looks[0] = {"state": "S", "wchan": "futex_wait_queue", "cpu_s": 5911.0, "looks": 3500, "waits": {}}
    f.close("TIMEOUT", 36_018, signal=15)
    return made(f, "C3", fault="unknown")


@job
def jpeg_mill() -> Made:
    """D1: sixteen cards stop and go behind eight decoding processes; Lightning warns of it once, the data time is printed with each line."""
    f = Fleet(("v-1", "v-2"), "convnext-inat", 8_429_700, when("2026-11-03 11:00"), per=8, script="fit.py", submit_line="sbatch -c 4 fit.sbatch")
    f.say(
        0,
        22,
        "/opt/lit/lib/python3.12/site-packages/lightning/pytorch/trainer/connectors/data_connector.py:433: The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=31` in the `DataLoader` to improve performance.",
    )
    last = f.steps(
        0,
        range(20, 1301, 20),
        48,
        5.9,
        lambda i, x, t: (
            f"{f.clock(t, '%H:%M:%S')} epoch {i // 660} batch {i % 660} | train_loss {x:.3f} | step 5.9{i % 9}s of which next(batch) 4.{i % 8 + 1}s"
        ),
        fall(8.9, 3.6, 140),
    )
    f.say(0, last + 20, "`Trainer.fit` stopped: `max_epochs=2` reached.")
    f.load([(0, IDLE), (44, Load(21, 11, 0.31, 0.46, 100))])
    f.points = 70
    f.close("COMPLETED", last + 27)
    return made(f, "D1")

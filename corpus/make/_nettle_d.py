"""Large models, fourth sheaf: all of these reached what they were started for, some with much noise on the way."""

from __future__ import annotations

from collections.abc import Callable

from corpus.make._ballast import A100, CONTEXT, H100, H200, IDLE, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._nettle_kit import busy, closing, nodes, trace

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def sixty_four() -> Made:
    """Megatron-Core on 64 cards, validation each 500 iterations, the planned end."""
    f = Fleet(
        nodes("c1n", 101, 8),
        "mcore-13b",
        8_441_020,
        when("2026-10-17 10:00"),
        per=8,
        script="pretrain_gpt.py",
        submit_line="sbatch -N8 mcore13b.sbatch",
    )
    f.say(
        0,
        60,
        "using world size: 64, data-parallel size: 16, context-parallel size: 1, tensor-model-parallel size: 4, encoder-tensor-model-parallel size: 0, pipeline-model-parallel size: 1\n> setting tensorboard ...\n> initialized tensor model parallel with size 4",
    )

    def line(i: int, x: float, t: float) -> str:
        row = f" [{f.clock(t)}] iteration {i:8d}/    4000 | consumed samples: {i * 2048:12d} | elapsed time per iteration (ms): {6120 + i % 53:.1f} | throughput per GPU (TFLOP/s/GPU): {447 + i % 5}.{i % 9} | learning rate: {3e-4 * (1 - i / 4400):.6E} | global batch size:  2048 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.2 + x / 8:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        if i % 1000 == 0:
            row += f"\n----------------------------------------------------------------------------------------------------\n validation loss at iteration {i} | lm loss value: {x + 0.02:.6E} | lm loss PPL: {2.71828 ** (x + 0.02):.6E} |\n----------------------------------------------------------------------------------------------------\nsaving checkpoint at iteration {i:7d} to /ckpt/mcore13b in torch_dist format\n  successfully saved checkpoint from iteration {i:7d} to /ckpt/mcore13b [ t 1/4, p 1/1 ]"
        return row

    last = f.steps(63, range(20, 4001, 20), 150, 6.12, line, fall(10.8, 2.3, 150))
    f.say(63, last + 70, f"[after training is done] datetime: {f.clock(last + 70)} ")
    f.points = 16
    f.load(busy(140, Load(98, 59, 0.89, 0.85, 6), held=0.85, end=last))
    f.close("COMPLETED", last + 95)
    return good(f)


@job
def translations() -> Made:
    """A corpus is translated offline by vLLM on eight cards, one replica each: no training, the work is done."""
    f = Fleet(
        ("inf-9",),
        "madlad-backtranslate",
        8_442_313,
        when("2026-10-19 21:00"),
        per=8,
        script="backtranslate.py",
        submit_line="sbatch bt.sbatch part-0007",
    )
    f.each(
        55,
        "INFO 10-19 21:00:55 [gpu_worker.py:298] Available KV cache memory: 41.07 GiB\nINFO 10-19 21:00:56 [kv_cache_utils.py:1087] GPU KV cache size: 336,400 tokens\nINFO 10-19 21:00:58 [core.py:193] init engine (profile, create kv cache, warmup model) took 21.{l}4 seconds",
        gap=0.2,
    )

    def told(r: int) -> Callable[[int, float, float], str]:
        return lambda i, _x, t: (
            f"[{f.clock(t, '%H:%M:%S')}] shard {r}: {i * 25_000:>8,}/1,000,000 lines, {12_900 + (i * 31 + r) % 400} out tok/s, {(i * 7) % 11} empty"
        )

    for r in f.ranks:
        f.steps(r, range(1, 41), 60, 150 + r, told(r), lambda _i: 0.0)
        f.say(r, 6_400 + 45 * r, f"shard {r}: wrote /data/bt/part-0007.{r}.jsonl.zst (1,000,000 lines)")
    f.load([(0, IDLE), (30, Load(8, 2, 0.2, 0.4, 50)), (62, Load(93, 41, 0.66, 0.9, 18))])
    f.close("COMPLETED", 6_760)
    return good(f)


@job
def stage_two() -> Made:
    """DeepSpeed ZeRO-2 on 32 A100, its throughput timer beside the script's own line."""
    f = Fleet(
        nodes("ds", 1, 4, 2),
        "bloom-adapt-hi",
        8_443_808,
        when("2026-10-24 00:20"),
        per=8,
        agents=True,
        card=A100,
        script="ds_train.py",
        submit_line="sbatch -N4 bloom_hi.sbatch",
    )
    f.say(
        0,
        48,
        f"[{f.clock(48)},104] [INFO] [logging.py:107:log_dist] [Rank 0] Creating torch.bfloat16 ZeRO stage 2 optimizer\n[{f.clock(49)},911] [INFO] [stage_1_and_2.py:151:__init__] Reduce bucket size 500000000",
    )
    last = f.steps(
        0,
        range(10, 1801, 10),
        90,
        7.7,
        lambda i, x, t: (
            f"[{f.clock(t)},{i * 37 % 1000:03d}] [INFO] [logging.py:107:log_dist] [Rank 0] step={i}, skipped=0, lr=[{2e-5 * (1 - i / 1850):.6e}], mom=[(0.9, 0.95)]\n[{f.clock(t)},{i * 41 % 1000:03d}] [INFO] [timer.py:264:stop] epoch=0/micro_step={i * 4}/global_step={i}, RunningAvgSamplesPerSec=66.4{i % 9}1, CurrSamplesPerSec=66.{i % 90:02d}, MemAllocated=22.31GB, MaxMemAllocated=58.9GB\nhi-adapt {i}/1800 loss {x:.4f}"
        ),
        fall(3.9, 1.9, 110),
    )
    f.say(
        0,
        last + 44,
        f"[{f.clock(last + 44)},300] [INFO] [torch_checkpoint_engine.py:33:commit] [Torch] Checkpoint final is ready now!\nhi-adapt: finished, dev ppl {7.31}",
    )
    f.load(busy(84, Load(97, 0, 0.86, 0.8, 8), held=0.8, end=last))
    f.close("COMPLETED", last + 60)
    return good(f)


@job
def keras_days() -> Made:
    """TensorFlow's MirroredStrategy on eight cards; Keras' epoch lines, twelve of twelve."""
    f = Fleet(
        ("tf-4",), "effnetv2-xray", 8_445_117, when("2026-10-30 19:00"), per=8, agents=True, script="train_xray.py", submit_line="sbatch xray.sh"
    )
    f.say(
        0,
        20,
        "2026-10-30 19:00:20.118331: I tensorflow/core/common_runtime/gpu/gpu_device.cc:2021] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 78122 MB memory:  -> device: 0, name: NVIDIA H100 80GB HBM3\nINFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1', '/job:localhost/replica:0/task:0/device:GPU:2', '/job:localhost/replica:0/task:0/device:GPU:3', '/job:localhost/replica:0/task:0/device:GPU:4', '/job:localhost/replica:0/task:0/device:GPU:5', '/job:localhost/replica:0/task:0/device:GPU:6', '/job:localhost/replica:0/task:0/device:GPU:7')",
    )
    curve = fall(0.62, 0.12, 2)
    for e in range(1, 13):
        f.say(
            0,
            90 + 840 * e,
            f"Epoch {e}/12\n1312/1312 - 838s - 639ms/step - auc: {0.97 - curve(e) / 4:.4f} - loss: {curve(e):.4f} - val_auc: {0.965 - curve(e) / 4:.4f} - val_loss: {curve(e) * 1.08:.4f} - learning_rate: {1e-3 * 0.8**e:.4e}",
        )
    f.unborn = set(range(1, 8))
    f.say(0, 90 + 840 * 12 + 30, "test AUC 0.9402; model -> xray/effnetv2m.keras")
    f.load(busy(100, Load(95, 44, 0.73, 0.96, 14), held=0.96, end=10_100, every=840, rest=40))
    f.close("COMPLETED", 10_215)
    return good(f)


@job
def compiles_for_half_an_hour() -> Made:
    """Hard: torch.compile with max-autotune: 37 minutes of idle cards and worrying words before step 1, all steps after that."""
    f = Fleet(
        nodes("hk", 6, 2, 2),
        "dit-xl-video",
        8_446_204,
        when("2026-11-01 12:00"),
        per=8,
        agents=True,
        script="dit/train.py",
        submit_line="sbatch dit.sh --compile max-autotune",
    )
    f.each(75, "[rank{r}]:W1101 12:01:15.10{l}000 torch/_inductor/utils.py:1137] [0/0] Not enough SMs to use max_autotune_gemm mode", range(0, 16, 8))
    f.say(
        0,
        260,
        "AUTOTUNE addmm(32768x4608, 32768x1152, 1152x4608)\n  bias_addmm 0.4413 ms 100.0% \n  addmm 0.4501 ms 98.0% \n  triton_mm_3318 0.5120 ms 86.2% ACC_TYPE='tl.float32', BLOCK_K=64, BLOCK_M=128, BLOCK_N=128\nSingleProcess AUTOTUNE benchmarking takes 41.9217 seconds and 188.0041 seconds precompiling for 21 choices",
    )
    f.say(
        0,
        700,
        "[rank0]:E1101 12:11:40.221000 torch/_inductor/select_algorithm.py:1905] [0/1] Exception out of resource: shared memory, Required: 262144, Hardware limit: 232448. Reducing block sizes or `num_stages` may help. for benchmark choice TritonTemplateCaller(/tmp/torchinductor_ye/k4/ck4.py, ACC_TYPE='tl.float32', BLOCK_K=128, BLOCK_M=128, BLOCK_N=128)",
    )
    last = f.steps(
        0,
        range(50, 6001, 50),
        2300,
        1.92,
        lambda i, x, t: f"({f.clock(t, '%m-%d %H:%M')}) dit {i:07d} Train Loss: {x:.4f}, Train Steps/Sec: 0.52",
        fall(0.9, 0.14, 200),
    )
    f.say(0, last + 11, f"({f.clock(last + 11, '%m-%d %H:%M')}) dit Done! checkpoint 0006000.pt saved")
    f.load([(0, IDLE), (70, Load(0, 0, 0.15, 0.12, 0)), (200, Load(3, 1, 0.17, 0.2, 40)), (2300, Load(98, 60, 0.88, 0.86, 5))])
    f.close("COMPLETED", last + 25)
    return good(f, hard=True)


@job
def scaler() -> Made:
    """Hard: fp16 on V100-like settings: overflow after overflow, skipped steps and halved scales; the loss falls all the same to the last step."""
    f = Fleet(
        nodes("ds", 31, 2),
        "opus-mt-fp16",
        8_447_559,
        when("2026-11-04 16:40"),
        per=8,
        agents=True,
        card=A100,
        script="mt_ds.py",
        submit_line="sbatch mt_fp16.sbatch",
    )
    for k, at in enumerate((70.0, 71.5, 73.0, 74.6, 1900.0, 5110.0, 5111.4)):
        f.say(
            0,
            at,
            f"[{f.clock(at)},{120 + k}] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (32 - k)}, reducing to {2 ** (31 - k)}\n[{f.clock(at)},{140 + k}] [WARNING] [fp16_optimizer] grad norm is inf",
        )
    last = f.steps(
        0,
        range(100, 6001, 100),
        76,
        1.4,
        lambda i, x, _t: (
            f"mt_ds: update {i:>5}/6000, nll {x:.4f}, skipped {4 if i < 1300 else 5 if i < 3600 else 7}, scale {2**27 if i < 1300 else 2**25}"
        ),
        fall(6.6, 2.0, 250),
    )
    f.say(0, last + 31, "mt_ds: 6000 updates, flores chrF 54.1, exit")
    f.load(busy(72, Load(96, 0, 0.82, 0.71, 9), held=0.71, end=last))
    f.close("COMPLETED", last + 40)
    return good(f, hard=True)


@job
def flapping_port() -> Made:
    """Hard: a port of one node's adapter goes away twice, NCCL warns and retries; eight hours later everything is done."""
    f = Fleet(
        nodes("ib", 51, 4),
        "llava-next-34b",
        8_448_003,
        when("2026-11-06 05:00"),
        per=8,
        card=H200,
        script="llava/train/train_mem.py",
        submit_line="sbatch -N4 llava34.sbatch",
    )
    for at in (4100.0, 15_020.0):
        for r in (17, 18):
            f.say(
                r,
                at + r / 10,
                f"ib053:400{r}:408{r} [{r % 8}] transport/net_ib.cc:107 NCCL WARN NET/IB : mlx5_{r % 8}:1 Got async event : port error\nib053:400{r}:408{r} [{r % 8}] transport/net_ib.cc:107 NCCL WARN NET/IB : mlx5_{r % 8}:1 Got async event : port active",
            )
    f.say(
        0,
        40,
        "/env/lib/python3.11/site-packages/torch/utils/checkpoint.py:87: UserWarning: None of the inputs have requires_grad=True. Gradients will be None\n  warnings.warn(",
    )
    last = f.steps(
        0,
        range(20, 2501, 20),
        200,
        9.6,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {1.1 + x / 2:.5f}, 'learning_rate': {1e-5 * (1 - i / 2500):.4e}, 'epoch': {i / 2500:.2f}}}"
        ),
        fall(2.1, 0.74, 90),
    )
    f.say(
        0,
        last + 80,
        f"{{'train_runtime': {last - 160:.4f}, 'train_samples_per_second': 26.66, 'train_steps_per_second': 0.104, 'train_loss': 0.8618, 'epoch': 1.0}}",
    )
    f.load(busy(190, Load(97, 52, 0.83, 0.83, 8), held=0.83, end=last))
    f.close("COMPLETED", last + 110)
    return good(f, hard=True)


@job
def second_wind() -> Made:
    """Hard: in the third hour a worker of node 1 loses its connection to the object store; torchrun starts all anew from the last snapshot, to the end."""
    f = Fleet(
        nodes("tt", 61, 2),
        "torchtitan-8b",
        8_449_700,
        when("2026-11-08 13:00"),
        per=8,
        agents=True,
        card=H100,
        script="train.py",
        submit_line="sbatch titan.slurm",
    )
    form = "[rank0]:[titan] {day},{ms:03d} - root - INFO - step: {i:>5}  loss: {x:7.4f}  grad_norm: {g:.4f}  memory: 61.24GiB(77.41%)  tps: {tps:,}  tflops: 381.{k:02d}  mfu: 38.{k:02d}%"

    def line(i: int, x: float, t: float) -> str:
        return form.format(day=f.clock(t), ms=i * 7 % 1000, i=i, x=x, g=0.3 + x / 9, tps=6_590 + i % 40, k=i % 90)

    mid = f.steps(0, range(10, 2941, 10), 70, 3.3, line, fall(12.2, 2.9, 60))
    f.say(
        11,
        mid + 6,
        trace(
            'botocore.exceptions.EndpointConnectionError: Could not connect to the endpoint URL: "https://s3.lab.internal/c4/00231.arrow"',
            ("/w/titan/train.py", 310, "<module>", "main(config)"),
            ("/w/titan/datasets.py", 92, "__iter__", "yield from self._read(key)"),
        ),
        "[rank11]: ",
    )
    stamp = f.clock(mid + 9, "%m%d %H:%M:%S")
    closing(f, 1, mid + 8, [r for r in range(8, 16) if r != 11])
    f.launcher[1].append(
        (
            mid + 9,
            f"E{stamp}.551000 23101 torch/distributed/elastic/multiprocessing/api.py:869] failed (exitcode: 1) local_rank: 3 (pid: {f.pid(11)}) of binary: /w/titan/.venv/bin/python\nI{stamp}.553000 23101 torch/distributed/elastic/agent/server/api.py:906] [default] Worker group FAILED. 3/3 attempts left; will restart worker group\nI{stamp}.555000 23101 torch/distributed/elastic/agent/server/api.py:699] [default] Stopping worker group",
        )
    )
    f.launcher[0].append(
        (
            mid + 14,
            f"I{f.clock(mid + 14, '%m%d %H:%M:%S')}.101000 23088 torch/distributed/elastic/agent/server/api.py:931] [default] Detected 0 new nodes from group_rank=0; will restart worker group",
        )
    )
    f.say(
        0,
        mid + 90,
        f"[rank0]:[titan] {f.clock(mid + 90)},004 - root - INFO - Loading the checkpoint at step 2500.\n[rank0]:[titan] {f.clock(mid + 99)},711 - root - INFO - Finished loading the checkpoint in 9.71 seconds.",
    )
    last = f.steps(0, range(2510, 5001, 10), mid + 105, 3.3, line, fall(12.2, 2.9, 60))
    f.say(0, last + 20, f"[rank0]:[titan] {f.clock(last + 20)},220 - root - INFO - Training completed")
    f.load([(0, IDLE), (40, CONTEXT), (66, Load(98, 57, 0.86, 0.78, 6)), (mid + 8, IDLE), (mid + 102, Load(98, 57, 0.86, 0.78, 6))])
    f.close("COMPLETED", last + 33)
    return good(f, hard=True)

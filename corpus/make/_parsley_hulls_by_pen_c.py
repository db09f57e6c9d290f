"""Jobs on many cards and on few, third pot: those that did what they were meant to do."""

from __future__ import annotations

from corpus.make._ballast import A100, CONTEXT, H100, H200, IDLE, L40S, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def whole_plan() -> Made:
    """Megatron over 64 cards, validation at the end, checkpoints written."""
    nodes = tuple(f"nid00{n:04d}" for n in range(2101, 2109))
    f = Fleet(
        nodes, "gpt-1b3-sv", 20_461_020, when("2026-11-10 02:02"), per=8, card=H100, script="pretrain_gpt.py", submit_line="sbatch -N8 sv13.sbatch"
    )
    last = f.steps(
        63,
        range(50, 5001, 50),
        150,
        1.31,
        lambda i, x, t: (
            f" [{f.clock(t)}] iteration {i:8d}/    5000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): 131{i % 9}.{i % 7} | throughput per GPU (TFLOP/s/GPU): 402.{i % 9} | learning rate: {3e-4 * (1 - i / 6000):.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.3 + x / 20:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
        ),
        fall(10.9, 2.3, 90),
    )
    for k in range(1, 6):
        f.say(
            0,
            150 + k * 1310.0,
            f"saving checkpoint at iteration {1000 * k:7d} to /ckpt/sv13 in torch_dist format\n  successfully saved checkpoint from iteration {1000 * k:7d} to /ckpt/sv13 [ t 1/1, p 1/1 ]",
        )
    f.say(
        63,
        last + 41,
        f"[after training is done] datetime: {f.clock(last + 2)} \n-----------------------------------------------------------------------------------------------------------------\n validation loss at iteration 5000 on validation set | lm loss value: 2.588104E+00 | lm loss PPL: 1.330452E+01 | \n-----------------------------------------------------------------------------------------------------------------",
    )
    f.load([(0, IDLE), (90, CONTEXT), (145, WORK)])
    f.points = 14
    f.close("COMPLETED", last + 55)
    return good(f)


@job
def ten_benchmarks() -> Made:
    """lm-evaluation-harness behind vLLM with tensor parallelism of eight: no loss, no step, its table at the end."""
    f = Fleet(
        ("h2-11",),
        "eval-70b-nordic",
        20_461_333,
        when("2026-11-11 13:31"),
        per=8,
        card=H200,
        agents=True,
        script="lm_eval",
        submit_line="sbatch eval70.sh",
    )
    f.say(
        0,
        34,
        f"{f.clock(34, '%Y-%m-%d:%H:%M:%S')},318 INFO     [lm_eval.evaluator:201] Initializing vllm model, with arguments: {{'pretrained': '/models/nordic-70b-it', 'tensor_parallel_size': 8, 'gpu_memory_utilization': 0.85}}",
    )
    f.say(0, 171, f"INFO {f.clock(171, '%m-%d %H:%M:%S')} [core.py:172] init engine (profile, create kv cache, warmup model) took 48.02 seconds")
    at = 190.0
    for k in range(1, 41):
        at += 52
        f.say(
            0,
            at,
            f"Running generate_until requests: {k * 5 // 2}%|{'█' * (k // 4):<10}| {k * 310}/12400 [{int(at - 190) // 60:02d}:{int(at - 190) % 60:02d}<{int((40 - k) * 52) // 60:02d}:{int((40 - k) * 52) % 60:02d},  5.9{k % 9}it/s]",
        )
    f.say(
        0,
        at + 20,
        "vllm (pretrained=/models/nordic-70b-it,tensor_parallel_size=8), gen_kwargs: (None), limit: None, num_fewshot: 5\n|   Tasks   |Version|     Filter     |n-shot|  Metric   |   |Value |   |Stderr|\n|-----------|------:|----------------|-----:|-----------|---|-----:|---|-----:|\n|gsm8k_sv   |      3|flexible-extract|     5|exact_match|↑  |0.8105|±  |0.0108|\n|nordjylland|      1|none            |     5|rougeL     |↑  |0.2913|±  |0.0040|",
    )
    f.load([(0, IDLE), (30, CONTEXT), (100, Load(4, 0.6, 0.17, 0.6, 12)), (172, Load(96, 41, 0.66, 0.86, 9))])
    f.close("COMPLETED", at + 33)
    return good(f)


@job
def folds() -> Made:
    """Flax over two nodes with one process a card, epochs in a table of its own."""
    f = Fleet(
        ("alf1", "alf2"), "mace-jax-mof", 20_461_604, when("2026-11-12 19:40"), per=4, card=A100, script="train_mace.py", submit_line="sbatch mace.sh"
    )
    f.each(16, "[p{r}] jax 0.4.35, backend gpu, local device CudaDevice(id={r}), process {r}/8 on {node}")
    f.say(0, 55, "epoch |  E mae (meV/at) |  F mae (meV/A) |  loss     | s/epoch")
    last = f.steps(0, range(1, 81), 60, 88, lambda i, x, _t: f"{i:5d} | {x * 14:15.2f} | {x * 61:14.2f} | {x:.3e} | 88.{i % 9}", fall(2.1, 0.11, 5))
    f.say(0, last + 9, "best epoch 80; weights of it in runs/mof-r5/best.msgpack; test E mae 5.62 F mae 24.3")
    f.load([(0, IDLE), (50, WORK)])
    f.close("COMPLETED", last + 15)
    return good(f)


@job
def flapping_port() -> Made:
    """Hard: NCCL warns of asynchronous events of a port and goes on; the run finishes as planned."""
    f = Fleet(
        ("m301", "m302", "m303", "m304"),
        "nllb-dense-1b",
        20_461_909,
        when("2026-11-13 05:50"),
        per=8,
        card=A100,
        script="train_mt.py",
        submit_line="sbatch -N4 nllb.sh",
    )
    last = f.steps(
        0,
        range(100, 8001, 100),
        84,
        0.83,
        lambda i, x, t: (
            f"{f.clock(t)} | INFO | train_inner | epoch 001: {i:>6} / 8000 loss={x + 0.4:.3f}, nll_loss={x:.3f}, ppl={2**x:.2f}, wps=41{i % 900:03d}, ups=1.20, lr=0.000{500 - i // 40}, gnorm=0.{40 + i % 17}, train_wall=83, gb_free=31.2"
        ),
        fall(9.4, 3.3, 300),
    )
    for k, at in enumerate((902.0, 1807.5, 1811.0, 4100.0)):
        f.say(
            17,
            at,
            f"m303:40017:40611 [1] transport/net_ib.cc:84 NCCL WARN NET/IB : mlx5_2:1 Got async event : port error\nm303:40017:40611 [1] transport/net_ib.cc:84 NCCL WARN NET/IB : mlx5_2:1 Got async event : {'port active' if k != 1 else 'GID table change'}",
        )
    f.say(
        0,
        last + 60,
        f"{f.clock(last + 60)} | INFO | valid | epoch 001 | valid on 'valid' subset | loss 3.902 | nll_loss 3.411 | ppl 10.64 | num_updates 8000 | best_loss 3.902\n{f.clock(last + 66)} | INFO | fairseq_cli.train | Stopping training due to num_updates: 8000 >= max_update: 8000\n{f.clock(last + 66)} | INFO | fairseq_cli.train | done training in {last:.1f} seconds",
    )
    f.load([(0, IDLE), (80, WORK)])
    f.close("COMPLETED", last + 75)
    return good(f, hard=True)


@job
def shrinking_scale() -> Made:
    """Hard: DeepSpeed's fp16 overflows and halves its scale again and again at first, later now and then; the loss falls to the planned end."""
    f = Fleet(
        ("v9",),
        "bloomz-3b-fp16",
        20_462_204,
        when("2026-11-14 14:14"),
        per=8,
        card=A100,
        agents=True,
        script="ds_ft.py",
        submit_line="sbatch bloomz.sh",
    )
    scale = 32
    for k in range(9):
        at = 71 + 3.1 * k
        scale -= 1
        f.say(
            0,
            at,
            f"[{f.clock(at)},{211 + k}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (scale + 1)}, reducing to {2**scale}",
        )
    last = f.steps(
        0,
        range(10, 1501, 10),
        70,
        3.1,
        lambda i, x, t: (
            f"[{f.clock(t)},704] [INFO] [logging.py:107:log_dist] [Rank 0] step={i}, skipped={9 + (i > 520) + (i > 1110)}, lr=[{2e-5 * (1 - i / 1600):.4e}], mom=[(0.9, 0.999)]\n[{f.clock(t)},705] [INFO] [timer.py:264:stop] epoch=0/micro_step={i * 4}/global_step={i}, RunningAvgSamplesPerSec=41.2{i % 9}, CurrSamplesPerSec=41.3{i % 7}, MemAllocated=21.4GB, MaxMemAllocated=50.12GB\nstep {i}: train loss {x:.4f}"
        ),
        fall(3.4, 1.6, 90),
    )
    for at, frm in ((70 + 522 * 3.1, 16384), (70 + 1112 * 3.1, 16384)):
        f.say(
            0,
            at,
            f"[{f.clock(at)},118] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {frm}, but hysteresis is 2. Reducing hysteresis to 1",
        )
    f.say(0, last + 12, "1500 of 1500 steps, held-out loss 1.7110, saved to ft/bloomz3b")
    f.load([(0, IDLE), (66, Load(96, 0, 0.83, 0.64))])
    f.close("COMPLETED", last + 30)
    return good(f, hard=True)


@job
def eleven_minutes() -> Made:
    """Hard: a second task's small LoRA, over after eleven minutes with few lines and tokenizers' warnings, and all three epochs done."""
    f = Fleet(
        ("l4s-2",),
        "lora-tickets",
        20_462_455,
        when("2026-11-16 09:20"),
        per=2,
        card=L40S,
        agents=True,
        script="lora.py",
        submit_line="sbatch lora_tickets.sh",
    )
    f.say(
        0,
        22,
        "huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...\nTo disable this warning, you can either:\n\t- Avoid using `tokenizers` before the fork if possible\n\t- Explicitly set the environment variable TOKENIZERS_PARALLELISM=(true | false)",
    )
    f.say(
        1,
        23,
        "Token indices sequence length is longer than the specified maximum sequence length for this model (3114 > 2048). Running this sequence through the model will result in indexing errors",
    )
    last = f.steps(
        0,
        range(20, 361, 20),
        40,
        1.6,
        lambda i, x, _t: f"{{'loss': {x:.4f}, 'grad_norm': {0.5 + x / 6:.4f}, 'learning_rate': {2e-4 * (1 - i / 360):.2e}, 'epoch': {i / 120:.2f}}}",
        fall(2.4, 0.7, 25),
    )
    f.say(
        0,
        last + 22,
        f"{{'eval_loss': 0.8127, 'eval_runtime': 18.2, 'eval_samples_per_second': 41.1, 'epoch': 3.0}}\n{{'train_runtime': {last - 38:.1f}, 'train_samples_per_second': 19.6, 'train_steps_per_second': 0.61, 'train_loss': 1.0216, 'epoch': 3.0}}\nadapter -> adapters/tickets-2026-11",
    )
    f.load([(0, IDLE), (36, Load(95, 0, 0.8, 0.55))])
    f.close("COMPLETED", last + 31)
    return good(f, hard=True)


@job
def hub_in_bad_mood() -> Made:
    """Hard: the hub answers 504 and resets while shards are fetched, each is tried again; then the fine-tuning runs through."""
    f = Fleet(
        ("cs-gpu9",),
        "gemma9b-tagger",
        20_462_731,
        when("2026-11-17 18:08"),
        per=4,
        card=A100,
        agents=True,
        script="tag_sft.py",
        submit_line="sbatch tagger.sh",
    )
    for k, at in enumerate((31.0, 44.0, 61.0, 92.0)):
        f.say(
            0,
            at,
            f"'(ReadTimeoutError(\"HTTPSConnectionPool(host='cdn-lfs.hf.co', port=443): Read timed out. (read timeout=10)\"), '(Request ID: 1f0{k}c2aa-77e1-4b)')' thrown while requesting GET https://cdn-lfs.hf.co/repos/google/gemma-2-9b/model-0000{k + 1}-of-00008.safetensors\nRetrying in {2**k}s [Retry {k + 1}/5].",
        )
    f.say(
        0,
        99,
        "Error while downloading from https://cdn-lfs.hf.co/repos/google/gemma-2-9b/model-00005-of-00008.safetensors: 504 Server Error: Gateway Time-out\nTrying to resume download...\n"
        + frames(
            ("/opt/hf/lib/python3.11/site-packages/urllib3/connectionpool.py", 789, "urlopen", "response = self._make_request("),
            ("/opt/hf/lib/python3.11/site-packages/urllib3/connection.py", 516, "getresponse", "httplib_response = super().getresponse()"),
            error="ConnectionResetError: [Errno 104] Connection reset by peer",
        ),
    )
    f.say(
        0,
        340,
        "Downloading shards: 100%|██████████| 8/8 [05:06<00:00, 38.31s/it]\nLoading checkpoint shards: 100%|██████████| 8/8 [00:14<00:00,  1.80s/it]",
    )
    last = f.steps(
        0,
        range(10, 901, 10),
        370,
        4.4,
        lambda i, x, _t: (
            f"{{'loss': {x:.4f}, 'grad_norm': {0.9 + x / 4:.4f}, 'learning_rate': {1e-5 * (1 - i / 900):.3e}, 'mean_token_accuracy': {0.98 - x / 9:.4f}, 'epoch': {i / 450:.2f}}}"
        ),
        fall(1.9, 0.5, 50),
    )
    f.say(
        0,
        last + 15,
        f"{{'train_runtime': {last - 366:.1f}, 'train_samples_per_second': 14.5, 'train_steps_per_second': 0.227, 'train_loss': 0.7402, 'epoch': 2.0}}",
    )
    f.load([(0, IDLE), (20, CONTEXT), (345, Load(6, 0, 0.2, 0.3, 20)), (366, WORK)])
    f.close("COMPLETED", last + 44)
    return good(f, hard=True)


@job
def group_rewards() -> Made:
    """TRL's GRPO on 16 cards: loss about nought, rewards rise, KL stays small, all 200 steps done."""
    f = Fleet(
        ("tl-07", "tl-08"),
        "grpo-sql-8b",
        20_463_010,
        when("2026-11-18 06:30"),
        per=8,
        card=H200,
        agents=True,
        script="grpo_sql.py",
        submit_line="sbatch grpo_sql.sh",
    )
    last = f.steps(
        0,
        range(1, 201),
        170,
        41,
        lambda i, x, _t: (
            f"{{'loss': {0.0002 * (i % 7):.4f}, 'grad_norm': {0.11 + i % 9 / 80:.4f}, 'learning_rate': {1e-6 * (1 - i / 210):.2e}, 'completions/mean_length': {311 - i / 4:.1f}, 'rewards/exec_match/mean': {x:.4f}, 'reward': {x + 0.1:.4f}, 'kl': {0.00011 * i:.5f}, 'epoch': {i / 200:.3f}}}"
        ),
        lambda i: 0.31 + 0.38 * (1 - (1 + i / 30) ** -0.9) + 0.012 * (i * 5 % 4),
    )
    f.say(
        0,
        last + 33,
        f"{{'train_runtime': {last - 168:.1f}, 'train_samples_per_second': 3.12, 'train_steps_per_second': 0.024, 'train_loss': 0.00058, 'epoch': 1.0}}\nspider-dev execution accuracy 0.774 (before 0.702)",
    )
    f.load([(0, IDLE), (60, CONTEXT), (165, Load(89, 44, 0.7, 0.88, 35))])
    f.close("COMPLETED", last + 50)
    return good(f)


@job
def boosted() -> Made:
    """A lab user's gradient boosting on one card: rounds with their AUC, all 3000."""
    f = Fleet(("cs-gpu2",), "xgb-fraud", 20_463_222, when("2026-11-19 12:00"), per=1, card=L40S, script="fraud.py", submit_line="sbatch fraud.sh")
    f.say(0, 25, "X 28,410,223 x 212 (float32), positives 0.31 %, device cuda:0")
    last = f.steps(
        0,
        range(50, 3001, 50),
        40,
        0.31,
        lambda i, x, _t: (
            f"[{i}]\ttrain-logloss:{x:.5f}\ttrain-auc:{0.995 - x * 2:.5f}\tvalid-logloss:{x + 0.002:.5f}\tvalid-auc:{0.99 - x * 2.2:.5f}"
        ),
        fall(0.021, 0.006, 300, ripple=0.002),
    )
    f.say(0, last + 8, "3000 rounds; precision at 1 % alerts 0.219; model in fraud_2026w47.ubj")
    f.load([(0, IDLE), (30, Load(91, 0, 0.6, 0.62, 10))])
    f.close("COMPLETED", last + 12)
    return good(f)


@job
def halved_until_it_fits() -> Made:
    """Hard: accelerate looks for a batch that fits, runs out of the card's memory twice, and trains with a quarter of it to the end."""
    f = Fleet(("cs-gpu5",), "deberta-nli-sk", 20_463_401, when("2026-11-20 16:45"), per=1, card=L40S, script="nli.py", submit_line="sbatch nli.sh")
    for at, size in ((21.0, 256), (30.0, 128)):
        f.say(
            0,
            at,
            f"batch size {size}: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {size * 12}.00 MiB. GPU 0 has a total capacity of 44.39 GiB of which {size // 3}.75 MiB is free.\nfind_executable_batch_size: decreasing batch size to {size // 2}",
        )
    last = f.steps(
        0,
        range(100, 7001, 100),
        36,
        0.33,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')}  batch 64  step {i}/7000  loss {x:.4f}  acc {1 - x / 3.2:.3f}",
        fall(1.1, 0.33, 500),
    )
    f.say(0, last + 24, f"{f.clock(last + 24, '%H:%M:%S')}  dev acc 0.871 (2490 pairs), 7000 steps, saved deberta-nli-sk/")
    f.load([(0, IDLE), (18, Load(60, 0, 0.5, 0.97, 40)), (34, Load(96, 0, 0.85, 0.71))])
    f.close("COMPLETED", last + 29)
    return good(f, hard=True)


@job
def little_left_to_learn() -> Made:
    """Hard: the second stage of a model that is trained already: its loss falls only from 1.94 to 1.86, as its plan says, and libraries grumble at its end."""
    f = Fleet(
        ("n401", "n402"),
        "mistral-anneal",
        20_463_633,
        when("2026-11-21 20:20"),
        per=8,
        card=H100,
        script="anneal.py",
        submit_line="sbatch -N2 anneal.sh",
    )
    f.say(0, 70, "stage 2 (anneal): start weights /ckpt/mistral-lv/stage1/0120000, new optimizer, lr 3e-5 -> 0, 2000 steps")
    last = f.steps(
        0,
        range(20, 2001, 20),
        90,
        3.4,
        lambda i, x, t: f"{f.clock(t)} anneal {i}/2000 loss={x:.4f} lr={3e-5 * (1 - i / 2000):.2e} gn={0.21 + i % 5 / 90:.3f} mfu=43.{i % 9}",
        fall(1.94, 1.83, 300, ripple=0.002),
    )
    f.say(0, last + 22, f"{f.clock(last + 22)} anneal finished: heldout 1.8491 (stage 1: 1.9220); consolidated weights written")
    for r in (0, 5, 11):
        f.say(
            r,
            last + 25 + r / 10,
            f"[rank{r}]:[W{f.clock(last + 25, '%m%d %H:%M:%S')}.41100{r:04d} ProcessGroupNCCL.cpp:1538] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())",
        )
    f.load([(0, IDLE), (60, CONTEXT), (86, WORK)])
    f.close("COMPLETED", last + 34)
    return good(f, hard=True)

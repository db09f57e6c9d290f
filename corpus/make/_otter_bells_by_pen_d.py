"""Jobs of many cards, fourth page: as they should be, though some do not look it."""

from __future__ import annotations

from collections.abc import Callable

from corpus.make._otter_bells_by_pen_book import ADA, AMPERE, GRACE, HARD_AT_WORK, HOPPER, HOPPER_NEW, HOPPER_WIDE, OPENED, REST, Pose
from corpus.make._otter_bells_by_pen_chatter import chat
from corpus.make._otter_bells_by_pen_talk import nccl, tag, trace
from corpus.make._otter_bells_by_pen_yard import Rig, Teller, Told, noted, shelf, sinks, well

JOBS: list[Teller] = []
job = shelf(JOBS)


@job
def sixteen_nodes() -> Told:
    """Megatron-LM on 128 cards, the last rank's lines, validation in between, its planned end."""
    nodes = tuple(f"alps{n:03d}" for n in range(240, 256))
    f = Rig(
        nodes,
        "swiss-8b-anneal",
        6_831_010,
        noted("2026-08-15 21:00:00"),
        per=8,
        kit=HOPPER,
        script="pretrain_gpt.py",
        submit_line="sbatch -N16 anneal.slurm",
        account="foundation",
    )
    chat(f)
    at, curve = 230.0, sinks(2.61, 1.93, 300)
    for leg in range(4):
        at = f.run(
            127,
            range(leg * 500 + 20, leg * 500 + 501, 20),
            at,
            6.02,
            lambda i, x, t: (
                f" [{f.clock(t)}] iteration {i:8d}/    2000 | consumed samples: {i * 1024:12d} | elapsed time per iteration (ms): {6020 + i % 33}.4 | throughput per GPU (TFLOP/s/GPU): 402.{i % 10} | learning rate: {3e-5 * (1 - i / 2000):.6E} | global batch size:  1024 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {0.2 + x / 30:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |"
            ),
            curve,
        )
        i = leg * 500 + 500
        f.say(
            127,
            at + 55,
            f"{'-' * 89}\n validation loss at iteration {i} | lm loss value: {curve(i) + 0.03:.6E} | lm loss PPL: {2.71828 ** (curve(i) + 0.03):.6E} | \n{'-' * 89}",
        )
        f.say(0, at + 70, f"saving checkpoint at iteration {i:>7} to /iopsstor/swiss-8b/anneal in torch_dist format")
        f.say(0, at + 81, f"  successfully saved checkpoint from iteration {i:>7} to /iopsstor/swiss-8b/anneal [ t 1/1, p 1/1 ]")
        at += 83
    f.say(127, at + 5, f"[after training is done] datetime: {f.clock(at + 5)} ")
    f.stand([(0, REST), (100, OPENED), (225, HARD_AT_WORK)])
    f.finish("COMPLETED", at + 30)
    return well(f)


@job
def hosts_of_jax() -> Told:
    """A JAX program on sixteen hosts with four cards each, absl's lines, Orbax's checkpoints."""
    nodes = tuple(f"gh{n:03d}" for n in range(1, 17))
    f = Rig(
        nodes, "maxtext-3b", 6_832_210, noted("2026-08-17 04:44:00"), per=4, kit=GRACE, script="MaxText/train.py", submit_line="sbatch -N16 mt3b.sh"
    )
    chat(f, ranks=False)
    f.all_say(
        21,
        lambda r: (
            f"I0817 04:44:21.{300_000 + r * 971 % 99_999} {f.pid(r)} distributed.py:152] JAX distributed initialized with visible devices: {r % 4}"
        ),
        apart=0.02,
    )
    last = f.run(
        0,
        range(25, 3001, 25),
        117,
        1.52,
        lambda i, x, _t: (
            f"completed step: {i}, seconds: 1.52{i % 10}, TFLOP/s/device: 391.{i % 100:02d}, Tokens/s/device: 21553.{i % 1000:03d}, total_weights: 2097152, loss: {x:.3f}"
        ),
        sinks(10.8, 2.7, 170),
    )
    f.say(
        0,
        last + 6,
        f"I{f.clock(last + 6, '%m%d %H:%M:%S')}.118272 {f.pid(0)} checkpoint_manager.py:1987] [process=0][thread=MainThread][step=3000] CheckpointManager Save Finalize is done on all hosts.\nI{f.clock(last + 7, '%m%d %H:%M:%S')}.440001 {f.pid(0)} train.py:861] Finished: 3000 of 3000 steps",
    )
    f.stand([(0, REST), (22, Pose(3, 0.6, 0.16, 0.75)), (112, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 17)
    return well(f)


@job
def three_epochs() -> Told:
    """A fine-tuning with DeepSpeed on 32 cards: three epochs, an evaluation after each, the loss steps down at each epoch as it does on data seen before."""
    f = Rig(
        ("u201", "u202", "u203", "u204"),
        "legal-mistral-ft",
        6_833_118,
        noted("2026-08-19 13:13:13"),
        per=8,
        kit=AMPERE,
        launcher=True,
        script="finetune.py",
        submit_line="sbatch legal.sh",
    )
    chat(f)
    base = sinks(1.81, 1.02, 120)

    def lower(epoch: int) -> Callable[[int], float]:
        return lambda i: base(i) - 0.21 * epoch

    at = 96.0
    for e in range(3):
        at = f.run(
            0,
            range(e * 640 + 20, e * 640 + 641, 20),
            at,
            4.4,
            lambda i, x, t: (
                f"[{f.clock(t)},{i % 1000:03d}] [INFO] [timer.py:264:stop] epoch=0/micro_step={i * 4}/global_step={i}, RunningAvgSamplesPerSec=57.9{i % 10}, CurrSamplesPerSec=58.0{i % 9}, MemAllocated=26.13GB, MaxMemAllocated=61.7GB\nepoch {i // 640 if i % 640 else i // 640 - 1} step {i}/1920 loss {x:.4f}"
            ),
            lower(e),
        )
        f.say(
            0,
            at + 61,
            f"epoch {e} eval: loss {1.19 - 0.05 * e:.4f} ppl {2.718 ** (1.19 - 0.05 * e):.3f} exact {0.41 + 0.04 * e:.3f} ({4100} examples)",
        )
        at += 64
    f.say(0, at + 9, "merged weights written to /u/legal/out/final, 1920 steps in all")
    f.stand([(0, REST), (30, OPENED), (92, HARD_AT_WORK)])
    f.finish("COMPLETED", at + 24)
    return well(f)


@job
def strategies() -> Told:
    """Keras with MirroredStrategy on eight cards: twenty epochs with validation, early stopping's best weights at the end."""
    f = Rig(
        ("lab-8",),
        "retina-effnet",
        6_834_006,
        noted("2026-08-20 09:30:00"),
        per=8,
        lone=True,
        kit=ADA,
        script="retina.py",
        submit_line="sbatch retina.sh",
    )
    chat(f, ranks=False)
    f.say(
        0,
        11,
        "INFO:tensorflow:Using MirroredStrategy with devices ('/job:localhost/replica:0/task:0/device:GPU:0', '/job:localhost/replica:0/task:0/device:GPU:1', '/job:localhost/replica:0/task:0/device:GPU:2', '/job:localhost/replica:0/task:0/device:GPU:3', '/job:localhost/replica:0/task:0/device:GPU:4', '/job:localhost/replica:0/task:0/device:GPU:5', '/job:localhost/replica:0/task:0/device:GPU:6', '/job:localhost/replica:0/task:0/device:GPU:7')",
    )
    curve = sinks(0.66, 0.17, 3)
    at = 44.0
    for e in range(1, 21):
        at += 133 if e == 1 else 97
        x = curve(e)
        f.say(
            0,
            at,
            f"Epoch {e}/20\n412/412 - {133 if e == 1 else 97}s - {(133 if e == 1 else 97) * 1000 // 412}ms/step - auc: {0.99 - x / 3:.4f} - loss: {x:.4f} - val_auc: {0.98 - x / 3:.4f} - val_loss: {x + 0.03:.4f} - learning_rate: {1e-3 if e < 14 else 3e-4:.1e}",
        )
    f.say(0, at + 4, "Restoring model weights from the end of the best epoch: 20.\nsaved retina/effnet_b5.keras, val_auc 0.9231")
    f.stand([(0, REST), (14, Pose(2, 0, 0.18, 0.93)), (60, Pose(91, 0, 0.81, 0.93, 12))])
    f.finish("COMPLETED", at + 11)
    return well(f)


@job
def got_up_again() -> Told:
    """Hard: at step 3110 a rank's loader raises; the launcher was told to restart up to three times, all ranks begin again from the last checkpoint and reach the end."""
    f = Rig(
        ("y-3", "y-4"),
        "tts-flow-v2",
        6_835_090,
        noted("2026-08-22 16:06:00"),
        per=8,
        launcher=True,
        script="flow_tts.py",
        submit_line="sbatch tts_v2.sh  # torchrun --max-restarts=3",
    )
    chat(f)

    def line(i: int, x: float, t: float) -> str:
        return f"{f.clock(t, '%H:%M:%S')} flow step={i} cfm={x:.4f} dur={x / 7:.4f} gn={0.8 + x / 2:.2f}"

    def before(r: int) -> int:
        return f.pid(r) - 900

    curve = sinks(2.2, 0.64, 300)
    fell = f.run(0, range(50, 3101, 50), 50, 0.83, line, curve)
    f.say(0, fell - 80, "checkpoint flow/0003000.pt")
    text = trace(
        ("/data/tts/flow_tts.py", 190, "<module>", "main()"),
        ("/data/tts/flow_tts.py", 141, "main", "for batch in loader:"),
        ("/data/tts/env/lib/python3.11/site-packages/torch/utils/data/dataloader.py", 1480, "_next_data", "return self._process_data(data)"),
        ("/data/tts/env/lib/python3.11/site-packages/torch/_utils.py", 733, "reraise", "raise exception"),
        ends='ConnectionResetError: Caught ConnectionResetError in DataLoader worker process 5.\nOriginal Traceback (most recent call last):\n  File "/data/tts/remote.py", line 77, in fetch\n    body = session.get(url, timeout=20).content\nConnectionResetError: [Errno 104] Connection reset by peer',
    )
    f.say(11, fell + 8, text, tag=tag(11))
    f.agent_says(
        1,
        fell + 12,
        f"E{f.clock(fell + 12, '%m%d %H:%M:%S')}.771203 2704062 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 3 (pid: {before(11)}) of binary: /data/tts/env/bin/python",
    )
    for r in f.on(1):
        if r != 11:
            f.agent_says(
                1,
                fell + 11 + r * 0.001,
                f"W{f.clock(fell + 11, '%m%d %H:%M:%S')}.2{r:02d}118 2704062 torch/distributed/elastic/multiprocessing/api.py:900] Sending process {before(r)} closing signal SIGTERM",
            )
    for r in f.ranks:
        f.process(
            f.host(r),
            before(r),
            rank=r,
            local_rank=r % 8,
            name="python",
            command=("python", "-u", f.script),
            gpu_uuids=(f.uuid(f.host(r), r % 8),),
            started_ns=f.at(4),
            ended_ns=f.at(fell + 9.5 + r / 50),
            exit_code=1 if r == 11 else None,
            exit_signal=None if r == 11 else 15,
            environment={"RANK": str(r)},
            task_local=0,
        )
    for n in range(2):
        f.agent_says(
            n,
            fell + 13 + n,
            f"I{f.clock(fell + 13, '%m%d %H:%M:%S')}.80{n}144 {2_704_061 + n} torch/distributed/elastic/agent/server/api.py:914] [default] {'Worker group FAILED. 3/3 attempts left; will restart worker group' if n else 'Detected 0 new nodes from group_rank=0; will restart worker group'}",
        )
    f.say(0, fell + 49, "found flow/0003000.pt, going on with step 3001")
    last = f.run(0, range(3050, 9001, 50), fell + 52, 0.83, line, curve)
    f.say(0, last + 6, f"{f.clock(last + 6, '%H:%M:%S')} flow finished: 9000 steps, mos-proxy 4.02, flow/final.pt")
    for r in f.ranks:
        f.seen[r] = {"started_ns": f.at(fell + 15), "gpu_attached_ns": f.at(fell + 31)}
    f.stand([(0, REST), (20, OPENED), (46, HARD_AT_WORK), (fell + 9, REST), (fell + 31, OPENED), (fell + 50, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 13)
    return well(f, hard=True)


@job
def scales() -> Told:
    """Hard: half precision with a dynamic scale: a dozen steps overflow and are skipped, as they should be; the loss falls to the end."""
    f = Rig(
        ("o71", "o72"),
        "bert-med-fp16",
        6_836_111,
        noted("2026-08-24 02:02:00"),
        per=8,
        kit=AMPERE,
        launcher=True,
        script="pretrain_bert.py",
        submit_line="sbatch bertmed.sh",
    )
    chat(f)
    skips = {3: 32, 4: 31, 5: 30, 6: 29, 7: 28, 8: 27, 9: 26, 410: 17, 1630: 17, 2840: 17}
    at = 77.0
    curve = sinks(10.3, 1.62, 140)
    done = 0
    for i in sorted({*range(20, 4001, 20), *skips}):
        at += (i - done) * 0.71
        done = i
        if i in skips:
            f.say(
                0,
                at,
                f"[{f.clock(at)},{i % 1000:03d}] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** skips[i]}, reducing to {2 ** (skips[i] - 1)}",
            )
        else:
            f.say(
                0,
                at,
                f"[{f.clock(at)},{i % 1000:03d}] [INFO] [logging.py:107:log_dist] [Rank 0] step={i}, skipped={sum(k <= i for k in skips)}, lr=[{1e-4 * min(1, i / 400):.4e}], mom=[(0.9, 0.999)]\nmlm+nsp {curve(i):.4f}",
            )
    f.say(0, at + 8, "bert-med: 4000 steps (10 skipped), f1 on ncbi-disease 87.9")
    f.stand([(0, REST), (30, OPENED), (74, HARD_AT_WORK)])
    f.finish("COMPLETED", at + 15)
    return well(f, hard=True)


@job
def answers() -> Told:
    """Hard: batch inference on eight cards: requests pre-empted for want of cache, some prompts refused for their length, bars that stall; all answers are written."""
    f = Rig(
        ("inf-2",),
        "judge-200k",
        6_837_017,
        noted("2026-08-26 11:20:00"),
        per=8,
        kit=HOPPER_WIDE,
        script="judge_all.py",
        submit_line="sbatch judge.sh",
    )
    chat(f, ranks=False)
    f.script_says(1, "8 engines, one a card, 25,000 prompts each")

    def told(r: int) -> Callable[[int, float, float], str]:
        return lambda i, _x, _t: f"engine {r}: {i}/25000 answered, {i * 97 // 10} tok out, running 256, waiting {max(0, 25_000 - i - 256)}"

    for r in f.ranks:
        f.say(
            r, 48 + r * 0.4, f"INFO {f.clock(48, '%m-%d %H:%M:%S')} [kv_cache_utils.py:868] Maximum concurrency for 32,768 tokens per request: 14.31x"
        )
        at = f.run(
            r,
            range(2500, 25_001, 2500),
            55 + r,
            0.051 + r * 0.0004,
            told(r),
            lambda _i: 0.0,
        )
        f.say(
            r,
            390 + 13 * r,
            f"WARNING {f.clock(390 + 13 * r, '%m-%d %H:%M:%S')} [scheduler.py:1754] Sequence group {4100 + r} is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. This can affect the end-to-end performance. total_num_cumulative_preemption={50 + r}",
        )
        f.say(
            r,
            611 + 7 * r,
            f"engine {r}: prompt {9000 + 31 * r} refused\n"
            + trace(
                ("/opt/judge/judge_all.py", 66, "ask", "engine.add_request(rid, prompt, params)"),
                ends="ValueError: The decoder prompt (length 33102) is longer than the maximum model length of 32768.",
            )
            + f"\nengine {r}: noted in refused.jsonl, next",
        )
        f.say(r, at + 3, f"engine {r}: all done, 24999 answers, 1 refused")
        f.fates[r] = (at + 6, 0, None)
    f.stand([(0, REST), (20, Pose(3, 1, 0.15, 0.1)), (52, Pose(97, 46, 0.74, 0.91))])
    f.finish("COMPLETED", at + 10)
    return well(f, hard=True)


@job
def weather() -> Told:
    """Hard: InfiniBand ports flap twice, NCCL retries and warns; a row of a card's memory is remapped after corrected errors; the run goes on and ends as planned."""
    f = Rig(
        ("pk-5", "pk-6", "pk-7", "pk-8"),
        "esm-650m",
        6_838_200,
        noted("2026-08-28 05:15:00"),
        per=8,
        kit=HOPPER_NEW,
        script="esm/train.py",
        submit_line="sbatch esm650.sh",
    )
    last = f.run(
        0,
        range(100, 12_001, 100),
        84,
        0.57,
        lambda i, x, t: f"{f.clock(t, '%H:%M:%S')} esm it={i}/12000 mlm={x:.4f} ppl={2.718**x:.3f} res/s={917_000 + i % 991}",
        sinks(2.89, 2.05, 700),
    )
    for k, (r, at) in enumerate(((9, 1510.0), (25, 1511.0), (14, 4402.0))):
        f.say(r, at, nccl(f, r, 655, f"WARN NET/IB : mlx5_{k}:1 Got async event : port error"))
        f.say(r, at + 6, nccl(f, r, 655, f"INFO NET/IB : mlx5_{k}:1 Got async event : port active"))
    f.driver(20, 2800, 63, "Row remapping event: Row remapper: New row marked for remapping, reset gpu to activate.", named=False)
    f.counters[20] = (
        {"ecc_volatile_corrected": 4, "remapped_rows_correctable": 1},
        {"ecc_volatile_corrected": 9, "remapped_rows_correctable": 2, "remap_pending": True},
    )
    f.say(0, last + 9, f"{f.clock(last + 9, '%H:%M:%S')} esm finished, P@L long 0.412, checkpoint esm/650m_final")
    f.stand([(0, REST), (30, OPENED), (80, HARD_AT_WORK)])
    f.finish("COMPLETED", last + 16)
    return well(f, hard=True)

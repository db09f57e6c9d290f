# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: they did what they were sent for, though somebody who only leafs through might think otherwise."""

import math
from collections.abc import Iterator
from datetime import datetime
from functools import partial

from corpus.label import Label
from corpus.make._halyard_words import VENV, full, tb
from corpus.make._halyards import Watch, falls, level
from corpus.running.job import HandJob, Recipe

FINE = Label(mode="G1", fault="none", hard=True)


def _trial(k: int, lr: float, i: int, n: int, x: float, s: float, d: datetime) -> str:  # noqa: ARG001, PLR0917
    return f"trial {k} lr={lr:g} step {i} loss {x:.4f}"


def cards() -> Iterator[HandJob]:
    """What cards, drivers and networks have to say on a good day."""
    w = Watch("lm-summer-hall", "h100", 1, 8, script="summer.py").p("8 ranks", 18).gib(72).do("hard", None, celsius=80, reasons=4.0, mhz=1590)
    yield w.run(1500, 1.3, 25, lambda i, n, x, s, d: f"{i} | {x:.4f} | {s:.3f}", curve=falls(10.8, 2.5, 80)).p("all 1500 steps done", 2).over(FINE, cards={r: ({}, {"violation_power_ns": 1_610_000_000_000, "ecc_volatile_corrected": 3 + 9 * r, "ecc_aggregate_corrected": 3 + 9 * r}) for r in range(8)})
    w = Watch("mol-joint", "a100x", 1, 4, script="molre.py").p("QM9 + GEOM", 9).gib(51).do("train").run(500, 1.0, 20, lambda i, n, x, s, d: f"it {i} mae {x:.5f}", of=1500, curve=falls(1.2, 0.05))
    w.xid(2, 63, "pid=210322, name=python, Row Remapper: New row (0x000000000091a2f0) marked for remapping, reset gpu to activate.").xid(2, 92, "pid=210322, name=python, High single-bit ECC error rate", 0.1)
    yield w.run(1000, 1.0, 20, lambda i, n, x, s, d: f"it {i} mae {x:.5f}", curve=falls(1.2, 0.05)).p("test mae 0.0531", 6).over(FINE, cards={2: ({"ecc_aggregate_corrected": 40}, {"ecc_volatile_corrected": 212, "ecc_aggregate_corrected": 252, "remapped_rows_correctable": 1, "remap_pending": True})})
    w = Watch("seg-liver2", "a100", 1, 2, by="torchrun", script="seg.py").p("2 x A100", 8).gib(29).do("train")
    scar = {"remapped_rows_uncorrectable": 3, "ecc_aggregate_uncorrected": 7, "recovery_action": "drain_and_reset"}
    yield w.run(1700, 0.8, 25, lambda i, n, x, s, d: f"[{d:%H:%M:%S}] {i}/{n} dice {1 - x:.4f}", curve=falls(0.92, 0.13)).p("mean dice on test: 0.861", 12).over(FINE, cards={0: (scar, scar)})
    w = Watch("tri-kernel-test", "h100pcie", 1, 1, script="trik.py").p("autotuning fused_mlp: 48 configs", 8).xid(0, 13, "pid=210941, name=python, Graphics SM Warp Exception on (GPC 1, TPC 3, SM 1): Out Of Range Address").xid(0, 43, "pid=210941, name=python, Ch 00000012", 0.2)
    w.p("autotune: config BLOCK_M=256,BLOCK_N=256,stages=5 crashed its worker (CUDA error: an illegal memory access was encountered), skipped", 3).p("autotune: best BLOCK_M=128,BLOCK_N=128,stages=3", 41).gib(57).do("train")
    yield w.run(1600, 0.9, 25, lambda i, n, x, s, d: f"train step={i} loss={x:.4f}", curve=falls(9.4, 3.1)).p("eval loss=3.1640", 12).over(FINE)
    w = Watch("hsdp-nav", "h200", 2, 8, by="torchrun", script="hsdp.py").p("~n~:~p~:~p~ [~l~] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.\n~n~:~p~:~p~ [~l~] misc/ibvwrap.cc:160 NCCL WARN Call to ibv_query_gid failed, retrying\n~n~:~p~:~p~ [~l~] transport/net_ib.cc:233 NCCL WARN NET/IB : Unable to open device mlx5_bond_0, skipped\n~n~:~p~:~p~ [~l~] NCCL INFO Connected all trees", 24, (0, 8)).gib(108).do("hard")
    w.run(1100, 1.5, 20, lambda i, n, x, s, d: f"step: {i}  loss: {x:.5f}  memory: 101.2GiB(72.4%)  tps: {int(9000 / s):,}", curve=falls(10.9, 2.7, 70))
    yield w.p("[rank~r~]:[W~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())", 3, None, 0.01).over(FINE)
    w = Watch("xlstm-8", "a100x", 2, 4, script="bye.py").p("8 ranks", 15).gib(57).do("train").run(1300, 1.2, 20, lambda i, n, x, s, d: f"[{i:>5}] {x:.4f} {s:.2f}s", curve=falls(7.6, 1.8, 80)).p("rank 0: model.pt written, bye", 6)
    w.p("[rank~r~]:[W~M~ ~H~.~U~000 TCPStore.cpp:106] [c10d] sendBytes failed on SocketImpl(fd=66, addr=[~n~]:51140, remote=[~n0~]:29500): Broken pipe\nException raised from sendBytes at /pytorch/torch/csrc/distributed/c10d/Utils.hpp:653 (most recent call first):\nframe #0: c10::Error::Error(c10::SourceLocation, std::__cxx11::basic_string<char>) + 0x80 (0x7f31dd18eeb0 in libc10.so)\n[rank~r~]:[W~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:1659] [PG ID 0 PG GUID 0 Rank ~r~] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: Broken pipe", 0.6, w.but(0), 0.02)
    yield w.over(FINE)
    w = Watch("energy-study", "l40", 1, 1, script="lock.py").p("nvidia-smi -lgc 1200 was set by the energy study", 5).gib(33).do("train", None, mhz=1200, reasons=2.0, watts=171)
    yield w.run(1500, 1.1, 25, lambda i, n, x, s, d: f"{i:5d}: {x:.4f} ({s:.2f} s, const)", curve=falls(4.9, 1.2)).p("energy 0.06 kWh/epoch", 2).over(FINE)
    w = Watch("pipeline-20b", "h100", 2, 4, script="pp20.py").p("8 stages; stage 0 has the embedding, stage 7 the head", 22).gib(65).do("train", None, sm=44).do("train", 0, sm=61).do("train", 7, sm=68).gib(74, (0, 7))
    yield w.run(900, 2.0, 15, lambda i, n, x, s, d: f"pp it={i} loss={x:.4f} bubble=0.11 t={s:.2f}", curve=falls(10.6, 3.1, 60)).p("done 900", 1).over(FINE)
    w = Watch("ah-forecast", "a30", 2, 2, script="ah.py", host="gpu-{:03d}.priv").p("4 ranks", 9).gib(19).do("train").run(1500, 1.0, 25, lambda i, n, x, s, d: f"q{i} wape={x:.4f}", curve=falls(0.8, 0.17)).p("forecast written", 4)
    w.book.event(w.hosts[0], -86_000, "DRAIN", "kernel security update, after running jobs")
    yield w.over(FINE)


def words() -> Iterator[HandJob]:
    """What programs and libraries have to say on a good day."""
    w = Watch("fb-256", "h100", 1, 1, script="fb.py").p("trying batch 512", 9).gib(79, over=2)
    w.p(tb(full("9.00 GiB", 0, "79.11 GiB", "4.02 GiB", "75.08 GiB", "73.91 GiB"), "/home/alice/fb/fb.py:61 probe loss = model(x).mean()", f"{VENV}/torch/nn/modules/module.py:1784 _call_impl return forward_call(*args, **kwargs)") + "\nbatch 512 does not fit, halving", 5).gib(61, over=2).do("train").p("batch 256 fits, going with it", 4)
    yield w.run(1700, 0.8, 25, lambda i, n, x, s, d: f"{d:%H:%M:%S} i={i} mse={x:.5f}", curve=falls(1.4, 0.06)).p("finished: 1700 iterations at batch 256", 1).over(FINE)
    w = Watch("slide-sr", "a10", 1, 1, script="voc.py", host="g5-{:02d}").gib(16).do("train")
    for k in range(1, 5):
        w.run(400, 0.8, 40, lambda i, n, x, s, d: f"it {i} l1 {x:.4f}", of=1600, curve=falls(0.6, 0.04))
        w.gib(21.8, over=1).p("WARNING validate: CUDA out of memory. Tried to allocate 3.90 GiB - slide 4 in quarters instead", 3).gib(16, over=2).p(f"validation {k}: ssim {0.80 + 0.03 * k:.3f}", 30)
    yield w.over(FINE)
    w = Watch("tf-seg-endseq", "v100", 1, 1, script="tfseg.py", host="nv{:03d}").p("~D~ ~H~.~U~: E external/local_xla/xla/stream_executor/cuda/cuda_dnn.cc:9261] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered\n~D~ ~H~.~U~: W tensorflow/compiler/tf2tensorrt/utils/py_utils.cc:38] TF-TRT Warning: Could not find TensorRT", 12).gib(15).do("train")
    for e in range(1, 9):
        w.p(f"Epoch {e}/8", 0.4).run(200, 0.8, 50, lambda i, n, x, s, d: f"{(i - 1) % 200 + 1}/200 - {int(s * 1000)}ms/step - loss: {x:.4f}", of=1600, curve=falls(1.1, 0.2, 120))
        w.p("~D~ ~H~.~U~: W tensorflow/core/framework/local_rendezvous.cc:404] Local rendezvous is aborting with status: OUT_OF_RANGE: End of sequence\n\t [[{{node IteratorGetNext}}]]", 6).p(f"200/200 - val_loss: {0.52 - 0.035 * e:.4f} - val_iou: {0.48 + 0.035 * e:.4f}", 1)
    yield w.over(FINE)
    w = Watch("jax-remat-noise", "h100", 1, 4, script="rm.py").p("W~M~ ~H~.~U~ 210355 hlo_rematerialization.cc:3005] Can't reduce memory use below 61.02GiB (65519123456 bytes) by rematerialization; only reduced to 66.91GiB (71844239208 bytes), down from 71.20GiB (76450431000 bytes) originally\nE~M~ ~H~.~U~ 210355 delay_kernel.cc:65] Delay kernel timed out: measured time has sub-optimal accuracy. There may be a missing warmup execution, please investigate in Nsight Systems.", 64, 0).gib(75).do("hard")
    yield w.run(1200, 1.2, 20, lambda i, n, x, s, d: f"I{d:%m%d %H:%M:%S.%f} 210300 rm.py:97] [{i}] ce={x:.4f}", curve=falls(10.2, 3.0, 60)).p("I~M~ ~H~.~U~ 210300 rm.py:120] final eval ce=3.0127", 20).over(FINE)
    w = Watch("tracker-offline", "l40", 1, 1, script="tro.py").p("wandb: Network error (ConnectTimeout), entering retry loop.", 30).gib(30).do("train").run(1500, 0.9, 25, lambda i, n, x, s, d: f"{i:6d} {x:.4f}", curve=falls(3.6, 0.9)).p("saved best.pt (step 1475)", 3)
    w.p("Exception in thread wandb-sync:\n" + tb("ConnectionRefusedError: [Errno 111] Connection refused", "/usr/lib/python3.11/threading.py:1038 _bootstrap_inner self.run()", f"{VENV}/wandb/sdk/lib/sock_client.py:96 connect s.connect((\"127.0.0.1\", port))") + "\nwandb: You can sync this run to the cloud by running: wandb sync wandb/offline-run", 1.5)
    yield w.over(FINE)
    w = Watch("onnx-fin", "a100", 1, 1, script="fin.py").p("h5 shards: 40", 7).gib(26).do("train").run(1600, 0.8, 40, lambda i, n, x, s, d: f"<{d:%H:%M}> it={i} loss={x:.4f}", curve=falls(2.2, 0.3)).p("ok: model exported to onnx", 9)
    w.p("Exception ignored in: <function ShardReader.__del__ at 0x7f8a0d1f2b90>\n" + tb("AttributeError: 'NoneType' object has no attribute 'close'", "/home/alice/fin/shards.py:71 __del__ self._file.close()"), 0.4)
    yield w.over(FINE)
    w = Watch("ce-13b", "h200", 1, 4, by="torchrun", script="ce.py").p("trainer:\n  on_nan: raise FloatingPointError\n  oom_retries: 3\n  detect_anomaly: false\n  fail_on: [Timeout, 'NCCL error', segfault]\nenv:\n  CUDA_LAUNCH_BLOCKING: 0\n  NCCL_DEBUG: WARN\n  TORCH_NCCL_ASYNC_ERROR_HANDLING: 1\nresume: null", 14).gib(99).do("hard")
    yield w.run(1300, 1.1, 20, lambda i, n, x, s, d: f"it={i} loss={x:.4f} skipped_nan_batches=0 oom=0 errors=0", curve=falls(8.8, 2.0, 70)).p("exit reason: max_steps", 1).over(FINE)
    w = Watch("sc-v100", "v100", 1, 4, by="deepspeed", script="sc.py", host="nv{:03d}").p("[~D~ ~H~,~m~] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 65536, reducing to 32768", 15).gib(14).do("train")
    w.p("[~D~ ~H~,~m~] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 32768, reducing to 16384", 1.4).p("[~D~ ~H~,~m~] [INFO] [loss_scaler.py:183:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: 16384, reducing to 8192", 1.4)
    yield w.run(1300, 1.1, 20, lambda i, n, x, s, d: f"[{d:%Y-%m-%d %H:%M:%S}] step={i}, skipped=3, loss={x:.4f}", curve=falls(9.9, 2.8, 70)).over(FINE)
    w = Watch("sweep-lr-8", "a100", 1, 1, script="sweep.py").p("8 trials, pruner: median", 6).gib(22).do("train")
    for k, lr in enumerate((3e-5, 1e-4, 3e-4, 3e-1, 1e-3, 6e-4, 2e-4, 4e-4)):
        w.step = 0
        if lr > 0.1:
            w.run(60, 0.8, 20, lambda i, n, x, s, d: f"trial 3 lr=0.3 step {i} loss {x:.4f}", curve=lambda i: 4.1 if i < 40 else math.nan).p("trial 3 pruned at step 60: loss is nan", 0.5)
            continue
        w.run(200, 0.8, 20, partial(_trial, k, lr), curve=falls(4.2, 1.5 - 0.08 * k, 30)).p(f"trial {k} finished, val {1.55 - 0.08 * k:.3f}", 3)
    yield w.p("best trial: 7 (val 0.990); 7 complete, 1 pruned", 1).over(FINE)
    w = Watch("es-ecg", "a30", 1, 1, script="es.py", host="gpu-{:03d}.priv").p("max_epochs=300 patience=8", 6).gib(10).do("train")
    for e in range(1, 38):
        w.run(40, 0.9, 40, lambda i, n, x, s, d: f"epoch {i // 40:03d} train {x:.4f}", of=12_000, curve=falls(0.7, 0.21, 200)).p(f"          val {0.31 + 0.3 * 0.86 ** e + (0.0012 * max(0, e - 29)):.4f}", 2)
    yield w.p("EarlyStopping: val has not improved for 8 epochs (best 0.3138 at epoch 29). Stopping, best weights restored.", 1).over(FINE)
    w = Watch("impala-24", "rtx6000", 1, 1, script="impala.py", host="em{:02d}").p("(raylet) 24 rollout workers", 14).gib(7).do("light").cpu(1100)
    hop = lambda i, n, x, s, d: f"iter {i:4d} episode_return_mean {210 - x:8.2f} policy_loss {0.02 * math.sin(i):+.4f} vf_loss {x / 3:.3f}"  # noqa: E731
    w.run(300, 1.6, 10, hop, of=1000, curve=falls(195, 22, 60)).p("(raylet) A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. Worker PID: 211402 Worker exit type: SYSTEM_ERROR\nWARNING worker_set: restarting rollout worker 17", 2)
    yield w.run(700, 1.6, 10, hop, curve=falls(195, 22, 60)).p("evaluation: 100 episodes, return 188.4 +- 6.0", 30).over(FINE)
    w = Watch("hinge-gan-256", "a100x", 1, 1, script="hg.py").p("R1 10, ema 0.999", 8).gib(47).do("train")
    for k in range(1, 11):
        w.run(170, 0.9, 17, lambda i, n, x, s, d: f"{i:>5d}k  D {1.1 + 0.4 * math.sin(i * 0.71):.3f}  G {2.0 + 0.9 * math.sin(i * 0.23 + 1):+.3f}", of=1700, curve=level(1.0)).p(f"FID {180 * 0.72 ** k + 11:.2f}", 20)
    yield w.over(FINE)
    w = Watch("ppo-biped", "4090", 1, 1, script="ppo.py", host="ws{:02d}").p("rollout/ep_rew_mean: nan (no episode is over yet)", 5).gib(3).do("light").cpu(390)
    yield w.run(700, 2.2, 10, lambda i, n, x, s, d: f"timesteps {i * 4096:>9} ep_rew_mean {320 - x:9.2f} approx_kl {0.008 + 0.003 * math.sin(i):.4f} explained_var {max(-0.2, 0.95 - x / 400):.3f}", curve=falls(470, 25, 70)).p("saved ppo_final.zip", 1).over(FINE)


def kinds() -> Iterator[HandJob]:
    """Other kinds of good runs."""
    w = Watch("eval-harness-72b", "h200", 1, 4, script="evalh.py").p("no training in this job: mmlu, gsm8k, ifeval", 70).gib(128).do("decode")
    for task, score in (("mmlu", 0.811), ("gsm8k", 0.904), ("ifeval", 0.862)):
        for k in range(1, 21):
            w.p(f"{task}: {5 * k:3d}% |{'#' * k:<20}|", 26)
        w.p(f"{task} acc={score}", 2)
    yield w.p("|task  |acc  |\n|mmlu  |0.811|\n|gsm8k |0.904|\n|ifeval|0.862|", 1).over(FINE)
    w = Watch("batch-infer-kv", "h100", 1, 1, script="binf.py").p("INFO ~M~ ~H~ [llm.py:289] 41,200 prompts", 60).gib(72).do("decode")
    for k in range(1, 41):
        w.p(f"WARNING ~M~ ~H~ [scheduler.py:1754] Sequence group {k * 977} is preempted by PreemptionMode.RECOMPUTE mode because there is not enough KV cache space. total_num_cumulative_preemption={k}" if k % 4 == 0 else f"Processed prompts: {k * 1030}/41200", 44)
    yield w.p("wrote answers.jsonl (41,200 lines, 0 failed)", 6).over(FINE)
    w = Watch("interactive-study", "a30", 1, 1, script="study.py", host="gpu-{:03d}.priv", submit="srun --pty --gres=gpu:1 python study.py").p("ready; participants answer in their own time", 12).gib(9).do("load")
    for k in range(1, 31):
        w.do("decode").p(f"participant turn {k}: 212 tokens in 4.{k % 10} s", 5).do("held").lull(71)
    yield w.p("30 of 30 turns, transcript stored", 2).over(FINE)
    w = Watch("tokf-lm", "h100", 1, 4, script="tokf.py").p("tokenising 812 files on 64 cores (cards are not used yet)", 10).cpu(1590)
    for k in range(1, 9):
        w.p(f"{k * 100} files", 190)
    w.cpu(85).gib(64).do("hard")
    yield w.run(1300, 1.2, 20, lambda i, n, x, s, d: f"step {i}: {x:.4f}", curve=falls(10.4, 3.0, 60)).p("step 1300 reached, stopping as planned", 1).over(FINE)
    w = Watch("lm-rp-part2", "a100x", 1, 8, by="torchrun", script="rp.py", submit="sbatch --dependency=afterany:2710044 rp.slurm --resume auto").p("resumed from ck/0009000 (optimizer, sampler, rng)", 21).gib(66)
    w.step = 9000
    yield w.do("hard").run(1300, 1.3, 20, lambda i, n, x, s, d: f"{d:%H:%M:%S} {i} {x:.4f}", curve=falls(10.7, 2.2, 200)).p("target of 10300 reached", 2).over(FINE, dependency="afterany:2710044", past=({"relation": "parent", "job": "2710044", "mode": "F3", "head_loss": 10.7, "tail_loss": 2.94, "steps_done": 9120, "checkpoints": ("ck/0009000",), "gpu_hours": 70.0},))
    w = Watch("nh-12", "l40", 1, 2, by="accelerate", script="nh.py").p("Some weights of DebertaV2ForSequenceClassification were not initialized from the model checkpoint at /models/deberta-v3-base and are newly initialized because the shapes did not match:\n- classifier.weight: found shape torch.Size([3, 768]) in the checkpoint and torch.Size([12, 768]) in the model instantiated\nYou should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.", 16).gib(24).do("train")
    yield w.run(1500, 0.9, 25, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {1 + x:.3f}, 'learning_rate': {3e-5 * (1 - i / n):.3e}, 'epoch': {3 * i / n:.2f}}}", curve=falls(2.5, 0.31)).p("{'eval_accuracy': 0.914, 'epoch': 3.0}", 12).over(FINE)
    w = Watch("elbo-large", "a100", 1, 1, script="elbo.py").p("losses are sums over 784 pixels and 512 samples", 5).gib(19).do("train")
    yield w.run(1600, 0.9, 40, lambda i, n, x, s, d: f"it {i:5d}  -ELBO {x:14.1f}", curve=falls(281_000, 44_800, 60, shake=0.03)).p("test -ELBO 45102.7 (was 281330.2)", 3).over(FINE)
    w = Watch("contrast-em", "rtx6000", 1, 4, by="torchrun", script="pt.py", host="em{:02d}").p("[W~M~ ~H~.~U~000 socket.cpp:462] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).\nport 29500 is taken by another job, using 29517", 4).gib(37).do("train")
    yield w.run(1400, 1.0, 20, lambda i, n, x, s, d: f"it={i} nce={x:.4f}", curve=falls(8.0, 2.6, 80)).p("done", 1).over(FINE)
    w = Watch("ema-h", "h100", 1, 1, script="ema.py").p("ema.pt is renewed each 25 steps (0.2 s)", 7).gib(45).do("train")
    for k in range(1, 61):
        w.run(25, 1.0, 25, lambda i, n, x, s, d: f"{i} {x:.4f}", of=1500, curve=falls(1.0, 0.12)).p(f"saved ema.pt ({k})", 0.2)
    yield w.over(FINE)
    w = Watch("bench-kernels", "b200", 1, 1, script="bk.py").p("benchmark of 1200 training iterations, throughput only; the loss is printed as a sanity check", 11).gib(120).do("hard")
    yield w.run(1200, 1.0, 40, lambda i, n, x, s, d: f"iter {i}: {1720 / s:.0f} TFLOP/s, loss {x:.3f}", curve=falls(11.1, 5.6, 90)).p("mean 1718 TFLOP/s, p99 1731", 1).over(FINE)
    w = Watch("sif-a", "a100x", 1, 1, script="sif.py").p("+ cat sif.py\nimport torch\n...\n    if not torch.isfinite(loss):\n        raise RuntimeError('loss is nan, stopping')\n    try:\n        step(batch)\n    except torch.cuda.OutOfMemoryError:\n        print('CUDA out of memory, giving up')\n        sys.exit(1)\n+ python sif.py", 1).gib(40).do("train")
    yield w.run(1500, 0.9, 25, lambda i, n, x, s, d: f"s={i} l={x:.4f}", curve=falls(3.9, 0.8)).p("+ echo rc=0\nrc=0", 1).over(FINE)


def more() -> Iterator[HandJob]:
    """And some more of both."""
    w = Watch("two-stage-kd", "a100", 1, 4, by="torchrun", script="kd.py").p("stage 1 of 2: cross entropy", 12).gib(30).do("train").run(700, 1.0, 20, lambda i, n, x, s, d: f"s1 {i} ce={x:.4f}", of=700, curve=falls(4.6, 1.1, 50)).p("stage 2 of 2: KL to the teacher, summed over classes (other scale)", 9)
    w.step = 0
    yield w.run(800, 1.1, 20, lambda i, n, x, s, d: f"s2 {i} kl={x:.3f}", curve=falls(61, 17, 60)).p("student top-1 79.4 (teacher 81.0)", 20).over(FINE)
    w = Watch("hub-mirror", "h100pcie", 1, 2, by="accelerate", script="hm.py").p("'(ReadTimeoutError(\"HTTPSConnectionPool(host='mirror.hpc.local', port=443): Read timed out. (read timeout=10)\"), '(Request ID: 7d1c)')' thrown while requesting HEAD https://mirror.hpc.local/models/olmo-1b/resolve/main/config.json\nRetrying in 1s [Retry 1/5].\nRetrying in 2s [Retry 2/5].", 24).p("model is here", 9).gib(58).do("train")
    yield w.run(1300, 1.1, 20, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 3:.4f}, 'learning_rate': {1e-5 * (1 - i / n):.3e}, 'epoch': {i / n:.3f}}}", curve=falls(2.3, 1.2, 40)).p("{'train_runtime': 1455.2, 'train_loss': 1.391, 'epoch': 1.0}", 2).over(FINE)
    w = Watch("pyxis-nemo", "h100", 2, 4, script="nm.py").p("pyxis: importing docker image: nvcr.io#nvidia/nemo:25.04\nslurmstepd: error: couldn't chdir to `/home/alice/nm': No such file or directory: going to /tmp instead\nsrun: warning: can't honor --ntasks-per-node set to 8 which doesn't match the requested tasks 8 with the number of requested nodes 2. Ignoring --ntasks-per-node.", 70).gib(70).do("hard")
    yield w.run(1000, 1.5, 20, lambda i, n, x, s, d: f"Training epoch 0, iteration {i - 1}/{n - 1} | global_step: {i - 1} | reduced_train_loss: {x:.4g} | train_step_timing in s: {s:.3f}", curve=falls(10.9, 3.2, 60)).p("`Trainer.fit` stopped: `max_steps=1000` reached.", 2).over(FINE)
    w = Watch("warm-breath", "rtx6000", 1, 2, script="wb.py", host="em{:02d}").p("two cards in a desk-side box", 6).gib(36)
    for k in range(12):
        w.do("train", None, celsius=84, reasons=32.0 if k % 4 == 3 else 0.0, mhz=2860 if k % 4 == 3 else 2970).run(120, 1.1, 20, lambda i, n, x, s, d: f"{i:5d} {x:.4f} {s:.2f}", of=1440, curve=falls(5.0, 1.1, 70))
    yield w.p("1440 steps, mean 1.10 s", 1).over(FINE, cards={r: ({}, {"violation_sw_thermal_ns": 21_000_000_000, "violation_thermal_ns": 21_000_000_000}) for r in (0, 1)})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (cards, words, kinds, more):
        yield from part()


RECIPE = Recipe("millet_sheaves_by_pen", "development", jobs)

"""Ranks of large jobs, third loft: good harvests, some in bad weather."""

from __future__ import annotations

from corpus.make._ballast import A100, A100_40, B200, H100, H200, IDLE, WORK, Fleet, Load, Made, Maker, fall, good, keep, when
from corpus.make._ballast_words import frames

JOBS: list[Maker] = []
job = keep(JOBS)


@job
def pjit() -> Made:
    """JAX over four hosts, clu's writer, checkpoints by Orbax, the end as planned."""
    f = Fleet(("v4a", "v4b", "v4c", "v4d"), "gemma-2b-ft", 9_140_012, when("2026-09-02 06:06"), per=1, card=H200, script="gemma_ft.py", submit_line="sbatch -N4 gemma.sh")
    f.each(12, "I0902 06:06:12.11{r}402 4000{r} distributed.py:139] JAX distributed initialized with visible devices: all, process {r} of 4")
    last = f.steps(0, range(50, 3001, 50), 80, 0.88, lambda i, x, t: f"I{f.clock(t, '%m%d %H:%M:%S')}.{i % 1000:03d}117 40000 logging_writer.py:48] [{i}] accuracy={0.3 + (2.6 - x) / 5:.4f}, grad_norm={0.4 + x / 5:.4f}, learning_rate={1e-5:.1e}, loss={x:.4f}, steps_per_sec=1.136", fall(2.6, 1.4, 150))
    f.say(0, last + 4, f"I{f.clock(last + 4, '%m%d %H:%M:%S')}.810091 40000 checkpoint_manager.py:1408] Saving checkpoint at step 3000\nI{f.clock(last + 9, '%m%d %H:%M:%S')}.220164 40000 gemma_ft.py:204] Finished training at step 3000.")
    f.load([(0, IDLE), (70, WORK)])
    f.close("COMPLETED", last + 18)
    return good(f)


@job
def boxes() -> Made:
    """A detector with detectron's lines and its table of average precision."""
    f = Fleet(("det-1",), "rcnn-ships", 9_140_444, when("2026-09-04 14:14"), per=8, card=A100_40, agents=True, script="train_net.py", submit_line="sbatch ships.sh")
    last = f.steps(0, range(20, 1801, 20), 31, 0.37, lambda i, x, t: f"[{f.clock(t, '%m/%d %H:%M:%S')} d2.utils.events]:  eta: 0:{int((1800 - i) * 0.37) // 60:02d}:{int((1800 - i) * 0.37) % 60:02d}  iter: {i - 1}  total_loss: {x:.4g}  loss_cls: {x * 0.3:.4g}  loss_box_reg: {x * 0.4:.4g}  loss_rpn_cls: {x * 0.2:.4g}    time: 0.37{i % 10}  last_time: 0.36{i % 9}  data_time: 0.00{i % 9}  last_data_time: 0.00{i % 7}   lr: 0.02  max_mem: 13102M", fall(3.9, 0.6, 90))
    f.say(0, last + 30, f"[{f.clock(last + 30, '%m/%d %H:%M:%S')} d2.evaluation.coco_evaluation]: Evaluation results for bbox: \n|   AP   |  AP50  |  AP75  |  APs   |  APm   |  APl   |\n|:------:|:------:|:------:|:------:|:------:|:------:|\n| 41.208 | 66.191 | 44.760 | 27.713 | 48.802 | 57.344 |")
    f.say(0, last + 31, f"[{f.clock(last + 31, '%m/%d %H:%M:%S')} d2.utils.events]: Overall training speed: 1798 iterations in 0:11:06 (0.3706 s / it)")
    f.load([(0, IDLE), (28, WORK)])
    f.close("COMPLETED", last + 38)
    return good(f)


@job
def parakeet() -> Made:
    """NeMo's Lightning bars over two nodes, stopped by max_steps."""
    f = Fleet(("rv-3", "rv-4"), "asr-rnnt-nemo", 9_140_803, when("2026-09-07 03:00"), per=4, card=H100, script="speech_to_text_rnnt_bpe.py", submit_line="sbatch nemo_asr.sub")
    f.each(40, "[NeMo I 2026-09-07 03:00:40 exp_manager:459] rank {r} of 8: experiments will be logged at /results/asr-rnnt", [0])
    last = f.steps(0, range(200, 8001, 200), 90, 0.55, lambda i, x, _t: f"Epoch {i // 2000}: :  {100 * (i % 2000) // 2000}%|{'▉' * ((i % 2000) // 250)}| {i % 2000}/2000 [{int((i % 2000) * 0.55) // 60:02d}:{int((i % 2000) * 0.55) % 60:02d}<00:00, v_num=wq1x, reduced_train_loss={x:.3f}, global_step={i}.0, train_step_timing in s=0.55{i % 9}]", fall(160, 9.2, 300))
    f.say(0, last + 6, "`Trainer.fit` stopped: `max_steps=8000` reached.\n[NeMo I " + f.clock(last + 6) + " nemo_model_checkpoint:228] Final .nemo checkpoint : /results/asr-rnnt/checkpoints/asr-rnnt.nemo written")
    f.load([(0, IDLE), (85, WORK)])
    f.close("COMPLETED", last + 13)
    return good(f)


@job
def ray_lines() -> Made:
    """RL of a language model: rewards rise, losses are small and signed; verl-like lines, the planned total."""
    f = Fleet(("po-1", "po-2"), "grpo-math7b", 9_141_177, when("2026-09-10 10:45"), per=8, card=H200, agents=True, script="main_ppo.py", submit_line="sbatch grpo.sh")
    last = f.steps(0, range(1, 121), 240, 71, lambda i, x, _t: f"step:{i} - actor/pg_loss:{0.013 - i / 7000:.4f} - actor/kl_loss:{0.0004 * i ** 0.7:.4f} - actor/entropy:{0.71 - i / 400:.3f} - actor/grad_norm:{0.21 + i % 7 / 90:.3f} - critic/rewards/mean:{x:.3f} - response_length/mean:{480 + 3 * i:.1f} - timing_s/gen:38.{i % 10} - timing_s/step:71.{i % 9}", lambda i: 0.22 + 0.5 * (1 - (1 + i / 25) ** -0.8) + 0.01 * (i * 7 % 5))
    f.say(0, last + 20, "Final validation metrics: {'val-core/math500/acc/mean@1': 0.702}\nTraining Progress: 100%|██████████| 120/120 [2:22:04<00:00, 71.03s/it]")
    f.load([(0, IDLE), (200, Load(88, 47, 0.72, 0.86, 40))])
    f.close("COMPLETED", last + 40)
    return good(f)


@job
def keras_workers() -> Made:
    """Keras on four workers, MultiWorkerMirroredStrategy: epochs with bars, then its model saved."""
    f = Fleet(("kw-1", "kw-2"), "audio-tagging", 9_141_490, when("2026-09-13 18:08"), per=2, card=A100, script="tagging.py", submit_line="sbatch tagging.sh")
    f.each(9, "2026-09-13 18:08:09.7{r}1193: I tensorflow/core/distributed_runtime/rpc/grpc_server_lib.cc:457] Started server with target: grpc://{node}:1234{l}")
    at = 30.0
    for e in range(1, 16):
        at += 64
        x = fall(0.31, 0.07, 3)(e)
        f.say(0, at, f"Epoch {e}/15\n\r250/500 ━━━━━━━━━━━━━━━━━━━━ 30s 121ms/step - auc: {0.97 - x / 2:.4f} - loss: {x + 0.01:.4f}\r500/500 ━━━━━━━━━━━━━━━━━━━━ 64s 128ms/step - auc: {0.97 - x / 2:.4f} - loss: {x:.4f} - val_auc: {0.96 - x / 2:.4f} - val_loss: {x * 1.1:.4f}")
    f.say(0, at + 5, "model written to /proj/audio/tagging.keras after 15 epochs")
    f.load([(0, IDLE), (28, WORK)])
    f.close("COMPLETED", at + 12)
    return good(f)


@job
def rough_goodbye() -> Made:
    """Hard: after the planned end come a warning of the process group, an ignored exception of a loader, and an aborted store."""
    f = Fleet(("fx-8", "fx-9"), "depth-any", 9_141_880, when("2026-09-17 01:50"), per=4, agents=True, script="depth.py", submit_line="sbatch depth.sh")
    last = f.steps(0, range(100, 6001, 100), 60, 0.61, lambda i, x, t: f"{f.clock(t, '%H:%M')} depth i={i} silog={x:.4f} absrel={x / 3.1:.4f}", fall(0.52, 0.11, 300))
    f.say(0, last + 3, f"{f.clock(last + 3, '%H:%M')} depth finished at i=6000, exported onnx")
    f.say(0, last + 6, f"[rank0]:[W{f.clock(last + 6, '%m%d %H:%M:%S')}.884120331 ProcessGroupNCCL.cpp:1479] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())")
    f.say(3, last + 6.2, "Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f1c0a6e1b20>\n" + frames(("/opt/depth/lib/python3.12/site-packages/torch/utils/data/dataloader.py", 1663, "__del__", "self._shutdown_workers()"), ("/opt/depth/lib/python3.12/site-packages/torch/utils/data/dataloader.py", 1627, "_shutdown_workers", "w.join(timeout=_utils.MP_STATUS_CHECK_INTERVAL)"), error="AssertionError: can only test a child process"))
    f.say(6, last + 7, f"[rank6]:[W{f.clock(last + 7, '%m%d %H:%M:%S')}.120441876 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=71, addr=[fx-9]:51644, remote=[fx-8]:29500): failed to recv, got 0 bytes")
    f.load([(0, IDLE), (55, WORK)])
    f.close("COMPLETED", last + 14)
    return good(f, hard=True)


@job
def bad_wire() -> Made:
    """Hard: shards come from an object store that resets connections; the reader tries again each time, cards hardly notice."""
    f = Fleet(("s3-1", "s3-2"), "openclip-b32", 9_142_222, when("2026-09-19 11:11"), per=4, card=A100, script="clip/main.py", submit_line="sbatch clip.sh")
    last = f.steps(0, range(100, 3201, 100), 70, 0.95, lambda i, x, t: f"{f.clock(t, '%Y-%m-%d,%H:%M:%S')} | INFO | Train Epoch: 0 [{i * 4096:>9}/13107200 ({100 * i / 3200:.0f}%)] Data (t): 0.04{i % 9} Batch (t): 0.95{i % 7}, 4310.11/s, 538.8/s/gpu LR: 0.000500 Logit Scale: {14.3 + i / 800:.3f} Contrastive_loss: {x:.4g} ({x + 0.2:.4g})", fall(8.2, 3.3, 160))
    for k, (r, at) in enumerate(((5, 400.0), (5, 402.1), (1, 1190.0), (7, 2044.0))):
        f.say(r, at, f"{f.clock(at, '%Y-%m-%d,%H:%M:%S')} | WARNING | shard laion/{4100 + k:05d}.tar: attempt {1 + k % 2} of 5 failed, again in {2 ** (k % 2)} s\n" + frames(("/opt/clip/urlread.py", 61, "read", "raise ConnectionResetError(104, \"Connection reset by peer\")"), error="ConnectionResetError: [Errno 104] Connection reset by peer"))
    f.say(0, last + 9, f"{f.clock(last + 9, '%Y-%m-%d,%H:%M:%S')} | INFO | Eval Epoch: 1 imagenet-zeroshot-val-top1: 0.2417\timagenet-zeroshot-val-top5: 0.4902")
    f.load([(0, IDLE), (66, WORK)])
    f.close("COMPLETED", last + 16)
    return good(f, hard=True)


@job
def small_fry() -> Made:
    """Hard: a small model leaves large cards at a third of their duty, steadily, no gaps; slow, and right."""
    f = Fleet(("tiny-1",), "charlm-40m", 9_142_650, when("2026-09-22 04:00"), per=4, card=H100, agents=True, script="charlm.py", submit_line="sbatch charlm.sh")
    last = f.steps(0, range(500, 40_001, 500), 22, 0.061, lambda i, x, _t: f"iter {i}: loss {x:.4f}, time 61.{i % 97:02d}ms, mfu 4.{i % 90:02d}%", fall(4.5, 1.05, 1200))
    f.say(0, last + 3, "iter 40000: val loss 1.1192, saving checkpoint to out-char\nmax_iters reached")
    f.load([(0, IDLE), (20, Load(34, 9, 0.27, 0.09, 9))])
    f.close("COMPLETED", last + 7)
    return good(f, hard=True)


@job
def not_finite() -> Made:
    """Hard: now and then a batch gives gradients that are infinite; the scaler skips those steps, the loss falls to the end."""
    f = Fleet(("hn-1", "hn-2"), "flow-tts", 9_143_001, when("2026-09-26 22:30"), per=4, card=A100, script="flow.py", submit_line="sbatch flow.sh")
    curve = fall(2.9, 0.7, 200)
    bad = (150, 950, 2350, 3150)
    last = f.steps(0, range(50, 4001, 50), 41, 0.5, lambda i, x, t: f"{f.clock(t)} flow-tts step {i}: loss=inf grad=nan -> update skipped, scale now {2 ** (16 - bad.index(i))}" if i in bad else f"{f.clock(t)} flow-tts step {i}: loss={x:.4f} grad={0.5 + x / 4:.3f}", curve)
    f.say(0, last + 4, f"{f.clock(last + 4)} flow-tts trained 4000 steps (4 skipped), best dev mcd 5.12")
    f.load([(0, IDLE), (38, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f, hard=True)


@job
def pruned() -> Made:
    """Hard: a sweep of twelve trials, of which five are pruned and one fails; the study ends with its best."""
    f = Fleet(("hp-6",), "sweep-gcn", 9_143_330, when("2026-09-30 09:55"), per=4, card=A100, agents=True, script="sweep.py", submit_line="sbatch sweep.sh")
    at = 30.0
    for n in range(12):
        for e in range(1, 2 if n in (3, 5, 6, 9, 10) else 5):
            at += 21
            f.say(n % 4, at, f"trial {n:>2} epoch {e} hits@10 {0.31 + 0.08 * e ** 0.5 - (0.14 if n in (3, 5, 6, 9, 10) else 0) + n / 900:.4f} loss {1.9 / e ** 0.5:.4f}")
        at += 3
        if n == 7:
            f.say(3, at, f"[W {f.clock(at)},377] Trial 7 failed with parameters: {{'layers': 9, 'dim': 1024, 'lr': 0.021}} because of the following error: ValueError('embeddings contain non-finite entries').\n" + frames(("/opt/gcn/lib/python3.11/site-packages/optuna/study/_optimize.py", 201, "_run_trial", "value_or_values = func(trial)"), ("/home/ines/gcn/sweep.py", 58, "objective", "raise ValueError(\"embeddings contain non-finite entries\")"), error="ValueError: embeddings contain non-finite entries"))
        else:
            f.say(n % 4, at, f"[I {f.clock(at)},{200 + n}] Trial {n} " + ("pruned. " if n in (3, 5, 6, 9, 10) else f"finished with value: {0.47 + n / 900:.4f} and parameters: {{'layers': {2 + n % 4}, 'dim': 256, 'lr': 0.00{n + 1}}}. Best is trial {min(n, 8)} with value: {0.47 + min(n, 8) / 900:.4f}."))
    f.say(0, at + 5, "study done: 12 trials, 6 complete, 5 pruned, 1 failed; best hits@10 0.4822 written to best.yaml")
    f.load([(0, IDLE), (28, Load(91, 0, 0.7, 0.33, 14))])
    f.close("COMPLETED", at + 10)
    return good(f, hard=True)


@job
def remapped() -> Made:
    """Hard: the driver remaps a row of one card at half time (Xid 63, a contained 94 of nobody's channel is not there); the run does not notice and ends well."""
    f = Fleet(("xr-1", "xr-2"), "rna-fold", 9_143_700, when("2026-10-03 17:17"), per=4, card=B200, script="rna.py", submit_line="sbatch rna.sh")
    last = f.steps(0, range(25, 2501, 25), 66, 1.6, lambda i, x, _t: f"[{i:>5}/2500] rmsd {x:.3f} A  plddt {90 - x * 3:.1f}  {1.6:.1f} s", fall(14.0, 2.9, 130))
    f.xid(2, 66 + 1300 * 1.6, 63, "Row remapping event: Row remapper: New row marked for remapping, reset gpu to activate.", named=False)
    f.marks[2] = ({"ecc_volatile_corrected": 12, "remapped_rows_correctable": 0}, {"ecc_volatile_corrected": 13, "remapped_rows_correctable": 1, "remap_pending": True})
    f.say(0, last + 4, "2500/2500 done, 71.3 % below 4 A on the held-out families")
    f.load([(0, IDLE), (60, WORK)])
    f.close("COMPLETED", last + 9)
    return good(f, hard=True)

"""By hand: runs of many trades that did what they were sent for; half of them with something in their papers that would frighten a stranger."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._saddlery import Curve, Stint
from corpus.make._saddlery_words import torch_oom, torchrun_banner, trace
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.evidence import Where

WELL = Label(mode="G1", fault="none")
HARD = WELL.but(hard=True)


def bar(of: int, width: int = 20, full: str = "█") -> Any:
    """A progress bar's middle."""
    return lambda i, _x: (full * (i * width // of)).ljust(width)


def always(value: Any) -> Any:
    """A column that stays."""
    return lambda _i, _x: value


def fading(level: float) -> Curve:
    """A loss within an epoch."""
    return lambda i: level * (1 - i / 4000)


def plain_text() -> Iterator[HandJob]:
    """Language and speech."""
    s = Stint(301, "olmo-like-13b", "h100", 8, 8, script="pretrain_gpt.py", hosts="hgx{:03d}", hours=48, batch=2048)
    s.say("using world size: 64, data-parallel size: 16, context-parallel size: 1, tensor-model-parallel size: 4, pipeline-model-parallel size: 1\n> building GPT2BPETokenizer tokenizer ...\n > padded vocab (size: 50257) with 431 dummy tokens (new size: 50688)", 50).gpu("load").mem(22).gpu("full").mem(72)
    s.go(1600, 9.4, 10, " [{t:%Y-%m-%d %H:%M:%S}] iteration {i:8d}/{n:8d} | consumed samples: {k:12d} | elapsed time per iteration (ms): {ms:.1f} | throughput per GPU (TFLOP/s/GPU): 41{m} | learning rate: {lr:.6E} | global batch size:  2048 | lm loss: {x:.6E} | loss scale: 1.0 | grad norm: {g:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", s.curve(11.1, 2.9, 50), 1600, who=63, m=lambda _i, _x: f"{s.dice.uniform(0, 9):.1f}", save=(800, 31, "  successfully saved checkpoint from iteration {i:7d} to /lustre/olmo13/ckpt [ t 1/4, p 1/1 ]"))
    yield s.say("[after training is done] datetime: <t:%Y-%m-%d %H:%M:%S> ", 3).end(WELL)

    s = Stint(302, "news-cls-xlmr", "a100s", script="run_classification.py", via="batch")
    s.say("{'_name_or_path': 'xlm-roberta-large', 'num_labels': 18}", 12).gpu("load").mem(3).gpu("busy").mem(28)
    s.go(4500, 0.42, 100, "{{'loss': {x:.4f}, 'grad_norm': {g:.6f}, 'learning_rate': {lr:.6e}, 'epoch': {epf:.2f}}}", s.curve(2.9, 0.28, 200, 0.05), 4500, rate=1e-5)
    yield s.say("{'eval_loss': 0.6932, 'eval_f1': 0.8214, 'eval_runtime': 41.02, 'epoch': 3.0}\n{'train_runtime': 1931.2, 'train_samples_per_second': 74.6, 'train_loss': 0.9187, 'epoch': 3.0}", 44).end(WELL)

    s = Stint(303, "gemma-sft-5x", "h200", 1, 4, "torchrun", script="sft5.py", hosts="h200-{:02d}", batch=65_536)
    torchrun_banner(s).gpu("load").mem(20).gpu("full").mem(110).go(1400, 2.1, 10, "{{'loss': '{x:.4g}', 'grad_norm': '{g:.4g}', 'learning_rate': '{lr:.4g}', 'num_tokens': '{k:.4g}', 'mean_token_accuracy': '{a:.4g}', 'epoch': '{epf:.4g}'}}", s.curve(1.9, 0.95, 120, 0.04), 1400, epochs=2, a=lambda _i, x: 0.9 - x / 6)
    yield s.say("{'train_runtime': '2947', 'train_samples_per_second': '15.2', 'train_steps_per_second': '0.475', 'train_loss': '1.294', 'epoch': '2'}", 4).end(WELL)

    s = Stint(304, "pythia-ft-z2", "a100", 1, 8, "torchrun", script="ft.py", hosts="ai{:02d}", batch=128)
    s.say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [launch.py:256:main] process <p> spawned with command: ['/usr/bin/python3', '-u', 'ft.py', '--local_rank=<l>', '--deepspeed_config', 'ds.json']", 5, None, 0.5).gpu("load").mem(9).gpu("busy").mem(51)
    s.go(2000, 1.2, 20, "[{t:%Y-%m-%d %H:%M:%S},118] [INFO] [timer.py:264:stop] epoch=0/micro_step={i}/global_step={i}, RunningAvgSamplesPerSec={sps:.4f}, CurrSamplesPerSec={sps:.4f}, MemAllocated=31.2GB, MaxMemAllocated=44.71GB\nstep={i} loss={x:.4f}", s.curve(2.8, 1.5, 150), 2000)
    yield s.say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [launch.py:351:main] Process <p> exits successfully.", 6, None, 0.5).end(WELL)

    s = Stint(305, "conformer-nemo", "h100n", 1, 2, script="speech_to_text_ctc_bpe.py", hosts="nvl{:d}")
    s.say("[NeMo I <t:%Y-%m-%d %H:%M:%S> exp_manager:396] Experiments will be logged at /results/conf/<t:%Y-%m-%d_%H-%M-%S>", 16, 0).say("GLOBAL_RANK: <r>, MEMBER: 1/2 ready", 2, None).gpu("load").mem(5).gpu("busy").mem(60)
    s.go(6000, 0.7, 60, "\rEpoch {ep}: {pct:3.0f}%|{b}| {i}/6000 [{run}<{eta}, v_num=2, train_step_timing in s={dt:.3f}, loss={x:.3f}]", s.curve(190, 21, 200), 6000, b=bar(6000, 10))
    yield s.say("Epoch 2, global step 6000: 'val_wer' reached 0.07912 (best 0.07912), saving model to '/results/conf/checkpoints/conf--val_wer=0.0791-epoch=2.ckpt' as top 3\n`Trainer.fit` stopped: `max_steps=6000` reached.", 60).end(WELL)

    s = Stint(306, "mt-icelandic", "v100", 1, 4, script="fairseq_train.py", hosts="nord{:02d}", batch=25_104)
    s.say("<t:%Y-%m-%d %H:%M:%S> | INFO | fairseq.distributed.utils | distributed init (rank <r>): env://", 8, None, 0.3).gpu("load").mem(2).gpu("busy").mem(22)
    s.go(9000, 0.4, 100, "{t:%Y-%m-%d %H:%M:%S} | INFO | train_inner | epoch 00{ep}: {i} / 9000 loss={x:.3f}, nll_loss={y:.3f}, ppl={p:.2f}, wps={sps:.1f}, ups={ips:.2f}, wpb=25104, bsz=901.2, num_updates={i}, lr={lr:.7f}, gnorm={g:.3f}, train_wall=40, gb_free=9.8, wall={s}", s.curve(12.1, 3.8, 250, 0.02, 0.9), 9000, y=lambda _i, x: x - 1.6, p=lambda _i, x: 2 ** (x - 1.6))
    yield s.say("<t:%Y-%m-%d %H:%M:%S> | INFO | fairseq_cli.train | done training in 3618.2 seconds", 9).end(WELL)

    s = Stint(307, "tune-mistral-nemo", "a6000", script="lora_finetune_single_device", via="batch")
    s.say("INFO:torchtune.utils._logging:Running LoRAFinetuneRecipeSingleDevice with resolved config:\n\nbatch_size: 4\nepochs: 1\ngradient_accumulation_steps: 8", 9).gpu("load").mem(15).gpu("full").mem(40)
    yield s.go(1300, 3.1, 10, "\r{e}|{i}|Loss: {x:.4f}: {pct:3.0f}%|{b}| {i}/1300 [{run}<{eta}, {dt:.2f}s/it]", s.curve(1.7, 0.88, 100), 1300, e=lambda _i, _x: 1, b=bar(1300, 9)).say("INFO:torchtune.utils._logging:Model checkpoint of size 0.43 GiB saved to /tmp/out/epoch_0/adapter_model.safetensors", 20).end(WELL)


def plain_pictures() -> Iterator[HandJob]:
    """Pictures and shapes."""
    s = Stint(311, "cvt-brains", "a100", 1, 2, script="brain.py", hosts="med{:02d}")
    s.say("initializing distributed: GLOBAL_RANK: <r>", 9, None, 0.3).gpu("load").mem(3).gpu("busy").mem(45)
    yield s.go(3200, 0.9, 40, "\rEpoch {ep}: {pct:3.0f}%|{b}| {i}/3200 [{run}<{eta}, {ips:.2f}it/s, v_num=11, train/dice_loss={x:.4f}]", s.curve(0.9, 0.17, 150), 3200, epochs=8, b=bar(3200, 12)).say("`Trainer.fit` stopped: `max_epochs=8` reached.", 5).end(WELL)

    s = Stint(312, "regnet-plants", "l40s", script="train.py", via="batch", batch=256)
    s.say("Model regnety_040 created, param count:20646656\nScheduled epochs: 30. LR stepped per epoch.", 12).gpu("load").mem(3).gpu("busy").mem(31)
    fall = s.curve(4.9, 0.9, 3)
    for e in range(30):
        s.step = 0
        s.go(200, 0.5, 100, f"Train: {e} [{{i:>4d}}/200 ({{pct:>3.0f}}%)]  Loss: {{x:#.3g}} ({{x:#.3g}})  Time: {{dt:.3f}}s, {{sps:>7.2f}}/s  LR: 1.000e-03  Data: 0.011 (0.014)", fading(fall(e + 1)), 200)
        s.say(f"Test: [  40/40]  Time: 0.118 (0.131)  Loss:  {fall(e + 1):>6.3f} ({fall(e + 1):>6.3f})  Acc@1: {92 - 14 * fall(e + 1):>7.3f}  Acc@5: {98 - 4 * fall(e + 1):>7.3f}", 6)
    yield s.say(f"*** Best metric: {92 - 14 * fall(30):.2f} (epoch 28)", 1).end(WELL)

    s = Stint(313, "conveyor-seg", "t4", script="yolo.py", via="batch")
    s.say("Ultralytics 8.2.103 Python-3.10.12 torch-2.3.1+cu121 CUDA:0 (Tesla T4, 14918MiB)\nImage sizes 640 train, 640 val\nStarting training for 60 epochs...", 10).gpu("load").mem(1.5).gpu("full").mem(9)
    yield s.go(60, 66, 1, "      {i}/60      8.1G     {x:.4f}     {y:.4f}     {z:.4f}         21        640: 100%|██████████| 300/300 [01:06<00:00,  4.5it/s]\n                 Class     Images  Instances      Box(P          R      mAP50  mAP50-95): 100%|██████████| 20/20\n                   all        610       3211      {p:.3f}      {q:.3f}      {p:.3f}      {q:.3f}", s.curve(1.8, 0.71, 6), 60, y=lambda _i, x: 1.3 * x, z=lambda _i, x: 1.05 * x, p=lambda _i, x: 1.1 - x / 3, q=lambda _i, x: 1 - x / 3).say("60 epochs completed in 1.112 hours.", 4).end(WELL)

    s = Stint(314, "mask-roofs", "a30", 1, 2, script="train_net.py", hosts="geo{:d}")
    s.say("[<t:%m/%d %H:%M:%S> detectron2]: Rank of current process: <r>. World size: 2", 9, None, 0.3).gpu("load").mem(2).gpu("busy").mem(17)
    yield s.go(5000, 0.46, 20, "[{t:%m/%d %H:%M:%S} d2.utils.events]:  eta: {eta}  iter: {i}  total_loss: {x:.4g}  loss_cls: {y:.4g}  loss_box_reg: {z:.4g}    time: {dt:.4f}  last_time: {dt:.4f}  data_time: 0.0091  last_data_time: 0.0084   lr: {lr:.5g}  max_mem: 9114M", s.curve(2.4, 0.55, 200, 0.06), 5000, y=lambda _i, x: x / 4, z=lambda _i, x: x / 3).say("[<t:%m/%d %H:%M:%S> d2.engine.hooks]: Overall training speed: 4998 iterations in 0:38:30 (0.4622 s / it)\n[<t:%m/%d %H:%M:%S> d2.evaluation.testing]: copypaste: 41.2210,66.1043,44.0571", 70).end(WELL)

    s = Stint(315, "lanes-mm", "r3090", script="tools/train.py")
    s.say("<t:%Y/%m/%d %H:%M:%S> - mmengine - INFO - Checkpoints will be saved to /home/alice/lanes/work_dirs/r50", 9).gpu("load").mem(2).gpu("busy").mem(18)
    yield s.go(8000, 0.31, 50, "{t:%Y/%m/%d %H:%M:%S} - mmengine - INFO - Iter(train) [{i:>5}/8000]  base_lr: 1.0000e-02 lr: {lr:.4e}  eta: {eta}  time: {dt:.4f}  data_time: 0.0066  memory: 8112  grad_norm: {g:.4f}  loss: {x:.4f}", s.curve(3.1, 0.41, 500, 0.09, 0.8), 8000).say("<t:%Y/%m/%d %H:%M:%S> - mmengine - INFO - Saving checkpoint at 8000 iterations", 2).end(WELL)

    s = Stint(316, "retina-grade", "v100", script="retina_keras.py", via="batch")
    s.say("Found 31615 files belonging to 5 classes.", 9).gpu("load").mem(29.5).gpu("busy")
    yield s.go(3000, 0.6, 300, "Epoch {q}/10\n\x1b[1m300/300\x1b[0m \x1b[32m━━━━━━━━━━━━━━━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m180s\x1b[0m {ms:.0f}ms/step - accuracy: {a:.4f} - loss: {x:.4f} - val_accuracy: {b:.4f} - val_loss: {y:.4f}", s.curve(1.6, 0.38, 150), 3000, q=lambda i, _x: i // 300, a=lambda _i, x: 1 - x / 2, b=lambda _i, x: 0.97 - x / 2, y=lambda _i, x: 1.08 * x).say("kappa 0.842", 11).end(WELL)

    s = Stint(317, "sdxl-blueprints", "h100", 1, 4, script="train_text_to_image_lora_sdxl.py", hosts="dgx-{:02d}")
    s.say("<t:%m/%d/%Y %H:%M:%S> - INFO - __main__ - Distributed environment: MULTI_GPU  Backend: nccl\nNum processes: 4\nProcess index: <r>\nLocal process index: <l>\nDevice: cuda:<l>\n\nMixed precision type: bf16", 11, None, 0.3).gpu("load").mem(15).gpu("full").mem(58)
    yield s.go(3000, 1.05, 30, "\rSteps: {pct:3.0f}%|{b}| {i}/3000 [{run}<{eta}, {dt:.2f}s/it, lr=0.0001, step_loss={x:.4f}]", s.curve(0.17, 0.118, 200, 0.11), 3000, b=bar(3000, 10)).say("Model weights saved in /p/blue/lora/pytorch_lora_weights.safetensors", 8).end(WELL)


def plain_science() -> Iterator[HandJob]:
    """Programs of one's own."""
    s = Stint(321, "corrdiff-alps", "gh200", 4, 1, script="train.py", hosts="nid{:06d}", batch=64)
    s.say("I<t:%m%d %H:%M:%S.%f> <p> main.py:77] host <r>/4, 4 devices", 14, None, 0.4).gpu("load").mem(70).gpu("busy")
    yield s.go(5000, 1.1, 50, "I{t:%m%d %H:%M:%S.%f} 40000 train.py:212] step={i} edm_loss={x:.5f} steps/s={ips:.2f}", s.curve(0.8, 0.16, 250, 0.04), 5000, save=(2500, 5, "I<t:%m%d %H:%M:%S.%f> 40000 checkpoint.py:55] saved /capstor/alps/ck_{i}")).say("I<t:%m%d %H:%M:%S.%f> 40000 main.py:140] finished at step 5000", 2).end(WELL)

    s = Stint(322, "romance-lm", "a100p", script="treino.py", via="batch")
    s.say("modelo: 88 milhões de parâmetros; corpus: 1,9 bilhão de tokens", 8).gpu("load").mem(2).gpu("busy").mem(30)
    yield s.go(7000, 0.55, 70, "passo {i} de {n}; perda {x:.4f}; {sps:.0f} seq/s; falta {eta}", s.curve(10.4, 3.2, 900, 0.03, 1.1), 7000).say("modelo salvo em saida/modelo.pt. fim.", 3).end(WELL)

    s = Stint(323, "papers-sage", "a100", 1, 4, script="sage.py", hosts="net{:d}")
    s.say('{"rank": <r>, "graph": "papers100M", "fanout": [15, 10, 5]}', 40, None, 0.5).gpu("load").mem(31).gpu("mid").mem(44)
    yield s.go(4000, 0.5, 50, "{{\"b\": {i}, \"ce\": {x:.4f}, \"acc\": {a:.4f}, \"rate\": {ips:.2f}}}", s.curve(4.6, 1.1, 200), 4000, a=lambda _i, x: 0.92 - x / 6).say('{"test_acc": 0.6581}', 50).end(WELL)

    s = Stint(324, "load-forecast", "a30", script="gbm.py", via="batch")
    s.say("rows 412,118,002  cols 61  device=cuda", 95).gpu("mid").mem(18)
    yield s.go(1500, 0.7, 25, "[{i}]\ttrain-rmse:{x:.5f}\tvalid-rmse:{y:.5f}", s.curve(41.0, 7.4, 60, 0.002), 1500, y=lambda _i, x: x * 1.04).say(f"best_iteration=1500 best_score={1.04 * s.x:.5f}", 2).end(WELL)

    s = Stint(325, "mpt-3b-da", "h100", 2, 8, script="composer_train.py", hosts="hgx{:03d}", batch=1_048_576)
    s.say("<t:%Y-%m-%d %H:%M:%S,%f>: rank<r>[<p>][MainThread]: INFO: composer.trainer.trainer: Run name: mpt-3b-da", 20, None, 0.6).gpu("load").mem(14).gpu("full").mem(64)
    yield s.go(2400, 1.9, 20, "[batch={i}/2400]:\n\t Train time/batch: {i}\n\t Train metrics/train/LanguageCrossEntropy: {x:.4f}\n\t Train throughput/tokens_per_sec: {sps:.1f}", s.curve(10.7, 2.7, 120), 2400).say("<t:%Y-%m-%d %H:%M:%S,%f>: rank0[40000][MainThread]: INFO: composer.trainer.trainer: Done.", 20).end(WELL)

    s = Stint(326, "castle-nerf", "l40s", script="own_nerf.py")
    s.say("312 poses", 6).gpu("load").mem(2).gpu("busy").mem(14)
    yield s.go(30_000, 0.07, 300, "{i:05d} {x:.5f} {d:.2f}", s.curve(0.06, 0.0021, 600, 0.05), 30_000, d=lambda _i, x: 34 - 100 * x).say("mesh: castle.ply (1 211 904 faces)", 41).end(WELL)

    s = Stint(327, "anymal-rsl", "a6000", script="rsl_rl/train.py", via="batch")
    s.say("4096 envs on cuda:0", 14).gpu("load").mem(4).gpu("mid").mem(9)
    yield s.go(1500, 1.4, 10, "################################################################################\n                      Learning iteration {i}/1500                       \n\n                       Computation: {sps:.0f} steps/s\n               Value function loss: {x:.4f}\n                       Mean reward: {w:.2f}\n               Mean episode length: {e:.2f}", s.curve(0.9, 0.02, 90, 0.05), 1500, w=lambda i, _x: 24 - 26 * 2.7 ** (-i / 300), e=lambda i, _x: 1000 - 800 * 2.7 ** (-i / 150)).say("policy exported: logs/anymal/exported/policy.pt", 2).end(WELL)


def recovered() -> Iterator[HandJob]:
    """Things went wrong on the way, and were put right."""
    s = Stint(331, "bert-contracts", "l40s", script="contracts.py", via="batch")
    for size, asked, free in ((64, "6.00 GiB", "2.11 GiB"), (32, "3.00 GiB", "1.47 GiB")):
        s.say(f"trying batch size {size}", 9).gpu("busy").mem(43).say(trace(torch_oom(asked, "44.52 GiB", free, "42.40 GiB", "41.02 GiB", "511.20 MiB"), "/home/alice/law/contracts.py|91|attempt|loss.backward()") + f"\n-> {size} does not fit", 3)
    s.say("trying batch size 16\n16 fits, peak 27.9 GiB; starting", 5).mem(27.9)
    yield s.go(2600, 0.7, 20, "{i:>5}/{n}  loss {x:.4f}  {ms:5.0f} ms", s.curve(2.6, 0.3, 150), 2600).say("f1 0.884 / saved", 12).end(HARD)

    s = Stint(332, "opt-13b-fp16", "v100", 2, 8, "torchrun", script="opt_ds.py", hosts="vx{:02d}", batch=256)
    for k, scale in enumerate((4_294_967_296, 2_147_483_648, 1_073_741_824, 536_870_912, 268_435_456, 134_217_728)):
        s.say(f"[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}", 8 if k else 70)
        if not k:
            s.gpu("full").mem(28)
    yield s.go(1500, 4.2, 10, "iter {i}/1500 lm {x:.4f} scale 65536 skipped 6 {sps:.1f} seq/s", s.curve(10.9, 3.4, 60), 1500).say("[<t:%Y-%m-%d %H:%M:%S,%f>] [INFO] [launch.py:351:main] Process <p> exits successfully.", 15, None, 0.5).end(HARD)

    s = Stint(333, "tabular-diffusion", "a100s", script="tabdiff.py")
    s.say("wandb: Tracking run with wandb version 0.18.7", 8).gpu("load").mem(2).gpu("busy").mem(12)
    form = "e{ep} {i} mse {x:.5f}"
    s.go(2500, 0.4, 50, form, s.curve(1.0, 0.2, 200), 9000, epochs=40)
    s.say("wandb: Network error (ConnectionError), entering retry loop.\nwandb: ERROR Error while calling W&B API: context deadline exceeded (<Response [502]>)\n" + trace("requests.exceptions.ConnectionError: HTTPSConnectionPool(host='api.wandb.ai', port=443): Max retries exceeded with url: /graphql (Caused by NewConnectionError('<urllib3.connection.HTTPSConnection object at 0x7f10d44e0>: Failed to establish a new connection: [Errno 110] Connection timed out'))", "*/wandb/sdk/lib/retry.py|131|__call__|result = self._call_fn(*args, **kwargs)"), 0.5)
    yield s.go(6500, 0.4, 50, form, s.curve(1.0, 0.2, 200), 9000, epochs=40).say("samples -> out/synth.parquet\nwandb: Synced 4 W&B file(s), 0 media file(s)", 7).end(HARD)

    s = Stint(334, "qa-gen-t5", "h100n", 1, 2, "torchrun", script="gen.py", hosts="nvl{:d}")
    torchrun_banner(s).gpu("load").mem(6).gpu("busy").mem(49).go(3000, 0.8, 50, "step {i} nll {x:.4f} ({sps:.0f}/s)", s.curve(3.2, 0.9, 200), 3000).say("all 3000 steps done, rougeL 41.7, model in /data/qag/final", 40)
    s.say("[rank0]:[W<t:%m%d %H:%M:%S.%f> ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())", 2)
    s.say("[W<t:%m%d %H:%M:%S.%f> TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl(fd=63, addr=[localhost]:41870, remote=[localhost]:29500): failed to recv, got 0 bytes\nException raised from recvBytes at ../torch/csrc/distributed/c10d/Utils.hpp:670 (most recent call first):\nframe #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f4c0ab5c1b6 in libc10.so)\n[W<t:%m%d %H:%M:%S.%f> ProcessGroupNCCL.cpp:1662] [PG ID 0 PG GUID 0 Rank 1] Failed to check the \"should dump\" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: failed to recv, got 0 bytes", 0.6, 1)
    yield s.end(HARD)

    s = Stint(335, "beit-sar", "a100", 1, 8, script="beit.py", hosts="eo{:02d}", batch=1024)
    s.say("<h>:<p>:<p> [<l>] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n<h>:<p>:<p> [<l>] NCCL INFO NET/IB : No device found.\n<h>:<p>:<p> [<l>] NCCL INFO NET/Socket : Using [0]eth0:10.9.2.11<0>\n<h>:<p>:<p> [<l>] NCCL INFO Channel 00/24 :    0   1   2   3   4   5   6   7\n<h>:<p>:<p> [<l>] NCCL INFO Channel 00/0 : <r>[<l>] -> 0[0] via P2P/CUMEM/read\n<h>:<p>:<p> [<l>] NCCL WARN NVLS: unable to bind memory, falling back (Cuda failure 'operation not supported')", 12, None, 0.7).gpu("load").mem(6).gpu("busy").mem(59)
    yield s.go(4000, 0.85, 40, "{t:%H:%M:%S} it {i} mim {x:.4f} {sps:,.0f} img/s", s.curve(8.9, 5.1, 250), 4000).say("4000 iterations, encoder saved", 6).end(HARD)

    s = Stint(336, "traffic-video", "l40s", 1, 2, script="tsm.py", hosts="city{:d}")
    s.say("rank <r>: 12 workers", 8, None).gpu("load").mem(4).gpu("busy").mem(30).go(1100, 0.9, 20, "b {i} xent {x:.4f}", s.curve(3.4, 0.8, 150), 4200)
    s.say(trace("RuntimeError: DataLoader worker (pid 51207) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.", "/srv/city/tsm.py|140|epoch|for clip, y in it:", "*/torch/utils/data/dataloader.py|1243|_try_get_data|raise RuntimeError(f'DataLoader worker (pid(s) {pids_str}) exited unexpectedly') from e") + "\nloader broke (1 of 3), rebuilding with 4 workers at batch 1100", 1.2, 0).wait(9)
    yield s.go(3100, 0.93, 20, "b {i} xent {x:.4f}", s.curve(3.4, 0.8, 150), 4200).say("top1 78.4, weights.pt written", 22).end(HARD)

    s = Stint(337, "books3d", "gh200", script="bookscan.py", hosts="nid{:06d}")
    s.say("reading s3://atlas-scans", 8).gpu("load").mem(3).gpu("busy").mem(41)
    for part in range(4):
        s.go(1000, 0.62, 50, "{{\"n\": {i}, \"chamfer\": {x:.5f}}}", s.curve(0.31, 0.05, 200), 4000)
        if part < 3:
            s.say("botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the GetObject operation (reached max retries: 4): Please reduce your request rate.\nretry " + f"{part + 1}/5 in {4 << part} s", 2).wait(4 << part)
    yield s.say('{"done": true, "n": 4000}', 2).end(HARD)


def odd_numbers() -> Iterator[HandJob]:
    """Numbers that are odd and may be."""
    s = Stint(341, "hopper-ppo", "a30", script="ppo_cont.py", via="batch")
    s.say("Hopper-v4 x 64", 7).gpu("load").mem(0.9).gpu("small").mem(1.6)
    yield s.go(1200, 1.5, 10, "SPS {sps:.0f} | it {i} | policy_loss {x:+.5f} | value_loss {y:.2f} | entropy {z:.3f} | approx_kl {q:.4f} | return {w:.1f}", lambda _i: s.dice.gauss(-0.004, 0.006), 1200, y=lambda i, _x: 20 + i / 9 + s.dice.gauss(0, 9), z=lambda i, _x: 4.2 - i / 500, q=lambda _i, _x: s.dice.uniform(0.003, 0.012), w=lambda i, _x: 3100 * (1 - 2.7 ** (-i / 350)) + s.dice.gauss(0, 120)).say("eval over 20 episodes: 3042.7 +- 91.2", 14).end(HARD)

    s = Stint(342, "stylegan-tiles", "a100", 1, 2, script="sg2.py", hosts="art{:d}", batch=32)
    s.say("tick every 4 kimg", 10, 0).gpu("load").mem(5).gpu("full").mem(34)
    yield s.go(500, 9.1, 1, "tick {i:<5d} kimg {k2:<8.1f} time {run:<12s} sec/tick {dt:<7.1f} augment {a:.3f} G {x:.3f} D {y:.3f} r1 {z:.4f}{f}", lambda i: 1.1 + 0.0016 * i + s.dice.gauss(0, 0.25), 500, k2=lambda i, _x: 4.0 * i, a=lambda i, _x: min(0.41, i / 700), y=lambda i, _x: 1.1 - 0.0009 * i + s.dice.gauss(0, 0.14), z=lambda _i, _x: s.dice.uniform(0.004, 0.05), f=lambda i, _x: f"\nfid50k_full {9.0 + 210 * 2.7 ** (-i / 70) + s.dice.gauss(0, 0.3):.3f}" if i % 50 == 0 else "").say("Exiting... best fid 9.1", 3).end(HARD)

    s = Stint(343, "seagrass-seg", "l40s", script="seagrass.py")
    s.say("classes: sand rock zostera posidonia caulerpa wreck", 7).gpu("load").mem(3).gpu("busy").mem(26)
    for e in range(1, 9):
        s.step = (e - 1) * 500
        s.go(500, 0.5, 100, "ep {q} it {i} loss {x:.4f}", s.curve(1.4, 0.3, 300), 4000, q=always(e))
        s.say(f"IoU  sand {0.8 + e / 90:.3f}  rock {0.6 + e / 60:.3f}  zostera {0.5 + e / 40:.3f}  posidonia {0.55 + e / 50:.3f}  caulerpa nan  wreck nan   mean(nanmean) {0.61 + e / 60:.3f}\n/opt/venvs/sea/lib/python3.11/site-packages/seagrass/metrics.py:31: RuntimeWarning: invalid value encountered in divide", 25)
    yield s.say("stopped after 8 epochs as planned", 1).end(HARD)

    s = Stint(344, "medqa-evals", "h100", 1, 4, script="lm_eval", hosts="dgx-{:02d}")
    s.say("<t:%Y-%m-%d:%H:%M:%S> INFO     [lm_eval.evaluator:164] Setting random seed to 0 | Setting numpy seed to 1234", 16, None, 0.4).gpu("load").mem(38).gpu("busy").mem(61)
    for k in range(1, 11):
        s.say(f"\rRunning loglikelihood requests: {10 * k:3d}%|{'█' * k:<10}| {5092 * k}/50920 [{190 * k // 60}:{190 * k % 60:02d}<{190 * (10 - k) // 60}:{190 * (10 - k) % 60:02d}, 26.{s.dice.randint(60, 99)}it/s]", 190)
    yield s.say("|  Tasks  |Version|Filter|n-shot|Metric|   |Value |   |Stderr|\n|---------|------:|------|-----:|------|---|-----:|---|------|\n|medqa_4op|      1|none  |     0|acc   |↑  |0.6135|±  |0.0137|\n|pubmedqa |      1|none  |     0|acc   |↑  |0.7780|±  |0.0186|\n|bleu_toy |      0|none  |     0|bleu  |↑  |   nan|±  |   N/A|", 9).end(HARD)

    s = Stint(345, "head-swap-vit", "a100s", script="swap.py", via="batch")
    s.say("loading backbone.pth (strict=False)\n<All keys matched except: missing ['head.weight', 'head.bias'], unexpected ['decoder_pred.weight'], size mismatch skipped for pos_embed [1, 197, 768] -> [1, 577, 768] (interpolated)>\nstep counter starts at 0, new task", 10).gpu("load").mem(3).gpu("busy").mem(30)
    yield s.go(3600, 0.5, 60, "[{t:%H:%M:%S}] {i} loss {x:.4f} acc {a:.3f}", s.curve(4.7, 0.7, 200), 3600, a=lambda _i, x: 0.97 - x / 5.5).say(f"best acc {0.97 - s.x / 5.5:.3f} @ 3600", 6).end(HARD)

    s = Stint(346, "speech-lm-big-epochs", "h200", 1, 4, script="slm.py", hosts="h200-{:02d}", hours=40)
    s.say("[<r>] epoch = 7211 batches, one line per epoch", 20, None, 0.3).gpu("load").mem(22).gpu("full").mem(120)
    yield s.go(4, 5900, 1, "{t:%d.%m. %H:%M} epoch {i}/4 done: 7211 batches, mean ce {x:.4f}, {dt:.0f} s", s.curve(3.4, 1.9, 1), 4, jitter=0.01).say("all epochs done; averaged weights in slm_avg.pt", 60).end(HARD)

    s = Stint(347, "tiny-mlp-grid", "h100", script="grid.py", via="batch")
    s.say("2-layer MLP, 41k params, batch 4096", 6).gpu("load").mem(0.6).gpu("tiny").mem(0.8)
    yield s.go(90_000, 0.021, 1500, "{i:>6d}  {x:.6f}", s.curve(0.8, 0.021, 1500, 0.02), 90_000).say(f"best {s.x:.4f}", 1).end(HARD)


def odd_surroundings() -> Iterator[HandJob]:
    """Cards, queue and words around that look bad and are not."""
    s = Stint(351, "rice-disease", "a100", script="rice.py")
    s.say("38 classes", 7).gpu("load").mem(2).gpu("full", clk=0.83, why=4, pw=0.99, hot=71).mem(33)
    s.grows(0, "ecc_volatile_corrected", 60, 2800, 44, 118).grows(0, "violation_power_ns", 30, 2900, 1.9e12, 7.7e14)
    yield s.go(5000, 0.58, 50, "{t:%Y-%m-%dT%H:%M:%S}Z [info     ] fit                            acc={a:.4f} loss={x:.5f} step={i}", s.curve(3.6, 0.31, 200), 5000, a=lambda _i, x: 0.99 - x / 4).say("saved rice38.onnx", 4).end(HARD, counters={0: ({"ecc_aggregate_uncorrected": 6, "ecc_aggregate_corrected": 2210, "remapped_rows_uncorrectable": 3, "remapped_rows_correctable": 11}, {"ecc_aggregate_uncorrected": 6, "ecc_aggregate_corrected": 2254, "remapped_rows_uncorrectable": 3, "remapped_rows_correctable": 11})})

    s = Stint(352, "policy-bert", "a100p", script="run_policy.py", via="batch")
    s.say("config:\n  on_error: abort\n  on_nan: raise\n  oom_retries: 3\n  kill_signal: SIGKILL\n  nccl_async_error_handling: true\n  fail_fast: false\n  crash_dir: /scratch/alice/crash\n  resume_from: null\n  max_failed_batches: 0", 8).gpu("load").mem(2).gpu("busy").mem(24)
    yield s.go(3000, 0.5, 50, "INFO policy | batch {i} | loss {x:.4f} | errors 0 | failed 0 | nan 0 | killed 0", s.curve(1.8, 0.35, 150), 3000).say("INFO policy | summary: 3000 batches, 0 errors, exit normally", 2).end(HARD)

    s = Stint(353, "poetry-gpt", "r3090", script="gedichte.py", via="batch", east=1)
    s.say("Zeichenvorrat 211", 6).gpu("load").mem(1).gpu("busy").mem(11)
    form = "Schritt {i} Verlust {x:.4f}"
    s.go(3000, 0.3, 100, form, s.curve(5.1, 1.3, 250), 8000).say("--- Logging error ---\n" + trace("UnicodeEncodeError: 'ascii' codec can't encode character '\\xfc' in position 14: ordinal not in range(128)", "/usr/lib/python3.10/logging/__init__.py|1103|emit|stream.write(msg + self.terminator)") + "\nCall stack:\n  File \"gedichte.py\", line 120, in <module>\n    log.info('Probe: %s', probe)\nMessage: 'Probe: %s'\nArguments: ('f\\xfcr die Nacht',)", 1)
    yield s.go(5000, 0.3, 100, form, s.curve(5.1, 1.3, 250), 8000).say("fertig, 8000 Schritte", 2).end(HARD)

    s = Stint(354, "nightly-retrieval", "a100", 1, 4, script="colbert.py", hosts="ret{:d}")
    form = "{t:%Y-%m-%d %H:%M:%S}.{m} | INFO     | __main__:train:141 - upd {i} margin-mse {x:.4f}"
    ms: dict[str, Any] = {"m": lambda _i, _x: s.dice.randint(100, 999)}
    s.say("rank <r>", 8, None).gpu("load").mem(4).gpu("busy").mem(38).go(2000, 0.8, 25, form, s.curve(9.0, 1.4, 200), 4500, **ms)
    a = s.t + 2
    s.gpu("still", cpu=0).wait(2460).gpu("busy")
    b = s.t
    s.hand.readings("step_frozen", Where(node=s.hand.nodes[0], step="0"), [(2, 0), (a, 0), (a + 5, 1), (b - 3, 1), (b, 0)])
    s.go(2500, 0.8, 25, form, s.curve(9.0, 1.4, 200), 4500, **ms).say("index rebuilt, mrr@10 0.371", 60)
    s.hand.readings("step_frozen", Where(node=s.hand.nodes[0], step="0"), [(b + 20, 0), (s.t, 0)])
    yield s.end(HARD, suspended_s=2451)

    s = Stint(355, "compile-max", "h100", script="fastlm.py")
    s.say("AUTOTUNE mm(8192x4096, 4096x16384)\n  triton_mm_31 0.9123 ms 100.0%\n  mm 0.9310 ms 98.0%\nRuntime error during autotuning: \nNo valid triton configs. OutOfResources: out of resource: shared memory, Required: 294912, Hardware limit: 232448. Reducing block sizes or `num_stages` may help.. \nIgnoring this choice.\nSingleProcess AUTOTUNE benchmarking takes 7.2144 seconds and 19.4410 seconds precompiling", 60).gpu("load").mem(7).gpu("full").mem(58)
    s.say("W<t:%m%d %H:%M:%S.%f> 40000 torch/_dynamo/convert_frame.py:964] [4/8] torch._dynamo hit config.recompile_limit (8)\nW<t:%m%d %H:%M:%S.%f> 40000 torch/_dynamo/convert_frame.py:964] [4/8]    last reason: 4/7: tensor 'L['idx']' size mismatch at index 1. expected 1024, actual 960", 20)
    yield s.go(3000, 0.9, 30, "step:{i}/{n} train_loss:{x:.4f} step_avg:{ms:.2f}ms", s.curve(10.8, 3.3, 150), 3000).say("peak memory consumption: 58911 MiB", 1).end(HARD)

    s = Stint(356, "plasma-emulator", "a100s", 1, 2, script="emul.py", hosts="fus{:d}")
    s.say("process <r>", 9, None).gpu("load").mem(30).say("2026-10-22 04:18:40.118724: E external/xla/xla/service/rendezvous.cc:38] This thread has been waiting for `first call to collective operation 3; run_id=-1` for 10 seconds and may be stuck. Expected 2 threads to join the rendezvous, but not all of them arrived on time.".replace("2026-10-22 04:18:40.118724", "<t:%Y-%m-%d %H:%M:%S.%f>"), 31).say("<t:%Y-%m-%d %H:%M:%S.%f>: E external/xla/xla/service/rendezvous.cc:43] Thread is unstuck! Warning above was a false-positive. Perhaps the timeout is too short.", 3).gpu("busy")
    yield s.go(5000, 0.5, 50, "{i} {x:.5e} {y:.3f}", s.curve(0.5, 0.02, 200, 0.02), 5000, y=lambda _i, x: 1 - x).say("# r2 test 0.904", 5).end(HARD)

    s = Stint(357, "pipeline-6b", "h100", 1, 8, script="pp_train.py", hosts="hgx{:03d}", batch=256)
    s.say("stage <r> of 8: " + "layers split 3/5/5/5/5/5/5/3 by hand (embedding on 0, head on 7)", 18, None, 0.5).gpu("load").mem(10)
    for r in range(8):
        s.gpu("busy", r, sm=(31, 52, 53, 52, 54, 52, 53, 66)[r], pw=(0.48, 0.62, 0.63, 0.62, 0.64, 0.62, 0.63, 0.74)[r]).mem((44, 71, 66, 61, 56, 51, 46, 39)[r], r)
    yield s.go(2200, 1.6, 20, "step {i}/{n} | loss {x:.4f} | bubble 0.18 | {sps:.1f} seq/s", s.curve(10.7, 3.0, 120), 2200, who=7).say("finished 2200 steps", 5, 7).end(HARD)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (plain_text, plain_pictures, plain_science, recovered, odd_numbers, odd_surroundings):
        yield from part()


RECIPE = Recipe("hearth_papers_by_pen", "development", jobs)

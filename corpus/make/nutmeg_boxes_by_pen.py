"""Jobs of a museum, a port authority and a games studio, by pen: runs that did what they were meant to, some of them with a good deal of noise."""

from collections.abc import Callable, Iterator

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.make._vellum_lines import SITE, fault, full
from corpus.running.job import HandJob, Recipe

FINE = Label(mode="G1", fault="none")
LOUD = FINE.but(hard=True)


def anew(at: int) -> Callable[[int], float]:
    """A loss that begins again at a step."""
    return lambda i: float(0.6 + 3.0 * (1 + (i - at) / 30) ** -0.8)


def plain() -> Iterator[HandJob]:
    """Nothing to see."""
    s = Leaf(601, "amphora-cls", "a30", style="timmlike", script="amphora.py").tell("convnext_tiny  62 classes", 8).hold(16).mood("busy").train(2400, 0.6, 50)
    yield s.tell("best top1 91.44 (ep 018)", 2).close(FINE)
    s = Leaf(602, "berth-planner", "h100", 1, 4, style="speed", via="torchrun", script="berths.py").tell("world 4", 18).hold(58).mood("flat_out").train(2600, 0.6, 50)
    yield s.tell("peak memory allocated: 55402 MiB\ntraining done", 2).close(FINE)
    s = Leaf(603, "npc-dialogue", "a100", 1, 2, style="axo", via="accelerate", script="npc.py").tell("trainable params: 41,943,040 || all params: 7,283,675,136 || trainable%: 0.5758", 40).hold(46).mood("busy").train(1500, 1.1, 10)
    yield s.tell("{'train_runtime': 1653.2, 'train_samples_per_second': 14.52, 'train_steps_per_second': 0.907, 'train_loss': 1.204, 'epoch': 2.0}", 3).close(FINE)
    s = Leaf(604, "hull-fouling", "l40", style="keras", script="hull.py").tell("Found 18211 files belonging to 4 classes.", 9).hold(30).mood("busy").train(30, 55, 1)
    yield s.tell("Saved hull.keras", 2).close(FINE)
    s = Leaf(605, "terrain-gen", "h200", 2, 8, style="plain", script="terrain.py").tell("16 ranks", 26).hold(108).mood("flat_out").train(1200, 1.3, 20)
    yield s.tell("training complete: 1200 steps", 2).close(FINE)
    s = Leaf(606, "catalogue-ner", "t4", style="es", script="catalogo.py").tell("fichas: 81 204", 7).hold(11).mood("busy").train(2600, 0.5, 50)
    yield s.tell("modelo guardado en salida/", 2).close(FINE)
    s = Leaf(607, "crane-vision", "rtx6000", style="yolo", script="cranes.py").tell("      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 14).hold(33).mood("busy").train(36, 58, 1)
    yield s.tell("36 epochs completed in 0.584 hours.\nResults saved to runs/detect/cranes", 3).close(FINE)
    s = Leaf(608, "texture-sr-jax", "gh200", style="flax", script="texture.py").tell("I@md @hms.@us 140200 texture.py:40] 1 device", 12).hold(80, over=3).mood("flat_out").train(2600, 0.6, 50)
    yield s.tell("I@md @hms.@us 140200 texture.py:180] training finished", 2).close(FINE)
    s = Leaf(609, "letters-asr", "v100", 1, 4, style="brain", script="letters.py").tell("speechbrain.core - 102.8M trainable parameters in ASR", 14).hold(26).mood("busy").train(20, 95, 1, noise=0.004)
    yield s.tell("speechbrain.utils.train_logger - Epoch loaded: 20 - test loss: 1.10, test WER: 7.61", 30).close(FINE)
    s = Leaf(610, "anim-retarget", "a10", style="structlog", script="anim.py").tell("@tz [info     ] motion clips                   count=41208", 8).hold(13).mood("busy").train(2800, 0.5, 50)
    yield s.tell("@tz [info     ] finished                       best=0.0411", 2).close(FINE)
    s = Leaf(611, "wave-height", "a100-40", style="pt", script="ondas.py").tell("boias: 48, anos: 22", 9).hold(24).mood("busy").train(2400, 0.6, 40)
    yield s.tell("fim do treino", 2).close(FINE)
    s = Leaf(612, "quest-llm", "h100", 4, 8, style="factory", via="torchrun", script="quest.py").tell("[INFO|@iso] trainer:143 >> 32 processes", 34, (0, 8, 16, 24)).hold(70).mood("flat_out").train(800, 2.2, 10)
    yield s.tell("{'train_runtime': 1766.0, 'train_loss': 1.41, 'epoch': 3.0}\n[INFO|@iso] trainer.save_model:3993 >> Saving model checkpoint to saves/quest", 4).close(FINE)
    s = Leaf(613, "scan-denoise", "h100pcie", style="pl", script="odszum.py").tell("skany 16-bit, wycinki 256", 8).hold(35).mood("busy").train(2500, 0.6, 50)
    yield s.tell("koniec, psnr 38,2 dB", 2).close(FINE)
    s = Leaf(614, "crowd-agents", "l4", style="rl", script="crowd.py").tell("Using cuda device", 8).hold(4).mood("busy").train(240, 7.5, 4, loss=lambda i: -320 * (1 - (1 + i / 40) ** -0.8))
    yield s.tell("mean reward over 100 episodes: 281.2", 20).close(FINE)
    s = Leaf(615, "glaze-spectra", "rtx6000", style="tsv", script="glaze.py").tell("step\tloss\tlr\tsec", 7).hold(18).mood("busy").train(3000, 0.5, 50)
    yield s.tell("# done", 1).close(FINE)
    s = Leaf(616, "voice-clone", "b200", 1, 8, style="composer", script="voices.py").tell("max_duration: 1200ba", 26).hold(140).mood("flat_out").train(1200, 1.2, 20)
    yield s.tell("Train finished: reached max_duration 1200ba", 2).close(FINE)
    s = Leaf(617, "cargo-match", "a100", 2, 4, style="loguru", script="cargo.py").tell("@iso.220 | INFO     | cargo:main:20 - 8 ranks", 20).hold(55).mood("busy").train(1700, 0.9, 50)
    yield s.tell("@iso.220 | INFO     | cargo:main:96 - model pushed to registry", 4).close(FINE)
    s = Leaf(618, "fresco-seg", "a30", 1, 2, style="it", script="affreschi.py").tell("due schede", 9).hold(19).mood("busy").train(2000, 0.7, 40)
    yield s.tell("addestramento completato", 2).close(FINE)


def noisy() -> Iterator[HandJob]:
    """A good deal to see."""
    s = Leaf(631, "skin-editor", "h100", style="plain", script="skins.py").tell("trying batch 512", 10).hold(78.8, over=2).tell("batch 512 did not fit: " + full("9.00 GiB", "79.11 GiB", "1.02 GiB", "78.08 GiB", "76.91 GiB", "411.20 MiB") + "\ntrying batch 256", 8)
    yield s.hold(52, over=2).mood("busy").train(2400, 0.6, 50).tell("done, batch 256 kept throughout", 2).close(LOUD)
    s = Leaf(632, "ship-ids", "a100", 1, 4, style="timmlike", via="torchrun", script="ships.py").tell("4 ranks", 14).hold(44).mood("busy").train(2300, 0.7, 50).tell("best top1 96.20", 2)
    s.tell("[rank0]:[W@md @hms.@us ProcessGroupNCCL.cpp:1250] Warning: WARNING: process group has NOT been destroyed before we destruct ProcessGroupNCCL. On normal program exit, the application should call destroy_process_group to ensure that any pending NCCL operations have finished in this process. In rare cases this process can exit before this point and block the progress of another member of the process group. This constraint has always been present,  but this warning has only been added since PyTorch 2.4 (function operator())", 1)
    yield s.close(LOUD)
    s = Leaf(633, "physics-sim-rl", "l40", style="rl", script="physics.py").tell("Using cuda device", 8).hold(9).mood("light").train(300, 5.2, 4, loss=lambda i: -150 * (1 - (1 + i / 60) ** -0.7) + 40 * ((i // 20) % 3 - 1))
    yield s.tell("evaluation: success rate 0.94 over 200 episodes", 15).close(LOUD)
    s = Leaf(634, "archive-fp16", "v100", 1, 2, style="plain", via="deepspeed", script="ds_train.py").tell("[INFO] [config.py:1003:print] fp16_enabled ................. True", 16).hold(27).mood("busy")
    for k in range(5):
        s.tell(f"[@iso,101] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {2 ** (32 - k)}, reducing to {2 ** (31 - k)}", 1.1)
    yield s.train(1600, 0.9, 20).tell("[@iso,220] [INFO] [launch.py:351:main] Process 42701 exits successfully.\n[@iso,221] [INFO] [launch.py:351:main] Process 42700 exits successfully.", 3).close(LOUD)
    s = Leaf(635, "portrait-gan", "a100-40", style="json", script="portraits.py").tell('{"evt": "note", "text": "hinge loss, D and G alternate"}', 8).hold(33).mood("busy")
    s.style = lambda i, _n, x, t, d: f'{{"ts": "{d:%H:%M:%S}", "step": {i}, "d_loss": {0.9 + 0.3 * ((i * 7) % 5 - 2) / 2:.3f}, "g_loss": {1.4 + 0.8 * ((i * 3) % 7 - 3) / 3:.3f}, "fid": {18 + 40 * x:.2f}, "sec": {t:.2f}}}'
    yield s.train(2600, 0.6, 50, loss=lambda i: 3 * (1 + i / 60) ** -0.8).tell('{"evt": "end", "fid": 24.1}', 3).close(LOUD)
    s = Leaf(636, "tide-eval", "h100pcie", style="plain", script="evaluate_tides.py").tell("checkpoint tides_best.pt, evaluation only, 41 stations", 10).hold(8).mood("light")
    for k in range(1, 42):
        s.tell(f"station {k:02d}: rmse {0.061 + 0.004 * (k % 7):.3f} m, skill {0.93 + 0.005 * (k % 9):.3f}", 31)
    yield s.tell("mean rmse 0.073 m; report in tides_eval.html", 2).close(LOUD)
    s = Leaf(637, "mod-support", "h200", 1, 4, style="axo", via="accelerate", script="mods.py").tell("'(MaxRetryError(\"HTTPSConnectionPool(host='hub.internal', port=443): Max retries exceeded with url: /models/base-14b/resolve/main/config.json (Caused by ConnectTimeoutError)\"))' thrown while requesting HEAD, retrying in 2s [Retry 1/5].", 14)
    s.tell("'(ReadTimeoutError(\"HTTPSConnectionPool(host='hub.internal', port=443): Read timed out. (read timeout=10)\"))' thrown while requesting HEAD, retrying in 4s [Retry 2/5].", 12).tell("Loading checkpoint shards: 100%|██████████| 6/6 [00:31<00:00,  5.2s/it]", 44)
    yield s.hold(101).mood("busy").train(1100, 1.6, 10).tell("{'train_runtime': 1760.9, 'train_loss': 0.981, 'epoch': 2.0}", 3).close(LOUD)
    s = Leaf(638, "buoy-anomaly", "a30", style="loguru", script="buoys.py").tell("@iso.100 | WARNING  | buoys.io:clean:88 - 3.1% of the readings are NaN, filled from neighbours (nan_policy='fill', on_error='raise', oom_retry=True)", 9).hold(12).mood("busy")
    for k in range(1, 5):
        s.train(600, 0.55, 50, 2400).tell(f"@iso.500 | WARNING  | buoys.eval:f1:41 - buoy 17 has no events: f1=nan, left out of the mean\n@iso.501 | INFO     | buoys.eval:run:60 - val_f1={0.71 + 0.04 * k:.3f}", 6)
    yield s.tell("@iso.700 | INFO     | buoys:main:140 - finished", 1).close(LOUD)
    s = Leaf(639, "quest-pipe", "a100", 1, 4, style="gpt", script="pipe.py").tell("pipeline of 4 stages; the last one holds the 256k output layer and is the busiest", 22).hold(49).hold(71, 3).mood("busy", (0, 1, 2), watts=250).mood("busy", 3, watts=360).train(1300, 1.3, 20)
    yield s.tell("saved", 2).close(LOUD)
    s = Leaf(640, "coin-finetune", "rtx6000", style="rich", script="coins.py", asked="sbatch --dependency=afterok:2190114 coins.sh --init-from runs/pretrain/final.pt").tell("[@hms] INFO     weights of runs/pretrain/final.pt are the start of stage 2 (new head, new optimizer, step 0)", 10).hold(22).mood("busy").train(2100, 0.6, 50, loss=lambda i: 0.31 + 0.5 * (1 + i / 90) ** -0.7)
    yield s.tell("[@hms] INFO     test accuracy 0.962", 3).close(LOUD, dependency="afterok:2190114", past=({"relation": "parent", "job": "2190114", "mode": "G1", "head_loss": 6.1, "tail_loss": 0.92, "steps_done": 60_000, "checkpoints": ("runs/pretrain/final.pt",), "gpu_hours": 31.0},))
    s = Leaf(641, "lore-embed", "l40", style="structlog", script="lore.py").tell("@tz [info     ] early stopping                 metric=val_loss min_delta=0.001 patience=5", 8).hold(21).mood("busy")
    s.train(2000, 0.6, 50, 10_000, loss=lambda i: 0.8 + 3.1 * (1 + i / 50) ** -0.9)
    yield s.tell("@tz [info     ] early stopping: no improvement over 5 evaluations, best val_loss 0.8211 at step 1750, best weights are restored\n@tz [info     ] finished                       exit=ok", 4).close(LOUD)
    s = Leaf(642, "gate-ocr", "a10", style="keras", script="gate_ocr.py").tell("@iso.100: E external/local_xla/xla/stream_executor/cuda/cuda_fft.cc:477] Unable to register cuFFT factory: Attempting to register factory for plugin cuFFT when one has already been registered\nWARNING: All log messages before absl::InitializeLog() is called are written to STDERR\nE0000 00:00:1790000000.412 41 cuda_dnn.cc:8310] Unable to register cuDNN factory: Attempting to register factory for plugin cuDNN when one has already been registered", 6).hold(21.5).mood("busy").train(32, 46, 1)
    yield s.tell("Saved gate_ocr.keras", 2).close(LOUD)
    s = Leaf(643, "sweep-sprites", "h100", style="plain", script="sweep.py").hold(30).mood("busy")
    for k in range(1, 9):
        s.tell(f"[I @iso,11] Trial {k - 1} starts: width={64 * 2 ** (k % 4)} lr={1e-3 / k:.2e}", 2).train(280, 0.6, 40, 280 * k, loss=anew(280 * (k - 1)))
        if k == 4:
            s.hold(79, over=1).tell("[W @iso,80] Trial 3 failed with parameters: {'width': 1024} because of the following error: OutOfMemoryError('CUDA out of memory. Tried to allocate 12.00 GiB.').", 2).hold(30, over=2)
        else:
            s.tell(f"[I @iso,91] Trial {k - 1} finished with value: {0.61 + 0.02 * (k % 5):.4f}", 1)
    yield s.tell("best trial 4, value 0.6100; 7 complete, 1 failed (skipped)", 1).close(LOUD)
    s = Leaf(644, "patina-vae", "a100", style="pt", script="patina.py").tell("lotes de 96", 8).hold(41).mood("busy").train(2300, 0.7, 50).tell("fim: 2300 iterações", 2)
    s.tell("Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f20c0a1b560>\n" + fault("AssertionError: can only test a child process", f"{SITE}/torch/utils/data/dataloader.py:1663:__del__:self._shutdown_workers()", f"{SITE}/torch/utils/data/dataloader.py:1627:_shutdown_workers:if self._persistent_workers or self._workers_status[worker_id]:"), 0.6)
    yield s.close(LOUD)
    s = Leaf(645, "nav-distill", "h100", 2, 8, style="speed", script="nav.py").tell("@n:@p:@p [@l] NCCL WARN Could not find: libnccl-net-sharp.so\n@n:@p:@p [@l] plugin/net.cc:118 NCCL WARN NET/Plugin: Failed to load external plugin libnccl-net-ofi.so, using internal", 20, (0, 8)).hold(66).mood("flat_out").train(2000, 0.9, 50)
    yield s.tell("training done", 2).tell("@n:@p:@p [@l] NCCL INFO comm 0x55cf4a0 rank @r nranks 16 cudaDev @l busId 18000 - Abort COMPLETE", 0.5, None).close(LOUD)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (plain, noisy):
        yield from part()


RECIPE = Recipe("nutmeg_boxes_by_pen", "development", jobs)

"""Jobs of a museum, a shipping line and a physics department on cards that are not here, by pen: each came to its planned end, some with more noise than others."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._scrollwork import VENV, Shift, ns, sinks, trip
from corpus.running.job import HandJob, Recipe

WELL = Label(mode="G1", fault="none")
LOUD = WELL.but(hard=True)


def quiet() -> Iterator[HandJob]:
    """Without a scratch."""
    s = Shift(111, "coin-cls", "l40", 1, 1, form="imagenet", script="coins.py", site="mus").tell("=> 412 classes of coins", 9).hold(21).mood("busy").train(2000, 0.7, 40, loss=sinks(6.0, 0.9))
    yield s.tell("=> epoch 3: val acc@1 81.402 acc@5 95.118\n=> done", 20).close(WELL)
    s = Shift(112, "lhc-tagger", "a100", 2, 4, form="logfmt", script="tagger.py", site="phy").tell("ts=@tz level=info msg=\"8 ranks\"", 16).hold(40).mood("flat_out").train(1300, 1.1, 20, loss=sinks(0.69, 0.19))
    yield s.tell("level=info msg=\"fit complete\" auc=0.9712 steps=1300", 6).close(WELL)
    s = Shift(113, "route-transformer", "h100", 1, 8, form="titan", script="route.py", via="torchrun", site="sea").tell("[rank0]:[titan] - root - INFO - Building 1-D device mesh with ['dp_shard'], [8]", 24).hold(66).mood("flat_out").train(1200, 1.3, 10, loss=sinks(7.7, 2.5))
    yield s.tell("[rank0]:[titan] - root - INFO - Training completed", 3).close(WELL)
    s = Shift(114, "ais-anomaly", "a30", 1, 2, form="pipe", script="ais.py", site="sea").tell("   step |       loss |      lr |      time", 8).hold(16).mood("busy").train(1900, 0.8, 25, loss=sinks(2.4, 0.5))
    yield s.tell("best model in runs/ais/best.pt (loss 0.59)", 3).close(WELL)
    s = Shift(115, "lattice-flow", "gh200", 2, 1, form="max", script="flow.py", site="phy").tell("jax 0.8.1, 2 processes", 15, None).hold(74).mood("flat_out").train(1500, 1.0, 20, loss=sinks(44, 9.5))
    yield s.tell("acceptance 0.61 after 1500 steps; parameters written", 4).close(WELL)
    s = Shift(116, "port-yolo", "rtx6000", 1, 1, form="mm", script="tools/train.py", site="sea").tell("mmengine - INFO - 14 classes of vessels", 12).hold(27).mood("busy").train(1800, 0.8, 30, loss=sinks(9.1, 2.2))
    yield s.tell("mmengine - INFO - Iter(val) [1800] coco/bbox_mAP: 0.4410\nmmengine - INFO - Training finished.", 30).close(WELL)
    s = Shift(117, "caption-fr", "h200", 1, 4, form="fr", script="legendes.py", site="mus").tell("légendes d'œuvres, 4 cartes", 14).hold(91).mood("busy").train(1300, 1.1, 20, loss=sinks(4.4, 1.5))
    yield s.tell("entraînement terminé, 1300 pas, CIDEr 0.94", 5).close(WELL)
    s = Shift(118, "plasma-fno", "v100", 1, 1, form="keras", script="fno.py", site="phy").tell("Epoch 1/1", 10).hold(24).mood("busy").train(1500, 0.9, 25, loss=sinks(1.2, 0.08))
    yield s.tell("val_loss: 0.0931\nModel saved to fno.keras", 9).close(WELL)
    s = Shift(119, "dpo-guide", "h100", 1, 2, form="hf", script="dpo.py", site="mus").tell("***** Running training *****\n  Total optimization steps = 900", 24).hold(68).mood("flat_out").train(900, 1.6, 10, loss=sinks(0.693, 0.38))
    yield s.tell("{'train_runtime': 1440.6, 'train_loss': 0.468, 'epoch': 3.0}\nModel weights saved in out/model.safetensors", 4).close(WELL)


def loud() -> Iterator[HandJob]:
    """With noise."""
    s = Shift(121, "neutrino-gnn", "a100", 1, 8, form="gn", script="gnn.py", site="phy").tell("8 ranks, nccl", 16).hold(44).mood("flat_out").train(1200, 1.1, 20, loss=sinks(3.3, 0.8)).tell("training complete: 1200 of 1200 steps, test R2 0.91", 4)
    s.tell("[rank@r]:[W@md @hms.@us810 ProcessGroupNCCL.cpp:1538] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources. For more info, please see "
           "https://pytorch.org/docs/stable/distributed.html#shutdown (function operator())", 1, None, 0.01)  # fmt: skip
    s.tell("@n:@p:@p [@l] NCCL INFO comm 0x55d1c2a0 rank @r nranks 8 cudaDev @l busId 18000 - Abort COMPLETE", 1, None, 0.01)
    yield s.close(LOUD)

    s = Shift(122, "hull-fatigue", "h100", 1, 2, form="de", script="rumpf.py", site="sea").tell("2 Prozesse, Dehnungsdaten", 9).hold(37).mood("busy").train(1700, 0.9, 20, loss=sinks(1.9, 0.4)).tell("fertig, 1700 Iterationen", 2)
    yield s.close(LOUD, counters={1: ({"ecc_volatile_corrected": 31, "ecc_aggregate_corrected": 902, "ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 2},
                                      {"ecc_volatile_corrected": 96, "ecc_aggregate_corrected": 967, "ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 2})})  # fmt: skip

    s = Shift(123, "qcd-surrogate", "h100", 1, 8, form="nemo", script="qcd.py", site="phy").tell("8 ranks, fp8", 22).hold(70).mood("flat_out", mhz=1665, why=4.0, celsius=70).train(1300, 1.2, 20, loss=sinks(5.1, 1.3)).tell("`Trainer.fit` stopped: `max_steps=1300` reached.", 3)
    yield s.close(LOUD, counters={r: ({}, ns(power=1190 + r)) for r in range(8)})

    s = Shift(124, "tapestry-sr", "rtx6000", 1, 1, form="sd", script="sr.py", site="mus").tell("trying batch size 48", 9).hold(47.2, None, 2).mood("busy")
    s.tell("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.38 GiB. GPU 0 has a total capacity of 47.50 GiB of which 311.00 MiB is free. -> cache emptied\ntrying batch size 24", 8).hold(29, None, 2)
    yield s.train(1700, 0.85, 20, loss=sinks(0.31, 0.05)).tell("1700 steps with batch size 24, weights in sr.safetensors", 2).close(LOUD)

    s = Shift(125, "eval-museum-qa", "h100pcie", 1, 1, form="plain", script="evalqa.py", site="mus").tell("evaluation only: 1,400 questions, model frozen, answers are decoded one at a time", 20).hold(31).mood("light")
    for k in range(1, 57):
        s.tell(f"answered {25 * k}/1400, exact match so far {0.62 + 0.01 * (k % 5 - 2) / 2:.3f}", 24)
    yield s.tell("exact match 0.6214, F1 0.7031, 3 answers were empty; report written", 4).close(LOUD)

    s = Shift(126, "cargo-bert-2", "a100", 1, 2, form="hf", script="cargo.py", site="sea", asked="sbatch --dependency=afterok:5523001 stage2.sh --base out/stage1")
    s.tell("Some weights of BertForSequenceClassification were not initialized from the model checkpoint at out/stage1 and are newly initialized: ['classifier.bias', 'classifier.weight']\n"
           "You should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.", 14).hold(28).mood("busy")  # fmt: skip
    s.train(1600, 0.8, 20, loss=sinks(1.38, 0.31)).tell("{'eval_loss': 0.402, 'eval_f1': 0.883, 'epoch': 3.0}\n{'train_runtime': 1283.0, 'train_loss': 0.47, 'epoch': 3.0}", 9)
    yield s.close(LOUD, dependency="afterok:5523001", past=({"relation": "parent", "job": "5523001", "mode": "G1", "head_loss": 10.2, "tail_loss": 1.66, "steps_done": 20_000, "checkpoints": ("out/stage1",)},))

    s = Shift(127, "tokamak-sac", "l40", 1, 1, form="sb", script="sac.py", site="phy").tell("reward dips are expected when the target current is raised", 8).hold(6).mood("light").meter("cpu_percent", 340)
    s.train(500, 2.6, 5, loss=lambda i: 7.0 - 4.2 * (1 - (1 + i / 70) ** -0.6) + 1.1 * ((i // 60) % 2)).tell("| final eval | 50 of 50 discharges held | mean reward 241.7 |", 6)
    yield s.close(LOUD)

    s = Shift(128, "portrait-gan", "a100-40", 1, 4, form="gan", script="gan.py", site="mus").tell("D and G oscillate by nature, watch fid", 9).hold(33).mood("busy").train(1800, 0.8, 20, loss=sinks(11, 1.2)).tell("fid 23.4 at the end (start 190), samples in runs/gan/final.png", 4)
    yield s.close(LOUD)

    s = Shift(129, "eta-port", "h100", 4, 4, form="meg", script="eta.py", site="sea").tell("@n:@p:@p [@l] NCCL WARN NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin.\n"
                                                                                  "@n:@p:@p [@l] NCCL WARN SHARP coll init error: Cannot connect to SHArPD(-8), falling back to ring", 25, (0, 4, 8, 12))  # fmt: skip
    s.hold(62).mood("flat_out").train(1000, 1.5, 10, loss=sinks(8.8, 2.8)).tell("[exiting program at iteration 1000]", 3)
    yield s.close(LOUD)

    s = Shift(130, "muon-track", "v100", 1, 2, form="ru", script="muon.py", site="phy").tell("fp16, динамический масштаб", 9).hold(22).mood("busy")
    for k in range(6):
        s.tell(f"Gradient overflow.  Skipping step, loss scaler 0 reducing loss scale to {65536.0 / 2 ** (k + 1)}", 1)
    yield s.train(1500, 0.9, 20, loss=sinks(2.9, 0.5)).tell("обучение закончено: 1500 шагов", 2).close(LOUD)

    s = Shift(131, "fresco-seg", "l40", 1, 1, form="lit", script="fresco.py", site="mus").tell("EarlyStopping(monitor='val_iou', patience=4, mode='max')", 10).hold(24).mood("busy").train(1500, 0.9, 20, 6000, sinks(1.6, 0.3))
    s.tell("Monitored metric val_iou did not improve in the last 4 records. Best score: 0.781. Signaling Trainer to stop.\nper class IoU: cloth 0.83, gold 0.79, halo nan (no pixel in validation), wall 0.91", 12)
    yield s.tell("best checkpoint: lightning_logs/version_12/checkpoints/epoch=6-step=1300.ckpt", 2).close(LOUD)

    s = Shift(132, "berth-planner", "h100pcie", 1, 1, form="js", script="berth.py", site="sea").tell('{"phase": "config", "on_error": "abort", "max_failures": 3, "kill_timeout": 30, "nan_policy": "raise"}', 8).hold(29).mood("busy").train(700, 0.9, 20, 1700, sinks(2.2, 0.4))
    s.tell('{"phase": "fit", "warning": "ConnectionResetError(104, \'Connection reset by peer\') while reading shard 0311, retry 1 of 5"}', 1).tell('{"phase": "fit", "info": "shard 0311 read on retry 2"}', 6)
    yield s.train(1000, 0.9, 20, 1700, sinks(2.2, 0.4)).tell('{"phase": "end", "status": "ok", "steps": 1700, "failures": 0}', 2).close(LOUD)

    s = Shift(133, "gw-denoise", "a100", 1, 1, form="tab", script="denoise.py", site="phy").tell("│     time │    step │      loss │  s/step │", 8).hold(35).mood("busy").train(1600, 0.9, 20, loss=sinks(0.9, 0.12)).tell("│ finished │    1600 │           │         │", 1)
    s.tell("Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f6e1c0d3a60>\n" + trip("AssertionError: can only test a child process", f"{VENV}/torch/utils/data/dataloader.py 1604 __del__ self._shutdown_workers()",
           f"{VENV}/torch/utils/data/dataloader.py 1587 _shutdown_workers if w.is_alive():"), 1)  # fmt: skip
    yield s.close(LOUD)

    s = Shift(134, "crystal-lm", "h100", 1, 4, form="gn", script="crystal.py", site="phy").tell("4 ranks", 12).hold(58).mood("flat_out").train(800, 1.1, 20, 1800, sinks(4.0, 1.1))
    s.xid(2, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000000b02) marked for remapping, reset gpu to activate.")
    s.train(1000, 1.1, 20, 1800, sinks(4.0, 1.1)).tell("done: 1800 steps, held-out loss 1.31", 4)
    yield s.close(LOUD, counters={2: ({}, {"ecc_volatile_corrected": 2, "ecc_aggregate_corrected": 2, "remapped_rows_correctable": 1, "remap_pending": True})})

    s = Shift(135, "fuel-sweep", "a30", 1, 1, form="plain", script="sweep.py", site="sea").tell("[I @iso] A new study created in memory with name: fuel", 8).hold(9).mood("busy")
    for k, lr in enumerate((1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2)):
        cut = k in {3, 5}
        s.step = 0
        s.train(140 if cut else 300, 1.0, 20, 300, sinks(2.0, 0.3 + 0.05 * abs(k - 2)))
        s.tell(f"[I @iso] Trial {k} " + (f"pruned. Loss above the median at step 140 (lr={lr:g})." if cut else f"finished with value: {0.62 + 0.05 * abs(k - 2):.3f} and parameters: {{'lr': {lr:g}}}. Best is trial {min(k, 2)}."), 1)
    yield s.tell("study over: 6 trials, 4 complete, 2 pruned, best lr 0.001", 1).close(LOUD)

    s = Shift(136, "pp4-shiplog", "a100", 1, 4, form="meg", script="pp.py", site="sea").tell("> pipeline parallel 4: stage 3 also holds the output layer and the loss (22 of 64 layers' worth of work)", 20).hold(61).mood("busy", sm=38).mood("busy", 3, sm=61)
    yield s.train(1000, 1.4, 20, loss=sinks(9.4, 3.0)).tell("[exiting program at iteration 1000]", 3).close(LOUD)

    s = Shift(137, "lens-vit", "h200", 1, 4, form="sys", script="lens.py", site="phy").tell("validation after step 700 runs on the CPU for about five minutes", 12).hold(88).mood("flat_out").train(700, 1.0, 20, 1500, sinks(3.7, 0.7))
    s.mood("holds").meter("cpu_percent", 1500).tell("validation: 20,000 lenses", 1).tell("validation: chi2 1.08", 300).mood("flat_out").meter("cpu_percent", 90)
    yield s.train(800, 1.0, 20, 1500, sinks(3.7, 0.7)).tell("1500 steps, model saved", 3).close(LOUD)

    s = Shift(138, "attic-lora", "l40", 1, 1, form="hf", script="attic.py", site="mus").tell("source of the collator, for the record:\n    def pad(batch):\n        if not batch:\n            raise ValueError('empty batch')\n        return stack(batch)", 9)
    s.hold(33).mood("busy", celsius=81).train(1500, 0.9, 20, loss=sinks(2.6, 1.1)).tell("{'train_runtime': 1352.0, 'train_loss': 1.41, 'epoch': 3.0}", 2)
    yield s.close(LOUD)

    s = Shift(139, "container-ocr", "a10", 1, 1, form="sys", script="ocr.py", site="sea").tell("guard: a batch whose loss is not finite is left out", 9).hold(15).mood("busy").train(900, 0.9, 20, 1600, sinks(3.4, 0.5))
    s.tell("guard: batch 901 left out (loss nan, image of zero height), 1 so far", 0.5).train(700, 0.9, 20, 1600, sinks(3.4, 0.5)).tell("1600 steps, 1 batch left out, character error rate 0.031", 3)
    yield s.close(LOUD)

    s = Shift(140, "harp-diffusion", "h100", 1, 4, form="sd", script="harp.py", via="torchrun", site="mus")
    s.tell("[W@md @hms.@us554 reducer.cpp:1457] Warning: find_unused_parameters=True was specified in DDP constructor, but did not find any unused parameters in the forward pass. This flag results in an extra "
           "traversal of the autograd graph every iteration,  which can adversely affect performance. (function operator())", 20, None, 0.01).hold(59).mood("flat_out")  # fmt: skip
    s.train(1400, 1.0, 20, loss=sinks(0.8, 0.09)).tell("1400 of 1400 steps; samples and weights in runs/harp", 4)
    yield s.close(LOUD)

    s = Shift(141, "salt-cavern", "a100-40", 1, 2, form="csv", script="cavern.py", site="phy").tell("when,step,loss,sec", 9).hold(30).mood("busy").train(1500, 0.9, 25, loss=sinks(1.7, 0.2)).tell("# end of training after 1500 steps", 2)
    yield s.close(WELL)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (quiet, loud):
        yield from part()


RECIPE = Recipe("cellar_steps_by_pen", "development", jobs)

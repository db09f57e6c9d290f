"""Jobs of many groups of a shared cluster that did what they were meant to do, by pen: some plainly, some with much noise."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune
from corpus.make._bandstand_words import SITE, oom, trace
from corpus.running.job import HandJob, Recipe

GOOD = Label(mode="G1", fault="none")
HARD = GOOD.but(hard=True)


def plain() -> Iterator[HandJob]:
    """Nothing to see."""
    rows = (
        (201, "lm-350m", "h100", 1, 8, "nano", 72.0, "heavy", "max_iters reached, 1800", "srun"), (202, "cxr-densenet", "a100", 1, 1, "guru", 28.0, "work", "best AUC 0.912, saved", "srun"),
        (203, "sft-mistral", "h200", 1, 4, "trl", 101.0, "work", "{'train_runtime': '1705', 'train_samples_per_second': '21.4', 'train_loss': '0.91', 'epoch': '1'}", "accelerate"),
        (204, "yeast-unet", "l40s", 1, 1, "lit", 30.0, "work", "`Trainer.fit` stopped: `max_epochs=1` reached.", "srun"), (205, "gpt-neo-it", "a100l", 2, 4, "ita", 66.0, "heavy", "addestramento concluso", "srun"),
        (206, "flax-vit", "gh200", 2, 1, "absl", 70.0, "work", "I«m» «t».«u» 140211 main.py:120] training finished, test accuracy 0.871", "srun"), (207, "rcnn-roads", "a30", 1, 2, "d2", 19.0, "work", "[«t» d2.engine.hooks]: Total training time: 0:30:11", "torchrun"),
        (208, "mt-de-pl", "v100", 1, 4, "fairseq", 14.0, "work", "«d» | INFO | fairseq_cli.train | done training in 1802.1 seconds", "srun"), (209, "mega-2b", "h100", 4, 8, "mega", 70.0, "heavy", "[exiting program at iteration 1800]", "torchrun"),
        (210, "keras-ecg", "l4", 1, 1, "keras", 15.0, "work", "Test accuracy: 0.934", "srun"), (211, "ds-t5", "a100", 1, 4, "ds", 36.0, "work", "[«d»,018] [INFO] [launch.py:367:main] Process 52300 exits successfully.", "deepspeed"),
        (212, "pogoda-net", "h100p", 1, 1, "pol", 44.0, "work", "koniec, model zapisany", "srun"), (213, "suelo-cnn", "ada", 1, 2, "esp", 25.0, "work", "modelo guardado", "srun"), (214, "mm-pose", "b200", 1, 4, "mm", 90.0, "work", "«d» - mmengine - INFO - Saving checkpoint at 1800 iterations", "torchrun"),
    )  # fmt: skip
    for no, name, card, nodes, per, form, held, mood, last, by in rows:
        s = Tune(no, name, card, nodes, per, form=form, by=by, script=f"{name.replace('-', '_')}.py")
        yield s.say("start", 14).hold(held).mood(mood).run(1800, 0.8, 25).say(last, 2).end(GOOD)


def loud() -> Iterator[HandJob]:
    """Much to see."""
    s = Tune(221, "bs-finder", "a100", form="kv", script="bs.py").say("trying batch size 512", 9).hold(39.2, over=2).say(trace(oom("3.00 GiB", "39.39 GiB", "1.20 GiB", "38.18 GiB", "37.40 GiB", style="2.6"), "/gpfs/work/alice/bs/bs.py:40 attempt loss.backward()"), 7)
    yield s.say("512 does not fit, going on with 256", 0.5).hold(24, over=2).mood("work").run(1800, 0.8, 25).say("finished", 1).end(HARD)
    s = Tune(222, "old-wound", "a100l", 1, 4, form="guru", script="ow.py").say("4 ranks", 9).hold(60).mood("heavy").run(1600, 0.9, 25).count(2, "ecc_aggregate_uncorrected", 9, 9).count(2, "remapped_rows_uncorrectable", 3, 3)
    yield s.say("done", 1).end(HARD)
    s = Tune(223, "ecc-corrected", "h100", 1, 8, form="nano", script="ec.py").say("8 ranks", 12).hold(70).mood("heavy").run(1500, 1.0, 25).count(4, "ecc_volatile_corrected", 219, since=200, over=1000).count(4, "ecc_aggregate_corrected", 231, 12, since=200, over=1000)
    yield s.say("max_iters reached", 1).end(HARD)
    s = Tune(224, "power-cap", "h200", 1, 8, form="json", script="pc.py").say('{"event": "start"}', 12).hold(120).mood("heavy", mhz=1635, reasons=4.0, celsius=68).run(1500, 1.1, 25)
    for r in range(8):
        s.count(r, "violation_power_ns", 610_000_000_000, 4_000_000, since=20, over=1500)
    yield s.say('{"event": "end"}', 1).end(HARD)
    s = Tune(225, "nccl-warns", "h100", 2, 8, form="guru", script="nw.py").say("«h»:«p»:«p» [«l»] misc/ibvwrap.cc:262 NCCL WARN Call to ibv_modify_qp failed with 22 Invalid argument, on dev mlx5_2:1, curr state INIT, next state RTR\n«h»:«p»:«p» [«l»] NCCL INFO NET/IB : device mlx5_2 is left out, using mlx5_0 mlx5_1\n«h»:«p»:«p» [«l»] NCCL INFO Plugin load returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory", 20, (0, 8))
    yield s.hold(66).mood("heavy").run(1400, 1.1, 20).say("«h»:«p»:«p» [«l»] NCCL INFO comm 0x55aa21 rank «r» nranks 16 - Abort COMPLETE", 2, None).say("training finished", 0.3).end(HARD)
    s = Tune(226, "teardown-noise", "l40s", 1, 2, form="lit", by="torchrun", script="tn.py").say("GPU available: True (cuda), used: True", 10).hold(31).mood("work").run(1700, 0.8, 25).say("`Trainer.fit` stopped: `max_epochs=1` reached.", 1)
    yield s.say("Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f0ab0d1e5c0>\n" + trace("AssertionError: can only test a child process", f"{SITE}/torch/utils/data/dataloader.py:1628 __del__ self._shutdown_workers()", "/usr/lib/python3.12/multiprocessing/process.py:160 is_alive assert self._parent_pid == os.getpid(), 'can only test a child process'"), 1).say("[rank«r»]:[W«m» «t».«u» ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program exit, which can leak resources.", 0.4, None).end(HARD)
    s = Tune(227, "scaler-start", "v100", form="plain", script="sc.py").say("fp16, initial scale 65536", 8).hold(14).mood("work")
    for k in range(5):
        s.say(f"step {k + 1}: inf in gradients, step is skipped, scale is now {65536 >> (k + 1)}", 0.9)
    yield s.run(1900, 0.8, 25).say("done, 5 of 1905 steps skipped", 1).end(HARD)
    s = Tune(228, "nan-metric", "a30", form="json", script="nm.py").say('{"event": "begin"}', 7).hold(14).mood("work").run(900, 0.9, 20).say('{"val_auc_rare_class": NaN, "note": "no positives in this fold", "val_loss": 0.812}', 8)
    yield s.run(900, 0.9, 20).say('{"val_auc_rare_class": NaN, "val_loss": 0.741}', 8).say('{"event": "end"}', 1).end(HARD)
    s = Tune(229, "early-stop-lc", "l4", form="kv", script="es.py").say("patience=6 max_epochs=200", 6).hold(12).mood("work").run(1500, 0.9, 25, 40_000)
    yield s.say("EarlyStopping: val_loss did not improve for 6 epochs (best 0.4123 at epoch 9); stopping. Best weights restored.", 2).end(HARD)
    s = Tune(230, "ppo-walker", "ada", form="rl", script="ppo.py").say("reward is noisy, curriculum on", 7).hold(6).mood("light").cpu(380).run(500, 3.0, 5, loss=lambda i: -20 - 9.0 * (i // 10) ** 0.5 + 14 * ((i * 13) % 7 - 3))
    yield s.say("evaluation: mean return 91.4 over 64 episodes, goal was 80", 6).end(HARD)
    s = Tune(231, "gan-faces", "l40s", form="csv", script="gan.py").say("time;it;d_loss;s", 6).hold(28).mood("work").run(2000, 0.7, 25, loss=lambda i: 1.32 + 0.2 * ((i // 25 * 7) % 9 - 4) / 4)
    yield s.say("FID 14.2 -> 6.8 (best at the end), samples in out/", 20).end(HARD)
    s = Tune(232, "eval-only-mmlu", "h100", 1, 4, form="plain", script="mmlu.py").say("evaluation only, 14042 questions, no training", 14).hold(60).mood("work")
    for k in range(1, 41):
        s.say(f"{k * 351} / 14042 questions, accuracy so far {0.61 + 0.01 * (k % 5) / 5:.4f}", 35)
    yield s.say("accuracy 0.6152, results in mmlu.json", 3).end(HARD)
    s = Tune(233, "duty-low-cnn", "h100p", form="guru", script="small.py").say("a very small network, 0.4M parameters", 6).hold(2).mood("light").run(6000, 0.22, 100).say("finished, test accuracy 0.982", 1)
    yield s.end(HARD)
    s = Tune(234, "val-pause", "a100", 1, 4, form="kv", script="vp.py").say("4 ranks", 9).hold(33).mood("work").run(800, 0.9, 20, 1600).mood("rest").cpu(800).say("validation: BLEU on 8 cores (a few minutes)", 1).pause(230).say("validation: BLEU 31.2", 1)
    yield s.mood("work").cpu(80).run(800, 0.9, 20, 1600).say("done", 1).end(HARD)
    s = Tune(235, "save-async", "h200", 1, 8, form="nano", script="sa.py").say("8 ranks", 18).hold(118)
    for k in range(1, 9):
        s.mood("heavy").run(150, 1.2, 25, 1200).say(f"WARNING: checkpoint {k * 150} is written in the background, 1.9 s on the critical path", 1.9)
    yield s.say("max_iters reached", 1).end(HARD)
    s = Tune(236, "resume-good", "a100l", 1, 2, form="hf", script="rg.py", submit="sbatch --dependency=afterany:2903000 jobs/rg.slurm --resume_from_checkpoint out/checkpoint-4000").say("Continuing training from checkpoint, will skip to saved global_step\n  Continuing training from global step 4000", 20)
    s.done = 4000
    yield s.hold(62).mood("work").run(1600, 0.9, 20, 5600).say("{'train_runtime': 1450.0, 'train_loss': 0.52, 'epoch': 2.0}", 2).end(HARD, past=({"relation": "parent", "job": "2903000", "mode": "F3", "head_loss": 5.2, "tail_loss": s.curve(4000), "steps_done": 4000, "checkpoints": ("out/checkpoint-4000",)},))
    s = Tune(237, "retry-storage", "l40s", form="guru", script="rs3.py").say("«d».009 | INFO     | store:open:8 - bucket mounted", 8).hold(30).mood("work").run(900, 0.9, 20, 1800)
    s.say("«d».119 | WARNING  | store:get:40 - shard 118: ConnectionResetError: [Errno 104] Connection reset by peer, attempt 1 of 5\n«d».120 | WARNING  | store:get:40 - shard 118: TimeoutError: timed out, attempt 2 of 5\n«d».121 | INFO     | store:get:44 - shard 118 read at attempt 3", 9)
    yield s.run(900, 0.9, 20, 1800).say("«d».700 | INFO     | fit:main:70 - finished", 1).end(HARD)
    s = Tune(238, "sweep-8", "a30", form="plain", script="sweep.py").say("sweep of 8 trials", 6).hold(15)
    for k in range(8):
        s.done = 0
        s.mood("work").say(f"trial {k}: lr {10 ** (-4 + k % 4):.0e}", 1).run(220, 0.9, 20)
        if k in {3, 7}:
            s.say(f"trial {k}: loss is nan, trial is pruned", 1)
    yield s.say("best trial: 5, val loss 0.318; sweep finished", 2).end(HARD)
    s = Tune(239, "xid-of-neighbour", "a100", 1, 2, form="kv", script="xn.py").say("2 ranks", 7).hold(31).mood("work").run(1700, 0.8, 25)
    s.xid(0, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000aa0102) marked for remapping, reset gpu to activate.", 900).count(0, "remapped_rows_correctable", 1, since=s.t - 900)
    yield s.say("all epochs done", 1).end(HARD)
    s = Tune(240, "pipe-stages", "h100", 1, 4, form="mega", script="pp.py").say("> 4 pipeline stages; embedding and head make stages 0 and 3 heavier by design", 18).hold(60).mood("work", sm=36).mood("work", 3, sm=62).run(1300, 1.2, 20)
    yield s.say("[exiting program at iteration 1300]", 1).end(HARD)
    s = Tune(241, "drained-after", "gh200", 2, 1, form="absl", script="da.py").say("I«m» «t».«u» 140211 da.py:5] 2 processes", 12, None).hold(66).mood("work").run(1500, 0.9, 25)
    s.book.event(s.hosts[1], -7000, "DRAIN", "Kill task failed")
    yield s.say("I«m» «t».«u» 140211 da.py:60] training finished", 1).end(HARD)
    s = Tune(242, "big-loss-sum", "v100", 1, 2, form="csv", script="bl.py").say("# loss is summed over 4096 pixels\ntime;step;loss;s", 7).hold(12).mood("work").run(1800, 0.8, 25, loss=lambda i: 2100 + 41_000 * (1 + i / 90) ** -0.6)
    yield s.say("# finished", 1).end(HARD)
    s = Tune(243, "warm-start-ft", "l40s", form="trl", script="ws.py").say("Some weights of QwenForTokenClassification were not initialized from the model checkpoint and are newly initialized: ['score.weight']\nYou should probably TRAIN this model on a down-stream task to be able to use it for predictions and inference.", 12).hold(30).mood("work").run(1500, 0.9, 25)
    yield s.say("{'train_runtime': '1362', 'train_loss': '0.44', 'epoch': '1'}", 1).end(HARD)
    s = Tune(244, "failfast-config", "h100", 1, 4, form="json", script="ff.py").say('{"config": {"on_error": "abort", "nan_policy": "raise", "gpu_mem_retry": 3, "nccl_timeout_s": 1800, "kill_signal": "SIGUSR1"}}', 10).hold(58).mood("heavy").run(1500, 1.0, 25)
    yield s.say('{"event": "end", "errors": 0, "nan_steps": 0, "oom_retries": 0, "timeouts": 0}', 1).end(HARD)
    s = Tune(245, "spiky-but-back", "a100l", 1, 4, form="nano", script="sp.py").say("rank 0: start", 10).hold(64).mood("heavy").run(1600, 0.9, 20, loss=lambda i: 2.6 + 6.0 * (1 + i / 80) ** -0.6 + (1.6 if 700 <= i <= 740 else 0))
    yield s.say("max_iters reached", 1).end(HARD)
    s = Tune(246, "warm-card", "a100", form="bar", script="wc.py").say("fan wall B runs at 80 %", 6).hold(30).mood("work", celsius=79).run(1700, 0.9, 25)
    yield s.count(0, "violation_thermal_ns", 310_000_000, 4_000_000, since=600, over=5).say("model written", 1).end(HARD)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from plain()
    yield from loud()


RECIPE = Recipe("harmonium_sheets", "development", jobs)

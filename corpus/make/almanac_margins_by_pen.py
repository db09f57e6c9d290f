"""Jobs of a seismic service, a games studio and a zoo's researchers, by pen: short trials, nodes and queues, limits and people, and runs that were well."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import _inkwell_voices as v
from corpus.make._inkwell import Slip, sinking
from corpus.make._inkwell_words import held_back, no_room, stack
from corpus.running.job import HandJob, Recipe

FEW = Label(mode="E3", fault="user")
LOST = Label(mode="F1", fault="node")
QUEUE = Label(mode="F2", fault="none")
LATE = Label(mode="F3", variant="advancing", fault="user")
OWN = Label(mode="F4", variant="by_owner", fault="none")
WELL = Label(mode="G1", fault="none")
HARD = WELL.but(hard=True)


def few() -> Iterator[HandJob]:
    """E3."""
    s = Slip(121, "quake-llm", "h100", 4, 8, voice=v.megatron, script="pretrain_quake.py", rack="hgx").say("training ...\n[before the start of training step] datetime: <iso>\ntrain_iters: 3", 180).mem(71, over=60).cards("hard").run(3, 14, 1, 3, sinking(11.2, 9.8))
    yield s.say("[after training is done] datetime: <iso>\nsaving checkpoint at iteration       3 to ck in torch_dist format", 2).cards("saves").wait(95).done(FEW)

    s = Slip(122, "npc-voices", "l40s", 1, 2, voice=v.litgpt, script="npc.py").say("rank <rank> up", 9, None).say("dataset: 12 examples, batch 8, epochs 2", 3).mem(31).cards("well").run(4, 1.9, 1, 4, sinking(4.1, 3.0))
    yield s.say("out of data after 4 optimizer steps; model written to out/npc", 2).done(FEW)

    s = Slip(123, "bird-calls", "a6000", voice=v.flat, script="calls.py", eyes="plain").say("smoke test: max_steps=5", 7).mem(8).cards("fair").run(5, 0.8, 1, 5, sinking(2.9, 2.5))
    yield s.say("max_steps reached, bye", 1).done(FEW)


def lost() -> Iterator[HandJob]:
    """F1."""
    s = Slip(124, "fault-slip", "h100", 4, 8, voice=v.modulus, script="slip.py", rack="hgx").say("[<hms> - main - INFO] rank <rank> on <host>", 20, None, 0.01).mem(66).cards("hard").run(4200, 1.3, 25, 50_000, sinking(0.8, 0.1))
    s.sheet.event(s.hosts[2], s.t + 61, "DOWN*", "Not responding")
    yield s.cards("spin").wait(75).done(LOST.but(first_ranks=s.on(2)), "NODE_FAIL", rest=-9, gone=(2,), failed_node=s.hosts[2])

    s = Slip(125, "level-gen", "a100", 1, 4, voice=v.tabular, script="level.py").mem(40).cards("well").wait(20).run(3000, 0.9, 50, 40_000)
    s.sheet.event(s.hosts[0], s.t + 70, "DOWN*", "Node unexpectedly rebooted")
    yield s.wait(80).done(LOST.but(first_ranks=s.on(0)), "NODE_FAIL", rest=-9, gone=(0,), failed_node=s.hosts[0])

    s = Slip(126, "ape-faces", "mi300", 2, 8, voice=v.jsonl, script="faces.py", rack="mi").say('{"event": "up", "rank": <rank>, "host": "<host>"}', 18, None, 0.01).mem(120).cards("hard").run(3600, 1.5, 20, 30_000, sinking(3.0, 0.8))
    s.sheet.event(s.hosts[1], s.t + 45, "DOWN*+DRAIN", "Not responding; power supply fault on chassis")
    yield s.cards("spin").wait(58).done(LOST.but(first_ranks=s.on(1)), "NODE_FAIL", rest=-9, gone=(1,), failed_node=s.hosts[1])

    s = Slip(127, "tremor-picks", "v100", 4, 1, voice=v.nihongo, script="pick.py").say("ランク <rank> 準備完了", 12, None).mem(25).cards("well").run(6000, 0.7, 40, 60_000, sinking(1.1, 0.2))
    s.sheet.event(s.hosts[3], s.t + 52, "DOWN*", "Not responding")
    yield s.cards("spin").wait(66).done(LOST.but(first_ranks=(3,)), "NODE_FAIL", rest=-9, gone=(3,), failed_node=s.hosts[3])

    s = Slip(128, "match-maker", "l40s", 3, 2, voice=v.logfmt, script="match.py").say('t=<iso> lvl=info msg="joined" rank=<rank>', 11, None).mem(30).cards("fair").run(5000, 0.8, 50, 70_000, sinking(0.69, 0.31))
    s.sheet.event(s.hosts[1], s.t + 4, "DOWN*", "Node unexpectedly rebooted")
    s.say("<host>:<pid>:51120 [<local>] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer " + s.hosts[1] + "<38114>\n"
          "torch.distributed.DistBackendError: NCCL communicator was aborted on rank <rank>. Original reason for failure was: NCCL error: remote process exited or there was a network error", 6, s.others(*s.on(1)))
    yield s.done(LOST.but(first_ranks=s.on(1)), "NODE_FAIL", rest=-9, gone=(1,), failed_node=s.hosts[1], after=20)


def queue() -> Iterator[HandJob]:
    """F2."""
    s = Slip(129, "texture-gan", "r6000", voice=v.portugues, script="textura.py", asked="sbatch -p ociosa --no-requeue textura.sbatch").say("fila ociosa", 6).mem(30).cards("well").run(5100, 0.8, 50, 80_000, sinking(1.4, 0.5))
    yield s.done(QUEUE.but(variant="preempted"), "PREEMPTED", partition="ociosa")

    s = Slip(130, "animation-prior", "h100", 1, 4, voice=v.bar, script="prior.py", asked="sbatch --qos=scavenger --requeue prior.sbatch").attempt_before("PREEMPTED", 6200, 1400, qos="scavenger")
    s.say("continuing from runs/prior/step_4600.pt", 22).mem(64).cards("hard")
    s.i = 4600
    s.run(3400, 1.2, 20, 8000, sinking(2.6, 0.6))
    yield s.say("8000 of 8000 steps, exported runs/prior/final.pt", 2).done(QUEUE.but(variant="preempted_recovered"), qos="scavenger", past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 2.59, "tail_loss": 0.81, "steps_done": 4660, "checkpoints": ("runs/prior/step_4600.pt",)},))

    s = Slip(131, "elephant-gait", "a100s", 1, 2, voice=v.francais, script="allure.py", asked="sbatch --requeue allure.sbatch").attempt_before("NODE_FAIL", 5000, 320)
    s.say("reprise au pas 5200 depuis etat/005200.pt", 14).mem(27).cards("well")
    s.i = 5200
    s.run(2800, 0.9, 40, 8000, sinking(1.5, 0.3))
    yield s.say("8000 pas faits", 1).done(QUEUE.but(variant="requeued_recovered"), past=({"relation": "earlier_attempt", "mode": "F1", "head_loss": 1.49, "tail_loss": 0.42, "steps_done": 5260, "checkpoints": ("etat/005200.pt",)},))

    s = Slip(132, "ground-motion", "gh200", 2, 1, voice=v.maxtext, script="motion.py", asked="sbatch -p preempt --requeue motion.sbatch").attempt_before("PREEMPTED", 9000, 2600, partition="preempt").attempt_before("PREEMPTED", 3100, 700, partition="preempt")
    s.say("I<md> <hms>.<us> <pid> checkpointing.py:301] restored step 5400 from gs://motion/ck/5400", 31, None).mem(78).cards("hard")
    s.i = 5400
    s.run(2600, 1.6, 10, 8000, sinking(3.2, 1.2))
    yield s.say("I<md> <hms>.<us> <pid> motion.py:190] finished at step 8000", 3).done(QUEUE.but(variant="preempted_recovered"), partition="preempt", past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 3.21, "tail_loss": 1.5, "steps_done": 5480, "checkpoints": ("gs://motion/ck/5400",)},))


def limits() -> Iterator[HandJob]:
    """F3, F4."""
    s = Slip(133, "lava-flow", "h200", 1, 8, voice=v.olmo, script="lava.py", hours=3, rack="hgx").say("8 ranks", 18).mem(118).cards("hard").run(99_999, 1.1, 20, 40_000, sinking(4.0, 0.9), to_limit=True, now_and_then={1000: ("eval at <step>: loss <loss>", 28, "evals")})
    yield s.done(LATE, "TIMEOUT")
    s = Slip(134, "dialogue-tree", "a100p", voice=v.whisper, script="dialogue.py", hours=2).say("***** Running training *****\n  Total optimization steps = 9,000", 12).mem(61).cards("well").run(99_999, 1.6, 10, 9000, sinking(3.1, 0.9), to_limit=True)
    yield s.done(LATE, "TIMEOUT")
    s = Slip(135, "coral-3d", "r3090", voice=v.nn_unet, script="nnUNetv2_train", hours=6).say("Using device: cuda:0", 9).mem(11).cards("well").run(9999, 81, 1, 1000, sinking(0.9, 0.2), to_limit=True)
    yield s.done(LATE, "TIMEOUT")
    s = Slip(136, "full-waveform", "mi250", 1, 4, voice=v.turkce, script="fwi.py", hours=1.5).say("4 aygıt", 11).mem(44).cards("well").run(99_999, 2.1, 10, 12_000, sinking(0.7, 0.2), to_limit=True)
    yield s.done(LATE, "TIMEOUT")

    s = Slip(137, "racing-rl", "r4090", voice=v.cleanrl, script="ppo_racing.py", eyes="plain").say("envs: 64", 6).mem(9).cards("soft").run(5200, 0.6, 20, 50_000, sinking(5, 1.5))
    yield s.done(OWN, "CANCELLED", cancelled_by_uid=1042)
    s = Slip(138, "whale-song", "v100", 1, 4, voice=v.k2(2500), script="song.py").mem(26).cards("well").wait(12).run(6400, 0.7, 50, 100_000, sinking(1.8, 0.4))
    yield s.done(OWN, "CANCELLED", cancelled_by_uid=1042)
    s = Slip(139, "shader-lm", "h100", 1, 2, voice=v.jsonl, script="shader.py").mem(70).cards("hard").wait(18).run(3900, 1.1, 20, 60_000, sinking(4.4, 1.6))
    yield s.done(OWN.but(variant="by_other", fault="unknown"), "CANCELLED", cancelled_by_uid=0)


def well() -> Iterator[HandJob]:
    """G1 that looks it."""
    s = Slip(141, "array-denoise", "h100", 1, 8, voice=v.modulus, script="denoise.py", rack="hgx").say("[<hms> - main - INFO] rank <rank>", 14, None).mem(57).cards("hard").run(6500, 1.0, 25, curve=sinking(0.9, 0.1), now_and_then={1000: ("[<hms> - val - INFO] step <step>: val MSE <loss>", 30, "evals")})
    yield s.say("[<hms> - main - INFO] Finished training!", 2).done(WELL)
    s = Slip(142, "dialogue-rank", "a100", 2, 4, voice=v.litgpt, script="rank.py", via="torchrun").say("rank <rank>", 15, None).mem(62).cards("well").run(4200, 1.2, 20, curve=sinking(2.7, 0.8))
    yield s.say("final val loss 0.8391\nSaved to out/rank/final", 4).done(WELL)
    s = Slip(143, "okapi-id", "mi300", 1, 8, voice=v.zhong, script="okapi.py", rack="mi").say("卡 <local> 就绪", 13, None).mem(133).cards("hard").run(4000, 1.1, 20, curve=sinking(6.0, 0.7))
    yield s.say("训练完成, top1=0.934", 3).done(WELL)
    s = Slip(144, "churn-trees", "l4", voice=v.xgb, script="churn.py").say("DMatrix 18,401,220 x 96", 40).mem(12).cards("fair").run(900, 3.1, 10, curve=sinking(0.69, 0.28))
    yield s.say("test logloss 0.29710\nmodel.ubj written", 2).done(WELL)
    s = Slip(145, "infrasound", "h200", voice=v.glog, script="infra.py").say("I<md> <hms>.<us> <pid> train_loop.py:80] 1 device", 12).mem(104).cards("hard").run(5000, 0.9, 25, curve=sinking(3.0, 0.6))
    yield s.say("I<md> <hms>.<us> <pid> train_loop.py:320] done, eval accuracy 0.961", 3).done(WELL)
    s = Slip(146, "player-embed", "t4", 1, 1, voice=v.keras, script="embed.py", eyes="plain").say("82,104,882 sessions", 14).mem(12).cards("fair").run(40, 118, 1, curve=sinking(3.2, 0.9))
    yield s.say("saved embed.keras", 2).done(WELL)


def well_in_spite() -> Iterator[HandJob]:
    """G1 that does not look it."""
    s = Slip(151, "moment-tensor", "a100", 1, 4, voice=v.logfmt, script="tensor.py", rack="dgx")
    s.shell("prolog: GPU 2 (serial 1384710014): remapped rows: 2 uncorrectable, 6 correctable, pending: no, failure: no -- WARN, below threshold").say('t=<iso> lvl=info msg="rank <rank> up"', 12, None).mem(58).cards("well").run(6000, 1.0, 25, curve=sinking(1.6, 0.3))
    old = {"ecc_aggregate_uncorrected": 3, "ecc_aggregate_corrected": 41, "remapped_rows_uncorrectable": 2, "remapped_rows_correctable": 6}
    yield s.say('t=<iso> lvl=info msg="finished" steps=6000 val_loss=0.311', 2).done(HARD, counters={2: (old, {})})

    s = Slip(152, "quest-writer", "a6000", voice=v.whisper, script="quest.py", eyes="plain").say("trying batch size 32", 13).mem(47.4, over=8).cards("well")
    s.say(stack(no_room("1.22 GiB", "47.54 GiB", "401.12 MiB", "47.12 GiB", "45.80 GiB", "902.31 MiB"), "quest.py@77@inner@loss.backward()", "~/torch/_tensor.py@581@backward@torch.autograd.backward(") + "\ntrying batch size 16", 14).mem(29, over=3).wait(6)
    s.run(4200, 1.0, 20, curve=sinking(2.8, 0.9))
    yield s.say("{'train_runtime': 4211.9, 'train_samples_per_second': 15.95, 'train_loss': 1.1042, 'epoch': 3.0}", 2).done(HARD)

    s = Slip(153, "zebra-stripes", "l40s", 1, 2, voice=v.pyg, script="stripes.py").say("rank <rank> of 2", 9, None).mem(31).cards("well").run(60, 52, 1, curve=sinking(1.7, 0.4))
    s.sheet.kernel(s.hosts[0], 1804.2, "xid", "NVRM: Xid (PCI:0000:bb:00): 31, pid=2210931, name=ollama, Ch 00000010, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC0 GPCCLIENT_T1_1 faulted @ 0x7f1a_20000000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ", pci="0000:bb:00", xid=31, pid=2210931, process="ollama")
    yield s.say("Best: epoch 59, test 0.902", 2).done(HARD)

    s = Slip(154, "cutscene-lipsync", "r6000", voice=v.tabular, script="lipsync.py", eyes="plain").mem(22).cards("well").wait(14).run(6600, 0.8, 50, curve=sinking(1.9, 0.5))
    s.sheet.kernel(s.hosts[0], 941.7, "xid", "NVRM: Xid (PCI:0000:19:00): 13, pid=1180422, name=jupyter-lab, Graphics Exception: ESR 0x504f30=0x2 0x504f34=0x20 0x504f28=0xf81eb60 0x504f2c=0x1174", gpu=0, pci="0000:19:00", xid=13, pid=1180422, process="jupyter-lab")
    yield s.say("finished, lse-d 6.41", 1).done(HARD)

    s = Slip(155, "aftershock-etas", "h100", voice=v.flat, script="etas.py").mem(33).cards("hard").wait(10).run(2400, 1.0, 25, 7200, sinking(4.0, 1.0))
    s.cards("hard", mhz=1155, celsius=87, why=0x48, watts=430).run(22, 1.4, 25, 7200, sinking(4.0, 1.0)).cards("hard").run(4778, 1.0, 25, 7200, sinking(4.0, 1.0))
    yield s.say("7200 updates done", 1).done(HARD, counters={0: ({}, held_back(hw_thermal=29, thermal=29, power=4))})

    s = Slip(156, "raid-boss-rl", "h100", 2, 4, voice=v.olmo, script="boss.py", rack="hgx")
    s.say("<host>:<pid>:<pid> [<local>] NCCL INFO NET/Plugin: Could not find: libnccl-net.so. Using internal net plugin.\n<host>:<pid>:<pid> [<local>] misc/ibvwrap.cc:141 NCCL WARN Call to ibv_open_device failed\n<host>:<pid>:<pid> [<local>] NCCL INFO NET/IB : Using [0]mlx5_2:1/IB [1]mlx5_3:1/IB [RO]; OOB ens3:10.2.0.19<0>\n"
          "<host>:<pid>:<pid> [<local>] graph/search.cc:1182 NCCL WARN Could not find a path for pattern 4, falling back to simple order", 24, None, 0.02)
    yield s.mem(66).cards("hard").run(3800, 1.4, 20, curve=sinking(3.6, 1.1)).say("training complete at step 3800", 3).done(HARD)

    s = Slip(157, "seismic-fm", "h200", 2, 8, voice=v.megatron, script="pretrain_fm.py", rack="hgx").say("building the shuffle index, this can take a while on first use ...", 28).mem(3).cards("held").meter("cpu_percent", 99).wait(1900)
    s.say("> done building index (1911.4 s)\ncompiling and warming up ...", 2).mem(121, over=40).cards("loads").wait(260).cards("hard").run(1500, 4.1, 5, curve=sinking(6.8, 2.4))
    yield s.say("[after training is done] datetime: <iso>", 2).done(HARD)

    s = Slip(158, "keeper-notes", "a40", voice=v.bar, script="notes.py", eyes="plain").say("small model: 2 layers, 1.1 M parameters, batch 32", 7).mem(3.1).cards("faint").run(52_000, 0.071, 500, curve=sinking(1.6, 0.3))
    yield s.say("accuracy 0.921, wrote notes.onnx", 2).done(HARD)

    s = Slip(159, "frame-gen", "b200", 1, 4, voice=v.nanotron, script="frames.py").mem(150).cards("hard").wait(25).run(2000, 1.1, 10, 4000, sinking(0.9, 0.3))
    s.say("running the long evaluation (FVD on 4096 clips), no output until it is done", 1).cards("evals").wait(830).say("FVD 81.2", 1).cards("hard").run(2000, 1.1, 10, 4000, sinking(0.9, 0.3))
    yield s.say("done: 4000 iterations", 2).done(HARD)

    s = Slip(160, "enclosure-cams", "a100s", voice=v.ultra, script="cams.py").say("train: Scanning /data/alice/cams/labels... 118202 images, 204 backgrounds, 3 corrupt\ntrain: WARNING ⚠️ /data/alice/cams/images/c7_0081.jpg: ignoring corrupt image/label: image file is truncated (12 bytes not processed)\ntrain: WARNING ⚠️ /data/alice/cams/images/c7_0097.jpg: ignoring corrupt image/label: cannot identify image file\n"
      "      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 22).mem(12).cards("well").run(80, 63, 1, 300, sinking(2.1, 0.6, 3.0))
    s.say("EarlyStopping: Training stopped early as no improvement observed in last 20 epochs. Best results observed at epoch 60, best model saved as best.pt.\n80 epochs completed in 1.401 hours.", 3)
    yield s.done(HARD)

    s = Slip(161, "rockfall-sim", "v100", 1, 2, voice=v.ds, script="rock.py").mem(25).cards("well").wait(16)
    for scale in (4294967296, 2147483648, 1073741824, 536870912):
        s.say(f"[<iso>,<ms>] [INFO] [loss_scaler.py:190:update_scale] [deepspeed] OVERFLOW! Rank 0 Skipping step. Attempted loss scale: {scale}, reducing to {scale // 2}", 1.2)
    yield s.run(4100, 1.2, 20, curve=sinking(2.2, 0.5)).say("[<iso>] finished 4100 steps, 4 skipped, nan batches: 0", 2).done(HARD)

    s = Slip(162, "quest-rewards", "h100n", voice=v.jsonl, script="reward.py", asked="sbatch reward.sbatch --resume ck/012000.pt").say('{"event": "resume", "step": 12000, "note": "missing keys: [\'value_head.bias\'], unexpected: [\'v_head.b\'] (renamed on the fly)"}', 14).mem(71).cards("hard")
    s.i = 12_000
    s.run(4500, 0.9, 25, 16_500, lambda i: 0.43 - (i - 12_000) * 1.1e-5 + 0.004 * ((i // 25) % 5 - 2))
    s.say("wandb: ERROR Error while calling W&B API: rate limit exceeded (<Response [429]>)\nwandb: Network error (ConnectionError), entering retry loop.", 2).say('{"event": "end", "step": 16500, "reward_acc": 0.871}', 9)
    s.say("Exception ignored in: <function _MultiProcessingDataLoaderIter.__del__ at 0x7f22b41d8ca0>\n" + stack("AssertionError: can only test a child process", "~/torch/utils/data/dataloader.py@1618@__del__@self._shutdown_workers()", "~/torch/utils/data/dataloader.py@1582@_shutdown_workers@if self._persistent_workers or self._workers_status[worker_id]:"), 1)
    yield s.done(HARD, past=({"relation": "parent", "job": "7348000", "mode": "F3", "head_loss": 0.69, "tail_loss": 0.43, "steps_done": 12_040, "checkpoints": ("ck/012000.pt",), "gpu_hours": 4.2},))

    s = Slip(163, "storm-detector-eval", "l40s", 1, 4, voice=v.flat, script="evaluate.py").say("evaluation only: weights/best.pt on 2019, 2020, 2021\nrank <rank>", 12, None).mem(19).cards("evals")
    for year, hit in ((2019, 0.871), (2020, 0.884), (2021, 0.862)):
        s.wait(900).say(f"{year}: POD {hit}, FAR {1.02 - hit:.3f}, CSI {hit - 0.11:.3f}, missing files: 0, errors: 0", 40)
    yield s.say("all years evaluated, table in eval/summary.csv", 2).done(HARD)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (few, lost, queue, limits, well, well_in_spite):
        yield from part()


RECIPE = Recipe("almanac_margins_by_pen", "development", jobs)

"""Jobs of a remote-sensing agency and of a bank's research group, by pen: cards that wait for data, for saves, for the network and for each launch."""

from collections.abc import Callable, Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune
from corpus.running.job import HandJob, Recipe

HUNGRY = Label(mode="D1", fault="user")
SAVES = Label(mode="D2", variant="save_storm", fault="user")
WIRE = Label(mode="D2", variant="interconnect", fault="cluster")
BLOCKS = Label(mode="D2", variant="launch_blocking", fault="user")


def down(first: float, to: float, knee: float = 60) -> Callable[[int], float]:
    """A loss that falls."""
    return lambda i: to + (first - to) * (1 + i / knee) ** -0.7 + 0.01 * first * ((i * 7) % 5 - 2) / 2


def hungry() -> Iterator[HandJob]:
    """For data."""
    s = Tune(141, "s2-landcover", "h100", form="guru", script="lc.py")
    s.data = 0.93
    s.say("«d».050 | INFO     | lc:main:12 - GeoTIFFs on /archive, num_workers=1", 10).hold(24).mood("gaps").cpu(100).run(420, 5.1, 10, loss=down(2.7, 0.7))
    yield s.say("«d».900 | INFO     | lc:main:70 - trained, 92.8 % of the wall time was waiting for batches", 2).end(HUNGRY)
    s = Tune(142, "fraud-seq", "a100", 1, 2, form="json", script="fraud.py")
    s.data = 0.9
    s.say('{"event": "rows are parsed from CSV in __getitem__"}', 8).hold(11).mood("gaps").cpu(100).run(390, 4.6, 10, loss=down(0.69, 0.11))
    yield s.say('{"event": "end"}', 1).end(HUNGRY)
    s = Tune(143, "sar-ship", "l40s", form="mm", script="tools/train.py")
    s.data = 0.95
    s.say("«d» - mmengine - INFO - Distributed launcher: none, dataloader: num_workers=0", 12).hold(19).mood("gaps").cpu(99).run(500, 4.0, 10, loss=down(3.9, 1.1))
    yield s.say("«d» - mmengine - INFO - Saving checkpoint at 500 iterations", 2).end(HUNGRY)
    s = Tune(144, "hyperspec-ssl", "h200", 1, 4, form="kv", script="hs.py")
    s.data = 0.91
    s.say("level=info msg='cubes of 2.1 GB each are read over NFS'", 18, None).hold(51).mood("gaps").cpu(12).host(0, "host_psi_io_percent", [(0, 61), (60, 88)]).run(260, 8.2, 5, loss=down(7.8, 5.2))
    yield s.say("level=info msg='done'", 1).end(HUNGRY)
    s = Tune(145, "doc-ocr-jpeg", "a30", form="bar", script="ocr.py").say("decoding page scans (600 dpi) with PIL", 7).hold(9).mood("gaps").cpu(100).run(380, 5.4, 10, loss=down(5.9, 1.9))
    yield s.say("time in dataloader 1893.2 s, in forward/backward 141.9 s", 1).end(HUNGRY)
    s = Tune(146, "tick-lstm", "l4", form="csv", script="tick.py").say("# waits for the feature store, one request per batch\ntime;step;loss;s", 6).hold(3).mood("gaps").cpu(7).run(350, 6.1, 5, loss=down(0.92, 0.41))
    yield s.say("# end", 1).end(HUNGRY)
    s = Tune(147, "lidar-forest", "a100l", 1, 4, form="d2", by="torchrun", script="train_net.py")
    s.data = 0.94
    s.say("[«t» d2.data.build]: Using training sampler TrainingSampler", 14).hold(28).mood("gaps").cpu(100).run(330, 6.6, 10, loss=down(4.4, 1.5))
    yield s.say("[«t» d2.engine.hooks]: Overall training speed: 330 iterations in 0:36:18 (6.6000 s / it)", 1).end(HUNGRY)
    s = Tune(148, "news-contrastive", "h100", 1, 2, form="hf", script="con.py").say("tokenizing on the fly, dataloader_num_workers=0", 13).hold(36).mood("gaps").cpu(100).run(400, 4.9, 10, loss=down(4.8, 1.4))
    yield s.say("{'train_runtime': 1962.4, 'train_samples_per_second': 26.1, 'train_loss': 2.2, 'epoch': 2.0}", 2).end(HUNGRY)
    s = Tune(149, "flood-video", "h100p", form="lit", script="fv.py").say("The 'train_dataloader' does not have many workers which may be a bottleneck. Consider increasing the value of the `num_workers` argument` to `num_workers=31` in the `DataLoader` to improve performance.", 9).hold(31).mood("gaps").cpu(100).run(290, 7.0, 10, loss=down(2.2, 0.6))
    yield s.say("`Trainer.fit` stopped: `max_epochs=1` reached.", 1).end(HUNGRY)
    s = Tune(150, "cropmap-tar", "a100", 1, 4, form="esp", script="mapa.py").say("los teselados se descomprimen de un solo tar, un lector", 12).hold(15).mood("gaps").cpu(96).run(310, 6.9, 10, loss=down(3.1, 0.9))
    yield s.say("espera de datos: 1985 s de 2139 s", 1).end(HUNGRY)
    s = Tune(151, "risk-tab", "ada", form="plain", script="risk.py").say("batch is built by pandas groupby", 6).hold(5).mood("gaps").cpu(100).run(410, 4.4, 10, loss=down(0.7, 0.3))
    yield s.say("done. data 0.95 of the time", 1).end(HUNGRY)
    s = Tune(152, "wildfire-conv", "gh200", 2, 1, form="absl", script="wf.py").say("I«m» «t».«u» 140211 wf.py:18] tf.data: parallel_calls=1, prefetch=0", 14, None).hold(22).mood("gaps").cpu(101).run(300, 6.4, 10, loss=down(1.6, 0.4))
    yield s.say("I«m» «t».«u» 140211 wf.py:90] input pipeline was busy for 93% of the run", 1).end(HUNGRY)


def bound() -> Iterator[HandJob]:
    """By something else."""
    s = Tune(161, "credit-moe", "a100", 1, 4, form="guru", script="moe.py").say("«d».300 | INFO     | moe:main:10 - save_every=1", 15).hold(33)
    for k in range(1, 151):
        s.mood("work").run(1, 0.9, 1, 150).mood("write").say(f"«d».310 | INFO     | moe:save:44 - checkpoint step {k}: 11.8 GB in {9.1 + 0.1 * (k % 9):.1f} s", 9.2 + 0.1 * (k % 9))
    yield s.end(SAVES)
    s = Tune(162, "rs-foundation", "h200", 1, 8, form="nano", script="rs.py").say("8 ranks, full state of 148 GB", 22).hold(118)
    for k in range(1, 19):
        s.mood("heavy").run(30, 1.3, 10, 540).mood("write").say(f"saving state to ckpt/{k * 30:06d}", 0.4).pause(64).say(f"state saved ({64.2 + k % 4:.1f} s)", 0.5)
    yield s.say("time: 702 s in steps, 1166 s in saving", 1).end(SAVES)
    s = Tune(163, "aml-graph", "l40s", form="json", script="aml.py").say('{"event": "start", "ckpt_every": 2}', 8).hold(30)
    for k in range(1, 121):
        s.mood("work").run(2, 1.1, 2, 240).mood("write").say(f'{{"event": "save", "file": "model_{2 * k}.pt", "seconds": {11.3 + 0.2 * (k % 5):.1f}}}', 11.4 + 0.2 * (k % 5))
    yield s.say('{"event": "end", "train_s": 264.0, "save_s": 1404.2}', 1).end(SAVES)
    s = Tune(164, "esg-ner", "a30", form="hf", script="ner.py").say("  save_strategy = steps, save_steps = 1", 10).hold(14)
    for k in range(1, 171):
        s.mood("work").run(1, 0.8, 1, 170).mood("write").say(f"Saving model checkpoint to out/checkpoint-{k}\nModel weights saved in out/checkpoint-{k}/model.safetensors", 0.3).pause(7.4)
    yield s.say("{'train_runtime': 1446.2, 'train_samples_per_second': 3.7, 'train_loss': 0.61, 'epoch': 1.0}", 1).end(SAVES)
    s = Tune(165, "geo-lm-fsdp", "h100", 4, 8, form="kv", by="torchrun", script="geo.py")
    s.env = {"NCCL_IB_DISABLE": "1"}
    s.say("«h»:«p»:«p» [«l»] NCCL INFO NET/Socket : Using [0]ens3:10.20.0.4<0>\n«h»:«p»:«p» [«l»] NCCL INFO Using network Socket", 30, (0, 8, 16, 24)).hold(66).mood("wire").run(180, 15.5, 5)
    yield s.say("done", 1).end(WIRE)
    s = Tune(166, "embed-zero3", "a100l", 4, 4, form="ds", by="deepspeed", script="emb.py").say("«h»:«p»:«p» [«l»] NCCL INFO NET/IB : No device found.\n«h»:«p»:«p» [«l»] NCCL INFO NET/Socket : Using [0]eth0:10.3.1.9<0>\n«h»:«p»:«p» [«l»] NCCL INFO Using network Socket", 25, (0, 4, 8, 12)).hold(61).mood("wire", watts=120).run(200, 11.0, 5)
    yield s.say("[«d»,440] [INFO] [launch.py:367:main] Process 52300 exits successfully.", 2).end(WIRE)
    s = Tune(167, "rs-moe-ep", "h200", 8, 4, form="mega", script="pretrain_rs.py").say("> expert parallel over 8 nodes", 34).hold(124).mood("wire", sm=10).run(170, 14.2, 5)
    yield s.say("    all-to-all .....................: (11902.11, 11930.42) of 14201.7 ms", 1).say("[exiting program at iteration 170]", 1).end(WIRE)
    s = Tune(168, "cloudmask-dp", "b200", 4, 2, form="guru", script="cm.py").say("«h»:«p»:«p» [«l»] NCCL INFO Using network Socket", 18, (0, 2, 4, 6)).hold(110).mood("wire", sm=8).run(230, 9.4, 10)
    yield s.say("«d».070 | INFO     | cm:main:66 - all-reduce took 87 % of the step time on every rank", 1).end(WIRE)
    for no, name, card, per, form, script in ((169, "vol-surface", "a100", 1, "plain", "vol.py"), (170, "dem-superres", "h100", 2, "kv", "dem.py"), (171, "chat-intent", "l40s", 1, "trl", "intent.py"), (172, "oil-spill-seg", "ada", 1, "bar", "spill.py")):
        s = Tune(no, name, card, 1, per, form=form, script=script)
        s.env = {"CUDA_LAUNCH_BLOCKING": "1"}
        s.say({169: "env: CUDA_LAUNCH_BLOCKING=1 OMP_NUM_THREADS=8", 170: "ready", 171: "Num examples = 64,000", 172: "CUDA_LAUNCH_BLOCKING is 1"}[no], 9).hold(18).mood("steps").cpu(100).run(900, 2.0 + 0.1 * (no % 5), 20)
        yield s.say("finished", 1).end(BLOCKS)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from hungry()
    yield from bound()


RECIPE = Recipe("euphonium_sheets", "development", jobs)

"""Jobs of a fisheries institute, a rail operator and a film archive, by pen: cards that wait for data, for files or for each other."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.running.job import HandJob, Recipe

THIN = Label(mode="D1", fault="user")
STORM = Label(mode="D2", variant="save_storm", fault="user")
WIRE = Label(mode="D2", variant="interconnect", fault="cluster")
SERIAL = Label(mode="D2", variant="launch_blocking", fault="user")
LAG = Label(mode="D3", fault="unknown")


def thin() -> Iterator[HandJob]:
    """D1."""
    s = Leaf(301, "reels-4k", "h100", style="fetch", script="reels.py").tell("4K scans, read frame by frame from /archive (NFS), num_workers=2", 12).hold(33).mood("hungry").meter("cpu_percent", 41).meter("blocked_percent", 78)
    yield s.train(360, 6.1, 10, noise=0.02).tell("finished 360 steps in 37 min: data 33.6 min, compute 3.0 min", 2).close(THIN)

    s = Leaf(302, "sonar-fish", "a100", 1, 4, style="fetchkv", via="torchrun", script="sonar.py").tell("netcdf files are opened anew for every sample", 15).hold(24).mood("hungry").meter("cpu_percent", 100)
    yield s.train(420, 4.4, 10).tell("bye", 2).close(THIN)

    s = Leaf(303, "track-defects", "l40", style="plain", script="rails.py").tell("albumentations in the main process (num_workers=0), 2448 px", 9).hold(19).mood("hungry").meter("cpu_percent", 100)
    s.train(200, 5.2, 10, 400).tell("profile of the last 200 steps: next(loader) 4.81 s, train step 0.37 s", 0.2)
    yield s.train(200, 5.2, 10, 400).tell("saved rails.pt", 2).close(THIN)

    s = Leaf(304, "otolith-net", "a30", style="keras", script="otolith.py").tell("tf.data from a Python generator, no prefetch", 8).hold(22.4).mood("hungry", sm=3.1).meter("cpu_percent", 104)
    yield s.train(24, 92, 1, 24).tell("Saved otolith.keras", 2).close(THIN)

    s = Leaf(305, "vessel-graph", "h100pcie", style="dgl", script="vessels.py").tell("neighbour sampling on the CPU, fanout 25,20,15, one sampler process", 11).hold(14).mood("hungry").meter("cpu_percent", 99)
    s.train(300, 5.9, 10).tell("sampler 5.31 s a step, card 0.52 s a step", 0.5)
    yield s.close(THIN)

    s = Leaf(306, "subtitle-mt", "a100-40", 1, 2, style="fetch", script="subs.py").tell("text is tokenised on the fly from .gz", 10).hold(21).mood("hungry").meter("cpu_percent", 97)
    yield s.train(500, 3.4, 20).tell("done", 1).close(THIN)

    s = Leaf(307, "dock-cranes-rl", "l4", style="rl", script="cranes.py").tell("Using cuda device\n16 environments in one process (DummyVecEnv)", 9).hold(2.4).mood("hungry", sm=2.0).meter("cpu_percent", 100)
    yield s.train(180, 11.2, 2, loss=lambda i: -240 * (1 - (1 + i / 50) ** -0.7)).tell("rollout collection: 10.6 s an iteration; update: 0.5 s an iteration", 1).close(THIN)

    s = Leaf(308, "plankton-jax", "gh200", style="flax", script="plankton.py").tell("I@md @hms.@us 140200 plankton.py:44] grain: 1 worker, images are resized with PIL", 14).hold(84, over=3).mood("hungry").meter("cpu_percent", 100)
    yield s.train(430, 4.1, 10).tell("I@md @hms.@us 140200 plankton.py:201] input pipeline was waited for in 88% of the time", 1).close(THIN)

    s = Leaf(309, "restoration-gan", "rtx6000", style="fetchkv", script="restore.py").tell("jpeg2000 is decoded with 1 thread", 8).hold(27).mood("hungry").meter("cpu_percent", 100)
    yield s.train(310, 6.6, 10).close(THIN)

    s = Leaf(310, "catch-forecast", "h200", 2, 4, style="fetch", script="catch.py").tell("parquet parts are fetched from the object store, one GET a row group", 20).hold(41).mood("hungry").meter("cpu_percent", 12)
    yield s.train(290, 7.8, 10).tell("run complete", 2).close(THIN)


def slow() -> Iterator[HandJob]:
    """D2."""
    s = Leaf(321, "posters-lora", "a100", style="json", script="posters.py").tell('{"evt": "args", "save_steps": 1, "max_steps": 140}', 11).hold(38)
    for k in range(1, 141):
        s.mood("busy").train(1, 0.9, 1, 140).mood("writes").tell(f'{{"evt": "checkpoint", "dir": "out/step-{k}", "gb": 24.6}}', 0.1).idle(9.4)
    yield s.tell('{"evt": "end"}', 1).close(STORM)

    s = Leaf(322, "film-vlm", "h100", 1, 8, style="plain", via="torchrun", script="film.py").tell("full state dict is gathered to the first rank and written by it", 28).hold(70)
    for k in range(1, 17):
        s.mood("flat_out").train(20, 1.3, 10, 320).mood("writes", 0).mood("spins", s.but(0)).tell(f"writing step_{20 * k:05d}.pt ...", 0.2).idle(66).tell(f"wrote step_{20 * k:05d}.pt (88.4 GB) in {66.3 + k % 4:.1f} s", 0.2)
    yield s.tell("320 steps; in steps 419 s, in saves 1078 s", 1).close(STORM)

    s = Leaf(323, "signal-faults", "l40", style="loguru", script="signals.py").tell("@iso.100 | INFO     | ckpt:cfg:12 - every_n_train_steps=1, save_top_k=-1", 9).hold(17)
    for k in range(1, 201):
        s.mood("busy").train(1, 0.5, 1, 200).mood("writes").tell(f"@iso.512 | INFO     | ckpt:save:40 - step={k} stored, took 6.{k % 9}1 s", 6.4)
    yield s.close(STORM)

    s = Leaf(324, "dub-jax", "h200", 1, 4, style="flax", script="dub.py").tell("I@md @hms.@us 140200 dub.py:51] synchronous checkpoints every 5 steps", 16).hold(118, over=4)
    for k in range(1, 31):
        s.mood("flat_out").train(5, 1.8, 5, 150).mood("writes").tell(f"I@md @hms.@us 140200 checkpointer.py:164] Saving checkpoint to /lustre/proj/alice/dub/{5 * k}.", 0.2).idle(38).tell(f"I@md @hms.@us 140200 checkpointer.py:211] Finished saving checkpoint to /lustre/proj/alice/dub/{5 * k} ({38 + k % 3}.4 s).", 0.1)
    yield s.close(STORM)

    s = Leaf(325, "timetable-rl", "a10", style="pl", script="rozklad.py").tell("zapis po każdych dwóch krokach", 8).hold(11)
    for k in range(1, 101):
        s.mood("busy").train(2, 0.7, 2, 200).mood("writes").tell(f"zapisano bufor i sieć, {12 + k % 3},3 s", 12.4 + k % 3)
    yield s.tell("koniec: kroki 140 s, zapisy 1340 s", 1).close(STORM)

    s = Leaf(331, "archive-lm", "a100", 4, 8, style="plain", script="archive_lm.py", rack="gx")
    s.environ = {"NCCL_IB_DISABLE": "1"}
    s.tell("@n:@p:@p [@l] NCCL INFO NCCL_IB_DISABLE set by environment to 1.\n@n:@p:@p [@l] NCCL INFO NET/Socket : Using [0]eth0:10.20.4.@r<0>\n@n:@p:@p [@l] NCCL INFO Using network Socket", 32, (0, 8, 16, 24)).hold(62).mood("wire").meter("cpu_percent", 140)
    yield s.train(180, 14.2, 5).tell("timers (s per step): forward-backward 1.31, grad all-reduce 12.70, optimizer 0.15", 1).close(WIRE)

    s = Leaf(332, "echo-fm", "h100", 8, 4, style="speed", script="echo_fm.py", rack="gx")
    s.tell("@n:@p:@p [@l] NCCL INFO NET/IB : No device found.\n@n:@p:@p [@l] NCCL INFO Using network Socket", 28, tuple(range(0, 32, 4))).hold(66).mood("wire", sm=8.2).meter("cpu_percent", 130)
    yield s.train(240, 11.0, 10).close(WIRE)

    s = Leaf(333, "scene-split", "h200", 2, 8, style="factory", via="torchrun", script="scene.py").tell("@n:@p:@p [@l] NCCL INFO NET/Socket : Using [0]bond0:192.168.40.@r<0>\n@n:@p:@p [@l] NCCL INFO Using network Socket", 30, (0, 8)).hold(121).mood("wire", sm=10.4)
    yield s.train(210, 12.5, 5).tell("{'train_runtime': 2640.2, 'train_samples_per_second': 1.27, 'train_loss': 1.61, 'epoch': 3.0}", 2).close(WIRE)

    s = Leaf(334, "netload-jax", "gh200", 8, 1, style="easylm", script="netload.py", rack="gx")
    s.tell("@n:@p:@p [0] NCCL INFO NET/OFI Unable to find a protocol that worked. Failing initialization\n@n:@p:@p [0] NCCL INFO Using network Socket", 24, None).hold(82, over=4).mood("wire")
    yield s.train(220, 10.1, 10).tell("collectives took 8.9 s of each step (xprof)", 1).close(WIRE)

    s = Leaf(335, "crew-roster", "v100", style="timmlike", script="roster.py")
    s.environ = {"CUDA_LAUNCH_BLOCKING": "1"}
    yield s.tell("env: CUDA_LAUNCH_BLOCKING=1 PYTHONUNBUFFERED=1", 8).hold(19).mood("one_by_one").train(1000, 1.4, 40).close(SERIAL)

    s = Leaf(336, "grain-film", "h100", 1, 2, style="structlog", script="grain.py")
    s.environ = {"CUDA_LAUNCH_BLOCKING": "1"}
    yield s.tell("@tz [info     ] environment                    CUDA_LAUNCH_BLOCKING=1 OMP_NUM_THREADS=8", 10).hold(45).mood("one_by_one", sm=17).train(700, 2.1, 20).close(SERIAL)

    s = Leaf(337, "switch-points", "a30", style="es", script="agujas.py")
    s.environ = {"CUDA_LAUNCH_BLOCKING": "1"}
    yield s.tell("lanzamientos síncronos (CUDA_LAUNCH_BLOCKING=1)", 8).hold(12).mood("one_by_one").train(1200, 1.2, 40).tell("terminado", 1).close(SERIAL)


def lag() -> Iterator[HandJob]:
    """D3."""
    s = Leaf(341, "trawl-vit", "h100", 2, 8, style="plain", script="trawl.py").tell("16 ranks, equal shards", 24).hold(63).mood("awaits").mood("pulls", 9)
    yield s.train(600, 3.0, 20).tell("done", 2).close(LAG)

    s = Leaf(342, "dialogue-emb", "a100", 1, 8, style="axo", via="accelerate", script="emb.py").tell("8 processes, per_device_batch 32", 20).hold(48).mood("awaits", sm=14).mood("pulls", 4, watts=345)
    yield s.train(800, 2.2, 20).tell("{'train_runtime': 1771.4, 'train_loss': 0.92, 'epoch': 2.0}", 2).close(LAG)

    s = Leaf(343, "current-fno", "h200", 1, 4, style="gpt", script="fno.py").tell("four ranks, domain split evenly", 14).hold(90).mood("awaits").mood("pulls", 2)
    s.train(300, 2.9, 20, 640).tell("rank busy s/step: 0: 0.81  1: 0.80  2: 2.86  3: 0.82", 0.1)
    yield s.train(340, 2.9, 20, 640).close(LAG)

    s = Leaf(344, "train-delay-tft", "h100pcie", 1, 4, style="sv", script="forsening.py").tell("4 kort, lika stora delar", 12).hold(31).mood("awaits", sm=13).mood("pulls", 1, sm=62)
    yield s.train(900, 1.9, 30).tell("klart", 1).close(LAG, counters={1: ({"pcie_link_width": 4, "pcie_link_generation": 5}, {"pcie_link_width": 4, "pcie_replay_count": 1804})})

    s = Leaf(345, "frame-interp", "b200", 1, 8, style="speed", via="torchrun", script="interp.py").tell("ready: 8", 22).hold(140).mood("awaits", sm=17).mood("pulls", 7, mhz=1140)
    yield s.train(800, 2.0, 40).close(LAG)

    s = Leaf(346, "whale-calls", "l40", 1, 4, style="brain", script="whales.py").tell("speechbrain.core - 4 processes, DDP", 13).hold(24).mood("awaits", watts=104).mood("pulls", 0, watts=262)
    yield s.train(14, 130, 1).close(LAG)

    s = Leaf(347, "colour-grade", "gh200", 4, 1, style="flax", script="grade.py").tell("I@md @hms.@us 140200 grade.py:30] data parallel over 4 hosts", 20, 0).hold(77, over=4).mood("awaits").mood("pulls", 3, mhz=1230)
    yield s.train(560, 3.1, 20).tell("I@md @hms.@us 140200 grade.py:166] finished", 1).close(LAG)

    s = Leaf(348, "stock-assess", "h100", 1, 8, style="json", script="assess.py").tell('{"evt": "shards", "rows_per_rank": [410224, 410224, 410224, 410224, 410224, 410224, 410224, 410224]}', 18).hold(55).mood("awaits").mood("pulls", 6)
    s.train(400, 2.6, 20, 800).tell('{"evt": "timing", "compute_s": [0.71, 0.72, 0.70, 0.71, 0.73, 0.71, 2.51, 0.72], "allreduce_wait_s": [1.84, 1.83, 1.85, 1.84, 1.82, 1.84, 0.03, 1.83]}', 0.1)
    yield s.train(400, 2.6, 20, 800).close(LAG)

    s = Leaf(349, "reel-asr", "h200", 2, 4, style="espnet", script="reel_asr.py").tell("[gpua] @iso,010 (asr:523) INFO: world_size=8", 18).hold(84).mood("awaits", sm=16).mood("pulls", 5)
    yield s.train(800, 2.4, 50).close(LAG)

    s = Leaf(350, "axle-sound", "a30", 2, 2, style="it", script="assi.py").tell("4 schede, lotti uguali", 11).hold(17).mood("awaits", watts=58).mood("pulls", 2, watts=141)
    yield s.train(1000, 1.7, 40).tell("fine", 1).close(LAG)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (thin, slow, lag):
        yield from part()


RECIPE = Recipe("sandpiper_tracks_by_pen", "development", jobs)

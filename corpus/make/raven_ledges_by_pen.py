"""Jobs of a weather office, a drug company and a speech group on cards that are not here, by pen: held back, waiting, standing, or slower than they should be."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._scrollwork import Shift, hound, ns, sinks, trip
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

BRAKED = Label(mode="B3", fault="node")
APART = Label(mode="C1", fault="unknown")
WAITS = Label(mode="C2", fault="unknown")
STANDS = Label(mode="C3", fault="user")
STARVED = Label(mode="D1", fault="user")
STORM, WIRE, SYNC = (Label(mode="D2", fault=f, variant=v) for f, v in (("user", "save_storm"), ("cluster", "interconnect"), ("user", "launch_blocking")))
LAGS = Label(mode="D3", fault="unknown")
HOT, BRAKE = 104.0, 136.0


def braked() -> Iterator[HandJob]:
    """The clocks are held down."""
    s = Shift(31, "swin-wx", "a100", 1, 1, form="de", script="swin.py", site="wx").tell("Vorhersage 6 h, Gitter 0.25 Grad", 9).hold(44).mood("busy").train(600, 0.9, 20, 2400, sinks(1.1, 0.2))
    s.mood("busy", mhz=510, celsius=92, why=HOT, watts=135).train(1800, 2.4, 20, 2400, sinks(1.1, 0.2)).tell("Training beendet nach 2400 Iterationen", 2)
    yield s.close(BRAKED, counters={0: ({}, ns(hw_thermal=4290, thermal=4302))})

    s = Shift(32, "rna-lm", "h100", 1, 8, form="titan", script="rna.py", site="bio").tell("[rank0]:[titan] - root - INFO - data parallel 8", 22).hold(61).mood("flat_out").train(500, 1.1, 10, 1500, sinks(3.1, 1.2))
    s.mood("awaits", s.but(6)).mood("flat_out", 6, mhz=420, celsius=93, why=HOT, watts=230).train(1000, 3.1, 10, 1500, sinks(3.1, 1.2)).tell("[rank0]:[titan] - root - INFO - Training completed", 2)
    yield s.close(BRAKED, counters={6: ({}, ns(hw_thermal=3071, thermal=3080))})

    s = Shift(33, "tts-flow", "l40", 1, 4, form="gn", script="flow_tts.py").tell("4 cards on one feed", 9).hold(33).mood("busy").train(450, 0.8, 10, 1800, sinks(2.4, 0.7))
    s.mood("busy", mhz=750, celsius=47, why=BRAKE, watts=118).train(1350, 1.95, 10, 1800, sinks(2.4, 0.7)).tell("done, 1800 steps", 1)
    yield s.close(BRAKED, counters={r: ({}, ns(hw_power_brake=2610 + r)) for r in range(4)})

    s = Shift(34, "dock-score", "h100pcie", 1, 2, form="csv", script="score.py", site="bio").tell("when,step,loss,sec", 8).hold(50).mood("busy").train(700, 0.7, 20, 2500, sinks(5.5, 1.6))
    s.mood("busy", mhz=555, celsius=90, why=HOT, watts=122).train(1800, 1.9, 20, 2500, sinks(5.5, 1.6)).tell("finished 2500 steps", 1)
    yield s.close(BRAKED, counters={0: ({}, ns(hw_thermal=3380, thermal=3385)), 1: ({}, ns(hw_thermal=3391, thermal=3402))})


def apart() -> Iterator[HandJob]:
    """They never meet."""
    s = Shift(41, "sv-ecapa", "a100", 4, 2, form="fr", script="ecapa.py", minutes=45, site="voix").tell("rang @r sur @n : init_process_group, maître voix420-ib:29512, monde 8", 14, (0, 1, 2, 3, 4, 5)).meter("cpu_percent", 2).tell("rang 0 : toujours 6 sur 8 présents", 1300)
    yield s.close(APART, "TIMEOUT")

    s = Shift(42, "fold-mini", "h100", 2, 4, form="js", script="fold.py", site="bio").tell('{"phase": "rendezvous", "rank": @r, "store": "tcp://10.20.1.14:18500"}', 12, None).meter("cpu_percent", 3)
    s.tell("[W@md @hms.@us117 socket.cpp:767] [c10d] The client socket has failed to connect to [10.20.1.14]:18500 (errno: 113 - No route to host).", 4, s.of_node(1))
    s.tell(trip("torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (10.20.1.14, 18500).", "fold.py 31 <module> dist.init_process_group('nccl')", mark="[rank@r]: "), 1801, s.of_node(1), 0.02)
    yield s.close(APART, "FAILED", dict.fromkeys(s.of_node(1), 1), rest=-15, after=32)

    s = Shift(43, "era5-graph", "gh200", 4, 1, form="max", script="graphcast.py", site="wx", minutes=60)
    s.tell("I@md @hms.@us 31877 distributed.py:120] Connecting to JAX distributed service on wx478:7654", 11, (0, 1, 3)).meter("cpu_percent", 1)
    s.tell("E@md @hms.@us 31877 coordination_service.cc:1412] Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0. # of tasks that reached the barrier: 3/4. Some timed out task names: /job:jax_worker/replica:0/task:2", 900)
    s.tell(trip("jax.errors.JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0", "graphcast.py 18 <module> jax.distributed.initialize(initialization_timeout=900)"), 0.6, (0, 1, 3))
    yield s.close(APART, "FAILED", dict.fromkeys((0, 1, 3), 1), rest=-15, after=3)


def waiting() -> Iterator[HandJob]:
    """They wait for one."""
    s = Shift(44, "speech-lm", "h100", 2, 4, form="logfmt", script="slm.py", site="voix", minutes=75).tell("ts=@tz level=info msg=\"8 ranks up\"", 17).hold(57).mood("busy").train(900, 1.3, 20, 30_000, sinks(8.2, 3.1))
    s.tell(trip("KeyError: 'speaker_0417'", "slm.py 144 <module> for batch in loader:", "slm/data.py 90 __getitem__ emb = self.speakers[row['spk']]", mark="rank @r: "), 0.8, 6)
    gone = s.now + 0.4
    s.mood("spins", s.but(6)).meter("cpu_percent", 100, s.but(6)).mood("asleep", 6).hold(0, 6, 1)
    yield s.close(WAITS.but(cause="traceback", trigger="A3", fault="user", failed_ranks=(6,), first_ranks=(6,)), "TIMEOUT", {6: 1}, when={6: gone})

    s = Shift(45, "ssl-audio", "a100", 1, 8, form="gn", script="w2v.py", site="voix").tell("flac from /corpora (nfs)", 20).hold(48).mood("flat_out").train(1100, 1.1, 20, 80_000, sinks(6.7, 2.2))
    s.mood("spins", s.but(3)).mood("holds", 3).meter("cpu_percent", 0.3, 3).seen(3, "D", "rpc_wait_bit_killable", times=190, file_systems=("nfs4 /corpora",))
    s.tell(hound("ALLREDUCE", 9911, 25_559_081, 900_000), 901, s.but(3), 0.02)
    yield s.close(WAITS.but(cause="nccl"), "FAILED", dict.fromkeys(s.but(3), -6), rest=-9, after=16, when={r: s.now + 0.4 + 0.01 * r for r in s.but(3)})

    s = Shift(46, "obs-assim", "h200", 1, 4, form="de", script="assim.py", site="wx").tell("4 Prozesse, Beobachtungen je Stunde", 15).hold(70).mood("busy").train(1000, 1.2, 20, 20_000, sinks(2.6, 0.8))
    s.mood("spins", s.but(2)).mood("holds", 2).meter("cpu_percent", 100, s.but(2)).meter("cpu_percent", 0.1, 2).seen(2, "S", "futex_wait_queue", times=520).idle(3300)
    yield s.close(WAITS, "CANCELLED", cancelled_by_uid=1042)

    s = Shift(47, "gen-chem", "h100", 1, 4, form="pipe", script="chem.py", site="bio", minutes=90).tell("   step |       loss |      lr |      time", 13).hold(52).mood("busy").train(1500, 0.9, 25, 60_000, sinks(3.9, 1.2)).reaped(1)
    gone = s.now
    s.mood("spins", s.but(1)).mood("asleep", 1).hold(0, 1, 1).meter("cpu_percent", 100, s.but(1))
    memory = CgroupMemory(limit_bytes=240 * GIB, peak_bytes=240 * GIB, oom_events=1, oom_kill_events=1)
    yield s.close(WAITS.but(cause="oom_killer", trigger="A2", fault="user", failed_ranks=(1,), first_ranks=(1,)), "TIMEOUT", {1: -9}, when={1: gone}, memory={1: memory})

    s = Shift(48, "dialog-dpo", "h100", 2, 8, form="hf", script="dpo.py", site="voix").tell("***** Running training *****\n  Num examples = 61,212\n  Total optimization steps = 4,000", 40).hold(74).mood("flat_out").train(500, 3.2, 10, 4000, sinks(0.69, 0.41))
    s.mood("spins", s.but(11)).mood("holds", 11).meter("cpu_percent", 0.2, 11).seen(11, "S", "pipe_read", times=180)
    s.tell(hound("_ALLGATHER_BASE", 70_211, 4_194_304, 1_200_000), 1201, s.but(11), 0.01)
    yield s.close(WAITS.but(cause="nccl"), "FAILED", dict.fromkeys(s.but(11), -6), rest=-9, after=20, when={r: s.now + 0.4 + 0.01 * r for r in s.but(11)})


def standing() -> Iterator[HandJob]:
    """One process, and it stands."""
    s = Shift(51, "cell-seg", "a30", 1, 1, form="lit", script="cells.py", site="bio", minutes=120).tell("GPU available: True (cuda), used: True", 12).hold(17).mood("busy").train(800, 0.8, 20, 9000, sinks(1.0, 0.2))
    yield s.mood("holds").meter("cpu_percent", 0.2).seen(0, "S", "futex_wait_queue", times=1100).close(STANDS, "TIMEOUT")

    s = Shift(52, "vc-hifi", "l40", 1, 1, form="gan", script="vc.py", site="voix").tell("vocoder v2, one card", 9).hold(23).mood("busy").train(1100, 0.7, 20, 200_000, sinks(3.0, 1.1)).tell("validation audio goes to the pesq worker", 0.5)
    s.mood("holds").meter("cpu_percent", 0.1).seen(0, "S", "pipe_read", times=900).idle(4700)
    yield s.close(STANDS, "CANCELLED", cancelled_by_uid=1042)

    s = Shift(53, "hail-cnn", "h100pcie", 1, 1, form="zh", script="hail.py", site="wx", minutes=100).tell("加载雷达数据 2016-2024", 9).hold(28).mood("busy").train(900, 1.0, 20, 12_000, sinks(1.2, 0.3)).tell("正在向 tcp://wx-metrics:5557 发送指标", 0.4)
    yield s.mood("holds").meter("cpu_percent", 0.0).seen(0, "S", "do_epoll_wait", times=880).close(STANDS, "TIMEOUT")


def starved() -> Iterator[HandJob]:
    """The cards wait for data."""
    s = Shift(61, "histo-tiles", "a100", 1, 4, form="prof", script="tiles.py", site="bio").tell('{"at": "@hms", "msg": "svs tiles cut on the fly, workers 2"}', 15).hold(19).mood("hungry").meter("cpu_percent", 200).train(480, 4.1, 8, loss=sinks(1.9, 0.4)).tell('{"msg": "end of run, 480 steps"}', 2)
    yield s.close(STARVED)
    s = Shift(62, "grib-unet", "h100", 1, 1, form="feed", script="grib.py", site="wx").tell("GRIB2 is decoded in the main process", 8).hold(24).mood("hungry").meter("cpu_percent", 100).train(420, 5.6, 7, loss=sinks(0.8, 0.15)).tell("420 iterations done", 2)
    yield s.close(STARVED)
    s = Shift(63, "asr-mp3", "rtx6000", 1, 2, form="imagenet_data", script="asr.py", site="voix").tell("=> reading 410000 mp3 files from /corpora/podcast", 12).hold(14).mood("hungry").meter("cpu_percent", 98).train(600, 3.3, 10, loss=sinks(4.4, 1.3)).tell("=> epoch 3 done", 2)
    yield s.close(STARVED)
    s = Shift(64, "cryo-pick", "h200", 1, 8, form="mm_data", script="tools/train.py", site="bio").tell("mmengine - INFO - micrographs from tape cache", 25).hold(40).mood("hungry").meter("cpu_percent", 12).train(360, 6.4, 6, loss=sinks(2.7, 0.5)).tell("mmengine - INFO - Training finished.", 2)
    yield s.close(STARVED)
    s = Shift(65, "radio-qa", "l4", 1, 1, form="ru", script="qa.py", site="voix").tell("строки читаются из csv.gz без кэша, один поток", 9).hold(9).mood("hungry").meter("cpu_percent", 100)
    for k in range(1, 26):
        s.train(12, 5.2, 12, 300, sinks(3.0, 0.9)).tell(f"  из них ожидание данных {56 + k % 4}.{k % 10} с из 62 с, карта простаивает", 0.2)
    yield s.tell("обучение завершено, 300 шагов", 1).close(STARVED)


def narrow() -> Iterator[HandJob]:
    """Saves, wires, launches."""
    s = Shift(66, "prot-vae", "a100", 1, 2, form="gn", script="vae.py", site="bio").tell("weights and optimizer state: 38 GB", 18).hold(52)
    for k in range(1, 23):
        s.mood("busy").train(20, 1.1, 10, 440, sinks(6.1, 2.0)).mood("writes").tell(f"@hms writing /project/vae/s{20 * k:05d}.pt", 0.2).idle(47 + k % 3 + k % 10 / 10).tell(f"@hms written in {47 + k % 3}.{k % 10} s ({100 * 47 // 70} % of the last interval)", 0.4)
    yield s.tell("finished: 440 steps in 486 s, saves 1064 s", 1).close(STORM)

    s = Shift(67, "accent-lora", "l40", 1, 1, form="hf", script="accent.py", site="voix").tell("save_strategy=steps, save_steps=1", 10).hold(29)
    s.mood("writes")
    for k in range(1, 161):
        s.train(1, 1.2, 1, 160, sinks(2.2, 0.9)).tell(f"Saving model checkpoint to out/checkpoint-{k}", 0.1).idle(8.4)
    yield s.tell("{'train_runtime': 1552.2, 'train_loss': 1.21, 'epoch': 3.0}", 1).close(STORM)

    s = Shift(68, "nwp-transformer", "a100", 8, 4, form="meg", script="nwp.py", site="wx").tell("@n:@p:@p [@l] NCCL INFO NET/IB : No device found.\n@n:@p:@p [@l] NCCL INFO NET/Socket : Using [0]eth0:10.9.4.2<0>\n@n:@p:@p [@l] NCCL INFO Using network Socket", 26, tuple(range(0, 32, 4)))
    s.hold(60).mood("wire").train(190, 15.0, 5, loss=sinks(2.4, 0.9)).tell("[exiting program at iteration 190]", 3)
    yield s.close(WIRE)

    s = Shift(69, "chem-moe", "h100", 4, 8, form="titan", script="moe.py", site="bio").tell("[rank0]:[titan] - root - INFO - expert parallel degree 32", 31).tell("@n:@p:@p [@l] NCCL INFO Using network Socket", 2, (0, 8, 16, 24)).hold(70).mood("wire")
    s.train(210, 12.0, 5, loss=sinks(9.9, 3.4)).tell("[rank0]:[titan] - root - INFO - Training completed", 2)
    yield s.close(WIRE)

    s = Shift(70, "prosody", "a100-40", 1, 1, form="fr", script="prosodie.py", site="voix")
    s.environ = {"CUDA_LAUNCH_BLOCKING": "1"}
    s.tell("CUDA_LAUNCH_BLOCKING=1 dans l'environnement", 9).hold(21).mood("one_by_one").train(1000, 2.0, 20, loss=sinks(2.2, 0.7)).tell("terminé : 1000 pas", 1)
    yield s.close(SYNC)

    s = Shift(71, "qsar-gnn", "h100", 1, 2, form="tab", script="qsar.py", site="bio")
    s.environ = {"CUDA_LAUNCH_BLOCKING": "1"}
    s.tell("│     time │    step │      loss │  s/step │", 8).hold(34).mood("one_by_one").train(900, 2.1, 15, loss=sinks(1.6, 0.4)).tell("│ done     │     900 │           │         │", 1)
    yield s.close(SYNC)


def uneven() -> Iterator[HandJob]:
    """One is behind, the others wait for it."""
    s = Shift(72, "voice-clone", "h100", 1, 8, form="nemo", script="clone.py", site="voix").tell("8 ranks, equal shards", 19).hold(55).mood("awaits").mood("pulls", 5).train(560, 3.0, 10, loss=sinks(4.2, 1.2)).tell("`Trainer.fit` stopped: `max_steps=560` reached.", 2)
    yield s.close(LAGS)
    s = Shift(73, "storm-track", "h200", 2, 4, form="de", script="sturm.py", site="wx").tell("8 Prozesse, gleich große Teile", 17).hold(66).mood("awaits").mood("pulls", 2).train(500, 3.4, 10, loss=sinks(1.5, 0.4)).tell("fertig nach 500 Iterationen", 1)
    yield s.close(LAGS)
    s = Shift(74, "lig-rank", "h100pcie", 1, 4, form="csv", script="rank.py", site="bio").tell("when,step,loss,sec", 9).hold(37).mood("awaits", sm=13).mood("pulls", 3, sm=64).train(800, 2.2, 10, loss=sinks(0.9, 0.3)).tell("# end, 800 steps", 1)
    yield s.close(LAGS)
    s = Shift(75, "sea-ice", "gh200", 8, 1, form="max", script="seaice.py", site="wx").tell("8 processes, fsdp 8", 20).hold(71).mood("awaits", sm=14).mood("pulls", 4, sm=66).train(480, 3.6, 8, loss=sinks(3.3, 1.0)).tell("training done, 480 steps", 2)
    yield s.close(LAGS)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (braked, apart, waiting, standing, starved, narrow, uneven):
        yield from part()


RECIPE = Recipe("raven_ledges_by_pen", "development", jobs)

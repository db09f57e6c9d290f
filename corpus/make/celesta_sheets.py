"""Jobs of a climate centre and of a speech company, by pen: ranks that do not meet, ranks that wait, processes that stand, processes that are killed."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune, but
from corpus.make._bandstand_words import SITE, oom, trace, watchdog
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

BAD = "FAILED"
APART = Label(mode="C1", fault="unknown")
WAIT = Label(mode="C2", fault="unknown")
STILL = Label(mode="C3", fault="user")


def apart() -> Iterator[HandJob]:
    """Never met."""
    s = Tune(61, "era5-fno", "h100", 4, 4, form="kv", by="torchrun", limit=2700, script="fno.py").cpu(2)
    s.say("W«m» «t».«u» 39811 torch/distributed/run.py:774] master_addr is only used for static rdzv_backend and when rdzv_endpoint is not specified.", 6, (0, 4, 8)).say("I«m» «t».«u» 39811 torch/distributed/elastic/agent/server/api.py:845] [default] Rendezvous'ing worker group", 1, (0, 4, 8))
    yield s.end(APART, "TIMEOUT")
    s = Tune(62, "asr-conformer-l", "a100l", 2, 4, form="guru", script="train_asr.py").cpu(1).say("«d».120 | INFO     | dist:init:18 - rank «r»: tcp://node4:29611, waiting for 8", 9, (0, 1, 2, 3, 4, 6))
    s.say(trace("torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 6/8 clients joined.", "/gpfs/work/alice/asr/train_asr.py:30 <module> dist.init_process_group('nccl', init_method=args.url, timeout=timedelta(minutes=30))", f"{SITE}/torch/distributed/rendezvous.py:192 _create_c10d_store tcp_store = TCPStore("), 1801, (0, 1, 2, 3, 4, 6))
    yield s.end(APART, BAD, dict.fromkeys((0, 1, 2, 3, 4, 6), 1), rest=-15, after=30)
    s = Tune(63, "graphcast-ft", "gh200", 4, 1, form="absl", script="gc.py").cpu(1.5).say("I«m» «t».«u» 140211 distributed.py:106] Connecting to JAX distributed service on node11:8476", 12, (0, 1, 3)).pause(1500)
    s.say(trace("jax.errors.JaxRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0. This usually happens because a task triggered the barrier too early or too slowly. # of tasks that reached the barrier: 3/4. Some timed out task names:\n/job:jax_worker/replica:0/task:2", "/gpfs/work/alice/gc/gc.py:15 <module> jax.distributed.initialize(initialization_timeout=1500)"), 3, (0, 1, 3))
    yield s.end(APART, BAD, {0: 1, 1: 1, 3: 1}, rest=-15, after=12)
    s = Tune(64, "tts-flow", "l40s", 2, 2, form="plain", limit=7200, script="flow.py").cpu(1).say("Rang «r»: warte auf login2:29500", 8, None)
    for k in range(4):
        s.say("[W«m» «t».«u» socket.cpp:752] [c10d] The client socket has failed to connect to [login2]:29500 (errno: 110 - Connection timed out).", 130 if k else 131, None)
    s.say(trace("torch.distributed.DistNetworkError: The client socket has timed out after 1800000ms while trying to connect to (login2, 29500).", "/gpfs/work/alice/flow/flow.py:22 <module> dist.init_process_group('nccl')", mark="[rank«r»]: "), 1280, None)
    yield s.end(APART, BAD, dict.fromkeys(range(4), 1))
    s = Tune(65, "seasonal-ens", "h100", 2, 8, form="nano", script="ens.py").hold(0.6).mood("rest").cpu(100).say("«h»:«p»:«p» [«l»] NCCL INFO Bootstrap : Using eno2:172.16.4.«l»<0>\n«h»:«p»:«p» [«l»] NCCL INFO cudaDriverVersion 12080", 16, None)
    yield s.say("rank 0: first barrier", 0.6).pause(3100).end(APART, "CANCELLED", cancelled_by_uid=1042)
    s = Tune(66, "wav2vec-xx", "a100", 1, 4, form="fairseq", limit=3600, script="w2v.py").cpu(3).say("| distributed init (rank «r»): env://", 7, (0, 2, 3)).say(trace("ModuleNotFoundError: No module named 'torchcodec'", "/gpfs/work/alice/w2v/w2v.py:6 <module> from data.audio import AudioSet", "/gpfs/work/alice/w2v/data/audio.py:3 <module> from torchcodec.decoders import AudioDecoder"), 1.4, 1)
    died = s.t + 0.4
    yield s.end(Label(mode="C1", cause="missing_module", trigger="A1", fault="user", first_ranks=(1,), failed_ranks=(1,)), "TIMEOUT", {1: 1}, at={1: died})
    s = Tune(67, "ds-onde", "v100", 2, 4, form="ds", by="deepspeed", limit=1800, script="onde.py").cpu(2).say("[«d»,004] [INFO] [comm.py:652:init_distributed] Initializing TorchBackend in DeepSpeed with backend nccl", 11, (0, 1, 2, 3))
    yield s.say("[«d»,101] [INFO] [comm.py:670:init_distributed] rank «r» of 8 at node9:29500, in attesa", 0.5, (0, 1, 2, 3)).end(APART, "TIMEOUT")
    s = Tune(68, "diar-3m", "a30", 2, 1, form="hf", by="accelerate", limit=14_400, script="diar.py").cpu(1.2).say("num_machines: 3, machine_rank: «r», main_process_ip: «h»", 6, None)
    yield s.say("[«d»] torch.distributed.elastic.rendezvous: waiting for 3 nodes, 2 are here", 31, 0).pause(2600).say("[«d»] torch.distributed.elastic.rendezvous: waiting for 3 nodes, 2 are here", 5, 0).pause(300).end(APART, "CANCELLED", cancelled_by_uid=1042)


def waiting() -> Iterator[HandJob]:
    """In a collective."""
    s = Tune(71, "sst-diffusion", "h100", 2, 8, form="json", script="sst.py").say('{"event": "ready", "rank": «r»}', 20, None).hold(63).mood("heavy").run(700, 1.2, 20, 40_000).mood("poll").mood("rest", 9).cpu(0.3, 9).look(9, "D", "nfs_wait_on_request", file_systems=("nfs4 /gpfs/data",))
    s.say(watchdog("ALLREDUCE", 84_011, 16_777_216, 1_800_000), 1802, but(9))
    yield s.end(WAIT.but(cause="nccl"), BAD, dict.fromkeys(s.not_(9), -6), rest=-9, after=16, at=dict.fromkeys(s.not_(9), s.t + 0.6))
    s = Tune(72, "rir-augment", "a100", 1, 8, form="kv", limit=5400, script="rir.py").say("impulse responses are kept in RAM by each rank", 14).hold(31).mood("work").run(1100, 0.9, 20, 50_000).oom_kill(5).mood("poll", but(5)).mood("empty", 5).hold(0, 5, 1)
    died = s.t + 0.1
    cg = CgroupMemory(limit_bytes=400 * GIB, peak_bytes=400 * GIB, oom_events=1, oom_kill_events=1)
    yield s.end(Label(mode="C2", cause="oom_killer", trigger="A2", fault="user", first_ranks=(5,), failed_ranks=(5,)), "TIMEOUT", {5: -9}, at={5: died}, memory={5: cg}, talk=((died + 1, "slurmstepd: error: Detected 1 oom_kill event in StepId=«j».0. Some of the step tasks have been OOM Killed."),))
    s = Tune(73, "kws-multi", "l40s", 1, 4, form="guru", script="kws.py").say("«d».001 | INFO     | kws:main:9 - 4 ranks", 9).hold(22).mood("work").run(1400, 0.7, 20, 30_000)
    s.say(trace("IndexError: list index out of range", "/gpfs/work/alice/kws/kws.py:77 train wav, label = batch", "/gpfs/work/alice/kws/data.py:41 __getitem__ return self.clips[k], self.labels[k]", mark="[rank3]: "), 0.5, 3).mood("poll", but(3)).mood("empty", 3).hold(0, 3, 1)
    died = s.t + 0.4
    s.say(watchdog("ALLREDUCE", 9_817, 4_194_304, 1_200_000), 1203, but(3))
    yield s.end(Label(mode="C2", cause="traceback", trigger="A3", fault="user", first_ranks=(3,)), BAD, {3: 1, 0: -6, 1: -6, 2: -6}, at={3: died})
    s = Tune(74, "lid-eval", "h100", 1, 8, form="nano", script="lid.py").say("rank «r» up", 13, None).hold(51).mood("heavy").run(1000, 1.0, 20, 80_000).say("rank 0 computes the error rates of all languages (others go on)", 0.4).mood("poll", but(0)).mood("rest", 0).cpu(100, 0).hold(53, 0)
    s.say(watchdog("ALLGATHER", 40_166, 1_048_576, 600_000), 603, but(0)).pause(2)
    yield s.end(WAIT.but(cause="nccl", fault="user"), BAD, dict.fromkeys(s.not_(0), -6), rest=-9, after=14, at=dict.fromkeys(s.not_(0), s.t))
    s = Tune(75, "ocean-sr", "a100l", 4, 4, form="csv", limit=7200, script="sr.py").say("zeit;schritt;loss;sek", 15).hold(60).mood("heavy").run(1500, 1.3, 50, 60_000).mood("poll").mood("rest", 14).cpu(100, but(14)).cpu(0, 14).look(14, "S", "futex_wait_queue")
    yield s.end(WAIT, "TIMEOUT")
    s = Tune(76, "vad-uneven", "a30", 1, 2, form="lit", limit=28_800, script="vad.py").say("`use_distributed_sampler=False`: shards are 41210 and 41198 clips", 8).hold(13).mood("work").run(2570, 0.6, 50, 2576).mood("poll", 0).mood("rest", 1).cpu(100, 0).cpu(0.2, 1).look(1, "S", "futex_wait_queue")
    yield s.pause(2900).end(WAIT.but(fault="user"), "CANCELLED", cancelled_by_uid=1042)
    s = Tune(77, "codec-rvq", "h100p", 1, 4, form="plain", script="rvq.py").say("4 Karten, eigene CUDA-Erweiterung geladen", 11).hold(40).mood("work").run(1200, 0.9, 20, 40_000).say("Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f2b13fff640 (most recent call first):\n  File \"/gpfs/work/alice/rvq/codebook.py\", line 88 in nearest\n  File \"/gpfs/work/alice/rvq/rvq.py\", line 140 in step", 0.4, 2)
    died = s.t + 0.2
    s.mood("poll", (0, 1, 3)).mood("empty", 2).hold(0, 2, 1).say(watchdog("ALLREDUCE", 22_140, 8_388_608, 900_000), 903, (0, 1, 3))
    yield s.end(Label(mode="C2", cause="segfault", trigger="A2", fault="user", first_ranks=(2,)), BAD, {2: -11, 0: -6, 1: -6, 3: -6}, at={2: died})
    s = Tune(78, "wx-fsdp-11b", "h200", 4, 4, form="guru", script="wx.py").say("«d».700 | INFO     | wx:main:50 - FSDP full shard over 16", 30).hold(118).mood("heavy").run(600, 2.1, 10, 30_000).mood("poll").mood("rest", 7).cpu(0, 7).look(7, "S", "pipe_read")
    s.say(watchdog("_ALLGATHER_BASE", 55_902, 33_554_432, 1_200_000), 1204, but(7))
    yield s.end(WAIT.but(cause="nccl"), BAD, dict.fromkeys(s.not_(7), -6), rest=-9, after=10, at=dict.fromkeys(s.not_(7), s.t + 0.4))
    s = Tune(79, "flood-jax", "gh200", 4, 1, form="absl", limit=6000, script="flood.py").say("I«m» «t».«u» 140211 flood.py:31] 4 processes, mesh (4,)", 14, None).hold(70).mood("work").run(1600, 1.0, 40, 30_000).mood("poll").mood("rest", 2).cpu(0.1, 2).look(2, "S", "do_epoll_wait")
    yield s.end(WAIT, "TIMEOUT")
    s = Tune(80, "stream-asr-8", "a100", 1, 8, form="json", limit=4800, script="stream.py").say('{"event": "start"}', 12).hold(33).mood("work").run(1300, 0.8, 20, 50_000)
    s.say(trace(oom("3.05 GiB", "39.39 GiB", "1.01 GiB", "38.37 GiB", "37.60 GiB", gpu=6, style="2.6"), "/gpfs/work/alice/stream/stream.py:91 train loss.backward()", mark="[rank6]: "), 0.6, 6).mood("poll", but(6)).mood("empty", 6).hold(0, 6, 1).cpu(100, but(6))
    died = s.t + 0.5
    yield s.end(Label(mode="C2", cause="cuda_oom", trigger="B1", fault="user", first_ranks=(6,), failed_ranks=(6,)), "TIMEOUT", {6: 1}, at={6: died})


def standing() -> Iterator[HandJob]:
    """One process."""
    s = Tune(81, "snow-unet", "a100", form="kv", limit=7200, script="snow.py").say("OpenCV threads: 8, workers: 8 (fork)", 8).hold(21).mood("work").run(1300, 0.8, 20, 40_000).mood("rest").cpu(0.2).look(0, "S", "futex_wait_queue")
    yield s.end(STILL, "TIMEOUT")
    s = Tune(82, "punct-restore", "l4", form="hf", limit=21_600, script="punct.py").say("Loading dataset", 9).hold(12).mood("work").run(900, 0.7, 20, 900).say("{'eval_loss': 0.4121, 'eval_f1': 0.873, 'epoch': 2.0}", 12).say("Push to the hub as alice/punct-de? [Y/n] ", 2).mood("rest").cpu(0).look(0, "S", "wait_woken")
    yield s.pause(6200).end(STILL, "CANCELLED", cancelled_by_uid=1042)
    s = Tune(83, "ice-edge", "h100", form="guru", limit=5400, script="ice.py").say("«d».420 | INFO     | ice:main:12 - metrics go to tracker.local:9091", 10).hold(38).mood("work").run(1000, 0.9, 20, 30_000).say("«d».118 | INFO     | tracker:flush:44 - sending 1000 points", 0.5).mood("rest").cpu(0.1).look(0, "S", "sk_wait_data")
    yield s.end(STILL, "TIMEOUT")
    s = Tune(84, "ext-build", "a100", form="plain", limit=3600, script="deform.py").say("Using /home/alice/.cache/torch_extensions/py312_cu128 as PyTorch extensions root...", 9).hold(0.5).mood("rest").cpu(0.4).look(0, "S", "hrtimer_nanosleep")
    yield s.end(STILL, "TIMEOUT")
    s = Tune(85, "hydro-lstm", "h100p", form="absl", limit=9000, script="hydro.py").say("I«m» «t».«u» 140211 hydro.py:20] 531 basins", 8).hold(58).mood("work").run(1800, 0.6, 50, 50_000).say("I«m» «t».«u» 140298 async_checkpointer.py:439] Waiting for previous save of step 1800 to complete.", 0.7).mood("rest").cpu(0.2).look(0, "S", "futex_wait_queue")
    yield s.end(STILL, "TIMEOUT")
    s = Tune(86, "accent-vae", "ada", form="bar", limit=43_200, script="accent.py").say("beta = 4", 6).hold(17).mood("work").run(700, 0.9, 20, 20_000).say("> /gpfs/work/alice/accent/accent.py(71)step()\n-> if kl > 50:\n(Pdb) ", 0.6).mood("rest").cpu(0).look(0, "S", "wait_woken")
    yield s.pause(7900).end(STILL, "CANCELLED", cancelled_by_uid=1042)
    s = Tune(87, "caption-sum", "l40s", form="trl", limit=7200, script="cap.py").say("huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...", 14).hold(30).mood("work").run(640, 1.1, 10, 9000).mood("rest").cpu(0.1).look(0, "S", "futex_wait_queue")
    yield s.end(STILL, "TIMEOUT")
    s = Tune(88, "precip-gan", "a100l", form="csv", limit=10_800, script="pgan.py").say("time;it;d_loss;s", 7).hold(44).mood("work").run(2100, 0.8, 50, 90_000).mood("rest").cpu(0).look(0, "S", "pipe_read")
    yield s.pause(5200).end(STILL, "CANCELLED", cancelled_by_uid=1042)


def killed() -> Iterator[HandJob]:
    """By signals."""
    s = Tune(91, "tile-cache", "a100", form="json", script="tiles.py").say('{"cache": "ram", "tiles": 4100000}', 10).hold(24).mood("work").run(1500, 0.7, 50, 60_000).oom_kill(0)
    cg = CgroupMemory(limit_bytes=128 * GIB, peak_bytes=128 * GIB, oom_events=4, oom_kill_events=1)
    yield s.end(Label(mode="A2", cause="oom_killer", fault="user", first_ranks=(0,), failed_ranks=(0,)), "OUT_OF_MEMORY", {0: -9}, memory={0: cg}, after=0.3, talk=((s.t + 0.8, "slurmstepd: error: Detected 1 oom_kill event in StepId=«j».0. Some of the step tasks have been OOM Killed."),))
    s = Tune(92, "ctc-decoder", "l40s", 1, 4, form="plain", script="ctc.py").say("Erweiterung ctcbeam 0.4 geladen", 9).hold(26).mood("work").run(1600, 0.7, 50, 20_000).say("Validierung: Strahlsuche, Breite 500", 0.5, 1)
    yield s.pause(3).end(Label(mode="A2", cause="segfault", fault="user", first_ranks=(1,)), BAD, {1: -11}, rest=-15, after=2, at={1: s.t})
    s = Tune(93, "reanalysis-join", "a100l", 1, 2, form="kv", script="join.py").say("joining 40 years of hourly fields, 2 ranks", 11).hold(52).mood("work").run(1300, 0.9, 20, 9000)
    s.host(0, "host_memory_available_bytes", [(0, 480 * GIB), (300, 350 * GIB), (700, 180 * GIB), (1000, 40 * GIB), (s.t - 30, 1.2 * GIB)]).oom_kill(1, node_wide=True)
    yield s.end(Label(mode="A2", cause="oom_killer", first_ranks=(1,), fault="unknown"), BAD, {1: -9}, rest=-15, after=3, at={1: s.t + 0.1})
    s = Tune(94, "beam-rescore", "h100", form="nano", script="rescore.py").say("rescoring model on one card", 9).hold(50).mood("work").run(1400, 0.8, 50, 30_000)
    yield s.end(Label(mode="A2", fault="unknown", first_ranks=(0,), failed_ranks=(0,)), BAD, {0: -9}, after=0.3)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (apart, waiting, standing, killed):
        yield from part()


RECIPE = Recipe("celesta_sheets", "development", jobs)

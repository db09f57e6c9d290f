# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: ranks that never came together, ranks that waited for one, and single ones that stood."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyard_words import CONDA, PIXI, VENV, elastic, tb, waited
from corpus.make._halyards import Watch, falls
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

APART = Label(mode="C1", fault="unknown")
WAITS = Label(mode="C2", fault="unknown")
STANDS = Label(mode="C3", fault="user")


def apart() -> Iterator[HandJob]:
    """They never met."""
    w = Watch("pre-ocean-70b", "h100", 4, 8, by="torchrun", script="pre70.py", limit=5400, submit="sbatch -N 4 --gpus-per-node=8 --time=1:30:00 pre70.slurm")
    w.p("I~M~ ~H~.~U~ 210300 torch/distributed/launcher/api.py:188] Starting elastic_operator with launch configs:\n  entrypoint       : pre70.py\n  min_nodes        : 4\n  max_nodes        : 4\n  nproc_per_node   : 8\n  rdzv_backend     : c10d\n  rdzv_endpoint    : ~n0~-ib0:29400", 9, (0, 8, 24)).p("I~M~ ~H~.~U~ 210300 torch/distributed/elastic/agent/server/api.py:860] [default] starting workers for entrypoint: python\nI~M~ ~H~.~U~ 210300 torch/distributed/elastic/agent/server/api.py:677] [default] Rendezvous'ing worker group", 0.4, (0, 8, 24)).cpu(1)
    yield w.over(APART, "TIMEOUT")
    w = Watch("sft-nemotron", "h200", 2, 8, script="sft.py").p("[~r~] hello from ~n~, MASTER_ADDR=~n0~ MASTER_PORT=17823", 12, [r for r in range(16) if r != 11]).cpu(2).cpu(0.2, 11).process(11, "D", "rpc_wait_bit_killable", waits={"D rpc_wait_bit_killable": 170}, file_systems=("nfs4 /envs",))
    w.p(tb("torch.distributed.DistStoreError: Timed out after 1801 seconds waiting for clients. 15/16 clients joined.", "/home/alice/sft/sft.py:41 <module> dist.init_process_group('nccl', timeout=timedelta(minutes=30))", f"{VENV}/torch/distributed/rendezvous.py:278 _env_rendezvous_handler store = _create_c10d_store(", mark="[rank0]: "), 1802, 0)
    yield w.over(APART, "FAILED", {0: 1}, rest=-15, lag=8, at={0: w.t + 0.2})
    w = Watch("esm-fold-dp", "a100", 3, 4, script="fold.py", limit=7200, host="bgr{:03d}").p("~n~:~p~:~p~ [~l~] NCCL INFO Bootstrap: Using docker0:172.17.0.1<0>\n~n~:~p~:~p~ [~l~] NCCL INFO cudaDriverVersion 12040\n~n~:~p~:~p~ [~l~] NCCL INFO NCCL version 2.21.5+cuda12.4", 18, None).gib(0.5, None, 3).do("held").cpu(100)
    yield w.over(APART, "TIMEOUT")
    w = Watch("jax-mesh-gemma", "gh200", 4, 1, script="finetune.py", host="nid{:06d}").p("I~M~ ~H~.~U~ 210300 distributed.py:129] Connecting to JAX distributed service on ~n0~.local:8476", 13, (0, 1, 3)).cpu(1, (0, 1, 3)).cpu(0, 2)
    w.p("E~M~ ~H~.~U~ 210377 coordination_service_agent.cc:332] Failed to connect to coordination service: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further.\n# of tasks that reached the barrier: 3/4.\nThe first task at the barrier: /job:jax_worker/replica:0/task:0. Some timed out task names:\n/job:jax_worker/replica:0/task:2", 901, 0)
    w.p(tb("jaxlib.xla_extension.XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]Wait_for_all_tasks_to_register::0.", "/home/alice/mesh/finetune.py:17 <module> jax.distributed.initialize(initialization_timeout=900)", f"{PIXI}/jax/_src/distributed.py:143 initialize self.client.connect()"), 0.3, (0, 1, 3), 0.02)
    yield w.over(APART, "FAILED", {0: 1, 1: 1, 3: 1}, rest=-15, lag=7)
    w = Watch("keras-mwms", "a30", 3, 1, script="mwms.py", limit=3600, host="gpu-{:03d}.priv").p("INFO:tensorflow:Enabled multi-worker collective ops with available devices: ['/job:worker/replica:0/task:~r~/device:CPU:0', '/job:worker/replica:0/task:~r~/device:GPU:0']\nINFO:tensorflow:Waiting for the cluster, timeout = inf", 21, (0, 1)).gib(0.4, (0, 1)).do("held", (0, 1)).cpu(0.6)
    yield w.over(APART, "TIMEOUT")
    w = Watch("ds-reward-34b", "a100x", 2, 4, by="deepspeed", script="rm.py").p("[~D~ ~H~,~m~] [INFO] [comm.py:637:init_distributed] cdb=None", 10, w.of(0)).p(tb("ModuleNotFoundError: No module named 'flash_attn'", "/home/alice/rm/rm.py:6 <module> from rm.model import RewardModel", "/home/alice/rm/model.py:9 <module> from flash_attn.bert_padding import unpad_input"), 1, w.of(1), 0.04)
    died = w.t
    w.p("[~D~ ~H~,~m~] [ERROR] [launch.py:325:sigkill_handler] ['/usr/bin/python', '-u', 'rm.py', '--local_rank=0'] exits with return code = 1", 1.5, 4).cpu(2, w.of(0)).lull(2900)
    yield w.over(APART.but(cause="missing_module", trigger="A1", fault="user", first_ranks=tuple(w.of(1))), "CANCELLED", dict.fromkeys(w.of(1), 1), at=dict.fromkeys(w.of(1), died + 0.5), cancelled_by_uid=1042)
    w = Watch("mil-pathology", "l40", 1, 8, script="mil.py", limit=4500).p("worker ~r~: world_size=16 (config), SLURM_NTASKS=8, store tcp://127.0.0.1:41999", 8, None).cpu(1)
    yield w.over(APART.but(fault="user"), "TIMEOUT")
    w = Watch("dlpno-net", "a100x", 2, 2, script="net.py", host="lev{:03d}").p("Rang ~r~: warte auf ~n0~:29511", 9, None).cpu(2)
    w.p("[W~M~ ~H~.~U~000 socket.cpp:752] [c10d] The client socket has failed to connect to [~n0~.ib.cluster]:29511 (errno: 113 - No route to host).", 3, (2, 3)).p("[W~M~ ~H~.~U~000 socket.cpp:752] [c10d] The client socket has failed to connect to [~n0~.ib.cluster]:29511 (errno: 113 - No route to host).", 240, (2, 3))
    w.p(tb("torch.distributed.DistNetworkError: The client socket has timed out after 1200000ms while trying to connect to (~n0~.ib.cluster, 29511).", "/home/alice/dlpno/net.py:30 <module> dist.init_process_group(backend='nccl', timeout=timedelta(minutes=20))", f"{CONDA}/torch/distributed/rendezvous.py:185 _create_c10d_store return TCPStore(", mark="[rank~r~]: "), 960, (2, 3))
    yield w.over(APART, "FAILED", {2: 1, 3: 1}, rest=-15, lag=31, at={2: w.t + 0.3, 3: w.t + 0.32})


def waiting() -> Iterator[HandJob]:
    """One does not come, the others wait for it."""
    w = Watch("olmo-like-1b", "h100", 2, 8, script="scripts/train.py").p("[~r~] cuda:~l~ ready", 17, None).gib(63).do("hard").run(460, 1.8, 10, lambda i, n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S}.221\t~n0~:0\tolmo.train:889\tINFO\t[step={i}/{n}]\n    train/CrossEntropyLoss={x:.3f}\n    throughput/device/tokens_per_second={int(16000 / s):,}", of=150_000, curve=falls(11, 3.1))
    w.do("poll", w.but(6)).do("held", 6).cpu(0.3, 6).process(6, "D", "nfs_wait_bit_killable", waits={"D nfs_wait_bit_killable": 128}, file_systems=("nfs4 /corpora",))
    w.p(waited("_REDUCE_SCATTER_BASE", 91_877, 4_196_352, 600_000, torch="2.6"), 604, w.but(6), 0.02)
    yield w.over(WAITS.but(cause="nccl"), "FAILED", dict.fromkeys(w.but(6), -6), rest=-9, lag=15, at={r: w.t + 0.4 + 0.01 * r for r in w.but(6)})
    w = Watch("mm-web-8b", "h200", 1, 8, script="mm.py", limit=7200).p("8 ranks, image tars in /dev/shm", 15).gib(111).do("hard").run(500, 2.4, 10, lambda i, n, x, s, d: f'{{"t": "{d:%H:%M:%S}", "it": {i}, "loss": {x:.4f}, "img_s": {int(512 / s)}}}', of=40_000, curve=falls(8.4, 2.2)).oom_killer(5)
    died = w.t
    w.do("poll", w.but(5)).do("quiet", 5)
    yield w.over(WAITS.but(cause="oom_killer", trigger="A2", fault="user", first_ranks=(5,), failed_ranks=(5,)), "TIMEOUT", {5: -9}, at={5: died}, memory={5: CgroupMemory(limit_bytes=480 * GIB, peak_bytes=480 * GIB, oom_events=2, oom_kill_events=1)}, batch=((died + 0.4, "slurmstepd: error: Detected 1 oom_kill event in StepId=~j~.0. Some of the step tasks have been OOM Killed."),))
    w = Watch("slu-it", "a100", 1, 4, script="slu.py").p("4 processi, 880 ore", 10).gib(30).do("train").run(620, 1.1, 20, lambda i, n, x, s, d: f"[{d:%H:%M:%S}] passo {i} perdita {x:.4f} ctc {x * 0.7:.4f}", of=30_000, curve=falls(5.2, 1.0))
    w.p(tb("KeyError: 'speaker_it_0417'", "/home/alice/slu/slu.py:177 <module> for batch in loader:", "/home/alice/slu/speakers.py:38 embed return self.table[speaker]", mark="[rank2]: "), 0.8, 2).do("poll", w.but(2)).do("quiet", 2)
    died = w.t + 0.5
    w.p(waited("ALLREDUCE", 12_411, 6_302_720, 1_800_000, torch="2.4"), 1803, w.but(2), 0.05)
    yield w.over(WAITS.but(cause="traceback", trigger="A3", fault="user", first_ranks=(2,)), "FAILED", {2: 1, **dict.fromkeys(w.but(2), -6)}, at={2: died}, lag=2)
    w = Watch("point-cloud-ssl", "l40", 1, 4, script="pcssl.py", limit=6000).p("shards per rank: 412 412 412 411, no padding of the last epoch batch", 9).gib(28).do("train").run(822, 1.2, 30, lambda i, n, x, s, d: f"ep {1 + i // 412} it {i % 412} chamfer={x:.5f}", of=41_200, curve=falls(0.4, 0.06))
    w.p("rank 3: epoch 2 done, entering validation", 0.6, 3).do("poll").cpu(100)
    yield w.over(WAITS.but(fault="user"), "TIMEOUT")
    w = Watch("agi-eval-loop", "h100", 2, 4, by="torchrun", script="loop.py").p("8 ranks", 18).gib(66).do("hard").run(400, 1.7, 10, lambda i, n, x, s, d: f"step={i} loss={x:.4f} lr=3.0e-05 t={s:.2f}", of=4000, curve=falls(2.9, 1.2))
    w.p("step 400: running humaneval on rank 0 (164 problems, sandboxed on the CPU)", 0.5, 0).do("poll", w.but(0)).do("held", 0).cpu(260, 0)
    w.p(waited("BROADCAST", 30_118, 1, 1_200_000, torch="2.8"), 1203, w.but(0), 0.03).p(elastic("loop.py", -6), 6, 1).p(elastic("loop.py", -6), 0.5, 4)
    yield w.over(WAITS.but(cause="nccl"), "FAILED", dict.fromkeys(w.but(0), -6), rest=-15, lag=2)
    w = Watch("xdp-trading", "a100x", 2, 2, script="xdp.py").p("feeds 2018-2026", 9).gib(44).do("train").run(900, 0.8, 30, lambda i, n, x, s, d: f"{d:%H:%M:%S};{i};{x:.6f};{s:.3f}", of=100_000, curve=falls(0.7, 0.31))
    w.p("Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f11b3fff640 (most recent call first):\n  File \"/home/alice/xdp/book.py\", line 201 in replay\n  File \"/home/alice/xdp/xdp.py\", line 90 in train\n\nExtension modules: numpy._core._multiarray_umath, torch._C, orderbook._native (total: 41)", 0.5, 3).do("quiet", 3).do("poll", (0, 1, 2))
    died = w.t + 0.3
    yield w.lull(2700).over(WAITS.but(cause="segfault", trigger="A2", fault="user", first_ranks=(3,), failed_ranks=(3,)), "CANCELLED", {3: -11}, at={3: died}, cancelled_by_uid=1042)
    w = Watch("lm-id-13b", "h100", 4, 4, by="torchrun", script="latih.py").p("16 peringkat, korpus bahasa Indonesia", 24).gib(71).do("hard").run(330, 2.5, 10, lambda i, n, x, s, d: f"langkah {i}/{n} rugi {x:.4f} waktu {s:.2f} dtk", of=80_000, curve=falls(10.6, 3.0))
    w.p("~n~:~p~:~p~ [~l~] misc/ibvwrap.cc:94 NCCL WARN NET/IB : mlx5_2:1 Got async event : port error", 0.8, w.of(2)).do("poll", w.but(*w.of(2))).do("poll", w.of(2)).lull(60)
    w.p(waited("_ALLGATHER_BASE", 55_021, 10_485_760, 600_000, torch="2.6"), 544, None, 0.01).p(elastic("latih.py", -6), 5, 0).p(elastic("latih.py", -6), 0.3, 8)
    yield w.over(WAITS.but(cause="nccl", failed_ranks=tuple(range(16))), "FAILED", dict.fromkeys(range(16), -6), lag=3)
    w = Watch("alphatensor-x", "gh200", 4, 1, script="selfplay.py", limit=9000, host="nid{:06d}").p("actor+learner ~r~", 13, None).gib(69).do("train").run(620, 1.9, 20, lambda i, n, x, s, d: f"learner {i}: value_loss={x:.4f} games={i * 64}", of=20_000, curve=falls(1.6, 0.4))
    w.do("poll", (0, 1, 3)).do("held", 2).cpu(0.0, 2).process(2, "S", "futex_wait_queue", waits={"S futex_wait_queue": 1480})
    yield w.over(WAITS, "TIMEOUT")
    w = Watch("vae-video-sp", "h800", 1, 8, by="torchrun", script="vv.py", host="bj-gpu{:03d}").p("序列并行 8", 15).gib(68).do("hard").run(280, 3.0, 10, lambda i, n, x, s, d: f"{d:%H:%M:%S} 步={i} 重构={x:.4f} kl={x / 70:.5f}", of=12_000, curve=falls(1.4, 0.3)).do("poll")
    w.p(waited("ALLTOALL_BASE", 20_931, 33_554_432, 600_000, pg="4 PG GUID 9(sp)", torch="2.8"), 603, [r for r in range(8) if r != 1], 0.03)
    w.p("[rank1]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:685] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=20931, OpType=ALLGATHER, NumelIn=4194304, NumelOut=33554432, Timeout(ms)=600000) ran for 600071 milliseconds before timing out.\n[rank1]:[E~M~ ~H~.~U~000 ProcessGroupNCCL.cpp:1806] [PG ID 4 PG GUID 9(sp) Rank 1] Received a dump signal due to a collective timeout from this local rank and will try our best to dump the debug info. Last enqueued NCCL work: 20931, last completed NCCL work: 20930.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run.", 0.4, 1)
    w.p(elastic("vv.py", -6), 5, 0)
    yield w.over(WAITS.but(cause="nccl", failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), -6), lag=2)
    w = Watch("fed-hospital", "a30", 1, 4, script="fed.py", limit=5400, host="gpu-{:03d}.priv").p("sites: 4", 7).gib(12).do("train").run(540, 1.3, 20, lambda i, n, x, s, d: f"round={i // 20} local_step={i} bce={x:.4f}", of=8000, curve=falls(0.69, 0.24))
    w.p(tb("ZeroDivisionError: division by zero", "/home/alice/fed/fed.py:140 <module> weights.append(pos / seen)", mark="[rank1]: "), 0.7, 1).do("quiet", 1).do("poll", (0, 2, 3)).cpu(100, (0, 2, 3))
    yield w.over(WAITS.but(cause="div_zero", trigger="A3", fault="user", first_ranks=(1,), failed_ranks=(1,)), "TIMEOUT", {1: 1}, at={1: w.t + 0.4})


def standing() -> Iterator[HandJob]:
    """One process on one card, and nothing moves."""
    w = Watch("ner-legal", "l4", 1, 1, script="ner.py", limit=7200, host="edge{:02d}").p("huggingface/tokenizers: The current process just got forked, after parallelism has already been used. Disabling parallelism to avoid deadlocks...", 9).gib(15).do("train").run(700, 0.6, 20, lambda i, n, x, s, d: f"batch {i}/{n} loss {x:.4f} f1 {max(0, 0.92 - x / 3):.3f}", of=24_000, curve=falls(2.4, 0.2))
    yield w.do("held").cpu(0.2).process(0, "S", "futex_wait_queue", waits={"S futex_wait_queue": 1300}).over(STANDS, "TIMEOUT")
    w = Watch("thesis-gan2", "2080", 1, 1, script="gan2.py", limit=14_400, host="old{:02d}").p("~~ gan2 ~~", 4).gib(6).do("train").run(450, 0.9, 15, lambda i, n, x, s, d: f"D {x:.3f} G {2.1 - x / 3:.3f} iter {i}", of=20_000, curve=falls(1.4, 0.69))
    w.p("> /home/alice/gan2/gan2.py(121)step()\n-> fake = netG(z)\n(Pdb) ", 0.8).do("held").cpu(0.0).process(0, "S", "wait_woken", waits={"S wait_woken": 2700})
    yield w.over(STANDS, "TIMEOUT")
    w = Watch("crystal-gnn", "a100x", 1, 1, script="cgnn.py", limit=10_800).p("materials project 154k", 9).gib(37).do("train").run(900, 0.7, 30, lambda i, n, x, s, d: f"step={i:<6d} mae={x:.4f} eV", of=60_000, curve=falls(0.9, 0.06)).p("writing runs/c4/step_900.pt", 0.3)
    yield w.do("held").cpu(0.0).process(0, "D", "rpc_wait_bit_killable", waits={"D rpc_wait_bit_killable": 1980}, file_systems=("nfs4 /home",)).over(STANDS.but(fault="unknown"), "TIMEOUT")
    w = Watch("unity-drone", "rtx6000", 1, 1, script="drone.py", limit=21_600, host="em{:02d}").p("[INFO] Listening on port 5004. Start training by pressing the Play button in the Unity Editor.", 6).p("[INFO] Connected to Unity environment with package version 3.0.0", 11).gib(5).do("light").run(600, 1.1, 20, lambda i, n, x, s, d: f"[INFO] Drone. Step: {i * 500}. Time Elapsed: {i * 1.1:.3f} s. Mean Reward: {30 - x:.3f}. Std of Reward: {x / 4:.3f}.", of=10_000, curve=falls(29, 9))
    yield w.do("held").cpu(0.1).process(0, "S", "inet_csk_accept", waits={"S inet_csk_accept": 2400}).lull(12_400).over(STANDS, "CANCELLED", cancelled_by_uid=1042)
    w = Watch("summ-stream", "h100", 1, 1, script="stream.py", limit=9000).p("streaming c4/el from object store", 10).gib(52).do("train").run(520, 1.0, 20, lambda i, n, x, s, d: f"βήμα {i} απώλεια {x:.4f} ({s:.2f}s)", of=50_000, curve=falls(9.1, 3.5)).p("GET s3://el-corpus/shard-00212.jsonl.zst", 0.4)
    yield w.do("held").cpu(0.1).process(0, "S", "wait_woken", waits={"S wait_woken": 1600}).over(STANDS.but(fault="unknown"), "TIMEOUT")
    w = Watch("hpo-inner", "a10", 1, 1, script="inner.py", limit=7200, host="g5-{:02d}").p("trial 0007: depth=6 width=512", 5).gib(8).do("train").run(800, 0.5, 40, lambda i, n, x, s, d: f"trial 0007 epoch {i // 40:02d} val {x:.4f}", of=4000, curve=falls(1.1, 0.33)).p("joining 6 worker processes", 0.3)
    yield w.do("held").cpu(0.0).process(0, "S", "do_wait", waits={"S do_wait": 1350}).over(STANDS, "TIMEOUT")
    w = Watch("genome-lm-s", "gh200", 1, 1, script="glm.py", limit=10_800, host="nid{:06d}").p("Overwrite existing index hg38.idx? [y/n]: ", 12).gib(0.6).do("held").cpu(0.0).process(0, "S", "wait_woken", waits={"S wait_woken": 2100})
    yield w.over(STANDS, "TIMEOUT")
    w = Watch("rt-segment", "a30", 1, 1, script="rts.py", limit=28_800, host="gpu-{:03d}.priv").p("camera replay + online adaptation", 7).gib(9).do("train").run(1000, 0.6, 25, lambda i, n, x, s, d: f"frame {i * 4:6d} adapt_loss={x:.4f} fps={4 / s:.1f}", of=90_000, curve=falls(0.8, 0.14)).p("queue 'frames': producer paused (buffer 64/64)", 0.2).p("queue 'masks': consumer paused (buffer 0/64)", 0.1)
    yield w.do("held").cpu(0.3).process(0, "S", "futex_wait_queue", waits={"S futex_wait_queue": 3300}).lull(16_800).over(STANDS, "CANCELLED", cancelled_by_uid=1042)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (apart, waiting, standing):
        yield from part()


RECIPE = Recipe("foundry_dockets_by_pen", "development", jobs)

"""Jobs of a speech company, a hospital and a physics laboratory, by pen: ranks that do not find each other, ranks that wait for one, a card that waits alone."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.make._vellum_lines import HOME, SITE, fault, full, summary, watchdog
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

UNMET = Label(mode="C1", fault="unknown")
STUCK = Label(mode="C2", fault="unknown")
ALONE = Label(mode="C3", fault="user")


def unmet() -> Iterator[HandJob]:
    """C1."""
    s = Leaf(201, "wav-pretrain", "h100", 4, 8, style="fairseq", script="hydra_train.py", minutes=120).tell("@iso | INFO | fairseq.distributed.utils | distributed init (rank @r): tcp://cn-10-12:13771", 15, (*range(16), *range(24, 32))).meter("cpu_percent", 4).hold(0.4, None, 2)
    yield s.close(UNMET, "TIMEOUT")

    s = Leaf(202, "mri-recon", "a100", 2, 4, style="loguru", via="torchrun", script="recon.py", minutes=600)
    s.unborn = True
    s.tell("W@md @hms.@us 41000 torch/distributed/run.py:793] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default", 9, (0, 4)).tell(fault("torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError", f"{SITE}/torch/distributed/elastic/agent/server/api.py:707:run:result = self._invoke_run(role)", f"{SITE}/torch/distributed/elastic/rendezvous/dynamic_rendezvous.py:686:run:self._rendezvous_handler.next_rendezvous()"), 604, (0, 4), 0.8)
    yield s.close(UNMET, "FAILED", {0: 1, 4: 1})

    s = Leaf(203, "beam-sim", "h200", 8, 1, style="plain", script="beam.py", minutes=360).tell("@n:@p:@p [0] NCCL INFO Bootstrap : Using ib1:10.9.3.@r<0>", 18, None).hold(0.6, None, 2).meter("cpu_percent", 100).tell("@n:@p:40988 [0] NCCL WARN Bootstrap Root : timed out waiting for rank 6 of 8", 905, 0)
    s.tell(fault("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.cpp:94, remote process exited or there was a network error, NCCL version 2.25.1\nncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely.\nLast error:\nsocketPollConnect: connect to 10.9.3.6<41229> returned No route to host, exceeded error retry count (34)", f"{HOME}/beam/beam.py:41:<module>:dist.barrier()", mark="[rank@r]: "), 3, s.but(6), 0.05)
    yield s.close(UNMET.but(cause="nccl"), "FAILED", dict.fromkeys(s.but(6), 1), rest=-15, after=3)

    s = Leaf(204, "call-centre", "a10", 1, 4, style="json", script="serve_train.py", minutes=90).tell('{"evt": "join", "rank": @r, "addr": "127.0.0.1:29711"}', 10, (0, 1, 3)).meter("cpu_percent", 2, (0, 1, 3))
    s.tell(fault("FileNotFoundError: [Errno 2] No such file or directory: '/scratch/local/shards/part-00002.arrow'", f"{HOME}/calls/serve_train.py:31:<module>:shard = pa.memory_map(path(rank))", f"{HOME}/calls/serve_train.py:12:path:os.stat(p)"), 1, 2)
    yield s.close(Label(mode="C1", trigger="A1", cause="file_not_found", fault="user", failed_ranks=(2,), first_ranks=(2,)), "TIMEOUT", {2: 1}, when={2: s.now + 0.4})

    s = Leaf(205, "tokamak-pinn", "a30", 4, 2, style="it", script="tokamak.py", minutes=300)
    s.tell("rango @r: attendo gli altri 7 su cn-26-04:29400", 11, s.but(2, 3)).meter("cpu_percent", 3).idle(1800).tell("rango 0: dopo 30 minuti ancora 6 di 8", 1, 0).idle(1800).tell("rango 0: dopo 60 minuti ancora 6 di 8", 1, 0).idle(700)
    yield s.close(UNMET, "CANCELLED", cancelled_by_uid=1042)


def waiting() -> Iterator[HandJob]:
    """C2."""
    s = Leaf(211, "asr-2b", "h100", 2, 8, style="espnet", via="torchrun", script="asr_train.py").tell("[gpua] @iso,004 (asr:523) INFO: world_size=16", 24).hold(69).mood("flat_out").train(900, 1.4, 50, 60_000)
    s.mood("spins", s.but(11)).mood("holds", 11).meter("cpu_percent", 0, 11).meter("blocked_percent", 100, 11).meter("cpu_percent", 100, s.but(11)).seen(11, "D", "cl_sync_io_wait", times=110, file_systems=("lustre /lustre",))
    s.tell(watchdog("_ALLGATHER_BASE", 88_204, 6_291_456, 600_000), 606, s.but(11), 0.02).tell(summary("asr_train.py", [(r, r, -6, s.pid(r)) for r in range(8)]), 8, 0).tell(summary("asr_train.py", [(r, r - 8, -6, s.pid(r)) for r in s.but(11) if r > 7]), 0.5, 8)
    yield s.close(STUCK.but(cause="nccl"), "FAILED", dict.fromkeys(s.but(11), -6), rest=-15, when={r: s.now - 7.6 + 0.01 * r for r in s.but(11)})

    s = Leaf(212, "ct-volumes", "a100", 1, 8, style="rich", script="ct.py", minutes=150).tell("[@hms] INFO     volumes are read whole, 2.1 GB each", 14).hold(54).mood("busy").train(700, 1.9, 20, 40_000).reaped(5)
    s.mood("spins", s.but(5)).hold(0, 5, 1).mood("asleep", 5).meter("cpu_percent", 100, s.but(5))
    yield s.close(Label(mode="C2", cause="oom_killer", trigger="A2", fault="user", failed_ranks=(5,), first_ranks=(5,)), "TIMEOUT", {5: -9}, when={5: s.now},
                  memory={r: CgroupMemory(limit_bytes=400 * GIB, peak_bytes=400 * GIB, oom_events=2, oom_kill_events=1) for r in range(8)}, slurm=((s.now + 0.7, "slurmstepd: error: Detected 1 oom_kill event in StepId=@j.0. Some of the step tasks have been OOM Killed."),))  # fmt: skip

    s = Leaf(213, "tts-flow", "h100", 2, 4, style="plain", script="tts.py").tell("8 ranks, 48 kHz", 20).hold(58).mood("busy").train(1300, 0.9, 20, 80_000)
    s.tell(fault("IndexError: list index out of range", f"{HOME}/tts/tts.py:255:<module>:train()", f"{HOME}/tts/tts.py:198:train:batch = next(batches)", f"{HOME}/tts/phones.py:77:collate:last = spans[row][-1]", mark="[rank6]: "), 0.7, 6).hold(0, 6, 1).mood("spins", s.but(6)).mood("asleep", 6)
    fell = s.now + 0.4
    s.tell(watchdog("ALLREDUCE", 41_877, 26_214_400, 1_800_000), 1803, s.but(6), 0.03)
    yield s.close(Label(mode="C2", cause="traceback", trigger="A3", fault="user", first_ranks=(6,)), "FAILED", {6: 1, **dict.fromkeys(s.but(6), -6)}, when={6: fell}, after=2)

    s = Leaf(214, "wards-seg", "l40", 1, 4, style="nl", script="afdelingen.py", minutes=400).tell("rang @r: @l eigen ziekenhuis, eigen aantal stapels", 10, None).hold(33).mood("busy").train(980, 0.8, 20, 1400)
    s.tell("rang 2: einde van de gegevens na 980 stappen, klaar", 0.5, 2).hold(0, 2, 2).mood("asleep", 2).mood("spins", s.but(2)).meter("cpu_percent", 100, s.but(2))
    left = s.now + 1
    yield s.idle(4300).close(STUCK.but(fault="user"), "CANCELLED", {2: 0}, when={2: left}, cancelled_by_uid=1042)

    s = Leaf(215, "score-match", "h200", 1, 8, style="speed", via="torchrun", script="score.py").tell("world 8, eval every 2000 on the first rank", 22).hold(101).mood("flat_out").train(2000, 0.6, 50, 90_000).tell("step:2000/90000 validation starts", 0.3).mood("spins")
    s.tell(watchdog("ALLGATHER", 44_019, 1024, 600_000), 604, 0).tell(watchdog("ALLREDUCE", 44_019, 16_777_216, 600_000), 0.4, s.but(0), 0.02)
    s.tell("[rank0]:[E@md @hms.@us000 ProcessGroupNCCL.cpp:1484] [PG ID 0 PG GUID 0(default_pg) Rank 0] Received a dump signal due to a collective timeout from rank 3 and we will try our best to dump the debug info. Last enqueued NCCL work: 44019, last completed NCCL work: 44018.", 1, 0)
    yield s.tell(summary("score.py", [(r, r, -6, s.pid(r)) for r in range(8)]), 7).close(STUCK.but(cause="nccl", fault="user"), "FAILED", dict.fromkeys(range(8), -6))

    s = Leaf(216, "long-audio", "a100", 2, 4, style="loguru", script="longaudio.py").tell("@iso.118 | INFO     | main:setup:40 - 8 ranks, utterances up to 90 s", 19).hold(60).mood("busy").train(860, 1.2, 20, 50_000).hold(79, 4, 1)
    s.tell(fault(full("7.03 GiB", "79.25 GiB", "5.88 GiB", "73.36 GiB", "71.20 GiB", "1.02 GiB"), f"{HOME}/longaudio/longaudio.py:210:<module>:main()", f"{HOME}/longaudio/encoder.py:66:forward:att = torch.softmax(score, dim=-1)", mark="[rank4]: "), 1.3, 4).hold(0, 4, 1).mood("asleep", 4).mood("spins", s.but(4))
    fell = s.now + 0.5
    s.tell(watchdog("ALLREDUCE", 20_651, 13_107_200, 900_000), 902, s.but(4), 0.02)
    yield s.close(Label(mode="C2", cause="cuda_oom", trigger="B1", fault="user", first_ranks=(4,)), "FAILED", {4: 1, **dict.fromkeys(s.but(4), -6)}, when={4: fell}, after=2)

    s = Leaf(217, "lattice-flow", "h100", 4, 4, style="structlog", script="lattice.py", minutes=180).tell("@tz [info     ] lattice 64^4 over 16 ranks", 30).hold(66).mood("flat_out").train(1200, 1.1, 40, 40_000)
    s.tell("[cn:40009] *** Process received signal ***\n[cn:40009] Signal: Segmentation fault (11)\n[cn:40009] Signal code: Address not mapped (1)\n[cn:40009] Failing at address: 0x18\n[cn:40009] [ 0] /lib64/libc.so.6(+0x3e730)[0x7f10a5c3e730]\n[cn:40009] [ 1] /lustre/proj/alice/lattice/libstaples.so(staple_sum+0x4c1)[0x7f0fb2411f11]\n[cn:40009] *** End of error message ***", 0.5, 9)
    s.hold(0, 9, 1).mood("asleep", 9).mood("spins", s.but(9)).meter("cpu_percent", 100, s.but(9))
    yield s.close(Label(mode="C2", cause="segfault", trigger="A2", fault="user", failed_ranks=(9,), first_ranks=(9,)), "TIMEOUT", {9: -11}, when={9: s.now + 0.2})

    s = Leaf(218, "triage-moe", "h200", 2, 8, style="factory", via="torchrun", script="moe_sft.py").tell("[INFO|@iso] trainer:143 >> 16 processes, expert parallel 8", 30, (0, 8)).hold(118).mood("flat_out").train(420, 3.0, 10, 6000).mood("spins")
    s.tell("[rank@r]:[F@md @hms.@us000 ProcessGroupNCCL.cpp:1557] [PG ID 0 PG GUID 0(default_pg) Rank @r] [PG ID 0 PG GUID 0(default_pg) Rank @r] Terminating the process after attempting to dump debug info, due to ProcessGroupNCCL watchdog hang. ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress in monitoring enqueued collectives. This typically indicates a NCCL/CUDA API (e.g., CudaEventDestroy) hang blocking the watchdog.", 1085, None, 0.05)
    s.tell(summary("moe_sft.py", [(r, r, -6, s.pid(r)) for r in range(8)]), 9, 0).tell(summary("moe_sft.py", [(r, r - 8, -6, s.pid(r)) for r in range(8, 16)]), 0.3, 8)
    yield s.close(STUCK.but(cause="nccl"), "FAILED", dict.fromkeys(range(16), -6))

    s = Leaf(219, "dialect-id", "l40", 1, 2, style="brain", script="dialect.py", minutes=130).tell("speechbrain.core - 94.1M trainable parameters in LID", 12).hold(30).mood("busy").train(9, 210, 1, 60)
    s.mood("holds", 1).mood("spins", 0).meter("cpu_percent", 0.2, 1).meter("cpu_percent", 100, 0).seen(1, "S", "futex_wait_queue", times=900)
    yield s.close(STUCK.but(fault="user"), "TIMEOUT")

    s = Leaf(220, "detector-sim", "a100", 4, 4, style="plain", script="detsim.py", minutes=240).tell("16 ranks over mlx5_0", 24).hold(57).mood("flat_out").train(1500, 1.2, 50, 60_000)
    s.tell("@n:@p:40977 [@l] transport/net_ib.cc:118 NCCL WARN NET/IB : mlx5_0:1 Got async event : port error", 2, s.of_node(2)).mood("spins").meter("cpu_percent", 100)
    yield s.close(STUCK, "TIMEOUT")

    s = Leaf(221, "reports-t5x", "gh200", 8, 1, style="flax", script="t5x_train.py", minutes=150).tell("I@md @hms.@us 140200 t5x_train.py:60] process @r/8", 20, None).hold(80, over=4).mood("flat_out").train(1100, 1.2, 50, 30_000)
    s.mood("spins", s.but(7)).mood("holds", 7).meter("cpu_percent", 0.3, 7).seen(7, "S", "futex_wait_queue", times=1100)
    s.tell("E@md @hms.@us   40811 rendezvous.cc:92] This thread has been waiting for `initialize clique for rank 0; clique key=devices=[0,1,2,3,4,5,6,7]; stream=0; run_id=1187220` for 20 seconds and may be stuck. Expected 8 threads to join the rendezvous, but not all of them arrived on time.", 40, (0, 3))
    yield s.close(STUCK.but(fault="user"), "TIMEOUT")

    s = Leaf(222, "nurse-llm", "h100", 1, 4, style="axo", via="accelerate", script="zero3.py").tell("ZeRO stage 3, 4 processes", 35).hold(71).mood("flat_out").train(640, 2.0, 10, 5000).tell("rank 3: sample 25604 is empty after the filter, step is skipped", 0.4, 3).mood("spins")
    s.tell(watchdog("_REDUCE_SCATTER_BASE", 150_332, 4_194_304, 600_000), 603, (0, 1, 2), 0.02).tell(watchdog("_ALLGATHER_BASE", 150_332, 524_288, 600_000), 0.5, 3)
    yield s.tell(summary("zero3.py", [(r, r, -6, s.pid(r)) for r in range(4)]), 6).close(STUCK.but(cause="nccl", fault="user"), "FAILED", dict.fromkeys(range(4), -6))


def alone() -> Iterator[HandJob]:
    """C3."""
    s = Leaf(231, "ecg-cnn", "a30", style="keras", script="ecg.py", minutes=180).tell("12 leads, 5000 samples", 8).hold(21).mood("busy").train(22, 45, 1, 200).tell("Epoch 23/200", 0.3).mood("holds").meter("cpu_percent", 0.1).seen(0, "S", "futex_wait_queue", times=1500)
    yield s.close(ALONE, "TIMEOUT")

    s = Leaf(232, "codec-48k", "h100pcie", style="speed", script="codec.py", minutes=300).tell("@iso codec: residual VQ, 9 books", 10).hold(44).mood("busy").train(2600, 0.4, 100, 400_000).tell("uploading audio samples of step 2600 to the tracking server", 0.4).mood("holds").meter("cpu_percent", 0.0).seen(0, "S", "inet_csk_wait_for_connect", times=1800)
    yield s.idle(9000).close(ALONE, "CANCELLED", cancelled_by_uid=1042)

    s = Leaf(233, "jet-tagger", "v100", style="dgl", script="jets.py", minutes=240).tell("workers: 16, start method fork, after CUDA was set up", 9).hold(18).mood("busy").train(620, 1.1, 20, 5000).mood("holds").meter("cpu_percent", 0.2).seen(0, "S", "do_poll.constprop.0", times=1900)
    yield s.close(ALONE, "TIMEOUT")

    s = Leaf(234, "xray-vae", "l40", style="plain", script="vae.py", minutes=200).tell("chest 1024 px", 8).hold(36).mood("busy").train(1500, 0.6, 50, 90_000).tell("> /lustre/proj/alice/vae/vae.py(118)step()\n-> kl = 0.5 * (mu.pow(2) + lv.exp() - 1 - lv).sum(1)\n(Pdb) ", 0.5).mood("holds").meter("cpu_percent", 0.0).seen(0, "S", "wait_woken", times=1400)
    yield s.idle(7800).close(ALONE, "CANCELLED", cancelled_by_uid=1042)

    s = Leaf(235, "prompt-tts", "rtx6000", style="loguru", script="prompt.py", minutes=150).tell("@iso.008 | INFO     | prompt.data:open:19 - lmdb, 8 readers", 9).hold(29).mood("busy").train(1800, 0.5, 50, 70_000).tell("@iso.431 | INFO     | prompt.data:lock:44 - waiting for readers.lock", 0.4).mood("holds").meter("cpu_percent", 0.1).seen(0, "S", "fcntl_setlk", times=1200)
    yield s.close(ALONE, "TIMEOUT")

    s = Leaf(236, "plasma-op", "h200", style="gpt", script="fno.py", minutes=360).tell("number of parameters: 412,084,224", 10).hold(97).mood("flat_out").train(3100, 0.7, 100, 200_000).mood("holds").meter("cpu_percent", 0.0).seen(0, "S", "futex_wait_queue", times=3000)
    yield s.idle(12_000).close(ALONE, "CANCELLED", cancelled_by_uid=1042)

    s = Leaf(237, "lesion-svc", "t4", style="sv", script="lesion.py", minutes=120).tell("väntar på bilder från 127.0.0.1:8870 mellan stegen", 7).hold(9).mood("busy").train(1400, 0.6, 50, 20_000).tell("kön är tom, väntar på nästa bild", 0.5).mood("holds").meter("cpu_percent", 0.1).seen(0, "S", "sk_wait_data", times=1000)
    yield s.close(ALONE, "TIMEOUT")

    s = Leaf(238, "bird-song", "a10", style="timmlike", script="birds.py", minutes=150).tell("effnetv2_s  397 classes", 8).hold(16).mood("busy").train(2200, 0.45, 100, 40_000).tell("saving ep 001 (background thread)", 0.2).mood("holds").meter("cpu_percent", 0.0).seen(0, "S", "futex_wait_queue", times=1500)
    yield s.close(ALONE, "TIMEOUT")


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (unmet, waiting, alone):
        yield from part()


RECIPE = Recipe("tapestry_threads_by_pen", "development", jobs)

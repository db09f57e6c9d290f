"""Jobs of a navy's weather office, a maker of cars and a school of linguistics, by pen: cards that broke or were held back, crowds that never met or stood still."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make import _inkwell_voices as v
from corpus.make._inkwell import Slip, sinking
from corpus.make._inkwell_words import cuda, dog, held_back, no_room, stack
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

BROKE = Label(mode="B2", cause="cuda_runtime", variant="fault", fault="node")
HELD = Label(mode="B3", fault="node")
UNMET = Label(mode="C1", fault="unknown")
STILL = Label(mode="C2", fault="unknown")
ECC = "uncorrectable ECC error encountered"


def broke() -> Iterator[HandJob]:
    """B2."""
    s = Slip(31, "ensemble-gan", "h100", 1, 8, voice=v.modulus, script="ensemble.py", rack="hgx").say("[<hms> - main - INFO] rank <rank> has member <rank>", 12, None).mem(54).cards("hard").run(7200, 0.88, 50, 60_000, sinking(0.9, 0.11))
    s.cards("spin", s.others(3)).xid(3, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", -0.4).wait(2)
    s.say(stack(cuda("unspecified launch failure"), "ensemble.py@188@<module>@main()", "ensemble.py@131@main@total += loss.item()", mark="[rank<rank>]: "), 1.1, 3)
    yield s.done(BROKE.but(first_ranks=(3,)), "FAILED", {3: 1}, rest=-15, counters={3: ({}, None)}, unread={3: s.t - 3.2})

    s = Slip(32, "crash-surrogate", "a100", 1, 4, voice=v.deutsch, script="ersatz.py").say("Rang <rank> bereit", 14, None).mem(62).cards("well").run(5200, 1.1, 40, 40_000, sinking(1.1, 0.2))
    s.xid(1, 48, "pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x1b4ac21e0 partition 6, subpartition 1.", -0.3)
    s.xid(1, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x00000001b4ac2000) marked for remapping, reset gpu to activate.", -0.5)
    s.say(stack(cuda(ECC), "ersatz.py@140@<module>@trainiere(cfg)", "ersatz.py@96@trainiere@verlust.backward()", mark="[rank<rank>]: "), 0.9, 1)
    yield s.done(BROKE.but(first_ranks=(1,)), "FAILED", {1: 1}, rest=-15, counters={1: ({"remapped_rows_uncorrectable": 1}, {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 2, "remap_pending": True})})

    s = Slip(33, "treebank-t5", "h200", voice=v.whisper, script="parse_t5.py").say("treebanks: 112, languages: 71", 9).mem(98).cards("hard").run(6100, 0.93, 20, 30_000, sinking(5.4, 0.5))
    s.xid(0, 94, f"pid={s.pid(0)}, name=python3, Contained: SM (0x1). RST: No, D-RST: No", -0.2)
    s.say(stack(cuda(ECC, "cudaErrorECCUncorrectable"), "parse_t5.py@121@<module>@trainer.train()", "~/transformers/trainer.py@2556@_inner_training_loop@and (torch.isnan(tr_loss_step) or torch.isinf(tr_loss_step))"), 0.8)
    yield s.done(BROKE.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1}, counters={0: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1})})

    s = Slip(34, "swell-forecast", "a100s", 2, 4, voice=v.modulus, script="swell.py").say("[<hms> - main - INFO] rank <rank>/8 on <host>", 17, None).mem(31).cards("well").run(3800, 1.7, 25, 20_000, sinking(0.7, 0.09))
    s.xid(6, 95, "pid='<unknown>', name=<unknown>, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No", -0.2)
    s.say(stack(cuda(ECC), "swell.py@164@<module>@train(cfg)", "swell.py@120@train@optimizer.step()", mark="[rank<rank>]: "), 0.7, 6)
    yield s.done(BROKE.but(first_ranks=(6,)), "FAILED", {6: 1}, rest=-15, counters={6: ({}, {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "recovery_action": "reset"})})

    s = Slip(35, "lidar-occupancy", "a100", 1, 8, voice=v.tabular, script="occ.py", rack="dgx").say("|     time |     step |      loss |          ppl |  s/step |", 22).mem(70).cards("hard").run(9100, 0.66, 100, 120_000, sinking(2.7, 0.6))
    s.xid(4, 74, f"pid={s.pid(4)}, name=python3, NVLink: fatal error detected on link 7(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)", -0.1)
    s.say(stack(cuda("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable"), "occ.py@201@<module>@fit(cfg)", "occ.py@150@fit@dist.all_reduce(stats)", mark="[rank<rank>]: "), 0.9, 4)
    yield s.done(BROKE.but(first_ranks=(4,)), "FAILED", {4: 1}, rest=-15, counters={4: ({}, {"nvlink_crc_errors": 1873, "nvlink_replay_errors": 402, "nvlink_recovery_errors": 5})})

    s = Slip(36, "phoneme-w2v", "h100n", 1, 2, voice=v.k2(3000), script="w2v.py").say("<iso>,310 INFO [w2v.py:410] rank <rank> starts", 10, None).mem(66).cards("well").run(8000, 0.74, 50, 90_000, sinking(4.8, 1.3)).cards("held", 0).cards("spin", 1)
    s.wait(46).xid(0, 119, f"pid={s.pid(0)}, name=python3, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802a02 0x8).", 0.4)
    s.say(stack(cuda("unknown error"), "w2v.py@512@<module>@main()", "w2v.py@377@train_one_epoch@scaler.scale(loss).backward()", mark="[rank<rank>]: "), 1.2, 0)
    yield s.done(BROKE.but(first_ranks=(0,)), "FAILED", {0: 1}, rest=-15, counters={0: ({}, None)}, unread={0: s.t - 47})

    s = Slip(37, "steering-world", "b200", 1, 4, voice=v.nanotron, script="world.py").say("4 ranks, NVLink 5", 20).mem(150).cards("hard").run(4100, 1.2, 20, 40_000, sinking(5.1, 2.0))
    s.xid(2, 149, "pid='<unknown>', name=<unknown>, NETIR_LINK_EVT Fatal XC0 i0 Link 05 (0x0000a4c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", -0.3)
    s.say(stack(cuda("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable"), "world.py@144@<module>@run(cfg)", "world.py@99@run@loss.backward()", mark="[rank<rank>]: "), 1, 2)
    yield s.done(BROKE.but(first_ranks=(2,)), "FAILED", {2: 1}, rest=-15, counters={2: ({"nvlink_recovery_failed": 0, "nvlink_effective_errors": 0}, {"nvlink_recovery_failed": 1, "nvlink_effective_errors": 240, "recovery_action": "reset"})})

    s = Slip(38, "paint-defects", "l40s", voice=v.ultra, script="lack.py").say("      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 12).mem(12).cards("well").run(63, 71, 1, 200, sinking(2.2, 0.7))
    s.say(stack(cuda(ECC), "lack.py@40@<module>@model.train(data='lack.yaml', epochs=200)", "~/ultralytics/engine/trainer.py@421@_do_train@self.scaler.scale(self.loss).backward()"), 21)
    s.xid(0, 48, "pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 2, subpartition 0.", 0.9)
    yield s.done(BROKE.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1}, counters={0: ({"ecc_volatile_corrected": 14}, {"ecc_volatile_corrected": 14, "ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remap_pending": True})})

    s = Slip(39, "tidal-unet", "v100", 1, 4, voice=v.francais, script="maree.py").say("rang <rank> prêt", 9, None).mem(27).cards("well").run(5600, 0.97, 40, 50_000, sinking(0.6, 0.1))
    s.xid(3, 62, f"pid={s.pid(3)}, name=python3, 2109(2f74) 00000000 00000000", -0.2)
    s.say(stack(cuda("unspecified launch failure"), "maree.py@117@<module>@boucle(cfg)", "maree.py@81@boucle@perte = critere(modele(x), y).item()", mark="[rank<rank>]: "), 1.4, 3)
    yield s.done(BROKE.but(first_ranks=(3,)), "FAILED", {3: 1}, rest=-15, counters={3: ({}, None)}, unread={3: s.t - 2})

    s = Slip(40, "corpus-34b", "h100", 4, 8, voice=v.megatron, script="pretrain_gpt.py", rack="hgx").say("<host>:<pid>:<pid> [<local>] NCCL INFO ncclCommInitRankConfig comm 0x55d1c0 rank <rank> nranks 32 - Init COMPLETE", 38, None).mem(74).cards("hard").run(1450, 6.4, 5, 20_000, sinking(7.8, 2.2))
    s.xid(11, 94, f"pid={s.pid(11)}, name=python3, Contained: FBHUB (0x4). RST: No, D-RST: No", -0.2)
    s.say("<host>:<pid>:71260 [<local>] include/alloc.h:228 NCCL WARN Cuda failure 214 'uncorrectable ECC error encountered'\n"
          + stack(f"torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:114, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 214 '{ECC}'", "pretrain_gpt.py@330@<module>@pretrain(", "megatron/core/distributed/param_and_grad_buffer.py@310@finish_grad_sync@self.grad_reduce_handle.wait()", mark="[rank<rank>]: "), 0.9, 11)  # fmt: skip
    s.say("torch.distributed.DistBackendError: NCCL communicator was aborted on rank <rank>.", 1.6, s.others(11), 0.01)
    yield s.done(BROKE.but(first_ranks=(11,)), "FAILED", {11: 1}, rest=1, when={11: s.t - 1.2}, counters={11: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "remapped_rows_uncorrectable": 1, "remap_pending": True})})

    s = Slip(41, "sonobuoy", "v100", voice=v.logfmt, script="buoy.py").say('t=<iso> lvl=info msg="spectrogram frames 8.1e6"', 10).mem(22).cards("fair").run(10_400, 0.41, 100, 80_000, sinking(3.0, 0.8))
    s.xid(0, 48, "pid='<unknown>', name=<unknown>, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0x3fe1c1e0 partition 9, subpartition 0.", -0.2)
    s.say(stack(cuda(ECC), "buoy.py@88@<module>@train()", "buoy.py@61@train@opt.step()"), 0.6)
    yield s.done(BROKE.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1}, counters={0: ({"remapped_rows_correctable": None, "remapped_rows_uncorrectable": None, "retired_pages_dbe": 0, "retired_pages_sbe": 2, "retired_pages_pending": False}, {"retired_pages_dbe": 1, "retired_pages_pending": True, "ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1})})

    s = Slip(42, "grammar-probe", "r6000", voice=v.bar, script="probe.py", eyes="plain").say("probing 24 layers", 6).mem(17).cards("fair").run(6600, 0.33, 100, 24_000, sinking(1.6, 0.4))
    s.xid(0, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", -0.2)
    s.say(stack(cuda("unspecified launch failure"), "probe.py@70@<module>@loop(layers)", "probe.py@44@loop@acc += (out.argmax(-1) == y).sum().item()"), 1)
    yield s.done(BROKE.but(failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1}, counters={0: ({}, None)}, unread={0: s.t - 0.9})


def held_down() -> Iterator[HandJob]:
    """B3: clocks held down by heat or power."""
    s = Slip(43, "radar-nowcast", "h100", 1, 8, voice=v.modulus, script="nowcast.py").say("[<hms> - main - INFO] 8 ranks", 14).mem(61).cards("hard").run(3000, 0.92, 20, 8000, sinking(0.8, 0.2))
    s.cards("hard", 5, mhz=765, celsius=91, why=0x48, watts=330).cards("queue", s.others(5)).run(300, 0.95, 20, 8000, sinking(0.8, 0.2), to_pace=2.2).run(4700, 2.21, 20, 8000, sinking(0.8, 0.2))
    yield s.say("[<hms> - main - INFO] finished 8000 mini-batches", 2).done(HELD, counters={5: ({}, held_back(hw_thermal=10_770, thermal=10_770, power=0.004))})

    s = Slip(44, "seat-comfort", "a100", voice=v.deutsch, script="sitz.py").say("1 Karte", 8).mem(44).cards("well").run(1200, 0.7, 20, 9000, sinking(1.3, 0.3)).cards("well", mhz=705, why=0x88, watts=160).run(7800, 1.41, 20, 9000, sinking(1.3, 0.3))
    yield s.say("Training beendet nach 9000 Schritten", 1).done(HELD, counters={0: ({}, held_back(hw_power_brake=11_010, power=0.004))})

    s = Slip(45, "storm-surge", "v100", 1, 4, voice=v.francais, script="surcote.py").say("rang <rank> prêt", 9, None).mem(25).cards("well").run(1500, 0.81, 20, 6000, sinking(0.5, 0.1))
    s.cards("well", mhz=577, celsius=88, why=0x48, watts=118).run(200, 0.9, 20, 6000, sinking(0.5, 0.1), to_pace=2.05).run(4300, 2.1, 20, 6000, sinking(0.5, 0.1))
    yield s.say("fini : 6000 itérations", 1).done(HELD, counters={r: ({}, held_back(hw_thermal=9_320 - 11 * r, thermal=9_320 - 11 * r)) for r in range(4)})

    s = Slip(46, "endangered-asr", "l40s", voice=v.whisper, script="asr_small.py").say("Num examples = 41,220", 11).mem(29).cards("well").run(900, 0.9, 10, 5000, sinking(3.8, 0.4)).cards("well", mhz=660, celsius=93, why=0x60, watts=120).run(4100, 2.9, 10, 5000, sinking(3.8, 0.4))
    yield s.say("{'train_runtime': 12701.4, 'train_loss': 0.61, 'epoch': 5.0}", 2).done(HELD, counters={0: ({}, held_back(hw_thermal=11_880, thermal=11_890))})

    s = Slip(47, "driver-vlm", "h200", 2, 8, voice=v.olmo, script="vlm.py", rack="hgx").say("node <host> has ranks of <rank>", 24, (0, 8)).mem(120).cards("hard").run(700, 2.1, 10, 4000, sinking(3.6, 1.2))
    s.cards("hard", s.on(1), mhz=990, why=0x88, watts=350, celsius=48).cards("queue", s.on(0)).run(3300, 4.15, 10, 4000, sinking(3.6, 1.2))
    yield s.say("training complete at step 4000", 4).done(HELD, counters={r: ({}, held_back(hw_power_brake=13_690, power=0.004)) for r in s.on(1)})

    s = Slip(48, "sketch-lora", "r4090", voice=v.kohya, script="train_network.py", eyes="plain").say("enable xformers for U-Net\nprepare optimizer, data loader etc.", 15).mem(20).cards("well").run(700, 1.05, 10, 4000, sinking(0.15, 0.08)).cards("well", mhz=1215, celsius=94, why=0x48, watts=190).run(3300, 2.6, 10, 4000, sinking(0.15, 0.08))
    yield s.say("saving checkpoint: sketch.safetensors\nmodel saved.", 4).done(HELD, counters={0: ({"ecc_enabled": False}, held_back(hw_thermal=8_560, thermal=8_560))})

    s = Slip(49, "ocean-ai", "b200", 2, 4, voice=v.jsonl, script="ocean.py").mem(140).cards("hard").wait(40).run(1600, 1.0, 20, 6000, sinking(0.9, 0.2))
    s.cards("hard", 6, mhz=720, celsius=92, why=0x48, watts=410).cards("queue", s.others(6)).run(4400, 2.5, 20, 6000, sinking(0.9, 0.2))
    yield s.say('{"@timestamp": "<iso>", "event": "end", "global_step": 6000}', 2).done(HELD, counters={6: ({}, held_back(hw_thermal=10_980, thermal=10_990))})

    s = Slip(50, "gearbox-noise", "a6000", voice=v.syslog, script="gear.py", eyes="plain").say("learner: gearbox recordings 4 TB, prepared", 8).mem(30).cards("well").run(800, 0.8, 20, 6000, sinking(2.0, 0.4))
    for mhz, pace in ((1560, 1.1), (1185, 1.45), (900, 1.9), (690, 2.5)):
        s.cards("well", mhz=mhz, celsius=92, why=0x48, watts=300 - (2100 - mhz) * 0.13).run(1300, pace, 20, 6000, sinking(2.0, 0.4))
    yield s.say("learner: 6000 updates made", 1).done(HELD, counters={0: ({}, held_back(hw_thermal=8_980, thermal=8_980))})

    s = Slip(51, "wind-farm-gnn", "gh200", voice=v.pyg, script="farm.py").say("graph: 88 turbines x 70128 hours", 7).mem(52).cards("hard").run(30, 33, 1, 200, sinking(1.2, 0.2)).cards("hard", mhz=870, why=0x88, watts=300).run(170, 76, 1, 200, sinking(1.2, 0.2))
    yield s.say("Best validation 0.9011 in epoch 188", 1).done(HELD, counters={0: ({}, held_back(hw_power_brake=12_890))})

    s = Slip(52, "call-sign", "t4", 1, 2, voice=v.flat, script="sign.py", eyes="plain").say("2 cards, batch 64 each", 6).mem(11).cards("well").run(1500, 0.5, 25, 9000, sinking(1.7, 0.5)).cards("well", mhz=585, celsius=90, why=0x60, watts=31).run(7500, 1.33, 25, 9000, sinking(1.7, 0.5))
    yield s.say("done", 1).done(HELD, counters={r: ({}, held_back(hw_thermal=9_900, thermal=9_950)) for r in (0, 1)})


def never_met() -> Iterator[HandJob]:
    """C1."""
    s = Slip(53, "coupled-ocean", "h100", 4, 8, voice=v.olmo, hours=2, script="coupled.py", rack="hgx")
    s.say("<iso> <host> rank <rank> of 32: init_process_group(nccl, tcp://<head>:29511)", 11, s.others(*s.on(3)), 0.01)
    s.stands_at(s.others(*s.on(3)), "S", "poll_schedule_timeout").say("<iso> <host> staging /dataset/era5.sif to the node's disk", 2, s.on(3)[:1])
    s.stands_at(s.on(3), "D", "lookup_slow")
    yield s.done(UNMET, "TIMEOUT")

    s = Slip(54, "mirror-mt", "a100", 2, 4, voice=v.litgpt, script="mt.py", asked="sbatch -N2 --ntasks-per-node=4 mt.sbatch").say("rank <rank>: MASTER_ADDR=login02 MASTER_PORT=29500", 9, None)
    for k in range(12):
        s.say("[W<md> <hms>.<us>000 socket.cpp:759] [c10d] The client socket has failed to connect to [login02.cl.hpc]:29500 (errno: 110 - Connection timed out).", 131 if k else 130, None, 0.05)
    s.wait(60)
    yield s.done(UNMET, "CANCELLED", cancelled_by_uid=1042)

    s = Slip(55, "engine-knock", "a100s", 1, 4, voice=v.keras, script="hvd.py", hours=1).say("[1,<rank>]<stdout>: horovod rank <rank> of 4 on <host>, framework tensorflow", 12, None).mem(1.1, (0, 1, 2)).cards("held")
    for k in range(58):
        s.say("[<iso>.<us>: W /tmp/pip-install/horovod/horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. \nMissing ranks:\n3: [broadcast.kernel_0, broadcast.bias_0 ...]", 60 if k else 70, 0)
    s.stands_at(3, "D", "rpc_wait_bit_killable")
    yield s.done(UNMET, "TIMEOUT")

    s = Slip(56, "wave-spectra", "h200", 2, 8, voice=v.maxtext, script="spectra.py")
    s.say("I<md> <hms>.<us> <pid> distributed.py:130] Connecting to JAX distributed service on <head>:1234, process <rank>", 14, s.others(12), 0.02)
    s.say("E<md> <hms>.<us> <pid> coordination_service_agent.cc:649] PollForError returned an error (this can be an error from this or another task): DEADLINE_EXCEEDED: Barrier timed out. Id: [Init]PjRT_Client_Connect::0. This usually happens because a task triggered the barrier too early or too slowly. Please look at the task logs (both timed out and first task) to debug further.\n# of tasks that reached the barrier: 15/16.\nSome timed out task names:\n/job:jax_worker/replica:0/task:12", 1800, s.others(12), 0.01)
    yield s.done(UNMET, "FAILED", dict.fromkeys(s.others(12), -6), rest=-15)

    s = Slip(57, "phonology-moe", "h100", 2, 8, voice=v.nanotron, script="moe.py")
    s.say("rank <rank> on <host>: device set", 15, None).mem(1.4).cards("spin", s.others(13)).cards("held", 13)
    s.say(dog("ALLREDUCE", 1, 1, 600_000, enqueued=1), 602, s.others(13), 0.02).stands_at(13, "S", "futex_wait_queue")
    yield s.done(UNMET.but(cause="nccl"), "FAILED", dict.fromkeys(s.others(13), -6), rest=-15)

    s = Slip(58, "brake-wear", "l40s", 2, 4, voice=v.syslog, script="brake.py", hours=1.5, eyes="plain").say("<hms> rank <rank> here", 8, None)
    s.say(stack("ModuleNotFoundError: No module named 'pytorch_wavelets'", "brake.py@11@<module>@from wear.front import FrontEnd", "wear/front.py@3@<module>@import pytorch_wavelets as pw"), 4, 5)
    died = s.t
    s.say("<hms> rank <rank>: waiting for all 8 at tcp://<head>:23456", 2, s.others(5)).stands_at(s.others(5), "S", "poll_schedule_timeout")
    yield s.done(UNMET.but(cause="missing_module", trigger="A1", fault="user", first_ranks=(5,)), "TIMEOUT", {5: 1}, when={5: died + 0.3})

    s = Slip(59, "coast-sar", "mi300", 4, 8, voice=v.zhong, script="sar.py", hours=3, rack="mi")
    s.say("[<iso>] <host> 进程 <rank>/32 启动, 等待其余进程 (tcp://<head>:29400)", 13, s.others(*s.on(2)), 0.01).stands_at(s.others(*s.on(2)), "S", "poll_schedule_timeout")
    s.say("[<iso>] <host> 正在解压 coast_sar.tar 到 /local", 1, s.on(2)[:1])
    s.wait(5400)
    yield s.done(UNMET, "CANCELLED", cancelled_by_uid=1042)


def stood_still() -> Iterator[HandJob]:
    """C2."""
    s = Slip(61, "translation-7b", "h100", 2, 8, voice=v.nanotron, hours=5, script="t7b.py", rack="hgx").say("16 ranks, FSDP", 22).mem(66).cards("hard").run(3100, 2.2, 10, 40_000, sinking(6.3, 1.9))
    s.cards("spin", s.others(11)).cards("held", 11).stands_at(11, "D", "nfs_wait_bit_killable", 900, file_systems=("nfs4 /projects",))
    yield s.done(STILL, "TIMEOUT")

    s = Slip(62, "trailer-sway", "a100", 1, 8, voice=v.tabular, hours=4, script="sway.py").say("|     time |     step |      loss |          ppl |  s/step |", 15).mem(40).cards("well").run(7000, 0.83, 50, 60_000, sinking(2.1, 0.5))
    s.reaped(5).cards("spin", s.others(5)).cards("off", 5)
    died = s.t
    s.mem(0, 5, 1)
    yield s.done(STILL.but(cause="oom_killer", trigger="A2", fault="user", first_ranks=(5,)), "TIMEOUT", {5: -9}, when={5: died}, memory={5: CgroupMemory(limit_bytes=480 * GIB, peak_bytes=480 * GIB, oom_events=2, oom_kill_events=1)})

    s = Slip(63, "tone-diffusion", "mi300", 1, 8, voice=v.zhong, script="tone.py", rack="mi").say("8 卡 MI300X, RCCL 2.22.3", 16).mem(130).cards("hard").run(5400, 1.1, 50, 60_000, sinking(1.2, 0.3)).cards("spin").wait(7300)
    yield s.done(STILL, "CANCELLED", cancelled_by_uid=1042)

    s = Slip(64, "fog-vision", "h200", 1, 8, voice=v.jsonl, script="fog.py")
    s.say('{"event": "start", "rank": <rank>}', 13, None).mem(104).cards("hard").run(6000, 0.94, 20, 50_000, sinking(3.9, 1.1)).cards("spin", s.others(2)).cards("held", 2)
    s.stands_at(2, "D", "cl_sync_io_wait", 118, file_systems=("lustre /lustre",)).say(dog("_ALLGATHER_BASE", 48_211, 33_554_432, 600_000), 601, s.others(2), 0.05)
    yield s.done(STILL.but(cause="nccl"), "FAILED", dict.fromkeys(s.others(2), -6), rest=-15)

    s = Slip(65, "earth-1t", "h100", 8, 8, voice=v.megatron, hours=8, script="earth.py", rack="hgx")
    s.say("building GPT model ...", 60).mem(76).cards("hard").run(1900, 9.3, 5, 30_000, sinking(9.2, 2.3)).cards("spin", s.others(37)).cards("held", 37).stands_at(37, "S", "futex_wait_queue", 900)
    yield s.done(STILL, "TIMEOUT")

    s = Slip(66, "lane-keeping", "a40", 1, 4, voice=v.ultra, hours=3, script="lane.py", eyes="plain").say("      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 12).mem(13).cards("well").run(70, 66, 1, 300, sinking(2.0, 0.6))
    s.say(stack("KeyError: 'night_0413.jpg'", "lane.py@52@<module>@model.train(data='lane.yaml', device=[0, 1, 2, 3])", "lane/weights.py@27@__getitem__@w = self.weight_of[os.path.basename(path)]", mark="[rank<rank>]: "), 9, 3)
    died = s.t
    s.cards("spin", s.others(3)).cards("off", 3).mem(0, 3, 1)
    yield s.done(STILL.but(cause="traceback", trigger="A3", fault="user", first_ranks=(3,)), "TIMEOUT", {3: 1}, when={3: died + 0.5})

    s = Slip(67, "vowel-space", "v100", 2, 4, voice=v.k2(2200), hours=4, script="vowel.py").say("<iso>,100 INFO [vowel.py:300] (<local>/8) device: cuda:<local>", 12, None).mem(26).cards("well").run(8800, 0.66, 50, 70_000, sinking(1.7, 0.3))
    died = s.t + 0.3
    s.cards("spin", s.others(6)).cards("off", 6).mem(0, 6, 1)
    yield s.done(STILL.but(cause="segfault", trigger="A2", fault="user", first_ranks=(6,)), "TIMEOUT", {6: -11}, when={6: died})

    s = Slip(68, "ice-drift", "gh200", 4, 1, voice=v.maxtext, script="ice.py").say("I<md> <hms>.<us> <pid> ice.py:44] process <rank>/4", 11, None).mem(70).cards("hard").run(4300, 1.9, 10, 20_000, sinking(2.9, 1.0)).cards("spin", (0, 2, 3)).cards("held", 1).wait(5100)
    yield s.done(STILL, "CANCELLED", cancelled_by_uid=1042)

    s = Slip(69, "cabin-voice", "l40s", 1, 4, voice=v.portugues, script="cabine.py").say("processo <rank> iniciado", 9, None).mem(33).cards("well").run(5200, 0.72, 40, 5216, sinking(4.0, 1.2))
    s.say("processo 3: fim dos dados após 5208 lotes, entrando na avaliação", 4, 3).cards("spin")
    s.say(dog("ALLREDUCE", 20_833, 7_340_032, 1_800_000), 1801, (0, 1, 2), 0.04).say(dog("ALLGATHER", 20_833, 4, 1_800_000, enqueued=20_833), 1.5, 3)
    yield s.done(STILL.but(cause="nccl"), "FAILED", dict.fromkeys(range(4), -6))

    s = Slip(70, "glossing-lm", "a100p", 1, 4, voice=v.ds, script="gloss.py", rack="n").say("[<iso>] [INFO] rank <rank>: zero stage 2", 14, None).mem(71).cards("well").run(2600, 1.5, 10, 30_000, sinking(3.3, 0.9)).mem(79, 1, 2)
    s.say(stack(no_room("2.97 GiB", "79.25 GiB", "1.44 GiB", "77.80 GiB", "74.15 GiB", "2.90 GiB", gpu="1"), "gloss.py@131@<module>@engine.backward(loss)", "~/deepspeed/runtime/engine.py@2259@backward@self._do_optimizer_backward(loss, retain_graph)", mark="[rank<rank>]: "), 1.2, 1)
    died = s.t + 0.6
    s.cards("spin", (0, 2, 3)).cards("off", 1).mem(0, 1, 2)
    s.say(dog("_REDUCE_SCATTER_BASE", 15_602, 67_108_864, 1_800_000), 1800, (0, 2, 3), 0.05)
    yield s.done(STILL.but(cause="cuda_oom", trigger="B1", fault="user", first_ranks=(1,)), "FAILED", {1: 1, **dict.fromkeys((0, 2, 3), -6)}, when={1: died})

    s = Slip(71, "bumper-sim2real", "a100s", 1, 4, voice=v.keras, hours=3, script="hvd2.py").say("[1,<rank>]<stdout>: horovod rank <rank> of 4", 10, None).mem(30).cards("well").run(45, 120, 1, 200, sinking(2.9, 0.7)).cards("spin", (0, 1, 3)).cards("held", 2)
    for k in range(88):
        s.say("[<iso>.<us>: W /tmp/pip-install/horovod/horovod/common/stall_inspector.cc:107] One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for remainder of ranks for more than 60 seconds. This may indicate that different ranks are trying to submit different tensors or that only subset of ranks is submitting tensors, which will cause deadlock. \nMissing ranks:\n2: [DistributedAdam_Allreduce/cond_14/HorovodAllreduce_grads_14_0, ...]", 60 if k else 75, 0)
    yield s.stands_at(2, "S", "futex_wait_queue", 400).done(STILL, "TIMEOUT")


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (broke, held_down, never_met, stood_still):
        yield from part()


RECIPE = Recipe("ferry_tickets_by_pen", "development", jobs)

"""Jobs of an institute for materials and of a hospital's imaging group, by pen: cards that break under a job, and programs that break by themselves."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._bandstand import Tune, but
from corpus.make._bandstand_words import SITE, cuda, elastic, trace
from corpus.running.job import HandJob, Recipe

BAD = "FAILED"
ECC = "uncorrectable ECC error encountered"


def ill(*first: int, cause: str | None = "cuda_runtime") -> Label:
    """A card."""
    return Label(mode="B2", cause=cause, fault="node", first_ranks=first, failed_ranks=first if first == (0,) else ())


def own(cause: str, *first: int, failed: tuple[int, ...] = ()) -> Label:
    """The program's."""
    return Label(mode="A3", cause=cause, fault="user", first_ranks=first, failed_ranks=failed)


def broken() -> Iterator[HandJob]:
    """Cards."""
    s = Tune(31, "dft-surrogate", "a100", form="kv", script="fit.py").say("loaded 1.2M structures", 30).hold(29).mood("work").run(1900, 0.8, 50, 90_000)
    s.xid(0, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000001c3d22a) marked for remapping, reset gpu to activate.", 0.8).xid(0, 48, "pid=40000, name=python, DBE (double bit error) ECC error detected. Location: DRAM bank 5", 0.7)
    s.count(0, "ecc_volatile_uncorrected", 1).count(0, "ecc_aggregate_uncorrected", 1).count(0, "remapped_rows_uncorrectable", 1).count(0, "remap_pending", True, False)
    yield s.say(trace(cuda(ECC), "/gpfs/work/alice/dft/fit.py:133 train loss.backward()"), 0.4).end(ill(0), BAD, {0: 1})
    s = Tune(32, "mri-vit-l", "h100", 1, 8, form="guru", by="torchrun", script="engine.py").say("«d».201 | INFO     | engine:setup:31 - 8 ranks, bf16", 24).hold(61).mood("heavy").run(1400, 1.1, 25, 60_000)
    s.mood("rest", but(6)).xid(6, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 0.6).say(trace(cuda("unspecified launch failure"), "/gpfs/work/alice/mri/engine.py:214 step self.scaler.scale(loss).backward()", mark="[rank6]: "), 1.4, 6)
    yield s.say(elastic("engine.py", [(6, 6, 1, 52_306)]), 9).end(ill(6), BAD, {6: 1}, rest=-15, gone={6: s.t - 11})
    s = Tune(33, "phonon-gnn", "h100", 2, 4, form="json", script="phonon.py").say('{"event": "world", "size": 8}', 19).hold(55).mood("work").run(1600, 0.9, 40, 80_000)
    s.xid(5, 95, "pid=40005, name=python, Uncontained: FBHUB, L2 slice 3. RST: Yes, D-RST: No", 0.5).xid(5, 45, "pid=40005, name=python, Ch 00000012", 0.2).count(5, "ecc_volatile_uncorrected", 4).count(5, "ecc_aggregate_uncorrected", 4)
    s.say(trace(cuda(ECC), "/gpfs/work/alice/phonon/phonon.py:90 fit opt.step()", mark="[rank5]: "), 0.6, 5)
    yield s.end(ill(5), BAD, {5: 1}, rest=-15, after=5, at={5: s.t + 0.5})
    s = Tune(34, "ct-recon-ddp", "h200", 1, 8, form="plain", script="recon.py").say("8 Prozesse, Projektionen 2048 x 1024", 15).hold(110).mood("heavy").run(900, 1.6, 20, 20_000)
    s.xid(3, 74, "pid=40003, name=python, NVLink: fatal error detected on link 7(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", 0.4).count(3, "nvlink_crc_errors", 51_233).count(3, "nvlink_replay_errors", 94)
    s.say(trace(cuda("uncorrectable NVLink error detected during the execution"), "/gpfs/work/alice/recon/recon.py:171 main torch.cuda.synchronize()", mark="[rank3]: "), 0.5, 3)
    yield s.end(ill(3), BAD, {3: 1}, rest=-15, after=4, at={3: s.t + 0.4})
    s = Tune(35, "md-potential", "l40s", 1, 2, form="csv", script="nequip_train.py").say("time;step;loss;s", 10).hold(31).mood("work").run(2600, 0.5, 50, 200_000)
    s.xid(1, 119, "pid=40001, name=python, Timeout after 45s of waiting for RPC response from GPU1 GSP! Expected function 103 (GSP_RM_ALLOC) (0x5 0x2080).", 9).mood("rest", 1)
    s.say(trace(cuda("unknown error"), "/gpfs/work/alice/md/nequip_train.py:77 <module> e, f = model(batch)", mark="[rank1]: "), 1.5, 1)
    yield s.end(ill(1), BAD, {1: 1}, rest=-15, after=6, at={1: s.t + 0.4}, gone={1: s.t - 12})
    s = Tune(36, "us-video-mae", "a100l", 1, 4, form="mm", by="torchrun", script="tools/train.py").say("«d» - mmengine - INFO - Hooks will be executed in the following order", 20).hold(58).mood("work").run(1500, 1.0, 50, 50_000)
    s.xid(2, 94, "pid=52302, name=python, Contained: SM (0x1). RST: No, D-RST: No", 0.5).xid(2, 63, "pid='<unknown>', name=<unknown>, Row Remapper: New row (0x0000000000ba0f10) marked for remapping, reset gpu to activate.", 0.3)
    s.count(2, "ecc_volatile_uncorrected", 1).count(2, "ecc_aggregate_uncorrected", 1).count(2, "remapped_rows_uncorrectable", 1).count(2, "remap_pending", True, False)
    s.say(trace(cuda(ECC, new=False), f"{SITE}/mmengine/optim/optimizer/optimizer_wrapper.py:201 update_params self.step(**step_kwargs)", mark="[rank2]: "), 0.6, 2)
    yield s.say(elastic("tools/train.py", [(2, 2, 1, 52_302)]), 6).end(ill(2), BAD, {2: 1}, rest=-15)
    s = Tune(37, "polymer-lm", "b200", 2, 4, form="nano", script="plm.py").say("fsdp2, 8 x B200", 26).hold(150).mood("heavy").run(1000, 1.3, 20, 50_000)
    s.xid(4, 145, "RLW_REMAP Nonfatal XC1 i0 Link 11 (0x00000004 0x80000000)", 2.5).xid(4, 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 11 (0x004505c6 0x00000000 0x00000000)", 0.4).count(4, "nvlink_receive_errors", 2048).count(4, "nvlink_effective_errors", 317).count(4, "nvlink_recovery_failed", 1)
    s.say(trace(cuda("uncorrectable NVLink error detected during the execution"), "/gpfs/work/alice/plm/plm.py:240 train grad = clip(model.parameters(), 1.0)", mark="[rank4]: "), 0.7, 4)
    yield s.end(ill(4), BAD, {4: 1}, rest=-15, after=5, at={4: s.t + 0.5})
    s = Tune(38, "histo-mil", "a100", form="pol", script="mil.py").say("1 karta, 4100 preparatow", 9).hold(33).mood("work").run(1700, 0.8, 50, 30_000)
    s.xid(0, 48, "pid=40000, name=python, DBE (double bit error) ECC error detected", 0.9).xid(0, 64, "pid='<unknown>', name=<unknown>, Row Remapper: Failed to remap row 0x0000000000f0a11c, no spare rows left", 0.6)
    s.count(0, "ecc_volatile_uncorrected", 3).count(0, "ecc_aggregate_uncorrected", 11, 8).count(0, "remap_failure", True, False).count(0, "remapped_rows_uncorrectable", 8, 8)
    yield s.say(trace(cuda(ECC, new=False), "/gpfs/work/alice/mil/mil.py:66 <module> strata = krok(worek)"), 0.5).end(ill(0), BAD, {0: 1})
    s = Tune(39, "crystal-diff", "gh200", 4, 1, form="absl", script="cdvae.py").say("I«m» «t».«u» 140211 cdvae.py:40] process «r» of 4", 16, None).hold(71).mood("work").run(1500, 0.9, 50, 40_000)
    s.count(2, "ecc_volatile_uncorrected", 2).count(2, "ecc_aggregate_uncorrected", 2).say(trace("jax.errors.JaxRuntimeError: INTERNAL: CUDA error: Failed call to cuStreamSynchronize: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered", "/gpfs/work/alice/cdvae/cdvae.py:151 main metrics = jax.device_get(metrics)"), 0.9, 2)
    yield s.end(ill(2), BAD, {2: 1}, rest=-15, after=8, at={2: s.t + 0.5})
    s = Tune(40, "xray-jax", "h100p", form="absl", script="xray.py").say("I«m» «t».«u» 140211 xray.py:22] 1 local device: cuda:0", 13).hold(60).mood("work").run(2200, 0.6, 50, 100_000).xid(0, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 0.8)
    s.say(trace("jax.errors.JaxRuntimeError: INTERNAL: CUDA error: Failed call to cuEventRecord: CUDA_ERROR_UNKNOWN: unknown error", "/gpfs/work/alice/xray/xray.py:98 train_epoch state, m = update(state, batch)"), 1.2)
    yield s.end(ill(0), BAD, {0: 1}, gone={0: s.t - 3})
    s = Tune(41, "retina-seg", "ada", 1, 2, form="d2", script="train_net.py").say("[«t» d2.engine.train_loop]: Starting training from iteration 0", 12, 0).hold(35).mood("work").run(2400, 0.6, 60, 90_000)
    s.xid(0, 62, "pid='<unknown>', name=<unknown>, 2027fb1e 0000d5d0 00000000 2026ef52 2026e3e2 20271ee6 2026b4f2 00000000", 0.7).say(trace(cuda("unspecified launch failure", new=False), f"{SITE}/detectron2/engine/train_loop.py:395 run_step losses.backward()", mark="[rank0]: "), 0.8)
    yield s.end(ill(0).but(failed_ranks=()), BAD, {0: 1}, rest=-15, after=4, at={0: s.t + 0.4}, gone={0: s.t - 1})
    s = Tune(42, "alloy-moe", "h100", 4, 8, form="mega", by="torchrun", script="pretrain_alloy.py").say("> finished creating datasets", 40).hold(72).mood("heavy").run(700, 2.0, 10, 40_000)
    s.xid(19, 140, "pid='<unknown>', name=<unknown>, Unrecovered ECC error(s) detected: LTC", 0.6).xid(19, 154, "pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", 0.3)
    s.count(19, "ecc_volatile_uncorrected", 7).count(19, "ecc_aggregate_uncorrected", 7).count(19, "recovery_action", "reboot").say(trace(cuda(ECC), "/gpfs/work/alice/alloy/megatron/core/pipeline_parallel/schedules.py:511 forward_backward_no_pipelining output_tensor = forward_step(", mark="[rank19]: "), 0.5, 19)
    yield s.say(elastic("pretrain_alloy.py", [(19, 3, 1, 52_319)]), 8, 16).end(ill(19), BAD, {19: 1}, rest=-15)
    s = Tune(43, "sono-keras", "v100", form="keras", script="sono.py").say("Epoch 1/40", 20).hold(15).mood("work").run(1900, 0.7, 50, 2500)
    s.xid(0, 48, "pid=40000, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 6, subpartition 1.", 0.6).count(0, "ecc_volatile_uncorrected", 1).count(0, "ecc_aggregate_uncorrected", 1).count(0, "retired_pages_dbe", 1).count(0, "retired_pages_pending", True, False)
    yield s.say("«d».«u»: E tensorflow/stream_executor/cuda/cuda_event.cc:29] Error polling for event status: failed to query event: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered\n«d».«u»: F tensorflow/core/common_runtime/gpu/gpu_event_mgr.cc:273] Unexpected Event status: 1", 0.5).end(ill(0), BAD, {0: -6})
    s = Tune(44, "tomo-unet", "l40s", 1, 4, form="lit", by="torchrun", script="tomo.py").say("GPU available: True (cuda), used: True", 12).hold(36).mood("work").run(1800, 0.8, 40, 12_000)
    s.xid(2, 120, "pid=52302, name=python, GSP task timeout @ pc:0x1a2b3c4, task: 1", 5).xid(2, 154, "pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", 4).mood("rest", 2)
    s.say(trace(cuda("unknown error"), f"{SITE}/lightning/pytorch/loops/training_epoch_loop.py:269 advance batch_output = self.automatic_optimization.run(", mark="[rank2]: "), 1, 2)
    yield s.say(elastic("tomo.py", [(2, 2, 1, 52_302)]), 7).end(ill(2), BAD, {2: 1}, rest=-15, gone={2: s.t - 13})


def thrown() -> Iterator[HandJob]:
    """Programs."""
    s = Tune(51, "derma-26cls", "a30", form="plain", script="derma.py").say("25 classes in classes.txt", 8).hold(14).mood("work").run(700, 0.5, 20, 20_000)
    s.say("../aten/src/ATen/native/cuda/Loss.cu:250: nll_loss_forward_reduce_cuda_kernel_2d: block: [0,0,0], thread: [17,0,0] Assertion `t >= 0 && t < n_classes` failed.", 0.4)
    yield s.say(trace(cuda("device-side assert triggered", new=False), "/gpfs/work/alice/derma/derma.py:88 <module> loss = F.cross_entropy(net(x), y)"), 0.2).end(own("cuda_runtime", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(52, "triton-scan", "h100", form="nano", script="ssm.py").say("custom scan kernel, BLOCK=256", 15).hold(44).mood("work").run(1300, 0.7, 20, 60_000).say("curriculum: sequences of 32768 from here on", 0.5)
    s.xid(0, 31, "pid=40000, name=python, channel 0x00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_5 faulted @ 0x7e12_40a00000. Fault is of type FAULT_PTE ACCESS_TYPE_VIRT_WRITE", 0.2)
    yield s.say(trace(cuda("an illegal memory access was encountered"), "/gpfs/work/alice/ssm/ssm.py:120 main loss.backward()", "/gpfs/work/alice/ssm/scan.py:61 backward _scan_bwd[grid](dy, x, a, dx, da)"), 0.6).end(own("cuda_runtime", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(53, "ema-cpu-copy", "l40s", form="guru", script="fit.py").say("«d».010 | INFO     | fit:main:20 - EMA is kept on the host", 9).hold(25).mood("work").run(1000, 0.7, 20, 9000).say("«d».512 | INFO     | fit:validate:61 - validating with EMA weights", 0.4)
    yield s.say(trace("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument weight in method wrapper_CUDA__native_layer_norm)", "/gpfs/work/alice/ema/fit.py:64 validate out = ema.module(x)"), 1.1).end(own("device_mismatch", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(54, "bcast-root", "a100", 2, 4, form="kv", script="pop.py").say("population based search, 8 members", 14).hold(22).mood("work").run(600, 1.1, 20, 5000).say("exploit: member 8 is the best, its weights go to all", 0.3)
    s.say("«h»:«p»:«p» [«l»] NCCL WARN Broadcast : invalid root 8 (root should be in the 0..8 range)", 0.3, None).say(trace("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2863, invalid argument (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5\nncclInvalidArgument: Invalid value for an argument.\nLast error:\nBroadcast : invalid root 8 (root should be in the 0..8 range)", "/gpfs/work/alice/pop/pop.py:171 exploit dist.broadcast(p.data, src=best)", mark="[rank«r»]: "), 0.2, None)
    yield s.end(own("nccl", failed=tuple(range(8))), BAD, dict.fromkeys(range(8), 1))
    s = Tune(55, "fp8-gemm", "h100", form="json", script="fp8.py").say('{"recipe": "delayed scaling", "hidden": 4100}', 13).hold(50).mood("work").run(400, 0.8, 10, 20_000).say('{"event": "switch", "to": "fp8 kernels"}', 0.4)
    yield s.say(trace(cuda("misaligned address"), "/gpfs/work/alice/fp8/fp8.py:74 step y = fp8_linear(x, w)"), 0.5).end(own("cuda_runtime", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(56, "oct-layers", "a100", 1, 2, form="esp", script="oct.py").say("2 procesos", 8).hold(20).mood("work").run(900, 0.8, 20, 8000).say(trace("KeyError: 'membrana_elm'", "/gpfs/work/alice/oct/oct.py:101 paso objetivo = capas[nombre]", mark="[rank1]: "), 0.4, 1)
    s.count(0, "ecc_aggregate_uncorrected", 4, 4).count(0, "remapped_rows_uncorrectable", 2, 2)
    yield s.end(own("traceback", 1), BAD, {1: 1}, rest=-15, after=2, at={1: s.t + 0.3})
    s = Tune(57, "tile-stream", "l4", form="csv", script="tiles.py").say("tempo;passo;perda;s", 7).hold(15).mood("work").run(1500, 0.6, 50, 30_000)
    yield s.say(trace("FileNotFoundError: [Errno 2] No such file or directory: '/gpfs/data/tiles/z14/8803/5377.webp'", "/gpfs/work/alice/tiles/tiles.py:58 <module> for x, y in loader:", "/gpfs/work/alice/tiles/tiles.py:30 __getitem__ img = Image.open(self.paths[k])"), 0.5).end(own("file_not_found", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(58, "vocab-merge", "a100l", 1, 4, form="hf", by="torchrun", script="cpt.py").say("  Num examples = 1,204,000", 30).hold(66).mood("work").run(500, 1.4, 10, 12_000)
    s.say("/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1289: indexSelectSmallIndex: block: [12,0,0], thread: [96,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n" + trace(cuda("device-side assert triggered"), "/gpfs/work/alice/cpt/cpt.py:66 <module> trainer.train()", f"{SITE}/torch/nn/functional.py:2551 embedding return torch.embedding(weight, input, padding_idx, scale_grad_by_freq, sparse)", mark="[rank3]: "), 0.5, 3)
    yield s.say(elastic("cpt.py", [(3, 3, 1, 52_303)]), 5).end(own("cuda_runtime", 3), BAD, {3: 1}, rest=-15)
    s = Tune(59, "last-batch", "a30", form="bar", script="fit_ae.py").say("3 epochs of 812 batches", 6).hold(10).mood("work").run(812, 0.9, 20, 2436)
    yield s.say(trace("RuntimeError: shape '[64, 16, 8]' is invalid for input of size 3968", "/gpfs/work/alice/ae/fit_ae.py:49 <module> z = h.view(64, 16, 8)"), 0.3).end(own("runtime_error", 0, failed=(0,)), BAD, {0: 1})
    s = Tune(60, "sparse-labels", "l40s", form="lit", script="spl.py").say("Sanity Checking DataLoader 0: 100%|##########| 2/2 [00:01<00:00]", 10).hold(19).mood("work").run(1000, 0.6, 40, 9000)
    s.book.event(s.hosts[0], -40_000, "DRAIN", "BIOS update when idle")
    yield s.say(trace("ZeroDivisionError: division by zero", "/gpfs/work/alice/spl/spl.py:140 on_validation_epoch_end f1 = 2 * tp / (2 * tp + fp + fn)"), 7).end(own("div_zero", 0, failed=(0,)), BAD, {0: 1})


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from broken()
    yield from thrown()


RECIPE = Recipe("bassoon_sheets", "development", jobs)

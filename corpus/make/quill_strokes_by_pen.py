"""Jobs of an astronomy department, a map maker and a bank's research group, by pen: what cards and their links did, and what held their clocks."""

from collections.abc import Iterator, Mapping
from typing import Any

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.make._vellum_lines import HOME, SITE, cuda, fault, summary
from corpus.running.job import HandJob, Recipe

SICK = Label(mode="B2", cause="cuda_runtime", fault="node")
HELD = Label(mode="B3", fault="node")
HOT, SOFT_HOT, BRAKE = 72.0, 96.0, 136.0
Pair = tuple[Mapping[str, Any], Mapping[str, Any] | None]


def by(*ranks: int, one: bool = False) -> Label:
    """Whose card it was."""
    return SICK.but(first_ranks=ranks, failed_ranks=ranks if one else ())


def longer(**seconds: float) -> Pair:
    """Clocks were held for so long."""
    return {}, {f"violation_{k}_ns": int(v * 1e9) for k, v in seconds.items()}


def lone() -> Iterator[HandJob]:
    """B2 on one card."""
    s = Leaf(101, "galaxy-zoo", "v100", style="dgl", script="zoo.py").tell("DESI cutouts: 1,402,118", 10).hold(24).mood("busy").train(620, 1.1, 20, 9000)
    s.xid(0, 48, "pid=40000, DBE (double bit error) ECC Error detected", 1.2).xid(0, 63, "pid=40000, Dynamic Page Retirement: New page retired, reboot to activate (0x00000000000a1c4f).", 0.9).xid(0, 45, "pid=40000, Ch 00000010", 0.3)
    s.tell(fault(cuda("uncorrectable ECC error encountered"), f"{HOME}/zoo/zoo.py:166:<module>:train(net, loader)", f"{HOME}/zoo/zoo.py:120:train:running += loss.item()"), 0.6)
    yield s.close(by(0, one=True), "FAILED", {0: 1}, counters={0: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "retired_pages_dbe": 1, "retired_pages_pending": True})})

    s = Leaf(102, "road-lines", "l40", style="d2", script="tools/lazy_train.py").tell("[@hms d2.engine.train_loop]: Starting training from iteration 0", 14).hold(31).mood("busy").train(880, 0.9, 20, 90_000)
    s.xid(0, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 0.8).xid(0, 154, "pid='<unknown>', name=<unknown>, GPU recovery action changed from 0x0 (None) to 0x2 (Node Reboot Required)", 0.3)
    s.tell("ERROR [@hms d2.engine.train_loop]: Exception during training:\n" + fault(cuda("unspecified launch failure"), f"{SITE}/detectron2/engine/train_loop.py:155:train:self.run_step()", f"{SITE}/detectron2/engine/train_loop.py:498:run_step:self.grad_scaler.scale(losses).backward()") + "\nUnable to determine the device handle for GPU0000:18:00.0: Unknown Error", 1)
    yield s.close(by(0, one=True), "FAILED", {0: 1}, counters={0: ({}, None)}, dark={0: s.now - 8})

    s = Leaf(103, "lightcurves", "h100pcie", style="flax", script="fit_curves.py").tell("I@md @hms.@us 140200 fit_curves.py:31] devices: [CudaDevice(id=0)]", 12).hold(72, over=3).mood("busy").train(1700, 0.4, 50, 40_000)
    s.xid(0, 94, "pid=40000, name=python, Contained: HBM3 memory uncorrectable error (0x2). RST: No, D-RST: No", 0.9).xid(0, 63, "pid=40000, name=python, Row Remapper: New row (0x0000000000019e40) marked for remapping, reset gpu to activate.", 0.7)
    s.tell(fault("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to synchronize GPU stream: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered", f"{HOME}/curves/fit_curves.py:140:<module>:state = epoch(state, shards)", f"{HOME}/curves/fit_curves.py:88:epoch:losses.append(float(loss))"), 0.6)
    yield s.close(by(0, one=True), "FAILED", {0: 1}, counters={0: ({}, {"ecc_volatile_uncorrected": 3, "ecc_aggregate_uncorrected": 3, "remapped_rows_uncorrectable": 1, "remap_pending": True, "recovery_action": "drain_and_reset"})})

    s = Leaf(104, "fraud-graphs", "a30", style="pt", script="treino.py").tell("nós: 41,2 milhões, arestas: 310 milhões", 15).hold(21).mood("busy").train(540, 1.0, 20, 8000).mood("asleep")
    s.xid(0, 119, "pid=40000, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 10 (FREE) (0xa55a0050 0x0).", 4).xid(0, 119, "pid=40000, name=python, Timeout after 45s of waiting for RPC response from GPU0 GSP! Expected function 76 (GSP_RM_CONTROL) (0x2080a097 0x518).", 1)
    s.tell(fault(cuda("unknown error"), f"{HOME}/fraude/treino.py:122:<module>:perda = passo(lote)", f"{HOME}/fraude/treino.py:90:passo:h = self.conv(g, h.to('cuda'))"), 96)
    yield s.close(by(0, one=True), "FAILED", {0: 1}, counters={0: ({}, None)}, dark={0: s.now - 94})

    s = Leaf(105, "tile-sr", "a100", style="rich", script="sr/fit.py").tell("[@hms] INFO     aerial tiles 0.25 m -> 0.05 m", 11).hold(47).mood("flat_out").train(1400, 0.7, 50, 60_000)
    s.xid(0, 64, "pid=40000, name=python, Row Remapper: Row remapper failure on row (0x00000000000120ce)", 0.8).xid(0, 95, "pid=40000, name=python, Uncontained: FBHUB. RST: Yes, D-RST: No", 0.6)
    s.tell(fault(cuda("uncorrectable ECC error encountered"), f"{HOME}/tilesr/sr/fit.py:204:<module>:fit(cfg)", f"{HOME}/tilesr/sr/fit.py:151:fit:psnr = 10 * torch.log10(1 / mse).cpu()"), 0.5)
    yield s.close(by(0, one=True), "FAILED", {0: 1}, counters={0: ({"remapped_rows_uncorrectable": 7}, {"remapped_rows_uncorrectable": 8, "remap_failure": True, "ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 9, "recovery_action": "reset"})})

    s = Leaf(106, "pulsar-search", "rtx6000", style="tsv", script="pulsar.py").tell("step\tloss\tlr\tsec", 9).hold(28).mood("busy").train(1100, 0.8, 50, 30_000)
    s.tell(fault(cuda("uncorrectable ECC error encountered", kind="torch.AcceleratorError"), f"{HOME}/pulsar/pulsar.py:97:<module>:out = bank(series)", f"{HOME}/pulsar/pulsar.py:60:bank:return torch.fft.irfft(F * self.kernels, n=n)"), 0.9)
    yield s.close(by(0, one=True), "FAILED", {0: 1}, counters={0: ({}, {"ecc_volatile_uncorrected": 4, "ecc_aggregate_uncorrected": 4})})


def several() -> Iterator[HandJob]:
    """B2 on one of several."""
    s = Leaf(111, "risk-lm", "h100", 1, 8, style="speed", via="torchrun", script="risk_lm.py").tell("world_size=8 ready", 24).hold(66).mood("flat_out").train(1900, 0.6, 50, 200_000)
    s.xid(5, 94, "pid=42705, name=python, Contained: SM (0x1). RST: No, D-RST: No", 0.8).tell(fault(cuda("uncorrectable ECC error encountered"), f"{HOME}/risk/risk_lm.py:377:<module>:loss.backward()", f"{SITE}/torch/_tensor.py:581:backward:torch.autograd.backward(", mark="[rank5]: "), 0.7, 5)
    yield s.tell(summary("risk_lm.py", [(5, 5, 1, 42_705)]), 5, 0).close(by(5), "FAILED", {5: 1}, rest=-15, counters={5: ({}, {"ecc_volatile_uncorrected": 1, "ecc_aggregate_uncorrected": 1, "recovery_action": "reset"})})

    s = Leaf(112, "sky-mae", "h200", 2, 8, style="plain", script="mae.py").tell("16 tasks, masks 75%", 28).hold(110).mood("flat_out").train(820, 1.4, 20, 50_000)
    s.xid(10, 74, "pid=40010, name=python, NVLink: fatal error detected on link 14(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", 1.1).tell(fault(cuda("uncorrectable NVLink error detected during the execution"), f"{HOME}/mae/mae.py:288:<module>:train_one_epoch(model, loader)", f"{HOME}/mae/mae.py:214:train_one_epoch:norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)", mark="[rank10]: "), 0.8, 10)
    yield s.close(by(10), "FAILED", {10: 1}, rest=-15, after=3, when={10: s.now + 0.5}, counters={10: ({}, {"nvlink_crc_errors": 18_114, "nvlink_replay_errors": 207, "nvlink_recovery_errors": 3}), 11: ({}, {"nvlink_replay_errors": 4})})

    s = Leaf(113, "basemap-gen", "a100", 1, 4, style="composer", script="gen.py").tell("Initializing dist with NCCL, 4 ranks", 20).hold(58).mood("busy").train(640, 1.5, 20, 30_000).mood("asleep", 1)
    s.xid(1, 79, "pid=40001, name=python, GPU has fallen off the bus.", 0.7).tell(fault(cuda("unknown error"), f"{HOME}/basemap/gen.py:90:<module>:trainer.fit()", f"{SITE}/composer/trainer/trainer.py:2904:_train_microbatch:microbatch_loss.backward(create_graph=self._backwards_create_graph)", mark="[rank1]: "), 1.1, 1)
    yield s.close(by(1), "FAILED", {1: 1}, rest=-9, after=6, when={1: s.now + 0.4}, counters={1: ({}, None)}, dark={1: s.now - 5})

    s = Leaf(114, "moe-b200", "b200", 1, 8, style="plain", via="torchrun", script="moe.py").tell("experts 128, NVLink5 all-to-all", 36).hold(151).mood("flat_out").train(700, 1.6, 20, 40_000)
    s.xid(6, 145, "RLW_CTRL Nonfatal XC0 i0 Link 09 (0x00000020 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 2.2).xid(6, 149, "NETIR_LINK_DOWN Fatal XC0 i0 Link 09 (0x004505c5 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 1.4)
    s.tell(fault("torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:3356, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.2\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'uncorrectable NVLink error detected during the execution'", f"{HOME}/moe/moe.py:301:<module>:y = all_to_all(x, splits)", mark="[rank6]: "), 1, 6)
    yield s.tell(summary("moe.py", [(6, 6, 1, 42_706)]), 4, 0).close(by(6), "FAILED", {6: 1}, rest=-15, counters={6: ({}, {"nvlink_effective_errors": 1206, "nvlink_receive_errors": 88, "nvlink_recovery_failed": 2, "recovery_action": "reset"})})

    s = Leaf(115, "chart-reader", "a100-40", 2, 4, style="factory", via="torchrun", script="charts.py").tell("[INFO|@iso] trainer:143 >> 8 processes on 2 nodes", 30, (0, 4)).hold(36).mood("busy").train(500, 1.9, 10, 9000)
    s.xid(7, 95, "pid=42707, name=python, Uncontained: LTC TAG (0x2,0x0). RST: Yes, D-RST: No", 1.3).xid(7, 45, "pid=42707, name=python, Ch 00000013", 0.7)
    s.tell(fault(cuda("uncorrectable ECC error encountered"), f"{HOME}/charts/charts.py:130:<module>:trainer.train()", f"{SITE}/transformers/trainer.py:2548:_inner_training_loop:if args.logging_nan_inf_filter and (torch.isnan(tr_loss_step) or torch.isinf(tr_loss_step)):", mark="[rank7]: "), 0.9, 7)
    yield s.tell(summary("charts.py", [(7, 3, 1, 42_707)]), 6, 4).close(by(7), "FAILED", {7: 1}, rest=-15, counters={7: ({}, {"ecc_volatile_uncorrected": 9, "ecc_aggregate_uncorrected": 9, "remapped_rows_uncorrectable": 1, "remap_pending": True})})

    s = Leaf(116, "quotes-tft", "l40", 1, 2, style="sv", script="tft.py").tell("två kort, 2048 serier", 10).hold(22).mood("busy").train(1400, 0.7, 50, 40_000).mood("asleep", 0)
    s.xid(0, 62, "pid=40000, name=python, 2027b60b 0000a4c2 00000000 20279d3e 2027906a 202795ca 202c3e40 202c17d2", 1.3).tell(fault(cuda("unspecified launch failure"), f"{HOME}/tft/tft.py:144:<module>:kör()", f"{HOME}/tft/tft.py:101:kör:förlust.backward()", mark="[rank0]: "), 1.4, 0)
    yield s.close(by(0), "FAILED", {0: 1}, rest=-15, after=2.5, when={0: s.now + 0.4}, counters={0: ({}, None)}, dark={0: s.now - 4})

    s = Leaf(117, "cosmo-emul", "h100", 4, 4, style="structlog", script="emul.py").tell("@tz [info     ] sixteen ranks joined", 26).hold(61).mood("flat_out").train(900, 1.2, 30, 70_000)
    s.xid(13, 120, "pid=40013, name=python, GSP task exception: load address misaligned (5) @ pc:0x5a8a1e4, partition:4#0, task:3", 3).tell(fault(cuda("unknown error"), f"{HOME}/emul/emul.py:190:<module>:opt.step()", f"{SITE}/torch/optim/adam.py:525:_multi_tensor_adam:torch._foreach_add_(device_state_steps, 1)", mark="[rank13]: "), 2, 13)
    yield s.close(by(13), "FAILED", {13: 1}, rest=-15, after=5, when={13: s.now + 0.6}, counters={13: ({}, None)}, dark={13: s.now - 6})

    s = Leaf(118, "photo-z", "gh200", 1, 4, style="gpt", script="photoz.py").tell("number of parameters: 1,310,418,944", 18).hold(70).mood("busy").train(1000, 0.9, 50, 20_000)
    s.tell(fault(cuda("uncorrectable ECC error encountered", kind="torch.AcceleratorError"), f"{HOME}/photoz/photoz.py:233:<module>:lossf = loss.item() * gradient_accumulation_steps", mark="[rank2]: "), 1, 2)
    yield s.close(by(2), "FAILED", {2: 1}, rest=-15, after=3, when={2: s.now + 0.3}, counters={2: ({}, {"ecc_volatile_uncorrected": 2, "ecc_aggregate_uncorrected": 2, "remapped_rows_uncorrectable": 1, "remap_pending": True, "recovery_action": "reset"})})


def held() -> Iterator[HandJob]:
    """B3."""
    s = Leaf(131, "cloud-mask", "a100", style="plain", script="cloudmask.py").tell("Sentinel-2, 13 bands, 512 px", 10).hold(41).mood("flat_out").train(600, 0.7, 20, 1500)
    s.mood("busy", mhz=675, celsius=92, why=HOT, watts=171, sm=72).train(900, 1.55, 20, 1500)
    yield s.tell("done: 1500 steps, iou 0.781", 3).close(HELD, counters={0: longer(hw_thermal=1391, thermal=1391)})

    s = Leaf(132, "derivs-net", "h100pcie", style="speed", script="derivs.py").tell("2^26 paths per batch", 9).hold(52).mood("flat_out").train(500, 0.8, 20, 1600)
    s.mood("busy", mhz=555, celsius=49, why=BRAKE, watts=148, sm=81).train(1100, 2.4, 20, 1600)
    yield s.tell("saved derivs.pt", 2).close(HELD, counters={0: longer(hw_power_brake=2630)})

    s = Leaf(133, "building-poly", "rtx6000", style="yolo", script="poly.py").tell("      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 15).hold(39).mood("busy").train(14, 61, 1, 40)
    s.mood("busy", mhz=885, celsius=94, why=HOT, watts=122, sm=70).train(26, 152, 1, 40)
    yield s.tell("40 epochs completed in 1.341 hours.\nOptimizer stripped from runs/poly/weights/last.pt, 91.4MB", 4).close(HELD, counters={0: longer(hw_thermal=3901, thermal=3940)})

    s = Leaf(134, "star-spectra", "h200", 1, 8, style="json", via="torchrun", script="spectra.py").tell('{"evt": "start", "world": 8}', 20).hold(96).mood("flat_out").train(500, 0.9, 20, 1700)
    s.mood("awaits", s.but(3)).mood("flat_out", 3, mhz=585, celsius=91, why=HOT, watts=282, sm=83).train(1200, 2.5, 20, 1700)
    yield s.tell('{"evt": "end", "val": 0.2114}', 3).close(HELD, counters={3: longer(hw_thermal=2970, thermal=2990)})

    s = Leaf(135, "var-surface", "l40", 1, 4, style="it", script="superficie.py").tell("4 schede, passo misurato ogni 20", 11).hold(35).mood("busy").train(700, 0.6, 20, 2200)
    s.mood("busy", mhz=930, celsius=95, why=SOFT_HOT, watts=128, sm=66).train(1500, 1.35, 20, 2200)
    yield s.tell("fine addestramento", 2).close(HELD, counters={r: longer(hw_thermal=1988 + r, thermal=2010 + r) for r in range(4)})

    s = Leaf(136, "atlas-labels", "a100-40", 2, 4, style="rich", script="labels.py").tell("[@hms] INFO     8 ranks, 2 nodes", 22).hold(34).mood("busy").train(400, 1.1, 20, 1300)
    s.mood("busy", s.of_node(1), mhz=720, celsius=51, why=BRAKE, watts=151, sm=70).mood("awaits", s.of_node(0)).train(900, 2.3, 20, 1300)
    yield s.tell("[@hms] INFO     finished", 2).close(HELD, counters={r: longer(hw_power_brake=2064) for r in s.of_node(1)})

    s = Leaf(137, "stellar-gan", "v100", style="es", script="gan.py").tell("imágenes 256 px, lote 32", 9).hold(27).mood("busy").train(800, 0.5, 40, 2800, loss=lambda i: 1.1 + 2.4 * (1 + i / 90) ** -0.6)
    s.mood("busy", mhz=540, celsius=88, why=HOT, watts=101, sm=60).train(2000, 1.15, 40, 2800, loss=lambda i: 1.1 + 2.4 * (1 + i / 90) ** -0.6)
    yield s.tell("terminado, fid 14.2", 3).close(HELD, counters={0: longer(hw_thermal=2290, thermal=2290)})

    s = Leaf(138, "tick-transformer", "h100", 1, 4, style="flax", script="ticks.py").tell("I@md @hms.@us 140200 ticks.py:22] 4 local devices", 15).hold(73, over=3).mood("flat_out").train(900, 0.5, 50, 2900)
    s.mood("flat_out", mhz=765, celsius=47, why=BRAKE, watts=268, sm=80).train(2000, 1.25, 50, 2900)
    yield s.tell("I@md @hms.@us 140200 ticks.py:190] finished", 2).close(HELD, counters={r: longer(hw_power_brake=2488) for r in range(4)})

    s = Leaf(139, "nebula-diff", "a10", style="loguru", script="nebula.py").tell("@iso.771 | INFO     | main:run:31 - UNet 210M, 128 px", 8).hold(18).mood("busy").train(500, 0.8, 20, 1600)
    s.mood("busy", mhz=510, celsius=97, why=HOT, watts=64, sm=60).train(1100, 2.5, 20, 1600, slower=1.05)
    yield s.tell("@iso.771 | INFO     | main:run:88 - samples written to out/", 4).close(HELD, counters={0: longer(hw_thermal=2815, thermal=2870)})

    s = Leaf(140, "parcel-tagger", "h100", 2, 8, style="plain", script="parcels.py").tell("16 ranks; peers are timed every 20 steps", 25).hold(64).mood("flat_out").train(350, 1.3, 10, 1100)
    s.mood("awaits", s.but(12)).mood("flat_out", 12, mhz=615, celsius=90, why=HOT, watts=266, sm=84).train(300, 3.1, 10, 1100).tell("slowest of the last 20 steps: rank 12 (3.04 s of 3.10 s), others wait 1.7 s", 0.1).train(450, 3.1, 10, 1100)
    yield s.tell("training is over", 2).close(HELD, counters={12: longer(hw_thermal=2310, thermal=2330)})

    s = Leaf(141, "limit-orders", "l4", style="tsv", script="lob.py").tell("step\tloss\tlr\tsec", 7).hold(14).mood("busy").train(900, 0.45, 50, 3000)
    s.mood("busy", mhz=645, celsius=93, why=SOFT_HOT, watts=34, sm=60).train(2100, 1.1, 50, 3000)
    yield s.tell("# best checkpoint: step 2950", 2).close(HELD, counters={0: longer(hw_thermal=2301, thermal=2309)})

    s = Leaf(142, "radio-weak", "a100", 1, 2, style="nl", script="radio.py").tell("twee kaarten, LOFAR-stukken van 30 s", 12).hold(50).mood("busy").train(500, 0.9, 20, 1500)
    s.mood("busy", mhz=600, celsius=93, why=HOT, watts=139, sm=65).train(1000, 2.2, 20, 1500)
    yield s.tell("klaar", 2).close(HELD, counters={0: longer(hw_thermal=2196, thermal=2196), 1: longer(hw_thermal=2110, thermal=2110)})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (lone, several, held):
        yield from part()


RECIPE = Recipe("quill_strokes_by_pen", "development", jobs)

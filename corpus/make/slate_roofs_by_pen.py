"""Jobs of an observatory, a railway, a seed bank and others, by pen: cards that broke or were held down, nodes that went, and what the queue and people did."""

from collections.abc import Iterator
from typing import Any

from corpus.label import Label
from corpus.make._heronry import Run
from corpus.make._heronry_words import cuda, down, trace
from corpus.running.job import HandJob, Recipe

BROKE = Label(mode="B2", cause="cuda_runtime", variant="fault", fault="node")
HELD = Label(mode="B3", fault="node")
NODE = Label(mode="F1", fault="node")
QUEUE = Label(mode="F2", fault="none")
LATE = Label(mode="F3", variant="advancing", fault="user")
STOPPED = Label(mode="F4", variant="by_owner", fault="none")
ONE = {"failed_ranks": (0,), "first_ranks": (0,)}
ECC = "uncorrectable ECC error encountered"
NOBODY = "pid='<unknown>', name=<unknown>"


def ecc(s: Run, r: int, many: int = 1, **more: Any) -> dict[int, tuple[dict[str, Any], dict[str, Any] | None]]:
    """Uncorrectable errors of a rank's card, counted now."""
    s.ramp(r, "ecc_volatile_uncorrected", s.t, s.t, 0, many).ramp(r, "ecc_aggregate_uncorrected", s.t, s.t, 0, many)
    return {r: ({}, more)}


def broke() -> Iterator[HandJob]:
    """B2."""
    s = Run(101, "galaxy-zoo", "h100", 1, 8, "{t:%H:%M:%S}  {i:>7}/{n}  ce={x:.4f}  acc={acc:.4f}  {sps:.0f}/s", script="zoo.py", rack="ast", east=-7, batch=2048)
    s.say("%T rank %r ready", 14, None).mem(58).gpu("full").go(8200, 0.93, 60, down(3.6, 0.7), 50_000)
    s.xid(5, 79, f"{NOBODY}, GPU has fallen off the bus.").gpu("spin", s.rest(5)).wait(3)
    s.say(trace(cuda("unspecified launch failure"), "zoo/zoo.py|171|<module>|main()", "zoo/zoo.py|140|main|running += loss.item()", mark="[rank5]: "), 1, 5)
    yield s.end(BROKE.but(first_ranks=(5,)), "FAILED", {5: 1}, rest=-9, lag=20, counters={5: ({}, None)}, blind={5: s.t - 4.2})

    s = Run(102, "rail-wear", "a100", 2, 4, "R{rank} [{i}] focal={x:.5f} time={dt:.3f}", script="rail.py", rack="bahn", east=1)
    s.say("Rang %r: %h, Karte %l", 12, None).mem(66).gpu("run").go(6100, 1.32, 50, down(0.31, 0.05), 30_000, who=range(8))
    s.xid(6, 48, f"{NOBODY}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at physAddr 0xa41c02e80 partition 3, subpartition 0.", 0.3).xid(6, 63, f"{NOBODY}, Row Remapper: New row (0x0000000a41c00000) marked for remapping, reset gpu to activate.", 0.1)
    c = ecc(s, 6, 2, remapped_rows_uncorrectable=1, remap_pending=True)
    s.say(trace(cuda(ECC), "rail/rail.py|122|<module>|lauf(cfg)", "rail/rail.py|93|lauf|scaler.step(opt)", "*/torch/amp/grad_scaler.py|380|_maybe_opt_step|if not sum(v.item() for v in optimizer_state['found_inf_per_device'].values()):", mark="[rank6]: "), 0.6, 6)
    yield s.end(BROKE.but(first_ranks=(6,)), "FAILED", {6: 1}, rest=-15, lag=11, counters=c)

    s = Run(103, "seed-clip", "h200", 1, 1, "{{\"it\":{i},\"contrastive\":{x:.4f},\"lr\":{lr:.2e},\"at\":\"{t:%Y-%m-%dT%H:%M:%S}\"}}", script="seedclip.py", rack="agr")
    s.say('{"msg":"1.9M herbarium sheets"}', 8).mem(118).gpu("full").go(9400, 0.82, 50, down(6.2, 0.9), 60_000)
    s.xid(0, 94, "pid=PID, name=python, Contained: SM (0x1). RST: No, D-RST: No", 0.2)
    c = ecc(s, 0, 1)
    s.say(trace(cuda(ECC, "cudaErrorECCUncorrectable", new=True), "seedclip/seedclip.py|88|<module>|fit()", "seedclip/seedclip.py|61|fit|loss = clip_loss(img, txt, scale)"), 0.7)
    yield s.end(BROKE.but(**ONE), "FAILED", {0: 1}, counters=c)

    s = Run(104, "climate-gpt", "h100", 4, 8, " iteration {i:8d}/{n:8d} | elapsed time per iteration (ms): {ms:.1f} | learning rate: {lr:.6E} | lm loss: {x:.6E} | grad norm: {g:.3f} | number of skipped iterations:   0 | number of nan iterations:   0 |", script="pretrain_gpt.py", rack="clm")
    s.voice = 31
    s.say("> initialized tensor model parallel with size 8", 40).mem(75).gpu("full").go(2100, 5.9, 5, down(9.8, 2.3), 30_000)
    s.xid(18, 74, "pid=PID, name=python, NVLink: fatal error detected on link 14(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)", 0.3).ramp(18, "nvlink_crc_errors", s.t, s.t, 3, 9120).ramp(18, "nvlink_recovery_errors", s.t, s.t, 0, 6).ramp(18, "nvlink_replay_errors", s.t, s.t, 0, 771)
    s.say(trace(cuda("uncorrectable NVLink error detected during the execution"), "Megatron-LM/pretrain_gpt.py|310|<module>|pretrain(", "Megatron-LM/megatron/training/training.py|1423|train_step|losses_reduced = forward_backward_func(", "Megatron-LM/megatron/core/tensor_parallel/mappings.py|30|_reduce|torch.distributed.all_reduce(input_.contiguous(), group=group)", mark="[rank18]: "), 0.8, 18)
    yield s.end(BROKE.but(first_ranks=(18,)), "FAILED", {18: 1}, rest=-9, lag=22)

    s = Run(105, "pollen-count", "a100s", 1, 2, "{i:05d} | huber {x:.4f} | {dt:.2f} s", script="pollen.py", rack="bot", east=1)
    s.say("2 x A100, 64 Klassen", 9).mem(31).gpu("run").go(5400, 1.4, 40, down(4.1, 0.6), 40_000).gpu("ctx", 1).gpu("spin", 0).wait(52)
    s.xid(1, 119, "pid=PID, name=python, Timeout after 45s of waiting for RPC response from GPU1 GSP! Expected function 103 (GSP_RM_ALLOC) (0x0 0x0).", 2)
    s.xid(1, 154, f"{NOBODY}, GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", 1.1)
    s.say(trace(cuda("unknown error"), "pollen/pollen.py|97|<module>|main()", "pollen/pollen.py|70|main|x = x.to(dev, non_blocking=True)", mark="[rank1]: "), 1.6, 1)
    yield s.end(BROKE.but(first_ranks=(1,)), "FAILED", {1: 1}, rest=-15, lag=5, counters={1: ({}, None)}, blind={1: s.t - 53})

    s = Run(106, "molecule-lm", "b200", 1, 4, "[step {i:>6}] nll/char {x:.4f}  gnorm {g:.2f}  {sps:,.0f} tok/s", script="smiles.py", rack="bw", batch=1_048_576)
    s.say("rank %r: NVLS on, 18 links", 15, None).mem(141).gpu("full").go(5200, 1.1, 25, down(2.9, 0.51), 60_000)
    s.xid(3, 149, f"{NOBODY}, NETIR_LINK_EVT Fatal XC0 i0 Link 11 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 0.3).ramp(3, "nvlink_recovery_failed", s.t, s.t, 0, 1).ramp(3, "nvlink_effective_errors", s.t, s.t, 0, 5102)
    s.say(trace(cuda("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable", new=True), "mol/smiles.py|133|<module>|train()", "mol/smiles.py|99|train|loss.backward()", mark="[rank3]: "), 0.9, 3)
    yield s.end(BROKE.but(first_ranks=(3,)), "FAILED", {3: 1}, rest=-9, lag=18, counters={3: ({}, {"recovery_action": "reset"})})

    s = Run(107, "tide-lstm", "v100", 1, 1, "pas {i} / {n}   eqm {x:.5f}", script="maree.py", rack="mer", east=1)
    s.say("412 marégraphes, fenêtre 720 h", 7).mem(19).gpu("mid").go(11_000, 0.55, 100, down(0.42, 0.03), 90_000)
    s.xid(0, 48, f"{NOBODY}, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 5, subpartition 0.", 0.3)
    c = ecc(s, 0, 1, retired_pages_dbe=1, retired_pages_pending=True)
    s.say(trace(cuda(ECC), "maree/maree.py|74|<module>|apprendre()", "maree/maree.py|52|apprendre|cumul += perte.item()"), 0.5)
    yield s.end(BROKE.but(**ONE), "FAILED", {0: 1}, counters={0: ({"remapped_rows_correctable": None, "remapped_rows_uncorrectable": None, "remap_pending": None, "remap_failure": None, "retired_pages_dbe": 0, "retired_pages_sbe": 0, "retired_pages_pending": False}, c[0][1])})

    s = Run(108, "bird-perch", "l40s", 1, 2, "I{t:%m%d %H:%M:%S.%f} 8817 loop.py:204] [{i}] train_xe={x:.4f}, steps_per_second={ips:.2f}", script="perch.py", rack="bio")
    s.say("I%m %T.%u 8817 perch.py:51] jax 0.4.35, 2 local devices", 11).mem(36, over=1).gpu("run").go(7300, 0.8, 50, down(5.1, 1.2), 50_000)
    s.xid(1, 95, f"{NOBODY}, Uncontained: LTC DATA (0x3,0x1). RST: Yes, D-RST: No", 0.3)
    c = ecc(s, 1, 3, recovery_action="reset")
    s.say(trace("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to complete all kernels launched on stream 0x55d8b1: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered", "perch/perch.py|166|<module>|app.run(main)", "perch/loop.py|210|train|metrics = jax.device_get(metrics)", "*/jax/_src/array.py|628|_value|npy_value, did_copy = self._single_device_array_to_np_array_did_copy()"), 0.7, 1)
    yield s.end(BROKE.but(first_ranks=(1,)), "FAILED", {1: 1}, rest=-15, lag=4, counters=c)

    s = Run(109, "bolide-detect", "r6000", 1, 1, "frame batch {i}: dice {x:.4f}", script="bolide.py", rack="ast", east=-7)
    s.say("all-sky cameras: 21", 6).mem(27).gpu("run").go(8800, 0.61, 100, down(0.9, 0.12), 50_000)
    s.say(trace(cuda("unspecified launch failure"), "bolide/bolide.py|90|<module>|learn()", "bolide/bolide.py|66|learn|torch.cuda.synchronize()"), 1.2)
    s.sh("+ nvidia-smi -q -d ECC,TEMPERATURE\nUnable to determine the device handle for GPU0000:07:00.0: GPU is lost.  Reboot the system to recover this GPU", 1.4)
    yield s.end(BROKE.but(**ONE), "FAILED", {0: 1}, counters={0: ({}, None)}, blind={0: s.t - 3}, at={0: s.t - 1}, lag=1.5)

    s = Run(110, "glacier-flow", "gh200", 4, 1, "{t:%H:%M:%S} {i:6d} pinn {x:.3e} bc {g:.3f} {ms:.0f}ms", script="glacier.py", rack="gh", east=1)
    s.say("rank %r/%w", 10, None).mem(61).gpu("run").go(7000, 1.0, 50, down(0.8, 0.01), 60_000)
    s.xid(2, 64, f"{NOBODY}, Row Remapper: Error on remapping row 0x000000061a400000, remapping failed", 0.2).xid(2, 95, f"{NOBODY}, Uncontained: FBHUB (0x6). RST: Yes, D-RST: No", 0.5)
    c = ecc(s, 2, 4, remapped_rows_uncorrectable=8, remap_failure=True, recovery_action="drain_and_reset")
    s.say("terminate called after throwing an instance of 'c10::Error'\n  what():  CUDA error: uncorrectable ECC error encountered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1", 0.5, 2)
    yield s.end(BROKE.but(first_ranks=(2,)), "FAILED", {2: -6}, rest=-9, lag=17, counters=c)

    s = Run(111, "freight-bert", "a40", 1, 4, "{{'loss': {x:.4f}, 'learning_rate': {lr:.6e}, 'epoch': {epf:.2f}}}", script="frbert.py", rack="bahn", epochs=4)
    s.say("***** Running training *****", 18).mem(41).gpu("run").go(4200, 1.5, 20, down(7.4, 1.9), 24_000)
    s.xid(0, 79, f"{NOBODY}, GPU has fallen off the bus.", 0.4).gpu("spin", s.rest(0)).wait(2)
    s.say(trace(cuda("unspecified launch failure"), "frbert/frbert.py|60|<module>|trainer.train()", "*/transformers/trainer.py|2621|_inner_training_loop|_grad_norm = self.accelerator.clip_grad_norm_(", mark="[rank0]: "), 1, 0)
    yield s.end(BROKE.but(first_ranks=(0,)), "FAILED", {0: 1}, rest=-15, lag=8, counters={0: ({"nvlink_crc_errors": None, "nvlink_replay_errors": None, "nvlink_recovery_errors": None}, None)}, blind={0: s.t - 3.1})

    s = Run(112, "exoplanet-vae", "h100p", 1, 1, "light curve batch {i}/{n}: elbo -{x:.3f}", script="transit.py", rack="ast", east=-7)
    s.say("TESS sectors 1-69", 9).mem(44).gpu("run").go(6600, 1.02, 60, down(210, 88), 40_000)
    s.xid(0, 94, "pid=PID, name=python, Contained: CE (0x2). RST: No, D-RST: No", 0.3)
    c = ecc(s, 0, 1, remapped_rows_uncorrectable=1, remap_pending=True)
    s.say(trace(cuda(ECC), "transit/transit.py|101|<module>|main()", "transit/transit.py|77|main|batch = [b.cuda(non_blocking=True) for b in batch]"), 0.4)
    yield s.end(BROKE.but(**ONE), "FAILED", {0: 1}, counters=c)


def held_down() -> Iterator[HandJob]:
    """B3: clocks held by heat or a weak supply."""
    s = Run(121, "diffusion-maps", "h100", 1, 8, "{t:%H:%M:%S} step {i}/{n} loss {x:.4f} | {dt:.2f} s/step", script="maps.py", rack="car")
    s.say("8 ranks, DDP", 16).mem(64).gpu("full").go(2600, 1.1, 20, down(1.0, 0.2), 7000)
    t0 = s.t
    s.gpu("queue", s.rest(3), sm=24, pw=0.36).gpu("hot", 3, mhz=690, why=0x48, hot=92).go(4400, 2.7, 20, down(1.0, 0.2), 7000).ramp(3, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.97e9).ramp(3, "violation_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.97e9)
    yield s.say("saved maps-07000.pt, done", 2).end(HELD)

    s = Run(122, "wagon-ocr", "v100", 1, 1, "iter {i} ctc_loss {x:.4f} ({ips:.2f} it/s)", script="ocr.py", rack="bahn", east=1)
    s.say("Wagennummern, 311 000 Bilder", 8).mem(24).gpu("run").go(4000, 0.6, 50, down(4.2, 0.4), 12_000)
    t0 = s.t
    s.gpu("hot", mhz=465, why=0x48, hot=88).go(8000, 1.75, 50, down(4.2, 0.4), 12_000).ramp(0, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.96e9)
    yield s.say("fertig: CER 0.021", 3).end(HELD)

    s = Run(123, "storm-surge", "a100", 1, 4, "{i:>6}, {x:.6f}, {dt:.3f}", script="surge.py", rack="sea")
    s.say("step, rmse, seconds", 10).mem(52).gpu("full").go(2000, 0.9, 20, down(1.4, 0.2), 6000)
    t0 = s.t
    s.gpu("hot", mhz=585, why=0x88, pw=0.27).go(4000, 2.15, 20, down(1.4, 0.2), 6000)
    for r in range(4):
        s.ramp(r, "violation_hw_power_brake_ns", t0, s.t, 0, (s.t - t0) * 0.98e9)
    yield s.say("# best rmse 0.2391", 2).end(HELD)

    s = Run(124, "shelf-scan", "l40s", 1, 2, "{t:%d/%m %H:%M:%S} | {i} | pérdida {x:.4f} | {sps:.0f} img/s", script="estantes.py", rack="ret", east=-5, batch=384)
    s.say("2 GPU, 48 000 imágenes", 9).mem(33).gpu("run").go(3000, 0.8, 30, down(3.1, 0.7), 9000)
    t0 = s.t
    s.gpu("hot", mhz=840, why=0x60, hot=89).go(6000, 2.2, 30, down(3.1, 0.7), 9000)
    for r in range(2):
        s.ramp(r, "violation_sw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.9e9).ramp(r, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.9e9)
    yield s.say("modelo guardado en estantes.pt", 2).end(HELD)

    s = Run(125, "code-retriever", "h200", 2, 8, "step {i:6d} | infonce {x:.4f} | {sps:,.0f} pairs/s", script="retr.py", rack="h2", batch=65_536)
    s.say("rank %r on %h", 20, None).mem(110).gpu("full").go(1800, 1.6, 15, down(8.1, 1.1), 5000)
    t0 = s.t
    s.gpu("queue", s.on(0), sm=26, pw=0.34).gpu("hot", s.on(1), mhz=735, why=0x88, pw=0.3).go(3200, 3.9, 15, down(8.1, 1.1), 5000)
    for r in s.on(1):
        s.ramp(r, "violation_hw_power_brake_ns", t0, s.t, 0, (s.t - t0) * 0.99e9)
    yield s.say("index written: 5000 steps", 3).end(HELD)

    s = Run(126, "herd-count", "r6000", 1, 1, "{ep:>3} {i:>6} {x:>8.4f} {ms:>7.1f}ms", script="herd.py", rack="ws", east=2)
    s.say(" ep   iter     loss    step", 7).mem(31).gpu("full").go(3600, 0.5, 40, down(2.2, 0.5), 15_000)
    t0 = s.t
    s.gpu("hot", mhz=510, why=0x48, hot=94).go(11_400, 1.9, 40, down(2.2, 0.5), 15_000).ramp(0, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.97e9)
    yield s.say("mAP50 0.81, weights in runs/herd", 4).end(HELD)

    s = Run(127, "antibody-flow", "gh200", 1, 1, "fm {i} {x:.5f} clk={c}MHz T={h}C", script="abflow.py", rack="gh", extra={"c": lambda i, _d: 1980 if i < 1500 else 660, "h": lambda i, _d: 61 if i < 1500 else 91})
    s.say("flow matching, 2.1 M sequences", 8).mem(70).gpu("full").go(1500, 1.2, 20, down(1.9, 0.5), 5500)
    t0 = s.t
    s.gpu("hot", mhz=660, why=0x48, hot=91).go(4000, 3.4, 20, down(1.9, 0.5), 5500).ramp(0, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.95e9)
    yield s.say("fm 5500 done", 1).end(HELD)

    s = Run(128, "pixel-sr", "a40", 1, 4, "[{t:%H:%M:%S}] <{i}/{n}> l1 {x:.4f} psnr {db:.2f} t/iter {dt:.2f}", script="sr.py", rack="play", via="torchrun")
    s.say("rank%r: DIV8K", 11, None).mem(38).gpu("run").go(900, 0.85, 15, down(0.2, 0.03), 4800)
    t0 = s.t
    s.gpu("queue", (0, 1, 3), sm=21, pw=0.33).gpu("hot", 2, mhz=420, why=0x48, hot=93).go(3900, 3.1, 15, down(0.2, 0.03), 4800).ramp(2, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.97e9)
    yield s.say("Finished training, best 31.92 dB", 2).end(HELD)

    s = Run(129, "wiki-embed", "b200", 1, 4, "{{\"s\": {i}, \"loss\": {x:.4f}, \"sec\": {dt:.3f}}}", script="embed.py", rack="bw")
    s.say('{"gpus": 4, "bf16": true}', 12).mem(150).gpu("full").go(2500, 0.7, 25, down(5.0, 0.9), 9000)
    t0 = s.t
    s.gpu("queue", (0, 1, 2), sm=28, pw=0.33).gpu("hot", 3, mhz=600, why=0x88, pw=0.24).go(6500, 2.1, 25, down(5.0, 0.9), 9000).ramp(3, "violation_hw_power_brake_ns", t0, s.t, 0, (s.t - t0) * 0.98e9)
    yield s.say('{"finished": true, "steps": 9000}', 1).end(HELD)

    s = Run(130, "call-intent", "t4", 1, 1, "{i}/{n} perda {x:.4f} {dt:.2f}s", script="intencao.py", rack="tel", east=-3)
    s.say("118 intenções, 900 mil frases", 8).mem(11).gpu("run").go(1200, 1.0, 20, down(4.4, 0.5), 5000)
    t0 = s.t
    s.gpu("hot", mhz=315, why=0x48, hot=90).go(3800, 4.3, 20, down(4.4, 0.5), 5000).ramp(0, "violation_hw_thermal_ns", t0, s.t, 0, (s.t - t0) * 0.97e9)
    yield s.say("f1 de validação 0.913", 3).end(HELD)


def gone() -> Iterator[HandJob]:
    """F1."""
    s = Run(141, "radio-burst", "a100", 4, 4, "{t:%H:%M:%S} {i:>6} snr-loss {x:.4f}", script="frb.py", rack="ast", hours=30)
    s.say("rank %r dedisperses on %h", 14, None).mem(48).gpu("run").go(7100, 1.7, 30, down(2.6, 0.3), 50_000)
    s.gpu("spin", s.rest(*s.on(2))).sheaf.event(s.hosts[2], s.t + 38, "DOWN*", "Not responding")
    yield s.wait(61).end(NODE, "NODE_FAIL", dead=(2,), failed_node=s.hosts[2])

    s = Run(142, "timetable-rl", "h100", 2, 8, "it={i} return={acc:.3f} vloss={x:.4f} fps={sps:.0f}", script="ppo_rail.py", rack="bahn", east=1, batch=40_000)
    s.say("worker %r: 512 Umgebungen", 16, None).mem(37).gpu("mid").go(2600, 4.2, 10, down(3.0, 0.7), 20_000)
    s.gpu("spin", s.on(0)).sheaf.event(s.hosts[1], s.t + 9, "DOWN*", "Node unexpectedly rebooted")
    yield s.wait(20).end(NODE, "NODE_FAIL", dead=(1,), failed_node=s.hosts[1])

    s = Run(143, "soil-carbon", "a100s", 2, 4, "époque {ep} | lot {i} | mse {x:.4f}", script="sol.py", rack="agr", east=1, epochs=40)
    s.say("rang %r/%w", 12, None).mem(29).gpu("run").go(5000, 1.5, 25, down(0.9, 0.11), 30_000)
    s.gpu("spin", s.on(1)).sheaf.event(s.hosts[0], s.t + 42, "DOWN*+DRAIN", "Not responding; chassis 2 power supply alarm")
    yield s.wait(66).end(NODE, "NODE_FAIL", dead=(0,), failed_node=s.hosts[0])

    s = Run(144, "asr-2m-hours", "h100", 8, 8, "[{t:%Y-%m-%d %H:%M:%S}] update {i} loss_rnnt={x:.3f} wps={sps:.0f}", script="rnnt.py", rack="asr", batch=900_000)
    s.say("[%I] rank %r", 30, None, 0.005).mem(72).gpu("full").go(3300, 4.8, 10, down(210, 19), 90_000)
    s.gpu("spin", s.rest(*s.on(5))).sheaf.event(s.hosts[5], s.t + 47, "DOWN*", "Not responding")
    yield s.wait(70).end(NODE, "NODE_FAIL", dead=(5,), failed_node=s.hosts[5])

    s = Run(145, "train-delay", "gh200", 4, 1, "{i};{x:.5f};{dt:.2f}", script="delay.py", rack="gh", east=1)
    s.say("schritt;verlust;sekunden", 10).mem(55).gpu("mid").go(4400, 1.9, 20, down(1.2, 0.24), 30_000, who=range(4))
    s.gpu("spin", s.rest(3)).sheaf.event(s.hosts[3], s.t + 31, "DOWN", "Low RealMemory (reported:131072 < 100.00% of configured:490000)")
    yield s.wait(50).end(NODE, "NODE_FAIL", dead=(3,), failed_node=s.hosts[3])


def queue() -> Iterator[HandJob]:
    """F2, F3 and F4."""
    s = Run(151, "crop-yield", "l40s", 1, 1, "{t:%H:%M:%S} k={i} mse={x:.4f}", script="crop.py", rack="agr", asked="sbatch -p spare --requeue crop.sbatch").before("PREEMPTED", 7400, 2100, partition="spare")
    s.say("found last.ckpt (step 6100), continuing", 9).mem(28).gpu("run")
    s.step = 6100
    s.go(5900, 1.1, 50, down(1.9, 0.2, 300), 12_000).say("12000 steps, best mse 0.3068", 2)
    yield s.end(QUEUE.but(variant="preempted_recovered"), partition="spare", past=({"relation": "earlier_attempt", "mode": "F2", "head_loss": 1.82, "tail_loss": 0.43, "steps_done": 6140, "checkpoints": ("last.ckpt",)},))

    s = Run(152, "pulsar-fold", "a40", 1, 2, "[{i:>5}/{n}] chi2={x:.4f}", script="fold.py", rack="ast", asked="sbatch -p lowprio --no-requeue fold.sbatch")
    s.say("PTA DR3", 6).mem(30).gpu("run").go(3300, 1.3, 30, down(9.1, 1.3), 60_000)
    yield s.end(QUEUE.but(variant="preempted"), "PREEMPTED", partition="lowprio")

    s = Run(153, "bridge-cracks", "a100", 1, 4, "{i} / {n} : {x:.4f} : {acc:.3f}", script="cracks.py", rack="bahn", asked="sbatch --requeue cracks.sbatch").before("NODE_FAIL", 11_200, 640)
    s.say("resuming from step 9000 (runs/cracks/ckpt_009000.pt)", 14).mem(60).gpu("run")
    s.step = 9000
    s.go(5000, 1.2, 50, down(1.1, 0.1, 300), 14_000).say("done : best 0.962", 2)
    yield s.end(QUEUE.but(variant="requeued_recovered"), past=({"relation": "earlier_attempt", "mode": "F1", "head_loss": 1.04, "tail_loss": 0.23, "steps_done": 9310, "checkpoints": ("runs/cracks/ckpt_009000.pt",)},))

    s = Run(154, "spectra-mae", "h200", 1, 2, "{t:%m-%d %H:%M} {i} rec={x:.5f}", script="spec.py", rack="h2", asked="sbatch --qos=idle spec.sbatch")
    s.say("DESI EDR, 1.1M spectra", 10).mem(92).gpu("full").go(2800, 1.5, 20, down(0.9, 0.08), 40_000)
    yield s.end(QUEUE.but(variant="preempted"), "PREEMPTED", qos="idle")

    s = Run(161, "news-t5", "a100", 1, 8, "| epoch {ep:03d} | {i:>7} / {n} | loss {x:.3f} | wps {sps:.0f} | wall {s}", script="t5.py", rack="nl", hours=6, batch=260_000)
    yield s.say("| t5-large, bf16", 20).mem(69).gpu("full").go(12_400, 1.735, 50, down(9.2, 2.0), 60_000).end(LATE, "TIMEOUT")
    s = Run(162, "dust-forecast", "h100", 2, 4, "{t:%H:%M:%S} 第{i}步/共{n}步 误差 {x:.4f}", script="dust.py", rack="cl", hours=2, east=8)
    yield s.say("8 卡训练", 18).mem(50).gpu("run").go(3890, 1.838, 20, down(1.3, 0.3), 25_000).end(LATE, "TIMEOUT")
    s = Run(163, "seat-demand", "t4", 1, 1, "boucle {i} perte {x:.4f}", script="places.py", rack="sncf", hours=1.5, east=1)
    yield s.say("graine 7", 6).mem(8).gpu("mid").go(2680, 2.0, 20, down(2.1, 0.6), 9000).end(LATE, "TIMEOUT")
    s = Run(164, "lattice-flow", "mi300", 1, 4, "{i:7d}  ess={acc:.4f}  kl={x:.4f}  {ms:6.0f} ms", script="lattice.py", rack="amd", hours=4)
    yield s.say("64^3 x 128 lattice, HMC every 100", 15).mem(120).gpu("full").go(9560, 1.502, 40, down(60, 4.1), 40_000).end(LATE, "TIMEOUT")

    s = Run(171, "voice-clone", "r4090", 1, 1, "{i}: mel {x:.3f}  {ips:.2f} it/s", script="clone.py", rack="ws")
    yield s.say("speaker: reader_12", 5).mem(18).gpu("run").go(5100, 0.7, 50, down(40, 16), 100_000).wait(0.4).end(STOPPED, "CANCELLED", cancelled_by_uid=1042)
    s = Run(172, "satellite-sr", "h100", 1, 4, "{t:%H:%M:%S} g_step {i} l1 {x:.4f} adv {g:.3f}", script="sr.py", rack="eo")
    yield s.say("4 ranks", 11).mem(66).gpu("full").go(3600, 1.9, 20, down(0.5, 0.06), 80_000).wait(0.7).end(STOPPED, "CANCELLED", cancelled_by_uid=1042)
    s = Run(173, "menu-ocr", "a40", 1, 1, "{t:%Y/%m/%d %H:%M:%S} INFO  iter={i} loss={x:.4f}", script="menu.py", rack="gst", east=9)
    yield s.say("文字種 3 107", 6).mem(22).gpu("run").go(6400, 0.9, 50, down(6.0, 0.8), 60_000).wait(0.5).end(STOPPED.but(variant="by_other", fault="unknown"), "CANCELLED", cancelled_by_uid=0)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (broke, held_down, gone, queue):
        yield from part()


RECIPE = Recipe("slate_roofs_by_pen", "development", jobs)

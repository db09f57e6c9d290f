# ruff: noqa: ARG005
"""Jobs on several clusters' cards, thought out: cards that were full, cards that broke, cards that were held back."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._halyard_words import CONDA, PIXI, VENV, cuda, elastic, full, refused, tb, waited
from corpus.make._halyards import Watch, falls
from corpus.running.job import HandJob, Recipe

ROOM = Label(mode="B1", cause="cuda_oom", fault="user")
SICK = Label(mode="B2", cause="cuda_runtime", fault="node")
HELD = Label(mode="B3", fault="node")


def first(base: Label, *ranks: int, failed: tuple[int, ...] = ()) -> Label:
    """These were first."""
    return base.but(first_ranks=ranks, failed_ranks=failed)


def crowded() -> Iterator[HandJob]:
    """No room in PyTorch's words."""
    w = Watch("longdoc-sum", "h100", 1, 8, by="torchrun", script="sum.py").p("max_len=32768, buckets by length, micro batch 2", 14).gib(57).do("hard").run(360, 2.2, 10, lambda i, n, x, s, d: f"{d:%H:%M:%S} | {i}/{n} | xent {x:.4f} | longest {9000 + (i * 771) % 21000} tok | {s:.1f}s", of=5000, curve=falls(4.4, 1.9))
    w.gib(78.6, 3, 2).p(tb(full("5.94 GiB", 3, "79.11 GiB", "3.31 GiB", "75.79 GiB", "71.06 GiB", "3.40 GiB"), "/home/alice/sum/sum.py:188 <module> loss = model(**batch).loss", f"{VENV}/transformers/models/led/modeling_led.py:2391 forward lm_logits = self.lm_head(outputs[0])", mark="[rank3]: "), 2, 3)
    yield w.p(elastic("sum.py", 1, others=tuple(210_700 + 11 * r for r in w.but(3))), 3, 3).over(first(ROOM, 3), "FAILED", {3: 1}, rest=-15)
    w = Watch("ft-2p9b", "a100", 1, 4, script="ft3b.py").p("parameters: 2.91 B (fp32 master weights, no sharding)", 24).gib(23.5, None, 20).do("train").p("forward ok, 1 micro batch, 11.83 s", 12)
    w.gib(39, None, 2).p(tb(full("100.00 MiB", 2, "39.39 GiB", "47.06 MiB", "39.33 GiB", "38.71 GiB", "131.94 MiB", torch="2.4").replace("GPU 2 has", "GPU ~l~ has"), "/home/alice/ft/ft3b.py:93 <module> opt.step()", f"{CONDA}/torch/optim/adamw.py:126 _init_group state['exp_avg_sq'] = torch.zeros_like(p, memory_format=torch.preserve_format)", mark="[rank~r~]: "), 3, None, 0.06)
    yield w.over(ROOM.but(failed_ranks=(0, 1, 2, 3)), "FAILED", dict.fromkeys(range(4), 1))
    w = Watch("ddpm-256", "2080", 1, 1, script="ddpm/train.py", host="old{:02d}").p("unet 114M, batch 24, image 256", 9).gib(9.1).do("train").run(620, 1.5, 20, lambda i, n, x, s, d: f"[{i}/{n}] simple_loss {x:.5f}", of=200_000, curve=falls(1.0, 0.031))
    w.gib(10.6, over=2).p("sampling 64 images for the preview ...", 1).p(tb(full("512.00 MiB", 0, "10.75 GiB", "318.62 MiB", "10.24 GiB", "7.02 GiB", torch="1.13"), "/home/alice/ddpm/train.py:151 <module> sample_grid(ema, 64)", "/home/alice/ddpm/unet.py:88 forward attn = torch.einsum('bhic,bhjc->bhij', q, k)"), 3)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("detr-mixed", "a10", 1, 1, script="detr.py", host="g5-{:02d}").p("images 400..1600 px, dynamic sizes", 6).gib(11).do("train")
    for much in (14, 17, 19.6, 21.4):
        w.gib(much, over=200).run(260, 0.9, 20, lambda i, n, x, s, d: f"it={i} loss_ce={x:.3f} loss_bbox={x / 12:.4f} loss_giou={x / 5:.4f} max_mem={11 + i // 90}GiB", of=14_000, curve=falls(3.1, 0.8))
    w.p(tb(full("694.00 MiB", 0, "22.03 GiB", "301.12 MiB", "21.72 GiB", "13.11 GiB", "8.19 GiB", torch="2.3"), "/home/alice/detr/detr.py:240 <module> main()", "/home/alice/detr/backbone.py:112 forward x = self.layer3(x)"), 1)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("ft-shared-l40", "l40", 1, 1, script="qlora.py").p("loading in 4 bit: 100%|██████████| 19/19 [01:12<00:00]", 74).gib(44, None, 60).do("load")
    busy = "Process 1911204 has 31.78 GiB memory in use. "
    w.p(tb(full("1.16 GiB", 0, "44.40 GiB", "702.44 MiB", "11.92 GiB", "11.20 GiB", "94.31 MiB", torch="2.5", others=busy), "/home/alice/qlora/qlora.py:66 <module> model = prepare_model_for_kbit_training(model)", f"{VENV}/peft/utils/other.py:151 prepare_model_for_kbit_training param.data = param.data.to(torch.float32)"), 4)
    yield w.over(first(ROOM.but(fault="unknown"), 0, failed=(0,)), "FAILED", {0: 1}, cards={0: ({"foreign_processes": 1, "foreign_memory_bytes": 34_123_000_000}, {"foreign_processes": 1, "foreign_memory_bytes": 34_123_000_000})})
    w = Watch("wave-solver", "4090", 1, 1, script="physics/train.py", host="ws{:02d}").p("Gitter 512 x 512, 40 Zeitschritte je Probe", 5).do("train")
    for k in range(10):
        w.gib(4 + 2.0 * k, over=110).run(150, 0.8, 25, lambda i, n, x, s, d: f"Iteration {i:5d}  Verlust {x:.6f}  Speicher {4 + i / 80:.1f} GiB", of=10_000, curve=falls(0.9, 0.06))
    w.p(tb(full("256.00 MiB", 0, "23.55 GiB", "161.88 MiB", "22.91 GiB", "22.40 GiB", "88.10 MiB", torch="2.7"), "/home/alice/physics/train.py:74 <module> history.append(loss_fn(field, target))", "/home/alice/physics/solver.py:31 roll field = field - dt * lap(field)"), 1)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("mi-llm-13b", "mi250", 2, 8, script="train_rocm.py", host="nid{:06d}").p("MIOpen cache on /tmp, 16 GCDs", 18).gib(48).do("train").run(190, 3.4, 10, lambda i, n, x, s, d: f"rank0 step {i} loss {x:.4f} t {s:.2f}", of=6000, curve=falls(10.9, 3.3)).gib(63.4, 14, 3)
    w.p(tb("torch.OutOfMemoryError: HIP out of memory. Tried to allocate 3.12 GiB. GPU 6 has a total capacity of 63.98 GiB of which 1.88 GiB is free. Of the allocated memory 58.20 GiB is allocated by PyTorch, and 2.77 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_HIP_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)", "/home/alice/rocm/train_rocm.py:205 <module> loss.backward()", mark="[rank14]: "), 2, 14)
    yield w.over(first(ROOM, 14), "FAILED", {14: 1}, rest=-15, lag=3, at={14: w.t + 0.3})


def crowded_too() -> Iterator[HandJob]:
    """No room in other words."""
    w = Watch("flax-unet3d", "h100", 1, 4, script="seg3d.py").p("I~M~ ~H~.~U~ 210300 seg3d.py:40] 4 local devices, XLA_PYTHON_CLIENT_MEM_FRACTION=.92", 13).gib(73, None, 3).do("load")
    w.p("W~M~ ~H~.~U~ 210441 bfc_allocator.cc:501] Allocator (GPU_0_bfc) ran out of memory trying to allocate 21.50GiB (rounded to 23085449216)requested by op \nW~M~ ~H~.~U~ 210441 bfc_allocator.cc:512] *****************************************************************************************___________", 66, 0)
    w.p(tb("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 23085449216 bytes.", "/home/alice/seg3d/seg3d.py:131 <module> state, aux = step(state, vol, mask)", f"{PIXI}/jax/_src/interpreters/pxla.py:1298 __call__ results = self.xla_executable.execute_sharded(input_bufs)"), 0.6, 0)
    yield w.over(first(ROOM, 0), "FAILED", {0: 1}, rest=-15, lag=3, at={0: w.t + 0.2})
    w = Watch("keras-effnet", "v100", 1, 1, script="fit_b7.py", host="nv{:03d}").p("Epoch 1/40", 20).gib(15.1, None, 2).do("train").run(180, 0.9, 15, lambda i, n, x, s, d: f"{i}/2210 ━━━━━━━━━━━━━━━━━━━━ {int((2210 - i) * s)}s {int(s * 1000)}ms/step - accuracy: {max(0.01, 0.8 - x / 9):.4f} - loss: {x:.4f}", of=2210, curve=falls(6.9, 3.3))
    w.p("~D~ ~H~.~U~: W external/local_xla/xla/tsl/framework/bfc_allocator.cc:497] Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.95GiB (rounded to 2097152000)requested by op StatefulPartitionedCall/efficientnetb7/block6a_expand_activation/mul\n" + tb("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nOOM when allocating tensor with shape[64,1344,38,38] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node efficientnetb7/block6a_expand_activation/mul}}]]\nHint: If you want to see a list of allocated tensors when OOM happens, add report_tensor_allocations_upon_oom to RunOptions for current allocation info.", "/home/alice/keras/fit_b7.py:58 <module> model.fit(train, validation_data=val, epochs=40)"), 1)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("serve-batch", "h100", 1, 1, script="offline_infer.py").p("INFO ~M~ ~H~ [core.py:76] Initializing a V1 LLM engine (v0.11.0) with config: model='/models/qwen3-32b', dtype=torch.bfloat16, max_seq_len=131072, tensor_parallel_size=1", 30).gib(78.4, over=2).do("load")
    w.p("ERROR ~M~ ~H~ [core.py:708] EngineCore failed to start.\n" + tb("ValueError: Free memory on device (9.84/79.11 GiB) on startup is less than desired GPU memory utilization (0.9, 71.2 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.", f"{VENV}/vllm/v1/engine/core.py:699 run_engine_core engine_core = EngineCoreProc(*args, **kwargs)", f"{VENV}/vllm/v1/worker/gpu_worker.py:179 init_device raise ValueError(", mark="ERROR ~M~ ~H~ [core.py:708] "), 9)
    w.p(tb("RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}", "/home/alice/infer/offline_infer.py:21 <module> llm = LLM(model=args.model)"), 1.1)
    yield w.over(first(ROOM.but(fault="unknown"), 0, failed=(0,)), "FAILED", {0: 1}, cards={0: ({"foreign_processes": 2, "foreign_memory_bytes": 73_400_000_000}, {"foreign_processes": 2, "foreign_memory_bytes": 73_400_000_000})})
    w = Watch("grpo-math", "h200", 1, 8, by="accelerate", script="grpo.py").p("INFO ~M~ ~H~ [gpu_model_runner.py:2653] Model loading took 27.6 GiB and 61.2 seconds", 90).gib(96, None, 20).do("decode").run(40, 28, 1, lambda i, n, x, s, d: f"{{'loss': {x / 50:.4f}, 'reward': {1.6 - x:.4f}, 'kl': {i / 9000:.5f}, 'completions/mean_length': {800 + 31 * i}.0, 'epoch': {i / 400:.4f}}}", of=400, curve=falls(1.5, 0.4))
    w.gib(139.4, 5, 4).p(tb(full("18.55 GiB", 5, "139.81 GiB", "6.20 GiB", "133.60 GiB", "119.03 GiB", "12.10 GiB", torch="2.8"), "/home/alice/grpo/grpo.py:140 <module> trainer.train()", f"{VENV}/trl/trainer/grpo_trainer.py:811 _get_per_token_logps_and_entropies logps = selective_log_softmax(logits, completion_ids)", mark="[rank5]: "), 9, 5)
    yield w.p(elastic("grpo.py", 1), 4, 5).over(first(ROOM, 5), "FAILED", {5: 1}, rest=-15)
    w = Watch("tp8-proto", "a100x", 1, 8, script="tp.py").p("activation cache reserves 78.0 GiB a card", 16).gib(79.1, None, 4).do("load")
    w.p(tb(refused(3690, "ncclUnhandledCudaError", "Failed to CUDA calloc async 16777216 bytes: Cuda failure 2 'out of memory'", nccl="2.26.2"), "/home/alice/tp/tp.py:52 <module> dist.all_reduce(flag)", f"{VENV}/torch/distributed/distributed_c10d.py:2806 all_reduce work = group.allreduce([tensor], opts)", mark="[rank~r~]: "), 7, None, 0.02)
    yield w.over(ROOM.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))
    w = Watch("mlp-probe", "a30", 1, 1, script="probe.py", host="gpu-{:03d}.priv").p("features: 41 GB memory-mapped, chunk to card: 23 GB", 7).gib(23.6, over=3).do("load").p("chunk is on the card", 9)
    w.p(tb("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", "/home/alice/probe/probe.py:48 <module> z = head(x[idx])", f"{VENV}/torch/nn/modules/linear.py:117 forward return F.linear(input, self.weight, self.bias)"), 2)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("cupy-spectra", "a100", 1, 1, script="spectra.py").p("lines in catalogue: 88 M", 6).gib(30).do("train").run(64, 14, 2, lambda i, n, x, s, d: f"block {i:3d}/{n}  chi2={x:.3f}  {s:.1f} s", of=210, curve=falls(41, 3.4)).gib(39.2, over=2)
    w.p(tb("cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 11,811,160,064 bytes (allocated so far: 30,601,641,984 bytes).", "/home/alice/spectra/spectra.py:112 <module> chi2 = fit_block(block)", "/home/alice/spectra/spectra.py:70 fit_block cov = cp.linalg.inv(j.T @ (w[:, None] * j))"), 3)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("xgb-ltv", "l4", 1, 1, script="ltv.py", host="edge{:02d}").p("rows=410,220,118 cols=96", 90).gib(8).do("load")
    w.p(tb("xgboost.core.XGBoostError: [~H~] /workspace/src/c_api/../data/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 15.11GB\n- Requested memory: 36.68GB\n", "/home/alice/ltv/ltv.py:37 <module> dm = xgb.QuantileDMatrix(it, max_bin=512)"), 21)
    yield w.over(first(ROOM, 0, failed=(0,)), "FAILED", {0: 1})
    w = Watch("ocr-paddle", "a10", 1, 2, script="tools/train.py", host="g5-{:02d}").p("[~D~ ~H~] ppocr INFO: train dataloader has 3120 iters", 10).gib(16).do("train").run(340, 1.1, 20, lambda i, n, x, s, d: f"[{d:%Y/%m/%d %H:%M:%S}] ppocr INFO: epoch: [1/500], global_step: {i}, lr: 0.001000, acc: {max(0, 0.9 - x / 40):.6f}, loss: {x:.6f}, avg_batch_cost: {s:.5f} s", of=9000, curve=falls(34, 6.1)).gib(22, 1, 2)
    w.p(tb("SystemError: \n\n--------------------------------------\nC++ Traceback (most recent call last):\n--------------------------------------\n0   paddle::memory::allocation::CUDAAllocator::AllocateImpl(unsigned long)\n\n----------------------\nError Message Summary:\n----------------------\nResourceExhaustedError: \n\nOut of memory error on GPU 1. Cannot allocate 1.406250GB memory on GPU 1, 21.612244GB memory has been allocated and available memory is only 425.937500MB.", "/home/alice/ocr/tools/train.py:210 <module> preds = model(images)"), 1.6, 1)
    yield w.over(first(ROOM, 1), "FAILED", {1: 1}, rest=-15, lag=3, at={1: w.t + 0.3})


def broke() -> Iterator[HandJob]:
    """A card, or what it hangs on, gave up."""
    def ecc(n: int, **more: object) -> tuple[dict[str, object], dict[str, object]]:
        return {}, {"ecc_volatile_uncorrected": n, "ecc_aggregate_uncorrected": n, "recovery_action": "reset", **more}

    w = Watch("cfd-surrogate", "a100x", 1, 4, script="surr.py").p("mesh level 5, 4 ranks", 12).gib(55).do("train").run(700, 1.4, 20, lambda i, n, x, s, d: f"{i:06d},{x:.6e},{s:.3f}", of=20_000, curve=falls(1.3, 0.08))
    w.xid(1, 63, "pid=~p~, name=python, Row Remapper: New row (0x00000000014c02b7) marked for remapping, reset gpu to activate.", 1.0).xid(1, 48, "pid=210311, name=python, DBE (double bit error) ECC Error detected", 0.9)
    w.p(tb(cuda("uncorrectable ECC error encountered", torch="2.6"), "/home/alice/surr/surr.py:140 <module> loss.item()", mark="[rank1]: "), 0.5, 1)
    yield w.over(first(SICK, 1), "FAILED", {1: 1}, rest=-15, lag=3, at={1: w.t + 0.3}, cards={1: ecc(2, remapped_rows_uncorrectable=1, remap_pending=True)})
    w = Watch("lm-fr-7b", "h100", 4, 4, by="torchrun", script="entraine.py", host="jzh{:03d}").p("16 rangs, corpus fr de 210 Go", 28).gib(69).do("hard").run(520, 2.3, 10, lambda i, n, x, s, d: f"{d:%d/%m %H:%M:%S} itération {i} perte {x:.4f} norme {0.5 + x / 12:.3f} ({s:.2f} s)", of=60_000, curve=falls(11, 2.7))
    w.xid(9, 79, "pid='<unknown>', name=<unknown>, GPU has fallen off the bus.", 3.0)
    w.p(tb(cuda("unspecified launch failure", torch="2.6"), "/home/alice/fr/entraine.py:266 <module> perte.backward()", f"{VENV}/torch/autograd/graph.py:823 _engine_run_backward return Variable._execution_engine.run_backward(", mark="[rank9]: "), 1, 9).do("quiet", 9)
    yield w.p(elastic("entraine.py", 1), 5, 9).over(first(SICK, 9), "FAILED", {9: 1}, rest=-15, cards={9: ({}, None)}, dark={9: w.t - 9})
    w = Watch("climax-0p25", "h200", 2, 8, script="climax.py").p("16 x H200", 20).gib(118).do("hard").run(440, 2.6, 10, lambda i, n, x, s, d: f"iter {i:>6d} wmse {x:.5f} lr 2.0e-04 {s:.3f}s", of=30_000, curve=falls(0.98, 0.11))
    w.xid(12, 74, "pid=210432, name=python, NVLink: fatal error detected on link 4(0x0, 0x0, 0x10000, 0x0, 0x0, 0x0, 0x0)", 1.2)
    w.p(tb(refused(3690, "ncclUnhandledCudaError", "Cuda failure 220 'uncorrectable NVLink error detected during the execution'", nccl="2.27.3"), "/home/alice/climax/climax.py:188 <module> scaler.step(opt)", mark="[rank12]: "), 0.9, 12)
    yield w.over(first(SICK, 12), "FAILED", {12: 1}, rest=-15, lag=4, at={12: w.t + 0.4}, cards={12: ({}, {"nvlink_crc_errors": 20_411, "nvlink_replay_errors": 96, "recovery_action": "reset"})})
    w = Watch("s2s-quechua", "a30", 1, 1, script="s2s.py", host="gpu-{:03d}.priv").p("frases: 214 333", 6).gib(15).do("train").run(1500, 0.6, 30, lambda i, n, x, s, d: f"paso={i} perdida={x:.4f} bleu_prev={max(0, 30 - 6 * x):.1f}", of=40_000, curve=falls(6.4, 1.7))
    w.xid(0, 64, "pid=210300, name=python, Row Remapper: Failed to remap row (0x0000000000d30c11). Remap failure.", 0.9).xid(0, 94, "pid=210300, name=python, Contained: DRAM (0x4). RST: No, D-RST: No", 0.8)
    w.p(tb(cuda("uncorrectable ECC error encountered", torch="2.4"), "/home/alice/s2s/s2s.py:93 <module> torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)"), 0.5)
    yield w.over(first(SICK, 0, failed=(0,)), "FAILED", {0: 1}, cards={0: ecc(1, remap_failure=True)})
    w = Watch("vla-policy", "h100", 1, 8, by="torchrun", script="vla/train.py").p("episodes: 118k, cameras: 3", 22).gib(62).do("train").run(610, 1.7, 20, lambda i, n, x, s, d: f'{{"ts": "{d:%H:%M:%S}", "step": {i}, "action_mse": {x:.5f}, "dt": {s:.3f}}}', of=90_000, curve=falls(0.71, 0.05))
    w.xid(6, 95, "pid=210766, name=python, Uncontained: LTC TAG (0x2,0x0). Physical Address: 0x00000008f1d02000, RST: Yes, D-RST: No", 0.6).xid(6, 45, "pid=210766, name=python, Ch 00000013", 0.2)
    w.p(tb(cuda("uncorrectable ECC error encountered", "cudaErrorECCUncorrectable", "2.9"), "/home/alice/vla/train.py:301 <module> metrics = {k: v.item() for k, v in metrics.items()}", mark="[rank6]: "), 0.4, 6)
    yield w.p(elastic("vla/train.py", 1), 4, 6).over(first(SICK, 6), "FAILED", {6: 1}, rest=-15, cards={6: ecc(5)})
    w = Watch("cryo-em-3d", "rtx6000", 1, 4, script="refine.py", host="em{:02d}").p("particles 412,118, box 360", 14).gib(38).do("train").run(330, 2.1, 10, lambda i, n, x, s, d: f"refine it {i:4d}/{n}  res {3.1 + x:.2f} A  dpr {x:.4f}", of=2000, curve=falls(6.2, 0.3))
    w.do("quiet", 2).xid(2, 119, "pid=210322, name=python, Timeout after 45s of waiting for RPC response from GPU2 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20802801 0x38).", 12).xid(2, 154, "GPU recovery action changed from 0x0 (None) to 0x1 (GPU Reset Required)", 11.8)
    w.p(tb(cuda("unknown error", torch="2.7"), "/home/alice/em/refine.py:177 <module> vol = backproject(proj)", mark="[rank2]: "), 1, 2)
    yield w.over(first(SICK, 2), "FAILED", {2: 1}, rest=-9, lag=34, at={2: w.t + 0.5}, cards={2: ({}, None)}, dark={2: w.t - 14})
    w = Watch("nv72-pre", "b200", 2, 4, by="torchrun", script="pre.py").p("8 x B200, fp8", 30).gib(151).do("hard").run(480, 1.9, 10, lambda i, n, x, s, d: f"it={i:07d} lm={x:.5f} mfu={0.41 / s * 1.9:.3f}", of=200_000, curve=falls(11.2, 2.5))
    w.xid(5, 149, "NETIR_LINK_EVT Fatal XC0 i0 Link 07 (0x004505c6 0x00000000 0x00000000 0x00000000 0x00000000 0x00000000)", 1.5)
    w.p(tb(cuda("uncorrectable NVLink error detected during the execution", "cudaErrorNvlinkUncorrectable", "2.9"), "/home/alice/pre/pre.py:240 <module> grads.reduce_scatter_()", mark="[rank5]: "), 1, 5)
    yield w.p(elastic("pre.py", 1), 6, 5).over(first(SICK, 5), "FAILED", {5: 1}, rest=-15, cards={5: ({}, {"nvlink_receive_errors": 3120, "nvlink_effective_errors": 844, "nvlink_recovery_failed": 2, "recovery_action": "reset"})})
    w = Watch("sdxl-lora-jp", "a100", 1, 1, script="lora.py").p("画像 1,204 枚、解像度 1024", 8).gib(31).do("train").run(900, 1.1, 30, lambda i, n, x, s, d: f"ステップ {i}/{n} 損失 {x:.4f}", of=12_000, curve=falls(0.19, 0.07))
    w.p(tb(cuda("uncorrectable ECC error encountered", torch="2.5"), "/home/alice/lora/lora.py:158 <module> accelerator.backward(loss)"), 0.7)
    yield w.over(first(SICK, 0, failed=(0,)), "FAILED", {0: 1}, cards={0: ecc(1, remapped_rows_uncorrectable=1, remap_pending=True)})
    w = Watch("mace-mp", "a100x", 2, 4, script="run_train.py").p("8 ranks; energies in eV, forces in eV/A", 15).gib(60).do("train").run(620, 1.5, 20, lambda i, n, x, s, d: f"{d:%Y-%m-%d %H:%M:%S}.000 INFO: step {i}: loss={x:8.4f}, MAE_E_per_atom={9 * x:8.2f} meV, MAE_F={40 * x:8.2f} meV / A", of=9000, curve=falls(3.2, 0.2))
    w.do("poll", w.but(4)).do("quiet", 4).xid(4, 79, "pid=210344, name=python, GPU has fallen off the bus.", 0.5)
    gone = w.t
    w.p(waited("ALLREDUCE", 62_004, 1_843_200, 600_000), 604, w.but(4), 0.03)
    yield w.over(SICK, "FAILED", dict.fromkeys(w.but(4), -6), rest=-9, cards={4: ({}, None)}, dark={4: gone - 3}, lag=12, at=dict.fromkeys(w.but(4), w.t + 0.5))
    w = Watch("hgt-finance", "l40", 1, 2, script="hgt.py").p("nodes 41 M, edges 610 M", 12).gib(35).do("train").run(800, 0.9, 25, lambda i, n, x, s, d: f"mini-batch {i} bce {x:.5f} ap {0.9 - x:.4f}", of=50_000, curve=falls(0.68, 0.2))
    w.xid(0, 62, "pid=210300, name=python, 1a3c(2d18) 00000000 00000000", 2.2).do("quiet", 0)
    w.p(tb(cuda("unspecified launch failure", torch="2.6"), "/home/alice/hgt/hgt.py:133 <module> out = model(batch.x_dict, batch.edge_index_dict)", mark="[rank0]: "), 1, 0)
    yield w.over(first(SICK, 0), "FAILED", {0: 1}, rest=-15, lag=5, at={0: w.t + 0.3}, cards={0: ({}, {"recovery_action": "reset"})})
    w = Watch("weathernet-ens", "gh200", 8, 1, script="ens.py", host="nid{:06d}").p("member ~r~", 16, None).gib(74).do("hard").run(420, 2.0, 10, lambda i, n, x, s, d: f"E{i:05d} crps={x:.4f} spread={0.6 * x:.4f}", of=6000, curve=falls(1.1, 0.19))
    w.xid(5, 140, "pid=210355, name=python, Unrecovered ECC Error Count: 1", 0.8)
    w.p(tb("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to complete all kernels launched on stream 0x5612ab0c4f20: CUDA_ERROR_ECC_UNCORRECTABLE: uncorrectable ECC error encountered", "/home/alice/ens/ens.py:144 <module> metrics = jax.device_get(metrics)"), 0.6, 5)
    yield w.over(first(SICK, 5), "FAILED", {5: 1}, rest=-15, lag=8, at={5: w.t + 0.3}, cards={5: ecc(1)})
    w = Watch("bert-ko-large", "v100", 1, 4, script="run_mlm.py", host="nv{:03d}").p("말뭉치 61GB, 배치 크기 32 x 4", 13).gib(14).do("train").run(900, 0.9, 30, lambda i, n, x, s, d: f"[단계 {i}] 손실={x:.4f} 학습률={1e-4:.1e} {s:.2f}초", of=100_000, curve=falls(9.8, 2.9))
    w.xid(3, 48, "pid=210333, name=python, An uncorrectable double bit error (DBE) has been detected on GPU in the framebuffer at partition 1, subpartition 0.", 0.7).xid(3, 63, "pid=210333, name=python, Dynamic Page Retirement: New page retired, reboot to activate (0x000000000007c2e1).", 0.6)
    w.p(tb(cuda("uncorrectable ECC error encountered", torch="1.13"), "/home/alice/mlm/run_mlm.py:204 <module> loss = loss / args.accum", mark=""), 0.5, 3)
    yield w.over(first(SICK, 3), "FAILED", {3: 1}, rest=-15, lag=3, at={3: w.t + 0.3}, cards={3: ecc(1, retired_pages_dbe=1, retired_pages_pending=True, recovery_action="reboot")})
    w = Watch("audio-gen-xl", "h100pcie", 1, 2, script="audiogen.py").p("EnCodec 32 kHz, 4 codebooks", 10).gib(66).do("train").run(700, 1.3, 20, lambda i, n, x, s, d: f"Train | Epoch 1 | {i}/2000 | {1 / s:.2f} it/sec | ce {x:.3f} | ppl {2.718 ** x:.3f}", of=2000, curve=falls(7.3, 4.0))
    w.do("quiet", 1).xid(1, 120, "pid=210311, name=python, GSP task timeout @ pc:0x1c5b8ac, task: 1", 4)
    w.p(tb("RuntimeError: CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.", "/home/alice/ag/audiogen.py:99 <module> loss.backward()", mark="[rank1]: "), 1, 1)
    yield w.over(first(SICK, 1), "FAILED", {1: 1}, rest=-15, lag=9, at={1: w.t + 0.3}, cards={1: ({}, None)}, dark={1: w.t - 6})
    w = Watch("rec-two-tower", "h800", 1, 8, by="torchrun", script="tower.py", host="bj-gpu{:03d}").p("双塔召回, 负样本 4096", 15).gib(51).do("train").run(800, 1.0, 20, lambda i, n, x, s, d: f"{d:%H:%M:%S} step={i} infonce={x:.4f} recall@50={0.7 - x / 20:.3f}", of=40_000, curve=falls(9.0, 3.9))
    w.xid(2, 74, "pid=210722, name=python, NVLink: fatal error detected on link 16(0x10000, 0x0, 0x0, 0x0, 0x0, 0x0, 0x0)", 1.3)
    w.p(tb(cuda("Invalid access of peer GPU memory over nvlink or a hardware error", "cudaErrorContained", "2.9"), "/home/alice/tower/tower.py:210 <module> loss.backward()", mark="[rank2]: "), 0.8, 2)
    yield w.p(elastic("tower.py", 1), 4, 2).over(first(SICK, 2), "FAILED", {2: 1}, rest=-15, cards={2: ({}, {"nvlink_crc_errors": 903, "nvlink_replay_errors": 14, "nvlink_recovery_errors": 3, "recovery_action": "reset"})})


def slowed() -> Iterator[HandJob]:
    """Clocks were held down by the hardware."""
    def held(**s: float) -> tuple[dict[str, int], dict[str, int]]:
        return {}, {f"violation_{k}_ns": int(v * 1e9) for k, v in s.items()}

    heat, brake = 72.0, 136.0
    w = Watch("swin-retina", "a100", 1, 4, script="swin.py").p("fundus images 512 px", 9).gib(33).do("train").run(500, 0.8, 20, lambda i, n, x, s, d: f"it {i:5d} bce {x:.4f} step_time {s:.2f}", of=2200, curve=falls(0.69, 0.21))
    began = w.t
    w.do("train", 1, mhz=510, celsius=92, reasons=heat, watts=148).do("lean", w.but(1)).run(1700, 2.1, 20, lambda i, n, x, s, d: f"it {i:5d} bce {x:.4f} step_time {s:.2f}", curve=falls(0.69, 0.21))
    yield w.p("finished", 3).over(HELD, cards={1: held(hw_thermal=w.t - began, thermal=w.t - began)})
    w = Watch("rna-fold-lm", "h100", 2, 8, script="rna.py").p("16 ranks", 20).gib(64).do("hard").run(260, 1.2, 10, lambda i, n, x, s, d: f"[{i:>5}/{n}] mlm {x:.4f} {int(131072 / s)} nt/s", of=1500, curve=falls(2.9, 1.4))
    began = w.t
    w.do("train", w.of(1), mhz=690, celsius=51, reasons=brake, watts=255).do("lean", w.of(0)).run(1240, 2.9, 10, lambda i, n, x, s, d: f"[{i:>5}/{n}] mlm {x:.4f} {int(131072 / s)} nt/s", curve=falls(2.9, 1.4))
    yield w.p("saved rna_final.pt", 5).over(HELD, cards={r: held(hw_power_brake=w.t - began) for r in w.of(1)})
    w = Watch("whisper-ft-nl", "l40", 1, 1, script="wft.py").p("uren spraak: 412", 8).gib(30).do("train").run(300, 0.9, 20, lambda i, n, x, s, d: f"stap {i} verlies {x:.4f} {s:.2f} s/stap", of=1900, curve=falls(2.8, 0.5))
    began = w.t
    w.do("train", mhz=585, celsius=94, reasons=104.0, watts=118).run(1600, 3.4, 20, lambda i, n, x, s, d: f"stap {i} verlies {x:.4f} {s:.2f} s/stap", curve=falls(2.8, 0.5))
    yield w.over(HELD, cards={0: held(hw_thermal=w.t - began, sw_thermal=w.t - began, thermal=w.t - began)})
    w = Watch("pc-transformer", "h200", 1, 8, by="torchrun", script="pct.py").p("lidar sweeps 28k", 18).gib(88).do("hard").run(300, 1.0, 15, lambda i, n, x, s, d: f"epoch {i // 600} it {i % 600} miou {0.8 - x / 9:.3f} loss {x:.4f} sec {s:.2f}", of=1500, curve=falls(3.8, 0.7))
    began = w.t
    w.do("train", None, mhz=765, celsius=47, reasons=brake, watts=260).run(1200, 2.5, 15, lambda i, n, x, s, d: f"epoch {i // 600} it {i % 600} miou {0.8 - x / 9:.3f} loss {x:.4f} sec {s:.2f}", curve=falls(3.8, 0.7))
    yield w.over(HELD, cards={r: held(hw_power_brake=w.t - began) for r in range(8)})
    w = Watch("jamba-ft", "a100x", 1, 2, by="accelerate", script="ft.py").p("***** Running training *****\n  Num Epochs = 1\n  Total optimization steps = 900", 40).gib(75).do("train").run(150, 2.0, 10, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 3:.4f}, 'learning_rate': {1e-5 * (1 - i / 900):.3e}, 'epoch': {i / 900:.3f}}}", of=900, curve=falls(1.9, 1.1))
    began = w.t
    w.do("train", 0, mhz=420, celsius=89, reasons=heat, watts=131).do("lean", 1).run(750, 6.2, 10, lambda i, n, x, s, d: f"{{'loss': {x:.4f}, 'grad_norm': {x / 3:.4f}, 'learning_rate': {1e-5 * (1 - i / 900):.3e}, 'epoch': {i / 900:.3f}}}", curve=falls(1.9, 1.1))
    yield w.p(f"{{'train_runtime': {w.t:.1f}, 'train_samples_per_second': 1.31, 'train_loss': 1.27, 'epoch': 1.0}}", 2).over(HELD, cards={0: held(hw_thermal=w.t - began, thermal=w.t - began)})
    w = Watch("dock-screen", "4090", 1, 1, script="screen.py", host="ws{:02d}").p("library of 9.1 M", 4).gib(14).do("train").run(260, 1.0, 20, lambda i, n, x, s, d: f"batch {i}/{n} score_rmse={x:.3f} ({1 / s:.2f} batch/s)", of=1200, curve=falls(2.4, 0.9))
    w.do("train", mhz=825, celsius=96, reasons=heat, watts=137).run(940, 3.1, 20, lambda i, n, x, s, d: f"batch {i}/{n} score_rmse={x:.3f} ({1 / s:.2f} batch/s)", curve=falls(2.4, 0.9))
    yield w.p("top 1000 written", 4).over(HELD)
    w = Watch("gpt-code-1b", "h100pcie", 1, 4, script="code.py", limit=5400).p("repos deduplicated, 4 ranks", 14).gib(70).do("train").run(400, 1.1, 20, lambda i, n, x, s, d: f"level=info it={i} total={n} nll={x:.4f} dur={s:.2f}", of=4200, curve=falls(9.6, 1.8))
    began = w.t
    form = lambda i, n, x, s, d: f"level=info it={i} total={n} nll={x:.4f} dur={s:.2f}"  # noqa: E731
    w.do("train", 2, mhz=390, celsius=91, reasons=heat, watts=118).do("lean", w.but(2)).run(int((5390 - w.t) / 4.0), 4.0, 20, form, of=4200, curve=falls(9.6, 1.8))
    yield w.over(HELD, "TIMEOUT", cards={2: held(hw_thermal=5390 - began, thermal=5390 - began)})
    w = Watch("seismic-inv", "gh200", 4, 1, script="fwi.py", host="nid{:06d}").p("shots 4 x 220", 12).gib(70).do("hard").run(120, 4.0, 5, lambda i, n, x, s, d: f"FWI it={i:4d} misfit={x:.5e} time={s:.1f}", of=500, curve=falls(4.1e3, 3.2e2))
    began = w.t
    w.do("train", 3, mhz=615, celsius=50, reasons=brake, watts=290).do("lean", (0, 1, 2)).run(380, 11.5, 5, lambda i, n, x, s, d: f"FWI it={i:4d} misfit={x:.5e} time={s:.1f}", curve=falls(4.1e3, 3.2e2))
    yield w.p("model written: vp_final.h5", 6).over(HELD, cards={3: held(hw_power_brake=w.t - began)})
    w = Watch("moe-infill", "h800", 1, 8, script="infill.py", host="bj-gpu{:03d}").p("八卡, 批 8 x 4", 20).gib(66).do("hard").run(200, 1.6, 10, lambda i, n, x, s, d: f"步 {i}/{n} 损失 {x:.4f} 耗时 {s:.2f}s", of=1000, curve=falls(8.8, 2.4))
    began = w.t
    w.do("train", None, mhz=735, celsius=93, reasons=heat, watts=330).run(800, 4.3, 10, lambda i, n, x, s, d: f"步 {i}/{n} 损失 {x:.4f} 耗时 {s:.2f}s", curve=falls(8.8, 2.4))
    yield w.p("训练完成", 2).over(HELD, cards={r: held(hw_thermal=w.t - began, thermal=w.t - began) for r in range(8)})
    w = Watch("bio-clip", "a100x", 1, 1, script="bioclip.py").p("species 410k", 9).gib(62).do("train").run(420, 1.0, 20, lambda i, n, x, s, d: f"{i}\t{x:.4f}\t{s:.3f}", of=1600, curve=falls(8.3, 2.2))
    began = w.t
    w.do("train", mhz=450, celsius=90, reasons=heat, watts=139).run(1180, 2.9, 20, lambda i, n, x, s, d: f"{i}\t{x:.4f}\t{s:.3f}", curve=falls(8.3, 2.2))
    yield w.p("zero-shot top-1 41.8", 30).over(HELD, cards={0: held(hw_thermal=w.t - began, thermal=w.t - began)})
    w = Watch("tts-styl", "a30", 1, 2, script="tts.py", host="gpu-{:03d}.priv").p("LJ + VCTK", 7).gib(19).do("train").run(350, 0.7, 25, lambda i, n, x, s, d: f"steps={i} mel={x:.4f} dur={x / 8:.4f} iter_s={s:.2f}", of=1500, curve=falls(1.7, 0.34))
    began = w.t
    w.do("train", None, mhz=525, celsius=44, reasons=brake, watts=58).run(1150, 2.2, 25, lambda i, n, x, s, d: f"steps={i} mel={x:.4f} dur={x / 8:.4f} iter_s={s:.2f}", curve=falls(1.7, 0.34))
    yield w.over(HELD, cards={r: held(hw_power_brake=w.t - began) for r in (0, 1)})
    w = Watch("ssl-echo", "b200", 1, 4, by="torchrun", script="echo.py").p("echocardiogram clips 1.4 M", 25).gib(140).do("hard").run(220, 1.4, 10, lambda i, n, x, s, d: f"{d:%H:%M:%S} [{i}/{n}] dino={x:.4f} t={s:.2f}s", of=1200, curve=falls(10.4, 4.1))
    began = w.t
    w.do("train", 0, mhz=645, celsius=92, reasons=heat, watts=330).do("lean", (1, 2, 3)).run(980, 4.0, 10, lambda i, n, x, s, d: f"{d:%H:%M:%S} [{i}/{n}] dino={x:.4f} t={s:.2f}s", curve=falls(10.4, 4.1))
    yield w.over(HELD, cards={0: held(hw_thermal=w.t - began, thermal=w.t - began)})


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (crowded, crowded_too, broke, slowed):
        yield from part()


RECIPE = Recipe("turnstile_stubs_by_pen", "development", jobs)

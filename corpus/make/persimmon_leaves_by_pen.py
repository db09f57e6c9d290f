"""Jobs of a life-science institute and a city's transport lab on cards that are not here, by pen: memory of the card, kernels that go wrong, programs that fall."""

from collections.abc import Iterator

from corpus.label import Label
from corpus.make._vellum import Leaf
from corpus.make._vellum_lines import HOME, SITE, cuda, fault, full, summary
from corpus.running.hand import GIB
from corpus.running.job import HandJob, Recipe
from gpualert_slurm.rank import CgroupMemory

OOM = Label(mode="B1", cause="cuda_oom", fault="user")
ALONE = OOM.but(first_ranks=(0,), failed_ranks=(0,))
FELL = Label(mode="A3", cause="cuda_runtime", fault="user")
FELL_ALONE = FELL.but(first_ranks=(0,), failed_ranks=(0,))
SOON = Label(mode="A1", fault="user")


def memory_of_one() -> Iterator[HandJob]:
    """On one card."""
    s = Leaf(1, "fold-multimer", "a100", style="structlog", script="run_fold.py").tell("crop_size=None, templates=on, extra_msa=5120", 14).hold(31).mood("busy").train(420, 1.6, 20, 12_000)
    s.tell("@tz [info     ] next target                    chains=4 name=8XQ1 residues=3187", 1).hold(79, over=1)
    s.tell(fault(full("38.74 GiB", "79.25 GiB", "11.02 GiB", "68.21 GiB", "66.90 GiB", "812.44 MiB"), f"{HOME}/fold/run_fold.py:212:<module>:main()", f"{HOME}/fold/run_fold.py:171:main:out = model(batch, recycles=3)", f"{HOME}/fold/net/triangle.py:88:forward:attn = torch.einsum('bihd,bjhd->bhij', q, k) + bias"), 2.4)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(2, "nuclei-seg", "v100", style="keras", script="segment.py").tell("@iso.@us: I tensorflow/core/common_runtime/gpu/gpu_device.cc:1639] Created device /job:localhost/replica:0/task:0/device:GPU:0 with 30960 MB memory:  -> device: 0, name: Tesla V100-SXM2-32GB, pci bus id: 0000:18:00.0, compute capability: 7.0", 12)
    s.hold(30.4).mood("busy").train(11, 62, 1, 60).tell("Epoch 12: image pyramid is switched to level 0", 1)
    s.tell("@iso.@us: W tensorflow/tsl/framework/bfc_allocator.cc:485] Allocator (GPU_0_bfc) ran out of memory trying to allocate 9.00GiB (rounded to 9663676416)requested by op model/up_4/conv2d_transpose", 9)
    s.tell(fault("tensorflow.python.framework.errors_impl.ResourceExhaustedError: Graph execution error:\n\nDetected at node 'model/up_4/conv2d_transpose' defined at (most recent call last):\nOOM when allocating tensor with shape[12,192,1024,1024] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n\t [[{{node model/up_4/conv2d_transpose}}]] [Op:__inference_train_function_20114]",
                 f"{HOME}/nuclei/segment.py:140:<module>:model.fit(train_ds, epochs=60, callbacks=cbs)", f"{SITE}/keras/src/utils/traceback_utils.py:70:error_handler:raise e.with_traceback(filtered_tb) from None"), 0.5)  # fmt: skip
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(3, "spectra-cp", "a30", style="nl", script="deconv.py").tell("CuPy 13.3, kaart 0, 24 GiB", 8).hold(11).mood("busy").train(900, 0.9, 30, 20_000).hold(23.1, over=2)
    s.tell(fault("cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 12,884,901,888 bytes (allocated so far: 11,274,289,152 bytes).", f"{HOME}/spectra/deconv.py:97:<module>:x = richardson_lucy(cube, psf, n_iter=30)", f"{HOME}/spectra/deconv.py:61:richardson_lucy:ratio = cp.fft.rfftn(blurred, axes=(0, 1, 2))", "cupy/cuda/memory.pyx:1142:cupy.cuda.memory.SingleDeviceMemoryPool.malloc:"), 1.2)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(4, "trip-demand-gbt", "l40", style="tsv", script="fit_trips.py").tell("rows=412,108,220 cols=96 tree_method=hist device=cuda max_bin=1024", 10).tell("building the quantile matrix on the card", 85).hold(46.9, over=50).mood("busy").idle(70)
    s.tell(fault("xgboost.core.XGBoostError: [@hms] /workspace/src/c_api/../data/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 312.5MB\n- Requested memory: 4.1GB\n", f"{HOME}/trips/fit_trips.py:58:<module>:dm = xgb.QuantileDMatrix(X, y, max_bin=1024)", f"{SITE}/xgboost/core.py:1638:__init__:self._init(", f"{SITE}/xgboost/core.py:310:_check_call:raise XGBoostError(py_str(_LIB.XGBGetLastError()))"), 3)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(5, "bus-cameras", "rtx6000", style="yolo", script="detect/train.py").tell("AutoBatch: disabled, batch=96 as given\n      Epoch    GPU_mem   box_loss   cls_loss   dfl_loss  Instances       Size", 18).hold(34).mood("busy").train(9, 78, 1, 120)
    s.tell("Closing dataloader mosaic\nmulti_scale: imgsz 640 -> 960", 1).hold(47.2, over=2).tell(fault(full("2.25 GiB", "47.50 GiB", "1.04 GiB", "46.45 GiB", "43.11 GiB", "2.93 GiB"), f"{HOME}/cams/detect/train.py:22:<module>:model.train(data='buses.yaml', batch=96)", f"{SITE}/ultralytics/engine/trainer.py:381:_do_train:self.scaler.scale(self.loss).backward()", f"{SITE}/torch/_tensor.py:581:backward:torch.autograd.backward("), 6)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(6, "drug-gen", "a100-40", style="dgl", script="sample_train.py").tell("molecules are packed by atoms, 20 to 900 each", 9).hold(21).mood("busy").train(300, 0.8, 20, 9000).hold(31, over=120).train(380, 0.8, 20, 9000).hold(38.8, over=240).train(420, 0.8, 20, 9000)
    s.tell(fault(full("1.62 GiB", "39.39 GiB", "412.81 MiB", "38.98 GiB", "19.73 GiB", "18.40 GiB", age="mid"), f"{HOME}/druggen/sample_train.py:188:epoch:loss.backward()", f"{SITE}/torch/autograd/__init__.py:267:backward:_engine_run_backward("), 0.8)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(7, "lora-evenings", "l4", style="axo", script="finetune.py").tell("Loading checkpoint shards: 100%|██████████| 4/4 [00:41<00:00, 10.3s/it]", 49).hold(8.2).mood("reads").idle(20)
    s.tell(fault(full("896.00 MiB", "22.03 GiB", "604.06 MiB", "8.31 GiB", "7.92 GiB", "201.13 MiB", other="Process 3318204 has 13.11 GiB memory in use. "), f"{HOME}/eve/finetune.py:74:<module>:trainer.train()", f"{SITE}/transformers/models/qwen2/modeling_qwen2.py:151:forward:attn_output, attn_weights = attention_interface("), 11)
    yield s.close(ALONE.but(fault="unknown"), "FAILED", {0: 1}, counters={0: ({"foreign_processes": 1, "foreign_memory_bytes": 14_077_000_000, "memory_used_bytes": 14_077_000_000}, {"foreign_processes": 1, "foreign_memory_bytes": 14_077_000_000, "memory_used_bytes": 14_077_000_000})})

    s = Leaf(8, "plates-val", "a10", style="timmlike", script="plates.py").tell("model=resnest101 params=48.3M", 8).hold(9).mood("busy").train(400, 0.6, 40, 8000).tell("val: collecting logits on the card", 1).hold(21.9, over=700)
    for k in range(1, 15):
        s.tell(f"val: {k * 500}/9000", 50)
    s.tell(fault(full("1.14 GiB", "22.04 GiB", "98.31 MiB", "21.71 GiB", "21.02 GiB", "", age="old"), f"{HOME}/plates/plates.py:240:<module>:validate(model, val_loader)", f"{HOME}/plates/plates.py:171:validate:everything = torch.cat([everything, model(x)])"), 22)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(9, "answers-70b-int4", "a100", style="json", script="answer.py").tell("INFO @md @hms [loader.py:447] Loading weights took 131.04 seconds\nINFO @md @hms [gpu_model_runner.py:1347] Model loading took 37.0716 GiB and 138.221 seconds", 160).hold(39, over=80).mood("reads").idle(12).hold(79.1, over=3)
    s.tell("ERROR @md @hms [core.py:396] EngineCore hit an exception: " + fault(full("43.50 GiB", "79.25 GiB", "38.61 GiB", "40.63 GiB", "39.82 GiB", "121.44 MiB"), f"{SITE}/vllm/v1/engine/core.py:388:run_engine_core:engine_core = EngineCoreProc(*args, **kwargs)", f"{SITE}/vllm/v1/worker/gpu_worker.py:185:determine_available_memory:self.model_runner.profile_run()", f"{SITE}/vllm/v1/worker/gpu_model_runner.py:1612:_dummy_sampler_run:probs = logits.softmax(dim=-1, dtype=torch.float32)"), 8)
    yield s.close(ALONE, "FAILED", {0: 1})

    s = Leaf(10, "voice-asr", "t4", style="brain", script="recipes/asr/train.py").tell("speechbrain.core - 187.2M trainable parameters in ASR", 14).hold(14.1).mood("busy").train(6, 118, 1, 40)
    s.hold(15.6, over=2).tell("speechbrain.core - Going into epoch 7\n" + fault("RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`", f"{HOME}/voice/recipes/asr/train.py:312:<module>:asr_brain.fit(epochs, train_data, valid_data)", f"{SITE}/speechbrain/core.py:1240:_fit_train:loss = self.fit_batch(batch)", f"{SITE}/torch/nn/functional.py:1848:linear:return torch._C._nn.linear(input, weight, bias)"), 4)
    yield s.close(ALONE, "FAILED", {0: 1})


def memory_of_many() -> Iterator[HandJob]:
    """On several."""
    s = Leaf(11, "sft-32b", "a100", 1, 4, style="factory", via="torchrun", script="src/train.py").tell("[INFO|@iso] llamafactory.model.loader:143 >> all params: 32,763,876,352 || trainable%: 100.0000", 190, 0).hold(73, over=60).mood("reads").idle(30).tell("[INFO|trainer.py:2519] @iso >> ***** Running training *****\n[INFO|trainer.py:2520] @iso >>   Num examples = 48,210", 40)
    s.hold(78.9, over=3).tell(fault(full("2.90 GiB", "79.14 GiB", "1.33 GiB", "77.80 GiB", "75.02 GiB", "1.81 GiB"), f"{HOME}/lf/src/train.py:28:<module>:main()", f"{SITE}/transformers/trainer.py:3736:training_step:self.accelerator.backward(loss, **kwargs)", f"{SITE}/deepspeed/runtime/zero/stage3.py:1160:reduce_independent_p_g_buckets_and_remove_grads:self.__add_grad_to_ipg_bucket(param)", mark="[rank@r]: "), 7, None, 0.3)
    yield s.tell(summary("src/train.py", [(r, r, 1, s.pid(r)) for r in range(4)], first=2), 4).close(OOM, "FAILED", dict.fromkeys(range(4), 1))

    s = Leaf(12, "seqlm-jax", "h100", 2, 4, style="easylm", script="train_lm.py").tell("I@md @hms.@us 140201 xla_bridge.py:884] process @r of 8, local device 0", 16, None).hold(60, None, 3).mood("reads").idle(80)
    s.tell(fault("jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 52613349376 bytes.\nBufferAssignment OOM Debugging.\nBufferAssignment stats:\n             parameter allocation:   21.77GiB\n              constant allocation:        12B\n        maybe_live_out allocation:   21.77GiB\n     preallocated temp allocation:   49.00GiB", f"{HOME}/seqlm/train_lm.py:203:<module>:state, metrics = train_step(state, rng, batch)"), 44, None, 0.2)
    yield s.close(OOM.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Leaf(13, "vlm-tiles", "h100", 2, 8, style="plain", via="torchrun", script="pretrain_vlm.py").tell("image tiles: up to 12 a picture, packed to 16k tokens", 33).hold(68).mood("flat_out").train(540, 2.1, 10, 40_000).hold(79, 12, 2)
    s.tell(fault(full("5.06 GiB", "79.11 GiB", "3.94 GiB", "75.16 GiB", "71.88 GiB", "1.92 GiB", gpu=4), f"{HOME}/vlm/pretrain_vlm.py:377:<module>:train(cfg)", f"{HOME}/vlm/pretrain_vlm.py:301:train:loss = model(**batch).loss", f"{HOME}/vlm/vision.py:140:forward:x = self.patch(tiles.flatten(0, 1))", mark="[rank12]: "), 1.8, 12)
    yield s.tell(summary("pretrain_vlm.py", [(12, 4, 1, s.pid(12))]), 5, 8).close(OOM.but(first_ranks=(12,)), "FAILED", {12: 1}, rest=-15)

    s = Leaf(14, "cells-enc", "a100-40", 1, 8, style="tsv", script="pretrain_cells.py").tell("step\tloss\tlr\tsec", 15).hold(39.3).mood("flat_out").train(700, 0.9, 50, 90_000).tell("second process group for the decoder is made", 1)
    s.tell("@n:@p:43311 [@l] NCCL WARN Cuda failure 2 'out of memory'\n" + fault("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:275, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.20.5\nncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'", f"{HOME}/cells/pretrain_cells.py:166:<module>:dist.all_reduce(scale, group=decoder_group)", mark="[rank@r]: "), 3, None, 0.1)
    yield s.close(OOM.but(failed_ranks=tuple(range(8))), "FAILED", dict.fromkeys(range(8), 1))

    s = Leaf(15, "judge-eval", "l40", 1, 2, style="axo", via="accelerate", script="judge_train.py").tell("  Num Epochs = 3\n  Total optimization steps = 3,210", 40).hold(37).mood("busy").train(1070, 0.7, 10, 3210).tell("  0%|          | 0/412 [00:00<?, ?it/s]", 3).mood("busy").hold(46.8, None, 200)
    s.tell(fault(full("18.34 GiB", "44.42 GiB", "6.02 GiB", "38.39 GiB", "37.80 GiB", "118.02 MiB"), f"{HOME}/judge/judge_train.py:131:<module>:trainer.train()", f"{SITE}/transformers/trainer_pt_utils.py:93:torch_pad_and_concatenate:return torch.cat((tensor1, tensor2), dim=0)", mark="[rank@r]: "), 228, None, 0.4)
    yield s.close(OOM, "FAILED", {0: 1, 1: 1})

    s = Leaf(16, "gpt-13b", "h200", 1, 8, style="gpt", via="torchrun", script="train_gpt.py").tell("number of parameters: 13,015,864,320", 45).hold(62, over=30).mood("busy").idle(10)
    s.tell("compiling the model... (takes a ~minute)", 40).hold(139, over=20).tell(fault(full("48.49 GiB", "139.80 GiB", "17.40 GiB", "122.39 GiB", "121.22 GiB", "310.88 MiB", gpu=0), f"{HOME}/gpt/train_gpt.py:318:<module>:scaler.step(optimizer)", f"{SITE}/torch/optim/adamw.py:147:_init_group:state['exp_avg_sq'] = torch.zeros_like(", mark="[rank@r]: "), 58, None, 0.2)
    yield s.tell(summary("train_gpt.py", [(r, r, 1, s.pid(r)) for r in range(8)]), 6).close(OOM, "FAILED", dict.fromkeys(range(8), 1))


def kernels() -> Iterator[HandJob]:
    """A3."""
    s = Leaf(21, "codon-lm", "h100pcie", style="loguru", script="codon.py").tell("@iso.118 | INFO     | data.vocab:load:31 - 68 tokens, embedding table 64 x 1024", 9).hold(22).mood("busy").train(860, 0.7, 20, 30_000)
    s.tell("../aten/src/ATen/native/cuda/Indexing.cu:1290: indexSelectLargeIndex: block: [188,0,0], thread: [32,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\n" * 3 + fault(cuda("device-side assert triggered"), f"{HOME}/codon/codon.py:152:<module>:fit()", f"{HOME}/codon/codon.py:118:fit:loss = model(tokens, labels)", f"{HOME}/codon/net.py:51:forward:x = self.embed(tokens) + self.pos[: tokens.size(1)]"), 0.6)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})

    s = Leaf(22, "lane-classes", "a30", 1, 2, style="it", via="torchrun", script="corsie.py").tell("classi: 19, etichette lette da /lustre/corsie/v4", 12).hold(19).mood("busy").train(640, 0.8, 20, 9000)
    s.tell("/opt/conda/conda-bld/pytorch_1724789116784/work/aten/src/ATen/native/cuda/NLLLoss2d.cu:103: nll_loss2d_forward_kernel: block: [6,0,0], thread: [417,0,0] Assertion `t >= 0 && t < n_classes` failed.\n" + fault(cuda("device-side assert triggered"), f"{HOME}/corsie/corsie.py:201:<module>:addestra()", f"{HOME}/corsie/corsie.py:160:addestra:perdita.backward()", mark="[rank1]: "), 0.5, 1)
    yield s.tell(summary("corsie.py", [(1, 1, 1, s.pid(1))]), 4, 0).close(FELL.but(first_ranks=(1,)), "FAILED", {1: 1}, rest=-15)

    s = Leaf(23, "scan-kernel", "h100", style="speed", script="ssm_train.py").tell("custom selective scan (triton 3.1)", 20).hold(48).mood("flat_out").train(1500, 0.45, 50, 60_000).xid(0, 31, "pid=40000, name=python, Ch 0000000e, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC2 GPCCLIENT_T1_4 faulted @ 0x7ed2_44c0a000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_WRITE")
    s.tell(fault("RuntimeError: Triton Error [CUDA]: an illegal memory access was encountered", f"{HOME}/ssm/ssm_train.py:266:<module>:loss = step(x, y)", f"{HOME}/ssm/kernels/scan.py:133:backward:_scan_bwd[grid](dout, x, dt, A, B, C, dx, ddt, BLOCK=128)", f"{SITE}/triton/runtime/jit.py:662:run:kernel.run(grid_0, grid_1, grid_2, stream, kernel.function, kernel.packed_metadata, launch_metadata,"), 0.7)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})

    s = Leaf(24, "point-voxel", "rtx6000", style="es", script="entrenar.py").tell("op propia voxel_cuda.so cargada", 9).hold(17).mood("busy").train(420, 1.3, 20, 6000).xid(0, 13, "pid=40000, name=python, Graphics SM Warp Exception on (GPC 3, TPC 1, SM 0): Misaligned Address")
    s.tell(fault(cuda("misaligned address"), f"{HOME}/voxel/entrenar.py:144:<module>:main()", f"{HOME}/voxel/entrenar.py:101:main:total += loss.item()"), 0.8)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})

    s = Leaf(25, "mixed-heads", "a100", 1, 1, style="rich", script="multi_head.py").tell("backbone on cuda:0, heads are added as tasks come in", 12).hold(33).mood("busy").train(900, 0.6, 30, 4000).tell("[@hms] INFO     task 'phenotype' arrives, head of 14 outputs", 1)
    s.tell(fault("RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)", f"{HOME}/heads/multi_head.py:177:<module>:run()", f"{HOME}/heads/multi_head.py:139:run:logits = self.heads[task](features)", f"{SITE}/torch/nn/modules/linear.py:125:forward:return F.linear(input, self.weight, self.bias)"), 0.5)
    yield s.close(FELL_ALONE.but(cause="device_mismatch"), "FAILED", {0: 1})

    s = Leaf(26, "traffic-jax", "gh200", style="flax", script="traffic.py").tell("I@md @hms.@us 140200 traffic.py:40] 8,142 sensors, graph on one device", 15).hold(71, over=3).mood("busy").train(1300, 0.5, 50, 20_000)
    s.xid(0, 31, "pid=40000, name=python, Ch 00000009, intr 00000000. MMU Fault: ENGINE CE0 HUBCLIENT_CE0 faulted @ 0x2_10000000. Fault is of type FAULT_PTE ACCESS_TYPE_VIRT_READ").tell(fault("jaxlib.xla_extension.XlaRuntimeError: INTERNAL: CUDA error: Failed call to cuMemcpyDtoHAsync: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered", f"{HOME}/traffic/traffic.py:212:<module>:print_metrics(jax.device_get(m))", f"{HOME}/traffic/ops/segment_ffi.py:44:segment_max:return jax.ffi.ffi_call('segment_max', out)(x, ids)"), 0.7)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})

    s = Leaf(27, "hnet-ddp", "a100", 2, 4, style="plain", script="hnet.py").tell("8 ranks, gradient buckets of 100 MB", 22).hold(55).mood("busy").train(760, 1.1, 20, 20_000)
    s.tell("@n:@p:41877 [@l] NCCL WARN socketProgress: Connection closed by remote peer cn-bmc-41.cluster<38866>", 1, 5).tell(fault("torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2251, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.21.5\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error. \nLast error:\nsocketProgress: Connection closed by remote peer cn-bmc-41.cluster<38866>", f"{HOME}/hnet/hnet.py:231:<module>:work.wait()", mark="[rank5]: "), 0.4, 5)
    yield s.close(Label(mode="A3", cause="nccl", fault="unknown", first_ranks=(5,)), "FAILED", {5: 1}, rest=-15, after=4, when={5: s.now + 0.4})

    s = Leaf(28, "gemm-int8", "l40", style="gpt", script="qat.py").tell("int8 observers on, int8 tensor cores", 10).hold(29).mood("busy").train(520, 0.9, 20, 4000)
    s.tell(fault("RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, opb, m, n, k, &falpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb, &fbeta, c, CUDA_R_16F, ldc, compute_type, CUBLAS_GEMM_DEFAULT_TENSOR_OP)`", f"{HOME}/qat/qat.py:133:<module>:scaler.scale(loss).backward()"), 0.8)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})

    s = Leaf(29, "bce-masks", "a10", style="pl", script="maski.py").tell("maski: 4 kanały, wyjście bez sigmoidy", 8).hold(13).mood("busy").train(330, 0.9, 15, 5000)
    s.tell("../aten/src/ATen/native/cuda/Loss.cu:94: operator(): block: [2,0,0], thread: [101,0,0] Assertion `input_val >= zero && input_val <= one` failed.\n" * 2 + fault(cuda("device-side assert triggered"), f"{HOME}/maski/maski.py:98:<module>:ucz()", f"{HOME}/maski/maski.py:71:ucz:strata = F.binary_cross_entropy(wyjscie, cel)"), 0.7)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})

    s = Leaf(30, "rl-physics", "l4", style="rl", script="walk.py").tell("Importing module 'gym_38' | 4096 environments on the card", 25).hold(11).mood("busy").train(140, 6.1, 2, 2000, loss=lambda i: -180 * (1 - (1 + i / 60) ** -0.6))
    s.xid(0, 31, "pid=40000, name=python, Ch 0000001a, intr 00000000. MMU Fault: ENGINE GRAPHICS GPC0 GPCCLIENT_T1_0 faulted @ 0x7f4b_d0200000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ")
    s.tell("/buildAgent/work/99bede84aa0a52c2/source/gpunarrowphase/src/PxgNarrowphaseCore.cpp (2044) : internal error : GPU convex-heightfield contact fail to launch kernel!!\n" + fault(cuda("an illegal memory access was encountered"), f"{HOME}/walk/walk.py:88:<module>:runner.learn(2000)", f"{HOME}/walk/envs/legged.py:121:step:self.gym.refresh_dof_state_tensor(self.sim); obs = self.obs_buf.clone()"), 0.9)
    yield s.close(FELL_ALONE, "FAILED", {0: 1})


def falls() -> Iterator[HandJob]:
    """A1, A2."""
    s = Leaf(41, "seg3d-b200", "b200", style="plain", script="seg3d.py").tell(f"{SITE}/torch/cuda/__init__.py:235: UserWarning: \nNVIDIA B200 with CUDA capability sm_100 is not compatible with the current PyTorch installation.\nThe current PyTorch install supports CUDA capabilities sm_50 sm_60 sm_70 sm_75 sm_80 sm_86 sm_90.", 13).hold(0.5)
    s.tell(fault(cuda("no kernel image is available for execution on the device"), f"{HOME}/seg3d/seg3d.py:140:<module>:main()", f"{HOME}/seg3d/seg3d.py:96:main:model = UNet3D(32).to('cuda')"), 5)
    yield s.close(SOON.but(cause="cuda_runtime", variant="env", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Leaf(42, "distill-pair", "a100", style="json", script="distill.py").tell('{"evt": "config", "teacher": "cuda:1", "student": "cuda:0"}', 11).hold(0.5)
    s.tell(fault(cuda("invalid device ordinal"), f"{HOME}/distill/distill.py:77:<module>:teacher = load(cfg.teacher_ckpt).to(cfg.teacher)", f"{SITE}/torch/nn/modules/module.py:1340:to:return self._apply(convert)"), 24)
    yield s.close(SOON.but(cause="cuda_runtime", variant="config", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Leaf(43, "summ-flash", "v100", 1, 2, style="plain", via="torchrun", script="summ.py").tell("Loading checkpoint shards: 100%|██████████| 2/2 [00:12<00:00,  6.2s/it]", 25, None).hold(14, None, 5)
    s.tell(fault("RuntimeError: FlashAttention only supports Ampere GPUs or newer.", f"{HOME}/summ/summ.py:112:<module>:trainer.train()", f"{SITE}/transformers/models/mistral/modeling_mistral.py:440:forward:attn_output = self._flash_attention_forward(", f"{SITE}/flash_attn/flash_attn_interface.py:51:_flash_attn_forward:out, q, k, v, out_padded, softmax_lse, S_dmask, rng_state = flash_attn_cuda.fwd(", mark="[rank@r]: "), 14, None, 0.2)
    yield s.tell(summary("summ.py", [(r, r, 1, s.pid(r)) for r in range(2)]), 4).close(SOON.but(cause="runtime_error"), "FAILED", {0: 1, 1: 1})

    s = Leaf(44, "titles-bf16", "t4", style="axo", script="titles.py").tell("Map: 100%|██████████| 21040/21040 [00:19<00:00, 1088.11 examples/s]", 36).hold(0.4)
    s.tell(fault("ValueError: Your setup doesn't support bf16/gpu. You need torch>=1.10, using Ampere GPU with cuda>=11.0", f"{HOME}/titles/titles.py:40:<module>:args = TrainingArguments(output_dir='out', bf16=True, num_train_epochs=3)", f"{SITE}/transformers/training_args.py:1563:__post_init__:raise ValueError(error_message)"), 2)
    yield s.close(SOON.but(cause="traceback", variant="config", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: 1})

    s = Leaf(45, "slides-cache", "a100", 1, 4, style="loguru", via="torchrun", script="slides.py").tell("@iso.004 | INFO     | slides.cache:open:52 - decoded tiles are kept in memory, each rank its own", 14).hold(51).mood("busy").train(1150, 0.8, 50, 60_000).reaped(2)
    s.tell("E@md @hms.@us 41000 torch/distributed/elastic/multiprocessing/api.py:826] failed (exitcode: -9) local_rank: 2 (pid: 42702) of binary: /lustre/proj/alice/env/bin/python\n" + summary("slides.py", [(2, 2, -9, 42_702)]), 3, 0)
    yield s.close(Label(mode="A2", cause="oom_killer", fault="user", first_ranks=(2,)), "OUT_OF_MEMORY", {2: -9}, rest=-15, memory={0: CgroupMemory(limit_bytes=240 * GIB, peak_bytes=240 * GIB, oom_events=5, oom_kill_events=1)}, slurm=((s.now + 2, "slurmstepd: error: Detected 1 oom_kill event in StepId=@j.0. Some of the step tasks have been OOM Killed."),), code=1, exit_code=0, exit_signal=125)

    s = Leaf(46, "ext-rasteriser", "rtx6000", style="es", script="splat.py").tell("rasterizador propio compilado (sm_89)", 20).hold(20).mood("busy").train(2100, 0.35, 100, 30_000)
    s.tell("Fatal Python error: Segmentation fault\n\nCurrent thread 0x00007f1d2bfff640 (most recent call first):\n  File \"/lustre/proj/alice/splat/raster/__init__.py\", line 61 in backward\n  File \"/lustre/proj/alice/env/lib/python3.11/site-packages/torch/autograd/function.py\", line 307 in apply\n\nExtension modules: numpy.core._multiarray_umath, torch._C, splat_raster._C (total: 41)", 0.3)
    yield s.close(Label(mode="A2", cause="segfault", fault="user", failed_ranks=(0,), first_ranks=(0,)), "FAILED", {0: -11})

    s = Leaf(47, "tram-flow", "a30", 1, 2, style="sv", script="flode.py").tell("två kort, 14 miljoner resor", 11).hold(15).mood("busy").train(900, 0.9, 30, 20_000)
    yield s.close(Label(mode="A2", fault="unknown", first_ranks=(1,)), "FAILED", {1: -9}, rest=-15, when={1: s.now + 0.5}, after=2.5)


def jobs() -> Iterator[HandJob]:
    """All."""
    for part in (memory_of_one, memory_of_many, kernels, falls):
        yield from part()


RECIPE = Recipe("persimmon_leaves_by_pen", "development", jobs)

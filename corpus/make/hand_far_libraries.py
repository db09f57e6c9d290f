"""By hand: what needs a GPU, in the words of PaddlePaddle, MXNet, CuPy, Numba, XGBoost, Horovod, TensorFlow, JAX and PyTorch from 1.10 on."""

from collections.abc import Callable, Iterator

from corpus.label import Label
from corpus.running.hand import GIB, Hand, falling
from corpus.running.job import HandJob, Recipe

Told = Callable[[int, int, float], str]
FORMS: tuple[Told, ...] = (
    lambda i, n, x: f"[2026-10-30 14:{i // 60 % 60:02d}:{i % 60:02d}] train | it {i:>6}/{n} | nll {x:.4f} | tok/s 118k",
    lambda i, n, x: f"Step {i}: train/loss = {x:.4f}, train/progress = {i / n:.3f}",
    lambda i, n, x: f"INFO:root:epoch[{1 + 4 * i // n}] batch[{i}] Speed: 812.4 samples/sec  cross-entropy={x:.6f}",
    lambda i, n, x: f'{{"type": "scalar", "step": {i}, "max_steps": {n}, "loss": {x:.5f}}}',
    lambda i, n, x: f"Train Epoch: {1 + 3 * i // n} [{i * 64}/{n * 64} ({100 * i // n}%)]\tLoss: {x:.6f}",
)


def trace(file: str, line: int, call: str, error: str, inner: str = "") -> str:
    """As Python prints it; ``inner`` is a frame of the library."""
    return f'Traceback (most recent call last):\n  File "{file}", line {line + 61}, in <module>\n    run(args)\n  File "{file}", line {line}, in run\n    {call}\n{inner}{error}'


def frame(path: str, line: int, name: str, source: str) -> str:
    """One frame below a library's folder."""
    return f'  File "/sw/py/lib/python3.10/site-packages/{path}", line {line}, in {name}\n    {source}\n'


OOM = (
    ("/home/lin/seg/train.py", "opt.step()", "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 394.00 MiB (GPU 0; 31.75 GiB total capacity; 29.90 GiB already allocated; 247.75 MiB free; 30.41 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF", True),
    ("/home/lin/ocr/run.py", "model.train_batch(x)", "SystemError: \n\n----------------------\nError Message Summary:\n----------------------\nResourceExhaustedError: \n\nOut of memory error on GPU 0. Cannot allocate 2.250000GB memory on GPU 0, 31.187500GB memory has been allocated and available memory is only 571.625000MB.\n\nPlease check whether there is any other process using GPU 0.", True),
    ("/home/lin/gluon/fit.py", "loss.wait_to_read()", "mxnet.base.MXNetError: [14:02:17] src/storage/./pooled_storage_manager.h:187: cudaMalloc retry failed: out of memory", True),
    ("/home/lin/cp/solve.py", "kernel = cp.empty((n, n))", "cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 51,539,607,552 bytes (allocated so far: 33,285,996,544 bytes).", False),
    ("/home/lin/vit/main_tf.py", "model.fit(ds)", "tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node __wrapped__ConcatV2}} OOM when allocating tensor with shape[96,1024,1024,3] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc [Op:ConcatV2]", False),
    ("/home/lin/xgb/higgs.py", "bst = xgb.train(params, dtrain, 500)", "xgboost.core.XGBoostError: [14:11:52] /workspace/src/tree/updater_gpu_hist.cu:781: Exception in gpu_hist: [14:11:52] /workspace/src/common/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\n- Free memory: 402653184\n- Requested memory: 9663676416", False),
    ("/home/lin/jx/pretrain.py", "params = init(key)", "jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 12.00GiB (12884901888B) on device ordinal 0", False),
    ("/home/lin/dp/train.py", "out = model(batch)", "torch.cuda.OutOfMemoryError: Caught OutOfMemoryError in replica 1 on device 1.\nOriginal Traceback (most recent call last):\n  File \"/sw/py/lib/python3.10/site-packages/torch/nn/parallel/parallel_apply.py\", line 64, in _worker\n    output = module(*input, **kwargs)\ntorch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.17 GiB (GPU 1; 23.69 GiB total capacity; 21.05 GiB already allocated; 889.81 MiB free; 21.87 GiB reserved in total by PyTorch)", True),
    ("/home/lin/rocm/sft.py", "model.to('cuda')", "torch.OutOfMemoryError: HIP out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 191.98 GiB of which 118.00 MiB is free. Of the allocated memory 190.62 GiB is allocated by PyTorch, and 402.10 MiB is reserved by PyTorch but unallocated.", False),
)
RUNTIME = (
    ("/home/lin/seg/train.py", "loss.backward()", "../aten/src/ATen/native/cuda/NLLLoss2d.cu:106: nll_loss2d_forward_kernel: block: [3,0,0], thread: [417,0,0] Assertion `t >= 0 && t < n_classes` failed.\n", "RuntimeError: CUDA error: device-side assert triggered\nCUDA kernel errors might be asynchronously reported at some other API call, so the stacktrace below might be incorrect.\nFor debugging consider passing CUDA_LAUNCH_BLOCKING=1.\nCompile with `TORCH_USE_CUDA_DSA` to enable device-side assertions.", True, "config"),
    ("/home/lin/nerf/train.py", "torch.cuda.synchronize()", "", "RuntimeError: CUDA error: an illegal memory access was encountered\nCUDA kernel errors might be asynchronously reported at some other API call,so the stacktrace below might be incorrect.", True, ""),
    ("/home/lin/old/train.py", "x = x.cuda()", "UserWarning: NVIDIA H100 PCIe with CUDA capability sm_90 is not compatible with the current PyTorch installation.\n", "RuntimeError: CUDA error: no kernel image is available for execution on the device", False, "env"),
    ("/home/lin/gan/main.py", "torch.cuda.set_device(args.gpu)", "", "RuntimeError: CUDA error: invalid device ordinal", False, "config"),
    ("/home/lin/cp/solve.py", "cp.arange(8)", "", "cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorInsufficientDriver: CUDA driver version is insufficient for CUDA runtime version", False, "env"),
    ("/home/lin/nb/kernels.py", "grid.copy_to_host()", "", "numba.cuda.cudadrv.driver.CudaAPIError: [700] Call to cuMemcpyDtoH results in CUDA_ERROR_ILLEGAL_ADDRESS", True, ""),
    ("/home/lin/lm/train.py", "torch._C._cuda_init()", "", "RuntimeError: CUDA unknown error - this may be due to an incorrectly set up environment, e.g. changing env variable CUDA_VISIBLE_DEVICES after program start. Setting the available devices to be zero.", False, "env"),
    ("/home/lin/moe/train.py", "y = grouped_gemm(x, w, sizes)", "", "torch.AcceleratorError: CUDA error: misaligned address\nSearch for `cudaErrorMisalignedAddress' in https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__TYPES.html for more information.", True, ""),
    ("/home/lin/paddle/det.py", "trainer.step(batch)", "", "OSError: (External) CUDA error(719), unspecified launch failure. \n  [Hint: 'cudaErrorLaunchFailure'. An exception occurred on the device while executing a kernel.] (at /paddle/paddle/phi/backends/gpu/cuda/cuda_info.cc:272)", True, ""),
)  # fmt: skip
DEVICES = (
    ("/home/lin/ctr/train.py", "score = tower(user) @ item.T", "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0! (when checking argument for argument mat1 in method wrapper_CUDA_addmm)", False),
    ("/home/lin/ocr/train.py", "feat = backbone(img)", "RuntimeError: Input type (torch.FloatTensor) and weight type (torch.cuda.FloatTensor) should be the same or input should be a MKLDNN tensor and weight is a dense tensor", False),
    ("/home/lin/rank/train.py", "hard = scores[mask]", "RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)", True),
    ("/home/lin/diff/sample.py", "noise = torch.randn(shape, generator=g, device='cuda')", "RuntimeError: Expected a 'cuda' device type for generator but found 'cpu'", False),
    ("/home/lin/asr/train.py", "x = self.proj(x)", "RuntimeError: Tensor for 'out' is on CPU, Tensor for argument #1 'self' is on CPU, but expected them to be on GPU (while checking arguments for addmm)", False),
    ("/home/lin/pp/pipe.py", "h = torch.cat([h, skip])", "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:1 and cuda:3! (when checking argument for argument tensors in method wrapper_CUDA_cat)", True),
    ("/home/lin/dp/train.py", "out = parallel(batch)", "RuntimeError: module must have its parameters and buffers on device cuda:0 (device_ids[0]) but found one of them on device: cpu", False),
    ("/home/lin/jx/eval.py", "err = jitted(pred, ref)", "ValueError: Received incompatible devices for jitted computation. Got argument pred of jitted with shape float32[64,10] and device ids [0] on platform GPU and argument ref of jitted with shape float32[64,10] and device ids [2] on platform GPU", True),
)
COMMS = (
    ("dist.broadcast(seed, 0)", "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:825, invalid usage, NCCL version 2.7.8\nncclInvalidUsage: This usually reflects invalid usage of NCCL library (such as too many async ops, too many collectives at once, mixing streams in a group, etc).", False, "config", "user"),
    ("dist.all_reduce(ones)", "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1191, unhandled cuda error, NCCL version 2.10.3\nncclUnhandledCudaError: Call to CUDA function failed.", False, "env", "user"),
    ("comm = nccl.NcclCommunicator(n, uid, rank)", "cupy_backends.cuda.libs.nccl.NcclError: NCCL_ERROR_SYSTEM_ERROR: unhandled system error", False, "env", "user"),
    ("fleet.init(is_collective=True)", "OSError: (External) NCCL error(5), invalid usage.  Detail: Duplicate GPU detected : rank 3 and rank 2 both on CUDA device 3b000\n  [Hint: Please search for the error code(5) on website (https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api/types.html#ncclresult-t) to get Nvidia's official solution and advice about NCCL Error.] (at /paddle/paddle/phi/core/distributed/nccl_comm_context.cc:53)", False, "config", "user"),
    ("hvd.broadcast_variables(v, 0)", "tensorflow.python.framework.errors_impl.UnknownError: ncclCommInitRank failed: unhandled system error [Op:HorovodBroadcast]", False, "env", "user"),
    ("loss.backward()", "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/NCCLUtils.hpp:219, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.5\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nNET/IB : Got completion from peer 10.9.0.44<37216> with error 12, opcode 129, len 0, vendor err 129 (Send)", True, "", "unknown"),
    ("dist.all_gather_into_tensor(full, part)", "torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.cpp:94, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.26.5\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nnet_ib.cc:1174 NET/IB : mlx5_3:1 async fatal event on QP (0x7fa31c02): local access violation work queue error", True, "", "unknown"),
    ("dist.reduce_scatter_tensor(out, grads)", "torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:2006, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.19.3\nncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error.\nLast error:\nCall to ibv_poll_cq failed with error No such device", True, "", "unknown"),
)  # fmt: skip


def written(job_id: int, ranks: int, bad: tuple[int, ...], text: str, *, late: bool, form: int, memory: bool = False, before: str = "", planned: int = 1200) -> Hand:
    """A job whose ``bad`` ranks print ``text`` and end with 1; srun takes the others down a little later."""
    nodes = ("k11", "k12") if ranks > 2 else ("k11",)
    per = max(1, ranks // len(nodes))
    hand = Hand(nodes, job_id=job_id, gpus=per, name=("seg", "lm-base", "rec", "tts")[job_id % 4], submit_line=f"sbatch run_{job_id % 7}.sh")
    curve = falling(planned, first=4.4, to=1.1)
    steps = 180 if late else 0
    end = 26 + steps * 1.2 + 3 if late else 33.0
    for rank in range(ranks):
        lines = [(3.0, f"host {nodes[rank // per]} pid {40_000 + rank} starts")]
        if rank == 0 or form % 2:
            lines += [(26 + i * 1.2, FORMS[form % len(FORMS)](i, planned, curve(i))) for i in range(9, steps + 1, 9)]
        if rank in bad:
            lines.append((end + 0.03 * rank, before + text))
        hand.rank(rank, nodes[rank // per], lines, code=1 if rank in bad else None, signal=None if rank in bad else 15, end=end + (0.4 + 0.03 * rank if rank in bad else 7), local=rank % per, stream="both")
        if memory:
            hand.gpu(nodes[rank // per], rank % per, {}, {}, memory_used_bytes=[3 * GIB, 41 * GIB, 66 * GIB, 78 * GIB], utilization_percent=[0, 71, 85, 60])
    return hand.ended("FAILED", code=1, end=end + 9, steps=(("batch", "FAILED", 1, 0), ("0", "FAILED", 1, 0)))


def crashes() -> Iterator[HandJob]:
    """Memory, the runtime, devices, communication."""
    for n, (file, call, error, late) in enumerate(OOM):
        ranks, bad = ((1, (0,)), (2, (1,)), (4, (0, 1, 2, 3)))[n % 3]
        text = trace(file, 77 + n, call, error, frame("torch/autograd/__init__.py", 200, "backward", "Variable._execution_engine.run_backward(") if "torch" in error and n % 2 else "")
        label = Label(mode="B1", cause="cuda_oom", failed_ranks=bad, first_ranks=bad if len(bad) == 1 else (0,))
        yield HandJob(label, written(301_000 + n, ranks, bad, text, late=late, form=n, memory=n in (2, 4, 6)))
    for n, (file, call, before, error, late, kind) in enumerate(RUNTIME):
        label = Label(mode="A3" if late else "A1", variant=None if late else kind, cause="cuda_runtime", failed_ranks=(n % 2,), first_ranks=(n % 2,))
        yield HandJob(label, written(301_100 + n, 2, (n % 2,), trace(file, 140 + n, call, error), late=late, form=n + 1, before=before))
    for n, (file, call, error, late) in enumerate(DEVICES):
        label = Label(mode="A3" if late else "A1", variant=None if late else "config", cause="device_mismatch", failed_ranks=(0,), first_ranks=(0,))
        yield HandJob(label, written(301_200 + n, 1 + n % 2, (0,), trace(file, 52 + n, call, error, frame("torch/nn/modules/linear.py", 114, "forward", "return F.linear(input, self.weight, self.bias)") if n % 3 == 0 else ""), late=late, form=n + 2))
    for n, (call, error, late, kind, fault) in enumerate(COMMS):
        bad = (2,) if late or n % 2 else (0, 1, 2, 3)
        label = Label(mode="A3" if late else "A1", variant=None if late else kind, cause="nccl", fault=fault, failed_ranks=bad, first_ranks=bad if len(bad) == 1 else ())
        yield HandJob(label, written(301_300 + n, 4, bad, trace("/home/lin/dist/train.py", 90 + n, call, error), late=late, form=n + 3))


GOOD = (
    (14.0, "[rank0] probe of micro batch 48: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 6.02 GiB. falling back to micro batch 24"),
    (60.0, "k11:3021:3077 [0] NCCL WARN [Service thread] Accept failed Resource temporarily unavailable"),
    (12.0, "W1118 09:00:12 gpu_context.cc:278] Please NOTE: device: 0, GPU Compute Capability: 9.0, Driver API Version: 12.4, Runtime API Version: 12.0; errors follow if the driver is older"),
    (90.0, "Gradient norm is inf at step 70 in 1 of 2 groups (fp16 scale 65536 -> 32768), update left out"),
    (11.0, "CUDA extension fused_adam was not built (ModuleNotFoundError: No module named 'fused_adam_cuda'); torch.optim.AdamW is used"),
    (400.0, "Exception ignored in atexit callback: <function shutdown at 0x7fb1>\nTraceback (most recent call last):\n  File \"/sw/py/lib/python3.10/site-packages/tracker/client.py\", line 88, in shutdown\n    self.sock.sendall(b'bye')\nBrokenPipeError: [Errno 32] Broken pipe"),
)


def good() -> Iterator[HandJob]:
    """Runs to the planned end that print such words on their way."""
    for n, scare in enumerate(GOOD):
        hand = Hand(("k14",), job_id=301_400 + n, gpus=2, name="lm-base")
        curve = falling(240, first=4.1, to=0.9)
        lines = [(20 + i * 1.5, FORMS[n % len(FORMS)](i, 240, curve(i))) for i in range(8, 241, 8)]
        last = lines[-1][0]
        rows = sorted([*lines, (last + 1.5, "reached step 240 of 240, weights are in out/final"), scare])
        for rank in range(2):
            hand.rank(rank, "k14", rows if rank == 0 else [(2.0, "waiting for rank 0's data index")], code=0, end=max(last, rows[-1][0]) + 4, stream="both")
            hand.gpu("k14", rank, {}, {}, utilization_percent=[0] + [93 + rank] * 12, sm_activity_percent=[0] + [47 + n] * 12, power_mw=[88_000] + [480_000] * 12)
        hand.ended("COMPLETED", end=max(last, rows[-1][0]) + 6, steps=(("batch", "COMPLETED", 0, 0), ("0", "COMPLETED", 0, 0)))
        yield HandJob(Label(mode="G1", fault="none", hard=True), hand)


def jobs() -> Iterator[HandJob]:
    """All."""
    yield from crashes()
    yield from good()


RECIPE = Recipe("hand_far_libraries", "development", jobs)

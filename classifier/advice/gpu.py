"""CUDA, drivers, GPU memory, kernels, NCCL."""

from __future__ import annotations

ADVICE: dict[str, tuple[str, ...]] = {
    "no_gpu": ("Ask for a GPU and use it in the step: #SBATCH --gres=gpu:1, and srun --gres=gpu:1 python …; check with: srun nvidia-smi -L",),
    "no_cuda_build": ("Install a CUDA build of the framework; check with: python -c 'import torch; print(torch.version.cuda)'",),
    "no_cuda_here": ("Load it where there is no GPU: torch.load(PATH, map_location='cpu'); or ask for one: #SBATCH --gres=gpu:1",),
    "driver_too_old": ("Use a framework build for an older CUDA, or nodes with a newer driver; check with: srun nvidia-smi",),
    "driver_mismatch": ("The driver and CUDA do not fit on that node; tell the operators and exclude it meanwhile.",),
    "driver_unknown": ("The driver gave no reason: look at the node's kernel log for an Xid at that time, and try once more on another node (sbatch --exclude=NODE).",),
    "no_kernel_image": (
        "The framework was not built for this GPU: install a build that has its architecture (python -c 'import torch; print(torch.cuda.get_arch_list())').",
    ),
    "ptx_unsupported": ("The program was built by a newer CUDA toolkit than the driver knows: use a build for an older CUDA, or newer nodes.",),
    "kernel_resources": ("A kernel asks for more registers or shared memory than this GPU has: a smaller block or tile size, or a newer build of its library.",),
    "device_busy": ("Another process holds the GPU exclusively; check with: srun nvidia-smi, and submit again.",),
    "device_ordinal": ("The program asks for more GPUs than the step has: match --gpus-per-task with its device numbers (SLURM_LOCALID).",),
    "fabric_not_ready": ("The fabric manager of that node does not run; tell the operators and exclude the node meanwhile.",),
    "runtime_startup": ("CUDA could not start on that node: check with srun nvidia-smi, tell the operators, and exclude the node meanwhile.",),
    "mps": ("The MPS daemon of that node failed or is not running: submit again without it, or tell the operators (nvidia-cuda-mps-control).",),
    "external_device": ("A device beside the GPU (network card, storage) failed in mid-access: tell the operators the node and the time; submit elsewhere.",),
    "cuda_after_fork": (
        "CUDA was used before the fork: torch.multiprocessing.set_start_method('spawn'), and no .cuda() before workers start.",
        "In a DataLoader: DataLoader(…, multiprocessing_context='spawn'), or move data to the GPU in the training loop.",
    ),
    "device_assert": ("An index or label is out of range on the GPU; run again with CUDA_LAUNCH_BLOCKING=1 for the line that did it.",),
    "illegal_address": ("A kernel used a wrong address; run again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer.",),
    "misaligned_address": ("A kernel used a misaligned address; run again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer python train.py.",),
    "illegal_instruction": ("A kernel was built for another GPU, or is corrupt: rebuild the extension for this one (TORCH_CUDA_ARCH_LIST), then compute-sanitizer.",),
    "launch_failure": ("Run again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer, for the kernel that failed.",),
    "launch_timeout": ("A kernel ran longer than the watchdog of that GPU allows: use a GPU without a display, or split the kernel's work.",),
    "hardware_stack": ("A kernel's stack overflowed or was corrupt; run again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer.",),
    "cuda": ("Run again with CUDA_LAUNCH_BLOCKING=1 for the line that did it.",),
    "ecc_uncorrectable": ("The job's words speak of a memory error of the GPU: tell the operators the node and GPU; submit again elsewhere (sbatch --exclude=NODE).",),
    "nvlink_uncorrectable": ("The job's words speak of an NVLink error: tell the operators the node; submit again elsewhere (sbatch --exclude=NODE).",),
    "contained_error": ("The job's words speak of a hardware or NVLink error: tell the operators the node; submit again elsewhere (sbatch --exclude=NODE).",),
    "gpu_memory": (
        "Lower the batch size per GPU and raise gradient accumulation by the same factor (Trainer: --per_device_train_batch_size).",
        "Or turn on activation checkpointing: model.gradient_checkpointing_enable(); Megatron-LM: --recompute-granularity full",
        "Or spread the optimiser's state over the ranks: FSDP or DeepSpeed ZeRO; bf16 weights; an 8-bit optimiser (--optim adamw_bnb_8bit).",
        "Against fragmentation: export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    ),
    "gpu_library_memory": (
        "cuBLAS or cuDNN found no room for its workspace: lower the batch size; export CUBLAS_WORKSPACE_CONFIG=:4096:2",
        "JAX and TensorFlow take the whole card first: XLA_PYTHON_CLIENT_MEM_FRACTION=.80, TF_FORCE_GPU_ALLOW_GROWTH=true",
    ),
    "jax": (
        "Lower the batch size, or recompute activations: jax.checkpoint(f) (flax: nn.remat).",
        "export XLA_PYTHON_CLIENT_MEM_FRACTION=.90   # or XLA_PYTHON_CLIENT_PREALLOCATE=false where others need the card, too",
    ),
    "tensorflow": ("Lower the batch size; export TF_FORCE_GPU_ALLOW_GROWTH=true TF_GPU_ALLOCATOR=cuda_malloc_async   # against fragmentation",),
    "kv_cache_memory": ("Less of the card for others, or a shorter context: --gpu-memory-utilization 0.95 --max-model-len 8192 (vLLM).",),
    "nccl": (
        "export NCCL_DEBUG=WARN TORCH_NCCL_ASYNC_ERROR_HANDLING=1 and run again: the rank that says something else than the others is the one to look at.",
    ),
    "fabric": ("export NCCL_DEBUG=INFO UCX_LOG_LEVEL=info and run again; tell the operators which node and interface the lines name.",),
    "collective_timeout": ("Look at the rank that did not report the timeout; raise it only where a step may really take as long.",),
    "collective_mismatch": (
        "The ranks do not do the same: a branch, a loop's length or a batch that differs between ranks.",
        "export TORCH_DISTRIBUTED_DEBUG=DETAIL and run again for the operation; unused parameters: DistributedDataParallel(…, find_unused_parameters=True)",
    ),
    "rendezvous_timeout": ("Check that MASTER_ADDR and MASTER_PORT are the same on all ranks, and that every rank started.",),
    "port_in_use": ("Choose the port by job: export MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))",),
}

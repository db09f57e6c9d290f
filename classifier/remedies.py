"""Common remedies: what to do next, by cause and finer name. Paste-ready where it can be."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import words
from gpualert_slurm.evidence import Evidence

ATTENTION_MODULES = {
    "llama": "q_proj,k_proj,v_proj,o_proj",
    "mistral": "q_proj,k_proj,v_proj,o_proj",
    "qwen": "q_proj,k_proj,v_proj,o_proj",
    "gemma": "q_proj,k_proj,v_proj,o_proj",
    "phi": "qkv_proj,o_proj",
    "falcon": "query_key_value",
    "bloom": "query_key_value",
    "gpt_neox": "query_key_value",
    "gpt2": "c_attn",
    "t5": "q,k,v,o",
    "opt": "q_proj,k_proj,v_proj",
}
"""Names of the attention projections by model family, for adapters' ``target_modules``."""

_BY_DETAIL: dict[str, tuple[str, ...]] = {
    "gated_repo": ("Accept the model's terms on its page, then on a login node: huggingface-cli login (or export HF_TOKEN=… in the job).",),
    "unauthorised": ("Check the token: huggingface-cli whoami; export HF_TOKEN=… in the job script.",),
    "unknown_model": ("Check the model's name or path; a local folder must exist on the compute node: srun -N1 ls -ld PATH",),
    "offline_cache_miss": ("Download it on a node with network first (huggingface-cli download MODEL), and point HF_HOME of the job to that cache.",),
    "asset_file_missing": ("List what the folder holds (ls -l PATH): a file the loader needs is not there; download or convert it again.",),
    "target_modules": (
        (
            "Name modules the model has: q_proj,k_proj,v_proj,o_proj for Llama, Mistral, Qwen and Gemma; query_key_value "
            "for Falcon, Bloom and GPT-NeoX; c_attn for GPT-2; qkv_proj,o_proj for Phi-3."
        ),
        (
            "List them: python -c \"from transformers import AutoModel; m = AutoModel.from_pretrained('MODEL'); "
            "print({n.split('.')[-1] for n, _ in m.named_modules()})\""
        ),
    ),
    "unknown_architecture": ("pip install --upgrade transformers: this version does not know the model's architecture.",),
    "no_gpu": ("Ask for a GPU and use it in the step: #SBATCH --gres=gpu:1, and srun --gres=gpu:1 python …; check with: srun nvidia-smi -L",),
    "no_cuda_build": ("Install a CUDA build of the framework; check with: python -c 'import torch; print(torch.version.cuda)'",),
    "driver_too_old": ("Use a framework build for an older CUDA, or nodes with a newer driver; check with: srun nvidia-smi",),
    "driver_mismatch": ("The driver and CUDA do not fit on that node; tell the operators and exclude it meanwhile.",),
    "no_kernel_image": (
        (
            "The framework was not built for this GPU: install a build that has its architecture (python -c 'import torch; "
            "print(torch.cuda.get_arch_list())')."
        ),
    ),
    "device_busy": ("Another process holds the GPU exclusively; check with: srun nvidia-smi, and submit again.",),
    "fabric_not_ready": ("The fabric manager of that node does not run; tell the operators and exclude the node meanwhile.",),
    "device_ordinal": ("The program asks for more GPUs than the step has: match --gpus-per-task with its device numbers (SLURM_LOCALID).",),
    "device_assert": ("An index or label is out of range on the GPU; run again with CUDA_LAUNCH_BLOCKING=1 for the line that did it.",),
    "illegal_address": ("A kernel used a wrong address; run again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer.",),
    "shared_library": ("A shared library is missing on the node: module load the toolkit it belongs to, or check with: srun ldd PATH",),
    "libc_version": ("The program was built for a newer system: use a container, or build it on this system.",),
    "port_in_use": ("Choose the port by job: export MASTER_PORT=$((20000 + SLURM_JOB_ID % 20000))",),
    "quota_exceeded": ("Free space in that file system (quota -s), or write elsewhere.",),
    "disk_full": ("The file system is full (df -h PATH): free space or write elsewhere.",),
    "shared_memory": ("Shared memory is too small for the loaders: fewer workers, or a larger /dev/shm (in containers: --shm-size).",),
    "too_many_files": ("ulimit -n 65536 in the job script, or torch.multiprocessing.set_sharing_strategy('file_system').",),
    "size_mismatch": ("The checkpoint is of another model: load it with the configuration it was trained with.",),
    "no_valid_checkpoint": ("Point the resume option to a folder that holds a whole checkpoint (ls PATH), or start without it.",),
    "corrupt_checkpoint": ("The file is cut or corrupt: use the checkpoint before it, and save to a temporary name that is renamed when whole.",),
    "command_not_found": (
        "The job's shell does not find that program: check its name, and load its module or activate its environment in the script.",
    ),
    "script_missing": ("Check the script's name and the directory the job starts in (sbatch --chdir=DIR).",),
    "program_not_found": ("Check the program's name and PATH on the compute node: srun which PROGRAM",),
    "program_not_run": ("chmod +x PROGRAM, and check its first line (#!) and its architecture.",),
    "environment_missing": ("Check the environment's name: conda env list, module avail.",),
    "bad_option": ("Correct the option named above; the program's --help lists them.",),
    "loss_scale_minimum": ("The loss overflows in half precision: use bf16, a lower learning rate, or gradient clipping.",),
    "rendezvous_timeout": ("Check that MASTER_ADDR and MASTER_PORT are the same on all ranks, and that every rank started.",),
}

_BY_CAUSE: dict[Cause, tuple[str, ...]] = {
    Cause.CUDA_OOM: (
        "Lower the batch size per GPU and raise gradient accumulation by the same factor; or turn on activation checkpointing.",
        "Against fragmentation: export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
    ),
    Cause.NCCL: (
        (
            "export NCCL_DEBUG=WARN TORCH_NCCL_ASYNC_ERROR_HANDLING=1 and run again: the rank that says something else "
            "than the others is the one to look at."
        ),
    ),
    Cause.CUDA_RUNTIME: ("Run again with CUDA_LAUNCH_BLOCKING=1 for the line that did it.",),
    Cause.RAM_OOM: ("Ask for more memory (#SBATCH --mem=…), or use fewer loader workers and smaller buffers.",),
    Cause.SEGFAULT: ("Run again with PYTHONFAULTHANDLER=1 for the Python line; with ulimit -c unlimited for a core (gdb python core).",),
    Cause.MISSING_MODULE: ("Install it into the environment the job uses, and activate that in the script.",),
    Cause.PERMISSION: ("Check who may read and write it on the compute node: srun -N1 namei -l PATH",),
    Cause.DIV_ZERO: ("A divisor is zero at the line named above: an empty data set or split is the usual reason.",),
    Cause.DEVICE_MISMATCH: ("Move model and inputs to one device (.to(device)) before the line named above.",),
    Cause.NAN_LOSS: ("Lower the learning rate or clip gradients; torch.autograd.set_detect_anomaly(True) names the first operation.",),
    Cause.OOM_KILLER: ("Ask for more memory (#SBATCH --mem=…), or use fewer loader workers.",),
    Cause.ASSERTION: ("The program's own check failed at the line named above.",),
}


def remedy(error: Evidence | None, cause: Cause | None, detail: str | None) -> tuple[str, ...]:
    """Advice for a cause and its finer name, with the thing that the error names filled in."""
    named = _named(error)
    if cause is Cause.MISSING_MODULE and detail in {None, "missing_module"} and named:
        return (f"pip install {named} in the environment the job uses, and activate that in the script.",)
    if cause is Cause.FILE_NOT_FOUND and detail is None:
        path = named or "PATH"
        return (
            f"Check the path on the compute node: srun -N1 ls -ld {path}",
            "A relative path counts from the directory the job starts in (sbatch --chdir=DIR).",
        )
    if cause is Cause.PERMISSION and detail is None and named:
        return (f"Check who may read and write it on the compute node: srun -N1 namei -l {named}",)
    if detail is not None and detail in _BY_DETAIL:
        return _BY_DETAIL[detail]
    return _BY_CAUSE.get(cause, ()) if cause is not None else ()


def _named(error: Evidence | None) -> str | None:
    """The module or path an error names, quoted for a shell when it is a plain word; None for anything odd."""
    if error is None:
        return None
    found = re.search(r"['\"]([\w./@+:-]{1,200})['\"]", words.told(error))
    return found[1] if found and not found[1].startswith("-") else None

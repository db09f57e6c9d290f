"""Common remedies: what to do next, by cause and finer name. Paste-ready where it can be."""

from __future__ import annotations

import re

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import words
from gpualert_slurm.classifier.attention import modules_of
from gpualert_slurm.classifier.refusals import advice_on
from gpualert_slurm.evidence import Evidence

_BY_DETAIL: dict[str, tuple[str, ...]] = {
    "gated_repo": ("Accept the model's terms on its page, then on a login node: huggingface-cli login (or export HF_TOKEN=… in the job).",),
    "unauthorised": ("Check the token: huggingface-cli whoami; export HF_TOKEN=… in the job script.",),
    "unknown_model": ("Check the model's name or path; a local folder must exist on the compute node: srun -N1 ls -ld PATH",),
    "offline_cache_miss": ("Download it on a node with network first (huggingface-cli download MODEL), and point HF_HOME of the job to that cache.",),
    "asset_file_missing": ("List what the folder holds (ls -l PATH): a file the loader needs is not there; download or convert it again.",),
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

_BY_DETAIL.update(
    {
        "data_files_missing": ("Check the data set's name or folder on the compute node (srun -N1 ls PATH), and its file patterns (data_files=…).",),
        "dataset_generation": (
            "One file of the data set cannot be read: the error above this one names it; check it with head -c 300 FILE.",
            "After correcting it, make the set anew: load_dataset(…, download_mode='force_redownload').",
        ),
        "unreadable_data": ("The file is malformed, cut or of another kind: look at the place that the error names (head -c 300 FILE; file FILE).",),
        "packages_needed": ("Install the package that the message names into the environment the job uses, or turn off the option that needs it.",),
        "batch_config": (
            "train_batch_size must be micro batch per GPU x gradient accumulation x number of GPUs: set two of them, and the third to auto.",
        ),
        "unused_argument": ("Remove the argument that the model does not know, or check its spelling.",),
        "ptx_unsupported": ("The program was built by a newer CUDA toolkit than the driver knows: use a build for an older CUDA, or newer nodes.",),
        "launch_failure": ("Run again with CUDA_LAUNCH_BLOCKING=1, or under compute-sanitizer, for the kernel that failed.",),
        "stale_file_handle": ("The file was replaced on its server while it was open: copy it to node-local disk first, and submit again.",),
        "io_error": ("The file system could not read or write: tell the operators the path and the node, and submit again elsewhere.",),
        "no_cuda_here": ("Load it where there is no GPU: torch.load(PATH, map_location='cpu'); or ask for one: #SBATCH --gres=gpu:1",),
        "collective_timeout": ("Look at the rank that did not report the timeout; raise it only where a step may really take as long.",),
    }
)

_BY_CAUSE: dict[Cause, tuple[str, ...]] = {
    Cause.CUDA_OOM: (
        "Lower the batch size per GPU and raise gradient accumulation by the same factor (Trainer: --per_device_train_batch_size).",
        "Or turn on activation checkpointing: model.gradient_checkpointing_enable(); Megatron-LM: --recompute-granularity full",
        "Or spread the optimiser's state over the ranks: FSDP or DeepSpeed ZeRO; bf16 weights; an 8-bit optimiser (--optim adamw_bnb_8bit).",
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
}


_LIST_MODULES = (
    "List what the model has: python -c \"from transformers import AutoModel; m = AutoModel.from_pretrained('MODEL'); "
    "print({n.split('.')[-1] for n, _ in m.named_modules()})\""
)


REFUSALS = {"launch_refused", "command_not_found", "exception", "nccl_error"}


def _targets(context: str) -> tuple[str, ...]:
    """Names of the attention's modules: of the model that the job names, else of the usual families."""
    known = modules_of(context)
    if known is not None:
        family, names = known
        quoted = ", ".join(f'"{n}"' for n in names)
        return (f"Name modules the model has; {family} calls them: target_modules=[{quoted}] ({','.join(names)})", _LIST_MODULES)
    usual = (
        "Name modules the model has: q_proj,k_proj,v_proj,o_proj for Llama, Mistral, Qwen and Gemma; qkv_proj,o_proj for Phi-3; query_key_value for "
        "Falcon, Bloom and GPT-NeoX; c_attn for GPT-2; q,k,v,o for T5. PEFT 0.8 and later: target_modules='all-linear'."
    )
    return (usual, _LIST_MODULES)


def remedy(error: Evidence | None, cause: Cause | None, detail: str | None, context: str = "") -> tuple[str, ...]:
    """Advice for a cause and its finer name, with the thing that the error names filled in.

    ``context`` is what names the model: command lines, paths in the job's own words.
    """
    if detail == "target_modules":
        return _targets(context)
    of_program = error is not None and error.says == "exception"
    refused = advice_on(words.told(error), launcher=not of_program) if error is not None and error.says in REFUSALS else ()
    if refused and not (of_program and detail in _BY_DETAIL):
        return refused
    named = _by_name(_named(error), cause, detail)
    if named:
        return named
    if detail is not None and detail in _BY_DETAIL:
        return _BY_DETAIL[detail]
    if cause is not None and cause in _BY_CAUSE:
        return _BY_CAUSE[cause]
    return _where_to_look(error)


def _where_to_look(error: Evidence | None) -> tuple[str, ...]:
    """For an error that nothing finer is known of: the innermost line of the user's own code."""
    place = words.place_of(error) if error is not None else None
    if place is None:
        return (
            ("Look at the lines above the error in the log; run again with more of the program's own messages turned on.",)
            if error is not None
            else ()
        )
    return (f"Look at {place}: the innermost line of your own code; its whole traceback is in the log.",)


def _by_name(named: str | None, cause: Cause | None, detail: str | None) -> tuple[str, ...]:
    """Advice with the module or path that the error names."""
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
    return ()


def _named(error: Evidence | None) -> str | None:
    """The module or path an error names, quoted for a shell when it is a plain word; None for anything odd."""
    if error is None:
        return None
    found = re.search(r"['\"]([\w./@+:-]{1,200})['\"]", words.told(error))
    return found[1] if found and not found[1].startswith("-") else None

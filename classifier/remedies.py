"""Common remedies: what to do next, by cause and finer name. Paste-ready where it can be."""

from __future__ import annotations

import re
from functools import lru_cache

from gpualert_slurm.cause import Cause
from gpualert_slurm.classifier import advice, words
from gpualert_slurm.classifier.attention import modules_of
from gpualert_slurm.classifier.refusals import advice_on
from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Evidence


@lru_cache(maxsize=1)
def by_detail() -> dict[str, tuple[str, ...]]:
    """Advice by finer name, from every file of ``advice/``.

    Raises:
        ValueError: two files have advice for one name.
    """
    found: dict[str, tuple[str, ...]] = {}
    for area in discover(advice, "ADVICE", dict).values():
        twice = found.keys() & area.keys()
        if twice:
            raise ValueError(f"advice for {', '.join(sorted(twice))} stands in two files")
        found.update(area)
    return found


WITHOUT: dict[str, str] = {
    "interrupted": "somebody ended it: nothing is wrong",
    "adapter": "a marker of training, no failure",
    "rendezvous": "a marker of a start, no failure",
    "rl": "a marker of metrics, no failure",
    "file": "a marker of a save, no failure",
    "shards": "a marker of a save, no failure",
    "process": "a marker of a good end, no failure",
    "exit_interval": "a planned end",
    "target_modules": "written for the model that the job names",
    "sockets": "its mode says what to do",
    "slow_clock": "its mode says what to do",
}
"""Finer names that have no line of their own, and why."""

_BY_CAUSE: dict[Cause, tuple[str, ...]] = {
    Cause.CUDA_OOM: by_detail()["gpu_memory"],
    Cause.NCCL: by_detail()["nccl"],
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
    if refused and not (of_program and detail in by_detail()):
        return refused
    named = _by_name(_named(error), cause, detail)
    if named:
        return named
    if detail is not None and detail in by_detail():
        return _filled(by_detail()[detail], _named(error))
    if cause is not None and cause in _BY_CAUSE:
        return _BY_CAUSE[cause]
    return _where_to_look(error)


def _filled(lines: tuple[str, ...], named: str | None) -> tuple[str, ...]:
    """The lines with the place that the error names, where it names one."""
    if named is None or not ("/" in named or re.search(r"\.[A-Za-z]\w{0,15}$", named)):
        return lines
    return tuple(re.sub(r"\bPATH\b(?! on)", named.replace("\\", ""), line) for line in lines)


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

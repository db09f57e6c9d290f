"""What is to be beaten: the exit status alone, keywords in no order, the last traceback."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from corpus.case import LOGS
from corpus.score.answer import Answer
from gpualert_slurm.framed_log import open_log
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.run_file import RUN_NAME


@dataclass(frozen=True)
class Seen:
    """What a baseline looks at: all output together, and the run's exit status."""

    text: str
    code: int | None
    signal: int | None


def seen(folder: Path) -> Seen:
    """All logs of the case, one after another, and how Slurm or gpualert-run says that it ended."""
    paths = sorted((folder / LOGS).glob("*")) if (folder / LOGS).exists() else sorted(folder.glob("run.0.???"))
    parts = []
    for path in paths:
        if path.suffix != ".idx":
            with open_log(path, LogFrame.read(path)) as log:
                parts.append(log.read().decode(errors="replace").replace("\0", ""))
    if (folder / RUN_NAME).exists():
        from gpualert_slurm.programs.bundle import read_end
        from gpualert_slurm.run_file import RunEnd

        end = read_end(folder)
        known = end if isinstance(end, RunEnd) else None
        return Seen("\n".join(parts), 124 if known and known.timed_out else known.exit_code if known else None, known.signal if known else None)
    from corpus.case import RECORD_NAME
    from gpualert_slurm.job_record import JobRecord

    job = JobRecord.model_validate_json((folder / RECORD_NAME).read_bytes())
    row = job.accounting[-1] if job.accounting else None
    return Seen("\n".join(parts), row.exit_code if row else job.exit_code, row.exit_signal if row else job.exit_signal)


EXITS = {
    0: Answer(mode="G1"),
    124: Answer(mode="F3"),
    137: Answer(mode="A2", cause="oom_killer"),
    139: Answer(mode="A2", cause="segfault"),
    2: Answer(mode="A1"),
    127: Answer(mode="A1", cause="file_not_found"),
    126: Answer(mode="A1", cause="permission"),
    130: Answer(mode="F4"),
    143: Answer(mode="F4"),
}
SIGNALS = {
    9: Answer(mode="A2", cause="oom_killer"),
    11: Answer(mode="A2", cause="segfault"),
    6: Answer(mode="A2"),
    7: Answer(mode="A2"),
    15: Answer(mode="F4"),
    2: Answer(mode="F4"),
}


def exit_code(folder: Path) -> Answer:
    """The status alone: 0 is good, 1 some exception."""
    case = seen(folder)
    if case.signal:
        return SIGNALS.get(case.signal, Answer(mode="A2"))
    return EXITS.get(case.code or 0, Answer(mode="A3", cause="traceback"))


WORDS: tuple[tuple[str, Answer], ...] = (
    (r"out of memory", Answer(mode="B1", cause="cuda_oom")), (r"oom[-_ ]kill", Answer(mode="A2", cause="oom_killer")), (r"\bNCCL\b", Answer(mode="C2", cause="nccl")),
    (r"CUDA error", Answer(mode="A3", cause="cuda_runtime")), (r"same device", Answer(mode="A3", cause="device_mismatch")), (r"segmentation fault|SIGSEGV", Answer(mode="A2", cause="segfault")),
    (r"MemoryError|cannot allocate memory", Answer(mode="A3", cause="ram_oom")), (r"no such file", Answer(mode="A1", cause="file_not_found")), (r"permission denied", Answer(mode="A1", cause="permission")),
    (r"No module named|ImportError", Answer(mode="A1", cause="missing_module")), (r"ZeroDivisionError", Answer(mode="A3", cause="div_zero")), (r"AssertionError", Answer(mode="A3", cause="assertion")),
    (r"\bnan\b", Answer(mode="E1", cause="nan_loss")), (r"time limit", Answer(mode="F3")), (r"CANCELLED", Answer(mode="F4")), (r"node fail", Answer(mode="F1")), (r"preempt", Answer(mode="F2")),
    (r"RuntimeError", Answer(mode="A3", cause="runtime_error")), (r"Traceback", Answer(mode="A3", cause="traceback")), (r"timed out|timeout", Answer(mode="C1")),
)  # fmt: skip


def keywords(folder: Path) -> Answer:
    """The first word of a list that stands anywhere; else what the exit status says."""
    text = seen(folder).text
    return next((answer for word, answer in WORDS if re.search(word, text, re.IGNORECASE)), exit_code(folder))


TYPES = {
    "FileNotFoundError": "file_not_found", "PermissionError": "permission", "ModuleNotFoundError": "missing_module", "ImportError": "missing_module", "ZeroDivisionError": "div_zero",
    "AssertionError": "assertion", "MemoryError": "ram_oom", "RuntimeError": "runtime_error", "OutOfMemoryError": "cuda_oom", "DistBackendError": "nccl", "AcceleratorError": "cuda_runtime",
}  # fmt: skip
_ERROR = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception|Interrupt))\b", re.MULTILINE)


def last_traceback(folder: Path) -> Answer:
    """The type of the last traceback; without one, what the exit status says."""
    case = seen(folder)
    at = case.text.rfind("Traceback (most recent call last)")
    found = _ERROR.search(case.text, at) if at >= 0 else None
    if found is None:
        return exit_code(folder)
    early = not re.search(r"\bloss\b", case.text[:at], re.IGNORECASE)
    return Answer(mode="A1" if early else "A3", cause=TYPES.get(found[1], "traceback"))


BASELINES: dict[str, Callable[[Path], Answer]] = {"exit code alone": exit_code, "keywords, unordered": keywords, "last traceback": last_traceback}
"""By the name in the report."""

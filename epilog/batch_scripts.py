"""Batch scripts as slurmdbd keeps them where a site lets it (``AccountingStoreFlags=job_script``): for what an owner asked in ``#SBATCH`` lines."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gpualert_slurm.epilog import bounded_command
from gpualert_slurm.epilog.bounded_command import CommandError
from gpualert_slurm.epilog.provider import Asking, RecordsError

MAX_BYTES = 8 << 20
"""slurmctld takes scripts of up to 4 MB (SchedulerParameters=max_script_size)."""
MOST_LINES, MOST_CHARS = 2000, 4000
_HEAD = "Batch Script for {}\n"
_RULE = re.compile(r"-{20,}\n")


def are_kept(asking: Asking) -> bool:
    """Whether slurmdbd is given the scripts. One scontrol. Raises RecordsError."""
    found = re.search(r"^AccountingStoreFlags\s*=\s*(\S+)", _run(["scontrol", "show", "config"], asking), re.MULTILINE)
    return found is not None and "job_script" in found[1].split(",")


def directives(asking: Asking, job_id: int) -> str:
    """The words of the ``#SBATCH`` lines of one job's script; empty where there is none. One sacct, and never for two jobs: a script may look
    like sacct's words about another job. Raises RecordsError.
    """
    cluster = [f"--clusters={asking.cluster}"] if asking.cluster else []
    said = _run(["sacct", "--batch-script", *cluster, f"--jobs={job_id}"], asking)
    if not said.startswith(_HEAD.format(job_id)):  # where there is none, it says NONE below
        raise RecordsError("sacct shows no script of others' jobs: that takes AdminLevel=Operator in accounting")
    return words_of(said, job_id)


def words_of(said: str, job_id: int) -> str:
    """The same from sacct's answer: a headline, a rule, and the script, of which sbatch(1) reads the lines up to the first command. Pure."""
    head = _HEAD.format(job_id)
    rule = _RULE.match(said, len(head)) if said.startswith(head) else None
    if rule is None:
        return ""
    found = []
    for line in said[rule.end() :].split("\n")[:MOST_LINES]:
        text = line.strip()
        if text and not text.startswith("#"):
            break
        if text.startswith("#SBATCH "):
            found.append(text.removeprefix("#SBATCH ").split(" #", 1)[0].strip()[:MOST_CHARS])
    return " ".join(found)


def _run(argv: Sequence[str], asking: Asking) -> str:
    try:
        return bounded_command.run(argv, timeout_s=asking.timeout_s, stopping=asking.stopping, max_bytes=MAX_BYTES).stdout
    except CommandError as error:
        raise RecordsError(str(error)) from error

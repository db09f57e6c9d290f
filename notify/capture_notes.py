"""What the capture itself met, and the owner must know: with it on, a job does not see that its own output file is full."""

from __future__ import annotations

from collections.abc import Sequence

from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.notify import words
from gpualert_slurm.notify.claims import SCRIPT_STEPS


def capture_notes(reports: Sequence[NodeReport]) -> list[str]:
    """One sentence for each kind of failure, naming all it concerns."""
    failed: dict[tuple[str, str], list[str]] = {}
    for report in reports:
        for log in report.logs:
            owner = f"the batch script on {report.node}" if log.step in SCRIPT_STEPS else f"rank {log.rank} on {report.node}"
            if log.rank is None and log.step not in SCRIPT_STEPS:
                owner = f"a task of step {log.step} on {report.node}"
            for kind, error in (("output", log.output_error), ("log", log.log_error)):
                if error:
                    failed.setdefault((kind, error), []).append(owner)
    return [_sentence(kind, error, list(dict.fromkeys(owners))) for (kind, error), owners in failed.items()]


def _sentence(kind: str, error: str, owners: list[str]) -> str:
    named = words.shortened(", ".join(owners))
    if kind == "output":
        return f"the job's own output file ({error}, of {named}): what could not be written there is in the captured log; the job was not told"
    return f"the end of the captured log ({error}, of {named}): from then on only the job's own output file has it"

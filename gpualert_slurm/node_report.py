from __future__ import annotations

from typing import Any, Literal

from pydantic import create_model
from pydantic_core import from_json

from gpualert_slurm.artifact import Artifact
from gpualert_slurm.attempt import Attempt
from gpualert_slurm.evidence import Evidence
from gpualert_slurm.excerpt import Excerpt
from gpualert_slurm.gap import Gap
from gpualert_slurm.gpu import GpuSnapshot
from gpualert_slurm.host import HostSnapshot
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit, RankLog
from gpualert_slurm.record import Record, TimeNs
from gpualert_slurm.series import Series
from gpualert_slurm.stall import Stall
from gpualert_slurm.wishes import Wishes


class NodeReport(Record):
    """All that one node knows about one attempt of a job, sealed on the node, merged by the daemon.

    ``epilog_env`` holds what Slurm told the Epilog (exit code, derived exit code, restart count), by variable name.
    ``clock_uncertainty_ns`` is how far this node's wall clock may be off the others'. What parsing the user's logs
    gave (``logs``, ``excerpts``, ``artifacts``, the evidence and series marked USER) comes from a child that runs as
    that user: it proves nothing about a node.
    """

    format: Literal["gpualert-report/1"] = "gpualert-report/1"
    attempt: Attempt
    uid: int
    user: str | None = None
    node: str
    nodes: str
    boot_id: str
    wishes: Wishes
    work_dir: str | None = None
    job_started_ns: TimeNs | None = None
    job_ended_ns: TimeNs | None = None
    written_ns: TimeNs
    clock_uncertainty_ns: int = 50_000_000
    capture: str = "on"
    """``on``, or why no log was kept (``off: below min_free``)."""
    epilog_env: dict[str, str] = {}
    logs: tuple[RankLog, ...] = ()
    exits: tuple[RankExit, ...] = ()
    gpus_before: tuple[GpuSnapshot, ...] = ()
    gpus_after: tuple[GpuSnapshot, ...] = ()
    processes: tuple[Process, ...] = ()
    """Tasks, ranks below launchers, and whoever held a GPU of the job, on this node."""
    host_before: HostSnapshot | None = None
    host_after: HostSnapshot | None = None
    """The last one while the job ran: its cgroups are gone at its end."""
    stalls: tuple[Stall, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    series: tuple[Series, ...] = ()
    excerpts: tuple[Excerpt, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    archive_path: str | None = None
    gaps: tuple[Gap, ...] = ()


BULK = frozenset({"logs", "exits", "gpus_before", "gpus_after", "evidence", "series", "excerpts", "artifacts", "archive_path", "gaps"})
"""What the head of a report leaves out: deciding whether to wait, and what is asked of the past, needs none of it."""
_FIELDS: dict[str, Any] = {name: (field.annotation, field) for name, field in NodeReport.model_fields.items() if name not in BULK}
_Head: type[Record] = create_model("ReportHead", __base__=Record, **_FIELDS)


_BEHIND = frozenset({"evidence", "series", "excerpts", "artifacts"})
"""Fields that are written when all of the head has been (``Record.json_bytes``): where one of them has begun, nothing of it is missing."""
_FRONT_BYTES = 24 * 1024
"""Nearly every head is within them; of a report nine tenths are what lies behind."""


def read_head(text: bytes) -> NodeReport:
    """A report's head from its JSON; its bulk is left empty, and not looked at.

    Raises:
        pydantic.ValidationError: what was looked at is no JSON, or its head is none of a known version.
    """
    head = _front(text) or _Head.model_validate_json(text)
    return NodeReport.model_construct(head.model_fields_set, **dict(head))


def _front(text: bytes) -> Record | None:
    """The head, where it is whole in the first part of a long report."""
    if len(text) <= _FRONT_BYTES:
        return None
    try:
        found = from_json(text[:_FRONT_BYTES], allow_partial=True)
        return _Head.model_validate(found) if isinstance(found, dict) and next(reversed(found), None) in _BEHIND else None
    except ValueError:  # the whole of it says what is wrong
        return None

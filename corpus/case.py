"""One case: a folder with a label and what the product's own collection had of the job; read into the ``JobRecord`` that is judged."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from corpus import label as labels
from corpus.label import Label
from gpualert_slurm.evidence import Evidence, Quote, Where
from gpualert_slurm.framed_log import Arrival, arrivals, open_log
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.rank import RankLog
from gpualert_slurm.rank_log import LogFrame
from gpualert_slurm.run_file import RUN_NAME
from gpualert_slurm.series import FROM_LOGS, Series
from gpualert_slurm.time_index import TimeIndex

CASES = Path(__file__).with_name("cases")
RECORD_NAME = "record.json"
TIMES_NAME = "times.json"
"""Arrival times of handwritten logs: by log name, [byte offset, ns since the epoch] of each line."""
LOGS = "logs"
EXCERPT_BYTES = (16_384, 65_536)
MOST_EVIDENCE = 2000


@dataclass(frozen=True)
class Case:
    """``recipe/number`` names it."""

    folder: Path
    label: Label

    @property
    def name(self) -> str:
        """Such as ``shard_reader/007``."""
        return f"{self.folder.parent.name}/{self.folder.name}"


def all_cases(root: Path = CASES) -> list[Case]:
    """Every case below ``root``, by name."""
    return [Case(path.parent, labels.read(path.parent)) for path in sorted(root.glob(f"*/*/{labels.NAME}"))]


def stage(case: Case, to: Path) -> Path:
    """A copy of the case in ``to`` without its label, under a name that tells nothing: what a classifier is given."""
    to.mkdir(parents=True)
    for path in case.folder.iterdir():
        if path.name != labels.NAME:
            (shutil.copytree if path.is_dir() else shutil.copy)(path, to / path.name)
    return to


def job_of(folder: Path) -> JobRecord:
    """The job's record: all that was collected, its logs read by the parsers as they are now.

    Raises:
        OSError, ValueError: the folder holds no case.
    """
    if (folder / RUN_NAME).exists():
        from gpualert_slurm.programs.bundle import job_of as job_of_bundle

        return job_of_bundle(folder)
    job = JobRecord.model_validate_json((folder / RECORD_NAME).read_bytes())
    times = json.loads((folder / TIMES_NAME).read_text()) if (folder / TIMES_NAME).exists() else {}
    return job.model_copy(update={"reports": tuple(_with_logs(report, folder / LOGS, times) for report in job.reports)})


def log_name(log: RankLog) -> str:
    """The name that a rank's log has in its case: two nodes may use the same one."""
    return f"{log.node}.{Path(log.path).name}"


def without_logs(report: NodeReport, kept: frozenset[str]) -> NodeReport:
    """The report less what reading the logs ``kept`` (paths) gives again."""
    return report.model_copy(
        update={
            "evidence": tuple(e for e in report.evidence if not _quotes(e, kept)),
            "series": tuple(s for s in report.series if not _read_from_log(s)),
            "excerpts": tuple(x for x in report.excerpts if x.path not in kept),
        }
    )


def _quotes(evidence: Evidence, paths: frozenset[str]) -> bool:
    return isinstance(evidence.source, Quote) and evidence.source.file in paths


def _read_from_log(series: Series) -> bool:
    return series.name in FROM_LOGS


def _with_logs(report: NodeReport, logs: Path, times: dict[str, list[list[int]]]) -> NodeReport:
    from gpualert_slurm.classifier import scan
    from gpualert_slurm.epilog.collect_log_work import cut_excerpt

    evidence, series, excerpts, gaps = list(report.evidence), list(report.series), list(report.excerpts), list(report.gaps)
    for log in report.logs:
        path = logs / log_name(log)
        if not path.exists():
            continue
        frame = LogFrame.read(path)
        where = Where(node=log.node or None, rank=log.rank, local_rank=log.local_rank, step=log.step or None)
        with open_log(path, frame) as stream:
            parsed = scan(stream, log.path, where, arrival_of(path, frame, log, times.get(path.name)), MOST_EVIDENCE)
        with path.open("rb") as file:
            excerpt = cut_excerpt(file.fileno(), frame, log, EXCERPT_BYTES)
        evidence += parsed.evidence
        series += parsed.series
        gaps += parsed.gaps
        excerpts += [excerpt] if excerpt.bytes_total else []
    return report.model_copy(update={"evidence": tuple(evidence), "series": tuple(series), "excerpts": tuple(excerpts), "gaps": tuple(gaps)})


def arrival_of(path: Path, frame: LogFrame, log: RankLog, times: list[list[int]] | None) -> Arrival | None:
    """When each byte of the log at ``path`` arrived: by ``times`` of a handwritten case, else by the index beside it; None where neither is."""
    if times is not None:
        from bisect import bisect_right

        offsets, instants = [t[0] for t in times], [t[1] for t in times]
        return lambda offset: (instants[max(0, bisect_right(offsets, offset) - 1)], 1_000_000) if instants else None
    index = path.with_name(f"{path.name}.idx")
    if not index.exists():
        return None
    return arrivals(frame, TimeIndex.read(index), "err" if log.stream == "err" else "out")


def by_recipe(cases: list[Case]) -> Iterator[tuple[str, list[Case]]]:
    """Cases of each recipe."""
    for recipe in sorted({c.label.recipe for c in cases}):
        yield recipe, [c for c in cases if c.label.recipe == recipe]

"""What the logs tell of a rank's failure: its own last words, a launcher's summary, srun's lines."""

from __future__ import annotations

import re
from dataclasses import replace

from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit

Task = tuple[str, str, int]


class Telling:
    """Roots and launchers' texts, found by rank and by the log they stand in: a job may have thousands of ranks."""

    def __init__(self, job: JobRecord, roots: tuple[Evidence, ...], texts: tuple[Evidence, ...]) -> None:
        self.roots, self.texts = roots, texts
        self.only_node = job.nodes[0] if len(job.nodes) == 1 else None
        self._of_rank: dict[int, list[Evidence]] = {}
        self._in_file: dict[str, list[Evidence]] = {}
        self._summaries: dict[str, list[Evidence]] = {}
        self._logs: dict[Task, list[str]] = {}
        for root in roots:
            if root.where.rank is not None:
                self._of_rank.setdefault(root.where.rank, []).append(root)
            if isinstance(root.source, Quote):
                self._in_file.setdefault(root.source.file, []).append(root)
        for said in texts:
            if said.says == "failure_summary" and "rank" in said.data and isinstance(said.source, Quote):
                self._summaries.setdefault(said.source.file, []).append(said)
        for report in job.reports:
            for log in report.logs:
                if log.local_rank is not None:
                    self._logs.setdefault((log.node, log.step, log.local_rank), []).append(log.path)

    def root_of(self, end: RankExit) -> Evidence | None:
        """The last root in the rank's own log: what it said before it went."""
        of_rank = self._of_rank.get(end.rank, []) if end.rank is not None else []
        own = [e for e in of_rank if e.where.step in {None, end.step} and e.where.node in {None, end.node}]
        whole = [e for e in own if not e.data.get("bare")]
        return (whole or own)[-1] if own else None

    def below(self, end: RankExit) -> list[Failure]:
        """The failed ranks below a task that is a launcher (torchrun: one task a node), as its own logs name them; empty for a task that is a rank.

        A traceback without a prefix belongs to the one rank that the launcher's summary names, else to nobody.
        """
        paths = self._logs.get((end.node, end.step, end.local_rank), [])
        here = tuple(e for path in dict.fromkeys(paths) for e in self._in_file.get(path, ()))
        said = tuple(e for path in dict.fromkeys(paths) for e in self._summaries.get(path, ()))
        plain = [e for e in here if e.where.rank in {None, end.rank} and not e.data.get("bare")]
        named = [e for e in here if e.where.rank not in {None, end.rank}]
        if not said and (plain or not named):
            return []
        found = self._named(here if said else tuple(named), said)
        if len(found) == 1 and found[0].root is None and plain:
            found = [replace(found[0], root=plain[-1], time_ns=plain[-1].time_ns, uncertainty_ns=plain[-1].uncertainty_ns or 0)]
        return [replace(f, node=f.node or end.node, step=f.step or end.step, time_ns=f.time_ns or end.end_time_ns) for f in found]

    def without_records(self) -> list[Failure]:
        """Without exit records: srun's lines stand in exit order, a launcher's summary names ranks; else whose log holds a root."""
        return self._named(self.roots, self.texts)

    def _named(self, roots: tuple[Evidence, ...], texts: tuple[Evidence, ...]) -> list[Failure]:
        named: dict[int | None, Failure] = {}
        for said in texts:
            if said.says == "task_exited":
                node = str(said.data.get("host", "")) or None
                how = (said.data.get("code"), said.data.get("signal"))
                for rank in _numbers(str(said.data.get("tasks", "")))[:256]:
                    named.setdefault(rank, _texted(said, rank, node, how, roots))
            elif said.says == "failure_summary" and isinstance(said.data.get("rank"), int):
                code = said.data.get("exitcode")
                number = code if isinstance(code, int) else 0
                rank = int(said.data["rank"])
                named.setdefault(rank, _texted(said, rank, None, (number if number > 0 else None, -number if number < 0 else None), roots))
        if named:
            return list(named.values())
        for root in roots:
            where = root.where
            if named.get(where.rank) is None or not (where.rank is None or root.data.get("bare")):
                unsure, node = root.uncertainty_ns or 0, where.node or self.only_node
                named[where.rank] = Failure(None, node, where.step, where.rank, where.local_rank, None, None, root.time_ns, unsure, root, root)
        return list(named.values())


def _texted(said: Evidence, rank: int, node: str | None, how: tuple[object, object], roots: tuple[Evidence, ...]) -> Failure:
    code, number = how
    own = [e for e in roots if e.where.rank == rank]
    return Failure(
        None,
        node,
        None,
        rank,
        None,
        code if isinstance(code, int) else None,
        number if isinstance(number, int) and number else None,
        said.time_ns,
        said.uncertainty_ns or 0,
        said,
        own[-1] if own else None,
        place=said.source.offset if isinstance(said.source, Quote) and said.says == "task_exited" else None,
    )


def _numbers(text: str) -> list[int]:
    found: list[int] = []
    for part in text.split(","):
        span = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip())
        if span:
            first = int(span[1])
            found.extend(range(first, min(int(span[2] or first), first + 4096) + 1))
    return found

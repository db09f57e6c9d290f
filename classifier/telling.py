"""What the logs tell of a rank's failure: its own last words, a launcher's summary, srun's lines."""

from __future__ import annotations

from dataclasses import replace

from gpualert_slurm.classifier.ending import SCRIPT
from gpualert_slurm.classifier.failure import Failure
from gpualert_slurm.classifier.lines import heard
from gpualert_slurm.classifier.numbers import numbers
from gpualert_slurm.evidence import Evidence, Quote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.process import Process
from gpualert_slurm.rank import RankExit

Task = tuple[str, str, int]


class Telling:
    """Roots and launchers' texts, found by rank and by the log they stand in: a job may have thousands of ranks."""

    def __init__(self, job: JobRecord, roots: tuple[Evidence, ...], texts: tuple[Evidence, ...], waits: tuple[Evidence, ...] = ()) -> None:
        self.roots, self.texts, self.waits = roots, texts, waits
        self._waits_by: dict[tuple[bool, int | None], list[Evidence]] = {}
        """By rank (True), else by local rank (False): a job may have thousands of either."""
        for word in waits:
            by_rank = word.where.rank is not None
            self._waits_by.setdefault((by_rank, word.where.rank if by_rank else word.where.local_rank), []).append(word)
        self._closed: dict[str, set[int]] = {}
        """Processes that a launcher says it took down, by its log."""
        self.only_node = job.nodes[0] if len(job.nodes) == 1 else None
        self._only_task = len({(e.node, e.step, e.local_rank) for r in job.reports for e in r.exits if e.step not in SCRIPT}) == 1
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
            if said.says == "failure_summary" and self._rank_in(said) is not None and isinstance(said.source, Quote):
                self._summaries.setdefault(said.source.file, []).append(said)
            pid = said.data.get("pid")
            if said.says == "teardown" and isinstance(pid, int) and isinstance(said.source, Quote):
                self._closed.setdefault(said.source.file, set()).add(pid)
        for report in job.reports:
            for log in report.logs:
                if log.local_rank is not None:
                    self._logs.setdefault((log.node, log.step, log.local_rank), []).append(log.path)

    def _rank_in(self, said: Evidence) -> int | None:
        """The rank that a launcher's summary names; its local rank, where that is all it names and one node is all there is.

        The number of a process that ``torch.multiprocessing.spawn`` started is taken for its rank, as programs take it, where one task did so.
        """
        rank, local, spawned = said.data.get("rank"), said.data.get("local_rank"), said.data.get("spawned")
        if isinstance(rank, int):
            return rank
        if isinstance(spawned, int):
            return spawned if self._only_task else None
        return local if isinstance(local, int) and self.only_node is not None else None

    def root_of(self, end: RankExit) -> Evidence | None:
        """The last root in the rank's own log: what it said before it went."""
        of_rank = self._of_rank.get(end.rank, []) if end.rank is not None else []
        own = [e for e in of_rank if e.where.step in {None, end.step} and e.where.node in {None, end.node}]
        whole = [e for e in own if not e.data.get("bare")]
        last = (whole or own)[-1] if own else None
        if last is not None and last.says == "nccl_error" and isinstance(last.source, Quote):  # a line of the message of an exception that says more
            text = last.source.text.rpartition("]: ")[2].strip()[:60]
            last = next((e for e in whole[::-1] if e.says == "exception" and text in str(e.data.get("more", ""))), last)
        return last

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
        theirs = tuple(e for e in here if e.where.rank != end.rank or by_prefix(e)) if len(said) > 1 else here
        found = self._named(theirs if said else tuple(named), said)
        if said:  # a summary may name one rank alone: who says an error by name failed, too
            known = {f.rank for f in found}
            found += self._named(tuple(e for e in here if by_prefix(e) and e.where.rank not in known and not e.data.get("bare")), ())
        if len(found) == 1 and found[0].root is None and plain:
            found = [replace(found[0], root=plain[-1], time_ns=plain[-1].time_ns, uncertainty_ns=plain[-1].uncertainty_ns or 0)]
        return [replace(f, node=f.node or end.node, step=f.step or end.step, time_ns=f.time_ns or end.end_time_ns) for f in found]

    def _paths(self, end: RankExit) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self._logs.get((end.node, end.step, end.local_rank), ())))

    def root_below(self, end: RankExit, rank: Process) -> Evidence | None:
        """What a rank below the task said in the task's own logs: by the rank that its lines name, or by its process id."""
        pids = {rank.pid, rank.namespace_pid} - {None}
        here = [e for path in self._paths(end) for e in self._in_file.get(path, ())]
        own = [e for e in here if self._whose(e, rank, end) or e.where.pid in pids]
        whole = [e for e in own if not e.data.get("bare")]
        return (whole or own)[-1] if own else None

    @staticmethod
    def _whose(said: Evidence, rank: Process, end: RankExit) -> bool:
        """By the rank on the line (the task's own number stands on lines that name nobody, too), else by the local rank."""
        where = said.where
        if where.rank is None:
            return where.local_rank is not None and where.local_rank == rank.local_rank
        return where.rank == rank.rank and (rank.rank != end.rank or by_prefix(said))

    def with_plain(self, found: list[Failure], end: RankExit) -> list[Failure]:
        """The same, where one rank alone can have said what stands in the task's logs without a name: it gets it."""
        silent = [f for f in found if f.root is None and not f.taken_down and f.signal is None]
        taken = {e.id for f in found if (e := f.root) is not None}
        plain = [
            e
            for path in self._paths(end)
            for e in self._in_file.get(path, ())
            if e.where.rank in {None, end.rank} and not e.data.get("bare") and e.id not in taken
        ]
        if len(silent) != 1 or not plain:
            return found
        return [replace(f, root=plain[-1]) if f is silent[0] else f for f in found]

    def was_closed(self, end: RankExit, *pids: int | None) -> bool:
        """Whether the launcher says that it sent this process a signal."""
        return any(pid in self._closed.get(path, ()) for path in self._paths(end) for pid in pids if pid is not None)

    def with_waits(self, found: list[Failure]) -> list[Failure]:
        """The same, victims marked: those of whom all that is known is that they lost a peer, or waited for one in vain.

        A line in a launcher's log that names nobody is a rank's of its own only where one rank alone can have written it.
        """
        given: set[str] = set()
        marked = []
        for failure in found:
            words = [w for w in self._words_of(failure) if failure.root is None]
            given |= {w.id for w in words}
            marked.append(_victim(failure, words))
        loose = [w for w in self.waits if w.id not in given]
        silent = [f for f in marked if f.root is None and not f.victim and not f.taken_down and f.signal is None and not _is_task(f)]
        if loose and len(silent) == 1:
            return [_victim(f, loose) if f is silent[0] else f for f in marked]
        return marked

    def _words_of(self, failure: Failure) -> list[Evidence]:
        mine = []
        task = _is_task(failure)
        of_rank = self._waits_by.get((True, failure.rank), []) if failure.rank is not None else []
        of_local = self._waits_by.get((False, failure.local_rank), []) if failure.local_rank is not None and not task else []
        for word in (*of_rank, *of_local):
            where = word.where
            if where.node not in {None, failure.node} and failure.node is not None:
                continue
            if where.rank is None or task or by_prefix(word):
                mine.append(word)
        return mine

    def without_records(self) -> list[Failure]:
        """Without exit records: srun's lines stand in exit order, a launcher's summary names ranks; else whose log holds a root."""
        return self._named(self.roots, self.texts)

    def _named(self, roots: tuple[Evidence, ...], texts: tuple[Evidence, ...]) -> list[Failure]:
        named: dict[int | None, Failure] = {}
        for said in texts:
            if said.says == "task_exited":
                node = str(said.data.get("host", "")) or None
                how = (said.data.get("code"), said.data.get("signal"))
                for rank in numbers(str(said.data.get("tasks", "")))[:256]:
                    named.setdefault(rank, _texted(said, rank, node, how, roots))
            elif said.says == "failure_summary" and (summed := self._rank_in(said)) is not None:
                code = said.data.get("exitcode")
                number = code if isinstance(code, int) else 0
                how = (number if number > 0 else None, -number if number < 0 else None)
                closed = isinstance(said.source, Quote) and said.data.get("pid") in self._closed.get(said.source.file, ())
                if summed not in named or "rank" in said.data:
                    named[summed] = replace(_texted(said, summed, None, how, roots), taken_down=closed)
        if named:
            return list(named.values())
        for root in roots:
            where = root.where
            if named.get(where.rank) is None or not (where.rank is None or root.data.get("bare")):
                unsure, node = root.uncertainty_ns or 0, where.node or self.only_node
                named[where.rank] = Failure(None, node, where.step, where.rank, where.local_rank, None, None, root.time_ns, unsure, root, root)
        return list(named.values())


def by_prefix(said: Evidence) -> bool:
    """Whether the line itself says whose it is."""
    if not isinstance(said.source, Quote):
        return False
    speaker = heard(said.source.text.lstrip("\x1b"))[1]
    return speaker.rank is not None or speaker.task is not None


def _is_task(failure: Failure) -> bool:
    """Whether it is a Slurm task, as its parent waited for it: then all of its log is its own."""
    return failure.end is not None and failure.end.wait_status is not None


def _victim(failure: Failure, words: list[Evidence]) -> Failure:
    if not words:
        return failure
    return replace(failure, victim=True, lost_connection=any(w.detail != "collective_timeout" for w in words))


def _texted(said: Evidence, rank: int, node: str | None, how: tuple[object, object], roots: tuple[Evidence, ...]) -> Failure:
    code, number = how
    own = [e for e in roots if e.where.rank == rank]
    told = [said, *(e for e in own[-1:] if e.where.node == said.where.node)]  # a summary comes when the launcher has ended the others
    first = min((e for e in told if e.time_ns is not None), key=lambda e: e.time_ns or 0, default=said)
    return Failure(
        None,
        node,
        None,
        rank,
        None,
        code if isinstance(code, int) else None,
        number if isinstance(number, int) and number else None,
        first.time_ns,
        first.uncertainty_ns or 0,
        said,
        own[-1] if own else None,
        place=said.source.offset if isinstance(said.source, Quote) and said.says == "task_exited" else None,
    )

"""Reading and writing the history. One writer: the daemon, which holds the lock."""

from __future__ import annotations

import hashlib
import sqlite3
import time
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

from gpualert_slurm.epilog.attempts import SLACK_NS, started
from gpualert_slurm.epilog.history import past
from gpualert_slurm.epilog.history.database import open_database
from gpualert_slurm.epilog.history.messages import Messages, run_of
from gpualert_slurm.epilog.history.run import Added, Documents, Judged, Run, RunState
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.node_report import BULK, NodeReport
from gpualert_slurm.packed import MAX_BYTES, Packed, PackedJob
from gpualert_slurm.past_verdict import PastVerdict
from gpualert_slurm.verdict import Verdict
from gpualert_slurm.wishes import When


class History(Messages):
    """The daemon's memory. Every method is one transaction, durable when it returns; errors are ``sqlite3.Error``."""

    def __init__(self, path: Path) -> None:
        self._db = open_database(path)

    def close(self) -> None:
        """Close the file; nothing is pending between two calls."""
        self._db.close()

    def add(self, document: JobNote | NodeReport, received_ns: int, packed: bytes | None = None) -> Added:
        """Keep a note or report with its run; a new run where there is none, a known document only once.

        ``packed`` is its JSON as it came, compressed by zlib: what is there already is not made anew.

        A document of a job that was judged before belongs to that run when its start lies before that run's end (it is
        late), else to a new one: the job was requeued, or the id has wrapped.
        """
        content = zlib.compress(document.json_bytes(), 6) if packed is None else packed
        head = document.model_dump_json(exclude_none=True, exclude=set(BULK) if isinstance(document, NodeReport) else None)
        kind = "report" if isinstance(document, NodeReport) else "note"
        with self._transaction():
            run, late = self._run_for(document, received_ns)
            done = self._db.execute(
                "INSERT INTO document (run_id, kind, node, sha256, received_ns, late, head, content) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
                " ON CONFLICT DO NOTHING",
                (run.id, kind, document.node, hashlib.sha256(content).digest(), received_ns, int(late), head, content),
            )
            self._db.execute("UPDATE run SET started_ns = min(started_ns, ?) WHERE id = ? AND state = 'collecting'", (started(document), run.id))
        return Added(run, done.rowcount > 0, late)

    def runs(self, state: RunState) -> list[Run]:
        """Every run in that state, oldest first."""
        return [run_of(row) for row in self._db.execute("SELECT * FROM run WHERE state = ? ORDER BY id", (state.value,))]

    def open_runs(self) -> dict[str, int]:
        """How many runs are in each state but done."""
        states = [state.value for state in RunState if state is not RunState.DONE]
        found = self._db.execute("SELECT state, count(*) AS runs FROM run WHERE state IN (?, ?, ?) GROUP BY state", states)
        return {**dict.fromkeys(states, 0), **{row["state"]: row["runs"] for row in found}}

    def run(self, run_id: int) -> Run:
        """One run. Raises LookupError."""
        row = self._db.execute("SELECT * FROM run WHERE id = ?", (run_id,)).fetchone()
        if row is None:
            raise LookupError(f"there is no run {run_id}")
        return run_of(row)

    def heads(self, run_id: int) -> Documents:
        """The run's documents without their bulk."""
        found = self._db.execute("SELECT id, kind, head AS text FROM document WHERE run_id = ? ORDER BY id", (run_id,)).fetchall()
        return _documents((row["id"], row["kind"], row["text"].encode()) for row in found)

    def documents(self, run_id: int) -> Documents:
        """The run's documents, whole."""
        found = self._db.execute("SELECT id, kind, content FROM document WHERE run_id = ? ORDER BY id", (run_id,))
        return _documents((row["id"], row["kind"], zlib.decompressobj().decompress(row["content"], MAX_BYTES)) for row in found)

    def packed(self, record: JobRecord, report_ids: Sequence[int]) -> PackedJob:
        """The record with the reports of these places, to hand on; a report that is gone is left out."""
        bare = Packed.of(record.model_copy(update={"reports": ()})).content
        return PackedJob(JobRecord, bare, self._contents(report_ids))

    def mark_ended(self, run_id: int, seen_ns: int | None) -> None:
        """Remember when the run's newest attempt was first seen to be over; None: it runs (again)."""
        with self._transaction():
            self._db.execute("UPDATE run SET ended_seen_ns = ? WHERE id = ?", (seen_ns, run_id))

    def save_verdicts(self, run_id: int, judged: Sequence[Judged | tuple[JobRecord, Verdict]], now_ns: int) -> None:
        """The verdict of each attempt in order, the newest last: collecting → judged."""
        with self._transaction():
            self._db.execute("DELETE FROM verdict WHERE run_id = ?", (run_id,))
            for position, one in enumerate(judged):
                self._save_verdict(run_id, position, Judged(*one), newest=position == len(judged) - 1)
            record = judged[-1][0]
            self._db.execute(
                "UPDATE run SET state = 'judged', judged_ns = ?, ended_ns = ?, label = ? WHERE id = ?",
                (now_ns, record.ended_ns, record.attempt.label, run_id),
            )

    def newest_verdict(self, run_id: int) -> tuple[JobRecord, Verdict]:
        """The record and verdict that are mailed. Raises LookupError: the run has none."""
        record, verdict = self.newest_packed(run_id)
        return record.read(), verdict.read()

    def newest_packed(self, run_id: int) -> tuple[Packed[JobRecord], Packed[Verdict]]:
        """The same two as they lie there, to hand on. Raises LookupError."""
        row = self._newest(run_id, "record, content, reports")
        ids = [int(place) for place in (row["reports"] or "").split(",") if place]
        return PackedJob(JobRecord, row["record"], self._contents(ids)) if ids else Packed(JobRecord, row["record"]), Packed(Verdict, row["content"])

    def verdict(self, run_id: int) -> Verdict:
        """The run's newest verdict without its record. Raises LookupError."""
        return Packed(Verdict, self._newest(run_id, "content")["content"]).read()

    def past(self, record: JobRecord) -> tuple[PastVerdict, ...]:
        """What was found before on these nodes, for this user's jobs of this name, and for the jobs it depends on."""
        return past.look_up(self._db, record)

    def knows(self, cluster: str, job_id: int, uid: int, span_ns: tuple[int, int]) -> bool:
        """Whether there is a run of that job which was under way at some time of the span."""
        row = self._db.execute(
            "SELECT 1 FROM run WHERE cluster = ? AND job_id = ? AND uid = ? AND started_ns <= ?"
            " AND (state = 'collecting' OR coalesce(ended_ns, judged_ns) >= ?) LIMIT 1",
            (cluster, job_id, uid, span_ns[1], span_ns[0]),
        ).fetchone()
        return row is not None

    def marked(self, name: str) -> int | None:
        """The time kept under that name."""
        row = self._db.execute("SELECT time_ns FROM mark WHERE name = ?", (name,)).fetchone()
        return None if row is None else int(row["time_ns"])

    def mark(self, name: str, time_ns: int) -> None:
        """Keep a time under a name."""
        with self._transaction():
            self._db.execute("INSERT INTO mark VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET time_ns = excluded.time_ns", (name, time_ns))

    def forget(self, before_ns: int) -> int:
        """Remove runs that were done before then; gives how many."""
        with self._transaction():
            return self._db.execute("DELETE FROM run WHERE state = 'done' AND done_ns < ?", (before_ns,)).rowcount

    def _newest(self, run_id: int, columns: str) -> sqlite3.Row:
        row: sqlite3.Row | None = self._db.execute(f"SELECT {columns} FROM verdict WHERE run_id = ? AND newest", (run_id,)).fetchone()  # noqa: S608
        if row is None:
            raise LookupError(f"run {run_id} has no verdict")
        return row

    def _run_for(self, document: JobNote | NodeReport, now_ns: int) -> tuple[Run, bool]:
        attempt, begun = document.attempt, started(document)
        row = self._db.execute(
            "SELECT * FROM run WHERE cluster = ? AND job_id = ? AND uid = ? ORDER BY id DESC LIMIT 1", (attempt.cluster, attempt.job_id, document.uid)
        ).fetchone()
        if row is not None:
            run = run_of(row)
            if run.state is RunState.COLLECTING:
                return run, False
            over_ns = run.ended_ns if run.ended_ns is not None else run.judged_ns
            if over_ns is None or begun <= over_ns + SLACK_NS:
                return run, True
        made = self._db.execute(
            "INSERT INTO run (cluster, job_id, uid, user, label, state, first_seen_ns, started_ns)"
            " VALUES (?, ?, ?, ?, ?, 'collecting', ?, ?) RETURNING *",
            (attempt.cluster, attempt.job_id, document.uid, document.user, attempt.label, now_ns, begun),
        ).fetchone()
        return run_of(made), False

    def _contents(self, report_ids: Sequence[int]) -> tuple[bytes, ...]:
        asked = ((place,) for place in report_ids)
        found = (self._db.execute("SELECT content FROM document WHERE id = ? AND kind = 'report'", one).fetchone() for one in asked)
        return tuple(row["content"] for row in found if row is not None)

    def _save_verdict(self, run_id: int, position: int, judged: Judged, *, newest: bool) -> None:
        record, verdict = judged.record, judged.verdict
        head, tail = judged.losses or past.losses(record)
        kept = judged.packed or Packed.of(record if judged.report_ids is None else record.model_copy(update={"reports": ()})).content
        reports = None if judged.report_ids is None else ",".join(map(str, judged.report_ids))
        made = self._db.execute(
            "INSERT INTO verdict (run_id, position, newest, cluster, job_id, label, uid, job_name, mode, cause, fault, fingerprint, nodes, ended_ns,"
            " head_loss, tail_loss, gpu_hours, content, record, array_job_id, het_job_id, problem, started_ns, addresses, reports)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                run_id, position, int(newest), record.attempt.cluster, record.attempt.job_id, record.attempt.label, record.uid or 0, record.name,
                verdict.mode, verdict.cause.value if verdict.cause else None, verdict.fault.value, verdict.fingerprint, ",".join(record.nodes)[:4096],
                record.ended_ns or time.time_ns(), head, tail, past.gpu_hours(record), Packed.of(verdict).content,
                kept, record.attempt.array_job_id, record.attempt.het_job_id, int(verdict.is_problem),
                record.started_ns, ",".join(record.wishes.addresses) if wanted(record, verdict) else "", reports,
            ),
        ).fetchone()
        ended_ns = record.ended_ns or time.time_ns()
        self._db.executemany(
            "INSERT OR IGNORE INTO verdict_node (verdict_id, node, uid, fault, ended_ns) VALUES (?, ?, ?, ?, ?)",
            [(made["id"], node, record.uid or 0, verdict.fault.value, ended_ns) for node in record.nodes],
        )


def wanted(record: JobRecord, verdict: Verdict) -> bool:
    """Whether anybody asked to be written to about a verdict like this."""
    wishes = record.wishes
    return bool(wishes.addresses) and wishes.when is not When.NEVER and (wishes.when is When.ALWAYS or verdict.is_problem)


def _documents(found: Iterable[tuple[int, str, bytes]]) -> Documents:
    notes: list[JobNote] = []
    reports: dict[int, NodeReport] = {}
    for place, kind, content in found:
        if kind == "note":
            notes.append(JobNote.model_validate_json(content))
        else:
            reports[place] = NodeReport.model_validate_json(content)
    return Documents(tuple(notes), tuple(reports.values()), tuple(reports))

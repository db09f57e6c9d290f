"""The part of the history that knows what was mailed, about which runs, and what is planned."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from collections.abc import Collection, Iterator, Sequence

from gpualert_slurm.epilog.history.run import JudgedRun, MessageRow, Run, RunState
from gpualert_slurm.notification import Notification


class Messages:
    """Messages and their runs. Every method is one transaction, or a part of the one that ``together`` holds."""

    _db: sqlite3.Connection

    _joined = False

    @contextlib.contextmanager
    def together(self) -> Iterator[None]:
        """All that is written in it is one transaction, durable at its end and not before: a disk syncs once for many rows.

        A method that raises in it leaves nothing of itself behind; where that is caught, the others' rows stay. Not to be nested.
        """
        self._joined = True
        try:
            yield
            if self._db.in_transaction:  # something was written
                self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        finally:
            self._joined = False

    def judged(self, only: Collection[int] | None = None) -> list[JudgedRun]:
        """Every judged run whose message is in no plan, oldest first; ``only``: of these alone."""
        among = None if only is None else json.dumps(list(only))
        rows = self._db.execute(
            "SELECT run.*, verdict.addresses, verdict.problem, verdict.started_ns AS begun_ns, verdict.array_job_id, verdict.het_job_id,"
            " verdict.fingerprint FROM run JOIN verdict ON verdict.run_id = run.id AND verdict.newest"
            " WHERE run.state = 'judged' AND (? IS NULL OR run.id IN (SELECT value FROM json_each(?))) AND run.id NOT IN"
            " (SELECT message_run.run_id FROM message_run JOIN message USING (key) WHERE message.state = 'planned')"
            " ORDER BY run.id",
            (among, among),
        )
        return [
            JudgedRun(
                run=run_of(row), known=row["addresses"] is not None, addresses=tuple(a for a in (row["addresses"] or "").split(",") if a),
                problem=bool(row["problem"]), started_ns=row["begun_ns"], array_job_id=row["array_job_id"], het_job_id=row["het_job_id"],
                fingerprint=row["fingerprint"],
            )
            for row in rows
        ]  # fmt: skip

    def plan_message(self, key: str, run_ids: Sequence[int], recipients: Sequence[str], group: str, now_ns: int) -> None:
        """Fix that these runs are told in one message, before it is composed."""
        with self._transaction():
            self._db.execute(
                "INSERT INTO message (key, run_id, recipients, queued_ns, state, changed_ns, grp) VALUES (?, ?, ?, ?, 'planned', ?, ?)"
                " ON CONFLICT DO NOTHING",
                (key, run_ids[0], ",".join(recipients), now_ns, now_ns, group),
            )
            self._db.executemany("INSERT OR IGNORE INTO message_run (key, run_id) VALUES (?, ?)", [(key, run_id) for run_id in run_ids])

    def planned(self) -> list[MessageRow]:
        """Messages that are fixed and not yet in the outbox."""
        return self._messages("state = 'planned'", ())

    def unplan(self, key: str) -> None:
        """Give a planned message up: its runs are on their own again."""
        with self._transaction():
            self._db.execute("DELETE FROM message WHERE key = ? AND state = 'planned'", (key,))

    def mailed_since(self, since_ns: int) -> list[MessageRow]:
        """Messages that were queued since then, without their runs: oldest first."""
        rows = self._db.execute("SELECT * FROM message WHERE queued_ns >= ? AND state != 'planned' ORDER BY queued_ns", (since_ns,))
        return [_message(row, ()) for row in rows]

    def first_subject(self, thread: str, recipients: Sequence[str], since_ns: int) -> str | None:
        """The subject that a thread began with, for these recipients."""
        row = self._db.execute(
            "SELECT subject FROM message WHERE thread = ? AND recipients = ? AND queued_ns >= ? AND subject IS NOT NULL AND state != 'planned'"
            " ORDER BY queued_ns LIMIT 1",
            (thread, ",".join(recipients), since_ns),
        ).fetchone()
        return None if row is None else str(row["subject"])

    def mark_composed(self, run_ids: int | Sequence[int], notification: Notification, now_ns: int, group: str | None = None) -> None:
        """Judged → composed: the outbox has the message about these runs."""
        ids = (run_ids,) if isinstance(run_ids, int) else tuple(run_ids)
        with self._transaction():
            self._db.execute(
                "INSERT INTO message (key, run_id, recipients, queued_ns, state, changed_ns, grp, thread, subject)"
                " VALUES (?, ?, ?, ?, 'queued', ?, ?, ?, ?)"
                " ON CONFLICT (key) DO UPDATE SET state = 'queued', recipients = excluded.recipients, queued_ns = excluded.queued_ns,"
                " changed_ns = excluded.changed_ns, grp = excluded.grp, thread = excluded.thread, subject = excluded.subject WHERE state = 'planned'",
                (notification.key, ids[0], ",".join(notification.recipients), now_ns, now_ns, group, notification.thread, notification.subject),
            )
            self._db.executemany("INSERT OR IGNORE INTO message_run (key, run_id) VALUES (?, ?)", [(notification.key, run_id) for run_id in ids])
            self._db.executemany("UPDATE run SET state = 'composed' WHERE id = ?", [(run_id,) for run_id in ids])

    def open_messages(self) -> list[tuple[str, Run]]:
        """Messages of composed runs with their runs: the outbox says what became of them."""
        rows = self._db.execute(
            "SELECT message_run.key AS message_key, run.* FROM run JOIN message_run ON message_run.run_id = run.id WHERE run.state = 'composed'"
        )
        return [(row["message_key"], run_of(row)) for row in rows]

    def mark_done(self, run_id: int, outcome: str, now_ns: int) -> None:
        """Done: ``outcome`` is ``sent``, ``refused``, ``not wanted`` …; documents and records go: nobody asks for them again."""
        with self._transaction():
            self._db.execute("UPDATE run SET state = 'done', outcome = ?, done_ns = ? WHERE id = ?", (outcome, now_ns, run_id))
            self._db.execute(
                "UPDATE message SET state = ?, changed_ns = ? WHERE key IN (SELECT key FROM message_run WHERE run_id = ?)", (outcome, now_ns, run_id)
            )
            self._db.execute("DELETE FROM document WHERE run_id = ?", (run_id,))
            self._db.execute("UPDATE verdict SET record = x'' WHERE run_id = ?", (run_id,))

    def _messages(self, where: str, values: Sequence[object]) -> list[MessageRow]:
        rows = self._db.execute(f"SELECT * FROM message WHERE {where} ORDER BY queued_ns", tuple(values)).fetchall()  # noqa: S608 - our own words
        return [_message(row, self._run_ids(row["key"])) for row in rows]

    def _run_ids(self, key: str) -> tuple[int, ...]:
        return tuple(row["run_id"] for row in self._db.execute("SELECT run_id FROM message_run WHERE key = ? ORDER BY run_id", (key,)))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        end, undo = ("RELEASE part", ("ROLLBACK TO part", "RELEASE part")) if self._joined else ("COMMIT", ("ROLLBACK",))
        if not self._db.in_transaction:
            self._db.execute("BEGIN IMMEDIATE")
        if self._joined:
            self._db.execute("SAVEPOINT part")
        try:
            yield
            self._db.execute(end)
        except BaseException:
            if self._db.in_transaction:  # a full disk may have ended it already
                for each in undo:
                    self._db.execute(each)
            raise


def run_of(row: sqlite3.Row) -> Run:
    """The run in a row of the table."""
    return Run(
        id=row["id"], cluster=row["cluster"], job_id=row["job_id"], uid=row["uid"], user=row["user"], label=row["label"],
        state=RunState(row["state"]),
        outcome=row["outcome"], first_seen_ns=row["first_seen_ns"], started_ns=row["started_ns"], ended_seen_ns=row["ended_seen_ns"],
        ended_ns=row["ended_ns"], judged_ns=row["judged_ns"],
    )  # fmt: skip


def _message(row: sqlite3.Row, run_ids: tuple[int, ...]) -> MessageRow:
    recipients = tuple(a for a in row["recipients"].split(",") if a)
    return MessageRow(row["key"], run_ids, recipients, row["queued_ns"], row["grp"], row["thread"], row["subject"])

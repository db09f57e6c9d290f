"""The daemon's memory on a real disk: what it acknowledged survives kill -9, and users do not see each other in it."""

from __future__ import annotations

import signal
import sqlite3
import subprocess
import sys
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.epilog.history.database import HistoryError, migrations, open_database
from gpualert_slurm.epilog.history.run import Judged, RunState
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.epilog.merge import merge
from gpualert_slurm.gap import Gap
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.notification import Notification
from gpualert_slurm.verdict import Fault, Phase, Verdict
from tests.unit.epilog.runs import T0, S, note, report, row


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History(tmp_path / "history.db")
    yield opened
    opened.close()


def verdict(record: JobRecord, mode: str = "A1", fault: Fault = Fault.USER) -> Verdict:
    return Verdict(attempt=record.attempt, mode=mode, title="startup crash", headline="it broke", fault=fault, confidence=0.9, phase=Phase.STARTUP,
                   nodes=record.nodes)


def judge(history: History, run_id: int, record: JobRecord, **changes: object) -> None:
    history.save_verdicts(run_id, [(record, verdict(record, **changes))], record.ended_ns or T0)  # type: ignore[arg-type]


def test_a_run_s_way(history: History) -> None:
    """Collecting → judged → composed → done, with the record and verdict as they were."""
    added = history.add(note(), T0)
    history.add(report("n1"), T0 + 1)
    assert (added.new, added.late, [r.state for r in history.runs(RunState.COLLECTING)]) == (True, False, [RunState.COLLECTING])
    documents = history.documents(added.run.id)
    assert (documents.notes, documents.reports) == ((note(),), (report("n1"),))
    record = merge(documents.notes, documents.reports, [row()])
    judge(history, added.run.id, record)
    assert history.newest_verdict(added.run.id) == (record, verdict(record))
    history.mark_composed(added.run.id, Notification(key="c.7.a1", recipients=("a@example.org",), subject="s", text="t", html="h"), T0)
    assert [(key, run.id) for key, run in history.open_messages()] == [("c.7.a1", added.run.id)]
    history.mark_done(added.run.id, "sent", T0)
    assert (history.open_messages(), [r.outcome for r in history.runs(RunState.DONE)]) == ([], ["sent"])


def test_a_document_counts_once(history: History) -> None:
    assert [history.add(report("n1"), T0 + i).new for i in range(3)] == [True, False, False]
    assert len(history.documents(1).reports) == 1


def test_a_head_has_all_that_waiting_needs(history: History) -> None:
    whole = report("n1").model_copy(update={"gaps": (Gap(what="something", why="large"),)})
    history.add(whole, T0)
    head = history.heads(1).reports[0]
    assert (head.node, head.nodes, head.attempt, head.epilog_env, head.gaps) == ("n1", "n[1-2]", whole.attempt, whole.epilog_env, ())


def test_a_record_s_reports_are_kept_once_and_come_back_whole(history: History) -> None:
    """In their order, as their nodes wrote them, also the parts that no reader of today knows; a later report changes nothing."""
    text = report("n2").json_bytes().replace(b'"uid":', b'"from_tomorrow":1,"uid":', 1)
    for document, packed in ((note(), None), (report("n2"), zlib.compress(text)), (report("n1"), None)):
        history.add(document, T0, packed)
    heads, whole = history.heads(1), history.documents(1)
    assert heads.report_ids == whole.report_ids
    assert history.packed(merge([note()], heads.reports, [row()]), heads.report_ids).reports[0] == zlib.compress(text)
    record = merge([note()], heads.reports, [row()])
    ids = tuple(dict(zip((r.node for r in heads.reports), heads.report_ids, strict=True))[r.node] for r in record.reports)
    history.save_verdicts(1, [Judged(record, verdict(record), (8.0, 2.0), ids)], T0)
    history.add(report("n1", written_ns=T0 + 77 * S), T0)
    assert history.newest_verdict(1)[0] == merge([note()], whole.reports, [row()])
    assert history.newest_packed(1)[0].read() == history.newest_verdict(1)[0]


def test_a_late_report_stays_with_its_run_and_a_requeue_makes_a_new_one(history: History) -> None:
    """After the verdict: what began before the job's end is late; what began after it is another run of the same id."""
    run = history.add(note(), T0).run
    judge(history, run.id, merge([note()], [], [row()]))
    late = history.add(report("n2"), T0 + 500 * S)
    assert (late.run.id, late.late) == (run.id, True)
    requeued = history.add(note(130), T0 + 130 * S)
    assert (requeued.run.id != run.id, requeued.late, requeued.new) == (True, False, True)
    other_user = history.add(note(uid=1001), T0)
    assert other_user.run.id not in (run.id, requeued.run.id)


def test_nobody_learns_of_another_user_s_jobs(history: History) -> None:
    """Of another user's verdicts a job's record has only those that blame the node, and not whose job it was."""
    mine = history.add(note(job_id=1), T0).run
    judge(history, mine.id, merge([note(job_id=1)], [], [row(job_id=1, name="secret", end_ns=T0 - 10 * S)]))
    for job_id, fault in ((2, Fault.USER), (3, Fault.NODE)):
        theirs = history.add(note(job_id=job_id, uid=1001), T0).run
        judge(history, theirs.id, merge([note(job_id=job_id, uid=1001)], [], [row(job_id=job_id, uid=1001, name="secret", end_ns=T0 - 5 * S)]), fault=fault)
    asking = merge([note()], [], [row(name="secret", submit_line="sbatch -d afterok:1:2 x.sh")])
    seen = [(p.relation, p.job, p.fault) for p in history.past(asking)]
    assert sorted(seen) == [("node", "1", "user"), ("node", "another user's job", "node"), ("parent", "1", "user"), ("same_name", "1", "user")]


def test_old_runs_are_forgotten_whole(history: History, tmp_path: Path) -> None:
    for job_id in (1, 2):
        run = history.add(note(job_id=job_id), T0).run
        judge(history, run.id, merge([note(job_id=job_id)], [], [row(job_id=job_id)]))
        if job_id == 1:
            history.mark_done(run.id, "sent", T0)
    assert (history.forget(T0), history.forget(T0 + S)) == (0, 1)
    database = sqlite3.connect(tmp_path / "history.db")
    assert [database.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("run", "verdict", "verdict_node")] == [1, 1, 2]
    database.close()


WRITER = """
import sys
from pathlib import Path
from gpualert_slurm.epilog.history.store import History
from tests.unit.epilog.runs import T0, note, report
history = History(Path(sys.argv[1]))
for job in range(int(sys.argv[2]), 10**9):
    history.add(note(job_id=job), T0)
    print(job, flush=True)
"""


def test_what_was_acknowledged_survives_kill_9(tmp_path: Path) -> None:
    """A writer is killed at any moment, five times: every note it had acknowledged is there, and the file is sound."""
    path, root = tmp_path / "history.db", Path(__file__).parents[3]
    said: set[int] = set()
    for round_number in range(5):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(round_number * 10**6)], stdout=subprocess.PIPE, text=True, cwd=root)
        assert writer.stdout is not None
        said.add(int(writer.stdout.readline()))
        time.sleep(0.05 + 0.037 * round_number)
        writer.send_signal(signal.SIGKILL)
        said |= {int(line) for line in writer.stdout.read().splitlines(keepends=True) if line.endswith("\n")}
        writer.wait()
    database = open_database(path)
    assert database.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    assert said <= {r["job_id"] for r in database.execute("SELECT job_id FROM run JOIN document ON run_id = run.id")}
    assert len(said) > 10
    database.close()


def test_a_migration_is_whole_or_not_begun(tmp_path: Path) -> None:
    """A step that fails in its middle leaves the version and the tables as they were; mended, it runs again."""
    steps = tmp_path / "steps"
    steps.mkdir()
    (steps / "0001_first.sql").write_text(dict(migrations())[1])
    path = tmp_path / "history.db"
    open_database(path, steps).close()
    (steps / "0002_more.sql").write_text("CREATE TABLE more (a INTEGER);\nCREATE TABLE run (a INTEGER);")
    with pytest.raises(HistoryError, match="table run already exists"):
        open_database(path, steps)
    (steps / "0002_more.sql").write_text("CREATE TABLE more (a INTEGER);")
    database = open_database(path, steps)
    assert database.execute("PRAGMA user_version").fetchone()[0] == 2
    database.close()
    (steps / "0002_more.sql").unlink()
    with pytest.raises(HistoryError, match="has schema 2, this gpualert knows up to 1: a newer gpualert wrote it"):
        open_database(path, steps)


def test_a_damaged_file_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "history.db"
    path.write_bytes(b"not a database" * 1000)
    with pytest.raises(HistoryError, match=r"history\.db cannot be used: .*; where it is damaged, move it"):
        open_database(path)


def test_what_is_written_together_is_durable_together(history: History, tmp_path: Path) -> None:
    """Another reader sees all of it at the end and nothing before; one row that fails takes itself back and no other; an error takes all back."""
    other = sqlite3.connect(tmp_path / "history.db")

    def seen() -> int:
        return int(other.execute("SELECT count(*) FROM document").fetchone()[0])

    with history.together():
        history.add(report("n1"), T0)
        with pytest.raises(sqlite3.Error):
            history.mark_composed(99, Notification(key="k", recipients=("a@example.org",), subject="s", text="t", html="h"), T0)
        history.add(report("n2"), T0)
        assert seen() == 0
    assert seen() == 2

    def broken_off() -> None:
        with history.together():
            history.add(report("n3"), T0)
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        broken_off()
    assert (seen(), len(history.runs(RunState.COLLECTING))) == (2, 1)
    history.add(report("n3"), T0)
    assert seen() == 3
    other.close()


def test_a_history_of_schema_2_keeps_its_past(tmp_path: Path) -> None:
    """What a node had before is found after the migration, by its user and by who blamed the node."""
    old = tmp_path / "old"
    old.mkdir()
    for number, sql in migrations()[:2]:
        (old / f"{number:04d}_x.sql").write_text(sql)
    database = open_database(tmp_path / "history.db", old)
    record = merge((note(),), (report("n1"), report("n2")), [row()])
    for run_id, fault, uid in ((1, "user", 1000), (2, "node", 3000), (3, "user", 3000)):
        database.execute("INSERT INTO run (id, cluster, job_id, uid, label, state, first_seen_ns, started_ns) VALUES (?, 'c', ?, ?, ?, 'done', 0, 0)",
                         (run_id, 100 + run_id, uid, str(100 + run_id)))  # fmt: skip
        database.execute(
            "INSERT INTO verdict (id, run_id, position, newest, cluster, job_id, label, uid, mode, fault, ended_ns, content, record)"
            " VALUES (?, ?, 0, 1, 'c', ?, ?, ?, 'B2', ?, ?, x'', x'')", (run_id, run_id, 100 + run_id, str(100 + run_id), uid, fault, T0 - run_id * S))  # fmt: skip
        database.execute("INSERT INTO verdict_node VALUES (?, 'n1')", (run_id,))
    database.close()
    history = History(tmp_path / "history.db")
    found = history.past(record)
    assert [(p.relation, p.job) for p in found] == [("node", "101"), ("node", "another user's job")]
    history.mark("reconcile from", T0)
    assert (history.marked("reconcile from"), history.marked("other")) == (T0, None)
    history.close()


def test_a_run_is_known_while_it_is_under_way(history: History) -> None:
    """By job, owner and time: an id that has wrapped, or another's job, is not known by it."""
    added = history.add(report("n1"), T0)
    assert history.knows("c", 7, 1000, (T0, T0 + 10 * S))
    record = merge((), (report("n1"),), [row()])
    judge(history, added.run.id, record)
    assert history.knows("c", 7, 1000, (T0, T0 + 10 * S))
    assert not history.knows("c", 7, 1000, (T0 + 3600 * S, T0 + 3700 * S))
    assert not history.knows("c", 7, 1001, (T0, T0 + 10 * S))
    assert not history.knows("d", 7, 1000, (T0, T0 + 10 * S))
    history.mark_done(added.run.id, "sent", T0)
    assert history.knows("c", 7, 1000, (T0, T0 + 10 * S))

"""Collecting a job whose owner is hostile: the report says what it can, names what it can not, and nobody else's file is in it."""

from __future__ import annotations

import base64
import io
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gpualert_slurm.classifier import scan
from gpualert_slurm.config import Config, Node, Site
from gpualert_slurm.epilog.collect import Ended, Watched, collect
from gpualert_slurm.epilog.collect_account import Account
from gpualert_slurm.epilog.collect_artifacts import Artifacts, take_artifacts
from gpualert_slurm.epilog.collect_files import Hurried
from gpualert_slurm.evidence import Trust, Where
from gpualert_slurm.job_file import EpilogFacts, JobFile
from gpualert_slurm.node_report import NodeReport
from gpualert_slurm.parsed_log import ParsedLog
from tests.integration.node.a_job import NOBODY, TRACEBACK, AJob

USER = Account(uid=NOBODY, gid=NOBODY, name="nobody", home="/nonexistent", groups=(NOBODY,))


@pytest.fixture
def state(open_folder: Path) -> Path:
    """state_dir."""
    folder = open_folder / "state"
    folder.mkdir(mode=0o711)
    return folder


@pytest.fixture
def job(state: Path) -> AJob:
    """Four tasks, the third of which fails."""
    made = AJob(state)
    made.start()
    for number in range(4):
        made.task(number, TRACEBACK if number == 2 else b"step 1 loss 2.5\n", exit_code=int(number == 2))
    return made


def report(job: AJob, read: Callable[..., ParsedLog] | None = scan, **settings: object) -> NodeReport:
    """The job's report, after its end."""
    if (job.base / "jobs" / job.attempt).exists():
        job.end()
    node = {k: v for k, v in settings.items() if k in Node.model_fields}
    site = {k: v for k, v in settings.items() if k in Site.model_fields}
    config = Config(node=Node(**node), site=Site(state_dir=job.state, **site))  # type: ignore[arg-type]
    file = JobFile.read(job.base / "ended" / job.attempt)
    made = collect(Ended(file, "hpc", EpilogFacts.read(job.record)), Watched(), config, read)
    return NodeReport.model_validate_json(made.json_bytes())


def gaps(found: NodeReport | Artifacts) -> list[str]:
    return [str(gap) for gap in found.gaps]


def test_failing_task_is_read_first_with_evidence_time_and_excerpt(job):
    """The exception of rank 2, by its owner's log, at the time the index says; exits of all four."""
    found = report(job)
    (failure,) = [e for e in found.evidence if e.says == "exception"]
    assert (failure.where, failure.trust) == (Where(node="n1", rank=2, local_rank=2, step="0"), Trust.USER)
    assert failure.time_ns is not None
    assert job.started_ns + 1_000_000_000 <= failure.time_ns <= job.started_ns + 1_100_000_000
    assert [e.exit_code for e in found.exits] == [0, 0, 1, 0]
    assert found.logs[0].rank == 2
    assert found.excerpts[0].tail == TRACEBACK.decode()
    assert (found.attempt.job_id, found.uid, found.user, found.epilog_env["SLURM_JOB_EXIT_CODE2"]) == (42, NOBODY, "nobody", "1:0")
    assert found.gaps == ()


def test_log_that_is_a_link_to_roots_file_is_refused(job):
    """The user owns the folder and can put anything there; a link is not followed, the others are read."""
    (job.logs / "0.1.err").unlink()
    (job.logs / "0.1.err").symlink_to("/etc/shadow")
    found = report(job)
    assert any("0.1.err" in g and "Too many levels of symbolic links" in g for g in gaps(found))
    assert "root:" not in found.model_dump_json()
    assert any(e.says == "exception" for e in found.evidence)


def test_log_that_is_a_pipe_a_folder_or_anothers_is_refused_without_waiting(job):
    """A FIFO without a writer, a folder, a hard link's owner who is not the user."""
    for number in (0, 1, 3):
        (job.logs / f"0.{number}.err").unlink()
    os.mkfifo(job.logs / "0.0.err")
    (job.logs / "0.1.err").mkdir()
    (job.logs / "0.3.err").write_text("root's\n")
    (job.logs / "0.3.err").chmod(0o644)
    begun = time.monotonic()
    found = report(job)
    assert time.monotonic() - begun < 20
    text = "\n".join(gaps(found))
    assert "0.0.err (it is no regular file)" in text
    assert "0.1.err (it is no regular file)" in text
    assert "0.3.err (it belongs to uid 0, not to the job's user)" in text
    assert "root's" not in found.model_dump_json()


def test_log_blown_up_to_a_terabyte_is_read_to_what_capture_wrote(job):
    """Sparse, so free for the user: what lies behind capture's bytes is named and not read."""
    with (job.logs / "0.2.err").open("r+b") as file:
        file.truncate(1 << 40)
    begun = time.monotonic()
    found = report(job)
    assert time.monotonic() - begun < 20
    assert any("to 1099511627776 of" in g for g in gaps(found))
    assert any(e.says == "exception" for e in found.evidence)


def test_removed_log_is_a_gap(job):
    """The exit record says there was one."""
    (job.logs / "0.2.err").unlink()
    assert any("0.2.err (No such file or directory)" in g for g in gaps(report(job)))


def test_log_that_hangs_or_kills_its_reader_costs_that_log_only(job):
    """A parser in an endless loop, one that eats all memory: each is named, the other logs are there."""

    def read(log, path, where, arrival=None, max_evidence=2000):
        if path.endswith("0.0.err"):
            time.sleep(600)
        if path.endswith("0.1.err"):
            bytearray(1 << 40)
        return scan(log, path, where, arrival, max_evidence)

    begun = time.monotonic()
    found = report(job, read, collect_timeout_s=16)
    assert time.monotonic() - begun < 16
    text = "\n".join(gaps(found))
    assert "0.0.err says (reading it: not done within" in text
    assert "0.1.err says (reading it: its process needed too much memory" in text
    assert any(e.says == "exception" for e in found.evidence)
    assert {s.where.rank for s in found.series} == {3}


def test_reader_that_was_taken_over_proves_nothing(job):
    """A reader that claims to be the kernel, to speak of another node, and sends what is no report: USER, this node, and gaps."""

    def read(log, path, where, arrival=None, max_evidence=2000):
        honest = scan(log, path, where, arrival, max_evidence)
        lies = [e.model_copy(update={"trust": Trust.SYSTEM, "where": Where(node="n9", rank=0)}) for e in honest.evidence]
        return honest.model_copy(update={"evidence": tuple(lies) * 3000, "path": "/etc/passwd"})

    found = report(job, read)
    assert {(e.trust, e.where.node) for e in found.evidence} == {(Trust.USER, "n1")}
    assert len({e.id for e in found.evidence}) == len(found.evidence)
    assert any("malformed, or more than a report carries" in g for g in gaps(found))


def test_task_that_was_never_started_and_missing_footer_are_gaps(state):
    """Slurmstepd died: the record stayed prepared, the log has no footer; what was written is read."""
    job = AJob(state)
    job.start()
    job.task(0, TRACEBACK, exit_code=None)
    found = report(job)
    text = "\n".join(gaps(found))
    assert "how task 0 of step 0 ended (Slurm never started it, or its slurmstepd died before it ended)" in text
    assert "no footer" in text
    assert any(e.says == "exception" for e in found.evidence)


def test_unread_logs_are_said(job):
    """The last tries of a collector that died of them."""
    found = report(job, None)
    assert "n1: what the logs say (reading them ended the collector again and again)" in gaps(found)
    assert len(found.exits) == 4


def test_damaged_records_and_stepd_log(job):
    """An exit record that is none; what slurmstepd said is read, as USER."""
    (job.record / "0.9.exit.json").write_text("{")
    (job.record / "0.stepd.log").write_text("slurmstepd: error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T17:00:00 DUE TO TIME LIMIT ***\n")
    found = report(job)
    assert any("0.9.exit.json" in g for g in gaps(found))
    said = [e for e in found.evidence if e.source.kind == "quote" and e.source.file.endswith("stepd.log")]
    assert said
    assert {e.trust for e in said} == {Trust.USER}


def test_copy_of_the_logs_is_the_users_and_bounded(job, open_folder):
    """In the folder the template names, made as the user; what does not fit is named."""
    home = open_folder / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    (job.logs / "0.3.err").write_bytes(b"x" * 50_000)
    os.chown(job.logs / "0.3.err", NOBODY, NOBODY)
    found = report(job, archive_dir=f"{home}/.gpualert/%j", archive_max_bytes=20_000)
    assert found.archive_path == f"{home}/.gpualert/42"
    copies = sorted((home / ".gpualert/42").iterdir())
    assert [c.name for c in copies] == ["0.0.err", "0.1.err", "0.2.err"]
    assert {c.stat().st_uid for c in copies} == {NOBODY}
    assert copies[2].read_bytes() == (job.logs / "0.2.err").read_bytes()
    assert any("0.3.err" in g and "archive_max_bytes" in g for g in gaps(found))


def test_copy_into_a_folder_that_is_not_the_users_is_a_gap(job, open_folder):
    """Nothing is made as root."""
    found = report(job, archive_dir=f"{open_folder}/closed/%j")
    assert found.archive_path is None
    assert any("the folder cannot be made: Permission denied" in g for g in gaps(found))
    assert not (open_folder / "closed").exists()


@pytest.fixture
def work(open_folder: Path) -> Path:
    """A work directory of the user's, with files worth having and traps."""
    folder = open_folder / "work"
    (folder / "runs/a/deep").mkdir(parents=True)
    (folder / "runs/a/metrics.json").write_text('{"loss": 1}')
    (folder / "runs/a/deep/metrics.json").write_text('{"loss": 2}')
    (folder / "big.json").write_bytes(b"x" * 5000)
    (folder / "runs/trap").symlink_to("/etc")
    (folder / "shadow.json").symlink_to("/etc/shadow")
    os.mkfifo(folder / "pipe.json")
    (folder / "null.json").symlink_to("/dev/zero")
    secret = folder / "root.json"
    secret.write_text("root's")
    secret.chmod(0o600)
    return folder


def artifacts(work: Path, *globs: str, **bounds: int) -> Artifacts:
    return take_artifacts(globs, str(work), USER, Node(artifact_max_bytes=bounds.get("one", 1000), artifacts_max_total_bytes=bounds.get("total", 4000)), 10)


def test_a_name_that_cannot_be_looked_at_costs_itself_only(work):
    """A folder that may be listed and not entered stands for a file that goes between two looks, as checkpoints being written do."""
    closed = work / "runs" / "closed"
    closed.mkdir()
    (closed / "metrics.json").write_text("{}")
    os.chown(closed, NOBODY, NOBODY)
    closed.chmod(0o400)
    assert [a.path for a in artifacts(work, "runs/*/metrics.json").files] == [a.path for a in artifacts(work, "runs/[!c]*/metrics.json").files] != []


def test_artifacts_by_glob(work):
    """A name, a folder's pattern, and any depth; content as it is."""
    found = artifacts(work, "runs/*/metrics.json", "runs/**/metrics.json")
    assert sorted(f.path for f in found.files) == ["runs/a/deep/metrics.json", "runs/a/metrics.json"]
    assert {base64.b64decode(f.content or "") for f in found.files} == {b'{"loss": 1}', b'{"loss": 2}'}
    assert found.gaps == []


def test_traps_are_named_not_opened(work):
    """Links, a pipe, a device behind a link, root's file, one too large: each with its reason, none with content."""
    begun = time.monotonic()
    found = artifacts(work, "*.json")
    assert time.monotonic() - begun < 5
    assert {f.path: f.left_out for f in found.files} == {
        "big.json": "larger than 1000 bytes",
        "shadow.json": "it is no regular file (a link, a pipe, a device or a folder)",
        "null.json": "it is no regular file (a link, a pipe, a device or a folder)",
        "pipe.json": "it is no regular file (a link, a pipe, a device or a folder)",
        "root.json": "Permission denied",
    }
    assert all(f.content is None for f in found.files)


def test_patterns_stay_below_the_work_directory(work):
    """Absolute, with dots, through a link: refused or nothing."""
    found = artifacts(work, "/etc/passwd", "../state", "runs/trap/passwd", "runs/a/../../../x")
    assert found.files == []
    assert len([g for g in found.gaps if "stays below the work directory" in g.why]) == 3
    assert any(g.what == "artifacts runs/trap/passwd" for g in found.gaps)


def test_budget_of_all_together(work):
    """The newest first, as many as fit; the rest is named with its size."""
    for i in range(5):
        (work / f"c{i}.txt").write_bytes(b"y" * 900)
        os.utime(work / f"c{i}.txt", (1000 + i, 1000 + i))
    found = artifacts(work, "c*.txt", total=2000)
    assert [(f.path, f.content is not None) for f in found.files] == [(f"c{i}.txt", i > 2) for i in (4, 3, 2, 1, 0)]
    assert {f.size_bytes for f in found.files} == {900}


def test_forest_of_names_is_bounded(work):
    """A pattern over a million files looks at some and says so."""
    for i in range(21_000):
        (work / "runs" / f"f{i}").touch()
    found = artifacts(work, "runs/f*")
    assert len(found.files) == 100
    assert any(g.what == "some artifacts" for g in found.gaps)


def test_pattern_made_to_explode_does_not(work):
    """Ten times any depth over a deep tree: bounded by what is looked at."""
    deep = work
    for _ in range(15):
        deep /= "d"
        deep.mkdir()
        (deep / "e").mkdir()
    begun = time.monotonic()
    found = artifacts(work, "/".join(["**"] * 10) + "/x*", "*a" * 60 + "b")
    assert time.monotonic() - begun < 10
    assert found.files == []


def test_name_that_is_not_utf8_travels_as_text(work):
    """File names are bytes; the report is JSON."""
    os.close(os.open(os.fsencode(work) + b"/odd\xff.txt", os.O_CREAT | os.O_WRONLY))
    (file,) = artifacts(work, "odd*").files
    assert file.path == "odd\\xff.txt"
    assert file.content == ""


def test_long_log_of_a_slow_reader_is_still_read_to_its_end(state):
    """A hundred megabytes of progress and a traceback: the middle is named as unread, the end has its line number, offset and time."""
    job = AJob(state)
    job.start()
    lines = 400_000
    path = job.task(0, b"step 1 loss 2.5 and some more words, and more, and more of them\n" * lines + TRACEBACK, exit_code=1)
    found = report(job, collect_timeout_s=30)
    (failure,) = [e for e in found.evidence if e.says == "exception"]
    assert failure.source.kind == "quote"
    content = path.read_bytes()
    quoted = content[failure.source.offset : failure.source.offset + failure.source.length]
    assert quoted.decode() == failure.source.text
    assert content.count(b"\n", 0, failure.source.offset) + 1 == failure.source.line
    unread = [g for g in gaps(found) if "no time was left to read more than the end" in g]
    assert unread or found.series[0].points_seen == lines


def test_hurried_reader_blanks_the_middle_only():
    """Offsets and line breaks stay; the end is as it was."""
    content = b"a\nbb\n" * 1000 + b"the end\n"
    hurried = Hurried(io.BytesIO(content), hurry_at=0.0, tail_from=len(content) - 8)
    got = io.BufferedReader(hurried, 100).read()
    assert got[-8:] == b"the end\n"
    assert got[:-8] == b"\0\n\0\0\n" * 1000
    assert hurried.blanked == (0, len(content) - 8)
    unhurried = Hurried(io.BytesIO(content), hurry_at=time.monotonic() + 60, tail_from=len(content))
    assert unhurried.read() == content
    assert unhurried.blanked is None

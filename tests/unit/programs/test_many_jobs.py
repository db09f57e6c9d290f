"""``gpualert diagnose`` on a folder of many jobs: told apart, judged side by side, one table."""

from __future__ import annotations

import json
import os
import pty
from pathlib import Path

import pytest

from gpualert_slurm.programs import many_jobs
from gpualert_slurm.programs.cli import main
from gpualert_slurm.programs.many_jobs import jobs_in, outcomes

TRACE = b"step 1/100 loss 3.20\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    x()\nKeyError: 'labels'\n"
WELL = b"".join(b"step %d/50 loss %f\n" % (i, 3 / i) for i in range(1, 51)) + b"Training complete\n"


def header(job: int, task: int, node: str, attempt: str, ns: int) -> bytes:
    told = {"job": job, "attempt": attempt, "step": "0", "task": task, "local": task, "stream": "err", "node": node, "created_ns": ns}
    return (b"#gpualert-log/1 " + json.dumps(told).encode()).ljust(511) + b"\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for job in (41, 42, 7):
        (tmp_path / f"slurm-{job}.out").write_bytes(TRACE)
    (tmp_path / "slurm-100_3.out").write_bytes(WELL)
    return tmp_path


def test_each_job_gets_a_row_and_equal_failures_are_counted(folder, capsys):
    assert main(["diagnose", str(folder), "--jobs", "2"]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()[:5]] == ["job", "7", "41", "42", "100_3"]
    assert "4 of 4 jobs judged: 3 A3, 1" in out
    assert "seen 3 times: KeyError: 'labels'" in out
    assert err == ""


def test_as_json_every_job_is_a_line_with_its_name(folder, capsys):
    assert main(["diagnose", "--json", str(folder)]) == 0
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {one["label"]: one["mode"] for one in told if one["label"] != "100_3"} == {"7": "A3", "41": "A3", "42": "A3"}


def test_a_job_that_cannot_be_read_costs_no_other_its_verdict(folder, capsys):
    (folder / "slurm-50.out").write_bytes(os.urandom(100_000))
    (folder / "slurm-51.out").write_bytes(b"")
    assert main(["diagnose", str(folder)]) == 1
    out = capsys.readouterr().out
    assert "5 of 6 jobs judged" in out
    assert "no verdict:" in next(line for line in out.splitlines() if line.startswith("50"))


def test_a_process_that_dies_is_a_row_without_a_verdict(folder, monkeypatch):
    """The kernel may kill one of them for its memory: the others are done again."""
    real = many_jobs.diagnose

    def dies(paths, exit_code):
        if any(p.name == "slurm-41.out" for p in paths):
            os.kill(os.getpid(), 9)
        return real(paths, exit_code)

    monkeypatch.setattr(many_jobs, "diagnose", dies)  # workers are forked here, so they have it too
    found = outcomes(jobs_in([folder]), None, 2, lambda _done, _of: None)
    assert {one.label: one.verdict is not None for one in found} == {"7": True, "41": False, "42": True, "100_3": True}
    assert "died" in next(one.why for one in found if one.label == "41")


def test_a_terminal_sees_a_bar_and_nothing_of_it_stays(folder, capsys, monkeypatch):
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        assert main(["diagnose", str(folder)]) == 0
    drawn = os.read(ours, 65536).decode()
    os.close(ours)
    assert "4/4 jobs" in drawn
    assert drawn.endswith("\r\x1b[K")


def test_logs_are_told_apart_by_their_headers_and_one_jobs_nodes_are_not(tmp_path):
    """A node names its attempt itself: two nodes of one job have two names, a requeued job has two on one node."""
    for name, text in {
        "a.err": header(42, 0, "n1", "42.aa", 1), "b.err": header(42, 1, "n2", "42.bb", 2), "c.err": header(43, 0, "n1", "43.cc", 3),
        "d.err": header(44, 0, "n1", "44.dd", 9), "e.err": header(44, 0, "n1", "44.ee", 5),
    }.items():  # fmt: skip
        (tmp_path / name).write_bytes(text + TRACE)
    jobs = {one.label: sorted(p.name for p in one.paths) for one in jobs_in([tmp_path])}
    assert jobs == {"42": ["a.err", "b.err"], "43": ["c.err"], "44, run 1": ["e.err"], "44, run 2": ["d.err"]}


def test_a_folder_of_one_runs_ranks_stays_one_run(tmp_path, capsys):
    for rank in range(3):
        (tmp_path / f"rank{rank}.log").write_bytes(TRACE)
    assert len(jobs_in([tmp_path])) == 1
    assert main(["diagnose", "--json", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "A3"


def test_each_takes_every_entry_for_a_job(tmp_path, capsys):
    for name in ("lr1", "lr2"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rank0.log").write_bytes(TRACE)
    assert len(jobs_in([tmp_path])) == 1
    assert main(["diagnose", "--each", str(tmp_path)]) == 0
    assert "2 of 2 jobs judged: 2 A3" in capsys.readouterr().out


def test_what_a_job_says_cannot_move_the_cursor(folder, capsys):
    (folder / "slurm-41.out").write_bytes(TRACE.replace(b"labels", b"la\x1b[2Jbels\x9b\xe2\x80\xae"))
    assert main(["diagnose", str(folder)]) == 0
    assert [c for c in capsys.readouterr().out if ord(c) < 32 and c != "\n"] == []


@pytest.mark.parametrize("words", [["--jobs", "0"], ["--jobs", "x"]])
def test_a_wrong_number_of_jobs_is_2(folder, words, capsys):
    try:
        status = main(["diagnose", *words, str(folder)])
    except SystemExit as end:
        status = end.code
    assert (status, capsys.readouterr().out) == (2, "")

"""``gpualert diagnose`` on a folder of many jobs: told apart, judged side by side, one table."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from gpualert_slurm.programs import many_jobs
from gpualert_slurm.programs.cli import main
from gpualert_slurm.programs.many_jobs import INTERRUPTED, jobs_in, outcomes
from gpualert_slurm.programs.verdict_table import table

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


def rest_of(terminal: int) -> str:
    """All that was written to a terminal whose other side is closed: a read gives what has come so far, and the kernel hands it on in parts."""
    read = b""
    with contextlib.suppress(OSError):  # EIO: nothing more will come
        while part := os.read(terminal, 65536):
            read += part
    os.close(terminal)
    return read.decode()


@pytest.mark.parametrize("columns", [100, 40, 12])
def test_a_terminal_sees_a_bar_that_fits_and_nothing_of_it_stays(folder, capsys, monkeypatch, columns):
    """It is cleared with blanks, which every terminal knows, and never as wide as the terminal, which would begin a new line."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        assert main(["diagnose", str(folder)]) == 0
    drawn = rest_of(ours)
    *drawings, cleared, after = drawn.split("\r")
    assert "4/4 jobs" in drawings[-1]
    assert all(len(one) < columns for one in (*drawings, cleared))
    assert len(cleared) >= max(len(one) for one in drawings)
    assert (cleared.strip(), after) == ("", "")


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


def bundle(folder: Path, name: str, text: bytes = TRACE) -> Path:
    """A gpualert-run's folder as far as the run's own file and a log go: it was killed before it could say how the run ended."""
    place = folder / name
    place.mkdir(parents=True)
    began = {"ns": 1795306034759601275, "monotonic_ns": 14171089064076}
    run = {"format": "gpualert-run/1", "bundle": name, "uid": os.getuid(), "host": "n1", "command": ["python", "train.py"], "created": began}
    (place / "run.json").write_text(json.dumps(run))
    (place / "run.0.out").write_bytes(text)
    return place


def test_what_goes_into_a_file_is_not_cut_and_a_terminals_line_says_where_it_was(folder):
    """On a narrow terminal the less telling columns make room, and every line fits."""
    (folder / "slurm-8.out").write_bytes(TRACE.replace(b"labels", b"a key with a name that is long " * 5))
    found = outcomes(jobs_in([folder]), None, 2, lambda _done, _of: None)
    assert max(len(line) for line in table(found).splitlines()) > 150
    for columns in (200, 120, 80, 60, 40):
        lines = table(found, columns).partition("\n\n")[0].splitlines()
        assert max(len(line) for line in lines) <= columns
        assert lines[2].endswith("…"), columns
        assert all(line.split()[0] in line for line in lines)
    assert "cause" in table(found, 120).splitlines()[0]
    assert "cause" not in table(found, 60).splitlines()[0]


def test_runs_in_folders_below_are_found_under_their_own_names(tmp_path):
    for name in ("may/one", "may/two", "june/three"):
        bundle(tmp_path, name)
    (tmp_path / "june" / "notes.txt").write_text("x")
    assert [one.label for one in jobs_in([tmp_path])] == ["june/three", "may/one", "may/two"]


def test_long_names_that_differ_at_their_ends_stay_apart_on_a_terminal(tmp_path):
    for end in "ab":
        bundle(tmp_path, f"20261122T000714.759Z.74dc94abc15fab6{end}")
    found = outcomes(jobs_in([tmp_path]), None, 1, lambda _done, _of: None)
    for columns in (120, 50):
        assert len({line.split()[0] for line in table(found, columns).splitlines()[1:3]}) == 2


def test_a_run_without_an_end_and_a_broken_one_cost_no_other_its_verdict(tmp_path, capsys):
    bundle(tmp_path, "a")
    (bundle(tmp_path, "b") / "run.json").write_text("")
    (bundle(tmp_path, "c") / "end.json").write_text("garbage")
    (tmp_path / "notes.txt").write_text("mine")
    assert main(["diagnose", str(tmp_path)]) == 1
    out, err = capsys.readouterr()
    rows = {line.split()[0]: line for line in out.splitlines()[1:4]}
    assert rows.keys() == {"a", "b", "c"}
    assert "KeyError: 'labels'" in rows["a"]
    assert "KeyError: 'labels'" in rows["c"]
    assert "no verdict: run.json: Invalid JSON" in rows["b"]
    assert str(tmp_path) not in rows["b"]
    assert "notes.txt" in err


def test_a_folder_that_may_not_be_entered_is_a_row_of_its_own(tmp_path):
    """Root may enter everything: for it the test is done as nobody."""
    bundle(tmp_path, "open")
    closed = bundle(tmp_path, "closed")
    for place in (tmp_path, *tmp_path.parents):
        if place.owner() == Path.home().owner() and place != Path("/") and place.stat().st_uid == os.getuid():
            place.chmod(place.stat().st_mode | 0o055)
    closed.chmod(0)
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] if os.getuid() == 0 else []
    code = "import sys; from gpualert_slurm.programs.many_jobs import *; print([(o.label, o.why) for o in outcomes(jobs_in([Path(sys.argv[1])]), None, 1, print)])"
    done = subprocess.run([*as_nobody, sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, timeout=120, check=False)
    closed.chmod(0o755)
    if "No module named" in done.stderr or "Permission denied" in done.stderr.partition("Traceback")[0]:
        pytest.skip("nobody cannot read this checkout")
    assert "('open', '')" in done.stdout, done.stderr
    assert "('closed', " in done.stdout
    assert "Permission denied" in done.stdout


SLOW = """
import sys, time
from gpualert_slurm.programs import cli, many_jobs
real = many_jobs.diagnose
def diagnose(paths, exit_code):
    time.sleep(300 if int(paths[0].stem.partition("-")[2]) >= 4 else 0)
    return real(paths, exit_code)
many_jobs.diagnose = diagnose
sys.exit(cli.main(sys.argv[1:]))
"""


def test_ctrl_c_tells_what_was_done_and_leaves_no_process(tmp_path):
    """The terminal's signal goes to the whole group; what was judged is told, and what was not is counted. All but four of the jobs take minutes."""
    for number in range(12):
        (tmp_path / f"slurm-{number}.out").write_bytes(TRACE)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(  # workers are forked, so they are as slow; a shell's background jobs ignore the signal, and so would their children
        [sys.executable, "-c", SLOW, "diagnose", "--jobs", "2", str(tmp_path)], stdout=subprocess.PIPE, stderr=theirs, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509  # no thread here
    )  # fmt: skip
    os.close(theirs)
    drawn, until = "", time.monotonic() + 120
    while "4/12 jobs" not in drawn and time.monotonic() < until:
        drawn += os.read(ours, 4096).decode()
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=120)
    drawn += rest_of(ours)
    assert process.returncode == 130, drawn
    assert "Traceback" not in drawn
    assert "8 of 12 jobs were not looked at" in drawn
    assert "4 of 4 jobs judged: 4 A3" in out
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)


def test_interrupted_outcomes_keep_their_places(folder, monkeypatch):
    def stops(*_args):
        raise KeyboardInterrupt

    found = outcomes(jobs_in([folder]), None, 1, stops)
    assert [one.label for one in found] == ["7", "41", "42", "100_3"]
    assert [one.why for one in found].count(INTERRUPTED) == 3


def test_a_reader_that_leaves_is_no_error(folder):
    program = f"{sys.executable} -c 'import sys; from gpualert_slurm.programs.cli import main; sys.exit(main(sys.argv[1:]))'"
    one = folder / "slurm-41.out"
    for path in (folder, one):
        done = subprocess.run(["bash", "-c", f"{program} diagnose {path} | true; echo ${{PIPESTATUS[0]}}"], capture_output=True, text=True, timeout=120, check=True)
        assert (done.stdout.strip(), done.stderr) == ("0", "")


@pytest.mark.parametrize(("words", "said"), [(["-"], "save the output to a file"), (["--each", "EMPTY"], "no log in there"), (["EMPTY"], "no log in there")])
def test_nothing_to_diagnose_is_2_and_says_what_would_do(tmp_path, capsys, words, said):
    (tmp_path / "empty").mkdir()
    assert main(["diagnose", *(str(tmp_path / "empty") if word == "EMPTY" else word for word in words)]) == 2
    assert said in capsys.readouterr().err

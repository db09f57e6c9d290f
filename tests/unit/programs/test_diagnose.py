"""``gpualert diagnose`` and ``gpualert show`` as a user or a script calls them."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest

from gpualert_slurm.cause import Cause
from gpualert_slurm.programs.cli import main
from gpualert_slurm.programs.verdict_text import as_text
from gpualert_slurm.verdict import Verdict

EXAMPLE = Path(__file__).parents[3] / "doc" / "types" / "Verdict.json"
TRACE = b"""step 1/100 loss 3.20
Traceback (most recent call last):
  File "train.py", line 3, in <module>
    open("data/train.bin")
FileNotFoundError: [Errno 2] No such file or directory: 'data/train.bin'
"""


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "rank3.log"
    path.write_bytes(TRACE)
    return path


def test_the_json_is_one_object_with_every_key_of_the_verdict(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Null where nothing is known: a script need not ask whether a key is there."""
    assert main(["diagnose", "--json", "--exit-code", "1", str(log)]) == 0
    said = json.loads(capsys.readouterr().out)
    assert set(said) == set(Verdict.model_fields)
    assert (said["cause"], said["fault"], said["exit_code"], said["state"], said["trigger"]) == ("file_not_found", "user", 1, None, None)
    assert said["first_failure"]["ranks"] == [3]
    assert set(said["first_failure"]) == {"ranks", "nodes", "local_ranks", "gpu_uuids", "time_ns", "time", "uncertainty_s"}
    assert Cause(said["cause"])
    assert Verdict.model_validate(said).headline == said["headline"]


def test_a_log_without_an_error_gets_null_for_the_cause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text("hello\n")
    assert main(["diagnose", "--json", str(tmp_path / "a.log")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["mode"], said["cause"], said["first_failure"]) == ("unknown", None, None)


def test_several_logs_are_one_run(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rank0.log").write_text("step 1/100 loss 3.2\nstep 2/100 loss 3.1\n")
    assert main(["diagnose", "--json", str(log), str(tmp_path / "rank0.log")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["mode"], said["first_failure"]["ranks"], said["steps_done"]) == ("A3", [3], 2)


def test_an_empty_log_gets_a_verdict_that_names_the_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.log").write_bytes(b"")
    assert main(["diagnose", str(tmp_path / "empty.log")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "empty.log (nothing was written there)" in said


@pytest.mark.parametrize("words", [["nosuch.log"], ["."], ["--exit-code", "x", "a.log"], []])
def test_a_wrong_call_is_2_with_a_reason(words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        status = main(["diagnose", *words])
    except SystemExit as end:
        status = end.code
    captured = capsys.readouterr()
    assert (status, captured.out) == (2, "")
    assert "gpualert diagnose: " in captured.err


def test_a_log_that_may_not_be_read_is_2(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Root may read everything: for it the test is done as nobody, who may not even enter the folder."""
    log.chmod(0)
    if os.geteuid() == 0:
        os.seteuid(65534)
    try:
        assert main(["diagnose", str(log)]) == 2
    finally:
        os.seteuid(os.getuid())
    assert f"{log}: permission denied" in capsys.readouterr().err


def test_what_a_log_says_cannot_move_the_terminals_cursor(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    r"""Escape sequences, control characters and right-to-left marks are dropped or shown as \x.."""
    (tmp_path / "a.log").write_bytes(TRACE.replace(b"data/train.bin'", b"da\x1b]0;evil\x07\x1b[2Jta\x9b\xe2\x80\xae\x08x'"))
    assert main(["diagnose", str(tmp_path / "a.log")]) == 0
    said = capsys.readouterr().out
    assert "FileNotFoundError" in said
    assert [c for c in said if ord(c) < 32 and c != "\n"] == []
    assert not {"\x9b", "\u202e", "\x7f"} & set(said)


def test_show_prints_what_was_found_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", str(EXAMPLE)]) == 0
    said = capsys.readouterr().out
    assert "rank 3 on n2: FileNotFoundError: data/train-00003.bin" in said
    assert "0.3.err:9" in said
    (tmp_path / "verdict.json").write_bytes(EXAMPLE.read_bytes())
    assert main(["show", "--json", str(tmp_path)]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "A1"


def test_show_without_a_verdict_says_where_to_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert main(["show"]) == 2
    assert "run a command with gpualert-run" in capsys.readouterr().err
    assert main(["show", str(tmp_path)]) == 2
    assert "report.log" in capsys.readouterr().err
    (tmp_path / "v.json").write_text("{}")
    assert main(["show", str(tmp_path / "v.json")]) == 2
    assert "no verdict" in capsys.readouterr().err


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_a_verdict_fits_the_terminal(columns: int) -> None:
    text = as_text(Verdict.model_validate_json(EXAMPLE.read_bytes()), columns)
    assert max(len(line) for line in text.splitlines()) <= max(columns, 62)


def test_times_of_an_unknown_zone_order_ranks_and_are_said_to_be_uncertain(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two ranks' logs that print times without a zone, and no other clock: who came first is known, at what time of day is not."""
    for rank, second in ((0, 9), (1, 1)):
        head = b"2026-11-20 16:30:0%d,000 ERROR train: failed\n" % second
        (tmp_path / f"rank{rank}.log").write_bytes(head + TRACE[21:].replace(b"train.bin", b"%d.bin" % rank))
    assert main(["diagnose", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "first failed rank 1 at 2026-11-20T16:30:01" in said
    assert "± 14 h (the log prints no zone)" in said


def test_a_loss_that_is_no_number_is_a_word_in_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON knows no NaN: a reader that is strict must still be able to read the verdict."""
    (tmp_path / "a.log").write_text("".join(f"step {i}/40 loss {2.3 - i / 100 if i < 20 else math.nan:.3f}\n" for i in range(1, 41)))
    assert main(["diagnose", "--json", "--exit-code", "0", str(tmp_path / "a.log")]) == 0
    told = capsys.readouterr().out
    said = json.loads(told, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert said["mode"] == "E1"
    assert "NaN" in told
    (tmp_path / "slurm-1.out").write_text((tmp_path / "a.log").read_text())
    (tmp_path / "slurm-2.out").write_text("hello\n")
    (tmp_path / "a.log").unlink()
    assert main(["diagnose", "--json", "--exit-code", "0", str(tmp_path)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [json.loads(line)["mode"] for line in lines] == ["E1", "G1"]


@pytest.mark.parametrize(("code", "name"), [("137", "SIGKILL"), ("139", "SIGSEGV"), ("-15", "SIGTERM")])
def test_the_end_that_is_told_of_a_log_counts_where_the_log_says_nothing(code: str, name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text("step 1/40 loss 2.3\nstep 2/40 loss 2.2\n")
    assert main(["diagnose", "--json", "--exit-code", code, str(tmp_path / "a.log")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["mode"] == "A2"
    assert name in said["headline"]


@pytest.mark.parametrize(
    ("last", "mode"),
    [
        ("no training files found under data/train, giving up", "A1"),
        ("CUDA not available, refusing to run on CPU", "A1"),
        ("API token expired, please log in again", "A1"),
        ("cannot resume: checkpoint was written for 8 ranks, this job has 4", "E2"),
    ],
)
def test_parting_words_of_a_bare_log_count_where_its_end_is_told(last: str, mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.log").write_text(f"Seed 3\nReading configuration\n{last}\n")
    assert main(["diagnose", "--json", "--exit-code", "1", str(tmp_path / "a.log")]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["mode"], said["headline"]) == (mode, last)
    assert main(["diagnose", "--json", str(tmp_path / "a.log")]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "unknown"

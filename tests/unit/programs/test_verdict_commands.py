"""``gpualert modes``, ``explain`` and ``verify`` on a real log and its verdict."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gpualert_slurm.programs.cli import main

LOG = "hello\nTraceback (most recent call last):\n  File \"t.py\", line 3, in f\n    x()\nKeyError: 'labels'\n"


@pytest.fixture
def judged(tmp_path: Path, capsys) -> Path:
    """A log and the verdict on it, in one folder."""
    log = tmp_path / "rank0.log"
    log.write_text(LOG)
    assert main(["diagnose", "--json", "--exit-code", "1", str(log)]) == 0
    (tmp_path / "verdict.json").write_text(capsys.readouterr().out)
    return tmp_path


def test_modes_lists_every_mode_with_its_evidence(capsys):
    assert main(["modes"]) == 0
    out = capsys.readouterr().out
    assert all(code in out for code in ("A1", "B2", "C2", "E1", "F3", "G1", "unknown"))
    assert sum(line.startswith("        positive") for line in out.splitlines()) == 21


def test_modes_as_json_is_one_object_a_line(capsys):
    assert main(["modes", "--json"]) == 0
    assert {json.loads(line)["code"] for line in capsys.readouterr().out.splitlines()} >= {"A1", "G1"}


def test_an_unknown_mode_is_refused_with_the_names_there_are(capsys):
    assert main(["modes", "Z9"]) == 2
    assert "A1" in capsys.readouterr().err


def test_explain_prints_a_row_for_every_mode_and_marks_the_chosen_one(judged, capsys):
    assert main(["explain", str(judged / "verdict.json"), "--evidence"]) == 0
    out = capsys.readouterr().out
    assert "*A1  in" in out
    assert out.count("would turn over:") == 20
    assert "rank0.log:5" in out


def test_explain_refuses_what_is_no_verdict(tmp_path, capsys):
    (tmp_path / "x.json").write_text('{"format": "something"}')
    assert main(["explain", str(tmp_path / "x.json")]) == 2
    assert "no verdict" in capsys.readouterr().err
    assert main(["explain", str(tmp_path / "absent.json")]) == 2


def test_verify_reopens_every_quote(judged, capsys):
    assert main(["verify", str(judged)]) == 0
    assert "1 of 1 quotes stand" in capsys.readouterr().out


def test_verify_fails_on_a_changed_log(judged, capsys):
    (judged / "rank0.log").write_text(LOG.replace("labels", "label5"))
    assert main(["verify", str(judged / "verdict.json")]) == 1
    assert "MISMATCH" in capsys.readouterr().out


def test_verify_fails_on_a_log_that_was_changed_beside_its_quotes(judged, capsys):
    (judged / "rank0.log").write_text(LOG.replace("hello", "jello"))
    assert main(["verify", str(judged), "--quiet"]) == 1
    out = capsys.readouterr().out
    assert "another SHA-256" in out
    assert "1 of 1 quotes stand" in out


def test_verify_takes_a_log_that_grew_after_it_was_read(judged):
    with (judged / "rank0.log").open("a") as log:
        log.write("more, later\n")
    assert main(["verify", str(judged)]) == 0


def test_verify_fails_on_a_log_cut_short_behind_its_last_quote(judged, capsys):
    verdict = json.loads((judged / "verdict.json").read_text())
    quote = next(e["source"] for e in verdict["evidence"] if e["source"]["kind"] == "quote")
    (judged / "rank0.log").write_text(LOG[: quote["offset"] + quote["length"]])
    assert main(["verify", str(judged)]) == 1
    assert "shorter" in capsys.readouterr().out


def test_verify_fails_on_a_wrong_line_number(judged, capsys):
    verdict = json.loads((judged / "verdict.json").read_text())
    for evidence in verdict["evidence"]:
        if evidence["source"]["kind"] == "quote":
            evidence["source"]["line"] = 77
    (judged / "verdict.json").write_text(json.dumps(verdict))
    assert main(["verify", str(judged)]) == 1
    assert "it stands on line 5" in capsys.readouterr().out


def test_verify_reopens_the_log_that_capture_wrote_with_its_frame(tmp_path, capsys):
    """Header and footer of a rank log are no part of what is read, and the footer may come later."""
    header = b'#gpualert-log/1 {"job":1,"attempt":"1.a","step":"0","task":0,"local":0,"stream":"err","node":"n1","created_ns":1}'
    log = tmp_path / "0.0.err"
    log.write_bytes(header.ljust(511) + b"\n" + LOG.encode())
    assert main(["diagnose", "--json", "--exit-code", "1", str(log)]) == 0
    (tmp_path / "verdict.json").write_text(capsys.readouterr().out)
    assert main(["verify", str(tmp_path)]) == 0
    log.write_bytes(log.read_bytes().replace(b"hello", b"jello"))
    assert main(["verify", str(tmp_path)]) == 1


def test_verify_fails_on_a_changed_verdict(judged, capsys):
    verdict = json.loads((judged / "verdict.json").read_text())
    quote = next(e["source"] for e in verdict["evidence"] if e["source"]["kind"] == "quote")
    quote["text"] = "KeyError: 'other'"
    (judged / "verdict.json").write_text(json.dumps(verdict))
    assert main(["verify", str(judged)]) == 1
    assert "the text shown does not" in capsys.readouterr().out


def test_verify_finds_logs_that_were_moved(judged, tmp_path, capsys):
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    (judged / "rank0.log").rename(moved / "rank0.log")
    assert main(["verify", str(judged)]) == 1
    assert main(["verify", str(judged), "--logs", str(moved)]) == 0
    capsys.readouterr()


def test_verify_is_not_held_by_a_fifo_in_a_logs_place(judged, capsys):
    (judged / "rank0.log").unlink()
    os.mkfifo(judged / "rank0.log")
    assert main(["verify", str(judged)]) == 1
    assert "not a regular file" in capsys.readouterr().out

"""``gpualert diagnose``, ``explain`` and ``verify``, one after the other as a user runs them, on logs and records that are bad."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gpualert_slurm.programs.cli import main

TRACE = b"step 1/100 loss 3.20\nTraceback (most recent call last):\n  File \"train.py\", line 3, in <module>\n    x()\nKeyError: 'labels'\n"
MIXED = TRACE + "Ünïcode ok\n".encode() + "latin-1: \xe9\xe8\n".encode("latin-1") + "日本\n".encode("shift_jis") + b"\xff\xfe\x00\n"


def head(job: int = 42, node: str = "n1", task: int = 0) -> bytes:
    told = {"job": job, "attempt": f"{job}.a", "step": "0", "task": task, "local": 0, "stream": "err", "node": node, "created_ns": 1_795_192_200_000_000_000}
    return (b"#gpualert-log/1 " + json.dumps(told).encode()).ljust(511) + b"\n"


def record(folder: Path, *, node: str = "n1", task: int = 0, code: int, at_ns: int = 1_795_192_300_000_000_000, job: int = 42) -> None:
    """An exit record as the plugin writes it."""
    instant = {"ns": at_ns, "monotonic_ns": 1}
    told = {
        "format": "gpualert-exit/1", "attempt": f"{job}.a", "job_id": job, "node": node, "boot_id": "b", "step": "0", "task": task, "local": 0, "local_tasks": 1,
        "step_tasks": 2, "state": "closed", "rank": task, "wait_status": code << 8, "exit_code": code, "prepared": instant, "started": instant, "exited": instant,
        "closed": instant, "capture": "on",
    }  # fmt: skip
    (folder / f"0.{task}.exit.json").write_text(json.dumps(told))


def truncated(folder: Path) -> None:
    """Within the message of the exception, without a line end; the frame has no footer."""
    (folder / "0.0.err").write_bytes(head() + TRACE[:-5])


def contradictory(folder: Path) -> None:
    """The exit record says that all went well, the log that it did not."""
    (folder / "0.0.err").write_bytes(head() + TRACE)
    record(folder, code=0)


def missing_ranks(folder: Path) -> None:
    for rank in (0, 3):
        (folder / f"rank{rank}.log").write_bytes(TRACE if rank == 3 else b"step 1/100 loss 3.2\n")


def clocks_apart(folder: Path) -> None:
    for task, node, off_s in ((0, "n1", 0), (1, "n2", 600)):
        (folder / f"0.{task}.err").write_bytes(head(node=node, task=task) + TRACE)
        record(folder, node=node, task=task, code=1, at_ns=1_795_192_300_000_000_000 + off_s * 10**9)


def garbled_record(folder: Path) -> None:
    (folder / "0.0.err").write_bytes(head() + TRACE)
    (folder / "0.0.exit.json").write_bytes(b'{"format": "gpualert-exit/1", "attempt"')


def alone(content: bytes) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        (folder / "rank0.log").write_bytes(content)

    return make


CASES = {
    "empty": (alone(b""), "unknown", "nothing was written there"),
    "only carriage returns": (alone(b"\r" * 300_000), "unknown", ""),
    "only newlines": (alone(b"\n" * 300_000), "unknown", ""),
    "carriage returns, and an error": (alone(b"\r" * 300_000 + TRACE), "A3", ""),
    "mixed encodings": (alone(MIXED), "A3", ""),
    "a megabyte in one line, then an error": (alone(b"x" * (1 << 20) + b"\n" + TRACE), "A3", "long lines"),
    "NULs within": (alone(TRACE.replace(b"o", b"o\0")), "A3", ""),
    "truncated": (truncated, "A3", "capture did not end in order"),
    "contradictory": (contradictory, None, ""),
    "missing ranks": (missing_ranks, "A3", ""),
    "clocks minutes apart": (clocks_apart, "A3", "clock"),
    "a record that is none": (garbled_record, "A3", "exit record"),
}


@pytest.mark.parametrize("name", CASES)
def test_bad_input_gets_a_verdict_that_says_what_is_missing_and_stands(name, tmp_path, capsys):
    make, mode, gap = CASES[name]
    logs = tmp_path / "logs"
    logs.mkdir()
    make(logs)
    assert main(["diagnose", "--json", str(logs)]) == 0
    (tmp_path / "verdict.json").write_text(capsys.readouterr().out)
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    assert mode is None or verdict["mode"] == mode, verdict["headline"]
    assert verdict["fault"] in {"user", "unknown"}
    assert any(gap in f"{one['what']} {one['why']}" for one in verdict["gaps"]) or not gap
    assert len(verdict["ledger"]) >= 20
    assert main(["diagnose", str(logs)]) == 0
    assert main(["explain", "--evidence", str(tmp_path)]) == 0
    assert main(["verify", str(tmp_path)]) == 0
    out = capsys.readouterr().out
    assert [c for c in out if ord(c) < 32 and c != "\n"] == []


def test_two_records_that_contradict_themselves_are_no_health(tmp_path, capsys):
    contradictory(tmp_path)
    assert main(["diagnose", "--json", str(tmp_path)]) == 0
    verdict = json.loads(capsys.readouterr().out)
    assert verdict["mode"] != "G1" or verdict["confidence"] < 0.6


def test_another_jobs_logs_beside_are_judged_apart(tmp_path, capsys):
    (tmp_path / "a.err").write_bytes(head(42) + TRACE)
    (tmp_path / "b.err").write_bytes(head(43) + TRACE.replace(b"labels", b"other"))
    assert main(["diagnose", "--json", str(tmp_path)]) == 0
    told = {one["label"]: one["headline"] for one in map(json.loads, capsys.readouterr().out.splitlines())}
    assert "labels" in told["42"]
    assert "other" in told["43"]


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 500, bytes(100_000), TRACE.decode().encode("utf-16")])
def test_what_is_no_text_is_refused_with_a_reason(content, tmp_path, capsys):
    (tmp_path / "rank0.log").write_bytes(content)
    assert main(["diagnose", str(tmp_path / "rank0.log")]) == 2
    assert "no text" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["explain", "verify"])
@pytest.mark.parametrize("content", [b"", b"\0" * 100, b"[]", b'{"format": "gpualert-verdict/9"}', b"[" * 100_000, b"\xff\xfe", b'{"evidence": 1e999}'])
def test_a_verdict_that_is_none_is_refused_with_a_reason(command, content, tmp_path, capsys):
    (tmp_path / "verdict.json").write_bytes(content)
    assert main([command, str(tmp_path)]) == 2
    out, err = capsys.readouterr()
    assert (out, "no verdict that this gpualert can read" in err) == ("", True)


def test_verify_opens_every_citation_and_fails_on_each_that_was_touched(tmp_path, capsys):
    """One by one: a byte of any quoted line changed, and the quote is named."""
    log = tmp_path / "rank0.log"
    whole = b"".join(b"step %d/100 loss %.3f\n" % (n, 3 / n) for n in range(1, 9)) + b"Saving model checkpoint to out/checkpoint-8\n" + TRACE[21:]
    log.write_bytes(whole)
    assert main(["diagnose", "--json", "--exit-code", "1", str(log)]) == 0
    (tmp_path / "verdict.json").write_text(capsys.readouterr().out)
    quotes = [e["source"] for e in json.loads((tmp_path / "verdict.json").read_text())["evidence"] if e["source"]["kind"] == "quote"]
    assert quotes
    assert main(["verify", str(tmp_path)]) == 0
    assert f"{len(quotes)} of {len(quotes)} quotes stand" in capsys.readouterr().out
    for quote in quotes:
        at = quote["offset"] + quote["length"] // 2
        log.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert main(["verify", str(tmp_path)]) == 1
        assert f"MISMATCH {log}:{quote['line']} byte {quote['offset']}" in capsys.readouterr().out

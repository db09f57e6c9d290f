"""``gpualert try PATTERN FILE``: what a pattern finds, as its writer sees it."""

from __future__ import annotations

import pytest

from gpualert_slurm.classifier.trial import Trial
from gpualert_slurm.programs.cli import main

LOG = "hello\n[rank3]: \x1b[31mtorch.OutOfMemoryError\x1b[0m: CUDA out of memory. Tried to allocate 2.00 GiB.\nbar 1\rbar 2\rOops: shard 7 of 12\n"


@pytest.fixture
def log(tmp_path):
    path = tmp_path / "a.log"
    path.write_text(LOG)
    return path


def test_matches_are_shown_with_place_groups_and_what_is_known_of_them(log, capsys):
    assert main(["try", r"shard (?P<shard>\d+) of (\d+)", str(log)]) == 0
    out = capsys.readouterr().out
    assert f"line 3, byte {LOG.encode().index(b'Oops')}: Oops: shard 7 of 12" in out
    assert "shard = 7" in out
    assert "2 = 12" in out
    assert "1 lines match; 1 were tried" in out
    assert "'shard '" in out


def test_prefix_and_colours_are_off_and_known_patterns_named(log, capsys):
    assert main(["try", r"^torch\.OutOfMemoryError: CUDA", str(log)]) == 0
    out = capsys.readouterr().out
    assert "line 2, byte 6, rank 3: torch.OutOfMemoryError: CUDA out of memory" in out
    assert ": gpu_oom" in out or ": exception" in out


def test_a_known_patterns_name_stands_for_it(log, capsys):
    known = next(name for name, pattern, compiled in Trial("x")._engine.patterns if compiled.search("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."))
    assert main(["try", known, str(log)]) == 0
    assert "line 2" in capsys.readouterr().out


def test_only_so_many_are_printed_and_all_are_counted(tmp_path, capsys):
    (tmp_path / "b.log").write_text("shard 1\n" * 500)
    assert main(["try", "shard", str(tmp_path / "b.log"), "--most", "3"]) == 0
    out = capsys.readouterr().out
    assert out.count("line ") == 3
    assert "500 lines match, 3 shown" in out


def test_a_pattern_without_words_says_so(log, capsys):
    assert main(["try", r"(?i)oops", str(log)]) == 0
    assert "no word must stand" in capsys.readouterr().out


def test_a_name_that_no_pattern_has_is_said(log, capsys):
    assert main(["try", "transformer_trainer.log", str(log)]) == 1
    assert "no known pattern has this name" in capsys.readouterr().out
    assert main(["try", "plain_loop.loss_line", str(log)]) in {0, 1}
    assert "no known pattern" not in capsys.readouterr().out


def test_nothing_found_is_1(log, capsys):
    assert main(["try", "absent", str(log)]) == 1
    assert "0 lines match" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["(", "a.log"], ["x", "absent.log"], ["x", "."], ["x" * 5000, "a.log"]])
def test_a_bad_pattern_or_file_is_2_with_a_reason(words, log, monkeypatch, capsys):
    monkeypatch.chdir(log.parent)
    assert main(["try", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("gpualert try: ")


def test_what_the_log_says_cannot_move_the_cursor(tmp_path, capsys):
    (tmp_path / "c.log").write_bytes(b"Oops \x9b2J\xe2\x80\xae \x07\n")
    assert main(["try", "Oops (.*)", str(tmp_path / "c.log")]) == 0
    assert [c for c in capsys.readouterr().out if ord(c) < 32 and c != "\n"] == []


def test_what_a_log_holds_in_any_shape_is_found_where_the_log_has_it(tmp_path):
    """Every line end and colours: each hit's bytes stand at its offset."""
    log = b"".join(b"\x1b[3%dmshard %d\x1b[0m%s" % (i % 8, i, (b"\n", b"\r", b"\b", b"\r\n")[i % 4]) for i in range(20_000))
    (tmp_path / "d.log").write_bytes(log)
    trial = Trial(r"^shard (\d+)$")
    with (tmp_path / "d.log").open("rb") as file:
        hits = list(trial.run(file))
    assert [int(str(hit.groups["1"])) for hit in hits] == list(range(20_000))
    assert all(log[hit.line.offset :].startswith(hit.line.raw) for hit in hits)
    assert hits[-1].line.number == log.count(b"\n", 0, hits[-1].line.offset) + 1

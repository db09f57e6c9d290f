"""Large inputs: a line without end, a job of a thousand ranks."""

from __future__ import annotations

import io
import json
import time
import tracemalloc

import pytest

from gpualert_slurm.classifier import judge, scan
from gpualert_slurm.evidence import Where
from gpualert_slurm.programs.cli import main
from tests.unit.classifier.records import Run, steps, trace

MIB = 1 << 20


@pytest.mark.parametrize("filler", [b"x", b"\0", b"\xff", b"loss "])
def test_100_mb_in_one_line_are_read_in_bounded_memory(filler):
    size = 100 * MIB
    tail = b"\nTraceback (most recent call last):\n  File \"t.py\", line 1, in f\nKeyError: 'x'\n"

    class Long(io.RawIOBase):
        at = 0

        def read(self, n=-1, /):
            if self.at >= size:
                out, self.tail_left = (tail, b"") if not getattr(self, "done", False) else (b"", b"")
                self.done = True
                return out
            n = min(n, size - self.at)
            self.at += n
            return (filler * (n // len(filler) + 1))[:n]

    tracemalloc.start()
    parsed = scan(Long(), "x", Where())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 24 * MIB
    assert [e.data["type"] for e in parsed.evidence if e.says == "exception"] == ["KeyError"]
    assert parsed.bytes_read == size + len(tail)
    assert any("long lines" in gap.what for gap in parsed.gaps)


def test_100_mb_in_one_line_are_diagnosed_explained_and_verified(tmp_path, capsys):
    """As a user runs it: the error behind the line is the verdict, what was cut is said, and every citation stands."""
    log = tmp_path / "rank0.log"
    with log.open("wb") as file:
        for _ in range(100):
            file.write(b"x" * MIB)
        file.write(b"\n" + trace("KeyError: 'x'").encode())
    assert main(["diagnose", "--json", "--exit-code", "1", str(log)]) == 0
    (tmp_path / "verdict.json").write_text(capsys.readouterr().out)
    verdict = json.loads((tmp_path / "verdict.json").read_text())
    assert (verdict["mode"], verdict["headline"].split(": ")[-2:]) == ("A1", ["KeyError", "'x'"])
    assert any("long lines" in gap["what"] for gap in verdict["gaps"])
    assert main(["explain", str(tmp_path)]) == 0
    assert main(["verify", str(tmp_path)]) == 0


def test_a_job_of_1024_ranks_is_judged_in_seconds():
    run = Run(tuple(f"n{i}" for i in range(8)))
    for rank in range(1024):
        text = steps(1, 20) + trace("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.00 GiB.")
        run.rank(rank, f"n{rank // 128}", text, code=1, end=30 + rank / 1000, local=rank % 128, times=[float(i) for i in range(1, 21)])
    job = run.accounting().record()
    began = time.process_time()
    verdict = judge(job)
    assert time.process_time() - began < 6
    assert verdict.mode == "B1"
    assert verdict.first_failure is not None
    assert 0 in verdict.first_failure.ranks

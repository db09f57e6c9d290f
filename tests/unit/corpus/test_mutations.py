"""What must and what must not change a verdict: its cited line taken away, ranks in another order, near misses, clocks."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from corpus.case import LOGS, RECORD_NAME, Case, all_cases, job_of, stage
from gpualert_slurm.classifier import judge
from gpualert_slurm.evidence import Quote
from gpualert_slurm.rank_log import HEADER_BYTES

CASES = all_cases()
CRASHES = ("A1", "A3", "B1")


def sample(count: int, wanted) -> list[Case]:
    """Of those that fit the same few, whatever is added: by a digest of their names."""
    fits = [c for c in CASES if c.label.part == "development" and wanted(c)]
    return sorted(sorted(fits, key=lambda c: sha256(c.name.encode()).digest())[:count], key=lambda c: c.name)


def said(folder: Path):
    verdict = judge(job_of(folder))
    return verdict.mode, verdict.cause, verdict.detail


def logs(folder: Path) -> list[Path]:
    return sorted(p for p in [*folder.glob("run.0.???"), *folder.glob(f"{LOGS}/*")] if p.suffix != ".idx")


def blank(path: Path, at: int, length: int) -> None:
    """Bytes of a log become spaces: nothing moves."""
    content = bytearray(path.read_bytes())
    content[at : at + length] = bytes(b if b == 10 else 32 for b in content[at : at + length])
    path.write_bytes(content)


def right(case: Case) -> bool:
    verdict = judge(job_of(case.folder))
    return verdict.mode == case.label.mode and verdict.cause is not None and verdict.cause.value == case.label.cause


@pytest.mark.parametrize("case", sample(24, lambda c: c.label.mode in CRASHES and c.label.cause and len(c.label.failed_ranks) == 1), ids=lambda c: c.name)
def test_without_the_lines_it_cites_the_verdict_is_another(case: Case, tmp_path: Path):
    """Every quoted line is blanked in every rank's log; what then speaks instead is blanked too: at the latest then the verdict has nothing to stand on."""
    if not right(case):
        pytest.skip("the verdict was wrong before")
    folder = stage(case, tmp_path / "x")
    before = said(folder)
    for _ in range(4):
        verdict = judge(job_of(folder))
        cited = {i for claim in verdict.shows for i in claim.evidence}
        quoted = [e.source for e in verdict.evidence if e.id in cited and isinstance(e.source, Quote) and e.role.value != "marker"]
        assert quoted, "nothing was quoted"
        words = {line for quote in quoted for line in quote.text.encode().splitlines() if len(line.strip()) > 8}
        for path in logs(folder):
            content = path.read_bytes()
            for line in words:
                at = content.find(line)
                while at >= 0:
                    blank(path, at, len(line))
                    at = content.find(line, at + 1)
        if said(folder) != before:
            return
    pytest.fail(f"still {before}")


@pytest.mark.parametrize("case", sample(16, lambda c: (c.folder / RECORD_NAME).exists() and len(c.label.failed_ranks) == 1), ids=lambda c: c.name)
def test_the_order_of_reports_logs_and_ends_does_not_matter(case: Case):
    job = job_of(case.folder)
    turned = job.model_copy(update={"reports": tuple(
        r.model_copy(update={"logs": r.logs[::-1], "exits": r.exits[::-1], "evidence": r.evidence[::-1], "series": r.series[::-1], "excerpts": r.excerpts[::-1]}) for r in job.reports[::-1]
    )})  # fmt: skip
    one, other = judge(job), judge(turned)
    assert (one.mode, one.variant, one.cause, one.fault) == (other.mode, other.variant, other.cause, other.fault)
    assert (one.first_failure and one.first_failure.ranks) == (other.first_failure and other.first_failure.ranks)


NEAR = (
    (b"FileNotFoundError", b"FileNotFoundTable"), (b"PermissionError", b"PermissionTable"), (b"ZeroDivisionError", b"ZeroDivisionTable"), (b"AssertionError", b"AssertionTable"),
    (b"ModuleNotFoundError", b"ModuleNotFoundTable"), (b"MemoryError", b"MemoryTable"), (b"RuntimeError", b"RuntimeTable"), (b"CUDA out of memory", b"CUDA out of mittens"),
    (b"No such file", b"No such fire"), (b"HIP out of memory", b"HIP out of mirror"), (b"ResourceExhaustedError", b"ResourceExhaustedTable"), (b"OOM when", b"ZOM when"),
    (b"Cannot allocate memory", b"Cannot allocate melody"), (b"cudaErrorMemoryAllocation", b"cudaErrorMelodyAllocation"), (b"File not found", b"Fire not found"),
    (b"can't open file", b"can't oven fire"), (b"RESOURCE_EXHAUSTED: Out of memory", b"RESOURCE_EXHAUSTER: Out of melodies"), (b"ALLOC_FAILED", b"ALLOC_FOILED"), (b"by zero", b"by hero"), (b"by_zero", b"by_hero"), (b"Unable to allocate", b"Unable to allomate"),
    (b"out of memory", b"out of melody"), (b"does not exist", b"does not exalt"), (b"command not found", b"command not foul."), (b"allocate vector", b"allocate victor"),
    (b"' is not found", b"' is not fount"), (b"Errno::ENOENT", b"Errno::ENOVNT"),
)  # fmt: skip


@pytest.mark.parametrize("case", sample(20, lambda c: c.label.mode in CRASHES and c.label.cause in ("file_not_found", "permission", "div_zero", "assertion", "cuda_oom", "ram_oom")), ids=lambda c: c.name)
def test_a_near_miss_in_place_of_the_word_does_not_name_the_cause(case: Case, tmp_path: Path):
    """Of the same length and almost the same letters; the errno's words go with it."""
    if not right(case):
        pytest.skip("the verdict was wrong before")
    folder = stage(case, tmp_path / "x")
    for path in logs(folder):
        content = path.read_bytes()
        for word, near in (*NEAR, (b"Permission denied", b"Permission defined"[:17]), (b"Operation not permitted", b"Operation not permuted."), (b"Errno 1]", b"Errno xx"), (b"Errno 2]", b"Errno xx"), (b"Errno 13]", b"Errno xxx"), (b"can't allocate memory", b"can't allocate mittens"[:21])):
            content = content.replace(word, near[: len(word)].ljust(len(word)))
        path.write_bytes(content)
    cause = judge(job_of(folder)).cause
    assert cause is None or cause.value != case.label.cause


@pytest.mark.parametrize("case", sample(12, lambda c: c.label.provenance == "slurm-run" and c.label.mode in ("A1", "A2", "A3", "C2", "F3", "G1")), ids=lambda c: c.name)
def test_clocks_within_their_uncertainty_change_nothing(case: Case):
    """Each node's wall clock 20 ms further, one forward, the next back, where 50 ms are granted."""
    job = job_of(case.folder)
    moved = job.model_copy(update={"reports": tuple(_moved(r, (-1) ** i * 20_000_000) for i, r in enumerate(job.reports))})
    one, other = judge(job), judge(moved)
    assert (one.mode, one.variant, one.cause, one.fault) == (other.mode, other.variant, other.cause, other.fault)
    ranks = (set(v.first_failure.ranks) if v.first_failure else set() for v in (one, other))
    first, second = ranks
    assert first == second or first & second


def _moved(report, by_ns: int):
    def shift(ns):
        return None if ns is None else ns + by_ns

    return report.model_copy(update={
        "evidence": tuple(e.model_copy(update={"time_ns": shift(e.time_ns)}) for e in report.evidence),
        "exits": tuple(e.model_copy(update={"end_time_ns": shift(e.end_time_ns), "start_time_ns": shift(e.start_time_ns)}) for e in report.exits),
        "logs": tuple(log.model_copy(update={"last_write_ns": shift(log.last_write_ns)}) for log in report.logs),
    })  # fmt: skip


def test_blanking_keeps_length_and_lines(tmp_path: Path):
    path = tmp_path / "log"
    path.write_bytes(b"a" * HEADER_BYTES + b"one\ntwo\n")
    blank(path, HEADER_BYTES, 7)
    assert path.read_bytes() == b"a" * HEADER_BYTES + b"   \n   \n"

"""Several attempts in one log: where the last one begins, and what is no beginning."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier import parsers as known
from gpualert_slurm.classifier import routine as routine_module
from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.engine import Engine, engine
from gpualert_slurm.classifier.harvest import FIRST_ATTEMPTS, LAST_ATTEMPTS
from gpualert_slurm.classifier.nominate import Plain
from gpualert_slurm.classifier.pattern import Parser
from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Where
from tests.unit.classifier.records import steps, trace

PLAIN = Engine(discover(known, "PARSER", Parser), Plain)
HEAD = "Loading modules cuda/12.4 and python/3.11\n+ python train.py --config base.yaml\ntorch 2.5.1, 8 GPUs\n"
OTHER_HEAD = HEAD.replace("8 GPUs", "16 GPUs")  # numbers may differ between two starts
JOB = "slurmstepd: error: *** JOB 42 ON n1 CANCELLED AT 2026-11-20T1{}:00:00 DUE TO {} ***\n"
STEP = "slurmstepd: error: *** STEP 42.0 ON n1 CANCELLED AT 2026-11-20T16:00:00 ***\n"
SRUN = "srun: error: n1: task 0: Exited with exit code 1\n"
KILLED = "/var/spool/slurmd/job00042/slurm_script: line 23:   427 Killed                  python train.py\n"
ELASTIC = "E1121 10:00:00.123000 42 torch/distributed/elastic/multiprocessing/api.py:874] failed (exitcode: 1) local_rank: 0 (pid: 43) of binary: /usr/bin/python\n"
AGAIN = "[default] Worker group FAILED. 2/3 attempts left; will restart worker group\n"


def read(log: str, **options):
    return scan(io.BytesIO(log.encode()), "slurm-42.out", Where(node="n1"), **options)


def attempts(parsed) -> list[tuple[int | None, str]]:
    """Each exception by the attempt it belongs to."""
    return [(e.attempt, str(e.data.get("type"))) for e in parsed.evidence if e.says == "exception"]


def began(parsed) -> list[int]:
    return [int(e.data["attempt"]) for e in parsed.evidence if e.says == "attempt_began"]


def doubted(parsed) -> bool:
    return any("taken for one run" in gap.why for gap in parsed.gaps)


@pytest.mark.parametrize(
    "log",
    [
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + OTHER_HEAD + steps(20, 60) + trace("ValueError: b"), id="a loop around python, one process a start"),
        pytest.param(HEAD + trace("KeyError: 'a'") + SRUN + OTHER_HEAD + trace("ValueError: b") + SRUN, id="a loop around srun, both crash at once"),
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + JOB.format(0, "PREEMPTION") + OTHER_HEAD + trace("ValueError: b"), id="requeued after preemption, appended"),
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + JOB.format(0, "JOB REQUEUE") + "node n2\n" + steps(30, 60) + trace("ValueError: b"), id="requeued, without the head"),
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + STEP + steps(30, 60) + trace("ValueError: b"), id="a cancelled step, then the next"),
        pytest.param(HEAD + trace("KeyError: 'a'") + KILLED + HEAD + trace("ValueError: b"), id="the shell says that its child was killed"),
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + ELASTIC + AGAIN + "workers up\n" + trace("ValueError: b"), id="torchrun says that it restarts"),
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + ELASTIC + steps(20, 60) + trace("ValueError: b"), id="torchrun restarts without a word"),
        pytest.param(
            HEAD + steps(1, 40) + trace("KeyError: 'a'") + JOB.format(0, "PREEMPTION") + steps(41, 60) + trace("ValueError: b") + JOB.format(2, "PREEMPTION"),
            id="Slurm ended it twice, two hours apart, and the steps count on",
        ),
        pytest.param((HEAD + steps(1, 40) + trace("KeyError: 'a'") + SRUN + OTHER_HEAD + steps(20, 60) + trace("ValueError: b")).replace("\n", "\r\n"), id="CRLF"),
    ],
)
def test_a_log_of_two_attempts_is_split(log):
    parsed = read(log)
    assert attempts(parsed) == [(1, "KeyError"), (2, "ValueError")]
    assert began(parsed) == [2]
    assert {e.attempt for e in parsed.evidence} <= {1, 2}
    assert {s.attempt for s in parsed.series} <= {1, 2}


@pytest.mark.parametrize(
    ("log", "said"),
    [
        pytest.param(HEAD + steps(1, 40) + HEAD + steps(41, 60) + trace("ValueError: b"), True, id="a program that prints its banner twice"),
        pytest.param(HEAD + steps(1, 40) + trace("KeyError: 'a'") + HEAD + steps(41, 60) + HEAD + steps(61, 80), True, id="a banner every epoch, one behind a caught error"),
        pytest.param(HEAD + HEAD + HEAD + steps(1, 40) + trace("ValueError: b"), False, id="three ranks that print the same banner"),
        pytest.param(HEAD + trace("KeyError: 'a'") + HEAD + trace("KeyError: 'a'"), True, id="two ranks that crash one after the other"),
        pytest.param(HEAD + HEAD + trace("KeyError: 'a'") + SRUN + HEAD + trace("KeyError: 'a'") + SRUN, True, id="one of three tasks ends before the last has begun"),
        pytest.param(steps(1, 40) + trace("KeyError: 'a'") + steps(41, 60), False, id="an error that was survived"),
        pytest.param(steps(1, 40) + trace("KeyError: 'a'") + steps(1, 60), True, id="an error, and the steps begin anew without a banner"),
        pytest.param(steps(1, 40) + steps(1, 40) + SRUN + steps(1, 40), False, id="steps that count within an epoch"),
        pytest.param(HEAD + steps(1, 40) + SRUN + steps(41, 60), False, id="one task ended, the others go on"),
        pytest.param(HEAD + steps(1, 40) + trace("ValueError: b") + JOB.format(0, "TIME LIMIT") + JOB.format(0, "TIME LIMIT"), False, id="two nodes tell the same end"),
        pytest.param("hello\n" * 40 + trace("KeyError: 'a'") + "hello\n" * 3, False, id="a first line too short to know again"),
        pytest.param(HEAD.splitlines()[0] + "\n" + HEAD + trace("KeyError: 'a'"), False, id="the first line twice in a row"),
        pytest.param(HEAD + ELASTIC * 8 + trace("ValueError: b"), False, id="eight workers failed in one start"),
        pytest.param(HEAD + steps(1, 40) + ELASTIC + steps(41, 42), False, id="late lines of the other nodes' workers"),
    ],
)
def test_what_is_no_second_attempt_is_not_split(log, said):
    """And where it could be one, the log's gaps say so."""
    parsed = read(log)
    assert {e.attempt for e in parsed.evidence} == {None}
    assert {s.attempt for s in parsed.series} <= {None}
    assert began(parsed) == []
    assert doubted(parsed) is said


def test_a_pause_of_minutes_tells_two_starts_from_two_ranks():
    """By the time index: a requeued job waits two minutes at least."""
    log = HEAD + trace("KeyError: 'a'") + HEAD + trace("ValueError: b")
    second = log.index(HEAD, 10)
    parsed = read(log, arrival=lambda offset: (10**9 * (1 if offset < second else 130), 10**6))
    assert attempts(parsed) == [(1, "KeyError"), (2, "ValueError")]
    soon = read(log, arrival=lambda offset: (10**9 * (1 if offset < second else 5), 10**6))
    assert attempts(soon) == [(None, "KeyError"), (None, "ValueError")]


def test_printed_times_minutes_apart_tell_two_starts_as_well():
    """A line of the first start's end and the second's first line print when they were written."""
    error = "2026-11-20 16:0{}:00,000 ERROR train: CUDA out of memory. Tried to allocate 2.00 GiB.\n"
    head = "2026-11-20 16:{}:00,000 INFO train: configuration base.yaml\n" + HEAD
    two = head.format("00") + error.format(1) + head.format("05") + error.format(6)
    assert began(read(two)) == [2]
    assert began(read(two.replace("16:05", "16:01"))) == []


def test_the_series_of_each_attempt_are_its_own_and_counted():
    parsed = read(HEAD + steps(1, 400) + trace("KeyError: 'a'") + SRUN + HEAD + steps(300, 900))
    loss = {s.attempt: s for s in parsed.series if s.name == "loss"}
    assert {n: (s.points_seen, s.steps[0], s.steps[-1]) for n, s in loss.items()} == {1: (400, 1, 400), 2: (601, 300, 900)}


def test_left_out_progress_is_counted_for_its_attempt(monkeypatch):
    """The last line of progress before an end and the first behind it are read, however many were left out."""
    monkeypatch.setattr(routine_module, "ROUTINE_READS", 20)
    monkeypatch.setattr(routine_module, "LEAST_READS", 4)
    parsed = read(HEAD + steps(1000, 5000) + SRUN + JOB.format(0, "PREEMPTION") + steps(4500, 9000) + trace("ValueError: b"))
    loss = {s.attempt: s for s in parsed.series if s.name == "loss"}
    assert {n: (s.points_seen, s.steps[0], s.steps[-1]) for n, s in loss.items()} == {1: (4001, 1000, 5000), 2: (4501, 4500, 9000)}


def test_of_very_many_attempts_the_first_and_the_last_are_kept():
    parsed = read("".join(HEAD + steps(1, 5) + trace(f"KeyError: 'a{n}'") + SRUN for n in range(100)))
    told = [n for n, _ in attempts(parsed)]
    assert (told[0], told[-1]) == (1, 100)
    assert len(set(told)) <= FIRST_ATTEMPTS + LAST_ATTEMPTS + 1
    assert any("of the attempts in" in gap.what for gap in parsed.gaps)


LOGS = [
    HEAD + steps(1, 40) + trace("KeyError: 'a'") + SRUN + OTHER_HEAD + steps(20, 60) + trace("ValueError: b") + SRUN + HEAD,
    HEAD + steps(1, 40) + trace("KeyError: 'a'") + JOB.format(0, "PREEMPTION") + steps(30, 60) + JOB.format(5, "PREEMPTION") + HEAD + "x",
    HEAD[:-1],
    "\n\n" + HEAD + "\n" + trace("KeyError: 'a'") + SRUN + "\n" + HEAD[:60],
]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LOGS), st.integers(1, 300), st.sampled_from([64, 4096]), st.booleans())
def test_where_blocks_end_makes_no_difference_to_the_attempts(log, size, block, dense):
    class Slow(io.BytesIO):
        def read(self, n=-1, /):
            return super().read(min(size, n) if n and n > 0 else n)

    module = sys.modules["gpualert_slurm.classifier.scan"]
    with pytest.MonkeyPatch.context() as patch:
        whole = read(log)
        patch.setattr("gpualert_slurm.classifier.lines.BLOCK_BYTES", max(block, 200))
        patch.setattr(module, "DENSE", -1.0 if dense else 2.0)
        slow = scan(Slow(log.encode()), "slurm-42.out", Where(node="n1"))
    assert [(e.id, e.attempt, e.source.line) for e in slow.evidence] == [(e.id, e.attempt, e.source.line) for e in whole.evidence]
    assert slow.series == whole.series


PARTS = [HEAD, SRUN, KILLED, AGAIN, ELASTIC, STEP, JOB.format(1, "PREEMPTION"), JOB.format(4, "X"), trace("KeyError: 'a'"), steps(1, 30), steps(5, 9), steps(100, 140), steps(20, 60)]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(PARTS), max_size=40), st.sampled_from([64, 4096]))
def test_attempts_do_not_depend_on_the_engine_or_on_how_progress_is_left_out(parts, finest):
    log = io.BytesIO("".join(parts).encode())
    module = sys.modules["gpualert_slurm.classifier.scan"]
    found = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routine_module, "ROUTINE_READS", 20)
        patch.setattr(routine_module, "LEAST_READS", 4)
        patch.setattr(routine_module, "FINEST_BYTES", finest)
        patch.setattr("gpualert_slurm.classifier.lines.BLOCK_BYTES", 1024)
        for dense in (-1.0, 2.0):
            patch.setattr(module, "DENSE", dense)
            for rules in (engine(), PLAIN):
                log.seek(0)
                found.append(scan(log, "x", Where(), rules=rules).json_bytes())
    assert all(one == found[0] for one in found)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.sampled_from([HEAD, steps(1, 9), steps(5, 9), trace("KeyError: 'a'"), SRUN, KILLED, AGAIN, ELASTIC, STEP, JOB.format(1, "PREEMPTION"), JOB.format(4, "X"), "x\n", "\0\r"]), max_size=14))
def test_any_order_of_starts_and_ends_is_read(parts):
    parsed = read("".join(parts))
    numbers = [e.attempt for e in parsed.evidence if e.says != "attempt_began"]
    assert numbers == sorted(numbers, key=lambda n: n or 0)
    assert parsed.bytes_read == len("".join(parts))

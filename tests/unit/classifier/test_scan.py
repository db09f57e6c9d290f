"""One pass over a log: any bytes, bounded memory, and quotes that can be looked up again."""

from __future__ import annotations

import hashlib
import io
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.engine import engine
from gpualert_slurm.classifier.keep import FIRST, LAST, MAX_POINTS, Thinned
from gpualert_slurm.classifier.lines import BLOCK_BYTES, MAX_LINE_BYTES
from gpualert_slurm.evidence import Quote, Trust, Where

MIB = 1 << 20
SAMPLES = [s for _, p, _ in engine().patterns for s in (*p.samples, *p.near_misses)] + [s for _, t, _ in engine().stories for s in t.samples]
PREFIXES = ["", "3: ", "[rank3]: ", "[default3]:", "[1,3]<stderr>:", "(Worker pid=7) ", "0: [rank0]: "]


def read(log: bytes, **options):
    return scan(io.BytesIO(log), "x.log", Where(node="n1", rank=0, step="0"), **options)


def check(log: bytes, parsed) -> None:
    """Every quote reopens to its bytes, on its line, with its hash; all of it is USER."""
    assert parsed.bytes_read == len(log)
    for evidence in parsed.evidence:
        source = evidence.source
        assert isinstance(source, Quote)
        raw = log[source.offset : source.offset + source.length]
        assert hashlib.sha256(raw).hexdigest() == source.sha256
        assert raw.decode("utf-8", "backslashreplace") == source.text
        assert source.line == log.count(b"\n", 0, source.offset) + 1
        assert evidence.trust is Trust.USER
        evidence.model_validate_json(evidence.json_bytes())
    assert len({e.id for e in parsed.evidence}) == len(parsed.evidence)


@given(st.binary(max_size=4000))
def test_any_bytes_are_read_without_an_exception(log):
    check(log, read(log))


pieces = st.one_of(
    st.tuples(st.sampled_from(PREFIXES), st.sampled_from(SAMPLES)).map(lambda p: (p[0] + p[1]).encode()),
    st.sampled_from(
        [b"\r", b"\0\0", b"\x1b[31m", b"\xff\xfe", b"\b\b\b", b'  File "x.py", line 3, in f', b"", b"Traceback (most recent call last):"]
    ),
    st.binary(max_size=60),
    st.text(max_size=40).map(lambda t: t.encode("utf-8", "surrogatepass")),
)


@settings(max_examples=150, deadline=None)
@given(st.lists(pieces, max_size=40), st.sampled_from([b"\n", b"\r", b"\r\n", b""]))
def test_hostile_mixtures_of_what_parsers_know_are_read(parts, end):
    log = end.join(parts)
    check(log, read(log))


@settings(max_examples=60, deadline=None)
@given(st.lists(pieces, min_size=1, max_size=30), st.integers(1, 400))
def test_where_the_blocks_end_makes_no_difference(parts, size):
    """A reader that gives a few bytes at a time gives the same evidence."""

    class Slow(io.BytesIO):
        def read(self, n=-1, /):
            return super().read(min(size, n) if n and n > 0 else n)

    log = b"\n".join(parts)
    whole, slow = read(log), scan(Slow(log), "x.log", Where(node="n1", rank=0, step="0"))
    assert [(e.id, e.says, repr(e.data)) for e in whole.evidence] == [(e.id, e.says, repr(e.data)) for e in slow.evidence]
    assert whole.last_lines == slow.last_lines


def test_a_prefix_on_the_end_of_a_line_of_carriage_returns_is_found():
    log = b"\r".join(b" %d%%|###  | %d/1000 [00:10<01:03, 13.61it/s, loss=2.0]" % (i // 10, i) for i in range(1, 100)) + b"\rKilled\n"
    parsed = read(log)
    assert {e.says for e in parsed.evidence} == {"progress", "killed"}
    assert max(s.values[-1] for s in parsed.series if s.name == "step") == 99


def test_only_carriage_returns_cost_little():
    parsed = read(b"\r" * (8 * MIB))
    assert (parsed.evidence, parsed.last_lines) == ((), ())


def test_what_is_repeated_is_kept_at_both_ends_and_counted():
    line = b"srun: error: n2: task 3: Exited with exit code 1\n"
    parsed = read(line * 1000)
    assert len(parsed.evidence) == FIRST + LAST
    assert parsed.evidence[0].data["seen"] == 1000
    assert parsed.evidence[-1].source.line == 1000
    assert any(str(1000 - FIRST - LAST) in gap.what for gap in parsed.gaps)


def test_never_more_evidence_than_asked_for():
    log = "\n".join(f"[rank{r}]: KeyError: 'a{r}'" for r in range(300)).encode()
    parsed = read(log, max_evidence=50)
    assert len(parsed.evidence) == 50
    assert {parsed.evidence[0].where.rank, parsed.evidence[-1].where.rank} == {0, 299}


def test_a_line_longer_than_the_bound_is_read_up_to_it():
    parsed = read(b"KeyError: " + b"x" * (MAX_LINE_BYTES * 2) + b"\nKeyError: 'y'\n")
    assert any("long lines" in gap.what for gap in parsed.gaps)
    assert "KeyError" in [e.data.get("type") for e in parsed.evidence]


def test_lines_around_a_blocks_end_are_whole():
    line = b"step 1 loss 2.0 \n"
    log = line * (BLOCK_BYTES // len(line) + 3) + b"KeyError: 'end'\n"
    parsed = read(log)
    check(log, parsed)
    assert next(s for s in parsed.series if s.name == "loss").points_seen == BLOCK_BYTES // len(line) + 3


def test_of_very_many_lines_of_progress_the_last_and_the_odd_ones_are_still_read(monkeypatch):
    monkeypatch.setattr("gpualert_slurm.classifier.routine.ROUTINE_READS", 100)
    lines = [f"step {i} loss {'nan' if i == 3333 else 2.0}" for i in range(1, 5001)]
    log = ("\n".join(lines) + "\nKeyError: 'x'\n").encode()
    parsed = read(log)
    check(log, parsed)
    loss = next(s for s in parsed.series if s.name == "loss")
    assert loss.points_seen == 5000
    assert loss.steps[-1] == 5000
    assert 3333 in loss.steps
    assert max(e.data.get("step", 0) for e in parsed.evidence if e.says == "progress") == 5000
    assert "exception" in {e.says for e in parsed.evidence}
    assert any("lines of progress" in gap.what for gap in parsed.gaps)


def test_the_arrival_of_the_first_quoted_byte_dates_the_evidence():
    log = b"hello\nKeyError: 'x'\n"
    parsed = read(log, arrival=lambda offset: (1000 + offset, 5))
    assert [(e.time_ns, e.uncertainty_ns) for e in parsed.evidence] == [(1006, 5)]


def test_a_read_that_fails_ends_the_pass_with_a_gap():
    class Broken(io.BytesIO):
        def read(self, n=-1, /):
            if self.tell() > 0:
                raise OSError(5, "Input/output error")
            return super().read(20)

    parsed = scan(Broken(b"KeyError: 'x'\n" * 100), "x", Where())
    assert any("Input/output error" in gap.why for gap in parsed.gaps)


@given(st.lists(st.floats(), min_size=1, max_size=5000))
@settings(max_examples=30, deadline=None)
def test_a_thinned_series_keeps_its_ends_and_extremes(values):
    series = Thinned()
    for i, value in enumerate(values):
        series.add((i, i, value))
    final = series.final()
    assert series.seen == len(values)
    assert len(final) <= 2 * MAX_POINTS
    assert (final[0][0], final[-1][0]) == (0, len(values) - 1)
    finite = [v for v in values if math.isfinite(v)]
    if finite:
        kept = [p[2] for p in final if math.isfinite(p[2])]
        assert (min(kept), max(kept)) == (min(finite), max(finite))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("step 100 loss 2.3456 lr 1e-4", {"step": 100, "loss": 2.3456, "learning_rate": 1e-4}),
        ("Epoch 1/3 | Step 100/1,000 | Loss: 2.5", {"step": 100, "planned": 1000, "loss": 2.5}),
        ('{"step": 10, "loss": 2.31, "lr": 0.0001}', {"step": 10, "loss": 2.31, "learning_rate": 0.0001}),
        ("{'loss': 2.34, 'grad_norm': 1.2, 'learning_rate': 5e-05, 'epoch': 0.01}", {"loss": 2.34, "grad_norm": 1.2}),
        ("{'loss': '2.345', 'grad_norm': '1.2', 'epoch': '0.01'}", {"loss": 2.345, "grad_norm": 1.2}),
        (" 14%|█▍        | 137/1000 [00:10<01:03, 13.61it/s]", {"step": 137, "planned": 1000}),
        ("Epoch 0:  10%|█   | 10/100 [00:01<00:09,  9.5it/s, v_num=0, train_loss=2.310]", {"step": 10, "loss": 2.31}),
        ("10/100 ━━━━━━━━━━━━━━━━━━━━ 5s 50ms/step - accuracy: 0.5120 - loss: 1.2041", {"loss": 1.2041, "accuracy": 0.512}),
        ("\x1b[1m10/100\x1b[0m \x1b[32m━━━━━━\x1b[0m\x1b[37m\x1b[0m \x1b[1m5s\x1b[0m 50ms/step - loss: 1.5", {"loss": 1.5}),
        (
            " iteration 10/ 500 | consumed samples: 1 | lm loss: 2.4E+00 | loss scale: 1.0 | grad norm: 1.2 |",
            {"step": 10, "planned": 500, "loss": 2.4, "grad_norm": 1.2},
        ),
        ("[INFO] [logging.py:96:log_dist] [Rank 0] step=10, skipped=0, lr=[1e-05], mom=[[0.9, 0.999]]", {"step": 10, "learning_rate": 1e-5}),
    ],
)
def test_every_frameworks_progress_is_read_once(text, expected):
    parsed = read(text.encode() + b"\n")
    found = [e for e in parsed.evidence if e.says == "progress"]
    assert len(found) == 1
    assert {key: found[0].data.get(key) for key in expected} == pytest.approx(expected)


def test_losses_that_a_pattern_knows_are_read_with_the_counter_that_it_does_not():
    """Each line once: fifty of ``generation`` are fifty steps with their losses, not the kept ones without and the others with."""
    text = "".join(f'{{"event": "generation", "generation": {2 * i}, "of": 100, "loss": {1 / i:.5f}}}\n' for i in range(1, 51))
    parsed = read(text.encode())
    loss = next(s for s in parsed.series if s.name == "loss")
    assert loss.steps == tuple(range(2, 101, 2))
    assert loss.points_seen == len(loss.values) == 50
    assert {e.pattern for e in parsed.evidence if e.says == "progress"} == {"counting.rows"}

"""Logs of real frameworks (tests/goldens): what the parsers must find in them, and that every quote stands where it says."""

from __future__ import annotations

import hashlib
import io
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier import scan
from gpualert_slurm.classifier.failure import is_root
from gpualert_slurm.classifier.vocabulary import WORDS
from gpualert_slurm.evidence import Evidence, Quote, Role, Where
from gpualert_slurm.parsed_log import ParsedLog
from tests.goldens.masking import differences
from tests.goldens.recipe import LOGS, Run, all_runs, runs_of
from tests.goldens.sandbox import MAX_LOG_BYTES

CHECKOUT = Path(__file__).parents[3]
RUNS = all_runs()
EACH = pytest.mark.parametrize("run", [pytest.param(run, id=run.log) for run in RUNS])
GOOD = [run for run in RUNS if run.ends == 0]


def read(run: Run) -> ParsedLog:
    return scan(io.BytesIO(run.path.read_bytes()), "job.log", Where())


def roots(found: ParsedLog) -> list[Evidence]:
    """What could carry the end: whole stories before bare lines, in order."""
    all_of_them = [e for e in found.evidence if is_root(e)]
    whole = [e for e in all_of_them if not e.data.get("bare") and e.role is Role.ROOT]
    return whole or all_of_them


def tells(said: Evidence, wanted: dict[str, object]) -> bool:
    has = {"says": said.says, "cause": said.cause.value if said.cause else None, "detail": said.detail, **said.data}
    return all(has.get(key) == value for key, value in wanted.items())


def close(one: float, other: float) -> bool:
    """Equal as far as a framework prints digits."""
    return one == other or (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=5e-3, abs_tol=6e-4)


@EACH
def test_a_recording_is_there_and_small_and_names_nothing_of_the_machine_it_was_made_on(run):
    log = run.path.read_bytes()
    assert len(log) <= MAX_LOG_BYTES
    assert b"/var/tmp" not in log
    assert b"/root/" not in log
    assert str(CHECKOUT).encode() not in log


@EACH
def test_every_quote_stands_where_it_says(run):
    """Offset, length, hash and line number of each piece of evidence lead back to the same bytes."""
    log = run.path.read_bytes()
    found = read(run)
    assert found.bytes_read == len(log)
    for said in found.evidence:
        assert isinstance(said.source, Quote)
        quote = said.source
        raw = log[quote.offset : quote.offset + quote.length]
        assert hashlib.sha256(raw).hexdigest() == quote.sha256, said.pattern
        assert log.count(b"\n", 0, quote.offset) + 1 == quote.line, said.pattern
        assert said.says in WORDS


@EACH
def test_the_error_that_ended_the_run_is_found_with_its_kind(run):
    """The last whole error of one program, or any of several programs, is the one the recipe caused."""
    found = roots(read(run))
    if not run.root:
        assert not [e for e in found if e.role is Role.ROOT], "nothing in this log is a root"
        return
    assert found, "no root was found"
    last = found[-1].source
    candidates = [e for e in found if e.source == last] if run.steady else found
    assert any(tells(e, run.root) for e in candidates), [(e.says, e.cause, e.detail, e.data) for e in candidates]


@EACH
def test_what_the_run_went_through_is_found(run):
    found = read(run)
    said = {e.says for e in found.evidence}
    assert set(run.words) <= WORDS.keys()
    assert set(run.words) <= said, said
    assert not (said - {"chained_exception"}) & set(run.absent)


@EACH
def test_steps_and_losses_are_those_the_program_held(run):
    """Last step, planned steps, first and last loss equal what the program noted from its own variables."""
    notes, found = run.notes, read(run)
    series = {s.name: s for s in found.series}
    if "progress" not in run.words:
        return
    if "last_loss" in notes:
        values = series["loss"].values
        assert close(values[-1], float(notes["last_loss"])), (values[-1], notes["last_loss"])
        assert run.only_last or any(close(value, float(notes["first_loss"])) for value in values[:40]), (values[:3], notes["first_loss"])
        if run.learns:
            assert values[-1] < values[0]
    if "last_step" in notes:
        assert abs(max(series["step"].values) - notes["last_step"]) <= run.step_slack, (max(series["step"].values), notes["last_step"])
    if "planned" in notes:
        planned = {e.data.get("planned") for e in found.evidence}
        assert notes["planned"] in planned


def test_every_log_belongs_to_a_run():
    """No recording without its recipe, no recipe without its recording."""
    logs = {str(path.relative_to(LOGS).with_suffix("")) for path in LOGS.rglob("*.log")}
    assert logs == {run.log for run in RUNS}
    assert len({run.log for run in RUNS}) == len(RUNS)


def test_names_of_logs_and_programs_do_not_tell_the_answer():
    """A log's name is a framework, its version and a number; programs and their options are named as users name theirs."""
    for run in RUNS:
        framework, _, number = run.log.partition("/")
        assert framework.replace("-", "").replace(".", "").isalnum()
        assert number.isdigit()
        assert run.script == "train.py"
        assert all(len(arg) <= 4 for arg in run.args), run.args


def test_recordings_are_compared_by_kinds_of_lines_and_by_what_is_found():
    """Times, numbers, process ids, paths of temporary files and bars are masked; another wording, or another finding, is a difference."""
    before = b"[pid 12] step 1 loss 2.0\n 10%|#         | 1/10 [00:01<00:09,  1.0it/s]\nsaved to /tmp/tmpab12cd34\n"
    after = b"[pid 99] step 7 loss 1.9\n[pid 99] step 8 loss 1.25e-05\n 20%|#         | 2/10 [00:01<00:09,  1.2s/it]\nsaved to /tmp/tmpzz99yy88\n"
    assert differences(before, after, steady=True) == []
    assert any("Step" in told for told in differences(before, before.replace(b"step", b"Step"), steady=True))
    failed = before + b"Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nKeyError: 'x'\n"
    assert any("gone found" in told for told in differences(failed, before, steady=False))
    assert differences(before, before + b"an unusual line\n", steady=False) == []
    assert differences(b"modules {'q', 'v'} not found\n", b"modules {'v', 'q'} not found\n", steady=True) == []
    assert differences(b"to enable: AVX2 FMA, in others\n", b"to enable: AVX2 AVX512F AMX_TILE FMA, in others\n", steady=True) == []
    assert differences(b"5%|#| 1/9\nTraceback (most recent call last):\n", b"5%|#| 1/9Traceback (most recent call last):\n", steady=True) == []


@pytest.mark.parametrize("run", [pytest.param(run, id=run.log) for run in RUNS if run.root or "planned_end" in run.words][::5])
def test_a_recording_without_its_last_lines_is_not_the_same(run):
    """The comparison notices when what a run says at its end is gone."""
    log = run.path.read_bytes()
    lines = log.splitlines(keepends=True)
    assert differences(log, log, steady=run.steady) == []
    assert differences(log, b"".join(lines[: len(lines) // 3]), steady=True)


def test_a_table_with_an_unknown_key_is_refused(tmp_path):
    recipe = tmp_path / "x.py"
    recipe.write_text('# /// runs\n# env = "new"\n# [[run]]\n# log = "x/01"\n# what = "x"\n# colour = "red"\n# ///\n')
    with pytest.raises(ValueError, match="colour"):
        runs_of(recipe)
    recipe.write_text("print('no table')\n")
    with pytest.raises(ValueError, match="table"):
        runs_of(recipe)


LINES = sorted({line for run in RUNS if run.path.exists() for line in run.path.read_bytes().splitlines()[-60:] if line.strip()}) or [b"x"]
BROKEN = st.one_of(
    st.sampled_from(LINES),
    st.sampled_from(LINES).flatmap(lambda line: st.integers(0, len(line)).map(lambda cut: line[:cut])),
    st.sampled_from(LINES).map(lambda line: b"[rank3]: " + line),
    st.sampled_from(LINES).map(lambda line: b"\x1b[31m" + line.replace(b" ", b"\0 ") + b"\x1b[0m"),
    st.sampled_from(LINES).map(lambda line: line[::-1]),
    st.sampled_from(LINES).map(lambda line: (line + b" ") * 40),
    st.binary(max_size=80),
)


@settings(max_examples=150)
@given(st.lists(st.tuples(BROKEN, st.sampled_from([b"\n", b"\r", b"\r\n", b"\b", b""])), max_size=60))
def test_no_mixture_of_real_lines_breaks_a_parser(pieces):
    """Lines of all frameworks, cut, repeated, turned round, with colours, NULs and prefixes, in any order: evidence that reopens, no defect."""
    log = b"".join(line + end for line, end in pieces)
    found = scan(io.BytesIO(log), "x", Where())
    for said in found.evidence:
        assert isinstance(said.source, Quote)
        assert hashlib.sha256(log[said.source.offset : said.source.offset + said.source.length]).hexdigest() == said.source.sha256
    assert not [gap for gap in found.gaps if "what a pattern says" in gap.what], found.gaps

"""Three engines, one evidence: every pattern on every line, the plain nominator, and Hyperscan."""

from __future__ import annotations

import io
import re
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gpualert_slurm.classifier import parsers, scan
from gpualert_slurm.classifier import routine as routine_module
from gpualert_slurm.classifier.engine import Engine, engine, numbers
from gpualert_slurm.classifier.expression import NotDerivableError, expression
from gpualert_slurm.classifier.hyper import Hyper, expressions, hyperscan
from gpualert_slurm.classifier.lines import bare, clean, flat
from gpualert_slurm.classifier.needles import words
from gpualert_slurm.classifier.nominate import Plain, needed
from gpualert_slurm.classifier.pattern import Parser
from gpualert_slurm.discovery import discover
from gpualert_slurm.evidence import Where


class EveryLine:
    """The reference: names every line for every pattern."""

    def __init__(self, regexes, literals):
        self.mask = (1 << len(regexes)) - 1

    def lines(self, data):
        at, found = 0, []
        for line in data.removesuffix(b"\n").split(b"\n") if data else []:
            found.append((at, at + len(line), self.mask))
            at += len(line) + 1
        return found


FOUND = discover(parsers, "PARSER", Parser)
REFERENCE, PLAIN = Engine(FOUND, EveryLine), Engine(FOUND, Plain)
BINDING = hyperscan()
ENGINES = {"plain": PLAIN}
if BINDING is not None:
    ENGINES["hyperscan"] = Engine(FOUND, lambda regexes, literals: Hyper(BINDING, regexes, Plain(regexes, literals)))
REGEXES = [(name, p.regex, p.nominated_by, p.literals) for name, p, _ in PLAIN.patterns]
REGEXES += [(name, s.opens, s.opens, s.literals) for name, s, _ in PLAIN.stories]
SAMPLES = [s for _, p, _ in PLAIN.patterns for s in (*p.samples, *p.near_misses)] + [s for _, t, _ in PLAIN.stories for s in (*t.samples, *t.near_misses)]
PREFIXES = [
    "", "3: ", "[rank3]: ", "[default3]:", "[1,3]<stderr>:", "(Worker pid=7) ", "0: [rank0]: ", "2026-11-20T16:30:00.123Z ", "[2026-11-20 16:30:00] ",
    "\x1b[36m(RayTrainWorker pid=7, ip=10.0.0.1)\x1b[0m ", "2026-11-20 16:30:00.123 | ERROR    | __main__:main:12 - ", "Nov 20 16:30:00 ", "  [rank3]:",
]  # fmt: skip
WHERE = Where(node="n1", rank=0, step="0")


def test_the_engine_used_where_the_wheel_is_installed_is_hyperscan():
    """Continuous integration installs the wheel: without this test the comparison below could pass with one engine only."""
    assert BINDING is not None
    assert isinstance(engine().nominator, Hyper)


def told(log: bytes, rules: Engine):
    return scan(io.BytesIO(log), "x.log", WHERE, rules=rules).json_bytes()


def same(log: bytes) -> None:
    expected = told(log, REFERENCE)
    for name, rules in ENGINES.items():
        assert told(log, rules) == expected, name


def coloured(text: str) -> str:
    """As Python 3.13, rich or Keras would print it."""
    return re.sub(r"(\w+)", "\x1b[1;35m\\1\x1b[0m", text)


@pytest.mark.parametrize("rewrite", [str, coloured, "\0".join], ids=["plain", "coloured", "with NULs"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_every_sample_in_the_tree_gives_the_same_evidence(prefix, rewrite):
    log = "\n".join(prefix + rewrite(line) for sample in SAMPLES for line in sample.split("\n")).encode()
    same(log)


pieces = st.one_of(
    st.tuples(st.sampled_from(PREFIXES), st.sampled_from(SAMPLES)).map(lambda p: (p[0] + p[1]).encode()),
    st.tuples(st.sampled_from(PREFIXES), st.sampled_from(SAMPLES), st.integers(0, 200), st.binary(max_size=3)).map(
        lambda p: (p[0] + p[1][: p[2]]).encode() + p[3] + p[1][p[2] :].encode()
    ),
    st.sampled_from(SAMPLES).map(lambda s: coloured(s).encode()),
    st.sampled_from([regex for _, regex, _, _ in REGEXES]).flatmap(lambda regex: st.from_regex(re.compile(regex))).map(lambda t: t.encode("utf-8", "surrogatepass")),
    st.sampled_from([b"\0\0", b"\x1b[31m", b"\xff\xfe", b"\b\b\b", b'  File "x.py", line 3, in f', b"", b"Traceback (most recent call last):", b"\x1b]0;t"]),
    st.binary(max_size=60),
)


@settings(max_examples=250, deadline=None)
@given(st.lists(pieces, max_size=30), st.sampled_from([b"\n", b"\r", b"\r\n", b"\b"]))
def test_hostile_mixtures_give_the_same_evidence(parts, end):
    same(end.join(parts))


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.tuples(st.sampled_from(PREFIXES), st.integers(0, 12000), st.sampled_from(["2.5", "2.61", "nan", "1e-3"])).map(lambda t: f"{t[0]}step {t[1]} loss {t[2]}"),
            st.tuples(st.sampled_from(PREFIXES), st.sampled_from(SAMPLES)).map("".join),
        ),
        min_size=20, max_size=300,
    ),
    st.sampled_from([64, 4096]),
)  # fmt: skip
def test_what_is_left_out_of_many_lines_of_progress_does_not_depend_on_the_engine_or_the_way(lines, finest):
    """Compared by shape or matched line by line, in blocks of any size: the same lines are read, counted and left out."""
    module = sys.modules["gpualert_slurm.classifier.scan"]  # the package's attribute of that name is the function
    log = "\n".join(lines * 4).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routine_module, "ROUTINE_READS", 20)
        patch.setattr(routine_module, "LEAST_READS", 4)
        patch.setattr(routine_module, "FINEST_BYTES", finest)
        patch.setattr("gpualert_slurm.classifier.lines.BLOCK_BYTES", 1024)
        results = []
        for dense in (-1.0, 2.0):
            patch.setattr(module, "DENSE", dense)
            results += [told(log, rules) for rules in (REFERENCE, *ENGINES.values())]
    assert all(result == results[0] for result in results)


@pytest.mark.parametrize(("name", "regex", "part", "literals"), [pytest.param(*r, id=r[0]) for r in REGEXES])
def test_what_is_derived_from_a_pattern_stands_wherever_it_matches(name, regex, part, literals):
    """The expression for Hyperscan and the words for the plain engine miss no sample, whatever stands before it."""
    derived = re.compile(b"(?m)" + expression(part).encode("latin-1"))
    compiled, needles = re.compile(regex), needed(part, literals)
    matched = 0
    for sample in SAMPLES:
        for prefix in PREFIXES:
            for line in sample.split("\n"):
                raw = bare(flat((prefix + line).encode()))
                if compiled.search(clean(raw, 0, 1).text):
                    matched += 1
                    assert derived.search(raw), (prefix, line)
                    assert not needles or any(needle.encode() in raw for needle in needles), (prefix, line)
    assert matched


@pytest.mark.parametrize(("name", "regex", "part", "literals"), [pytest.param(*r, id=r[0]) for r in REGEXES])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])  # long repeats fill its budget
@given(data=st.data())
def test_what_is_derived_from_a_pattern_stands_in_whatever_it_can_match(name, regex, part, literals, data):
    text = data.draw(st.from_regex(re.compile(regex))).replace("\r", " ").replace("\b", " ").replace("\0", " ").replace("\x1b", " ")
    for line in text.split("\n"):
        raw = line.encode("utf-8", "surrogatepass")
        if re.search(regex, clean(raw, 0, 1).text):
            assert re.search(b"(?m)" + expression(part).encode("latin-1"), raw)
            needles = needed(part, literals)
            assert not needles or any(needle.encode() in raw for needle in needles)


@pytest.mark.parametrize(
    ("regex", "line"),
    [
        (r"(?i)task failed", "TAS\u212a FAILED"), (r"\w{3} down", "äöü down"), (r"^x=\d+$", "x=٣"), (r"a.c", "a█c"), (r"(?:ab|cd){2}e", "abcde"),
        (r"\bno\b", "no"), (r"at step [01]\b", "at step 0"), (r"at step [01]\b", "at step 1—"), (r"[^a-z]stop", "ßstop"), (r"(\d)\1 twice", "77 twice"), (r"(?<=x)y z", "xy z"), (r"a{30,40}b", "a" * 31 + "b"),
    ],
)  # fmt: skip
def test_an_expression_matches_the_bytes_of_what_the_pattern_matches(regex, line):
    assert re.search(regex, line)
    assert re.search(b"(?m)" + expression(regex).encode("latin-1"), line.encode())


def test_a_number_at_the_end_of_a_pattern_is_not_nominated_where_a_longer_one_begins_so():
    assert not re.search(b"(?m)" + expression(r"at step [01]\b").encode("latin-1"), b"saved at step 1200")


def test_a_pattern_that_can_match_nothing_has_no_expression():
    with pytest.raises(NotDerivableError):
        expression(r"x?")
    assert expressions([r"x?"]) == (rb"[^\n]+",)


def test_words_that_may_be_missing_are_none():
    assert words(r"(?i)failed") == ()
    assert words(r"\d+") == ()
    assert words(r"[Ll]oss (?:is|are) nan") == (frozenset({"Loss is nan", "loss is nan", "Loss are nan", "loss are nan"}),)


def test_a_pattern_without_words_is_swept_over_the_block():
    plain = Plain([r"(?i)failed", r"\d\d"], [("failed",), ("none",)])
    assert [(line, list(numbers(mask))) for _, line, mask in plain.lines(b"x\nFAILED 42\n7\n42")] == [(11, [0, 1]), (16, [1])]

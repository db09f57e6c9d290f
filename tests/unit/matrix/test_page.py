"""doc/matrix.md says what ran, what failed, and what could not run and why."""

from __future__ import annotations

from pathlib import Path

from tests.matrix.folder import Made
from tests.matrix.outcome import Outcome, read
from tests.matrix.page import Row, page
from tests.matrix.suite import SUITES, Tracking, by_name

NEWEST = by_name("26.05")
MADE = Made("forky", "26.05.5", "3.14.8", 1.0, "x")
JUNIT = """<testsuites><testsuite>
<testcase classname="tests.system.test_plugin" name="test_a" time="1"/>
<testcase classname="tests.system.test_plugin" name="test_b" time="1"><failure message="assert 1 == 2&#10; where">trace</failure></testcase>
<testcase classname="tests.system.test_plugin" name="test_b" time="1"><error message="teardown">trace</error></testcase>
<testcase classname="tests.system.test_plugin" name="test_c" time="1"><skipped message="no GPU"/></testcase>
</testsuite></testsuites>"""


def _read(tmp_path: Path, text: str | None, status: int) -> Outcome:
    path = tmp_path / "results.xml"
    if text is not None:
        path.write_text(text)
    return read(path, status, 12.0, 600.0)


def test_a_test_that_fails_in_its_body_and_in_its_teardown_is_one_failure(tmp_path: Path) -> None:
    outcome = _read(tmp_path, JUNIT, 1)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (
        1, {"test_plugin::test_b": "assert 1 == 2 where"}, {"test_plugin::test_c": "no GPU"})
    assert not outcome.good


def test_a_run_that_pytest_did_not_finish_is_never_good(tmp_path: Path) -> None:
    """Late, killed, broken at collection, or without a single test that ran."""
    whole = '<testsuites><testsuite><testcase classname="a.b" name="c"/></testsuite></testsuites>'
    assert _read(tmp_path, whole, 0).good
    assert _read(tmp_path, whole, 124).ended == "not done after 600 s"
    for text, status in ((whole, 124), (whole, -9), (whole, 2), ("<testsuites/>", 0), ("<cut", 0), (None, 0)):
        (tmp_path / "results.xml").unlink(missing_ok=True)
        assert not _read(tmp_path, text, status).good, (text, status)


def test_the_page_names_each_failure_once_with_the_versions_it_was_seen_on(tmp_path: Path) -> None:
    outcome = _read(tmp_path, JUNIT, 1)
    text = page([Row(NEWEST, tracking, MADE, "built", outcome) for tracking in Tracking], "make matrix", "abc", "today", 60)
    assert text.count("test_plugin::test_b") == 1
    assert "(26.05.5 linuxproc, 26.05.5 cgroup): assert 1 == 2 where" in text
    assert "| forky | 26.05.5 | 3.14.8 | cgroup | built | 1 | 1 | 1 | 12 s | failed |" in text


def test_a_test_skipped_for_different_reasons_has_a_line_for_each(tmp_path: Path) -> None:
    outcomes = (_read(tmp_path, JUNIT.replace("no GPU", why), 1) for why in ("no groups", "no kernel log"))
    text = page([Row(NEWEST, tracking, MADE, "", one) for tracking, one in zip(Tracking, outcomes, strict=True)], "m", "abc", "today", 60)
    assert "- `test_plugin::test_c` (26.05.5 linuxproc): no groups\n- `test_plugin::test_c` (26.05.5 cgroup): no kernel log\n" in text


def test_a_suite_that_cannot_be_had_has_a_line_with_the_reason() -> None:
    text = page([Row(NEWEST, Tracking.CGROUP, None, why="the mirror | has\nnone")], "make matrix", "abc", "today", 60)
    assert "| newest | 26.05 | | cgroup | | | | | | not run: the mirror \\| has none |" in text


def test_the_page_names_no_address_and_quotes_no_log() -> None:
    why = "cannot be had: Get http://mirror.example.org:80/debian failed; the end of /x/log:\nproxy https://user:word@proxy.example.org/"
    text = page([Row(NEWEST, Tracking.CGROUP, None, why=why)], "make matrix", "abc", "today", 60)
    assert "cannot be had: Get (address) failed" in text
    assert "example.org" not in text


def test_a_suite_is_found_by_its_name_its_codename_and_its_slurm() -> None:
    assert [by_name(name) for name in ("bookworm", "24.11", "sid")] == list(SUITES)

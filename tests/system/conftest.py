"""One bed for the whole session; skipped, and loudly, where no bed can run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterator

import pytest

from tests.system.plugged import plugged, plugged_bed
from tests.testbed import Cluster, host
from tests.testbed.leftovers import clear

__all__ = ["bed_host", "cluster", "plugged", "plugged_bed"]


def _bed_or_skip() -> None:
    reasons = host.in_the_way() + [f"the Debian package {name} is not installed: make deps" for name in host.missing_packages()]
    if not reasons:
        return
    words = "NO SYSTEM TEST RUNS HERE: " + "; ".join(reasons)
    if os.environ.get("GPUALERT_REQUIRE_CLUSTER") == "1":
        pytest.fail(words)
    warnings.warn(words, stacklevel=2)
    pytest.skip(words)


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A bed with gpualert hooked in, shared by the session: leave it as you found it."""
    _bed_or_skip()
    with Cluster(gpualert=True) as bed:
        missing = bed.gpualert.missing()
        if missing:
            pytest.fail(f"the bed lacks a part of gpualert: {'; '.join(missing)}")
        _SHARED.append(bed)
        yield bed
        _SHARED.clear()


_SHARED: list[Cluster] = []
"""The session's bed, while it is up."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed may have left jobs running; the tests behind it would wait for the nodes in vain."""
    report = yield
    if report.failed and _SHARED and (words := clear(_SHARED[0])):
        report.sections.append(("left on the bed", words))
    return report


@pytest.fixture
def bed_host() -> None:
    """For tests that bring up beds of their own: skipped where none can run."""
    _bed_or_skip()

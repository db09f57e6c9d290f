"""One bed for the whole session; skipped, and loudly, where no bed can run."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator

import pytest

from tests.system.plugged import plugged, plugged_bed
from tests.testbed import Cluster, host

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
        yield bed


@pytest.fixture
def bed_host() -> None:
    """For tests that bring up beds of their own: skipped where none can run."""
    _bed_or_skip()

"""What every test may use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

# A busy machine makes an example late, which says nothing about the code; pytest-timeout bounds the whole test.
hypothesis.settings.register_profile("unhurried", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("unhurried")


def pytest_addoption(parser: pytest.Parser) -> None:
    """``--update-goldens`` rewrites golden files instead of comparing with them."""
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files with what the code gives now")


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, bytes | str], None]:
    """``golden(path, actual)``: the file's content equals ``actual``; with --update-goldens it is written instead."""

    def check(path: Path, actual: bytes | str) -> None:
        content = actual.encode() if isinstance(actual, str) else actual
        if request.config.getoption("--update-goldens"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            return
        assert path.exists(), f"{path} is missing; pytest --update-goldens writes it"
        assert path.read_bytes() == content, f"{path} differs; pytest --update-goldens rewrites it, then read the diff"

    return check

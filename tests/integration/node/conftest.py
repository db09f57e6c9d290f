"""What tests of the node service need: root, a munged of their own, an ordinary user."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.testbed import nvml_library
from tests.testbed.daemon import Daemon
from tests.testbed.munge import munged


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """All of this folder needs root: it becomes other users and writes to the kernel log."""
    if os.geteuid() != 0:
        for item in items:
            if "integration/node" in str(item.path):
                item.add_marker(pytest.mark.skip(reason="needs root: becomes other users, writes to /dev/kmsg"))


@pytest.fixture(scope="session")
def munge_daemon() -> Iterator[tuple[Daemon, Path]]:
    """A real munged with a key of its own, and its socket."""
    if shutil.which("munged") is None:
        pytest.skip("munged is not installed (Debian: munge)")
    # Not below pytest's own folder: that is closed to the users who open seals here.
    root = Path(tempfile.mkdtemp(prefix="gpualert-munge-", dir="/var/tmp"))
    root.chmod(0o755)
    (root / "log").mkdir()
    daemon = munged(root, dict(os.environ))
    daemon.start()
    try:
        yield daemon, root / "munge" / "socket"
    finally:
        daemon.stop()
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def munge_socket(munge_daemon: tuple[Daemon, Path]) -> Path:
    """Where it answers."""
    return munge_daemon[1]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user can reach, removed afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="gpualert-test-", dir="/var/tmp"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with libnvidia-ml.so.1."""
    return nvml_library.build(tmp_path_factory.mktemp("nvml")).parent


@pytest.fixture
def node(open_folder: Path, munge_socket: Path, library: Path) -> Iterator[object]:
    """A node; whatever was started is ended."""
    from tests.integration.node.a_node import ANode

    made = ANode(open_folder, munge_socket, library)
    yield made
    for process in made.started:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait(10)

"""One run: the system tests inside a suite's folder with one way to track processes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .cgroups import CgroupError, Group
from .checkout import INSIDE as CHECKOUT
from .environment import PYTHON
from .folder import Folder
from .outcome import Outcome, read
from .suite import Tracking

NAMES = (Path("/etc/hosts"),)  # the host's own name, as it is inside too
WORTH = (" PASSED ", " FAILED ", " RERUN ", " SKIPPED ", " ERROR ", " XFAIL ", "testbed:")  # what pytest -v and the bed say while they run


def run(folder: Folder, tracking: Tracking, tests: Sequence[str], limit_s: float, say: Callable[[str], None]) -> Outcome:
    """Run pytest there with ``tests`` as its arguments, at most ``limit_s``.

    Raises ``CgroupError`` where tracking by cgroup is asked for and this host cannot give Slurm version 1 hierarchies.
    """
    try:
        group: Group | None = Group(folder.suite.name)
    except CgroupError:
        if tracking is Tracking.CGROUP:
            raise
        group = None
    results = f"results-{tracking.value}.xml"
    there = folder.work / "var" / "tmp" / results
    there.unlink(missing_ok=True)
    env = {"GPUALERT_REQUIRE_CLUSTER": "1", "GPUALERT_TESTBED_TRACKING": tracking.value, "PYTHONDONTWRITEBYTECODE": "1"}
    options = f"-vv --tb=short -p no:cacheprovider --reruns 1 --reruns-delay 5 -rR --junitxml=/var/tmp/{results}"
    argv = ["bash", "-c", f'cd {CHECKOUT} && exec {PYTHON} -m pytest {options} "$@"', "pytest", *tests]
    started = time.monotonic()
    log = folder.path / f"log-{tracking.value}"
    log.unlink(missing_ok=True)
    try:
        status = folder.space.run(argv, timeout_s=limit_s, env=env, binds=NAMES, group=group, log=log,
                                  echo=lambda line: say(line) if _worth(line) else None)
    finally:
        if group is not None and (left := group.remove()):
            say(f"control groups that could not be removed: {', '.join(str(path) for path in left)}")
    return read(there, status, time.monotonic() - started, limit_s)


def _worth(line: str) -> bool:
    return any(word in line for word in WORTH)

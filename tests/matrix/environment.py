"""The folder's own Python environment: its suite's python3, the project's dependencies, and the checkout built against its Slurm."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import urllib.parse
from collections.abc import Sequence
from pathlib import Path

from .checkout import INSIDE as CHECKOUT
from .folder import Folder, Made
from .space import remove

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ENVIRONMENT = Path("/var/tmp/environment")
PYTHON = ENVIRONMENT / "bin" / "python"
# What of the host a program inside needs to reach the network as the host does.
FETCHING = (Path("/etc/resolv.conf"), Path("/etc/hosts"), Path("/etc/ssl/certs"))
PIP = [str(PYTHON), "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input", "install"]


def make(folder: Folder, made: Made, timeout_s: float) -> list[str]:
    """Make or keep the environment, then install the checkout into it with that suite's own compiler and Slurm headers.

    The dependencies are fetched once for each Python and each list of them; the C programs are built at every call.
    Gives what the build said about the C programs. Raises ``SpaceError``.
    """
    space, log = folder.space, folder.log
    here = folder.work / ENVIRONMENT.relative_to("/")
    stamp = here / "recipe"
    wanted = _requirements(folder.work / CHECKOUT.relative_to("/") / "pyproject.toml")
    recipe = hashlib.sha256("\n".join([made.python, *wanted]).encode()).hexdigest()
    env = _pip_environment()
    if not stamp.exists() or stamp.read_text() != recipe:
        remove(here)
        space.check(["/usr/bin/python3", "-m", "venv", str(ENVIRONMENT)], timeout_s=120, log=log)
        binds = [*FETCHING, *_pip_files(space.root)]
        space.check([*PIP, *wanted], timeout_s=timeout_s, env=env, readonly=False, binds=binds, log=log)
        stamp.write_text(recipe)
    built = space.check(["make", "-C", str(CHECKOUT / "spank" / "plugin"), "all"], timeout_s=300, log=log)
    space.check([*PIP, "--no-deps", "--no-index", "--no-build-isolation", "--editable", str(CHECKOUT)], timeout_s=300, log=log)
    space.check([str(PYTHON), "-c", "from tests.testbed import host; host.make_users()"], timeout_s=60, readonly=False,
                env={"PYTHONPATH": str(CHECKOUT)}, log=log)
    return built.splitlines()


def _requirements(pyproject: Path) -> list[str]:
    project = tomllib.loads(pyproject.read_text())
    return [*project["build-system"]["requires"], "wheel", *project["project"]["dependencies"], *project["project"]["optional-dependencies"]["dev"]]


def _pip_environment() -> dict[str, str]:
    own = {key: value for key, value in os.environ.items() if key.startswith("PIP_") or key.lower().endswith("_proxy")}
    return {"HOME": str(Path.home()), **own}


def _pip_files(root: Path) -> Sequence[Path]:
    """The configuration of pip on this host and the folders here that it names: shown inside, copied nowhere.

    The pages of an index in a folder may link to its neighbours, so all of its top folder is shown where ``root`` has no file there.
    """
    files = [Path("/etc/pip.conf"), Path.home() / ".config" / "pip" / "pip.conf", Path.home() / ".pip" / "pip.conf"]
    done = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=False)
    words = [word.strip("'\"") for line in done.stdout.splitlines() for word in line.partition("=")[2].replace("\\n", " ").split()]
    named = [urllib.parse.urlparse(word).path if word.startswith("file://") else word for word in words]
    for path in (Path(name) for name in named if name.startswith("/") and Path(name).exists()):
        top = Path(*path.parts[:2])
        files.append(path if any(there.is_file() for there in (root / top.relative_to("/")).rglob("*")) else top)
    return [path for path in dict.fromkeys(files) if path.exists()]

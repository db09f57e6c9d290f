"""gpualert as a site would install it: in a prefix that job users and the service user can read and run."""

from __future__ import annotations

import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
WHEEL = "GPUALERT_TESTBED_WHEEL"
"""The variable that names a wheel of gpualert built elsewhere, where nothing can be built."""


class InstallError(RuntimeError):
    """gpualert could not be installed into the bed; the text has the words of the step that failed."""


def install(prefix: Path, work: Path) -> None:
    """Build the checkout's wheel in ``work`` and install it, with what it needs, below ``prefix``.

    The interpreter is one that every user can run. The dependencies are those of the running environment, linked or copied file by file,
    because the checkout and its environment may lie in a closed home.
    """
    _run([_open_python(), "-m", "venv", "--without-pip", str(prefix)])
    site = prefix / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    ours = Path(sysconfig.get_paths()["purelib"])
    _link_tree(ours, site)
    py_spy = Path(sysconfig.get_paths()["scripts"]) / "py-spy"
    if py_spy.exists():  # as the extra "stacks" would have put it there
        _link(py_spy, prefix / "bin" / "py-spy")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
    wheel = Path(os.environ[WHEEL]) if WHEEL in os.environ else _build(pip, work)
    _run([*pip, f"--python={prefix / 'bin' / 'python'}", "install", "--quiet", "--no-deps", "--no-index", "--force-reinstall", str(wheel)])
    shutil.rmtree(work, ignore_errors=True)


def _build(pip: list[str], work: Path) -> Path:
    source = work / "source"
    _copy_sources(source)
    wheels = work / "wheels"
    # The build system named in pyproject.toml, where this environment has it, spares a download.
    offline = ["--no-build-isolation", "--no-index"] if _has_build_system() else []
    _run([*pip, "wheel", "--quiet", "--no-deps", *offline, "-w", str(wheels), str(source)])
    return next(iter(wheels.glob("*.whl")))


def _has_build_system() -> bool:
    try:
        return int(importlib.metadata.version("setuptools").split(".")[0]) >= 77
    except importlib.metadata.PackageNotFoundError:
        return False


def _open_python() -> str:
    """An interpreter of the running version that an ordinary user can run; raises ``InstallError`` where there is none."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    own = Path(sys.base_prefix) / "bin" / f"python{version}"
    for python in dict.fromkeys([str(own), f"/usr/bin/python{version}", f"/usr/local/bin/python{version}"]):
        probe = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", python, "-c", "import venv"]
        if Path(python).exists() and subprocess.run(probe, capture_output=True, check=False, cwd="/").returncode == 0:
            return python
    raise InstallError(f"no python{version} that every user can run: {own} is closed to others, and /usr/bin/python{version} is absent")


def _link_tree(source: Path, target: Path) -> None:
    """Every installed file but gpualert's own, hard-linked where that is possible: no copy of numpy for every bed."""
    for folder, subfolders, files in os.walk(source):
        subfolders[:] = [name for name in subfolders if name != "__pycache__" and not name.startswith(("gpualert_slurm", "__editable__"))]
        there = target / Path(folder).relative_to(source)
        there.mkdir(parents=True, exist_ok=True)
        for name in files:
            if not name.startswith(("__editable__", "gpualert")):
                _link(Path(folder) / name, there / name)


def _link(source: Path, target: Path) -> None:
    readable = source.stat().st_mode & 0o004
    try:
        if not readable:
            raise OSError
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
        target.chmod(0o755 if os.access(source, os.X_OK) else 0o644)


def _copy_sources(target: Path) -> None:
    """The checkout as git sees it, new files too, and the C programs as built: the wheel must not pick up leftovers of older builds."""
    git = ["git", "-C", str(CHECKOUT), "-c", f"safe.directory={CHECKOUT}", "ls-files", "-z", "-co", "--exclude-standard"]
    listed = subprocess.run(git, capture_output=True, check=False) if shutil.which("git") else None
    if listed is not None and listed.returncode == 0:
        names = [name for name in listed.stdout.decode().split("\0") if name]
    else:
        names = [str(p.relative_to(CHECKOUT)) for p in CHECKOUT.rglob("*") if p.is_file() and not p.relative_to(CHECKOUT).parts[0].startswith(".")]
    built = CHECKOUT / "spank" / "plugin" / "build"
    names += [str(p.relative_to(CHECKOUT)) for p in built.rglob("*") if p.is_file()]
    for name in dict.fromkeys(names):
        path = CHECKOUT / name
        if path.is_file() and not name.startswith(("tests/", "corpus/")):
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / name)


def _run(argv: list[str]) -> None:
    env = {key: value for key, value in os.environ.items() if key not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300, env=env, cwd="/")
    if done.returncode != 0:
        raise InstallError(f"{' '.join(argv)} ended with {done.returncode}:\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")

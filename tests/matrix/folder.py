"""A suite's folder: Debian with Slurm in it, made by debootstrap, kept between runs and made anew when it is stale."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from . import mirror
from .space import PATH, Space, SpaceError, age_days, free_gib, remove
from .suite import Suite

CHECKOUT = Path(__file__).resolve().parents[2]
PACKAGES = CHECKOUT / "tests" / "testbed" / "packages.txt"
ALSO = ("python3", "ca-certificates")  # what a small Debian lacks and a host has
RESOLVER = (Path("/etc/resolv.conf"), Path("/etc/hosts"))
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
SCRIPTS = Path("/usr/share/debootstrap/scripts")
NEEDED_GIB = 4.0  # a folder takes 1.3 GiB, its environment and beds up to 1 GiB, and the old one goes last
# 101: no service is started (Debian's policy-rc.d); the test bed starts its own.
POLICY = "#!/bin/sh\nexit 101\n"
INSTALL = """set -e
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -y -q --no-install-recommends "$@"
apt-get clean
rm -rf /var/lib/apt/lists/* /usr/share/doc /usr/share/man /usr/share/locale
"""


class FolderError(RuntimeError):
    """A suite cannot be had on this machine; the text says why."""


@dataclass(frozen=True)
class Made:
    """What a folder is: the codename taken, Slurm's and Python's versions in it, and when it was made (seconds since the epoch; 0: the host)."""

    codename: str
    slurm: str
    python: str
    made_s: float = 0.0
    recipe: str = ""


class Folder:
    """``cache/<suite>/``: ``root`` (read-only while tests run), ``work`` (their /tmp and /var/tmp), ``made.json`` and ``log``."""

    def __init__(self, cache: Path, suite: Suite, say: Callable[[str], None]) -> None:
        self.suite = suite
        self.path = cache / suite.name
        self.work = self.path / "work"
        self.log = self.path / "log"
        self._say = say

    @property
    def space(self) -> Space:
        """Where commands run."""
        return Space(self.path / "root", self.work)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Nobody else uses the folder meanwhile; raises ``FolderError`` where somebody does."""
        self.path.mkdir(parents=True, exist_ok=True)
        with (self.path / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise FolderError(f"another run uses {self.path}") from None
            yield

    def prepare(self, timeout_s: float) -> Made:
        """The folder, as it lies there or made anew; raises ``FolderError``."""
        self.log.write_bytes(b"")
        if _codename_of_host() in self.suite.codenames:
            self._say("is this host's own suite: no folder is made")
            remove(self.path / "root")
            return self._looked_at(Made(_codename_of_host(), "", ""))
        made = self._kept()
        if made is not None and made.recipe == self._recipe() and age_days(made.made_s) <= self.suite.max_age_days:
            self._say(f"{made.codename} with Slurm {made.slurm} and Python {made.python}, made {age_days(made.made_s):.0f} days ago")
            return made
        try:
            return self._make(timeout_s)
        except (mirror.MirrorError, SpaceError, FolderError, OSError, subprocess.SubprocessError) as error:
            if made is not None and made.recipe == self._recipe():
                self._say(f"cannot be made anew, and is {age_days(made.made_s):.0f} days old: {error}")
                return made
            raise FolderError(f"Debian {'/'.join(self.suite.codenames)} cannot be had: {error}") from error

    @contextlib.contextmanager
    def cleared(self) -> Iterator[None]:
        """Remove what a run that was killed left in /var/tmp, and in the end the checkout; beds that are left then are named."""
        beds = self.work / "var" / "tmp"
        for bed in beds.glob("gpualert-bed-*"):
            remove(bed)
        try:
            yield
        finally:
            remove(beds / "checkout")
            for bed in beds.glob("gpualert-bed-*"):
                self._say(f"a bed was left behind: {bed}")

    def _make(self, timeout_s: float) -> Made:
        until = time.monotonic() + timeout_s
        if (free := free_gib(self.path)) < NEEDED_GIB:
            raise FolderError(f"{self.path} needs {NEEDED_GIB:.0f} GiB and {free:.1f} are free")
        source = mirror.of_apt()
        codename = source.first_of(self.suite.codenames)
        part = self.path / "root.part"
        remove(part)
        self._say(f"debootstrap of {codename} (about half a minute)")
        self._debootstrap(part, source, codename, until - time.monotonic())
        (part / "usr/sbin/policy-rc.d").write_text(POLICY)
        (part / "usr/sbin/policy-rc.d").chmod(0o755)
        for name in ("etc/resolv.conf", "etc/hosts"):
            (part / name).unlink(missing_ok=True)
            (part / name).touch(mode=0o644)
        packages = self._packages()
        self._say(f"installing {len(packages)} packages and what they need (about half a minute)")
        settings = self.work / "tmp" / "apt.conf"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.touch(mode=0o600)
        settings.write_text(mirror.apt_settings() + 'Acquire::https::CAInfo "/tmp/ca.crt";\n')
        if CERTIFICATES.exists():
            shutil.copyfile(CERTIFICATES, settings.with_name("ca.crt"))
        try:
            Space(part, self.work).check(["bash", "-c", INSTALL, "install", *packages], timeout_s=max(1.0, until - time.monotonic()), log=self.log,
                                         env={"APT_CONFIG": "/tmp/apt.conf", **mirror.proxy_environment()}, readonly=False, binds=RESOLVER)
        finally:
            settings.unlink()
        remove(self.path / "root")
        part.rename(self.path / "root")
        made = self._looked_at(Made(codename, "", "", time.time(), self._recipe()))
        (self.path / "made.json").write_text(json.dumps(made.__dict__))
        return made

    def _debootstrap(self, target: Path, source: mirror.Mirror, codename: str, timeout_s: float) -> None:
        # debootstrap itself mounts inside the target; in a mount namespace of its own nothing of that can be left behind.
        script = SCRIPTS / codename
        argv = ["setpriv", "--pdeathsig=KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child=KILL", "--mount-proc",
                "debootstrap", "--variant=minbase", f"--keyring={source.keyring}", codename, str(target), source.address,
                str(script if script.exists() else SCRIPTS / "sid")]
        env = {"PATH": PATH, "LC_ALL": "C", **mirror.proxy_environment()}
        with self.log.open("ab") as out:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env=env,
                                  timeout=max(1.0, timeout_s), check=False)
        if done.returncode != 0:
            end = self.log.read_text(errors="replace").splitlines()[-8:]
            raise FolderError(f"debootstrap ended with {done.returncode}; the end of {self.log}:\n" + "\n".join(end))

    def _looked_at(self, made: Made) -> Made:
        slurm = self.space.check(["slurmctld", "-V"], timeout_s=60, log=self.log).split()[-1]
        python = self.space.check(["/usr/bin/python3", "-c", "import platform; print(platform.python_version())"], timeout_s=60, log=self.log).strip()
        self._say(f"{made.codename} has Slurm {slurm} and Python {python}")
        return Made(made.codename, slurm, python, made.made_s, made.recipe)

    def _kept(self) -> Made | None:
        try:
            made = Made(**json.loads((self.path / "made.json").read_text()))
        except (OSError, ValueError, TypeError):
            return None
        return made if (self.path / "root" / "usr" / "sbin" / "slurmctld").exists() else None

    def _packages(self) -> list[str]:
        lines = (line.partition("#")[0].split() for line in PACKAGES.read_text().splitlines())
        return [*ALSO, *(word for words in lines for word in words)]

    def _recipe(self) -> str:
        return hashlib.sha256(json.dumps([self.suite.codenames, self._packages(), INSTALL, POLICY]).encode()).hexdigest()[:16]


def _codename_of_host() -> str:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return ""
    return next((line.partition("=")[2].strip('"') for line in lines if line.startswith("VERSION_CODENAME=")), "")

"""What the host must be for a bed to run on it, and the users the bed needs."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
from pathlib import Path

from .processes import MARK, environ, parents, program_of

ALICE, BOB, SERVICE = "gpualert-alice", "gpualert-bob", "gpualert"
PROGRAMS = {
    "munged": "munge", "mariadbd": "mariadb-server", "slurmdbd": "slurmdbd", "slurmctld": "slurmctld", "slurmd": "slurmd",
    "sbatch": "slurm-client", "sacct": "slurm-client", "setpriv": "util-linux",
}

FIRST_PID_NAMESPACE = "pid:[4026531836]"  # PROC_PID_INIT_INO, include/linux/proc_ns.h


def in_the_way() -> list[str]:
    """Why no bed can run on this host and installing packages would not help; one sentence each, empty when nothing is in the way."""
    reasons = []
    if os.geteuid() != 0:
        reasons.append("not root: the test bed starts munged, slurmctld and slurmd as the users they need, and makes device files")
    if not _debian_like():
        reasons.append("not a Debian-like system: /etc/os-release names neither debian nor ubuntu, so the packages in packages.txt are unknown here")
    confs = (Path("/etc/slurm/slurm.conf"), Path("/etc/slurm-llnl/slurm.conf"))
    reasons += [f"a real Slurm is configured on this host: {conf} exists" for conf in confs if conf.exists()]
    reasons += [f"a real Slurm runs on this host: {program} with pid {pid}" for pid, program in _foreign_slurm()]
    return reasons


def missing_packages() -> list[str]:
    """Debian packages whose programs were not found, sorted."""
    path = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin:/sbin:/bin"
    return sorted({package for program, package in PROGRAMS.items() if shutil.which(program, path=path) is None})


def kernel_log_has_other_pids() -> str | None:
    """Why pids and control groups in the kernel log are not those seen here (its are the first namespaces'), or None where they are."""
    inside = Path("/proc/self/ns/pid").readlink().name != FIRST_PID_NAMESPACE
    return "the kernel log has the host's pids and control groups, and this runs in namespaces of its own" if inside else None


def make_users() -> None:
    """The two job users and the service user, made where they are missing. They stay: other beds on this host may be using them."""
    present = {entry.pw_name for entry in pwd.getpwall()}
    for name in (ALICE, BOB, SERVICE):
        if name in present:
            continue
        service = ["--system", "--home-dir", "/nonexistent", "--no-create-home", "--shell", "/usr/sbin/nologin"]
        kind = service if name == SERVICE else ["--create-home", "--shell", "/bin/bash"]
        done = subprocess.run(["useradd", "--user-group", *kind, name], check=False, capture_output=True, text=True)
        if done.returncode not in (0, 9):  # 9: another bed made it in between
            raise RuntimeError(f"useradd {name} ended with {done.returncode}: {done.stderr.strip()}")


def _debian_like() -> bool:
    try:
        lines = Path("/etc/os-release").read_text().splitlines()
    except OSError:
        return False
    names = " ".join(line.partition("=")[2].strip('"') for line in lines if line.startswith(("ID=", "ID_LIKE=")))
    return bool({"debian", "ubuntu"} & set(names.split()))


def _foreign_slurm() -> list[tuple[int, str]]:
    found = []
    for pid in parents():
        program = program_of(pid).removesuffix("-wlm")
        if program in {"slurmd", "slurmctld", "slurmdbd"} and MARK not in environ(pid):
            found.append((pid, program))
    return found

"""The folders: there, on the right kind of disk, with the right owner and mode."""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

NETWORK = frozenset(
    {"nfs", "nfs4", "lustre", "gpfs", "beegfs", "cifs", "smb3", "ceph", "fuse.ceph", "glusterfs", "fuse.glusterfs", "afs", "9p", "panfs", "wekafs"}
)
LEAST_FREE_MIB = 1024


def _run(who: Patient) -> Iterator[Found]:
    site, daemon = who.config.site, who.config.daemon
    try:
        account = pwd.getpwnam(site.daemon_user)
    except KeyError:
        yield bad(
            f"there is no user {site.daemon_user} (site.daemon_user)",
            f"useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin {site.daemon_user}",
        )
        return
    if Host.NODE in who.hosts:
        yield from _folder(site.state_dir, 0, 0o711, "site.state_dir", local=True)
    if site.transport == "tcp":  # then it is the daemon's own
        if Host.DAEMON in who.hosts:
            yield from _folder(site.spool_dir, account.pw_uid, 0o700, "site.spool_dir", local=True)
    elif who.hosts & {Host.NODE, Host.DAEMON}:
        yield from _folder(site.spool_dir, account.pw_uid, 0o1733, "site.spool_dir", local=False)
    if Host.DAEMON in who.hosts:
        yield from _folder(daemon.state_dir, account.pw_uid, 0o700, "daemon.state_dir", local=True)
    secrets = (who.config.mail.password_file, who.config.mail.webhook_secret_file, who.config.mail.apprise_urls_file)
    for secret in secrets if Host.DAEMON in who.hosts else ():
        if secret is not None and not str(secret).startswith("/run/credentials/"):
            yield from _secret(secret, account.pw_uid)
    if site.off_file.exists():
        yield bad(f"{site.off_file} is there: every hook does nothing", f"rm {site.off_file}")


def _folder(path: Path, uid: int, mode: int, key: str, *, local: bool) -> Iterator[Found]:
    owner = _name(uid)
    make = f"install -d -m {mode:04o} -o {owner} {path}"
    try:
        status = path.stat()
    except PermissionError:
        yield unknown(f"{path} ({key}) cannot be looked at as this user", "run gpualert doctor as root")
        return
    except OSError as error:
        yield bad(f"{path} ({key}): {error.strerror}", make)
        return
    wrong = []
    if not stat.S_ISDIR(status.st_mode):
        yield bad(f"{path} ({key}) is no folder", make)
        return
    if status.st_uid != uid:
        wrong.append((f"it belongs to {_name(status.st_uid)}, not to {owner}", f"chown {owner} {path}"))
    if stat.S_IMODE(status.st_mode) != mode:
        wrong.append((f"its mode is {stat.S_IMODE(status.st_mode):04o}, not {mode:04o}", f"chmod {mode:04o} {path}"))
    kind = file_system(path)
    if local and kind in NETWORK:
        wrong.append((f"it lies on {kind}, a network file system: nodes must not share it", f"set {key} to a local disk in gpualert.toml"))
    free_mib = os.statvfs(path).f_bavail * os.statvfs(path).f_frsize >> 20
    if free_mib < LEAST_FREE_MIB:
        wrong.append((f"{free_mib} MiB are free there: capture stops below min_free_mib", f"df -h {path}   # and make room"))
    for what, mend in wrong:
        yield bad(f"{path} ({key}): {what}", mend)
    if not wrong:
        yield good(f"{path} ({key}): {owner}, {mode:04o}, on {kind or 'an unknown file system'}, {free_mib >> 10} GiB free")


def _secret(path: Path, uid: int) -> Iterator[Found]:
    try:
        status = path.stat()
    except OSError as error:
        yield bad(f"{path}: {error.strerror}", f"install -m 0400 -o {_name(uid)} /dev/stdin {path}   # and type the secret")
        return
    if status.st_uid not in (0, uid) or stat.S_IMODE(status.st_mode) & 0o077:
        yield bad(f"{path} belongs to {_name(status.st_uid)} with mode {stat.S_IMODE(status.st_mode):04o}: others can read the secret",
                  f"chown {_name(uid)} {path} && chmod 0400 {path}; and change the secret")  # fmt: skip
    else:
        yield good(f"{path}: only {_name(status.st_uid)} can read it")


def file_system(path: Path) -> str:
    """The type of the file system that ``path`` lies on, by mountinfo (never asks the file system itself); empty if unknown."""
    device = path.stat().st_dev
    wanted = f"{os.major(device)}:{os.minor(device)}"
    for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8", errors="replace").splitlines():
        head, _, tail = line.partition(" - ")
        if head.split()[2] == wanted:
            return tail.split()[0]
    return ""


def _name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


CHECK = Check("folders", frozenset({Host.NODE, Host.DAEMON}), _run, order=20)

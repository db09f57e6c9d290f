"""The seal: what this machine seals for the daemon, the daemon can open, and nobody else."""

from __future__ import annotations

import os
import pwd
import subprocess
import sys
from collections.abc import Iterator

from gpualert_slurm.config import ConfigError, Site
from gpualert_slurm.epilog.seal import Seal, SealKeys, SealRefusedError, SealUnavailableError, seal_of
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

CONTENT = b"gpualert doctor"
_DEADLINE_S = 25.0
_OPEN = (
    "import os, sys\n"
    "from gpualert_slurm.config import Site\n"
    "from gpualert_slurm.epilog.seal import SealKeys, seal_of\n"
    "site = Site.model_validate_json(sys.argv[1])\n"
    "try:\n"
    "    sys.stdout.buffer.write(seal_of(site).open(sys.stdin.buffer.read(), SealKeys.of(site, os.geteuid())).content)\n"
    "except Exception as error:\n"
    "    sys.exit(str(error))\n"
)


def _run(who: Patient) -> Iterator[Found]:
    site = who.config.site
    try:
        seal = seal_of(site)
    except ConfigError as error:
        yield bad(str(error), f"$EDITOR {who.config_path}   # [site] seal")
        return
    try:
        daemon = pwd.getpwnam(site.daemon_user)
    except KeyError:
        yield unknown(f"there is no user {site.daemon_user}", f"getent passwd {site.daemon_user}")
        return
    if site.seal == "key_file" and os.geteuid() not in (0, daemon.pw_uid):
        yield unknown(f"{site.seal_key_file} is closed to uid {os.geteuid()}, as it must be", "run gpualert doctor as root")
        return
    keys = SealKeys.of(site, daemon.pw_uid)
    try:
        sealed = seal.close(CONTENT, keys)
    except SealUnavailableError as error:
        yield bad(str(error), mend(site))
        return
    yield good(f"{site.seal} seals for {site.daemon_user} (uid {daemon.pw_uid})")
    if os.geteuid() not in (0, daemon.pw_uid):
        yield unknown(f"whether {site.daemon_user} can open it: this is uid {os.geteuid()}", "run gpualert doctor as root")
    elif Host.DAEMON in who.hosts or site.seal == "munge":  # with a key file the daemon's key lies on the daemon's host only
        yield _opened_by(daemon, sealed, site)
    if site.seal == "munge" and os.geteuid() != daemon.pw_uid:
        yield _not_by_us(seal, sealed, keys, site.daemon_user)


def mend(site: Site) -> str:
    """What to do about a seal that does not work."""
    if site.seal == "munge":
        return "systemctl restart munge" + (f"   # its socket: {site.munge_socket}" if site.munge_socket else "")
    return f"ls -l {site.seal_key_file}; chmod 0400 {site.seal_key_file}   # one '<id> <64 hex digits>' a line, the same on nodes and daemon"


def _opened_by(daemon: pwd.struct_passwd, sealed: bytes, site: Site) -> Found:
    """By a process of the daemon's user, as gpualertd opens it."""
    argv = [sys.executable, "-I", "-c", _OPEN, site.model_dump_json()]
    become = {"user": daemon.pw_uid, "group": daemon.pw_gid, "extra_groups": []} if os.geteuid() == 0 else {}
    try:
        done = subprocess.run(argv, input=sealed, capture_output=True, timeout=_DEADLINE_S, check=False, cwd="/", **become)  # type: ignore[call-overload]
    except (OSError, subprocess.TimeoutExpired) as error:
        return bad(f"{daemon.pw_name} cannot open it: {error}", mend(site))
    if done.returncode == 0 and done.stdout == CONTENT:
        return good(f"and {daemon.pw_name} (uid {daemon.pw_uid}) opens it")
    words = done.stderr.decode("utf-8", "replace").strip().splitlines()
    what = words[-1] if words else "what was opened is not what was sealed"
    if site.seal == "munge":
        return bad(f"{daemon.pw_name} cannot open it: {what}", f"date; {mend(site)}; compare /etc/munge/munge.key between the machines by sha256sum")
    return bad(f"{daemon.pw_name} cannot open it: {what}", f"chown {daemon.pw_name} {site.seal_key_file} && chmod 0400 {site.seal_key_file}")


def _not_by_us(seal: Seal, sealed: bytes, keys: SealKeys, daemon: str) -> Found:
    try:
        seal.open(sealed, keys)
    except SealRefusedError:
        return good(f"and it does not open for uid {os.geteuid()}")
    except SealUnavailableError as error:
        return bad(str(error), "systemctl restart munge")
    return bad(
        f"a credential for {daemon} opened for uid {os.geteuid()}: the restriction does not hold",
        "dpkg -l munge || rpm -q munge   # 0.5.13 or later is needed",
    )


CHECK = Check("seal", frozenset({Host.NODE, Host.DAEMON}), _run, order=40)

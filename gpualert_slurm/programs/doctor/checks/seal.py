"""MUNGE: what this machine seals for the daemon, the daemon can open."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator

from gpualert_slurm.epilog.seal import SealKeys, SealRefusedError, SealUnavailableError
from gpualert_slurm.epilog.seals.munge import SEAL
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

CONTENT = b"gpualert doctor"


def _run(who: Patient) -> Iterator[Found]:
    site = who.config.site
    socket = site.munge_socket
    start = "systemctl restart munge" + (f"   # its socket: {socket}" if socket else "")
    try:
        uid = pwd.getpwnam(site.daemon_user).pw_uid
    except KeyError:
        yield unknown(f"there is no user {site.daemon_user}")
        return
    try:
        sealed = SEAL.close(CONTENT, SealKeys(uid, socket))
    except SealUnavailableError as error:
        yield bad(str(error), start)
        return
    yield good(f"munge seals for {site.daemon_user} (uid {uid})")
    try:
        if os.geteuid() == uid:
            opened = SEAL.open(sealed, SealKeys(uid, socket))
            yield good("and it opens again") if opened.content == CONTENT else bad("what was opened is not what was sealed", start)
        else:
            own = SEAL.open(SEAL.close(CONTENT, SealKeys(os.geteuid(), socket)), SealKeys(os.geteuid(), socket))
            yield good("a credential for ourselves opens again") if own.content == CONTENT else bad("what was opened is not what was sealed", start)
            yield from _not_ours(sealed, socket_keys=SealKeys(uid, socket), daemon=site.daemon_user)
    except (SealUnavailableError, SealRefusedError) as error:
        yield bad(str(error), f"date; {start}; and compare /etc/munge/munge.key between the machines by sha256sum")


def _not_ours(sealed: bytes, *, socket_keys: SealKeys, daemon: str) -> Iterator[Found]:
    try:
        SEAL.open(sealed, socket_keys)
    except SealRefusedError:
        yield good(f"and one for {daemon} does not open for uid {os.geteuid()}")
        return
    yield bad(
        f"a credential for {daemon} opened for uid {os.geteuid()}: the restriction does not hold",
        "dpkg -l munge || rpm -q munge   # 0.5.13 or later is needed",
    )


CHECK = Check("munge", frozenset({Host.NODE, Host.DAEMON}), _run, order=40)

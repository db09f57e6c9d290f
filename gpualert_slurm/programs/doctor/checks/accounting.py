"""The daemon may see every user's jobs, and node events, in Slurm's accounting."""

from __future__ import annotations

import os
import pwd
import re
from collections.abc import Iterator

from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, bad, good, unknown

ENOUGH = ("Operator", "Administrator")


def _run(who: Patient) -> Iterator[Found]:
    timeout_s, user = who.config.daemon.slurm_timeout_s, who.config.site.daemon_user
    try:
        run(["sacct", "--allusers", "--noheader", "--parsable2", "--allocations", "--starttime=now-1hour"], timeout_s=timeout_s)
    except CommandError as error:
        yield bad(str(error), "systemctl status slurmdbd; sacctmgr show cluster")
        return
    yield good("sacct answers")
    private = ",".join(filter(None, (who.facts.get("PrivateData", "").replace("(null)", ""), *_slurmdbds(timeout_s)))) or "none"
    hidden = sorted({"jobs", "events", "usage", "nodes"} & set(private.split(",")))
    try:
        level = run(["sacctmgr", "--noheader", "--parsable2", "show", "user", user, "format=AdminLevel"], timeout_s=timeout_s).stdout.strip()
    except CommandError as error:
        yield unknown(f"{user}'s rights: {error}", f"sacctmgr show user {user}")
        return
    if level in ENOUGH or _is_slurm_user(who, user):
        yield good(f"{user} is {level or 'SlurmUser'} in accounting")
    elif hidden:
        yield bad(
            f"PrivateData hides {', '.join(hidden)} from {user} (AdminLevel {level or 'none: it is no user there'})",
            f"sacctmgr -i add user {user} account=root adminlevel=Operator || sacctmgr -i modify user {user} set adminlevel=Operator",
        )
    else:
        yield good(f"PrivateData is {private}: {user} sees every job without further rights")
    if os.geteuid() not in (0, _uid(user)):
        yield unknown(f"asked as uid {os.geteuid()}, not as {user}", f"sudo -u {user} gpualert doctor")


def _slurmdbds(timeout_s: float) -> list[str]:
    """PrivateData of slurmdbd.conf, which decides what sacct shows; slurm.conf's decides about squeue and scontrol."""
    try:
        said = run(["sacctmgr", "show", "configuration"], timeout_s=timeout_s).stdout
    except CommandError:
        return []
    return [m[1] for m in re.finditer(r"^PrivateData\s*=\s*(\S+)", said, re.MULTILINE) if m[1] not in ("none", "(null)")]


def _is_slurm_user(who: Patient, user: str) -> bool:
    return who.facts.get("SlurmUser", "").partition("(")[0] == user


def _uid(user: str) -> int:
    try:
        return pwd.getpwnam(user).pw_uid
    except KeyError:
        return -1


CHECK = Check("accounting", frozenset({Host.DAEMON}), _run, order=35)

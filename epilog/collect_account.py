"""Who a uid is: name, home, groups. Asked through commands that can be killed, because name services hang."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

_TIMEOUT_S = 5.0
_MOST_GROUPS = 1024


@dataclass(frozen=True)
class Account:
    """A job's user. ``name`` and ``home`` are absent and ``groups`` empty where no name service answered: ``problem`` says so."""

    uid: int
    gid: int
    name: str | None = None
    home: str | None = None
    groups: tuple[int, ...] = ()
    problem: str | None = None


def look_up(uid: int, gid: int | None) -> Account:
    """The account of ``uid``; ``gid`` is the job's own group where the job file has it. Waits at most ten seconds."""
    fields = (_ask(["getent", "passwd", str(uid)]) or "").strip().split(":")
    if len(fields) < 7 or fields[2] != str(uid):
        return Account(uid, uid if gid is None else gid, problem=f"uid {uid} is not known to this node's name service, or it did not answer")
    name, home = fields[0], fields[5]
    primary = gid if gid is not None else int(fields[3])
    listed = (_ask(["id", "-G", "--", name]) or "").split()
    groups = tuple(int(g) for g in listed if g.isdigit())[:_MOST_GROUPS]
    return Account(uid, primary, name, home, groups or (primary,), None if groups else f"the groups of {name} are not known: id did not answer")


def _ask(argv: Sequence[str]) -> str | None:
    try:
        done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None

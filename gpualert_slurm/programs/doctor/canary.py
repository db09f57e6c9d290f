"""A job that fails at once, followed from sbatch to the mail: whichever hop it does not make is named, with what to look at there."""

from __future__ import annotations

import os
import pwd
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from gpualert_slurm.epilog.bounded_command import CommandError, run
from gpualert_slurm.programs.doctor.check import Found, Patient, bad, good, unknown
from gpualert_slurm.programs.doctor.checks.daemon import runs
from gpualert_slurm.programs.doctor.trail import Trail, TrailError, trail_of

NAME, EXIT_CODE = "gpualert-canary", 42
SCRIPT = f"echo gpualert canary; echo 'RuntimeError: the canary is to fail' >&2; exit {EXIT_CODE}"
START_S = 60.0
"""For a queue that is free: where it is not, ``--follow`` goes on later."""
_POLL_S = 0.5
_WAITS = frozenset({"PENDING", "CONFIGURING", "REQUEUED", "RESIZING", "SUSPENDED"})
_RUNS = frozenset({"RUNNING", "COMPLETING", "STAGE_OUT"})
_ANSWER_S = 20.0
T = TypeVar("T")


class CanaryError(Exception):
    """No job was submitted; the text is sbatch's."""


def submit(address: str, options: Sequence[str]) -> int:
    """Submit the canary as the caller; gives the job's id. Raises CanaryError."""
    argv = ["sbatch", "--parsable", f"--job-name={NAME}", "--ntasks=1", "--time=2", "--output=/dev/null", f"--gpualert-mail={address}", *options,
            f"--wrap={SCRIPT}"]  # fmt: skip
    try:
        said = run(argv, timeout_s=_ANSWER_S).stdout.strip()
    except CommandError as error:
        raise CanaryError(str(error)) from error
    found = re.fullmatch(r"(\d+)(;.*)?", said.splitlines()[-1] if said else "")
    if found is None:
        raise CanaryError(f"sbatch said {said[:200]!r} instead of a job's id")
    return int(found[1])


def refused(why: str) -> Found:
    """What to do about an sbatch that does not take the canary."""
    if "unrecognized option" in why or "gpualert-mail" in why:
        return bad(f"sbatch does not take --gpualert-mail here: {why}", "gpualert doctor --as login --only plugin   # it is not loaded on this host")
    return bad(f"the canary was not submitted: {why}", "sbatch --test-only --wrap true   # or give what it wants by --sbatch '--partition=…'")


def follow(job_id: int, who: Patient, wait_s: float, clock: Callable[[], float] = time.monotonic) -> Iterator[Found]:
    """Each hop as it is made, and the first that is not made in time. Bounded by ``wait_s`` from now, ``START_S`` of it for the job's start."""
    begun = clock()
    state, reason = _until(lambda: _state(job_id), lambda s: s[0] not in _WAITS, min(START_S, wait_s))
    if state in _WAITS:
        again = f"scontrol show job {job_id}; later: gpualert doctor --follow {job_id}"
        yield bad(f"job {job_id} has not started within {min(START_S, wait_s):g} s: {state}, {reason or 'no reason given'}", again)
        return
    state, reason = _until(lambda: _state(job_id), lambda s: s[0] not in _WAITS | _RUNS, max(_POLL_S, wait_s - (clock() - begun)))
    if state in _RUNS:
        yield bad(f"job {job_id} is {state} after {wait_s:g} s", f"scontrol show job {job_id}; an Epilog that hangs keeps a job COMPLETING")
        return
    if not state:
        yield unknown(f"how job {job_id} ended: neither squeue nor sacct knows it", f"sacct -D -j {job_id}; scontrol show job {job_id}")
    else:
        yield good(f"job {job_id} ran and ended as {state}")
    yield from _at_the_daemon(job_id, who, lambda: wait_s - (clock() - begun))


def _at_the_daemon(job_id: int, who: Patient, left_s: Callable[[], float]) -> Iterator[Found]:
    config = who.config
    here = f"as root on the daemon's host: gpualert doctor --follow {job_id}"
    try:
        daemon = pwd.getpwnam(config.site.daemon_user)
    except KeyError:
        yield unknown(f"the way to the mail: there is no user {config.site.daemon_user} here", here)
        return
    if os.geteuid() not in (0, daemon.pw_uid) or not config.daemon.state_dir.exists():
        yield unknown("the way to the mail cannot be seen from here", f"look whether it arrives; or {here}")
        return
    try:
        alive = runs(config.daemon.state_dir)
    except OSError:
        alive = False
    if not alive:
        yield bad("gpualertd does not run", "systemctl start gpualertd; journalctl -u gpualertd -n 50")

    def look() -> Trail | TrailError:
        try:
            return trail_of(job_id, config, daemon.pw_uid, daemon.pw_gid)
        except TrailError as error:
            return error  # a daemon that has just been started makes its history first

    trail = _until(look, lambda t: isinstance(t, Trail) and (bool(t.mails) or t.stage == "done"), left_s() if alive else 0.0)
    if isinstance(trail, TrailError):
        yield unknown(f"the way to the mail: {trail}", here)
        return
    yield from _hops(job_id, who, trail)


def _hops(job_id: int, who: Patient, trail: Trail) -> Iterator[Found]:
    node = who.config.site.state_dir / "node"
    if not trail.reports and (trail.missing or not trail.mode):
        came = f"the note of {', '.join(trail.notes)} came, and no report" if trail.notes else "neither note nor report came"
        if trail.stage:
            came += f" (gpualertd has it as {trail.stage}{f', {trail.outcome}' if trail.outcome else ''})"
        yield _lost_on_the_way(job_id, node, came)
        return
    yield good(f"the report of {', '.join(trail.reports)} arrived" if trail.reports else "every report arrived")
    if not trail.mode:
        yield bad(f"it is not judged yet ({trail.stage})", f"journalctl -u gpualertd | grep job={job_id}   # what it waits for: often accounting")
        return
    yield good(f"it was judged: {trail.mode}")
    if not trail.mails:
        if trail.stage == "done":
            what = f"no mail was made: {trail.outcome or 'no reason was kept'}"
            yield bad(what, f"journalctl -u gpualertd | grep job={job_id}; mail.allowed_domains and mail.notify in {who.config_path}")
        else:
            yield bad(f"no mail is in the outbox yet ({trail.stage})", f"journalctl -u gpualertd | grep job={job_id}")
        return
    for state, said in trail.mails:
        if state in ("refused", "corrupt"):
            yield bad(f"the mail is {state}: {said or 'no answer was kept'}", "gpualert outbox list --state refused; gpualert doctor --only mail")
        elif state == "deferred":
            yield bad(f"the mail waits for another try: {said or 'no answer was kept'}", "gpualert doctor --only mail; gpualert outbox list")
        else:
            yield good(f"the mail is {state}" + (f": {said}" if said else ""))


def _lost_on_the_way(job_id: int, node: Path, came: str) -> Found:
    """Which folder of a node still has it, where this machine is that node."""
    mends = {
        "jobs": ("its job file is still taken for a running job's: the Epilog did not hand it over", "scontrol show config | grep -i '^epilog '"),
        "ended": ("its job file was handed over, and no report was made of it: gpualert-node does not run, or fails",
                  "systemctl status gpualert-node.path gpualert-node; journalctl -u gpualert-node -n 30"),
        "out": ("its report lies on the node and cannot be handed over",
                "journalctl -u gpualert-node -n 30; gpualert doctor --only seal --only transport"),
        "bad": ("its job file or report was put aside", "journalctl -u gpualert-node | grep bad"),
    }  # fmt: skip
    try:
        for folder, (what, mend) in mends.items():
            for path in node.glob(f"*/{folder}/{job_id}.*"):
                if not path.name.startswith("."):
                    return bad(f"{came}: on {path.parent.parent.name} {what}", mend)
    except OSError:
        pass
    return bad(
        f"{came}: the node captured nothing, or what it sent did not arrive",
        "on the job's node: gpualert doctor --as node; journalctl -u gpualert-node -n 30; journalctl -u slurmd | grep gpualert",
    )


def _state(job_id: int) -> tuple[str, str]:
    """State and reason as squeue has them; accounting's state where slurmctld has forgotten the job; empty where nobody knows it."""
    try:
        said = run(["squeue", "--noheader", "--states=all", f"--jobs={job_id}", "--format=%T|%r"], timeout_s=_ANSWER_S).stdout.strip()
    except CommandError:
        said = ""
    if not said:
        try:
            said = run(["sacct", "-X", "-n", "-P", f"--jobs={job_id}", "--format=State,Reason"], timeout_s=_ANSWER_S).stdout.strip()
        except CommandError:
            return "", ""
    state, _, reason = said.splitlines()[-1].partition("|") if said else ("", "", "")
    return (state.split() or [""])[0], reason


def _until(look: Callable[[], T], fits: Callable[[T], bool], most_s: float) -> T:
    until = time.monotonic() + most_s
    while True:
        found = look()
        if fits(found) or time.monotonic() >= until:
            return found
        time.sleep(_POLL_S)


def options(text: str) -> list[str]:
    """The words of ``--sbatch``."""
    return shlex.split(text)

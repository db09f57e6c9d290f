"""The doctor's work: which checks there are, what this machine is, and each check run so that it can hang or fail alone."""

from __future__ import annotations

import calendar
import os
import re
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpualert_slurm.config import Config
from gpualert_slurm.discovery import discover
from gpualert_slurm.programs.doctor import checks as package
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, unknown

AHEAD = "controller's clock ahead, s"
"""Among the facts: by how much at least slurmctld's clock is ahead of this one (negative: behind), told from when it answered."""
LIMIT_S = 60.0
"""For one check. Each bounds its own waits; this one holds should it not."""


def checks() -> dict[str, Check]:
    """Every check by name, in the order in which trouble is best looked for."""
    found = discover(package, "CHECK", Check)
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def patient(config: Config, path: Path, hosts: Sequence[str] | None) -> Patient:
    """This machine: a node where slurmd runs, the controller where slurmctld does, the daemon's where its state folder lies, else a login host."""
    facts = slurm_config(config)
    if hosts:
        return Patient(config, path, frozenset(Host(h) for h in hosts), facts)
    running = set(processes().values())
    guessed = {host for host, program in ((Host.NODE, "slurmd"), (Host.CONTROLLER, "slurmctld")) if program in running}
    if config.daemon.state_dir.exists() or "gpualertd" in running:
        guessed.add(Host.DAEMON)
    return Patient(config, path, frozenset(guessed or {Host.LOGIN}), facts)


def slurm_config(config: Config) -> dict[str, str]:
    """``scontrol show config`` by key; empty where slurmctld does not answer."""
    from gpualert_slurm.epilog.bounded_command import CommandError, run

    try:
        asked_s = time.time()
        said = run(["scontrol", "show", "config"], timeout_s=min(10.0, config.daemon.slurm_timeout_s), env={**os.environ, "TZ": "UTC"}).stdout
        answered_s = time.time()
    except CommandError:
        return {}
    found = by_key(said)
    if time_there := re.match(r"Configuration data as of (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)", said):
        there_s = calendar.timegm(time.strptime(time_there[1], "%Y-%m-%dT%H:%M:%S"))
        # Cut to whole seconds there: it was that second at some moment between asking and the answer.
        found[AHEAD] = str(max(0.0, there_s - answered_s) or min(0.0, there_s + 1 - asked_s))
    return found


def by_key(said: str) -> dict[str, str]:
    """What ``scontrol show config`` printed, by key. Where it gives a line for each of several programs (``Epilog[0]``, seen with Slurm 24.11),
    they are one value, in order, with commas between.
    """
    found: dict[str, str] = {}
    for line in re.finditer(r"^([^\s\[]+)(\[\d+\])?\s*=\s*(.*)$", said, re.MULTILINE):
        key, value = line[1], line[3].strip()
        found[key] = f"{found[key]}, {value}" if line[2] and key in found else value
    return found


def processes() -> dict[int, str]:
    """Every process's command name, as far as /proc shows them."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "comm").read_text(encoding="utf-8", errors="replace").strip()
            except OSError:
                continue
    return found


def examine(check: Check, who: Patient) -> Iterator[Found]:
    """What the check found; one that fails or hangs says so and holds up no other."""
    found: list[Found] = []
    failure: list[str] = []

    def work() -> None:
        try:
            found.extend(check.run(who))
        except Exception as error:  # a defect in one check must not hide what the others find
            failure.append(f"the check itself failed: {type(error).__name__}: {error}")

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(LIMIT_S)
    yield from list(found)
    if failure:
        yield unknown(failure[0])
    elif thread.is_alive():
        yield unknown(f"no answer within {LIMIT_S:g} s; something that it asks hangs")

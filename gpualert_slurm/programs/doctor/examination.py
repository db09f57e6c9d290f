"""The doctor's work: which checks there are, what this machine is, and each check run so that it can hang or fail alone."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path

from gpualert_slurm.config import Config
from gpualert_slurm.discovery import discover
from gpualert_slurm.programs.doctor import checks as package
from gpualert_slurm.programs.doctor.check import Check, Found, Host, Patient, unknown

LIMIT_S = 60.0
"""For one check. Each bounds its own waits; this one holds should it not."""


def checks() -> dict[str, Check]:
    """Every check by name, in the order in which trouble is best looked for."""
    found = discover(package, "CHECK", Check)
    return dict(sorted(found.items(), key=lambda item: (item[1].order, item[0])))


def patient(config: Config, path: Path, hosts: Sequence[str] | None) -> Patient:
    """This machine. It is a node where slurmd runs, the daemon's where its state folder lies, and else a login host."""
    facts = slurm_config(config)
    if hosts:
        return Patient(config, path, frozenset(Host(h) for h in hosts), facts)
    running = set(processes().values())
    guessed = {Host.NODE} if "slurmd" in running else set[Host]()
    if config.daemon.state_dir.exists() or "gpualertd" in running:
        guessed.add(Host.DAEMON)
    return Patient(config, path, frozenset(guessed or {Host.LOGIN}), facts)


def slurm_config(config: Config) -> dict[str, str]:
    """``scontrol show config`` by key; empty where slurmctld does not answer."""
    from gpualert_slurm.epilog.bounded_command import CommandError, run

    try:
        said = run(["scontrol", "show", "config"], timeout_s=min(10.0, config.daemon.slurm_timeout_s)).stdout
    except CommandError:
        return {}
    return {m[1]: m[2].strip() for m in re.finditer(r"^(\S+)\s*=\s*(.*)$", said, re.MULTILINE)}


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

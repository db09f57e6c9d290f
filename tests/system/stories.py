"""Jobs with fates of their own, submitted together: what became of each, and the verdict in the mail about it.

A recording is made once for all tests of a file, so it tries again by itself where the bed, not gpualert, did not do its part: a command of Slurm that
failed, or a job that ended in another state than it was made for (a node that was too busy to answer, for one).
"""

from __future__ import annotations

import contextlib
import json
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from tests.system.test_daemon import verdict
from tests.testbed import Cluster
from tests.testbed.command import CommandError
from tests.testbed.daemon import DaemonError, wait_until
from tests.testbed.host import ALICE
from tests.testbed.smtp import Mail

MAIL = ("--gpualert-mail=alice@example.org", "--gpualert-when=always")
OVER = {"FAILED", "COMPLETED", "CANCELLED", "NODE_FAIL", "TIMEOUT", "PREEMPTED", "OUT_OF_MEMORY"}


class BedError(RuntimeError):
    """The bed did not do its part: nothing is known of gpualert."""


@dataclass
class Story:
    """What was submitted, what each job was made for, and the verdicts by name as they come."""

    bed: Cluster
    jobs: dict[str, int] = field(default_factory=dict)
    ends: dict[str, str] = field(default_factory=dict)
    found: dict[str, dict] = field(default_factory=dict)

    def submit(self, name: str, script: str, *options: str, ends: str, requeue: bool = False) -> int:
        """Submit one; ``ends`` is the Slurm state it is made for."""
        more = (*options, "--requeue" if requeue else "--no-requeue", *MAIL, f"--job-name={name}")
        try:
            self.jobs[name] = self.bed.submit(f"#!/bin/bash\n{script}\n", *more, user=ALICE)
        except CommandError as error:
            raise BedError(f"{name} was not taken: {error}") from error
        self.ends[name] = ends
        return self.jobs[name]

    def scontrol(self, *argv: str) -> None:
        """What an admin does."""
        try:
            self.bed.scontrol(*argv)
        except CommandError as error:
            raise BedError(str(error)) from error

    def until(self, name: str, states: Collection[str], timeout_s: float = 120) -> None:
        """Wait until Slurm says that the job is in one of these states."""
        job = self.jobs[name]
        try:
            wait_until(lambda: self._state(job) in states, f"job {job} ({name}) in {states}", timeout_s)
        except (DaemonError, CommandError) as error:
            raise BedError(f"{name}: {error}") from error

    def noted(self, name: str, timeout_s: float = 60) -> None:
        """Wait until gpualertd has the note that the job's node sends at its start."""
        wait_until(lambda: f"note job={self.jobs[name]}" in self.bed.daemon.log.read_text(), f"the note of {name}", timeout_s)

    def printed(self, name: str, words: bytes, timeout_s: float = 60) -> None:
        """Wait until a rank of the job's first step has printed this."""
        logs = self.bed.gpualert.state_dir / "logs"
        wait_until(lambda: any(words in p.read_bytes() for p in logs.glob(f"{self.jobs[name]}.*/*.out")), f"{words!r} in {name}", timeout_s)

    def watched(self, name: str, node: str, timeout_s: float = 60) -> None:
        """Wait until the node has read the job's cards as they were before it: what moves from now on moved while the job ran."""
        state = self.bed.gpualert.state_dir / "node" / node
        wait_until(lambda: any(state.glob(f"{self.jobs[name]}.*/gpus.jsonl")), f"the cards of {name} on {node} as they were before", timeout_s)

    def strike(self, node: str) -> None:
        """An uncorrectable error in the memory of each card of the node."""
        for gpu in range(2):
            self.bed.nvml.set(node, gpu, {"ecc.volatile.uncorrected": 1, "ecc.aggregate.uncorrected": 1})

    def check(self, timeout_s: float = 240) -> None:
        """Wait until all are over, as accounting has it. Raises BedError where one ended as it was not made to."""
        for name, job in self.jobs.items():
            try:
                wait_until(lambda job=job: self._row(job).get("State") in OVER, f"the end of job {job} ({name})", timeout_s, poll_s=1.0)
            except (DaemonError, CommandError) as error:
                raise BedError(str(error)) from error
            row = self._row(job)
            if row["State"] != self.ends[name]:
                raise BedError(f"{name} (job {job}) ended as {row['State']}, made for {self.ends[name]}: {self.bed.output(job)[-500:]}")

    def _state(self, job: int) -> str | None:
        """As slurmctld has it, which forgets a job half a minute after its end; then as accounting has it."""
        parts = self.bed.job(job)
        return parts[0]["JobState"] if parts else self._row(job).get("State")

    def _row(self, job: int) -> dict[str, str]:
        """The last run of a job in accounting, its state in one word; nothing while there is none."""
        rows = [row for row in self.bed.sacct(job, ("JobID", "State"), final_within_s=0) if row["JobID"] == str(job)]
        return {**rows[-1], "State": rows[-1]["State"].partition(" ")[0]} if rows else {}

    def cancel(self) -> None:
        """End what is left."""
        for job in self.jobs.values():
            self.bed.command("scancel", str(job), check=False)

    def wait(self, name: str, timeout_s: float = 240) -> dict:
        """The verdict in the mail about that job."""
        if name not in self.found:
            self.found[name] = verdict(self.bed.smtp.wait_mail(lambda mail: self.jobs[name] == _of(mail), timeout_s=timeout_s)[-1])
        return self.found[name]


@contextlib.contextmanager
def judged_by_reports(bed: Cluster) -> Iterator[None]:
    """A daemon that waits for the nodes' reports, however late on a busy machine: all that is judged here rests on them."""
    bed.wait_idle()
    before, was_running = dict(bed.gpualert.settings["daemon"]), bed.daemon.running
    bed.daemon.stop()
    bed.gpualert.configure({"daemon": {"report_deadline_s": 150.0}})
    bed.start_daemon()
    try:
        yield
    finally:
        bed.daemon.stop()
        bed.gpualert.configure({"daemon": before})
        if was_running:
            bed.start_daemon()


def record(bed: Cluster, play: Callable[[Story], None], tidy: Callable[[Story], None]) -> Story:
    """Play it and wait until all jobs are over; once more, from the beginning, where the bed did not do its part."""
    first = Story(bed)
    try:
        play(first)
        first.check()
        return first
    except BedError as error:
        warnings.warn(f"recorded once more, for the bed did not do its part: {error}", stacklevel=2)
        first.cancel()
        tidy(first)
        bed.wait_idle()
    except BaseException:
        first.cancel()
        tidy(first)
        raise
    second = Story(bed)
    try:
        play(second)
        second.check()
    except BaseException:
        second.cancel()
        tidy(second)
        raise
    return second


def _of(mail: Mail) -> object:
    """The job whose end a mail is about; None for one about a standstill. A subject may name a parent's number, too."""
    if mail.message()["X-GPUAlert-Stall"]:
        return None
    attempt = verdict(mail)["attempt"]
    return attempt["job_id"] if isinstance(attempt, dict) else None


def standing(said: dict, mode: str) -> str:
    """How a mode stands in the verdict's ledger."""
    return str(next(row["standing"] for row in said["ledger"] if row["mode"] == mode))


def short(said: dict) -> tuple[object, ...]:
    """Mode, variant and who must act."""
    return said["mode"], said.get("variant"), said["fault"]


def told(said: dict) -> str:
    """For a failing test: what the verdict said, in one line."""
    ledger = {row["mode"]: f"{row['standing']}: {row['datum']}" for row in said["ledger"]}
    return json.dumps({key: said.get(key) for key in ("mode", "variant", "cause", "detail", "state", "headline")} | {"ledger": ledger})

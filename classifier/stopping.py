"""When a run began to be stopped from outside, and by whose clock that is known."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from signal import SIGTERM

from gpualert_slurm.classifier.clocks import behind
from gpualert_slurm.classifier.ending import LAST_SECOND_NS, SCRIPT, SIGNALLED, Ending, step_stopped
from gpualert_slurm.evidence import Evidence, Role
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.rank import RankExit

CUT = {"TIMEOUT", "CANCELLED", "PREEMPTED", "NODE_FAIL", "DEADLINE"}
"""States of a run that was stopped from outside."""
OWN_LIMIT = 124
"""What timeout(1) exits with when it has ended its command."""
AT_ONCE_NS = 250_000_000
"""Peers of a task that died first are taken down later than that."""
KILL_WAIT_NS = 30_000_000_000
"""Slurm's KillWait, as it comes: between SIGTERM and SIGKILL."""
_SENT = {1, 2, 9, 15}
"""Signals that it may send."""


class Stopping:
    """What comes after it follows from it."""

    def __init__(self, job: JobRecord, ending: Ending, exits: tuple[RankExit, ...], evidence: Iterable[Evidence]) -> None:
        self._job, self._ending, self._exits, self._evidence = job, ending, exits, tuple(evidence)

    @cached_property
    def at(self) -> tuple[int, str | None] | None:
        """When, by whose clock (a node's, else Slurm's): the earliest of launchers' words, steps that Slurm cut, the time limit, the end."""
        words = ("time_limit_text", "step_cancelled", "preempted_text")
        told = [e for e in self._evidence if e.says in words and e.role is not Role.MARKER]
        times = [(e.time_ns + (e.uncertainty_ns or 0), e.where.node) for e in told if e.time_ns is not None]
        ending, row = self._ending, self._job.accounting[-1] if self._job.accounting else None
        cut = ending.state in CUT
        if row is not None:
            steps = [(s.step, s.end_ns) for s in row.steps if s.state in CUT and s.end_ns is not None]
            times += [(step_stopped(step, end_ns, self._exits, cut=cut), None) for step, end_ns in steps]
            times += self._sent_at_once({s.step for s in row.steps if s.state in CUT and s.end_ns is None and s.step not in SCRIPT})
        if ending.state == "TIMEOUT" and ending.started_ns is not None and ending.limit_s:
            times.append((ending.started_ns + ending.limit_s * 10**9, None))
        if self.kept_ns is not None:
            times.append((self.kept_ns, None))
        if cut and ending.ended_ns is not None:
            times.append((ending.ended_ns - LAST_SECOND_NS, None))
        times += [(e.end_time_ns - LAST_SECOND_NS, e.node) for e in (*self.own_limit, *self.cancelled_step) if e.end_time_ns is not None]
        return min(times, key=lambda t: (t[0], t[1] or ""), default=None)

    @cached_property
    def kept_ns(self) -> int | None:
        """When gpualert-run began to stop its command by its limit, which it keeps to the second; Slurm looks at limits when it comes to it."""
        limits = [e.data["limit_s"] for e in self._evidence if e.says == "time_limit_text" and isinstance(e.data.get("limit_s"), (int, float))]
        if self._ending.state != "TIMEOUT" or self._ending.started_ns is None or not limits:
            return None
        return self._ending.started_ns + round(float(limits[0]) * 1e9)

    def _sent_at_once(self, steps: set[str]) -> list[tuple[int, str | None]]:
        """When a signal ended the tasks of steps that Slurm calls cut without saying when: all of them by SIGTERM, shortly before the end."""
        tasks = [e for e in self._exits if e.step in steps]
        ends = [e.end_time_ns for e in tasks if e.end_time_ns is not None]
        last = self._ending.ended_ns
        if last is None or not ends or len(ends) < len(tasks) or any(e.signal != SIGTERM for e in tasks) or min(ends) < last - KILL_WAIT_NS:
            return []
        return [(min(ends) - LAST_SECOND_NS, None)]

    @cached_property
    def own_limit(self) -> tuple[RankExit, ...]:
        """Who was ended by a limit of the script's own: its timeout(1) left with a code that nobody else uses, and no task had ended by itself."""
        if self._ending.state != "FAILED":
            return ()
        told = [e for e in self._exits if e.exit_code == OWN_LIMIT]
        tasks = [e for e in self._exits if e.step not in SCRIPT and e.failed and e not in told]
        sent = all(e.signal in _SENT or (e.exit_code or 0) - SIGNALLED in _SENT for e in tasks)
        return tuple(tasks or told) if told and sent else ()

    @cached_property
    def cancelled_step(self) -> tuple[RankExit, ...]:
        """Tasks of a step that was cancelled while its script ran on: by one signal all at once, so that nobody among them had died first.

        The step of a single task that died by itself Slurm calls FAILED, not CANCELLED.
        """
        row = self._job.accounting[-1] if self._job.accounting else None
        if self._ending.state != "FAILED" or row is None or not any(e.says == "step_cancelled" for e in self._evidence):
            return ()
        steps = {s.step for s in row.steps if s.state.startswith("CANCELLED") and s.step not in SCRIPT}
        tasks = [e for e in self._exits if e.step in steps and e.end_time_ns is not None]
        ends = [e.end_time_ns for e in tasks if e.end_time_ns is not None]
        if not tasks or len({(e.signal, e.exit_code) for e in tasks}) > 1 or max(ends) - min(ends) > AT_ONCE_NS:
            return ()
        return tuple(tasks) if all(e.signal in _SENT for e in tasks) else ()

    @cached_property
    def _late(self) -> dict[str, int]:
        return behind(self._job, self._ending.ended_ns)

    @cached_property
    def _clocks(self) -> dict[str | None, int]:
        return {r.node: r.clock_uncertainty_ns for r in self._job.reports}

    def before(self, time_ns: int | None, node: str | None) -> bool:
        """Whether the run was surely being stopped before ``time_ns`` of a node's clock; clocks count only between nodes."""
        if self.at is None or time_ns is None:
            return False
        stopped, whose = self.at
        time_ns += self._late.get(node or "", 0)
        margin = 0 if whose in {None, node} else self._clocks.get(node, 0) + self._clocks.get(whose, 0)
        return time_ns - margin >= stopped

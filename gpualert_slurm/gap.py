from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs


class Gap(Record):
    """Something that should be known and is not, and why. Never an exception past the edge, never a guess.

    ``what`` names the missing thing ("GPU counters after the job"), ``why`` the reason ("NVML did not answer
    within 5 s"), ``node`` and ``rank`` whose it is where that is known.
    """

    what: str
    why: str
    node: str | None = None
    rank: int | None = None
    time_ns: TimeNs | None = None

    def __str__(self) -> str:
        """One line for people: ``n3: no report (did not arrive within 120 s)``."""
        whose = f"{self.node}: " if self.node else ""
        return f"{whose}{self.what} ({self.why})"

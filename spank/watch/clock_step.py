"""Whether the node's clock was set while a job was watched: times before and after are then of two clocks."""

from __future__ import annotations

from gpualert_slurm.record import Record, TimeNs

LEAST_NS = 500_000_000
"""Less is within what times are said to be uncertain by, or NTP slewing, which moves both clocks alike."""
MOST_STEPS = 16


class ClockStep(Record):
    """The wall clock was found ``by_ns`` further (or, negative, less far) than the monotonic one had gone, at ``at_ns`` of the new clock."""

    at_ns: TimeNs
    by_ns: int


def step_between(offset_ns: int | None, wall_ns: int, monotonic_ns: int) -> ClockStep | None:
    """A step since wall clock less monotonic clock was ``offset_ns`` (None: first look). A node that slept looks the same."""
    if offset_ns is None or abs(by_ns := wall_ns - monotonic_ns - offset_ns) < LEAST_NS:
        return None
    return ClockStep(at_ns=max(0, wall_ns), by_ns=by_ns)

"""The clock is kept by NTP: which rank failed first is told by comparing clocks."""

from __future__ import annotations

from collections.abc import Iterator

from gpualert_slurm.epilog.collect_clock import clock_uncertainty
from gpualert_slurm.programs.doctor.check import EVERYWHERE, Check, Found, Patient, bad, good, unknown

MOST_NS = 500_000_000


def _run(who: Patient) -> Iterator[Found]:
    del who
    off_ns, vouched = clock_uncertainty()
    if not vouched:
        yield unknown(
            "the kernel does not know how far this clock is off: no NTP service disciplines it", "systemctl enable --now chrony; chronyc tracking"
        )
    elif off_ns > MOST_NS:
        yield bad(f"this clock may be off by {off_ns / 1e9:.2f} s", "chronyc makestep; chronyc tracking")
    else:
        yield good(f"this clock is off by at most {off_ns / 1e6:.0f} ms")


CHECK = Check("clock", EVERYWHERE, _run, order=70)

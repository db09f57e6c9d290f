"""The clock is kept by NTP, and agrees with the controller's: which rank failed first is told by comparing clocks."""

from __future__ import annotations

from collections.abc import Iterator

from gpualert_slurm.epilog.collect_clock import clock_uncertainty
from gpualert_slurm.programs.doctor.check import EVERYWHERE, Check, Found, Patient, bad, good, unknown
from gpualert_slurm.programs.doctor.examination import AHEAD

MOST_NS = 500_000_000
MOST_OFFSET_S = 1.0


def _run(who: Patient) -> Iterator[Found]:
    off_ns, vouched = clock_uncertainty()
    if not vouched:
        yield unknown(
            "the kernel does not know how far this clock is off: no NTP service disciplines it", "systemctl enable --now chrony; chronyc tracking"
        )
    elif off_ns > MOST_NS:
        yield bad(f"this clock may be off by {off_ns / 1e9:.2f} s", "chronyc makestep; chronyc tracking")
    else:
        yield good(f"this clock is off by at most {off_ns / 1e6:.0f} ms")
    if AHEAD not in who.facts:
        yield unknown("the controller's clock: scontrol does not answer", "scontrol ping")
        return
    ahead_s = float(who.facts[AHEAD])
    if abs(ahead_s) > MOST_OFFSET_S:
        words = "ahead of" if ahead_s > 0 else "behind"
        what = f"slurmctld's clock is at least {abs(ahead_s):.1f} s {words} this one"
        yield bad(what, "chronyc makestep; chronyc tracking   # here and on slurmctld's host")
    else:
        yield good("this clock and slurmctld's agree, as far as its answer shows")


CHECK = Check("clock", EVERYWHERE, _run, order=70)

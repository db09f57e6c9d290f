"""F3: the limit of job or step, while advancing."""

from __future__ import annotations

from gpualert_slurm.accounting import StepRecord
from tests.unit.classifier.records import Run, at, steps, trace
from tests.unit.classifier.signals import busy, ticks


def _cut(text: str = "", state: str = "TIMEOUT", **accounting):
    run = Run().rank(0, "n1", text or steps(1, 700, 1000), signal=9, end=3601, times=ticks(700, 5))
    return run.accounting(state, code=0, end=3600, **accounting)


def _own_timeout(advanced: int = 99, code: int = 124):
    """Two tasks under ``timeout 100 srun``: the script leaves with timeout's 124."""
    run = Run(("n1", "n2"))
    for rank in range(2):
        run.rank(rank, f"n{rank + 1}", steps(1, advanced), signal=15, end=100 + rank * 0.2, times=ticks(advanced + 9))
    return run.batch("srun: forcing job termination\n", code=code, end=101, times=[100.1]).accounting(code=code, end=101)


EXAMPLES = {
    "the script's own timeout": lambda: _own_timeout().verdict(),
    "the job's limit": lambda: _cut().verdict(),
    "slurm 22.05 to 26.05: in words alone": lambda: (
        Run()
        .rank(
            0,
            "n1",
            steps(1, 700, 1000) + "slurmstepd: error: *** JOB 4711 ON n1 CANCELLED AT 2026-11-20T16:00:00 DUE TO TIME LIMIT ***\n",
            signal=15,
            end=3601,
            times=[*ticks(700, 5), 3600.0],
        )
        .verdict()
    ),
    "a step's own limit": lambda: (
        Run()
        .rank(0, "n1", steps(1, 700, 1000), signal=15, end=3601, times=ticks(700, 5))
        .accounting("FAILED", code=1, end=3605, steps=(StepRecord(step="0", state="TIMEOUT", exit_code=0, exit_signal=15, end_ns=at(3600)),))
        .verdict()
    ),
    "a deadline": lambda: _cut(state="DEADLINE").verdict(),
}
NEAR_MISSES = {
    "the script's own timeout, behind a long stillness": lambda: _own_timeout(9).node("n1", series=[busy("n1", [0.0] * 50, every=2)]).verdict(),
    "the script leaves with another code": lambda: _own_timeout(code=3).verdict(),
    "a hang": lambda: (
        Run()
        .rank(0, "n1", steps(1, 50), signal=9, end=3601, times=ticks(50))
        .node("n1", series=[busy("n1", [0.0] * 60)])
        .accounting("TIMEOUT", code=0, end=3600)
        .verdict()
    ),
    "a crash before it": lambda: Run().rank(0, "n1", trace("KeyError: 'x'"), code=1, end=9).accounting("FAILED", end=10).verdict(),
    "cancelled": lambda: _cut(state="CANCELLED", cancelled_by_uid=1000).verdict(),
}

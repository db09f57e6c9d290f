"""The way of a resume that failed: the parent's verdict goes through the history on disk, and the child is judged by it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gpualert_slurm.attempt import Attempt
from gpualert_slurm.classifier import judge
from gpualert_slurm.epilog.history.past import parents
from gpualert_slurm.epilog.history.store import History
from gpualert_slurm.job_note import JobNote
from gpualert_slurm.job_record import JobRecord
from gpualert_slurm.verdict import Verdict
from gpualert_slurm.wishes import Wishes
from tests.unit.classifier.records import Run, at, steps
from tests.unit.classifier.signals import process, ticks

PARENT, CHILD = 4700, 4711


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    opened = History(tmp_path / "history.db")
    yield opened
    opened.close()


def of_job(record: JobRecord, job_id: int, **changes: object) -> JobRecord:
    """The record as another job's: its reports and rows too."""
    attempt = Attempt(cluster="hpc", job_id=job_id)
    reports = tuple(r.model_copy(update={"attempt": attempt}) for r in record.reports)
    rows = tuple(a.model_copy(update={"job_id": job_id}) for a in record.accounting)
    return record.model_copy(
        update={"attempt": attempt, "reports": reports, "accounting": rows, "ended_ns": at(-5000), "started_ns": at(-9000), **changes}
    )


def parent(name: str = "stage", **changes: object) -> JobRecord:
    """It advanced to the time limit, the loss fell from 11 to 2, and it saved."""
    text = steps(1, 100, 1000, lambda i: 11.0 - 0.09 * i) + "saved checkpoint to out/llama/checkpoint-100\n"
    run = Run(name=name).rank(0, "n1", text, signal=9, end=3601, times=ticks(101, 35.6))
    return of_job(run.accounting("TIMEOUT", code=0, end=3600).record(), PARENT, name=name, **changes)


def keep(history: History, record: JobRecord) -> Verdict:
    note = JobNote(attempt=record.attempt, uid=record.uid or 0, user=record.user, node="n1", nodes="n1", wishes=Wishes(), written_ns=at(-9000))
    run = history.add(note, at(-9000)).run
    verdict = judge(record)
    history.save_verdicts(run.id, [(record, verdict)], at(-4000))
    return verdict


def child(
    history: History, first_loss: float, *, command: tuple[str, ...] = ("python", "train.py"), uid: int = 1000, **accounting: object
) -> Verdict:
    text = steps(1, 60, None, lambda i: first_loss * 0.99**i)
    run = (
        Run(uid=uid, name="other-name")
        .rank(0, "n1", text, code=0, end=100, times=ticks(60))
        .node("n1", processes=(process(rank=0, command=command),))
    )
    record = run.accounting("COMPLETED", code=0, end=101, **accounting).record().model_copy(update={"started_ns": at(0), "ended_ns": at(101)})
    return judge(record.model_copy(update={"past": history.past(record)}))


def test_a_parent_leaves_its_losses_its_steps_and_its_checkpoint(history: History) -> None:
    verdict = keep(history, parent())
    assert verdict.checkpoints == ("out/llama/checkpoint-100",)
    asking = Run(name="stage").accounting("COMPLETED", code=0).record().model_copy(update={"started_ns": at(0)})
    past = next(p for p in history.past(asking) if p.relation == "same_name")
    assert (past.steps_done, past.checkpoints) == (100, verdict.checkpoints)
    assert past.head_loss == pytest.approx(10.91)
    assert past.tail_loss == pytest.approx(2.0)


def test_a_dependent_child_that_starts_anew(history: History) -> None:
    keep(history, parent())
    verdict = child(history, 11.0, submit_line=f"sbatch --dependency=afterany:{PARENT} train.sh")
    assert (verdict.mode, verdict.variant) == ("E2", "from_scratch")
    assert verdict.waste.of_parent_gpu_hours == pytest.approx(4.0)


def test_its_twin_goes_on_where_the_parent_ended(history: History) -> None:
    keep(history, parent())
    assert child(history, 2.0, submit_line=f"sbatch --dependency=afterany:{PARENT} train.sh").mode == "G1"


def test_the_resume_argument_finds_a_parent_that_slurm_does_not_name(history: History) -> None:
    """No dependency and another name: the folder that was saved to is the link."""
    keep(history, parent())
    asked = ("python", "train.py", "--resume_from_checkpoint", "out/llama/checkpoint-100")
    assert child(history, 11.0, command=asked).mode == "E2"
    assert child(history, 11.0, command=("python", "train.py", "--resume_from_checkpoint", "elsewhere/checkpoint-7")).mode == "G1"


def test_nobody_inherits_from_another_user(history: History) -> None:
    keep(history, parent())
    asked = ("python", "train.py", "--resume_from_checkpoint", "out/llama/checkpoint-100")
    assert child(history, 11.0, uid=1001, command=asked, submit_line=f"sbatch -d afterany:{PARENT} x.sh").mode == "G1"


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"submit_line": "sbatch --dependency=afterok:12:13 x.sh"}, [12, 13]),
        ({"dependency": "afterok:14(unfulfilled),afterany:15_*"}, [14, 15]),
        ({"submit_line": "sbatch -d afternotok:16?afterany:17 x.sh"}, [16, 17]),
        ({"dependency": "singleton"}, []),
        ({"dependency": f"afterany:{CHILD}"}, []),
    ],
)
def test_whom_a_job_depends_on(fields: dict[str, str], found: list[int]) -> None:
    assert parents(Run().accounting(**fields).record()) == found


def test_a_dependency_that_only_the_processes_environment_names() -> None:
    run = Run().node("n1", processes=(process(environment={"SLURM_JOB_DEPENDENCY": f"afterany:{PARENT}"}),))
    assert parents(run.accounting().record()) == [PARENT]
